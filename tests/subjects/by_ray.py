"""Asks a model here and on Ray: prints how far the answers are apart, in how many batches, by how many processes."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import polars as pl

from subjects.test_engine import corpus
from tiltmeter import workers
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import engine
from tiltmeter.subjects.language_models.model import LanguageModel


def main(model: Path, folder: Path) -> None:
    engine.BATCH_TOKENS = 64
    local, spread = (
        cast(LanguageModel, open_subject(str(model), Store(folder / runner), Reading(device="cpu", runner=runner)))
        for runner in ("local", "ray")
    )
    expected = pl.concat(local.fill(corpus()))["log_p"]
    batches = 0
    real = workers.map

    def counted(start: Any, parts: Any, runner: str = "local") -> Any:
        nonlocal batches
        batches = len(parts)
        return real(start, parts, runner)

    workers.map = counted
    found = pl.concat(spread.fill(corpus()))["log_p"]
    processes = {answer for _, answer in real(_who, list(range(20)), "ray")}
    print((found - expected).abs().max(), batches, len(processes - {os.getpid()}))


def _who() -> Callable[[int], int]:
    return lambda _: os.getpid()


main(Path(sys.argv[1]), Path(sys.argv[2]))
