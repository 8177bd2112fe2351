"""JSON lines: an object a line."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError


def read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each object with its line; empty lines count but hold nothing."""
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise TiltmeterError(f"{path.name}:{number}: not JSON ({error}); one object a line was expected") from error
        if not isinstance(row, dict):
            raise TiltmeterError(f"{path.name}:{number}: one JSON object a line was expected")
        yield number, row


def read_text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{path.name} is not UTF-8; save it as UTF-8") from error
