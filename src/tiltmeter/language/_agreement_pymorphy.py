"""Words of a Russian sentence that agree with its keyword, by the readings that pymorphy3 gives each word.

Past tense, adjectives, participles, determiners and pronouns carry gender in the singular. A word that carries the
keyword's gender leaks it, unless it plainly belongs to another word: an adjective to its noun, a predicate to its
subject. Where that cannot be told the word counts as a leak: a corpus has sentences to spare.
"""

import re
from collections.abc import Iterator
from typing import Literal

from tiltmeter.language._russian_persons import FEMININES
from tiltmeter.language._russian_words import Gender, Reading, Sentence, Word, fits
from tiltmeter.language.agreement import Agreement, Span


def check(sentence: str, span: Span, gender: Literal["male", "female"], opposite: str) -> Agreement:
    """The first word that tells the gender of the keyword at `span`; the span and the opposite stay as they are."""
    tells: Gender = "masc" if gender == "male" else "femn"
    found = Sentence.read(sentence, span, tells)
    leaking = [] if found.keyword.adjectival else sorted(_leaks(found))
    return Agreement(leaking[0].text if leaking else "", span, opposite)


def _leaks(found: Sentence) -> Iterator[Word]:
    for word in found.words:
        if word is found.keyword:
            continue
        if _counts(found, word) or (found.keyword_is_singular and _tells(found, word)):
            yield word


def _counts(found: Sentence, word: Word) -> bool:
    """Numerals and `one of` before a keyword, which may be plural: две женщины, один из братьев."""
    if word.readings[0].lemma in ("два", "оба", "полтора") and word.has("NUMR"):
        genders = {reading.gender for reading in word.readings if reading.gender}
        head = _counted(found, word)
        return found.gender in genders and (head is found.keyword or (head is None and word.lower.startswith("об")))
    if "Coll" in word.readings[0].grammemes and word.has("NUMR"):
        return found.gender == "masc" and _counted(found, word) is found.keyword
    following = found.words[word.index + 1 : word.index + 2]
    if following and following[0].lower == "из" and word.singular(found.gender, "ADJF"):
        return _counted(found, following[0]) is found.keyword
    return False


def _counted(found: Sentence, word: Word) -> Word | None:
    """The noun after a numeral or preposition."""
    for after in found.words[word.index + 1 :]:
        if after is found.keyword or after.has("NOUN"):
            return after
        if after.clause != word.clause or not after.has("ADJF", "PRTF", "NUMR", "ADVB", "PRCL"):
            return None
    return None


def _tells(found: Sentence, word: Word) -> bool:
    if word.lower in _PRONOUNS[found.gender]:
        return word.lower not in ("им", "ним") or not _plural_before(found, word)
    if found.forms and found.forms[0].lemma in _PARTNERS and _tells_of_partner(found, word):
        return True
    return _attribute_tells(found, word) or _predicate_tells(found, word) or _noun_tells(found, word)


_PRONOUNS = {
    "masc": frozenset(("он", "его", "него", "ему", "нему", "им", "ним", "нем")),
    "femn": frozenset(("она", "ее", "нее", "ей", "ней", "ею", "нею")),
}


def _plural_before(found: Sentence, word: Word) -> bool:
    """Whether им can be a plural."""
    return any(
        reading.number == "plur" and reading.score >= 0.2
        for before in found.words[: word.index]
        if before is not found.keyword and before.has("NOUN", "NPRO", "ADJF")
        for reading in before.readings
    )


_PARTNERS = frozenset(("муж", "жена", "жених", "невеста"))


def _tells_of_partner(found: Sentence, word: Word) -> bool:
    """What tells the gender of one of a couple tells the other's: я познакомилась с мужем, его жена."""
    other: Gender = "femn" if found.gender == "masc" else "masc"
    if word.lower in _PRONOUNS[other]:
        return True
    if sum(reading.score for reading in _predicates(word, other)) < _GOOD:
        return False
    persons = [near for near in found.clause(word.clause) if near.lower in ("я", "ты")]
    return bool(persons) and not _subjects(found, word, other, word.clause)


_GOOD = 0.1
"""The share of a word's uses, by pymorphy3's corpus, from which a reading is believed without the keyword beside it."""


def _attribute_tells(found: Sentence, word: Word) -> bool:
    """Adjectives, participles and determiners with their noun, relatives with what they refer to."""
    adjectival = [reading for reading in word.readings if reading.pos in ("ADJF", "PRTF")]
    if not adjectival or "Fixd" in adjectival[0].grammemes:
        return False
    carries = word.singular(found.gender, "ADJF", "PRTF")
    if not carries:
        return False
    if carries[0].lemma == "который":
        return _refers(found, word)
    head = _head(found, word, adjectival)
    if head is found.keyword:
        return any(reading.agrees(form) for reading in carries for form in found.forms)
    if head is not None or word.is_thing or sum(reading.score for reading in carries) < _GOOD:
        return False
    cases = {reading.case for reading in carries}
    return not (_stands_alone(found, word, cases) or _has_subject(found, word, cases))


def _refers(found: Sentence, word: Word) -> bool:
    """Whether `который` can refer to the keyword: the nearest noun of its gender, or one with no verb in between."""
    before = found.words[: word.index]
    if found.keyword not in before:
        return not any(near.singular(found.gender, "NOUN") for near in before)
    between = found.words[found.keyword.index + 1 : word.index]
    nearer = any(near.singular(found.gender, "NOUN") for near in between)
    return not (nearer and any(near.has("VERB", "INFN") for near in between))


def _head(found: Sentence, word: Word, adjectival: list[Reading]) -> Word | None:
    """The noun an adjective belongs to: right after it, before a comma it follows, or further on in its clause."""

    def agrees(noun: Word) -> bool:
        forms = (
            found.forms if noun is found.keyword else [form for form in noun.readings if form.pos in ("NOUN", "NPRO")]
        )
        return any(reading.agrees(form) for reading in adjectival for form in forms)

    following = found.words[word.index + 1 :]
    for near in following:
        # Some nouns are adverbs more often: прошлой зимой.
        if not near.mark and (near is found.keyword or near.has("NOUN", "ADVB")) and agrees(near):
            return near
        if near is found.keyword or near.has("NOUN") or not _joins(found, near):
            break
    if "," in word.mark:
        for near in reversed(found.words[: word.index]):
            if (near is found.keyword or near.has("NOUN")) and agrees(near):
                return near
            if near.clause < word.clause - 1:
                break
    if adjectival[0].lemma in ("сам", "один"):
        return None
    for near in following:
        if near.clause != word.clause or near.has("VERB", "GRND"):
            return None
        if (near is found.keyword or near.has("NOUN")) and not found.governed(near) and agrees(near):
            return near
    return None


def _joins(found: Sentence, word: Word) -> bool:
    """Whether a noun phrase can go on with the word: новой, ещё чистой и очень тёплой куртке."""
    if word.has("ADJF", "PRTF", "NUMR"):
        return word.mark == "" or (word.mark == "," and "Apro" not in word.readings[0].grammemes)
    if not word.has("ADVB", "PRCL", "CONJ", "COMP"):
        return False
    following = found.words[word.index + 1 : word.index + 2]
    return word.mark == "" or (word.mark == "," and bool(following) and following[0].has("ADJF", "PRTF"))


def _stands_alone(found: Sentence, word: Word, cases: set[str]) -> bool:
    """Adjectives that are nouns (в гостиной, поёт колыбельную), and forms that stand for everybody or for no noun
    (каждый знает; тому, кто; ничего нового)."""
    first = next(reading for reading in word.readings if reading.pos in ("ADJF", "PRTF"))
    lemma = first.lemma
    if "Apro" not in first.grammemes:
        if found.governed(word):
            return True
        if not cases & ({"nomn", "ablt"} | {form.case for form in found.forms}):
            return True
    if found.gender == "femn":
        return False
    following = found.words[word.index + 1 : word.index + 2]
    if lemma in ("каждый", "любой", "всякий"):
        return not following or following[0].lower != "из"
    if lemma == "тот" and following and following[0].lower.startswith("к"):
        return True
    neuter = any(reading.gender == "neut" for reading in word.readings)
    if neuter and lemma in ("тот", "этот", "весь", "такой", "другой"):
        return True
    return neuter and any(_INDEFINITE.fullmatch(near.lower) for near in found.clause(word.clause))


_INDEFINITE = re.compile(r"(ни)?(что|чего|чему|чем)(-то|-нибудь|-либо)?|нечто|(не)?много|мало|столько|сколько")


def _has_subject(found: Sentence, word: Word, cases: set[str]) -> bool:
    """Whether an adjective without a noun is said of another subject: дорога была длинной."""
    if "ablt" in cases and found.keyword.clause == word.clause and found.keyword_is_accusative:
        return False
    return bool(cases & {"nomn", "ablt"}) and _subject_is_another(found, word, transitive=False)


def _predicate_tells(found: Sentence, word: Word) -> bool:
    predicates = _predicates(word, found.gender)
    if not predicates:
        return False
    if sum(reading.score for reading in predicates) < _GOOD:
        return _right_after_keyword(found, word)
    transitive = any("tran" in reading.grammemes for reading in predicates)
    return not _subject_is_another(found, word, transitive=transitive)


def _predicates(word: Word, gender: Gender) -> list[Reading]:
    """Past tense, short adjectives and short participles. Some of these look like a verb (читаем, спит) and are one."""
    if any(reading.pos == "VERB" and not reading.gender for reading in word.readings):
        return word.singular(gender, "VERB")
    return word.singular(gender, "VERB", "ADJS", "PRTS")


def _right_after_keyword(found: Sentence, word: Word) -> bool:
    """A rare reading is believed there: дочь права."""
    between = found.words[found.keyword.index + 1 : word.index]
    near = found.keyword.index < word.index and found.keyword.clause == word.clause
    return near and found.keyword_is_nominative and all(item.has("ADVB", "PRCL", "CONJ") for item in between)


def _subject_is_another(found: Sentence, word: Word, *, transitive: bool) -> bool:
    """Whether a predicate plainly has a subject that is not the keyword."""
    clause = found.clause(word.clause)
    subjects = _subjects(found, word, found.gender, word.clause)
    plain = [near for near in subjects if not any(reading.case == "accs" for reading in near.readings)]
    if found.keyword in clause and found.keyword_is_nominative:
        return bool(plain) and found.keyword_is_accusative and word.readings[0].lemma not in _COPULAS
    if plain or any(near.lower in _PERSONS for near in clause):
        return True
    if subjects:
        return not transitive or (not _waits(found) and _has_object(found, clause, subjects))
    return _outer_subject(found, word)


_COPULAS = frozenset(("быть", "стать", "оказаться", "казаться", "остаться", "являться"))
_PERSONS = frozenset(("я", "ты", "кто", "никто", "кто-то", "кто-нибудь", "кто-либо", "некто", "кое-кто"))
"""Subjects whose gender is the speaker's, or that take the masculine for everybody."""


def _subjects(found: Sentence, word: Word, gender: Gender, clause: int) -> list[Word]:
    """Nouns of a clause that can be the subject of a predicate of that gender, and relatives that are."""
    return [
        near
        for near in found.clause(clause)
        if near not in (found.keyword, word)
        and (near.has("NOUN") or near.readings[0].lemma == "который")
        and any(
            reading.case == "nomn"
            and reading.number == "sing"
            and fits(reading.gender, gender)
            and reading.score >= 0.02
            for reading in near.readings
        )
        and not found.governed(near)
        and not _says_when(found, near)
    ]


def _says_when(found: Sentence, word: Word) -> bool:
    before = found.words[word.index - 1].readings[0].lemma if word.index else ""
    return word.readings[0].lemma in _TIMES and before in ("весь", "целый", "каждый", "этот", "тот", "один")


_TIMES = frozenset(("день", "вечер", "год", "месяц", "час", "раз", "ночь"))


def _has_object(found: Sentence, clause: list[Word], subjects: list[Word]) -> bool:
    """Whether something else in the clause is the object, so that a noun like автобус is not."""
    if found.keyword in clause and found.keyword_is_accusative:
        return True
    return any(
        near.has("NOUN", "NPRO", "INFN")
        and (near.has("INFN") or any(reading.case == "accs" for reading in near.readings))
        and not found.governed(near)
        for near in clause
        if near is not found.keyword and near not in subjects
    ) or any(near.lower in ("что", "чтобы", "как", "ли") for near in found.clause(clause[0].clause + 1)[:2])


def _waits(found: Sentence) -> bool:
    """Whether the keyword is a subject whose predicate has to be in another clause."""
    return found.keyword_is_nominative and not _is_complete(found, found.keyword.clause)


def _is_complete(found: Sentence, clause: int) -> bool:
    return any(word.has("VERB", "ADJS", "PRTS", "PRED") for word in found.clause(clause))


def _outer_subject(found: Sentence, word: Word) -> bool:
    """A subject before an inserted clause (автобус, на котором едет брат, сломался), with the keyword elsewhere."""
    if _waits(found):
        return False
    for clause in range(word.clause - 1, -1, -1):
        complete = _is_complete(found, clause)
        if not complete and _subjects(found, word, found.gender, clause):
            return True
        if complete and clause == word.clause - 1 and _goes_on(found, word):
            return bool(_subjects(found, word, found.gender, clause))
    return False


def _goes_on(found: Sentence, word: Word) -> bool:
    """Whether the predicate only continues the clause before, and the keyword comes later."""
    return found.keyword.clause > word.clause and word.mark == ","


def _noun_tells(found: Sentence, word: Word) -> bool:
    """Nouns with a form for each gender that are said of the keyword: брат — студент, сестра работает учительницей."""
    nouns = [reading for reading in word.singular(found.gender, "NOUN") if reading.lemma in _TWO_FORMS[found.gender]]
    if not nouns or found.governed(word):
        return False
    cases = {reading.case for reading in nouns}
    if "ablt" in cases:
        return True
    beside = word.clause == found.keyword.clause or word.mark.startswith((",", "—", "–", "-"))
    return "nomn" in cases and beside and 0 <= word.clause - found.keyword.clause <= 1 and found.keyword_is_nominative


_TWO_FORMS = {"masc": frozenset(FEMININES), "femn": frozenset(FEMININES.values())}
