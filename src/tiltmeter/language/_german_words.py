"""German determiners, adjective endings and the small words that tell a case."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, get_args

Case = Literal["nom", "acc", "dat", "gen"]
CASES: tuple[Case, ...] = get_args(Case)
Kind = Literal["m", "f", "n"]
"""Grammatical gender of a singular noun."""


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    start: int
    end: int
    gap: str
    """What stands between the word before and this one."""

    @property
    def lower(self) -> str:
        return self.text.lower()

    @property
    def is_capital(self) -> bool:
        return self.text[0].isupper()


def words_of(sentence: str) -> list[Word]:
    found: list[Word] = []
    end = 0
    for match in re.finditer(r"[^\W_]+(?:[-'’][^\W_]+)*", sentence):
        found.append(Word(match[0], match.start(), match.end(), sentence[end : match.start()]))
        end = match.end()
    return found


def word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Declension:
    """A determiner in all its forms; of several spellings the first is the usual one."""

    adjectives: Literal["weak", "mixed", "strong"]
    forms: Mapping[tuple[Kind, Case], tuple[str, ...]]

    def written(self, kind: Kind, case: Case) -> tuple[str, ...]:
        return self.forms.get((kind, case), ())


BARE = Declension("strong", {(kind, case): ("",) for kind in get_args(Kind) for case in CASES})
"""No determiner: the adjective has its endings."""


@cache
def determiners() -> Mapping[str, tuple[Declension, ...]]:
    """The declensions that each written form may belong to, in lower case."""
    found: dict[str, list[Declension]] = {}
    for declension in _all_declensions():
        for form in {form for forms in declension.forms.values() for form in forms}:
            found.setdefault(form, []).append(declension)
    return {form: tuple(declensions) for form, declensions in found.items()}


def adjective_ending(adjectives: str, kind: Kind, case: Case) -> str:
    """-e, -er, -es, -en, -em after a determiner of the kind (weak: der; mixed: ein; strong: none)."""
    if adjectives == "strong":
        return dict(zip(CASES, _STRONG[kind].split(), strict=True))[case]
    if case in ("dat", "gen") or (case == "acc" and kind == "m"):
        return "en"
    if adjectives == "weak":
        return "e"
    return {"m": "er", "f": "e", "n": "es"}[kind]


_STRONG: dict[Kind, str] = {"m": "er en em en", "f": "e e er er", "n": "es es em en"}


def _all_declensions() -> list[Declension]:
    found = [_declension("weak", {"m": "der den dem des", "f": "die die der der", "n": "das das dem des"})]
    for stem in ("dies", "jen", "jed", "jedwed", "welch", "manch", "solch"):
        endings: dict[Kind, str] = {"m": "er en em es", "f": "e e er er", "n": "es es em es"}
        found.append(_declension("weak", {k: " ".join(stem + e for e in v.split()) for k, v in endings.items()}))
    for end in ("selbe", "jenige"):
        joined: dict[Kind, str] = {
            "m": f"der{end} den{end}n dem{end}n des{end}n",
            "f": f"die{end} die{end} der{end}n der{end}n",
            "n": f"das{end} das{end} dem{end}n des{end}n",
        }
        found.append(_declension("weak", joined))
    for stem in ("ein", "kein", "mein", "dein", "sein", "ihr", "unser", "euer"):
        found.append(_like_ein(stem, "eur" if stem == "euer" else stem))
    for preposition, masculine, feminine in CONTRACTIONS:
        forms: dict[tuple[Kind, Case], tuple[str, ...]] = {
            ("m", "dat"): (masculine,),
            ("n", "dat"): (masculine,),
            ("f", "dat"): (feminine or f"{preposition} der",),
        }
        found.append(Declension("weak", forms))
    for preposition in ("in", "an", "auf", "für", "um", "durch", "über", "unter", "hinter", "vor"):
        accusative: dict[tuple[Kind, Case], tuple[str, ...]] = {
            ("m", "acc"): (f"{preposition} den",),
            ("n", "acc"): (f"{preposition}s",),
            ("f", "acc"): (f"{preposition} die",),
        }
        found.append(Declension("weak", accusative))
    return found


CONTRACTIONS = (("zu", "zum", "zur"), ("von", "vom", ""), ("bei", "beim", ""), ("in", "im", ""), ("an", "am", ""))
"""A preposition with dem, and with der where the two are written as one."""


def _declension(adjectives: Literal["weak", "mixed"], forms: Mapping[Kind, str]) -> Declension:
    return Declension(
        adjectives,
        {(kind, case): (form,) for kind, row in forms.items() for case, form in zip(CASES, row.split(), strict=True)},
    )


def _like_ein(base: str, stem: str) -> Declension:
    def endings(kind: Kind) -> tuple[str, str, str, str]:
        if kind == "f":
            return "e", "e", "er", "er"
        return "", "en" if kind == "m" else "", "em", "es"

    forms: dict[tuple[Kind, Case], tuple[str, ...]] = {}
    for kind in get_args(Kind):
        for case, ending in zip(CASES, endings(kind), strict=True):
            usual = stem + ending if ending else base
            short = {"unser": "unsr", "euer": "euer"}.get(base)
            also = (short + ending, f"{base}{ending[1:]}") if short and ending in ("en", "em") else ()
            forms[kind, case] = (usual, *((short + ending,) if short and ending and not also else ()), *also)
    return Declension("mixed", forms)


DATIVE = word_set(
    "mit von zu bei aus nach seit gegenüber außer samt mitsamt nebst entgegen ab zuliebe gemäß nahe zufolge"
)
ACCUSATIVE = word_set("für ohne gegen um durch bis wider per pro")
EITHER = word_set("in an auf über unter vor hinter neben zwischen")
GENITIVE = word_set(
    "wegen trotz während statt anstatt aufgrund anstelle innerhalb außerhalb seitens zugunsten hinsichtlich bezüglich "
    "mithilfe namens angesichts infolge dank unweit jenseits diesseits oberhalb unterhalb zwecks laut mittels "
    "anlässlich inmitten ungeachtet zulasten einschließlich"
)
PREPOSITIONS = DATIVE | ACCUSATIVE | EITHER | GENITIVE
CONTRACTED = word_set("zum zur vom beim im am ins ans aufs fürs ums durchs übers unters hinters vors hinterm")

NUMBERS = word_set(
    "zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn zwanzig dreißig hundert tausend beide beiden "
    "beider viele vielen vieler wenige wenigen einige einigen einiger mehrere mehreren mehrerer alle allen aller "
    "etliche etlichen sämtliche sämtlichen zahlreiche zahlreichen paar zwo zweier dreier"
)

ADJECTIVES = word_set(
    "alt jung klein groß lieb fremd älter jünger ältest jüngst alleinerziehend alleinstehend arm gut best eigen neu "
    "krank tot verstorben ehemalig verheiratet geschieden künftig zukünftig leiblich werdend stolz einzig streng "
    "unbekannt bewaffnet betrunken verletzt elegant dick dünn schlank mittelalt blond dunkelhaarig wütend freundlich "
    "obdachlos reich schön nett klug brav wohlhabend einsam verschwunden vermisst berühmt bekannt traurig"
)
"""Adjectives of persons that are taken for such without a determiner before them."""
