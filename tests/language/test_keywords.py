"""Forms of the gender pairs with the opposite form of the same case."""

import pytest

from tiltmeter.language import keyword_forms
from tiltmeter.language.inflection import basque_indefinite, basque_plural, basque_singular
from tiltmeter.packs import load_pack, shipped_languages


def opposites(lang: str) -> dict[str, str]:
    return {form.text: form.opposite for form in keyword_forms(load_pack(lang))}


@pytest.mark.parametrize("lang", ["en", "es", "ja", "zh"])
def test_words_without_cases_are_their_only_form(lang: str) -> None:
    pairs = [pair for pair in load_pack(lang).gender_pairs if pair.status != "rejected"]
    expected = {pair.male: pair.female for pair in pairs} | {pair.female: pair.male for pair in pairs}
    assert opposites(lang) == expected


@pytest.mark.parametrize("lang", shipped_languages())
def test_every_form_stands_once_and_names_a_pair_in_use(lang: str) -> None:
    pack = load_pack(lang)
    forms = keyword_forms(pack)
    assert len({form.text for form in forms}) == len(forms)
    assert {form.pair for form in forms} == {
        f"{pair.male}/{pair.female}" for pair in pack.gender_pairs if pair.status != "rejected"
    }
    assert all(form.text != form.opposite for form in forms)
    for form in forms:
        male, female = form.pair.split("/")
        assert form.gender == "male" if form.text == male else True
        assert form.gender == "female" if form.text == female else True


class TestRussian:
    @pytest.mark.parametrize(
        ("text", "opposite"),
        [
            ("женщиной", "мужчиной"), ("мужчины", "женщины"), ("женщину", "мужчину"),
            ("брат", "сестра"), ("брату", "сестре"), ("братом", "сестрой"), ("брате", "сестре"),
            ("сестра", "брат"), ("сестру", "брата"), ("сестрой", "братом"), ("сестрою", "братом"),
            ("отцу", "матери"), ("матерью", "отцом"), ("дочерью", "сыном"),
            ("он", "она"), ("ему", "ей"), ("него", "неё"), ("неё", "него"), ("нему", "ней"), ("нём", "ней"),
            ("ею", "им"), ("нею", "ним"),
            ("мужская", "женская"), ("женских", "мужских"), ("мужском", "женском"), ("женский", "мужской"),
        ],
    )  # fmt: skip
    def test_the_opposite_has_the_same_case(self, text: str, opposite: str) -> None:
        assert opposites("ru")[text] == opposite

    @pytest.mark.parametrize(
        "text",
        [
            "брата",  # genitive сестры, accusative сестру
            "сестре",  # dative брату, prepositional брате
            "сестры",  # брата, and without its dots the plural братья
            "жены",  # мужа, and without its dots the plural мужья
            "мать", "матери", "дочь", "дочери",
            "дядей",  # тётей, and the plural тёть
            "ей", "ней",  # ему or им, нему or ним or нём
            "мужской",  # женский, and the feminine женской
        ],
    )  # fmt: skip
    def test_a_form_whose_opposite_depends_on_its_case_is_left_out(self, text: str) -> None:
        assert text not in opposites("ru")

    def test_forms_that_are_also_they_or_a_possessive_are_left_out(self) -> None:
        assert not {"им", "ним", "его", "её", "ее"} & opposites("ru").keys()

    def test_dots_may_be_missing_in_the_text_but_not_in_the_opposite(self) -> None:
        assert opposites("ru")["тетю"] == opposites("ru")["тётю"] == "дядю"
        assert opposites("ru")["дядю"] == "тётю"

    def test_plurals_of_nouns_are_no_keywords(self) -> None:
        assert not {"братья", "сёстры", "мужчинам", "женщинами", "сыновей"} & opposites("ru").keys()


class TestGerman:
    @pytest.mark.parametrize(
        ("text", "opposite"),
        [
            ("Mannes", "Frau"), ("Frau", "Mann"), ("Jungen", "Mädchen"), ("Mädchens", "Jungen"), ("Opas", "Omas"),
            ("Omas", "Opas"), ("Sohnes", "Tochter"),
        ],
    )  # fmt: skip
    def test_inflected_forms_are_listed(self, text: str, opposite: str) -> None:
        assert opposites("de")[text] == opposite

    def test_forms_that_may_be_a_plural_with_another_opposite_are_not(self) -> None:
        assert not {"Neffen", "Cousins"} & opposites("de").keys()


class TestBasque:
    @pytest.mark.parametrize(
        ("stem", "forms"),
        [
            ("gizon", "gizona gizonak gizonari gizonaren gizonarekin gizonaz gizonarengan gizonarengana "
                      "gizonarengandik gizonarentzat gizonarengatik"),
            ("emakume", "emakumea emakumeak emakumeari emakumearen emakumearekin emakumeaz emakumearengan "
                        "emakumearengana emakumearengandik emakumearentzat emakumearengatik"),
            ("neska", "neska neskak neskari neskaren neskarekin neskaz neskarengan neskarengana neskarengandik "
                      "neskarentzat neskarengatik"),
            ("senar", "senarra senarrak senarrari senarraren senarrarekin senarraz senarrarengan senarrarengana "
                      "senarrarengandik senarrarentzat senarrarengatik"),
        ],
    )  # fmt: skip
    def test_the_singular(self, stem: str, forms: str) -> None:
        cases = ("abs", "erg", "dat", "gen", "com", "ins", "ine", "all", "abl", "ben", "cau")
        assert [basque_singular(stem)[case] for case in cases] == forms.split()

    @pytest.mark.parametrize(
        ("stem", "forms"),
        [
            ("gizon", "gizonak gizonek gizonei gizonen gizonekin gizonez"),
            ("emakume", "emakumeak emakumeek emakumeei emakumeen emakumeekin emakumeez"),
            ("anaia", "anaiak anaiek anaiei anaien anaiekin anaiez"),
            ("senar", "senarrak senarrek senarrei senarren senarrekin senarrez"),
        ],
    )
    def test_the_plural(self, stem: str, forms: str) -> None:
        assert [basque_plural(stem)[case] for case in ("abs", "erg", "dat", "gen", "com", "ins")] == forms.split()

    @pytest.mark.parametrize(
        ("stem", "forms"),
        [
            ("gizon", "gizon gizonek gizoni gizonen gizonekin gizonik"),
            ("emakume", "emakume emakumek emakumeri emakumeren emakumerekin emakumerik"),
            ("alaba", "alaba alabak alabari alabaren alabarekin alabarik"),
            ("senar", "senar senarrek senarri senarren senarrekin senarrik"),
        ],
    )
    def test_without_an_article(self, stem: str, forms: str) -> None:
        assert [basque_indefinite(stem)[case] for case in ("bare", "erg", "dat", "gen", "com", "par")] == forms.split()

    @pytest.mark.parametrize(
        ("text", "opposite"),
        [
            ("senarrari", "emazteari"), ("emaztea", "senarra"), ("emazte", "senar"), ("aita", "ama"), ("amak", "aitak"),
            ("mutil", "neska"), ("mutila", "neska"), ("neskak", "mutilak"), ("alabarekin", "semearekin"),
            ("koinatua", "koinata"), ("ahizparentzat", "nebarentzat"), ("neska-lagunak", "mutil-lagunak"),
        ],
    )  # fmt: skip
    def test_the_opposite_has_the_same_case(self, text: str, opposite: str) -> None:
        assert opposites("eu")[text] == opposite

    @pytest.mark.parametrize("text", ["neska", "alaba", "koinata"])
    def test_a_stem_that_is_written_like_its_definite_form_is_left_out(self, text: str) -> None:
        assert text not in opposites("eu")
