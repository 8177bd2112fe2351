"""`tiltmeter review` as a command: what it writes, and what it says of what cannot be."""

import json
import socket
from pathlib import Path

import pytest

from reviews.made import sentence, write_set
from support import Command
from tiltmeter.packs import load_pack
from tiltmeter.reviews import Ballot, admit, all_reviewers, cast, next_task, open_review, snapshot


def reviewed(path: Path) -> None:
    """Ana keeps the first sentence that she is shown."""
    review = open_review(path, load_pack("zh"), per_sentence=1)
    admit(review.database, ["Ana"])
    task = next_task(review.database, 1)
    assert task is not None
    cast(review.database, 1, task.sentence.id, task.round, Ballot("keep"), 1)
    review.database.close()


def people(path: Path) -> list[str]:
    review = open_review(path, load_pack("zh"), begin=False)
    try:
        return [person.name for person in all_reviewers(review.database)]
    finally:
        review.database.close()


def test_the_files_are_written_without_a_server_and_taken_in_elsewhere(told: Command, tmp_path: Path) -> None:
    path = write_set(tmp_path / "set")
    reviewed(path)
    done = told("review", path, "-o", tmp_path / "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert "1 of 12 sentences are kept" in done.stdout
    taken_in = told(
        "review", path, "--database", tmp_path / "second.db", "--import", tmp_path / "out" / "label-studio.json"
    )
    assert (taken_in.returncode, taken_in.stderr) == (0, "")
    assert "1 votes taken in" in taken_in.stdout
    review = open_review(path, load_pack("zh"), database=str(tmp_path / "second.db"))
    assert [vote.reviewer for vote in snapshot(review.database).votes] == ["Ana"]
    review.database.close()


def test_the_language_is_that_of_the_card_or_has_to_be_said(told: Command, tmp_path: Path) -> None:
    path = write_set(tmp_path / "set")
    (path.parent / "card.json").unlink()
    done = told("review", path)
    assert (done.returncode, done.stderr) == (
        2,
        "tiltmeter: the language is not known; say it with --lang, or give a --pack\n",
    )


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--reviewers", "Ana,x\x01"], "a reviewer's name has"),
        (["--url", "https://["], "--url is"),
        (["--url", "review.example.org"], "--url is"),
        (["--host", "a..b"], "nothing can be served at"),
        (["--host", "203.0.113.7"], "nothing can be served at"),
        (["--per-sentence", "0"], "--per-sentence is 0"),
        (["--pilot", "-3"], "--pilot is -3"),
        (["--port", "99999"], "--port"),
        (["--database", "sqlite:///:memory:"], "lost with it"),
        (["--import", "nothing.json"], "nothing.json cannot be read"),
        (["--lang", "xx"], "there is no language 'xx'"),
        (["-o", "out"], "there is no review"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence_and_nothing_is_left_behind(
    told: Command, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    path = write_set(tmp_path / "set")
    done = told("review", path, "--port", "0", *arguments)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert done.stderr.splitlines()[-1].startswith("tiltmeter: ")
    assert "Traceback" not in done.stderr
    assert sorted(entry.name for entry in path.parent.iterdir()) == ["card.json", "set.parquet"]


def test_a_port_that_is_taken_changes_nothing_in_a_review(told: Command, tmp_path: Path) -> None:
    path = write_set(tmp_path / "set")
    reviewed(path)
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = told("review", path, "--reviewers", "Ben", "--port", other.getsockname()[1])
    assert done.returncode == 2
    assert "give another --host or --port" in done.stderr
    assert people(path) == ["Ana"]


def test_writing_and_serving_are_two_calls(told: Command, tmp_path: Path) -> None:
    path = write_set(tmp_path / "set")
    reviewed(path)
    done = told("review", path, "--reviewers", "Ben", "-o", tmp_path / "out")
    assert done.returncode == 2
    assert people(path) == ["Ana"]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine").write_text("mine", "utf-8")
    done = told("review", path, "-o", tmp_path / "out")
    assert (done.returncode, [entry.name for entry in (tmp_path / "out").iterdir()]) == (2, ["mine"])


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        ([{"text": "他来了。"}], "the column '句子' (or 'sentence') is missing"),
        ([{**sentence(0), "sentence": ""}], "no sentence that can be reviewed"),
    ],
)
def test_a_set_that_is_none_is_told(told: Command, tmp_path: Path, rows: list[dict[str, str]], complaint: str) -> None:
    done = told("review", write_set(tmp_path / "set", rows=rows), "--port", "0")
    assert done.returncode == 2
    assert complaint in done.stderr


def test_a_missing_set_and_a_folder_are_told(told: Command, tmp_path: Path) -> None:
    for path in (tmp_path / "none.parquet", tmp_path):
        done = told("review", path, "--lang", "zh", "--port", "0")
        assert done.returncode == 2
        assert "is no file" in done.stderr


def test_a_real_build_can_be_reviewed(tilt: Command, tmp_path: Path) -> None:
    """From a corpus to a set to a review, with the card's language."""
    corpus = tmp_path / "news.txt"
    lines = [f"听说{'他她'[number % 2]}昨天把第{number}份材料送到了办公室。" for number in range(40)]
    corpus.write_text("\n".join(lines), "utf-8")
    built = tilt(
        "build", "slguset", "--lang", "zh", "--corpus", corpus, "-o", tmp_path / "set", "--without", "near-duplicate"
    )
    assert built.returncode == 0, built.stderr
    size = json.loads((tmp_path / "set" / "card.json").read_text("utf-8"))["size"]
    reviewed(tmp_path / "set" / "set.parquet")
    done = tilt("review", tmp_path / "set" / "set.parquet", "-o", tmp_path / "out")
    assert f"1 of {size:,} sentences are kept" in done.stdout
