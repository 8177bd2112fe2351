"""`tiltmeter report`: finished runs as a page, a document or figures."""

from pathlib import Path
from typing import Annotated

import typer

RunsArgument = Annotated[
    list[str], typer.Argument(help="Ids of runs or their beginnings, folders with runs, or measured subjects.")
]


def report(
    runs: RunsArgument,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="What to write: .html .md .card.md .tex .csv .xlsx or .json.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="Folder for each figure as SVG, PNG and PDF.")
    ] = None,
    font: Annotated[
        str | None, typer.Option("--font", help="Font of the figures: a file, or the name of one installed.")
    ] = None,
) -> None:
    """Write finished runs as a page to read and forward, a table for a paper, or figures."""
    from tiltmeter.cli import show
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.report import write_figures, write_report
    from tiltmeter.runs import find_runs, unmeasured
    from tiltmeter.store import Store

    if out is None and figures is None:
        raise TiltmeterError("say what to write: -o report.html for a page, or --figures DIR")
    found = find_runs(Store(), runs)
    if out is not None:
        for path in write_report(found, out, skipped=unmeasured(found)):
            show.say(f"written: {path}")
    if figures is not None:
        show.drawn(lambda: write_figures(found, figures, font=font), figures)
