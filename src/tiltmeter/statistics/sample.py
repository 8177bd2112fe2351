"""What every statistic asks of a sample: finite numbers, enough of them, and one rule for "equal"."""

import math
import sys

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

TIE = 1e-12
"""Values that differ by less than this share of their size are equal: rounding must not break a tie."""

SMALLEST_P = sys.float_info.min
"""A p-value is never 0. One that underflows is reported as the smallest normal double."""


def finite_sample(values: npt.ArrayLike, name: str, *, at_least: int = 1) -> FloatArray:
    """The values as a vector of finite doubles, or a `ValueError` that names the argument."""
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1:
        raise ValueError(f"{name} must be a flat list of numbers, got {sample.ndim} dimensions.")
    if sample.size < at_least:
        raise ValueError(f"{name} needs at least {at_least} value(s), got {sample.size}.")
    if not np.isfinite(sample).all():
        raise ValueError(f"{name} holds NaN or infinite values: drop them first and report how many.")
    return sample


def exact_mean(sample: FloatArray) -> float:
    """The mean, rounded once, so that the same values in another order have exactly the same mean."""
    return math.fsum(sample) / sample.size


def is_constant(sample: FloatArray) -> bool:
    """Whether all values are equal up to rounding."""
    return bool(np.ptp(sample) <= TIE * np.abs(sample).max())


def standard_deviation(sample: FloatArray) -> float:
    """Sample standard deviation (ddof = 1), exactly 0 for a constant sample."""
    return 0.0 if is_constant(sample) else float(np.std(sample, ddof=1))


def never_zero(p_value: float) -> float:
    """A p-value taken from a continuous distribution, kept above 0 when it underflows."""
    return max(p_value, SMALLEST_P)
