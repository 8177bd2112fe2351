"""Words of a pack's lists found in a sentence, many at once."""

from collections.abc import Callable, Iterable, Mapping

from tiltmeter.errors import MissingExtra

Span = tuple[int, int]
Matcher = Callable[[str], list[tuple[int, int, int]]]


def matcher(patterns: Iterable[str]) -> Matcher:
    """All places of all patterns in a text, overlapping ones too: number of the pattern, start, end."""
    try:
        from ahocorasick_rs import AhoCorasick
    except ImportError as error:
        raise MissingExtra("ahocorasick-rs", "corpus") from error
    listed = list(patterns)
    if not listed:
        return lambda _: []
    automaton = AhoCorasick(listed)
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

    def __init__(self, words: Iterable[tuple[str, int]], *, dense: bool) -> None:
        self._dense = dense
        listed = [(start, start + len(word)) for word, start in words]
        self._starts = dict(listed)
        self._ends = {end: start for start, end in listed}

    def holds(self, start: int, end: int, begins: bool = False, ends: bool = False) -> bool:
        """Whether these characters are whole words, or the beginning or the end of one where that is enough.

        Where words have no spaces between them a segmenter may join what belongs together (兄弟俩), so that two
        characters or more may lie inside a word; but not across the border of two (已经|期待 holds no 经期).
        """
        if start in self._starts:
            return end in self._ends or begins or (end - start > 1 and self._dense and end <= self._starts[start])
        if ends and end in self._ends:
            return True
        if not self._dense or end - start < 2:
            return False
        return any(first <= start and end <= last for first, last in self._starts.items())

    def over(self, start: int, end: int) -> Span | None:
        """The word that holds these characters; nothing where they are torn apart or cut into several."""
        return next(((first, last) for first, last in self._starts.items() if first <= start and end <= last), None)
