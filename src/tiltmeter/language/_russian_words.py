"""Russian sentences, word by word, as pymorphy3 reads them: what the check of agreement looks at."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from tiltmeter.errors import MissingExtra
from tiltmeter.language.agreement import Span

Gender = Literal["masc", "femn"]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a word: its part of speech and what else OpenCorpora's tag says of it."""

    pos: str
    gender: str
    number: str
    case: str
    lemma: str
    grammemes: frozenset[str]
    score: float

    def agrees(self, other: "Reading") -> bool:
        """Whether an adjective and a noun read so can stand together."""
        same = self.number == other.number and self.case == other.case
        return same and (self.number == "plur" or fits(self.gender, other.gender)) and self._animate(other)

    def _animate(self, other: "Reading") -> bool:
        both = {"anim", "inan"} <= self.grammemes | other.grammemes
        return not both or "accs" not in self.grammemes or self.gender == "femn"


@dataclass(frozen=True, slots=True, order=True)
class Word:
    start: int
    text: str
    index: int
    clause: int
    """Counts up at every mark of punctuation."""
    mark: str
    """The punctuation before the word."""

    @property
    def lower(self) -> str:
        return self.text.lower().replace("ё", "е")

    @property
    def readings(self) -> tuple[Reading, ...]:
        return _parsed(self.text.lower())

    @property
    def adjectival(self) -> bool:
        return self.readings[0].pos == "ADJF" and "Fixd" not in self.readings[0].grammemes

    @property
    def is_thing(self) -> bool:
        """Whether it is a noun for a thing in the first place: столиком is from столик, not from столикий."""
        return self.has("NOUN") and "inan" in self.readings[0].grammemes

    def has(self, *parts: str) -> bool:
        return self.readings[0].pos in parts

    def singular(self, gender: str, *parts: str) -> list[Reading]:
        """The readings of these parts of speech that carry the gender."""
        return [
            found for found in self.readings if found.pos in parts and found.number == "sing" and found.gender == gender
        ]


@dataclass(frozen=True, slots=True)
class Sentence:
    words: tuple[Word, ...]
    keyword: Word
    gender: Gender
    forms: tuple[Reading, ...]
    """The keyword's readings."""

    @classmethod
    def read(cls, sentence: str, span: Span, gender: Gender) -> "Sentence":
        words: list[Word] = []
        end = clause = 0
        for index, match in enumerate(_tokens(sentence, span)):
            mark = re.sub(r"[\s\d%№«»„“”\"]", "", sentence[end : match[0]])
            clause += bool(mark)
            words.append(Word(match[0], sentence[match[0] : match[1]], index, clause, mark))
            end = match[1]
        keyword = next(word for word in words if word.start == span[0])
        # The possessives его and её are read as adjectives of every gender; the person is what counts.
        forms = tuple(found for found in keyword.readings if found.pos in ("NOUN", "NPRO") and found.gender == gender)
        return cls(tuple(words), keyword, gender, forms)

    @property
    def keyword_is_singular(self) -> bool:
        return not self.forms or any(found.number == "sing" for found in self.forms)

    @property
    def keyword_is_nominative(self) -> bool:
        """Whether it can be a subject in the singular."""
        cases = {found.case for found in self.forms if found.number == "sing"}
        return "nomn" in cases and not self.governed(self.keyword)

    @property
    def keyword_is_accusative(self) -> bool:
        return any(found.case == "accs" for found in self.forms) and not self.governed(self.keyword)

    def clause(self, number: int) -> list[Word]:
        return [word for word in self.words if word.clause == number]

    def governed(self, word: Word) -> bool:
        """Whether a preposition stands before the word, with nothing between them but what belongs to it."""
        for before in reversed(self.words[: word.index]):
            if before.has("PREP"):
                return True
            if before.clause != word.clause or not before.has("ADJF", "PRTF", "NUMR", "ADVB", "PRCL", "COMP"):
                return False
        return False


def _tokens(sentence: str, span: Span) -> Iterator[Span]:
    """Words, the keyword always one of them."""
    for match in re.finditer(r"[^\W\d_]+(?:-[^\W\d_]+)*", sentence):
        if match.end() <= span[0] or match.start() >= span[1]:
            yield match.span()
        elif match.start() <= span[0]:
            yield span


def fits(one: str, other: str) -> bool:
    return one == other or "ms-f" in (one, other)


@cache
def _parsed(word: str) -> tuple[Reading, ...]:
    return tuple(
        Reading(
            pos=str(found.tag.POS or ""),
            gender=str(found.tag.gender or ""),
            number=str(found.tag.number or ""),
            # The second genitive and locative agree as the first: стакан горячего чаю, в медном тазу.
            case={"gen2": "gent", "loc2": "loct", "acc2": "accs"}.get(case := str(found.tag.case or ""), case),
            lemma=str(found.normal_form),
            grammemes=frozenset(found.tag.grammemes),
            score=float(found.score),
        )
        for found in _analyser().parse(word)
    )


@cache
def _analyser() -> Any:
    try:
        import pymorphy3
    except ImportError as error:
        raise MissingExtra("pymorphy3", "language") from error
    return pymorphy3.MorphAnalyzer(lang="ru")
