"""German: a keyword's determiner and adjectives are exchanged with it; what else agrees with it is a leak."""

import re
from typing import Literal

from tiltmeter.language._german_case import cases_told
from tiltmeter.language._german_leaks import leak_outside
from tiltmeter.language._german_words import (
    ADJECTIVES,
    BARE,
    CASES,
    CONTRACTIONS,
    NUMBERS,
    Case,
    Declension,
    Kind,
    Word,
    adjective_ending,
    determiners,
    words_of,
)
from tiltmeter.language.agreement import Agreement, Span
from tiltmeter.language.capitals import capitalised


def check(sentence: str, span: Span, gender: Literal["male", "female"], opposite: str) -> Agreement:
    """The phrase from the determiner to the keyword, and that phrase for the other gender.

    The case follows from the determiner's form and the noun's gender. `meine Schwester` is nominative or accusative,
    `der Schwester` dative or genitive, and the other gender tells them apart: there the case is taken from a
    preposition, or from the rest of the clause where it leaves one reading; otherwise the determiner is the leak.
    """
    words = words_of(sentence)
    at = next((n for n, word in enumerate(words) if word.start <= span[0] < word.end), None)
    if at is None or (words[at].start, words[at].end) != tuple(span):
        return Agreement(sentence[slice(*span)], span, opposite)
    noun = words[at].text
    own, other = _kind(noun, gender), _kind(opposite, "female" if gender == "male" else "male")
    lemma = _lemma(opposite, other)
    first = _phrase_begins(words, at)
    if first == at:
        leak = _bare_leak(words, at, own) or leak_outside(words, (at, at + 1), own)
        return Agreement(leak, span, f"{lemma}s" if _is_possessor(noun, own) else lemma)
    readings = _readings(words[first : at + 1], own, other, lemma)
    if len(set(readings.values())) > 1:
        told = cases_told(words, (first, at + 1), frozenset(readings))
        readings = {case: text for case, text in readings.items() if case in told}
    leak = _possessor_of_a_spouse(words[first], noun) or leak_outside(words, (first, at + 1), own)
    if len(set(readings.values())) != 1:
        return Agreement(leak or words[first].text, span, opposite)
    (written,) = set(readings.values())
    begins, written = _contracted(words, first, own, written)
    if words[begins].is_capital:
        written = capitalised(written, "de")
    return Agreement(leak, (words[begins].start, span[1]), written)


def _kind(noun: str, gender: Literal["male", "female"]) -> Kind:
    if gender == "male":
        return "m"
    return "n" if re.search(r"(chen|lein)s?$", noun) else "f"


_LONG_GENITIVE = re.compile(r"(mann|sohn|freund)(es)?$", re.IGNORECASE)


def _lemma(noun: str, kind: Kind) -> str:
    """The nominative singular of a keyword in any form of the singular."""
    if kind == "m" and noun.endswith("en"):
        return noun[:-1]
    if kind == "m" and noun.endswith("es") and _LONG_GENITIVE.search(noun):
        return noun[:-2]
    return noun[:-1] if noun.endswith("s") and not noun.endswith("ss") else noun


def _inflected(lemma: str, kind: Kind, case: Case) -> tuple[str, ...]:
    """The forms of a case, the usual one first."""
    if kind == "m" and lemma.endswith("e"):
        return (lemma,) if case == "nom" else (f"{lemma}n",)
    if kind == "f" or case != "gen":
        return (lemma,)
    return (f"{lemma}es", f"{lemma}s") if _LONG_GENITIVE.search(lemma) else (f"{lemma}s",)


def _phrase_begins(words: list[Word], at: int) -> int:
    """Where the determiner stands, or the adjective of a phrase without one, or the noun itself."""
    for n in range(at - 1, max(at - 5, -1), -1):
        if words[n + 1].gap.strip():
            break
        if words[n].lower in determiners() and not (n < at - 1 and words[n].lower in ("am", "im")):
            return n
        if not (_declines(words[n].text) or n < at - 1 or words[n].text in ("Berliner", "Wiener")):
            break
        if words[n].is_capital and n > 0 and words[n].text not in _OF_AGE:
            break
    if at == 0 or words[at].gap.strip() or not _declines(words[at - 1].text):
        return at
    adjective = words[at - 1]
    stem = re.sub(r"e[rsnm]?$", "", adjective.lower)
    after_possessor = at > 1 and not adjective.gap.strip() and _may_stand_before_a_bare_noun(words[at - 2], at - 2)
    return at - 1 if stem in ADJECTIVES or (after_possessor and not adjective.is_capital) else at


_OF_AGE = ("Jahre", "Monate", "Wochen", "Tage")
"""`eine 40 Jahre alte Frau`: a measure inside the phrase."""


def _declines(text: str) -> bool:
    return bool(re.search(r"[a-zäöüß]e[rsnm]?$", text)) and text.lower() not in NUMBERS and text not in _OF_AGE


def _may_stand_before_a_bare_noun(word: Word, n: int) -> bool:
    """als, wessen, and names in the genitive: `Webers ältester Sohn`."""
    if word.lower in ("als", "wessen", "dessen", "deren"):
        return True
    return word.is_capital and word.text.endswith("s") and (n > 0 or len(word.text) > 4) and word.lower != "abends"


def _readings(phrase: list[Word], own: Kind, other: Kind, lemma: str) -> dict[Case, str]:
    """The phrase for the other gender, by each case in which the one given is right for its own."""
    first, noun = phrase[0], phrase[-1].text
    declensions = determiners().get(first.lower, ())
    if not declensions:
        return _in_each_case(BARE, "", phrase[:-1], noun, own, other, lemma)
    found: dict[Case, str] = {}
    for declension in declensions:
        found |= _in_each_case(declension, first.text, phrase[1:-1], noun, own, other, lemma)
    return found


def _in_each_case(
    declension: Declension, first: str, adjectives: list[Word], noun: str, own: Kind, other: Kind, lemma: str
) -> dict[Case, str]:
    found: dict[Case, str] = {}
    for case in CASES:
        if first.lower() not in declension.written(own, case) or noun not in _own_forms(noun, own, case):
            continue
        changed = [_adjective(word.text, declension.adjectives, own, other, case) for word in adjectives]
        if None in changed:
            continue
        determiner = declension.written(other, case)[0]
        if first.startswith("Ihr"):
            determiner = determiner.capitalize()  # the polite one
        parts = [determiner, *(text for text in changed if text), _inflected(lemma, other, case)[0]]
        found[case] = " ".join(filter(None, parts))
    return found


def _own_forms(noun: str, own: Kind, case: Case) -> tuple[str, ...]:
    """What the keyword would have to be in a case, taking it for any form of itself."""
    lemmas = {_lemma(noun, own)} | ({noun} if not noun.endswith(("s", "en")) or own == "n" else set())
    return tuple(form for lemma in lemmas for form in _inflected(lemma, own, case))


def _adjective(text: str, adjectives: str, own: Kind, other: Kind, case: Case) -> str | None:
    """The adjective as the other gender has it; nothing where its ending is not that of the case."""
    if not _declines(text) or (text[0].isupper() and text.endswith("er") and adjectives != "strong"):
        return text
    stem = text.removesuffix(adjective_ending(adjectives, own, case))
    if stem == text or stem.endswith("e"):
        return None
    return stem + adjective_ending(adjectives, other, case)


def _contracted(words: list[Word], first: int, own: Kind, written: str) -> tuple[int, str]:
    """`von der Mutter` is `vom Vater`: dem joins a preposition before it."""
    if own != "f" or first == 0 or words[first].text != "der" or not written.startswith("dem "):
        return first, written
    for preposition, masculine, _ in CONTRACTIONS:
        if words[first - 1].lower == preposition and not words[first].gap.strip():
            return first - 1, masculine + written.removeprefix("dem")
    return first, written


def _is_possessor(noun: str, own: Kind) -> bool:
    """`Vaters Auto`, `Omas Garten`: without a determiner every noun takes -s."""
    return noun.endswith("s") and not noun.endswith("ss") and own != "n"


def _bare_leak(words: list[Word], at: int, own: Kind) -> str:
    """What shows that a noun without a determiner is a plural, an adjective, or a title before a name."""
    noun, before = words[at].text, words[at - 1] if at and not words[at].gap.strip() else None
    after = words[at + 1] if at + 1 < len(words) and not words[at + 1].gap.strip() else None
    if noun in ("Junge", "Frau") and after and after.is_capital:
        return after.text
    if before and (before.lower in NUMBERS or before.text.isdigit()):
        return before.text
    bound = before is not None and _may_stand_before_a_bare_noun(before, at - 1)
    if not bound and (own == "n" or noun in ("Enkel", "Jungen", "Neffen", "Cousins", "Onkels", "Opas", "Papas")):
        return before.text if before and _declines(before.text) else noun
    return ""


_SPOUSES = ("Mann", "Frau", "Ehemann", "Ehefrau", "Freund", "Freundin", "Bräutigam", "Braut", "Mannes", "Ehemannes")


def _possessor_of_a_spouse(determiner: Word, noun: str) -> str:
    """`seine Frau` tells a gender as far as couples are of two."""
    if noun in _SPOUSES and re.fullmatch(r"sein(e[rsnm]?)?|ihr(e[rsnm]?)?", determiner.text):
        return determiner.text
    return ""
