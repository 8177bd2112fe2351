"""`tiltmeter gate` as a build runs it: exit codes, lines, files."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import junitparser
import pytest

from support import Command, stock
from tiltmeter.runs import measure
from tiltmeter.store import Store


@pytest.fixture(scope="module")
def saved(real_downloads: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs: `ru` and `en` of weat, and `ect`."""
    folder = tmp_path_factory.mktemp("saved")
    store = stock(Store(folder / ".cache"), real_downloads, "navec-news", "glove-6b-50d")
    for name, tool, subject in [
        ("ru", "weat", "pkg:navec-news"),
        ("en", "weat", "pkg:glove-6b-50d"),
        ("ect", "ect", "pkg:navec-news"),
    ]:
        measure(tool, subject, store=store).save(folder / "runs" / name)
    return folder / "runs"


@pytest.fixture(autouse=True)
def _outside_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


def estimates(folder: Path, name: str) -> list[dict[str, Any]]:
    data = json.loads((folder / "result.json").read_text("utf-8"))
    return [row for row in data["estimates"] if row["name"] == name and "control" not in row["group"]]


def beyond(rows: list[dict[str, Any]], limit: float) -> list[str]:
    return [row["test"] for row in rows if row["value"] is not None and abs(row["value"]) > limit]


class TestExitCodes:
    def test_0_with_one_line_that_says_how_many_checks_passed(self, told: Command, saved: Path) -> None:
        done = told("gate", saved / "en", "--max", "weat.effect_size=1.9")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == f"gate passed: {len(estimates(saved / 'en', 'effect_size'))} checks\n"

    def test_1_with_a_line_for_each_breach_and_what_could_not_be_judged(self, told: Command, saved: Path) -> None:
        done = told("gate", saved / "ru", "--max", "weat.effect_size=0.5")
        rows = estimates(saved / "ru", "effect_size")
        *lines, last = done.stdout.splitlines()
        assert done.returncode == 1
        broken, null = beyond(rows, 0.5), [row["test"] for row in rows if row["value"] is None]
        assert len(lines) == len(broken) + len(null)
        for test in broken:
            (row,) = [row for row in rows if row["test"] == test]
            (line,) = [line for line in lines if f"): {test} effect_size is" in line]
            assert line.startswith("breached: weat on pkg:navec-news, ru (run ")
            shown = f"{row['value']:.3f} (95% interval {row['ci_low']:.3f} to {row['ci_high']:.3f})"
            assert f"is {shown}, {abs(row['value']):.3f} away from 0; must be at most 0.5" in line
        assert [line.split("): ")[1].split()[0] for line in lines if line.startswith("unjudged: ")] == null == ["E4"]
        assert last == f"gate failed: {len(broken)} of {len(rows)} checks breached, {len(null)} unjudged"

    def test_1_if_nothing_is_breached_but_something_could_not_be_judged(self, told: Command, saved: Path) -> None:
        done = told("gate", saved / "ect", "--min", "ect.coherence=-1")
        assert done.returncode == 1
        assert done.stdout.endswith("gate failed: 0 of 7 checks breached, 1 unjudged\n")

    @pytest.mark.parametrize(
        ("arguments", "problem"),
        [
            ((), "a gate needs a rule: give --max, --min or --rules"),
            (("--max", "weat.effect_sise=1"), "did you mean 'effect_size'?"),
            (("--max", "weat.effect_size"), "character 17: expected = and a limit"),
            (("--min", "weat.effect_size=1"), "so bound it with max"),
            (("--rules", "none.toml"), "none.toml is not a file"),
            (("--max", "weat.effect_size=1", "--on", "interval"), "'interval' is not one of 'value', 'ci'"),
            (("--max", "weat.effect_size=1", "--junit", "taken"), "taken cannot be written"),
        ],
    )
    def test_2_for_a_mistake_in_one_sentence_and_nothing_is_written(
        self, told: Command, saved: Path, tmp_path: Path, arguments: tuple[str, ...], problem: str
    ) -> None:
        (tmp_path / "taken").mkdir()
        before = sorted(tmp_path.rglob("*"))
        done = told("gate", saved / "ru", "--junit", "gate.xml", *arguments)
        assert (done.returncode, done.stdout) == (2, "")
        assert problem in done.stderr
        assert len(done.stderr.splitlines()) == 1
        assert sorted(tmp_path.rglob("*")) == before

    def test_2_for_a_run_that_is_not_there(self, told: Command) -> None:
        done = told("gate", "abcd", "--max", "weat.effect_size=1")
        assert done.returncode == 2
        assert "no run or measured subject 'abcd'" in done.stderr

    @pytest.mark.parametrize(("limit", "code"), [(0.01, 1), (1.99, 0)])
    def test_are_the_verdicts_even_if_the_reader_has_gone(self, saved: Path, limit: float, code: int) -> None:
        arguments = ["gate", str(saved / "en"), "--max", f"weat.effect_size={limit}"]
        gate = subprocess.Popen([sys.executable, "-m", "tiltmeter", *arguments], stdout=subprocess.PIPE)
        assert gate.stdout is not None
        gate.stdout.close()
        assert gate.wait(60) == code


class TestRuns:
    def test_of_a_folder_are_each_judged_and_those_without_a_rule_are_named(self, told: Command, saved: Path) -> None:
        done = told("gate", saved, "--max", "weat.effect_size=0.9", "--json")
        found = json.loads(done.stdout)
        expected = {
            subject: beyond(estimates(saved / name, "effect_size"), 0.9)
            for name, subject in [("ru", "pkg:navec-news"), ("en", "pkg:glove-6b-50d")]
        }
        assert {
            subject: [
                row["estimate"]["test"]
                for row in found["outcomes"]
                if row["verdict"] == "breached" and row["subject"] == subject
            ]
            for subject in expected
        } == expected
        ect = json.loads((saved / "ect" / "result.json").read_text("utf-8"))["provenance"]["run"]
        assert found["without_rule"] == [ect]
        said = told("gate", saved, "--max", "weat.effect_size=0.9").stdout
        assert f"no rule is about run {ect} (ect on pkg:navec-news)\n" in said

    def test_are_found_by_the_beginning_of_their_id(self, told: Command, stocked: Store) -> None:
        run = measure("weat", "pkg:glove-6b-50d", store=stocked, only="math-arts")
        assert told("gate", run.id[:6], "--max", "weat.effect_size=1.99").stdout == "gate passed: 1 check\n"


class TestJson:
    def test_is_one_object_with_the_numbers_of_the_run(self, told: Command, saved: Path) -> None:
        done = told("gate", saved / "ru", "--max", "weat.effect_size[test=E6]=1", "--on", "ci", "--json", "--github")
        assert done.returncode == 1
        found = json.loads(done.stdout)
        (row,) = [row for row in estimates(saved / "ru", "effect_size") if row["test"] == "E6"]
        assert found["passed"] is False
        assert found["counts"] == {"passed": 0, "breached": 1, "unjudged": 0}
        (outcome,) = found["outcomes"]
        assert outcome["compared"] == max(abs(row["ci_low"]), abs(row["ci_high"]))
        assert {key: row[key] for key in outcome["estimate"]} == outcome["estimate"]
        assert (outcome["rule"], outcome["bound"], outcome["on"]) == ("weat.effect_size[test=E6]=1", "max", "ci")
        assert done.stderr.startswith("::error title="), "annotations are not in the JSON's way"

    def test_text_that_no_encoding_has_is_refused_where_the_run_is_read(
        self, told: Command, saved: Path, tmp_path: Path
    ) -> None:
        data = json.loads((saved / "en" / "result.json").read_text("utf-8")) | {"subject": "\ud800"}
        (tmp_path / "odd").mkdir()
        (tmp_path / "odd" / "result.json").write_text(json.dumps(data))
        (tmp_path / "odd" / "items.parquet").write_bytes((saved / "en" / "items.parquet").read_bytes())
        done = told("gate", tmp_path / "odd", "--max", "weat.effect_size=0", "--json")
        assert (done.returncode, done.stdout) == (2, "")
        assert "subject is '\\ud800', where text is expected" in done.stderr


class TestFilesAndAnnotations:
    @pytest.mark.parametrize(("limit", "code"), [(0.5, 1), (1.99, 0)])
    def test_junit_is_written_whether_breached_or_not(
        self, told: Command, saved: Path, tmp_path: Path, limit: float, code: int
    ) -> None:
        done = told("gate", saved / "en", "--max", f"weat.effect_size={limit}", "--junit", "deep/gate.xml")
        assert done.returncode == code
        (suite,) = junitparser.JUnitXml.fromfile(str(tmp_path / "deep" / "gate.xml"))
        rows = estimates(saved / "en", "effect_size")
        assert (suite.tests, suite.failures, suite.errors) == (len(rows), len(beyond(rows, limit)), 0)
        assert [path.name for path in (tmp_path / "deep").iterdir()] == ["gate.xml"]

    def test_annotations_stand_in_for_the_lines_inside_github_actions_or_when_asked(
        self, told: Command, saved: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def lines(*flags: str) -> tuple[int, int]:
            out = told("gate", saved / "en", "--max", "weat.effect_size=1", *flags).stdout.splitlines()
            marks = ("::error title=tiltmeter gate%3A ", "breached: ")
            counted = [sum(line.startswith(mark) for line in out) for mark in marks]
            assert sum(counted) == len(out) - 1
            return counted[0], counted[1]

        broken = len(beyond(estimates(saved / "en", "effect_size"), 1))
        assert broken > 0
        assert lines() == (0, broken)
        assert lines("--github") == (broken, 0)
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
        assert lines() == (broken, 0)
        assert lines("--no-github") == (0, broken)

    def test_rules_of_a_file_count_beside_those_of_the_command(
        self, told: Command, saved: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "gate.toml").write_text(
            '[[rule]]\nestimate = "ect.coherence"\nmin = 0.7\nwhere = { test = "E6" }\nreason = "as in production"\n'
        )
        done = told("gate", saved, "--rules", "gate.toml", "--max", "weat.effect_size[lang=en]=1.99")
        (row,) = [row for row in estimates(saved / "ect", "coherence") if row["test"] == "E6"]
        assert row["value"] < 0.7
        assert "E6 coherence is 0.576 (95% interval" in done.stdout
        assert "must be at least 0.7 (as in production)\n" in done.stdout
        assert "gate failed: 1 of 4 checks breached" in done.stdout


def test_a_masked_model_from_measure_to_gate(told: Command, tiny: Callable[[str], Path], tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("masculine,class\nnurse,female\nsecretary,female\nengineer,male\nmechanic,male\n")
    arguments = ("--lang", "en", "--profession-list", "own.csv", "--out", "run")
    assert told("measure", "becpro", tiny("bert-cased"), *arguments).returncode == 0
    (row,) = [row for row in estimates(tmp_path / "run", "f_minus_m") if row["group"] == {"profession_class": "male"}]
    distance = abs(row["value"])
    for limit, code in [(distance, 0), (distance * 0.999, 1)]:
        done = told("gate", "run", "--max", f"becpro.f_minus_m[profession_class=male]={limit!r}")
        assert done.returncode == code
