"""navec's quantised vectors in a `.tar`: a code for each part of a vector, unpacked for the asked words only.

`vocab.bin` is a gzip of the number of words, their counts and their text; `pq.bin` holds four sizes (rows,
dimensions, parts, centroids), a byte for each part of each row, and the centroids of each part as float32.
"""

import gzip
import io
import tarfile
import zlib
from collections.abc import Mapping

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import LARGEST_RATIO, Member, cut_off
from tiltmeter.subjects.vector_files.vocabulary import Asked, Lookup, describe


def look_up(files: Mapping[str, Member], asked: Asked) -> Lookup:
    file = files["vectors"]
    parts = _parts(file)
    words = _words(file, parts["vocab.bin"])
    quantised = parts["pq.bin"]
    if len(quantised) < 16:
        raise cut_off(file, "pq.bin has no sizes")
    count, dimensions, qdim, centroids = map(int, np.frombuffer(quantised, "<u4", 4))
    if len(quantised) != 16 + count * qdim + centroids * dimensions * 4 or len(words) != count:
        raise cut_off(file, f"pq.bin is not of {count:,} rows of {dimensions} dimensions for {len(words):,} words")
    indexes = np.frombuffer(quantised, np.uint8, count * qdim, offset=16).reshape(count, qdim)
    codes = np.frombuffer(quantised, "<f4", offset=16 + count * qdim).reshape(qdim, centroids, -1)
    first: dict[str, int] = {}
    for index, word in enumerate(words):
        if word in asked.spellings and word not in _NO_WORDS:
            first.setdefault(word, index)
    rows = {
        word: codes[np.arange(qdim), indexes[index]].reshape(dimensions).astype(np.float32)
        for word, index in first.items()
    }
    return Lookup(rows, describe((word for word in words if word not in _NO_WORDS), dimensions))


_NO_WORDS = ("<unk>", "<pad>")


def _parts(file: Member) -> dict[str, bytes]:
    parts = {}
    with file.open() as stream:
        try:
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                for entry in tar:
                    if entry.name in ("vocab.bin", "pq.bin") and (content := tar.extractfile(entry)):
                        parts[entry.name] = content.read()
        except tarfile.TarError as error:
            raise cut_off(file, str(error)) from error
    if missing := [name for name in ("vocab.bin", "pq.bin") if name not in parts]:
        raise TiltmeterError(f"{file} is not navec's format, or cut off: it lacks {' and '.join(missing)}")
    return parts


def _words(file: Member, packed: bytes) -> list[str]:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(packed)) as unpacked:
            content = unpacked.read(LARGEST_RATIO * len(packed))
    except (EOFError, OSError, zlib.error) as error:
        raise cut_off(file, f"vocab.bin does not unpack ({error})") from error
    size = int(np.frombuffer(content, "<u4", 1)[0]) if len(content) >= 4 else 0
    try:
        return content[4 + 4 * size :].decode().split("\n")
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{file}: the words in vocab.bin are not UTF-8 ({error.reason})") from error
