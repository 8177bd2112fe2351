"""What the BAD test draws, all from its items table."""

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from tiltmeter.instruments._adjectives import BASELINE
from tiltmeter.results import Figure

BINS = 12
_SCORE = "BAD score: ← female | male →"
_RATING = "rating bias: ← feminine | masculine form →"
_LEANS = "Above 0 an adjective leans male, below 0 female."


def figures_of(test: str, source: str, rows: pl.DataFrame, baseline: Sequence[float]) -> Iterator[Figure]:
    """The scores in order, beside those of the baseline, and against people's ratings where there are any."""
    found = list(rows.iter_rows(named=True))
    yield Figure(
        kind="sorted",
        title=f"BAD scores, {test}, adjectives of {source}",
        rows=tuple(
            {"adjective": name_of(row), _SCORE: row["score"], "stereotype": row["stereotype"] or "rated"}
            for row in found
        ),
        x=_SCORE,
        y="adjective",
        colour="stereotype",
        order=("male", "female"),
        neutral=0,
        caption=_LEANS,
    )
    if baseline:
        yield _beside_baseline(test, source, rows["score"].to_list(), baseline)
    rated = [row for row in found if row["rating_m"] is not None and row["rating_f"] is not None]
    if rated:
        yield Figure(
            kind="scatter",
            title=f"BAD scores, {test}, against the ratings of {source}",
            rows=tuple(
                {_RATING: row["rating_m"] - row["rating_f"], _SCORE: row["score"], "adjective": name_of(row)}
                for row in rated
            ),
            x=_RATING,
            y=_SCORE,
            label="adjective",
            neutral=0,
            caption=f"{_LEANS} The rating bias is what people gave the masculine form less what the feminine got.",
        )


def name_of(row: dict[str, str]) -> str:
    return row["masculine"] if row["masculine"] == row["feminine"] else f"{row['masculine']}/{row['feminine']}"


def _beside_baseline(test: str, source: str, scores: Sequence[float], baseline: Sequence[float]) -> Figure:
    """As shares, for the lists are of different lengths."""
    lists = {source: scores, BASELINE: baseline}
    edges = np.histogram_bin_edges([*scores, *baseline], BINS)
    rows = [
        {_SCORE: float(start), "to": float(end), "share_of_the_list": count / len(values), "adjectives": name}
        for name, values in lists.items()
        for start, end, count in zip(edges[:-1], edges[1:], np.histogram(values, edges)[0].tolist(), strict=True)
    ]
    return Figure(
        kind="histogram",
        title=f"BAD scores, {test}, adjectives of {source} and of the baseline",
        rows=tuple(rows),
        x=_SCORE,
        y="share_of_the_list",
        high="to",
        colour="adjectives",
        neutral=0,
        caption=f"{_LEANS} Both lists move when female or male attributes merely lie closer together: read the "
        "distance between them.",
    )
