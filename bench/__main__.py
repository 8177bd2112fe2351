"""Runs all rows and prints them as one table; `python -m bench NAME` runs those whose name begins so."""

import sys
from collections.abc import Iterator

from bench import calibration, commands, corpus, models, nli, report, reviews, slgu, statistics, training, vectors, weat
from bench.row import Row

SUITES = {
    "statistics": statistics.rows,
    "commands": commands.rows,
    "vectors": vectors.rows,
    "weat": weat.rows,
    "models": models.rows,
    "slgu": slgu.rows,
    "nli": nli.rows,
    "training": training.rows,
    "calibration": calibration.rows,
    "corpus": corpus.rows,
    "report": report.rows,
    "reviews": reviews.rows,
}


def main() -> None:
    print("| what | ours | the other | ratio | must reach |")
    print("| --- | --- | --- | --- | --- |")
    missed = [row.what for row in _rows(sys.argv[1:]) if not _shown(row)]
    sys.exit(f"missed: {', '.join(missed)}" if missed else 0)


def _rows(chosen: list[str]) -> Iterator[Row]:
    for name, rows in SUITES.items():
        if not chosen or any(name.startswith(prefix) for prefix in chosen):
            yield from rows()


def _shown(row: Row) -> bool:
    ours, other = (f"{value:.4g} {row.unit}" for value in (row.ours, row.other))
    digits = 1 if row.ratio >= 1 else 2
    print(f"| {row.what} | {ours} | {other} | {row.ratio:,.{digits}f}x | {row.target} |", flush=True)
    return row.reached


main()
