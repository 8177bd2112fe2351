"""NLI-CoAL on real models: published files, label orders, prompts, predictions, several models, killed runs."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from instruments.nli_made import TOOL, found, in_folder, published, value, world
from subjects.classifiers import LABELS, permuted, word_classifier, words_of
from subjects.tiny_models import bert_of_words
from support import Command
from tiltmeter.datasets.nli import make_pairs
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.reading import Reading
from tiltmeter.runs import Run, across, compare, measure, plan
from tiltmeter.store import Store

Tiny = Callable[[str], Path]
EN = load_pack("en")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two classifiers that know the words of the English pairs."""
    root = tmp_path_factory.mktemp("nli")
    pairs = make_pairs(EN).pairs
    return word_classifier(root / "one", pairs), word_classifier(root / "two", pairs, seed=5)


@pytest.fixture(scope="module")
def run(models: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return measure("nli-coal", str(models[0]), lang="en", store=Store(tmp_path_factory.mktemp("cache")))


class TestItems:
    def test_they_are_as_the_contract_has_them(self, run: Run) -> None:
        wanted = "set premise hypothesis occupation occupation_class p_entailment p_contradiction p_neutral label"
        assert set(wanted.split()) <= set(run.items.columns)
        sums = run.items.select(pl.sum_horizontal("p_entailment", "p_contradiction", "p_neutral")).to_series()
        assert sums.to_numpy() == pytest.approx(np.ones(run.items.height))
        for row in run.items.sample(50, seed=1).iter_rows(named=True):
            assert row["label"] == max(LABELS, key=lambda name: row[f"p_{name}"])

    def test_the_estimates_follow_from_them(self, run: Run) -> None:
        shares = {
            (name, label): run.items.filter((pl.col("set") == name) & (pl.col("label") == label)).height
            / run.items.filter(pl.col("set") == name).height
            for name in ("PS", "AS", "NS")
            for label in LABELS
        }
        s = (shares["PS", "entailment"] + shares["AS", "contradiction"] + 1 - shares["NS", "neutral"]) / 3
        assert value(run, "s") == pytest.approx(s)
        assert value(run, "net_neutral", set="all") == pytest.approx(run.items["p_neutral"].mean())

    def test_table_6_is_said(self, run: Run) -> None:
        (note,) = [note for note in run.result.notes if note.kind == "data"]
        assert (
            "PS 520 pairs, 52 occupations; AS 520 pairs, 52 occupations; NS 3,060 pairs, 153 occupations" in note.text
        )


@pytest.mark.parametrize("order", [(1, 2, 0), (2, 1, 0)])
def test_labels_in_another_order_give_the_same_score(
    models: tuple[Path, Path], run: Run, order: tuple[int, ...], tmp_path: Path
) -> None:
    other = measure(
        "nli-coal", str(permuted(models[0], tmp_path / "model", order)), lang="en", store=Store(tmp_path / "c")
    )
    for one, two in zip(run.result.estimates, other.result.estimates, strict=True):
        assert (one.name, one.group) == (two.name, two.group)
        assert one.value == pytest.approx(two.value, abs=1e-6)


@pytest.mark.parametrize("lang", shipped_languages())
def test_every_language_is_measured(lang: str, tmp_path: Path) -> None:
    pairs = make_pairs(load_pack(lang)).pairs
    words = words_of(pairs)
    if not load_pack(lang).spaced:
        words = sorted({letter for pair in pairs for text in (pair.premise, pair.hypothesis) for letter in text})
    from subjects.classifiers import classifier

    model = classifier(bert_of_words(tmp_path / "base", words), tmp_path / "nli")
    result = measure("nli-coal", str(model), lang=lang, store=Store(tmp_path / "cache")).result
    assert found_none_lost(result.estimates)
    assert all(row.value is not None for row in result.estimates)


def found_none_lost(rows: Any) -> bool:
    return {row.lost for row in rows} == {0}


class TestPublished:
    NURSE, SAILOR, SCHOLAR = "看護師がいます。", "船員がいます。", "学者がいます。"
    WOMAN, MAN = "女性がいます。", "男性がいます。"
    ROWS: dict[str, list[dict[str, Any]]] = {  # noqa: RUF012
        "PS": [
            published(0, NURSE, WOMAN, "看護師", "female-stereo"),
            published(1, SAILOR, MAN, "船員", "male-stereo"),
        ],
        "AS": [
            published(2, NURSE, MAN, "看護師", "female-stereo"),
            published(3, SAILOR, WOMAN, "船員", "male-stereo"),
        ],
        "NS": [published(4, SCHOLAR, WOMAN, "学者", "neutral"), published(5, SCHOLAR, MAN, "学者", "neutral")],
    }

    def predictions(self, path: Path, labels: dict[int, str]) -> str:
        rows = [
            {"premise": row["sentence1"], "hypothesis": row["sentence2"], "prediction": labels[row["id"]]}
            for rows in self.ROWS.values()
            for row in rows
        ]
        path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
        return f"predictions:{path}"

    def test_predictions_on_published_files_give_the_score_by_hand(self, tmp_path: Path, store: Store) -> None:
        folder = in_folder(tmp_path / "data", self.ROWS, suffix="-downsamp-tok_v1.1")
        labels = {0: "entailment", 1: "neutral", 2: "contradiction", 3: "contradiction", 4: "neutral", 5: "entailment"}
        subject = self.predictions(tmp_path / "p.jsonl", labels)
        result = measure("nli-coal", subject, lang="ja", store=store, data=folder)
        assert value(result, "s") == pytest.approx((1 / 2 + 2 / 2 + 1 / 2) / 3)
        assert value(result, "s_excess") == pytest.approx((1 / 2 - 0 + 1 - 0) / 3)
        assert value(result, "lean") == pytest.approx((1 / 3 - 1 / 3 + 1 / 3 - 1 / 3) / 2)
        assert found(result, "net_neutral", set="all").value is None
        kinds = {note.kind: note.text for note in result.result.notes}
        assert "downsampled) and its sentences are cut into words" in kinds["variant"]
        assert "no probabilities" in kinds["void"]
        assert result.items["gender"].to_list() == ["female", "male", "male", "female", "female", "male"]

    def test_a_pair_without_a_prediction_is_lost_and_counted(self, tmp_path: Path, store: Store) -> None:
        folder = in_folder(tmp_path / "data", self.ROWS)
        subject = self.predictions(tmp_path / "p.jsonl", dict.fromkeys(range(6), "neutral"))
        lines = (tmp_path / "p.jsonl").read_text("utf-8").splitlines()
        (tmp_path / "p.jsonl").write_text("\n".join(lines[1:]), "utf-8")
        result = measure("nli-coal", subject, lang="ja", store=store, data=folder)
        assert found(result, "s").lost == found(result, "e", set="PS").lost == 1
        assert found(result, "e", set="AS").lost == 0
        assert [note.caution for note in result.result.notes if note.kind == "lost-sentences"] == ["lost sentences"]


class TestPrompts:
    def test_a_causal_model_needs_one_by_name(self, tiny: Tiny, store: Store) -> None:
        with pytest.raises(TiltmeterError, match=r"say through which prompt.*--prompt \(question or connective\)"):
            measure("nli-coal", str(tiny("gpt2")), lang="en", store=store)
        with pytest.raises(TiltmeterError, match="there is no prompt 'questoin'; did you mean 'question'"):
            measure("nli-coal", str(tiny("gpt2")), lang="en", store=store, prompt="questoin")

    def test_asked_through_it_it_answers_and_says_how(self, tiny: Tiny, store: Store, tmp_path: Path) -> None:
        rows = {
            "PS": [published(0, "The nurse is tired.", "She is tired.", "nurse", "female-stereo")],
            "AS": [published(1, "The nurse is tired.", "He is tired.", "nurse", "female-stereo")],
            "NS": [published(2, "The boss is tired.", "He is tired.", "boss", "neutral")],
        }
        folder = in_folder(tmp_path / "data", rows)
        asked: dict[str, Any] = {"lang": "en", "store": store, "data": folder}
        result = measure("nli-coal", str(tiny("gpt2")), prompt="connective", **asked)
        assert result.items["p_neutral"].null_count() == 0
        (note,) = [note for note in result.result.notes if note.kind == "scoring"]
        assert note.caution == "by prompt"
        assert "Yes / Maybe / No" in note.text
        other = measure("nli-coal", str(tiny("gpt2")), prompt="question", **asked)
        assert other.items["p_neutral"].to_list() != result.items["p_neutral"].to_list()

    def test_a_masked_model_is_told_what_could_be_asked(self, tiny: Tiny, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="is a masked model, which tells no entailment"):
            measure("nli-coal", str(tiny("bert-cased")), lang="en", store=store)

    def test_an_audit_asks_only_models_that_infer_of_themselves(
        self, tiny: Tiny, models: tuple[Path, Path], store: Store
    ) -> None:
        _, skipped = plan([str(tiny("gpt2"))], lang="en", store=store)
        assert "it asks whether a sentence follows from another" in next(
            entry.reason for entry in skipped if entry.instrument == "nli-coal"
        )
        todo, _ = plan([str(models[0])], lang="en", store=store)
        assert [(entry.instrument, entry.questions) for entry in todo] == [("nli-coal", 4100)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Three models of known bias, as predictions on one set."""
    root = tmp_path_factory.mktemp("several")
    folder, subjects = None, []
    for place, stereotype in enumerate((0.0, 0.1, 1.5)):
        rows = world(np.random.default_rng(place), stereotype=stereotype, captions=5, neutral=10, probabilities=True)
        if folder is None:
            sets: dict[str, list[dict[str, Any]]] = {"PS": [], "AS": [], "NS": []}
            for number, row in enumerate(rows):
                kind = {"neutral": "neutral"}.get(row["occupation_class"], f"{row['occupation_class']}-stereo")
                sets[row["set"]].append(published(number, row["premise"], row["hypothesis"], row["occupation"], kind))
            folder = in_folder(root / "data", sets)
        path = root / f"model{place}.parquet"
        columns = ("premise", "hypothesis", "p_entailment", "p_contradiction", "p_neutral")
        pl.DataFrame([{name: row[name] for name in columns} for row in rows]).write_parquet(path)
        subjects.append(f"predictions:{path}")
    store = Store(root / "cache")
    return [measure("nli-coal", subject, lang="en", store=store, data=folder) for subject in subjects]


class TestSeveralModels:
    def test_table_4_ranks_them(self, runs: list[Run]) -> None:
        ranking, _ = across(runs).together.tables
        scores = {run.result.subject: value(run, "s") for run in runs}
        assert [row[0] for row in ranking.rows] == sorted(scores, key=lambda name: -scores[name])
        assert [row[1] for row in ranking.rows] == [1, 2, 3]
        for row in ranking.rows:
            assert row[2] == pytest.approx(scores[str(row[0])])

    def test_it_says_which_differences_are_significant(self, runs: list[Run]) -> None:
        _, told = across(runs).together.tables
        rows = [dict(zip(told.columns, row, strict=True)) for row in told.rows]
        excess = {(row["model"], row["less model"]): row["significant"] for row in rows if row["number"] == "s_excess"}
        names = [run.result.subject for run in runs]
        assert excess == {(names[0], names[1]): "no", (names[0], names[2]): "yes", (names[1], names[2]): "yes"}
        differences = across(runs).together.estimates
        assert {row.family for row in differences if row.name == "s_difference"} == {"s, 3 pairs of models, Holm"}

    def test_a_difference_is_that_of_the_values_and_its_error_that_of_the_occupations(self, runs: list[Run]) -> None:
        """By hand, for s_excess: a mean over occupations of equal size."""
        from scipy import stats

        def excess(run: Run) -> "np.ndarray[Any, Any]":
            typed = run.items.filter(pl.col("set") != "NS").with_columns(
                hit=(pl.col("label") == "entailment").cast(pl.Float64)
                - (pl.col("label") == "contradiction").cast(pl.Float64)
            )
            signed = typed.with_columns(hit=pl.when(pl.col("set") == "PS").then("hit").otherwise(-pl.col("hit")))
            sums = signed.group_by("occupation").agg(pl.col("hit").sum()).sort("occupation")
            return sums["hit"].to_numpy() / 5 / 3

        one, other = excess(runs[2]), excess(runs[0])
        (row,) = [
            row
            for row in across(runs).together.estimates
            if row.name == "s_excess_difference"
            and set(row.group.values()) == {runs[0].result.subject, runs[2].result.subject}
        ]
        test = stats.ttest_rel(other, one)
        limits = test.confidence_interval()
        assert row.value == pytest.approx(other.mean() - one.mean())
        assert [row.ci_low, row.ci_high] == pytest.approx([limits.low, limits.high])
        assert row.p_value == pytest.approx(test.pvalue)

    def test_before_and_after_are_compared(self, runs: list[Run]) -> None:
        (change,) = [entry for entry in compare([runs[2]], [runs[0]]).changes if entry.name == "s_excess"]
        assert change.difference == pytest.approx(value(runs[0], "s_excess") - value(runs[2], "s_excess"))
        assert change.p_value is not None
        assert change.p_value < 1e-4
        assert change.direction == "better"

    def test_a_pair_that_stands_twice_counts_twice_everywhere(self, runs: list[Run]) -> None:
        assert TOOL.compare is not None
        twice = [(run.result, pl.concat([run.items, run.items.filter(pl.col("set") == "PS")])) for run in runs[:2]]
        ranking, _ = TOOL.compare(twice).tables
        scores = {result.subject: value(TOOL.estimate(items, TOOL.options()), "s") for result, items in twice}
        assert {row[0]: row[2] for row in ranking.rows} == pytest.approx(scores)

    def test_the_same_pairs_in_another_folder_are_the_same_data(self, runs: list[Run], tmp_path: Path) -> None:
        folder = in_folder(tmp_path / "data", TestPublished.ROWS)
        first = TOOL.make_options({"data": folder}).data
        (folder / "card.json").write_text("{}")
        assert TOOL.make_options({"data": folder}).data.sha256 == first.sha256

    def test_a_control_is_not_ranked(self, runs: list[Run]) -> None:
        assert TOOL.compare is not None
        forms = [(run.result, run.items.with_columns(form=pl.lit("masculine"))) for run in runs]
        told = TOOL.compare(forms)
        assert told.estimates == ()
        assert [note.kind for note in told.notes] == ["void"]


class TestBadInput:
    def test_a_folder_that_is_none(self, models: tuple[Path, Path], store: Store, tmp_path: Path) -> None:
        with pytest.raises(TiltmeterError, match="is not a folder"):
            measure("nli-coal", str(models[0]), lang="en", store=store, data=tmp_path / "nowhere")

    def test_options_that_would_do_nothing(self, models: tuple[Path, Path], store: Store, tmp_path: Path) -> None:
        folder = in_folder(tmp_path / "data", TestPublished.ROWS)
        options: list[dict[str, Any]] = [{"mode": "published"}, {"forms": "both"}]
        for option in options:
            with pytest.raises(TiltmeterError, match="they do nothing beside --data"):
                measure("nli-coal", str(models[0]), lang="ja", store=store, data=folder, **option)

    def test_a_seed_below_0(self, models: tuple[Path, Path], store: Store) -> None:
        with pytest.raises(TiltmeterError, match="--seed is a whole number from 0"):
            measure("nli-coal", str(models[0]), lang="en", store=store, seed=-1)

    @pytest.mark.parametrize("tau", ["0.5,0.50", "", "2", "0.5,0.5", "x", "0.5;0.7"])
    def test_thresholds(self, models: tuple[Path, Path], store: Store, tau: str) -> None:
        with pytest.raises(TiltmeterError, match="--tau is made of different numbers between 0 and 1"):
            measure("nli-coal", str(models[0]), lang="en", store=store, tau=tau)

    def test_a_language_without_a_pack(self, models: tuple[Path, Path], store: Store) -> None:
        with pytest.raises(TiltmeterError, match="there is no language 'fr'"):
            measure("nli-coal", str(models[0]), lang="fr", store=store)

    def test_data_of_ones_own_needs_no_pack(self, tmp_path: Path, store: Store) -> None:
        rows = {
            "PS": [published(0, "L'infirmier dort.", "Une femme dort.", "infirmier", "female-stereo")],
            "AS": [published(1, "L'infirmier dort.", "Un homme dort.", "infirmier", "female-stereo")],
            "NS": [published(2, "Le poète dort.", "Une femme dort.", "poète", "neutral")],
        }
        folder = in_folder(tmp_path / "data", rows)
        answers = [
            {"premise": row["sentence1"], "hypothesis": row["sentence2"], "prediction": "entailment"}
            for own in rows.values()
            for row in own
        ]
        pl.DataFrame(answers).write_csv(tmp_path / "answers.csv")
        run = measure("nli-coal", f"predictions:{tmp_path / 'answers.csv'}", lang="fr", store=store, data=folder)
        assert value(run, "s") == pytest.approx(2 / 3)

    def test_the_command_says_it_in_one_sentence(self, told: Command, tiny: Tiny, tmp_path: Path) -> None:
        from subjects.classifiers import classifier

        folder = classifier(tiny("bert-cased"), tmp_path / "two", ("entailment", "not_entailment"))
        done = told("measure", "nli-coal", folder, "--lang", "en")
        assert done.returncode == 2
        assert done.stdout == ""
        assert "Traceback" not in done.stderr
        assert "tells 2 labels apart" in done.stderr.strip().splitlines()[-1]


def test_killed_a_run_goes_on_and_ends_with_the_same_numbers(
    models: tuple[Path, Path], run: Run, tmp_path: Path
) -> None:
    """Killed in the middle twice: what was answered is kept, and the last run ends as the undisturbed one did."""
    store = Store(tmp_path / "cache")
    command = [sys.executable, "-m", "tiltmeter", "measure", "nli-coal", str(models[0]), "--lang", "en", "--json"]
    environment = {**os.environ, "TILTMETER_CACHE": str(store.root)}
    answered = []
    for _ in range(2):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        before = len(list(store.root.rglob("*.parquet")))
        deadline = time.monotonic() + 60
        while len(list(store.root.rglob("*.parquet"))) < before + 2 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        answered.append(len(list(store.root.rglob("*.parquet"))))
    again = measure("nli-coal", str(models[0]), lang="en", store=store, reading=Reading())
    assert again.items.equals(run.items)
    assert [row.value for row in again.result.estimates] == [row.value for row in run.result.estimates]
    assert answered[0] > 0
