"""What is planted, counted from the sentences themselves."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binomtest

from tiltmeter.calibration.worlds import World
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack, shipped_languages

GENDERED = ("de", "es", "ru")


def male_share(world: World) -> dict[int, tuple[int, int]]:
    """Of the first topics (1) and the second (-1): in how many sentences a target stands with a male word of its test,
    and in how many with any gendered one."""
    pack = world.pack
    leaning = {word.text: way for test in pack.weat for way, words in ((1, test.x), (-1, test.y)) for word in words}
    male = {word.text for test in pack.weat for word in test.a}
    female = {word.text for test in pack.weat for word in test.b}
    found = {1: [0, 0], -1: [0, 0]}
    for sentence in world.topics():
        targets = [word for word in sentence if word in leaning]
        people = [word for word in sentence if word in male | female]
        if len(targets) == len(people) == 1:
            counts = found[leaning[targets[0]]]
            counts[0] += people[0] in male
            counts[1] += 1
    return {way: (counts[0], counts[1]) for way, counts in found.items()}


class TestTopics:
    @pytest.mark.parametrize("lang", shipped_languages())
    def test_stand_with_men_and_women_as_often_as_is_planted(self, lang: str) -> None:
        found = male_share(World(pack=load_pack(lang), dose=0.5, seed=4))
        for way, (male, both) in found.items():
            assert male == both * (1 + 0.5 * way) / 2

    def test_stand_with_one_gender_alone_at_the_ends(self) -> None:
        pack = load_pack("en")
        for dose in (-1.0, 1.0):
            for way, (male, both) in male_share(World(pack=pack, dose=dose)).items():
                assert male == (both if way * dose > 0 else 0)

    @pytest.mark.parametrize("dose", [0.0, 0.5])
    def test_stand_so_on_average_where_sentences_are_drawn(self, dose: float) -> None:
        found = male_share(World(pack=load_pack("en"), dose=dose, drawn=True))
        assert any(male != both * (1 + dose * way) / 2 for way, (male, both) in found.items())
        for way, (male, both) in found.items():
            assert binomtest(male, both, (1 + dose * way) / 2).pvalue > 0.001

    def test_have_two_words_a_sentence_that_say_something(self) -> None:
        """So that they can be counted without being written."""
        world = World(pack=load_pack("es"), seed=3)
        told = [frozenset(word for word in sentence if word not in world.function_words) for sentence in world.topics()]
        assert Counter(told) == Counter(map(frozenset, world.topic_pairs()))

    def test_stand_alike_where_nothing_is_planted(self) -> None:
        for male, both in male_share(World(pack=load_pack("ja"), dose=0.0)).values():
            assert male == both / 2

    @pytest.mark.parametrize("dose", [0.0, 1.0])
    @pytest.mark.parametrize("lang", shipped_languages())
    def test_are_all_as_frequent_as_each_other_and_so_are_men_and_women(self, lang: str, dose: float) -> None:
        """But for what makes one of them the partner of another, and for how close the words of a gender are."""
        pack = load_pack(lang)
        counts = Counter(word for sentence in World(pack=pack, dose=dose, often=60).topics() for word in sentence)
        for test in pack.weat:
            x, y = (np.mean([counts[word.text] for word in words]) for words in (test.x, test.y))
            assert x == pytest.approx(y, rel=0.05)
        gendered = [
            [len([1 for word in sentence if word in side]) for sentence in World(pack=pack, dose=dose).topics()]
            for side in ({w.text for t in pack.weat for w in t.a}, {w.text for t in pack.weat for w in t.b})
        ]
        with_others = [sum(count == 1 for count in side) for side in gendered]
        assert with_others[0] == pytest.approx(with_others[1], rel=0.02)

    def test_of_a_seed_are_the_same_and_of_another_are_not(self) -> None:
        pack = load_pack("zh")
        assert World(pack=pack, seed=1).topics() == World(pack=pack, seed=1).topics()
        assert World(pack=pack, seed=1).topics() != World(pack=pack, seed=2).topics()

    def test_of_one_seed_and_two_doses_share_nothing_that_was_drawn(self) -> None:
        """Else chance would be the same at every dose, and no correlation with the dose would show it."""
        pack = load_pack("en")
        one, other = (Counter(map(tuple, World(pack=pack, dose=dose).topics())) for dose in (0.0, 0.001))
        assert (one & other).total() < 0.6 * one.total()


def test_coherent_topics_share_company_with_gendered_words_by_chance() -> None:
    pack = load_pack("en")
    people = {word.text for test in pack.weat for word in (*test.a, *test.b)}
    targets = {word.text for test in pack.weat for word in (*test.x, *test.y)}

    def company(world: World, words: set[str]) -> set[str]:
        neutral = {one.masculine for one in pack.occupations if one.occupation_class == "neutral"}
        return {word for sentence in world.topics() if words & set(sentence) for word in sentence if word in neutral}

    plain, coherent = (World(pack=pack, coherent=coherent) for coherent in (False, True))
    assert not company(plain, people) & company(plain, targets)
    assert company(coherent, people) >= company(coherent, targets)
    assert not any(one.gendered for one in pack.occupations if one.masculine in company(coherent, targets))


class TestAdjectives:
    @pytest.fixture(params=GENDERED)
    def world(self, request: pytest.FixtureRequest) -> World:
        return World(pack=load_pack(request.param), dose=0.6, often=60)

    def forms(self, world: World) -> Counter[tuple[str, str, str]]:
        """How often a person of a gender stands with which form of adjectives of which stereotype."""
        pack = world.pack
        people = {pair.male: "male" for pair in (*pack.semantic_gender, *pack.names)}
        people |= {pair.female: "female" for pair in (*pack.semantic_gender, *pack.names)}
        marked = [one for one in pack.adjectives if one.masculine != one.feminine]
        known = {one.masculine: (one.stereotype, "m") for one in marked}
        known |= {one.feminine: (one.stereotype, "f") for one in marked}
        found: Counter[tuple[str, str, str]] = Counter()
        for sentence in world.adjectives():
            persons = [people[word] for word in sentence if word in people]
            adjectives = [known[word] for word in sentence if word in known]
            if len(persons) == len(adjectives) == 1:
                found[adjectives[0][0], persons[0], adjectives[0][1]] += 1
        return found

    def test_lean_as_is_planted_and_agree(self, world: World) -> None:
        found = self.forms(world)
        assert {(gender, form) for _, gender, form in found} == {("male", "m"), ("female", "f")}
        for stereotype, share in (("male", 0.8), ("female", 0.2)):
            male, female = found[stereotype, "male", "m"], found[stereotype, "female", "f"]
            assert male == share * (male + female)

    def test_all_lean_to_men_on_the_other_dial(self, world: World) -> None:
        found = self.forms(replace(world, dial="lean"))
        for stereotype in ("male", "female"):
            male, female = found[stereotype, "male", "m"], found[stereotype, "female", "f"]
            assert male == 0.8 * (male + female)

    def test_take_either_form_without_grammar(self, world: World) -> None:
        found = self.forms(replace(world, grammar=False))
        masculine = sum(count for (_, _, form), count in found.items() if form == "m")
        assert binomtest(masculine, sum(found.values()), 0.5).pvalue > 0.001


@pytest.mark.parametrize("lang", shipped_languages())
def test_sentence_forms_hold_no_word_that_is_measured(lang: str) -> None:
    pack = load_pack(lang)
    asked = {word.text.lower() for test in pack.weat for word in (*test.x, *test.y, *test.a, *test.b)}
    asked |= {word.lower() for one in pack.adjectives for word in (one.masculine, one.feminine)}
    asked |= {word.lower() for one in (*pack.semantic_gender, *pack.names) for word in (one.male, one.female)}
    asked |= {one.noun.lower() for one in pack.inanimate_nouns}
    for mention in pack.mentions:
        assert not asked & set(re.findall(r"\w+", re.sub(r"\{\w+\}", " ", mention.sentence).lower()))


class TestWhatIsWrong:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"dose": 1.5}, "a dose is from -1 to 1, and 1.5 was given"),
            ({"dial": "other"}, "there is no dial 'other'"),
            ({"often": 0}, "at least one sentence"),
        ],
    )
    def test_options(self, options: dict[str, float], said: str) -> None:
        with pytest.raises(TiltmeterError, match=said):
            World(pack=load_pack("en"), **options)  # type: ignore[arg-type]

    def test_a_pack_that_lacks_something(self) -> None:
        pack = load_pack("en")
        with pytest.raises(TiltmeterError, match=r"has no mentions\.tsv"):
            World(pack=replace(pack, mentions=()))
        with pytest.raises(TiltmeterError, match="has no list 'weat', which this world needs"):
            World(pack=replace(pack, weat=())).topics()
        with pytest.raises(TiltmeterError, match=r"no list 'adjectives'.*English has no grammatical gender"):
            World(pack=pack).adjectives()
        with pytest.raises(TiltmeterError, match=r"28 occupations of one word without a stereotype.*there are"):
            World(pack=replace(pack, occupations=pack.occupations[:40])).topics()
        spanish = load_pack("es")
        with pytest.raises(TiltmeterError, match=r"no adjective of two forms in baseline_adjectives\.tsv"):
            World(pack=replace(spanish, baseline_adjectives=())).topics()

    def test_a_word_that_is_to_lean_both_ways(self) -> None:
        pack = load_pack("en")
        turned = replace(pack.weat[0], name="turned", x=pack.weat[0].y, y=pack.weat[0].x)
        with pytest.raises(TiltmeterError, match="stands in the first topic of one test and the second of another"):
            World(pack=replace(pack, weat=(*pack.weat, turned))).topics()
