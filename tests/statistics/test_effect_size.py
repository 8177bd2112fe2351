"""Effect sizes against numbers worked by hand and the standard library."""

import math
import random
import statistics
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import gamma

from tiltmeter.statistics import cohens_d, cohens_dz, standardised_difference
from tiltmeter.statistics.effect_size import Variant

VARIANTS = get_args(Variant)
values = st.lists(st.integers(-20, 20), min_size=2, max_size=8)


def test_pooled_d_by_hand() -> None:
    # Means 4 and 3, both variances 4.
    assert cohens_d([2, 4, 6], [1, 3, 5]) == pytest.approx(0.5)


def test_pooled_d_weighs_the_variances_by_their_degrees_of_freedom() -> None:
    x, y = [1.0, 5.0, 6.0, 9.0, 2.0], [0.0, 3.0, 1.0]
    pooled = (4 * statistics.variance(x) + 2 * statistics.variance(y)) / 6
    expected = (statistics.mean(x) - statistics.mean(y)) / math.sqrt(pooled)
    assert cohens_d(x, y) == pytest.approx(expected)


def test_a_group_of_one_adds_a_mean_but_no_spread() -> None:
    assert cohens_d([5.0], [1.0, 3.0]) == pytest.approx(3 / math.sqrt(2))


def test_hedges_correction_is_the_ratio_of_gammas() -> None:
    x, y = [2.0, 4.0, 6.0, 7.0], [1.0, 3.0, 5.0, 2.0]
    correction = gamma(3) / (math.sqrt(3) * gamma(2.5))
    assert cohens_d(x, y, variant="hedges") == pytest.approx(correction * cohens_d(x, y))
    assert correction == pytest.approx(1 - 3 / (4 * 6 - 1), abs=2e-3)  # Hedges' own approximation


def test_caliskan_divides_by_the_deviation_of_the_union() -> None:
    x, y = [0.3, 0.5, 0.1], [-0.2, 0.0, -0.4]
    assert cohens_d(x, y, variant="caliskan") == pytest.approx(0.5 / statistics.stdev([*x, *y]))


def test_pestova_divides_by_the_deviation_of_other_values() -> None:
    raw = [0.61, 0.44, 0.58, 0.37, 0.52, 0.49, 0.41, 0.66]
    assert standardised_difference([0.2, 0.4], [0.1, 0.1], spread_of=raw) == pytest.approx(0.2 / statistics.stdev(raw))


def test_dz_by_hand() -> None:
    assert cohens_dz([1, 2, 3]) == pytest.approx(2.0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_identical_sets_have_no_effect(variant: Variant) -> None:
    words = [0.1, 0.2, 0.3, 0.7]
    assert cohens_d(words, [0.7, 0.3, 0.1, 0.2], variant=variant) == 0
    assert cohens_d([0.1] * 3, [0.1] * 3, variant=variant) == 0


def test_no_spread_and_no_difference_is_zero() -> None:
    assert cohens_dz([0.0, 0.0]) == 0
    assert standardised_difference([0.1], [0.1], spread_of=[0.1, 0.1, 0.1]) == 0


def test_no_spread_with_a_difference_has_no_size() -> None:
    assert math.isnan(cohens_d([0.1] * 3, [0.3] * 3))
    assert math.isnan(cohens_d([0.1] * 3, [0.3] * 3, variant="hedges"))
    assert math.isnan(cohens_dz([0.1] * 3))
    # The union of two different constants does vary.
    assert cohens_d([0.1] * 3, [0.3] * 3, variant="caliskan") == pytest.approx(-2 * math.sqrt(5 / 6))


@pytest.mark.parametrize("variant", VARIANTS)
@given(x=values, y=values)
def test_swapping_the_samples_turns_the_sign(variant: Variant, x: list[int], y: list[int]) -> None:
    there, back = cohens_d(x, y, variant=variant), cohens_d(y, x, variant=variant)
    assert there == pytest.approx(-back, nan_ok=True)


@pytest.mark.parametrize("variant", VARIANTS)
@given(x=values, y=values, shift=st.integers(-9, 9), scale=st.floats(0.01, 50), shuffler=st.randoms())
def test_effect_ignores_shift_scale_and_order(
    variant: Variant, x: list[int], y: list[int], shift: int, scale: float, shuffler: random.Random
) -> None:
    moved = [scale * (v + shift) for v in x]
    shuffler.shuffle(moved)
    size = cohens_d(moved, [scale * (v + shift) for v in y], variant=variant)
    assert size == pytest.approx(cohens_d(x, y, variant=variant), rel=1e-9, abs=1e-9, nan_ok=True)


@given(values, st.data())
def test_caliskan_is_bounded_for_equal_groups(x: list[int], data: st.DataObject) -> None:
    y = data.draw(st.lists(st.integers(-20, 20), min_size=len(x), max_size=len(x)))
    n = 2 * len(x)
    assert abs(cohens_d(x, y, variant="caliskan")) <= 2 * math.sqrt((n - 1) / n) + 1e-12


@given(values, values)
def test_hedges_is_smaller_than_the_classic_size(x: list[int], y: list[int]) -> None:
    classic = cohens_d(x, y)
    assume(not math.isnan(classic))
    corrected = cohens_d(x, y, variant="hedges")
    assert abs(corrected) <= abs(classic)
    assert corrected * classic >= 0


@given(values, values)
def test_caliskan_is_the_difference_standardised_by_the_union(x: list[int], y: list[int]) -> None:
    assert standardised_difference(x, y, spread_of=[*x, *y]) == cohens_d(x, y, variant="caliskan")


@given(values, values, values, st.floats(0.01, 50))
def test_standardised_difference_shrinks_as_the_spread_grows(
    x: list[int], y: list[int], spread: list[int], scale: float
) -> None:
    assume(len(set(spread)) > 1)
    size = standardised_difference(x, y, spread_of=spread)
    wider = standardised_difference(x, y, spread_of=[scale * v for v in spread])
    assert wider * scale == pytest.approx(size)


@given(values, st.floats(0.01, 50))
def test_dz_is_odd_and_ignores_scale(differences: list[int], scale: float) -> None:
    size = cohens_dz(differences)
    assert cohens_dz([-scale * d for d in differences]) == pytest.approx(-size, nan_ok=True)


@given(values)
def test_dz_is_the_paired_t_over_root_n(differences: list[int]) -> None:
    assume(len(set(differences)) > 1)
    error = float(np.std(differences, ddof=1)) / math.sqrt(len(differences))
    assert cohens_dz(differences) == pytest.approx(np.mean(differences) / error / math.sqrt(len(differences)))


def test_unusable_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="variant must be pooled, hedges or caliskan"):
        cohens_d([1.0, 2.0], [3.0, 4.0], variant="glass")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pooled effect size needs at least 3"):
        cohens_d([1.0], [2.0])
    with pytest.raises(ValueError, match="hedges effect size needs at least 4"):
        cohens_d([1.0, 2.0], [2.0], variant="hedges")
    with pytest.raises(ValueError, match="x needs at least 1"):
        cohens_d([], [2.0])
    with pytest.raises(ValueError, match="spread_of needs at least 2"):
        standardised_difference([1.0], [2.0], spread_of=[1.0])
    with pytest.raises(ValueError, match="differences holds NaN"):
        cohens_dz([1.0, math.nan])
