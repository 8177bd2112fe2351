"""Vectors as text, a word and its numbers a line: word2vec and fastText `.vec` (with a header), GloVe (without)."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import BinaryIO, NamedTuple

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import Member
from tiltmeter.subjects.vector_files.vocabulary import Asked, Census, Lookup, Row


def look_up(files: Mapping[str, Member], asked: Asked) -> Lookup:
    """Goes through the lines once; numbers are read only where the word was asked for."""
    file = files["vectors"]
    wanted = asked.encoded()
    rows: dict[str, Row] = {}
    with file.open() as stream:
        shape, lines = _begin(file, stream)
        blank = shape.first - 1
        census = Census(lambda number: f"{file}, line {number + blank}", asked.broken)
        separator, words, line, number = shape.separator, list[bytes](), b"", blank
        for number, line in enumerate(lines, start=shape.first):
            end = line.find(separator)
            if end <= 0:
                if line.isspace():
                    census.add(words)
                    words = []
                    blank += 1
                    continue
                if end < 0:
                    raise _wrong(file, number, line.strip(), 0, shape.dimensions)
            word = line[:end]
            words.append(word)
            if len(words) == _BATCH:
                census.add(words)
                words = []
            # Counting separators is cheap; only what looks odd is read number by number.
            if not 0 <= line.count(separator) - shape.dimensions <= 1:
                _numbers(file, number, line, shape)
            if word in wanted and wanted[word] not in rows:
                row = _numbers(file, number, line, shape)
                if row is not None:
                    rows[wanted[word]] = row
        census.add(words)
        if shape.promised is not None and census.entries != shape.promised:
            raise TiltmeterError(
                f"{file} says in its first line that it holds {shape.promised:,} words, and it holds "
                f"{census.entries:,}; it may be cut off, or the line is wrong"
            )
        if line.strip():
            _numbers(file, number, line, shape)
    return Lookup(rows, census.traits(shape.dimensions))


class Shape(NamedTuple):
    promised: int | None
    """Words, as the header says."""
    dimensions: int
    separator: bytes
    first: int
    """The number of the first line with a word."""


def shape_of(first: bytes, second: bytes) -> Shape | None:
    """What the first two lines tell; None when they are no vectors.

    Two whole numbers are a header, unless the second line shows that every line is a word and one number.
    """
    header = first.split()
    if len(header) == 2 and all(part.isdigit() for part in header):
        words, dimensions = map(int, header)
        following = second.split()
        if dimensions == 1 or len(following) != 2 or not _is_number(following[1]):
            return Shape(words, dimensions, _separator(second), 2)
    fields = _fields(first)
    numbers = 0
    while numbers < len(fields) - 1 and _is_number(fields[-1 - numbers]):
        numbers += 1
    return Shape(None, numbers, _separator(first), 1) if numbers else None


_BATCH = 1 << 15


def _begin(file: Member, stream: BinaryIO) -> tuple[Shape, Iterator[bytes]]:
    first, second = stream.readline(), stream.readline()
    if not first:
        raise TiltmeterError(f"{file} is empty")
    shape = shape_of(first, second)
    if shape is None or not shape.dimensions:
        raise TiltmeterError(f"{file}, line 1: a word and its numbers were expected, or how many words and dimensions")
    read = [second] if shape.first == 2 else [first, second]
    return shape, chain((line for line in read if line), stream)


def _separator(line: bytes) -> bytes:
    return b"\t" if b"\t" in line else b" "


def _fields(line: bytes) -> list[bytes]:
    # Not split(): a word may hold any white space but the separator.
    return line.rstrip().replace(b"\t", b" ").split(b" ")


def _is_number(field: bytes) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _numbers(file: Member, number: int, line: bytes, shape: Shape) -> Row | None:
    """The numbers of a line; None when it is of another word, one with a blank inside (GloVe has `at name@...`)."""
    word, *fields = _fields(line)
    extra = len(fields) - shape.dimensions
    if extra > 0 and not all(map(_is_number, fields[:extra])):
        return None
    if extra:
        raise _wrong(file, number, word, len(fields), shape.dimensions)
    try:
        return np.fromiter(map(float, fields), dtype=np.float32, count=shape.dimensions)
    except ValueError as error:
        raise TiltmeterError(f"{file}, line {number}: what follows {_shown(word)} is no number ({error})") from error


def _wrong(file: Member, number: int, word: bytes, found: int, expected: int) -> TiltmeterError:
    return TiltmeterError(
        f"{file}, line {number}: {found} numbers follow {_shown(word)} where {expected} were expected; the file may be "
        "cut off or damaged"
    )


def _shown(word: bytes) -> str:
    return repr(word.decode(errors="replace")[:40])
