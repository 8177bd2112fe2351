"""Checksums of the user's own files, remembered: hashing gigabytes takes longer than a test does."""

import hashlib
import json
import time
from pathlib import Path

from tiltmeter.store.files import sha256_of, write_atomically

_SETTLED = 2.0
"""Seconds; a file changed more lately could change again within the clock's tick and look the same."""


class Fingerprints:
    """The sha256 of files, kept by (resolved path, size, time of change): one small file each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, path: Path) -> str:
        path = path.resolve()
        status = path.stat()
        # The change time and the inode too: unpacking and copying may keep the time of modification.
        times = {"mtime_ns": status.st_mtime_ns, "ctime_ns": status.st_ctime_ns}
        seen = {"path": str(path), "size": status.st_size, "inode": status.st_ino, **times}
        note = self.folder / f"{hashlib.sha256(str(path).encode()).hexdigest()[:32]}.json"
        try:
            known = json.loads(note.read_bytes())
            if {**seen, "sha256": known["sha256"]} == known:
                return str(known["sha256"])
        except (OSError, ValueError, KeyError, TypeError):
            pass  # never seen, or damaged: hashed again
        sha256 = sha256_of(path)
        if abs(time.time() - status.st_mtime) > _SETTLED:
            write_atomically(note, json.dumps({**seen, "sha256": sha256}).encode())
        return sha256
