"""fastText's own binary model: a dictionary and one matrix, a row for each word and each bucket of n-grams.

A word's vector is the mean of its own row and the rows of its character n-grams (Bojanowski et al. 2017,
doi:10.1162/tacl_a_00051), as `fasttext print-word-vectors` gives it; a word out of the vocabulary is the mean of
its n-grams alone, and is composed only if that was asked for.
"""

import struct
from collections.abc import Mapping
from typing import BinaryIO, NamedTuple

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import Member, cut_off, exactly, skip
from tiltmeter.subjects.vector_files.vocabulary import Asked, Census, Lookup, Row

MAGIC = struct.pack("<i", 793712314)


def look_up(files: Mapping[str, Member], asked: Asked) -> Lookup:
    file = files["vectors"]
    with file.open() as stream:
        settings = _settings(file, stream)
        words, census = _dictionary(file, stream, settings, asked)
        count, dimensions = _matrix_shape(file, stream, settings)
        needed = {
            spelling: ([words[spelling]] if spelling in words else []) + _buckets(spelling, settings)
            for spelling in asked.spellings
            if spelling in words or asked.subwords
        }
        table = _rows(file, stream, sorted({row for rows in needed.values() for row in rows}), count, dimensions)
    rows = {
        spelling: np.asarray(np.sum([table[row] for row in rows], axis=0) / len(rows), dtype=np.float32)
        for spelling, rows in needed.items()
        if rows
    }
    return Lookup(rows, census.traits(dimensions), composed=frozenset(rows) - words.keys())


class _Settings(NamedTuple):
    dimensions: int
    buckets: int
    shortest: int
    longest: int
    words: int
    pruned: int


def _settings(file: Member, stream: BinaryIO) -> _Settings:
    magic, version = exactly(stream, 4, file), struct.unpack("<i", exactly(stream, 4, file))[0]
    if magic != MAGIC or version not in (11, 12):
        raise TiltmeterError(f"{file} is not a fastText model of version 11 or 12; export it as text (.vec)")
    numbers = struct.unpack("<12i", exactly(stream, 48, file))
    skip(stream, 8)
    _size, words, labels, _tokens, pruned = struct.unpack("<3i2q", exactly(stream, 28, file))
    if labels:
        raise TiltmeterError(f"{file} is a fastText classifier, not word vectors")
    return _Settings(numbers[0], numbers[8], numbers[9], numbers[10], words, max(pruned, 0))


def _dictionary(file: Member, stream: BinaryIO, settings: _Settings, asked: Asked) -> tuple[dict[str, int], Census]:
    """The row of each asked word that there is. An entry is the word, a zero, its count (8 bytes) and kind (1)."""
    wanted = asked.encoded()
    found: dict[str, int] = {}
    census = Census(lambda number: f"{file}, word {number}", asked.broken)
    rest = b""
    while census.entries < settings.words:
        # No more is read than the dictionary must still hold: the matrix follows at once.
        left = settings.words - census.entries
        chunk = stream.read(max(min(left * 10, _CHUNK) - len(rest), 1))
        if not chunk:
            raise cut_off(file, f"it says {settings.words:,} words, and it ends in word {census.entries + 1:,}")
        rest += chunk
        words, place = list[bytes](), 0
        while len(words) < left and 0 <= (end := rest.find(b"\0", place)) <= len(rest) - 10:
            word = rest[place:end]
            if word in wanted:
                found.setdefault(wanted[word], census.entries + len(words))
            words.append(word)
            place = end + 10
        census.add(words)
        rest = rest[place:]
    skip(stream, 8 * settings.pruned)
    return found, census


_CHUNK = 1 << 20


def _matrix_shape(file: Member, stream: BinaryIO, settings: _Settings) -> tuple[int, int]:
    if exactly(stream, 1, file) != b"\0":
        raise TiltmeterError(
            f"{file} is a quantised fastText model (.ftz), which is not read; use the full .bin or .vec"
        )
    count, dimensions = struct.unpack("<2q", exactly(stream, 16, file))
    if dimensions != settings.dimensions or count != settings.words + settings.buckets:
        raise TiltmeterError(
            f"{file} announces {settings.words:,} words, {settings.buckets:,} buckets and {settings.dimensions} "
            f"dimensions, and its matrix is {count:,} x {dimensions}; it is damaged"
        )
    return count, dimensions


def _buckets(word: str, settings: _Settings) -> list[int]:
    """Rows of the n-grams of `<word>`, from the shortest to the longest, without the bare boundary signs."""
    if not settings.buckets or settings.longest <= 0:
        return []
    marked = f"<{word}>"
    return [
        settings.words + _fnv(marked[start : start + length].encode()) % settings.buckets
        for start in range(len(marked))
        for length in range(settings.shortest, settings.longest + 1)
        if start + length <= len(marked) and not (length == 1 and start in (0, len(marked) - 1))
    ]


def _fnv(text: bytes) -> int:
    """FNV-1a of 32 bits over signed bytes, as fastText has it."""
    value = 2166136261
    for byte in text:
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return value


def _rows(file: Member, stream: BinaryIO, wanted: list[int], count: int, dimensions: int) -> dict[int, Row]:
    size, reached, rows = 4 * dimensions, 0, {}
    for row in wanted:
        skip(stream, (row - reached) * size)
        rows[row] = np.frombuffer(exactly(stream, size, file), dtype="<f4").astype(np.float32)
        reached = row + 1
    if left := (count - reached) * size:
        skip(stream, left - 1)
        exactly(stream, 1, file)
    return rows
