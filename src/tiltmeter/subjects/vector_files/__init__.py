"""Readers of word-vector files: one module a format, each answering the same question.

A reader is given all spellings that a test could want, goes through the vocabulary once and keeps the rows it was
asked for; it never holds the whole table.
"""

from collections.abc import Callable, Collection
from pathlib import Path

from tiltmeter.errors import unknown
from tiltmeter.subjects.vector_files import navec, numpy
from tiltmeter.subjects.vector_files.vocabulary import Lookup, Traits

__all__ = ["Lookup", "Traits", "look_up"]

_READERS: dict[str, Callable[[Path, Collection[str]], Lookup]] = {
    "navec": navec.look_up,
    "numpy": numpy.look_up,
}


def look_up(format_name: str, folder: Path, spellings: Collection[str]) -> Lookup:
    """The rows of those spellings that the vocabulary has, and what the vocabulary looks like."""
    if format_name not in _READERS:
        raise unknown("vector format", format_name, _READERS)
    return _READERS[format_name](folder, spellings)
