"""Each question once, in the same batches however often the work is broken off."""

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter.store import Answers
from tiltmeter.subjects.language_models.asking import Batch, Values, ask_once

QUESTIONS = {f"question {number:02}": number for number in range(21)}


def test_a_batch_that_a_power_cut_tore_is_asked_again_as_it_was(tmp_path: Path) -> None:
    whole: list[tuple[int, ...]] = []
    _ask(tmp_path / "undisturbed", whole)
    assert len(whole) == 6

    broken_off: list[tuple[int, ...]] = []
    with pytest.raises(KeyboardInterrupt):
        _ask(tmp_path / "disturbed", broken_off, at_most=4)
    assert broken_off == whole[:4]
    _tear(tmp_path / "disturbed", whole[1])
    again: list[tuple[int, ...]] = []
    found = _ask(tmp_path / "disturbed", again)
    assert again == [whole[1], *whole[4:]]
    assert {key: values.tolist() for key, values in found.items()} == {key: [n / 7] for key, n in QUESTIONS.items()}


def _ask(folder: Path, begun: list[tuple[int, ...]], *, at_most: int = 99) -> dict[str, Values]:
    def start() -> Callable[[tuple[int, ...]], list[Values]]:
        def answer(numbers: tuple[int, ...]) -> list[Values]:
            if len(begun) == at_most:
                raise KeyboardInterrupt
            begun.append(numbers)
            return [np.array([number / 7]) for number in numbers]

        return answer

    return ask_once(Answers(folder), QUESTIONS, plan=_one_more_each_time, start=start)


def _one_more_each_time(questions: Sequence[tuple[str, int]]) -> list[Batch]:
    """Batches that would be others if one question were missing."""
    left = list(questions)
    batches: list[Batch] = []
    for size in count(1):
        if not left:
            return batches
        keys, numbers = zip(*left[:size], strict=True)
        batches.append(Batch(keys, numbers, size))
        left = left[size:]
    raise AssertionError


def _tear(folder: Path, numbers: tuple[int, ...]) -> None:
    first = next(key for key, number in QUESTIONS.items() if number == numbers[0])
    (path,) = (path for path in folder.rglob("*.parquet") if first in pl.read_parquet(path)["key"])
    path.write_bytes(path.read_bytes()[:-7])
