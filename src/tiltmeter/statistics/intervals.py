"""Confidence intervals that respect clusters: rows of one profession or template are not independent."""

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.bootstrap import MeanMethod, mean_limits, order_statistic
from tiltmeter.statistics.caution import coverage_caution
from tiltmeter.statistics.sample import exact_mean, finite_sample, is_constant, never_zero

IntArray = npt.NDArray[np.intp]
StatisticMethod = Literal["bca", "percentile"]

_BOOTSTRAP_T_FROM, _BOOTSTRAP_T_BELOW = 10, 250
_CHUNK_VALUES = 2_000_000  # indices held at once while resampling


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, how it was made, and what to beware of."""

    low: float
    high: float
    level: float
    method: str
    n: int
    """Independent units: clusters, or rows where nothing is clustered."""
    caution: str | None
    """One sentence if the interval cannot be computed or is known to cover too little."""

    @property
    def label(self) -> str:
        """The method, and what to beware of."""
        return f"{self.method} ({self.caution})" if self.caution else self.method


def mean_interval(
    values: npt.ArrayLike,
    *,
    clusters: Sequence[object] | npt.NDArray[Any] | None = None,
    method: MeanMethod | Literal["auto"] = "auto",
    level: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval:
    """Confidence interval of the mean of all rows, with one label per row in `clusters`.

    - `cluster-t`: mean +- t(G - 1) times the cluster-robust (CR1) standard error; without clusters the
      ordinary t interval (Liang and Zeger 1986; Cameron and Miller 2015).
    - `bootstrap-t`: the same standard error with quantiles from studentised resamples of whole clusters
      (Efron 1982; Cameron, Gelbach and Miller 2008). Infinite with two or three clusters.
    - `percentile`, `bca`: quantiles of resampled means (Efron 1987). They cover too little below 40 clusters.
    - `auto`: `bootstrap-t` from 10 to 249 units, where it covered more than `cluster-t` on skewed data at
      equal coverage on normal data; `cluster-t` below (bootstrap-t can be several times wider there and
      hardly covers more), above (both cover the same, and nothing needs to be resampled), and where most values are
      equal, so that bootstrap-t has no end.

    The mean is over rows, so a large cluster weighs more than a small one. Constant values give an interval
    of zero width, a single unit gives nan, both with a caution.
    """
    sample = finite_sample(values, "values")
    _check_effort(level, resamples)
    if method != "auto" and method not in get_args(MeanMethod):
        raise ValueError(f"method must be auto or one of {', '.join(get_args(MeanMethod))}, got {method!r}.")
    codes = np.arange(sample.size) if clusters is None else _cluster_codes(clusters, sample.size)
    units = int(codes.max()) + 1
    used = _method_for(units) if method == "auto" else method

    if units < 2:
        return _no_interval(level, used, units)
    if is_constant(sample):
        mean = exact_mean(sample)
        return Interval(mean, mean, level, used, units, "all values are equal: their spread is unknown")
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=sample).astype(np.float64)
    low, high = mean_limits(sums[:, None], sizes, method=used, level=level, resamples=resamples, seed=seed)
    if method == "auto" and not (np.isfinite(low).all() and np.isfinite(high).all()):
        # Many resamples of values that are mostly equal have no spread of their own.
        used = "cluster-t"
        low, high = mean_limits(sums[:, None], sizes, method=used, level=level, resamples=resamples, seed=seed)
    return Interval(float(low[0]), float(high[0]), level, used, units, coverage_caution(used, units))


def difference_interval(x: npt.ArrayLike, y: npt.ArrayLike, *, level: float = 0.95) -> Interval:
    """Welch's (1947) interval of mean(x) - mean(y), for two independent samples of unequal spread."""
    first, second = finite_sample(x, "x", at_least=2), finite_sample(y, "y", at_least=2)
    units = min(first.size, second.size)
    shares = [0.0 if is_constant(sample) else float(np.var(sample, ddof=1)) / sample.size for sample in (first, second)]
    difference = exact_mean(first) - exact_mean(second)
    return _welch(difference, shares, [first.size - 1, second.size - 1], level, units)[0]


def influence_interval(
    value: float, influences: Sequence[npt.NDArray[np.float64]], *, level: float = 0.95
) -> tuple[Interval, float]:
    """Interval, and two-sided p against 0, of a statistic that is made of means over independent groups of units.

    `influences` says for each group what each of its units adds to the statistic's error: f_u = a (S_u - n_u m) / N for
    a mean m = sum S / N of rows, N = sum n, that counts a times; a unit that several means share adds its parts. The
    variance is the sum over groups of G / (G - 1) sum f^2, for one group the cluster-robust (CR1) one of a mean;
    t has the degrees of freedom of Welch (1947) and Satterthwaite (1946). With a group of one unit there is neither.
    """
    units = min(group.size for group in influences)
    if units < 2:
        return _no_interval(level, "welch-t", units), math.nan
    shares = []
    for group in influences:
        group = np.where(np.abs(group) <= _ROUNDING, 0.0, group)
        shares.append(float(group.size / (group.size - 1) * (group**2).sum()))
    return _welch(value, shares, [group.size - 1 for group in influences], level, units)


_ROUNDING = 1e-14
"""An influence below it is rounding."""


def _welch(
    value: float, shares: Sequence[float], freedoms: Sequence[int], level: float, units: int
) -> tuple[Interval, float]:
    """The t interval of a sum of independent terms, each with its part of the variance and its degrees of freedom."""
    from scipy.stats import t

    error = math.sqrt(sum(shares))
    if error == 0:
        p_value = 1.0 if value == 0 else math.nan
        return Interval(value, value, level, "welch-t", units, "no value varies: their spread is unknown"), p_value
    parts = [share / sum(shares) for share in shares]
    freedom = 1 / sum(part**2 / own for part, own in zip(parts, freedoms, strict=True))
    reach = float(t.ppf((1 + level) / 2, freedom) * error)
    p_value = never_zero(2 * float(t.sf(abs(value) / error, freedom)))
    return Interval(
        value - reach, value + reach, level, "welch-t", units, coverage_caution("cluster-t", units)
    ), p_value


def count_interval(count: int, n: int, *, level: float = 0.95) -> Interval:
    """Clopper and Pearson's (1934) exact interval of a count out of n, widened to whole counts."""
    from scipy.stats import binomtest

    if n < 1:
        return _no_interval(level, _EXACT_BINOMIAL, n)
    limits = binomtest(count, n).proportion_ci(confidence_level=level, method="exact")
    low, high = math.floor(n * limits.low), math.ceil(n * limits.high)
    return Interval(low, high, level, _EXACT_BINOMIAL, n, None)


_EXACT_BINOMIAL = "exact binomial (Clopper and Pearson)"


def resampled_interval(
    observed: float, resampled: npt.NDArray[np.float64], *, n: int, method: str, level: float = 0.95
) -> tuple[Interval, float]:
    """The percentile interval of what resamples of n units gave, and the two-sided p that it implies for 0.

    p is twice the smaller share of resamples on either side of 0, counted as (k + 1) / (R + 1). Resamples on which the
    statistic is undefined are left out and counted; of more than one in twenty there is neither.
    """
    known = np.sort(resampled[~np.isnan(resampled)])
    undefined = resampled.size - known.size
    caution = f"the statistic is undefined on {undefined} of {resampled.size} resamples" if undefined else None
    if 20 * undefined > resampled.size or math.isnan(observed):
        return Interval(math.nan, math.nan, level, method, n, caution), math.nan
    tail = (1 - level) / 2
    low, high = (float(order_statistic(known[:, None], np.array([share]))[0]) for share in (tail, 1 - tail))
    sides = [int((known <= 0).sum()), int((known >= 0).sum())]
    p_value = min(1.0, 2 * (min(sides) + 1) / (known.size + 1))
    return Interval(low, high, level, method, n, caution or coverage_caution("percentile", n)), p_value


def statistic_interval(
    rows: npt.ArrayLike,
    statistic: Callable[[npt.NDArray[Any]], float],
    *,
    clusters: Sequence[object] | npt.NDArray[Any] | None = None,
    method: StatisticMethod = "bca",
    level: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
) -> Interval:
    """Bootstrap interval of any statistic of `rows` (first axis), resampling whole clusters.

    `statistic` receives an array of resampled rows and returns a number. `bca` corrects the percentile
    interval for bias and skewness, with a jackknife over clusters (Efron 1987). Coverage was measured on
    means only; for a mean, `mean_interval` has better methods. Where the statistic is undefined on a resample
    the interval is nan with a caution.
    """
    table = np.asarray(rows)
    if table.ndim == 0 or table.shape[0] == 0:
        raise ValueError("rows needs at least 1 row, got none.")
    if np.issubdtype(table.dtype, np.floating) and not np.isfinite(table).all():
        raise ValueError("rows holds NaN or infinite values: drop them first and report how many.")
    if method not in get_args(StatisticMethod):
        raise ValueError(f"method must be bca or percentile, got {method!r}.")
    _check_effort(level, resamples)
    members = None if clusters is None else _cluster_members(_cluster_codes(clusters, table.shape[0]))
    units = table.shape[0] if members is None else len(members)
    if units < 2:
        return _no_interval(level, method, units)

    def of_units(chosen: IntArray) -> float:
        drawn = chosen if members is None else np.concatenate([members[unit] for unit in chosen])
        return float(statistic(table[drawn]))

    low, high, resampled = _scipy_bootstrap(of_units, units, method, level, resamples, seed)
    undefined = int(np.isnan(resampled).sum())
    if undefined:
        caution = f"the statistic is undefined on {undefined} of {resamples} resamples"
        return Interval(math.nan, math.nan, level, method, units, caution)
    if is_constant(resampled):
        value = of_units(np.arange(units))
        return Interval(value, value, level, method, units, "the statistic is the same on every resample")
    if math.isnan(low) or math.isnan(high):
        caution = "the bca correction is undefined because leaving out a unit changes nothing: use percentile"
        return Interval(math.nan, math.nan, level, method, units, caution)
    return Interval(low, high, level, method, units, coverage_caution(method, units))


def _method_for(units: int) -> MeanMethod:
    return "bootstrap-t" if _BOOTSTRAP_T_FROM <= units < _BOOTSTRAP_T_BELOW else "cluster-t"


def _no_interval(level: float, method: str, units: int) -> Interval:
    return Interval(math.nan, math.nan, level, method, units, "an interval needs at least 2 independent units")


def _check_effort(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level}.")
    if resamples < 99:
        raise ValueError(f"resamples must be at least 99, got {resamples}.")


def _cluster_codes(clusters: Sequence[object] | npt.NDArray[Any], rows: int) -> IntArray:
    """The clusters numbered from 0 in the order of their labels, so that the order of rows is immaterial."""
    if len(clusters) != rows:
        raise ValueError(f"clusters needs one label per row, got {len(clusters)} for {rows} rows.")
    labels = np.asarray(clusters)
    if labels.ndim != 1:
        raise ValueError("clusters must hold one plain label per row: cluster by one factor at a time.")
    if any(label is None or label != label for label in clusters):
        raise ValueError("clusters holds missing labels: name a cluster for every row.")
    return np.unique(labels, return_inverse=True)[1]


def _cluster_members(codes: IntArray) -> list[IntArray]:
    """The rows of each cluster."""
    return np.split(np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes))[:-1])


def _scipy_bootstrap(
    of_units: Callable[[IntArray], float],
    units: int,
    method: StatisticMethod,
    level: float,
    resamples: int,
    seed: int,
) -> tuple[float, float, npt.NDArray[np.float64]]:
    """Limits and resampled values; numbers of units are resampled, so a unit may be a whole cluster."""
    from scipy.stats import DegenerateDataWarning, bootstrap

    with warnings.catch_warnings(), np.errstate(invalid="ignore", divide="ignore"):
        warnings.simplefilter("ignore", DegenerateDataWarning)  # answered by the caller with a caution
        result = bootstrap(
            (np.arange(units),),
            of_units,
            vectorized=False,
            n_resamples=resamples,
            batch=max(1, _CHUNK_VALUES // units),
            confidence_level=level,
            method="BCa" if method == "bca" else "percentile",
            rng=np.random.default_rng(seed),
        )
    limits = result.confidence_interval
    return float(limits.low), float(limits.high), np.asarray(result.bootstrap_distribution, dtype=np.float64)
