"""Words with their places and parts of speech. The one place where the segmenters are loaded."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from tiltmeter.errors import MissingExtra, unknown


@dataclass(frozen=True, slots=True)
class Tagged:
    """A word of a text."""

    text: str
    start: int
    end: int
    pos: str
    """A universal part of speech: NOUN, PROPN, VERB, ADJ, ADV, PRON, NUM, PUNCT ..., X where it is not known."""
    tag: str
    """What the segmenter itself calls it."""


Tagger = Callable[[str], list[Tagged]]


@cache
def tagger(segmenter: str) -> Tagger:
    """Cuts a text into words and marks; what is only white space is none.

    `rjieba`, `mecab` (fugashi with unidic-lite: the tag is its parts of speech) and `pymorphy3` (the
    likeliest reading of each word by itself) know parts of speech; `spaces` tells words (X), numbers and punctuation.
    """
    makers: dict[str, Callable[[], Tagger]] = {
        "rjieba": _rjieba,
        "mecab": _mecab,
        "pymorphy3": _pymorphy,
        "spaces": _spaces,
    }
    if segmenter not in makers:
        raise unknown("segmenter", segmenter, makers)
    return makers[segmenter]()


@cache
def tagged_words(segmenter: str) -> Callable[[str], list[tuple[str, str]]]:
    """Words and the segmenter's own tags alone: what a corpus is read with, where a value a word would take longer
    than the segmenter."""
    if segmenter == "rjieba":
        tag: Callable[[str], list[tuple[str, str]]] = rjieba().tag
        return tag
    if segmenter == "mecab":
        parse = mecab_tagger()
        return lambda text: [(word.surface, _mecab_tag(word.feature)) for word in parse(text)]
    words = tagger(segmenter)
    return lambda text: [(word.text, word.tag) for word in words(text)]


@cache
def rjieba() -> Any:
    """The module, with `cut` and `tag`."""
    try:
        import rjieba
    except ImportError as error:
        raise MissingExtra("rjieba", "language") from error
    return rjieba


@cache
def mecab_tagger() -> Any:
    """MeCab with its dictionary, by fugashi."""
    try:
        import fugashi
        import unidic_lite
    except ImportError as error:
        raise MissingExtra("fugashi and unidic-lite", "language") from error
    return fugashi.Tagger(f"-d {unidic_lite.DICDIR}")


@cache
def russian_analyser() -> Any:
    """pymorphy3 with its Russian dictionary."""
    try:
        import pymorphy3
    except ImportError as error:
        raise MissingExtra("pymorphy3", "language") from error
    return pymorphy3.MorphAnalyzer(lang="ru")


@lru_cache(maxsize=1 << 17)
def russian_reading(word: str) -> Any:
    """The likeliest reading of a word by itself."""
    return russian_analyser().parse(word)[0]


WORD = r"[^\W\d_]+(?:-[^\W\d_]+)*"
"""A run of letters, hyphens inside it included."""


def _rjieba() -> Tagger:
    tag = rjieba().tag

    def words(text: str) -> list[Tagged]:
        found = [(word, own, _chinese(word, own)) for word, own in tag(text)]
        return list(_placed(text, found))

    return words


def _chinese(word: str, tag: str) -> str:
    if tag in ("x", "w"):
        return "X" if any(map(str.isalnum, word)) else "PUNCT"
    return _CHINESE.get(tag) or _CHINESE.get(tag[:2]) or _CHINESE.get(tag[:1], "X")


# The tags of ICTCLAS as jieba has them: the whole tag, its first two letters, its first.
_CHINESE = {
    "nr": "PROPN", "ns": "PROPN", "nt": "PROPN", "nz": "PROPN", "n": "NOUN", "t": "NOUN", "s": "NOUN", "f": "NOUN",
    "q": "NOUN", "j": "NOUN", "vn": "NOUN", "an": "NOUN", "vd": "ADV", "v": "VERB", "ad": "ADV", "a": "ADJ",
    "b": "ADJ", "z": "ADJ", "d": "ADV", "r": "PRON", "m": "NUM", "p": "ADP", "c": "CCONJ", "u": "PART", "y": "PART",
    "h": "PART", "k": "PART", "e": "INTJ", "o": "INTJ", "eng": "X", "en": "X",
}  # fmt: skip


def _mecab() -> Tagger:
    parse = mecab_tagger()

    def words(text: str) -> list[Tagged]:
        found = [
            (word.surface, _mecab_tag(word.feature), _japanese(word.feature.pos1, word.feature.pos2))
            for word in parse(text)
        ]
        return list(_placed(text, found))

    return words


def _mecab_tag(feature: Any) -> str:
    """名詞-固有名詞-人名-名"""
    parts = (feature.pos1, feature.pos2, feature.pos3, feature.pos4)
    return "-".join(part for part in parts if part and part != "*")


def _japanese(pos1: str, pos2: str | None) -> str:
    if pos1 == "名詞":
        return {"固有名詞": "PROPN", "数詞": "NUM"}.get(pos2 or "", "NOUN")
    return _JAPANESE.get(pos1, "X")


_JAPANESE = {
    "代名詞": "PRON", "動詞": "VERB", "形容詞": "ADJ", "形状詞": "ADJ", "連体詞": "DET", "副詞": "ADV", "助詞": "ADP",
    "助動詞": "AUX", "接続詞": "CCONJ", "感動詞": "INTJ", "接頭辞": "NOUN", "接尾辞": "NOUN", "補助記号": "PUNCT",
    "記号": "SYM",
}  # fmt: skip


def _pymorphy() -> Tagger:
    russian_analyser()  # that it is missing is said before a text is read

    def words(text: str) -> list[Tagged]:
        return [_russian(word) if word.pos == "X" else word for word in _plain(text)]

    return words


def _russian(word: Tagged) -> Tagged:
    tag = russian_reading(word.text.lower()).tag
    pos = _RUSSIAN.get(str(tag.POS), "X")
    if pos == "NOUN" and word.text[:1].isupper() and _NAMES & set(tag.grammemes):
        pos = "PROPN"
    return Tagged(word.text, word.start, word.end, pos, str(tag))


_NAMES = {"Name", "Surn", "Patr", "Geox", "Orgn", "Trad"}
_RUSSIAN = {
    "NOUN": "NOUN", "ADJF": "ADJ", "ADJS": "ADJ", "COMP": "ADJ", "VERB": "VERB", "INFN": "VERB", "PRTF": "VERB",
    "PRTS": "VERB", "GRND": "VERB", "NUMR": "NUM", "ADVB": "ADV", "NPRO": "PRON", "PRED": "ADV", "PREP": "ADP",
    "CONJ": "CCONJ", "PRCL": "PART", "INTJ": "INTJ",
}  # fmt: skip


def _spaces() -> Tagger:
    return _plain


_PIECE = re.compile(rf"(?P<X>{WORD})|(?P<NUM>\d+(?:[.,]\d+)*)|(?P<PUNCT>[^\w\s]|_)")


def _plain(text: str) -> list[Tagged]:
    """Letters, digits and marks. A number with letters on it (5G) is a number and a word."""
    found = _PIECE.finditer(text)
    return [Tagged(piece[0], piece.start(), piece.end(), kind, kind) for piece in found if (kind := piece.lastgroup)]


def _placed(text: str, found: Iterable[tuple[str, str, str]]) -> Iterator[Tagged]:
    """The words with their places. MeCab leaves white space out, jieba makes words of it."""
    place = 0
    for word, tag, pos in found:
        if not word.strip():
            continue
        start = text.index(word, place)
        place = start + len(word)
        yield Tagged(word, start, place, pos, tag)
