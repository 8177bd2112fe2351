"""Paired tests against scipy, statsmodels and full enumeration."""

import itertools
import math
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from tiltmeter.statistics import paired_t, tost, wilcoxon
from tiltmeter.statistics.paired import Alternative

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")
values = st.lists(st.integers(-20, 20), min_size=2, max_size=10)
distinct = st.lists(st.integers(-30, 30).filter(bool), min_size=1, max_size=9, unique_by=abs)


def signed_rank_p(differences: Sequence[float]) -> float:
    """Two-sided p over every choice of signs, differences without zeros or ties."""
    ranks = {value: rank for rank, value in enumerate(sorted(abs(d) for d in differences), start=1)}
    centre = sum(ranks.values()) / 2
    observed = abs(sum(ranks[abs(d)] for d in differences if d > 0) - centre)
    choices = list(itertools.product((0, 1), repeat=len(differences)))
    sums = [sum(rank for rank, up in zip(ranks.values(), choice, strict=True) if up) for choice in choices]
    return sum(abs(total - centre) >= observed for total in sums) / len(sums)


def test_paired_t_by_hand() -> None:
    # Differences 1, 2, 3: mean 2, deviation 1.
    test = paired_t([2, 4, 6], [1, 2, 3])
    assert test.statistic == pytest.approx(2 * math.sqrt(3))
    assert test.effect_size == pytest.approx(2.0)
    assert (test.effect_name, test.method, test.n, test.dropped) == ("cohens-dz", "t", 3, 0)


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_paired_t_equals_scipy(alternative: Alternative) -> None:
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.3, 1, 15), rng.normal(0, 1, 15)
    expected = stats.ttest_rel(x, y, alternative=alternative)
    test = paired_t(x, y, alternative=alternative)
    assert test.statistic == pytest.approx(float(expected.statistic))
    assert test.p_value == pytest.approx(float(expected.pvalue))
    assert test.alternative == alternative


def test_a_pair_with_itself_shows_nothing() -> None:
    test = paired_t([0.1, 0.5, 0.3], [0.1, 0.5, 0.3])
    assert (test.statistic, test.p_value, test.effect_size) == (0, 1, 0)


def test_a_constant_difference_cannot_be_judged() -> None:
    test = paired_t([1.1, 2.1, 3.1], [1.0, 2.0, 3.0])
    assert math.isnan(test.statistic)
    assert math.isnan(test.p_value)
    assert math.isnan(test.effect_size)


def test_a_parametric_p_that_underflows_is_not_zero() -> None:
    spread = np.linspace(0, 1e-9, 400)
    test = paired_t(5 + spread, np.zeros(400))
    assert 0 < test.p_value < 1e-300


@given(values, st.data())
def test_paired_t_is_odd_and_ignores_a_common_shift(x: list[int], data: st.DataObject) -> None:
    y = data.draw(st.lists(st.integers(-20, 20), min_size=len(x), max_size=len(x)))
    there, back = paired_t(x, y), paired_t([v + 7 for v in y], [v + 7 for v in x])
    assert there.statistic == pytest.approx(-back.statistic, nan_ok=True)
    assert there.effect_size == pytest.approx(-back.effect_size, nan_ok=True)
    assert there.p_value == pytest.approx(back.p_value, nan_ok=True)
    assert math.isnan(there.p_value) or 0 < there.p_value <= 1


@given(distinct)
def test_exact_signed_rank_p_equals_full_enumeration(differences: list[int]) -> None:
    test = wilcoxon(differences)
    assert test.method == "exact"
    assert test.p_value == pytest.approx(signed_rank_p(differences))


@given(distinct)
def test_rank_biserial_counts_walsh_averages(differences: list[int]) -> None:
    # W+ is the number of pairs i <= j with a positive mean (Tukey 1949).
    pairs = list(itertools.combinations_with_replacement(differences, 2))
    upward, downward = sum(a + b > 0 for a, b in pairs), sum(a + b < 0 for a, b in pairs)
    test = wilcoxon(differences)
    assert test.effect_size == pytest.approx((upward - downward) / len(pairs))
    assert test.statistic == min(upward, downward)
    assert -1 <= test.effect_size <= 1


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=12), st.floats(0.1, 9), st.randoms())
def test_signed_ranks_are_odd_and_ignore_scale_and_order(
    differences: list[int], scale: float, shuffler: random.Random
) -> None:
    turned = [-scale * d for d in differences]
    shuffler.shuffle(turned)
    there, back = wilcoxon(differences), wilcoxon(turned)
    assert there.effect_size == pytest.approx(-back.effect_size)
    assert there.p_value == pytest.approx(back.p_value)
    assert there.statistic == back.statistic


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_tied_differences_use_the_normal_approximation_without_zeros(alternative: Alternative) -> None:
    differences = [1, 1, 2, -2, 3, 0, 0, 4, 5, -1]
    # By hand: ranks of |d| without zeros, variance reduced by sum(t^3 - t) / 48.
    ranks = stats.rankdata(np.abs([d for d in differences if d]))
    upward = sum(rank for rank, d in zip(ranks, [d for d in differences if d], strict=True) if d > 0)
    n, ties = 8, (3**3 - 3) + (2**3 - 2)
    z = (upward - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24 - ties / 48)
    upper = float(stats.norm.sf(z))
    expected = {"two-sided": 2 * min(upper, 1 - upper), "greater": upper, "less": 1 - upper}[alternative]
    test = wilcoxon(differences, alternative=alternative)
    assert test.p_value == pytest.approx(expected)
    assert (test.method, test.n, test.dropped) == ("normal-approximation", 8, 2)


def test_more_than_fifty_differences_use_the_normal_approximation() -> None:
    differences = np.random.default_rng(2).normal(0.2, 1, 51)
    assert wilcoxon(differences).method == "normal-approximation"
    assert wilcoxon(differences[:50]).method == "exact"


def test_differences_of_zero_show_nothing() -> None:
    test = wilcoxon([0.0, 0.0, 0.0])
    assert (test.p_value, test.effect_size, test.n, test.dropped) == (1, 0, 0, 3)


def test_tost_equals_statsmodels() -> None:
    differences = np.random.default_rng(3).normal(0.05, 0.4, 25)
    p_value, lower, upper = DescrStatsW(differences).ttost_mean(-0.3, 0.3)
    test = tost(differences, margin=0.3)
    assert test.p_value == pytest.approx(p_value)
    assert test.p_lower == pytest.approx(lower[1])
    assert test.p_upper == pytest.approx(upper[1])
    expected = stats.ttest_1samp(differences, 0).confidence_interval(0.9)
    assert (test.interval.low, test.interval.high) == pytest.approx((expected.low, expected.high))
    assert test.interval.level == pytest.approx(0.9)


@given(values, st.floats(0.5, 30), st.sampled_from([0.01, 0.05, 0.1]))
def test_equivalence_is_a_small_p_and_an_interval_within_the_margin(
    differences: list[int], margin: float, alpha: float
) -> None:
    assume(len(set(differences)) > 1)
    test = tost(differences, margin=margin, alpha=alpha)
    assume(abs(test.p_value - alpha) > 1e-9)
    assert test.p_value == max(test.p_lower, test.p_upper)
    assert test.equivalent == (test.p_value < alpha)
    assert test.equivalent == (-margin < test.interval.low and test.interval.high < margin)


@given(values, st.floats(0.5, 30))
def test_equivalence_is_symmetric_and_easier_with_a_wider_margin(differences: list[int], margin: float) -> None:
    assume(len(set(differences)) > 1)
    test, turned = tost(differences, margin=margin), tost([-d for d in differences], margin=margin)
    assert test.p_lower == pytest.approx(turned.p_upper)
    assert tost(differences, margin=2 * margin).p_value <= test.p_value


def test_equal_differences_are_equivalent_by_their_interval_alone() -> None:
    test = tost([0.1, 0.1, 0.1], margin=0.2)
    assert math.isnan(test.p_value)
    assert test.equivalent
    assert not tost([0.3, 0.3, 0.3], margin=0.2).equivalent


def test_unusable_samples_and_options_are_refused() -> None:
    with pytest.raises(ValueError, match="x and y must be paired, got 2 and 3"):
        paired_t([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="x needs at least 2"):
        paired_t([1], [1])
    with pytest.raises(ValueError, match="alternative must be"):
        wilcoxon([1, 2], alternative="larger")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="differences needs at least 1"):
        wilcoxon([])
    with pytest.raises(ValueError, match="margin must be a positive number"):
        tost([1, 2], margin=0)
    with pytest.raises(ValueError, match=r"alpha must lie between 0 and 0\.5"):
        tost([1, 2], margin=1, alpha=0.5)
