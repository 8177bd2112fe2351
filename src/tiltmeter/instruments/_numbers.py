"""One number of a result, from what the statistics give."""

from collections.abc import Mapping
from dataclasses import dataclass

from tiltmeter.results import Estimate, Worse
from tiltmeter.statistics import Interval, PermutationTest


@dataclass(frozen=True, slots=True)
class Tested:
    """A p-value and how it came about."""

    p_value: float
    method: str


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
) -> Estimate:
    """An estimate whose neutral value is 0. What could not be computed (nan) is left open."""
    bounded = limits if limits is not None and limits.low == limits.low else None
    p = tested if tested is not None and tested.p_value == tested.p_value else None
    return Estimate(
        test=test,
        name=name,
        value=None if value is None or value != value else value,
        group=dict(group),
        worse=worse,
        neutral=0,
        ci_low=bounded.low if bounded else None,
        ci_high=bounded.high if bounded else None,
        ci_method=bounded.label if bounded else None,
        p_value=p.p_value if p else None,
        p_two_sided=p.p_value if p else None,
        p_method=p.method if p else None,
        n=n,
        lost=lost,
    )
