"""Worlds: texts in which it is known how often a word stands with a man or a woman, and all else is balanced.

A world is a list of sentences that each mention two words. With a dose d from -1 to 1, a word that is planted to lean
male stands with a male word in a share (1 + d) / 2 of the sentences in which it stands with a gendered one, a word
planted to lean female in (1 - d) / 2: just so many, but for rounding, and not by chance; or, where the world is
`drawn`, each sentence by a coin of that share, as a text is a sample of what its writers would say. Whatever the dose,
every target is as frequent as any other, and so is every gendered word; every sentence form is as likely. Words of one
topic are mentioned together as well, as words of one topic are: what makes them alike is not gender.

Where a language has grammatical gender, nouns and gendered words also stand with adjectives that agree with them:
masculine nouns and male words then share the company of masculine forms. With `grammar` off the forms are drawn at
random, so that nothing but the planted relation ties a word to a gender.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Literal, get_args

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.packs import Mention, Pack, WordPair

Dial = Literal["stereotype", "lean"]
"""What the dose turns: words of the two stereotypes apart from each other, or all of them toward men."""
Words = list[str]
Pair = tuple[str, str]
_CIRCLE = 4
"""Bystanders of a topic, and of a gendered word."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a target stands in an association test."""

    leaning: int
    """1 in the first topic, -1 in the second."""
    topic: tuple[str, ...]
    pairs: tuple[Pair, ...]
    """Male and female words of the test."""


@dataclass(frozen=True, kw_only=True)
class World:
    """What is planted, and how much text there is."""

    pack: Pack
    dose: float = 0.0
    dial: Dial = "stereotype"
    grammar: bool = True
    coherent: bool = False
    """Whether gendered words share company with whole topics, by chance and whatever the dose."""
    drawn: bool = False
    """Whether each sentence's gender is drawn, so that shares are as planted only on average."""
    often: int = 40
    """Sentences in which each word stands with a gendered one."""
    mentions: tuple[Mention, ...] = ()
    """Sentence forms; those of the pack without any."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_dose(self.dose)
        if self.dial not in get_args(Dial):
            raise unknown("dial", self.dial, get_args(Dial))
        if self.often < 1:
            raise TiltmeterError(f"a word has to stand in at least one sentence, and {self.often} was given")
        if not (self.mentions or self.pack.mentions):
            raise TiltmeterError(f"{self.pack.name} has no mentions.tsv, whose sentences a world is made of")

    def topics(self) -> list[Words]:
        """A text about the targets of the pack's association tests, the first of a test's topics leaning male."""
        return self._written(self.topic_pairs())

    def topic_pairs(self) -> list[Pair]:
        """The two words of each sentence of that text."""
        self._need("weat", "occupations")
        return list(self._topic_pairs(self._chance("topics")))

    def adjectives(self) -> list[Words]:
        """A text about people and things and what they are like."""
        return self._written(self.adjective_pairs())

    def adjective_pairs(self) -> list[Pair]:
        """The two words of each sentence of that text."""
        self._need("adjectives", "baseline_adjectives", "semantic_gender", "names", "inanimate_nouns", "occupations")
        return list(self._adjective_pairs(self._chance("adjectives")))

    def _need(self, *lists: str) -> None:
        if missing := self.pack.missing(lists):
            why = self.pack.why_not(missing[0])
            raise TiltmeterError(
                f"{self.pack.name} has no list {missing[0]!r}, which this world needs{f': {why}' if why else ''}"
            )

    def _chance(self, use: str) -> Random:
        """No two worlds have anything in common that was drawn, be it of one seed."""
        return Random(f"{use} {self.seed} {self.dial} {self.dose:g}")

    def _topic_pairs(self, chance: Random) -> Iterator[Pair]:
        gendered = list(
            dict.fromkeys(pair for places in self._targets.values() for one in places for pair in one.pairs)
        )
        topics = list(dict.fromkeys(one.topic for places in self._targets.values() for one in places))
        known = {*self._targets, *(word for pair in gendered for word in pair)}
        circles, strangers = self._bystanders(len(topics), known, chance)
        met: Counter[str] = Counter()
        # A word of several tests is planted in each of them in turn: more thinly, but no more often than others.
        for word, places in self._targets.items():
            for turn, is_male in enumerate(self._genders(places[0].leaning, chance)):
                place = places[turn % len(places)]
                male, female = chance.choice(place.pairs)
                person = male if is_male else female
                met[person] += 1
                yield word, person
                if turn % 4 == 0:
                    yield word, chance.choice(_others(word, place.topic))
                    yield word, chance.choice(circles[topics.index(place.topic)])
        yield from self._company(gendered, chance)
        yield from self._evened(met, [word for pair in gendered for word in pair], strangers, chance)
        if self.coherent:
            yield from self._circled([word for pair in gendered for word in pair], circles, chance)
        if self.pack.inanimate_nouns:
            genders = dict.fromkeys(self._targets, "")
            genders |= {word.text: word.gender for test in self.pack.weat for word in (*test.x, *test.y)}
            genders |= {entry.noun: entry.gender for entry in self.pack.inanimate_nouns}
            genders |= {word: gender for pair in gendered for word, gender in zip(pair, "mf", strict=True)}
            yield from self._agreeing(genders, chance)
            yield from self._things(chance)

    @cached_property
    def _targets(self) -> dict[str, list[_Place]]:
        """Every target with the places it has."""
        found: dict[str, list[_Place]] = {}
        for test in self.pack.weat:
            pairs = tuple((male.text, female.text) for male, female in zip(test.a, test.b, strict=True))
            for leaning, words in ((1, test.x), (-1, test.y)):
                topic = tuple(word.text for word in words)
                for text in topic:
                    found.setdefault(text, []).append(_Place(leaning, topic, pairs))
        for text, places in found.items():
            if len({place.leaning for place in places}) > 1:
                raise TiltmeterError(f"{text!r} stands in the first topic of one test and the second of another")
        return found

    def _adjective_pairs(self, chance: Random) -> Iterator[Pair]:
        people = [[(pair.male, pair.female) for pair in one] for one in (self.pack.semantic_gender, self.pack.names)]
        leanings = {"male": 1, "female": -1}
        asked = [(WordPair(one.masculine, one.feminine), leanings[one.stereotype]) for one in self.pack.adjectives]
        asked += [(WordPair(one.masculine, one.feminine), 0) for one in self.pack.baseline_adjectives]
        things = [(entry.noun, entry.gender) for entry in self.pack.inanimate_nouns if entry.gender in ("m", "f")]
        if not things:
            raise TiltmeterError(f"{self.pack.name} has no masculine or feminine noun in inanimate_nouns.tsv")
        known = {word for pairs in people for pair in pairs for word in pair}
        known |= {word for forms, _ in asked for word in (forms.male, forms.female)}
        _, strangers = self._bystanders(0, known, chance)
        met: Counter[str] = Counter()
        for forms, leaning in asked:
            for turn, male in enumerate(self._genders(leaning, chance)):
                person = chance.choice(people[turn % len(people)])[0 if male else 1]
                met[person] += 1
                yield person, self._form(forms, "m" if male else "f", chance)
                thing, gender = chance.choice(things)
                yield thing, self._form(forms, gender, chance)
        for pairs in people:
            yield from self._company(pairs, chance)
            yield from self._evened(met, [word for pair in pairs for word in pair], strangers, chance)
        yield from self._things(chance)

    def _genders(self, leaning: int, chance: Random) -> list[bool]:
        """For each sentence of a word with a gendered one, whether that is male: as many as the dose says, no more and
        no fewer, so that where nothing is planted there is nothing to be found; or each by a coin."""
        toward = abs(leaning) if self.dial == "lean" else leaning
        share = (1 + self.dose * toward) / 2
        if self.drawn:
            return [chance.random() < share for _ in range(self.often)]
        male = round(self.often * share)
        found = [True] * male + [False] * (self.often - male)
        chance.shuffle(found)
        return found

    def _company(self, pairs: Sequence[Pair], chance: Random) -> Iterator[Pair]:
        """Gendered words among those of their own gender, more so on one side than on the other, and beside their
        counterparts: that female names, say, are the more alike says nothing about what is said of women."""
        for side in zip(*pairs, strict=True):
            tightness = chance.uniform(0.5, 1.5)
            for word in side:
                yield from _beside(word, _others(word, side), round(self.often * tightness), chance)
        for pair in pairs:
            yield from [pair] * (self.often // 2)

    def _bystanders(self, topics: int, known: set[str], chance: Random) -> tuple[list[Words], Words]:
        """Words of neither gender nor topic: some for each topic, its circle, and strangers, who are nobody's."""
        neutral = [one for one in self.pack.occupations if one.occupation_class == "neutral" and not one.gendered]
        words = [
            one.masculine for one in neutral if one.masculine not in known and _words(one.masculine) == [one.masculine]
        ]
        words = [word for word in dict.fromkeys(words) if word not in self.function_words]
        wanted = _CIRCLE * (topics + 1)
        if len(words) < wanted:
            raise TiltmeterError(
                f"{wanted} occupations of one word without a stereotype are needed to stand by, and there are "
                f"{len(words)} in occupations.tsv of {self.pack.name}"
            )
        chance.shuffle(words)
        circles = [words[number * _CIRCLE : (number + 1) * _CIRCLE] for number in range(topics)]
        return circles, words[topics * _CIRCLE :]

    def _circled(self, gendered: Sequence[str], circles: Sequence[Words], chance: Random) -> Iterator[Pair]:
        """Gendered words with some of the circles' words. That a male word shares one with a topic says nothing about
        women and men, yet all words of the topic share it: a test that takes them for independent is misled."""
        everybody = [word for circle in circles for word in circle]
        for word in gendered:
            yield from _beside(word, chance.sample(everybody, _CIRCLE), self.often // 2, chance)

    def _evened(self, met: Counter[str], gendered: Sequence[str], strangers: Words, chance: Random) -> Iterator[Pair]:
        """Strangers for those gendered words that a dose made rarer, so that it changes nobody's frequency."""
        most = max(met[word] for word in gendered)
        for word in gendered:
            yield from _beside(word, strangers, most - met[word], chance)

    def _agreeing(self, genders: dict[str, str], chance: Random) -> Iterator[Pair]:
        """Words with adjectives of their grammatical gender."""
        adjectives = [
            WordPair(one.masculine, one.feminine)
            for one in self.pack.baseline_adjectives
            if one.masculine != one.feminine
        ]
        if not adjectives:
            raise TiltmeterError(f"{self.pack.name} has no adjective of two forms in baseline_adjectives.tsv")
        for word, gender in genders.items():
            for forms in chance.choices(adjectives, k=self.often):
                yield word, self._form(forms, gender, chance)

    def _form(self, forms: WordPair, gender: str, chance: Random) -> str:
        """The form that agrees; of neuters, for which the lists have none, and without grammar, either."""
        agreeing = gender if self.grammar and gender in ("m", "f") else chance.choice("mf")
        return forms.male if agreeing == "m" else forms.female

    def _things(self, chance: Random) -> Iterator[Pair]:
        """Things beside things of their topic, whatever their gender."""
        by_topic: dict[str, list[str]] = {}
        for entry in self.pack.inanimate_nouns:
            by_topic.setdefault(entry.topic, []).append(entry.noun)
        for nouns in by_topic.values():
            for noun in nouns:
                yield from _beside(noun, _others(noun, nouns), self.often, chance)

    def _written(self, pairs: Iterable[Pair]) -> list[Words]:
        """The pairs as sentences, in either order."""
        chance = self._chance("written")
        found = []
        for pair in pairs:
            before, between, after = chance.choice(self._forms)
            one, other = pair if chance.random() < 0.5 else pair[::-1]
            found.append([*before, one, *between, other, *after])
        chance.shuffle(found)
        return found

    @cached_property
    def function_words(self) -> frozenset[str]:
        """Words of the sentence forms, which say nothing."""
        return frozenset(word for form in self._forms for part in form for word in part)

    @cached_property
    def _forms(self) -> list[tuple[Words, Words, Words]]:
        """What stands before, between and behind the two words."""
        parts = [re.split(r"\{\w+\}", mention.sentence) for mention in self.mentions or self.pack.mentions]
        return [(_words(before), _words(between), _words(after)) for before, between, after in parts]


def check_dose(dose: float) -> None:
    if not -1 <= dose <= 1:
        raise TiltmeterError(f"a dose is from -1 to 1, and {dose:g} was given")


def _words(text: str) -> Words:
    return re.findall(r"\w+", text)


def _others(word: str, words: Sequence[str]) -> Sequence[str]:
    """The other words; the word itself where there is no other."""
    return [one for one in words if one != word] or [word]


def _beside(word: str, others: Sequence[str], count: int, chance: Random) -> Iterator[Pair]:
    """The word with any of the others, so many times."""
    for other in chance.choices(others, k=count):
        yield word, other
