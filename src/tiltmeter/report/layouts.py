"""The tables of the papers: estimates of several runs as an instrument's layouts arrange them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tiltmeter.instruments import Instrument, Layout
from tiltmeter.report.tables import COVERED, NOTHING, Cell, Number, Range, Table, told_families
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, across, labels

LANGUAGES = "Scores of different languages are not comparable."


def paper_tables(tool: Instrument, runs: Sequence[Run]) -> list[Table]:
    """The tables of runs that may stand side by side; of several runs p is corrected over all of them."""
    found = []
    for layout in tool.layouts:
        languages = list(dict.fromkeys(run.result.lang for run in runs)) if layout.each_language else [None]
        for lang in languages:
            chosen = [run for run in runs if lang in (None, run.result.lang)]
            named = replace(layout, title=f"{layout.title}, {lang}") if len(languages) > 1 else layout
            if table := laid_out(named, chosen):
                found.append(table)
    return found


def laid_out(layout: Layout, runs: Sequence[Run]) -> Table | None:
    """One table; None where no run has any of its estimates."""
    entries = _entries(layout, runs)
    cells = [cell for cell in layout.cells if any(_filled(entry.estimate, cell) for entry in entries)]
    if not cells:
        return None
    placed = _placed(layout.rows, layout.columns, entries, layout.names)
    keys = [*(key.replace("_", " ") for key in placed.rows), *(("",) if layout.stacked else ())]
    per_column = [""] if layout.stacked else cells
    header = [(*keys, *(column for column in placed.column_names() for _ in per_column))]
    if len(per_column) > 1:
        header = [(*("" for _ in keys), *header[0][len(keys) :])]
        header.append((*keys, *(_WORDS.get(cell, cell) for _ in placed.columns for cell in cells)))
    rows: list[tuple[Cell, ...]] = []
    for row in placed.row_keys:
        estimates = [placed.cells.get((row, column)) for column in placed.columns]
        covered = [(row, column) in placed.covered for column in placed.columns]
        lines = [[cell] for cell in cells] if layout.stacked else [cells]
        for line in lines:
            told = [_cell(found, cell, c) for found, c in zip(estimates, covered, strict=True) for cell in line]
            rows.append((*row, *((_WORDS.get(line[0], line[0]),) if layout.stacked else ()), *told))
    return Table(
        title=layout.title,
        header=tuple(header),
        rows=tuple(rows),
        caption=_caption(cells, entries),
        keys=len(keys),
    )


@dataclass(frozen=True, slots=True)
class _Entry:
    """An estimate, with all that may name its row or its column."""

    names: Mapping[str, str]
    estimate: Estimate


_Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Placed:
    rows: tuple[str, ...]
    """What names a row: the layout's, and what else was needed to tell its estimates apart."""
    row_keys: list[_Key]
    columns: list[_Key]
    cells: dict[tuple[_Key, _Key], Estimate]
    covered: set[tuple[_Key, _Key]]

    def column_names(self) -> list[str]:
        return [", ".join(column) for column in self.columns]


def _entries(layout: Layout, runs: Sequence[Run]) -> list[_Entry]:
    estimates = across(runs).estimates if len(runs) > 1 else [run.result.estimates for run in runs]
    with_language = "lang" not in (*layout.rows, *layout.columns)
    return [
        _Entry(
            {
                **row.group,
                "name": row.name,
                "test": told_test(run, row.test),
                "lang": run.result.lang,
                "subject": label,
                "run": run.id,
                "estimate": str(place),
            },
            row,
        )
        for run, label, rows in zip(runs, labels(runs, languages=with_language), estimates, strict=True)
        for place, row in enumerate(rows)
        if row.name in layout.names
    ]


def told_test(run: Run, test: str) -> str:
    """A test with what it compares, where the run says it."""
    words = run.result.tests.get(test, "")
    said = re.sub(r"\W+", "", words.lower()) == re.sub(r"\W+", "", test.lower())
    return words if said or words.startswith(test) else f"{test}: {words}" if words else test


def _placed(
    rows: tuple[str, ...], columns: tuple[str, ...], entries: Sequence[_Entry], names: tuple[str, ...]
) -> _Placed:
    """Every estimate in a cell of its own: where two would share one, what tells them apart names the row too.

    An estimate that lacks a row's key stands in the first row that agrees with what it has, and covers the others.
    """
    order = _order(entries, names)

    def key(entry: _Entry, parts: Iterable[str]) -> _Key:
        return tuple(entry.names.get(part, "") for part in parts)

    def place(keys: Iterable[_Key], parts: tuple[str, ...]) -> list[_Key]:
        def places(found: _Key) -> list[int]:
            return [order.get(part, {"": 0})[name] for part, name in zip(parts, found, strict=True)]

        return sorted(set(keys), key=places)

    whole = [entry for entry in entries if all(part in entry.names for part in rows)]
    partial = [entry for entry in entries if not all(part in entry.names for part in rows)]
    known = place((key(entry, rows) for entry in whole), rows)
    owners: dict[tuple[_Key, _Key], _Entry] = {}
    covered: set[tuple[_Key, _Key]] = set()
    for entry in [*whole, *partial]:
        row, column = key(entry, rows), key(entry, columns)
        agreeing = [
            found
            for found in known
            if all(name == own or part not in entry.names for part, name, own in zip(rows, found, row, strict=True))
        ]
        at = (agreeing[0] if agreeing else row, column)
        if at in owners:
            return _placed((*rows, _difference(owners[at], entry, (*rows, *columns))), columns, entries, names)
        owners[at] = entry
        covered |= {(found, column) for found in agreeing[1:]}
    return _Placed(
        rows,
        place((row for row, _ in owners), rows),
        place((column for _, column in owners), columns),
        {at: entry.estimate for at, entry in owners.items()},
        covered - owners.keys(),
    )


def _order(entries: Sequence[_Entry], names: tuple[str, ...]) -> dict[str, dict[str, int]]:
    """The place of each value of each key: as they come, the estimates' names as the layout has them."""
    order: dict[str, dict[str, int]] = {part: {} for entry in entries for part in entry.names}
    order["name"] = {name: place for place, name in enumerate(names)}
    for entry in entries:
        for part, name in entry.names.items():
            order[part].setdefault(name, len(order[part]))
    # A row without the key stands below those that have it.
    return {part: found | {"": found.get("", len(found))} for part, found in order.items()}


def _difference(one: _Entry, other: _Entry, known: Sequence[str]) -> str:
    """A key that tells two estimates apart; at last their place in the run."""
    parts = dict.fromkeys([*one.names, *other.names])
    return next(part for part in parts if part not in known and one.names.get(part) != other.names.get(part))


def _filled(estimate: Estimate, cell: str) -> bool:
    return getattr(estimate, "ci_low" if cell == "interval" else cell) is not None


def _cell(estimate: Estimate | None, cell: str, covered: bool) -> Cell:
    if estimate is None:
        return COVERED if covered else NOTHING
    if cell == "interval":
        return Range(estimate.ci_low, estimate.ci_high)
    p = cell.startswith("p_")
    return Number(getattr(estimate, cell), p=p, judged=p)


_WORDS = {"interval": "95% interval", "p_value": "p", "p_adjusted": "p corrected", "p_two_sided": "p two-sided"}


def _caption(cells: Sequence[str], entries: Sequence[_Entry]) -> str:
    told = []
    if any(cell.startswith("p_") for cell in cells):
        told.append("Bold: p < 0.05.")
    if "p_adjusted" in cells:
        told += told_families([entry.estimate for entry in entries])
    if len({entry.names["lang"] for entry in entries}) > 1:
        told.append(LANGUAGES)
    return " ".join(told)
