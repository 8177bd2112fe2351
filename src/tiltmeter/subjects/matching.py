"""How a word of a list is matched with a word of a vocabulary: named policies, tried in order."""

from collections.abc import Container, Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from tiltmeter.errors import MissingExtra, unknown
from tiltmeter.packs import Word
from tiltmeter.subjects.vector_files import Traits


def choose(traits: Traits) -> tuple[str, ...]:
    """The policies that fit a vocabulary: words are lower-cased only where it has no upper case at all."""
    if traits.tagged:
        return ("exact", "pos-tag")
    return ("exact", "yo") if traits.cased else ("exact", "lower-case", "yo")


def parse(names: str, words: Iterable[Word]) -> tuple[str, ...]:
    """Policies named by the user, comma separated; what they need to handle these words has to be installed."""
    chosen = tuple(name.strip() for name in names.split(","))
    for name in chosen:
        if name not in _POLICIES:
            raise unknown("matching policy", name, _POLICIES)
    untagged = "pos-tag" in chosen and any(not word.pos and _is_cyrillic(word.text) for word in words)
    if ("lemma" in chosen or untagged) and find_spec("pymorphy3") is None:
        raise MissingExtra("pymorphy3", "corpus")
    return chosen


def match(word: Word, policies: Iterable[str], vocabulary: Container[str]) -> str | None:
    """The first spelling, policy by policy, that the vocabulary has."""
    tried = (spelling for policy in policies for spelling in _POLICIES[policy](word))
    return next((spelling for spelling in tried if spelling in vocabulary), None)


def spellings(words: Iterable[Word], policies: tuple[str, ...] | None = None) -> set[str]:
    """Every spelling that these policies could try; without policies, every one that `choose` could want.

    The vocabulary is not known then, so a Russian word without a part of speech is asked for with every tag: that
    is cheaper than to load a dictionary which most vocabularies have no use for.
    """
    words = list(words)
    if policies is not None:
        return {spelling for word in words for policy in policies for spelling in _POLICIES[policy](word)}
    plain = {
        spelling for word in words for policy in ("exact", "lower-case", "yo") for spelling in _POLICIES[policy](word)
    }
    tagged = {
        spelling
        for word in words
        for tag in ([word.pos] if word.pos else _TAGS.values() if _is_cyrillic(word.text) else [])
        for spelling in _with_tag(word.text, tag)
    }
    return plain | tagged


def _exact(word: Word) -> Iterator[str]:
    yield word.text


def _lower_case(word: Word) -> Iterator[str]:
    yield word.text.lower()


def _yo(word: Word) -> Iterator[str]:
    """Russian texts write ё or е for the same sound: all ё to е, then each е to ё."""
    text = word.text
    yield text.replace("ё", "е")
    for position, letter in enumerate(text):
        if letter == "е":
            yield text[:position] + "ё" + text[position + 1 :]


def _pos_tag(word: Word) -> Iterator[str]:
    """`слово_NOUN`, as RusVectores writes it: the tag from the list, else from pymorphy3 where it is installed."""
    if tag := word.pos or _tag(word.text):
        yield from _with_tag(word.text, tag)


def _lemma(word: Word) -> Iterator[str]:
    """The citation form that pymorphy3 gives, plain and tagged; it knows Russian only."""
    parses = _parses(word.text)
    fitting = [parse for parse in parses if word.pos and _universal(parse) == word.pos] or parses
    if fitting:
        yield from _lower_case(lemma := Word(fitting[0].normal_form, word.pos or _universal(fitting[0])))
        yield from _yo(lemma)
        yield from _pos_tag(lemma)


_POLICIES = {"exact": _exact, "lower-case": _lower_case, "yo": _yo, "pos-tag": _pos_tag, "lemma": _lemma}


def _with_tag(text: str, tag: str) -> Iterator[str]:
    """Tagged vocabularies are lower-cased as a rule, names included, and differ in whether they keep ё."""
    for spelling in dict.fromkeys((text, text.lower(), *_yo(Word(text.lower())))):
        yield f"{spelling}_{tag}"


def _is_cyrillic(text: str) -> bool:
    return any("а" <= letter <= "я" or letter == "ё" for letter in text.lower())


def _tag(text: str) -> str:
    parses = _parses(text)
    return _universal(parses[0]) if parses else ""


def _universal(parse: Any) -> str:
    """The universal tag of what pymorphy3 says in OpenCorpora's."""
    if parse.tag.grammemes & {"Name", "Surn", "Patr", "Geox", "Orgn"}:
        return "PROPN"
    return _TAGS.get(str(parse.tag.POS), "")


_TAGS = {
    "NOUN": "NOUN", "ADJF": "ADJ", "ADJS": "ADJ", "COMP": "ADJ", "VERB": "VERB", "INFN": "VERB", "PRTF": "VERB",
    "PRTS": "VERB", "GRND": "VERB", "NUMR": "NUM", "ADVB": "ADV", "PRED": "ADV", "NPRO": "PRON", "PREP": "ADP",
    "CONJ": "CCONJ", "PRCL": "PART", "INTJ": "INTJ", "Name": "PROPN",
}  # fmt: skip


def _parses(text: str) -> list[Any]:
    """What pymorphy3 makes of a Russian word, likeliest first; nothing where it is not installed."""
    analyser = _analyser() if _is_cyrillic(text) else None
    return list(analyser.parse(text)) if analyser else []


@cache
def _analyser() -> Any:
    try:
        from pymorphy3 import MorphAnalyzer
    except ImportError:
        return None
    return MorphAnalyzer()
