"""Beside every estimate stands what is known of it from models of known bias, in every format."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from bs4 import BeautifulSoup

from calibration.issuing import WAYS, certificate, false_positive, issue, response
from report.handmade import estimate, made
from support import Command
from tiltmeter.instruments import load_instrument
from tiltmeter.report import write_report
from tiltmeter.report.calibrated import TOLD, all_notes, calibration_of
from tiltmeter.report.summary import models
from tiltmeter.report.tables import printed_table
from tiltmeter.results import Note
from tiltmeter.runs import Run
from tiltmeter.runs.run import keep_run
from tiltmeter.store import Store

VERSION = load_instrument("weat").version
FAILURE = "E1 effect_size_both: it follows nothing that was planted (rank correlation: stereotype 0.31)"
BESIDE = {
    "effect_size": "follows (0.95); p false in 32%",
    "effect_size_both": "does not follow (0.31)",
    "statistic": "",
}


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Of three numbers the certificate knows two; one of them fails."""
    folder = tmp_path / "certificates"
    folder.mkdir()
    issue(
        folder,
        monkeypatch,
        certificate(
            "weat",
            "vectors",
            "ru",
            {
                "stereotype": [
                    response("E1 effect_size", 0.9512345678901234, [0.9, 1.0]),
                    response("E1 effect_size_both", 0.3125, [0.1, 0.5]),
                ]
            },
            false_positives=[false_positive("E1 effect_size", 0.319, published=True)],
            failures=[FAILURE, "E2 effect_size: what this run does not have"],
        ),
    )
    return weat()


def weat(**options: Any) -> Run:
    rows = [
        estimate("E1", name, 1.5, p_value=0.01, p_two_sided=0.02, ci_low=1.0, ci_high=2.0, p_method="x", ci_method="x")
        for name in BESIDE
    ]
    told = {"estimates": ["effect_size_both"], "group": {}, "above": "a leans more male", "below": "b"}
    notes = [Note(kind="reading", test="E1", text="a leans more male", details=told)]
    return made("weat", "s", rows, notes=notes, options=options)


def test_every_printed_estimate_has_its_cell(run: Run) -> None:
    table = printed_table(run, "title")
    assert table.header[0][-1] == "calibration"
    assert {str(row[1]): row[-1] for row in table.rows} == BESIDE
    assert "rank correlation with the dose" in table.caption


def test_what_fails_is_a_caution_and_is_said_with_the_verdict(run: Run) -> None:
    (note,) = calibration_of(run).notes
    assert note.text == f"Where its bias is known, weat {VERSION} (vectors, ru) fails: {FAILURE}."
    assert all_notes(run) == (*run.result.notes, note)
    (model,) = models([run])
    assert model.cautions() == ["fails its calibration"]
    assert "corrected p = 0.0200, but it fails its calibration" in model.sentence()


@pytest.mark.parametrize("ending", [".html", ".md", ".tex", ".csv", ".xlsx", ".json", ".card.md"])
def test_every_format_prints_it(ending: str, run: Run, tmp_path: Path) -> None:
    path = tmp_path / f"r{ending}"
    write_report([run], path)
    if ending == ".html":
        rows = BeautifulSoup(path.read_text("utf-8"), "html.parser").select("table[data-run] tbody tr")
        cells = [(row.find_all("td")[-1].get_text(), row.find_all("td")[-1].get("data-value")) for row in rows]
        values = ["0.9512345678901234", "0.3125", None]
        assert cells == list(zip([told or "–" for told in BESIDE.values()], values, strict=True))
    elif ending == ".xlsx":
        sheet = openpyxl.load_workbook(path)["estimates"]
        header, *rows = sheet.iter_rows(values_only=True)
        found = [dict(zip(header, row, strict=True)) for row in rows]
        assert [row["calibration"] or "" for row in found] == list(BESIDE.values())
        assert [row["calibration.rank_correlation"] for row in found] == [0.9512345678901234, 0.3125, None]
    elif ending == ".csv":
        read = [row for row in csv.DictReader(io.StringIO(path.read_text("utf-8"))) if row["record"] == "estimate"]
        assert [row["calibration"] for row in read] == list(BESIDE.values())
        assert [row["calibration.false_positive_rate"] for row in read] == ["0.319", "", ""]
    elif ending == ".json":
        (found,) = json.loads(path.read_bytes())["calibration"]
        assert found["run"] == run.id
        assert found["certificate"]["lang"] == "ru"
        assert [(row["estimate"], row["rank_correlation"]) for row in found["estimates"]] == [
            (0, 0.9512345678901234),
            (1, 0.3125),
        ]
    else:
        told = path.read_text("utf-8").replace("\\%", "%")
        assert all(words in told for words in BESIDE.values())
    if ending not in (".html", ".xlsx"):
        assert "it follows nothing that was planted" in path.read_text("utf-8")


def test_the_command_prints_it_beside_the_estimates(run: Run, store: Store, told: Command) -> None:
    keep_run(store, run)
    printed = told("runs", "show", run.id).stdout
    lines = [line.strip() for line in printed.splitlines() if line.startswith("E1 ")]
    assert len(lines) == len(BESIDE)
    assert all(line.endswith(words or "away from 0") for line, words in zip(lines, BESIDE.values(), strict=True))
    assert FAILURE in printed


def test_without_a_certificate_there_is_no_column_and_a_note_says_so(run: Run) -> None:
    english = made("weat", "s", run.result.estimates, lang="en")
    assert "calibration" not in printed_table(english, "title").header[0]
    (note,) = calibration_of(english).notes
    assert note.text.startswith(f"No certificate for weat {VERSION} (vectors, en): ")
    assert not note.caution
    (other,) = calibration_of(made("weat", "s", run.result.estimates, kind="masked")).notes
    assert other.text.startswith(f"No certificate for weat {VERSION} (masked, ru): ")


def test_one_of_another_version_is_named_and_not_used(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "older"
    folder.mkdir()
    responses = {"stereotype": [response("E1 effect_size", 1.0)]}
    issue(folder, monkeypatch, certificate("weat", "vectors", "ru", responses, version="1"))
    found = calibration_of(run)
    assert found.certificate is None
    assert found.notes[0].text.endswith("; there is one for version 1.")


class TestOptions:
    def test_another_formula_has_no_certificate(self, run: Run) -> None:
        found = calibration_of(weat(effect_size="pestova"))
        assert found.certificate is None
        assert (
            found.notes[0].text
            == f"No certificate for weat {VERSION} (vectors, ru) with these options: effect_size pestova."
        )

    def test_other_words_or_limits_are_named(self, run: Run) -> None:
        found = calibration_of(weat(max_lost=0.5, tests={"file": "mine.toml", "sha256": "0"}))
        assert found.said(run.result.estimates[0]) == BESIDE["effect_size"]
        assert found.notes[-1].text == (
            f"The certificate of weat {VERSION} (vectors, ru) was measured without this run's tests mine.toml, "
            "max_lost 0.5."
        )

    def test_a_seed_changes_nothing(self, run: Run) -> None:
        assert calibration_of(weat(seed=7)) == calibration_of(run)

    def test_the_way_is_that_of_the_options(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        rows = [response("BEC-Pro stereotype_contrast", 0.99), response("published BEC-Pro stereotype_contrast", 0.2)]
        ways = (*WAYS, {"prefix": "published", "options": {"mode": "published"}})
        issue(tmp_path, monkeypatch, certificate("becpro", "masked", "es", {"stereotype": rows}, ways=ways))
        row = estimate("BEC-Pro", "stereotype_contrast", 1.0)
        told = {
            mode: calibration_of(made("becpro", "m", [row], lang="es", kind="masked", options={"mode": mode})).said(row)
            for mode in ("right", "published", "released-code")
        }
        assert told == {"right": "follows (0.99)", "published": "does not follow (0.20)", "released-code": ""}


def test_a_certificate_that_knows_none_of_a_runs_numbers_says_so(run: Run) -> None:
    (note,) = calibration_of(made("weat", "s", [estimate("mine", "effect_size", 1.0)])).notes
    assert note.text == f"The certificate of weat {VERSION} (vectors, ru) knows none of these estimates."


def test_of_many_failures_those_that_decide_come_first_and_the_rest_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ["association"] * 8 + ["stereotype_contrast"]
    groups = [{"profession_class": str(place)} for place in range(8)] + [{}]
    rows = [estimate("BEC-Pro", name, 1.0, group) for name, group in zip(names, groups, strict=True)]
    measures = [*(f"BEC-Pro association {place}" for place in range(8)), "BEC-Pro stereotype_contrast"]
    failures = [f"{measure}: fails" for measure in measures]
    responses = {"stereotype": [response(measure, 0.1) for measure in measures]}
    issue(tmp_path, monkeypatch, certificate("becpro", "masked", "es", responses, failures=failures))
    (note,) = calibration_of(made("becpro", "m", rows, lang="es", kind="masked")).notes
    assert "fails: BEC-Pro stereotype_contrast: fails; BEC-Pro association 0: fails; " in note.text
    assert note.text.endswith(f"; and {9 - TOLD} more, beside the estimates.")
    assert note.caution == "fails its calibration"
    (descriptive,) = calibration_of(made("becpro", "m", rows[:8], lang="es", kind="masked")).notes
    assert descriptive.caution == ""
