"""A difference of two tables, rows and columns drawn: by hand, by simulation, and where there is nothing to judge."""

import math

import numpy as np
import pytest
from scipy import stats

from tiltmeter.statistics import crossed_t


def test_by_hand() -> None:
    # Row means 3 and 5, then 1 and 1; column means less each other 2, 4: a difference of 3.
    test = crossed_t([[2, 4], [4, 6]], [[0, 2], [2, 0]])
    rows = math.sqrt(2 / 2 + 0 / 2)
    columns = math.sqrt(2 / 2)
    assert test.statistic == pytest.approx(3 / (rows + columns))
    assert test.degrees_of_freedom == pytest.approx(2**2 / (1 / 2 + 1 / 1))
    assert test.p_two_sided == pytest.approx(2 * stats.t.sf(1.5, 8 / 3))
    assert test.p_value == pytest.approx(stats.t.sf(1.5, 8 / 3))
    assert test.described("both", sides="two-sided") == "both, t of 2.7 degrees of freedom, two-sided"


def test_where_only_one_side_varies_it_is_the_t_test_of_that_side() -> None:
    rng = np.random.default_rng(2)
    x, y, pairs = rng.normal(size=7), rng.normal(size=7), rng.normal(size=5)
    by_rows = crossed_t(np.tile(x[:, None], 3), np.tile(y[:, None], 3))
    assert by_rows.p_two_sided == pytest.approx(float(stats.ttest_ind(x, y).pvalue))
    by_columns = crossed_t(np.tile(pairs, (4, 1)), np.zeros((4, 5)))
    assert by_columns.p_two_sided == pytest.approx(float(stats.ttest_1samp(pairs, 0).pvalue))


def test_turned_round_it_says_the_opposite() -> None:
    x, y = np.random.default_rng(1).normal(size=(2, 5, 4))
    one, other = crossed_t(x, y), crossed_t(y, x)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p_value == pytest.approx(1 - other.p_value)
    assert one.p_two_sided == pytest.approx(other.p_two_sided)


def test_tables_that_are_the_same_show_nothing() -> None:
    table = [[0.1, 0.2], [0.3, 0.7]]
    assert crossed_t(table, table).p_two_sided == 1
    assert crossed_t(np.ones((2, 3)), np.ones((4, 3))).p_two_sided == 1


def test_a_difference_without_any_error_cannot_be_judged() -> None:
    assert math.isnan(crossed_t(np.ones((2, 3)), np.zeros((2, 3))).p_value)


@pytest.mark.parametrize(("of_rows", "of_columns"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_keeps_its_level_whatever_was_drawn(of_rows: float, of_columns: float) -> None:
    """Effects of rows and of columns that were drawn are no difference between the tables."""
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(400):
        tables = rng.normal(size=(2, 8, 9)) * 0.5
        tables += of_rows * rng.normal(size=(2, 8, 1)) + of_columns * rng.normal(size=(2, 1, 9))
        found += crossed_t(*tables).p_two_sided <= 0.05
    assert stats.binomtest(found, 400, 0.05).proportion_ci(0.99).low <= 0.05


def test_wants_tables_with_the_same_columns() -> None:
    with pytest.raises(ValueError, match="tables with the same columns"):
        crossed_t([[1, 2], [3, 4]], [[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ValueError, match="columns needs at least 2"):
        crossed_t([[1], [2]], [[3], [4]])
