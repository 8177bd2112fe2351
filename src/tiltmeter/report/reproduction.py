"""A study measured again, as a page, a table of cells, and the papers' tables of its runs."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.report.documents import write_report
from tiltmeter.report.markdown import bullets, paragraph, table_blocks, text
from tiltmeter.report.tables import Table
from tiltmeter.results import harmless, shown, shown_p
from tiltmeter.store import write_atomically
from tiltmeter.studies import Cell, Column, Compared, Reproduction, Row

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
    """How many cells there are beside the printed ones, how many agree, and which print contradicts its own formula."""
    cells = [one for table in found.tables for one in table.cells]
    printed = sum(one.printed is not None for one in cells)
    agree = [one.agrees for one in cells if one.agrees is not None]
    told = [
        f"{len(agree)} of {printed} printed numbers have ours beside them; {sum(agree)} of these agree to the last "
        "printed digit"
        if agree
        else f"none of the {printed} printed numbers has ours beside it: nothing that they were measured on is at hand"
    ]
    if found.stand_ins:
        told.append(
            f"in place of the study's models, to show the layout: {', '.join(found.stand_ins)}; what these give "
            "says nothing about the study"
        )
    return told + contradictions(found)


def contradictions(found: Reproduction) -> list[str]:
    return [
        f"{one.table.title}, {', '.join(row.keys)}: {column.head} is printed as {entry.printed.text}, and the paper's "
        f"own formula gives {shown(entry.by_formula)} of what it prints beside it"
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
    caption = ". ".join(part for part in (one.table.note.rstrip("."), _how(one)) if part)
    rows = tuple((*row.keys, *_row(row, one, beside=beside)) for row in one.rows)
    return Table(title=one.table.title, header=header, rows=rows, caption=caption, keys=len(keys))


def _how(one: Compared) -> str:
    told = []
    if one.table.command:
        told.append(f"such numbers come of: {one.table.command}")
    if any(row.stands_in for row in one.rows):
        told.append("rows without a printed number are of stand-ins, which are no models of the study")
    if any(entry.by_formula is not None for entry in one.cells):
        told.append("in brackets what the paper's own formula gives of the numbers beside it")
    return ". ".join(f"{part[0].upper()}{part[1:]}" for part in told)


def _row(row: Row, one: Compared, *, beside: bool) -> Iterator[str]:
    for column, entry in zip(one.table.columns, row.cells, strict=True):
        yield told_print(entry)
        if beside:
            yield from (part or "–" for part in told_ours(entry, column))


def told_ours(entry: Cell, column: Column) -> tuple[str, str]:
    """Ours with as many digits as the print has, and the difference; a p-value is never shown as 0."""
    is_p = column.field.startswith("p_")
    if entry.ours is None:
        return "", ""
    if entry.printed is None:
        return shown_p(entry.ours) if is_p else shown(entry.ours), ""
    mantissa, _, power = entry.printed.text.lower().partition("e")
    digits = len(mantissa.partition(".")[2])
    told = f"{entry.ours:.{digits}{'e' if power else 'f'}}"
    if is_p and entry.ours > 0 and not float(told):
        told = f"<{10.0**-digits:.{digits}f}"
    assert entry.difference is not None
    return told, f"({entry.difference:+.2g})"


def told_print(entry: Cell) -> str:
    """What was printed, with every digit; what should have been, where the paper's own formula says otherwise."""
    if entry.printed is None:
        return "–"
    return entry.printed.text + ("" if entry.by_formula is None else f" [{shown(entry.by_formula)}]")


def _cells(found: Reproduction) -> str:
    """A row for each cell; a number as it was printed, with every digit."""
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(["table", "keys", "column", "printed", "ours", "difference", "agrees", "by_formula", "stands_in"])
    for one in found.tables:
        for row in one.rows:
            for column, entry in zip(one.table.columns, row.cells, strict=True):
                words = [one.table.title, " / ".join(row.keys), column.head]
                printed = entry.printed.text if entry.printed else None
                numbers = [printed, entry.ours, entry.difference, entry.agrees, entry.by_formula, row.stands_in]
                writer.writerow([*map(harmless, words), *numbers])
    return file.getvalue()
