"""Helpers that are no fixtures."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from tiltmeter.store import Store

REAL = ("glove-6b-50d", "navec-news")
"""Real vector packages that the tests measure."""

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def stock(store: Store, real_downloads: dict[str, Path], *names: str) -> Store:
    """Puts fetched packages into a cache without copying them."""
    store.downloads.root.mkdir(parents=True, exist_ok=True)
    for name in names:
        (store.downloads.root / real_downloads[name].name).symlink_to(real_downloads[name])
    return store
