"""`tiltmeter measure INSTRUMENT SUBJECT...`: a command for each instrument, made from the options it declares."""

import dataclasses
import inspect
import json as json_format
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from typer.core import TyperGroup

from tiltmeter.cli.options import JsonOption, LangOption, PackOption, with_reading
from tiltmeter.errors import TiltmeterError
from tiltmeter.reading import Reading

if TYPE_CHECKING:
    from tiltmeter.instruments import Instrument
    from tiltmeter.runs import Run


class InstrumentGroup(TyperGroup):
    """Looks an instrument up when its command is wanted; a new instrument needs no line here."""

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        from tiltmeter.instruments import instrument_names

        return instrument_names()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        from tiltmeter.instruments import load_instrument

        return _command(load_instrument(cmd_name))


def _command(tool: "Instrument") -> Any:
    own = {field.name: field for field in dataclasses.fields(tool.options)}

    def run(**given: Any) -> int:
        options = {name: given.pop(name) for name in own}
        return _measure(tool, options=options, **given)

    hints = get_type_hints(tool.options)
    parameters = [
        *_COMMON,
        ("reading", Reading, inspect.Parameter.empty),
        *(
            (name, Annotated[_type(field, hints[name]), typer.Option(help=field.metadata["help"])], _default(field))
            for name, field in own.items()
        ),
    ]
    kind = inspect.Parameter.KEYWORD_ONLY
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [inspect.Parameter(name, kind, default=default, annotation=hint) for name, hint, default in parameters]
    )
    run.__annotations__ = {name: hint for name, hint, _ in parameters}
    run.__doc__ = f"{tool.title}: {tool.measures}.\n\n{tool.reading[0].upper()}{tool.reading[1:]}.\n\n{tool.reference}"
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command(name=tool.name)(with_reading(run))
    return typer.main.get_command(app)


def _type(field: "dataclasses.Field[Any]", hint: Any) -> Any:
    """What the command line takes for an option: a file is given by its path."""
    if "reader" not in field.metadata:
        return hint
    return list[Path] if field.metadata["many"] else Path | None


def _default(field: "dataclasses.Field[Any]") -> Any:
    return list(field.default) if isinstance(field.default, tuple) else field.default


_COMMON: list[tuple[str, Any, Any]] = [
    ("subjects", Annotated[list[str], typer.Argument(help="What to measure.")], inspect.Parameter.empty),
    ("lang", LangOption, None),
    ("pack", PackOption, None),
    ("out", Annotated[Path | None, typer.Option("-o", "--out", help="Folder for the result and the items.")], None),
    ("items", Annotated[Path | None, typer.Option(help="File for the items: .parquet or .csv.")], None),
    ("json", JsonOption, False),
]


def _measure(
    tool: "Instrument",
    *,
    subjects: Sequence[str],
    lang: str | None,
    pack: Path | None,
    out: Path | None,
    items: Path | None,
    json: bool,
    reading: Reading,
    options: dict[str, Any],
) -> int:
    from tiltmeter.cli import show
    from tiltmeter.runs import across, comparable, export_items, measure

    if out is not None and out.suffix in (".html", ".md", ".tex", ".csv", ".xlsx", ".json"):
        raise TiltmeterError(
            f"--out is a folder for the run, not a file such as {out.name!r}: `tiltmeter report` writes files"
        )
    if items is not None and items.suffix not in (".parquet", ".csv"):
        raise TiltmeterError(f"items are written as .parquet or .csv, and {items.name!r} ends in neither")
    if items is not None and len(subjects) > 1:
        raise TiltmeterError("--items takes the items of one subject; use --out FOLDER for several")
    runs: list[Run] = []
    failed: list[TiltmeterError] = []
    for subject in subjects:
        try:
            runs.append(measure(tool.name, subject, lang=lang, pack=pack, reading=reading, **options))
        except TiltmeterError as error:
            failed.append(error)
    if not runs:
        raise failed[0]
    for run in runs:
        if out is not None:
            run.save(out if len(runs) == 1 else out / run.id)
        if items is not None:
            export_items(run.items, items)
    if json:
        several = {"runs": [run.result.to_json() for run in runs], "across": across(runs).to_json()}
        print(
            json_format.dumps(several if len(subjects) > 1 else runs[0].result.to_json(), ensure_ascii=False, indent=1)
        )
    else:
        for run in runs:
            show.run(run, notes=len(runs) == 1)
        for together in comparable(runs):
            if len(together) > 1:
                show.across(across(together))
    void = [run for run in runs if all(row.value is None for row in run.result.estimates)]
    for run in void:
        show.say(f"{tool.name} on {run.result.subject} has no number: its notes say why (run {run.id})", error=True)
    for reason in failed:
        show.say(str(reason), error=True)
    return 3 if failed or void else 0
