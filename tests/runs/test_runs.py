"""A measurement is done once, found again, and tells nothing about who did it."""

import getpass
import json
import platform
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from support import stock
from tiltmeter import results
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.results import SCHEMA, Estimate, Result
from tiltmeter.runs import Run, across, agreement, audit, find_runs, labels, measure, plan, read_run, read_runs
from tiltmeter.statistics import holm
from tiltmeter.store import Store

SUBJECT = "pkg:glove-6b-50d"


@pytest.fixture
def run(stocked: Store) -> Run:
    return measure("weat", SUBJECT, store=stocked)


def rewrite(store: Store, run: Run, change: Any) -> None:
    """Changes a stored result as another version would have written it, checksums and all."""
    data = run.result.to_stored_json()
    change(data)
    store.runs.remove(run.id)

    def fill(folder: Path) -> None:
        (folder / "result.json").write_text(json.dumps(data))
        (folder / "items.parquet").write_bytes(run.files()["items.parquet"])

    store.runs.obtain(run.id, fill)


class TestTheSameRequest:
    def test_answers_from_disk(self, stocked: Store, run: Run) -> None:
        again = measure("weat", SUBJECT, store=stocked)
        assert again.result == run.result, "with the time it was made"
        assert again.items.equals(run.items)

    def test_needs_neither_files_nor_network_once_it_was_done(
        self, stocked: Store, run: Run, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
        for link in stocked.downloads.root.iterdir():
            if link.is_symlink():
                link.unlink()
        assert measure("weat", SUBJECT, store=stocked).id == run.id
        other = measure("weat", SUBJECT, store=stocked, effect_size="pestova")
        assert other.id != run.id, "another option, answered from the words asked before"

    def test_has_another_id_when_anything_that_counts_is_other(self, stocked: Store, run: Run, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "pack.toml").write_text('extends = "en"\n')
        (mine / "gender_pairs.tsv").write_text("# source: mine\nmale\tfemale\nking\tqueen\n")
        same = measure("weat", SUBJECT, store=stocked, pack=mine)
        assert same.id == run.id, "weat does not read gender pairs"
        assert measure("weat", SUBJECT, store=stocked, seed=1).id != run.id

    def test_asked_by_four_at_once_is_measured_once(self, stocked: Store) -> None:
        with ThreadPoolExecutor(4) as pool:
            runs = list(pool.map(lambda _: measure("weat", SUBJECT, store=stocked), range(4)))
        assert len({run.result.provenance["created"] + str(run.result.provenance["seconds"]) for run in runs}) == 1


class TestDamage:
    @pytest.mark.parametrize("file", ["result.json", "items.parquet", "manifest.json"])
    def test_is_detected_and_the_run_redone(self, stocked: Store, run: Run, file: str) -> None:
        path = stocked.runs.root / run.id / file
        path.write_bytes(path.read_bytes()[:-20])
        with pytest.raises(TiltmeterError, match="is damaged"):
            read_run(stocked, run.id)
        again = measure("weat", SUBJECT, store=stocked)
        assert again.result.estimates == run.result.estimates
        assert read_run(stocked, run.id).result.estimates == run.result.estimates

    def test_of_one_run_does_not_hide_the_others(self, stocked: Store, run: Run) -> None:
        other = measure("weat", SUBJECT, store=stocked, seed=1)
        (stocked.runs.root / run.id / "result.json").write_text("{}")
        found = dict(read_runs(stocked))
        assert isinstance(found[run.id], TiltmeterError)
        assert isinstance(found[other.id], Run)


class TestFinding:
    def test_by_id_by_its_beginning_by_folder_and_by_folder_of_folders(
        self, stocked: Store, run: Run, tmp_path: Path
    ) -> None:
        other = measure("weat", SUBJECT, store=stocked, seed=1)
        run.save(tmp_path / "saved" / "one")
        other.save(tmp_path / "saved" / "two")
        assert [found.id for found in find_runs(stocked, [run.id, other.id[:9], run.id])] == [run.id, other.id]
        assert [found.id for found in find_runs(stocked, [str(tmp_path / "saved" / "two")])] == [other.id]
        found = find_runs(stocked, [str(tmp_path / "saved"), run.id])
        assert {entry.id for entry in found} == {run.id, other.id}
        assert found[0].items.equals((run if found[0].id == run.id else other).items)

    def test_a_folder_without_a_run_is_said_so(self, stocked: Store, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        with pytest.raises(TiltmeterError, match=r"empty holds no run \(result.json and items.parquet\)"):
            find_runs(stocked, [str(tmp_path / "empty")])

    @pytest.mark.parametrize(
        "text", ["[]", "{}", "no json", '{"provenance": {"schema": 2}, "estimates": [{"test": 3}]}']
    )
    def test_a_folder_that_is_damaged_is_said_so(self, stocked: Store, run: Run, tmp_path: Path, text: str) -> None:
        run.save(tmp_path / "saved")
        (tmp_path / "saved" / "result.json").write_text(text)
        with pytest.raises(TiltmeterError):
            find_runs(stocked, [str(tmp_path / "saved")])


class TestSchema:
    def test_a_newer_run_is_refused_kindly(self, stocked: Store, run: Run) -> None:
        rewrite(stocked, run, lambda data: data["provenance"].update(schema=SCHEMA + 1))
        with pytest.raises(
            TiltmeterError,
            match=rf"written by a newer tiltmeter \(schema {SCHEMA + 1}, this one reads up to {SCHEMA}\); upgrade",
        ):
            read_run(stocked, run.id)

    def test_an_older_run_is_migrated(self, stocked: Store, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def older(data: dict[str, Any]) -> None:
            data["provenance"]["schema"] = SCHEMA - 1
            data["rows"] = data.pop("estimates")

        def step(data: dict[str, Any]) -> dict[str, Any]:
            return {**data, "estimates": data["rows"]}

        monkeypatch.setitem(results.schema.STEPS, SCHEMA - 1, step)
        rewrite(stocked, run, older)
        assert read_run(stocked, run.id).result.estimates == run.result.estimates

    def test_a_run_of_the_first_schema_is_read(self, stocked: Store, run: Run) -> None:
        def older(data: dict[str, Any]) -> None:
            data["provenance"]["schema"] = 1
            del data["tests"]

        rewrite(stocked, run, older)
        found = read_run(stocked, run.id)
        assert found.result.tests == {}
        assert found.result.figures == run.result.figures

    def test_a_run_too_old_to_read_is_said_so(self, stocked: Store, run: Run) -> None:
        rewrite(stocked, run, lambda data: data["provenance"].update(schema=-7))
        with pytest.raises(TiltmeterError, match="schema -7 can no longer be read; measure it again"):
            read_run(stocked, run.id)

    def test_a_result_survives_its_json_form(self, run: Run) -> None:
        assert Result.from_stored_json(json.loads(json.dumps(run.result.to_stored_json()))) == run.result


def test_provenance_names_no_user_no_host_and_no_path(run: Run, stocked: Store) -> None:
    text = json.dumps(run.result.to_stored_json(), ensure_ascii=False)
    assert str(stocked.root) not in text
    assert str(Path.home()) + "/" not in text
    assert platform.node() not in text
    for value in strings(run.result.provenance):
        assert not value.startswith("/")
        assert getpass.getuser() not in value.split()
    assert run.result.provenance["command"] == f"tiltmeter measure weat {SUBJECT} --lang en"


def strings(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [text for entry in inner for text in strings(entry)]


def test_the_estimates_follow_from_the_stored_items_alone(run: Run, stocked: Store) -> None:
    items = pl.read_parquet(stocked.runs.root / run.id / "items.parquet")
    tool = load_instrument("weat")
    again = tool.estimate(items, tool.options(**run.result.options)).estimates
    assert [row.value for row in again] == [row.value for row in run.result.estimates]


def test_p_values_of_one_run_are_corrected_as_one_named_family(run: Run) -> None:
    rows = [row for row in run.result.estimates if row.name == "effect_size"]
    assert [row.p_adjusted for row in rows] == pytest.approx(by_hand([row.p_value for row in rows]))
    assert {row.family for row in rows} == {"weat, en, pkg:glove-6b-50d: effect_size, 3 tests, Holm"}


def by_hand(p_values: list[float | None]) -> list[float]:
    """Holm step by step: the smallest times k, the next times k - 1, never below the one before."""
    ordered = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted, floor = [0.0] * len(ordered), 0.0
    for rank, (p, place) in enumerate(ordered):
        floor = max(floor, min(1.0, p * (len(ordered) - rank)))
        adjusted[place] = floor
    return adjusted


def test_several_subjects_are_corrected_together(stocked: Store, run: Run) -> None:
    runs = [run, measure("weat", "pkg:navec-news", store=stocked)]
    rows = [
        row
        for row in across(runs).to_json()["estimates"]
        if row["name"] == "effect_size" and row["p_value"] is not None
    ]
    rows = [row for row in rows if not row["group"]]
    assert len(rows) == 3 + 6
    assert [row["p_adjusted"] for row in rows] == pytest.approx(holm([row["p_value"] for row in rows]))
    assert rows[0]["family"] == "weat, 2 runs: effect_size, 9 tests, Holm"


def test_groups_of_one_test_stay_apart_side_by_side(stocked: Store) -> None:
    runs = [measure("bad", name, store=stocked, seed=seed) for name in ("pkg:navec-news",) for seed in (0, 1)]
    headlines = dict(across(runs).headlines())
    assert set(headlines) == {"semantic-gender [adjectives=pack]", "names [adjectives=pack]"}
    expected = [row.value for row in runs[0].result.estimates if row.name == "score_minus_baseline"]
    assert [rows[0].value for rows in headlines.values()] == expected


class TestFilesOfOneName:
    @pytest.fixture
    def files(self, tmp_path: Path) -> list[Path]:
        words = [word.text for test in _english().weat for part in (test.x, test.y, test.a, test.b) for word in part]
        rng = np.random.default_rng(1)
        paths = []
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            lines = [f"{word} {' '.join(f'{v:.4f}' for v in rng.normal(size=5))}" for word in dict.fromkeys(words)]
            paths.append(tmp_path / folder / "model.txt")
            paths[-1].write_text("\n".join(lines) + "\n")
        return paths

    def test_are_told_apart(self, store: Store, files: list[Path]) -> None:
        runs = [measure(tool, str(path), lang="en", store=store) for path in files for tool in ("weat", "rnd")]
        assert len(set(labels(runs))) == 2
        found = agreement(runs)
        assert [len(entry.measures) for entry in found] == [2, 2]
        leans = [
            {row.test: row.value for row in run.result.estimates if row.name == "lean"} for run in (runs[1], runs[3])
        ]
        assert [entry.measures[1].values for entry in found] == leans

    def test_the_same_content_under_another_name_is_answered_under_that_name(
        self, store: Store, files: list[Path], tmp_path: Path
    ) -> None:
        first = measure("weat", str(files[0]), lang="en", store=store)
        (tmp_path / "copy.txt").write_bytes(files[0].read_bytes())
        again = measure("weat", str(tmp_path / "copy.txt"), lang="en", store=store)
        assert (again.id, again.result.subject) == (first.id, "copy.txt")

    def test_provenance_of_a_file_names_no_folder(self, store: Store, files: list[Path], tmp_path: Path) -> None:
        run = measure("weat", str(files[0]), lang="en", store=store)
        assert str(tmp_path) not in json.dumps(run.result.to_stored_json())

    def test_one_that_cannot_be_read_does_not_stop_the_audit(self, store: Store, files: list[Path]) -> None:
        files[1].write_text("not vectors at all\n")
        found = audit([str(path) for path in files], lang="en", store=store)
        assert len(found.runs) > 3
        assert {entry.subject for entry in found.skipped if entry.failed} == {"model.txt"}
        assert not found.complete


class TestForPython:
    def test_a_run_saves_itself(self, run: Run, tmp_path: Path) -> None:
        folder = run.save(tmp_path / "out")
        assert json.loads((folder / "result.json").read_text())["provenance"]["run"] == run.id
        assert pl.read_parquet(folder / "items.parquet").equals(run.items)

    def test_a_run_becomes_a_pandas_table(self, run: Run) -> None:
        table = run.to_pandas()
        assert list(table["value"]) == [row.value for row in run.result.estimates]

    def test_a_run_draws_itself(self, run: Run) -> None:
        chart = run.plot().to_dict()
        assert len(chart["layer"]) == 3

    def test_a_notebook_shows_the_numbers_and_escapes_what_came_from_outside(self, run: Run) -> None:
        shown = run._repr_html_()
        assert f"{run.result.estimates[0].value:.4g}" in shown
        assert "<script>" not in Run("id", _named(run.result, "<script>"), run.items)._repr_html_()


def _named(result: Result, subject: str) -> Result:
    from dataclasses import replace

    return replace(result, subject=subject)


def test_a_number_that_is_none_cannot_be_hidden_in_an_estimate() -> None:
    with pytest.raises(ValueError, match="use None for what cannot be computed"):
        Estimate(test="t", name="n", value=float("nan"), worse="away", neutral=0)


class TestAudit:
    def test_measures_what_applies(self, stocked: Store) -> None:
        found = audit([SUBJECT, "pkg:navec-news"], store=stocked)
        measured = {(run.result.instrument, run.result.lang) for run in found.runs}
        assert {("weat", "en"), ("weat", "ru"), ("bad", "ru"), ("grammar-weat", "ru")} <= measured
        skipped = {(entry.instrument, entry.subject): entry.reason for entry in found.skipped}
        assert skipped["bad", SUBJECT] == "English has no grammatical gender"
        assert found.complete

    def test_names_what_it_could_not_reach_and_goes_on(
        self, store: Store, real_downloads: dict[str, Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
        found = audit(["pkg:navec-news", SUBJECT], store=stock(store, real_downloads, "glove-6b-50d"))
        assert {run.result.subject for run in found.runs} == {SUBJECT}
        assert {entry.subject for entry in found.skipped if entry.failed} == {"pkg:navec-news"}
        assert not found.complete

    def test_a_budget_of_nothing_leaves_all_out(self, stocked: Store) -> None:
        found = audit([SUBJECT], store=stocked, budget_minutes=0)
        assert {entry.reason for entry in found.skipped if entry.instrument == "weat"} == {"over the budget"}
        assert found.runs == ()
        assert found.complete

    def test_a_plan_counts_the_distinct_words(self, stocked: Store) -> None:
        planned, skipped = plan([SUBJECT], store=stocked)
        (todo,) = [entry for entry in planned if entry.instrument == "weat"]
        items = load_instrument("weat").items(_english(), load_instrument("weat").options())
        assert todo.questions == len({*items["target"], *items["attribute"]})
        assert todo.seconds is not None
        assert todo.seconds > 0
        assert {entry.instrument for entry in skipped} == {
            "bad",
            "mweat",
            "grammar-weat",
            "kurita",
            "becpro",
            "form-preference",
            "nli-coal",
            "slgu",
        }


def _english() -> Any:
    from tiltmeter.packs import load_pack

    return load_pack("en")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"lang": "rx"}, "there is no language 'rx'; did you mean 'ru'"),
        ({"effect_siz": "caliskan"}, "there is no option of weat 'effect_siz'; did you mean 'effect_size'"),
        ({"effect_size": "calskan"}, "there is no value of effect_size 'calskan'; did you mean 'caliskan'"),
    ],
)
def test_bad_requests_are_refused_with_the_nearest_name(store: Store, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(TiltmeterError, match=said):
        measure("weat", SUBJECT, store=store, **arguments)


def test_a_pack_without_the_list_is_refused_with_what_to_add(store: Store, tmp_path: Path) -> None:
    (tmp_path / "pack.toml").write_text(
        'lang = "xx"\nname = "X"\nendonym = "X"\nscripts = ["Latin"]\ngrammatical_gender = []\n'
    )
    with pytest.raises(TiltmeterError, match="weat needs the list 'weat', which the pack 'xx' lacks: add weat"):
        measure("weat", SUBJECT, store=store, pack=tmp_path)
    with pytest.raises(TiltmeterError, match="is of 'xx', and --lang says 'en'"):
        measure("weat", SUBJECT, store=store, pack=tmp_path, lang="en")
