"""Several models on the same pairs: Table 4 with the differences that are significant, and what changed."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import polars as pl

from tiltmeter.instruments._differences import Key, Sureness, both_answered, key, known_to_one, paired
from tiltmeter.instruments._nli_estimates import TEST, estimate, taus_of, usable
from tiltmeter.instruments._nli_measures import Answers, Measure, measures
from tiltmeter.instruments._numbers import Tested, number
from tiltmeter.instruments._together import (
    Runs,
    corrected_pairs,
    differences_table,
    model_names,
    said_differences,
    together_where_alike,
)
from tiltmeter.instruments.instrument import Findings, Paired
from tiltmeter.results import Estimate, Note, TextTable
from tiltmeter.statistics import influence_interval

_ASKED = ("set", "premise", "hypothesis", "occupation", "occupation_class", "gender", "form")
_ANSWERS = ("p_entailment", "p_contradiction", "p_neutral", "label")
_COMPARED = ("s", "s_macro", "s_excess", "stereotype_contrast", "lean")
_METHOD = "t of the paired changes over occupations"


def together(runs: Runs) -> Findings:
    return together_where_alike(runs, _together)


def _together(runs: Runs, which: str) -> Findings:
    names = model_names([result for result, _ in runs])
    asked = [items.select(_ASKED) for _, items in runs]
    known = pl.all_horizontal(*(items["label"].is_not_null().alias(str(n)) for n, (_, items) in enumerate(runs)))
    shared = pl.select(known).to_series() & (runs[0][1]["form"] == "") if _alike(asked) else None
    if shared is None or not shared.any():
        note = Note(kind="void", text="The models share no pair without a control, so that nothing can be compared.")
        return Findings(estimates=(), notes=(note,))
    answers = [Answers.of(items.filter(shared), ()) for _, items in runs]
    compared = [measure for measure in measures(()) if measure.name in _COMPARED]
    differences = []
    for measure in compared:
        rows = [
            _difference(measure, answers[one], answers[other], {"model": names[one], "less": names[other]})
            for one, other in combinations(range(len(names)), 2)
        ]
        differences += corrected_pairs(rows, measure.name)
    words = runs[0][1].filter(shared)["occupation"]
    units = f"{words.len():,} pairs that every model answered, {words.n_unique()} occupations"
    return Findings(
        estimates=tuple(differences),
        tables=(
            _ranking(compared, answers, names, units, which),
            differences_table(
                differences,
                f"NLI-CoAL: which differences between models are significant{which}",
                f"{units}; t over the occupations' differences, corrected over the pairs of models (Holm) for each "
                "number.",
            ),
        ),
        notes=tuple(said_differences(differences, "s", "s", units)),
    )


def _alike(asked: Sequence[pl.DataFrame]) -> bool:
    """Whether all were asked the same in the same order: a stored run may hold anything."""
    return all(items.equals(asked[0]) for items in asked)


def _ranking(
    compared: Sequence[Measure], answers: Sequence[Answers], names: Sequence[str], units: str, which: str
) -> TextTable:
    """Table 4: the scores, and in the second column the rank by s, the most biased first."""
    scores = [own.value(compared[0]) for own in answers]
    ranks = [1 + sum(other > score for other in scores) for score in scores]
    return TextTable(
        title=f"NLI-CoAL: bias scores of the models (Table 4){which}",
        columns=("model", "rank", *(measure.name for measure in compared)),
        rows=tuple(
            (name, rank, *(_known(own.value(measure)) for measure in compared))
            for name, rank, own in sorted(zip(names, ranks, answers, strict=True), key=lambda row: row[1])
        ),
        caption=f"{units}. Higher is worse, from 0; lean: above 0 men are inferred sooner than women, and farther is "
        "worse.",
    )


def _known(value: float) -> float | None:
    return value if value == value else None


def _difference(measure: Measure, one: Answers, other: Answers, group: dict[str, str]) -> Estimate:
    value = one.value(measure) - other.value(measure)
    sure = _sureness(measure, other, one) if value == value else None
    n = one.pairs(measure)
    name = f"{measure.name}_difference"
    if sure is None:
        return number(TEST, name, None, group, n=n, lost=0)
    return number(TEST, name, value, group, n=n, lost=0, limits=sure.interval, tested=sure.tested)


def _sureness(measure: Measure, before: Answers, after: Answers) -> Sureness | None:
    """Of the change of a number: what each occupation adds to its error, after less before."""
    first, second = before.influences(measure), after.influences(measure)
    if not first:
        return None
    changes = {unit: second[unit] - first[unit] for unit in first}
    interval, p = influence_interval(after.value(measure) - before.value(measure), after.grouped(changes, measure))
    return Sureness(interval, Tested(p, f"{_METHOD}, two-sided"))


def differences(before: pl.DataFrame, after: pl.DataFrame, options: Any) -> list[Paired]:
    """What changed from one model to another, over the pairs that both answered."""
    first, second = both_answered(before, after, asked=_ASKED, answers=_ANSWERS)
    sure = dict(_changes(first, second, options))
    return paired(
        estimate(first, options),
        estimate(second, options),
        sure,
        left_out=known_to_one(before["label"], after["label"]),
    )


def _changes(first: pl.DataFrame, second: pl.DataFrame, options: Any) -> Iterator[tuple[Key, Sureness | None]]:
    for form in first["form"].unique(maintain_order=True):
        control = {"control": f"{form} forms"} if form else {}
        one, other = (
            Answers.of(usable(items.filter(pl.col("form") == form)), taus_of(options)) for items in (first, second)
        )
        for measure in measures(taus_of(options)):
            if one.value(measure) == one.value(measure) and other.value(measure) == other.value(measure):
                yield key(TEST, measure.name, {**measure.group, **control}), _sureness(measure, one, other)
