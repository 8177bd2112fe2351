"""The numbers of NLI-CoAL, all from its items table."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._nli_figures import figures_of
from tiltmeter.instruments._nli_measures import Answers, Measure, measures
from tiltmeter.instruments._nli_wording import readings
from tiltmeter.instruments._numbers import Tested, by_permutation, gathered, number
from tiltmeter.instruments.instrument import Findings
from tiltmeter.results import Estimate
from tiltmeter.statistics import Interval, PermutationTest, flip_signs, influence_interval

TEST = "NLI-CoAL"
_ROUNDING = 1e-12
"""What an occupation adds that is less is rounding."""


def estimate(items: pl.DataFrame, options: Any) -> Findings:
    """Tables 3 and 4 with intervals over occupations, condition (1), and Dev's scores on the same answers.

    Where the premises tell a gender by their form, all of it is a control, form by form.
    """
    if usable(items).is_empty():
        raise TiltmeterError("no pair is left to be measured")
    forms = items["form"].unique(maintain_order=True).to_list()
    parts = []
    for form in forms:
        some = items.filter(pl.col("form") == form)
        control = {"control": f"{form} forms"} if form else {}
        found = [_with_group(row, control) for row in _estimates(some, options)]
        notes = tuple(readings(found, usable(some), control.get("control", "")))
        parts.append(Findings(estimates=tuple(found), notes=notes, figures=tuple(figures_of(found, control))))
    return Findings.joined(parts)


def bare_estimates(items: pl.DataFrame, options: Any) -> list[Estimate]:
    """The numbers of all occupations alone, without those of each, words and figures."""
    answers, asked = (Answers.of(rows, taus_of(options)) for rows in (usable(items), items))
    return [
        _estimate(measure, answers, asked.pairs(measure) - answers.pairs(measure), options.seed)
        for measure in measures(taus_of(options))
    ]


def usable(items: pl.DataFrame) -> pl.DataFrame:
    return items.filter(pl.col("label").is_not_null())


def taus_of(options: Any) -> tuple[float, ...]:
    return tuple(float(part) for part in options.tau.split(","))


def _with_group(row: Estimate, more: dict[str, str]) -> Estimate:
    return replace(row, group={**row.group, **more})


def _estimates(items: pl.DataFrame, options: Any) -> Iterator[Estimate]:
    yield from bare_estimates(items, options)
    yield from _of_occupations(usable(items), items)


def _estimate(measure: Measure, answers: Answers, lost: int, seed: int) -> Estimate:
    value = answers.value(measure)
    interval, tested = None, None
    if math.isfinite(value):
        interval, p_value = influence_interval(value, answers.grouped(answers.influences(measure), measure))
        if measure.test == "flip":
            exchanged = exchanged_genders(answers, measure, seed)
            method = exchanged.described(_EXCHANGED, sides="one-sided: as the stereotype says")
            tested = Tested(exchanged.p_value, method, exchanged.p_two_sided)
        elif measure.test == "t" and math.isnan(p_value):
            # Where no occupation differs from another t says nothing, however far from 0 they all are.
            tested = by_permutation(exchanged_genders(answers, measure, seed), _EXCHANGED)
        elif measure.test == "t":
            tested = Tested(p_value, f"t over {interval.n} and more occupations, two-sided")
    return number(
        TEST,
        measure.name,
        value,
        measure.group,
        n=answers.pairs(measure),
        lost=lost,
        limits=None if interval is None else _within(interval, measure),
        tested=tested,
        worse=measure.worse,
        neutral=measure.neutral,
    )


_EXCHANGED = "genders exchanged within occupations"


def exchanged_genders(answers: Answers, measure: Measure, seed: int) -> PermutationTest:
    """The two genders exchanged within occupations: what an occupation adds turns its sign."""
    parts = np.array(list(answers.parts(measure).values()))
    return flip_signs(np.where(np.abs(parts) < _ROUNDING, 0.0, parts), seed=seed)


def _within(interval: Interval, measure: Measure) -> Interval:
    """The interval, cut to what the number can be, with what it speaks of."""
    low, high = (min(max(end, measure.lowest), measure.highest) for end in (interval.low, interval.high))
    units = "occupations" if measure.drawn == "together" else "occupations, the fewest of a kind"
    return replace(interval, low=low, high=high, method=f"{interval.method} over {interval.n} {units}")


def _of_occupations(found: pl.DataFrame, items: pl.DataFrame) -> Iterator[Estimate]:
    """The share of answers that a stereotype would give, or, without one, that are not neutral; and the lean."""
    keys = ["occupation", "occupation_class"]
    asked = {row[:2]: row[2] for row in items.group_by(keys).len().iter_rows()}
    for row in by_occupation(found).iter_rows(named=True):
        lost = asked[row["occupation"], row["occupation_class"]] - row["pairs"]
        group = {"occupation": row["occupation"], "occupation_class": row["occupation_class"]}
        yield number(TEST, "s_occupation", row["biased"], group, n=row["pairs"], lost=lost, worse="higher")
        yield number(TEST, "lean_occupation", row["lean"], group, n=row["pairs"], lost=lost)


def by_occupation(found: pl.DataFrame) -> pl.DataFrame:
    """One row an occupation: its pairs, its share of biased answers, its lean to men."""
    says = pl.col("label")
    pro = (
        pl.when(pl.col("set") == "NS")
        .then(says != "neutral")
        .when(pl.col("set") == "PS")
        .then(says == "entailment")
        .otherwise(says == "contradiction")
    )
    toward = pl.when(pl.col("gender") == "male").then(1.0).when(pl.col("gender") == "female").then(-1.0)
    sign = pl.when(says == "entailment").then(1.0).when(says == "contradiction").then(-1.0).otherwise(0.0)
    rows = found.with_columns(biased=pro.cast(pl.Float64), toward=toward * sign)
    keys = ["occupation", "occupation_class"]
    biased, lean = (
        gathered(rows, keys, column).with_columns(pl.col(column).list.mean()) for column in ("biased", "toward")
    )
    both = gathered(rows.filter(pl.col("gender") != ""), keys, "gender").filter(pl.col("gender").list.n_unique() == 2)
    told = biased.with_columns(lean=lean["toward"], pairs=gathered(rows, keys, "biased")["biased"].list.len())
    # With hypotheses of one gender alone, how it answers cannot be told from how it leans.
    known = pl.struct(keys).is_in(both.select(pl.struct(keys)).to_series().implode())
    return told.with_columns(lean=pl.when(known).then("lean"))
