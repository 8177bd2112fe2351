"""The kinds of figure that spread over both axes: histogram, heat map, scatter, series."""

from typing import Any

from tiltmeter.charts.labels import SIDES, place_labels
from tiltmeter.charts.names import folded, lines_of, name_axis, width_beside
from tiltmeter.charts.rows import TALLEST, Drawn, anchored, colours, neutral, spaced
from tiltmeter.charts.table import Table, width_of, wrapped, wrong

_HEIGHT = 300
_SCATTER = 380
_SMALL = 9


def histogram(alt: Any, table: Table, width: int) -> Drawn:
    """Bars that were counted before, side by side; several kinds lie over one another and show through."""
    several = len(table.names("colour")) > 1
    bars = (
        alt.Chart()
        .transform_filter("isValid(datum.x) && isValid(datum.high) && isValid(datum.y)")
        .mark_rect(opacity=0.55 if several else 1, strokeWidth=0)
        .encode(
            x=alt.X("x:Q", title=table.title("x"), scale=alt.Scale(zero=False), axis=spaced(alt)),
            x2=alt.X2("high:Q"),
            y=alt.Y("y:Q", title=table.title("y")),
            y2=alt.Y2Datum(0),
            tooltip=table.tooltips(alt),
            **colours(alt, table, 0.75 * width),
        )
    )
    return alt.layer(bars, *neutral(alt, table.figure.neutral, "x"), height=_HEIGHT), table.rows


def heat(alt: Any, table: Table, width: int) -> Drawn:
    """A cell for every pair, with its number in it; around what is neutral, one colour for each side."""
    figure = table.figure
    lines = folded(table.names("y"), width)
    room = max(width - width_beside(lines.values()) - 30, 90) / len(table.names("x"))
    columns = wrapped(table.names("x"), max(8, int((room - 3) / width_of("n", _SMALL))))
    rows = [{**row, "x": columns[row["x"]], "y": lines[row["y"]]} for row in table.rows]
    cells = {(row["x"], row["y"]): row for row in rows}
    if len(cells) < len(rows):
        raise wrong(figure, "has two numbers for one cell")
    values = [row["colour"] for row in rows if row["colour"] is not None]
    if figure.neutral is None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        scale = alt.Scale(range="ramp", domain=[low, high if high > low else low + 1], nice=False, interpolate="rgb")
    else:
        reach = max((abs(value - figure.neutral) for value in values), default=0.0) or 1.0
        low, high = figure.neutral - reach, figure.neutral + reach
        scale = alt.Scale(range="diverging", domain=[low, figure.neutral, high], nice=False, interpolate="rgb")
    for row in rows:
        if row["colour"] is not None:
            row |= {
                "strong": _strength(row["colour"], figure.neutral, low, high) > 0.7,
                "told": _two_digits(row["colour"]),
            }
    slanted = any(width_of(part, _SMALL) + 3 > room for name in columns.values() for part in name.split("\n"))
    across = alt.Axis(
        labelAngle=40 if slanted else 0,
        labelFontSize=_SMALL,
        labelLimit=160,
        labelOverlap=False,
        labelExpr="split(datum.label, '\\n')",
        title=[*_lines(table.title("x")), *_lines(table.title("colour"))],
        titleAnchor=anchored(alt),
        ticks=False,
        domain=False,
    )
    down = name_axis(alt, lines.values(), labelOverlap=False)
    base = (
        alt.Chart()
        .transform_filter("isValid(datum.colour)")
        .encode(
            x=alt.X("x:N", scale=alt.Scale(domain=list(columns.values()), padding=0.04), sort=None, axis=across),
            y=alt.Y("y:N", scale=alt.Scale(domain=list(lines.values()), padding=0.06), sort=None, axis=down),
            tooltip=table.tooltips(alt),
        )
    )
    shaded = base.mark_rect().encode(color=alt.Color("colour:Q", scale=scale, legend=None))
    size = alt.ExprRef(f"clamp(width / {len(columns)} / 3.3, 7, 11)")
    written = [
        base.transform_filter(test).mark_text(style=style, fontSize=size).encode(text=alt.Text("told:N"))
        for test, style in (("datum.strong", "strong"), ("!datum.strong", "weak"))
    ]
    height = min(len(lines) * max(28, 14 * lines_of(lines.values()) + 6), TALLEST)
    return alt.layer(shaded, *written, height=height), rows


def scatter(alt: Any, table: Table, width: int) -> Drawn:
    """A point for every row; as many are named as do not collide, those farthest from the rest first."""
    points = [row for row in table.rows if row["x"] is not None and row["y"] is not None]
    steady = table.figure.neutral
    across = _reach([row["x"] for row in points])
    upward = _reach([row["y"] for row in points] + ([] if steady is None else [steady]))
    x = alt.X("x:Q", title=table.title("x"), scale=alt.Scale(domain=across, nice=False), axis=spaced(alt))
    y = alt.Y("y:Q", title=table.title("y"), scale=alt.Scale(domain=upward, nice=False))
    marks = (
        alt.Chart()
        .mark_point(filled=True, size=55, opacity=0.85)
        .encode(x=x, y=y, tooltip=table.tooltips(alt), **colours(alt, table, 0.75 * width, "shape"))
    )
    layers = [*neutral(alt, steady, "y"), marks]
    if table.names("label"):
        sides = place_labels(
            [(row["x"], row["y"], row["label"]) for row in points], across, upward, (width - 60, _SCATTER), steady
        )
        rows = [{**row, "side": side} for row, side in zip(points, sides, strict=True)]
        for side in sorted({side for side in sides if side}):
            placed = alt.Chart().transform_filter(f"datum.side === '{side}'").mark_text(style="label", **SIDES[side])
            layers.append(placed.encode(x=x, y=y, text=alt.Text("label:N"), tooltip=table.tooltips(alt)))
    else:
        rows = points
    return alt.layer(*layers, height=_SCATTER), rows


def series(alt: Any, table: Table, width: int) -> Drawn:
    """A line for each kind with its band; where a value is missing, the line is broken."""
    if table.numeric_x:
        across = alt.X("x:Q", title=table.title("x"), scale=alt.Scale(zero=False), axis=spaced(alt))
    else:
        scale = alt.Scale(domain=table.names("x"))
        across = alt.X("x:N", title=table.title("x"), scale=scale, sort=None, axis=alt.Axis(labelAngle=-30))
    base = alt.Chart().encode(x=across, **colours(alt, table, 0.75 * width))
    upward = alt.Y("y:Q", title=table.title("y"), scale=alt.Scale(zero=False))
    layers = neutral(alt, table.figure.neutral, "y")
    if table.has("low") and table.has("high"):
        band = base.mark_area(opacity=0.18, strokeWidth=0)
        layers.append(
            band.encode(y=alt.Y("low:Q", title=table.title("y"), scale=alt.Scale(zero=False)), y2=alt.Y2("high:Q"))
        )
    layers.append(base.mark_line(strokeWidth=2).encode(y=upward))
    points = base.transform_filter("isValid(datum.x) && isValid(datum.y)").mark_point(filled=True, size=40, opacity=1)
    layers.append(points.encode(y=upward, tooltip=table.tooltips(alt)))
    return alt.layer(*layers, height=_HEIGHT), table.rows


def _lines(title: str | list[str]) -> list[str]:
    return [title] if isinstance(title, str) else title


def _strength(value: float, middle: float | None, low: float, high: float) -> float:
    """How deep a cell is shaded, from 0 to 1."""
    if middle is None:
        return (value - low) / (high - low) if high > low else 0.0
    return abs(value - middle) / (high - middle)


def _two_digits(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _reach(values: list[float]) -> list[float]:
    """From the lowest to the highest, with some air."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    air = (high - low) * 0.05 or abs(high) * 0.05 or 1.0
    return [low - air, high + air]
