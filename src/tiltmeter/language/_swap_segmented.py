"""Gendered words of a text without spaces: the longest that the segmented words allow."""

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator

from tiltmeter.language._swap_words import counterparts
from tiltmeter.language.tagging import mecab_tagger, rjieba
from tiltmeter.packs import GenderPair, WordPair

Found = Iterator[tuple[int, int, str]]
Span = tuple[int, int]


def chinese_finder(pairs: tuple[GenderPair, ...], swaps: tuple[WordPair, ...]) -> Callable[[str], Found]:
    """A word is seen where it begins and ends with words of the segmented text, or lies inside one: 先生 in 王先生.

    Of one character, pronouns are seen inside any word (jieba joins 他弹), the other pairs in use at the beginning of
    one (女教师, 男足), and words of the swaps only by themselves. Words that stay keep what is in them: 吉他, 子女.
    """
    anywhere = {word for pair in pairs if pair.kind == "pronoun" for word in (pair.male, pair.female)}
    first = {word for pair in pairs for word in (pair.male, pair.female) if len(word) == 1}

    def allowed(word: str, span: Span, around: Span) -> bool:
        return len(word) > 1 or word in anywhere or (word in first and span[0] == around[0])

    cut = rjieba().cut

    def words(line: str) -> list[int]:
        places, place = [0], 0
        for word in cut(line):
            place += len(word)
            places.append(place)
        return places

    return _finder(counterparts((*pairs, *swaps)), words, allowed)


def japanese_finder(pairs: tuple[GenderPair, ...], swaps: tuple[WordPair, ...]) -> Callable[[str], Found]:
    """A word is seen where it begins and ends with words of the segmented text, never inside one: 彼 is not in 彼女.

    A person's name of one character (雄) stays.
    """
    parse = mecab_tagger()

    def words(line: str) -> list[int]:
        places, place = [0], 0
        for word in parse(line):
            start = line.index(word.surface, place)
            place = start + len(word.surface)
            if len(word.surface) > 1 or word.feature.pos3 != "人名":
                places += [start, place]
        return sorted(set(places))

    return _finder(counterparts((*pairs, *swaps)), words, _never)


def _never(_word: str, _span: Span, _around: Span) -> bool:
    return False


def _finder(
    becomes: dict[str, str],
    words: Callable[[str], list[int]],
    inside: Callable[[str, Span, Span], bool],
) -> Callable[[str], Found]:
    """`words` gives the places where words begin and end, `inside` whether a word may be seen inside another."""
    by_first: dict[str, list[str]] = defaultdict(list)
    for word in sorted(becomes, key=len, reverse=True):
        by_first[word[0]].append(word)
    candidate = re.compile("|".join(map(re.escape, sorted(becomes, key=len, reverse=True))))
    begins = re.compile(f"[{''.join(map(re.escape, by_first))}]")

    def find(text: str) -> Found:
        offset = 0
        for line in text.splitlines(keepends=True):
            if candidate.search(line):
                for start, end, after in in_line(line):
                    yield offset + start, offset + end, after
            offset += len(line)

    def in_line(line: str) -> Found:
        places = words(line)
        edges = frozenset(places)
        done = 0
        for match in begins.finditer(line):
            start = match.start()
            if start < done:
                continue
            for word in by_first[match[0]]:
                end = start + len(word)
                if not line.startswith(word, start) or not (
                    (start in edges and end in edges) or _lies_inside(word, (start, end), places, inside)
                ):
                    continue
                done = end
                yield start, end, becomes[word]
                break

    return find


def _lies_inside(word: str, span: Span, places: list[int], inside: Callable[[str, Span, Span], bool]) -> bool:
    after = bisect_right(places, span[0])
    return after < len(places) and span[1] <= places[after] and inside(word, span, (places[after - 1], places[after]))
