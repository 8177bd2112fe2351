"""Spanish words that tell a keyword's gender, by their endings and by lists of words; there is no parser.

A word whose form depends on gender (determiner, adjective, participle, pronoun, noun for persons) leaks where it has
the keyword's gender and number, wherever it stands, unless it stands beside another noun that it plainly belongs to.
That is careful rather than lax: a sentence is lost that a reader would keep, sooner than one kept that leaks.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from tiltmeter.language.agreement import Agreement, Span

Gender = Literal["male", "female"]


def check(sentence: str, span: Span, gender: Gender, opposite: str) -> Agreement:
    """The span is hidden as it is; only what leaks is looked for."""
    read = _Sentence(_tokens(sentence, span), gender)
    leaks = (token.text for place, token in enumerate(read.tokens) if read.leaks(place))
    return Agreement(next(leaks, ""), span, opposite)


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    word: str
    """In lower case; empty for a mark."""
    keyword: bool
    named: bool
    """Whether it has a capital that no beginning of a sentence gave it."""


def _tokens(sentence: str, span: Span) -> list[_Token]:
    tokens: list[_Token] = []
    for found in re.finditer(r"[^\W\d_]+|\d+|[^\w\s]", sentence):
        text = found[0]
        word = text.lower() if text[0].isalnum() else ""
        begins = not tokens or tokens[-1].text in _BEGINNERS
        tokens.append(_Token(text, word, span[0] <= found.start() < span[1], text[0].isupper() and not begins))
    return tokens


_BEGINNERS = frozenset("¿¡«»“”\"'‘’—–-:.!?…()[]")
_OPENING = frozenset("«“\"'‘(¿¡")


@dataclass(frozen=True, slots=True)
class _Sentence:
    tokens: list[_Token]
    gender: Gender

    def leaks(self, place: int) -> bool:
        token = self.tokens[place]
        if token.keyword or not token.word or token.named:
            return False
        word = token.word
        if word in _words(f"determiners_{self.gender}"):
            return self._determiner_leaks(place)
        if self.gender == "male" and word == "lo":
            return self._lo_leaks(place)
        if self._enclitic(word) or word in _MUCH and self._keyword(place + 1):
            return True
        if self.gender == "female" and word in _PLURAL_PRONOUNS:
            return True
        return self._describes(word) and not self._excused(place)

    # Determiners and pronouns

    def _determiner_leaks(self, place: int) -> bool:
        """Before the keyword, before a noun for persons of either gender, and where no noun follows."""
        word, before = self.tokens[place].word, self._word(place - 1)
        head = self._head(place)
        token = self.tokens[head] if head < len(self.tokens) else None
        bare = head == place + 1
        if token is not None and token.keyword:
            return True
        if word == "la" and bare and before not in _words("prepositions") and self._clitic_before(head):
            return True
        if token is None or not self._noun_like(head, bare=bare and word != "una"):
            return not (self._relative_of_a_thing(place) or self._fixed(place))
        return self._person(token.word) and not token.named

    def _head(self, place: int) -> int:
        """Where the noun should stand that a determiner belongs to: behind adjectives, adverbs and numerals."""
        at = place + 1
        while at < len(self.tokens):
            token = self.tokens[at]
            joins = token.word in ("y", "o", "e") or token.text == ","
            if token.keyword:
                return at
            if self._word(at - 1) == "toda" and token.word in _determiners():
                at += 1
            elif token.text in _OPENING or token.word in _words("determiners_both") | _words("numerals"):
                at += 1
            elif token.word in _words("adverbs") - {"no", "ya"} and self._adjective(self._word(at + 1)):
                at += 1
            elif self._adjective(token.word) and not token.named and not self._noun_too(at):
                at += 1
            elif joins and at > place + 1 and self._adjective(self._word(at + 1)):
                at += 1
            else:
                return at
        return at

    def _noun_too(self, at: int) -> bool:
        """Whether an adjective is the noun itself here: la política exterior, but la nueva política."""
        word = self._word(at)
        if (
            word in _words("prenominal")
            and self._noun_like(at + 1, bare=False)
            and not self._adjective(self._word(at + 1))
        ):
            return False
        return word in _words(f"nouns_too_{self.gender}")

    def _clitic_before(self, at: int) -> bool:
        """Whether the word can only be a verb, or is one rather than a noun."""
        word, before = self._word(at), self._word(at - 2)
        if word in _words("verbs_or_nouns"):
            return bool(before) and not _finite(before)
        return (
            _finite(word) or word in _words("haber") or bool(_VERB_OF_SEVERAL.search(word) and word not in _NOT_SEVERAL)
        )

    def _relative_of_a_thing(self, place: int) -> bool:
        """`la casa en la que`: a noun right before the preposition is what it refers to."""
        if self._word(place + 1) not in ("que", "cual"):
            return False
        noun = place - 1 if self._word(place) in ("al", "del") else place - 2
        joined = noun == place - 1 or self._word(place - 1) in _words("prepositions")
        return joined and self._thing(noun)

    def _fixed(self, place: int) -> bool:
        phrase = " ".join(self._word(at) for at in range(place - 1, place + 2))
        return any(re.search(rf"\b{fixed}\b", phrase) for fixed in _FIXED)

    def _lo_leaks(self, place: int) -> bool:
        """Not where it stands for a whole clause: lo que, lo mejor, lo sabe."""
        before, after = self._word(place - 1), self._word(place + 1)
        if before in _words("prepositions") or not after:
            return False
        if after in _words("neuter_verbs"):
            return after in ("hizo", "hace", "hará", "haría") and bool(_INFINITIVE.search(self._word(place + 2)))
        if after in _words("haber") and self._word(place + 2) in _words("neuter_participles"):
            return False
        if after in _NEUTER_NEXT or after in _words("adverbs"):
            return False
        return not (self._adjective(after) and not _finite(after))

    def _enclitic(self, word: str) -> bool:
        ending = "lo" if self.gender == "male" else "la"
        if not word.endswith(ending) or word in _words("not_enclitic") or word in _words("neuter_infinitives"):
            return False
        return bool(_ENCLITIC.search(word)) or word in _imperatives(ending)

    # Adjectives, participles and nouns for persons

    def _describes(self, word: str) -> bool:
        if word in _words("determiners_plural_female"):
            return False
        if self.gender == "female" and word.endswith("s") and word[:-1] in _forms("female"):
            return True
        if self.gender == "female" and re.search(r"[ai]das$", word):
            return _participle(word[:-1], "female")
        return self._adjective(word, invariable=False) or word in _persons(self.gender)

    def _adjective(self, word: str, *, invariable: bool = True) -> bool:
        if invariable and word in _words("invariable"):
            return True
        return (
            word in _forms(self.gender)
            or _participle(word, self.gender)
            or (word.endswith("ísimo" if self.gender == "male" else "ísima") and word not in _NOT_SUPERLATIVE)
            or (self._doer(word) and word not in _words("not_doers"))
        )

    def _doer(self, word: str) -> bool:
        return len(word) > 5 and word.endswith("dor" if self.gender == "male" else "dora")

    def _person(self, word: str) -> bool:
        if word in _persons(self.gender) or word in _words("common_persons"):
            return True
        if self.gender == "male" and word in _words("common_persons_male"):
            return True
        if self._doer(word):
            return word not in _words("not_doers")
        return word.endswith("ista") and word not in _words("not_ista")

    def _excused(self, place: int) -> bool:
        word, before = self._word(place), self._word(place - 1)
        if word in _persons(self.gender):
            return word in _words(f"nouns_too_{self.gender}") and self._attached(place)
        if before in _CLITICS or self._compound_tense(place) or self._verb_too(place):
            return True
        if self.gender == "male" and word == "solo":
            return not (before in _words("copulas") or self._ends_clause(place) or before in _words("adverbs"))
        if self.gender == "male" and word in _words("adverbial"):
            start = self._skip_back(place - 1, _words("adverbs"))
            if self._word(start) not in _words("copulas") and not self._keyword(start) and not self._keyword(place + 1):
                return True
        if word in _LANGUAGES and self._language(place):
            return True
        if word == "mismo" and before in _EXACTLY or before == "lo" and self.gender == "male":
            return True
        if self._is_noun(place):
            return True
        if word in _words("prenominal") and self._thing_here(place + 1, loose=True):
            return not self._keyword(place + 1)
        return self._attached(place) or self._of_another_subject(place)

    def _language(self, place: int) -> bool:
        """`habla inglés y ruso`, `en francés`."""
        before = self._word(place - 1)
        if before in ("y", "e", "o", "ni") and self._word(place - 2) in _LANGUAGES:
            return self._language(place - 2)
        return before in _words("prepositions") or (_finite(before) and before not in _words("copulas"))

    def _verb_too(self, place: int) -> bool:
        """`limpia la casa`: an adjective has no noun phrase right behind it."""
        return self._word(place) in _words("verbs_or_adjectives") and self._word(place + 1) in _determiners() - {
            "al",
            "del",
        }

    def _is_noun(self, place: int) -> bool:
        """`la política`, `una lista`, `el pasado`: a noun itself, with a determiner or preposition before it."""
        if self._word(place) not in _words(f"nouns_too_{self.gender}"):
            return False
        before = self._word(place - 1)
        known = before in _determiners() or before in _words("prepositions") or before in _words("prenominal")
        return known and not self._keyword(place + 1)

    def _compound_tense(self, place: int) -> bool:
        """`ha llegado`, `había comido y bebido`: the participle of a compound tense has no gender."""
        if self.gender == "female":
            return False
        at = self._skip_back(place - 1, _words("adverbs"))
        if _HABER.fullmatch(self._word(at)) or self._word(at) in _words("haber"):
            return True
        # A second participle: back over what stands between, to the conjunction and the first one.
        for joint in range(place - 1, max(place - 2, -1), -1):
            if self._word(joint) in ("y", "o", "ni", "e") or self.tokens[joint].text == ",":
                return any(
                    _participle(self._word(first), "male") and self._compound_tense(first)
                    for first in range(joint - 1, max(joint - 5, -1), -1)
                )
        return False

    def _attached(self, place: int) -> bool:
        """Whether a noun that is not the keyword stands beside it: before it in a noun phrase, or behind it."""
        return self._after_noun(place) or self._before_noun(place)

    def _after_noun(self, place: int) -> bool:
        state = self._stem(self._word(place)) in _words("states")
        for noun in self._nouns_before(place):
            if self._thing(noun):
                return not state or self._word(noun) in _words("stateful") | _words("epicene")
        return False

    def _nouns_before(self, place: int) -> Iterator[int]:
        """The places where the noun could stand: right before, or before other adjectives, or before `de` + noun."""
        at = self._skip_back(place - 1, _words("adverbs"))
        while at >= 0 and (self._word(at) in ("y", "e", "o", "ni") or self.tokens[at].text == ","):
            at = self._skip_back(at - 1, _words("adverbs"))
            if not self._said_of_things(at):
                return
        while at > 0 and self._said_of_things(at) and not self._keyword(at):
            yield at
            at = self._skip_back(at - 1, _words("adverbs"))
            if self._word(at) in ("y", "e", "o") or self._text(at) == ",":
                at -= 1
        if self._keyword(at):
            return
        yield at
        if self._word(at - 1) in ("de", "del", "a"):
            yield at - 2
        if self._word(at - 2) == "de" and self._word(at - 1) in _determiners():
            yield at - 3

    def _said_of_things(self, at: int) -> bool:
        word = self._word(at)
        if word in _grammar() or word in _words("copulas") or _finite(word):
            return False
        return self._adjective(word) or bool(_ONE_FORM.search(word)) and word not in _words("feminine_nouns")

    def _thing(self, at: int) -> bool:
        """Whether a noun of the keyword's gender stands there in a noun phrase of its own."""
        if not self._thing_here(at):
            return False
        before = self._skip_back(at - 1, _words("prenominal") | _words("invariable") | _words("numerals"))
        det, word = self._word(before), self._word(at)
        other = "female" if self.gender == "male" else "male"
        if det in _words(f"determiners_{other}") and word not in _words("feminine_with_el"):
            return self.tokens[before].word in ("al", "del") and _noun_gender(word) in (self.gender, "")
        if (
            det in _words(f"determiners_{self.gender}")
            or self.gender == "female"
            and det in _words("determiners_plural_female")
        ):
            return True
        known = det in _words("determiners_both") or det in _words("prepositions") or det in _QUANTITIES or not det
        return (known or _noun_gender(word) == self.gender) and _noun_gender(word) in (self.gender, "")

    def _thing_here(self, at: int, *, loose: bool = False) -> bool:
        if not self._noun_like(at, bare=not loose) or self._keyword(at):
            return False
        word = self._word(at)
        if (self._person(word) or self._adjective(word)) and word not in _words(f"nouns_too_{self.gender}"):
            return False
        return not loose or _noun_gender(word) == self.gender or word in _words("epicene")

    def _before_noun(self, place: int) -> bool:
        """`una nueva vida`, `de mala gana`: a determiner or preposition before it, a noun behind it."""
        start = self._skip_back(place - 1, _words("adverbs") | _words("prenominal") | _words("invariable"))
        if self._word(start) in ("y", "e", "o") and self._adjective(self._word(start - 1)):
            start = self._skip_back(start - 2, _words("adverbs"))
        before = self._word(start)
        if before not in _determiners() and before not in _words("prepositions"):
            return False
        head = self._head(place) if not self._noun_too(place + 1) else place + 1
        if head >= len(self.tokens) or self.tokens[head].keyword or not self._noun_like(head, bare=False):
            return False
        if before in _words("prepositions") - {"al", "del"}:
            return _noun_gender(self._word(head)) == self.gender
        return _noun_gender(self._word(head)) in (self.gender, "") and not self._person(self._word(head))

    def _of_another_subject(self, place: int) -> bool:
        """`la puerta estaba cerrada`: the subject, at the beginning of its clause, is a noun of its own."""
        verb = self._skip_back(place - 1, _words("adverbs"))
        if self._word(verb) not in _words("copulas"):
            return False
        if self._word(verb - 1) in _words("copulas") | _words("haber"):
            verb -= 1
        noun = self._skip_back(verb - 1, _words("adverbs") | _CLITICS)
        if not self._thing(noun):
            return False
        start = noun - 1
        while start >= 0 and (self._word(start) in _determiners() or self._adjective(self._word(start))):
            start -= 1
        return start < noun - 1 and (start < 0 or not self._word(start) or self._word(start) in _words("conjunctions"))

    # Reading

    def _noun_like(self, at: int, *, bare: bool) -> bool:
        """No mark, no word of grammar, and, but for what follows its determiner at once, no form of a verb."""
        word = self._word(at)
        if not word or word in _grammar() or word in _words("haber") or word in _words("copulas") - _NOUNS_BESIDES:
            return False
        return bare or not _finite(word) or self.tokens[at].named

    def _ends_clause(self, place: int) -> bool:
        after = self._word(place + 1)
        return not after or after in ("y", "o", "e", "ni", "como", "con", "en", "ante", "contra", "desde", "de")

    def _skip_back(self, at: int, words: frozenset[str]) -> int:
        while at >= 0 and (self._word(at) in words or self._word(at).endswith("mente")):
            at -= 1
        return at

    def _stem(self, word: str) -> str:
        return re.sub(r"[oa]s?$", "", word)

    def _keyword(self, at: int) -> bool:
        return 0 <= at < len(self.tokens) and self.tokens[at].keyword

    def _word(self, at: int) -> str:
        return self.tokens[at].word if 0 <= at < len(self.tokens) else ""

    def _text(self, at: int) -> str:
        return self.tokens[at].text if 0 <= at < len(self.tokens) else ""


_PLURAL_PRONOUNS = frozenset({"nosotras", "vosotras", "ellas", "ambas", "juntas"})
_MUCH = frozenset({"todo", "mucho", "poco", "tanto", "cuánto"})
_LANGUAGES = frozenset(
    "español inglés francés alemán italiano portugués chino japonés ruso catalán castellano gallego".split()
)
_CLITICS = frozenset("me te se nos os le les lo los las".split())
_EXACTLY = frozenset("ahora hoy ayer mañana aquí allí ahí así eso esto lo entonces".split())
_QUANTITIES = frozenset("sin con de en tanto mucho".split())
_NEUTER_NEXT = frozenset(
    "que cual de mismo único demás suficiente siguiente mío tuyo suyo antes general lejos bueno".split()
)
_NOT_SUPERLATIVE = frozenset({"muchísimo", "muchísima", "poquísimo", "tantísimo", "tantísima", "poquísima"})
_NOUNS_BESIDES = frozenset({"ser", "estado", "muestra", "vuelta"})
_FIXED = ("a la una", "una a una", "uno a uno", "cada uno", "cada una", "cual más")
_NOT_SEVERAL = frozenset(
    "imagen orden joven virgen margen sartén crisis tesis dosis caries síntesis tos res mies sien".split()
)
_VERB_OF_SEVERAL = re.compile(r"([ae]n|[ae]s|mos)$")
_INFINITIVE = re.compile(r"[aeií]r(se)?$")
_ENCLITIC = re.compile(r"([aeiáéí]r|ándo|éndo)(me|te|se|nos|os)?l[oa]$")
_HABER = re.compile(r"hab(er|ér|iendo|iéndo)(me|te|se|nos|os|le|les)?(l[oa]s?)?")
_ONE_FORM = re.compile(r"(al|ble|nte|ar|ior|il|az|oz|ista|ense|e)$")
_FINITE = re.compile(r"(ó|[^f]é|aba|aban|ábamos|ían|íamos|aron|ieron|yeron|[aei]rá|[aei]rán|iera|ieran|iese)$")


@cache
def _finite(word: str) -> bool:
    """Whether the word looks like a form of a verb, and not like a noun."""
    if word in _words("verbs"):
        return True
    if word.endswith("ía"):
        return word not in _words("nouns_in_ia") and not re.search(
            r"(graf|log|nom|metr|pat|sof|gog|fon|cron|arqu)ía$", word
        )
    return bool(_FINITE.search(word)) and word not in _NOT_FINITE


_NOT_FINITE = frozenset("café té bebé comité chalé puré canapé trabajo pie manera primera traba allá".split())


@cache
def _participle(word: str, gender: Gender) -> bool:
    pattern = r"..[aií]do$" if gender == "male" else r"..[aií]da$"
    return bool(re.search(pattern, word)) and word not in _words("not_participles")


@cache
def _noun_gender(word: str) -> Literal["male", "female", ""]:
    """By its ending, as far as that tells it."""
    if word.endswith("s") and word not in _words("feminine_nouns"):
        word = re.sub(r"(?<=[dnrlz])es$|s$", "", word).replace("cion", "ción").replace("sion", "sión")
    if word in _words("feminine_nouns") or re.search(r"(ción|sión|zón|dad|tad|tud|umbre|ez|ie)$", word):
        return "female"
    if word in _words("masculine_nouns_in_a"):
        return "male"
    if word.endswith("a"):
        return "female"
    return "male" if re.search(r"[oeórlnjuyíé]$", word) else ""


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(_lists()[name].split())


@cache
def _grammar() -> frozenset[str]:
    return _words("prepositions") | _words("conjunctions") | _words("functions") | _determiners()


@cache
def _determiners() -> frozenset[str]:
    return frozenset().union(*(_words(f"determiners_{kind}") for kind in ("male", "female", "plural_female", "both")))


@cache
def _forms(gender: Gender) -> frozenset[str]:
    ending = "o" if gender == "male" else "a"
    of_pairs = {pair.split("/")[gender == "female"] for pair in _words("consonant_adjectives")}
    diminutives = {word.replace("{o}", ending) for word in _words("diminutives")}
    return frozenset({stem + ending for stem in _words("adjectives")} | of_pairs | diminutives)


@cache
def _persons(gender: Gender) -> frozenset[str]:
    ending, side = ("o", 0) if gender == "male" else ("a", 1)
    return frozenset(
        word.split("/")[side] if "/" in word else word.replace("{o}", ending) for word in _words("persons")
    )


@cache
def _imperatives(ending: str) -> frozenset[str]:
    return frozenset(word.replace("{l}", ending) for word in _words("imperatives"))


@cache
def _lists() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return found
