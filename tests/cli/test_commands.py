"""The command as a user runs it: its output, its exit codes, one sentence for each mistake."""

import json
import os
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from support import Command, stock
from tiltmeter.store import Store

SUBJECTS = ("pkg:glove-6b-50d", "pkg:navec-news")
NO_REGISTRY = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple/"}
CONTRACT = ["instrument", "version", "subject", "lang", "options", "estimates", "notes", "provenance"]
ESTIMATE = (
    "test name group value ci_low ci_high ci_method p_value p_method p_two_sided p_adjusted family n lost worse neutral"
)


class TestMeasure:
    def test_json_of_one_subject_is_one_object_and_nothing_else(self, tilt: Command, stocked: Store) -> None:
        done = tilt("measure", "weat", "pkg:navec-news", "--json")
        assert done.returncode == 0
        found = json.loads(done.stdout)
        assert list(found) == CONTRACT
        assert all(" ".join(row) == ESTIMATE for row in found["estimates"])
        assert {row["name"] for row in found["estimates"]} == {
            "statistic",
            "effect_size",
            "effect_size_sign_flip",
            "effect_size_both",
            "effect_size_without_grammar",
        }
        assert {(row["worse"], row["neutral"]) for row in found["estimates"]} == {("away", 0)}

    def test_json_of_several_subjects_has_their_runs_and_what_holds_across(self, told: Command, stocked: Store) -> None:
        found = json.loads(told("measure", "weat", "pkg:navec-news", "pkg:glove-6b-50d", "--json").stdout)
        assert list(found) == ["runs", "across"]
        assert [run["lang"] for run in found["runs"]] == ["ru", "en"]
        assert len(found["across"]["estimates"]) == 3 * 4 + 7 * 5 + 4

    def test_out_and_items_are_written_where_the_user_says(self, told: Command, stocked: Store, tmp_path: Path) -> None:
        out, items = tmp_path / "out", tmp_path / "items.csv"
        done = told("measure", "weat", "pkg:glove-6b-50d", "--only", "math-arts", "--out", out, "--items", items)
        assert done.returncode == 0
        table = pl.read_csv(items)
        assert table.height == 16 * 16
        assert table.columns == pl.read_parquet(out / "items.parquet").columns
        assert json.loads((out / "result.json").read_text())["options"]["only"] == "math-arts"

    def test_the_words_say_which_way_and_how_sure(self, told: Command, stocked: Store) -> None:
        done = told("measure", "weat", "pkg:glove-6b-50d", "--only", "career-family")
        assert "career leans more male than family" in done.stdout
        assert "hardly chance" in done.stdout

    def test_help_shows_the_instruments_own_options(self, tilt: Command) -> None:
        done = tilt("measure", "weat", "--help")
        assert "--effect-size" in done.stdout
        assert "caliskan|pestova" in done.stdout
        assert "which way" not in done.stderr


class TestAudit:
    def test_writes_one_page_and_says_where(self, told: Command, stocked: Store, tmp_path: Path) -> None:
        done = told("audit", *SUBJECTS, "-o", tmp_path / "page.html")
        assert done.returncode == 0
        assert f"written: {tmp_path / 'page.html'}" in done.stdout
        assert "pkg:navec-news" in (tmp_path / "page.html").read_text("utf-8")
        found = json.loads(told("audit", *SUBJECTS, "--json", "-o", tmp_path / "page.html").stdout)
        assert list(found) == ["runs", "agreement", "skipped"]
        assert [entry["subject"] for entry in found["agreement"]] == list(SUBJECTS)

    def test_out_of_reach_is_named_the_rest_goes_on_and_the_exit_code_is_3(
        self, tilt: Command, store: Store, real_downloads: dict[str, Path], tmp_path: Path
    ) -> None:
        stock(store, real_downloads, "glove-6b-50d")
        done = tilt("audit", *SUBJECTS, "-o", tmp_path / "page.html", **NO_REGISTRY)
        assert done.returncode == 3
        assert " on pkg:navec-news: the package registry could not be reached" in done.stderr
        page = (tmp_path / "page.html").read_text("utf-8")
        assert "pkg:glove-6b-50d" in page
        assert "</bdi> on <bdi>pkg:navec-news</bdi>: <bdi>the package registry could not be reached" in page

    def test_nothing_in_reach_writes_no_page_and_exits_3(self, tilt: Command, tmp_path: Path) -> None:
        done = tilt("audit", *SUBJECTS, "-o", tmp_path / "page.html", **NO_REGISTRY)
        assert done.returncode == 3
        assert not (tmp_path / "page.html").exists()

    def test_dry_run_counts_questions_and_writes_nothing(self, told: Command, stocked: Store, tmp_path: Path) -> None:
        done = told("audit", *SUBJECTS, "--dry-run", "-o", tmp_path / "page.html")
        assert done.returncode == 0
        assert "79" in done.stdout
        assert "minutes" in done.stdout
        assert not (tmp_path / "page.html").exists()
        assert stocked.runs.keys() == []
        planned = json.loads(told("audit", *SUBJECTS, "--dry-run", "--json").stdout)
        assert {row["questions"] for row in planned["planned"] if row["instrument"] == "weat"} == {79, 187}


def test_a_measurement_without_any_number_is_not_done(told: Command, tmp_path: Path) -> None:
    (tmp_path / "lost.toml").write_text(
        '[tests.t]\nx = ["qa", "qb"]\ny = ["qc", "qd"]\na = ["he", "man"]\nb = ["she", "woman"]\n'
    )
    done = told("measure", "weat", "ref:en-vectors", "--tests", "lost.toml")
    assert done.returncode == 3
    assert "weat on ref:en-vectors has no number: its notes say why" in done.stderr
    assert "2 of the 2 words of X" in done.stdout


def test_a_vector_that_is_zero_is_not_said_to_be_missing(told: Command, tmp_path: Path) -> None:
    words = ("qa", "qb", "qc", "he", "man", "she", "woman")
    rows = [f"{word} {number} {-number} 1" for number, word in enumerate(words)]
    (tmp_path / "v.vec").write_text("\n".join(["8 3", *rows, "qd 0 0 0"]) + "\n")
    (tmp_path / "t.toml").write_text(
        '[tests.t]\nx = ["qa", "qb", "qf"]\ny = ["qc", "qd", "qe"]\na = ["he", "man"]\nb = ["she", "woman"]\n'
    )
    printed = told("measure", "weat", "v.vec", "--lang", "en", "--tests", "t.toml", "--max-lost", "0.7").stdout
    assert "2 words have no vector: qf, qe." in printed
    assert "Not used: qd (its vector is zero or not finite)." in printed


class TestRunsAndCache:
    def test_a_run_is_listed_shown_exported_and_removed(self, told: Command, stocked: Store, tmp_path: Path) -> None:
        assert told("measure", "weat", "pkg:glove-6b-50d").returncode == 0
        (run_id,) = stocked.runs.keys()
        assert run_id in told("runs", "list").stdout
        shown = json.loads(told("runs", "show", run_id[:6], "--json").stdout)
        assert shown["provenance"]["run"] == run_id
        assert told("runs", "export", run_id, "-o", tmp_path / "out").returncode == 0
        assert (tmp_path / "out" / "result.json").is_file()
        assert told("runs", "export", run_id, "-o", tmp_path / "items.csv").returncode == 0
        assert pl.read_csv(tmp_path / "items.csv").height > 0
        assert told("runs", "rm", run_id).returncode == 0
        assert stocked.runs.keys() == []

    def test_clearing_the_cache_keeps_finished_runs_unless_they_are_named(self, told: Command, store: Store) -> None:
        for shelf in (store.runs, store.downloads):
            shelf.obtain("k", lambda folder: (folder / "a").touch())
        assert "runs" not in told("cache", "clear").stdout
        assert store.runs.keys() == ["k"]
        assert store.downloads.keys() == []
        assert str(store.root) in told("cache", "show").stdout
        told("cache", "clear", "runs")
        assert store.runs.keys() == []


class TestLists:
    def test_packs_show_every_language_with_its_counts(self, told: Command) -> None:
        shown = told("list", "packs").stdout
        lines = [line.split() for line in shown.splitlines()]
        assert lines[0] == ["de", "en", "es", "eu", "ja", "ru", "zh"]
        assert ["occupations", *["284"] * 7] in lines
        assert ["bad", "yes", "–", "yes", "–", "–", "yes", "–"] in lines

    def test_a_pack_shows_its_lists_sources_and_what_it_cannot_have(self, told: Command) -> None:
        shown = told("list", "packs", "ru").stdout
        assert "E4: intelligence / appearance, 14 + 14 words; source: Pestova" in shown
        assert "Russian has no settled usage" in shown

    def test_a_users_pack_is_checked_and_what_is_missing_said(self, told: Command, tmp_path: Path) -> None:
        about = 'lang = "tt"\nname = "T"\nendonym = "T"\nscripts = ["Latin"]\ngrammatical_gender = []\n'
        (tmp_path / "pack.toml").write_text(about)
        (tmp_path / "adjetives.tsv").write_text("# source: x\n")
        done = told("list", "packs", "--check", tmp_path)
        assert "there is no file of a pack 'adjetives.tsv'; did you mean 'adjectives.tsv'?" in done.stdout
        assert done.returncode == 0
        assert "weat: missing weat (word sets for association tests)" in done.stdout
        assert "screening.toml: not there (how neutral sentences are told, for `build slguset`)" in done.stdout

    def test_instruments_say_which_way_is_worse(self, told: Command) -> None:
        assert "0 is neutral and further away is worse" in told("list", "instruments").stdout

    def test_subjects_say_what_is_here(self, told: Command, stocked: Store) -> None:
        shown = {line.split()[0]: line.split()[-1] for line in told("list", "subjects").stdout.splitlines()}
        assert (shown["pkg:glove-6b-50d"], shown["pkg:navec-hudlit"]) == ("yes", "no")


MISTAKES = [
    (("measure", "weta", "pkg:navec-news"), "there is no instrument 'weta'; did you mean 'weat'?"),
    (("measure", "weat", "pkg:navec-new"), "there is no package 'pkg:navec-new'; did you mean 'pkg:navec-news'?"),
    (("measure", "weat", "pkg:navec-news", "--lang", "rx"), "there is no language 'rx'; did you mean 'ru'?"),
    (("measure", "weat", "pkg:navec-news", "--effct-size", "x"), "--effect-size"),
    (("measure", "weat", "pkg:navec-news", "--only", "E9"), "there is no test 'E9'"),
    (("measure", "weat", "pkg:navec-news", "--max-lost", "2"), "--max-lost is a share"),
    (("measure", "weat", "pkg:navec-news", "--pack", "nowhere"), "nowhere is not a folder with a pack in it"),
    (("measure", "weat", "a", "b", "--items", "x.csv"), "--items takes the items of one subject"),
    (("measure", "weat", "pkg:navec-news", "--seed", "-1"), "--seed is 0 or a positive whole number"),
    (("measure", "weat", "pkg:navec-news", "--items", "x.json"), "items are written as .parquet or .csv"),
    (("measure", "weat", "./none.vec"), "there is no file or folder ./none.vec"),
    (("measure", "weat"), "subjects"),
    (("audti",), "audit"),
    (("audit", "no-such-model"), "no-such-model is no file or folder here, and the model hub could not be reached"),
    (("audit", "pkg:navec-news", "--budget", "nan"), "--budget is a number of minutes, not nan"),
    (("runs", "show", "abc"), "there is no run 'abc'"),
    (("runs", "rm", "abc"), "there is no run 'abc'"),
    (("cache", "clear", "run"), "there is no part of the cache 'run'; did you mean 'runs'?"),
    (("list", "packs", "xx"), "there is no language 'xx'"),
    (("list", "packs", "--check", "nowhere"), "nowhere is not a folder with a pack in it"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "said"), MISTAKES, ids=[" ".join(row[0]) for row in MISTAKES])
def test_a_mistake_gets_one_sentence_and_exit_code_2(told: Command, arguments: tuple[str, ...], said: str) -> None:
    done = told(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    (sentence,) = done.stderr.splitlines()
    assert sentence.startswith("tiltmeter: ")
    assert said in sentence


class TestDisk:
    def test_a_cache_that_cannot_be_written_is_said_in_one_sentence(self, tilt: Command, tmp_path: Path) -> None:
        (tmp_path / "file").touch()
        done = tilt("measure", "weat", "pkg:navec-news", TILTMETER_CACHE=str(tmp_path / "file"))
        assert done.returncode == 2
        assert "cannot be written (Not a directory); choose another place" in done.stderr
        assert "Traceback" not in done.stderr

    def test_a_page_that_cannot_be_written_is_said_in_one_sentence(
        self, told: Command, stocked: Store, tmp_path: Path
    ) -> None:
        (tmp_path / "page.html").mkdir()
        done = told("audit", "pkg:glove-6b-50d", "-o", tmp_path / "page.html")
        assert done.returncode == 2
        assert "cannot be written (Is a directory)" in done.stderr

    def test_an_ending_that_is_not_known_is_refused_before_anything_is_measured(
        self, told: Command, stocked: Store
    ) -> None:
        done = told("audit", "pkg:glove-6b-50d", "-o", "page.docx")
        assert done.returncode == 2
        assert done.stderr.startswith("tiltmeter: 'page.docx' ends in none of .html")
        assert list(stocked.runs.keys()) == []

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
    def test_a_disk_that_fills_up_while_fetching_leaves_nothing_behind(
        self, tilt: Command, real_downloads: dict[str, Path], tmp_path: Path
    ) -> None:
        disk = tmp_path / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
        try:
            done = tilt("measure", "weat", "pkg:navec-news", TILTMETER_CACHE=str(disk))
            assert done.returncode == 2
            assert "the disk is full" in done.stderr
            assert not [path for path in disk.rglob("*") if path.is_file() and path.suffix != ".lock"]
        finally:
            subprocess.run(["umount", disk], check=True)


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys; sys.argv = ['tiltmeter', '--help']\n"
        "from tiltmeter.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "heavy = {'torch', 'polars', 'numpy', 'scipy', 'gensim', 'altair', 'requests', 'pandas'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "Measures how far a language model tilts" in done.stdout


def test_version(tilt: Command) -> None:
    from importlib.metadata import version

    assert tilt("--version").stdout == f"tiltmeter {version('tiltmeter')}\n"


@pytest.mark.parametrize(
    ("command", "code"),
    [("list packs | true", 0), ("list packs nosuch 2>&1 | true", 2), ("list certificates | true", 0)],
)
def test_a_reader_that_goes_away_is_no_bug(tmp_path: Path, command: str, code: int) -> None:
    done = subprocess.run(
        f"{sys.executable} -m tiltmeter {command}; exit ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True, check=False,
        env={**os.environ, "TILTMETER_CACHE": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == code
    assert "Traceback" not in done.stderr
