"""Figures from a folder that anybody may have written: drawn as text, or refused in one sentence."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import vl_convert
from hypothesis import given, settings
from hypothesis import strategies as st

from charts.drawn import drawn, read
from charts.examples import EXAMPLES, HOSTILE
from tiltmeter import charts
from tiltmeter.charts.drawing import KINDS, fitted
from tiltmeter.charts.table import NUMBERS, ROLES
from tiltmeter.errors import TiltmeterError
from tiltmeter.results import Figure

EVERY = pytest.mark.parametrize("kind", EXAMPLES)
NAMES = (
    "a.b",
    "a[0]",
    "a['b']",
    'say "x"',
    "back\\slash",
    "tail\\",
    "image",
    "__proto__",
    "护士 {x}",
    "a_b\u2028c",
    "",
)


def renamed(figure: Figure, rename: Callable[[str], str]) -> Figure:
    """The same figure with other column names."""
    fixed = {"q25", "q75"}
    rows = tuple({name if name in fixed else rename(name): value for name, value in row.items()} for row in figure.rows)
    roles: dict[str, Any] = {role: rename(name) for role in ROLES if (name := getattr(figure, role))}
    return replace(figure, rows=rows, **roles)


def shapes(found: Any) -> list[tuple[float, ...]]:
    kinds = ("rule", "rect", "symbol", "line", "area", "text")
    return [(mark.left, mark.top, mark.right, mark.bottom) for kind in kinds for mark in found.marks(kind)]


def test_there_is_an_example_of_every_kind() -> None:
    assert EXAMPLES.keys() == KINDS.keys() == NUMBERS.keys()


@EVERY
@pytest.mark.parametrize("name", NAMES)
def test_no_column_name_is_taken_for_a_path_or_for_code(kind: str, name: str) -> None:
    plain = EXAMPLES[kind]
    odd = renamed(plain, lambda column: f"{column}{name}")
    pictures = [
        read(vl_convert.vegalite_to_svg({**fitted(f, 560, 560), "config": {"mark": {"aria": False}}}))
        for f in (plain, odd)
    ]
    assert shapes(pictures[0]) == shapes(pictures[1])


@EVERY
def test_hostile_text_is_drawn_as_text(kind: str) -> None:
    texts = {role for role in ROLES if getattr(EXAMPLES[kind], role)} - NUMBERS[kind] - {"x"} | (
        {"x"} if kind == "heat" else set()
    )
    columns = {getattr(EXAMPLES[kind], role) for role in texts}
    rows = tuple(
        {name: f"{HOSTILE}{value}" if name in columns else value for name, value in row.items()}
        for row in EXAMPLES[kind].rows
    )
    figure = replace(EXAMPLES[kind], rows=rows, title=HOSTILE)
    told = charts.specification(figure)
    assert "<" not in told
    assert "\u2028" not in told
    plain = drawn(EXAMPLES[kind])
    found = drawn(figure)
    assert {kind: len(found.marks(kind)) for kind in ("rule", "rect", "symbol")} == {
        kind: len(plain.marks(kind)) for kind in ("rule", "rect", "symbol")
    }
    shown = [text.replace("\u2060", "") for text in found.texts()]
    assert any("</script><img" in text for text in shown)
    assert "</script><img" not in charts.draw(figure).to_html()


@EVERY
def test_no_rows_and_rows_of_nothing_are_drawn_empty(kind: str) -> None:
    assert "no values" in drawn(replace(EXAMPLES[kind], rows=())).texts()
    nothing = tuple(dict.fromkeys(row, None) for row in EXAMPLES[kind].rows[:1])
    found = drawn(replace(EXAMPLES[kind], rows=nothing))
    assert [len(found.marks(mark)) for mark in ("rect", "symbol")] == [0, 0]


@EVERY
@pytest.mark.parametrize("value", [float("nan"), float("inf"), "text", True, 10**400, -1e300, [1], {"a": 1}])
def test_what_is_no_number_is_refused_with_its_column(kind: str, value: object) -> None:
    for role in NUMBERS[kind]:
        column = getattr(EXAMPLES[kind], role, None) or role
        if column in EXAMPLES[kind].rows[0]:
            rows = ({**EXAMPLES[kind].rows[0], column: value}, *EXAMPLES[kind].rows[1:])
            with pytest.raises(TiltmeterError, match=f"figure '.*' cannot be drawn: it has .* in column '{column}'"):
                charts.specification(replace(EXAMPLES[kind], rows=rows))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"x": "elsewhere"}, "has no column 'elsewhere'"),
        ({"x": None}, "has no text as its x"),
        ({"title": 3}, "has no text as its title"),
        ({"colour": ["a"]}, "has no column name as its colour"),
        ({"neutral": "0"}, "has '0' as its neutral value"),
        ({"neutral": float("nan")}, "has nan as its neutral value"),
        ({"rows": (3,)}, "has a row that is no table row"),
        ({"rows": ({4: 5},)}, "has a row that is no table row"),
    ],
)
def test_a_figure_that_is_none_is_refused_in_one_sentence(change: dict[str, Any], said: str) -> None:
    with pytest.raises(TiltmeterError, match=said):
        charts.specification(replace(EXAMPLES["intervals"], **change))


@pytest.mark.parametrize(("kind", "role"), [("histogram", "high"), ("heat", "colour"), ("shares", "colour")])
def test_a_kind_says_which_column_it_needs(kind: str, role: str) -> None:
    with pytest.raises(TiltmeterError, match=f"names no column as its {role}, and a {kind} figure needs one"):
        charts.specification(replace(EXAMPLES[kind], **{role: None}))  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["pie", None, ["intervals"]])
def test_an_unknown_kind_is_refused(kind: Any) -> None:
    with pytest.raises(TiltmeterError, match="no kind of figure"):
        charts.specification(replace(EXAMPLES["intervals"], kind=kind))


def test_names_that_look_alike_stay_two_rows() -> None:
    long = "a very long name " * 20
    names = [f"{long}1", f"{long}2", "1", 1, "tab\there", "tab here"]
    found = drawn(Figure(kind="sorted", title="t", rows=tuple({"n": n, "v": 1} for n in names), x="v", y="n"))
    assert len(found.marks("rect")) == len(set(found.names("y"))) == len(names)


@settings(max_examples=60)
@given(data=st.data(), kind=st.sampled_from(sorted(EXAMPLES)))
def test_whatever_the_cells_a_figure_is_drawn_or_refused_in_a_sentence(data: st.DataObject, kind: str) -> None:
    value = st.none() | st.floats() | st.integers() | st.text(st.characters(codec=None, categories=None), max_size=8)
    columns = list(EXAMPLES[kind].rows[0])
    rows = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, value)), max_size=4))
    neutral = data.draw(st.none() | st.floats())
    try:
        told = charts.specification(replace(EXAMPLES[kind], rows=tuple(rows), neutral=neutral))
    except TiltmeterError:
        return
    assert len(json.loads(told)["datasets"]["rows"]) <= max(len(rows), 1)
    told.encode()


def test_a_theme_that_is_not_there_is_refused_with_the_nearest() -> None:
    with pytest.raises(TiltmeterError, match="no theme 'drak'; did you mean 'dark'"):
        charts.draw(EXAMPLES["heat"], theme="drak")


@EVERY
def test_the_specification_has_no_colours_and_each_theme_draws_on_its_own_ground(kind: str) -> None:
    told = json.loads(charts.specification(EXAMPLES[kind]))
    assert "config" not in told
    assert "#" not in json.dumps([layer["mark"] for layer in told["layer"]])
    assert told["width"] == "container"
    light, dark = (drawn(EXAMPLES[kind], theme=theme) for theme in ("light", "dark"))
    for found, theme in ((light, "light"), (dark, "dark")):
        texts = {item.get("fill") for item in found.root.iter("{http://www.w3.org/2000/svg}text")}
        styles = charts.THEMES[theme]["style"]
        assert texts <= {charts.THEMES[theme]["axis"]["labelColor"], *(style["color"] for style in styles.values())}
    assert shapes(light) == shapes(dark)
