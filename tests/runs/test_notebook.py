"""A run in a real notebook: it shows itself, and its figures are drawn."""

import json
import re
from dataclasses import replace
from pathlib import Path

import nbclient
import nbformat
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.results import Note
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

EVIL = "</table><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, real_downloads: dict[str, Path]) -> Run:
    from support import stock

    store = Store(tmp_path_factory.mktemp("cache"))
    return measure("weat", "pkg:navec-news", store=stock(store, real_downloads, "navec-news"))


def test_a_notebook_shows_the_run_and_draws_its_figures(run: Run, tmp_path: Path) -> None:
    folder = run.save(tmp_path / "run")
    cells = [
        "import tiltmeter.runs as runs; from tiltmeter.store import Store\n"
        f"run = runs.find_runs(Store({str(tmp_path)!r}), [{str(folder)!r}])[0]\nrun",
        "run.plot()",
        "run.plot('sorted').to_dict()['title']",
    ]
    code = [nbformat.v4.new_code_cell(cell) for cell in cells]  # type: ignore[no-untyped-call]
    notebook = nbformat.v4.new_notebook(cells=code)  # type: ignore[no-untyped-call]
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown, chart, title = (cell["outputs"][-1]["data"] for cell in notebook["cells"])
    rows = re.findall("<tr>(.*?)</tr>", shown["text/html"])
    assert len(rows) == 1 + len(run.result.estimates)
    # Altair hands the specification to a function inside the page that it writes.
    written = chart["text/html"].split("})({", 1)[1]
    specification, _ = json.JSONDecoder().raw_decode("{" + written)
    assert specification["title"] == run.result.figures[0].title
    assert len(specification["datasets"]["rows"]) == len(run.result.figures[0].rows)
    assert run.result.figures[1].title in title["text/plain"]


def test_the_table_says_each_number_as_the_command_does(run: Run) -> None:
    rows = [re.findall("<td>(.*?)</td>", row) for row in re.findall("<tr>(.*?)</tr>", run._repr_html_())][1:]
    for cells, row in zip(rows, run.result.estimates, strict=True):
        assert cells[:2] == [row.test, row.name]
        assert cells[2] == ", ".join(f"{key}: {value}" for key, value in row.group.items())
        assert number(cells[3]) == (None if row.value is None else pytest.approx(row.value, abs=6e-4))
        low, _, high = cells[4].partition(" to ")
        assert number(low) == (None if row.ci_low is None else pytest.approx(row.ci_low, abs=6e-4))
        assert number(high or "–") == (None if row.ci_high is None else pytest.approx(row.ci_high, abs=6e-4))
        assert "0.0000" not in cells[5], "a p-value is never 0"
        assert cells[7:] == [str(row.n), str(row.lost)]


def number(text: str) -> float | None:
    return None if text == "–" else float(text)


def test_only_what_the_instrument_prints_is_shown_and_the_rest_is_counted(run: Run) -> None:
    """becpro has a summary, weat has none."""
    rows = tuple(
        replace(row, name=name) for row, name in zip(run.result.estimates, ("f_minus_m", "sd", "q25"), strict=False)
    )
    other = Run("id", replace(run.result, instrument="becpro", estimates=rows), run.items)
    assert [row.name for row in other.printed()] == ["f_minus_m"]
    assert other._repr_html_().count("<tr>") == 2
    assert "and 2 more" in other._repr_html_()


def test_text_in_a_run_is_shown_as_text(run: Run) -> None:
    estimates = tuple(replace(row, test=EVIL, group={EVIL: EVIL}) for row in run.result.estimates)
    notes = (Note(kind="reading", text=EVIL, test=EVIL),)
    shown = Run(EVIL, replace(run.result, subject=EVIL, estimates=estimates, notes=notes), run.items)._repr_html_()
    assert "<img" not in shown
    assert shown.count("</table>") == 1
    assert shown.count("&lt;img") == 3 * len(estimates) + 3


def test_a_figure_is_chosen_by_position_or_kind(run: Run) -> None:
    titles = [figure.title for figure in run.result.figures]
    assert run.plot().to_dict()["title"] == titles[0]
    assert run.plot(2).to_dict()["title"] == titles[2]
    assert run.plot("sorted").to_dict()["title"] == titles[1]


@pytest.mark.parametrize("figure", ["scatter", 99, -1])
def test_a_figure_that_is_not_there_is_refused_with_what_there_is(run: Run, figure: int | str) -> None:
    with pytest.raises(TiltmeterError, match=f"has no figure {figure!r}; there are: 0 intervals, 1 sorted"):
        run.plot(figure)
