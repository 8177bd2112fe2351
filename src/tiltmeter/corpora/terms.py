"""Words of a pack's lists found in a sentence, many at once."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate

from tiltmeter.errors import MissingExtra

Span = tuple[int, int]
Matcher = Callable[[str], list[tuple[int, int, int]]]


def matcher(patterns: Iterable[str]) -> Matcher:
    """All places of all patterns in a text, overlapping ones too: number of the pattern, start, end."""
    try:
        from ahocorasick_rs import AhoCorasick, Implementation
    except ImportError as error:
        raise MissingExtra("ahocorasick-rs", "corpus") from error
    listed = list(patterns)
    if not listed:
        return lambda _: []
    automaton = AhoCorasick(listed, implementation=Implementation.DFA)  # twice as fast as what it chooses by itself
    return lambda text: automaton.find_matches_as_indexes(text, overlapping=True)


AROUND = frozenset({"generic", "inside-word", "sense"})
"""Rules whose terms may hold the keyword: they are about what it means there."""


class Terms:
    """Which terms of which rule stand in a sentence."""

    def __init__(self, lists: Mapping[str, Iterable[str]], harmless: Iterable[str] = ()) -> None:
        self._entries = [
            (rule, term.strip("*").lower(), term.endswith("*"), term.startswith("*"))
            for rule, terms in (*lists.items(), ("", harmless))
            for term in terms
        ]
        self._find = matcher(entry[1] for entry in self._entries)

    def first(self, lowered: str, words: "Words", hidden: Span) -> dict[str, str]:
        """For each rule the first of its terms that is a word of the sentence, and no part of what is hidden."""
        finds = self._find(lowered)
        harmless = [(start, end) for number, start, end in finds if not self._entries[number][0]]
        found: dict[str, str] = {}
        for number, start, end in finds:
            rule, term, begins, ends = self._entries[number]
            if not rule or rule in found or any(first <= start and end <= last for first, last in harmless):
                continue
            apart = end <= hidden[0] or start >= hidden[1]
            around = rule in AROUND and start <= hidden[0] and hidden[1] <= end
            if (apart or around) and words.holds(start, end, begins, ends):
                found[rule] = term
        return found


class Words:
    """Where the words of a sentence begin and end."""

    __slots__ = ("_dense", "_ends", "_starts")

    def __init__(self, words: Sequence[str], sentence: str, *, dense: bool) -> None:
        self._dense = dense
        self._ends = list(accumulate(map(len, words)))
        self._starts = [0, *self._ends[:-1]]
        if not words or self._ends[-1] != len(sentence):
            self._find(words, sentence)

    def _find(self, words: Sequence[str], sentence: str) -> None:
        """A segmenter may drop the spaces between words."""
        self._starts, self._ends, at = [], [], 0
        for word in words:
            start = sentence.index(word, at)
            at = start + len(word)
            self._starts.append(start)
            self._ends.append(at)

    def holds(self, start: int, end: int, begins: bool = False, ends: bool = False) -> bool:
        """Whether these characters are whole words, or the beginning or the end of one where that is enough.

        Where words have no spaces between them a segmenter may join what belongs together (兄弟俩), so that two
        characters or more may lie inside a word; but not across the border of two (已经|期待 holds no 经期).
        """
        if self.begins(start) and (begins or self._ends_at(end)):
            return True
        if ends and self._ends_at(end):
            return True
        return self._dense and end - start > 1 and self.over(start, end) is not None

    def begins(self, place: int) -> bool:
        """Whether a word begins here."""
        number = bisect_left(self._starts, place)
        return number < len(self._starts) and self._starts[number] == place

    def _ends_at(self, place: int) -> bool:
        number = bisect_left(self._ends, place)
        return number < len(self._ends) and self._ends[number] == place

    def over(self, start: int, end: int) -> Span | None:
        """The word that holds these characters; nothing where they are torn apart or cut into several."""
        number = bisect_right(self._starts, start) - 1
        if number < 0 or end > self._ends[number]:
            return None
        return self._starts[number], self._ends[number]
