"""Nothing that was reported done is lost, nothing half-written is seen."""

import hashlib
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import PARTS, Answers, Damaged, Shelf, Store, write_atomically

WRITER = Path(__file__).with_name("writer.py")
KILLS = 50


def _write(folder: Path) -> None:
    (folder / "a").write_text("alpha")


def _write_much(folder: Path) -> None:
    (folder / "a").write_bytes(b"x" * 100_000)


class TestShelf:
    def test_a_folder_is_made_once(self, tmp_path: Path) -> None:
        shelf, made = Shelf(tmp_path), []

        def make(folder: Path) -> None:
            made.append(folder)
            _write(folder)

        assert shelf.obtain("k", make) == shelf.obtain("k", make)
        assert len(made) == 1
        assert (shelf.read("k") / "a").read_text() == "alpha"

    def test_a_failed_make_leaves_nothing(self, tmp_path: Path) -> None:
        def fail(folder: Path) -> None:
            _write(folder)
            raise RuntimeError("half way")

        with pytest.raises(RuntimeError, match="half way"):
            Shelf(tmp_path).obtain("k", fail)
        assert "k" not in Shelf(tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == [".locks"]

    def test_the_old_folder_stays_until_the_new_one_is_whole(self, tmp_path: Path) -> None:
        shelf = Shelf(tmp_path)
        shelf.obtain("k", _write)

        def fail(folder: Path) -> None:
            _write_much(folder)
            raise RuntimeError("half way")

        with pytest.raises(RuntimeError, match="half way"):
            shelf.replace("k", fail)
        assert (shelf.read("k") / "a").read_text() == "alpha"
        (tmp_path / ".k.12345678.gone").mkdir()  # left by a process that was killed
        assert (shelf.replace("k", _write_much) / "a").stat().st_size == 100_000
        assert sorted(path.name for path in tmp_path.iterdir()) == [".locks", "k"]

    @pytest.mark.parametrize("damage", ["changed", "removed", "manifest"])
    def test_damage_is_seen_and_the_folder_made_anew(self, tmp_path: Path, damage: str) -> None:
        shelf = Shelf(tmp_path)
        folder = shelf.obtain("k", _write)
        if damage == "changed":
            (folder / "a").write_text("alphb")
        elif damage == "removed":
            (folder / "a").unlink()
        else:
            (folder / "manifest.json").write_text("{")
        with pytest.raises(Damaged, match="is damaged"):
            shelf.read("k")
        assert (shelf.obtain("k", _write) / "a").read_text() == "alpha"
        assert shelf.read("k") == folder

    def test_threads_that_want_the_same_folder_make_it_once(self, tmp_path: Path) -> None:
        made = []

        def make(folder: Path) -> None:
            made.append(threading.get_ident())
            time.sleep(0.05)
            _write(folder)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: Shelf(tmp_path).obtain("k", make), range(8)))
        assert len(made) == 1


class TestAnswers:
    def test_what_was_added_is_known_to_the_next_process(self, tmp_path: Path) -> None:
        Answers(tmp_path).add(pl.DataFrame({"key": ["a", "b"], "value": [1, 2]}))
        Answers(tmp_path).add(pl.DataFrame({"key": ["c"], "value": [3]}))
        known = Answers(tmp_path).known(["c", "a", "x"])
        assert known is not None
        assert dict(known.iter_rows()) == {"a": 1, "c": 3}

    def test_a_damaged_batch_is_dropped_and_the_others_stay(self, tmp_path: Path) -> None:
        answers = Answers(tmp_path)
        answers.add(pl.DataFrame({"key": ["a"], "value": [1]}))
        (first,) = tmp_path.iterdir()
        answers.add(pl.DataFrame({"key": ["b"], "value": [2]}))
        first.write_bytes(first.read_bytes()[:-7])
        known = answers.known(["a", "b"])
        assert known is not None
        assert known["key"].to_list() == ["b"]

    def test_nothing_is_known_of_a_subject_never_asked(self, tmp_path: Path) -> None:
        assert Answers(tmp_path / "none").known(["a"]) is None


def test_a_writer_killed_at_any_moment_loses_nothing_it_reported(tmp_path: Path) -> None:
    """Two writers at once on one store, killed at random moments, fifty kills in all."""
    moments = random.Random(20_261)
    with ThreadPoolExecutor(2) as pool:
        rounds = [(f"w{number}", moments.uniform(0, 0.12)) for number in range(KILLS)]
        reported = [
            line for lines in pool.map(lambda entry: _killed_writer(tmp_path, *entry), rounds) for line in lines
        ]
    runs = [line.split()[1] for line in reported if line.startswith("run")]
    answers = [line.split()[1:] for line in reported if line.startswith("answer")]
    assert len(runs) > KILLS

    store = Store(tmp_path)
    for key in runs:
        content = hashlib.sha256(key.encode()).digest() * 2_000
        assert (store.runs.read(key) / "result.json").read_bytes() == content
    for key in store.runs.keys():  # noqa: SIM118
        assert store.runs.read(key).is_dir(), "whatever can be seen is whole"
    known = Answers(store.answers_folder("subject", "vectors-1")).known([key for key, _ in answers])
    assert known is not None
    assert dict(known.iter_rows()) == {key: int(value) for key, value in answers}


def _killed_writer(root: Path, name: str, delay: float) -> list[str]:
    with subprocess.Popen([sys.executable, WRITER, root, name], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(delay)
        writer.kill()
        # The last line may be cut short: it was not reported.
        return [line for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")]


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
def test_a_full_disk_is_said_in_one_sentence_and_leaves_what_was_there(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], check=True)
    try:
        write_atomically(disk / "file", b"old")
        with pytest.raises(TiltmeterError, match=r"the disk is full: .*file could not be written; free some space"):
            write_atomically(disk / "file", b"new" * 100_000)
        with pytest.raises(TiltmeterError, match="the disk is full"):
            Shelf(disk / "runs").obtain("k", _write_much)
        assert (disk / "file").read_bytes() == b"old"
        assert sorted(entry.name for entry in disk.iterdir()) == ["file", "runs"]
        assert "k" not in Shelf(disk / "runs")
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_folder_that_cannot_be_written_is_said_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(
        TiltmeterError, match=r"file/runs.* cannot be written \(Not a directory\); choose another place"
    ):
        Store(tmp_path / "file").runs.obtain("k", _write)
    with pytest.raises(TiltmeterError, match="cannot be written"):
        write_atomically(tmp_path / "file" / "x", b"")


class TestCache:
    def test_the_place_is_the_users_choice(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("TILTMETER_CACHE", str(tmp_path / "a"))
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "b"))
        assert Store().root == tmp_path / "a"
        monkeypatch.delenv("TILTMETER_CACHE")
        assert Store().root == tmp_path / "b" / "tiltmeter"
        monkeypatch.delenv("XDG_CACHE_HOME")
        assert Store().root == Path.home() / ".cache" / "tiltmeter"

    def test_clearing_one_part_leaves_the_others(self, store: Store) -> None:
        store.runs.obtain("k", _write)
        store.downloads.obtain("d", _write)
        assert store.sizes()["downloads"][1] > 5
        assert store.clear("downloads") > 5
        assert store.sizes()["downloads"] == (0, 0)
        assert store.runs.read("k").is_dir()
        assert set(store.sizes()) == set(PARTS)

    def test_an_unknown_part_is_refused_with_the_nearest(self, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="no part of the cache 'download'; did you mean 'downloads'"):
            store.clear("download")
