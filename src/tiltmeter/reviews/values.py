"""What a review is made of, as plain values."""

import unicodedata
from dataclasses import dataclass
from typing import Literal, get_args

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import KEEP, Criterion

Choice = Literal["keep", "drop", "unsure"]
CHOICES: tuple[str, ...] = get_args(Choice)

LONGEST_NOTE = 2000
"""Characters."""


def storable(text: str) -> str:
    """Without what not every database takes: control characters but line breaks and tabs, and halves of characters."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return "".join(sign for sign in plain if sign in "\n\t" or unicodedata.category(sign) not in ("Cc", "Cs")).strip()


class Stale(TiltmeterError):
    """What a form is about has changed since it was shown; `why` names the text that tells it."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the set with its keyword, and what stands there for the other gender."""

    id: int
    sentence: str
    start: int
    end: int
    keyword: str
    opposite: str
    gender: str
    pair: str
    source: str = ""
    mark: str = ""

    @property
    def parts(self) -> tuple[str, str]:
        """What stands before the keyword and behind it."""
        return self.sentence[: self.start], self.sentence[self.end :]

    @property
    def swapped(self) -> str:
        before, behind = self.parts
        return before + self.opposite + behind


@dataclass(frozen=True, slots=True)
class About:
    """What is reviewed, and how."""

    digest: str
    name: str
    lang: str
    per_sentence: int
    pilot: int
    """Sentences that were asked about first."""
    open_round: str
    """The last round that is asked about."""
    created: float


@dataclass(frozen=True, slots=True)
class Reviewer:
    id: int
    name: str
    lang: str
    """What the pages are written in for them; nothing where they never said."""
    has_link: bool


@dataclass(frozen=True, slots=True)
class Ballot:
    """What a reviewer says of a sentence."""

    choice: Choice
    reason: str = ""
    """The criterion for which it is dropped."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Vote:
    """A ballot that was cast."""

    sentence_id: int
    round: str
    reviewer: str
    ballot: Ballot
    criteria: int
    """The version of the criteria that the reviewer saw."""
    voted: float
    """Seconds since 1970."""
    seconds: float
    """From being shown the sentence to the vote."""
    origin: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What the owner decided about a sentence."""

    sentence_id: int
    round: str
    choice: Choice
    reason: str
    note: str
    decided: float


@dataclass(frozen=True, slots=True)
class Edition:
    """The criteria as they were from some time on."""

    version: int
    saved: float
    criteria: tuple[Criterion, ...]

    @property
    def reasons(self) -> tuple[Criterion, ...]:
        """What a sentence may be dropped for."""
        return tuple(criterion for criterion in self.criteria if criterion.id != KEEP)

    @property
    def keep(self) -> Criterion:
        return next(criterion for criterion in self.criteria if criterion.id == KEEP)

    def reason(self, name: str) -> Criterion | None:
        return next((criterion for criterion in self.reasons if criterion.id == name), None)
