"""Options that several verbs share."""

import dataclasses
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from tiltmeter.reading import Reading

LangOption = Annotated[str | None, typer.Option("--lang", help="Language (en, ru, ...); else what the subject says.")]
PackOption = Annotated[Path | None, typer.Option("--pack", help="A folder with a language pack of yours.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def with_reading(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives a command that takes a `reading` an option for each of its fields."""
    hints = get_type_hints(Reading)
    own = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=Annotated[hints[field.name], _option(field)],
        )
        for field in dataclasses.fields(Reading)
    ]

    def run(**given: Any) -> Any:
        return command(reading=Reading(**{field.name: given.pop(field.name) for field in own}), **given)

    signature = inspect.signature(command)
    others = [parameter for parameter in signature.parameters.values() if parameter.name != "reading"]
    run.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[*(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in others), *own]
    )
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in (*others, *own)}
    run.__name__, run.__doc__ = command.__name__, command.__doc__
    return run


def _option(field: "dataclasses.Field[Any]") -> Any:
    flags = [f"--{field.name.replace('_', '-')}"] if field.default is False else []
    return typer.Option(*flags, help=field.metadata["help"], rich_help_panel="How the subject is read")
