"""Many tests at once: adjusted p-values. Name the family they were adjusted over in the result."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from tiltmeter.statistics.sample import FloatArray


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's (1979) step-down adjustment: the chance of even one false rejection stays below alpha.

    Sorted p(1) <= ... <= p(m): adjusted p(i) = max over j <= i of min(1, (m - j + 1) p(j)). Adjusted p-values
    come in the order of the input. A None or NaN (a test that could not be computed) is passed through and
    does not count in the family.
    """
    return _adjusted(p_values, _step_down)


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg's (1995) adjustment: the expected share of false rejections stays below alpha.

    Sorted p(1) <= ... <= p(m): adjusted p(i) = min over j >= i of min(1, m p(j) / j). For tests that are
    independent or positively dependent. Order, None and NaN as in `holm`.
    """
    from scipy.stats import false_discovery_control

    return _adjusted(p_values, false_discovery_control)


def _adjusted(p_values: Sequence[float | None], adjust: Callable[[FloatArray], FloatArray]) -> list[float | None]:
    adjusted = list(p_values)
    family = {place: p for place, p in enumerate(p_values) if p is not None and not math.isnan(p)}
    if any(not 0 <= p <= 1 for p in family.values()):
        raise ValueError("p-values must lie between 0 and 1.")
    if family:
        for place, p in zip(family, adjust(np.array(list(family.values()))), strict=True):
            adjusted[place] = float(p)
    return adjusted


def _step_down(family: FloatArray) -> FloatArray:
    # Not statsmodels.multipletests: its Holm runs the garbage collector, some 0.1 s a call.
    order = np.argsort(family)
    raised = np.maximum.accumulate(family[order] * np.arange(family.size, 0, -1))
    adjusted = np.empty_like(family)
    adjusted[order] = np.minimum(raised, 1.0)
    return adjusted
