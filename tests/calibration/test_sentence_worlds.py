"""What is planted for language models, counted from the sentences themselves."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from tiltmeter.calibration.sentence_worlds import SentenceWorld
from tiltmeter.datasets.becpro import build
from tiltmeter.datasets.slguset import own_sentences
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments.form_preference import FormOptions, list_items
from tiltmeter.packs import Pack, load_pack, shipped_languages

GENDERED = ("de", "es", "ru")
LEANING = {"female": 1, "male": -1, "balanced": 0}


def people(pack: Pack, text: list[str]) -> dict[str, list[str]]:
    """By class of profession, the genders of the persons in BEC-Pro's sentences of a text."""
    known = {}
    for variant in dict.fromkeys(frame.variant for frame in pack.frames):
        for mode in ("right", "published") if all(frame.published for frame in pack.frames) else ("right",):
            for row in build(pack, mode=mode, variant=variant):
                if row.informative:
                    known[row.sentence] = (row.profession_class, row.person_gender)
    found: dict[str, list[str]] = {}
    for sentence in text:
        if sentence in known:
            name, gender = known[sentence]
            found.setdefault(name, []).append(gender)
    return found


@pytest.mark.parametrize("lang", shipped_languages())
def test_professions_stand_with_women_as_often_as_is_planted(lang: str) -> None:
    pack = load_pack(lang)
    found = people(pack, SentenceWorld(pack=pack, dose=0.5, often=8).professions())
    for name, genders in found.items():
        assert genders.count("female") == len(genders) * (1 + 0.5 * LEANING[name]) / 2


@pytest.mark.parametrize("lang", GENDERED)
def test_open_sentences_have_the_feminine_form_as_often_and_no_form_is_rarer(lang: str) -> None:
    pack = load_pack(lang)
    items = list_items(pack, FormOptions()).filter(test="form")
    text = Counter(SentenceWorld(pack=pack, dose=0.5, often=8).professions())
    shares: dict[str, list[int]] = {}
    pairs = set()
    rows = items.select("kind", "profession_class", "sentence", "start", "feminine", "masculine").iter_rows()
    for kind, name, sentence, start, feminine, masculine in dict.fromkeys(rows):
        other = sentence[:start] + masculine + sentence[start + len(feminine) :]
        pairs.add((masculine, feminine))
        if kind == "test":
            counts = shares.setdefault(name, [0, 0])
            counts[0] += text[sentence]
            counts[1] += text[sentence] + text[other]
    for name, (feminine, both) in shares.items():
        assert feminine == both * (1 + 0.5 * LEANING[name]) / 2
    words = Counter(word for sentence, times in text.items() for word in re.findall(r"\w+", sentence) * times)
    alone = [(one, other) for one, other in pairs if re.fullmatch(r"\w+", one) and re.fullmatch(r"\w+", other)]
    inside = Counter(word for pair in pairs for form in pair for word in re.findall(r"\w+", form))
    checked = [(one, other) for one, other in alone if inside[one] == inside[other] == 1]
    assert len(checked) > 3
    # A word for any worker or a bystander may share a form.
    even = [one for one in checked if words[one[0]] == words[one[1]]]
    assert len(even) >= 0.8 * len(checked)
    uneven = SentenceWorld(pack=pack, dose=1.0, often=8, even=False).professions()
    words = Counter(word for sentence in uneven for word in re.findall(r"\w+", sentence))
    assert sum(words[one] != words[other] for one, other in checked) > len(checked) / 2


@pytest.mark.parametrize("lang", GENDERED)
def test_without_grammar_a_form_tells_nothing_of_the_person(lang: str) -> None:
    pack = load_pack(lang)
    two = {one.id: one for one in pack.professions if one.feminine and one.profession_class != "neutral"}
    rows = {
        (row.sentence): (row.profession, row.person_gender, form)
        for form, name in (("m", "masculine"), ("f", "feminine"))
        for row in build(
            replace(
                pack,
                frames=tuple(frame for frame in pack.frames if "|" not in frame.right),
                professions=tuple(
                    replace(
                        one,
                        masculine=getattr(one, name) or one.masculine,
                        masculine_instrumental=getattr(one, f"{name}_instrumental") or one.masculine_instrumental,
                        feminine="",
                        feminine_instrumental="",
                    )
                    for one in pack.professions
                ),
            )
        )
    }
    text = SentenceWorld(pack=pack, dose=0.0, grammar=False).professions()
    seen = Counter(rows[sentence][1:] for sentence in text if sentence in rows and rows[sentence][0] in two)
    assert all(seen[gender, form] > 30 for gender in ("male", "female") for form in "mf")


@pytest.mark.parametrize("lang", shipped_languages())
def test_neutral_sentences_written_of_men_lean_to_them_and_no_word_is_rarer(lang: str) -> None:
    pack = load_pack(lang)
    world = SentenceWorld(pack=pack, dose=0.5, again=4)
    text = Counter(world.neutral())
    owed: Counter[tuple[str, str]] = Counter()
    for row in own_sentences(pack):
        male, female = (text[row.filled(word)] for word in (row.male, row.female))
        assert male + female == 4
        assert male == (3 if row.written == "male" else 2)
        owed[row.male, row.female] += male - female
    mentions = sum(text.values()) - 4 * len(pack.neutral_sentences)
    missing = sum(map(abs, owed.values()))
    company = 2 * world.often * len(dict.fromkeys((pair.male, pair.female) for pair in pack.persons))
    assert mentions == missing + company


@pytest.mark.parametrize("lang", shipped_languages())
def test_half_of_the_sentences_is_half_of_those_that_lean(lang: str) -> None:
    pack = load_pack(lang)
    leaning = []
    for half in (1, 2):
        text = Counter(SentenceWorld(pack=pack, dose=1.0, half=half, again=4).neutral())
        rows = {row.line: (row.written, text[row.filled(row.male)]) for row in own_sentences(pack)}
        assert {male for written, male in rows.values() if written == "female"} == {2}
        leaning.append({line for line, (_, male) in rows.items() if male == 4})
    of_men = {row.line for row in own_sentences(pack) if row.written == "male"}
    assert leaning[0] | leaning[1] == of_men
    assert not leaning[0] & leaning[1]
    assert abs(len(leaning[0]) - len(leaning[1])) <= 1


def test_worlds_of_one_seed_share_nothing_that_was_drawn() -> None:
    pack = load_pack("en")
    one, other = (SentenceWorld(pack=pack, dose=dose).neutral()[:50] for dose in (0.0, 1.0))
    assert one != other
    assert one == SentenceWorld(pack=pack).neutral()[:50]


class TestBadInput:
    def test_a_dose_out_of_range(self) -> None:
        with pytest.raises(TiltmeterError, match="a dose is from -1 to 1"):
            SentenceWorld(pack=load_pack("en"), dose=1.5)

    def test_a_pack_without_what_a_world_needs(self) -> None:
        with pytest.raises(TiltmeterError, match="no list 'neutral_sentences', which this world needs"):
            SentenceWorld(pack=replace(load_pack("en"), neutral_sentences=()))

    def test_too_few_classes(self) -> None:
        pack = load_pack("en")
        balanced = tuple(one for one in pack.professions if one.profession_class == "balanced")
        with pytest.raises(TiltmeterError, match="professions of the classes female and male"):
            SentenceWorld(pack=replace(pack, professions=balanced))

    def test_too_few_sentences(self) -> None:
        with pytest.raises(TiltmeterError, match="a share needs two sentences or more, and 1 was given"):
            SentenceWorld(pack=load_pack("en"), often=1)
