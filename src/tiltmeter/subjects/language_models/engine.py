"""Questions to a network: told apart by content, sorted by length, batched by tokens."""

import hashlib
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from tiltmeter.store import Answers, Store
from tiltmeter.subjects.language_models import network as networks
from tiltmeter.subjects.language_models.asking import Batch, Values, ask_once
from tiltmeter.subjects.language_models.checkpoint import Checkpoint
from tiltmeter.subjects.language_models.network import Asked, Line, Network
from tiltmeter.subjects.language_models.tokens import Tokens

ENGINE = "language-models-2"
"""Raised whenever the same question would get another answer."""
BATCH_TOKENS = 2048
BATCH_LOGITS = 2**26
"""At most so many numbers come out of one projection (256 MB)."""
CHUNK = 2**16
"""So many questions are held in memory at once."""

Typed = tuple[tuple[int, ...], tuple[int, ...]]
"""Token ids and their types."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One question: what is the probability of these tokens at these positions of this sequence? Or, with nothing
    asked: of what class is it?"""

    ids: tuple[int, ...]
    asked: Asked = ()
    types: tuple[int, ...] = ()
    """To which of two texts each token belongs, for models that are told."""

    @property
    def key(self) -> str:
        asked = (number for pair in self.asked for number in pair)
        numbers = array("q", [len(self.ids), *self.ids, *asked, *self.types])
        return hashlib.blake2b(numbers.tobytes(), digest_size=16).hexdigest()


@dataclass(frozen=True)
class Engine:
    """Asks one model, wherever it runs."""

    checkpoint: Checkpoint
    fingerprint: str
    store: Store
    runner: str = "local"
    pre_segment: str = "none"

    @cached_property
    def tokens(self) -> Tokens:
        return Tokens(self.network.tokenizer, self.pre_segment)

    @property
    def network(self) -> Network:
        return networks.load(self.checkpoint)

    def unfit(self, ids: Sequence[int]) -> str:
        """Why the model cannot read a sequence, or nothing."""
        if len(ids) > self.network.limit:
            return f"{len(ids)} tokens are longer than the model, which takes {self.network.limit}"
        if max(ids, default=0) >= self.network.vocabulary:
            token = self.tokens.words([max(ids)])[0]
            return f"the tokenizer has a token {token!r} that the model has no weights for"
        return ""

    def ask(self, probes: Sequence[Probe], what: str = "log_probabilities") -> list[Values]:
        """An array for each probe; `what` names the method of the network."""
        keys = [probe.key for probe in probes]
        network = self.network
        found = ask_once(
            Answers(self.store.answers_folder(self.fingerprint, f"{ENGINE}-{what}")),
            dict(zip(keys, probes, strict=True)),
            plan=partial(plan, tokens=BATCH_TOKENS, vocabulary=network.vocabulary, pads=network.pads),
            start=partial(_start, self.checkpoint, what),
            runner=self.runner,
        )
        return [found[key] for key in keys]


def plan(questions: Sequence[tuple[str, Probe]], *, tokens: int, vocabulary: int, pads: bool = True) -> list[Batch]:
    """Batches of sequences of nearly one length, the longest first.

    They depend on nothing but the questions, the vocabulary and whether the model bears padding; memory that runs
    out shows in the first batch.
    """
    lines: dict[Typed, list[tuple[str, Asked]]] = {}
    for key, probe in questions:
        lines.setdefault((probe.ids, probe.types), []).append((key, probe.asked))
    batches: list[list[Typed]] = []
    width = positions = 0
    for line in sorted(lines, key=lambda line: (-len(line[0]), line)):
        ids = line[0]
        more = len({position for _, asked in lines[line] for position, _ in asked})
        full = not batches or (len(batches[-1]) + 1) * width > tokens or (positions + more) * vocabulary > BATCH_LOGITS
        if full or (not pads and len(ids) != width):
            batches.append([])
            width, positions = len(ids), 0
        batches[-1].append(line)
        positions += more
    return [
        Batch(
            tuple(key for line in batch for key, _ in lines[line]),
            tuple(Line(line[0], tuple(asked for _, asked in lines[line]), line[1]) for line in batch),
            sum(len(ids) for ids, _ in batch),
        )
        for batch in batches
    ]


def _start(checkpoint: Checkpoint, what: str) -> Callable[[Any], list[Values]]:
    found: Callable[[Any], list[Values]] = getattr(networks.load(checkpoint), what)
    return found
