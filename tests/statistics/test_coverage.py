"""The measured coverage: its design, its table, and that the documentation prints the same numbers."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.statistics import coverage, coverage_caution, mean_interval
from tiltmeter.statistics.coverage import CLUSTERS, DISTRIBUTIONS, END, START, markdown_table, replace_table

PAGE = Path(__file__).parents[2] / "docs" / "statistics.md"
MEASURED: dict[str, Any] = json.loads(coverage.TABLE.read_text(encoding="utf-8"))
METHODS = list(MEASURED["coverage"])


def test_the_documentation_prints_the_measured_table() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert replace_table(page, MEASURED) == page
    assert page.split(START)[1].split(END)[0].strip() == markdown_table(MEASURED)


def test_every_method_is_measured_in_every_cell() -> None:
    assert METHODS == ["percentile", "bca", "bootstrap-t", "cluster-t"]
    for by_distribution in MEASURED["coverage"].values():
        assert list(by_distribution) == ["normal", "exponential", "lognormal"]
        for shares in by_distribution.values():
            assert [int(clusters) for clusters in shares] == list(CLUSTERS)
    assert MEASURED["data_sets"] >= 2000


def test_studentised_intervals_keep_their_promise_on_normal_data_and_percentiles_do_not() -> None:
    error = math.sqrt(0.95 * 0.05 / MEASURED["data_sets"])
    for clusters in CLUSTERS:
        # The t interval is exact on normal data; the studentised bootstrap nearly so.
        t_interval = MEASURED["coverage"]["cluster-t"]["normal"][str(clusters)]
        assert t_interval == pytest.approx(0.95, abs=4 * error)
        studentised = MEASURED["coverage"]["bootstrap-t"]["normal"][str(clusters)]
        assert studentised == pytest.approx(0.95, abs=0.01)
    assert MEASURED["coverage"]["percentile"]["normal"]["5"] < 0.85


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_simulated_cluster_effects_have_mean_zero_and_variance_one(name: str) -> None:
    effects = DISTRIBUTIONS[name](np.random.default_rng(0), (1000, 1000))
    assert effects.mean() == pytest.approx(0, abs=0.01)
    assert effects.var() == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("method", "name"), [("percentile", "lognormal"), ("cluster-t", "exponential")])
def test_a_cell_simulated_row_by_row_agrees_with_the_table(method: Any, name: str) -> None:
    rng, covered, data_sets, clusters = np.random.default_rng(1), 0, 500, 13
    labels = np.repeat(np.arange(clusters), 10)
    for _ in range(data_sets):
        effects = DISTRIBUTIONS[name](rng, (clusters, 1))[:, 0]
        rows = math.sqrt(0.5) * effects[labels] + math.sqrt(0.5) * rng.normal(size=labels.size)
        interval = mean_interval(rows, clusters=labels, method=method, resamples=499)
        covered += interval.low <= 0 <= interval.high
    expected = MEASURED["coverage"][method][name][str(clusters)]
    assert covered / data_sets == pytest.approx(expected, abs=4 * math.sqrt(expected * 0.1 / data_sets))


@given(st.sampled_from(METHODS), st.integers(0, 1000))
def test_a_caution_is_given_exactly_where_a_measured_share_is_under_92_per_cent(method: str, units: int) -> None:
    known = [clusters for clusters in CLUSTERS if clusters <= units]
    by_distribution = MEASURED["coverage"][method]
    fails = not known or min(shares[str(known[-1])] for shares in by_distribution.values()) < 0.92
    assert (coverage_caution(method, units) is not None) == fails


def test_running_the_module_writes_the_table_and_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    table, page = tmp_path / "coverage.json", tmp_path / "page.md"
    page.write_text(f"before\n{START}\nold\n{END}\nafter\n", encoding="utf-8")
    monkeypatch.setattr(coverage, "TABLE", table)
    monkeypatch.setattr(coverage, "measure_coverage", lambda: MEASURED)
    coverage.main(["--docs", str(page)])
    assert json.loads(table.read_text(encoding="utf-8")) == MEASURED
    assert page.read_text(encoding="utf-8") == (f"before\n{START}\n{markdown_table(MEASURED)}\n{END}\nafter\n")
    assert capsys.readouterr().out.strip() == markdown_table(MEASURED)


@pytest.mark.slow
def test_measuring_again_agrees_with_the_committed_table_within_monte_carlo_error() -> None:
    data_sets = 3000
    again = coverage.measure_coverage(data_sets=data_sets, seed=1)
    for method, by_distribution in MEASURED["coverage"].items():
        for name, shares in by_distribution.items():
            for clusters, share in shares.items():
                spread = math.sqrt(share * (1 - share) * (1 / data_sets + 1 / MEASURED["data_sets"]))
                # Four standard errors for 84 cells, and half a point for the shared set of resamples.
                assert again["coverage"][method][name][clusters] == pytest.approx(share, abs=4 * spread + 0.005), (
                    method,
                    name,
                    clusters,
                )
