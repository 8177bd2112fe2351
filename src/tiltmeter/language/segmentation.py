"""Text cut into words."""

from collections.abc import Callable
from functools import cache

from tiltmeter.errors import MissingExtra, TiltmeterError, unknown
from tiltmeter.language.tagging import mecab_tagger

SEGMENTERS = ("jumanpp", "mecab", "none")

Segmenter = Callable[[str], list[str]]


@cache
def segmenter(name: str) -> Segmenter:
    """`mecab` (fugashi with unidic-lite), `jumanpp` (the program of that name), or `none`."""
    if name == "none":
        return lambda text: [text]
    if name == "mecab":
        return _mecab()
    if name == "jumanpp":
        return _jumanpp()
    raise unknown("segmenter", name, SEGMENTERS)


def _mecab() -> Segmenter:
    tagger = mecab_tagger()
    return lambda text: [word.surface for word in tagger(text)]


def _jumanpp() -> Segmenter:
    try:
        from rhoknp import Jumanpp
    except ImportError as error:
        raise MissingExtra("rhoknp", "language") from error
    juman = Jumanpp()
    if not juman.is_available():
        raise TiltmeterError(
            "--pre-segment jumanpp needs the program jumanpp, which is not on the PATH: install Juman++ 2, or use mecab"
        )
    return lambda text: [morpheme.text for morpheme in juman.apply_to_sentence(text).morphemes]
