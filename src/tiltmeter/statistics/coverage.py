"""How often each interval of a mean holds the true mean: the measured table behind every caution.

Run `python -m tiltmeter.statistics.coverage` to measure it again (about a minute); `--docs
docs/statistics.md` puts the new table into the documentation.
"""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from tiltmeter.statistics.bootstrap import MeanMethod, mean_limits
from tiltmeter.statistics.sample import FloatArray

CLUSTERS = (5, 13, 20, 40, 60, 120, 250)
ROWS_A_CLUSTER = 10
INTRACLUSTER_CORRELATION = 0.5
LEVEL = 0.95
TABLE = Path(__file__).with_name("coverage.json")

Effects = Callable[[np.random.Generator, tuple[int, int]], FloatArray]

DISTRIBUTIONS: dict[str, Effects] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "exponential": lambda rng, shape: rng.standard_exponential(shape) - 1,
    "lognormal": lambda rng, shape: (rng.lognormal(0, 1, shape) - np.exp(0.5)) / np.sqrt(np.e * (np.e - 1)),
}
"""Cluster effects with mean 0 and variance 1; the lognormal has sigma = 1 (skewness 6.2)."""

START, END = "<!-- coverage table: start -->", "<!-- coverage table: end -->"


def measure_coverage(*, data_sets: int = 10_000, resamples: int = 1_999, seed: int = 0) -> dict[str, Any]:
    """Coverage of every method at every number of clusters on every distribution.

    A row is its cluster's effect plus normal noise, 10 rows a cluster, with half of the variance between
    clusters (intra-cluster correlation 0.5). Coverage is the share of `data_sets` whose interval holds the
    true mean, 0. All data sets of a cell share one set of `resamples` resamples, as they do under a fixed
    seed.
    """
    methods: tuple[MeanMethod, ...] = get_args(MeanMethod)
    table: dict[str, Any] = {method: {name: {} for name in DISTRIBUTIONS} for method in methods}
    for name, effects in DISTRIBUTIONS.items():
        for clusters in CLUSTERS:
            shares = _cell(effects, clusters, methods, data_sets, resamples, seed)
            for method, share in zip(methods, shares, strict=True):
                table[method][name][str(clusters)] = round(share, 4)
    return {
        "level": LEVEL,
        "data_sets": data_sets,
        "resamples": resamples,
        "rows_a_cluster": ROWS_A_CLUSTER,
        "intracluster_correlation": INTRACLUSTER_CORRELATION,
        "seed": seed,
        "coverage": table,
    }


def markdown_table(measured: dict[str, Any]) -> str:
    """The table as it stands in the documentation: a row per method and distribution, per cent."""
    header = ["method", "cluster effects", *(str(clusters) for clusters in CLUSTERS)]
    lines = [_line(header), _line(["---", "---", *("---:" for _ in CLUSTERS)])]
    for method, by_distribution in measured["coverage"].items():
        for name, by_clusters in by_distribution.items():
            cells = [f"{100 * by_clusters[str(clusters)]:.1f}" for clusters in CLUSTERS]
            lines.append(_line([f"`{method}`", name, *cells]))
    return "\n".join(lines)


def replace_table(page: str, measured: dict[str, Any]) -> str:
    """The page with the table between its two markers exchanged."""
    before, rest = page.split(START, maxsplit=1)
    after = rest.split(END, maxsplit=1)[1]
    return f"{before}{START}\n{markdown_table(measured)}\n{END}{after}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Measure the coverage of the intervals of a mean.")
    parser.add_argument("--docs", type=Path, help="page whose coverage table is to be replaced")
    options = parser.parse_args(arguments)
    measured = measure_coverage()
    TABLE.write_text(json.dumps(measured, indent=2) + "\n", encoding="utf-8")
    if options.docs:
        page = options.docs.read_text(encoding="utf-8")
        options.docs.write_text(replace_table(page, measured), encoding="utf-8")
    print(markdown_table(measured))


def _cell(
    effects: Effects,
    clusters: int,
    methods: Sequence[MeanMethod],
    data_sets: int,
    resamples: int,
    seed: int,
) -> list[float]:
    rng = np.random.default_rng([seed, clusters])
    sizes = np.full(clusters, float(ROWS_A_CLUSTER))
    covered = np.zeros(len(methods))
    chunk = 500
    for start in range(0, data_sets, chunk):
        sums = _simulated_sums(rng, effects, clusters, min(chunk, data_sets - start))
        for place, method in enumerate(methods):
            low, high = mean_limits(sums, sizes, method=method, level=LEVEL, resamples=resamples, seed=seed)
            covered[place] += ((low <= 0) & (high >= 0)).sum()
    return [float(count) / data_sets for count in covered]


def _simulated_sums(rng: np.random.Generator, effects: Effects, clusters: int, data_sets: int) -> FloatArray:
    """Cluster sums of simulated rows whose true mean is 0: clusters in rows, data sets in columns."""
    between, within = np.sqrt(INTRACLUSTER_CORRELATION), np.sqrt(1 - INTRACLUSTER_CORRELATION)
    noise = rng.standard_normal((ROWS_A_CLUSTER, clusters, data_sets))
    rows = between * effects(rng, (clusters, data_sets)) + within * noise
    return np.asarray(rows.sum(axis=0))


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
