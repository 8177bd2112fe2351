import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from subjects.classifiers import classifier
from tiltmeter.datasets.labelled import Labelled
from tiltmeter.errors import TiltmeterError
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import language_of, open_subject
from tiltmeter.subjects.inference import Pair
from tiltmeter.subjects.language_models.checkpoint import checksum
from tiltmeter.training import read_card, read_test
from tiltmeter.training.classifiers import train_classifier, train_nli
from tiltmeter.training.settings import Settings
from training.made import CPU, QUICK, TINY, pairs

LEARNT = Settings(epochs=25, learning_rate=3e-3, batch=8, max_length=32)


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Store]:
    """A model that has learnt what one word tells."""
    folder = tmp_path_factory.mktemp("nli")
    store = Store(folder / "cache")
    out = train_nli(
        TINY, pairs(), folder / "model", test=pairs(1), settings=LEARNT, running=CPU, lang="en", store=store
    )
    return out, store


class TestAnNliModel:
    def test_learns_and_is_measured_on_what_it_did_not_see(self, learnt: tuple[Path, Store]) -> None:
        card = read_card(learnt[0])
        assert card["kind"] == "nli"
        test = worth(learnt[0])
        assert test["accuracy"] == 1.0
        assert test["ci_low"] == pytest.approx(0.025 ** (1 / 30))  # Clopper and Pearson, all of 30
        assert test["always_the_most_frequent"] == pytest.approx(1 / 3)
        assert test["learnt_too"] == 30
        assert card["data"] | {"sha256": ""} == {
            "sha256": "",
            "rows": 60,
            "by_label": {"entailment": 20, "contradiction": 20, "neutral": 20},
            "cut": 0,
        }

    def test_says_its_language_and_is_asked_by_its_folder(self, learnt: tuple[Path, Store]) -> None:
        folder, store = learnt
        assert language_of(str(folder)) == "en"
        subject: Any = open_subject(str(folder), store, Reading(device="cpu"))
        found = subject.entail([Pair(row.text, row.second) for row in pairs(1)])
        assert found["label"].to_list() == [row.label for row in pairs(1)]

    def test_counts_what_it_gets_wrong_label_by_label(self, learnt: tuple[Path, Store], tmp_path: Path) -> None:
        """Against a count of our own, on labels that are partly turned."""
        _, store = learnt
        turned = [Labelled(row.text, "neutral", row.second) if n % 4 == 0 else row for n, row in enumerate(pairs(1))]
        out = train_nli(
            TINY, pairs(), tmp_path / "again", test=turned, settings=LEARNT, running=CPU, lang="en", store=store
        )
        test = worth(out)
        counted = Counter((given.label, right.label) for given, right in zip(turned, pairs(1), strict=True))
        for label, row in test["by_label"].items():
            assert row["predicted"] == {said: counted[label, said] for said in row["predicted"]}
        assert test["accuracy"] == sum(counted[label, label] for label in test["by_label"]) / len(turned)

    def test_is_not_trained_again_to_be_tested_on_other_data(
        self, learnt: tuple[Path, Store], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder, store = learnt
        before = (folder / "model.safetensors").read_bytes()
        content = checksum(folder, store)
        monkeypatch.setattr("tiltmeter.training.models.fit", None)  # would fail if it were called
        (folder / "notes.txt").write_text("mine")
        (folder / "README.md").write_text("mine too")
        train_nli(TINY, pairs(), folder, test=pairs(1)[:9], settings=LEARNT, running=CPU, lang="en", store=store)
        assert worth(folder)["rows"] == 9
        assert (folder / "model.safetensors").read_bytes() == before
        assert (folder / "notes.txt").read_text() == "mine"
        assert (folder / "README.md").read_text() == "mine too"
        train_nli(TINY, pairs(), folder, settings=LEARNT, running=CPU, lang="en", store=store)
        assert worth(folder)["rows"] == 9, "what it was worth is forgotten where nothing is tested"
        for name in ("README.md", "notes.txt"):
            (folder / name).unlink()
        train_nli(TINY, pairs(), folder, test=pairs(1), settings=LEARNT, running=CPU, lang="en", store=store)
        assert worth(folder)["rows"] == 30
        assert checksum(folder, store) == content

    def test_of_another_request_is_not_replaced(self, learnt: tuple[Path, Store]) -> None:
        folder, store = learnt
        with pytest.raises(TiltmeterError, match="holds a model of other data or other options"):
            train_nli(TINY, pairs(3), folder, settings=LEARNT, running=CPU, store=store)

    def test_goes_on_from_its_own_head_whatever_the_order_of_its_labels(
        self, learnt: tuple[Path, Store], tmp_path: Path
    ) -> None:
        folder, store = learnt
        base = classifier(folder, tmp_path / "base", ("NEUTRAL", "含意", "contradiction"))
        out = train_nli(str(base), pairs(), tmp_path / "on", test=pairs(1), settings=LEARNT, running=CPU, store=store)
        card = read_card(out)
        assert card["labels"] == ["neutral", "entailment", "contradiction"]
        assert worth(out)["accuracy"] == 1.0
        model: Any = AutoModelForSequenceClassification.from_pretrained(out)
        assert model.config.id2label == {0: "NEUTRAL", 1: "含意", 2: "contradiction"}
        assert card["network"]["name"] == "base"
        assert str(tmp_path) not in json.dumps(card)

    def test_of_a_classifier_for_something_else_gets_a_new_head(
        self, learnt: tuple[Path, Store], tmp_path: Path
    ) -> None:
        folder, store = learnt
        base = classifier(folder, tmp_path / "base", ("good", "bad"))
        out = train_nli(str(base), pairs(), tmp_path / "on", settings=QUICK, running=CPU, store=store)
        assert read_card(out)["labels"] == ["entailment", "contradiction", "neutral"]

    def test_cuts_what_is_longer_and_counts_it(self, tmp_path: Path, store: Store) -> None:
        rows = [*pairs(), Labelled("Here is a bus. " * 30, "neutral", "It is perhaps a bus.")]
        out = train_nli(TINY, rows, tmp_path / "m", settings=QUICK, running=CPU, store=store)
        assert read_card(out)["data"]["cut"] == 1
        tokenizer: Any = AutoTokenizer.from_pretrained(out)
        assert tokenizer.model_max_length == 32


class TestOtherClassifiers:
    def test_tell_the_labels_of_their_rows_apart(self, tmp_path: Path, store: Store) -> None:
        rows = [Labelled(f"{word} weather, row {n % 7}", label) for n in range(40) for word, label in KINDS]
        out = train_classifier(TINY, rows, tmp_path / "m", test=rows[:10], settings=LEARNT, running=CPU, store=store)
        card = read_card(out)
        assert card["labels"] == ["bad", "good"]
        assert worth(out)["accuracy"] == 1.0

    def test_with_labels_that_inference_would_take_for_one_keep_their_head(self, tmp_path: Path, store: Store) -> None:
        rows = [Labelled(f"{word} weather, row {n % 7}", label) for n in range(40) for word, label in ALIKE]
        ways: dict[str, Any] = {"settings": LEARNT, "running": CPU, "store": store}
        out = train_classifier(TINY, rows, tmp_path / "m", test=rows[:10], **ways)
        assert worth(out)["accuracy"] == 1.0

    def test_need_two_labels(self, tmp_path: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="at least two labels apart, and the rows have 1"):
            train_classifier(TINY, [Labelled("a", "x")], tmp_path / "m", store=store)


KINDS = (("fine", "good"), ("grim", "bad"))
ALIKE = (("fine", "c"), ("grim", "contradiction"))


def worth(folder: Path) -> dict[str, Any]:
    found = read_test(folder)
    assert found is not None
    return found


class TestWhatIsWrong:
    def test_no_row(self, tmp_path: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="there is no pair to train on"):
            train_nli(TINY, [], tmp_path / "m", store=store)

    def test_a_label_that_is_missing(self, tmp_path: Path, store: Store) -> None:
        some = [row for row in pairs() if row.label != "neutral"]
        with pytest.raises(TiltmeterError, match="no pair to train on is labelled 'neutral'"):
            train_nli(TINY, some, tmp_path / "m", store=store)

    def test_a_label_that_is_none(self, tmp_path: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="a pair to test on is labelled 'other'"):
            train_nli(TINY, pairs(), tmp_path / "m", test=[Labelled("a", "other", "b")], store=store)

    def test_no_model(self, tmp_path: Path, store: Store) -> None:
        (tmp_path / "none").mkdir()
        with pytest.raises(TiltmeterError, match="is no model of transformers"):
            train_nli(str(tmp_path / "none"), pairs(), tmp_path / "m", store=store)
        assert not (tmp_path / "m").exists()

    @pytest.mark.parametrize(
        ("changed", "said"),
        [
            ({"hidden_size": 64, "intermediate_size": 256}, "are not those of its config.json"),
            ({"num_hidden_layers": 0}, "are not those of its config.json"),
            ({"vocab_size": 20}, "are not those of its config.json"),
        ],
    )
    def test_weights_of_another_model(
        self, learnt: tuple[Path, Store], tmp_path: Path, changed: dict[str, int], said: str
    ) -> None:
        other = shutil.copytree(learnt[0], tmp_path / "other")
        config = json.loads((other / "config.json").read_text())
        labels = {"id2label": {"0": "good", "1": "bad"}, "label2id": {"good": 0, "bad": 1}}
        (other / "config.json").write_text(json.dumps(config | changed | labels))
        with pytest.raises(TiltmeterError, match=said):
            train_nli(str(other), pairs(), tmp_path / "m", running=CPU, store=learnt[1])
        assert not (tmp_path / "m").exists()

    def test_a_head_that_is_named_and_missing(self, learnt: tuple[Path, Store], tmp_path: Path) -> None:
        other = shutil.copytree(learnt[0], tmp_path / "other")
        weights = load_file(other / "model.safetensors")
        headless = {name: tensor for name, tensor in weights.items() if not name.startswith("classifier")}
        save_file(headless, other / "model.safetensors", metadata={"format": "pt"})
        with pytest.raises(TiltmeterError, match=r"2 of them are missing.*classifier"):
            train_nli(str(other), pairs(), tmp_path / "m", running=CPU, store=learnt[1])

    def test_no_files_of_a_tokenizer(self, learnt: tuple[Path, Store], tmp_path: Path) -> None:
        other = shutil.copytree(learnt[0], tmp_path / "other")
        for file in other.glob("tokenizer*"):
            file.unlink()
        with pytest.raises(TiltmeterError, match="other holds no vocabulary"):
            train_nli(str(other), pairs(), tmp_path / "m", running=CPU, store=learnt[1])
