"""200 words out of 400,000: the streaming reader against gensim's loader, and the memory it takes."""

import gzip
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np

from bench.row import Row, seconds
from tiltmeter.subjects.vector_files import Asked, find_layout, look_up

WORDS, DIMENSIONS, ASKED = 400_000, 300, 200
MEMORY_LIMIT = 200
"""Megabytes resident, whatever the file's size."""


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        text, binary = _write(Path(folder))
        # gensim's minutes on the text are spent once: on the packed text it would only be slower.
        on_text = seconds(partial(_by_gensim, text), repeat=1)
        yield from _compared(text, text, on_text)
        for pack in (_gzipped, _zipped):
            yield from _compared(pack(text), text, on_text)
        yield from _compared(binary, binary, seconds(partial(_by_gensim, binary), repeat=3))
        gzipped = _gzipped(binary)
        on_gzip = seconds(partial(_by_gensim, gzipped), repeat=1)
        # No target: to inflate takes most of the time, and both do it with zlib; gensim reads no zip.
        yield from _compared(gzipped, gzipped, on_gzip, at_least=0)
        yield from _compared(_zipped(binary), gzipped, on_gzip, at_least=0)


def _compared(ours: Path, theirs: Path, by_gensim: float, *, at_least: float = 8) -> Iterator[Row]:
    what = f"{ASKED} words of {WORDS:,} x {DIMENSIONS} in {ours.name}, gensim's load_word2vec_format of {theirs.name}"
    yield Row(what, seconds(partial(_by_us, ours), repeat=3), by_gensim, at_least=at_least)
    yield _memory(ours)


def _write(folder: Path) -> tuple[Path, Path]:
    """A table whose numbers are drawn from 2,000 rows: further apart than a packer can look back."""
    rng = np.random.default_rng(0)
    pool = rng.normal(size=(2000, DIMENSIONS)).astype(np.float32)
    lines = [b" ".join(b"%.6f" % value for value in row) + b"\n" for row in pool]
    raw = [row.tobytes() for row in pool]
    chosen = rng.integers(0, len(pool), WORDS)
    text, binary = folder / "model.vec", folder / "model.bin"
    with text.open("wb") as as_text, binary.open("wb") as as_binary:
        for file in (as_text, as_binary):
            file.write(b"%d %d\n" % (WORDS, DIMENSIONS))
        for number, index in enumerate(chosen):
            as_text.write(b"w%d " % number + lines[index])
            as_binary.write(b"w%d " % number + raw[index])
    return text, binary


def _gzipped(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    with path.open("rb") as content, gzip.open(packed, "wb", compresslevel=1) as file:
        shutil.copyfileobj(content, file, 1 << 20)
    return packed


def _zipped(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.zip")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.write(path, path.name)
    return packed


def _by_gensim(path: Path) -> object:
    # Imported late: the process that measures our memory imports this module too.
    from gensim.models import KeyedVectors

    return KeyedVectors.load_word2vec_format(path, binary=".bin" in path.name)


def _by_us(path: Path) -> None:
    wanted = frozenset(f"w{number}" for number in range(0, WORDS, WORDS // ASKED))
    found = look_up(find_layout(path), Asked(wanted))
    assert len(found.rows) == ASKED
    assert found.traits.words == WORDS


def _memory(path: Path) -> Row:
    """In a process of its own, with all that Python and its libraries take."""
    code = f"from pathlib import Path; from bench.vectors import _by_us, _peak; _by_us(Path({str(path)!r})); _peak()"
    told = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    what = f"resident memory for {path.name}, the limit of {MEMORY_LIMIT} MB"
    return Row(what, float(told.stdout), MEMORY_LIMIT, at_least=1, unit="MB")


def _peak() -> None:
    # Not getrusage: its peak of a child begins with the memory of the parent.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    print(int(status["VmHWM"].split()[0]) / 1024)
