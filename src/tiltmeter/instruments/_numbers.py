"""One number of a result, from what the statistics give, and how sure it is in words."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tiltmeter.results import LEVEL, Estimate, Note, Worse, said_p, shown
from tiltmeter.statistics import Interval, PermutationTest


@dataclass(frozen=True, slots=True)
class Tested:
    """A p-value and how it came about."""

    p_value: float
    method: str
    two_sided: float | None = None
    """Where `p_value` is one-sided."""


def gathered(rows: pl.DataFrame, by: str | list[str], column: str) -> pl.DataFrame:
    """A column's values as one list for each value of `by`, in order of appearance, to be summed or averaged.

    Sums over lists are the same to the last bit in every run. Those that polars makes while it groups are not: its
    threads add their parts in the order in which they end.
    """
    return rows.group_by(by, maintain_order=True).agg(pl.col(column))


def by_permutation(test: PermutationTest, what: str) -> Tested:
    return Tested(test.p_two_sided, test.described(what, sides="two-sided"))


def number(
    test: str,
    name: str,
    value: float | None,
    group: Mapping[str, str],
    *,
    n: int,
    lost: int,
    limits: Interval | None = None,
    tested: Tested | None = None,
    worse: Worse = "away",
    neutral: float = 0,
) -> Estimate:
    """An estimate whose neutral value is 0 unless another is said. What could not be computed (nan) is left open."""
    bounded = limits if limits is not None and math.isfinite(limits.low) and math.isfinite(limits.high) else None
    p = tested if tested is not None and tested.p_value == tested.p_value else None
    return Estimate(
        test=test,
        name=name,
        value=None if value is None or value != value else value,
        group=dict(group),
        worse=worse,
        neutral=neutral,
        ci_low=bounded.low if bounded else None,
        ci_high=bounded.high if bounded else None,
        ci_method=bounded.label if bounded else None,
        p_value=p.p_value if p else None,
        p_two_sided=(p.p_value if p.two_sided is None else p.two_sided) if p else None,
        p_method=p.method if p else None,
        n=n,
        lost=lost,
    )


def reading(row: Estimate, said: str, *, above: str, below: str, sure: str | None = None) -> Note:
    """What an estimate says in plain words, how far and how sure.

    A report's first lines say `above` or `below`, by the side of neutral that the estimate lies on.
    """
    limits = "" if row.ci_low is None else f" (95% interval {shown(row.ci_low)} to {shown(row.ci_high)})"
    if sure is None:
        chance = "" if row.p_value is None else "hardly" if row.p_value < LEVEL else "perhaps"
        sure = f"; {chance} chance, {said_p(row.p_value)} before correction" if chance else ""
    details = {"estimates": [row.name], "group": dict(row.group), "above": above, "below": below}
    return Note(kind="reading", test=row.test, text=f"{said}{limits}{sure}.", details=details)
