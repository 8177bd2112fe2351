"""Captions of pictures: COCO's JSON, as YJ Captions and STAIR have it too, or plain lines."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.inference.json_lines import is_text, read_text


def read_captions(path: Path) -> list[str]:
    """The captions of a file, each once, in their order: `annotations` with a `caption` each, or one a line."""
    if not path.is_file():
        raise TiltmeterError(f"there is no file {path}")
    text = read_text(path)
    found = list(_from_json(text, path.name) if path.suffix.lower() == ".json" else iter(text.splitlines()))
    captions = list(dict.fromkeys(" ".join(caption.split()) for caption in found if caption.strip()))
    if not captions:
        raise TiltmeterError(f"{path.name} holds no caption")
    return captions


def _from_json(text: str, file: str) -> Iterator[str]:
    try:
        content: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TiltmeterError(f"{file} is no JSON: {error}") from error
    annotations = content.get("annotations") if isinstance(content, dict) else None
    if not isinstance(annotations, list):
        raise TiltmeterError(f"{file}: a list 'annotations' with a 'caption' each was expected, as in COCO's files")
    for number, entry in enumerate(annotations, start=1):
        caption = entry.get("caption") if isinstance(entry, dict) else None
        if not is_text(caption):
            raise TiltmeterError(f"{file}: annotation {number} has no text 'caption'")
        yield caption
