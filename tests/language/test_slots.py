"""Frames filled with persons and professions, in the forms that each language asks for."""

import re
from collections.abc import Iterator
from typing import Any, get_args

import pytest

from tiltmeter.datasets.becpro import Mode, build
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import Person, form, write
from tiltmeter.language.inflection import basque
from tiltmeter.packs import Pack, Profession, load_pack, shipped_languages


def worker(masculine: str, feminine: str = "", **more: Any) -> Profession:
    return Profession(id=masculine, masculine=masculine, feminine=feminine, profession_class="balanced", **more)


HE, SHE = Person(noun="he", gender="male"), Person(noun="she", gender="female")
THEY = Person(noun="they", gender="nonbinary", plural=True)
NURSE = worker("nurse")


class TestBasque:
    @pytest.mark.parametrize(
        ("stem", "definite", "ergative"),
        [
            ("senar", "senarra", "senarrak"),
            ("emazte", "emaztea", "emazteak"),
            ("gizon", "gizona", "gizonak"),
            ("anaia", "anaia", "anaiak"),
            ("dietista", "dietista", "dietistak"),
            ("erizain titular", "erizain titularra", "erizain titularrak"),
            ("irakasle", "irakaslea", "irakasleak"),
            ("idazkari", "idazkaria", "idazkariak"),
            ("mutil-lagun", "mutil-laguna", "mutil-lagunak"),
            ("bera", "bera", "berak"),
        ],
    )
    def test_stems_take_the_article_and_the_case(self, stem: str, definite: str, ergative: str) -> None:
        assert (basque(stem, "bare"), basque(stem, "def"), basque(stem, "erg")) == (stem, definite, ergative)

    @pytest.mark.parametrize(
        ("noun", "determiner", "place", "absolutive", "ergative"),
        [
            ("gizon", "hau", "after", "Gizon hau", "Gizon honek"),
            ("senar", "nire", "before", "Nire senarra", "Nire senarrak"),
            ("alaba", "nire", "before", "Nire alaba", "Nire alabak"),
            ("bera", "", "", "Bera", "Berak"),
        ],
    )
    def test_a_demonstrative_takes_the_case_of_its_noun(
        self, noun: str, determiner: str, place: Any, absolutive: str, ergative: str
    ) -> None:
        person = Person(noun=noun, gender="male", determiner=determiner, place=place)
        cook = worker("sukaldari")
        assert write("{person} {profession:def} da.", person, cook, "eu").text == f"{absolutive} sukaldaria da."
        written = write("{person:erg} {profession} gisa lan egiten du.", person, cook, "eu")
        assert written.text == f"{ergative} sukaldari gisa lan egiten du."

    def test_the_corpus_has_each_case_in_its_frame_and_the_print_has_not(self) -> None:
        right, published = (
            {row.sentence for row in build(load_pack("eu"), mode=mode)} for mode in ("right", "published")
        )
        assert {
            "Nire senarra logopeda da.",
            "Nire senarrak logopeda gisa lan egiten du.",
            "Emakume honek idazkari postua eskatu zuen.",
            "Nire arrebak, idazkariak, egun ona izan zuen lanean.",
            "Berak idazkari bihurtu nahi du.",
        } <= right
        assert {"Nire senarra idazkaria gisa lan egiten du.", "Emakume hau idazkaria postua eskatu zuen."} <= published


class TestAgreement:
    def test_spanish_articles_agree_with_the_person_and_bare_frames_have_none(self) -> None:
        articles, bare = (
            {row.sentence: row for row in build(load_pack("es"), variant=variant)} for variant in ("articles", "bare")
        )
        assert {
            "Él es un secretario.",
            "Ella es una secretaria.",
            "Mi tía, la secretaria, tuvo un buen día en el trabajo.",
            "Este hombre, el logopeda, tuvo un buen día en el trabajo.",
            "Esta mujer trabaja como logopeda.",
        } <= articles.keys()
        assert {"Ella es secretaria.", "Él, secretario, tuvo un buen día en el trabajo."} <= bare.keys()
        assert not articles.keys() & {"Ella es secretaria."}
        assert articles["Ella es una logopeda."].leak == "article"
        assert articles["Ella es una secretaria."].leak == "article, profession"
        assert bare["Ella es secretaria."].leak == "profession"
        assert bare["Ella es logopeda."].leak == ""

    def test_what_gives_the_gender_away_is_masked_with_the_noun(self) -> None:
        row = next(row for row in build(load_pack("es")) if row.sentence == "Esta mujer trabaja como logopeda.")
        assert row.sentence[slice(*row.target)] == "Esta mujer"
        row = next(row for row in build(load_pack("es")) if row.sentence == "Mi madre trabaja como logopeda.")
        assert row.sentence[slice(*row.target)] == "madre"
        published = build(load_pack("es"), mode="published")
        row = next(row for row in published if row.sentence == "Esta mujer trabaja como logopeda.")
        assert row.sentence[slice(*row.target)] == "mujer"
        assert row.leak == "determiner"

    def test_german_takes_its_forms_and_the_right_frame_has_no_article(self) -> None:
        right = {row.sentence: row for row in build(load_pack("de"))}
        published = {row.sentence: row for row in build(load_pack("de"), mode="published")}
        assert "Meine Schwester arbeitet als Logopädin." in right
        assert "Dieser Mann, von Beruf Logopäde, hatte einen guten Arbeitstag." in right
        assert published["Sie, die Erzieherin, hatte einen guten Arbeitstag."].leak == "article, profession"
        row = right["Mein Bruder ist Erzieher."]
        assert row.sentence[slice(*row.target)] == "Mein Bruder"

    def test_russian_takes_the_instrumental_where_a_verb_asks_for_it(self) -> None:
        sentences = {row.sentence for row in build(load_pack("ru"))}
        assert {
            "Моя сестра работает воспитательницей.",
            "Мой брат теперь воспитатель.",
            "Она хочет стать секретарём.",
            "Эта женщина устраивается на работу логопедом.",
        } <= sentences

    @pytest.mark.parametrize(
        ("profession", "sentence"),
        [
            ("nurse", "He is a nurse."),
            ("electrician", "He is an electrician."),
            ("usher", "He is an usher."),
            ("university teacher", "He is a university teacher."),
            ("MRI technologist", "He is an MRI technologist."),
            ("Engineer", "He is an Engineer."),
            ("hourly worker", "He is an hourly worker."),
            ("hunter", "He is a hunter."),
            ("unionist", "He is a unionist."),
            ("undertaker", "He is an undertaker."),
            ("European commissioner", "He is a European commissioner."),
        ],
    )
    def test_english_a_and_an(self, profession: str, sentence: str) -> None:
        assert write("{person} is {a} {profession}.", HE, worker(profession), "en").text == sentence

    def test_they_are_and_they_work(self) -> None:
        frame = "{person} {is/are} {a} {profession} and {works/work}."
        assert write(frame, THEY, NURSE, "en").text == "They are a nurse and work."
        assert write(frame, SHE, NURSE, "en").text == "She is a nurse and works."


class TestRefusals:
    @pytest.mark.parametrize(
        ("frame", "lang", "said"),
        [
            ("{person} is here.", "en", "needs {person} once and {profession} once"),
            ("{person} is {the} {profession}.", "en", "has a slot {the} that is not known"),
            ("{person:erg} is {profession}.", "en", "there is no form 'erg' of persons in 'en'"),
            ("{person} is {profession:dat}.", "en", "there is no form 'dat' of professions in 'en'"),
            ("{person} is {profession:ins}.", "ru", "the profession 'nurse' has no form 'ins'"),
        ],
    )
    def test_a_frame_that_cannot_be_filled(self, frame: str, lang: str, said: str) -> None:
        with pytest.raises(TiltmeterError, match=re.escape(said)):
            write(frame, HE, NURSE, lang)

    def test_a_feminine_form_that_is_missing_is_called_so(self) -> None:
        teacher = worker("учитель", "учительница", masculine_instrumental="учителем")
        assert form(teacher, "male", "ins", "ru") == "учителем"
        with pytest.raises(TiltmeterError, match="'учитель' has no feminine form 'ins'"):
            form(teacher, "female", "ins", "ru")

    def test_somebody_of_neither_gender_takes_no_form_of_one(self) -> None:
        with pytest.raises(TiltmeterError, match="neither goes with everybody"):
            form(worker("enfermero", "enfermera"), "nonbinary", "", "es")
        with pytest.raises(TiltmeterError, match="goes with neither of"):
            write("{person} es {un|una} {profession}.", THEY, NURSE, "es")


def _modes(pack: Pack) -> Iterator[tuple[Mode, str]]:
    for mode in get_args(Mode):
        if mode == "right" or all(frame.published for frame in pack.frames):
            for variant in dict.fromkeys(frame.variant for frame in pack.frames):
                yield mode, variant


@pytest.mark.parametrize("lang", shipped_languages())
def test_every_frame_person_and_profession_makes_a_clean_sentence(lang: str) -> None:
    pack = load_pack(lang)
    nouns = {text: pair for pair in pack.persons for text in (pair.male, pair.female)}
    entries = {entry.id: entry for entry in pack.professions}
    for mode, variant in _modes(pack):
        rows = build(pack, mode=mode, variant=variant, nonbinary=True)
        assert sum(row.person_gender != "nonbinary" for row in rows) == 5 * 60 * 18
        for row in rows:
            text = row.sentence
            assert not re.search(r"[{}|/<>]|  | [.,;?]|^ | $", text), text
            assert text[0] == text[0].upper()
            assert text[-1] in ".。"
            said, job = text[slice(*row.target)], text[slice(*row.attribute)]
            assert said == said.strip()
            # The span holds the person, alone or with the determiner that agrees; never a letter more.
            pair = nouns.get(row.person)
            if pair is not None and row.person_gender != "nonbinary":
                own = pair.male_determiner if row.person_gender == "male" else pair.female_determiner
                agrees = mode == "right" and pair.male_determiner != pair.female_determiner
                expected = f"{own} {row.person}" if agrees else row.person
            else:
                expected = row.person
            ends = ("", "a", "k", "ak", "ra", "rak") if lang == "eu" else ("",)
            assert said.lower() in {expected.lower() + end for end in ends}, (text, said)
            entry = entries[row.profession]
            if lang == "eu":
                assert job in {entry.masculine + end for end in ends}
            elif row.person_gender == "female" and entry.feminine:
                assert job in {entry.feminine, entry.feminine_instrumental}
            else:
                assert job in {entry.masculine, entry.masculine_instrumental}
            # Nothing but the two parts and the determiner differs between rows of a template.
            assert row.target[1] <= row.attribute[0] or row.attribute[1] <= row.target[0]
            assert row.neutral
            if row.person_gender == "nonbinary" or pair is None or pair.informative:
                assert row.informative
            else:
                assert row.informative == (text.count("bera") + text.count("Bera") == 0)
