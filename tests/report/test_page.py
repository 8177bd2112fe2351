"""The page, read in a real browser: nothing loaded, every number as in the run, every text as text."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tiltmeter import charts
from tiltmeter.errors import TiltmeterError
from tiltmeter.report import write_page
from tiltmeter.results import Figure, Note
from tiltmeter.runs import Run, Skipped, measure
from tiltmeter.store import Store

EVIL = "</script><img src=x onerror=alert(1)>\u2028‮"


@pytest.fixture
def run(stocked: Store) -> Run:
    return measure("weat", "pkg:navec-news", store=stocked)


def opened(browser: Any, path: Path, *, width: int = 1280) -> Any:
    """The page, with all that it asked for and all that it complained about."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (page.complaints.append("dialog"), dialog.dismiss()))
    page.goto(path.as_uri())
    page.wait_for_selector(".chart svg", timeout=5_000)
    return page


@pytest.mark.parametrize("width", [390, 1280])
def test_a_browser_draws_it_without_network_and_it_fits_the_screen(
    browser: Any, run: Run, tmp_path: Path, width: int
) -> None:
    path = tmp_path / "page.html"
    write_page([run], path)
    page = opened(browser, path, width=width)
    assert page.asked == [path.as_uri()]
    assert page.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator(".chart svg .mark-symbol path").count() >= 6
    page.close()


def test_every_estimate_on_the_page_is_that_of_the_run(browser: Any, run: Run, tmp_path: Path) -> None:
    write_page([run], tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    cells = page.evaluate(
        "[...document.querySelectorAll('.estimates tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    page.close()
    assert len(cells) == len(run.result.estimates)
    for shown, row in zip(cells, run.result.estimates, strict=True):
        assert shown[0] == row.test
        assert shown[1].split()[0] == row.name
        assert number(shown[2]) == (None if row.value is None else pytest.approx(row.value, abs=6e-4))
        assert number(shown[5]) == (None if row.p_two_sided is None else pytest.approx(row.p_two_sided, abs=6e-4))
        assert shown[7:] == [str(row.n), str(row.lost)]


def number(text: str) -> float | None:
    return None if text == "–" else float(text.removeprefix("<"))


def test_text_from_outside_stays_text(browser: Any, run: Run, tmp_path: Path) -> None:
    figure = replace(run.result.figures[0], title=EVIL, caption=EVIL)
    figure = replace(figure, rows=tuple({**row, "test": EVIL + str(row["test"])} for row in figure.rows))
    result = replace(
        run.result,
        subject=EVIL,
        notes=(Note(kind="reading", text=EVIL), Note(kind="caveat", text=EVIL)),
        figures=(figure,),
    )
    write_page(
        [Run(run.id, result, run.items)], tmp_path / "page.html", skipped=[Skipped(EVIL, EVIL, EVIL, failed=True)]
    )
    page = opened(browser, tmp_path / "page.html")
    assert page.complaints == []
    assert page.locator("img").count() == 0
    assert EVIL in page.locator("main").inner_text()
    page.close()


def test_what_was_not_measured_is_said(run: Run, tmp_path: Path) -> None:
    write_page([run], tmp_path / "page.html", skipped=[Skipped("s", "becpro", "no templates", failed=False)])
    assert "becpro on s: no templates" in (tmp_path / "page.html").read_text("utf-8")


def test_two_subjects_of_one_language_share_a_chart(run: Run, tmp_path: Path) -> None:
    other = Run("other", replace(run.result, subject="second"), run.items)
    write_page([run, other], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert text.count("WEAT effect size d with its 95% interval</h3>") == 1
    embedded = text.split('<script type="application/json">')[1].split("</script>")[0]
    specification = json.loads(embedded)
    assert {row["colour"] for row in specification["datasets"]["rows"]} == {"pkg:navec-news", "second"}


def test_an_unknown_kind_of_figure_is_refused_with_the_nearest() -> None:
    with pytest.raises(TiltmeterError, match="no kind of figure 'interval'; did you mean 'intervals'"):
        charts.draw(Figure(kind="interval", title="", rows=(), x="x", y="y"))
