"""What the instruments on word vectors share: which tests are asked, how words are found, what is said about it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import polars as pl

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments.instrument import Given, file_option, option
from tiltmeter.packs import Pack, WeatTest, Word, read_tests
from tiltmeter.results import Note
from tiltmeter.subjects import Found, Subject, VectorSubject

ROLES = "xyab"


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOptions:
    """Options of every instrument that asks for two sets of targets and two of attributes."""

    tests: Given | None = file_option(read_tests, "Word sets of yours (TOML) instead of the pack's.")
    only: str = option("", "Names of the tests to run, comma separated; all without it.")
    match: str = option("auto", "How words are matched: auto, or any of exact,lower-case,yo,pos-tag,lemma.")
    adjectives: Literal["auto", "average", "citation"] = option(
        "auto", "Average masculine and feminine forms of adjectives, or take the listed form."
    )
    max_lost: float = option(0.2, "Share of a set that may be missing from the vocabulary before a test is void.")
    seed: int = option(0, "Seed of the resampling.")

    def __post_init__(self) -> None:
        check_common(self.max_lost, self.seed)


def check_common(max_lost: float, seed: int) -> None:
    """Refuses what no instrument on vectors could use."""
    if not 0 <= max_lost < 1:
        raise TiltmeterError(f"--max-lost is a share from 0 up to but not including 1, not {max_lost}")
    if seed < 0:
        raise TiltmeterError(f"--seed is 0 or a positive whole number, not {seed}")


def chosen_tests(pack: Pack, options: QueryOptions) -> list[WeatTest]:
    """The tests of the user's file or of the pack, all or those named by `only`."""
    tests: Sequence[WeatTest] = _with_grammar(options.tests.content, pack) if options.tests else pack.weat
    names = [name.strip() for name in options.only.split(",") if name.strip()]
    for name in names:
        if name not in {test.name for test in tests}:
            raise unknown("test", name, [test.name for test in tests])
    return [test for test in tests if not names or test.name in names]


def _with_grammar(tests: Sequence[WeatTest], pack: Pack) -> list[WeatTest]:
    """The user's tests with what the pack knows about their words."""

    def known(words: Iterable[Word]) -> tuple[Word, ...]:
        return tuple(pack.lexicon.get(word.text, word) for word in words)

    return [replace(test, x=known(test.x), y=known(test.y), a=known(test.a), b=known(test.b)) for test in tests]


def by_test(items: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The tests of an items table in their order, each with its rows."""
    return [(str(name), rows) for (name,), rows in items.group_by("test", maintain_order=True)]


def find_words(subject: Subject, words: Iterable[Word], options: Any) -> Found:
    return cast(VectorSubject, subject).vectors(words, match=options.match, adjectives=options.adjectives)


def void_sets(words: pl.DataFrame, options: Any) -> tuple[dict[str, list[str]], list[str]]:
    """The lost words of each set in a `word, role, form, pair` table, and which sets have lost too many."""
    lost: dict[str, list[str]] = {role: [] for role in ROLES}
    found: dict[str, list[int]] = {role: [] for role in ROLES}
    for word, role, form, pair in words.select("word", "role", "form", "pair").iter_rows():
        if form is None:
            lost[role].append(word)
        else:
            found[role].append(pair)
    void = []
    for role in ROLES:
        members = len(lost[role]) + len(found[role])
        if len(lost[role]) > options.max_lost * members or len(found[role]) < 2:
            void.append(f"{len(lost[role])} of the {members} words of {role.upper()}")
    whole = set(found["a"]) & set(found["b"])
    if len(whole) < 2 and not void:
        void.append("all attribute pairs but " + ("one" if whole else "none"))
    return lost, void


def matching_notes(found: Found) -> list[Note]:
    """How words were matched, which were averaged, which were lost."""
    respelled = {word: form for word, form in found.forms.items() if form != word and word not in found.averaged}
    russian = any("а" <= letter <= "я" for word in found.forms for letter in word)
    told = [policy for policy in found.policies if policy != "yo" or russian]
    notes = [
        Note(
            kind="matching",
            text=f"Words were matched by {', '.join(told)}; {len(respelled)} stand in the vocabulary in "
            "another spelling.",
            details={"policies": list(found.policies), "respelled": respelled},
        )
    ]
    if found.averaged:
        notes.append(
            Note(
                kind="adjectives",
                text=f"The vocabulary holds word forms: {len(found.averaged)} adjectives are the average of their "
                "masculine and feminine forms.",
                details={"averaged": list(found.averaged)},
            )
        )
    if found.traits.rows < found.traits.words and not found.shared:
        notes.append(
            Note(
                kind="shared-rows",
                text=f"{found.traits.words:,} words share {found.traits.rows:,} rows in this table; no two words asked "
                "here do.",
                details={"words": found.traits.words, "rows": found.traits.rows, "groups": []},
            )
        )
    if found.shared:
        groups = "; ".join(" = ".join(group) for group in found.shared)
        notes.append(
            Note(
                kind="shared-rows",
                text=f"Some words asked here have one and the same vector ({found.traits.words:,} words on "
                f"{found.traits.rows:,} rows), and distances between them mean nothing: {groups}.",
                details={
                    "words": found.traits.words,
                    "rows": found.traits.rows,
                    "groups": [list(group) for group in found.shared],
                },
            )
        )
    if found.composed:
        notes.append(
            Note(
                kind="subwords",
                text=f"{len(found.composed)} words are not in the vocabulary; their vectors were composed from "
                f"character n-grams: {', '.join(found.composed)}.",
                details={"composed": list(found.composed)},
            )
        )
    if found.traits.duplicates or found.traits.broken:
        notes.append(
            Note(
                kind="vocabulary",
                text=f"The file holds {found.traits.duplicates} words more than once (the first was taken) and "
                f"{found.traits.broken} words that are not UTF-8 (left out).",
                details={"duplicates": found.traits.duplicates, "broken": found.traits.broken},
            )
        )
    if found.lost:
        notes.append(
            Note(
                kind="lost-words",
                caution="lost words",
                text=" ".join(_told_lost(found.lost)),
                details={"reasons": dict(found.lost)},
            )
        )
    return notes


def _told_lost(lost: Mapping[str, str]) -> Iterator[str]:
    absent = [word for word, reason in lost.items() if reason.endswith("not in the vocabulary")]
    if absent:
        yield f"{len(absent)} words have no vector: {', '.join(absent)}."
    if rest := [f"{word} ({reason})" for word, reason in lost.items() if word not in absent]:
        yield f"Not used: {', '.join(rest)}."


def grammar_notes(tests: Iterable[WeatTest]) -> list[Note]:
    """Published sets that confound the topic with grammatical gender are measured as published, and said to be so."""
    notes = []
    for test in tests:
        in_x, in_y = test.gender_counts()
        if in_x != in_y:
            notes.append(
                Note(
                    kind="grammatical-gender",
                    caution="grammar may play a part",
                    test=test.name,
                    text=f"{test.labels[0]} and {test.labels[1]} differ in the grammatical genders of their nouns "
                    f"({_counted(in_x)} against {_counted(in_y)}), so part of what is found may be grammar.",
                    details={"x": in_x, "y": in_y},
                )
            )
    return notes


def void_note(test: str, void: Sequence[str], lost: dict[str, list[str]], options: Any) -> Note:
    """Why a test has no value."""
    return Note(
        kind="void",
        caution="tests without a result",
        test=test,
        text=f"no value: {' and '.join(void)} have no vector (at most {options.max_lost:.0%} of a set may be lost, "
        "--max-lost).",
        details=lost,
    )


def _counted(genders: dict[str, int]) -> str:
    return " ".join(f"{count}{gender}" for gender, count in genders.items()) or "none"
