"""The share of a variance that lies between groups."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.statistics import variance_share


def test_done_by_hand() -> None:
    # Means 2, 6 and 10; inside every group the squares add up to 2, so within = 6 / 6 = 1 (2 degrees a group).
    # The variance of the means is 16; between = 16 - 1/3; share = 15.667 / 16.667.
    found = variance_share([1, 2, 3, 5, 6, 7, 9, 10, 11], list("aaabbbccc"))
    assert found.within == pytest.approx(1.0)
    assert found.between == pytest.approx(16 - 1 / 3)
    assert found.share == pytest.approx(0.94)


def test_agrees_with_the_intraclass_correlation_of_an_analysis_of_variance() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(size=(7, 5)) + rng.normal(size=(7, 1))
    found = variance_share(table.ravel(), np.repeat(np.arange(7), 5).tolist())
    f = stats.f_oneway(*table).statistic
    assert found.share == pytest.approx((f - 1) / (f - 1 + 5))  # ICC(1) of equal groups
    limits = [f / stats.f.ppf(share, 6, 28) for share in (0.975, 0.025)]
    low, high = ((limit - 1) / (limit - 1 + 5) for limit in limits)
    assert (found.interval.low, found.interval.high) == pytest.approx((max(0, low), high))


@given(
    st.lists(st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=6), min_size=2, max_size=6),
    st.floats(0.5, 20),
    st.floats(-100, 100),
)
def test_a_share_whatever_the_unit_and_the_zero(groups: list[list[float]], scale: float, shift: float) -> None:
    values, names = _flat(groups)
    found = variance_share(values, names)
    moved = variance_share(scale * np.array(values) + shift, names)
    if np.var(values) < 1e-9:
        return
    assert 0 <= found.share <= 1
    assert 0 <= found.interval.low <= found.share + 1e-9
    assert found.share <= found.interval.high + 1e-9 or found.share == 0
    assert moved.share == pytest.approx(found.share, abs=1e-6)


def test_a_group_of_one_tells_nothing_about_the_spread_inside() -> None:
    without = variance_share([1, 2, 5, 7], list("aabb"))
    assert variance_share([1, 2, 5, 7, 1000], list("aabbc")) == without


@pytest.mark.parametrize(
    ("values", "groups", "why"),
    [
        ([1.0, 2.0], "aa", "need two groups"),
        ([1.0, 2.0, 3.0], "abc", "need two groups"),
        ([1.0, 1.0, 1.0, 1.0], "aabb", "no value varies"),
    ],
)
def test_where_there_is_nothing_to_share(values: Sequence[float], groups: str, why: str) -> None:
    found = variance_share(values, list(groups))
    assert math.isnan(found.share)
    assert why in (found.interval.caution or "")


def test_groups_that_do_not_vary_inside_explain_everything() -> None:
    assert variance_share([1, 1, 3, 3], list("aabb")).share == 1


def test_rounding_is_no_spread() -> None:
    assert math.isnan(variance_share([0.1] * 21, ["a"] * 3 + ["b"] * 7 + ["c"] * 11).share)


def test_one_label_for_each_value() -> None:
    with pytest.raises(ValueError, match="one label per value"):
        variance_share([1, 2], ["a"])


@pytest.mark.parametrize(
    ("size", "values", "least"), [(12, "normal", 0.92), (12, "lognormal", 0.75), (200, "lognormal", 0.90)]
)
def test_how_often_the_interval_covers(size: int, values: str, least: float) -> None:
    rng = np.random.default_rng(5)
    groups = np.repeat(np.arange(16), size)
    covered = 0
    worlds = 600
    for _ in range(worlds):
        noise = rng.standard_normal(groups.size)
        if values == "lognormal":
            noise = (np.exp(noise) - math.exp(0.5)) / math.sqrt(math.e * (math.e - 1))
        found = variance_share(rng.standard_normal(16)[groups] + noise, groups.tolist())
        covered += found.interval.low <= 0.5 <= found.interval.high
    assert least < covered / worlds < 0.98
    assert (found.interval.caution is None) == (size >= 100)


def _flat(groups: list[list[float]]) -> tuple[list[float], list[int]]:
    return [value for group in groups for value in group], [place for place, group in enumerate(groups) for _ in group]
