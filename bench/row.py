"""One comparison, and how it is timed."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    what: str
    ours: float
    other: float
    """What ours is compared with, in the same unit."""
    at_least: float = 0.0
    """The smallest ratio other / ours that counts as reached."""
    unit: str = "s"

    @property
    def ratio(self) -> float:
        return self.other / self.ours

    @property
    def target(self) -> str:
        return f"{self.at_least:g}x" if self.at_least else "–"

    @property
    def reached(self) -> bool:
        return self.ratio >= self.at_least


def seconds(work: Callable[[], object], *, repeat: int = 5) -> float:
    """The fastest of some repetitions: noise only ever adds."""
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)
