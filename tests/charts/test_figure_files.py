"""Figures as files: print-sized, legible in every script, all or none."""

import io
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pypdf
import pytest
import vl_convert
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from charts.drawn import read
from charts.examples import EXAMPLES
from tiltmeter.charts import MissingGlyphs, write_figures
from tiltmeter.charts.files import file_names
from tiltmeter.charts.fonts import families_for, missing
from tiltmeter.errors import TiltmeterError
from tiltmeter.results import Figure

OWL = "\U00013153"
"""A hieroglyph: in no font that a system brings."""


def bars(*names: str, title: str = "bars") -> Figure:
    rows = tuple({"name": name, "value": place + 1} for place, name in enumerate(names))
    return Figure(kind="sorted", title=title, rows=rows, x="value", y="name")


@pytest.fixture
def cjk() -> None:
    if missing(vl_convert, "护", families_for("护", None)) and not os.environ.get("CI"):
        pytest.skip("no font has Chinese characters: apt-get install fonts-noto-cjk")


@pytest.fixture
def own_font(tmp_path: Path) -> Path:
    """A font that has the letter A and an owl, both as a bar."""
    pen = TTGlyphPen(None)
    for point, draw in zip(((100, 0), (100, 700), (300, 700), (300, 0)), (pen.moveTo, *[pen.lineTo] * 3), strict=True):
        draw(point)
    pen.closePath()
    bar, empty = pen.glyph(), TTGlyphPen(None).glyph()
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder([".notdef", "bar"])
    builder.setupCharacterMap({ord("A"): "bar", ord(OWL): "bar"})
    builder.setupGlyf({".notdef": empty, "bar": bar})
    builder.setupHorizontalMetrics({".notdef": (400, 0), "bar": (400, 100)})
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": f"Owl of {tmp_path.name}", "styleName": "Regular", "psName": "Owl"})
    builder.setupOS2()
    builder.setupPost()
    path = tmp_path / "owl.ttf"
    builder.save(path)
    return path


def test_each_figure_is_three_files_named_in_order_by_their_titles(tmp_path: Path) -> None:
    titles = ["BAD scores, naïve: a/b\\c", "护士", "护士", "../../etc/passwd", "word " * 40, "con", "x" * 300]
    figures = [replace(EXAMPLES["shares"], title=title) for title in titles]
    *paths, captions = write_figures(figures, tmp_path / "new" / "folder")
    stems = [path.stem for path in paths[::3]]
    assert stems[:4] == ["01-bad-scores-naive-a-b-c", "02-figure", "03-figure", "04-etc-passwd"]
    assert stems[5] == "06-con"
    assert max(map(len, stems)) <= len("00-") + 100
    assert [path.suffix for path in paths[:3]] == [".svg", ".png", ".pdf"]
    assert sorted([*paths, captions]) == sorted((tmp_path / "new" / "folder").iterdir())


@given(
    kinds=st.lists(
        st.lists(st.sampled_from(["association", "effect", "professions", "template"]), min_size=1),
        min_size=1,
        max_size=4,
        unique_by=tuple,
    ),
    models=st.lists(st.from_regex(r"[a-z]{1,12}", fullmatch=True), min_size=1, max_size=3, unique=True),
)
def test_a_long_name_keeps_its_model_and_its_language(kinds: list[list[str]], models: list[str]) -> None:
    """Of titles of any length, all of which say much the same."""
    common = "BEC-Pro: female less male association by template, class of professions and gender of the person"
    titles = [
        (f"{common} {' '.join(kind)} number {place}, /home/somebody/models/{model}, {lang}", model, lang)
        for place, kind in enumerate(kinds)
        for model in models
        for lang in ("de", "zh")
    ]
    names = file_names([title for title, _, _ in titles])
    assert len(set(names)) == len(titles)
    for name, (_, model, lang) in zip(names, titles, strict=True):
        assert len(name) <= 100
        assert name.startswith("bec-")
        assert name.endswith(f"-{model}-{lang}")


def test_captions_stand_beside_the_figures_with_their_numbers_names_and_titles(tmp_path: Path) -> None:
    figures = [
        replace(bars("a", title="First: of two"), caption="Above 0\x07is\ud800more."),
        bars("b", title="护士"),
    ]
    written = write_figures(figures, tmp_path)
    assert written[-1] == tmp_path / "captions.txt"
    assert written[-1].read_text("utf-8") == (
        "Figure 1: 01-first-of-two\nFirst: of two\nAbove 0 is more.\n\nFigure 2: 02-figure\n护士\n"
    )


def test_no_figures_are_no_files(tmp_path: Path) -> None:
    assert write_figures([], tmp_path) == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_files_of_a_kind_are_as_wide_as_a_page_on_white_and_their_text_is_text(tmp_path: Path, kind: str) -> None:
    svg, png, pdf, _ = write_figures([EXAMPLES[kind]], tmp_path)
    page = pypdf.PdfReader(pdf).pages[0]
    assert float(page.mediabox.width) == pytest.approx(455)
    with Image.open(png) as image:
        assert image.width == pytest.approx(455 / 72 * 300, abs=1)
        assert image.height == pytest.approx(float(page.mediabox.height) / 72 * 300, abs=1)
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
        assert image.convert("RGBA").getpixel((1, 1)) == (255, 255, 255, 255)
    words = {word for text in read(svg.read_text("utf-8")).lines() for word in text.split()}
    assert {word for word in words if word.isalpha()} <= set(page.extract_text().split())
    assert {"nurse", "female", "career", "from"} & words


@pytest.mark.usefixtures("cjk")
def test_chinese_japanese_and_cyrillic_are_drawn_and_can_be_copied(tmp_path: Path) -> None:
    names = ["护士", "看護師さん", "медсестра"]
    _, _, pdf, _ = write_figures([bars(*names)], tmp_path)
    text = pypdf.PdfReader(pdf).pages[0].extract_text()
    assert all(name in text for name in names)
    pictures = {
        name: picture(write_figures([bars(name)], tmp_path)[1]) for name in ("护", "看", "м", "д", "\U0010fffd")
    }
    assert len(set(pictures.values())) == 5, "each differs from the others and from the box of a missing character"


def picture(path: Path) -> bytes:
    with Image.open(path) as image:
        buffer = io.BytesIO()
        image.save(buffer, "BMP")
    return buffer.getvalue()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("nurse", "Liberation Sans"),
        ("护士 nurse", "Noto Sans CJK SC"),
        ("看護師さん", "Noto Sans CJK JP"),
        ("간호사", "Noto Sans CJK KR"),
    ],
)
def test_each_script_asks_for_its_plain_fonts_and_always_ends_in_one_that_is_there(text: str, first: str) -> None:
    families = families_for(text, None)
    assert families.startswith(first)
    assert families.endswith("sans-serif")
    assert families_for(text, "Mine").startswith(f"'Mine', {first}")


def test_missing_characters_are_named_in_one_warning(tmp_path: Path) -> None:
    with pytest.warns(MissingGlyphs) as said:
        write_figures([bars(OWL, "nurse"), bars(f"{OWL}\U00013154")], tmp_path)
    (warning,) = said
    assert f"instead: {OWL} \U00013154; install a font" in str(warning.message)
    assert len(list(tmp_path.iterdir())) == 7


def test_without_a_chinese_font_the_warning_says_what_to_install(tmp_path: Path) -> None:
    """In a process of its own whose system has no fonts at all."""
    (tmp_path / "fonts.conf").write_text(f"<fontconfig><dir>{tmp_path}/none</dir></fontconfig>")
    code = (
        "from tiltmeter.charts import write_figures; from tiltmeter.results import Figure;"
        "rows = ({'n': '护士', 'v': 1}, {'n': 'врач', 'v': 2});"
        f"write_figures([Figure(kind='sorted', title='t', rows=rows, x='v', y='n')], {str(tmp_path / 'out')!r})"
    )
    environment = {**os.environ, "FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "HOME": str(tmp_path)}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert "instead: 士 护; install a font" in ran.stderr, "and Cyrillic is there, for vl-convert brings a font"
    assert "fonts-noto-cjk" in ran.stderr
    assert "--font" in ran.stderr


def test_a_font_file_is_used_and_what_it_has_is_not_missing(tmp_path: Path, own_font: Path) -> None:
    svg, _, pdf, _ = write_figures([bars(OWL, "nurse")], tmp_path / "out", font=own_font)
    assert f"font-family=\"'Owl of {tmp_path.name}'" in svg.read_text("utf-8").replace("&apos;", "'")
    fonts = pypdf.PdfReader(pdf).pages[0]["/Resources"]["/Font"]  # type: ignore[index]
    names = {font.get_object()["/BaseFont"].split("+")[-1] for font in fonts.values()}
    assert "Owl" in names, "for A and the owl; and beside it another for the letters that it lacks"
    assert len(names) > 1


@pytest.mark.parametrize(
    ("font", "said"),
    [
        ("No Such Family", "no font of that name is installed"),
        ("x' onload='alert(1)", "no font of that name is installed"),
        ("nowhere.ttf", "there is no such file"),
        ("folder/nowhere", "there is no such file"),
    ],
)
def test_a_font_that_is_not_there_is_refused(tmp_path: Path, font: str, said: str) -> None:
    with pytest.raises(TiltmeterError, match=re.escape(f"--font {font}: {said}")):
        write_figures([bars("a")], tmp_path / "out", font=font)
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_no_font_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "font.ttf"
    for content in (b"", b"ttcf", b"\x00\x01\x00\x00" + b"x" * 40, b"hello"):
        path.write_bytes(content)
        with pytest.raises(TiltmeterError, match=r"font\.ttf: this is no font that can be read"):
            write_figures([bars("a")], tmp_path / "out", font=path)


def test_nothing_is_written_when_one_figure_fails(tmp_path: Path) -> None:
    broken = replace(EXAMPLES["scatter"], rows=({"share": "x", "difference": 1, "profession": "a", "class": "b"},))
    (tmp_path / "out").mkdir()
    with pytest.raises(TiltmeterError, match="cannot be drawn"):
        write_figures([bars("a"), broken], tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_place_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(TiltmeterError, match="cannot be written"):
        write_figures([bars("a")], tmp_path / "file")


def test_a_figure_of_many_rows_fits_a_page_and_names_them_all(tmp_path: Path) -> None:
    svg, _, pdf, _ = write_figures([bars(*(f"profession {place}" for place in range(65)))], tmp_path)
    assert float(pypdf.PdfReader(pdf).pages[0].mediabox.height) < 720
    assert len(read(svg.read_text("utf-8")).names("y")) == 65
