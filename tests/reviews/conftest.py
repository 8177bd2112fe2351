"""Reviews whose connections are closed when a test ends."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reviews.made import opened
from tiltmeter.reviews import Opened


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Begins a review of a set of Chinese sentences, or goes on with it: `begin("Ana Ben", count=2, ...)`."""
    begun: list[Opened] = []

    def start(names: str = "Ana Ben Cai", **options: Any) -> Opened:
        begun.append(opened(tmp_path, names, **options))
        return begun[-1]

    yield start
    for review in begun:
        review.database.close()
