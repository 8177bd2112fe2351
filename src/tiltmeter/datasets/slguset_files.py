"""SlguSet as a file: what stands in it, row by row, before anything is judged.

Zhao et al. (2021). The published file is a CSV with the columns 句子, 关键词位置 (a list `[start, end]`), 原始关键词
and 对立关键词. Sets of one's own may have English columns, `start` and `end` for the list, and say the keyword's
`gender` and its `pair`, the `source` of the sentence and its `mark`; they may be Parquet.
"""

import ast
import csv
import io
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError

Span = tuple[int, int]

COLUMNS = {
    "sentence": ("句子", "sentence"),
    "position": ("关键词位置", "position"),
    "keyword": ("原始关键词", "keyword"),
    "opposite": ("对立关键词", "opposite"),
}
"""What a file has to have, as it is published and as sets of one's own call it; `start` and `end` do for a position."""

_OPTIONAL = ("gender", "pair", "source", "mark")

SET_COLUMNS = ("sentence", "start", "end", "keyword", "opposite", *_OPTIONAL)
"""Of the Parquet files that tiltmeter writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSentence:
    """A row as it stands in a file."""

    line: int
    sentence: str
    position: Span | None
    """None where the file gives none that can be read."""
    keyword: str
    opposite: str
    gender: str = ""
    pair: str = ""
    source: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ListedSet:
    """What stands in a file, and in which encoding."""

    sentences: tuple[ListedSentence, ...]
    encoding: str


def read_set(path: Path) -> ListedSet:
    """A CSV in UTF-8 or GB18030, or Parquet. A column that is missing is refused; rows are judged one by one later."""
    rows, encoding = _read_parquet(path) if path.suffix.lower() == ".parquet" else _read_csv(path)
    if not rows:
        raise TiltmeterError(f"{path.name} holds no sentence")
    names = _names(rows[0].keys(), path.name)
    # The header is line 1; a sentence may hold line breaks, so that this counts rows.
    return ListedSet(tuple(_listed(row, names, line) for line, row in enumerate(rows, start=2)), encoding)


def _read_csv(path: Path) -> tuple[list[dict[str, Any]], str]:
    text, encoding = _decoded(path)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
        return list(reader), encoding
    except csv.Error as error:
        raise TiltmeterError(f"{path.name} is not a CSV file: {error}") from error


def _decoded(path: Path) -> tuple[str, str]:
    """Chinese files are UTF-8 or GB18030; other bytes may pass for GB18030, but not for its Chinese header."""
    raw = path.read_bytes()
    for encoding in ("utf-16",) if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig", "gb18030"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        if encoding != "gb18030" or COLUMNS["sentence"][0] in text.partition("\n")[0]:
            return text, encoding.removesuffix("-sig")
    raise TiltmeterError(f"{path.name} is neither UTF-8 nor a Chinese file in GB18030; save it as UTF-8")


def _read_parquet(path: Path) -> tuple[list[dict[str, Any]], str]:
    try:
        return pl.read_parquet(path).to_dicts(), "parquet"
    except (OSError, pl.exceptions.PolarsError) as error:
        raise TiltmeterError(f"{path.name} cannot be read: {next(iter(str(error).splitlines()), '')}") from error


def _names(columns: Iterable[object], file: str) -> dict[str, str]:
    """The file's own name of each column."""
    there = [name for name in columns if isinstance(name, str)]
    names: dict[str, str] = {name: name for name in ("start", "end", *_OPTIONAL) if name in there}
    for role, known in COLUMNS.items():
        found = next((name for name in known if name in there), None)
        if found is not None:
            names[role] = found
        elif role != "position" or not {"start", "end"} <= names.keys():
            raise TiltmeterError(
                f"{file}: the column {known[0]!r} (or {known[1]!r}) is missing; expected "
                f"{', '.join(name for name, _ in COLUMNS.values())}"
            )
    return names


def _listed(row: Mapping[str, Any], names: Mapping[str, str], line: int) -> ListedSentence:
    cells = {role: row.get(name) for role, name in names.items()}
    texts = {role: str(cells.get(role) or "").strip() for role in ("keyword", "opposite", *_OPTIONAL)}
    position = cells["position"] if "position" in cells else [cells["start"], cells["end"]]
    return ListedSentence(line=line, sentence=str(cells["sentence"] or ""), position=_position(position), **texts)


def _position(cell: Any) -> Span | None:
    """Two whole numbers, from a list or the text of one."""
    if isinstance(cell, str):
        listed = re.fullmatch(r"\s*[\[(][\d\s,.]*[\])]\s*", cell)
        try:
            cell = ast.literal_eval(cell.strip()) if listed else None
        except (ValueError, SyntaxError):
            return None
    if not isinstance(cell, list | tuple) or len(cell) != 2:
        return None
    start, end = map(_whole, cell)
    return None if start is None or end is None else (start, end)


def _whole(cell: object) -> int | None:
    """A place in a text: whatever made the file may have written 3.0."""
    found = re.fullmatch(r"\s*(\d{1,9})(?:\.0*)?\s*", str(cell))
    return int(found[1]) if found else None


def write_csv(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Sentences of a set in the published columns, and behind them the keyword's `gender` and its `pair`, which words
    in other cases than the pair's own need."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*(published for published, _ in COLUMNS.values()), "gender", "pair"])
    for row in rows:
        place = f"[{row['start']}, {row['end']}]"
        writer.writerow([row["sentence"], place, row["keyword"], row["opposite"], row["gender"], row["pair"]])
    return text.getvalue().encode()
