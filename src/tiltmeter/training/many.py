"""Several trainings, one after another or spread over machines."""

from collections.abc import Callable, Sequence
from pathlib import Path

from tiltmeter import workers

Fit = Callable[[], Path]
"""A training with all that it is given: `functools.partial(train_nli, network, pairs, out, ...)`."""


def train_many(fits: Sequence[Fit], runner: str = "local") -> list[Path]:
    """The folders, in the order of the trainings.

    On a Ray cluster the machines share the disk that the folders and the cache lie on. A training that was finished
    before is not done again, so that the same call goes on after a kill.
    """
    found = dict(workers.map(_start, fits, runner))
    return [found[number] for number in range(len(fits))]


def _start() -> Callable[[Fit], Path]:
    return _run


def _run(fit: Fit) -> Path:
    return fit()
