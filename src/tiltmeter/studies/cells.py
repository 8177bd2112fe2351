"""Ours beside theirs: every printed cell of a table with the number that a run has for it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal
from unicodedata import normalize

import polars as pl

from tiltmeter.errors import MissingExtra
from tiltmeter.results import Estimate
from tiltmeter.runs import Run
from tiltmeter.studies.formulas import Formula, Printed
from tiltmeter.studies.study import Column, Measured, Printout

if TYPE_CHECKING:
    import pandas as pd


Outcome = Literal["measured", "not at hand", "failed", "not asked for", "printed only", "stand-in"]
"""What a row rests on: a model of the study that was measured, or why it was not; or what stands in for one."""


@dataclass(frozen=True, slots=True)
class Part:
    """What came of one run of a study."""

    of: Measured
    runs: Mapping[str, Run]
    """By a model's label."""
    outcomes: Mapping[str, Outcome]
    """By the label of each of its models."""
    stand_ins: Mapping[str, Run]
    """By the name of what stands in, where none of its models is at hand."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed number and ours."""

    printed: Printed | None
    ours: float | None
    by_formula: float | None = None
    """What the paper's own formula gives of what it printed beside it, where the print cannot be that."""

    @property
    def difference(self) -> float | None:
        return None if self.printed is None or self.ours is None else self.ours - self.printed.value

    @property
    def agrees(self) -> bool | None:
        """Whether ours rounds to what was printed; None where there is nothing to compare."""
        return None if self.printed is None or self.ours is None else self.printed.agrees(self.ours)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; of a stand-in, nothing was printed."""

    keys: tuple[str, ...]
    cells: tuple[Cell, ...]
    outcome: Outcome

    @property
    def stands_in(self) -> bool:
        return self.outcome == "stand-in"


@dataclass(frozen=True, slots=True)
class Compared:
    """A table of the study, ours beside theirs."""

    table: Printout
    rows: tuple[Row, ...]

    @property
    def cells(self) -> list[Cell]:
        return list(chain.from_iterable(row.cells for row in self.rows))

    def to_pandas(self) -> "pd.DataFrame":
        """The table with three columns for each of its own: what was printed, ours, and the difference."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("pandas", "report") from error
        rows = []
        for row in self.rows:
            told: dict[str, Any] = dict(zip(self.table.keys, row.keys, strict=True))
            for column, cell in zip(self.table.columns, row.cells, strict=True):
                told[f"{column.head}, printed"] = cell.printed.text if cell.printed else ""
                told[f"{column.head}, ours"] = cell.ours
                told[f"{column.head}, difference"] = cell.difference
            rows.append(told)
        return pd.DataFrame(rows)


def compared(table: Printout, part: Part | None) -> Compared:
    """The rows as they were printed with ours beside them, then those of what stands in and words of our own."""
    rows = [_printed_row(table, row, part) for row in table.rows]
    if part is not None:
        rows += _own_words(table, part)
        rows += chain.from_iterable(_stand_in(table, name, run) for name, run in part.stand_ins.items())
    return Compared(table, tuple(rows))


def _printed_row(table: Printout, row: tuple[str, ...], part: Part | None) -> Row:
    printed, wrong = table.printed(row), table.contradictions(row)
    label = _label(table, row, part)
    run = None if part is None else part.runs.get(label)
    values = [_ours(table, column, row, run) for column in table.columns]
    cells = tuple(Cell(printed.get(place), value, wrong.get(place)) for place, value in enumerate(values))
    outcome: Outcome = "printed only" if part is None else part.outcomes.get(label, "printed only")
    return Row(row[: len(table.keys)], cells, outcome)


def _label(table: Printout, row: Sequence[str], part: Part | None) -> str:
    """The model of a row; a table that names none is of the run's only one."""
    if "model" in table.keys:
        return row[table.keys.index("model")]
    return part.of.models[0] if part is not None and len(part.of.models) == 1 else ""


def _own_words(table: Printout, part: Part) -> Iterator[Row]:
    """The words of each model's run that a table of words names."""
    for label in dict.fromkeys(_label(table, row, part) for row in table.rows):
        if table.words and label in part.runs:
            yield from _words(table, f"{label}, ours", part.runs[label], "measured")


def _words(table: Printout, name: str, run: Run, outcome: Outcome) -> Iterator[Row]:
    """As many rows as were printed of the table to read that the run has beside its numbers."""
    found = next((one for one in run.result.tables if one.title == table.words), None)
    if found is None or not set(table.keys) - {"model"} <= set(found.columns):
        return
    for row in islice(found.rows, len(table.rows)):
        told = dict(zip(found.columns, map(str, row), strict=True)) | {"model": name}
        yield Row(tuple(told[key] for key in table.keys), (), outcome)


def _stand_in(table: Printout, name: str, run: Run) -> Iterator[Row]:
    """The same rows of what stands in; of items and words its own, as many as were printed."""
    if table.words:
        return _words(table, name, run, "stand-in")
    if any(column.item for column in table.columns):
        return _own_items(table, name, run)
    return _same_rows(table, name, run)


def _same_rows(table: Printout, name: str, run: Run) -> Iterator[Row]:
    """Each once, by the stand-in's name in place of the model's."""
    place = table.keys.index("model") if "model" in table.keys else None
    told = [row[: len(table.keys)] for row in table.rows]
    for keys in dict.fromkeys(tuple(name if at == place else key for at, key in enumerate(row)) for row in told):
        yield Row(keys, tuple(Cell(None, _ours(table, column, keys, run)) for column in table.columns), "stand-in")


def _own_items(table: Printout, name: str, run: Run) -> Iterator[Row]:
    """The first of its items in the order that the table names; none where a column is of no item."""
    if not set(table.keys) - {"model"} <= set(run.items.columns):
        return
    found = []
    for item in run.items.iter_rows(named=True):
        values = [_arithmetic(column.item, item) if column.item else None for column in table.columns]
        rank = _arithmetic(table.order, item) if table.order else 0.0
        if rank is not None and None not in values:
            found.append((rank, item | {"model": name}, values))
    for _, item, values in sorted(found, key=lambda one: one[0])[: len(table.rows)]:
        yield Row(tuple(str(item[key]) for key in table.keys), tuple(Cell(None, one) for one in values), "stand-in")


def _ours(table: Printout, column: Column, row: Sequence[str], run: Run | None) -> float | None:
    if run is None:
        return None
    keys = {key: value for key, value in zip(table.keys, row, strict=False) if key != "model"}
    if column.item:
        return _of_item(column.item, keys, run.items)
    test = keys.pop("test", column.test)
    group = {key: _of_file(value, run) for key, value in (keys | column.group).items()}
    found = [row for row in run.result.estimates if _is_it(row, column.estimate, test, group)]
    value = getattr(found[0], column.field) if len(found) == 1 else None
    return None if value is None else float(value)


def _of_file(value: str, run: Run) -> str:
    """`@OPTION` is the file that was given with an option, by its name, or the pack's own list where none was."""
    if not value.startswith("@"):
        return value
    given = run.result.options.get(value[1:])
    one = given[0] if isinstance(given, list | tuple) and given else given
    return str(one["file"]) if isinstance(one, Mapping) else "pack"


def _is_it(row: Estimate, name: str, test: str, group: Mapping[str, str]) -> bool:
    return row.name == name and (not test or row.test == test) and dict(row.group) == dict(group)


def _of_item(formula: str, keys: Mapping[str, str], items: pl.DataFrame) -> float | None:
    """Arithmetic over the columns of the item that a row names; `[MASK]` in a printed text is any one character."""
    wanted = pl.lit(True)
    for key, told in keys.items():
        if key not in items.columns:
            return None
        # A print may have other commas than the data: those of half a width, say.
        pattern = "^" + ".".join(map(re.escape, normalize("NFKC", told).split("[MASK]"))) + "$"
        wanted = wanted & pl.col(key).cast(pl.String).str.normalize("NFKC").str.contains(pattern)
        if "[MASK]" in told and {"start", "end"} <= set(items.columns):
            # One text stands there once for each of its keywords.
            hidden = told.index("[MASK]")
            wanted = wanted & (pl.col("start") <= hidden) & (pl.col("end") > hidden)
    values = [_arithmetic(formula, row) for row in items.filter(wanted).iter_rows(named=True)]
    return values[0] if len(set(values)) == 1 else None


def _arithmetic(formula: str, item: Mapping[str, Any]) -> float | None:
    """Over the numbers of an item; None where one is missing."""
    arithmetic = Formula(formula)
    numbers = {name: float(item[name]) for name in arithmetic.names if isinstance(item.get(name), int | float)}
    return arithmetic.value(numbers) if len(numbers) == len(arithmetic.names) else None


def unmatched(one: Compared) -> Iterator[str]:
    """Printed numbers whose model was measured, and whose run has no such number: all, by column, or else by row."""
    title, columns = one.table.title, one.table.columns
    rows = [row for row in one.rows if row.outcome == "measured"]
    if one.table.words and rows and all(row in one.rows[: len(one.table.rows)] for row in rows):
        yield f"{title}: measured, but the run has no such words ({one.table.words})"
    asked = [(row, place) for row in rows for place, cell in enumerate(row.cells) if cell.printed]
    missing = [(row, place) for row, place in asked if row.cells[place].ours is None]
    if missing and len(missing) == len(asked):
        named = ", ".join(dict.fromkeys(columns[place].what for _, place in missing))
        yield f"{title}: measured, but no run has any of its numbers: {named}, in the rows that it names"
        return
    gone = [place for place in range(len(columns)) if _places(missing, place) == _places(asked, place) > 0]
    for place in gone:
        yield f"{title}: no run has what the column {columns[place].head!r} names ({columns[place].what})"
    for row in rows:
        heads = [columns[place].head for other, place in missing if other is row and place not in gone]
        if heads:
            yield f"{title}: the run has no {', '.join(heads)} for the row {', '.join(row.keys)}"


def _places(cells: Sequence[tuple[Row, int]], place: int) -> int:
    return sum(at == place for _, at in cells)
