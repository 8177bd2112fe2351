"""JSON lines: an object a line."""

import json
import re
from collections.abc import Iterator
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
