"""Options that several verbs share."""

from pathlib import Path
from typing import Annotated

import typer

LangOption = Annotated[str | None, typer.Option("--lang", help="Language (en, ru, ...); else what the subject says.")]
PackOption = Annotated[Path | None, typer.Option("--pack", help="A folder with a language pack of yours.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]
