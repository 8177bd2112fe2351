"""Sentence frames of the user's with words to put into them: TOML, or CSV with the columns `role, group, text`.

```toml
templates = ["{target} is {attribute}."]
neutral = "a person"           # read in place of an attribute by models that have no mask

[targets]
male = ["he", "my brother"]
female = ["she", "my sister"]

[attributes]
care = ["a nurse", "a nanny"]
```

The same as CSV: `template,,{target} is {attribute}.`, `target,male,he`, `attribute,care,a nurse`, `neutral,,a person`.
"""

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs.reading import Place, check_word, read_toml

COLUMNS = ("role", "group", "text")
ROLES = ("template", "target", "attribute", "neutral")
TARGET, ATTRIBUTE = "{target}", "{attribute}"


@dataclass(frozen=True, slots=True)
class Frames:
    """Templates with one place for a target and one for an attribute, and the words of each group."""

    templates: tuple[str, ...]
    targets: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, tuple[str, ...]]
    neutral: str | None = None


@dataclass(frozen=True, slots=True)
class _Entry:
    place: Place
    role: str
    group: str
    text: str


def read_frames(path: Path) -> Frames:
    """Reads a file of frames; what is wrong is refused with its line."""
    entries = list(_from_csv(path) if path.suffix.lower() == ".csv" else _from_toml(path))
    seen: set[tuple[str, str]] = set()
    for entry in entries:
        if entry.role == "template":
            _check_template(entry)
        else:
            check_word(entry.text, entry.place)
        if (entry.role, entry.text) in seen:
            raise entry.place.error(f"the {entry.role} {entry.text!r} stands there twice")
        seen.add((entry.role, entry.text))
    neutral = [entry.text for entry in entries if entry.role == "neutral"]
    if len(neutral) > 1:
        raise TiltmeterError(f"{path.name} names {len(neutral)} neutral words, and one was expected")
    found = Frames(
        tuple(entry.text for entry in entries if entry.role == "template"),
        _grouped(entries, "target"),
        _grouped(entries, "attribute"),
        neutral[0] if neutral else None,
    )
    for role, words in (("template", found.templates), ("target", found.targets), ("attribute", found.attributes)):
        if not words:
            raise TiltmeterError(f"{path.name} has no {role}; expected templates, targets and attributes")
    return found


def _from_toml(path: Path) -> Iterable[_Entry]:
    file = read_toml(path, label=path.name)
    file.check_keys("", file.data, ("templates", "neutral", "targets", "attributes"))
    for text in file.texts("", file.data, "templates"):
        yield _Entry(file.place("", "templates", text), "template", "", text)
    if "neutral" in file.data:
        yield _Entry(file.place("", "neutral"), "neutral", "", file.text("", file.data, "neutral"))
    for role in ("target", "attribute"):
        table = f"{role}s"
        groups = file.data.get(table)
        if not isinstance(groups, dict):
            raise file.place(table).error(f"the table [{table}] with a list of words for each group is missing")
        for group in groups:
            words = file.texts(table, groups, group)
            if not words:
                raise file.place(table, group).error(f"the list {group!r} of {table} is empty")
            for text in words:
                yield _Entry(file.place(table, group, text), role, group, text)


def _from_csv(path: Path) -> Iterable[_Entry]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{path.name} is not UTF-8; save it as UTF-8") from error
    rows = csv.DictReader(lines)
    for column in COLUMNS:
        if column not in (rows.fieldnames or ()):
            raise Place(path.name, 1).error(f"the column {column!r} is missing; expected {', '.join(COLUMNS)}")
    for row in _rows(rows, path):
        place = Place(path.name, rows.line_num)
        role, group, text = ((row[column] or "").strip() for column in COLUMNS)
        if role not in ROLES:
            raise place.error(f"the role is {role!r}, and one of {', '.join(ROLES)} was expected")
        if role in ("target", "attribute") and not group:
            raise place.error(f"the {role} {text!r} belongs to no group")
        yield _Entry(place, role, group, text)


def _rows(reader: "csv.DictReader[str]", path: Path) -> Iterable[dict[str, str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise Place(path.name, reader.line_num).error(f"no CSV: {error}") from error


def _check_template(entry: _Entry) -> None:
    slots = re.findall(r"\{[^}]*\}", entry.text)
    if sorted(slots) != [ATTRIBUTE, TARGET]:
        raise entry.place.error(
            f"the template {entry.text!r} needs {TARGET} once and {ATTRIBUTE} once and nothing else in braces"
        )


def _grouped(entries: Iterable[_Entry], role: str) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {}
    for entry in entries:
        if entry.role == role:
            groups.setdefault(entry.group, []).append(entry.text)
    return {group: tuple(words) for group, words in groups.items()}
