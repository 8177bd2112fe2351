"""Texts, or pairs of texts, with a label."""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.inference.json_lines import is_text, read_rows


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text, or a premise with a hypothesis, and what is right about it."""

    text: str
    label: str
    second: str = ""


def checksum_of(rows: Iterable[Labelled]) -> str:
    """Of the rows in their order, whatever file they came from."""
    digest = hashlib.sha256()
    for row in rows:
        digest.update(json.dumps([row.text, row.second, row.label], ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def read_labelled(path: Path) -> list[Labelled]:
    """TSV with a header, or JSON lines: `text` and `label`, and `second` where there are two texts."""
    if not path.is_file():
        raise TiltmeterError(f"there is no file {path}")
    found = []
    for number, row in read_rows(path):
        text, label, second = (row.get(name) for name in ("text", "label", "second"))
        if not is_text(text) or not text.strip():
            raise TiltmeterError(f"{path.name}:{number}: 'text' is missing")
        if not (isinstance(label, int) or (is_text(label) and label.strip())):
            raise TiltmeterError(f"{path.name}:{number}: 'label' is missing or no text")
        if second is not None and not is_text(second):
            raise TiltmeterError(f"{path.name}:{number}: 'second' is no text")
        found.append(Labelled(text, str(label).strip(), second or ""))
    if not found:
        raise TiltmeterError(f"{path.name} holds no row")
    return found
