"""What a subject answered, by question: written batch by batch, shared by all instruments."""

import hashlib
import io
from collections.abc import Collection
from pathlib import Path

import polars as pl

from tiltmeter.store.files import sha256_of, write_atomically


class Answers:
    """Tables of answers with a `key` column, for one subject and one capability.

    Every batch is a file named by the checksum of its content: a killed run keeps all batches written before,
    two processes never overwrite each other, and a damaged batch is dropped and asked again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def known(self, keys: Collection[str]) -> pl.DataFrame | None:
        """The stored rows for these keys, one row a key; None when there is none at all."""
        wanted = pl.DataFrame({"key": sorted(keys)}, schema={"key": pl.String})
        found = [
            pl.read_parquet(path).join(wanted, on="key", how="semi")
            for path in sorted(self.folder.glob("*.parquet"))
            if self._whole(path)
        ]
        return pl.concat(found).unique("key", keep="first", maintain_order=True) if found else None

    def add(self, answers: pl.DataFrame) -> None:
        """Stores a batch; on return it is on disk."""
        buffer = io.BytesIO()
        answers.write_parquet(buffer)
        content = buffer.getvalue()
        write_atomically(self.folder / f"{hashlib.sha256(content).hexdigest()}.parquet", content)

    def _whole(self, path: Path) -> bool:
        try:
            whole = sha256_of(path) == path.stem
        except FileNotFoundError:  # cleared meanwhile by another process
            return False
        if not whole:
            path.unlink(missing_ok=True)
        return whole
