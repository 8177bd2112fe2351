"""Reference subjects: tiny subjects of a planted bias that lie inside this package, made for checking: `ref:NAME`.

`tiltmeter.calibration.references` makes them.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.store.files import sha256_of

KINDS = ("vectors", "masked", "causal", "nli")
PLACE = Path(__file__).parent
"""Where the table lies, and the folder `references` with a folder for each subject."""
TABLE, FOLDER = "references.toml", "references"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A subject, what was planted in it, and what its files have to be."""

    name: str
    folder: Path
    lang: str
    kind: str
    dose: float
    dial: str
    title: str
    files: Mapping[str, str]
    """By name, their sha256."""
    made: str

    @property
    def subject(self) -> str:
        """What it is called where a subject is named."""
        return f"ref:{self.name}"

    @property
    def origin(self) -> dict[str, Any]:
        """What a run has to say of it, so that nobody takes it for a real model."""
        return {"title": self.title, "reference": {"dose": self.dose, "dial": self.dial}, "made": self.made}


def known_references() -> dict[str, Reference]:
    """The reference subjects by name, in the order of their languages and kinds."""
    return references_in(PLACE)


def reference(name: str) -> Reference:
    """A reference subject whose files are all as they were made."""
    known = known_references()
    if name not in known:
        raise unknown("reference subject", f"ref:{name}", [one.subject for one in known.values()])
    found = known[name]
    for file, sha256 in found.files.items():
        path = found.folder / file
        if not path.is_file() or sha256_of(path) != sha256:
            what = "is not as it was made" if path.is_file() else "is missing"
            raise _damaged(f"{path} of the reference subject {found.subject} {what}")
    return found


@cache
def references_in(place: Path) -> dict[str, Reference]:
    """What a table lists; the files are not looked at."""
    try:
        table = tomllib.loads((place / TABLE).read_text("utf-8"))
        return {name: Reference(name=name, folder=place / FOLDER / name, **values) for name, values in table.items()}
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise _damaged(f"the table of the reference subjects, {place / TABLE}, cannot be read ({error})") from error


def _damaged(what: str) -> TiltmeterError:
    return TiltmeterError(f"{what}: install tiltmeter again (`pip install --force-reinstall --no-deps tiltmeter`)")
