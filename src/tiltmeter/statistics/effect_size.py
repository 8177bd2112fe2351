"""Standardised mean differences. Positive: the first sample is larger; further from 0 is more."""

import math
from typing import Literal

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.sample import (
    TIE,
    FloatArray,
    exact_mean,
    finite_sample,
    is_constant,
    standard_deviation,
)

Variant = Literal["pooled", "hedges", "caliskan"]


def cohens_d(x: npt.ArrayLike, y: npt.ArrayLike, *, variant: Variant = "pooled") -> float:
    """Mean difference of two samples in standard deviations: (mean(x) - mean(y)) / s.

    - `pooled`: s^2 = (sum (x - mean x)^2 + sum (y - mean y)^2) / (nx + ny - 2) (Cohen 1988).
    - `hedges`: the pooled d times J(m) = G(m/2) / (sqrt(m/2) G((m-1)/2)), m = nx + ny - 2, which removes its
      upward bias in small samples (Hedges 1981).
    - `caliskan`: s is the standard deviation of x and y together, ddof = 1, as in WEAT (Caliskan et al.
      2017). It lies within +-2 sqrt((N - 1) / N) for equal groups, N = nx + ny.

    No spread and no difference is 0.0; no spread and a difference has no size in standard deviations: nan.
    """
    first, second = finite_sample(x, "x"), finite_sample(y, "y")
    if variant == "caliskan":
        return standardised_difference(first, second, spread_of=np.concatenate([first, second]))
    if variant not in ("pooled", "hedges"):
        raise ValueError(f"variant must be pooled, hedges or caliskan, got {variant!r}.")
    freedom = first.size + second.size - 2
    needed = 1 if variant == "pooled" else 2
    if freedom < needed:
        raise ValueError(f"the {variant} effect size needs at least {needed + 2} values in x and y together.")
    size = _ratio(first, second, _pooled_deviation(first, second))
    return size if variant == "pooled" else size * _small_sample_correction(freedom)


def standardised_difference(x: npt.ArrayLike, y: npt.ArrayLike, *, spread_of: npt.ArrayLike) -> float:
    """(mean(x) - mean(y)) / sd(spread_of), ddof = 1: the denominator is named by the caller.

    With `spread_of` = x and y together this is Caliskan's WEAT effect size. Pestova's Russian study divides
    by the deviation of the 4n raw mean similarities instead of the 2n associations: pass those. Same rule for
    zero spread as `cohens_d`.
    """
    first, second = finite_sample(x, "x"), finite_sample(y, "y")
    return _ratio(first, second, standard_deviation(finite_sample(spread_of, "spread_of", at_least=2)))


def cohens_dz(differences: npt.ArrayLike) -> float:
    """Paired effect size: mean(d) / sd(d), ddof = 1 (Cohen 1988). Same rule for zero spread as `cohens_d`."""
    sample = finite_sample(differences, "differences", at_least=2)
    return _ratio(sample, np.zeros(1), standard_deviation(sample))


def _ratio(x: FloatArray, y: FloatArray, spread: float) -> float:
    difference = exact_mean(x) - exact_mean(y)
    if spread > 0:
        return difference / spread
    largest = max(float(np.abs(x).max()), float(np.abs(y).max()))
    return 0.0 if abs(difference) <= TIE * largest else math.nan


def _pooled_deviation(x: FloatArray, y: FloatArray) -> float:
    squares = sum(0.0 if is_constant(group) else float(np.var(group)) * group.size for group in (x, y))
    return math.sqrt(squares / (x.size + y.size - 2))


def _small_sample_correction(freedom: int) -> float:
    log_ratio = math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2)
    return math.exp(log_ratio) / math.sqrt(freedom / 2)
