"""Rows of text files: JSON lines, an object a line, and tab-separated lines without quoting."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeGuard

from tiltmeter.errors import TiltmeterError


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each object with its line; empty lines count but hold nothing."""
    # Not splitlines: a JSON string may hold other line separators.
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise TiltmeterError(f"{path.name}:{number}: not JSON ({error}); one object a line was expected") from error
        if not isinstance(row, dict):
            raise TiltmeterError(f"{path.name}:{number}: one JSON object a line was expected")
        yield number, row


def read_rows(
    path: Path, header: Callable[[list[str]], Sequence[str] | None] = lambda _: None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with the number of their line, by the ending of the file: `.tsv` and `.txt` are tab-separated, and a `"` in
    them is a character of the text; all others are JSON lines.

    `header` is told the first line, and gives names for the columns where that is a row already.
    """
    if path.suffix.lower() not in (".tsv", ".txt"):
        yield from read_json_lines(path)
        return
    names: Sequence[str] | None = None
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        fields = line.rstrip("\r").split("\t")
        if fields == [""]:
            continue
        if names is None:
            names = header(fields)
            if names is None:
                names = fields
                continue
        if len(fields) != len(names):
            raise TiltmeterError(
                f"{path.name}:{number}: {len(names)} fields were expected, and there are {len(fields)}"
            )
        yield number, dict(zip(names, fields, strict=True))


def read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{path.name} is not UTF-8; save it as UTF-8") from error
    except OSError as error:
        raise TiltmeterError(f"{path} cannot be read ({error.strerror})") from error


def is_text(value: object) -> TypeGuard[str]:
    """Whether a value of JSON is text that can be written again: half of a pair of surrogates cannot."""
    return isinstance(value, str) and not re.search(r"[\ud800-\udfff]", value)
