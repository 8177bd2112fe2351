"""What tells a German keyword's gender outside its own phrase."""

import re

from tiltmeter.language._german_words import NUMBERS, PREPOSITIONS, Kind, Word, word_set


def leak_outside(words: list[Word], phrase: tuple[int, int], kind: Kind) -> str:
    """The first word outside the phrase that may tell the person's gender; careful rather than lax.

    Pronouns count whomever they stand for: sie may be they, and er the chair, but no rule tells.
    """
    for n, word in enumerate(words):
        if phrase[0] <= n < phrase[1]:
            continue
        if _is_pronoun(words, n) or _is_relative(words, n, phrase, kind) or _is_role(words, n, kind):
            return word.text
        if re.fullmatch(r"\d+-?[Jj]ährige[rn]?|[a-zäöüA-ZÄÖÜ]+-?[Jj]ährige[rn]?", word.text) and _names_a_person(
            words, n
        ):
            return word.text
        following = words[n + 1].lower if n + 1 < len(words) else ""
        if word.lower in ("der", "die") and following in ("eine", "andere") and not _is_adjective(words, n + 1):
            return f"{word.text} {words[n + 1].text}"
        if word.lower in ("einer", "eine", "keiner", "keine", "jeder", "jede") and following in ("der", "von", "unter"):
            return word.text
    return ""


def _is_pronoun(words: list[Word], n: int) -> bool:
    word = words[n]
    after = words[n + 1] if n + 1 < len(words) and not words[n + 1].gap.strip() else None
    if word.text == "Sie" or re.fullmatch(r"Ihr(e[rsnm]?)?|Ihnen", word.text):
        return False if n and not re.search(r"[.:!?„“\"»«]", word.gap) else not _polite(words)
    if word.lower in ("er", "ihn", "ihm", "sie", "ihrerseits", "seinerseits", "seinetwegen", "ihretwegen"):
        return True
    if word.lower == "sein":
        return after is not None and (after.is_capital or bool(re.search(r"e[rs]$", after.text)))
    if word.lower == "ihr" and any(other.lower in _SECOND_PLURAL for other in words):
        return False
    return bool(re.fullmatch(r"seine[rsnm]?|ihr(e[rsnm]?)?|seins|ihrs", word.lower))


_SECOND_PLURAL = word_set("habt seid wart hattet könnt wollt müsst sollt dürft werdet kommt geht wisst macht euch")


def _polite(words: list[Word]) -> bool:
    """A polite Sie stands elsewhere, too, or the verb before it is one that asks."""
    return sum(word.text in ("Sie", "Ihnen", "Ihr", "Ihre", "Ihren", "Ihrem", "Ihrer") for word in words) > 1


_RELATIVE: dict[Kind, frozenset[str]] = {
    "m": frozenset({"der", "den", "dem", "dessen", "welcher", "welchen", "welchem"}),
    "f": frozenset({"die", "der", "deren", "welche", "welcher"}),
    "n": frozenset({"das", "dem", "dessen", "die", "der", "deren", "welches", "welchem"}),
}


def _is_relative(words: list[Word], n: int, phrase: tuple[int, int], kind: Kind) -> bool:
    """Behind a comma or a preposition behind one, and no article: no noun follows."""
    if n < phrase[1] or words[n].lower not in _RELATIVE[kind]:
        return False
    opening = n - 1 if n - 1 >= phrase[1] and words[n - 1].lower in PREPOSITIONS else n
    if "," not in words[opening].gap:
        return False
    if words[n].lower in ("dessen", "deren"):
        return True
    if opening == phrase[1] and opening == n and not _noun_ends_the_clause(words, n):
        return True
    return not _is_article(words, n)


def _is_article(words: list[Word], n: int) -> bool:
    """A noun follows, with adjectives before it at most."""
    for word in words[n + 1 : n + 4]:
        if word.gap.strip():
            return False
        if word.is_capital:
            return True
        if not re.search(r"(e|en|er|es)$", word.text) or word.lower in _NO_ADJECTIVES:
            return word.lower in NUMBERS or word.text.isdigit()
    return False


_NO_ADJECTIVES = word_set(
    "immer aber unter über hinter wieder früher später gerne heute morgen ohne keine keinen keiner eine einen einer "
    "meine meinen seine seinen ihre ihren unsere unseren gegen wegen neben zwischen eben daneben sehen haben hatte "
    "wollte konnte sollte musste durfte wurde gestern selber leider weder jede jeden diese diesen viele alle"
)


def _noun_ends_the_clause(words: list[Word], n: int) -> bool:
    """`Der Onkel, die Hände in den Taschen, ...` has an article where a relative clause would end with its verb."""
    end = n + 1
    while end < len(words) and "," not in words[end].gap:
        end += 1
    return _is_article(words, n) and words[end - 1].is_capital


_FEMININE = re.compile(
    r"(er|ist|[ae]nt|or|eur|log|ärzt|wält|amt|kolleg|köch|gatt|zeug|kund|gräf|gött|held|wirt|"
    r"pilot|dat|krat|mat|chef|russ|türk|zös|griech|pol|brit|nes|bot|sklav|expert|invest|nachbar|genoss|nom|soph|"
    r"graf|chirurg|pädagog|freund|land|schwed|dän|fin|schott|ir|bayer|sachs|schwäb|ur)in$",
    re.IGNORECASE,
)
_NOT_FEMININE = word_set("Schwerin Glycerin Mandarin Berlin Termin Kamin Turin Cousin Doktrin Urin Stettin")
_MASCULINE = re.compile(
    r"(er|ist|ent|ant|or|eur|loge|arzt|anwalt|koch|chef|pilot|soldat|mann|graf|wirt|bauer|kollege|zeuge|kunde|held|"
    r"nachbar|experte|bote|diplomat|chirurg|pädagoge|fotograf|genosse|pate|erbe|kandidat|könig|athlet|poet|prinz|"
    r"beamter|angestellter|lotse|matrose|sklave|herr|schmied|astronom|ökonom|philosoph)$",
    re.IGNORECASE,
)
_THINGS = word_set(
    "adler alter cent chor dauer drucker eier event feier feuer frist geist gunst humor kater kunst lager "
    "leber likör list liter länder mauer messer meter mist motor opfer räder sender teller tiger tor ufer "
    "ärger leiter"
)
"""What looks like a masculine role and is none."""
_THINGS_AT_THE_END = tuple(
    word_set(
        "abenteuer advent akzent argument becher bilder butter bücher charakter computer dezember diamant "
        "dokument donner elefant element experiment faktor fehler fenster filter finger folter fundament geister "
        "geschwister hammer herbst horror hunger hydrant häuser instrument jubiläumsfeier kalender kammer keller "
        "kinder klammer klavier kleider kloster koffer kompliment kontinent körper kühler laster lieder malheur "
        "medikament mitglieder moment monitor monster muster mutter männer november nummer oktober orchester "
        "panther papier parlament patent pfeffer pflaster polster prozent pulver quartier reaktor rechner "
        "register restaurant schalter schleier schulter schwester segment sektor semester september silber sommer "
        "stecker steuer talent terror theater tochter traktor trauer turnier ungeheuer völker wasser wecker "
        "wetter winter ziffer zimmer zucker"
    )
)
"""The same, as the last part of a compound, too."""
_COPULAS = word_set("ist war wird wurde bleibt blieb sei wäre geworden werden")


def _is_role(words: list[Word], n: int, kind: Kind) -> bool:
    """A noun for what the person is, in the gender of the person: behind als, after a copula, in apposition."""
    word = words[n]
    if not word.is_capital or n == 0:
        return False
    if kind == "m":
        matches = (
            bool(_MASCULINE.search(word.text))
            and word.lower not in _THINGS
            and not word.lower.endswith(_THINGS_AT_THE_END)
        )
    else:
        matches = bool(_FEMININE.search(word.text)) and word.text not in _NOT_FEMININE
    nominal = bool(_NOMINALISED.fullmatch(word.text)) and (kind == "m") == word.text.endswith("er")
    if not (matches or nominal):
        article = words[n - 1].lower == ("der" if kind == "m" else "die")
        return article and bool(_NOMINALISED.fullmatch(word.text)) and bool(set(_lowers(words)) & _COPULAS)
    begin = n
    while (
        begin and not words[begin].gap.strip() and (_is_adjective(words, begin - 1) or words[begin - 1].lower in _EIN)
    ):
        begin -= 1
    before = words[begin - 1].lower if begin and not words[begin].gap.strip() else ""
    indefinite = begin == n or words[begin].lower in _EIN or not words[begin].lower.startswith(("d", "m", "u"))
    if before == "als" or (before in ("zum", "zur") and set(_lowers(words)) & {"wurde", "gewählt", "ernannt", "wird"}):
        return True
    if "," in words[begin].gap:
        return True
    if not indefinite or before in PREPOSITIONS or before in _DEFINITE:
        return False
    return bool(set(_lowers(words)) & _COPULAS)


_EIN = frozenset({"ein", "eine", "einen", "kein", "keine"})
_DEFINITE = word_set(
    "der die das dem den des im am zum zur vom beim ins mein meine meinem meiner meinen meines unser unsere unserem "
    "unserer dein deine deinem deiner diese dieser diesem diesen dieses jeder jede jedem "
    "jeden einem einer eines"
)
_NOMINALISED = re.compile(
    r"(Angestellt|Beamt|Angeklagt|Verwandt|Bekannt|Verdächtig|Verletzt|Jugendlich|Erwachsen|Fremd|Deutsch|Abgeordnet|"
    r"Vorsitzend|Studierend|Verlobt|Gefangen|Krank|Blind|Erst|Letzt|Einzig|Ältest|Jüngst|Best|Zweit|Dritt|Selbstständig|"
    r"Freiwillig|Arbeitslos|Überlebend|Beschuldigt|Vertraut|Intellektuell|Heilig|Reisend|Gelehrt|Obdachlos|Tot)er?"
)


def _lowers(words: list[Word]) -> list[str]:
    return [word.lower for word in words]


def _is_adjective(words: list[Word], n: int) -> bool:
    """Declined, in lower case, and straight before a noun."""
    after = words[n + 1] if n + 1 < len(words) and not words[n + 1].gap.strip() else None
    return (
        bool(re.search(r"[a-zäöüß]e[rsnm]?$", words[n].text))
        and words[n].text[0].islower()
        and words[n].lower not in _DEFINITE
        and words[n].lower not in _COPULAS
        and after is not None
        and (after.is_capital or bool(re.search(r"e[rsnm]?$", after.text)))
    )


def _names_a_person(words: list[Word], n: int) -> bool:
    return words[n].is_capital or "-J" in words[n].text
