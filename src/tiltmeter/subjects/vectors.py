"""Word vectors as a subject: the capability `vectors`."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Word
from tiltmeter.store import Answers
from tiltmeter.subjects import matching
from tiltmeter.subjects.vector_files import Asked, Layout, Lookup, Traits, look_up

Vector = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Found:
    """What a vocabulary had of the words asked for."""

    vectors: Mapping[str, Vector]
    """Unit vectors by the word as it stands in the list."""
    lengths: Mapping[str, float]
    """How long the vectors are in the file; of averaged adjectives, the mean."""
    forms: Mapping[str, str]
    """The vocabulary's own spelling or spellings of that word."""
    lost: Mapping[str, str]
    """Words without a vector, and why."""
    policies: tuple[str, ...]
    averaged: tuple[str, ...]
    """Adjectives whose masculine and feminine forms were averaged."""
    traits: Traits
    shared: tuple[tuple[str, ...], ...] = ()
    """Groups of different words with one and the same row, as pruned tables have them: their cosine is 1 for no
    reason of meaning."""
    composed: tuple[str, ...] = ()
    """Words out of the vocabulary whose vectors were composed from character n-grams."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorSubject:
    """A table of word vectors.

    `fingerprint` stands for the content of its files and the way they are read, and `origin` tells where they came
    from; `files` finds them, and is called only when something has to be read that was not asked before.
    """

    name: str
    fingerprint: str
    lang: str | None
    origin: Mapping[str, Any]
    files: Callable[[], Layout]
    answers: Answers
    to_fetch: int = 0
    """Megabytes that the first question will have to download."""
    subwords: bool = False
    broken: Literal["refuse", "skip"] = "refuse"

    capabilities = frozenset({"vectors"})
    engine = "vectors-2"
    packages = ()

    def vectors(self, words: Iterable[Word], *, match: str = "auto", adjectives: str = "auto") -> Found:
        """Unit vectors of the words.

        `match` names the policies by which spellings are tried, or `auto` to choose by the vocabulary.
        `adjectives` is `average` (mean of the unit vectors of the masculine and the feminine form), `citation`
        (the listed form alone) or `auto`: average where the vocabulary has feminine forms at all, that is, where
        it holds word forms and not lemmas.
        """
        words = list(dict.fromkeys(words))
        forms = {text: Word(text, word.pos) for word in words for text in (word.text, word.feminine) if text}
        named = None if match == "auto" else matching.parse(match, forms.values())
        lookup = self._look_up(sorted(matching.spellings(forms.values(), named)))
        policies = named or matching.choose(lookup.traits)
        spelling = _matched(forms, policies, lookup)
        word_forms = any(
            word.feminine in spelling and spelling[word.feminine] != spelling.get(word.text)
            for word in words
            if word.feminine
        )
        average = adjectives == "average" or (adjectives == "auto" and word_forms)

        vectors: dict[str, Vector] = {}
        lengths: dict[str, float] = {}
        found: dict[str, str] = {}
        lost: dict[str, str] = {}
        used: list[str] = []
        for word in words:
            needed = [word.text, word.feminine] if average and word.feminine else [word.text]
            absent = [text for text in needed if text not in spelling]
            rows = [lookup.rows[spelling[text]].astype(np.float64) for text in needed if text in spelling]
            if absent:
                lost[word.text] = f"{', '.join(absent)} not in the vocabulary"
            elif not all(np.isfinite(row).all() and row.any() for row in rows):
                lost[word.text] = "its vector is zero or not finite"
            else:
                vectors[word.text] = _unit(np.mean([_unit(row) for row in rows], axis=0))
                lengths[word.text] = float(np.mean([np.linalg.norm(row) for row in rows]))
                found[word.text] = "+".join(spelling[text] for text in needed)
                used += needed
        if words and not vectors:
            raise TiltmeterError(
                f"none of the {len(words)} words asked for has a vector in {self.name} ({lookup.traits.words:,} words, "
                f"matched by {', '.join(policies)}); is it of another language, or should --match be another?"
            )
        return Found(
            vectors=vectors,
            lengths=lengths,
            forms=found,
            lost=lost,
            policies=policies,
            averaged=tuple(word.text for word in words if average and word.feminine and word.text in vectors),
            traits=lookup.traits,
            shared=_shared(used, spelling, lookup),
            composed=tuple(text for text in dict.fromkeys(used) if spelling[text] in lookup.composed),
        )

    def estimated_seconds(self, questions: int) -> float:  # noqa: ARG002
        """How long an instrument takes: the vocabulary is read once, however many words are asked."""
        start = time.perf_counter()
        look_up(self.files(), Asked(frozenset(), broken=self.broken))
        return time.perf_counter() - start

    def _look_up(self, spellings: list[str]) -> Lookup:
        """Asks the files only for what was not asked before."""
        stored = self.answers.known([_TRAITS, *spellings])
        known = {} if stored is None else {row["key"]: row for row in stored.iter_rows(named=True)}
        missing = [text for text in spellings if text not in known]
        if missing or _TRAITS not in known:
            lookup = look_up(self.files(), Asked(frozenset(missing), self.subwords, self.broken))
            rows = [
                {
                    "key": text,
                    "vector": lookup.rows[text].tolist() if text in lookup.rows else None,
                    "composed": text in lookup.composed,
                    "traits": None,
                }
                for text in missing
            ]
            rows.append(
                {"key": _TRAITS, "vector": None, "composed": False, "traits": json.dumps(asdict(lookup.traits))}
            )
            self.answers.add(pl.DataFrame(rows, schema=_SCHEMA))
            known |= {row["key"]: row for row in rows}
        return Lookup(
            rows={
                text: np.asarray(known[text]["vector"], dtype=np.float32)
                for text in spellings
                if known[text]["vector"] is not None
            },
            traits=Traits(**json.loads(known[_TRAITS]["traits"])),
            composed=frozenset(text for text in spellings if known[text]["composed"]),
        )


# No vocabulary has this word: it cannot hold a line end.
_TRAITS = "\ntraits"
_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "key": pl.String,
    "vector": pl.List(pl.Float32),
    "composed": pl.Boolean,
    "traits": pl.String,
}


def _matched(forms: Mapping[str, Word], policies: tuple[str, ...], lookup: Lookup) -> dict[str, str]:
    """The spelling of each text; one that stands in the vocabulary goes before one that had to be composed."""
    known = lookup.rows.keys() - lookup.composed
    tried = {
        text: matching.match(word, policies, known) or matching.match(word, policies, lookup.composed)
        for text, word in forms.items()
    }
    return {text: found for text, found in tried.items() if found}


def _shared(texts: Iterable[str], spelling: Mapping[str, str], lookup: Lookup) -> tuple[tuple[str, ...], ...]:
    """Texts whose rows are equal to the last bit though the vocabulary's words differ."""
    groups: dict[bytes, dict[str, str]] = {}
    for text in dict.fromkeys(texts):
        groups.setdefault(lookup.rows[spelling[text]].tobytes(), {}).setdefault(spelling[text], text)
    return tuple(tuple(group.values()) for group in groups.values() if len(group) > 1)


def _unit(vector: Vector) -> Vector:
    norm = float(np.linalg.norm(vector))
    return vector / norm if norm else vector
