"""What a language model is asked at length: a million questions fit into memory, and killed work goes on."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import polars as pl
import pytest

from subjects.asker import WORDS
from subjects.tiny_models import bert_of_words

pytestmark = pytest.mark.slow

ASKER = Path(__file__).with_name("asker.py")
KILLS = 20
GROWTH = 200
"""Megabytes that a million questions may take beyond what a hundred thousand do."""


def test_a_million_questions_take_hardly_more_memory_than_a_hundred_thousand(tmp_path: Path) -> None:
    model = bert_of_words(tmp_path, WORDS)
    peaks = []
    for asked in (100_000, 1_000_000):
        cache = tmp_path / str(asked)
        command: list[str | Path] = [sys.executable, ASKER, "many", str(asked), model, cache]
        answered, peak = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        keys = pl.scan_parquet(cache / "answers" / "**" / "*.parquet").select(pl.col("key").n_unique())
        assert int(answered) == keys.collect().item() == asked
        peaks.append(float(peak))
    assert peaks[1] - peaks[0] < GROWTH


def test_work_killed_at_any_moment_goes_on_and_ends_in_the_same_bytes(tmp_path: Path) -> None:
    """A measurement is killed until it ends by itself, again and again in fresh caches, twenty kills in all."""
    work = Work(bert_of_words(tmp_path, WORDS), _write_frames(tmp_path / "words.toml"))
    (undisturbed,) = work.until_done(tmp_path / "undisturbed", iter(()))
    batches = undisturbed.batches
    assert len(set(batches)) == len(batches) >= 50

    moments = random.Random(20_262)
    killed: list[Start] = []
    for number in count():
        if len(killed) == KILLS:
            break
        folder = tmp_path / f"disturbed-{number}"
        delays = (moments.uniform(0, undisturbed.seconds) for _ in range(KILLS - len(killed)))
        starts = work.until_done(folder, delays)
        begun = [batch for start in starts for batch in start.batches]
        killed += starts[:-1]
        assert (folder / "items.parquet").read_bytes() == (tmp_path / "undisturbed" / "items.parquet").read_bytes()
        assert set(begun) == set(batches), "the same batches as without a kill"
        assert len(begun) - len(batches) < len(starts), "each kill repeats one batch at most"
    assert sum(len(start.batches) > 1 for start in killed) >= KILLS / 4, "many in the midst of the batches"


@dataclass(frozen=True)
class Start:
    """One process: how long it ran once it was ready, which batches it began, and whether it came to its end."""

    seconds: float
    batches: list[str]
    ended: bool


@dataclass(frozen=True)
class Work:
    """A measurement of a model with words of the user's."""

    model: Path
    words: Path

    def until_done(self, folder: Path, delays: Iterator[float]) -> list[Start]:
        """Starts it in a cache of its own, kills it after each of the delays, until one start comes to its end."""
        folder.mkdir()
        starts: list[Start] = []
        while not starts or not starts[-1].ended:
            starts.append(self._start(folder, folder / f"{len(starts)}.log", next(delays, None)))
        return starts

    def _start(self, folder: Path, log: Path, delay: float | None) -> Start:
        measured: list[str | Path] = ["measure", "kurita", self.model, "--lang", "en", "--words", self.words]
        command = [sys.executable, ASKER, "measured", log, *measured, "--items", folder / "items.parquet"]
        environment = {**os.environ, "TILTMETER_CACHE": str(folder / "cache")}
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            ready = time.monotonic()
            try:
                told, _ = process.communicate(timeout=delay)
            except subprocess.TimeoutExpired:
                process.kill()
                told, _ = process.communicate()
        # It may have come to its end in the very moment of the kill.
        assert process.returncode in (0, -signal.SIGKILL), told.decode()
        batches = log.read_text().splitlines() if log.exists() else []
        return Start(time.monotonic() - ready, batches, process.returncode == 0)


def _write_frames(path: Path) -> Path:
    """Long sentences, so that a batch holds but few of them."""
    rng = random.Random(0)
    templates = [f"{{target}} {' '.join(rng.choices(WORDS, k=rng.randint(40, 55)))} {{attribute}}" for _ in range(40)]
    targets = {"one": WORDS[:1], "two": WORDS[1:2]}
    attributes = {"left": WORDS[10:35], "right": WORDS[40:65]}
    lines = [f"templates = {json.dumps(templates)}"]
    for name, groups in (("targets", targets), ("attributes", attributes)):
        lines += [f"[{name}]", *(f"{group} = {json.dumps(words)}" for group, words in groups.items())]
    path.write_text("\n".join(lines))
    return path
