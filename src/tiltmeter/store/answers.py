"""What a subject answered, by question: written batch by batch, shared by all instruments."""

import hashlib
import io
import shutil
from collections.abc import Collection, Iterable
from pathlib import Path

import polars as pl

from tiltmeter.store.files import write_atomically


class Answers:
    """Tables of answers with a `key` column, for one subject and one capability.

    Every batch is a file named by the checksum of its content: a killed run keeps all batches written before,
    two processes never overwrite each other, and a damaged batch is dropped and asked again.

    Work of many batches goes under the name of a job: its batches lie in a folder of their own until `finish`
    makes one file of them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._checked: set[Path] = set()

    def known(self, keys: Collection[str], *, besides: str | None = None) -> pl.DataFrame | None:
        """The stored rows for these keys, one row a key; None when there is none at all.

        Batches of unfinished jobs count, but for those of the job `besides`.
        """
        files = (path for path in self.folder.rglob("*.parquet") if besides is None or path.parent.name != besides)
        return self._rows(sorted(files), keys)

    def done(self, job: str, keys: Collection[str]) -> pl.DataFrame | None:
        """What an unfinished job has answered already."""
        return self._rows(sorted((self.folder / job).glob("*.parquet")), keys)

    def add(self, answers: pl.DataFrame, *, job: str = "") -> None:
        """Stores a batch; on return it survives the end of this process.

        Outside a job it survives a power cut too: a job's batch that is torn by one is found by its checksum and
        asked again, and waiting for the disk after each would take longer than a fast model does.
        """
        buffer = io.BytesIO()
        answers.write_parquet(buffer)
        content = buffer.getvalue()
        path = self.folder / job / f"{hashlib.sha256(content).hexdigest()}.parquet"
        write_atomically(path, content, durable=not job)

    def finish(self, job: str) -> None:
        """Makes one file of a job's batches."""
        files = sorted((self.folder / job).glob("*.parquet"))
        rows = self._rows(files, None)
        if rows is not None:
            self.add(rows)
        shutil.rmtree(self.folder / job, ignore_errors=True)

    def _rows(self, files: Iterable[Path], keys: Collection[str] | None) -> pl.DataFrame | None:
        # Thinned out file by file: all that was ever answered may be more than memory holds.
        read = (rows for path in files if (rows := self._read(path)) is not None)
        if keys is not None:
            wanted = pl.DataFrame({"key": sorted(keys)}, schema={"key": pl.String})
            read = (rows.join(wanted, on="key", how="semi") for rows in read)
        found = list(read)
        return pl.concat(found).unique("key", keep="first", maintain_order=True) if found else None

    def _read(self, path: Path) -> pl.DataFrame | None:
        try:
            content = path.read_bytes()
        except FileNotFoundError:  # cleared or finished meanwhile by another process
            return None
        if path not in self._checked and hashlib.sha256(content).hexdigest() != path.stem:
            path.unlink(missing_ok=True)
            return None
        self._checked.add(path)
        return pl.read_parquet(content)
