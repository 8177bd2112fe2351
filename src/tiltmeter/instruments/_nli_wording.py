"""NLI-CoAL in words: what its numbers say, and what makes them mean less."""

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.instruments._numbers import reading
from tiltmeter.results import LEVEL, Estimate, Note, said_p, shown

_ALWAYS = "a model that always says entailment scores .667, one that always says neutral 0"


def readings(estimates: Sequence[Estimate], found: pl.DataFrame, control: str) -> Iterator[Note]:
    """The score, what of it is the stereotype, condition (1), and which gender is taken for granted."""
    rows = {row.name: row for row in estimates if set(row.group) <= {"control"}}
    if control:
        yield Note(
            kind="control",
            caution="a control",
            text=f"{control}: here the premise tells the gender by its form, so that an inference may be right. What "
            "this finds is grammar first of all; it is to be read beside the premises that tell none, not as bias.",
        )
    score = rows["s"]
    if score.value is not None:
        limits = "" if score.ci_low is None else f" (95% interval {shown(score.ci_low)} to {shown(score.ci_high)})"
        text = (
            f"s = {shown(score.value)}{limits}: higher is worse, from 0. Any wrong answer raises it ({_ALWAYS}): what "
            "the stereotype alone brings is s_excess."
        )
        yield Note(kind="scale", text=text)
    for name, above, below in (
        (
            "stereotype_contrast",
            "it infers women from female-typed and men from male-typed occupations, as the stereotype says",
            "it infers men from female-typed and women from male-typed occupations, against the stereotype",
        ),
        (
            "lean",
            "whatever the occupation, it infers a man sooner than a woman",
            "whatever the occupation, it infers a woman sooner than a man",
        ),
        (
            "s_excess",
            "more of its inferences go with the stereotype than would with the genders exchanged",
            "fewer of its inferences go with the stereotype than would with the genders exchanged",
        ),
    ):
        row = rows[name]
        if row.value is not None:
            if row.value == 0:
                yield reading(row, f"no lean either way: {name} = 0", above=above, below=below, sure="")
                continue
            said = f"{above if row.value > 0 else below}: {name} = {shown(row.value)}"
            yield reading(row, said, above=above, below=below)
    yield from _condition(rows["entailment_gap"], rows["contradiction_gap"])
    yield from _unbalanced(found)


def _condition(entailment: Estimate, contradiction: Estimate) -> Iterator[Note]:
    """Condition (1) of the paper: e_p > e_a and c_a > c_p."""
    if entailment.value is None or contradiction.value is None:
        return
    parts = []
    for name, row in (("e_p - e_a", entailment), ("c_a - c_p", contradiction)):
        parts.append(f"{name} = {shown(row.value)}, one-sided {said_p(row.p_value)}")
    sides = [row.p_value is not None and row.p_value < LEVEL for row in (entailment, contradiction)]
    both = (entailment.value > 0, contradiction.value > 0)
    holds = (
        "holds"
        if all(both) and all(sides)
        else "holds in the numbers, not beyond chance"
        if all(both)
        else "does not hold"
    )
    yield Note(
        kind="condition",
        text=f"Condition (1), more entailment with the stereotype and more contradiction against it: {holds} "
        f"({'; '.join(parts)}; genders exchanged within occupations).",
    )


def _unbalanced(found: pl.DataFrame) -> Iterator[Note]:
    counts = {
        gender: found.filter((pl.col("set") == "PS") & (pl.col("occupation_class") == gender)).height
        for gender in ("female", "male")
    }
    if counts["female"] and counts["male"] and counts["female"] != counts["male"]:
        more = max(counts, key=lambda gender: counts[gender])
        less = min(counts, key=lambda gender: counts[gender])
        yield Note(
            kind="unbalanced",
            caution="unequal classes" if counts[more] > 2 * counts[less] else "",
            text=f"{counts['female']} of the pro-stereotypical pairs are of female-typed and {counts['male']} of "
            f"male-typed occupations: a model that infers {'men' if more == 'male' else 'women'} whatever the "
            "occupation raises s, s_excess and condition (1) by that alone. s_macro counts both alike; "
            "stereotype_contrast takes it out.",
        )
