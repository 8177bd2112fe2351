"""Subjects that infer: every family as the pipeline has it, labels by their names, prompts, predictions."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, pipeline

from subjects.classifiers import LABELS, classifier, permuted
from subjects.loopback_server import LoopbackServer
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Prompt, load_pack, shipped_languages
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import Filler, open_subject
from tiltmeter.subjects.inference import Pair, entail_by_prompt
from tiltmeter.subjects.inference.labels import label_order, meaning
from tiltmeter.subjects.inference.model import InferenceModel
from tiltmeter.subjects.language_models.network import Network

Tiny = Callable[[str], Path]
FAMILIES = ("bert-cased", "roberta", "xlm-roberta", "albert", "distilbert", "electra-generator", "deberta-v2", "gpt2")
PAIRS = [
    Pair("The nurse is tired.", "She is tired."),
    Pair("The engineer said that he was late.", "He was late."),
    Pair("He is an engineer.", "The nurse helped him."),
    Pair("Is she the boss?", "He isn't the boss!"),
]
COLUMNS = ("p_entailment", "p_contradiction", "p_neutral")


@pytest.fixture(scope="session")
def nli(tiny: Tiny, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A classifier of a family, made once."""
    root = tmp_path_factory.mktemp("nli")

    def made(family: str) -> Path:
        folder = root / family
        return folder if folder.is_dir() else classifier(tiny(family), folder)

    return made


def opened(folder: Path | str, store: Store, **said: Any) -> InferenceModel:
    return cast(InferenceModel, open_subject(str(folder), store, Reading(device="cpu", **said)))


def probabilities(found: pl.DataFrame) -> "np.ndarray[Any, Any]":
    return found.select(COLUMNS).to_numpy()


@pytest.mark.parametrize("family", FAMILIES)
def test_answers_are_those_of_the_pipeline(nli: Callable[[str], Path], family: str, store: Store) -> None:
    folder = nli(family)
    peer = pipeline("text-classification", model=str(folder), top_k=None, device="cpu")
    expected = []
    for pair in PAIRS:  # one at a time, so that no padding stands between
        answer = peer({"text": pair.premise, "text_pair": pair.hypothesis})
        scores = {entry["label"]: entry["score"] for entry in answer}
        expected.append([scores[name.removeprefix("p_")] for name in COLUMNS])
    found = opened(folder, store).entail(PAIRS)
    assert probabilities(found) == pytest.approx(np.array(expected), abs=1e-5)
    assert probabilities(found).sum(axis=1) == pytest.approx(np.ones(len(PAIRS)))
    assert found["label"].to_list() == [COLUMNS[int(np.argmax(row))].removeprefix("p_") for row in expected]
    assert np.ptp(np.array(expected)[:, 0]) > 1e-3


class TestAsking:
    def test_equal_pairs_are_asked_once_and_nothing_a_second_time(
        self, nli: Callable[[str], Path], store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        subject = opened(nli("bert-cased"), store)
        seen: list[int] = []
        real = Network.classified

        def watched(network: Network, lines: Any) -> Any:
            seen.append(len(lines))
            return real(network, lines)

        assert subject.asked.network.pads  # tried out before anything is counted
        monkeypatch.setattr(Network, "classified", watched)
        first = subject.entail([*PAIRS, *PAIRS, PAIRS[0]])
        assert sum(seen) == len(PAIRS)
        assert probabilities(first)[: len(PAIRS)] == pytest.approx(probabilities(first)[len(PAIRS) : 2 * len(PAIRS)])
        again = opened(nli("bert-cased"), store).entail(PAIRS[::-1])
        assert sum(seen) == len(PAIRS)
        assert probabilities(again).tolist() == probabilities(first)[: len(PAIRS)][::-1].tolist()

    def test_which_sentence_is_the_premise_matters(self, nli: Callable[[str], Path], store: Store) -> None:
        turned = [Pair(pair.hypothesis, pair.premise) for pair in PAIRS]
        subject = opened(nli("bert-cased"), store)
        assert np.abs(probabilities(subject.entail(PAIRS)) - probabilities(subject.entail(turned))).max() > 1e-3

    def test_a_pair_that_is_too_long_is_not_cut(self, nli: Callable[[str], Path], store: Store) -> None:
        long = Pair("The nurse is tired. " * 40, "She is tired.")
        found = opened(nli("bert-cased"), store).entail([PAIRS[0], long])
        assert found["label"].is_null().to_list() == [False, True]
        assert "longer than the model" in found["lost"][1]
        assert found["lost"][0] == ""

    def test_a_text_cannot_pass_for_more_than_text(self, nli: Callable[[str], Path], store: Store) -> None:
        with pytest.raises(TiltmeterError, match="special token"):
            opened(nli("bert-cased"), store).entail([Pair("He [SEP] She", "He")])

    def test_no_pair_has_no_answer(self, nli: Callable[[str], Path], store: Store) -> None:
        assert opened(nli("bert-cased"), store).entail([]).is_empty()

    def test_spread_over_a_cluster_the_answers_are_the_same(self, nli: Callable[[str], Path], tmp_path: Path) -> None:
        """In a process of its own: Ray leaves threads behind."""
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("infer_by_ray.py"), nli("bert-cased"), tmp_path],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "RAY_AUTH_MODE": "disabled"},
        )
        assert done.returncode == 0, done.stderr
        apart, batches = done.stdout.split()[-2:]
        assert float(apart) < 1e-6
        assert int(batches) > 2

    def test_text_is_cut_into_words_first_where_that_is_said(self, nli: Callable[[str], Path], store: Store) -> None:
        raw = opened(nli("bert-cased"), store)
        cut = opened(nli("bert-cased"), store, pre_segment="mecab")
        pair = Pair("彼女は看護師です。", "彼は看護師です。")
        assert raw.fingerprint != cut.fingerprint
        encoded = cut.asked.tokens.tokenizer("彼女 は 看護 師 です 。", "彼 は 看護 師 です 。")["input_ids"]
        assert list(cut._probes([pair])[0].ids) == encoded


class TestLabels:
    @pytest.mark.parametrize(
        "named",
        [
            ("entailment", "neutral", "contradiction"),
            ("CONTRADICTION", "ENTAILMENT", "NEUTRAL"),
            ("含意", "矛盾", "中立"),
            ("蕴含", "中性", "矛盾"),
            ("Widerspruch", "neutral", "Folgerung"),
            ("contradicción", "implicación", "neutro"),
            ("следование", "нейтрально", "противоречие"),
            ("kontraesana", "neutroa", "ondorioa"),
            ("c", "n", "e"),
        ],
    )
    def test_names_in_several_languages_are_understood(self, named: tuple[str, ...]) -> None:
        order = label_order(named, "", "a model")
        assert [meaning(named[place]) for place in order] == ["entailment", "contradiction", "neutral"]

    @pytest.mark.parametrize("order", list(permutations(range(3))))
    def test_another_order_of_the_labels_gives_the_same_answers(
        self, nli: Callable[[str], Path], order: tuple[int, ...], tmp_path: Path
    ) -> None:
        original = nli("bert-cased")
        other = permuted(original, tmp_path / "permuted", order)
        one, two = (opened(folder, Store(tmp_path / name)) for folder, name in ((original, "a"), (other, "b")))
        assert probabilities(two.entail(PAIRS)) == pytest.approx(probabilities(one.entail(PAIRS)), abs=1e-6)

    def test_numbers_are_not_guessed(self, tiny: Tiny, store: Store, tmp_path: Path) -> None:
        folder = classifier(tiny("bert-cased"), tmp_path / "numbered", ("LABEL_0", "LABEL_1", "LABEL_2"))
        with pytest.raises(TiltmeterError, match=r"cannot be told from their names.*--labels"):
            opened(folder, store)
        said = opened(folder, store, labels="entailment,neutral,contradiction")
        named = classifier(tiny("bert-cased"), tmp_path / "named", LABELS)
        assert probabilities(said.entail(PAIRS)) == pytest.approx(probabilities(opened(named, store).entail(PAIRS)))
        turned = opened(folder, store, labels="contradiction,neutral,entailment")
        assert turned.fingerprint != said.fingerprint
        assert turned.entail(PAIRS)["p_entailment"].to_list() == said.entail(PAIRS)["p_contradiction"].to_list()

    @pytest.mark.parametrize("said", ["entailment,neutral", "a,b,c", "entailment,entailment,neutral", ",,"])
    def test_what_is_said_of_them_has_to_name_all_three(self, said: str) -> None:
        with pytest.raises(TiltmeterError, match="--labels names entailment, neutral and contradiction, each once"):
            label_order(("LABEL_0", "LABEL_1", "LABEL_2"), said, "a model")

    @pytest.mark.parametrize(
        "labels", [("entailment", "not_entailment"), ("POSITIVE", "NEGATIVE"), ("LABEL_0", "LABEL_1")]
    )
    def test_a_model_with_two_labels_is_refused(
        self, tiny: Tiny, store: Store, tmp_path: Path, labels: tuple[str, ...]
    ) -> None:
        folder = classifier(tiny("bert-cased"), tmp_path / "two", labels)
        with pytest.raises(TiltmeterError, match=r"tells 2 labels apart.*three is needed"):
            opened(folder, store)

    def test_three_labels_that_mean_something_else_are_refused(self, tiny: Tiny, store: Store, tmp_path: Path) -> None:
        folder = classifier(tiny("bert-cased"), tmp_path / "sentiment", ("negative", "neutral", "positive"))
        with pytest.raises(TiltmeterError, match="negative, neutral, positive"):
            opened(folder, store)

    def test_labels_that_are_not_numbered_from_0_are_refused(self, tiny: Tiny, store: Store, tmp_path: Path) -> None:
        folder = classifier(tiny("bert-cased"), tmp_path / "odd")
        config = json.loads((folder / "config.json").read_text())
        config["id2label"] = {"5": "entailment", "7": "neutral", "9": "contradiction"}
        (folder / "config.json").write_text(json.dumps(config))
        with pytest.raises(TiltmeterError, match="does not number its labels from 0"):
            opened(folder, store)

    def test_a_name_that_says_it_stands_above_what_the_user_says(
        self, nli: Callable[[str], Path], store: Store
    ) -> None:
        """So that one call can measure models that name their labels and others that do not."""
        named, said = (
            opened(nli("bert-cased"), store, labels=labels) for labels in ("", "contradiction,neutral,entailment")
        )
        assert named.fingerprint == said.fingerprint
        assert named.origin["labels"] == {"entailment": 0, "contradiction": 2, "neutral": 1}

    def test_a_model_without_its_head_is_refused(self, tiny: Tiny, store: Store, tmp_path: Path) -> None:
        folder = classifier(tiny("bert-cased"), tmp_path / "nli")
        (folder / "model.safetensors").write_bytes((tiny("bert-cased") / "model.safetensors").read_bytes())
        with pytest.raises(TiltmeterError, match="head or a part of it is missing"):
            opened(folder, store).entail(PAIRS)


class TestPrompts:
    PROMPT = Prompt(
        name="own",
        text="{premise} Is it so that {hypothesis} Answer: {label}.",
        entailment="yes",
        neutral="perhaps",
        contradiction="no",
    )

    def test_a_label_is_as_probable_as_the_text_with_its_word(self, tiny: Tiny, store: Store) -> None:
        found = entail_by_prompt(cast(Filler, open_subject(str(tiny("gpt2")), store)), PAIRS, self.PROMPT)
        tokenizer: Any = AutoTokenizer.from_pretrained(tiny("gpt2"))
        model: Any = AutoModelForCausalLM.from_pretrained(tiny("gpt2"))
        for pair, row in zip(PAIRS, probabilities(found), strict=True):
            logs = []
            for word in ("yes", "no", "perhaps"):
                text = f"{pair.premise} Is it so that {pair.hypothesis} Answer: {word}."
                ids = [tokenizer.bos_token_id or tokenizer.eos_token_id, *tokenizer(text)["input_ids"]]
                with torch.no_grad():
                    scores = torch.log_softmax(model(torch.tensor([ids])).logits[0], dim=-1)
                logs.append(sum(float(scores[place, token]) for place, token in enumerate(ids[1:])))
            expected = np.exp(np.array(logs) - np.max(logs))
            assert row == pytest.approx(expected / expected.sum(), abs=1e-4)

    def test_a_server_answers_as_the_model_itself(
        self, tiny: Tiny, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        local = entail_by_prompt(cast(Filler, open_subject(str(tiny("gpt2")), store)), PAIRS, self.PROMPT)
        with LoopbackServer(tiny("gpt2")) as server:
            subject = open_subject(f"api:{server.url}#{server.model}", store)
            served = entail_by_prompt(cast(Filler, subject), PAIRS, self.PROMPT)
        assert probabilities(served) == pytest.approx(probabilities(local), abs=1e-4)

    @pytest.mark.parametrize("lang", shipped_languages())
    def test_every_language_has_the_same_prompts(self, lang: str) -> None:
        assert [prompt.name for prompt in load_pack(lang).prompts] == ["question", "connective"]

    def test_braces_in_a_sentence_stay(self, tiny: Tiny, store: Store) -> None:
        odd = [Pair("He is {hypothesis} tired.", "She is {label}.")]
        found = entail_by_prompt(cast(Filler, open_subject(str(tiny("gpt2")), store)), odd, self.PROMPT)
        assert found["label"].null_count() == 0


class TestPredictions:
    ROWS = (
        {
            "premise": "A",
            "hypothesis": "B",
            "prediction": "entailment",
            "p_entailment": 0.7,
            "p_contradiction": 0.1,
            "p_neutral": 0.2,
        },
        {
            "premise": "A",
            "hypothesis": "C",
            "prediction": "中立",
            "p_entailment": 0.1,
            "p_contradiction": 0.2,
            "p_neutral": 0.7,
        },
    )

    def file(self, folder: Path, suffix: str, rows: Any = ROWS) -> str:
        path = folder / f"predicted{suffix}"
        if suffix == ".parquet":
            pl.DataFrame(list(rows)).write_parquet(path)
        elif suffix in (".csv", ".tsv"):
            pl.DataFrame(list(rows)).write_csv(path, separator="\t" if suffix == ".tsv" else ",")
        else:
            path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")
        return f"predictions:{path}"

    @pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".json", ".parquet"])
    def test_files_are_read(self, tmp_path: Path, store: Store, suffix: str) -> None:
        found = opened(self.file(tmp_path, suffix), store).entail([Pair("A", "C"), Pair("A", "B"), Pair("X", "Y")])
        assert found["label"].to_list() == ["neutral", "entailment", None]
        assert found["p_neutral"].to_list() == [0.7, 0.2, None]
        assert found["lost"].to_list()[:2] == ["", ""]
        assert "no prediction" in found["lost"][2]

    def test_probabilities_alone_give_the_label_and_labels_alone_no_probability(
        self, tmp_path: Path, store: Store
    ) -> None:
        bare = [{key: row[key] for key in ("premise", "hypothesis", "prediction")} for row in self.ROWS]
        found = opened(self.file(tmp_path, ".csv", bare), store).entail([Pair("A", "B")])
        assert (found["label"][0], found["p_entailment"][0]) == ("entailment", None)
        numbers = [{key: entry for key, entry in row.items() if key != "prediction"} for row in self.ROWS]
        found = opened(self.file(tmp_path, ".jsonl", numbers), store).entail([Pair("A", "C")])
        assert found["label"][0] == "neutral"

    def test_rounded_probabilities_are_made_to_add_up(self, tmp_path: Path, store: Store) -> None:
        rows = [
            {"premise": "A", "hypothesis": "B", "p_entailment": 0.419, "p_contradiction": 0.301, "p_neutral": 0.279}
        ]
        found = opened(self.file(tmp_path, ".csv", rows), store).entail([Pair("A", "B")])
        assert probabilities(found).sum() == pytest.approx(1)

    def test_the_published_columns_serve_with_a_prediction(self, tmp_path: Path, store: Store) -> None:
        rows = [{"sentence1": "A", "sentence2": "B", "label": "neutral", "prediction": "contradiction"}]
        found = opened(self.file(tmp_path, ".json", rows), store).entail([Pair("A", "B")])
        assert found["label"].to_list() == ["contradiction"]

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"prediction": "maybe"}, "row 2: the prediction 'maybe' is none of"),
            ({"premise": ""}, "row 2: a premise and a hypothesis were expected"),
            ({"p_neutral": 0.9}, "row 2: .* are no probabilities that add up to 1"),
            ({"prediction": "entailment"}, "row 2: 'entailment' is predicted, and another label has the highest"),
            ({"p_neutral": -0.1}, "row 2: .* are no probabilities"),
            ({"hypothesis": "B"}, "row 2: the same pair was predicted entailment before, and is neutral here"),
        ],
    )
    def test_what_is_wrong_is_named_by_its_row(
        self, tmp_path: Path, store: Store, change: dict[str, Any], message: str
    ) -> None:
        rows = [self.ROWS[0], {**self.ROWS[1], **change}]
        with pytest.raises(TiltmeterError, match=message):
            opened(self.file(tmp_path, ".jsonl", rows), store)

    def test_the_right_answers_are_not_taken_for_predictions(self, tmp_path: Path, store: Store) -> None:
        rows = [{"sentence1": "A", "sentence2": "B", "label": "neutral"}]
        with pytest.raises(TiltmeterError, match=r"'prediction' is missing.*'label' is taken for the right answer"):
            opened(self.file(tmp_path, ".jsonl", rows), store)

    def test_a_file_that_is_not_there_empty_or_broken_is_refused(self, tmp_path: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="there is no file"):
            opened("predictions:nowhere.csv", store)
        (tmp_path / "empty.jsonl").touch()
        with pytest.raises(TiltmeterError, match="holds no prediction"):
            opened(f"predictions:{tmp_path / 'empty.jsonl'}", store)
        (tmp_path / "broken.jsonl").write_text('{"premise": "A"\n')
        with pytest.raises(TiltmeterError, match=r"broken.jsonl:1: not JSON"):
            opened(f"predictions:{tmp_path / 'broken.jsonl'}", store)

    def test_predictions_for_another_set_are_refused(self, tmp_path: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="made for another set"):
            opened(self.file(tmp_path, ".csv"), store).entail([Pair("X", "Y")])
