"""Gendered words of an English text."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator

from tiltmeter.language._english_pronouns import her_or_hers, him_or_his
from tiltmeter.language._swap_words import counterparts
from tiltmeter.language.capitals import written_like
from tiltmeter.packs import GenderPair, WordPair

_WORD = re.compile(r"\b[^\W\d_]+\b")


def english_finder(
    pairs: tuple[GenderPair, ...], swaps: tuple[WordPair, ...]
) -> Callable[[str], Iterator[tuple[int, int, str]]]:
    """Words between word boundaries, so that possessives and compounds with hyphens are seen: mother's,
    mother-in-law. Of words that begin alike the longest (man-made stays)."""
    titles = counterparts(pair for pair in swaps if pair.male[:1].isupper() and pair.female[:1].isupper())
    others = [pair for pair in swaps if pair.male not in titles]
    words = counterparts([*pairs, *others])
    words |= {"him": "her", "hers": "his"}
    phrases: dict[str, list[str]] = defaultdict(list)
    for text in sorted(words, key=len, reverse=True):
        first = _WORD.match(text)
        if first and first[0] != text:
            phrases[first[0]].append(text)
    told: dict[str, Callable[[str, int, int], str]] = {"her": him_or_his, "his": her_or_hers}
    known = frozenset({*words, *phrases, *told, *map(str.lower, titles)})

    def find(text: str) -> Iterator[tuple[int, int, str]]:
        done = 0
        for match in _WORD.finditer(text):
            lower = match[0].lower()
            if lower not in known or match.start() < done:
                continue
            start, end = match.span()
            after = ""
            if phrase := _phrase(text, start, phrases.get(lower, ())):
                end = start + len(phrase)
                after = words[phrase]
            elif lower in told:
                after = told[lower](text, start, end)
            elif (title := match[0].capitalize()) in titles and _is_title(text, match[0], end):
                after = titles[title]
            elif lower in words and not _is_surname(text, match[0], start, end):
                after = words[lower]
            done = end
            if after and after != phrase and not _in_address(text, start, end):
                yield start, end, written_like(text[start:end], after, "en")

    return find


def _phrase(text: str, start: int, phrases: list[str] | tuple[()]) -> str:
    """The longest of the phrases that stands here whole."""
    for phrase in phrases:
        end = start + len(phrase)
        if text[start:end].lower().replace("’", "'") == phrase and not text[end : end + 1].isalnum():
            return phrase
    return ""


_NAME = re.compile(r"\.?\s+(\w+)")


def _is_title(text: str, word: str, end: int) -> bool:
    """Mr. Smith, Lord Byron, Mr. and Mrs. Smith; not the Lord said, Miss the train, MS as an abbreviation."""
    follows = _NAME.match(text, end)
    if not follows or not word[0].isupper():
        return False
    if len(word) > 1 and word.isupper():
        return follows[1].isupper()
    return follows[1][0].isupper() or (word in ("Mr", "Mrs", "Ms") and follows[1] in ("and", "or"))


_SURNAMES = frozenset({"king", "prince", "duke", "abbot", "priest", "baron", "guy", "monk"})
_CAPITAL_BEFORE = re.compile(r"(\b[A-Z]\w+|\b[A-Z]\.) $")
_NO_NAMES = re.compile(r"The|An?|My|Your|His|Her|Our|Their|This|That|Crown|Old|Young|New|Former|Dear|And|Of|As")


def _is_surname(text: str, word: str, start: int, end: int) -> bool:
    """Stephen King and B. B. King, Guy Ritchie; not the Crown Prince and not King Arthur."""
    if word[0].islower() or word.lower() not in _SURNAMES:
        return False
    before = _CAPITAL_BEFORE.search(text, max(0, start - 24), start)
    if before and not _NO_NAMES.fullmatch(before[1]):
        return True
    return word == "Guy" and re.match(r" [A-Z]", text[end : end + 2]) is not None


_ADDRESS_BEFORE = re.compile(r"(?:://|www\.|@)\S*$")
_ADDRESS_AFTER = re.compile(r"[\w.-]*@\w")


def _in_address(text: str, start: int, end: int) -> bool:
    """Whether the word stands inside a link, an e-mail address or a user's name."""
    if _ADDRESS_AFTER.match(text, end):
        return True
    return _ADDRESS_BEFORE.search(text, max(0, start - 100), start) is not None
