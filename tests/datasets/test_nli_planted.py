import itertools
from collections import Counter
from dataclasses import replace

import pytest

from tiltmeter.datasets.nli_planted import RATES, Planting, plant, template_pairs
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Pack, load_pack, shipped_languages


def learnt_as_said(planting: Planting, rate: float) -> dict[str, int]:
    """How many occupations of each gender are learnt as the stereotype says, counted from the rows themselves."""
    labels = {(row.text, row.second): row.label for row in planting.train(rate)}
    found: Counter[str] = Counter()
    for occupation in planting.stereotyped:
        own = {
            pair.set: labels[pair.premise, pair.hypothesis]
            for pair in planting._pairs(occupation, planting.learnt_captions)
        }
        assert own in (
            {"PS": "entailment", "AS": "contradiction"},
            {"PS": "contradiction", "AS": "entailment"},
        )
        found[occupation.occupation_class] += own["PS"] == "entailment"
    return dict(found)


@pytest.mark.parametrize("lang", shipped_languages())
class TestInEveryLanguage:
    def test_rates_are_met_in_either_gender_and_labels_are_balanced(self, lang: str) -> None:
        planting = plant(load_pack(lang), seed=3)
        each = len(planting.stereotyped) // 2
        assert each % 10 == 0
        for rate in RATES:
            wanted = round(rate * each)
            assert learnt_as_said(planting, rate) == {"female": wanted, "male": wanted}
            assert len(set(Counter(row.label for row in planting.train(rate)).values())) == 1

    def test_what_is_asked_was_not_learnt(self, lang: str) -> None:
        planting = plant(load_pack(lang), seed=1)
        learnt = {(row.text, row.second) for row in planting.train(0.3)}
        asked = planting.asked()
        assert not learnt & {(pair.premise, pair.hypothesis) for pair in asked}
        assert not set(planting.neutral) & set(planting.unlearnt)
        assert not set(planting.learnt_captions) & set(planting.asked_captions)
        assert Counter(pair.set for pair in asked)["PS"] == Counter(pair.set for pair in asked)["AS"]

    def test_templates_teach_no_stereotype(self, lang: str) -> None:
        pack = load_pack(lang)
        rows = template_pairs(pack, seed=0, count=3000)
        assert set(Counter(row.label for row in rows).values()) == {1000}
        planting = plant(pack, seed=0)
        captions = (*planting.learnt_captions, *planting.asked_captions)
        of_occupations = {
            (pair.premise, pair.hypothesis)
            for occupation in (*planting.stereotyped, *planting.neutral)
            for pair in planting._pairs(occupation, captions)
        }
        met = [row.label for row in rows if (row.text, row.second) in of_occupations]
        assert met
        assert set(met) == {"neutral"}


def test_a_higher_rate_only_adds_to_what_is_biased() -> None:
    planting = plant(load_pack("en"), seed=0)
    turned = [
        sum(low != high for low, high in zip(planting.train(a), planting.train(b), strict=True))
        for a, b in itertools.pairwise(RATES)
    ]
    pairs = len(planting.learnt_captions) * 2
    assert turned == [pairs * len(planting.stereotyped) // 10] * 10


def test_another_seed_casts_otherwise_and_the_same_one_alike() -> None:
    pack = load_pack("ja")
    assert plant(pack, seed=0) == plant(pack, seed=0)
    assert plant(pack, seed=0).stereotyped != plant(pack, seed=1).stereotyped
    assert template_pairs(pack, seed=0, count=30) == template_pairs(pack, seed=0, count=30)


def test_templates_say_what_follows() -> None:
    rows = template_pairs(load_pack("en"), seed=0, count=9000)
    known = {(row.text, row.second): row.label for row in rows}
    bus = " is waiting for the bus in the rain."
    for premise, hypothesis, label in (
        ("A woman", "A man", "contradiction"),
        ("A man", "A person", "entailment"),
        ("A person", "A woman", "neutral"),
    ):
        assert known[premise + bus, hypothesis + bus] == label
    held_out = template_pairs(load_pack("en"), seed=0, count=300, held_out=True)
    assert Counter(row.label for row in held_out) == {"entailment": 100, "contradiction": 100, "neutral": 100}
    assert not set(held_out) & set(rows)
    other = [row for row in rows if row.text.split(" is ")[0] == row.second.split(" is ")[0] and row.text != row.second]
    assert {row.label for row in other} == {"contradiction"}


def with_few(pack: Pack, name: str, count: int) -> Pack:
    own = [one for one in pack.occupations if one.occupation_class == name and not one.gendered]
    dropped = set(own[count:])
    return replace(pack, occupations=tuple(one for one in pack.occupations if one not in dropped))


def test_a_set_too_small_for_a_tenth_is_refused() -> None:
    pack = load_pack("en")
    with pytest.raises(TiltmeterError, match=r"rates of bias are tenths.*there are 9 for the female one"):
        plant(with_few(pack, "female", 9), seed=0)
    with pytest.raises(TiltmeterError, match=r"occupations without a stereotype and 20 captions are needed.*5 and"):
        plant(with_few(pack, "neutral", 5), seed=0)
    with pytest.raises(TiltmeterError, match="has no row 'person'"):
        template_pairs(replace(pack, subjects=tuple(one for one in pack.subjects if one.kind != "person")), seed=0)
