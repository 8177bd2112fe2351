"""Whatever text comes, the reader of a format gives the same text back."""

import csv
import io
import re
import unicodedata

from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from report.handmade import HOSTILE, latex_read
from tiltmeter.report import latex_text, markdown
from tiltmeter.results import harmless

SIGNS = st.sampled_from(list("\\`*_{}[]<>()#+-.!|~$&%^@:/='\",;?0aZ \n\té护ж") + list(HOSTILE.values()))
TEXTS = st.lists(SIGNS, max_size=12).map("".join)
RENDER = MarkdownIt("gfm-like", {"html": True})


def one_line(text: str) -> str:
    return " ".join(text.split())


@given(TEXTS)
def test_markdown_in_a_cell_a_paragraph_and_a_heading(text: str) -> None:
    raw = f"| a | b |\n| --- | --- |\n| {markdown.text(text)} | 1 |\n\n- {markdown.paragraph(text)}\n"
    page = BeautifulSoup(RENDER.render(raw), "html.parser")
    kept = {"table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert {tag.name for tag in page.find_all(True)} <= kept
    for tag in (page.find("td"), page.find("li")):
        assert tag is not None
        seen = re.sub("[\u2060\u2068\u2069]", "", tag.get_text())
        assert one_line(seen) == one_line(text)


@given(TEXTS)
def test_markdown_code(text: str) -> None:
    page = BeautifulSoup(RENDER.render(f"x {markdown.code(text or 'y')}"), "html.parser")
    code = page.find("code")
    assert code is not None or not one_line(text)
    if code is not None:
        assert one_line(code.get_text()) == one_line(text or "y")


@given(TEXTS)
def test_a_command_stays_in_its_fence(text: str) -> None:
    page = BeautifulSoup(RENDER.render(f"{markdown.fenced(text)}\n\nafter"), "html.parser")
    assert [tag.name for tag in page.find_all(recursive=False)] == ["pre", "p"]


@given(TEXTS)
def test_latex(text: str) -> None:
    read = latex_read(latex_text.text(text))
    named = "".join(
        f"[U+{ord(sign):04X}]" if unicodedata.category(sign) == "Cf" and sign != "\u200d" else sign for sign in text
    )
    assert squeezed(read) == squeezed(named)


@given(TEXTS)
def test_latex_that_may_be_broken_into_lines(text: str) -> None:
    whole, broken = (squeezed(latex_read(told(text))) for told in (latex_text.text, latex_text.breakable))
    assert broken == whole
    lines = latex_text.folded(text, 5.0)
    assert squeezed("".join(lines)) == squeezed(text)


@given(st.text())
def test_a_latex_comment_is_one_line(text: str) -> None:
    (line,) = latex_text.comment(text).splitlines()
    assert line.startswith("% ")


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


@given(st.lists(TEXTS, min_size=1))
def test_a_cell_of_a_csv_file_is_never_a_formula(texts: list[str]) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerow(map(harmless, texts))
    file.seek(0)
    (row,) = csv.reader(file)
    for cell, text in zip(row, texts, strict=True):
        assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
        assert cell in (text, f"'{text}")


@given(st.floats(allow_nan=False))
def test_a_number_of_a_csv_file_stays_a_number(value: float) -> None:
    assert harmless(value) == value
