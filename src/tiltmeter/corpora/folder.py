"""The folder of a built set: it appears, or is filled, when its last file is written."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import writing

UNFINISHED = ".part"
"""Where the files of a set are written until all are there."""


def refuse_filled(out: Path) -> None:
    if out.is_file() or (out.is_dir() and any(entry.name != UNFINISHED for entry in out.iterdir())):
        raise TiltmeterError(f"{out} is there already; choose another folder, or remove it")


@contextmanager
def filling(out: Path) -> Iterator[Path]:
    """A folder to write into; what is in it is in `out` when the block ends, and nothing of it if the block fails."""
    out = out.absolute()  # `.` has no name of its own
    there = out.is_dir()  # it may be the folder that the user is in, or a disk of its own: it is not replaced
    partial_folder = out / UNFINISHED if there else out.with_name(f".{out.name}{UNFINISHED}")
    with writing(out):
        shutil.rmtree(partial_folder, ignore_errors=True)
        partial_folder.mkdir(parents=True)
        try:
            yield partial_folder
            if there:
                for entry in sorted(partial_folder.iterdir()):
                    entry.rename(out / entry.name)
                partial_folder.rmdir()
            else:
                partial_folder.rename(out)
        except BaseException:
            shutil.rmtree(partial_folder, ignore_errors=True)
            raise
