"""The case of a German phrase whose form leaves two, from what stands around it."""

import re
from collections.abc import Iterator
from typing import Literal

from tiltmeter.language._german_words import (
    ACCUSATIVE,
    CONTRACTED,
    DATIVE,
    GENITIVE,
    PREPOSITIONS,
    Case,
    Word,
    determiners,
    word_set,
)

Told = frozenset[Case]


def cases_told(words: list[Word], phrase: tuple[int, int], possible: Told) -> Told:
    """Those of the possible cases that the sentence leaves; both where it leaves both."""
    before = words[phrase[0] - 1] if phrase[0] and not words[phrase[0]].gap.strip() else None
    governed = possible & _governed(before.lower) if before and before.lower in PREPOSITIONS else frozenset()
    if governed:  # seit, während and bis are conjunctions, too
        return governed
    if possible <= {"dat", "gen"}:
        return possible & _oblique(words, phrase[0], before)
    if possible <= {"nom", "acc"}:
        return possible & _direct(words, phrase)
    return possible


def _governed(preposition: str) -> Told:
    if preposition in GENITIVE:
        return frozenset({"gen"})
    if preposition in DATIVE:
        return frozenset({"dat"})
    return frozenset({"acc"}) if preposition in ACCUSATIVE else frozenset({"acc", "dat"})


_BOTH: Told = frozenset({"nom", "acc", "dat", "gen"})


def _oblique(words: list[Word], first: int, before: Word | None) -> Told:
    """Dative or genitive: behind a noun that a preposition governs or that begins the sentence it is genitive."""
    if before is None:
        genitive = any(re.fullmatch(r"des|(ein|mein|dein|sein|ihr|unser|eur)es", word.lower) for word in words[:first])
        return _BOTH if genitive else frozenset({"dat"})
    if before.lower in ("und", "oder", "sowie", "als", "wie"):
        return _BOTH
    if not before.is_capital or first == 1:
        return frozenset({"dat"})
    if before.lower in _NOMINATIVE | {"sie", "uns", "euch"}:
        return frozenset({"dat"})
    for n in range(first - 2, max(first - 6, -1), -1):
        lower = words[n].lower
        governed = lower in PREPOSITIONS or lower in CONTRACTED
        if governed or (n == 0 and lower in determiners()):
            return frozenset({"gen"})
        if words[n].is_capital and n:
            break
    return _BOTH


def _direct(words: list[Word], phrase: tuple[int, int]) -> Told:
    """Nominative or accusative, from subject, object and verb of the clause.

    A nominative pronoun or an infinitive with zu leaves the accusative, another accusative or a copula the nominative.
    Where nothing else in the clause could be the subject, or only what follows and cannot be masculine, the phrase is
    the subject.
    """
    nominative: Told = frozenset({"nom"})
    accusative: Told = frozenset({"acc"})
    first, last = phrase
    begin, end = _clause(words, phrase)
    if (
        first > begin
        and words[first - 1].lower in ("als", "wie")
        and not (first - 1 == begin and words[first].lower in determiners())
    ):
        return _BOTH
    rest = [*range(begin, first), *range(last, end)]
    lowers = [words[n].lower for n in rest]
    joined = next((n for n in range(first - 1, begin - 1, -1) if words[n].lower in _JOINING), None)
    if joined == first - 1 and joined is not None:
        verb_follows = last < end and _is_finite(words[last])
        return nominative if verb_follows and joined > begin else _BOTH
    if last < end and words[last].lower in ("und", "oder", "sowie"):
        return _BOTH
    if joined is not None and joined > begin:
        rest = [*range(joined + 1, first), *range(last, end)]
        lowers = [words[n].lower for n in rest]
    elif joined is None and begin and _elides_its_subject(words, begin, first):
        return _BOTH
    if set(lowers) & _COPULAS:
        return nominative
    found = list(_others(words, rest, begin))
    kinds = {kind for _, kind in found}
    if "subject" in kinds or {"es", "gibt"} <= set(lowers) or {"es", "gab"} <= set(lowers):
        return accusative
    if "object" in kinds:
        return nominative
    finite = any(_is_finite(words[n]) for n in rest)
    if not finite and _has_infinitive(words, rest):
        return accusative
    if words[begin].lower in _IMPERATIVES and not finite:
        return accusative
    if set(lowers) & _PLURAL_VERBS and not set(lowers) & _SINGULAR_VERBS:
        return accusative
    if joined is not None or not finite:
        return _BOTH
    if any(kind == "either" and n < first for n, kind in found) or "rival" in kinds:
        return _BOTH
    return nominative


_BREAKS = re.compile(r"[,;:.!?()„“”\"»«…]|\s[–—-]\s")
_JOINING = frozenset({"und", "oder", "aber", "sondern", "sowie"})


def _clause(words: list[Word], phrase: tuple[int, int]) -> tuple[int, int]:
    begin, end = phrase
    while begin > 0 and not _BREAKS.search(words[begin].gap):
        begin -= 1
    while end < len(words) and not _BREAKS.search(words[end].gap):
        joins = words[end].lower in ("und", "oder", "aber", "sondern", "denn")
        if joins and (end > phrase[1] or (end + 1 < len(words) and _is_finite(words[end + 1]))):
            break
        end += 1
    return begin, end


_SUBORDINATING = word_set(
    "als wenn weil da nachdem bevor seit seitdem während obwohl ob dass wo wie was wer wem wen sobald solange bis "
    "falls sofern ehe indem damit der die das dem den dessen deren denen um ohne statt immer nachts"
)


def _elides_its_subject(words: list[Word], begin: int, first: int) -> bool:
    """`Er stand auf, nahm die Frau ...`: a verb behind a comma, and no subordinate clause before it."""
    if "," not in words[begin].gap or re.search(r"[“”\"»«:]", words[begin].gap):
        return False
    if begin == first or words[begin].lower in _SUBORDINATING or not _is_finite(words[begin]):
        return False
    before = begin - 1
    while before > 0 and not _BREAKS.search(words[before].gap):
        before -= 1
    opening = {words[before].lower, words[min(before + 1, begin - 1)].lower}
    return not opening & _SUBORDINATING


_NOMINATIVE = frozenset({"ich", "du", "wir", "man", "er", "wer"})
_COPULAS = frozenset(
    {"ist", "war", "wäre", "sei", "bin", "bist", "wurde", "worden", "bleibt", "blieb", "heißt", "hieß"}
)
_PLURAL_VERBS = word_set(
    "haben hatten hätten können konnten wollen wollten sollen sollten müssen mussten dürfen durften mögen"
)
_SINGULAR_VERBS = word_set("hat hatte hätte kann konnte will wollte soll sollte muss musste darf durfte wird")
_IMPERATIVES = word_set(
    "ruf rufe frag frage hol hole bring bringe nimm lass lasse grüß grüße besuch besuche sieh hör höre weck wecke "
    "schick schicke begleite umarm umarme fahr fahre vergiss stell stelle küss küsse bitte such suche warne"
)
_INDEFINITE = word_set(
    "niemand jemand keiner einer jeder alle beide viele manche einige mehrere andere wenige irgendjemand"
)
_TIMES = re.compile(
    r"(Stunde|Tag|Abend|Morgen|Nacht|Woche|Monat|Jahr|Mal|Weile|Zeit|Minute|Sekunde|Meter|Winter|Sommer|Herbst|Frühling"
    r"|Augenblick|Moment|Nachmittag|Vormittag|Mittag|Wochenende|Kilo|Stück)e?n?s?$",
    re.IGNORECASE,
)
_WEEKDAYS = re.compile(r"(Mon|Diens|Donners|Frei|Sams|Sonn)tag|Mittwoch", re.IGNORECASE)
_ADVERBS = word_set(
    "gestern heute morgen dann da dort hier jetzt nun oft nie manchmal immer früher später damals bald plötzlich "
    "endlich leider zuerst zuletzt danach deshalb daher trotzdem vielleicht bestimmt nachts abends morgens mittags "
    "warum wann wo wie woher wohin weshalb wieso wem also doch so auch nur sogar schon noch nebenan draußen drinnen "
    "oben unten links rechts überall nirgends inzwischen mittlerweile seitdem schließlich einmal einst neulich "
    "jüngst kürzlich vorhin hinten vorn vorne daneben dabei dafür dagegen außerdem zudem wenn als weil dass ob "
    "obwohl nachdem bevor sobald solange falls denn und aber oder sondern"
)


def _others(
    words: list[Word], rest: list[int], begin: int
) -> Iterator[tuple[int, Literal["subject", "object", "either", "rival"]]]:
    """Each other phrase that may be subject or object, by what it can be.

    `subject` and `object` can be nothing else; a `rival` may be the subject wherever it stands; `either` only counts
    where it stands first.
    """
    position = 0
    while position < len(rest):
        n = rest[position]
        word, lower = words[n], words[n].lower
        position += 1
        if lower in PREPOSITIONS or lower in CONTRACTED:
            position = _past_noun(words, rest, position)
        elif n and words[n - 1].lower in ("als", "wie") and lower in _NOMINATIVE and n > begin + 1:
            continue
        elif lower in _NOMINATIVE or (word.text == "Sie" and n and words[n - 1].text.endswith("n")):
            yield n, "subject"
        elif lower in ("mich", "dich", "ihn", "wen"):
            yield n, "object"
        elif lower in _INDEFINITE:
            yield n, "rival"
        elif lower in ("es", "sie", "was", "etwas", "nichts", "alles"):
            yield n, "either"
        elif lower in determiners():
            end = _past_noun(words, rest, position)
            phrase = [words[m] for m in rest[position:end]]
            position = end
            kind = _of_phrase(words, n, phrase, is_first=n == begin)
            if kind:
                yield n, kind
        elif word.is_capital and _may_be_a_noun(word, n):
            yield n, "either"


def _may_be_a_noun(word: Word, n: int) -> bool:
    if _TIMES.search(word.text) or _WEEKDAYS.match(word.text):
        return False
    opens = re.search(r"[:„“\"»«]", word.gap)
    return not opens if n else not _is_adverb(word) and not _is_finite(word)


def _is_adverb(word: Word) -> bool:
    return word.lower in _ADVERBS or bool(re.search(r"(tags|lich|weise|ends|nachts)$", word.lower))


def _past_noun(words: list[Word], rest: list[int], position: int) -> int:
    """The position behind the noun that a determiner or preposition leads to; one word on where there is none."""
    for step in range(position, min(position + 5, len(rest))):
        if step > position and rest[step] != rest[step - 1] + 1:
            break
        if words[rest[step]].is_capital or words[rest[step]].text.isdigit():
            return step + 1
        if _is_finite(words[rest[step]]) and step > position:
            break
    return position


def _of_phrase(
    words: list[Word], n: int, phrase: list[Word], *, is_first: bool
) -> Literal["subject", "object", "either", "rival"] | None:
    lower = words[n].lower
    if not phrase:  # a pronoun of relation, or one that points
        after_comma = "," in words[n].gap
        relative: dict[str, Literal["subject", "object", "either"]] = {"der": "subject", "den": "object"}
        if after_comma and lower in relative:
            return relative[lower]
        return "either" if lower in ("die", "das", "dies", "dieses", "diese") else None
    noun = phrase[-1].text
    if _TIMES.search(noun) or _WEEKDAYS.match(noun):
        return None
    if re.fullmatch(r"(d|dies|jed|ein|kein|mein|dein|sein|ihr|unser|eur)en", lower):
        return None if noun.endswith("n") and lower != "einen" else "object"
    if (lower == "die" and noun.endswith("en")) or lower in ("dem", "des") or lower.endswith(("em", "es")):
        return "either" if lower in ("dieses", "jedes", "jenes") else None
    if lower == "der" or (lower.endswith("er") and lower not in ("unser", "euer")):
        adjectives = [word.text for word in phrase[:-1]]
        attribute = n > 0 and words[n - 1].is_capital and not words[n].gap.strip() and not is_first
        if attribute or any(text.endswith("en") for text in adjectives):
            return None
        return "rival"
    if re.fullmatch(r"(k|m|d|s)?ein|ihr|unser|euer", lower):
        adjectives = [word.text for word in phrase[:-1]]
        if any(text.endswith("es") for text in adjectives):
            return "either"
        masculine = any(text.endswith("er") for text in adjectives)
        person = re.search(r"(er|ist|ent|ant|or|eur|mann|arzt|nachbar|hund|vater|sohn)$", noun, re.IGNORECASE)
        return "rival" if masculine or person else "either"
    return "either"


_NO_VERBS = word_set(
    "nicht mit seit oft jetzt dort fast sonst erst selbst zuletzt überhaupt weit laut acht gut alt kalt nackt bitte "
    "heute gestalt bereit statt samt mitsamt zuerst längst höchst meist möglichst bekannt insgesamt direkt sofort "
    "vielleicht leicht schlecht recht echt nachts dicht fest satt tot rot zeit unbekannt hundert rechte leichte alte "
    "letzte erste zweite dritte vierte beste gute weite kalte rote echte bunte unterste oberste nächste mitunter "
    "glatt spät knapp hart zart wert bunt fort entlang geschickt verrückt berühmt ernst ernsthaft sanft zuletzt"
)
_STRONG = re.compile(
    r"(war|kam|ging|stand|saß|nahm|gab|sah|lief|fuhr|schlug|trug|hielt|blieb|schrieb|rief|fand|half|sprach|las|aß|trank"
    r"|sang|sprang|lag|zog|flog|bog|hob|schob|verlor|fror|roch|goss|schoss|schloss|floss|wusch|wuchs|lud|grub|ließ|lieh"
    r"|schlief|stieg|schwieg|schien|stieß|hieß|ritt|schnitt|litt|griff|pfiff|biss|riss|stritt|glich|strich|wich|bot|log"
    r"|betrog|flocht|focht|starb|warf|traf|brach|stach|stahl|empfahl|befahl|bat|trat|vergaß|maß|fraß|band|schwand|sank"
    r"|trieb|rieb|stank|schwamm|begann|gewann|rann|spann|fing|hing|wies|pries|bewies|schwor|erschrak|tat|sandte|floh"
    r"|schmiss|verschwand|übernahm|schwang|rang|klang|gelang|drang|zwang|wand|buk|wog|erlosch|fiel|riet|blies|schuf|briet|hieb|lieh|schritt|schlich|kniff|verriet|kroch|genoss|mied)$"
)
_MODALS = word_set("will kann soll muss darf mag weiß wird wurde würde")


def _is_finite(word: Word) -> bool:
    """Looks like a verb of the third person singular."""
    lower = word.lower
    if word.is_capital and word.gap.strip() == "" and word.start > 0:
        return False
    if lower in _NO_VERBS or lower in determiners() or lower in PREPOSITIONS:
        return False
    return (
        lower in _MODALS
        or bool(re.search(r"[^aeiou]t$|[aeioäöü][sgkrlnmhf]?t$|te$", lower))
        or bool(_STRONG.search(lower))
    )


def _has_infinitive(words: list[Word], rest: list[int]) -> bool:
    for n in rest:
        if words[n].lower == "zu" and n + 1 < len(words) and words[n + 1].text.endswith("n"):
            return True
        if re.fullmatch(r"[a-zäöü]{2,}zu[a-zäöüß]{3,}n", words[n].text):
            return True
    return False
