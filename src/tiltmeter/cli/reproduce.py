"""`tiltmeter reproduce STUDY`: a paper's numbers, ours beside theirs."""

from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.options import JsonOption, with_reading
from tiltmeter.reading import Reading


@with_reading
def reproduce(
    *,
    reading: Reading,
    study: Annotated[
        str,
        typer.Argument(
            help="azpillaga-2021, zhao-2021, bad, pestova, anantaprayoon-2023, or a study of yours (FILE.toml)."
        ),
    ],
    models: Annotated[
        Path | None, typer.Option(help="Folder with the study's models and data, by the names that the study has.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option(help="A model or a run of the study; may be given again.")] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for the tables, and for the report of the runs.")
    ] = None,
    json: JsonOption = False,
) -> int:
    """Measure a study again, as it was measured, and hold every number against the printed one."""
    from tiltmeter import api
    from tiltmeter.cli import show
    from tiltmeter.report import write_reproduction
    from tiltmeter.report.reproduction import refuse_other

    if out is not None:
        refuse_other(out)
    found = api.reproduce(study, models=models, only=only or (), reading=reading)
    show.reproduced(found, [] if out is None else write_reproduction(found, out), as_json=json)
    return 3 if found.failed else 0
