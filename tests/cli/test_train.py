"""`tiltmeter train` as a user runs it."""

from pathlib import Path

import numpy as np
import pytest

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
    assert "replace them with --overwrite" in refused.stderr
    assert told(*other, "--overwrite").returncode == 0
    assert read_card(tmp_path / "v")["options"]["dimensions"] == 4
