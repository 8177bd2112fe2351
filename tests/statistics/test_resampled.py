"""Intervals of counts, and of whatever is made of resampled sums."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from tiltmeter.statistics import count_interval, resampled_interval, resampled_sums


@given(st.integers(0, 60), st.integers(0, 60))
def test_a_count_has_the_exact_binomial_interval(count: int, more: int) -> None:
    n = count + more
    found = count_interval(count, n)
    if n == 0:
        assert math.isnan(found.low)
        return
    low, high = proportion_confint(count, n, method="beta")
    low, high = (0.0 if math.isnan(low) else low), (1.0 if math.isnan(high) else high)
    assert (found.low, found.high) == (math.floor(n * low + 1e-9), math.ceil(n * high - 1e-9))
    assert found.low <= count <= found.high


def test_sums_are_of_rows_drawn_with_replacement() -> None:
    columns = np.array([[1.0, 100.0], [2.0, 200.0], [4.0, 400.0]])
    sums = resampled_sums(columns, resamples=5000, seed=3)
    assert sums.shape == (5000, 2)
    assert np.array_equal(sums[:, 1], 100 * sums[:, 0])
    # Three of {1, 2, 4}: every sum that can be, and 27 draws of which 1 + 1 + 1 is one and 1 + 2 + 4 six.
    shares = {total: np.mean(sums[:, 0] == total) for total in np.unique(sums[:, 0])}
    assert set(shares) == {3, 4, 5, 6, 7, 8, 9, 10, 12}
    assert shares[3] == pytest.approx(1 / 27, abs=0.01)
    assert shares[7] == pytest.approx(6 / 27, abs=0.02)


def test_the_interval_and_p_of_resamples() -> None:
    drawn = np.arange(-4.0, 96.0)  # 100 values, five of them not above 0
    interval, p = resampled_interval(45.0, drawn, n=100, method="bootstrap")
    # The (101 x .025) = 2.5th and the 98.5th smallest, to the nearest whole place.
    assert (interval.low, interval.high) == (-2.0, 93.0)
    assert p == pytest.approx(2 * 6 / 101)


def test_p_is_never_above_one_and_an_undefined_statistic_has_none() -> None:
    assert resampled_interval(0.0, np.zeros(99), n=9, method="bootstrap")[1] == 1.0
    interval, p = resampled_interval(1.0, np.array([1.0, np.nan]), n=9, method="bootstrap")
    assert math.isnan(p)
    assert math.isnan(interval.low)
    assert "undefined on 1 of 2" in (interval.caution or "")
    # A few are left out, and said.
    few = np.array([*np.linspace(1, 2, 99), np.nan])
    interval, p = resampled_interval(1.5, few, n=9, method="bootstrap")
    assert p == pytest.approx(2 / 100)
    assert "undefined on 1 of 100" in (interval.caution or "")
