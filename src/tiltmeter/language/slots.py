"""Sentences made of frames: persons, professions and what agrees with them. The only slot filler."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from tiltmeter.errors import TiltmeterError
from tiltmeter.language.capitals import capitalised
from tiltmeter.language.inflection import BASQUE_DEMONSTRATIVES, basque, indefinite_article
from tiltmeter.packs import Caption, Profession, SubjectPhrase

Gender = Literal["male", "female", "nonbinary"]
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The subject of a sentence."""

    noun: str
    gender: Gender
    determiner: str = ""
    place: Literal["", "before", "after"] = ""
    plural: bool = False
    leaks: bool = False
    """Whether the determiner gives the gender away, so that it has to be hidden with the noun."""


@dataclass(frozen=True, slots=True)
class Written:
    """A sentence with the places of what was put into it."""

    text: str
    person: Span
    """The noun alone."""
    phrase: Span
    """The noun with its determiner."""
    profession: Span
    agrees: str
    """What stands outside the person and the profession and agrees with the person: `article`, `verb` or nothing."""


def write(frame: str, person: Person, profession: Profession, lang: str) -> Written:
    """A frame with a person and a profession in it.

    `{person}` and `{profession}` may name a case (`{profession:ins}`); `{x|y}` is x after a male and y after a female
    person; `{x/y}` is x after one and y after several; `{a}` is English a or an.
    """
    text = ""
    spans: dict[str, Span] = {}
    agrees = ""
    for plain, slot in re.findall(r"([^{]*)(?:\{([^}]*)\})?", frame):
        text += plain
        if not slot:
            continue
        name, _, case = slot.partition(":")
        start = len(text)
        if name == "person":
            phrase, (first, last) = _phrase(person, case, lang)
            text += phrase
            spans |= {"person": (start + first, start + last), "phrase": (start, len(text))}
        elif name == "profession":
            text += form(profession, person.gender, case, lang)
            spans["profession"] = (start, len(text))
        elif "|" in slot:
            text += _by_gender(slot, person)
            agrees = "article"
        elif "/" in slot:
            text += slot.split("/")[person.plural]
            agrees = "verb" if person.plural else agrees
        elif slot == "a":
            text += indefinite_article(form(profession, person.gender, "", lang))
        else:
            raise TiltmeterError(f"the frame {frame!r} has a slot {{{slot}}} that is not known")
    if spans.keys() != {"person", "phrase", "profession"}:
        raise TiltmeterError(f"the frame {frame!r} needs {{person}} once and {{profession}} once")
    text = capitalised(text, lang)
    return Written(text, spans["person"], spans["phrase"], spans["profession"], agrees)


def form(profession: Profession, gender: Gender, case: str, lang: str) -> str:
    """The form of a profession that goes with a person."""
    feminine = gender == "female" and bool(profession.feminine)
    if gender == "nonbinary" and profession.feminine:
        raise TiltmeterError(f"{profession.id} has a masculine and a feminine form, and neither goes with everybody")
    if lang == "eu":
        return basque(profession.masculine, case or "bare")
    if case == "ins":
        written = profession.feminine_instrumental if feminine else profession.masculine_instrumental
    elif case:
        raise TiltmeterError(f"there is no form {case!r} of professions in {lang!r}")
    else:
        written = profession.feminine if feminine else profession.masculine
    if not written:
        raise TiltmeterError(
            f"the profession {profession.id!r} has no {'feminine ' if feminine else ''}form {case or 'nominative'!r}, "
            "which a frame asks for; add it to the list"
        )
    return written


def subject_forms(phrases: Iterable[SubjectPhrase], kind: str, lang: str, word: str = "") -> dict[str, str]:
    """What stands in each slot of a caption for a subject of this kind; `word` is the occupation's."""
    written: dict[str, str] = {phrase.kind: _named(phrase.phrase, word) for phrase in phrases}
    found = {
        slot: written[name] for slot, name in (("subject", kind), ("subject:erg", f"{kind}:erg")) if name in written
    }
    bare = word if kind == "occupation" and "woman noun" in written else written.get(f"{kind} noun")
    if bare:
        found |= {"noun": bare, **({"noun:def": basque(bare, "def")} if lang == "eu" else {})}
    return found


def _named(phrase: str, word: str) -> str:
    return phrase.replace("{a}", indefinite_article(word)).replace("{occupation}", word)


def write_caption(caption: Caption, forms: Mapping[str, str], lang: str) -> str:
    """A caption with its subject, by what stands in each slot."""
    return capitalised(caption.sentence.replace(f"{{{caption.slot}}}", forms[caption.slot]), lang)


def _phrase(person: Person, case: str, lang: str) -> tuple[str, Span]:
    """The person with its determiner, and where the noun stands in that."""
    noun, determiner = person.noun, person.determiner
    if lang == "eu":
        # A demonstrative stands behind the bare noun and takes the case; elsewhere the noun does.
        if person.place == "after":
            determiner = BASQUE_DEMONSTRATIVES[determiner] if case == "erg" else determiner
        else:
            noun = basque(noun, case or "def")
    elif case:
        raise TiltmeterError(f"there is no form {case!r} of persons in {lang!r}")
    space = "" if lang in ("zh", "ja") else " "
    if person.place == "before":
        return f"{determiner}{space}{noun}", (len(determiner + space), len(determiner + space) + len(noun))
    if person.place == "after":
        return f"{noun}{space}{determiner}", (0, len(noun))
    return noun, (0, len(noun))


def _by_gender(slot: str, person: Person) -> str:
    if person.gender == "nonbinary":
        raise TiltmeterError(f"{person.noun!r} goes with neither of {slot}")
    male, _, female = slot.partition("|")
    return male if person.gender == "male" else female
