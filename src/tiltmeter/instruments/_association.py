"""How near two sets of targets lie to paired attributes: the numbers behind WEAT and its kin."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tiltmeter.statistics import standardised_difference

Floats = NDArray[np.float64]
Denominator = Literal["caliskan", "pestova"]
RESAMPLES = 5_000


@dataclass(frozen=True, slots=True)
class Similarities:
    """Cosines of the words that were found: rows are targets, columns attributes; column i of A and of B is a pair."""

    x_a: Floats
    x_b: Floats
    y_a: Floats
    y_b: Floats

    @property
    def smallest(self) -> int:
        """The size of the smallest of the four sets."""
        return min(len(self.x_a), len(self.y_a), len(self.x_a.T))

    def associations(self) -> tuple[Floats, Floats]:
        """s(w, A, B) of the targets in X and in Y."""
        return self.x_a.mean(1) - self.x_b.mean(1), self.y_a.mean(1) - self.y_b.mean(1)

    def by_pair(self) -> tuple[Floats, Floats]:
        """How much nearer each target of X and of Y is to the first word of each pair than to the second."""
        return self.x_a - self.x_b, self.y_a - self.y_b

    def pair_differences(self) -> Floats:
        """What each attribute pair contributes to mean s(x) - mean s(y); swapping the pair flips its sign."""
        x, y = self.by_pair()
        contributions: Floats = x.mean(0) - y.mean(0)
        return contributions


def effect_size(similarities: Similarities, denominator: Denominator) -> float | None:
    x, y = similarities.associations()
    d = standardised_difference(x, y, spread_of=_spread_of(similarities, denominator))
    return d if np.isfinite(d) else None


def _spread_of(similarities: Similarities, denominator: Denominator) -> Floats:
    """The values of which the standard deviation is the denominator of d."""
    if denominator == "pestova":
        return np.concatenate([getattr(similarities, name).mean(1) for name in ("x_a", "x_b", "y_a", "y_b")])
    return np.concatenate(similarities.associations())


def bootstrap_intervals(
    similarities: Similarities, denominator: Denominator, *, seed: int
) -> dict[str, tuple[float, float]]:
    """95% percentile intervals of the statistic and of d: targets are drawn anew within X and Y, and pairs as pairs."""
    return _limits(resampled(similarities, denominator, seed=seed))


def resampled(similarities: Similarities, denominator: Denominator, *, seed: int) -> Floats:
    """The statistic and d of each resample, in two rows. Sets of the same sizes get the same words drawn."""
    rng = np.random.default_rng(seed)
    n_x, n_pairs = similarities.x_a.shape
    n_y = similarities.y_a.shape[0]
    weights = rng.multinomial(n_pairs, np.full(n_pairs, 1 / n_pairs), size=RESAMPLES).T / n_pairs
    drawn_x, drawn_y = rng.integers(n_x, size=(n_x, RESAMPLES)), rng.integers(n_y, size=(n_y, RESAMPLES))
    x_a, x_b = (np.take_along_axis(part @ weights, drawn_x, 0) for part in (similarities.x_a, similarities.x_b))
    y_a, y_b = (np.take_along_axis(part @ weights, drawn_y, 0) for part in (similarities.y_a, similarities.y_b))
    x, y = x_a - x_b, y_a - y_b
    spread_of = (x_a, x_b, y_a, y_b) if denominator == "pestova" else (x, y)
    spread = np.concatenate(spread_of).std(0, ddof=1)
    difference = x.mean(0) - y.mean(0)
    d = np.divide(difference, spread, out=np.zeros_like(difference), where=spread > 0)
    return np.stack([x.sum(0) - y.sum(0), d])


def _limits(resamples: Floats) -> dict[str, tuple[float, float]]:
    low, high = np.quantile(resamples, [0.025, 0.975], axis=1)
    return {"statistic": (float(low[0]), float(high[0])), "effect_size": (float(low[1]), float(high[1]))}


def changes(
    before: Similarities, after: Similarities, denominator: Denominator, *, seed: int
) -> dict[str, tuple[tuple[float, float], Floats]]:
    """Of the statistic and of d, for two models on the same words: the interval of the change, and what each attribute
    pair adds to it.

    Every resample draws the same words for both models. A pair adds to d what it adds to the difference of the means,
    in units of the model's own denominator, over the number of pairs.
    """
    limits = _limits(resampled(after, denominator, seed=seed) - resampled(before, denominator, seed=seed))
    sums = [_sum_differences(part) for part in (before, after)]
    found = {"statistic": (limits["statistic"], sums[1] - sums[0])}
    spreads = [float(np.std(_spread_of(part, denominator), ddof=1)) for part in (before, after)]
    if min(spreads) > 0:
        first, second = (part.pair_differences() / sd for part, sd in zip((before, after), spreads, strict=True))
        found["effect_size"] = (limits["effect_size"], (second - first) / len(first))
    return found


def _sum_differences(similarities: Similarities) -> Floats:
    """What each attribute pair adds to the statistic."""
    total: Floats = (similarities.x_a - similarities.x_b).sum(0) - (similarities.y_a - similarities.y_b).sum(0)
    return total / len(total)
