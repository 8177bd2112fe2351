"""From a figure to an Altair chart, and to what a page embeds."""

import importlib
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tiltmeter.charts.planes import heat, histogram, scatter, series
from tiltmeter.charts.rows import Drawn, box, intervals, shares, sorted_bars
from tiltmeter.charts.table import Table, clean
from tiltmeter.charts.themes import PAPER, THEMES
from tiltmeter.errors import MissingExtra, unknown
from tiltmeter.results import Figure

if TYPE_CHECKING:
    import altair as alt

KINDS: dict[str, Callable[[Any, Table, int], Drawn]] = {
    "intervals": intervals,
    "sorted": sorted_bars,
    "box": box,
    "histogram": histogram,
    "heat": heat,
    "scatter": scatter,
    "series": series,
    "shares": shares,
}
"""Each takes Altair, the figure's table and the width to reckon with."""

ROWS = "rows"
"""What the rows are called inside a specification."""
_WIDTH = 560
_NARROW = 330
"""On a phone: what does not collide there collides nowhere."""


def draw(figure: Figure, *, theme: str = "light") -> "alt.LayerChart":
    """An Altair chart of the figure that stands alone: with its title, on the ground of its theme."""
    if theme not in THEMES:
        raise unknown("theme", theme, THEMES)
    altair = drawing_library("altair", "altair")
    bare, rows = _drawn(altair, figure, _WIDTH)
    sized = bare.properties(width=_WIDTH, title=clean(figure.title), datasets={ROWS: list(rows)})
    themed = sized.configure(**THEMES[theme] | {"background": PAPER[theme]})
    chart: alt.LayerChart = altair.LayerChart.from_dict(_disarmed(themed.to_dict()))
    return chart


def specification(figure: Figure) -> str:
    """The chart as JSON that may stand inside a page: no text of a user's can end the script it stands in.

    It is as wide as its place and has no colours: the page hands in one of `THEMES`.
    """
    return json.dumps(fitted(figure, "container", _NARROW), ensure_ascii=False, allow_nan=False).replace("<", "\\u003c")


def fitted(figure: Figure, width: int | str, reckoned: int) -> dict[str, Any]:
    """The Vega-Lite specification of a chart that is so wide with all that stands around it, and has no colours."""
    alt = drawing_library("altair", "altair")
    # Checking every piece against the schema takes most of the time, and what is checked is our code, not the data.
    with alt.utils.schemapi.debug_mode(False):
        bare, rows = _drawn(alt, figure, reckoned)
        specification: dict[str, Any] = bare.to_dict(validate=False)
    del specification["config"]
    sized = {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}
    return specification | sized | {"description": clean(figure.title), "datasets": {ROWS: list(rows)}}


def _disarmed(value: Any) -> Any:
    """The same with an invisible character after every `<`: Altair writes a chart into a notebook's HTML as it is."""
    if isinstance(value, str):
        return value.replace("<", "<\u2060")
    if isinstance(value, dict):
        return {name: _disarmed(inner) for name, inner in value.items()}
    return [_disarmed(inner) for inner in value] if isinstance(value, list) else value


def _drawn(alt: Any, figure: Figure, width: int) -> Drawn:
    """The chart without title, colours and width, and its rows."""
    if not isinstance(figure.kind, str) or figure.kind not in KINDS:
        raise unknown("kind of figure", str(figure.kind), KINDS)
    table = Table.of(figure, width)
    chart, rows = KINDS[figure.kind](alt, table, width) if table.rows else _nothing(alt)
    chart.data = alt.NamedData(name=ROWS)
    return chart, rows


def script() -> str:
    """The JavaScript that draws specifications, whole, so that a page needs no network."""
    bundle: str = drawing_library("vl_convert", "vl-convert-python").javascript_bundle()
    return bundle.replace("</script", "<\\/script")


def drawing_library(module: str, package: str) -> Any:
    """A library that only the extra `report` brings."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingExtra(package, "report") from error


def _nothing(alt: Any) -> Drawn:
    said = alt.Chart().mark_text(style="label", align="left").encode(text=alt.Text("text:N"), x=alt.value(0))
    return alt.layer(said, height=30), [{"text": "no values"}]
