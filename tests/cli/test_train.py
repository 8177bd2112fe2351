"""`tiltmeter train` as a user runs it."""

import json
from pathlib import Path

import numpy as np
import pytest

import tiltmeter
from support import Command
from tiltmeter.training import read_card
from training.planted import write_planted


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    return write_planted(tmp_path / "planted.txt", lines=400)


def test_a_comma_list_makes_a_folder_for_each_combination(told: Command, planted: Path, tmp_path: Path) -> None:
    options = ["--method", "skip-gram", "--window", "2,5", "--dimensions", "4,8", "--epochs", 1, "--seed", 9]
    done = told("train", "vectors", planted, *options, "-o", "sweep")
    assert done.returncode == 0, done.stderr
    names = ["skip-gram-w2-d4", "skip-gram-w2-d8", "skip-gram-w5-d4", "skip-gram-w5-d8"]
    assert done.stdout.splitlines() == [f"vectors: sweep/{name}" for name in names]
    assert sorted(path.name for path in (tmp_path / "sweep").glob("[!.]*")) == names
    assert {read_card(tmp_path / "sweep" / name)["seed"] for name in names} == {9}
    assert [line for line in done.stderr.splitlines() if line.startswith("[")] == [
        f"[{number}/4] {name}" for number, name in enumerate(names, start=1)
    ]
    again = told("train", "vectors", planted, *options, "-o", "sweep")
    assert again.returncode == 0
    assert again.stdout == done.stdout
    assert again.stderr.count("is there already") == 4


def test_without_a_list_the_folder_itself_is_written(told: Command, planted: Path, tmp_path: Path) -> None:
    done = told("train", "vectors", planted, planted, "--method", "ppmi-svd", "--dimensions", 3, "-o", "v")
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "v" / "vectors.npy").shape[1] == 3
    assert read_card(tmp_path / "v")["corpus"]["sentences"] == 800


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--method", "word2vec,cbow"], "there is no method 'word2vec'"),
        (["--method", "fastext"], "did you mean 'fasttext'?"),
        (["--window", "2;5"], "--window takes a whole number, or several with commas between them, not '2;5'"),
        (["--dimensions", "100,"], "--dimensions takes a whole number"),
        (["--window", "0,5"], "window has to be at least 1, and 0 was given"),
        (["--min-count", "1000000"], "a min_count of 1000000 leaves 0 of 15 words"),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(
    told: Command, planted: Path, tmp_path: Path, options: list[str], sentence: str
) -> None:
    done = told("train", "vectors", planted, *options, "-o", "v")
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.count("tiltmeter:") == 1
    assert not (tmp_path / "v").exists()


def test_another_request_needs_overwrite(told: Command, planted: Path, tmp_path: Path) -> None:
    told("train", "vectors", planted, "--method", "ppmi-svd", "--dimensions", 3, "-o", "v")
    other = ["train", "vectors", planted, "--method", "ppmi-svd", "--dimensions", 4, "-o", "v"]
    refused = told(*other)
    assert refused.returncode == 2
    assert "replace it with --overwrite" in refused.stderr
    assert told(*other, "--overwrite").returncode == 0
    assert read_card(tmp_path / "v")["options"]["dimensions"] == 4


FILES = Path(__file__).parents[1] / "datasets" / "nli_corpora"


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small masked model of a text of our own."""
    folder = tmp_path_factory.mktemp("encoder")
    text = _text(folder)
    network = {"layers": 1, "width": 16, "vocabulary": 80}
    tiltmeter.train_language_model(
        "masked", text, folder / "encoder", lang="en", network=network, epochs=1, max_length=32, cache=folder / "cache"
    )
    return folder / "encoder"


def _text(folder: Path) -> Path:
    text = folder / "text.txt"
    text.write_text("".join(f"The {thing} is red, and the {thing} is new.\n" for thing in ("bus", "lamp", "pear") * 9))
    return text


def test_a_masked_model_is_trained_and_tested(tilt: Command, tmp_path: Path) -> None:
    text = _text(tmp_path)
    small = ("--layers", 1, "--width", 16, "--vocabulary", 80, "--epochs", 1, "--max-length", 32)
    done = tilt("train", "mlm", text, "--test", text, *small, "--lang", "en", "-o", tmp_path / "encoder")
    assert done.returncode == 0, done.stderr
    assert "perplexity on the test text" in done.stdout


def test_a_model_learns_inference_from_published_files(told: Command, encoder: Path, tmp_path: Path) -> None:
    data = FILES / "snli" / "snli_1.0_train.jsonl"
    done = told("train", "nli", encoder, "--data", data, "--test", data, "--epochs", 1, "-o", tmp_path / "nli")
    assert done.returncode == 0, done.stderr
    assert "1 pairs to train on have no label that people agreed on: left out" in done.stderr
    card = read_card(tmp_path / "nli")
    assert card["options"] == {
        "epochs": 1,
        "learning_rate": 2e-5,
        "batch": 32,
        "max_length": 128,
        "warmup": 0.0,
        "seed": 0,
        "masked": 0.15,
    }
    assert card["data"]["rows"] == 6
    assert "6 of the rows to test on are among those to train on" in done.stderr
    assert card["language"] == "en"
    for label in ("entailment", "contradiction", "neutral"):
        assert label in done.stdout


def test_a_model_that_is_not_there_is_said_before_another_is_trained(
    told: Command, encoder: Path, tmp_path: Path
) -> None:
    data = FILES / "snli" / "snli_1.0_train.jsonl"
    done = told("train", "nli", encoder, tmp_path / "typo", "--data", data, "--epochs", 1, "-o", tmp_path / "many")
    assert done.returncode == 2
    assert "there is no file or folder" in done.stderr.splitlines()[-1]
    assert not (tmp_path / "many").exists()


def test_several_seeds_make_a_folder_each(told: Command, encoder: Path, tmp_path: Path) -> None:
    data = FILES / "snli" / "snli_1.0_train.jsonl"
    done = told(
        "train", "nli", encoder, "--data", data, "--epochs", 1, "--seed", "3,4", "-o", tmp_path / "many", "--json"
    )
    assert done.returncode == 0, done.stderr
    assert [card["seed"] for card in json.loads(done.stdout)["models"]] == [3, 4]
    assert {path.name for path in (tmp_path / "many").iterdir() if path.is_dir()} >= {"encoder-seed3", "encoder-seed4"}


def test_labels_of_ones_own_and_causal_models_are_learnt(told: Command, encoder: Path, tmp_path: Path) -> None:
    rows = tmp_path / "rows.tsv"
    rows.write_text("text\tlabel\n" + "the bus is new\tgood\nthe pear is red\tbad\n" * 4)
    done = told("train", "classifier", encoder, "--data", rows, "--epochs", 1, "-o", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert read_card(tmp_path / "c")["labels"] == ["bad", "good"]
    text = _text(tmp_path)
    refused = told("train", "mlm", text, "--from", encoder, "--layers", 7, "-o", tmp_path / "further")
    assert refused.returncode == 2
    assert "a model that is trained further has its layers and its tokenizer already" in refused.stderr
    done = told("train", "mlm", text, "--causal", "--width", 16, "--epochs", 1, "-o", tmp_path / "causal")
    assert done.returncode == 0, done.stderr
    assert read_card(tmp_path / "causal")["kind"] == "causal"


@pytest.mark.parametrize(
    ("model", "data", "said"),
    [
        ("nowhere/at-all", "jnli/train-v1.1.json", "model hub could not be reached"),
        (".", "jnli/train-v1.1.json", "is no model of transformers"),
        (".", "ocnli/test.json", "test.json: its pairs have no label"),
        (".", "no.json", "there is no file"),
    ],
)
def test_what_is_wrong_is_told_in_one_sentence(
    told: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, data: str, said: str
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    done = told("train", "nli", model, "--data", FILES / data, "-o", tmp_path / "m")
    assert done.returncode == 2
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "m").exists()
