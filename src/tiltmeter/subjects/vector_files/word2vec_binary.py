"""word2vec's binary format: a line with both sizes, then each word, a blank and its float32 numbers."""

import re
from collections.abc import Mapping
from typing import BinaryIO

import numpy as np

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import Member, cut_off
from tiltmeter.subjects.vector_files.vocabulary import Asked, Census, Lookup, Row

LONGEST = 4096
"""Bytes of a word; a file without a blank for so long is something else."""


def look_up(files: Mapping[str, Member], asked: Asked) -> Lookup:
    """Goes from word to word, over the numbers of those that were not asked for."""
    file = files["vectors"]
    wanted = asked.encoded()
    rows: dict[str, Row] = {}
    with file.open() as stream:
        promised, dimensions = _sizes(file, stream)
        entry, step = _entry(dimensions), 4 * dimensions + 1
        census = Census(lambda number: f"{file}, word {number}", asked.broken)
        rest = b""
        while chunk := stream.read(_CHUNK):
            content = rest + chunk if rest else chunk
            entries = _entries(content, entry, step, promised - census.entries)
            # word2vec itself ends every entry with a line feed, others do not.
            words = [found.lstrip(b"\n") for found in entries] if b"\n" in b"".join(entries) else entries
            census.add(words)
            for word in wanted.keys() & words:
                begin = _length(entries[: words.index(word) + 1], step) - step + 1
                row = np.frombuffer(content, dtype="<f4", count=dimensions, offset=begin)
                rows.setdefault(wanted[word], row.astype(np.float32))
            rest = content[_length(entries, step) :]
            if census.entries == promised:
                break
            if len(rest) > LONGEST and b" " not in rest[:LONGEST]:
                raise TiltmeterError(
                    f"{file}, word {census.entries + 1}: no word ends within {LONGEST} bytes, so this is not "
                    "word2vec's binary format, or the header's dimensions are wrong"
                )
        if census.entries < promised:
            raise cut_off(file, f"its header says {promised:,} words, and it ends in word {census.entries + 1:,}")
        if (rest + stream.read(LONGEST)).strip(b"\n"):
            raise TiltmeterError(
                f"{file} goes on after the {promised:,} words that its header says; the header is wrong"
            )
    return Lookup(rows, census.traits(dimensions))


_CHUNK = 1 << 20
_MOST_DIMENSIONS = 1 << 16


def _entry(dimensions: int) -> re.Pattern[bytes]:
    """What stands before the blank, the blank, the numbers; else all that is left, which ends in mid-entry.

    A regular expression goes over the numbers in one step, three times as fast as a loop in Python does.
    """
    return re.compile(rb"(?s)([^ ]{0,%d}+) .{%d}|.+" % (LONGEST, 4 * dimensions))


def _entries(content: bytes, entry: re.Pattern[bytes], step: int, most: int) -> list[bytes]:
    """What stands before the blank of each entry that is there whole."""
    entries: list[bytes] = entry.findall(content)
    nameless = content[-step:].startswith(b" ") and _length(entries, step) == len(content)
    if not entries[-1] and not nameless:
        entries.pop()  # what is left, unless it is a whole entry whose word is empty
    return entries[:most]


def _length(entries: list[bytes], step: int) -> int:
    """The bytes of these entries, each with its blank and its numbers."""
    return sum(map(len, entries)) + step * len(entries)


def _sizes(file: Member, stream: BinaryIO) -> tuple[int, int]:
    header = stream.readline(LONGEST)
    if not header:
        raise TiltmeterError(f"{file} is empty")
    fields = header.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields) or not 0 < int(fields[1]) <= _MOST_DIMENSIONS:
        raise TiltmeterError(f"{file}: a first line with the numbers of words and dimensions was expected")
    return int(fields[0]), int(fields[1])
