"""How much of a spread lies between groups, and how much within them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.intervals import Interval
from tiltmeter.statistics.sample import TIE, finite_sample


@dataclass(frozen=True, slots=True)
class VarianceShare:
    """Variance components of a one-way random-effects model, and the share of the one between groups."""

    between: float
    within: float
    share: float
    """between / (between + within): the intra-class correlation."""
    interval: Interval
    """Of the share."""


def variance_share(values: npt.ArrayLike, groups: Sequence[object], *, level: float = 0.95) -> VarianceShare:
    """Splits the variance of values into what their groups explain and the rest, groups of any sizes.

        y_gi = m + a_g + e_gi;  h = harmonic mean of the group sizes
        within  = pooled variance inside the groups
        between = max(0, variance of the group means - within / h)

    The interval inverts F = h * variance of the group means / within (Thomas and Hultquist 1978), which follows the F
    distribution where effects are normal; the lower limit is cut at 0. Groups of one value are left out: they tell
    nothing about the spread inside. With fewer than two groups, or no spread at all, there is nothing to share.
    """
    from scipy.stats import f

    sample = finite_sample(values, "values")
    if len(groups) != sample.size:
        raise ValueError(f"groups needs one label per value, got {len(groups)} for {sample.size} values.")
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    sizes = np.bincount(codes)
    kept = (sizes > 1)[codes]
    _, codes = np.unique(codes[kept], return_inverse=True)
    sample, sizes = sample[kept], np.bincount(codes)
    if sizes.size < 2:
        return _nothing(level, int(sizes.size), "the shares of two parts need two groups of two values")
    means = np.bincount(codes, weights=sample) / sizes
    freedom = (sizes.size - 1, int(sizes.sum() - sizes.size))
    inside = sample - means[codes]
    rounding = TIE * float(np.abs(sample).max())
    inside[np.abs(inside) <= rounding] = 0.0
    within = float((inside**2).sum()) / freedom[1]
    means = np.full(sizes.size, means[0]) if np.ptp(means) <= rounding else means
    spread, size = float(means.var(ddof=1)), sizes.size / float((1 / sizes).sum())
    between = max(0.0, spread - within / size)
    if between + within == 0:
        return _nothing(level, int(sizes.size), "no value varies")
    if within == 0:
        return VarianceShare(between, 0.0, 1.0, Interval(1.0, 1.0, level, _METHOD, int(sizes.size), "no spread inside"))
    ratio, tail = size * spread / within, (1 - level) / 2
    ends = [ratio / float(f.ppf(share, *freedom)) for share in (1 - tail, tail)]
    low, high = (max(0.0, (end - 1) / (end - 1 + size)) for end in ends)
    interval = Interval(low, high, level, _METHOD, int(sizes.size), _CAUTION if size < _MANY else None)
    return VarianceShare(between, within, between / (between + within), interval)


_METHOD = "F distribution, unequal groups (Thomas and Hultquist)"
_MANY = 100
"""Values a group from which on it covered at least 92% whatever the distribution of values."""
_CAUTION = "in simulations of 16 groups of 12 values it covered 94% on normal but 79% on lognormal ones (nominal 95%)"


def _nothing(level: float, groups: int, why: str) -> VarianceShare:
    return VarianceShare(math.nan, math.nan, math.nan, Interval(math.nan, math.nan, level, _METHOD, groups, why))
