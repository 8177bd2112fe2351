"""Gendered words of a Basque text: stems with their cases."""

import re
from collections.abc import Callable, Iterator

from tiltmeter.language._swap_words import counterparts
from tiltmeter.language.capitals import written_like
from tiltmeter.language.inflection import basque_indefinite, basque_plural, basque_singular
from tiltmeter.language.tagging import WORD
from tiltmeter.packs import GenderPair, WordPair

_WORD = re.compile(rf"\b{WORD}\b")
_PART = re.compile(r"[^\W\d_]+")


def basque_finder(
    pairs: tuple[GenderPair, ...], swaps: tuple[WordPair, ...]
) -> Callable[[str], Iterator[tuple[int, int, str]]]:
    """Every written form with the same form of the other stem.

    Where several cases are written alike the definite singular wins, then the plural, then the indefinite: gizonen is
    of the men (emakumeen), not of any man (emakumeren). A stem in -a is written alike with and without the article:
    neska is mutil before bat, hau and an adjective and behind a number, else mutila.
    """
    entries = [WordPair(pair.male, pair.female) for pair in pairs]
    entries += swaps
    forms: list[WordPair] = []
    for decline in (basque_singular, basque_plural, basque_indefinite):
        for entry in entries:
            male, female = decline(entry.male), decline(entry.female)
            forms += [WordPair(male[case], female[case]) for case in male]
    becomes, bare = counterparts(forms), counterparts(entries)

    def find(text: str) -> Iterator[tuple[int, int, str]]:
        for match in _WORD.finditer(text):
            word = match[0].lower()
            if becomes.get(word) == word:
                continue
            if word in becomes:
                alone = word in bare and bare[word] != becomes[word] and _has_no_article(text, *match.span())
                yield *match.span(), written_like(match[0], bare[word] if alone else becomes[word], "eu")
            elif "-" in word:
                yield from parts(match)

    def parts(match: re.Match[str]) -> Iterator[tuple[int, int, str]]:
        """gizon-talde is emakume-talde; only the last part takes a case."""
        for part in _PART.finditer(match[0]):
            word = part[0].lower()
            after = becomes.get(word) if part.end() == len(match[0]) else bare.get(word)
            if after:
                yield match.start() + part.start(), match.start() + part.end(), written_like(part[0], after, "eu")

    return find


_DETERMINER = (
    r"(?:bat(?:ek|i|en|ekin|ez|entzat|engan\w*|engatik|zuk|zuei|zuen|zuekin)?|batzuk"
    r"|hau|hon(?:ek|i|en\w*|ekin)|hori|horr(?:ek|i|en\w*|ekin)|hura|hark|hari|haren\w*|harekin"
    r"|(?:hau|hori|hai)e(?:k|i|n\w*|kin)|asko\w*|gutxi\w*|guzti\w*|oro|gehiago|gehien\w*)\b"
)
_ADJECTIVE = (
    r"(?:gazte|zahar+|txiki|handi|polit|eder+|jator+|alai|bakar+|nagusi|ezezagun|ezagun|euskaldun|gaixo|berri"
    r"|adindun|adimentsu|isil|lotsati|ausart|azkar+|argal|lodi|altu|baxu|ilehori|beltzaran)"
)
_NO_ARTICLE_AFTER = re.compile(rf"\s+(?:{_DETERMINER}|{_ADJECTIVE}(?:[a-zñ]+|\s+{_DETERMINER}))")
_NO_ARTICLE_BEFORE = re.compile(
    r"(?:\b(?:bi|hiru|lau|bost|sei|zazpi|zortzi|bederatzi|hamar|hamaika|hamabi|zein|zer|edozein|hainbat|zenbat|zenbait)"
    r"|\d)\s+$",
    re.IGNORECASE,
)


def _has_no_article(text: str, start: int, end: int) -> bool:
    if _NO_ARTICLE_AFTER.match(text, end):
        return True
    return _NO_ARTICLE_BEFORE.search(text, max(0, start - 16), start) is not None
