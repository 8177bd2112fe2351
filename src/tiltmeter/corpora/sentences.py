"""Running text cleaned and cut into sentences, with quotation marks that balance."""

import re
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from tiltmeter.packs import Pack, Screening

Bounds = npt.NDArray[np.int64]

_LAYOUT = " \t\u3000\xa0\u2002\u2003\u2009\u200b\ufeff"
"""Spaces that lay a text out; in scripts without spaces they mean nothing."""


_RUN = re.compile(rf"[\n{_LAYOUT}]+")


class Sentences:
    """Cleans and cuts text of one language."""

    def __init__(self, pack: Pack, screening: Screening) -> None:
        self._spaced = pack.spaced
        self._screening = screening
        self._quotes = {pair[1]: pair[0] for pair in screening.quotes if pair[0] != pair[1]}
        self._straight = {pair[0] for pair in screening.quotes if pair[0] == pair[1]}
        self._marks = {*self._quotes, *self._quotes.values(), *self._straight}
        self._abbreviations = {word.casefold() for word in screening.abbreviations}
        ends, closers = (f"[{re.escape(marks)}]" for marks in (screening.ends, screening.closers or "\0"))
        self._end = re.compile(rf"{ends}+{closers}*(?=\s|$)|\n")
        table = np.zeros(0x10000, np.uint8)
        for mark in screening.closers:
            table[ord(mark)] = 1
        for mark in screening.ends:
            table[ord(mark)] = 2
        self._table = table

    def clean(self, text: str) -> str:
        """Layout out: what is left is one line for each paragraph."""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        if self._spaced:
            # Lines are wrapped anywhere; an empty one, or one that begins with an indent, begins a paragraph.
            text = re.sub(r"\n(?:[ \t\u3000\xa0]*\n)+[ \t\u3000\xa0]*|\n[ \t\u3000\xa0]{2,}", "\0", text)
            return re.sub(r"\s+", " ", text.replace("\n", " ")).replace("\0", "\n")
        return _RUN.sub(_dense_space, text)

    def bounds(self, text: str) -> Bounds:
        """Where each sentence ends, one behind its last mark; a paragraph's end is one, too."""
        return self._spaced_bounds(text) if self._spaced else self._dense_bounds(text)

    def _dense_bounds(self, text: str) -> Bounds:
        """A run of ends and closing quotes ends a sentence where there is an end in it."""
        codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
        if not codes.size:
            return np.zeros(0, np.int64)
        kinds = self._table[np.minimum(codes, 0xFFFF)]
        marks = np.flatnonzero(kinds)
        last = np.flatnonzero(np.diff(marks, append=marks[-1] + 2 if marks.size else 0) > 1)
        ended = np.cumsum(kinds[marks] == 2)[last]
        stops = marks[last][np.diff(ended, prepend=0) > 0] + 1
        return np.unique(np.concatenate([stops, np.flatnonzero(codes == 10) + 1, [codes.size]]))

    def _spaced_bounds(self, text: str) -> Bounds:
        stops = [found.end() for found in self._end.finditer(text) if self._is_end(text, found)]
        return np.unique(np.array([*stops, len(text)], np.int64))

    def _is_end(self, text: str, found: re.Match[str]) -> bool:
        """Not the full stop of an abbreviation or an initial, and not before a small letter."""
        if found[0] == "\n":
            return True
        behind = text[found.end() : found.end() + 2].lstrip()[:1]
        if behind.islower():
            return False
        if found[0] != ".":
            return True
        before = re.search(r"[^\s(\[“„«\"']*$", text[max(0, found.start() - 30) : found.start()])
        word = before[0] if before else ""
        return not (len(word) == 1 and word.isupper()) and word.casefold() not in self._abbreviations

    def is_whole(self, sentence: str) -> bool:
        """Whether it ends as sentences do, and is not a headline."""
        return sentence.rstrip(self._screening.closers)[-1:] in self._screening.ends and bool(sentence)

    def balanced(self, sentence: str) -> str:
        """Quotation marks completed or dropped: what closes nothing goes, what is not closed is closed at the end, or
        goes where it is the first mark of the sentence. A single straight quote goes."""
        if self._marks.isdisjoint(sentence):
            return sentence
        dropped: set[int] = set()
        opened: list[tuple[int, str]] = []
        for place, mark in enumerate(sentence):
            # Some marks open one pair and close another: “ of „“ and “”, » of «» and »«.
            if opened and opened[-1][1] == self._quotes.get(mark):
                opened.pop()
            elif mark in self._quotes.values() and not (mark in self._quotes and _stands_behind(sentence, place)):
                opened.append((place, mark))
            elif mark in self._quotes and not _apostrophe(sentence, place):
                dropped.add(place)
        closing = {opener: closer for closer, opener in self._quotes.items()}
        missing = ""
        for place, mark in reversed(opened):
            if place == 0:
                dropped.add(0)
            else:
                missing += closing[mark]
        for mark in self._straight:
            places = [place for place, letter in enumerate(sentence) if letter == mark]
            if len(places) % 2:
                dropped.add(places[0] if places[0] == 0 else places[-1])
        return _without(sentence, dropped) + missing


def _dense_space(run: re.Match[str]) -> str:
    """What a run of spaces stands for where words have none between them: a new paragraph, or nothing at all but
    between two Latin words."""
    if "\n" in run[0] or "\u3000\u3000" in run[0]:
        return "\n"
    text, start, end = run.string, run.start(), run.end()
    latin = start and end < len(text) and (text[start - 1] + text[end]).isascii()
    return " " if latin and (text[start - 1] + text[end]).isalnum() else ""


def _stands_behind(sentence: str, place: int) -> bool:
    """Whether a mark follows right upon what it may close, and nothing follows upon it."""
    return (
        bool(sentence[:place].strip())
        and not sentence[place - 1].isspace()
        and not sentence[place + 1 : place + 2].isalnum()
    )


def _apostrophe(sentence: str, place: int) -> bool:
    """Whether ’ stands within or right behind a word, as in don’t and the boys’."""
    return sentence[place] == "’" and sentence[place - 1 : place].isalpha()


def _without(sentence: str, places: Iterable[int]) -> str:
    gone = set(places)
    return "".join(letter for place, letter in enumerate(sentence) if place not in gone) if gone else sentence
