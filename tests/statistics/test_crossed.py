"""Differences of two tables, rows and columns drawn: by hand, by simulation, and where there is nothing to judge."""

import math

import numpy as np
import pytest
from scipy import stats

from tiltmeter.statistics import crossed_contrast, crossed_correlation, crossed_t


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


class TestContrast:
    def test_by_hand(self) -> None:
        # Rows' contrasts 2 and 4, then 1 and -1; columns' differences 3 and 5 in the group, 0 and 2 outside.
        x = [[4, 6, 2, 4], [4, 8, 0, 4]]
        y = [[2, 2, 1, 1], [0, 2, 1, 3]]
        test = crossed_contrast(x, y, [True, True, False, False])
        rows = columns = 2 / 2 + 2 / 2
        assert test.error == pytest.approx(math.sqrt(rows + columns))
        assert test.statistic == pytest.approx((4 - 1) / math.sqrt(rows + columns))
        # Either has Welch's degrees of two pairs: 2^2 / (1 + 1).
        assert test.degrees_of_freedom == pytest.approx(4**2 / (2**2 / 2 + 2**2 / 2))

    def test_where_rows_agree_it_is_welchs_t_test_of_the_columns(self) -> None:
        rng = np.random.default_rng(4)
        columns, group = rng.normal(size=9), np.arange(9) < 4
        test = crossed_contrast(np.tile(columns, (3, 1)), np.zeros((3, 9)), group)
        welch = stats.ttest_ind(columns[group], columns[~group], equal_var=False)
        assert test.p_two_sided == pytest.approx(float(welch.pvalue))
        limits = test.interval(float(columns[group].mean() - columns[~group].mean()), n=9)
        assert limits is not None
        assert (limits.low, limits.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))

    def test_where_columns_agree_it_is_welchs_t_test_of_the_rows(self) -> None:
        rng = np.random.default_rng(5)
        of_x, of_y, group = rng.normal(size=6), rng.normal(size=4), np.arange(5) < 2
        test = crossed_contrast(np.outer(of_x, group), np.outer(of_y, group), group)
        assert test.p_two_sided == pytest.approx(float(stats.ttest_ind(of_x, of_y, equal_var=False).pvalue))

    @pytest.mark.parametrize("shared", [0, 1])
    def test_keeps_its_level_when_rows_share_something_with_a_group(self, shared: float) -> None:
        """What each row by chance has with all columns of a group: columns alone would take it for a contrast."""
        rng = np.random.default_rng(6)
        group, found, alone = np.arange(12) < 6, 0, 0
        for _ in range(400):
            x, y = rng.normal(size=(2, 8, 12)) + shared * rng.normal(size=(2, 8, 1)) * group
            found += crossed_contrast(x, y, group).p_two_sided <= 0.05
            columns = x.mean(axis=0) - y.mean(axis=0)
            alone += stats.ttest_ind(columns[group], columns[~group]).pvalue <= 0.05
        assert stats.binomtest(found, 400, 0.05).proportion_ci(0.99).low <= 0.05
        assert (stats.binomtest(alone, 400, 0.05).proportion_ci(0.99).low > 0.05) == bool(shared)

    def test_wants_two_columns_on_either_side(self) -> None:
        with pytest.raises(ValueError, match="group needs at least 2"):
            crossed_contrast(np.ones((2, 3)), np.ones((2, 3)), [True, False, False])
        with pytest.raises(ValueError, match="of each of 3 columns"):
            crossed_contrast(np.ones((2, 3)), np.ones((2, 3)), [True, False])


class TestCorrelation:
    def test_a_second_way(self) -> None:
        rng = np.random.default_rng(7)
        by = rng.normal(size=11)
        x, y = rng.normal(size=(5, 11)) + by, rng.normal(size=(4, 11))
        line = stats.linregress(stats.rankdata(by), x.mean(axis=0) - y.mean(axis=0))
        own = [[stats.linregress(stats.rankdata(by), row).slope for row in table] for table in (x, y)]
        rows = stats.ttest_ind(*own, equal_var=False)
        of_rows = line.slope / rows.statistic
        test = crossed_correlation(x, y, by)
        error = math.hypot(of_rows, line.stderr)
        assert test.statistic == pytest.approx(line.slope / error)
        assert test.degrees_of_freedom == pytest.approx(error**4 / (of_rows**4 / rows.df + line.stderr**4 / 9))
        limits = test.interval_of_correlation(line.rvalue, n=11)
        assert limits is not None
        # The ends are the correlations that the ends of the slope would be with the same residuals.
        left = float((1 - line.rvalue**2) * np.var(x.mean(axis=0) - y.mean(axis=0)))
        for end, sign in ((limits.low, -1), (limits.high, 1)):
            slope = line.slope + sign * float(stats.t.ppf(0.975, test.degrees_of_freedom)) * error
            explained = slope * float(np.std(np.arange(11)))
            assert end == pytest.approx(explained / math.sqrt(explained**2 + left))

    def test_where_rows_agree_it_is_the_test_of_a_slope(self) -> None:
        columns = np.random.default_rng(11).normal(size=8)
        test = crossed_correlation(np.tile(columns, (3, 1)), np.zeros((3, 8)), np.arange(8))
        assert test.p_two_sided == pytest.approx(float(stats.linregress(np.arange(8), columns).pvalue))

    @pytest.mark.parametrize("shared", [0, 1])
    def test_keeps_its_level_when_rows_follow_the_order_by_chance(self, shared: float) -> None:
        rng = np.random.default_rng(8)
        by, found = np.linspace(-1, 1, 14), 0
        for _ in range(400):
            x, y = rng.normal(size=(2, 7, 14)) + shared * rng.normal(size=(2, 7, 1)) * by
            found += crossed_correlation(x, y, by).p_two_sided <= 0.05
        assert stats.binomtest(found, 400, 0.05).proportion_ci(0.99).low <= 0.05

    def test_a_perfect_line_cannot_be_judged_and_a_perfect_order_has_no_interval(self) -> None:
        line = crossed_correlation(np.tile([1, 2, 3, 4, 5], (3, 1)), np.zeros((3, 5)), [1, 2, 3, 4, 5])
        assert math.isnan(line.p_value)
        assert line.interval_of_correlation(1.0, n=5) is None
        order = crossed_correlation(np.tile([1, 2, 3, 4, 6], (3, 1)), np.zeros((3, 5)), [1, 2, 3, 4, 5])
        assert order.p_two_sided == pytest.approx(float(stats.linregress(range(5), [1, 2, 3, 4, 6]).pvalue))
        assert order.interval_of_correlation(1.0, n=5) is None

    def test_no_order_to_follow_cannot_be_judged(self) -> None:
        assert math.isnan(crossed_correlation(np.ones((2, 5)), np.zeros((2, 5)), [3] * 5).p_value)


def test_what_is_there_is_found() -> None:
    """A level that is kept says nothing of a test that finds nothing."""
    rng = np.random.default_rng(9)
    group = np.arange(14) < 7
    found = np.zeros(3)
    for _ in range(100):
        x, y = rng.normal(size=(2, 8, 14)) * 0.5
        found[0] += crossed_t(x + 1, y).p_two_sided <= 0.05
        found[1] += crossed_contrast(x + group, y, group).p_two_sided <= 0.05
        found[2] += crossed_correlation(x + np.linspace(-0.5, 0.5, 14), y, np.arange(14)).p_two_sided <= 0.05
    assert found.min() >= 80, found
