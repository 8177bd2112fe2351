"""Which files a corpus is made of, and the pieces that they are read in."""

import logging
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise, takewhile
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, Literal, cast

from tiltmeter.errors import MissingExtra, OutOfReach, TiltmeterError

Kind = Literal["text", "jsonl", "parquet"]

PIECE = 4_000_000
"""Bytes of a file that are read and judged at a time."""
PART = 128_000_000
"""Bytes of a part: what is lost at most when a build is killed."""

_KINDS: dict[str, Kind] = {
    ".txt": "text",
    ".text": "text",
    ".md": "text",
    ".tsv": "text",
    ".csv": "text",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
}
_PACKINGS = {".gz": "gzip", ".zst": "zstd"}
_MAGIC = re.compile(r"[*?\[]")
SPLIT = frozenset(
    {"utf-8", "ascii", "iso8859-1", "iso8859-5", "iso8859-15", "gb18030", "gbk", "gb2312", "big5", "shift_jis", "cp932"}
    | {"euc_jp", "euc_kr", "koi8-r", "cp1251", "cp1252"}
)
"""Encodings in which a byte 10 is always the end of a line, so that a file can be read from its middle."""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file, with the name that it has in the corpus, wherever the corpus lies."""

    path: str
    source: str
    size: int
    stamp: int
    """When it was changed last, in nanoseconds; 0 where that is not told."""
    corpus: int
    """The number of the `--corpus` that it came with."""

    @property
    def packing(self) -> str:
        return _PACKINGS.get(_suffixes(self.path)[1], "")

    @property
    def kind(self) -> Kind:
        return _KINDS.get(_suffixes(self.path)[0], "text")


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a file: bytes, or row groups of Parquet. A packed file is one piece."""

    path: str
    source: str
    kind: Kind
    packing: str
    start: int
    stop: int
    size: int
    whole: bool
    """Whether it is all of the file."""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def find_files(corpora: Sequence[str]) -> tuple[list[CorpusFile], list[str]]:
    """All files of files, folders, globs and URLs, sorted, and a sentence for each place that cannot be read.

    A file that several of them name is read once. Where two corpora have files of the same name, all names begin with
    the number of their corpus.
    """
    found: dict[str, CorpusFile] = {}
    problems: list[str] = []
    for number, name in enumerate(corpora):
        try:
            listed = list(_remote(name, number) if "://" in name else _local(name, number))
        except OutOfReach as error:
            problems.append(str(error))
            continue
        if not listed:
            raise TiltmeterError(f"there is no file at {name}, or none that holds text, JSON lines or Parquet")
        for file in listed:
            found.setdefault(file.path, file)
    files = list(found.values())
    if len({file.source for file in files}) < len(files):
        files = [replace(file, source=f"{file.corpus + 1}:{file.source}") for file in files]
    return sorted(files, key=lambda file: (file.corpus, file.source)), problems


def _local(name: str, number: int) -> Iterator[CorpusFile]:
    path = Path(name).expanduser()
    if path.is_file():
        yield _told(path, path.name, number)
    elif path.is_dir():
        yield from _in_folder(path, path, number)
    elif _MAGIC.search(name):
        fixed = Path(*takewhile(lambda part: not _MAGIC.search(part), path.parts))
        for entry in sorted(fixed.glob(path.relative_to(fixed).as_posix())):
            if _is_hidden(entry, fixed):
                continue
            if entry.is_file():
                yield _told(entry, entry.relative_to(fixed).as_posix(), number)
            elif entry.is_dir():
                yield from _in_folder(entry, fixed, number)
    elif not path.exists():
        raise TiltmeterError(f"there is no file or folder {name}")


def _in_folder(folder: Path, above: Path, number: int) -> Iterator[CorpusFile]:
    for entry in sorted(folder.rglob("*")):
        if entry.is_file() and not _is_hidden(entry, folder) and _suffixes(entry.name)[0] in _KINDS:
            yield _told(entry, entry.relative_to(above).as_posix(), number)


def _is_hidden(path: Path, above: Path) -> bool:
    return any(part.startswith(".") for part in path.relative_to(above).parts)


def _told(path: Path, source: str, number: int) -> CorpusFile:
    status = path.stat()
    # Links stay: what they lead to may have no suffix, as in the cache of the Hugging Face Hub.
    return CorpusFile(str(path.absolute()), source, status.st_size, status.st_mtime_ns, number)


def _remote(url: str, number: int) -> Iterator[CorpusFile]:
    """Files behind a URL that Daft can read: s3, gs, az, hf, http."""
    daft = load_daft()
    from daft.exceptions import DaftCoreException
    from daft.io import HTTPConfig, IOConfig

    pattern = f"{url.rstrip('/')}/**" if url.endswith("/") else url
    try:
        listed = daft.from_glob_path(pattern, io_config=IOConfig(http=HTTPConfig(num_tries=2))).to_pydict()
    except (DaftCoreException, OSError, ValueError) as error:
        # What Daft says where a pattern matches nothing is about its own insides.
        why = "there is no such file" if "MicroPartition" in str(error) else _short(error)
        raise OutOfReach(f"{url} cannot be read ({why})") from error
    start = re.split(r"[*?\[{]", url)[0].rpartition("/")[0] + "/"
    for path, size in zip(listed["path"], listed["size"], strict=True):
        if path.endswith("/"):
            raise OutOfReach(f"{url} cannot be listed")
        yield CorpusFile(path, path.removeprefix(start), size or 0, 0, number)


def load_daft() -> Any:
    """Daft, which reports to nobody, and whose own notes on what goes wrong are not printed beside our sentence."""
    os.environ.setdefault("DAFT_ANALYTICS_ENABLED", "0")
    os.environ.setdefault("DO_NOT_TRACK", "true")
    try:
        import daft
    except ImportError as error:
        raise MissingExtra("daft", "corpus") from error
    for name in ("daft_local_execution", "daft_io", "daft_scan", "daft_logical_plan", "aws_config"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return daft


def _short(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1][:200] if lines else type(error).__name__


def _suffixes(name: str) -> tuple[str, str]:
    """The kind's suffix and the packing's: `.jsonl`, `.gz`."""
    path = PurePosixPath(name.lower())
    return (PurePosixPath(path.stem).suffix, path.suffix) if path.suffix in _PACKINGS else (path.suffix, "")


def open_file(path: str) -> BinaryIO:
    """A file on a disk or behind a URL."""
    if "://" not in path:
        return Path(path).open("rb")
    return cast(BinaryIO, load_daft().open_file(path, "rb"))


def cut_pieces(files: Iterable[CorpusFile], encoding: str) -> list[Piece]:
    """The files in pieces of about `PIECE` bytes; Parquet by its row groups, what is packed or cannot be read from its
    middle whole."""
    pieces: list[Piece] = []
    for file in files:
        whole = Piece(file.path, file.source, file.kind, file.packing, 0, file.size, file.size, True)
        if file.kind == "parquet":
            pieces += _row_groups(whole)
        elif file.packing or encoding not in SPLIT:
            pieces.append(whole)
        else:
            count = max(1, round(file.size / PIECE))
            marks = [file.size * n // count for n in range(count + 1)]
            pieces += [
                Piece(file.path, file.source, file.kind, "", start, stop, stop - start, count == 1)
                for start, stop in pairwise(marks)
            ]
    return pieces


def _row_groups(whole: Piece) -> list[Piece]:
    """One piece a row group; what is wrong with the file is said where it is read."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    try:
        with open_file(whole.path) as file:
            count = ParquetFile(file).metadata.num_row_groups
    except (ArrowException, OSError):
        return [whole]
    return [
        Piece(whole.path, whole.source, "parquet", "", group, group + 1, whole.size // count, count == 1)
        for group in range(count)
    ]


def group_parts(pieces: Sequence[Piece], size: int = PART) -> list[list[list[Piece]]]:
    """Parts of bundles of pieces: small files are read several at a time, and a part is about `size` bytes."""
    bundles = list(_grouped(pieces, PIECE, lambda piece: piece.size))
    return list(_grouped(bundles, size, lambda bundle: sum(piece.size for piece in bundle)))


def _grouped(entries: Iterable[Any], limit: int, size_of: Any) -> Iterator[list[Any]]:
    group: list[Any] = []
    total = 0
    for entry in entries:
        if group and total + size_of(entry) > limit * 1.25:
            yield group
            group, total = [], 0
        group.append(entry)
        total += size_of(entry)
    if group:
        yield group
