"""What the instruments on gendered adjective forms share: which adjectives, which attributes, how near they lie."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl

from tiltmeter.instruments._differences import both_answered, known_to_one
from tiltmeter.instruments._queries import by_test, check_common, matching_notes
from tiltmeter.instruments.instrument import option
from tiltmeter.packs import Pack, Word, WordPair
from tiltmeter.results import Note
from tiltmeter.subjects import Found, Subject, VectorSubject

PACK = "pack"
BASELINE = "baseline"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjectiveOptions:
    """Options of every instrument on adjectives of two forms."""

    match: str = option("auto", "How words are matched: auto, or any of exact,lower-case,yo,pos-tag,lemma.")
    max_lost: float = option(0.2, "Share of a list that may be missing from the vocabulary before a test is void.")
    seed: int = option(0, "Seed of the resampling.")

    def __post_init__(self) -> None:
        check_common(self.max_lost, self.seed)


@dataclass(frozen=True, slots=True)
class Asked:
    """An adjective of a list, with what is known about it."""

    source: str
    masculine: str
    feminine: str
    stereotype: str = ""
    valence: str = ""


def pack_adjectives(pack: Pack) -> list[Asked]:
    return [Asked(PACK, entry.masculine, entry.feminine, entry.stereotype, entry.valence) for entry in pack.adjectives]


def baseline(pack: Pack) -> list[Asked]:
    return [Asked(BASELINE, entry.masculine, entry.feminine) for entry in pack.baseline_adjectives]


def list_adjectives(adjectives: Sequence[Asked], tests: Sequence[str]) -> pl.DataFrame:
    """One row for each adjective and attribute set."""
    return pl.DataFrame(
        [
            {
                "test": test,
                "adjectives": entry.source,
                "masculine": entry.masculine,
                "feminine": entry.feminine,
                "stereotype": entry.stereotype,
                "valence": entry.valence,
                "marked": entry.masculine != entry.feminine,
            }
            for test in tests
            for entry in adjectives
        ]
    )


def count_forms(items: pl.DataFrame) -> int:
    return pl.concat([items["masculine"], items["feminine"]]).n_unique()


def mean_similarities(
    items: pl.DataFrame, subject: Subject, attributes: dict[str, Sequence[WordPair]], options: AdjectiveOptions
) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the mean cosine of each form to the male and to the female attributes of its test; a lost form leaves null.

    An attribute pair that lost one word is left out with both, so that male and female attributes stay balanced.
    """
    pairs = [pair for entries in attributes.values() for pair in entries]
    texts = [*items["masculine"], *items["feminine"], *(text for pair in pairs for text in (pair.male, pair.female))]
    words = [Word(text) for text in dict.fromkeys(texts)]
    found = cast(VectorSubject, subject).vectors(words, match=options.match, adjectives="citation")
    kept = {test: _kept(entries, found) for test, entries in attributes.items()}
    rows = [_similarities(row, kept[row["test"]], found) for row in items.iter_rows(named=True)]
    answered = items.with_columns(
        pl.DataFrame(rows, schema=dict.fromkeys(_COLUMNS, pl.Float64)),
        pairs=pl.col("test").replace_strict({test: len(entries) for test, entries in attributes.items()}),
        pairs_found=pl.col("test").replace_strict({test: len(male) for test, (male, _) in kept.items()}),
    )
    return answered, [*matching_notes(found), *_attribute_notes(attributes, kept)]


_COLUMNS = ("masculine_to_male", "masculine_to_female", "feminine_to_male", "feminine_to_female")
COLUMNS = {
    **dict.fromkeys(("test", "adjectives", "masculine", "feminine", "stereotype", "valence"), pl.String),
    "marked": pl.Boolean,
    **dict.fromkeys(_COLUMNS, pl.Float64),
    **dict.fromkeys(("pairs", "pairs_found"), pl.Int64),
}
"""Of answered items."""


def _kept(pairs: Sequence[WordPair], found: Found) -> tuple[np.ndarray, np.ndarray]:
    whole = [pair for pair in pairs if pair.male in found.vectors and pair.female in found.vectors]
    return (
        np.array([found.vectors[pair.male] for pair in whole]),
        np.array([found.vectors[pair.female] for pair in whole]),
    )


def _similarities(
    row: dict[str, str], attributes: tuple[np.ndarray, np.ndarray], found: Found
) -> dict[str, float | None]:
    """Both forms or none: an adjective of which one form is missing is lost."""
    forms = {"masculine": row["masculine"], "feminine": row["feminine"]}
    if not len(attributes[0]) or any(form not in found.vectors for form in forms.values()):
        return dict.fromkeys(_COLUMNS, None)
    return {
        f"{gender}_to_{side}": float((matrix @ found.vectors[form]).mean())
        for gender, form in forms.items()
        for side, matrix in zip(("male", "female"), attributes, strict=True)
    }


def _attribute_notes(
    attributes: dict[str, Sequence[WordPair]], kept: dict[str, tuple[np.ndarray, np.ndarray]]
) -> Iterator[Note]:
    for test, pairs in attributes.items():
        if (left := len(kept[test][0])) < len(pairs):
            yield Note(
                kind="lost-attributes",
                caution="lost words",
                test=test,
                text=f"{left} of {len(pairs)} attribute pairs are in the vocabulary with both words.",
                details={"kept": left, "of": len(pairs)},
            )


@dataclass(frozen=True, slots=True)
class Shared:
    """Two tables of adjectives over the forms that both models know."""

    before: pl.DataFrame
    after: pl.DataFrame
    left_out: dict[str, int]
    """Adjectives that only one of them knows, by test."""
    broken: dict[str, str]
    """Tests whose numbers rest on different attributes, with the reason."""


def shared_adjectives(before: pl.DataFrame, after: pl.DataFrame, *scores: str) -> Shared:
    asked = ("test", "adjectives", "masculine", "feminine", "stereotype")
    answered = both_answered(before, after, asked=asked, answers=(*_COLUMNS, *scores))
    tests = [(test, rows, other) for (test, rows), (_, other) in zip(by_test(before), by_test(after), strict=True)]
    known = {test: tuple(int(part["pairs_found"][0]) for part in (rows, other)) for test, rows, other in tests}
    return Shared(
        *answered,
        left_out={test: known_to_one(rows[_COLUMNS[0]], other[_COLUMNS[0]]) for test, rows, other in tests},
        broken={
            test: f"the attributes are not the same: the models know {first} and {second} of their pairs"
            for test, (first, second) in known.items()
            if first != second
        },
    )


def lost_adjectives(rows: pl.DataFrame, options: AdjectiveOptions) -> tuple[pl.DataFrame, int, str]:
    """The adjectives found, how many words or pairs were lost, and why the list is void if it is."""
    found = rows.drop_nulls("masculine_to_male")
    lost = rows.height - found.height
    pairs, pairs_found = (int(rows[column][0]) for column in ("pairs", "pairs_found"))
    most = f"(at most {options.max_lost:.0%} may be lost, --max-lost)"
    why = ""
    if pairs - pairs_found > options.max_lost * pairs:
        why = f"{pairs - pairs_found} of {pairs} attribute pairs have no vector of both words {most}"
    elif pairs_found < 2:
        why = f"there are {pairs_found} attribute pairs with vectors, and 2 are needed"
    elif lost > options.max_lost * rows.height:
        why = f"{lost} of {rows.height} adjectives have no vector of both forms {most}"
    elif found.height < 3:
        why = f"there are {found.height} adjectives with vectors, and 3 are needed"
    return found, lost + pairs - pairs_found, f"no value: {why}" if why else ""
