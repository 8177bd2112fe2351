"""Readers of word-vector files: one module a format, each answering the same question.

A reader is given all spellings that a test could want, goes through the vocabulary once and keeps the rows it was
asked for; it never holds the whole table.
"""

from collections.abc import Callable, Mapping

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files import fasttext_binary, navec, numpy, spacy, text, word2vec_binary
from tiltmeter.subjects.vector_files.layout import FORMATS, Layout, find_layout
from tiltmeter.subjects.vector_files.members import Member
from tiltmeter.subjects.vector_files.vocabulary import Asked, Lookup, Traits

__all__ = ["FORMATS", "Asked", "Layout", "Lookup", "Member", "Traits", "find_layout", "look_up"]

_READERS: dict[str, Callable[[Mapping[str, Member], Asked], Lookup]] = {
    "text": text.look_up,
    "word2vec-binary": word2vec_binary.look_up,
    "fasttext-binary": fasttext_binary.look_up,
    "navec": navec.look_up,
    "numpy": numpy.look_up,
    "spacy": spacy.look_up,
}


def look_up(layout: Layout, asked: Asked) -> Lookup:
    """The rows of those spellings that the vocabulary has, and what the vocabulary looks like."""
    try:
        return _READERS[layout.format](layout.files, asked)
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, MemoryError) as error:
        # Whatever a file can hold, it is the file that is wrong.
        names = ", ".join(dict.fromkeys(str(file) for file in layout.files.values()))
        raise TiltmeterError(f"{names} cannot be read as {layout.format} ({error}); it may be damaged") from error
