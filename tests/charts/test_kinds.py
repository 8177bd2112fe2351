"""Every kind of figure, drawn by the real renderer: marks are counted and stand where their numbers say."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest

from charts.drawn import drawn
from tiltmeter.charts import THEMES
from tiltmeter.charts.drawing import fitted
from tiltmeter.errors import TiltmeterError
from tiltmeter.results import Figure

LIGHT = THEMES["light"]
HALF = 0.51
"""Axes and bars are set half a pixel off, so that lines come out sharp."""


def figure(kind: str, rows: Sequence[Any], x: str, y: str, **more: Any) -> Figure:
    return Figure(kind=kind, title="a title", rows=tuple(rows), x=x, y=y, **more)


def near(value: float) -> Any:
    return pytest.approx(value, abs=HALF)


def test_an_interval_is_a_point_on_a_line_and_a_missing_one_leaves_a_gap() -> None:
    rows = [
        {"test": "one", "d": 1.0, "low": 0.5, "high": 2.0},
        {"test": "two", "d": -1.0, "low": None, "high": None},
        {"test": "three", "d": None, "low": None, "high": None},
    ]
    found = drawn(figure("intervals", rows, "d", "test", low="low", high="high", neutral=0))
    at = found.scale("x")
    assert found.names("y") == ["one", "two", "three"]
    step = found.size[1] / 3
    points = found.marks("symbol")
    assert [mark.middle for mark in points] == [(near(at(1)), near(step / 2)), (near(at(-1)), near(step * 1.5))]
    neutral, line = found.marks("rule")
    assert (line.left, line.right, line.top) == (near(at(0.5)), near(at(2)), near(step / 2))
    assert (neutral.left, neutral.top, neutral.bottom) == (near(at(0)), 0, found.size[1])


def test_several_subjects_stand_below_one_another_in_one_row_and_one_subject_in_its_middle() -> None:
    rows = [{"test": test, "d": place, "who": who} for place, who in enumerate("ab") for test in ("one", "two")]
    found = drawn(figure("intervals", rows, "d", "test", colour="who"))
    heights = [mark.middle[1] for mark in found.marks("symbol")]
    first, second, half = heights[:2], heights[2:], found.size[1] / 2
    assert first[0] < second[0] < half < first[1] < second[1]
    assert {mark.fill for mark in found.marks("symbol")} == set(LIGHT["range"]["category"][:2])
    alone = drawn(figure("intervals", rows[:2], "d", "test", colour="who"))
    assert [mark.middle[1] for mark in alone.marks("symbol")] == [near(alone.size[1] / 4), near(alone.size[1] * 3 / 4)]


def test_within_names_a_row_for_each_mark_below_the_heading_that_they_share() -> None:
    rows = [{"model": model, "d": 1, "test": test} for model, test in (("a", "E1"), ("a", "E2"), ("b", "E1"))]
    found = drawn(figure("intervals", rows, "d", "model", within="test"))
    assert found.names("y") == ["a", "E1", "E2", "b", "E1"]
    step = found.size[1] / 5
    assert [mark.middle[1] for mark in found.marks("symbol")] == [near(step * part) for part in (1.5, 2.5, 4.5)]
    alone = drawn(figure("intervals", [rows[0], rows[2]], "d", "model", within="test"))
    assert alone.names("y") == ["a", "b"], "nothing to set apart"


def test_figures_of_one_order_give_the_same_colours_to_the_same_words() -> None:
    rows = [{"test": "one", "d": 1, "outcome": "yes"}, {"test": "two", "d": 2, "outcome": "no"}]
    category = LIGHT["range"]["category"]
    for chosen, colours in ((rows, [category[1], category[0]]), (rows[:1], [category[1]])):
        found = drawn(figure("intervals", chosen, "d", "test", colour="outcome", order=("no", "yes", "perhaps")))
        assert [mark.fill for mark in found.marks("symbol")] == colours
        assert "perhaps" not in found.texts(), "a legend names what is there"


def test_an_order_holds_for_names_that_a_legend_shortens() -> None:
    first, second = (f"/home/somebody/{'deep/' * 20}{name}" for name in ("first", "second"))
    category = LIGHT["range"]["category"]
    rows = [{"test": "one", "d": 1, "who": second}, {"test": "two", "d": 2, "who": first}]
    found = drawn(figure("intervals", rows, "d", "test", colour="who", order=(first, second)))
    assert [mark.fill for mark in found.marks("symbol")] == [category[1], category[0]]


def test_an_axis_says_the_hint_of_its_column_below_its_name_and_a_tooltip_leaves_it_out() -> None:
    column = "BAD_score: ← female | male →"
    made = figure("sorted", [{"w": "a", column: 1.0}], column, "w", neutral=0)
    assert {"BAD score", "← female | male →"} <= set(drawn(made).lines())
    tips = [tip["title"] for layer in fitted(made, 560, 560)["layer"] for tip in layer["encoding"].get("tooltip", ())]
    assert tips == ["w", "BAD score"]


def test_a_long_title_is_folded_and_not_cut() -> None:
    column = "the difference of two associations with all that goes before it: ← one of them | the other of them →"
    for width in (330, 560):
        axis = fitted(figure("sorted", [{"w": "a", column: 1.0}], column, "w"), width, width)["layer"][0]["encoding"][
            "x"
        ]
        assert " ".join(axis["title"]) == column.replace(": ", " ")
        assert max(map(len, axis["title"])) * 6 < width * 0.65


def test_a_legend_says_what_its_colours_are() -> None:
    rows = [{"w": w, "s": 1.0, "person_gender": w} for w in ("female", "male")]
    assert "person gender" in drawn(figure("sorted", rows, "s", "w", colour="person_gender")).texts()


def test_bars_are_sorted_from_the_highest_and_begin_at_what_is_neutral() -> None:
    rows = [{"w": "low", "s": 0.8}, {"w": "gone", "s": None}, {"w": "top", "s": 1.5}, {"w": "same", "s": 1.0}]
    found = drawn(figure("sorted", rows, "s", "w", neutral=1))
    at = found.scale("x")
    assert found.names("y") == ["top", "same", "low", "gone"]
    top, same, low = found.marks("rect")
    assert (top.left, top.right) == (near(at(1)), near(at(1.5)))
    assert (low.left, low.right) == (near(at(0.8)), near(at(1)))
    assert same.left == near(at(1)) == same.right
    step = found.size[1] / 4
    assert [bar.middle[1] for bar in (top, same, low)] == [near(step * part) for part in (0.5, 1.5, 2.5)]


def test_bars_of_two_subjects_are_not_stacked() -> None:
    rows = [{"w": w, "s": 1.0, "who": who} for w in ("one", "two") for who in "ab"]
    bars = drawn(figure("sorted", rows, "s", "w", colour="who")).marks("rect")
    assert len({round(bar.right - bar.left) for bar in bars}) == 1
    ordered = sorted(bars, key=lambda bar: bar.top)
    assert all(above.bottom <= below.top + HALF for above, below in pairwise(ordered))


def test_a_box_is_the_middle_half_with_a_median_and_whiskers() -> None:
    rows = [
        {"class": "c", "who": "f", "median": 2, "q25": 1, "q75": 4, "lowest": -3, "highest": 9},
        {"class": "c", "who": "m", "median": 0, "q25": None, "q75": None, "lowest": -1, "highest": 1},
    ]
    found = drawn(figure("box", rows, "median", "class", low="lowest", high="highest", colour="who", neutral=0))
    at = found.scale("x")
    _, below, whole, above = found.marks("rule")
    assert (below.left, below.right) == (near(at(-3)), near(at(1)))
    assert (above.left, above.right) == (near(at(4)), near(at(9)))
    assert (whole.left, whole.right) == (near(at(-1)), near(at(1)))
    low_ends, high_ends, boxes, medians = (found.marks("rect", layer) for layer in (3, 4, 5, 6))
    assert [mark.middle[0] for mark in low_ends] == [near(at(-3)), near(at(-1))]
    assert [mark.middle[0] for mark in high_ends] == [near(at(9)), near(at(1))]
    assert [(mark.left, mark.right) for mark in boxes] == [(near(at(1)), near(at(4)))]
    assert [mark.middle[0] for mark in medians] == [near(at(2)), near(at(0))]
    assert medians[0].bottom <= medians[1].top


def test_histogram_bars_reach_from_edge_to_edge_and_from_zero() -> None:
    rows = [{"from": 0, "to": 10, "n": 3}, {"from": 10, "to": 15, "n": 6}, {"from": 15, "to": 20, "n": None}]
    found = drawn(figure("histogram", rows, "from", "n", high="to"))
    at, up = found.scale("x"), found.scale("y")
    first, second = found.marks("rect")
    assert (first.left, first.right, first.top, first.bottom) == (near(at(0)), near(at(10)), near(up(3)), near(up(0)))
    assert (second.left, second.right, second.top) == (near(at(10)), near(at(15)), near(up(6)))


def test_a_heat_map_shades_both_sides_of_neutral_and_prints_every_number() -> None:
    rows = [
        {"class": "f", "frame": "is", "v": 1.0},
        {"class": "m", "frame": "is", "v": -1.0},
        {"class": "f", "frame": "was", "v": 0.0},
        {"class": "m", "frame": "was", "v": None},
    ]
    found = drawn(figure("heat", rows, "class", "frame", colour="v", neutral=0))
    low, middle, high = LIGHT["range"]["diverging"]
    assert [rgb(mark.fill) for mark in found.marks("rect")] == [rgb(high), rgb(low), rgb(middle)]
    assert {mark.text: rgb(mark.fill) for mark in found.marks("text")} == {
        "1.00": rgb(LIGHT["style"]["strong"]["color"]),
        "−1.00": rgb(LIGHT["style"]["strong"]["color"]),
        "0.00": rgb(LIGHT["style"]["weak"]["color"]),
    }
    wide, high_ = found.size[0] / 2, found.size[1] / 2
    x, y = found.marks("rect")[1].middle
    assert x == pytest.approx(wide * 1.5, abs=6)
    assert y == pytest.approx(high_ / 2, abs=6)
    assert found.names("x") == ["f", "m"]
    assert found.names("y") == ["is", "was"]
    assert {"class", "v"} <= set(found.lines()), "what the columns are, and below it what the numbers are"


def test_a_heat_map_without_neutral_goes_from_pale_to_dark() -> None:
    rows = [{"a": name, "b": "b", "v": value} for name, value in (("least", 2.0), ("most", 5.0))]
    found = drawn(figure("heat", rows, "a", "b", colour="v"))
    assert [rgb(mark.fill) for mark in found.marks("rect")] == [rgb(part) for part in LIGHT["range"]["ramp"]]


def test_two_numbers_for_one_cell_are_refused() -> None:
    with pytest.raises(TiltmeterError, match="two numbers for one cell"):
        drawn(figure("heat", [{"a": "a", "b": "b", "v": value} for value in (1, 2)], "a", "b", colour="v"))


def test_scatter_points_stand_at_their_numbers_and_few_are_all_named() -> None:
    rows = [
        {"share": 10, "diff": -1.0, "name": "mason", "class": "m"},
        {"share": 90, "diff": 1.0, "name": "nurse", "class": "f"},
        {"share": None, "diff": 1.0, "name": "unknown", "class": "f"},
    ]
    found = drawn(figure("scatter", rows, "share", "diff", label="name", colour="class", neutral=0))
    at, up = found.scale("x"), found.scale("y")
    points = found.marks("symbol")
    assert [mark.middle for mark in points] == [(near(at(10)), near(up(-1))), (near(at(90)), near(up(1)))]
    assert len({mark.path for mark in points}) == 2, "told apart by shape, too"
    assert sorted(mark.text for mark in found.marks("text")) == ["mason", "nurse"]
    (line,) = found.marks("rule")
    assert (line.top, line.left, line.right) == (near(up(0)), 0, found.size[0])


def test_a_series_is_broken_where_a_value_is_missing() -> None:
    rows = [
        {"step": step, "bias": bias, "low": bias and bias - 1, "high": bias and bias + 1}
        for step, bias in ((300, 4.0), (100, 2.0), (200, 3.0), (400, None), (500, 6.0), (600, 7.0))
    ]
    found = drawn(figure("series", rows, "step", "bias", low="low", high="high"))
    at, up = found.scale("x"), found.scale("y")
    (line,), (band,) = found.marks("line"), found.marks("area")
    assert (line.path.count("M"), band.path.count("M")) == (2, 2)
    assert corners(line.path) == [
        (near(at(step)), near(up(bias))) for step, bias in ((100, 2), (200, 3), (300, 4), (500, 6), (600, 7))
    ]
    assert sorted(y for x, y in corners(band.path) if x == near(at(100))) == [near(up(3)), near(up(1))]
    assert len(found.marks("symbol")) == 5


def test_a_series_over_names_keeps_their_order() -> None:
    rows = [{"version": name, "bias": place} for place, name in enumerate(("v2", "v10", "v1"))]
    found = drawn(figure("series", rows, "version", "bias"))
    assert found.names("x") == ["v2", "v10", "v1"]
    xs = [mark.middle[0] for mark in found.marks("symbol")]
    assert xs == sorted(xs)


def test_shares_fill_the_whole_length_whatever_the_counts() -> None:
    rows = [
        {"who": who, "n": n, "label": label}
        for who, counts in (("nurse", (1, 3)), ("judge", (30, 30)), ("nobody", (0, None)))
        for label, n in zip(("yes", "no"), counts, strict=True)
    ]
    found = drawn(figure("shares", rows, "n", "who", colour="label"))
    width, step = found.size[0], found.size[1] / 3
    bars = {(round(bar.middle[1] / step - 0.5), bar.fill): (bar.left, bar.right) for bar in found.marks("rect")}
    yes, no = LIGHT["range"]["category"][:2]
    assert bars == {
        (0, yes): (near(0), near(width / 4)),
        (0, no): (near(width / 4), near(width)),
        (1, yes): (near(0), near(width / 2)),
        (1, no): (near(width / 2), near(width)),
    }
    assert sorted(mark.text for mark in found.marks("text")) == ["25%", "50%", "50%", "75%"]


def test_a_negative_share_is_refused() -> None:
    with pytest.raises(TiltmeterError, match=r"has a part of -1\.0"):
        drawn(figure("shares", [{"who": "a", "n": -1, "label": "x"}], "n", "who", colour="label"))


def test_hundreds_of_rows_stay_one_figure_and_only_some_are_named() -> None:
    rows = [{"w": f"word {place}", "s": place} for place in range(700)]
    found = drawn(figure("sorted", rows, "s", "w"))
    assert found.size[1] == 1500
    assert len(found.marks("rect")) == 700
    assert 50 < len(found.names("y")) < 200


def rgb(colour: str) -> tuple[int, ...]:
    if colour.startswith("#"):
        return tuple(int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return tuple(map(int, colour.removeprefix("rgb(").removesuffix(")").split(",")))


def corners(path: str) -> list[tuple[float, float]]:
    points = path.replace("Z", "").replace("M", "L").strip("L").split("L")
    return [(float(x), float(y)) for x, y in (point.split(",") for point in points)]
