"""Files that appear whole or not at all, and disk errors said in one sentence."""

import errno
import hashlib
import json
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from tiltmeter.errors import TiltmeterError


def write_atomically(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Writes a file that a reader sees either as it was before or complete, even if we are killed in between.

    `durable`: even if the power fails, for which it waits until the disk has it.
    """
    with appearing(path, durable=durable) as file:
        file.write(content)


@contextmanager
def appearing(path: Path, *, durable: bool = True) -> Iterator[BinaryIO]:
    """A file to write into, which is there under its name when the block ends, and not at all if it fails."""
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}.part")
        try:
            with partial.open("wb") as file:
                yield file
                file.flush()
                if durable:
                    os.fsync(file.fileno())
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
        if durable:
            sync_folder(path.parent)


@contextmanager
def writing(target: Path) -> Iterator[None]:
    """Turns what a disk can refuse into one sentence that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise TiltmeterError(
                f"the disk is full: {target} could not be written; free some space, or set TILTMETER_CACHE or "
                "--out to another disk"
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EISDIR, errno.EEXIST):
            raise TiltmeterError(
                f"{target} cannot be written ({os.strerror(error.errno)}); choose another place (the cache is moved by "
                "TILTMETER_CACHE)"
            ) from error
        raise


def sync_folder(folder: Path) -> None:
    """Makes a rename inside the folder survive a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sync_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def sha256_of(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def identity(*parts: Any) -> str:
    """A checksum of what decides an outcome."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
