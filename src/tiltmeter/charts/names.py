"""Names along the y axis: short where there is little room, long on a wide page."""

from collections.abc import Iterable, Sequence
from typing import Any

from tiltmeter.charts.table import shown_names, width_of, wrapped

WIDE = 420
"""Pixels of its place on a page from which on a chart has long names."""
LABEL = f"split(split(datum.label, '\\n\\n')[width >= 0 && containerSize()[0] >= {WIDE} ? 2 : 1], '\\n')"
"""What is drawn of a name. Only a page knows how wide it is: a chart that is no part of one gets the short name. Asking
for `width` makes it ask again when that changes."""
LINE = 14
_MOST, _LETTER = 28, 6.2


def name_axis(alt: Any, names: Iterable[str], **more: Any) -> Any:
    """The axis of names that `folded` or `cut` made, each drawn short or long."""
    return alt.Axis(
        title=None,
        labelExpr=LABEL,
        labelLimit=320,
        labelLineHeight=LINE - 1,
        labelPadding=6,
        ticks=False,
        domain=False,
        # Read aloud, it would give names as we write them.
        description="Y-axis: " + ", ".join(name.split("\n\n")[2].replace("\n", " ") for name in names),
        **more,
    )


def folded(names: Sequence[str], width: int) -> dict[str, str]:
    """Each name in up to three lines."""
    short, long = (wrapped(names, _letters(room)) for room in (width, max(width, WIDE)))
    return _both(names, short, long)


def cut(names: Sequence[str], width: int, mark: str = "") -> dict[str, str]:
    """Each name in one line, without its middle where it is too long; `mark` stays unseen."""
    short, long = (shown_names(names, _LETTER * (_letters(room) + 6)).values() for room in (width, max(width, WIDE)))
    return _both(names, dict(zip(names, short, strict=True)), dict(zip(names, long, strict=True)), mark)


def lines_of(names: Iterable[str]) -> int:
    """The most lines that one of them has."""
    return max(part.count("\n") + 1 for name in names for part in name.split("\n\n"))


def width_beside(names: Iterable[str]) -> float:
    """Pixels that the short names take."""
    return max(width_of(line, 11) for name in names for line in name.split("\n\n")[1].split("\n"))


def _letters(width: int) -> int:
    return min(_MOST, round(0.065 * width))


def _both(names: Sequence[str], short: dict[str, str], long: dict[str, str], mark: str = "") -> dict[str, str]:
    return {name: f"{mark}\n\n{short[name]}\n\n{long[name]}" for name in names}
