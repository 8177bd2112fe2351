"""Each distinct question once, batch by batch, every batch on disk before the next."""

import hashlib
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter import workers
from tiltmeter.store import Answers

log = logging.getLogger(__name__)

Question = TypeVar("Question")
Values = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Questions that are answered together: what a worker gets, and the keys of its answers in their order."""

    keys: tuple[str, ...]
    content: Any
    weight: int
    """How much work it is: tokens, or sentences sent to a server."""


def ask_once(
    answers: Answers,
    questions: Mapping[str, Question],
    *,
    plan: Callable[[list[tuple[str, Question]]], Sequence[Batch]],
    start: Callable[[], Callable[[Any], list[Values]]],
    runner: str = "local",
    unit: str = "tokens",
) -> dict[str, Values]:
    """The answers to all questions, from disk or by asking.

    The batches follow from the questions alone (less those that other work has answered): a run that was killed
    makes the same batches again, keeps those on disk and repeats at most the one that was under way, so that its
    numbers are the same to the last bit.
    """
    job = hashlib.sha256("\n".join(sorted(questions)).encode()).hexdigest()[:32]
    known = _values(answers.known(questions, besides=job))
    batches = plan([(key, question) for key, question in questions.items() if key not in known])
    if batches:
        done = _values(answers.done(job, questions))
        todo = [batch for batch in batches if not done.keys() >= set(batch.keys)]
        progress = _Progress(sum(batch.weight for batch in todo), unit)
        for number, found in workers.map(start, [batch.content for batch in todo], runner):
            keys = todo[number].keys
            answers.add(pl.DataFrame({"key": keys, "values": found}, _SCHEMA), job=job)
            done.update(zip(keys, found, strict=True))
            progress.advance(todo[number].weight)
        known |= done
    # Also of a job that was killed just before.
    answers.finish(job)
    return known


_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {"key": pl.String, "values": pl.List(pl.Float64)}


def _values(rows: pl.DataFrame | None) -> dict[str, Values]:
    if rows is None:
        return {}
    return {key: np.array(values, dtype=np.float64) for key, values in rows.select("key", "values").iter_rows()}


class _Progress:
    """Says how far it is, how fast, and how long it will take."""

    def __init__(self, total: int, unit: str) -> None:
        self._total, self._unit, self._done, self._start = total, unit, 0, time.monotonic()

    def advance(self, weight: int) -> None:
        self._done += weight
        seconds = time.monotonic() - self._start
        rate = self._done / seconds if seconds else float("inf")
        left = (self._total - self._done) / rate
        log.info(
            "%d of %d %s, %s a second, %d:%02d left",
            self._done,
            self._total,
            self._unit,
            f"{rate:,.0f}",
            *divmod(round(left), 60),
            extra={"progress": self._done / self._total},
        )
