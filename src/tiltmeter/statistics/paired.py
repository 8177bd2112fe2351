"""Tests on paired measurements: the same item twice, such as one profession with she and with he."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.effect_size import cohens_dz
from tiltmeter.statistics.intervals import Interval, mean_interval
from tiltmeter.statistics.sample import (
    TIE,
    exact_mean,
    finite_sample,
    is_constant,
    never_zero,
    standard_deviation,
)

Alternative = Literal["two-sided", "greater", "less"]

_EXACT_WILCOXON_UP_TO = 50


@dataclass(frozen=True, slots=True)
class PairedTest:
    """A test that the differences centre on 0; p is two-sided unless the alternative says otherwise."""

    statistic: float
    p_value: float
    alternative: Alternative
    effect_size: float
    """Positive: the differences lean to the positive side."""
    effect_name: str
    method: str
    """Where p comes from: `t`, `exact` or `normal-approximation`."""
    n: int
    """Differences that entered the test."""
    dropped: int
    """Differences of 0 that the test had to leave out."""


@dataclass(frozen=True, slots=True)
class Equivalence:
    """Two one-sided tests that the mean difference lies within +-margin."""

    p_lower: float
    """Against a mean of -margin or less."""
    p_upper: float
    """Against a mean of +margin or more."""
    p_value: float
    """The larger of the two: small means equivalent."""
    interval: Interval
    """At level 1 - 2 alpha; equivalence is claimed if it lies within the margin."""
    margin: float
    alpha: float
    equivalent: bool
    n: int


def paired_t(x: npt.ArrayLike, y: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Student's paired t test: t = mean(d) / (sd(d) / sqrt(n)), d = x - y, n - 1 degrees of freedom.

    Effect size d_z = mean(d) / sd(d). Differences that are all 0 give t = 0, p = 1, d_z = 0; all equal to
    some other value they leave nothing to judge them by: nan.
    """
    first, second = finite_sample(x, "x", at_least=2), finite_sample(y, "y", at_least=2)
    if first.size != second.size:
        raise ValueError(f"x and y must be paired, got {first.size} and {second.size} values.")
    _check_alternative(alternative)
    differences = first - second
    rounding = TIE * max(float(np.abs(first).max()), float(np.abs(second).max()))
    differences[np.abs(differences) <= rounding] = 0.0

    if is_constant(differences):
        nothing = not differences.any()
        statistic, p_value = (0.0, 1.0) if nothing else (math.nan, math.nan)
    else:
        from scipy.stats import ttest_1samp

        result = ttest_1samp(differences, 0.0, alternative=alternative)
        statistic, p_value = float(result.statistic), never_zero(float(result.pvalue))
    effect = cohens_dz(differences)
    return PairedTest(statistic, p_value, alternative, effect, "cohens-dz", "t", first.size, 0)


def wilcoxon(differences: npt.ArrayLike, *, alternative: Alternative = "two-sided") -> PairedTest:
    """Wilcoxon's signed-rank test; the effect size is the matched-pairs rank-biserial correlation.

    The statistic is the smaller of the rank sums W+ and W- of |d|, zeros left out (Wilcoxon 1945). Effect
    size (W+ - W-) / (W+ + W-), from -1 to 1 (Kerby 2014). p is exact up to 50 differences without ties,
    otherwise from the normal approximation corrected for ties. Differences that are all 0 give p = 1 and
    effect 0.
    """
    sample = finite_sample(differences, "differences")
    _check_alternative(alternative)
    moved = sample[sample != 0]
    dropped = sample.size - moved.size
    if moved.size == 0:
        return PairedTest(0.0, 1.0, alternative, 0.0, "rank-biserial", "exact", 0, dropped)
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as signed_rank

    ranks = rankdata(np.abs(moved))
    upward, downward = float(ranks[moved > 0].sum()), float(ranks[moved < 0].sum())
    exact = moved.size <= _EXACT_WILCOXON_UP_TO and np.unique(ranks).size == moved.size
    result = signed_rank(moved, alternative=alternative, method="exact" if exact else "approx")
    return PairedTest(
        statistic=min(upward, downward),
        p_value=never_zero(float(result.pvalue)),
        alternative=alternative,
        effect_size=(upward - downward) / (upward + downward),
        effect_name="rank-biserial",
        method="exact" if exact else "normal-approximation",
        n=moved.size,
        dropped=dropped,
    )


def tost(differences: npt.ArrayLike, *, margin: float, alpha: float = 0.05) -> Equivalence:
    """Two one-sided t tests of equivalence: is the mean within +-margin? (Schuirmann 1987)

    p_lower = P(T > (mean + margin) / se), p_upper = P(T < (mean - margin) / se), n - 1 degrees of freedom.
    Both below alpha, or equally the 1 - 2 alpha interval within (-margin, margin), shows equivalence; a large
    p does not show a difference. State the margin before looking. Equal differences have no standard error:
    their p is nan and the interval has zero width.
    """
    sample = finite_sample(differences, "differences", at_least=2)
    if not (math.isfinite(margin) and margin > 0):
        raise ValueError(f"margin must be a positive number, got {margin}.")
    if not 0 < alpha < 0.5:
        raise ValueError(f"alpha must lie between 0 and 0.5, got {alpha}.")
    interval = mean_interval(sample, method="cluster-t", level=1 - 2 * alpha)
    p_lower = p_upper = math.nan
    if not is_constant(sample):
        from scipy.stats import t

        mean, error = exact_mean(sample), standard_deviation(sample) / math.sqrt(sample.size)
        p_lower = never_zero(t.sf((mean + margin) / error, sample.size - 1))
        p_upper = never_zero(t.cdf((mean - margin) / error, sample.size - 1))
    equivalent = -margin < interval.low and interval.high < margin
    return Equivalence(p_lower, p_upper, max(p_lower, p_upper), interval, margin, alpha, equivalent, sample.size)


def _check_alternative(alternative: str) -> None:
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative must be two-sided, greater or less, got {alternative!r}.")
