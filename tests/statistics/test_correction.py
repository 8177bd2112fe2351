"""Adjusted p-values against the step procedures written out, and statsmodels."""

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from tiltmeter.statistics import benjamini_hochberg, holm

families = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def holm_by_steps(p_values: list[float]) -> list[float]:
    ordered = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for step, place in enumerate(ordered):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[place]))
        adjusted[place] = highest
    return adjusted


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_benjamini_hochberg_by_hand() -> None:
    assert benjamini_hochberg([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.02, 0.04, 0.04, 0.02])


def test_a_test_that_could_not_be_computed_does_not_count_in_the_family() -> None:
    for adjust in (holm, benjamini_hochberg):
        adjusted = adjust([None, 0.01, math.nan, 0.04])
        assert adjusted[0] is None
        assert adjusted[2] is not None
        assert math.isnan(adjusted[2])
        assert [adjusted[1], adjusted[3]] == adjust([0.01, 0.04])


def test_a_family_of_nothing_stays_nothing() -> None:
    assert holm([]) == []
    assert benjamini_hochberg([None]) == [None]


@given(families)
def test_holm_equals_its_steps(p_values: list[float]) -> None:
    assert holm(p_values) == pytest.approx(holm_by_steps(p_values))


@given(families)
def test_benjamini_hochberg_equals_statsmodels(p_values: list[float]) -> None:
    assert benjamini_hochberg(p_values) == pytest.approx(list(multipletests(p_values, method="fdr_bh")[1]))


def test_holm_equals_statsmodels() -> None:
    p_values = [0.2, 0.004, 0.04, 0.04, 0.9, 0.001, 0.06, 0.3]
    assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]))


@given(families)
def test_raw_then_benjamini_hochberg_then_holm_then_bonferroni(p_values: list[float]) -> None:
    rows = zip(p_values, benjamini_hochberg(p_values), holm(p_values), strict=True)
    for raw, discovery, familywise in rows:
        assert discovery is not None
        assert familywise is not None
        assert raw <= discovery + 1e-15
        assert discovery <= familywise + 1e-15
        assert familywise <= min(1.0, raw * len(p_values)) + 1e-15


@given(families)
def test_adjusting_keeps_the_order_of_the_tests(p_values: list[float]) -> None:
    for adjust in (holm, benjamini_hochberg):
        pairs = sorted(zip(p_values, adjust(p_values), strict=True), key=lambda pair: pair[0])
        adjusted = [p for _, p in pairs if p is not None]
        assert all(left <= right + 1e-15 for left, right in itertools.pairwise(adjusted))


@given(families, st.randoms())
def test_shuffling_the_tests_shuffles_their_answers(p_values: list[float], shuffler: random.Random) -> None:
    places = list(range(len(p_values)))
    shuffler.shuffle(places)
    for adjust in (holm, benjamini_hochberg):
        straight = adjust(p_values)
        assert adjust([p_values[place] for place in places]) == pytest.approx([straight[p] for p in places])


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.inf])
def test_a_p_outside_zero_to_one_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="p-values must lie between 0 and 1"):
        holm([0.5, wrong])
