"""A figure's rows, checked and under safe names: a figure may come from a folder that anybody wrote."""

import re
import textwrap
import unicodedata
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from tiltmeter.errors import TiltmeterError
from tiltmeter.results import Figure

ROLES = ("x", "y", "low", "high", "colour", "label", "within")
FIXED = {"box": ("q25", "q75")}
"""Columns that a kind finds by their own names."""
NUMBERS = {
    "intervals": {"x", "low", "high"},
    "sorted": {"x"},
    "box": {"x", "low", "high", "q25", "q75"},
    "histogram": {"x", "y", "high"},
    "heat": {"colour"},
    "scatter": {"x", "y"},
    "series": {"y", "low", "high"},
    "shares": {"x"},
}
NEEDED = {"histogram": ("high",), "heat": ("colour",), "shares": ("colour",)}
"""Roles that a kind cannot do without, beside x and y."""

_SHORT = ("colour", "label")
_LONGEST = 200
_LARGEST = 1e100
_UNDRAWABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\ufffe\uffff]+")


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a figure by role (`x`, `y`, `low` ...), never by a column's own name.

    Vega takes a name with dots, brackets or quotes for a path or a piece of code. What a tooltip says stands in
    `tip0`, `tip1` ..., one for each column.
    """

    figure: Figure
    rows: tuple[dict[str, Any], ...]
    columns: tuple[str, ...]
    numeric_x: bool
    order: tuple[str, ...]
    """What the figure lists for its colours, as it is shown."""
    width: int

    @classmethod
    def of(cls, figure: Figure, width: int) -> Self:
        """The table of a figure that is to be about so wide; what cannot be drawn is refused in one sentence."""
        _check(figure)
        roles = {role: name for role in ROLES if (name := getattr(figure, role)) is not None}
        roles |= {name: name for name in FIXED.get(figure.kind, ())}
        columns = tuple(dict.fromkeys(name for row in figure.rows for name in row))
        for name in roles.values() if figure.rows else ():
            if name not in columns:
                raise wrong(figure, f"has no column {name!r}")
        numbers = set(NUMBERS[figure.kind])
        numeric_x = "x" in numbers
        if figure.kind == "series":
            numeric_x = all(_is_number(row.get(figure.x)) or row.get(figure.x) is None for row in figure.rows)
            numbers |= {"x"} if numeric_x else set()
        rows = [
            {role: _number(figure, row, name) if role in numbers else row.get(name) for role, name in roles.items()}
            | {f"tip{place}": _told(row.get(name)) for place, name in enumerate(columns)}
            for row in figure.rows
        ]
        order: tuple[str, ...] = ()
        for role in set(roles) - numbers:
            # A legend and the names of points have little room; axes are folded by those who draw them.
            listed = figure.order if role == "colour" else ()
            shown = shown_names((*listed, *(row[role] for row in rows)), 0.55 * width if role in _SHORT else None)
            for row in rows:
                row[role] = shown[_key(row[role])]
            order = tuple(shown[_key(name)] for name in listed) or order
        return cls(figure, tuple(rows), columns, numeric_x, order, width)

    def has(self, role: str) -> bool:
        """Whether any row has something in this role."""
        return any(row.get(role) is not None for row in self.rows)

    def names(self, role: str) -> list[str]:
        """What stands in a role, each once, in order: colours in the order that the figure lists."""
        found = dict.fromkeys(str(row[role]) for row in self.rows) if role in self.rows[0] else {}
        first = [name for name in self.order if name in found] if role == "colour" else []
        return list(dict.fromkeys([*first, *found]))

    def title(self, role: str) -> str | list[str]:
        """A column's name as the title of an axis or a legend: what follows a colon, a hint how to read it, below."""
        lines = [line for part in _parts(getattr(self.figure, role)) for line in textwrap.wrap(part, self.width // 10)]
        return lines if len(lines) > 1 else "".join(lines)

    def tooltips(self, alt: Any) -> list[Any]:
        """Every column, by its name."""
        titles: list[str] = []
        for name in self.columns:
            titles.append(unlike(_tooltip_title(name), titles))
        return [alt.Tooltip(field=f"tip{place}", type="nominal", title=title) for place, title in enumerate(titles)]


def clean(text: object) -> str:
    """Text that can be drawn and stored: without control characters, not endless."""
    said = printable(text)
    return said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"


def printable(text: object) -> str:
    return _UNDRAWABLE.sub(" ", str(text)).strip()


def words(name: str) -> str:
    """A column's name without its hint."""
    return _parts(name)[0]


def shown_names(values: Iterable[object], most: float | None) -> dict[Hashable, str]:
    """Each value as text, no wider than so many pixels; two that would look the same are told apart."""
    shown: dict[Hashable, str] = {}
    taken: set[str] = set()
    for value in values:
        if (key := _key(value)) not in shown:
            text = "–" if value is None else clean(value) or "–"
            shown[key] = unlike(text if most is None else shortened(text, most), taken)
            taken.add(shown[key])
    return shown


def unlike(text: str, taken: Iterable[str]) -> str:
    """The text, numbered if it is taken."""
    number = 1
    candidate = text
    while candidate in taken:
        number += 1
        candidate = f"{text} ({number})"
    return candidate


def width_of(text: str, size: float) -> float:
    """About how many pixels a text takes: Chinese and Japanese characters are twice as wide as Latin ones."""
    return size * sum(1.05 if unicodedata.east_asian_width(letter) in "WF" else 0.56 for letter in text)


def shortened(text: str, most: float) -> str:
    """The text without its middle, where it is wider than so many pixels: names of models differ at both ends."""
    if width_of(text, 11) <= most:
        return text
    half = len(text)
    while half > 1 and width_of(text[:half] + "…" + text[-half:], 11) > most:
        half -= 1
    return f"{text[:half]}…{text[-half:]}"


def wrapped(names: Sequence[str], most: int, lines: int = 3) -> dict[str, str]:
    """Each name in lines of at most so many Latin letters (half as many Chinese ones), no two the same."""
    found: dict[str, str] = {}
    for name in names:
        wide = width_of(name, 1) > 0.8 * len(name)
        folded = textwrap.wrap(name, most // 2 if wide else most, max_lines=lines, placeholder="…") or [name]
        found[name] = unlike("\n".join(folded), found.values())
    return found


def wrong(figure: Figure, what: str) -> TiltmeterError:
    return TiltmeterError(f"figure {clean(figure.title)!r} cannot be drawn: it {what}; measure the run again")


def _parts(name: str) -> list[str]:
    """A column's name, and the hint after its first colon: `score: ← female | male →`."""
    return [clean(part.replace("_", " ")) for part in name.split(": ", 1)]


def _check(figure: Figure) -> None:
    for name in ("title", "caption", "x", "y"):
        if not isinstance(getattr(figure, name), str):
            raise wrong(figure, f"has no text as its {name}")
    for role in ROLES:
        if not isinstance(getattr(figure, role), str | None):
            raise wrong(figure, f"has no column name as its {role}")
    for role in NEEDED.get(figure.kind, ()):
        if getattr(figure, role) is None:
            raise wrong(figure, f"names no column as its {role}, and a {figure.kind} figure needs one")
    if not all(isinstance(name, str) for name in figure.order):
        raise wrong(figure, "has no texts as the order of its colours")
    if figure.neutral is not None and not _is_number(figure.neutral):
        raise wrong(figure, f"has {figure.neutral!r} as its neutral value, where a finite number is expected")
    if not all(isinstance(row, Mapping) and all(isinstance(name, str) for name in row) for row in figure.rows):
        raise wrong(figure, "has a row that is no table row")


def _number(figure: Figure, row: Mapping[str, Any], name: str) -> float | None:
    value = row.get(name)
    if value is None:
        return None
    if not _is_number(value):
        raise wrong(figure, f"has {value!r:.40} in column {name!r}, where a finite number or nothing is expected")
    return float(value)


def _is_number(value: object) -> bool:
    """A number that can be drawn: beyond the largest, their squares and differences are no numbers any more."""
    return isinstance(value, int | float) and not isinstance(value, bool) and -_LARGEST <= value <= _LARGEST


def _key(value: object) -> Hashable:
    """Tells 1, True and "1" apart, and holds lists that a damaged file may have."""
    return (type(value).__name__, str(value))


def _told(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else clean(value)


def _tooltip_title(name: str) -> str:
    """Vega-Lite puts a tooltip's title into an expression and escapes its quotes, but not its backslashes; and the
    tooltip takes `title` and `image` for a headline and a picture to load."""
    title = words(name).replace("\\", "\\\\") or "–"
    return f"{title}:" if title in ("title", "image") else title
