"""Asks a classifier here and on Ray: prints how far the answers are apart, and in how many batches."""

import sys
from pathlib import Path
from typing import Any, cast

import numpy as np

from tiltmeter import workers
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.inference import Pair
from tiltmeter.subjects.inference.model import InferenceModel
from tiltmeter.subjects.language_models import engine


def main(model: Path, folder: Path) -> None:
    engine.BATCH_TOKENS = 32
    words = ("tired", "late", "a", "the", "boss", "he", "she", "her", "him")
    pairs = [Pair(f"The nurse is {word}.", f"She is {word}.") for word in words]
    found = []
    batches = 0
    real = workers.map

    def counted(start: Any, parts: Any, runner: str = "local") -> Any:
        nonlocal batches
        batches = len(parts)
        return real(start, parts, runner)

    workers.map = counted
    for runner in ("local", "ray"):
        reading = Reading(device="cpu", runner=cast(Any, runner))
        subject = cast(InferenceModel, open_subject(str(model), Store(folder / runner), reading))
        found.append(subject.entail(pairs).select("p_entailment", "p_neutral").to_numpy())
    print(np.abs(found[0] - found[1]).max(), batches)


main(Path(sys.argv[1]), Path(sys.argv[2]))
