"""Correlations against scipy, full enumeration and numbers worked by hand."""

import itertools
import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.statistics import Correlation, pearson, spearman

pairs = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=3, max_size=12)


def varying(data: list[tuple[int, int]]) -> tuple[list[int], list[int]]:
    x, y = [first for first, _ in data], [second for _, second in data]
    assume(len(set(x)) > 1 and len(set(y)) > 1)
    return x, y


def test_pearson_equals_scipy_with_its_interval() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=20)
    y = 0.5 * x + rng.normal(size=20)
    expected = stats.pearsonr(x, y)
    limits = expected.confidence_interval(0.9)
    found = pearson(x, y, level=0.9)
    assert (found.r, found.p_value) == pytest.approx((float(expected.statistic), float(expected.pvalue)))
    assert (found.interval.low, found.interval.high) == pytest.approx((float(limits.low), float(limits.high)))
    assert (found.n, found.method, found.interval.method, found.reason) == (20, "t", "fisher-z", None)


def test_spearman_beyond_eight_pairs_equals_scipy() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 6, 15), rng.integers(0, 6, 15)
    expected = stats.spearmanr(x, y)
    found = spearman(x, y)
    assert (found.r, found.p_value) == pytest.approx((float(expected.statistic), float(expected.pvalue)))
    assert found.method == "t"


@pytest.mark.parametrize("n", range(3, 9))
@pytest.mark.parametrize("highest", [3, 100], ids=["ties", "no-ties"])
def test_spearman_up_to_eight_pairs_counts_every_order(n: int, highest: int) -> None:
    rng = np.random.default_rng([n, highest])
    x, y = rng.integers(0, highest, n), rng.integers(0, highest, n)
    x[:2], y[:2] = (0, 1), (0, 1)
    first, second = (2 * stats.rankdata(side) for side in (x, y))  # whole numbers: ties are exact
    centre = first.sum() * second.sum() / n
    observed = abs(first @ second - centre)
    orders = list(itertools.permutations(second))
    count = sum(abs(first @ np.array(order) - centre) >= observed - 1e-9 for order in orders)
    found = spearman(x, y)
    assert found.method == "exact"
    assert found.p_value == pytest.approx(count / math.factorial(n))


def test_spearman_of_a_perfect_order_is_one_with_the_smallest_p() -> None:
    found = spearman([1, 2, 3, 4, 5], [1, 4, 9, 16, 25])
    assert found.r == 1
    assert found.p_value == 2 / 120
    assert (found.interval.low, found.interval.high) == (1, 1)
    assert found.interval.caution is not None


def test_bonett_wright_interval_by_hand() -> None:
    # Ranks 1..9 against 2 1 4 3 6 5 8 7 9: r = 1 - 6 * 8 / (9 * 80).
    found = spearman(range(9), [1, 0, 3, 2, 5, 4, 7, 6, 8])
    r = 1 - 48 / 720
    margin = 1.959963984540054 * math.sqrt((1 + r * r / 2) / 6)
    assert found.r == pytest.approx(r)
    assert found.interval.low == pytest.approx(math.tanh(math.atanh(r) - margin))
    assert found.interval.high == pytest.approx(math.tanh(math.atanh(r) + margin))


@pytest.mark.parametrize("correlate", [pearson, spearman])
def test_a_constant_side_has_no_correlation_and_says_why(
    correlate: Callable[..., Correlation],
) -> None:
    found = correlate([0.1, 0.1, 0.1, 0.1], [1, 2, 3, 4])
    assert math.isnan(found.r)
    assert math.isnan(found.p_value)
    assert math.isnan(found.interval.low)
    assert found.reason == "x does not vary"
    assert correlate([1, 1, 1], [2, 2, 2]).reason == "x and y do not vary"


def test_three_pairs_have_no_interval() -> None:
    found = pearson([1, 2, 4], [2, 1, 3])
    assert math.isnan(found.interval.low)
    assert found.interval.caution == "the interval of a correlation needs at least 4 pairs"


def test_a_perfect_line_has_a_p_above_zero() -> None:
    for correlate in (pearson, spearman):
        found = correlate(range(50), np.arange(50) / -7)
        assert found.r == -1
        assert 0 < found.p_value < 1e-300


@given(pairs, st.integers(-9, 9), st.floats(0.01, 50), st.randoms())
def test_pearson_ignores_shift_scale_and_order_and_turns_with_either_sign(
    data: list[tuple[int, int]], shift: int, scale: float, shuffler: random.Random
) -> None:
    x, y = varying(data)
    straight = pearson(x, y)
    shuffler.shuffle(data)
    moved = pearson([scale * (second + shift) for _, second in data], [-first for first, _ in data])
    assert moved.r == pytest.approx(-straight.r, abs=1e-9)
    assert moved.p_value == pytest.approx(straight.p_value, rel=1e-6, abs=1e-9)
    assert -1 <= straight.r <= 1
    assert 0 < straight.p_value <= 1


@settings(max_examples=50)
@given(pairs, st.randoms())
def test_spearman_sees_only_the_order_of_the_values(data: list[tuple[int, int]], shuffler: random.Random) -> None:
    x, y = varying(data)
    straight = spearman(x, y)
    shuffler.shuffle(data)
    bent = spearman([first**3 for first, _ in data], [math.exp(-second) for _, second in data])
    assert bent.r == pytest.approx(-straight.r, abs=1e-12)
    assert bent.p_value == pytest.approx(straight.p_value, rel=1e-6, abs=1e-12)
    assert 0 < straight.p_value <= 1


@given(pairs.filter(lambda data: len(data) > 3))
def test_the_interval_holds_the_correlation_and_grows_with_its_level(data: list[tuple[int, int]]) -> None:
    x, y = varying(data)
    for correlate in (pearson, spearman):
        narrow, wide = correlate(x, y, level=0.8), correlate(x, y, level=0.99)
        assert wide.interval.low <= narrow.interval.low <= narrow.r + 1e-12
        assert narrow.r - 1e-12 <= narrow.interval.high <= wide.interval.high


def test_unusable_pairs_are_refused() -> None:
    with pytest.raises(ValueError, match="x and y must be paired, got 3 and 4"):
        pearson([1, 2, 3], [1, 2, 3, 4])
    with pytest.raises(ValueError, match="x needs at least 3"):
        spearman([1, 2], [1, 2])
    with pytest.raises(ValueError, match="y holds NaN"):
        pearson([1, 2, 3], [1, math.nan, 3])
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        pearson([1, 2, 3], [1, 2, 4], level=95)
