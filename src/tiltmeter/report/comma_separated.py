"""Runs as one CSV file for programs, with every digit of every number."""

import csv
import io
from collections.abc import Sequence

from tiltmeter.report.calibrated import all_notes
from tiltmeter.report.content import DOES_NOT_SHOW, asked_for, facts, meanings
from tiltmeter.report.tables import Cell, Number, estimates_table
from tiltmeter.results import harmless
from tiltmeter.runs import Run, Skipped


def comma_separated(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """One row for each estimate; below them, told apart by `record`, what has to be known with them.

    Records: `estimate`, `note`, `run` (its command), `not measured`, `meaning` of an instrument's numbers, `limits`.
    """
    table = estimates_table(runs)
    header = ["record", *table.header[0], "text"]
    rows = [{"record": "estimate", **dict(zip(table.header[0], map(_plain, row), strict=True))} for row in table.rows]
    for run in runs:
        told = {"run": run.id, **{name: getattr(run.result, name) for name in _RUN}}
        for note in all_notes(run):
            rows.append({"record": "note", **told, "test": note.test or "", "name": note.kind, "text": note.text})
        for name, fact in facts(run).items():
            if name not in told:
                rows.append({"record": "run", **told, "name": name, "text": fact})
    for entry in asked_for(skipped):
        named = {"instrument": entry.instrument, "subject": entry.subject}
        rows.append({"record": "not measured", **named, "text": entry.reason})
    means = meanings(runs)
    for tool, *texts in means.rows:
        for what, meaning in zip(means.header[0][1:], texts, strict=True):
            rows.append({"record": "meaning", "instrument": str(tool), "name": what, "text": str(meaning)})
    rows.append({"record": "limits", "text": DOES_NOT_SHOW})
    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(map(harmless, header))
    writer.writerows([harmless(row.get(name)) for name in header] for row in rows)
    return file.getvalue()


_RUN = ("instrument", "version", "subject", "lang")


def _plain(cell: Cell) -> str | float | None:
    return cell.value if isinstance(cell, Number) else str(cell)
