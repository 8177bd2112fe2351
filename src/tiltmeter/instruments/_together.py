"""Several models that were asked the same: which of their numbers differ."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from tiltmeter.instruments.instrument import Findings
from tiltmeter.results import LEVEL, Estimate, Note, Result, TextTable, said_p, shown
from tiltmeter.statistics import holm

Runs = Sequence[tuple[Result, pl.DataFrame]]


def together_where_alike(runs: Runs, find: Callable[[Runs, str], Findings]) -> Findings:
    """What `find` finds in the runs that were asked the same in the same way; it is told which set they are of, where
    there are several."""
    alike: dict[str, list[tuple[Result, pl.DataFrame]]] = {}
    for result, items in runs:
        asked = {**result.options, "lang": result.lang, "pack": result.provenance.get("pack")}
        alike.setdefault(json.dumps(asked, sort_keys=True), []).append((result, items))
    groups = [group for group in alike.values() if len(group) > 1]
    return Findings.joined(
        find(group, f" (set {place})" if len(groups) > 1 else "") for place, group in enumerate(groups, start=1)
    )


def model_names(results: Sequence[Result]) -> list[str]:
    """The models' names; where one stands twice, with the run."""
    names = [result.subject for result in results]
    return [
        name if names.count(name) == 1 else f"{name} ({result.provenance['run'][:8]})"
        for name, result in zip(names, results, strict=True)
    ]


def seed_of(runs: Runs) -> int:
    """The seed that the first was made with; a stored run may say anything."""
    seed: Any = runs[0][0].options.get("seed")
    return seed if isinstance(seed, int) and seed >= 0 else 0


def corrected_pairs(rows: Sequence[Estimate], name: str) -> list[Estimate]:
    """Differences of every two models in one number, corrected (Holm) over all of them."""
    adjusted = holm([row.p_value for row in rows])
    family = f"{name}, {len(rows)} pairs of models, Holm"
    return [
        replace(row, p_adjusted=p, family=family if p is not None else None)
        for row, p in zip(rows, adjusted, strict=True)
    ]


def differences_table(differences: Sequence[Estimate], title: str, caption: str) -> TextTable:
    return TextTable(
        title=title,
        columns=("number", "model", "less model", "difference", "low", "high", "p", "p corrected", "significant"),
        rows=tuple(
            (
                row.name.removesuffix("_difference"),
                row.group["model"],
                row.group["less"],
                row.value,
                row.ci_low,
                row.ci_high,
                row.p_value,
                row.p_adjusted,
                "not tested" if row.p_adjusted is None else "yes" if row.p_adjusted < LEVEL else "no",
            )
            for row in differences
        ),
        caption=caption,
    )


def said_differences(differences: Sequence[Estimate], name: str, called: str, units: str) -> Iterator[Note]:
    """The differences of one number in sentences, the higher model first."""
    for row in differences:
        if row.name != f"{name}_difference" or row.value is None:
            continue
        higher, lower = row.group["model"], row.group["less"]
        low, high = row.ci_low, row.ci_high
        if row.value < 0:
            higher, lower = lower, higher
            low, high = (None, None) if low is None or high is None else (-high, -low)
        if row.p_adjusted is None or low is None:
            text = f"{called} of {higher} is {shown(abs(row.value))} above that of {lower}, which could not be tested."
        else:
            sure = row.p_adjusted < LEVEL
            said = f"{higher} has a higher {called} than" if sure else f"{higher} does not differ clearly from"
            text = (
                f"{said} {lower}: {shown(abs(row.value))} (95% interval {shown(low)} to {shown(high)}, corrected "
                f"{said_p(row.p_adjusted)}, {units})."
            )
        yield Note(kind="reading", text=text)
