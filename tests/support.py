"""Helpers that are no fixtures."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np

from tiltmeter.store import Store
from tiltmeter.subjects import VectorSubject, open_subject

REAL = ("glove-6b-50d", "navec-news")
"""Real vector packages that the tests measure."""

Command = Callable[..., "subprocess.CompletedProcess[str]"]


def stock(store: Store, real_downloads: dict[str, Path], *names: str) -> Store:
    """Puts fetched packages into a cache without copying them."""
    store.downloads.root.mkdir(parents=True, exist_ok=True)
    for name in names:
        (store.downloads.root / real_downloads[name].name).symlink_to(real_downloads[name])
    return store


def made_of(table: dict[str, "np.ndarray"], folder: Path) -> VectorSubject:
    """A subject of these vectors, written to a folder and opened as a user's."""
    files = folder / "vectors"
    files.mkdir(parents=True, exist_ok=True)
    np.save(files / "vectors.npy", np.array(list(table.values()), dtype=np.float32))
    (files / "words.txt").write_text("\n".join(table), "utf-8")
    opened = open_subject(str(files), Store(folder / "cache"))
    assert isinstance(opened, VectorSubject)
    return opened
