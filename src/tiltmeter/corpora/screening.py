"""Sentences with exactly one gender keyword in which nothing else tells the gender (Zhao et al. 2021, section 3).

A scan for all keywords at once decides first, over whole texts; only the sentences around its finds are cut out, and
only those with a single keyword are segmented and tagged. Each of them ends with the reason why it is left out, or with
none.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, groupby

import numpy as np

from tiltmeter.corpora.names import Tagged, name_finder
from tiltmeter.corpora.rules import Rules
from tiltmeter.corpora.sentences import Sentences
from tiltmeter.corpora.terms import Terms, Words, matcher
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import KeywordForm, keyword_forms, tagged_words
from tiltmeter.language.agreement import agreement_check
from tiltmeter.language.capitals import written_like
from tiltmeter.packs import Pack

_Find = tuple[int, int, int]
"""The number of a pattern, and where it starts and ends."""
_ENDLESS = 10_000
_NAMED = 20
"""Keywords that are named of a sentence with more than one."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A sentence with a keyword, and why it is left out."""

    sentence: str
    start: int
    end: int
    keyword: str
    opposite: str
    gender: str
    pair: str
    reason: str = ""
    """The rule that it breaks; nothing where it stays."""
    detail: str = ""
    """The word that broke it."""
    mark: str = ""
    """`metaphor` where the keyword may be a figure of speech: such sentences stay."""


@dataclass(slots=True)
class Tally:
    """What was seen on the way, whether it was kept or not."""

    sentences: int = 0
    occurrences: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often each side of a pair stood in a sentence: (pair, gender)."""
    after_surname: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often right behind a surname, among sentences with one keyword."""
    single: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Sentences with that one keyword."""

    def add(self, other: "Tally") -> None:
        self.sentences += other.sentences
        for name in ("occurrences", "after_surname", "single"):
            getattr(self, name).update(getattr(other, name))


@dataclass(frozen=True, slots=True)
class _Hit:
    form: KeywordForm
    start: int
    end: int
    torn: bool = False
    """Whether another word may take a part of it (子女 of 孩子女儿): segmentation tells."""


class Screener:
    """Judges the sentences of running text."""

    def __init__(self, pack: Pack, rules: Rules | None = None) -> None:
        screening = pack.screening
        if screening is None:
            raise TiltmeterError(
                f"the pack {pack.lang!r} has no screening.toml, which says what makes a sentence neutral"
            )
        self.rules = rules or Rules()
        self.tally = Tally()
        self._dense = not pack.spaced
        self._lang = pack.lang
        self._screening = screening
        self._sentences = Sentences(pack, screening)
        self._forms = keyword_forms(pack)
        if not self._forms:
            raise TiltmeterError(f"the pack {pack.lang!r} has no gender pairs in use")
        self._other = dict.fromkeys(screening.generic, "generic") | dict.fromkeys(screening.other_words, "inside-word")
        if self._dense:
            # 孙女 tells a gender as 他 does, and is no 女.
            texts = [form.text for form in self._forms]
            holding = (word for word in screening.gendered if word not in texts and any(text in word for text in texts))
            self._other = dict.fromkeys(holding, "inside-word") | self._other
        texts = [form.text for form in self._forms]
        self._patterns = [*texts, *self._other] if self._dense else [_lower(text) for text in texts]
        self._scan = matcher(self._patterns)
        self._fitting = frozenset(screening.fitting_words)
        self._other_sense = frozenset(screening.other_sense)
        lists = {
            "generic": () if self._dense else screening.generic,
            "inside-word": () if self._dense else screening.other_words,
            "sense": screening.other_sense,
            "gendered-term": screening.gendered,
            "biological": screening.biological,
            "speaker-gender": screening.speaker,
            "allocutive": screening.allocutive,
            "metaphor": screening.metaphor,
            "generic-beside": screening.generic_beside if "generic" in self.rules else (),
        }
        self._terms = Terms(
            {rule: terms for rule, terms in lists.items() if rule in self.rules}, screening.harmless_words
        )
        self._pronouns = {f"{pair.male}/{pair.female}" for pair in pack.gender_pairs if pair.kind == "pronoun"}
        self._tag = tagged_words(pack.segmenter)
        self._name = name_finder(pack, screening) if "name" in self.rules else None
        engine = screening.agreement if "agreement-leak" in self.rules else ""
        self._agreement = agreement_check(engine) if engine else None
        self._surnames = frozenset(screening.surnames)
        self._has_word = _dictionary(pack.segmenter)

    def screen(self, text: str) -> Iterator[Judged]:
        """Every sentence of a text that holds a keyword, judged."""
        text = self._sentences.clean(text)
        bounds = self._sentences.bounds(text)
        self.tally.sentences += len(bounds) - text.count("\n")
        lowered = text if self._dense else _lower(text)
        finds = self._scan(lowered)
        if not finds:
            return
        places = np.searchsorted(bounds, np.fromiter((start for _, start, _ in finds), np.int64, len(finds)), "right")
        firsts = np.concatenate([[0], bounds])
        for number, group in groupby(zip(places.tolist(), finds, strict=True), key=lambda item: item[0]):
            first, last = int(firsts[number]), int(firsts[number + 1])
            yield from self._judge(text[first:last], [(p, s - first, e - first) for _, (p, s, e) in group])

    def _judge(self, raw: str, finds: list[_Find]) -> Iterator[Judged]:
        sentence = raw.strip()
        shift = len(raw) - len(raw.lstrip())
        hits, covered = self._hits(sentence, [(p, s - shift, e - shift) for p, s, e in finds])
        if not hits and not covered:
            return
        if "unfinished" in self.rules and not self._sentences.is_whole(sentence):
            yield self._left_out(sentence, hits, "unfinished", "")
            return
        words: Sequence[Tagged] | None = None
        # Nothing of that length is kept, however many keywords it holds.
        if len(sentence) < _ENDLESS and any(hit.torn for hit in hits):
            words = self._tag(sentence)
            places = self._places(words, sentence)
            hits = [hit for hit in hits if not hit.torn or places.over(hit.start, hit.end)]
        for hit in hits:
            self.tally.occurrences[hit.form.pair, hit.form.gender] += 1
        if not hits:
            rule, word = covered[0] if covered else ("inside-word", "")
            if rule in self.rules:
                yield self._left_out(sentence, [], rule, word)
            return
        if len(hits) > 1:
            yield self._left_out(sentence, hits, "keywords", " ".join(hit.form.text for hit in hits[:_NAMED]))
            return
        yield self._single(sentence, hits[0], words)

    def _hits(self, sentence: str, finds: list[_Find]) -> tuple[list[_Hit], list[tuple[str, str]]]:
        """The keywords of a sentence, longest first, and the other words that took a keyword's characters."""
        hits: list[_Hit] = []
        covered: list[tuple[str, str]] = []
        for group in _overlapping(finds):
            some, taken = self._hits_of(sentence, group)
            hits += some
            covered += taken
        return hits, covered

    def _hits_of(self, sentence: str, finds: list[_Find]) -> tuple[list[_Hit], list[tuple[str, str]]]:
        count = len(self._forms)
        keywords = [(p, s, e) for p, s, e in finds if p < count and (self._dense or self._is_word(sentence, p, s, e))]
        longest = [
            (p, s, e) for p, s, e in keywords if not any(a <= s and e <= b and (a, b) != (s, e) for _, a, b in keywords)
        ]
        others = [(self._patterns[p], s, e) for p, s, e in finds if p >= count]
        hits, covered = [], []
        for p, s, e in longest:
            over = next((word for word, a, b in others if a <= s and e <= b), None)
            if over is not None and self._whole(over, s, e, others, longest):
                covered.append((self._other[over], over))
            else:
                torn = any(a < e and s < b for _, a, b in others)
                hits.append(_Hit(self._forms[p], s, e, torn))
        return hits, covered

    def _is_word(self, sentence: str, pattern: int, start: int, end: int) -> bool:
        """Whether it stands between words, and with a capital where it is always written with one (Junge, junge)."""
        capital = sentence[start].isupper() or not self._forms[pattern].text[:1].isupper()
        return capital and _between_words(sentence, start, end)

    def _whole(
        self, word: str, start: int, end: int, others: list[tuple[str, int, int]], keywords: list[tuple[int, int, int]]
    ) -> bool:
        """Whether no keyword reaches over the border of the word that holds this one."""
        spans = [(a, b) for other, a, b in others if other == word and a <= start and end <= b]
        return all(
            not (a < k_end and k_start < b and not (a <= k_start and k_end <= b))
            for a, b in spans
            for _, k_start, k_end in keywords
        )

    def _left_out(self, sentence: str, hits: list[_Hit], reason: str, detail: str) -> Judged:
        if not hits:
            return Judged(sentence, 0, 0, "", "", "", "", reason, detail)
        hit = hits[0]
        written = sentence[hit.start : hit.end]
        other = written_like(written, hit.form.opposite, self._lang)
        return Judged(sentence, hit.start, hit.end, written, other, hit.form.gender, hit.form.pair, reason, detail)

    def _single(self, sentence: str, hit: _Hit, words: Sequence[Tagged] | None) -> Judged:
        """A sentence with one keyword, judged by the rules in their order."""
        balanced = self._sentences.balanced(sentence)
        if balanced != sentence:
            hit = _moved(hit, sentence, balanced)
            sentence, words = balanced, None
        self.tally.single[hit.form.pair, hit.form.gender] += 1
        screening = self._screening
        if "length" in self.rules and not screening.shortest <= len(sentence) <= screening.longest:
            return self._left_out(sentence, [hit], "length", str(len(sentence)))
        tagged = words if words is not None else self._tag(sentence)
        places = self._places(tagged, sentence)
        if self._dense:
            reason, detail = self._own_word(sentence, hit, places)
            if reason in self.rules and reason:
                return self._left_out(sentence, [hit], reason, detail)
        if self._surnames and sentence[hit.start - 1 : hit.start] in self._surnames:
            self._count_surname(hit, tagged)
        found = self._terms.first(sentence if self._dense else _lower(sentence), places, (hit.start, hit.end))
        if "generic-beside" in found and hit.form.pair in self._pronouns:
            return self._left_out(sentence, [hit], "generic", found["generic-beside"])
        for rule in ("generic", "inside-word", "sense"):
            if rule in found:
                return self._left_out(sentence, [hit], rule, found[rule])
        if self._name and (name := self._name(sentence, tagged)):
            return self._left_out(sentence, [hit], "name", name)
        for rule in ("gendered-term", "biological"):
            if rule in found:
                return self._left_out(sentence, [hit], rule, found[rule])
        judged = self._left_out(sentence, [hit], "", "")
        if self._agreement:
            agreed = self._agreement(sentence, (hit.start, hit.end), hit.form.gender, judged.opposite)
            if agreed.leak:
                return self._left_out(sentence, [hit], "agreement-leak", agreed.leak)
            start, end = agreed.span
            judged = Judged(sentence, start, end, sentence[start:end], agreed.opposite, judged.gender, judged.pair)
        for rule in ("speaker-gender", "allocutive"):
            if rule in found:
                return self._left_out(sentence, [hit], rule, found[rule])
        if "metaphor" in found:
            return Judged(
                judged.sentence,
                judged.start,
                judged.end,
                judged.keyword,
                judged.opposite,
                judged.gender,
                judged.pair,
                mark="metaphor",
            )
        return judged

    def _places(self, tagged: Iterable[Tagged], sentence: str) -> Words:
        """Where the words stand; a segmenter may drop the spaces between them."""
        places, at = [], 0
        for word, _ in tagged:
            at = sentence.index(word, at)
            places.append((word, at))
            at += len(word)
        return Words(places, dense=self._dense)

    def _own_word(self, sentence: str, hit: _Hit, places: Words) -> tuple[str, str]:
        """Whether the keyword is a word of its own, or a part of one that is a word with its opposite, too."""
        whole = places.over(hit.start, hit.end)
        if whole is None:
            # Cut into words that fill it exactly (男|孩), or torn apart (母|亲历).
            return ("", "") if places.holds(hit.start, hit.end) else ("inside-word", sentence[hit.start : hit.end])
        first, last = whole
        word = sentence[first:last]
        if (first, last) == (hit.start, hit.end):
            left, right = sentence[hit.start - 1 : hit.start + 1], sentence[hit.end - 1 : hit.end + 1]
            # 牛奶|奶源 as well as 牛|奶奶|源.
            torn = len(word) > 1 and len(left) == 2 and self._has_word(left) and self._has_word(right)
            return ("inside-word", left + right) if torn else ("", "")
        if word in self._fitting:
            return "", ""
        if word in self._other_sense:
            return "sense", word
        if word in self._other:
            return self._other[word], word
        swapped = sentence[first : hit.start] + hit.form.opposite + sentence[hit.end : last]
        # A word of kin or of persons with something before it is that person still (老奶奶, 准妈妈).
        if self._has_word(swapped) or (hit.end - hit.start > 1 and last == hit.end) or not self._has_word(word):
            return "", ""
        # 女司机 stands in the dictionary and 男司机 does not.
        if first == hit.start and last - hit.end > 1 and self._has_word(sentence[hit.end : last]):
            return "", ""
        return "inside-word", word

    def _count_surname(self, hit: _Hit, tagged: Sequence[Tagged]) -> None:
        starts = [0, *accumulate(len(word) for word, _ in tagged)]
        if hit.start - 1 in starts:
            self.tally.after_surname[hit.form.pair, hit.form.gender] += 1


def _overlapping(finds: list[_Find]) -> Iterator[list[_Find]]:
    """The finds in groups that share no character, each in the order given: only within one do they concern each other,
    and a text without any end may hold a hundred thousand."""
    group: list[int] = []
    reach = 0
    for number in sorted(range(len(finds)), key=lambda number: finds[number][1]):
        if group and finds[number][1] >= reach:
            yield [finds[place] for place in sorted(group)]
            group = []
        group.append(number)
        reach = max(reach, finds[number][2])
    if group:
        yield [finds[place] for place in sorted(group)]


def _dictionary(segmenter: str):  # type: ignore[no-untyped-def]
    if segmenter != "rjieba":
        return lambda _: False
    import rjieba

    return rjieba.has_word


def _moved(hit: _Hit, before: str, after: str) -> _Hit:
    """The hit in a sentence that lost quotation marks."""
    at = hit.start
    shift = 0
    for place in range(at):
        if place - shift >= len(after) or before[place] != after[place - shift]:
            shift += 1
    return _Hit(hit.form, at - shift, hit.end - shift, hit.torn)


def _between_words(text: str, start: int, end: int) -> bool:
    """Whether no letter or figure stands right before or behind; a hyphen makes a longer word, too."""
    return not re.search(r"[\w]-?$", text[max(0, start - 2) : start]) and not re.match(r"\w|-\w", text[end : end + 2])


def _lower(text: str) -> str:
    """In small letters, place by place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if len(letter.lower()) == 1 else letter for letter in text)
