"""Tables that are to be read, sentences and words, in every document."""

from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from bs4 import BeautifulSoup

from report.handmade import estimate, made
from tiltmeter.report import write_report
from tiltmeter.report.content import sections
from tiltmeter.results import Result, TextTable
from tiltmeter.runs import Run

HOSTILE = "</script><img src=x> =1+1 | \\input{x} {他|她}"
LISTED = TextTable(
    title="sentences that lean",
    columns=("sentence", "number", "p", "none"),
    rows=((HOSTILE, -1.5, 0.00001, None), ("=cmd", 2.0, 0.5, "text")),
    caption="what to know",
)


@pytest.fixture
def run() -> Run:
    plain = made("slgu", "model", [estimate("SlguSet", "model_bias", 0.5)], lang="zh")
    return replace(plain, result=replace(plain.result, tables=(LISTED,)))


def test_it_is_stored_and_read_again(run: Run) -> None:
    assert Result.from_stored_json(run.result.to_stored_json()).tables == (LISTED,)


def test_it_stands_behind_the_papers_tables_with_the_models_name(run: Run) -> None:
    (section,) = sections([run])
    table = section.tables[-1]
    assert table.title == "sentences that lean, model"
    assert table.header == (LISTED.columns,)
    assert [str(cell) for cell in table.rows[0]] == [HOSTILE, "-1.500", "<0.0001", "–"]


def test_the_page_shows_it_as_text(run: Run, tmp_path: Path) -> None:
    write_report([run], tmp_path / "page.html")
    page = BeautifulSoup((tmp_path / "page.html").read_text("utf-8"), "html.parser")
    (found,) = [
        entry for entry in page.select("details") if entry.summary and "sentences that lean" in entry.summary.text
    ]
    cells = [[cell.get_text() for cell in row.select("td")] for row in found.select("tbody tr")]
    assert cells == [[HOSTILE, "-1.500", "<0.0001", "–"], ["=cmd", "2.000", "0.500", "text"]]
    heads = {head.get_text(): head.get("class") for head in found.select("thead th")}
    assert heads["sentence"] == ["text"]
    assert heads["number"] is None
    assert not page.select("img")


def test_documents_hold_it(run: Run, tmp_path: Path) -> None:
    for ending in ("md", "tex", "xlsx"):
        write_report([run], tmp_path / f"report.{ending}")
    assert "what to know" in (tmp_path / "report.md").read_text("utf-8")
    assert "\\input{x}" not in (tmp_path / "report.tex").read_text("utf-8")
    book = openpyxl.load_workbook(tmp_path / "report.xlsx")
    (sheet,) = [sheet for sheet in book if sheet.title.startswith("sentences that lean")]
    assert [cell.value for cell in sheet[3]] == ["=cmd", 2, 0.5, "text"]
    assert sheet["A3"].data_type == "s"
