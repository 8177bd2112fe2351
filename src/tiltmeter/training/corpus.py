"""Plain text as sentences of words, streamed as often as training needs it."""

import gzip
import hashlib
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from io import BufferedReader
from pathlib import Path

from tiltmeter.errors import TiltmeterError

TOKENS = "word-characters-1"
"""The rule's name: NFC, then runs of Unicode letters, digits and underscores with the diacritics that follow them."""

MAX_SENTENCE = 10_000
"""gensim drops what a longer sentence holds beyond this many words, so a longer line becomes several sentences."""

_WORD = re.compile("\\w[\\w\u0300-\u036f]*")
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Tally:
    counts: Counter[str]
    tokens: int
    sentences: int


@dataclass(frozen=True)
class Corpus:
    """UTF-8 text files, `.gz` or plain. A line is a sentence or a paragraph: no context reaches beyond it.

    Words are found by the rule `TOKENS`. In Chinese and Japanese it takes what stands between two signs for one
    word, so that such text has to be separated by spaces beforehand.
    """

    paths: tuple[Path, ...]
    lower: bool

    def sentences(self) -> Iterator[list[str]]:
        for path in self.paths:
            for number, piece in _lines(path):
                words = _WORD.findall(self._decoded(path, number, piece))
                for start in range(0, len(words), MAX_SENTENCE):
                    yield words[start : start + MAX_SENTENCE]

    def lines(self) -> Iterator[str]:
        """Every line as it is written, but for spaces around it; empty ones are left out."""
        for path in self.paths:
            for number, piece in _lines(path):
                if text := self._decoded(path, number, piece).strip():
                    yield text

    @cached_property
    def sha256(self) -> str:
        """Of the text itself: the same for a file and its `.gz`, and `sha256sum` of a file that ends its last line."""
        digest = hashlib.sha256()
        for path in self.paths:
            piece = b"\n"
            for _, piece in _lines(path):
                digest.update(piece)
            if not piece.endswith(b"\n"):
                digest.update(b"\n")
        return digest.hexdigest()

    @cached_property
    def tally(self) -> Tally:
        counts: Counter[str] = Counter()
        sentences = 0
        for sentence in self.sentences():
            counts.update(sentence)
            sentences += 1
        if not counts:
            raise TiltmeterError(f"there is no word in {', '.join(map(str, self.paths))}; give plain text to train on")
        return Tally(counts, counts.total(), sentences)

    def _decoded(self, path: Path, number: int, piece: bytes) -> str:
        try:
            text = unicodedata.normalize("NFC", piece.decode("utf-8"))
        except UnicodeDecodeError as error:
            raise TiltmeterError(f"{path}, line {number}, is not UTF-8; convert the file to UTF-8 first") from error
        return text.lower() if self.lower else text


def open_corpus(paths: Path | str | Sequence[Path | str], *, lower: bool) -> Corpus:
    """The files in the order given; each has to be there, and a file that can be read more than once."""
    several = [paths] if isinstance(paths, Path | str) else paths
    files = tuple(Path(path) for path in several)
    if not files:
        raise TiltmeterError("there is no corpus to train on; name at least one text file")
    for path in files:
        if not path.exists():
            raise TiltmeterError(f"there is no corpus {path}; give a text file, plain or .gz")
        if not path.is_file():
            raise TiltmeterError(f"the corpus {path} is no file; give text files, plain or .gz")
    return Corpus(files, lower)


def _lines(path: Path) -> Iterator[tuple[int, bytes]]:
    """Lines with their numbers; of a very long line, pieces that end at a space, so that memory stays small."""
    number, begun = 1, b""
    with _opened(path) as file:
        while read := file.readline(_BLOCK):
            piece = begun + read
            more = len(read) == _BLOCK and not read.endswith(b"\n")
            cut = piece.rfind(b" ") + 1 if more else len(piece)
            if cut:
                yield number, piece[:cut]
            begun = piece[cut:]
            number += not more
        if begun:
            yield number, begun


@contextmanager
def _opened(path: Path) -> Iterator[gzip.GzipFile | BufferedReader]:
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise TiltmeterError(f"{path} is no whole gzip file ({error}); make it anew") from error
    except OSError as error:
        raise TiltmeterError(f"the corpus {path} cannot be read ({error.strerror})") from error
