"""Folders kept under a key: made once, checked whenever they are read, never seen half-made."""

import glob
import json
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from tiltmeter.errors import TiltmeterError
from tiltmeter.store.files import sha256_of, sync_file, sync_folder, write_atomically, writing

MANIFEST = "manifest.json"


class Damaged(TiltmeterError):
    """A kept folder no longer holds what was written into it."""


class Shelf:
    """Keeps folders by key under one root.

    A folder is made in a hidden place, checksummed and renamed, so it is there whole or not at all. A lock per
    key makes two processes that want the same folder do the work once.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def obtain(self, key: str, make: Callable[[Path], None]) -> Path:
        """The folder of this key; `make(folder)` fills it when it is missing or damaged."""
        with self.locked(key):
            if key in self:
                try:
                    return self.read(key)
                except Damaged:
                    self._discard(key)
            return self._make(key, make)

    def replace(self, key: str, make: Callable[[Path], None]) -> Path:
        """Makes the folder of this key anew; the one that was there stays until the new one is whole."""
        with self.locked(key):
            return self._make(key, make)

    def read(self, key: str) -> Path:
        """The folder of this key, with every file checked against its checksum."""
        folder = self.root / key
        manifest = folder / MANIFEST
        try:
            checksums: dict[str, str] = json.loads(manifest.read_text("utf-8"))
            damaged = [name for name, checksum in checksums.items() if sha256_of(folder / name) != checksum]
        except (OSError, ValueError, AttributeError, TypeError) as error:
            raise Damaged(f"{folder} is damaged ({error}); remove it and measure again") from error
        if damaged:
            raise Damaged(f"{folder} is damaged ({', '.join(damaged)}); remove it and measure again")
        return folder

    def keys(self) -> list[str]:
        """All keys, oldest first."""
        if not self.root.is_dir():
            return []
        folders = [entry for entry in self.root.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
        return [folder.name for folder in sorted(folders, key=lambda folder: (folder.stat().st_mtime_ns, folder.name))]

    def __contains__(self, key: str) -> bool:
        return (self.root / key).is_dir()

    def remove(self, key: str) -> None:
        with self.locked(key):
            self._discard(key)

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Holds the key's lock; the same process may take it again."""
        locks = self.root / ".locks"
        with writing(self.root):
            locks.mkdir(parents=True, exist_ok=True)
            lock = FileLock(locks / f"{key}.lock", is_singleton=True)
            lock.acquire()
        try:
            yield
        finally:
            lock.release()

    def _make(self, key: str, make: Callable[[Path], None]) -> Path:
        partial = self.root / f".{key}.part"
        final = self.root / key
        with writing(final):
            # Only the holder of the lock writes here, so what is found was left by a process that was killed.
            for left in (partial, *self.root.glob(f".{glob.escape(key)}.*.gone")):
                shutil.rmtree(left, ignore_errors=True)
            partial.mkdir(parents=True)
            try:
                make(partial)
                files = [path for path in sorted(partial.rglob("*")) if path.is_file()]
                checksums = {path.relative_to(partial).as_posix(): sha256_of(path) for path in files}
                for path in files:
                    sync_file(path)
                write_atomically(partial / MANIFEST, json.dumps(checksums, indent=1).encode())
                hidden = self._hide(key)
                partial.rename(final)
                if hidden is not None:
                    shutil.rmtree(hidden, ignore_errors=True)
            except BaseException:
                shutil.rmtree(partial, ignore_errors=True)
                raise
            sync_folder(self.root)
        return final

    def _discard(self, key: str) -> None:
        hidden = self._hide(key)
        if hidden is not None:
            shutil.rmtree(hidden, ignore_errors=True)

    def _hide(self, key: str) -> Path | None:
        """Takes a folder out of sight by renaming it: a reader never meets one that is half removed."""
        hidden = self.root / f".{key}.{uuid.uuid4().hex[:8]}.gone"
        with writing(self.root / key):
            try:
                return (self.root / key).rename(hidden)
            except FileNotFoundError:
                return None
