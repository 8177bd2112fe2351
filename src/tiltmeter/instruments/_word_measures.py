"""What measures share that give every word of a test one or two numbers: the questions, the losses, the estimates."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.instruments._differences import Sureness, both_answered, key, known_to_one, paired
from tiltmeter.instruments._queries import (
    ROLES,
    QueryOptions,
    by_test,
    chosen_tests,
    find_words,
    grammar_notes,
    matching_notes,
    void_note,
    void_sets,
)
from tiltmeter.instruments.instrument import Findings, Instrument, Layout, Paired
from tiltmeter.packs import Pack
from tiltmeter.results import Estimate, Figure, Note, Worse
from tiltmeter.statistics import difference_interval, permute_groups
from tiltmeter.subjects import Found, Subject

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sets:
    """Vectors of the words found, by role, as they stand in the file and at unit length; a and b hold whole pairs."""

    words: Mapping[str, list[str]]
    unit: Mapping[str, Floats]
    raw: Mapping[str, Floats]


@dataclass(frozen=True, slots=True)
class Number:
    """One number of a measure: its value, how many words it rests on, how sure it is."""

    value: float | None
    n: int
    interval: tuple[float, float, str] | None = None
    p: tuple[float, float, str] | None = None


def word_instrument(
    *,
    name: str,
    title: str,
    measures: str,
    formula: str,
    reading: str,
    reference: str,
    bibtex: str,
    numbers: Mapping[str, tuple[Worse, float]],
    columns: tuple[str, ...],
    measure: Callable[[Sets], Mapping[str, Mapping[str, Floats]]],
    summarise: Callable[[pl.DataFrame, QueryOptions], Mapping[str, Number]],
    changes: Callable[[pl.DataFrame, pl.DataFrame, QueryOptions], Mapping[str, Sureness | None]],
    note: Note | None = None,
) -> Instrument:
    """An instrument of which `measure` fills `columns` for the words of some roles, and `summarise` makes numbers.

    `changes` says how sure the change between two models is, from the rows of one test in each. `numbers` names the
    numbers, each with which way is worse and what is neutral; the first is the headline.
    """
    headline = next(iter(numbers))

    def answer(
        items: pl.DataFrame, subject: Subject, pack: Pack, options: QueryOptions
    ) -> tuple[pl.DataFrame, list[Note]]:
        tests = chosen_tests(pack, options)
        found = find_words(subject, [word for test in tests for role in ROLES for word in getattr(test, role)], options)
        answered = pl.concat([_answered(rows, found, columns, measure) for _, rows in by_test(items)])
        return answered, [*matching_notes(found), *grammar_notes(tests)]

    def estimate(items: pl.DataFrame, options: QueryOptions) -> Findings:
        estimates: list[Estimate] = []
        notes = [note] if note else []
        for test, rows in by_test(items):
            lost, void = void_sets(rows, options)
            if void:
                notes.append(void_note(test, void, lost, options))
            found = {} if void else summarise(rows, options)
            estimates += [
                _estimate(test, name, found.get(name, Number(None, 0)), worse, neutral, sum(map(len, lost.values())))
                for name, (worse, neutral) in numbers.items()
            ]
        return Findings(
            estimates=tuple(estimates),
            figures=(_figure(title, headline, reading, items, estimates),),
            notes=tuple(notes),
            tests=_topics(items),
        )

    def differences(before: pl.DataFrame, after: pl.DataFrame, options: QueryOptions) -> list[Paired]:
        first, second = both_answered(before, after, asked=_ASKED, answers=("form", *columns))
        tests = _both(before, after)
        left_out = {test: known_to_one(rows["form"], other["form"]) for test, rows, other in tests}
        broken = {test: why for test, rows, other in tests if (why := _other_basis(rows, other, columns))}
        sure = {
            key(test, name): found
            for test, rows, other in _both(first, second)
            if test not in broken and not void_sets(rows, options)[1]
            for name, found in changes(rows, other, options).items()
        }
        return paired(estimate(first, options), estimate(second, options), sure, left_out=left_out, broken=broken)

    return Instrument(
        name=name,
        version="1",
        title=title,
        measures=measures,
        formula=formula,
        reading=reading,
        reference=reference,
        bibtex=bibtex,
        headline=headline,
        columns=_COLUMNS | dict.fromkeys(columns, pl.Float64),
        score=columns[0],
        side="lean" if "lean" in numbers else None,
        layouts=(
            Layout(
                title=f"{title}: {headline} of each test",
                names=(headline,),
                rows=("test",),
                columns=("subject",),
                cells=("value", "interval", "p_adjusted"),
                each_language=True,
            ),
        ),
        capability="vectors",
        lists=("weat",),
        options=QueryOptions,
        items=list_words,
        questions=lambda items: items["word"].n_unique(),
        answer=answer,
        estimate=estimate,
        differences=differences,
    )


def topic_difference(x: Floats, y: Floats, options: QueryOptions) -> Number:
    """mean(x) - mean(y) with Welch's interval, and the p of re-splitting the targets."""
    interval, p = difference_interval(x, y), permute_groups(x, y, seed=options.seed)
    return Number(
        float(x.mean() - y.mean()),
        x.size + y.size,
        (interval.low, interval.high, interval.label),
        (p.p_two_sided, p.p_two_sided, p.described("target-permutation", sides="two-sided")),
    )


def list_words(pack: Pack, options: QueryOptions) -> pl.DataFrame:
    """One row for each word of a test."""
    return pl.DataFrame(
        [
            {"test": test.name, "word": word.text, "role": role, "label": label, "pair": position}
            for test in chosen_tests(pack, options)
            for role, label in zip(ROLES, (*test.labels, *test.attribute_labels), strict=True)
            for position, word in enumerate(getattr(test, role))
        ]
    )


def _answered(
    rows: pl.DataFrame,
    found: Found,
    columns: tuple[str, ...],
    measure: Callable[[Sets], Mapping[str, Mapping[str, Floats]]],
) -> pl.DataFrame:
    """The rows of one test with the form found for each word, and the measure's columns where they apply."""
    sets = _sets(rows, found)
    measured = measure(sets) if all(len(sets.words[role]) for role in ROLES) else {}
    values = {
        (role, word): {column: float(table[column][place]) for column in columns if column in table}
        for role, table in measured.items()
        for place, word in enumerate(sets.words[role])
    }
    keys = list(rows.select("role", "word").iter_rows())
    return rows.with_columns(
        pl.Series("form", [found.forms.get(word) for _, word in keys], dtype=pl.String),
        *(pl.Series(column, [values.get(key, {}).get(column) for key in keys], dtype=pl.Float64) for column in columns),
    )


_ASKED = ("test", "word", "role", "pair")
_COLUMNS = {**dict.fromkeys(("test", "word", "role", "label", "form"), pl.String), "pair": pl.Int64}


def _both(before: pl.DataFrame, after: pl.DataFrame) -> list[tuple[str, pl.DataFrame, pl.DataFrame]]:
    return [(test, rows, other) for (test, rows), (_, other) in zip(by_test(before), by_test(after), strict=True)]


def _other_basis(before: pl.DataFrame, after: pl.DataFrame, columns: tuple[str, ...]) -> str:
    """Why the words' numbers cannot be compared, if each model measured them against words of its own.

    A number of a topic's word is taken over all attributes, one of an attribute over all targets, or the other way
    round: where only one model knows some of these, the two numbers mean different things.
    """
    measured = {role for rows in (before, after) for role in rows.drop_nulls(columns[0])["role"]}
    basis = ~pl.Series([role in measured for role in before["role"]])
    only = before.filter(basis & (before["form"].is_null() != after["form"].is_null()))["word"].to_list()
    told = "the words that it measures against are not the same: only one of the models knows"
    return f"{told} {', '.join(only)}" if only and measured else ""


def _sets(rows: pl.DataFrame, found: Found) -> Sets:
    listed = {role: rows.filter(pl.col("role") == role)["word"].to_list() for role in ROLES}
    whole = [(a, b) for a, b in zip(listed["a"], listed["b"], strict=True) if a in found.vectors and b in found.vectors]
    words = {role: [word for word in listed[role] if word in found.vectors] for role in "xy"}
    words |= {"a": [a for a, _ in whole], "b": [b for _, b in whole]}
    unit = {role: np.array([found.vectors[word] for word in words[role]]) for role in ROLES}
    lengths = {role: np.array([found.lengths[word] for word in words[role]]) for role in ROLES}
    return Sets(words, unit, {role: unit[role] * lengths[role][:, None] for role in ROLES if len(words[role])})


def _estimate(test: str, name: str, number: Number, worse: Worse, neutral: float, lost: int) -> Estimate:
    interval = number.interval if number.interval and np.isfinite(number.interval[:2]).all() else None
    p = number.p
    return Estimate(
        test=test,
        name=name,
        value=number.value,
        worse=worse,
        neutral=neutral,
        ci_low=interval[0] if interval else None,
        ci_high=interval[1] if interval else None,
        ci_method=interval[2] if interval else None,
        p_value=p[0] if p else None,
        p_two_sided=p[1] if p else None,
        p_method=p[2] if p else None,
        n=number.n,
        lost=lost,
    )


def _figure(title: str, headline: str, reading: str, items: pl.DataFrame, estimates: Iterable[Estimate]) -> Figure:
    labels = _topics(items)
    chosen = [row for row in estimates if row.name == headline]
    x = f"{headline}: {_hint(chosen[0])}" if chosen else headline
    return Figure(
        kind="intervals",
        title=f"{title}: {headline.replace('_', ' ')}",
        rows=tuple(
            {"test": f"{row.test}: {labels[row.test]}", x: row.value, "low": row.ci_low, "high": row.ci_high}
            for row in chosen
            if row.value is not None
        ),
        x=x,
        y="test",
        low="low",
        high="high",
        neutral=chosen[0].neutral if chosen else None,
        caption=f"{reading[0].upper()}{reading[1:]}.",
    )


def _hint(row: Estimate) -> str:
    """How the axis is to be read, in a few words."""
    if row.name == "lean":
        return "← first topic female | male →"
    return {"higher": "← neutral | worse →", "lower": "← worse | neutral →"}.get(
        row.worse, f"{row.neutral:g} is neutral"
    )


def _topics(items: pl.DataFrame) -> dict[str, str]:
    """What each test compares."""
    return {
        test: " / ".join(rows.filter(pl.col("role") == role)["label"][0] for role in "xy")
        for test, rows in by_test(items)
    }
