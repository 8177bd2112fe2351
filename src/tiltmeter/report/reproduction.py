"""A study measured again, as a page, a table of cells, and the papers' tables of its runs."""

import csv
import io
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.report.documents import write_report
from tiltmeter.report.markdown import bullets, paragraph, table_blocks, text
from tiltmeter.report.tables import Table
from tiltmeter.results import harmless, shown, shown_p
from tiltmeter.store import write_atomically
from tiltmeter.studies import Cell, Compared, Outcome, Reproduction, Row
from tiltmeter.studies.formulas import Printed

_PAGE, _CELLS = "README.md", "cells.csv"
_OF_RUNS = ("report.html", "report.md", "report.tex")


def write_reproduction(found: Reproduction, out: Path) -> list[Path]:
    """Writes `README.md` (ours beside theirs), `cells.csv`, and the report of the runs in the papers' layouts into a
    folder that is new or holds an earlier reproduction."""
    refuse_other(out)
    for name, content in ((_PAGE, reproduction_page(found)), (_CELLS, _cells(found))):
        write_atomically(out / name, content.encode())
    written = [out / _PAGE, out / _CELLS]
    for name in _OF_RUNS:
        if found.runs:
            written += write_report(found.runs, out / name)
        else:
            (out / name).unlink(missing_ok=True)  # of an earlier one, which had runs
    return written


def refuse_other(out: Path) -> None:
    """Refuses a folder that holds anything else than a reproduction."""
    if out.exists() and not out.is_dir():
        raise TiltmeterError(f"{out} is a file; --out is a folder for the tables and the report")
    if out.is_dir() and any(out.iterdir()) and not (out / _CELLS).is_file():
        raise TiltmeterError(f"{out} holds other files; choose another folder with --out")


def reproduction_page(found: Reproduction) -> str:
    """All tables in Markdown, and what to know with them."""
    study = found.study
    blocks = [f"# {text(study.title)}", paragraph(study.reference)]
    if study.note:
        blocks.append(paragraph(study.note))
    blocks.append(bullets(summary(found)))
    if found.absent:
        blocks += ["## Not at hand", bullets(f"{one.what}: {one.fetch}" for one in found.absent)]
    if found.failed:
        blocks += ["## Could not be measured", bullets(found.failed)]
    blocks.append("## Tables")
    for one in found.tables:
        blocks += table_blocks(compared_table(one))
    return "\n\n".join(blocks) + "\n"


def summary(found: Reproduction) -> list[str]:
    """How many cells there are beside the printed ones, how many agree, why the others have none, and which print
    contradicts its own formula."""
    cells = [(row, one) for table in found.tables for row in table.rows for one in row.cells if one.printed is not None]
    agree = [one.agrees for _, one in cells if one.agrees is not None]
    beside = (
        f"{len(agree)} of {len(cells)} printed numbers have ours beside them; {sum(agree)} of these agree to the last "
        "printed digit"
        if agree
        else f"none of the {len(cells)} printed numbers has ours beside it"
    )
    reasons = Counter(row.outcome for row, one in cells if one.ours is None)
    without = [f"{reasons[outcome]} {words}" for outcome, words in _WITHOUT.items() if reasons[outcome]]
    told = [beside, *([f"without ours: {'; '.join(without)}"] if without else [])]
    if found.stand_ins:
        told.append(
            f"in place of the study's models, to show the layout: {', '.join(found.stand_ins)}; what these give "
            "says nothing about the study"
        )
    return told + contradictions(found)


_WITHOUT: Mapping[Outcome, str] = {
    "not at hand": "for want of models or data that are not at hand",
    "failed": "of what could not be measured",
    "measured": "of what was measured, and its run has no such number",
    "not asked for": "of models that were not asked for",
    "printed only": "printed only, of what no run of the study gives",
}


def contradictions(found: Reproduction) -> list[str]:
    return [
        f"{one.table.title}, {', '.join(filter(None, row.keys))}: {column.head} is printed as {entry.printed.text}, "
        f"and {_like(entry.printed, entry.by_formula)} follows from the other numbers that it prints"
        for one in found.tables
        for row in one.rows
        for column, entry in zip(one.table.columns, row.cells, strict=True)
        if entry.by_formula is not None and entry.printed is not None
    ]


def compared_table(one: Compared) -> Table:
    """The table as it was printed, with ours and the difference beside each number where there is any."""
    beside = any(entry.ours is not None for entry in one.cells)
    heads = [
        (column.head, what)
        for column in one.table.columns
        for what in (("printed", "ours", "difference") if beside else ("printed",))
    ]
    keys = [("", key.replace("_", " ")) for key in one.table.keys]
    header = tuple(zip(*[*keys, *heads], strict=True))
    caption = ". ".join(f"{part[0].upper()}{part[1:].rstrip('.')}" for part in remarks(one))
    rows = tuple((*row.keys, *_row(row, one, beside=beside)) for row in one.rows)
    return Table(title=one.table.title, header=header, rows=rows, caption=caption, keys=len(keys))


def remarks(one: Compared) -> Iterator[str]:
    """What to know with a table."""
    if one.table.note:
        yield one.table.note
    if one.table.command:
        yield f"such numbers come of: {one.table.command}"
    if any(row.stands_in for row in one.rows):
        own = ", and show sentences of their own" if any(column.item for column in one.table.columns) else ""
        yield f"stand-ins, in rows of their own, are no models of the study{own}"
    if any(entry.by_formula is not None for entry in one.cells):
        yield "in brackets what follows from the other numbers that the paper prints"


def _row(row: Row, one: Compared, *, beside: bool) -> Iterator[str]:
    for place, entry in enumerate(row.cells):
        yield told_print(entry)
        if beside:
            yield from (part or "–" for part in told_ours(one, place, entry))


def told_ours(one: Compared, place: int, entry: Cell) -> tuple[str, str]:
    """Ours with as many digits as the print has, or as others of its column have, and the difference; a p-value is
    never shown as 0."""
    if entry.ours is None:
        return "", ""
    is_p = one.table.columns[place].field.startswith("p_")
    printed = entry.printed or next((row.cells[place].printed for row in one.rows if row.cells[place].printed), None)
    if printed is None:
        return shown_p(entry.ours) if is_p else shown(entry.ours), ""
    told = _like(printed, entry.ours)
    if is_p and entry.ours > 0 and not float(told):
        told = f"<{_like(printed, 2 * printed.half)}"
    return told, "" if entry.difference is None else f"({entry.difference:+.2g})"


def _like(printed: Printed, value: float) -> str:
    """With as many digits as the print has."""
    mantissa, _, power = printed.text.lower().partition("e")
    return f"{value:.{len(mantissa.partition('.')[2])}{'e' if power else 'f'}}"


def told_print(entry: Cell) -> str:
    """What was printed, with every digit; what should have been, where the paper's own formula says otherwise."""
    if entry.printed is None:
        return "–"
    return entry.printed.text + ("" if entry.by_formula is None else f" [{_like(entry.printed, entry.by_formula)}]")


def _cells(found: Reproduction) -> str:
    """A row for each cell; a number as it was printed, with every digit."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    numbers = ["printed", "ours", "difference", "agrees", "by_formula", "stands_in"]
    writer.writerow(["table", "keys", "column", *numbers, "outcome"])
    for one in found.tables:
        for row in one.rows:
            for column, entry in zip(one.table.columns, row.cells, strict=True):
                words = [one.table.title, " / ".join(row.keys), column.head]
                printed = entry.printed.text if entry.printed else None
                told = [printed, entry.ours, entry.difference, entry.agrees, entry.by_formula, row.stands_in]
                writer.writerow([*map(harmless, words), *told, row.outcome])
    return file.getvalue()
