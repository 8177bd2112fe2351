"""Why a printed number has none beside it: each reason by its name, and what failed by the exit code."""

import csv
import json
import re
from pathlib import Path

import numpy as np
import pytest

from studies.small import STUDY, of, put
from support import Command
from tiltmeter.report.reproduction import summary
from tiltmeter.store import Store
from tiltmeter.studies import Reproduction, published_studies, read_study, reproduce

MEASURED = STUDY.replace("no-such-model", "ref:en-vectors")


def study(place: Path, *changes: tuple[str, str], text: str = MEASURED) -> Path:
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    place.write_text(text, "utf-8")
    return place


def without_ours(found: Reproduction) -> dict[str, int]:
    """The reasons that the summary counts, by their words."""
    told = next((line for line in summary(found) if line.startswith("without ours: ")), "")
    return {words: int(count) for count, words in re.findall(r"(\d+) ([^;]+)", told)}


class TestMeasuredWithoutSuchANumber:
    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            ('estimate = "effect_size"', 'estimate = "effect_sise"', "no run has any of its numbers: effect_sise"),
            ('estimate = "effect_size"', 'item = "1/0"', "no run has any of its numbers: 1/0"),
            ('"career-family"', '"carreer-family"', "no run has any of its numbers: effect_size"),
        ],
    )
    def test_has_failed_and_is_named(self, told: Command, tmp_path: Path, before: str, after: str, said: str) -> None:
        study(tmp_path / "x.toml", (before, after))
        found = told("reproduce", "x.toml")
        assert found.returncode == 3
        assert f"a table: measured, but {said}" in found.stderr
        assert "without ours: 1 of what was measured, and its run has no such number" in found.stdout
        assert "not at hand" not in found.stdout + found.stderr

    def test_a_column_is_named_where_others_have_theirs(self, tmp_path: Path, store: Store) -> None:
        other = '}, { head = "e", estimate = "effect_sise" }]\nrows'
        path = study(tmp_path / "x.toml", ("}]\nrows", other), ('"0.5"', '"0.5", "0.6"'))
        found = reproduce(read_study(path), store=store)
        assert found.failed == ("a table: no run has what the column 'e' names (effect_sise)",)
        assert without_ours(found) == {"of what was measured, and its run has no such number": 1}

    def test_a_row_is_named_where_others_have_theirs(self, tmp_path: Path, store: Store) -> None:
        path = study(tmp_path / "x.toml", ("rows = [", 'rows = [["m", "carreer-family", "0.4"], '))
        found = reproduce(read_study(path), store=store)
        assert found.failed == ("a table: the run has no d for the row m, carreer-family",)
        assert [cell.ours is None for cell in found.tables[0].cells] == [True, False]

    def test_a_dash_asks_for_nothing(self, tmp_path: Path, store: Store) -> None:
        path = study(tmp_path / "x.toml", ("rows = [", 'rows = [["m", "carreer-family", ""], '))
        assert reproduce(read_study(path), store=store).failed == ()

    def test_words_that_no_run_has_are_named(self, tmp_path: Path, store: Store) -> None:
        table = STUDY[STUDY.index("columns = ") :]
        path = study(
            tmp_path / "x.toml",
            (table, 'words = "Topic words"\nrows = [["m", "algebra"]]'),
            ('keys = ["model", "test"]', 'keys = ["model", "men"]'),
        )
        found = reproduce(read_study(path), store=store)
        assert found.failed == ("a table: measured, but the run has no such words (Topic words)",)


class TestWhatFailed:
    def test_is_told_from_what_is_not_at_hand(self, told: Command, tmp_path: Path) -> None:
        chance = np.random.default_rng(0)
        lines = [f"xx{number} " + " ".join(f"{one:.3f}" for one in chance.normal(size=4)) for number in range(9)]
        (tmp_path / "junk.vec").write_text("\n".join(["9 4", *lines]), "utf-8")
        stand_in = 'lang = "en"\nstand_in = ["ref:en-vectors"]'
        study(tmp_path / "x.toml", ("no-such-model", "junk"), ('lang = "en"', stand_in), text=STUDY)
        found = told("reproduce", "x.toml", "-o", "out")
        assert found.returncode == 3
        assert "weat on m: " in found.stderr
        assert "without ours: 1 of what could not be measured" in found.stdout
        assert "to show the layout" not in found.stdout
        with (tmp_path / "out" / "cells.csv").open(newline="", encoding="utf-8") as file:
            assert [row["outcome"] for row in csv.DictReader(file)] == ["failed"]

    def test_so_is_a_set_that_cannot_be_read(self, tmp_path: Path, store: Store) -> None:
        folder = put("zh-masked", tmp_path / "bert-base-chinese").parent
        (folder / "SlguSet.csv").write_text("a,b\n1,2\n", "utf-8")
        found = reproduce(read_study("zhao-2021"), models=folder, only=["boys-and-girls"], store=store)
        assert found.absent == ()
        assert [one.split(":")[0] for one in found.failed] == ["slgu on BERT-base"]
        assert {row.outcome for one in found.tables for row in one.rows} == {"failed"}


class TestWhatIsNotAtHand:
    def test_is_said_of_data_too_where_the_model_is_there(self, told: Command, tmp_path: Path) -> None:
        study(tmp_path / "x.toml", ('lang = "en"', 'lang = "en"\nfiles = { tests = "missing.toml" }'))
        found = told("reproduce", "x.toml")
        assert found.returncode == 0
        assert "not at hand: missing.toml: where, the study does not say" in found.stderr
        assert "without ours: 1 for want of models or data that are not at hand" in found.stdout

    @pytest.mark.parametrize("name", published_studies())
    def test_is_counted_apart_from_what_no_run_gives(self, name: str, store: Store) -> None:
        one = read_study(name)
        models = {run.id: run.models for run in one.runs}
        counted = {
            "for want of models or data that are not at hand": 0,
            "printed only, of what no run of the study gives": 0,
        }
        wanted, only_printed = counted
        for table in (table for table in one.tables if table.run):
            for row in table.rows:
                asked = row[table.keys.index("model")] in models[table.run]
                counted[wanted if asked else only_printed] += len(table.printed(row))
        found = reproduce(one, only=list(models), store=store)
        assert without_ours(found) == {reason: count for reason, count in counted.items() if count}


class TestWhatWasNotAskedFor:
    def test_is_neither(self, tmp_path: Path, store: Store) -> None:
        folder = put("en-masked", tmp_path / "models" / "bert-base-uncased").parent
        only = ["english", "BERT monolingual"]
        found = reproduce(read_study("azpillaga-2021"), models=folder, only=only, store=store)
        assert (found.absent, found.failed) == ((), ())
        rows = of(found, "Table 4.4, english").rows
        assert {(row.keys[0], row.outcome) for row in rows} == {
            ("BERT monolingual", "measured"), ("BERT multilingual", "not asked for"), ("IXAmBERT", "not asked for"),
        }  # fmt: skip
        # Two models, three classes, one number of Table 4.4 and fifteen of Table 4.5.
        assert without_ours(found) == {"of models that were not asked for": 2 * 3 * 16}

    def test_the_printed_object_says_so_row_by_row(self, told: Command, tmp_path: Path) -> None:
        study(tmp_path / "x.toml")
        (table,) = json.loads(told("reproduce", "x.toml", "--json").stdout)["tables"]
        assert [row["outcome"] for row in table["rows"]] == ["measured"]


class TestWordsOfOurOwn:
    def test_stand_below_those_that_were_printed(self, tmp_path: Path, store: Store) -> None:
        text = """
            name = "mine"
            title = "Topic words"
            reference = ""
            models = [{ label = "BERT", name = "ref:zh-masked" }]
            [[runs]]
            id = "set"
            instrument = "slgu"
            lang = "zh"
            models = ["BERT"]
            [[tables]]
            title = "Words"
            run = "set"
            words = "SlguSet: topic words of the sentences that lean clearly"
            keys = ["model", "men: TF-IDF"]
            rows = [["BERT", "工作"], ["BERT", "孩子"]]
            """
        (tmp_path / "mine.toml").write_text(text, "utf-8")
        found = reproduce(read_study(tmp_path / "mine.toml"), store=store)
        (words,) = [one for one in found.runs[0].result.tables if "topic words" in one.title]
        first = [str(row[words.columns.index("men: TF-IDF")]) for row in words.rows[:2]]
        assert [row.keys for row in found.tables[0].rows] == [
            ("BERT", "工作"), ("BERT", "孩子"), ("BERT, ours", first[0]), ("BERT, ours", first[1]),
        ]  # fmt: skip
        assert found.failed == ()
