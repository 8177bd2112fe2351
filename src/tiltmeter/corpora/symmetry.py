"""Whether the two words of a pair are used alike: a pair that is not symmetric measures more than gender."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

FREQUENT = 5.0
"""So many times more frequent than the other, a word of a pair is warned about."""
TITLE = 0.1
"""So much more often behind a surname than the other, it is used as a title (女士) and warned about."""


@dataclass(frozen=True, slots=True)
class Symmetry:
    """How often each word of a pair stands in the corpus, and how often right behind a surname."""

    pair: str
    male: int
    female: int
    male_after_surname: float
    female_after_surname: float
    """Shares of the sentences with that one keyword."""

    @property
    def ratio(self) -> float | None:
        """Male over female; nothing where one of them does not occur."""
        return self.male / self.female if self.male and self.female else None

    @property
    def warnings(self) -> list[str]:
        male, female = self.pair.split("/")
        if not self.male or not self.female:
            if not self.male and not self.female:
                return [f"neither {male} nor {female} was found"]
            return [f"{female if self.male else male} was not found, and the other was"]
        told = []
        ratio = self.male / self.female
        if not 1 / FREQUENT < ratio < FREQUENT:
            word, other, times = (male, female, ratio) if ratio > 1 else (female, male, 1 / ratio)
            told.append(f"{word} is {times:.1f} times as frequent as {other}")
        difference = self.male_after_surname - self.female_after_surname
        if abs(difference) > TITLE:
            word = male if difference > 0 else female
            shares = sorted((self.male_after_surname, self.female_after_surname), reverse=True)
            told.append(
                f"{word} stands behind a surname in {shares[0]:.0%} of its sentences, the other word in {shares[1]:.0%}"
            )
        return told


def symmetries(pairs: Iterable[str], counts: Mapping[str, Mapping[tuple[str, str], int]]) -> Iterator[Symmetry]:
    """From the counts of the screening, pair by pair."""
    for pair in pairs:
        found = {gender: counts["occurrences"].get((pair, gender), 0) for gender in ("male", "female")}
        shares = {
            gender: counts["after_surname"].get((pair, gender), 0) / max(1, counts["single"].get((pair, gender), 0))
            for gender in ("male", "female")
        }
        yield Symmetry(pair, found["male"], found["female"], shares["male"], shares["female"])
