"""What is asked for: a method with its options, checked once."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.training import ppmi, predictive
from tiltmeter.training.corpus import TOKENS, Corpus

METHODS = (*predictive.METHODS, "ppmi-svd")

FEWEST_WORDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    method: str
    window: int
    dimensions: int
    min_count: int
    epochs: int
    lower: bool
    seed: int

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise unknown("method", self.method, METHODS)
        for name in ("window", "dimensions", "min_count", "epochs"):
            if getattr(self, name) < 1:
                raise TiltmeterError(f"{name} has to be at least 1, and {getattr(self, name)} was given")
        if not 0 <= self.seed < 2**32:
            raise TiltmeterError(f"seed has to be from 0 to {2**32 - 1}, and {self.seed} was given")

    @property
    def name(self) -> str:
        return f"{self.method}-w{self.window}-d{self.dimensions}"

    def vocabulary(self, corpus: Corpus) -> dict[str, int]:
        """Words with their counts, the most frequent first, refused where there are too few to train on."""
        counts = corpus.tally.counts
        kept = {word: count for word, count in counts.items() if count >= self.min_count}
        if len(kept) < FEWEST_WORDS:
            raise TiltmeterError(
                f"a min_count of {self.min_count} leaves {len(kept)} of {len(counts)} words, and at least "
                f"{FEWEST_WORDS} are needed; lower it or give more text"
            )
        if self.method == "ppmi-svd" and self.dimensions >= len(kept):
            raise TiltmeterError(
                f"ppmi-svd has to have fewer dimensions than words: {self.dimensions} dimensions were asked for, and "
                f"a min_count of {self.min_count} leaves {len(kept)} words"
            )
        return dict(sorted(kept.items(), key=lambda entry: (-entry[1], entry[0])))

    def options(self) -> dict[str, Any]:
        """All that decides the outcome beside the corpus and the seed, with what is fixed for the method."""
        chosen: dict[str, Any] = {
            "window": self.window,
            "dimensions": self.dimensions,
            "min_count": self.min_count,
            "lower": self.lower,
            "tokens": TOKENS,
        }
        if self.method == "ppmi-svd":
            return {**chosen, **ppmi.FIXED}
        return {**chosen, "epochs": self.epochs, **predictive.FIXED}

    def request(self, corpus: Corpus) -> str:
        """A checksum that is the same when the same vectors are asked for."""
        asked = [self.method, self.options(), self.seed, corpus.sha256]
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).hexdigest()
