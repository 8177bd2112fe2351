"""The items on the page: as many as it can hold, and a file beside it with all of them."""

import base64
import gzip
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.instruments import load_instrument
from tiltmeter.runs import Run
from tiltmeter.store import write_atomically

LIMIT = 60_000
"""Items that a page holds, shared by its runs."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A table that the page unpacks when it is asked for."""

    content: str
    """Columns as JSON, compressed, in letters."""
    kept: int
    rows: int


def packed_items(runs: Sequence[Run]) -> dict[str, Packed]:
    """The items of each run; of a large one those with the lowest and the highest scores."""
    room = _shares([run.items.height for run in runs])
    return {run.id: _packed(_extremes(run, rows), run.items.height) for run, rows in zip(runs, room, strict=True)}


def packed_estimates(run: Run) -> Packed:
    """All estimates of a run, also those that are not printed."""
    rows = [
        {
            "test": row.test,
            "estimate": row.name,
            "group": ", ".join(f"{key}={value}" for key, value in row.group.items()),
            **{
                name: getattr(row, name)
                for name in ("value", "ci_low", "ci_high", "p_value", "p_two_sided", "p_adjusted", "n", "lost")
            },
        }
        for row in run.result.estimates
    ]
    return _packed(pl.DataFrame(rows, infer_schema_length=None), len(rows))


def write_items(runs: Sequence[Run], path: Path) -> None:
    """All items of all runs in one Parquet file, with the run and the subject of each."""
    tables = [
        run.items.select(
            pl.lit(run.id).alias("run"), pl.lit(run.result.subject).alias("subject"), pl.exclude("run", "subject")
        )
        for run in runs
    ]
    buffer = io.BytesIO()
    pl.concat(tables, how="diagonal_relaxed").write_parquet(buffer)
    write_atomically(path, buffer.getvalue())


def _shares(heights: Sequence[int]) -> list[int]:
    """How many items of each run find room: what a small run leaves, the larger ones share."""
    shares = [0] * len(heights)
    left = LIMIT
    smallest_first = sorted(range(len(heights)), key=heights.__getitem__)
    for place, number in enumerate(smallest_first):
        shares[number] = min(heights[number], left // (len(heights) - place))
        left -= shares[number]
    return shares


def _extremes(run: Run, room: int) -> pl.DataFrame:
    score = load_instrument(run.result.instrument).score
    if score is None or score not in run.items.columns:
        return run.items.head(room)
    items = run.items.select(score, pl.exclude(score))
    if items.height <= room:
        return items
    ordered = items.drop_nulls(score).sort(score, maintain_order=True)
    if ordered.height <= room:
        return ordered
    return pl.concat([ordered.head(room // 2), ordered.tail(room - room // 2)])


def _packed(table: pl.DataFrame, rows: int) -> Packed:
    columns = [{"name": name, "values": list(map(_plain, table[name].to_list()))} for name in table.columns]
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return Packed(base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode(), table.height, rows)


def _plain(value: Any) -> Any:
    """What JSON can hold: what is no finite number, text or truth value is written as text."""
    if value is None or isinstance(value, bool | int | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)
