"""Draws figures that are given as data: one function a kind, no knowledge of instruments."""

import importlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiltmeter.errors import MissingExtra, unknown
from tiltmeter.results import Figure

if TYPE_CHECKING:
    import altair as alt

__all__ = ["draw", "script", "specification"]

_WIDTH = 560
THEMES: dict[str, dict[str, Any]] = {"light": {"background": None}, "dark": {"background": None}}
_TILT = "#b3541e"
_NEUTRAL = "#6b7280"


def draw(figure: Figure) -> "alt.LayerChart | alt.Chart":
    """An Altair chart of the figure."""
    if figure.kind not in _KINDS:
        raise unknown("kind of figure", figure.kind, _KINDS)
    chart: alt.LayerChart | alt.Chart = _KINDS[figure.kind](figure)
    return chart


def specification(figure: Figure) -> str:
    """The chart as JSON that may stand inside a page: no text of a user's can end the script it stands in."""
    fitted = draw(figure).properties(width="container", autosize={"type": "fit-x", "contains": "padding"}).to_dict()
    text = json.dumps(fitted, ensure_ascii=False)
    # Vega's own expressions cannot hold the two Unicode line separators: in a label they are spaces.
    return text.replace("<", "\\u003c").replace("\u2028", " ").replace("\u2029", " ")


def script() -> str:
    """The JavaScript that draws specifications, whole, so that a page needs no network."""
    bundle: str = _drawing("vl_convert", "vl-convert-python").javascript_bundle()
    return bundle.replace("</script", "<\\/script")


def _intervals(figure: Figure) -> Any:
    """A point with its interval on every row, and a line at what is neutral."""
    alt = _drawing("altair", "altair")
    names = list(dict.fromkeys(row[figure.y] for row in figure.rows))
    data = alt.Data(values=[dict(row) for row in figure.rows])
    row = alt.Y(f"{figure.y}:N", sort=names, title=None, axis=alt.Axis(labelLimit=320))
    offset: dict[str, Any] = {}
    colour: dict[str, Any] = {"color": alt.value(_TILT)}
    if figure.colour:
        series = list(dict.fromkeys(row[figure.colour] for row in figure.rows))
        legend = alt.Legend(title=None, orient="top", labelLimit=400)
        colour = {"color": alt.Color(f"{figure.colour}:N", sort=series, legend=legend)}
        offset = {"yOffset": alt.YOffset(f"{figure.colour}:N", sort=series)}
    tooltip = [alt.Tooltip(f"{name}:Q", format=".3f") for name in (figure.x, figure.low, figure.high) if name]
    tooltip = [alt.Tooltip(f"{name}:N") for name in (figure.y, figure.colour) if name] + tooltip
    base = alt.Chart(data)
    layers = [
        base.mark_point(filled=True, size=70, opacity=1).encode(
            y=row, x=alt.X(f"{figure.x}:Q", title=figure.x), tooltip=tooltip, **colour, **offset
        )
    ]
    if figure.low and any(row[figure.low] is not None for row in figure.rows):
        low = alt.X(f"{figure.low}:Q", title=figure.x)
        ranges = base.mark_rule(strokeWidth=2)
        layers.insert(0, ranges.encode(y=row, x=low, x2=f"{figure.high}:Q", tooltip=tooltip, **colour, **offset))
    if figure.neutral is not None:
        neutral = alt.Chart(alt.Data(values=[{"neutral": figure.neutral}]))
        layers.insert(0, neutral.mark_rule(color=_NEUTRAL, strokeDash=[4, 4]).encode(x="neutral:Q"))
    # A height in pixels, not a step: only then can a page fit the width to its own.
    bars = len(names) * (len({row[figure.colour] for row in figure.rows}) if figure.colour else 1)
    return alt.layer(*layers).properties(width=_WIDTH, height=24 * bars + 8)


def _sorted(figure: Figure) -> Any:
    """A bar for each row, from the lowest to the highest."""
    alt = _drawing("altair", "altair")
    rows = sorted(figure.rows, key=lambda row: float(row[figure.x]), reverse=True)
    names = list(dict.fromkeys(row[figure.y] for row in rows))
    colour = alt.value(_TILT)
    if figure.colour:
        series = list(dict.fromkeys(row[figure.colour] for row in figure.rows))
        colour = alt.Color(
            f"{figure.colour}:N", sort=series, legend=alt.Legend(title=None, orient="top", labelLimit=400)
        )
    tooltip = [alt.Tooltip(f"{name}:N") for name in (figure.y, figure.colour) if name]
    bars = alt.Chart(alt.Data(values=[dict(row) for row in rows])).mark_bar()
    return bars.encode(
        x=alt.X(f"{figure.x}:Q", title=figure.x),
        y=alt.Y(f"{figure.y}:N", sort=names, title=None, axis=alt.Axis(labelLimit=320, labelOverlap=False)),
        color=colour,
        tooltip=[*tooltip, alt.Tooltip(f"{figure.x}:Q", format=".3f")],
    ).properties(width=_WIDTH, height=15 * len(names) + 8)


_KINDS: dict[str, Callable[[Figure], Any]] = {"intervals": _intervals, "sorted": _sorted}


def _drawing(module: str, package: str) -> Any:
    """A library that only the extra `report` brings."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(package, "report") from error
