"""Spanish words that tell a keyword's gender, by their endings and by lists of words; there is no parser.

A word whose form depends on gender (determiner, adjective, participle, pronoun, noun for persons) leaks where it has
the keyword's gender and number, wherever it stands, unless it stands beside another noun that it plainly belongs to.
That is careful rather than lax: a sentence is lost that a reader would keep, sooner than one kept that leaks.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tiltmeter.language._spanish_words import (
    Gender,
    determiners,
    finite,
    forms,
    grammar,
    imperatives,
    noun_gender,
    participle,
    persons,
    words,
)
from tiltmeter.language.agreement import Agreement, Span


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
        if word in words(f"determiners_{self.gender}"):
            return self._determiner_leaks(place)
        if self.gender == "male" and word == "lo":
            return self._lo_leaks(place)
        if self._enclitic(word) or (word in words("much") and self._keyword(place + 1)):
            return True
        if self.gender == "female" and word in words("plural_pronouns_female"):
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
        if word == "la" and bare and before not in words("prepositions") and self._clitic_before(head):
            return True
        if token is None or not self._noun_like(head, bare=bare and word != "una"):
            return not (self._relative_of_a_thing(place) or self._fixed(place))
        return self._person(token.word) and not token.named

    def _head(self, place: int) -> int:
        """Where the noun should stand that a determiner belongs to: behind adjectives, adverbs and numerals."""
        at = place + 1
        while at < len(self.tokens) and self._precedes_noun(at, first=at == place + 1):
            at += 1
        return at

    def _precedes_noun(self, at: int, *, first: bool) -> bool:
        token, described = self.tokens[at], self._adjective(self._word(at + 1))
        if token.keyword:
            return False
        if token.text in _OPENING or token.word in words("determiners_both") | words("numerals"):
            return True
        if self._word(at - 1) == "toda":
            return token.word in determiners()
        if token.word in words("adverbs") - {"no", "ya"} and described:
            return True
        if token.word in ("y", "o", "e") or token.text == ",":
            return described and not first
        return self._adjective(token.word) and not token.named and not self._noun_too(at)

    def _noun_too(self, at: int) -> bool:
        """Whether an adjective is the noun itself here: la política exterior, but la nueva política."""
        word = self._word(at)
        if (
            word in words("prenominal")
            and self._noun_like(at + 1, bare=False)
            and not self._adjective(self._word(at + 1))
        ):
            return False
        return word in words(f"nouns_too_{self.gender}")

    def _clitic_before(self, at: int) -> bool:
        """Whether the word can only be a verb, or is one rather than a noun."""
        word, before = self._word(at), self._word(at - 2)
        if word in words("verbs_or_nouns"):
            return bool(before) and not finite(before)
        return (
            finite(word)
            or word in words("haber")
            or bool(_VERB_OF_SEVERAL.search(word) and word not in words("not_several"))
        )

    def _relative_of_a_thing(self, place: int) -> bool:
        """`la casa en la que`: a noun right before the preposition is what it refers to."""
        if self._word(place + 1) not in ("que", "cual"):
            return False
        noun = place - 1 if self._word(place) in ("al", "del") else place - 2
        joined = noun == place - 1 or self._word(place - 1) in words("prepositions")
        return joined and self._thing(noun)

    def _fixed(self, place: int) -> bool:
        phrase = " ".join(self._word(at) for at in range(place - 1, place + 2))
        return any(re.search(rf"\b{fixed}\b", phrase) for fixed in _FIXED)

    def _lo_leaks(self, place: int) -> bool:
        """Not where it stands for a whole clause: lo que, lo mejor, lo sabe."""
        before, after = self._word(place - 1), self._word(place + 1)
        if before in words("prepositions") or not after:
            return False
        if after in words("neuter_verbs"):
            return after in ("hizo", "hace", "hará", "haría") and bool(_INFINITIVE.search(self._word(place + 2)))
        if after in words("haber") and self._word(place + 2) in words("neuter_participles"):
            return False
        if after in words("neuter_next") or after in words("adverbs"):
            return False
        return not (self._adjective(after) and not finite(after))

    def _enclitic(self, word: str) -> bool:
        ending = "lo" if self.gender == "male" else "la"
        if not word.endswith(ending) or word in words("not_enclitic") or word in words("neuter_infinitives"):
            return False
        return bool(_ENCLITIC.search(word)) or word in imperatives(ending)

    # Adjectives, participles and nouns for persons

    def _describes(self, word: str) -> bool:
        if word in words("determiners_plural_female"):
            return False
        if self.gender == "female" and word.endswith("s") and word[:-1] in forms("female"):
            return True
        if self.gender == "female" and re.search(r"[ai]das$", word):
            return participle(word[:-1], "female")
        return self._adjective(word, invariable=False) or word in persons(self.gender)

    def _adjective(self, word: str, *, invariable: bool = True) -> bool:
        if invariable and word in words("invariable"):
            return True
        return (
            word in forms(self.gender)
            or participle(word, self.gender)
            or (word.endswith("ísimo" if self.gender == "male" else "ísima") and word not in words("not_superlative"))
            or (self._doer(word) and word not in words("not_doers"))
        )

    def _doer(self, word: str) -> bool:
        return len(word) > 5 and word.endswith("dor" if self.gender == "male" else "dora")

    def _person(self, word: str) -> bool:
        if word in persons(self.gender) or word in words("common_persons"):
            return True
        if self.gender == "male" and word in words("common_persons_male"):
            return True
        if self._doer(word):
            return word not in words("not_doers")
        return word.endswith("ista") and word not in words("not_ista")

    def _excused(self, place: int) -> bool:
        word, before = self._word(place), self._word(place - 1)
        if word in persons(self.gender):
            return word in words(f"nouns_too_{self.gender}") and self._attached(place)
        if before in words("clitics") or self._compound_tense(place) or self._verb_too(place):
            return True
        if self.gender == "male" and word == "solo":
            return not (before in words("copulas") or self._ends_clause(place) or before in words("adverbs"))
        if self.gender == "male" and word in words("adverbial"):
            start = self._skip_back(place - 1, words("adverbs"))
            if self._word(start) not in words("copulas") and not self._keyword(start) and not self._keyword(place + 1):
                return True
        if word in words("languages") and self._language(place):
            return True
        if word == "mismo" and before in words("exactly"):
            return True
        if self._is_noun(place):
            return True
        if word in words("prenominal") and self._thing_here(place + 1, loose=True):
            return not self._keyword(place + 1)
        return self._attached(place) or self._of_another_subject(place)

    def _language(self, place: int) -> bool:
        """`habla inglés y ruso`, `en francés`."""
        before = self._word(place - 1)
        if before in ("y", "e", "o", "ni") and self._word(place - 2) in words("languages"):
            return self._language(place - 2)
        return before in words("prepositions") or (finite(before) and before not in words("copulas"))

    def _verb_too(self, place: int) -> bool:
        """`limpia la casa`: an adjective has no noun phrase right behind it."""
        return self._word(place) in words("verbs_or_adjectives") and self._word(place + 1) in determiners() - {
            "al",
            "del",
        }

    def _is_noun(self, place: int) -> bool:
        """`la política`, `una lista`, `el pasado`: a noun itself, with a determiner or preposition before it."""
        if self._word(place) not in words(f"nouns_too_{self.gender}"):
            return False
        before = self._word(place - 1)
        known = before in determiners() or before in words("prepositions") or before in words("prenominal")
        return known and not self._keyword(place + 1)

    def _compound_tense(self, place: int) -> bool:
        """`ha llegado`, `había comido y bebido`: the participle of a compound tense has no gender."""
        if self.gender == "female":
            return False
        at = self._skip_back(place - 1, words("adverbs"))
        if _HABER.fullmatch(self._word(at)) or self._word(at) in words("haber"):
            return True
        # A second participle: back over what stands between, to the conjunction and the first one.
        for joint in range(place - 1, max(place - 2, -1), -1):
            if self._word(joint) in ("y", "o", "ni", "e") or self.tokens[joint].text == ",":
                return any(
                    participle(self._word(first), "male") and self._compound_tense(first)
                    for first in range(joint - 1, max(joint - 5, -1), -1)
                )
        return False

    def _attached(self, place: int) -> bool:
        """Whether a noun that is not the keyword stands beside it: before it in a noun phrase, or behind it."""
        return self._after_noun(place) or self._before_noun(place)

    def _after_noun(self, place: int) -> bool:
        state = self._stem(self._word(place)) in words("states")
        for noun in self._nouns_before(place):
            if self._thing(noun):
                return not state or self._word(noun) in words("stateful") | words("epicene")
        return False

    def _nouns_before(self, place: int) -> Iterator[int]:
        """The places where the noun could stand: right before, or before other adjectives, or before `de` + noun."""
        at = self._skip_back(place - 1, words("adverbs"))
        while at >= 0 and (self._word(at) in ("y", "e", "o", "ni") or self.tokens[at].text == ","):
            at = self._skip_back(at - 1, words("adverbs"))
            if not self._said_of_things(at):
                return
        while at > 0 and self._said_of_things(at) and not self._keyword(at):
            yield at
            at = self._skip_back(at - 1, words("adverbs"))
            if self._word(at) in ("y", "e", "o") or self._text(at) == ",":
                at -= 1
        if self._keyword(at):
            return
        yield at
        if self._word(at - 1) in ("de", "del", "a"):
            yield at - 2
        if self._word(at - 2) == "de" and self._word(at - 1) in determiners():
            yield at - 3

    def _said_of_things(self, at: int) -> bool:
        word = self._word(at)
        if word in grammar() or word in words("copulas") or finite(word):
            return False
        return self._adjective(word) or (bool(_ONE_FORM.search(word)) and word not in words("feminine_nouns"))

    def _thing(self, at: int) -> bool:
        """Whether a noun of the keyword's gender stands there in a noun phrase of its own."""
        if not self._thing_here(at):
            return False
        before = self._skip_back(at - 1, words("prenominal") | words("invariable") | words("numerals"))
        det, word = self._word(before), self._word(at)
        other = "female" if self.gender == "male" else "male"
        if det in words(f"determiners_{other}") and word not in words("feminine_with_el"):
            return self.tokens[before].word in ("al", "del") and noun_gender(word) in (self.gender, "")
        if det in words(f"determiners_{self.gender}") | words(f"determiners_plural_{self.gender}"):
            return True
        known = det in words("determiners_both") or det in words("prepositions") or not det
        return (known or noun_gender(word) == self.gender) and noun_gender(word) in (self.gender, "")

    def _thing_here(self, at: int, *, loose: bool = False) -> bool:
        if not self._noun_like(at, bare=not loose) or self._keyword(at):
            return False
        word = self._word(at)
        if (self._person(word) or self._adjective(word)) and word not in words(f"nouns_too_{self.gender}"):
            return False
        return not loose or noun_gender(word) == self.gender or word in words("epicene")

    def _before_noun(self, place: int) -> bool:
        """`una nueva vida`, `de mala gana`: a determiner or preposition before it, a noun behind it."""
        start = self._skip_back(place - 1, words("adverbs") | words("prenominal") | words("invariable"))
        if self._word(start) in ("y", "e", "o") and self._adjective(self._word(start - 1)):
            start = self._skip_back(start - 2, words("adverbs"))
        before = self._word(start)
        if before not in determiners() and before not in words("prepositions"):
            return False
        head = self._head(place) if not self._noun_too(place + 1) else place + 1
        if head >= len(self.tokens) or self.tokens[head].keyword or not self._noun_like(head, bare=False):
            return False
        if before in words("prepositions") - {"al", "del"}:
            return noun_gender(self._word(head)) == self.gender
        return noun_gender(self._word(head)) in (self.gender, "") and not self._person(self._word(head))

    def _of_another_subject(self, place: int) -> bool:
        """`la puerta estaba cerrada`: the subject, at the beginning of its clause, is a noun of its own."""
        verb = self._skip_back(place - 1, words("adverbs"))
        if self._word(verb) not in words("copulas"):
            return False
        if self._word(verb - 1) in words("copulas") | words("haber"):
            verb -= 1
        noun = self._skip_back(verb - 1, words("adverbs") | words("clitics"))
        if not self._thing(noun):
            return False
        start = noun - 1
        while start >= 0 and (self._word(start) in determiners() or self._adjective(self._word(start))):
            start -= 1
        return start < noun - 1 and (start < 0 or not self._word(start) or self._word(start) in words("conjunctions"))

    # Reading

    def _noun_like(self, at: int, *, bare: bool) -> bool:
        """No mark, no word of grammar, and, but for what follows its determiner at once, no form of a verb."""
        word = self._word(at)
        if not word or word in grammar() or word in words("haber") or word in words("copulas") - words("nouns_besides"):
            return False
        return bare or not finite(word) or self.tokens[at].named

    def _ends_clause(self, place: int) -> bool:
        after = self._word(place + 1)
        return not after or after in ("y", "o", "e", "ni", "como", "con", "en", "ante", "contra", "desde", "de")

    def _skip_back(self, at: int, over: frozenset[str]) -> int:
        while at >= 0 and (self._word(at) in over or self._word(at).endswith("mente")):
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


_FIXED = ("a la una", "una a una", "uno a uno", "cada uno", "cada una", "cual más")
_VERB_OF_SEVERAL = re.compile(r"([ae]n|[ae]s|mos)$")
_INFINITIVE = re.compile(r"[aeií]r(se)?$")
_ENCLITIC = re.compile(r"([aeiáéí]r|ándo|éndo)(me|te|se|nos|os)?l[oa]$")
_HABER = re.compile(r"hab(er|ér|iendo|iéndo)(me|te|se|nos|os|le|les)?(l[oa]s?)?")
_ONE_FORM = re.compile(r"(al|ble|nte|ar|ior|il|az|oz|ista|ense|e)$")
