"""Servers that are stopped when a test ends."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from reviews.made import write_set
from web.served import Served, start


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[..., Served]]:
    """Serves a set of Chinese sentences: `serve("--reviewers", "Ana,Ben", count=5)`."""
    running: list[Served] = []

    def begin(*arguments: object, count: int = 12, rows: list[dict[str, Any]] | None = None) -> Served:
        path = write_set(tmp_path / "set", count, rows)
        running.append(start(path, *arguments))
        return running[-1]

    yield begin
    for served in running:
        served.kill()


@pytest.fixture(scope="module")
def untouched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server for all tests of a module that try to change something and fail: one sentence, Ana, no vote."""
    served = start(write_set(tmp_path_factory.mktemp("served"), 1), "--reviewers", "Ana")
    yield served
    served.kill()
