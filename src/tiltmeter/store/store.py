"""The cache folder and its parts."""

import os
import shutil
from pathlib import Path

from tiltmeter.errors import unknown
from tiltmeter.store.files import writing
from tiltmeter.store.fingerprints import Fingerprints
from tiltmeter.store.shelf import Shelf

PARTS = {
    "downloads": "files taken out of registry packages",
    "answers": "what subjects answered, by question",
    "runs": "finished measurements",
    "models": "models trained here",
    "calibrations": "what models of known bias scored",
    "parts": "finished parts of unfinished builds",
}


class Store:
    """The cache: `TILTMETER_CACHE`, else `XDG_CACHE_HOME/tiltmeter`, else `~/.cache/tiltmeter`."""

    def __init__(self, root: Path | None = None) -> None:
        self.root = root if root is not None else default_root()

    @property
    def runs(self) -> Shelf:
        return Shelf(self.root / "runs")

    @property
    def downloads(self) -> Shelf:
        return Shelf(self.root / "downloads")

    @property
    def models(self) -> Shelf:
        return Shelf(self.root / "models")

    @property
    def calibrations(self) -> Shelf:
        return Shelf(self.root / "calibrations")

    @property
    def unfinished(self) -> Shelf:
        """Finished parts of builds that are not finished, a folder each."""
        return Shelf(self.root / "parts")

    @property
    def fingerprints(self) -> Fingerprints:
        return Fingerprints(self.root / "answers" / ".fingerprints")

    def answers_folder(self, subject: str, capability: str) -> Path:
        return self.root / "answers" / subject / capability

    def sizes(self) -> dict[str, tuple[int, int]]:
        """For each part: how many files, how many bytes."""
        return {part: _size(self.root / part) for part in PARTS}

    def clear(self, part: str) -> int:
        """Empties one part and returns the bytes freed."""
        if part not in PARTS:
            raise unknown("part of the cache", part, PARTS)
        folder = self.root / part
        freed = _size(folder)[1]
        shelf = Shelf(folder)
        for key in shelf.keys() if part in ("runs", "downloads", "models", "calibrations") else ():
            shelf.remove(key)
        with writing(folder):
            for entry in folder.iterdir() if folder.is_dir() else ():
                # Locks and folders in the making belong to processes that may be at work.
                if not entry.name.startswith("."):
                    shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        return freed


def default_root() -> Path:
    if cache := os.environ.get("TILTMETER_CACHE"):
        return Path(cache).expanduser()
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tiltmeter"


def _size(folder: Path) -> tuple[int, int]:
    shown = (path for path in folder.rglob("*") if ".locks" not in path.parts)
    files = [path.stat().st_size for path in shown if path.is_file()]
    return len(files), sum(files)
