"""The page, read in a real browser: nothing loaded, every number as in the run, every text as text."""

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pypdf
import pytest
from axe_playwright_python.sync_playwright import Axe

from tiltmeter.report import items as page_items
from tiltmeter.report import write_page
from tiltmeter.report.figures import merged
from tiltmeter.results import Estimate, Note
from tiltmeter.runs import Run, Skipped, across, measure, unmeasured
from tiltmeter.store import Store

EVIL = "</script><img src=x onerror=alert(1)>\u2028‮=cmd()😀\"'`{{7*7}}"


@pytest.fixture
def run(stocked: Store) -> Run:
    return measure("weat", "pkg:navec-news", store=stocked)


@pytest.fixture
def runs(stocked: Store) -> list[Run]:
    """Several instruments, two subjects, two languages."""
    names = ("weat", "bad", "mac", "grammar-weat")
    return [
        *(measure(name, "pkg:navec-news", store=stocked) for name in names),
        measure("weat", "pkg:glove-6b-50d", store=stocked),
    ]


def opened(browser: Any, path: Path, *, width: int = 1280, scheme: str = "light") -> Any:
    """The page, with all that it asked for and all that it complained about."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.asked, page.complaints = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("dialog", lambda dialog: (page.complaints.append("dialog"), dialog.dismiss()))
    page.goto(path.as_uri())
    page.wait_for_selector(".chart svg", timeout=15_000)
    return page


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_loads_nothing_fits_the_screen_and_everybody_can_use_it(
    browser: Any, runs: list[Run], tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "page.html"
    write_page(runs, path, skipped=unmeasured(runs))
    page = opened(browser, path, width=width, scheme=scheme)
    for box in page.locator("details").all():
        box.evaluate("box => box.open = true")
    page.wait_for_selector(".explorer tbody tr")
    page.wait_for_function("[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg'))")
    assert [url for url in page.asked if not url.startswith("blob:")] == [path.as_uri()]
    assert page.complaints == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    broken = [(rule["id"], rule["nodes"][0]["html"][:200]) for rule in Axe().run(page).response["violations"]]
    assert broken == []
    page.close()


def test_every_estimate_on_the_page_is_that_of_the_run(browser: Any, runs: list[Run], tmp_path: Path) -> None:
    write_page(runs, tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    tables = page.evaluate("""() => [...document.querySelectorAll('table[data-run]')].map(table => [
        table.dataset.run,
        [...table.querySelectorAll('tbody tr')].map(row => [row.dataset.estimate, [...row.cells].map(
            cell => [cell.textContent, cell.dataset.value, cell.dataset.low, cell.dataset.high])])])""")
    page.close()
    stored = {run.id: json.loads(run.files()["result.json"])["estimates"] for run in runs}
    assert {run: len(rows) for run, rows in tables} == {run: len(rows) for run, rows in stored.items()}
    for run_id, rows in tables:
        for position, (test, name, value, interval, p, p_two_sided, p_adjusted, n, lost, *_) in rows:
            row = stored[run_id][int(position)]
            assert test[0].startswith(row["test"])
            assert name[0].replace(" ", "_").startswith(row["name"])
            for cell, field in (
                (value, "value"),
                (p, "p_value"),
                (p_two_sided, "p_two_sided"),
                (p_adjusted, "p_adjusted"),
            ):
                agree(cell[:2], row[field])
            assert [interval[2] and float(interval[2]), interval[3] and float(interval[3])] == [
                row["ci_low"],
                row["ci_high"],
            ]
            if row["ci_low"] is not None:
                low, high = interval[0].split(" to ")
                assert float(low) == pytest.approx(row["ci_low"], abs=6e-4)
                assert float(high) == pytest.approx(row["ci_high"], abs=6e-4)
            assert (n[0], lost[0]) == (str(row["n"]), str(row["lost"]))


def agree(cell: list[str | None], number: float | None) -> None:
    """What is shown is the number, rounded; the whole number stands behind it."""
    text, whole = cell
    assert text is not None
    if number is None:
        assert (text, whole) == ("–", None)
    else:
        assert whole is not None
        assert float(whole) == number
        assert float(text.removeprefix("<")) == pytest.approx(number, abs=6e-4 if not text.startswith("<") else 1e-4)


def test_every_number_in_a_chart_is_that_of_the_run(browser: Any, runs: list[Run], tmp_path: Path) -> None:
    write_page(runs, tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    drawn = page.evaluate("[...document.querySelectorAll('script[id^=figure]')].map(s => JSON.parse(s.textContent))")
    titles = page.evaluate("[...document.querySelectorAll('figure')].map(f => f.querySelector('bdi').textContent)")
    page.close()
    for run in runs:
        for figure in run.result.figures:
            wanted = {value for row in figure.rows for value in row.values() if isinstance(value, float)}
            of_that_title = [
                set(numbers(one)) for title, one in zip(titles, drawn, strict=True) if title.startswith(figure.title)
            ]
            assert any(wanted <= found for found in of_that_title)


def numbers(value: Any) -> Iterator[float]:
    """A browser hands 0.0 back as 0."""
    if isinstance(value, int | float):
        yield float(value)
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from numbers(part)


def test_the_first_screen_says_what_was_found_with_the_runs_own_numbers(
    browser: Any, runs: list[Run], tmp_path: Path
) -> None:
    write_page(runs, tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    first, second = page.locator(".found > li").all()
    assert "shows no tilt that chance could not explain" in first.inner_text()
    assert "tests that show one: weat 0 of 6, bad 0 of 2." in first.inner_text()
    assert "career leans more male than family" in second.inner_text()
    rows = [row for run in runs for row in run.result.estimates]
    (row,) = [row for row in rows if (row.test, row.name) == ("career-family", "effect_size_both")]
    # Three tests, and the smallest of the three two-sided p: Holm multiplies it by three.
    numbers_told = (
        f"effect size both {row.value:.3f}, 95% interval {row.ci_low:.3f} to {row.ci_high:.3f}, "
        f"corrected p = {(row.p_two_sided or 0) * 3:.4f}"
    )
    assert numbers_told in second.inner_text()
    assert page.locator(".found").bounding_box()["y"] < 200, "above everything else"
    page.close()


def test_text_from_outside_stays_text(browser: Any, run: Run, tmp_path: Path) -> None:
    figure = replace(run.result.figures[0], title=EVIL, caption=EVIL)
    figure = replace(figure, rows=tuple({**row, "test": EVIL + str(row["test"])} for row in figure.rows))
    told = {"estimates": [EVIL], "group": {}, "above": EVIL, "below": EVIL}
    row = replace(run.result.estimates[0], test=EVIL, group={EVIL: EVIL}, ci_method=EVIL, p_method=EVIL, family=EVIL)
    provenance = {**run.result.provenance, "command": EVIL, "created": EVIL, "sources": {EVIL: [EVIL]}}
    provenance["subject"] = {**provenance["subject"], EVIL: EVIL}
    result = replace(
        run.result,
        subject=EVIL,
        estimates=(row, *run.result.estimates),
        notes=(Note(kind="reading", test=EVIL, text=EVIL, details=told), Note(kind="caveat", text=EVIL)),
        figures=(figure,),
        tests={EVIL: EVIL},
        provenance=provenance,
    )
    table = run.items.with_columns(target=pl.lit(EVIL)).rename({"pair": EVIL})
    made = Run(EVIL, result, table)
    write_page([made], tmp_path / "page.html", skipped=[Skipped(EVIL, EVIL, EVIL, failed=True)])
    page = opened(browser, tmp_path / "page.html")
    for box in page.locator("details").all():
        box.evaluate("box => box.open = true")
    page.wait_for_selector(".explorer tbody tr")
    assert page.complaints == []
    assert page.locator("img").count() == 0
    assert page.locator("main").inner_text().count(EVIL) > 10
    assert page.locator(".explorer tbody td", has_text=EVIL).count() > 0
    assert "49" not in page.title()
    page.close()


def test_every_number_of_a_papers_table_is_that_of_the_runs(browser: Any, run: Run, tmp_path: Path) -> None:
    write_page([run], tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    cells = page.evaluate("""() => [...document.querySelectorAll('table.paper [data-value]')].map(
        cell => [cell.textContent.trim(), cell.dataset.value])""")
    page.close()
    fields = ("value", "p_value", "p_two_sided", "p_adjusted")
    known = {getattr(row, field) for row in run.result.estimates for field in fields}
    assert len(cells) >= 12
    for text, whole in cells:
        assert float(whole) in known
        agree([text, whole], float(whole))


def test_what_was_not_measured_is_said_by_reason(run: Run, tmp_path: Path) -> None:
    pairs = [("s", "one"), ("s", "two"), ("t", "one"), ("t", "two"), ("u", "two")]
    skipped = [Skipped(subject, tool, "no templates", failed=False) for subject, tool in pairs]
    write_page([run], tmp_path / "page.html", skipped=skipped)
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "<bdi>one, two</bdi> on <bdi>s, t</bdi>: <bdi>no templates</bdi>" in text
    assert "<bdi>two</bdi> on <bdi>u</bdi>: <bdi>no templates</bdi>" in text


def test_two_subjects_of_one_language_share_a_chart_and_a_correction(browser: Any, run: Run, tmp_path: Path) -> None:
    origin = {**run.result.provenance["subject"], "fingerprint": "other"}
    result = replace(run.result, subject="second", provenance={**run.result.provenance, "subject": origin})
    other = Run("other", result, run.items)
    (figure,) = [figure for figure in merged([run, other]) if figure.kind == "intervals"]
    assert {row["subject"] for row in figure.rows} == {"pkg:navec-news", "second"}
    write_page([run, other], tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    cells = page.evaluate("""() => [...document.querySelectorAll('.across tr')].map(
        row => [...row.cells].map(cell => [cell.textContent, cell.dataset.value]))""")
    page.close()
    headlines = across([run, other]).headlines()
    assert [row[0][0] for row in cells] == [test for test, _ in headlines]
    for (_, *shown), (_, rows) in zip(cells, headlines, strict=True):
        expected = [number for row in rows for number in (row.value, row.p_value, row.p_adjusted)]
        for cell, number in zip(shown, expected, strict=True):
            agree([cell[0], cell[1]], number)


class TestExplorer:
    def explorer(self, browser: Any, run: Run, path: Path) -> Any:
        write_page([run], path)
        page = opened(browser, path)
        page.locator(".explorer summary").click()
        page.wait_for_selector(".explorer tbody tr")
        return page

    def column(self, page: Any, name: str) -> list[str]:
        names = page.locator(".explorer thead tr").first.locator("th").all_inner_texts()
        cells = page.locator(f".explorer tbody td:nth-child({names.index(name) + 1})").all_inner_texts()
        return [str(cell) for cell in cells]

    def test_filters_searches_and_sorts_as_polars_does(self, browser: Any, run: Run, tmp_path: Path) -> None:
        page = self.explorer(browser, run, tmp_path / "page.html")
        word = run.items.filter((pl.col("cosine") > 0.1) & (pl.col("test") == "E6"))["target"].mode()[0]
        page.get_by_label("Filter cosine").fill("> 0.1")
        page.get_by_label("Filter test").select_option(label="E6")
        page.get_by_label("Search all columns").fill(word)
        page.get_by_role("button", name="cosine").click()
        expected = run.items.filter(
            (pl.col("cosine") > 0.1) & (pl.col("test") == "E6") & (pl.col("target") == word)
        ).sort("cosine")
        assert 2 < expected.height <= 25
        assert [float(cell) for cell in self.column(page, "cosine")] == pytest.approx(
            expected["cosine"].to_list(), rel=1e-4
        )
        assert self.column(page, "attribute") == expected["attribute"].to_list()
        page.get_by_role("button", name="cosine").click()
        assert self.column(page, "attribute") == expected["attribute"].to_list()[::-1]
        assert page.locator("th[aria-sort=descending]").inner_text() == "cosine"
        page.close()

    def test_what_is_lost_comes_last_and_pages_can_be_turned(self, browser: Any, run: Run, tmp_path: Path) -> None:
        page = self.explorer(browser, run, tmp_path / "page.html")
        page.get_by_role("button", name="cosine").click()
        first = self.column(page, "cosine")
        page.get_by_role("button", name="next").click()
        ordered = run.items["cosine"].drop_nulls().sort().to_list()
        shown = [float(cell) for cell in first + self.column(page, "cosine")]
        assert shown == pytest.approx(ordered[:50], rel=1e-4)
        assert page.get_by_role("status").inner_text() == f"26 to 50 of {run.items.height}"
        page.close()

    def test_rows_are_saved_as_a_table_that_runs_no_formula(self, browser: Any, run: Run, tmp_path: Path) -> None:
        made = Run(run.id, run.result, run.items.with_columns(target=pl.lit('=cmd(),"x"\n')))
        page = self.explorer(browser, made, tmp_path / "page.html")
        page.get_by_label("Filter test").select_option(label="E6")
        with page.expect_download() as download:
            page.get_by_role("button", name="save").click()
        saved = pl.read_csv(io.BytesIO(Path(download.value.path()).read_bytes()))
        expected = made.items.filter(pl.col("test") == "E6")
        assert saved["target"].to_list() == ["'" + text for text in expected["target"]]
        assert saved["cosine"].to_list() == expected["cosine"].to_list()
        page.close()

    def test_all_estimates_are_there_too(self, browser: Any, run: Run, tmp_path: Path) -> None:
        page = self.explorer(browser, run, tmp_path / "page.html")
        page.get_by_label("Table").select_option(label="estimates of pkg:navec-news")
        page.wait_for_function("document.querySelector('.explorer th').innerText === 'test'")
        page.wait_for_selector("[aria-label='Filter p_value']")
        shown = [None if cell == "–" else float(cell) for cell in self.column(page, "value")]
        expected = [row.value for row in run.result.estimates][:25]
        assert shown == [None if value is None else pytest.approx(value, rel=1e-4) for value in expected]
        page.close()


def test_items_that_find_no_room_go_to_a_file_that_the_page_names(
    browser: Any, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_items, "LIMIT", 200)
    page_path, beside = write_page([run], tmp_path / "page.html")
    assert beside == tmp_path / "page.items.parquet"
    stored = pl.read_parquet(beside)
    assert stored.drop("run", "subject").equals(run.items)
    page = opened(browser, page_path)
    page.locator(".explorer summary").click()
    page.wait_for_selector(".explorer tbody tr")
    said = page.get_by_role("status").inner_text()
    held = f"this page holds 200 of {run.items.height}, the lowest and the highest; all are in page.items.parquet"
    assert said == f"1 to 25 of 200; {held}"
    ordered = run.items["cosine"].drop_nulls().sort().to_list()
    page.get_by_role("button", name="cosine").click()
    lowest = [float(cell) for cell in TestExplorer().column(page, "cosine")]
    assert lowest == pytest.approx(ordered[:25], rel=1e-4)
    page.get_by_role("button", name="cosine").click()
    highest = [float(cell) for cell in TestExplorer().column(page, "cosine")]
    assert highest == pytest.approx(ordered[:-26:-1], rel=1e-4)
    page.close()


def test_printed_it_holds_every_chart_and_table(browser: Any, run: Run, tmp_path: Path) -> None:
    write_page([run], tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.wait_for_function("[...document.querySelectorAll('.chart')].every(chart => chart.querySelector('svg'))")
    page.emulate_media(media="print")
    assert page.locator(".explorer").first.is_hidden()
    assert page.locator("main details:not(.explorer):not(.vega-embed details):not([open])").count() == 0
    printed = pypdf.PdfReader(io.BytesIO(page.pdf(format="A4")))
    text = " ".join("".join(sheet.extract_text() for sheet in printed.pages).split())
    page.close()
    # A word that stands in no table, only in a chart inside a box that was closed.
    assert run.result.figures[1].rows[0]["word"] in text
    assert "The same numbers again" in text


def test_a_run_without_figures_or_estimates_is_a_page_too(run: Run, tmp_path: Path) -> None:
    empty = Run(run.id, replace(run.result, estimates=(), figures=(), notes=()), run.items.clear())
    write_page([empty], tmp_path / "page.html")
    assert "was measured, but with nothing that tests for a tilt" in (tmp_path / "page.html").read_text("utf-8")


def test_a_value_that_could_not_be_computed_is_a_dash(browser: Any, run: Run, tmp_path: Path) -> None:
    row = Estimate(test="E1", name="effect_size", value=None, worse="away", neutral=0)
    write_page([Run(run.id, replace(run.result, estimates=(row,)), run.items)], tmp_path / "page.html")
    page = opened(browser, tmp_path / "page.html")
    assert page.locator(".estimates td").all_inner_texts()[2:7] == ["–"] * 5
    page.close()
