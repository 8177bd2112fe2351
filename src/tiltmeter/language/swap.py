"""A text with every gendered word exchanged for its counterpart. The only gender swapper."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

from tiltmeter.errors import TiltmeterError
from tiltmeter.language._swap_basque import basque_finder
from tiltmeter.language._swap_english import english_finder
from tiltmeter.language._swap_segmented import chinese_finder, japanese_finder
from tiltmeter.packs import GenderPair, Pack, WordPair


@dataclass(frozen=True, slots=True)
class Change:
    """A word that was exchanged, by its place in the original text."""

    start: int
    end: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Swapped:
    """The text with all words exchanged, and which they were."""

    text: str
    changes: tuple[Change, ...]


Swapper = Callable[[str], Swapped]
Finder = Callable[[str], Iterator[tuple[int, int, str]]]
"""Where gendered words stand in a text, from left to right, and what takes their place."""


def swap_gender(text: str, pack: Pack) -> Swapped:
    """The text with male words made female and female words made male.

    The words are the pack's pairs in use and its `swaps`. Where a word has several counterparts the first wins, the
    pairs before the swaps (mum becomes dad, and dad mom), so that swapping twice gives the text back only where words
    are one to one. Given names stay as they are, and so do generic words: 他们, 彼ら, mankind. The female plurals 她们
    and 彼女たち become 他们 and 彼ら, which is what a group of men is called.
    """
    return swapper(pack)(text)


def swapper(pack: Pack) -> Swapper:
    """`swap_gender` for many texts: what is made of the pack's lists is made once."""
    if pack.lang not in _FINDERS:
        known = ", ".join(sorted(_FINDERS))
        why = pack.why_not("swaps") or "It is not known which words would have to agree with them."
        raise TiltmeterError(f"gendered words can be exchanged in {known}, not in {pack.name}. {why}")
    return _swapper(pack.lang, tuple(pair for pair in pack.gender_pairs if pair.status != "rejected"), pack.swaps)


_FINDERS: dict[str, Callable[[tuple[GenderPair, ...], tuple[WordPair, ...]], Finder]] = {
    "en": english_finder,
    "eu": basque_finder,
    "ja": japanese_finder,
    "zh": chinese_finder,
}


@cache
def _swapper(lang: str, pairs: tuple[GenderPair, ...], swaps: tuple[WordPair, ...]) -> Swapper:
    find = _FINDERS[lang](pairs, swaps)

    def swap(text: str) -> Swapped:
        changes = tuple(
            Change(start, end, text[start:end], after) for start, end, after in find(text) if text[start:end] != after
        )
        pieces, place = [], 0
        for change in changes:
            pieces += [text[place : change.start], change.after]
            place = change.end
        return Swapped("".join([*pieces, text[place:]]), changes)

    return swap
