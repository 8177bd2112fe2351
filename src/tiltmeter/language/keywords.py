"""The written forms of a pack's gender pairs, each with the form of the opposite word in the same case."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from tiltmeter.language.inflection import basque_singular
from tiltmeter.language.tagging import russian_analyser
from tiltmeter.packs import GenderPair, Pack

Gender = Literal["male", "female"]


@dataclass(frozen=True, slots=True)
class KeywordForm:
    """A form as it is written, and what would stand there for the other gender."""

    text: str
    opposite: str
    gender: Gender
    pair: str
    """The pair that it is a form of, `male/female` as in the pack."""


def keyword_forms(pack: Pack) -> tuple[KeywordForm, ...]:
    """Every singular form of the pairs in use, written as the pack writes them; the caller sees to capitals.

    A form whose opposite depends on its case is left out, since its writing does not tell which it is: Russian брата
    (genitive сестры, accusative сестру), мать (nominative отец, accusative отца), Basque neska (mutil, mutila). So is
    a form that both genders share. Forms that `gender_forms.tsv` adds take nothing away: German Frau is Mann, its
    nominative, though Mannes is Frau; there the determiner tells the case.
    """
    pairs = [pair for pair in pack.gender_pairs if pair.status != "rejected"]
    readings = [reading for pair in pairs for reading in _readings(pair, pack.lang)]
    opposites: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for reading in readings:
        for form in _sides(reading):
            opposites[_folded(form.text)].add((form.gender, _folded(form.opposite)))
    found: dict[str, KeywordForm] = {}
    for reading in readings:
        for form in _sides(reading) if reading.keyword else ():
            if len(opposites[_folded(form.text)]) == 1 and form.text not in _RUSSIAN_OTHERS:
                found.setdefault(form.text, form)
                # ё is mostly written е.
                found.setdefault(_folded(form.text), _written(form, _folded(form.text)))
    for listed in pack.gender_forms:
        for form in _sides(_Reading(listed.male, listed.female, listed.pair)):
            found.setdefault(form.text, form)
    return tuple(found.values())


def unclear_forms(pack: Pack) -> tuple[str, ...]:
    """Forms of the pairs in use that are no keywords, and tell a gender beside one: брата, сестёр, Basque neska.

    Pronouns are left out: его and им do not always stand for a person.
    """
    keywords = {form.text for form in keyword_forms(pack)}
    pairs = [pair for pair in pack.gender_pairs if pair.status != "rejected" and pair.kind != "pronoun"]
    sides = (form.text for pair in pairs for reading in _readings(pair, pack.lang) for form in _sides(reading))
    written = (text for side in sides for text in (side, _folded(side)))
    return tuple(dict.fromkeys(text for text in written if text not in keywords))


@dataclass(frozen=True, slots=True)
class _Reading:
    """A male and a female form of the same case; `keyword` is false of those that only serve to tell forms apart."""

    male: str
    female: str
    pair: str
    keyword: bool = True
    of: tuple[Gender, ...] = ("male", "female")
    """The sides that it is a reading of: девочкою is мальчиком, but мальчиком is not девочкою."""


def _sides(reading: _Reading) -> list[KeywordForm]:
    male = KeywordForm(reading.male, reading.female, "male", reading.pair)
    female = KeywordForm(reading.female, reading.male, "female", reading.pair)
    return [form for form in (male, female) if form.gender in reading.of]


def _folded(text: str) -> str:
    return text.replace("ё", "е")


def _written(form: KeywordForm, text: str) -> KeywordForm:
    return KeywordForm(text, form.opposite, form.gender, form.pair)


def _readings(pair: GenderPair, lang: str) -> Iterator[_Reading]:
    name = f"{pair.male}/{pair.female}"
    if lang == "ru":
        yield from _russian(pair, name)
        return
    yield _Reading(pair.male, pair.female, name)
    if lang == "eu":
        # Plurals are no keywords; gizonak is here as the ergative singular and fits its opposite as a plural, too.
        male, female = basque_singular(pair.male), basque_singular(pair.female)
        yield from (_Reading(male[case], female[case], name) for case in male)


# Forms that are another word, too: им and ним are also they in the plural; его and её are also the possessives, which
# are no keywords, and nothing in the writing tells them from the genitive and the accusative.
_RUSSIAN_OTHERS = frozenset({"им", "ним", "его", "её", "ее"})

_Case = tuple[str, ...]


def _russian(pair: GenderPair, name: str) -> Iterator[_Reading]:
    """Every form by pymorphy3. Of nouns and pronouns the singular is a keyword, and the plural serves to tell forms
    apart: жены is the genitive of жена (мужа) and, written without its dots, the plural жёны (мужья)."""
    male, female = _russian_forms(pair.male), _russian_forms(pair.female)
    sides: tuple[tuple[Gender, dict[_Case, str]], ...] = (("male", male), ("female", female))
    for case in (*male, *(case for case in female if case not in male)):
        usual = ("", *case[1:])
        one, other = male.get(case) or male.get(usual), female.get(case) or female.get(usual)
        if one and other:
            of = tuple(gender for gender, forms in sides if case in forms)
            yield _Reading(one, other, name, keyword="sing" in case or "ADJF" in case, of=of)


def _russian_forms(word: str) -> dict[_Case, str]:
    readings = [entry for entry in russian_analyser().parse(word) if entry.normal_form == word]
    nominative = [entry for entry in readings if {"nomn", "sing"} <= entry.tag.grammemes]
    if not nominative:
        return {("", "sing", "nomn"): word}
    forms: dict[_Case, str] = {}
    for entry in nominative[0].lexeme:
        if not entry.tag.grammemes & {"Arch", "Infr", "Litr", "ADJS", "COMP", "Supr"}:
            forms.setdefault(_russian_case(entry.tag), entry.word)
    return forms


def _russian_case(tag: Any) -> _Case:
    """The variant (мужчиною beside мужчиной), then number, case, whether a preposition stands before (него), and of
    adjectives what they agree with."""
    variant = "variant" if tag.grammemes & {"V-oy", "V-ey"} else ""
    agrees = ("ADJF", str(tag.gender), str(tag.animacy)) if tag.POS == "ADJF" else ()
    return (variant, str(tag.number), str(tag.case), "Af-p" if "Af-p" in tag.grammemes else "", *agrees)
