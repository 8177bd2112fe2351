"""Runs as a workbook: numbers with all their digits, text that is never a formula or a link."""

import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

from tiltmeter.errors import MissingExtra
from tiltmeter.report.calibrated import all_notes
from tiltmeter.report.content import DOES_NOT_SHOW, all_tables, facts, grouped, meanings
from tiltmeter.report.summary import models
from tiltmeter.report.tables import Cell, Number, Range, Table, estimates_table
from tiltmeter.runs import Run, Skipped

_LONGEST = 32_000
"""A cell of a workbook holds some 32,767 signs."""


_WHOLE, _DECIMAL, _P = "0", "0.0000", '[<0.0001]"<0.0001";0.0000'
"""How numbers look; their cells hold all digits. A p-value is never shown as 0."""


def workbook(runs: Sequence[Run], skipped: Sequence[Skipped]) -> bytes:
    """Sheets: what was found, what it means, all estimates, the papers' tables, notes, what is missing, provenance."""
    try:
        from xlsxwriter import Workbook
        from xlsxwriter.worksheet import Worksheet
    except ImportError as error:
        raise MissingExtra("xlsxwriter", "report") from error

    class Exact(Worksheet):  # type: ignore[misc] # untyped
        """Numbers with as many digits as they have: the library writes 16, and a float may have 17."""

        def _xml_number_element(self, number: float, attributes: Iterable[tuple[str, Any]] = ()) -> None:
            told = "".join(f' {name}="{self._escape_attributes(value)}"' for name, value in attributes)
            self.fh.write(f"<c{told}><v>{number!r}</v></c>")

    file = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with Workbook(file, options) as book:
        head = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
        formats = {
            (shape, bold): book.add_format({"num_format": shape, "bold": bold})
            for shape in (_WHOLE, _DECIMAL, _P)
            for bold in (False, True)
        }
        for name, table in _sheets(runs, skipped):
            sheet = book.add_worksheet(name, Exact)
            header, rows = _unfolded(table)
            for column, title in enumerate(header):
                sheet.write_string(0, column, _held(title), head)
            for row, cells in enumerate(rows, start=1):
                for column, cell in enumerate(cells):
                    if isinstance(cell, str):
                        sheet.write_string(row, column, _held(cell))
                    elif cell.value is not None:
                        sheet.write_number(row, column, cell.value, formats[_shape(cell), cell.strong])
            sheet.freeze_panes(1, 0)
            sheet.autofilter(0, 0, max(len(rows), 1), len(header) - 1)
            for column, width in enumerate(_widths(header, rows)):
                sheet.set_column(column, column, width)
            if table.caption:
                sheet.write_string(len(rows) + 2, 0, _held(table.caption))
    return file.getvalue()


def _shape(cell: Number) -> str:
    return _WHOLE if isinstance(cell.value, int) else _P if cell.p else _DECIMAL


def _sheets(runs: Sequence[Run], skipped: Sequence[Skipped]) -> list[tuple[str, Table]]:
    """All tables, each under a name of its own that a workbook can have."""
    means = meanings(runs)
    notes = [(run, note) for run in runs for note in all_notes(run)]
    told = [facts(run) for run in runs]
    tables = {
        "found": Table(
            title="found",
            header=(("model", "language", "what was found"),),
            rows=tuple((model.name, model.lang, model.sentence()) for model in models(runs)),
        ),
        "about": Table(
            title="about",
            header=means.header,
            rows=(*means.rows, ("what this does not show", DOES_NOT_SHOW, "", "", "")),
        ),
        "estimates": estimates_table(runs),
    }
    last = {
        "notes": Table(
            title="notes",
            header=(("run", "subject", "lang", "kind", "test", "text"),),
            rows=tuple(
                (run.id, run.result.subject, run.result.lang, note.kind, note.test or "", note.text)
                for run, note in notes
            ),
        ),
        "not measured": Table(
            title="not measured",
            header=(("instruments", "subjects", "why"),),
            rows=tuple((", ".join(tools), ", ".join(names), reason) for reason, tools, names in grouped(skipped)),
        ),
        "provenance": Table(
            title="provenance",
            header=(tuple(told[0]) if told else ("run",),),
            rows=tuple(tuple(fact.values()) for fact in told),
        ),
    }
    found = dict(tables)
    taken = {*tables, *last, "history"}
    for table in all_tables(runs):
        found[_sheet_name(table.title, taken)] = table
    return list((found | last).items())


def _sheet_name(title: str, taken: set[str]) -> str:
    """A name without the signs that a workbook refuses, of 31 signs, that no other sheet has in any case."""
    base = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", title).strip("' ") or "table"
    name, number = base[:31].strip("' "), 1
    while name.lower() in taken:
        number += 1
        name = f"{base[:27].strip()} {number}"
    taken.add(name.lower())
    return name


def _unfolded(table: Table) -> tuple[list[str], list[list[str | Number]]]:
    """Intervals as two columns."""
    header = table.flat_header()
    ranged = [any(isinstance(row[place], Range) for row in table.rows) for place in range(len(header))]
    titles = [
        title
        for name, two in zip(header, ranged, strict=True)
        for title in ([f"{name}: low", f"{name}: high"] if two else [name])
    ]
    rows = [[cell for held, two in zip(row, ranged, strict=True) for cell in _two(held, two)] for row in table.rows]
    return titles, rows


def _two(cell: Cell, two: bool) -> list[str | Number]:
    if isinstance(cell, Range):
        return [Number(cell.low), Number(cell.high)]
    return [cell, cell] if two else [cell]


def _held(text: str) -> str:
    """Text that a cell can hold: no halves of signs, not too long."""
    whole = re.sub("[\ud800-\udfff\ufffe\uffff]", "\N{REPLACEMENT CHARACTER}", text)
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]} … (cut: the whole text is in .json)"


def _widths(header: Sequence[str], rows: Sequence[Sequence[str | Number]]) -> list[int]:
    """Wide enough for most cells, and none wider than a screen."""
    columns = zip(header, *rows, strict=True)
    return [min(60, max(8, *(len(str(cell)) + 2 for cell in column[:200]), 8)) for column in columns]
