"""Words of a Russian sentence that agree with its keyword, by the readings that pymorphy3 gives each word.

Past tense, adjectives, participles, determiners and pronouns carry gender in the singular. A word that carries the
keyword's gender leaks it, unless it plainly belongs to another word: an adjective to its noun, a predicate to its
subject. Where that cannot be told the word counts as a leak: a corpus has sentences to spare.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from tiltmeter.errors import MissingExtra
from tiltmeter.language._russian_persons import FEMININES
from tiltmeter.language.agreement import Agreement, Span

Gender = Literal["masc", "femn"]


def check(sentence: str, span: Span, gender: Literal["male", "female"], opposite: str) -> Agreement:
    """The first word that tells the gender of the keyword at `span`; the span and the opposite stay as they are."""
    tells: Gender = "masc" if gender == "male" else "femn"
    found = _Sentence.read(sentence, span, tells)
    leaking = [] if found.keyword.adjectival else sorted(_leaks(found))
    return Agreement(leaking[0].text if leaking else "", span, opposite)


@dataclass(frozen=True, slots=True)
class _Reading:
    """One way to read a word: its part of speech and what else OpenCorpora's tag says of it."""

    pos: str
    gender: str
    number: str
    case: str
    lemma: str
    grammemes: frozenset[str]
    score: float

    def agrees(self, other: "_Reading") -> bool:
        """Whether an adjective and a noun read so can stand together."""
        same = self.number == other.number and self.case == other.case
        return same and (self.number == "plur" or _fits(self.gender, other.gender)) and self._animate(other)

    def _animate(self, other: "_Reading") -> bool:
        both = {"anim", "inan"} <= self.grammemes | other.grammemes
        return not both or "accs" not in self.grammemes or self.gender == "femn"


@dataclass(frozen=True, slots=True, order=True)
class _Word:
    start: int
    text: str
    index: int
    clause: int
    """Counts up at every mark of punctuation."""
    mark: str
    """The punctuation before the word."""

    @property
    def lower(self) -> str:
        return self.text.lower().replace("ё", "е")

    @property
    def readings(self) -> tuple[_Reading, ...]:
        return _parsed(self.text.lower())

    @property
    def adjectival(self) -> bool:
        return self.readings[0].pos == "ADJF" and "Fixd" not in self.readings[0].grammemes

    def has(self, *parts: str) -> bool:
        return self.readings[0].pos in parts

    def singular(self, gender: str, *parts: str) -> list[_Reading]:
        """The readings of these parts of speech that carry the gender."""
        return [
            found for found in self.readings if found.pos in parts and found.number == "sing" and found.gender == gender
        ]


@dataclass(frozen=True, slots=True)
class _Sentence:
    words: tuple[_Word, ...]
    keyword: _Word
    gender: Gender
    forms: tuple[_Reading, ...]
    """The keyword's readings."""

    @classmethod
    def read(cls, sentence: str, span: Span, gender: Gender) -> "_Sentence":
        words: list[_Word] = []
        end = clause = 0
        for index, match in enumerate(_tokens(sentence, span)):
            mark = re.sub(r"[\s\d%№«»„“”\"]", "", sentence[end : match[0]])
            clause += bool(mark)
            words.append(_Word(match[0], sentence[match[0] : match[1]], index, clause, mark))
            end = match[1]
        keyword = next(word for word in words if word.start == span[0])
        # The possessives его and её are read as adjectives of every gender; the person is what counts.
        forms = tuple(found for found in keyword.readings if found.pos in ("NOUN", "NPRO") and found.gender == gender)
        return cls(tuple(words), keyword, gender, forms)

    @property
    def keyword_is_singular(self) -> bool:
        return not self.forms or any(found.number == "sing" for found in self.forms)

    @property
    def keyword_is_nominative(self) -> bool:
        """Whether it can be a subject in the singular."""
        cases = {found.case for found in self.forms if found.number == "sing"}
        return "nomn" in cases and not self.governed(self.keyword)

    @property
    def keyword_is_accusative(self) -> bool:
        return any(found.case == "accs" for found in self.forms) and not self.governed(self.keyword)

    def clause(self, number: int) -> list[_Word]:
        return [word for word in self.words if word.clause == number]

    def governed(self, word: _Word) -> bool:
        """Whether a preposition stands before the word, with nothing between them but what belongs to it."""
        for before in reversed(self.words[: word.index]):
            if before.has("PREP"):
                return True
            if before.clause != word.clause or not before.has("ADJF", "PRTF", "NUMR", "ADVB", "PRCL", "COMP"):
                return False
        return False


def _tokens(sentence: str, span: Span) -> Iterator[Span]:
    """Words, the keyword always one of them."""
    for match in re.finditer(r"[^\W\d_]+(?:-[^\W\d_]+)*", sentence):
        if match.end() <= span[0] or match.start() >= span[1]:
            yield match.span()
        elif match.start() <= span[0]:
            yield span


def _leaks(found: _Sentence) -> Iterator[_Word]:
    for word in found.words:
        if word is found.keyword:
            continue
        if _counts(found, word) or (found.keyword_is_singular and _tells(found, word)):
            yield word


def _counts(found: _Sentence, word: _Word) -> bool:
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


def _counted(found: _Sentence, word: _Word) -> _Word | None:
    """The noun after a numeral or preposition."""
    for after in found.words[word.index + 1 :]:
        if after is found.keyword or after.has("NOUN"):
            return after
        if after.clause != word.clause or not after.has("ADJF", "PRTF", "NUMR", "ADVB", "PRCL"):
            return None
    return None


def _tells(found: _Sentence, word: _Word) -> bool:
    if word.lower in _PRONOUNS[found.gender]:
        return word.lower not in ("им", "ним") or not _plural_before(found, word)
    if found.forms and found.forms[0].lemma in _PARTNERS and _tells_of_partner(found, word):
        return True
    return _attribute_tells(found, word) or _predicate_tells(found, word) or _noun_tells(found, word)


_PRONOUNS = {
    "masc": frozenset(("он", "его", "него", "ему", "нему", "им", "ним", "нем")),
    "femn": frozenset(("она", "ее", "нее", "ей", "ней", "ею", "нею")),
}


def _plural_before(found: _Sentence, word: _Word) -> bool:
    """Whether им can be a plural."""
    return any(
        reading.number == "plur" and reading.score >= 0.2
        for before in found.words[: word.index]
        if before is not found.keyword and before.has("NOUN", "NPRO", "ADJF")
        for reading in before.readings
    )


_PARTNERS = frozenset(("муж", "жена", "жених", "невеста"))


def _tells_of_partner(found: _Sentence, word: _Word) -> bool:
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


def _attribute_tells(found: _Sentence, word: _Word) -> bool:
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
    if (
        head is not None
        or sum(reading.score for reading in adjectival) < 0.3
        or sum(reading.score for reading in carries) < _GOOD
    ):
        return False
    cases = {reading.case for reading in carries}
    return not (_stands_alone(found, word, cases) or _has_subject(found, word, cases))


def _refers(found: _Sentence, word: _Word) -> bool:
    """Whether `который` can refer to the keyword: the nearest noun of its gender, or one with no verb in between."""
    before = found.words[: word.index]
    if found.keyword not in before:
        return not any(near.singular(found.gender, "NOUN") for near in before)
    between = found.words[found.keyword.index + 1 : word.index]
    nearer = any(near.singular(found.gender, "NOUN") for near in between)
    return not (nearer and any(near.has("VERB", "INFN") for near in between))


def _head(found: _Sentence, word: _Word, adjectival: list[_Reading]) -> _Word | None:
    """The noun an adjective belongs to: right after it, before a comma it follows, or further on in its clause."""

    def agrees(noun: _Word) -> bool:
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


def _joins(found: _Sentence, word: _Word) -> bool:
    """Whether a noun phrase can go on with the word: новой, ещё чистой и очень тёплой куртке."""
    if word.has("ADJF", "PRTF", "NUMR"):
        return word.mark == "" or (word.mark == "," and "Apro" not in word.readings[0].grammemes)
    if not word.has("ADVB", "PRCL", "CONJ", "COMP"):
        return False
    following = found.words[word.index + 1 : word.index + 2]
    return word.mark == "" or (word.mark == "," and bool(following) and following[0].has("ADJF", "PRTF"))


def _stands_alone(found: _Sentence, word: _Word, cases: set[str]) -> bool:
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


def _has_subject(found: _Sentence, word: _Word, cases: set[str]) -> bool:
    """Whether an adjective without a noun is said of another subject: дорога была длинной."""
    if "ablt" in cases and found.keyword.clause == word.clause and found.keyword_is_accusative:
        return False
    return bool(cases & {"nomn", "ablt"}) and _subject_is_another(found, word, transitive=False)


def _predicate_tells(found: _Sentence, word: _Word) -> bool:
    predicates = _predicates(word, found.gender)
    if not predicates:
        return False
    if sum(reading.score for reading in predicates) < _GOOD:
        return _right_after_keyword(found, word)
    transitive = any("tran" in reading.grammemes for reading in predicates)
    return not _subject_is_another(found, word, transitive=transitive)


def _predicates(word: _Word, gender: Gender) -> list[_Reading]:
    """Past tense, short adjectives and short participles. Some of these look like a verb (читаем, спит) and are one."""
    if any(reading.pos == "VERB" and not reading.gender for reading in word.readings):
        return word.singular(gender, "VERB")
    return word.singular(gender, "VERB", "ADJS", "PRTS")


def _right_after_keyword(found: _Sentence, word: _Word) -> bool:
    """A rare reading is believed there: дочь права."""
    between = found.words[found.keyword.index + 1 : word.index]
    near = found.keyword.index < word.index and found.keyword.clause == word.clause
    return near and found.keyword_is_nominative and all(item.has("ADVB", "PRCL", "CONJ") for item in between)


def _subject_is_another(found: _Sentence, word: _Word, *, transitive: bool) -> bool:
    """Whether a predicate plainly has a subject that is not the keyword."""
    clause = found.clause(word.clause)
    subjects = _subjects(found, word, found.gender, word.clause)
    plain = [near for near in subjects if not any(reading.case == "accs" for reading in near.readings)]
    if found.keyword in clause and found.keyword_is_nominative:
        return bool(plain) and found.keyword_is_accusative and word.readings[0].lemma not in _COPULAS
    if plain or any(near.lower in _PERSONS for near in clause):
        return True
    if subjects:
        return not _waits(found) and (not transitive or _has_object(found, clause, subjects))
    return _outer_subject(found, word)


_COPULAS = frozenset(("быть", "стать", "оказаться", "казаться", "остаться", "являться"))
_PERSONS = frozenset(("я", "ты", "кто", "никто", "кто-то", "кто-нибудь", "кто-либо", "некто", "кое-кто"))
"""Subjects whose gender is the speaker's, or that take the masculine for everybody."""


def _subjects(found: _Sentence, word: _Word, gender: Gender, clause: int) -> list[_Word]:
    """Nouns of a clause that can be the subject of a predicate of that gender, and relatives that are."""
    return [
        near
        for near in found.clause(clause)
        if near not in (found.keyword, word)
        and (near.has("NOUN") or near.readings[0].lemma == "который")
        and any(
            reading.case == "nomn"
            and reading.number == "sing"
            and _fits(reading.gender, gender)
            and reading.score >= 0.02
            for reading in near.readings
        )
        and not found.governed(near)
        and not _says_when(found, near)
    ]


def _says_when(found: _Sentence, word: _Word) -> bool:
    before = found.words[word.index - 1].readings[0].lemma if word.index else ""
    return word.readings[0].lemma in _TIMES and before in ("весь", "целый", "каждый", "этот", "тот", "один")


_TIMES = frozenset(("день", "вечер", "год", "месяц", "час", "раз", "ночь"))


def _has_object(found: _Sentence, clause: list[_Word], subjects: list[_Word]) -> bool:
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


def _waits(found: _Sentence) -> bool:
    """Whether the keyword is a subject whose predicate has to be in another clause."""
    return found.keyword_is_nominative and not _is_complete(found, found.keyword.clause)


def _is_complete(found: _Sentence, clause: int) -> bool:
    return any(word.has("VERB", "ADJS", "PRTS", "PRED") for word in found.clause(clause))


def _outer_subject(found: _Sentence, word: _Word) -> bool:
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


def _goes_on(found: _Sentence, word: _Word) -> bool:
    """Whether the predicate only continues the clause before, and the keyword comes later."""
    return found.keyword.clause > word.clause and word.mark == ","


def _noun_tells(found: _Sentence, word: _Word) -> bool:
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


def _fits(one: str, other: str) -> bool:
    return one == other or "ms-f" in (one, other)


@cache
def _parsed(word: str) -> tuple[_Reading, ...]:
    return tuple(
        _Reading(
            pos=str(found.tag.POS or ""),
            gender=str(found.tag.gender or ""),
            number=str(found.tag.number or ""),
            # The second genitive and locative agree as the first: стакан горячего чаю, в медном тазу.
            case={"gen2": "gent", "loc2": "loct", "acc2": "accs"}.get(case := str(found.tag.case or ""), case),
            lemma=str(found.normal_form),
            grammemes=frozenset(found.tag.grammemes),
            score=float(found.score),
        )
        for found in _analyser().parse(word)
    )


@cache
def _analyser() -> Any:
    try:
        import pymorphy3
    except ImportError as error:
        raise MissingExtra("pymorphy3", "language") from error
    return pymorphy3.MorphAnalyzer(lang="ru")
