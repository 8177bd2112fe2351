"""A folder of vectors: what it holds, that it is the same each time, and that it is there whole or not at all."""

import json
import os
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.training import METHODS, predictive, read_card, train_sweep, train_vectors
from training.planted import TOPICS, TWINS, write_planted

SMALL: dict[str, Any] = {"method": "ppmi-svd", "window": 2, "dimensions": 4, "min_count": 1}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_planted(tmp_path_factory.mktemp("corpus") / "planted.txt")


def _vectors(folder: Path) -> dict[str, NDArray[np.float32]]:
    words = (folder / "words.txt").read_text("utf-8").splitlines()
    return dict(zip(words, np.load(folder / "vectors.npy"), strict=True))


def _cosine(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


@pytest.mark.parametrize("method", METHODS)
def test_words_that_stand_in_the_same_places_are_near(planted: Path, tmp_path: Path, method: str) -> None:
    found = _vectors(train_vectors(planted, tmp_path / "v", method=method, window=3, dimensions=8, epochs=8))
    near = _cosine(*(found[twin] for twin in TWINS))
    assert near > 0.9
    for twin in TWINS:
        others = [_cosine(found[twin], found[word]) for word in ("gamma", *TOPICS["wood"])]
        assert max(others) < near - 0.3


@pytest.mark.parametrize("method", METHODS)
def test_the_same_request_gives_the_same_bytes_in_another_process(planted: Path, tmp_path: Path, method: str) -> None:
    options: dict[str, Any] = {"method": method, "dimensions": 6, "epochs": 2, "seed": 7}
    here = train_vectors(planted, tmp_path / "here", **options)
    code = (
        f"from tiltmeter.training import train_vectors; train_vectors({str(planted)!r}, "
        f"{str(tmp_path / 'there')!r}, **{options!r})"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONHASHSEED": "11"})
    for name in ("vectors.npy", "words.txt", "counts.tsv", "card.json"):
        assert (here / name).read_bytes() == (tmp_path / "there" / name).read_bytes()


def test_another_seed_learns_other_vectors(planted: Path, tmp_path: Path) -> None:
    one, two = (train_vectors(planted, tmp_path / str(seed), dimensions=6, epochs=1, seed=seed) for seed in (1, 2))
    assert (one / "vectors.npy").read_bytes() != (two / "vectors.npy").read_bytes()


def test_a_fasttext_vector_holds_the_words_pieces(planted: Path, tmp_path: Path) -> None:
    """The word that only differs in its pieces is nearer than a word of the same places without shared pieces."""
    text = planted.read_text("utf-8").replace("alpha", "harbourage")
    (tmp_path / "text").write_text(text, "utf-8")
    whole, pieces = (
        _vectors(train_vectors(tmp_path / "text", tmp_path / method, method=method, dimensions=8, epochs=1))
        for method in ("skip-gram", "fasttext")
    )
    assert _cosine(pieces["harbour"], pieces["harbourage"]) > _cosine(whole["harbour"], whole["harbourage"])


def test_the_folder_holds_words_by_frequency_with_their_counts(tmp_path: Path) -> None:
    text = "b b b a a a c c d e f g h i j k once\n" * 2 + "once a d\n" + "rare\n"
    (tmp_path / "text").write_text(text)
    folder = train_vectors(tmp_path / "text", tmp_path / "v", **SMALL | {"min_count": 2})
    counts = Counter(text.split())
    expected = sorted(set(counts) - {"rare"}, key=lambda word: (-counts[word], word))
    assert (folder / "words.txt").read_text().splitlines() == expected
    assert expected[:2] == ["a", "b"]
    header, *rows = (folder / "counts.tsv").read_text().splitlines()
    assert header == "word\tcount"
    assert rows == [f"{word}\t{counts[word]}" for word in expected]
    assert np.load(folder / "vectors.npy").shape == (len(expected), 4)


def test_the_card_tells_all_but_who_and_where(planted: Path, tmp_path: Path) -> None:
    folder = train_vectors(planted, tmp_path / "v", **SMALL, seed=3)
    card = read_card(folder)
    words = planted.read_text().split()
    assert card["method"] == "ppmi-svd"
    assert card["seed"] == 3
    assert card["options"]["window"] == 2
    assert card["corpus"]["tokens"] == len(words)
    assert card["corpus"]["sentences"] == 3_000
    assert card["vocabulary"] == {"words": len(set(words)), "tokens": len(words), "zero_vectors": 0}
    assert set(card["versions"]) == {"gensim", "scipy", "numpy"}
    text = (folder / "card.json").read_text()
    assert str(tmp_path) not in text
    assert "planted" not in text
    assert np.load(folder / "vectors.npy").dtype == np.float32


class TestPlace:
    def test_the_same_request_does_nothing(self, planted: Path, tmp_path: Path) -> None:
        folder = train_vectors(planted, tmp_path / "v", **SMALL)
        before = (folder / "vectors.npy").stat()
        train_vectors(planted, tmp_path / "v", **SMALL, epochs=99)  # a decomposition has no epochs
        assert (folder / "vectors.npy").stat() == before

    def test_a_damaged_folder_is_made_anew(self, planted: Path, tmp_path: Path) -> None:
        folder = train_vectors(planted, tmp_path / "v", **SMALL)
        whole = (folder / "vectors.npy").read_bytes()
        (folder / "vectors.npy").write_bytes(whole[:-1])
        assert (train_vectors(planted, tmp_path / "v", **SMALL) / "vectors.npy").read_bytes() == whole

    def test_another_request_is_refused_unless_overwritten(self, planted: Path, tmp_path: Path) -> None:
        folder = train_vectors(planted, tmp_path / "v", **SMALL)
        other = SMALL | {"dimensions": 5}
        with pytest.raises(TiltmeterError, match=r"holds a model of other data or other options.*--overwrite"):
            train_vectors(planted, folder, **other)
        assert read_card(folder)["options"]["dimensions"] == 4
        train_vectors(planted, folder, **other, overwrite=True)
        assert read_card(folder)["options"]["dimensions"] == 5
        assert np.load(folder / "vectors.npy").shape[1] == 5
        assert sorted(entry.name for entry in tmp_path.iterdir()) == [".locks", "v"]

    def test_the_old_folder_outlives_a_failed_overwrite(self, planted: Path, tmp_path: Path) -> None:
        folder = train_vectors(planted, tmp_path / "v", **SMALL)
        with pytest.raises(TiltmeterError, match="fewer dimensions than words"):
            train_vectors(planted, folder, **SMALL | {"dimensions": 500}, overwrite=True)
        assert read_card(folder)["options"]["dimensions"] == 4

    def test_what_was_not_trained_here_is_never_overwritten(self, planted: Path, tmp_path: Path) -> None:
        mine = tmp_path / "mine"
        mine.mkdir()
        (mine / "thesis.txt").write_text("years of work")
        (tmp_path / "file").write_text("also work")
        with pytest.raises(TiltmeterError, match=r"mine holds no model trained here.*it is left alone"):
            train_vectors(planted, mine, **SMALL, overwrite=True)
        with pytest.raises(TiltmeterError, match="file is a file; choose another place"):
            train_vectors(planted, tmp_path / "file", **SMALL, overwrite=True)
        (mine / "card.json").write_text('{"kind": "recipe"}')
        with pytest.raises(TiltmeterError, match="is of another kind; it is left alone"):
            train_vectors(planted, mine, **SMALL, overwrite=True)
        assert (mine / "thesis.txt").read_text() == "years of work"

    def test_a_place_that_cannot_be_written_is_said_in_one_sentence(self, planted: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(TiltmeterError, match=r"cannot be written \(Not a directory\); choose another place"):
            train_vectors(planted, tmp_path / "file" / "v", **SMALL)

    def test_an_empty_folder_is_a_place(self, planted: Path, tmp_path: Path) -> None:
        (tmp_path / "v").mkdir()
        assert read_card(train_vectors(planted, tmp_path / "v", **SMALL))["method"] == "ppmi-svd"

    def test_killed_in_the_middle_leaves_a_hidden_part_that_the_next_call_removes(
        self, planted: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "here" / "v"
        code = (
            "from tiltmeter.training import train_vectors; "
            f"train_vectors({str(planted)!r}, {str(out)!r}, dimensions=50, epochs=100_000)"
        )
        with subprocess.Popen([sys.executable, "-c", code]) as process:
            until = time.monotonic() + 20
            while not (out.parent / ".v.part").exists() and time.monotonic() < until:
                time.sleep(0.01)
            process.kill()
        assert sorted(entry.name for entry in out.parent.iterdir()) == [".locks", ".v.part"]
        train_vectors(planted, out, **SMALL)
        assert sorted(entry.name for entry in out.parent.iterdir()) == [".locks", "v"]


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            ({"method": "skipgram"}, "there is no method 'skipgram'; did you mean 'skip-gram'?"),
            ({"window": 0}, "window has to be at least 1, and 0 was given"),
            ({"dimensions": -5}, "dimensions has to be at least 1, and -5 was given"),
            ({"min_count": 0}, "min_count has to be at least 1, and 0 was given"),
            ({"epochs": 0}, "epochs has to be at least 1, and 0 was given"),
            ({"seed": -1}, "seed has to be from 0 to 4294967295, and -1 was given"),
            ({"min_count": 10_000}, "a min_count of 10000 leaves 0 of 15 words, and at least 10 are needed"),
            ({"dimensions": 15}, "15 dimensions were asked for, and a min_count of 1 leaves 15 words"),
        ],
    )
    def test_an_option_that_cannot_be_is_named(
        self, planted: Path, tmp_path: Path, options: dict[str, Any], sentence: str
    ) -> None:
        with pytest.raises(TiltmeterError) as refused:
            train_vectors(planted, tmp_path / "v", **SMALL | options)
        assert sentence in str(refused.value)
        assert not (tmp_path / "v").exists()
        assert not (tmp_path / ".v.part").exists()

    def test_an_empty_corpus_leaves_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "void.txt").write_text("")
        with pytest.raises(TiltmeterError, match=r"there is no word in .*void\.txt"):
            train_vectors(tmp_path / "void.txt", tmp_path / "v")
        assert not (tmp_path / "v").exists()

    def test_a_corpus_that_fails_while_it_is_learnt_ends_the_training(self) -> None:
        """gensim alone would wait for ever."""
        passes = iter(range(9))

        def sentences() -> Iterator[list[str]]:
            yield ["a", "b", "c"] * 5
            if next(passes) == 1:
                raise TiltmeterError("the corpus is gone")

        with pytest.raises(TiltmeterError, match="the corpus is gone"):
            predictive.train(
                "cbow",
                sentences,
                {"a": 5, "b": 5, "c": 5},
                sentence_count=1,
                window=2,
                dimensions=3,
                epochs=4,
                seed=0,
            )


class TestSweep:
    def test_every_combination_has_its_folder(self, planted: Path, tmp_path: Path) -> None:
        folders = train_sweep(
            planted, tmp_path / "s", methods=["cbow", "ppmi-svd"], windows=[1, 3], dimensions=[4, 6], epochs=1
        )
        assert {folder.name for folder in folders} == {
            f"{method}-w{window}-d{size}" for method in ("cbow", "ppmi-svd") for window in (1, 3) for size in (4, 6)
        }
        for folder in folders:
            options = read_card(folder)["options"]
            assert folder.name == f"{read_card(folder)['method']}-w{options['window']}-d{options['dimensions']}"
            assert np.load(folder / "vectors.npy").shape == (15, options["dimensions"])

    def test_a_sweep_trains_what_train_vectors_trains(self, planted: Path, tmp_path: Path) -> None:
        (swept,) = train_sweep(planted, tmp_path / "s", methods=["cbow"], windows=[2], dimensions=[4], epochs=1)
        alone = train_vectors(planted, tmp_path / "v", method="cbow", window=2, dimensions=4, epochs=1)
        assert (swept / "vectors.npy").read_bytes() == (alone / "vectors.npy").read_bytes()
        assert json.loads((swept / "card.json").read_text()) == read_card(alone)

    def test_what_is_wrong_with_the_last_is_said_before_the_first(self, planted: Path, tmp_path: Path) -> None:
        with pytest.raises(TiltmeterError, match="fewer dimensions than words"):
            train_sweep(planted, tmp_path / "s", methods=["ppmi-svd"], windows=[2], dimensions=[4, 300])
        train_vectors(planted, tmp_path / "s" / "ppmi-svd-w3-d4", **SMALL)
        with pytest.raises(TiltmeterError, match="ppmi-svd-w3-d4 holds a model of other data or other options"):
            train_sweep(planted, tmp_path / "s", methods=["ppmi-svd"], windows=[2, 3], dimensions=[4])
        assert not (tmp_path / "s" / "ppmi-svd-w2-d4").exists()

    def test_a_sweep_does_not_go_into_a_model_folder(self, planted: Path, tmp_path: Path) -> None:
        folder = train_vectors(planted, tmp_path / "v", **SMALL)
        with pytest.raises(TiltmeterError, match="holds trained vectors itself"):
            train_sweep(planted, folder, methods=["cbow"], windows=[2], dimensions=[4])
