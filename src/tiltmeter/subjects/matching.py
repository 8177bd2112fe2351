"""How a word of a list is matched with a word of a vocabulary: named policies, tried in order."""

from collections.abc import Container, Iterable, Iterator

from tiltmeter.errors import unknown
from tiltmeter.subjects.vector_files import Traits


def choose(traits: Traits) -> tuple[str, ...]:
    """The policies that fit a vocabulary: words are lower-cased only where it has no upper case at all."""
    return ("exact", "yo") if traits.cased else ("exact", "lower-case", "yo")


def parse(names: str) -> tuple[str, ...]:
    """Policies named by the user, comma separated."""
    chosen = tuple(name.strip() for name in names.split(","))
    for name in chosen:
        if name not in _POLICIES:
            raise unknown("matching policy", name, _POLICIES)
    return chosen


def match(word: str, policies: Iterable[str], vocabulary: Container[str]) -> str | None:
    """The first spelling, policy by policy, that the vocabulary has."""
    tried = (spelling for policy in policies for spelling in _POLICIES[policy](word))
    return next((spelling for spelling in tried if spelling in vocabulary), None)


def spellings(words: Iterable[str]) -> set[str]:
    """Every spelling that any policy could try for these words."""
    return {spelling for word in words for policy in _POLICIES.values() for spelling in policy(word)}


def _exact(word: str) -> Iterator[str]:
    yield word


def _lower_case(word: str) -> Iterator[str]:
    yield word.lower()


def _yo(word: str) -> Iterator[str]:
    """Russian texts write ё or е for the same sound: all ё to е, then each е to ё."""
    yield word.replace("ё", "е")
    for position, letter in enumerate(word):
        if letter == "е":
            yield word[:position] + "ё" + word[position + 1 :]


_POLICIES = {"exact": _exact, "lower-case": _lower_case, "yo": _yo}
