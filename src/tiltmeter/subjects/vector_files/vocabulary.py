"""What a reader is asked, what it reports, and how it takes the census of a vocabulary in the same pass."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError

Row = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Asked:
    """The spellings that a test could want, and how to read where formats leave a choice."""

    spellings: frozenset[str]
    subwords: bool = False
    """Compose vectors of unknown words from their character n-grams, where a model has them."""
    broken: Literal["refuse", "skip"] = "refuse"
    """What to do with vocabulary words that are not UTF-8; skipped ones are counted."""

    def encoded(self) -> dict[bytes, str]:
        return {spelling.encode(): spelling for spelling in self.spellings}


@dataclass(frozen=True, slots=True)
class Traits:
    """What a vocabulary looks like: it decides how words are matched, and what a reader has to be warned of.

    `rows` is less than `words` in a pruned table, where many words share a row; `duplicates` were left out, the
    first of each kept; `broken` words are not UTF-8 and were skipped.
    """

    words: int
    dimensions: int
    cased: bool
    yo: bool
    tagged: bool
    rows: int
    duplicates: int = 0
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Lookup:
    rows: Mapping[str, Row]
    traits: Traits
    composed: frozenset[str] = field(default_factory=frozenset)
    """Spellings that are not in the vocabulary: their rows were made from character n-grams."""


def describe(words: Iterable[str], dimensions: int, *, rows: int | None = None) -> Traits:
    """Looks once at a vocabulary that is in memory."""
    census = Census(lambda number: f"word {number}")
    remaining = iter(words)
    while batch := [word.encode() for word in islice(remaining, _BATCH)]:
        census.add(batch)
    return census.traits(dimensions, rows=rows)


class Census:
    """Counts a vocabulary batch by batch and keeps 8 bytes a word, to find duplicates without keeping the words.

    `place` says where the n-th word (from 1) stands, for the error about a word that is not UTF-8.
    """

    def __init__(self, place: Callable[[int], str], broken: Literal["refuse", "skip"] = "refuse") -> None:
        self.entries = 0
        self._place = place
        self._broken = broken
        self._skipped = 0
        self._cased = self._tagged = 0
        self._yo = False
        self._hashes: list[NDArray[np.int64]] = []

    def add(self, words: list[bytes]) -> None:
        try:
            text = b"\n".join(words).decode()
        except UnicodeDecodeError:
            text = "\n".join(self._readable(words))
        self.entries += len(words)
        self._hashes.append(np.fromiter(map(hash, words), dtype=np.int64, count=len(words)))
        if text != text.lower():
            self._cased += sum(word != word.lower() for word in text.split("\n"))
        self._yo = self._yo or "ё" in text or "Ё" in text
        self._tagged += text.count("_NOUN\n") + text.endswith("_NOUN")

    def traits(self, dimensions: int, *, rows: int | None = None) -> Traits:
        hashes = np.sort(np.concatenate(self._hashes or [np.zeros(0, np.int64)]))
        duplicates = int(np.count_nonzero(hashes[1:] == hashes[:-1]))
        words = self.entries - duplicates
        return Traits(
            words=words,
            dimensions=dimensions,
            cased=self._cased > _STRAY * self.entries,
            yo=self._yo,
            tagged=self._tagged > _STRAY * self.entries,
            rows=words if rows is None else rows,
            duplicates=duplicates,
            broken=self._skipped,
        )

    def _readable(self, words: list[bytes]) -> Iterable[str]:
        for number, word in enumerate(words, start=self.entries + 1):
            try:
                yield word.decode()
            except UnicodeDecodeError as error:
                if self._broken == "refuse":
                    raise TiltmeterError(
                        f"{self._place(number)}: the word {word!r} is not UTF-8 (byte 0x{word[error.start]:02x}); "
                        "convert the file to UTF-8, or have such words skipped (--skip-broken)"
                    ) from error
                self._skipped += 1


_BATCH = 1 << 16
_STRAY = 0.01
"""A share up to which upper case or tags are strays (`<UNK>`, abbreviations) and say nothing about a vocabulary."""
