"""The kinds of figure with a name on every row: intervals, sorted bars, boxes, shares."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.charts.names import LINE, cut, folded, lines_of, name_axis
from tiltmeter.charts.table import Table, width_of, words, wrong

Drawn = tuple[Any, Sequence[dict[str, Any]]]
"""An Altair chart and its rows, which it gets last: Altair copies them at every step."""
TALLEST = 1500
"""Pixels: more rows than fit are drawn thinner, and only some of them are named."""
_MANY = 15
_HEADING = "heading"


def intervals(alt: Any, table: Table, width: int) -> Drawn:
    """A point with its interval on every row, and a line at what is neutral."""
    nested = table.figure.within and len(table.names("y")) < len(table.rows)
    rows = _Rows.nested(table) if nested else _Rows.of(table, table.rows, per_slot=16)
    base = alt.Chart().encode(tooltip=table.tooltips(alt), **rows.encoding(alt), **colours(alt, table, 0.42 * width))
    ends = base.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(strokeWidth=2)
    points = base.transform_filter("isValid(datum.x)").mark_point(filled=True, size=70, opacity=1)
    layers = [points.encode(x=_across(alt, table))]
    if table.has("low") and table.has("high"):
        layers.insert(0, ends.encode(x=_across(alt, table, "low"), x2=alt.X2("high:Q")))
    return rows.chart(alt, layers, neutral(alt, table.figure.neutral, "x"))


def sorted_bars(alt: Any, table: Table, width: int) -> Drawn:
    """A bar for each row, the highest first, from what is neutral."""
    values: dict[str, list[float]] = {}
    for row in table.rows:
        values.setdefault(row["y"], []).extend([] if row["x"] is None else [row["x"]])
    means = {name: sum(found) / len(found) for name, found in values.items() if found}
    ordered = sorted(table.rows, key=lambda row: means.get(row["y"], float("-inf")), reverse=True)
    several = len(values) < len(table.rows)
    rows = _Rows.of(table, ordered, per_slot=8 if several else 15, gap=6 if several else 0)
    bars = (
        alt.Chart()
        .transform_filter("isValid(datum.x)")
        .mark_bar()
        .encode(
            x=_across(alt, table, stack=None),
            x2=alt.X2Datum(table.figure.neutral or 0),
            tooltip=table.tooltips(alt),
            **rows.encoding(alt),
            **colours(alt, table, 0.42 * width),
        )
    )
    return rows.chart(alt, [bars], neutral(alt, table.figure.neutral, "x"))


def box(alt: Any, table: Table, width: int) -> Drawn:
    """The middle half as a box with the median in it, and whiskers."""
    rows = _Rows.of(table, table.rows, per_slot=20, gap=14)
    base = alt.Chart().encode(tooltip=table.tooltips(alt), **rows.encoding(alt), **colours(alt, table, 0.42 * width))
    layers = []
    boxed = "isValid(datum.q25) && isValid(datum.q75)"
    if table.has("low") and table.has("high"):
        whiskers = base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        # In two pieces, so that none shows through the box.
        lower = whiskers.transform_calculate(stop=f"{boxed} ? datum.q25 : datum.high")
        upper = whiskers.transform_filter(boxed)
        layers += [
            lower.mark_rule(strokeWidth=1.5).encode(x=_across(alt, table, "low"), x2=alt.X2("stop:Q")),
            upper.mark_rule(strokeWidth=1.5).encode(x=_across(alt, table, "q75"), x2=alt.X2("high:Q")),
            *(
                whiskers.mark_tick(size=8, thickness=1.5, opacity=1).encode(x=_across(alt, table, end))
                for end in ("low", "high")
            ),
        ]
    boxes = base.transform_filter(boxed).mark_bar(size=14, fillOpacity=0.3, strokeWidth=1.5)
    layers.append(
        boxes.encode(x=_across(alt, table, "q25"), x2=alt.X2("q75:Q"), **colours(alt, table, 0.42 * width, "stroke"))
    )
    medians = base.transform_filter("isValid(datum.x)").mark_tick(size=14, thickness=3, opacity=1)
    layers.append(medians.encode(x=_across(alt, table)))
    return rows.chart(alt, layers, neutral(alt, table.figure.neutral, "x"))


def shares(alt: Any, table: Table, width: int) -> Drawn:
    """A bar of whole length on every row, cut into parts, each with its share where there is room."""
    parts = _parts(table)
    rows = _Rows.of(table, parts, per_slot=26, gap=0, slots=False)
    whole = alt.Scale(domain=[0, 1], nice=False)
    along = spaced(alt, format="%", title=f"share of {words(table.figure.x)}")
    tooltip = [*table.tooltips(alt), alt.Tooltip(field="told", type="nominal", title="share of the whole")]
    base = alt.Chart().transform_filter("isValid(datum.start)").encode(tooltip=tooltip, **rows.encoding(alt))
    bars = base.mark_bar().encode(
        x=alt.X("start:Q", scale=whole, axis=along, stack=None),
        x2=alt.X2("end:Q"),
        **colours(alt, table, 0.42 * width),
    )
    texts = base.transform_filter(f"datum.end - datum.start > {34 / width}").mark_text(style="on-colour")
    written = texts.encode(x=alt.X("middle:Q", scale=whole), text=alt.Text("told:N"))
    return rows.chart(alt, [bars, written])


def neutral(alt: Any, value: float | None, axis: str) -> list[Any]:
    """A line at the value that is no tilt."""
    if value is None:
        return []
    line = alt.Chart(alt.Data(values=[{"neutral": value}])).mark_rule(style="neutral")
    return [line.encode(**{axis: alt.Y("neutral:Q") if axis == "y" else alt.X("neutral:Q")})]


def colours(alt: Any, table: Table, room: float, *more: str) -> dict[str, Any]:
    """Which colour, where rows are of several kinds; and if asked which `shape`, for print and for eyes that see few
    colours, or which colour the outline (`stroke`) has. All share one legend."""
    made = {"color": alt.Color, "shape": alt.Shape, "stroke": alt.Stroke}
    return {key: _legend(alt, made[key], table, room) for key in ("color", *more) if table.names("colour")}


def _legend(alt: Any, channel: Any, table: Table, room: float) -> Any:
    """A scale with its legend, in as many columns as there is room for above the plot."""
    names = table.names("colour")
    longest = max(width_of(name, 11) for name in names)
    columns = max(1, min(len(names), int(room // (longest + 24))))
    legend = alt.Legend(
        title=table.title("colour"), orient="top", columns=columns, labelLimit=0.6 * table.width, values=names
    )
    domain = list(dict.fromkeys([*table.order, *names]))
    return channel(field="colour", type="nominal", scale=alt.Scale(domain=domain), sort=None, legend=legend)


def spaced(alt: Any, **more: Any) -> Any:
    """An axis whose numbers have room on a phone."""
    return alt.Axis(tickCount=alt.ExprRef("ceil(width / 60)"), titleAnchor=anchored(alt), **more)


def anchored(alt: Any) -> Any:
    """A title that is wider than its axis reaches to the left, where there are only names above it."""
    return alt.ExprRef("width >= 220 ? 'middle' : 'end'")


def _across(alt: Any, table: Table, role: str = "x", **more: Any) -> Any:
    return alt.X(f"{role}:Q", title=table.title("x"), scale=alt.Scale(zero=False), axis=spaced(alt), **more)


def _parts(table: Table) -> list[dict[str, Any]]:
    """Where each part of a bar begins and ends; of a whole of nothing there are no parts."""
    wholes: Counter[str] = Counter()
    for row in table.rows:
        if (row["x"] or 0) < 0:
            raise wrong(table.figure, f"has a part of {row['x']}, and no part of a whole is below 0")
        wholes[row["y"]] += row["x"] or 0
    order = {name: place for place, name in enumerate(table.names("colour"))}
    reached: Counter[str] = Counter()
    parts = []
    for row in sorted(table.rows, key=lambda row: order[row["colour"]]):
        part = dict(row)
        if row["x"] is not None and (whole := wholes[row["y"]]):
            start, end = reached[row["y"]] / whole, (reached[row["y"]] + row["x"]) / whole
            part |= {"start": start, "end": end, "middle": (start + end) / 2, "told": f"{end - start:.0%}"}
            reached[row["y"]] += row["x"]
        parts.append(part)
    return parts


@dataclass(frozen=True, slots=True)
class _Rows:
    """The names along the y axis, and the places of several marks on one of them."""

    rows: Sequence[dict[str, Any]]
    names: list[str]
    slots: list[str]
    height: float
    crowded: bool
    headed: bool = False
    """Whether some names are headings of those below them."""

    @classmethod
    def nested(cls, table: Table) -> "_Rows":
        """A heading for each y, and below it a row for each of its marks."""
        headings, within = cut(table.names("y"), table.width, _HEADING), cut(table.names("within"), table.width)
        names: list[str] = []
        rows = []
        for heading, shown in headings.items():
            names.append(shown)
            for row in table.rows:
                if row["y"] == heading:
                    names.append(f"{len(names)}{within[row['within']]}")
                    rows.append({**row, "y": names[-1]})
        height = (LINE + 1) * len(names)
        return cls(rows, names, [], min(height, TALLEST), height > TALLEST, headed=True)

    @classmethod
    def of(
        cls, table: Table, rows: Sequence[dict[str, Any]], *, per_slot: int, gap: int = 8, slots: bool = True
    ) -> "_Rows":
        names = list(dict.fromkeys(row["y"] for row in rows))
        # One long name must not set many others far apart.
        shown = (cut if len(names) > _MANY else folded)(names, table.width)
        placed = [{**row, "y": shown[row["y"]]} for row in rows]
        offsets = _offsets(table, placed) if slots else []
        step = per_slot * max(len(offsets), 1) + gap
        lines = lines_of(shown.values())
        height = len(names) * max(step, LINE * lines + (4 if lines > 1 else 0))
        return cls(placed, list(shown.values()), offsets, min(height, TALLEST), height > TALLEST)

    def encoding(self, alt: Any) -> dict[str, Any]:
        weight = _bold(alt) if self.headed else "normal"
        overlap = "greedy" if self.crowded else False
        axis = name_axis(alt, self.names, labelFontWeight=weight, labelOverlap=overlap)
        found = {"y": alt.Y("y:N", scale=alt.Scale(domain=self.names), sort=None, axis=axis)}
        if self.slots:
            found["yOffset"] = alt.YOffset("slot:N", scale=alt.Scale(domain=self.slots), sort=None)
        return found

    def chart(self, alt: Any, layers: Sequence[Any], behind: Sequence[Any] = ()) -> Drawn:
        # A height in pixels, not a step: only then can a page fit the width to its own.
        return alt.layer(*behind, *layers, height=round(self.height)), self.rows


def _bold(alt: Any) -> Any:
    heading = alt.condition(f"indexof(datum.value, '{_HEADING}') === 0", alt.value("bold"), alt.value("normal"))
    return alt.ConditionalAxisLabelFontWeight(**heading)


def _offsets(table: Table, rows: Sequence[dict[str, Any]]) -> list[str]:
    """The places within one name, and each row's own in `slot`; none where every name has one row."""
    if len({row["y"] for row in rows}) == len(rows):
        return []
    keys = [role for role in ("within", "colour") if table.names(role)]
    if len({(row["y"], row["within"]) for row in rows if "within" in row}) == len(rows):
        keys = ["within"]
    order = {role: {name: place for place, name in enumerate(table.names(role))} for role in keys}
    again: Counter[tuple[Any, ...]] = Counter()
    slots: dict[tuple[int, ...], str] = {}
    for row in rows:
        place = tuple(order[role][row[role]] for role in keys)
        again[row["y"], place] += 1
        # The same row twice: below one another, not on top of each other.
        key = (*place, again[row["y"], place])
        row["slot"] = slots.setdefault(key, "/".join(map(str, key)))
    return [slots[key] for key in sorted(slots)]
