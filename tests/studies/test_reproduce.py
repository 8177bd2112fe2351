"""Studies measured again: real models under the names of a study's, ours beside what was printed."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import tiltmeter
from studies.small import STUDY, of, put
from support import Command
from tiltmeter import packs
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack
from tiltmeter.reading import Reading
from tiltmeter.report.reproduction import reproduction_page
from tiltmeter.runs import measure
from tiltmeter.store import Store
from tiltmeter.studies import Compared, Reproduction, read_study, reproduce, study_file
from tiltmeter.studies.cells import _of_item


def ours(one: Compared, *keys: str) -> list[float | None]:
    return next([cell.ours for cell in row.cells] for row in one.rows if row.keys == keys)


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    """The English part of the thesis, of which one model is at hand: a small one that bears the name of its BERT."""
    folder = tmp_path_factory.mktemp("models")
    put("en-masked", folder / "bert-base-uncased")
    store = Store(tmp_path_factory.mktemp("cache"))
    return reproduce(read_study("azpillaga-2021"), models=folder, only=["english"], store=store)


class TestWhatIsAtHand:
    def test_is_measured_in_the_mode_of_the_study(self, english: Reproduction) -> None:
        (run,) = english.runs
        assert (run.result.instrument, run.result.lang, run.result.options["mode"]) == ("becpro", "en", "published")
        assert english.stand_ins == ()

    def test_every_cell_is_what_the_items_give(self, english: Reproduction) -> None:
        (run,) = english.runs
        rows = run.items.filter(pl.col("person_gender") != "nonbinary")
        for name in ("balanced", "female", "male"):
            told = ours(of(english, "Table 4.5"), "BERT monolingual", name)
            expected = []
            for gender in ("female", "male"):
                chosen = (pl.col("profession_class") == name) & (pl.col("person_gender") == gender)
                values = rows.filter(chosen)["association"].to_numpy()
                quantiles = np.quantile(values, [0.75, 0.5, 0.25])
                expected += [values.mean(), values.std(ddof=1), values.max(), values.min(), *quantiles]
            assert told[1:] == pytest.approx(expected)
            assert told[0] == pytest.approx(expected[0] - expected[7])
            assert ours(of(english, "Table 4.4"), "BERT monolingual", name) == [told[0]]

    def test_a_difference_is_ours_less_theirs(self, english: Reproduction) -> None:
        cells = [cell for one in english.tables for cell in one.cells if cell.ours is not None]
        assert len(cells) == 3 + 3 * 15
        for cell in cells:
            assert cell.printed is not None
            assert cell.ours is not None
            assert cell.difference == pytest.approx(cell.ours - float(cell.printed.text))
            assert cell.agrees == (abs(cell.ours - float(cell.printed.text)) <= 0.0005)

    def test_as_a_table_of_pandas_it_has_the_same_numbers(self, english: Reproduction) -> None:
        one = of(english, "Table 4.4")
        told = one.to_pandas().query("model == 'BERT monolingual'")
        assert told["f - m, printed"].tolist() == ["-0.404", "1.179", "-0.989"]
        assert told["f - m, ours"].tolist() == [
            ours(one, "BERT monolingual", name)[0] for name in told["profession_class"]
        ]

    def test_what_is_not_is_named_with_the_command_that_gets_it(self, english: Reproduction) -> None:
        told = {one.what: one.fetch for one in english.absent}
        assert told == {
            "BERT multilingual (google-bert/bert-base-multilingual-cased)": "`hf download "
            "google-bert/bert-base-multilingual-cased`",
            "IXAmBERT (ixa-ehu/ixambert-base-cased)": "`hf download ixa-ehu/ixambert-base-cased`",
        }

    def test_models_are_found_in_the_cache_of_the_hub(
        self, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import huggingface_hub.constants

        from tiltmeter.subjects.language_models.checkpoint import is_cached

        place = tmp_path / "hub" / "models--ixa-ehu--berteus-base-cased"
        commit = "0" * 40
        put("eu-masked", place / "snapshots" / commit)
        (place / "refs").mkdir()
        (place / "refs" / "main").write_text(commit)
        monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        assert is_cached("ixa-ehu/berteus-base-cased")
        assert not is_cached("ixa-ehu/ixambert-base-cased")
        assert not is_cached("no model: at all")
        (place / "snapshots" / commit / "model.safetensors").unlink()
        assert not is_cached("ixa-ehu/berteus-base-cased")


class TestSentences:
    def test_a_printed_sentence_is_found_among_the_items(self, tmp_path: Path, store: Store) -> None:
        """The released file has offsets into it; commas of a print are narrower than those of the data."""
        folder = tmp_path / "models"
        put("zh-masked", folder / "bert-base-chinese")
        sentences = {"队长是一队之长，他的实力与临场表现在很大程度上决定着球队的走向。": (8, "他", "她")}
        rows = [["句子", "关键词位置", "原始关键词", "对立关键词"]]
        rows += [[text, f"[{at}, {at + 1}]", word, other] for text, (at, word, other) in sentences.items()]
        with (folder / "SlguSet.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
        (tmp_path / "mine.toml").write_text(
            """
            name = "mine"
            title = "One sentence"
            reference = ""
            models = [{ label = "BERT", name = "bert-base-chinese" }]
            [[runs]]
            id = "set"
            instrument = "slgu"
            lang = "zh"
            models = ["BERT"]
            files = { sentences = "SlguSet.csv" }
            [[tables]]
            title = "Its probabilities"
            run = "set"
            keys = ["model", "sentence"]
            columns = [{ head = "P(man)", item = "10 ** log10_p_man" }, { head = "Bias", item = "bias" }]
            rows = [["BERT", "队长是一队之长,[MASK]的实力与临场表现在很大程度上决定着球队的走向。", "8.9e-1", "3.067"]]
            """,
            "utf-8",
        )
        found = reproduce(read_study(tmp_path / "mine.toml"), models=folder, store=store)
        (item,) = found.runs[0].items.iter_rows(named=True)
        assert [cell.ours for cell in found.tables[0].cells] == pytest.approx(
            [10 ** item["log10_p_man"], item["log10_p_man"] - item["log10_p_woman"]]
        )

    def test_of_a_text_that_stands_twice_the_masked_place_tells_which(self) -> None:
        items = pl.DataFrame({"sentence": ["他说他来"] * 2, "start": [0, 2], "end": [1, 3], "bias": [0.1, 0.6]})
        assert _of_item("bias", {"sentence": "[MASK]说他来"}, items) == 0.1
        assert _of_item("bias", {"sentence": "他说[MASK]来"}, items) == 0.6
        assert _of_item("bias", {"sentence": "他说他来"}, items) is None, "either could be meant"
        assert _of_item("bias", {"sentence": "他说[MASK]去"}, items) is None
        assert _of_item("absent", {"sentence": "[MASK]说他来"}, items) is None

    def test_data_that_are_missing_are_named_and_nothing_is_measured_on_others(
        self, tmp_path: Path, store: Store
    ) -> None:
        folder = tmp_path / "models"
        put("zh-masked", folder / "bert-base-chinese")
        found = reproduce(read_study("zhao-2021"), models=folder, only=["boys-and-girls"], store=store)
        assert [one.what for one in found.absent] == ["SlguSet.csv"]
        assert found.runs == ()
        assert all(cell.ours is None for one in found.tables for cell in one.cells)


class TestStandIns:
    def test_show_the_layout_in_rows_of_their_own(self, store: Store) -> None:
        found = reproduce(read_study("anantaprayoon-2023"), store=store)
        assert found.stand_ins == ("ref:ja-nli",)
        one = of(found, "Tables 3 and 4")
        standing = [row for row in one.rows if row.stands_in]
        assert [row.keys for row in standing] == [("ref:ja-nli",)]
        estimates = {(e.name, e.group.get("set")): e.value for e in found.runs[0].result.estimates}
        expected = [estimates[name, chosen] for chosen in ("PS", "AS", "NS") for name in ("e", "c", "n")]
        assert [cell.ours for cell in standing[0].cells] == pytest.approx([*expected, estimates["s", None]])
        assert all(cell.printed is None for cell in standing[0].cells)
        assert all(cell.ours is None for row in one.rows if not row.stands_in for cell in row.cells)

    def test_the_words_of_a_pack_stand_in_for_a_file_of_ratings(self, store: Store) -> None:
        found = reproduce(read_study("bad"), store=store)
        told = {row.keys: row.cells[0].ours for row in of(found, "Table 1: paired t tests of the scores").rows}
        estimates = {(e.test, e.name): e.value for e in found.runs[0].result.estimates}
        assert told["ref:es-vectors", "names"] == estimates["names", "paired_t"]
        assert told["Wiki", "names"] is None

    def test_show_sentences_and_words_of_their_own_where_a_table_is_made_of_them(self, store: Store) -> None:
        found = reproduce(read_study("zhao-2021"), store=store)
        run = next(one for one in found.runs if not one.result.options["contains"])
        for title, men_first in (("Table 5", True), ("Table 6", False)):
            own = sorted(run.items.iter_rows(named=True), key=lambda item: item["bias"], reverse=men_first)[:5]
            rows = of(found, title).rows
            assert [row.keys for row in rows if row.stands_in] == [("ref:zh-masked", item["sentence"]) for item in own]
            numbers = [[10 ** item["log10_p_man"], 10 ** item["log10_p_woman"], item["bias"]] for item in own]
            assert [[cell.ours for cell in row.cells] for row in rows if row.stands_in] == [
                pytest.approx(told) for told in numbers
            ]
            assert [row.outcome for row in rows[:5]] == ["not at hand"] * 5
        (words,) = [one for one in run.result.tables if "topic words" in one.title]
        columns = [words.columns.index(key) for key in of(found, "Table 7").table.keys[1:]]
        assert [row.keys for row in of(found, "Table 7").rows[5:]] == [
            ("ref:zh-masked", *(str(row[place]) for place in columns)) for row in words.rows[:5]
        ]
        page = reproduction_page(found)
        assert "Stand-ins, in rows of their own, are no models of the study, and show sentences of their own" in page

    def test_have_no_sentences_where_a_table_asks_for_estimates_too(self, tmp_path: Path, store: Store) -> None:
        both = STUDY.replace('estimate = "effect_size" }', 'estimate = "effect_size" }, { head = "c", item = "1 + 1" }')
        both = both.replace('"0.5"', '"0.5", "2"').replace("[[tables]]", 'stand_in = ["ref:en-vectors"]\n[[tables]]')
        (tmp_path / "x.toml").write_text(both, "utf-8")
        found = reproduce(read_study(tmp_path / "x.toml"), store=store)
        assert found.stand_ins == ("ref:en-vectors",)
        assert [row.outcome for row in found.tables[0].rows] == ["not at hand"]

    def test_ratings_of_the_user_are_used_by_their_own_name(self, tmp_path: Path, store: Store) -> None:
        folder = put("es-vectors", tmp_path / "models" / "wiki.es").parent
        pairs = [(one.masculine, one.feminine) for one in load_pack("es").adjectives][::3]
        lines = [f"{m},{f},{number % 5 + 1},{number % 3 + 2}" for number, (m, f) in enumerate(pairs)]
        (folder / "cgss.csv").write_text("\n".join(["word_m,word_f,rating_m,rating_f", *lines]), "utf-8")
        found = reproduce(read_study("bad"), models=folder, store=store)
        assert found.stand_ins == ()
        told = {row.keys: row.cells[0].ours for row in of(found, "Table 2").rows}
        assert told["SBWC", "names"] is None
        estimates = {(e.test, e.name, e.group["adjectives"]): e.value for e in found.runs[0].result.estimates}
        assert told["Wiki", "names"] == estimates["names", "pearson", "cgss.csv"] is not None


class TestNames:
    """Only the model that a study means is measured under its label."""

    @pytest.mark.parametrize("name", ["", ".", "..", "../elsewhere", "/", "no/..", "x" * 300, "~nobody/x"])
    def test_that_lead_elsewhere_find_nothing(self, tmp_path: Path, store: Store, name: str) -> None:
        folder = put("ru-vectors", tmp_path / "models" / "theirs").parent
        (tmp_path / "x.toml").write_text(STUDY.replace("no-such-model", name), "utf-8")
        found = reproduce(read_study(tmp_path / "x.toml"), models=folder, store=store)
        assert (found.runs, found.failed) == ((), ())
        assert len(found.absent) == 1

    def test_of_another_ending_or_of_two_owners_find_nothing(self, tmp_path: Path, store: Store) -> None:
        folder = put("en-masked", tmp_path / "models" / "distilbert").parent
        (folder / "wiki.md5").write_text("0")
        two = STUDY.replace('{ label = "m", name = "no-such-model" }', _TWO).replace(
            'models = ["m"]', 'models = ["m", "n"]'
        )
        (tmp_path / "x.toml").write_text(two, "utf-8")
        found = reproduce(read_study(tmp_path / "x.toml"), models=folder, store=store)
        assert found.runs == ()
        assert [one.fetch for one in found.absent] == ["`hf download a/distilbert`", "`hf download b/distilbert`"]

    @pytest.mark.parametrize("name", ["api:http://127.0.0.1:9#x", "predictions:/etc/passwd", "x; curl y | sh #"])
    def test_of_servers_files_and_commands_do_nothing(self, tmp_path: Path, store: Store, name: str) -> None:
        (tmp_path / "x.toml").write_text(STUDY.replace("no-such-model", name), "utf-8")
        found = reproduce(read_study(tmp_path / "x.toml"), store=store)
        assert found.runs == ()
        assert found.absent[0].fetch == "where, the study does not say"

    def test_a_file_lies_where_the_user_said(self, tmp_path: Path, store: Store) -> None:
        (tmp_path / "outside.toml").write_text("x = 1")
        for name in ("../outside.toml", str(tmp_path / "outside.toml")):
            text = STUDY.replace('lang = "en"', f'lang = "en"\nfiles = {{ tests = "{name}" }}')
            (tmp_path / "models").mkdir(exist_ok=True)
            (tmp_path / "models" / "x.toml").write_text(text.replace("no-such-model", "ref:en-vectors"), "utf-8")
            found = reproduce(read_study(tmp_path / "models" / "x.toml"), store=store)
            assert found.runs == ()
            assert [one.what for one in found.absent] == [name]


_TWO = '{ label = "m", name = "a/distilbert" }, { label = "n", name = "b/distilbert" }'


class TestAStudyOfOnesOwn:
    def test_exported_and_measured_again_every_number_agrees(self, tmp_path: Path, store: Store) -> None:
        runs = [
            tiltmeter.measure("weat", "ref:ru-vectors", cache=store.root, effect_size="pestova"),
            tiltmeter.measure("slgu", "ref:en-masked", cache=store.root, threshold=0.5),
        ]
        path = tmp_path / "mine.toml"
        path.write_text(study_file(runs, name="mine", title='A "study"', reference="Ours, 2026"), "utf-8")
        study = read_study(path)
        assert (study.title, study.runs[0].options["effect_size"]) == ('A "study"', "pestova")
        found = reproduce(study, store=Store(tmp_path / "other"))
        cells = [cell for one in found.tables for cell in one.cells]
        assert {cell.agrees for cell in cells if cell.printed} == {True}
        assert sum(cell.printed is not None for cell in cells) > 60
        assert [run.id for run in found.runs] == [run.id for run in runs]

    def test_one_model_under_several_instruments_is_named_once(self, tmp_path: Path, store: Store) -> None:
        runs = [
            tiltmeter.measure("becpro", "ref:en-masked", cache=store.root),
            tiltmeter.measure("becpro", "ref:en-masked", cache=store.root, mode="published"),
            tiltmeter.measure("slgu", "ref:en-masked", cache=store.root),
        ]
        path = tmp_path / "mine.toml"
        path.write_text(study_file(runs, name="mine"), "utf-8")
        study = read_study(path)
        assert [model.label for model in study.models] == ["ref:en-masked"]
        assert [(run.instrument, run.models) for run in study.runs] == [
            (instrument, ("ref:en-masked",)) for instrument in ("becpro", "becpro", "slgu")
        ]
        titles = [one.title for one in study.tables]
        assert len(set(titles)) == len(titles)
        assert [run.id for run in reproduce(study, store=store).runs] == [run.id for run in runs]

    def test_by_the_commands(self, told: Command, tmp_path: Path) -> None:
        assert told("measure", "nli-coal", "ref:en-nli").returncode == 0
        assert told("runs", "export", "ref:en-nli", "--study", "-o", "mine.toml").returncode == 0
        again = told("reproduce", "mine.toml", "-o", "out")
        assert again.returncode == 0
        assert "agree to the last printed digit" in again.stdout
        assert {path.name for path in (tmp_path / "out").iterdir()} >= {"README.md", "cells.csv", "report.html"}
        with (tmp_path / "out" / "cells.csv").open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert {row["agrees"] for row in rows if row["printed"]} == {"True"}
        printed = json.loads(told("reproduce", "mine.toml", "--json").stdout)
        assert sum(len(row["cells"]) for one in printed["tables"] for row in one["rows"]) == len(rows)

    def test_a_file_of_the_user_is_named_and_found_beside_the_study(self, tmp_path: Path, store: Store) -> None:
        (tmp_path / "ours.csv").write_text("masculine,feminine,class\nnurse,nurse,female\nplumber,plumber,male\n")
        run = tiltmeter.measure("becpro", "ref:en-masked", cache=store.root, profession_list=tmp_path / "ours.csv")
        (tmp_path / "mine.toml").write_text(study_file([run], name="mine"), "utf-8")
        assert read_study(tmp_path / "mine.toml").runs[0].files == {"profession_list": "ours.csv"}
        found = reproduce(read_study(tmp_path / "mine.toml"), store=store)
        assert [again.id for again in found.runs] == [run.id]

    def test_a_pack_of_the_user_is_named_and_found_beside_the_study(
        self, tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        pack = tmp_path / "mine-en"
        shutil.copytree(Path(packs.__file__).parent / "en", pack)
        tests = (pack / "weat.toml").read_text("utf-8")
        (pack / "weat.toml").write_text(tests.replace('"algebra"', '"cousin"'), "utf-8")
        monkeypatch.chdir(pack)
        run = tiltmeter.measure("weat", "ref:en-vectors", cache=store.root, pack=".")
        monkeypatch.chdir(tmp_path)
        path = tmp_path / "mine.toml"
        path.write_text(study_file([run], name="mine"), "utf-8")
        assert read_study(path).runs[0].pack == "mine-en"
        assert [again.id for again in reproduce(read_study(path), store=store).runs] == [run.id]
        path.write_text(path.read_text("utf-8").replace("[[tables]]", 'stand_in = ["ref:en-vectors"]\n[[tables]]', 1))
        shutil.rmtree(pack)
        without = reproduce(read_study(path), store=store)
        assert without.runs == ()
        assert [one.what for one in without.absent] == ["mine-en"]

    def test_how_a_model_was_read_is_said(self, tiny: Callable[[str], Path], tmp_path: Path, store: Store) -> None:
        (tmp_path / "ours.csv").write_text("masculine,class\nnurse,female\nplumber,male\n")
        given: dict[str, Any] = {"lang": "en", "store": store, "keep": False, "profession_list": tmp_path / "ours.csv"}
        ways: list[dict[str, Any]] = [{}, {"kind": "masked", "pre_segment": "none"}]
        for told in ways:
            run = measure("becpro", str(tiny("bert-cased")), reading=Reading(**told), **given)
            (tmp_path / "mine.toml").write_text(study_file([run], name="mine"), "utf-8")
            assert read_study(tmp_path / "mine.toml").models[0].reading == told

    def test_text_from_a_file_is_text(self, told: Command, tmp_path: Path) -> None:
        (tmp_path / "evil.toml").write_text(
            STUDY.replace("A title", "<script>alert(1)</script> [red]x[/red]").replace("a table", "=1+1|x"), "utf-8"
        )
        found = told("reproduce", "evil.toml", "-o", "out")
        assert found.returncode == 0
        assert "[red]x[/red]" in found.stdout
        page = (tmp_path / "out" / "README.md").read_text("utf-8")
        assert "\\<script\\>" in page
        assert "=1+1\\|x" in page
        assert "'=1+1|x" in (tmp_path / "out" / "cells.csv").read_text("utf-8")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ('name = "x"', "", "name is missing"),
        ('title = "A title"', "titel = 3", "there is no part of a study 'titel'; did you mean 'title'?"),
        ('instrument = "weat"', 'instrument = "wheat"', "there is no instrument 'wheat'; did you mean 'weat'?"),
        ('lang = "en"', 'lang = "en"\noptions = { effect_size = "x" }', "options.effect_size is 'x', where one of"),
        ('lang = "en"', 'lang = "en"\noptions = { seed = "x" }', "options.seed is 'x', where a whole number"),
        ('lang = "en"', 'lang = "en"\noptions = { tests = "/etc/passwd" }', "name it under files"),
        ('"0.5"]', '"−0.5"]', "'−0.5' is no number"),
        ('effect_size"', 'effect_size", group = { a = "@ratigns" }', "there is no file in the table 'a table'"),
        ('lang = "en"', 'lang = "en"\nfiles = { effect_size = "x" }', "that takes a file 'effect_size'"),
        ('models = ["m"]', 'models = ["n"]', "there is no model of the run 'r' 'n'"),
        ('run = "r"', 'run = "s"', "there is no run, which the table 'a table' is of, 's'"),
        ('run = "r"', "", "says neither which run it is of nor which command"),
        ('"0.5"]', '"0.5", "1"]', "a row has 4 cells, where 3 are expected"),
        ('["m", "career', '["n", "career', "there is no model in the table 'a table' 'n'"),
        ('estimate = "effect_size"', 'estimate = "d", field = "p"', "there is no field of an estimate 'p'"),
        ('estimate = "effect_size"', 'item = "x", estimate = "d"', "has to be an estimate or of an item"),
        ('estimate = "effect_size"', 'item = "a.b"', "a formula holds 'a.b'"),
        ('title = "a table"', 'title = "a table"\nlaws = ["d = e + 1"]', "there is no column in a law of"),
        ('title = "a table"', 'title = "a table"\ntotals = { e = "m" }', "there is no column in the totals of"),
        ('title = "a table"', 'title = "a table"\ntotals = { d = "all" }', "there is no row in the totals of"),
        (
            "rows = [",
            'totals = { d = "m" }\nrows = [["m", "x", "1"], ',
            "its totals go by the first cell of a row, and two rows begin with 'm'",
        ),
        ('title = "a table"', 'title = "a table"\norder = "a.b"', "a formula holds 'a.b'"),
        ('title = "a table"', 'title = "a table"\nwords = "Words"', "stand in the keys of a table without columns"),
        ('{ label = "m"', '{ label = "m", name = "a" }, { label = "m"', "two models have the label 'm'"),
        ('"no-such-model"', '"a", reading = { kind = "x" }', "there is no value of --kind 'x'"),
        (
            '"no-such-model"',
            '"a", reading = { allow_code = "yes" }',
            "there is no way to read a model that a study may",
        ),
        ('"no-such-model"', '"a", reading = { allow_pickle = "yes" }', "there is no way to read a model that a study"),
    ],
)
def test_a_mistake_in_a_study_is_said_in_a_sentence(tmp_path: Path, before: str, after: str, said: str) -> None:
    assert before in STUDY
    path = tmp_path / "x.toml"
    path.write_text(STUDY.replace(before, after), "utf-8")
    with pytest.raises(TiltmeterError) as error:
        read_study(path)
    assert said in str(error.value)
    assert str(error.value).startswith(f"{path}: ")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pestowa",), "there is no study 'pestowa'; did you mean 'pestova'?"),
        (("missing.toml",), "missing.toml is not a file: expected a study"),
        (("pestova", "--models", "nowhere"), "--models nowhere is not a folder"),
        (("pestova", "--only", "RNC"), "there is no model or run of pestova 'RNC'; did you mean 'RNC_cbow'?"),
        (("pestova", "-o", "full"), "full holds other files; choose another folder with --out"),
    ],
)
def test_a_mistake_in_the_command_is_said_in_a_sentence(
    told: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("x")
    found = told("reproduce", *arguments)
    assert found.returncode == 2
    assert said in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


def test_a_study_is_exported_as_toml_alone(told: Command) -> None:
    assert "does not end so" in told("runs", "export", "x", "--study", "-o", "mine.json").stderr
