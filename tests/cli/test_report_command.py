"""`tiltmeter report`, as it is typed."""

import json
from pathlib import Path

import pytest

import tiltmeter
from support import Command
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store


@pytest.fixture
def run(stocked: Store) -> Run:
    return measure("weat", "pkg:navec-news", store=stocked, only="E6")


def test_the_ending_says_what_is_written(told: Command, run: Run, tmp_path: Path) -> None:
    for ending in ("html", "md", "tex", "csv", "xlsx", "json", "card.md"):
        done = told("report", run.id[:9], "-o", tmp_path / f"report.{ending}")
        assert (done.returncode, done.stdout) == (0, f"written: {tmp_path / f'report.{ending}'}\n")
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))["runs"] == [run.result.to_json()]
    said = "STEM leans more male than humanities"
    assert all(said in (tmp_path / f"report.{ending}").read_text("utf-8") for ending in ("html", "md", "tex"))
    # A model card tells what is sure.
    assert "no tilt that chance could not explain" in (tmp_path / "report.card.md").read_text("utf-8")


def test_what_was_not_measured_is_known_from_the_runs(told: Command, run: Run, tmp_path: Path) -> None:
    told("report", run.id, "-o", tmp_path / "report.json")
    skipped = {entry["instrument"]: entry["reason"] for entry in read(tmp_path / "report.json")["skipped"]}
    assert (
        skipped["becpro"]
        == "it asks how probable words are at a place in a text, and the subject tells vectors of words"
    )
    assert skipped["mweat"] == "it was not asked for"
    assert "weat" not in skipped


def test_a_folder_is_as_good_as_an_id(told: Command, run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "runs" / "one")
    done = told("report", tmp_path / "runs", "-o", tmp_path / "report.json")
    assert done.returncode == 0
    assert read(tmp_path / "report.json")["runs"] == [run.result.to_json()]


def test_figures_are_written_as_files_of_three_kinds(told: Command, run: Run, tmp_path: Path) -> None:
    done = told("report", run.id, "--figures", tmp_path / "figures")
    assert done.returncode == 0
    *names, captions = sorted(path.name for path in (tmp_path / "figures").iterdir())
    # The overview, WEAT's intervals, and the words of two tests: the one that was asked and the grammar control.
    assert [name.split(".")[1] for name in names] == ["pdf", "png", "svg"] * 4
    assert done.stderr == f"written: {len(names) + 1} files in {tmp_path / 'figures'}\n"
    assert captions == "captions.txt"
    assert all(name.split(".")[0] in (tmp_path / "figures" / captions).read_text("utf-8") for name in names)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["-o", "report.docx"], "'report.docx' ends in none of .html"),
        ([], "say what to write: -o report.html for a page, or --figures DIR"),
        (["--figures", "figures", "--font", "No Such Font"], "No Such Font"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(
    told: Command, run: Run, tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    before = set(tmp_path.iterdir())
    done = told("report", run.id, *arguments)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert set(tmp_path.iterdir()) == before


def test_no_such_run_is_one_sentence(told: Command, run: Run) -> None:
    done = told("report", "abcdefgh", "-o", "report.html")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "there is no run or measured subject 'abcdefgh'" in done.stderr


def test_python_writes_the_same(run: Run, tmp_path: Path) -> None:
    written = tiltmeter.write_report(run, tmp_path / "report.json")
    assert written == [tmp_path / "report.json"]
    assert read(tmp_path / "report.json")["runs"] == [run.result.to_json()]


def read(path: Path) -> dict[str, list[dict[str, str]]]:
    found: dict[str, list[dict[str, str]]] = json.loads(path.read_text("utf-8"))
    return found


def test_what_changed_is_drawn_too(told: Command, run: Run, stocked: Store, tmp_path: Path) -> None:
    other = measure("weat", "pkg:navec-news", store=stocked, only="E6", effect_size="pestova")
    done = told("compare", run.id, other.id, "--figures", tmp_path / "figures")
    assert done.returncode == 0
    again = told("compare", run.id, run.id, "--figures", tmp_path / "figures", "--json")
    assert json.loads(again.stdout)["before"] == "pkg:navec-news"
    assert {path.suffix for path in (tmp_path / "figures").iterdir()} >= {".svg", ".png", ".pdf"}
