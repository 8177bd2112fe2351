"""Reads a pack's files so that every value can be traced to its file and line."""

import re
import tomllib
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError, unknown


class PackError(TiltmeterError):
    """A pack's file that cannot be used, with its place."""


@dataclass(frozen=True, slots=True)
class Place:
    """A file and a line in it."""

    file: str
    line: int

    def error(self, problem: str) -> PackError:
        return PackError(f"{self.file}:{self.line}: {problem}")


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table with its place."""

    place: Place
    cells: dict[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A tab-separated list: `# source:` first, then a header, then rows."""

    source: str
    rows: tuple[Row, ...]


def read_table(path: Path, *, label: str, columns: Collection[str], required: Collection[str]) -> Table:
    """Reads a `.tsv` file; `label` names the file in messages."""
    source, header, rows = "", None, []
    for number, line in enumerate(_text(path, label).splitlines(), start=1):
        place = Place(label, number)
        if line.startswith("#"):
            if line.startswith("# source:"):
                source = line.removeprefix("# source:").strip()
        elif not line.strip():
            continue
        elif header is None:
            header = line.split("\t")
            _check_header(header, place, columns, required)
        else:
            rows.append(Row(place, _cells(header, line, place, required)))
    if not source:
        raise Place(label, 1).error("the list has no source; begin the file with a line `# source: ...`")
    if header is None:
        raise Place(label, 1).error(f"the list has no header; expected the columns {', '.join(columns)}")
    return Table(source, tuple(rows))


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML file that remembers its text, so that a value's line can be told."""

    label: str
    data: dict[str, Any]
    lines: tuple[str, ...]

    def place(self, table: str, key: str = "", value: str = "", *, occurrence: int = 1) -> Place:
        """Where a table's header, a key in it, or the n-th such string of that key stands."""
        numbered = list(enumerate(self.lines, start=1))
        if table:
            numbered = list(dropwhile(lambda line: line[1].strip() != f"[{table}]", numbered)) or numbered[:1]
        header = numbered[0][0] if numbered else 1
        body = takewhile(lambda line: not re.match(r"\s*\[[^\]\"]+\]\s*$", line[1]), numbered[1 if table else 0 :])
        from_key = list(dropwhile(lambda line: not re.match(rf'\s*"?{re.escape(key)}"?\s*=', line[1]), body))
        if not key or not from_key:
            return Place(self.label, header)
        for number, line in from_key if value else ():
            occurrence -= line.count(f'"{value}"')
            if occurrence <= 0:
                return Place(self.label, number)
        return Place(self.label, from_key[0][0])

    def check_keys(self, table: str, found: Iterable[str], known: Collection[str]) -> None:
        for key in found:
            if key not in known:
                raise self.place(table, key).error(str(unknown("key", key, known)))

    def text(self, table: str, values: dict[str, Any], key: str, *, why: str = "") -> str:
        """A non-empty string that must be there."""
        value = values.get(key)
        if not isinstance(value, str) or not value.strip():
            raise self.place(table, key).error(f"{key!r} is missing or not a text{why and '; ' + why}")
        return value

    def texts(self, table: str, values: dict[str, Any], key: str) -> list[str]:
        """A list of strings that must be there."""
        value = values.get(key)
        if not isinstance(value, list) or not all(isinstance(entry, str) for entry in value):
            raise self.place(table, key).error(f"{key!r} is missing or not a list of texts")
        return value


def read_toml(path: Path, *, label: str) -> TomlFile:
    text = _text(path, label)
    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        last = len(text.splitlines()) if "end of document" in str(error) else 1
        raise Place(label, int(line[1]) if line else last).error(f"not valid TOML: {error}") from error
    return TomlFile(label, data, tuple(text.splitlines()))


def check_word(word: str, place: Place) -> None:
    """Refuses a word that no measurement could match, mixed scripts first of all."""
    if not word or word != word.strip():
        raise place.error(f"the word {word!r} is empty or has spaces around it")
    if word != unicodedata.normalize("NFC", word):
        raise place.error(
            f"the word {word!r} is not in Unicode normal form C; write it as {unicodedata.normalize('NFC', word)!r}"
        )
    scripts = {_script(letter) for letter in word if letter.isalpha()}
    if len(scripts) > 1:
        foreign = min(scripts, key=lambda script: sum(_script(letter) == script for letter in word if letter.isalpha()))
        letters = "".join(dict.fromkeys(letter for letter in word if letter.isalpha() and _script(letter) == foreign))
        raise place.error(f"the word {word!r} mixes scripts: {letters!r} in it is {foreign}; type it anew")


# Japanese and Chinese words mix these by right.
_EAST_ASIAN = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "IDEOGRAPHIC", "BOPOMOFO"}


def _script(letter: str) -> str:
    first = unicodedata.name(letter, "UNKNOWN").split()[0]
    return "East Asian" if first in _EAST_ASIAN else first.capitalize()


def _text(path: Path, label: str) -> str:
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise PackError(f"{label} is missing") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise Place(label, line).error("not UTF-8; save the file as UTF-8") from error


def _check_header(header: list[str], place: Place, columns: Collection[str], required: Collection[str]) -> None:
    for column in header:
        if column not in columns:
            raise place.error(str(unknown("column", column, columns)))
    for column in required:
        if column not in header:
            raise place.error(f"the column {column!r} is missing")
    if len(set(header)) < len(header):
        raise place.error("a column stands twice in the header")


def _cells(header: list[str], line: str, place: Place, required: Collection[str]) -> dict[str, str]:
    values = line.split("\t")
    if len(values) > len(header):
        raise place.error(f"{len(values)} cells where the header has {len(header)} columns")
    cells = dict(zip(header, values + [""] * (len(header) - len(values)), strict=True))
    for column in required:
        if not cells[column].strip():
            raise place.error(f"the cell {column!r} is empty")
    return cells
