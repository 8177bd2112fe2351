"""Correlations with their p-value and interval. Further from 0 is a closer relation."""

import itertools
import math
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.intervals import Interval
from tiltmeter.statistics.sample import TIE, FloatArray, finite_sample, is_constant, never_zero

_EXACT_SPEARMAN_UP_TO = 8  # 40,320 orders; nine times as many one step on


@dataclass(frozen=True, slots=True)
class Correlation:
    """A correlation; r, p and interval are nan, with the reason, where it does not exist."""

    r: float
    p_value: float
    """Two-sided."""
    method: str
    """Where p comes from: `t` or `exact` (all orders)."""
    interval: Interval
    n: int
    reason: str | None


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> Correlation:
    """Pearson's r = cov(x, y) / (sd(x) sd(y)), with its t test and Fisher's (1921) interval.

    The interval is tanh(atanh(r) +- z / sqrt(n - 3)). r does not change when either side is shifted or
    scaled, so scaling scores to 0-1 first changes nothing.
    """
    first, second = _paired_samples(x, y, level)
    constant = _constant_side(first, second)
    if constant:
        return _undefined("t", "fisher-z", level, first.size, constant)
    from scipy.stats import pearsonr

    result = pearsonr(first, second)
    # A perfect line must not be judged by its rounding, which would decide between p = 1e-8 and p = 1e-308.
    perfect = 1 - abs(result.statistic) <= TIE
    r = math.copysign(1.0, result.statistic) if perfect else float(result.statistic)
    interval = _fisher_interval(r, 1.0, first.size, level, "fisher-z")
    p_value = never_zero(0.0 if perfect else result.pvalue)
    return Correlation(r, p_value, "t", interval, first.size, None)


def spearman(x: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> Correlation:
    """Spearman's rank correlation: Pearson's r of the ranks, ties sharing their mean rank.

    p is exact up to 8 pairs: the share of all n! orders of y with |r| at least the observed; beyond, from the
    t distribution with n - 2 degrees of freedom. The interval is Fisher's with variance (1 + r^2 / 2) / (n -
    3) (Bonett and Wright 2000).
    """
    first, second = _paired_samples(x, y, level)
    exact = first.size <= _EXACT_SPEARMAN_UP_TO
    method = "exact" if exact else "t"
    constant = _constant_side(first, second)
    if constant:
        return _undefined(method, "bonett-wright", level, first.size, constant)
    from scipy.stats import rankdata, spearmanr

    ranks, other = (rankdata(side) - (side.size + 1) / 2 for side in (first, second))
    # Sums of half-integers are exact, so a perfect order gives exactly 1.
    r = float(ranks @ other) / math.sqrt(float(ranks @ ranks) * float(other @ other))
    if exact:
        p_value = _share_of_orders(ranks, other)
    else:
        p_value = never_zero(0.0 if abs(r) == 1 else float(spearmanr(first, second).pvalue))
    interval = _fisher_interval(r, 1 + r**2 / 2, first.size, level, "bonett-wright")
    return Correlation(r, p_value, method, interval, first.size, None)


def _paired_samples(x: npt.ArrayLike, y: npt.ArrayLike, level: float) -> tuple[FloatArray, FloatArray]:
    first, second = finite_sample(x, "x", at_least=3), finite_sample(y, "y", at_least=3)
    if first.size != second.size:
        raise ValueError(f"x and y must be paired, got {first.size} and {second.size} values.")
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}.")
    return first, second


def _constant_side(x: FloatArray, y: FloatArray) -> str | None:
    constant = [name for name, side in (("x", x), ("y", y)) if is_constant(side)]
    return f"{' and '.join(constant)} {'does' if len(constant) == 1 else 'do'} not vary" if constant else None


def _undefined(method: str, interval_method: str, level: float, n: int, reason: str) -> Correlation:
    interval = Interval(math.nan, math.nan, level, interval_method, n, reason)
    return Correlation(math.nan, math.nan, method, interval, n, reason)


def _fisher_interval(r: float, variance: float, n: int, level: float, method: str) -> Interval:
    if n < 4:
        caution = "the interval of a correlation needs at least 4 pairs"
        return Interval(math.nan, math.nan, level, method, n, caution)
    if abs(r) >= 1:
        return Interval(r, r, level, method, n, "the correlation is perfect: its error is unknown")
    from scipy.special import ndtri

    margin = float(ndtri((1 + level) / 2)) * math.sqrt(variance / (n - 3))
    centre = math.atanh(r)
    return Interval(math.tanh(centre - margin), math.tanh(centre + margin), level, method, n, None)


def _share_of_orders(ranks: FloatArray, other: FloatArray) -> float:
    """The share of all orders of `other` whose |covariance| with `ranks` is at least the observed one."""
    observed = abs(float(ranks @ other))
    return float((np.abs(other[_orders(other.size)] @ ranks) >= observed - TIE * float(ranks @ ranks)).mean())


@cache
def _orders(n: int) -> npt.NDArray[np.intp]:
    """All orders of n places."""
    return np.array(list(itertools.permutations(range(n))))
