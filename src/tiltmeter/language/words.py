"""The words of a text that carry meaning, by what each language's pack names as its segmenter."""

import re
import warnings
from collections.abc import Callable
from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

from tiltmeter.errors import MissingExtra, unknown
from tiltmeter.language.tagging import WORD, mecab_tagger, rjieba, russian_analyser, russian_reading

Words = Callable[[str], list[str]]


@cache
def content_words(segmenter: str, lang: str) -> Words:
    """Cuts a text into words, in their dictionary form where the segmenter knows it; stop words are left out.

    `rjieba`: nouns and verbs of two characters or more. `mecab` (fugashi with unidic-lite): nouns, verbs, adjectives
    and adverbs. `pymorphy3`: the same parts of speech of Russian. `spaces`: every run of letters, in lower case.
    """
    makers = {"rjieba": _rjieba, "mecab": _mecab, "pymorphy3": _pymorphy, "spaces": _spaces}
    if segmenter not in makers:
        raise unknown("segmenter", segmenter, makers)
    stop = _stop_words(lang)
    cut = makers[segmenter](stop)
    return lambda text: [word for word in cut(text) if word not in stop]


@cache
def jieba_analysis() -> Any:
    """jieba's keyword extraction, with a dictionary that it reads anew: the copy that it keeps in the folder for
    temporary files may be anybody's."""
    try:
        with warnings.catch_warnings(), TemporaryDirectory() as private:
            warnings.simplefilter("ignore", ResourceWarning)  # a file of its own that it leaves open
            import jieba
            import jieba.analyse

            jieba.setLogLevel("WARNING")
            jieba.dt.tmp_dir = private
            jieba.initialize()
    except ImportError as error:
        raise MissingExtra("jieba", "language") from error
    return jieba.analyse


_CHINESE = frozenset({"ns", "n", "vn", "v"})
"""The parts of speech that jieba's TextRank keeps."""


def _rjieba(_: frozenset[str]) -> Words:
    tagged = rjieba().tag
    return lambda text: [word for word, tag in tagged(text) if tag in _CHINESE and len(word) > 1]


def _mecab(stop: frozenset[str]) -> Words:
    tagger = mecab_tagger()

    def cut(text: str) -> list[str]:
        kept = [
            word
            for word in tagger(text)
            if word.feature.pos1 in _JAPANESE and not {word.feature.pos2, word.feature.pos3} & _EMPTY
        ]
        # The stop words are written as in a text; a lemma of foreign origin has its spelling behind a hyphen.
        return [(word.feature.lemma or word.surface).partition("-")[0] for word in kept if word.surface not in stop]

    return cut


_JAPANESE = frozenset({"名詞", "動詞", "形容詞", "形状詞", "副詞"})
_EMPTY = frozenset({"数詞", "非自立可能", "助動詞語幹", "助数詞可能"})


def _pymorphy(_: frozenset[str]) -> Words:
    russian_analyser()  # that it is missing is said before a text is read

    def cut(text: str) -> list[str]:
        readings = map(russian_reading, _letters(text))
        return [str(reading.normal_form) for reading in readings if str(reading.tag.POS) in _RUSSIAN]

    return cut


_RUSSIAN = frozenset({"NOUN", "ADJF", "ADJS", "VERB", "INFN", "PRTF", "PRTS", "GRND", "ADVB"})


def _spaces(_: frozenset[str]) -> Words:
    return lambda text: [word for word in _letters(text) if len(word) > 1]


def _letters(text: str) -> list[str]:
    return re.findall(WORD, text.lower())


def _stop_words(lang: str) -> frozenset[str]:
    try:
        import stopwordsiso
    except ImportError as error:
        raise MissingExtra("stopwordsiso", "language") from error
    return frozenset(stopwordsiso.stopwords(lang)) if stopwordsiso.has_lang(lang) else frozenset()
