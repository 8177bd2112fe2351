"""The certificates that ship with the package: data that was measured once and is read wherever numbers are shown."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError

FOLDER = Path(__file__).with_name("certificates")
_HELD: Mapping[str, type] = {
    **dict.fromkeys(("instrument", "version", "capability", "kind", "lang"), str),
    **dict.fromkeys(("ways", "false_positives", "power", "failures"), list),
    **dict.fromkeys(("about", "responses", "reliability"), dict),
}
"""What is read from a certificate, wherever that is."""


def issued(instrument: str, version: str, kind: str, lang: str) -> Mapping[str, Any] | None:
    """The certificate of an instrument on a kind of subject in a language.

    None where there is none, or where it is of another version of the instrument: `issued_version` tells which.
    """
    found = _of(instrument, kind, lang)
    return found if found is not None and found["version"] == version else None


def issued_version(instrument: str, kind: str, lang: str) -> str | None:
    """Of which version of the instrument there is a certificate."""
    found = _of(instrument, kind, lang)
    return None if found is None else str(found["version"])


def all_issued() -> list[Mapping[str, Any]]:
    """Every certificate that ships, by name."""
    return [_read(path) for path in sorted(FOLDER.glob("*.json"))]


def named(instrument: str, kind: str, lang: str) -> str:
    """What a certificate is called, here and on the site."""
    return f"{instrument}-{kind}-{lang}"


def _of(instrument: str, kind: str, lang: str) -> Mapping[str, Any] | None:
    # Looked for among those there are: a run may name any kind and language, also one that is a way to another folder.
    there = {path.stem: path for path in FOLDER.glob("*.json")}
    path = there.get(named(instrument, kind, lang))
    return None if path is None else _read(path)


@cache
def _read(path: Path) -> Mapping[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise _damaged(path, f"it cannot be read ({error})") from error
    for name, held in _HELD.items():
        if not isinstance(found, dict) or not isinstance(found.get(name), held):
            raise _damaged(path, f"there is no {name!r}")
    if path.stem != (name := named(found["instrument"], found["kind"], found["lang"])):
        raise _damaged(path, f"it is that of {name}")
    return found


def _damaged(path: Path, what: str) -> TiltmeterError:
    return TiltmeterError(f"the certificate {path} is damaged: {what}; install tiltmeter again")
