"""Intervals against scipy, statsmodels, and resampling written out row by row."""

import math
import random
import statistics
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt
import pytest
import statsmodels.api as sm
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.statistics import (
    bootstrap,
    coverage_caution,
    difference_interval,
    influence_interval,
    mean_interval,
    statistic_interval,
)
from tiltmeter.statistics.bootstrap import MeanMethod
from tiltmeter.statistics.intervals import StatisticMethod

METHODS: tuple[MeanMethod, ...] = get_args(MeanMethod)
Rows = npt.NDArray[np.float64]

labelled = st.lists(st.tuples(st.integers(-50, 50), st.sampled_from("abcdefgh")), min_size=6, max_size=20).filter(
    lambda rows: len({label for _, label in rows}) > 3 and len({value for value, _ in rows}) > 2
)


def unequal_clusters(seed: int, clusters: int = 9) -> tuple[Rows, list[str]]:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 8, clusters)
    labels = [f"c{cluster:02}" for cluster, size in enumerate(sizes) for _ in range(size)]
    effects = np.repeat(rng.exponential(1, clusters), sizes)
    return effects + rng.normal(0, 0.5, len(labels)), labels


def robust_error(values: Rows, labels: list[int] | list[str]) -> float:
    """Cluster-robust standard error of the mean: residuals of a cluster multiplied pair by pair."""
    mean, total = float(np.mean(values)), 0.0
    for value, label in zip(values, labels, strict=True):
        for other, other_label in zip(values, labels, strict=True):
            if label == other_label:
                total += (value - mean) * (other - mean)
    groups = len(set(labels))
    return math.sqrt(groups / (groups - 1) * total) / len(values)


def drawn_rows(values: Rows, labels: list[str], resamples: int, seed: int) -> list[tuple[Rows, list[int]]]:
    """Every resample as rows, each drawn cluster under a label of its own."""
    names = sorted(set(labels))
    members = [values[[label == name for label in labels]] for name in names]
    draws = np.random.default_rng(seed).integers(len(names), size=(resamples, len(names)))
    return [
        (
            np.concatenate([members[unit] for unit in draw]),
            [place for place, unit in enumerate(draw) for _ in members[unit]],
        )
        for draw in draws
    ]


def test_cluster_t_uses_the_cluster_robust_error_and_one_degree_less_than_clusters() -> None:
    values, labels = unequal_clusters(1)
    interval = mean_interval(values, clusters=labels, method="cluster-t")
    margin = float(stats.t.ppf(0.975, 8)) * robust_error(values, labels)
    assert (interval.low, interval.high) == pytest.approx((values.mean() - margin, values.mean() + margin))
    assert (interval.n, interval.method, interval.level) == (9, "cluster-t", 0.95)


def test_cluster_t_equals_statsmodels() -> None:
    values, labels = unequal_clusters(2, clusters=12)
    groups = np.unique(labels, return_inverse=True)[1]
    fit = sm.OLS(values, np.ones(values.size)).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    interval = mean_interval(values, clusters=labels, method="cluster-t", level=0.9)
    assert [interval.low, interval.high] == pytest.approx(list(fit.conf_int(0.1)[0]))


def test_cluster_t_without_clusters_is_the_ordinary_t_interval() -> None:
    values = np.random.default_rng(3).normal(2, 1, 12)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    interval = mean_interval(values, method="cluster-t")
    assert (interval.low, interval.high) == pytest.approx((float(expected.low), float(expected.high)))
    assert interval.n == 12


def test_percentile_interval_equals_resampling_row_by_row() -> None:
    values, labels = unequal_clusters(4)
    means = sorted(float(rows.mean()) for rows, _ in drawn_rows(values, labels, 999, seed=5))
    interval = mean_interval(values, clusters=labels, method="percentile", resamples=999, seed=5)
    assert (interval.low, interval.high) == pytest.approx((means[24], means[974]))  # 25th and 975th of 999


def test_bootstrap_t_interval_equals_resampling_row_by_row() -> None:
    values, labels = unequal_clusters(6)
    ratios = sorted(
        (float(rows.mean()) - values.mean()) / robust_error(rows, places)
        for rows, places in drawn_rows(values, labels, 199, seed=7)
    )
    interval = mean_interval(values, clusters=labels, method="bootstrap-t", resamples=199, seed=7)
    error = robust_error(values, labels)
    expected = values.mean() - ratios[194] * error, values.mean() - ratios[4] * error
    assert (interval.low, interval.high) == pytest.approx(expected)


def test_bca_interval_equals_its_formula_row_by_row() -> None:
    values, labels = unequal_clusters(8)
    normal, names = statistics.NormalDist(), sorted(set(labels))
    means = sorted(float(rows.mean()) for rows, _ in drawn_rows(values, labels, 999, seed=9))
    bias = normal.inv_cdf(sum(mean < values.mean() for mean in means) / 999)
    left_out = [values[[label != name for label in labels]].mean() for name in names]
    influence = [float(np.mean(left_out) - mean) for mean in left_out]
    skew = sum(d**3 for d in influence) / (6 * sum(d**2 for d in influence) ** 1.5)

    def limit(share: float) -> float:
        moved = bias + normal.inv_cdf(share)
        return means[round(1000 * normal.cdf(bias + moved / (1 - skew * moved))) - 1]

    interval = mean_interval(values, clusters=labels, method="bca", resamples=999, seed=9)
    assert (interval.low, interval.high) == pytest.approx((limit(0.025), limit(0.975)))


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_resampled_means_agree_with_scipy_within_monte_carlo_error(
    method: StatisticMethod, scipy_method: Literal["percentile", "BCa"]
) -> None:
    values = np.random.default_rng(10).exponential(1, 30)
    expected = stats.bootstrap((values,), np.mean, method=scipy_method, rng=np.random.default_rng(1))
    limits = expected.confidence_interval
    interval = mean_interval(values, method=method)
    width = float(limits.high - limits.low)
    assert interval.low == pytest.approx(float(limits.low), abs=0.04 * width)
    assert interval.high == pytest.approx(float(limits.high), abs=0.04 * width)


@pytest.mark.parametrize(("units", "method"), [(9, "cluster-t"), (10, "bootstrap-t"), (250, "cluster-t")])
def test_auto_studentises_where_that_covers_more(units: int, method: MeanMethod) -> None:
    values = np.random.default_rng(11).normal(size=units)
    assert mean_interval(values, seed=3) == mean_interval(values, method=method, seed=3)


def test_same_seed_same_interval_and_another_seed_another() -> None:
    values, labels = unequal_clusters(12)
    first = mean_interval(values, clusters=labels, method="percentile", resamples=499, seed=1)
    assert first == mean_interval(values, clusters=labels, method="percentile", resamples=499, seed=1)
    assert first != mean_interval(values, clusters=labels, method="percentile", resamples=499, seed=2)


def test_resampling_in_small_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    values, labels = unequal_clusters(13)
    whole = [mean_interval(values, clusters=labels, method=method, resamples=499) for method in METHODS]
    monkeypatch.setattr(bootstrap, "_CHUNK_VALUES", 100)
    for method, expected in zip(METHODS, whole, strict=True):
        interval = mean_interval(values, clusters=labels, method=method, resamples=499)
        assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize("method", METHODS)
def test_constant_values_have_an_interval_of_no_width(method: MeanMethod) -> None:
    interval = mean_interval([0.1] * 7, method=method, resamples=99)
    assert (interval.low, interval.high) == pytest.approx((0.1, 0.1))
    assert interval.low == interval.high
    assert interval.caution == "all values are equal: their spread is unknown"


@pytest.mark.parametrize("method", METHODS)
def test_equal_cluster_means_have_an_interval_of_no_width(method: MeanMethod) -> None:
    rows = [0.1, 0.3, 0.2, 0.2, 0.3, 0.1, 0.15, 0.25, 0.2, 0.2]
    interval = mean_interval(rows, clusters=[i // 2 for i in range(10)], method=method, resamples=99)
    assert (interval.low, interval.high) == pytest.approx((0.2, 0.2), abs=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_one_cluster_has_no_interval_and_says_why(method: MeanMethod) -> None:
    interval = mean_interval([1.0, 2.0, 3.0], clusters=["a", "a", "a"], method=method)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert (interval.n, interval.caution) == (1, "an interval needs at least 2 independent units")


def test_bootstrap_t_of_three_clusters_admits_that_it_knows_nothing() -> None:
    interval = mean_interval([1.0, 2.0, 4.0], method="bootstrap-t")
    assert (interval.low, interval.high) == (-math.inf, math.inf)


def test_an_interval_that_covers_too_little_carries_the_measured_numbers() -> None:
    values = np.random.default_rng(14).normal(size=17)
    caution = mean_interval(values, method="percentile").caution
    assert caution == coverage_caution("percentile", 13)
    assert caution is not None
    assert caution.startswith("in simulations of means with 13 clusters this interval covered 92% on normal but")
    assert caution.endswith("on lognormal data (nominal 95%)")
    assert mean_interval([1.0, 2.0, 4.0]).caution == (
        "with 3 independent units there are too few for any interval to be trusted"
    )


def test_an_interval_that_covers_well_carries_no_caution() -> None:
    assert mean_interval(np.random.default_rng(15).normal(size=40)).caution is None
    assert mean_interval(np.random.default_rng(15).normal(size=400)).caution is None


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)
@given(rows=labelled, shift=st.integers(-9, 9), scale=st.sampled_from([0.1, 3.0, -2.0]))
def test_shifting_and_scaling_the_rows_moves_the_interval_along(
    method: MeanMethod, rows: list[tuple[int, str]], shift: int, scale: float
) -> None:
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    straight = mean_interval(values, clusters=labels, method=method, resamples=199)
    moved = mean_interval([shift + scale * v for v in values], clusters=labels, method=method, resamples=199)
    assume(math.isfinite(straight.low) and math.isfinite(straight.high))
    expected = sorted([shift + scale * straight.low, shift + scale * straight.high])
    assert [moved.low, moved.high] == pytest.approx(expected, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("method", METHODS)
@settings(max_examples=25)
@given(rows=labelled, shuffler=st.randoms())
def test_the_order_of_rows_is_immaterial(
    method: MeanMethod, rows: list[tuple[int, str]], shuffler: random.Random
) -> None:
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    first, second = (
        mean_interval([v for v, _ in data], clusters=[c for _, c in data], method=method, resamples=199)
        for data in (rows, shuffled)
    )
    assert (first.low, first.high) == pytest.approx((second.low, second.high))


@settings(max_examples=25)
@given(labelled, st.sampled_from(METHODS))
def test_a_higher_level_gives_a_wider_interval(rows: list[tuple[int, str]], method: MeanMethod) -> None:
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    narrow, wide = (
        mean_interval(values, clusters=labels, method=method, level=level, resamples=199) for level in (0.5, 0.9)
    )
    assert wide.low <= narrow.low <= narrow.high <= wide.high


@given(labelled)
def test_the_t_interval_is_centred_on_the_mean_of_rows(rows: list[tuple[int, str]]) -> None:
    values = [value for value, _ in rows]
    interval = mean_interval(values, clusters=[label for _, label in rows], method="cluster-t")
    assert (interval.low + interval.high) / 2 == pytest.approx(np.mean(values), abs=1e-9)


@pytest.mark.parametrize(("method", "scipy_method"), [("percentile", "percentile"), ("bca", "BCa")])
def test_interval_of_a_statistic_of_one_column_equals_scipy(
    method: StatisticMethod, scipy_method: Literal["percentile", "BCa"]
) -> None:
    values = np.random.default_rng(16).exponential(1, 25)
    expected = stats.bootstrap(
        (values,), np.median, n_resamples=999, method=scipy_method, rng=np.random.default_rng(4)
    ).confidence_interval
    interval = statistic_interval(values, lambda rows: float(np.median(rows)), method=method, resamples=999, seed=4)
    assert (interval.low, interval.high) == pytest.approx((float(expected.low), float(expected.high)))


def correlation(rows: Rows) -> float:
    return float(np.asarray(np.corrcoef(rows.T))[0, 1])


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_rows_repeated_within_clusters_add_no_information(method: StatisticMethod) -> None:
    rows = np.random.default_rng(17).normal(size=(12, 2))
    alone = statistic_interval(rows, correlation, method=method, resamples=499)
    repeated = statistic_interval(
        np.repeat(rows, 5, axis=0),
        correlation,
        clusters=np.repeat(np.arange(12), 5),
        method=method,
        resamples=499,
    )
    assert (repeated.low, repeated.high) == pytest.approx((alone.low, alone.high))
    assert repeated.n == alone.n == 12


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_clustered_interval_of_the_mean_agrees_with_the_special_case(method: StatisticMethod) -> None:
    values, labels = unequal_clusters(18, clusters=20)
    special = mean_interval(values, clusters=labels, method=method)
    general = statistic_interval(
        values, lambda rows: float(rows.mean()), clusters=labels, method=method, resamples=4999, seed=1
    )
    width = special.high - special.low
    assert general.low == pytest.approx(special.low, abs=0.05 * width)
    assert general.high == pytest.approx(special.high, abs=0.05 * width)
    assert general.caution == special.caution


def test_a_statistic_that_never_changes_has_an_interval_of_no_width() -> None:
    interval = statistic_interval([3.0] * 6, lambda rows: float(rows.mean()), resamples=99)
    assert (interval.low, interval.high) == (3, 3)
    assert interval.caution == "the statistic is the same on every resample"


def test_a_statistic_undefined_on_some_resamples_has_no_interval_and_says_so() -> None:
    def ratio(rows: Rows) -> float:
        return float("nan") if rows.sum() == 0 else float(1 / rows.sum())

    interval = statistic_interval([0.0, 0.0, 1.0], ratio, resamples=99)
    assert math.isnan(interval.low)
    assert interval.caution is not None
    assert interval.caution.startswith("the statistic is undefined on ")


def test_one_cluster_has_no_interval_of_a_statistic() -> None:
    interval = statistic_interval([1.0, 2.0], lambda rows: float(rows.max()), clusters=["a", "a"])
    assert math.isnan(interval.high)
    assert interval.caution == "an interval needs at least 2 independent units"


@settings(max_examples=15)
@given(labelled, st.sampled_from(["percentile", "bca"]))
def test_interval_of_a_statistic_lies_within_its_range_and_turns_with_the_sign(
    rows: list[tuple[int, str]], method: StatisticMethod
) -> None:
    values, labels = np.array([float(value) for value, _ in rows]), [label for _, label in rows]

    def interval(statistic: Callable[[Rows], float]) -> list[float]:
        found = statistic_interval(values, statistic, clusters=labels, method=method, resamples=99)
        return [found.low, found.high]

    straight = interval(lambda drawn: float(drawn.mean()))
    turned = interval(lambda drawn: -float(drawn.mean()))
    assume(not math.isnan(straight[0]))
    assert values.min() <= straight[0] <= straight[1] <= values.max()
    assert turned == pytest.approx([-straight[1], -straight[0]], abs=1e-9)


def test_unusable_values_and_options_are_refused() -> None:
    refusals: list[tuple[str, Callable[[], object]]] = [
        ("values needs at least 1", lambda: mean_interval([])),
        ("values holds NaN", lambda: mean_interval([1.0, math.nan])),
        ("one label per row, got 1 for 2", lambda: mean_interval([1.0, 2.0], clusters=["a"])),
        ("clusters holds missing labels", lambda: mean_interval([1.0, 2.0], clusters=["a", None])),
        ("one factor at a time", lambda: mean_interval([1.0, 2.0], clusters=[("a", "b"), ("a", "c")])),
        ("level must lie between 0 and 1", lambda: mean_interval([1.0, 2.0], level=95)),
        ("resamples must be at least 99", lambda: mean_interval([1.0, 2.0], resamples=9)),
        ("method must be auto or one of", lambda: mean_interval([1.0, 2.0], method="basic")),  # type: ignore[arg-type]
        ("rows needs at least 1 row", lambda: statistic_interval([], np.mean)),
        ("rows holds NaN", lambda: statistic_interval([1.0, math.inf], np.mean)),
        ("method must be bca or percentile", lambda: statistic_interval([1.0], np.mean, method="basic")),  # type: ignore[arg-type]
    ]
    for message, call in refusals:
        with pytest.raises(ValueError, match=message):
            call()


def test_the_interval_of_a_difference_is_welchs() -> None:
    """By hand: x = 1, 2, 3 and y = 2, 4, 6, 8: difference -3, se = sqrt(1/3 + 20/3/4), t by statsmodels."""
    from statsmodels.stats.weightstats import CompareMeans, DescrStatsW

    x, y = [1.0, 2.0, 3.0], [2.0, 4.0, 6.0, 8.0]
    low, high = CompareMeans(DescrStatsW(x), DescrStatsW(y)).tconfint_diff(usevar="unequal")
    found = difference_interval(x, y)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.n == 3


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=9), st.lists(st.floats(-100, 100), min_size=2, max_size=9))
def test_swapping_the_samples_mirrors_the_interval_of_their_difference(x: list[float], y: list[float]) -> None:
    forth, back = difference_interval(x, y), difference_interval(y, x)
    assert (forth.low, forth.high) == pytest.approx((-back.high, -back.low), abs=1e-9)


class TestInfluences:
    def test_of_one_mean_they_give_the_cluster_robust_interval_of_statsmodels(self) -> None:
        import statsmodels.api as sm

        rng = np.random.default_rng(2)
        clusters = np.repeat(np.arange(9), rng.integers(1, 6, 9))
        values = rng.normal(size=clusters.size) + rng.normal(size=9)[clusters]
        fitted = sm.OLS(values, np.ones(values.size)).fit(
            cov_type="cluster", cov_kwds={"groups": clusters, "df_correction": True}, use_t=True
        )
        influences = np.bincount(clusters, weights=values - values.mean()) / values.size
        found, p = influence_interval(float(values.mean()), [influences])
        assert [found.low, found.high] == pytest.approx(fitted.conf_int()[0])
        assert p == pytest.approx(fitted.pvalues[0])

    def test_of_a_difference_of_means_they_give_welchs_interval_and_test(self) -> None:
        from scipy.stats import ttest_ind

        rng = np.random.default_rng(3)
        x, y = rng.normal(1, 1, 6), rng.normal(0, 3, 9)
        expected = difference_interval(x, y)
        found, p = influence_interval(float(x.mean() - y.mean()), [(x - x.mean()) / x.size, -(y - y.mean()) / y.size])
        assert (found.low, found.high, found.n) == pytest.approx((expected.low, expected.high, 6))
        assert p == pytest.approx(ttest_ind(x, y, equal_var=False).pvalue)

    def test_one_unit_alone_tells_no_spread_and_units_that_do_not_differ_have_none(self) -> None:
        found, p = influence_interval(0.5, [np.array([0.0]), np.array([0.1, -0.1])])
        assert math.isnan(found.low)
        assert math.isnan(p)
        found, p = influence_interval(0.5, [np.zeros(4)])
        assert (found.low, found.high) == (0.5, 0.5)
        assert "spread is unknown" in str(found.caution)
        assert math.isnan(p)
        assert influence_interval(0.0, [np.zeros(4)])[1] == 1
