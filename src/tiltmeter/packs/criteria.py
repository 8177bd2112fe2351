"""By what people judge the sentences of a set: `criteria.toml`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.packs.reading import TomlFile, read_toml

KEEP = "keep"
"""The criterion that says what a sentence must be like to stay; all others are reasons to drop it."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A criterion in one language: what stands on the button, and what it means."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Criterion:
    """What is asked of a sentence. `id` is that of the screening's rule where there is one."""

    id: str
    wordings: Mapping[str, Wording]
    """By language: the pack's own and English."""

    def wording(self, *languages: str) -> Wording:
        """In the first of the languages that it has, else in any."""
        known = [lang for lang in languages if lang in self.wordings]
        return self.wordings[known[0] if known else next(iter(self.wordings))]


def read_criteria(folder: Path) -> tuple[tuple[Criterion, ...], str] | None:
    """The folder's `criteria.toml` and its source, or nothing where there is none."""
    path = folder / "criteria.toml"
    if not path.is_file():
        return None
    file = read_toml(path, label=f"{folder.name}/criteria.toml")
    file.check_keys("", file.data, ("source", "criteria"))
    source = file.text("", file.data, "source", why="every list needs one")
    listed = file.data.get("criteria")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise file.place("").error("there is no list `[[criteria]]`")
    criteria = tuple(_criterion(file, entry) for entry in listed)
    if wrong := criteria_problem(criteria):
        raise file.place("").error(wrong)
    return criteria, source


def criteria_problem(criteria: Sequence[Criterion]) -> str:
    """What is wrong with a list of criteria, or nothing."""
    ids = [criterion.id for criterion in criteria]
    if len(set(ids)) < len(ids):
        return "two criteria have the same name"
    if ids[:1] != [KEEP] or len(ids) < 2:
        return f"the first criterion must be {KEEP!r}, and at least one reason to drop a sentence must follow"
    for criterion in criteria:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,59}", criterion.id):
            return f"the name {criterion.id!r} of a criterion is not of small letters, figures and hyphens"
        if not criterion.wordings or not all(wording.title for wording in criterion.wordings.values()):
            return f"the criterion {criterion.id!r} has no title"
    return ""


def _criterion(file: TomlFile, entry: dict[str, Any]) -> Criterion:
    name = file.text("", entry, "id")
    wordings = {lang: values for lang, values in entry.items() if lang != "id"}
    for lang, values in wordings.items():
        if not isinstance(values, dict) or values.keys() != {"title", "text"}:
            raise file.place("", "id", name).error(f"{name!r}, {lang}: expected `title` and `text`")
        for key in values:
            file.text("", values, key)
    return Criterion(name, {lang: Wording(**values) for lang, values in wordings.items()})
