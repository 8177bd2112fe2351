"""A model's folder: there whole or not at all, and never in the place of something else."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Shelf

_log = logging.getLogger(__name__)

CARD = "card.json"
TEST = "test.json"


def keep(out: Path, request: str, fill: Callable[[Path], None], *, overwrite: bool) -> Path:
    """The folder of this request: as it is if it is there, filled by `fill` if not."""
    place = out.resolve()
    shelf = Shelf(place.parent)
    with shelf.locked(place.name):
        if holds(place, request, overwrite=overwrite):
            _log.info("  %s is there already", out)
            shelf.obtain(place.name, fill)
        else:
            shelf.replace(place.name, fill)
    return out


def holds(place: Path, request: str, *, overwrite: bool) -> bool:
    """Whether what this request asks for stands in the place already; refuses a place that holds anything else, which
    only a model of another request may make way for."""
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return False
    if not place.is_dir():
        raise TiltmeterError(f"{place} is a file; choose another place with --out")
    try:
        found = read_card(place)["request"]
    except TiltmeterError as error:
        raise TiltmeterError(f"{error}; it is left alone, choose another place with --out") from error
    if found != request and not overwrite:
        raise TiltmeterError(
            f"{place} holds a model of other data or other options; choose another place or replace it with --overwrite"
        )
    return bool(found == request)


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a folder that was trained here; any other folder is refused."""
    try:
        card = json.loads((folder / CARD).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TiltmeterError(f"{folder} holds no model trained here: its {CARD} cannot be read ({error})") from error
    if not isinstance(card, dict) or not {"kind", "request"} <= card.keys():
        raise TiltmeterError(f"{folder} holds no model trained here: its {CARD} is of another kind")
    return card


def read_test(folder: Path) -> dict[str, Any] | None:
    """What the model was worth on data that it did not see, where it was tested."""
    try:
        found = json.loads((folder / TEST).read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise TiltmeterError(f"{folder / TEST} cannot be read ({error}); remove it") from error
    return found if isinstance(found, dict) and "sha256" in found else None


def write_text(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="\n")


def write_card(folder: Path, card: dict[str, Any]) -> None:
    write_text(folder / CARD, json.dumps(card, indent=1, ensure_ascii=False) + "\n")
