"""What changed between two models that were asked the same: the paired numbers that instruments share.

A unit is what an instrument samples: a profession, an attribute, an adjective, a word, an attribute pair. Both models
answer for the same units, so what is uncertain is the change of each unit, not the units themselves: intervals are of
these changes, and the p-values of means exchange the two models within each unit, which flips the sign of its change.
Both speak of other units of the same kind; of other trainings of the same model, two models can tell nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._numbers import Tested, by_permutation, gathered
from tiltmeter.instruments.instrument import Findings, Paired
from tiltmeter.results import Estimate
from tiltmeter.statistics import (
    Interval,
    difference_interval,
    flip_signs,
    mean_interval,
    never_zero,
    statistic_interval,
)

Floats = NDArray[np.float64]
Key = tuple[str, str, tuple[tuple[str, str], ...]]
RESAMPLES = 1_999


@dataclass(frozen=True, slots=True)
class Sureness:
    """How sure a change is."""

    interval: Interval
    tested: Tested | None
    """Nothing where no test is known to keep its level."""


def key(test: str, name: str, group: Mapping[str, str] | None = None) -> Key:
    """What tells an estimate of a run from the others."""
    return test, name, tuple(sorted((group or {}).items()))


def both_answered(
    before: pl.DataFrame, after: pl.DataFrame, *, asked: Sequence[str], answers: Sequence[str]
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Both tables with null wherever one of them has no answer; they have to ask the same in the same order."""
    if not before.select(asked).equals(after.select(asked)):
        raise TiltmeterError("the two runs list different items, though their lists and options are called the same")
    known = [(before[name].is_not_null() & after[name].is_not_null()).alias(name) for name in answers]
    first, second = (
        items.with_columns(pl.when(mask).then(pl.col(mask.name)).otherwise(None).alias(mask.name) for mask in known)
        for items in (before, after)
    )
    return first, second


def known_to_one(before: pl.Series, after: pl.Series) -> int:
    """How many answers only one of the two has."""
    return int((before.is_null() != after.is_null()).sum())


def paired(
    before: Findings,
    after: Findings,
    sure: Mapping[Key, Sureness | None],
    *,
    left_out: Mapping[str, int] | int = 0,
    broken: Mapping[str, str] | None = None,
) -> list[Paired]:
    """Every estimate of both, with its change; what is known of how sure a change is stands in `sure`.

    `left_out` counts what only one model could answer, by test or for all; `broken` says of a test why its numbers
    cannot be compared.
    """
    later = {key(row.test, row.name, row.group): row for row in after.estimates}
    found = []
    for row in before.estimates:
        this = key(row.test, row.name, row.group)
        if this not in later:
            continue
        note = (broken or {}).get(row.test, "")
        lost = left_out if isinstance(left_out, int) else left_out.get(row.test, 0)
        change = _change(row, later[this], None if note else sure.get(this), lost=lost, void=bool(note))
        found.append(Paired(before=row, after=later[this], difference=change, note=note))
    return found


def _change(before: Estimate, after: Estimate, sure: Sureness | None, *, lost: int, void: bool) -> Estimate:
    known = not void and before.value is not None and after.value is not None
    bounded = sure.interval if known and sure and sure.interval.low == sure.interval.low else None
    tested = sure.tested if known and sure else None
    tested = tested if tested and tested.p_value == tested.p_value else None
    return replace(
        before,
        value=(after.value or 0.0) - (before.value or 0.0) if known else None,
        ci_low=bounded.low if bounded else None,
        ci_high=bounded.high if bounded else None,
        ci_method=bounded.label if bounded else None,
        p_value=tested.p_value if tested else None,
        p_two_sided=tested.p_value if tested else None,
        p_method=tested.method if tested else None,
        p_adjusted=None,
        family=None,
        lost=lost,
    )


def mean_change(changes: Floats, *, over: str, seed: int, clusters: Sequence[object] | None = None) -> Sureness | None:
    """Of a mean over units; with `clusters`, over rows of which those of one unit belong together."""
    if changes.size == 0:
        return None
    interval = mean_interval(changes, clusters=clusters, seed=seed)
    units = changes
    if clusters is not None:
        rows = pl.DataFrame({"unit": clusters, "change": changes})
        units = gathered(rows, "unit", "change").sort("unit")["change"].list.sum().to_numpy()
    return Sureness(interval, exchanged(units, over=over, seed=seed))


def exchanged(contributions: Floats, *, over: str, seed: int) -> Tested:
    """The p of exchanging the two models within each unit: what a unit adds to the change turns its sign."""
    return by_permutation(flip_signs(contributions, seed=seed), f"models exchanged within {over}")


def contrast_change(first: Floats, second: Floats) -> Sureness | None:
    """Of the mean of one group of units less that of another: Welch's interval and t test of the changes of the units.

    Not by exchanging the models: a shift common to both groups leaves the contrast as it is, but would drown its change
    in that test. Nor by permuting changes between the groups, which rejects too often where the smaller group varies
    more.
    """
    if first.size < 2 or second.size < 2:
        return None
    from scipy.stats import ttest_ind

    interval = difference_interval(first, second)
    if interval.low == interval.high:
        p = 1.0 if interval.low == 0 else float("nan")
    else:
        p = never_zero(float(ttest_ind(first, second, equal_var=False).pvalue))
    return Sureness(interval, Tested(p, "Welch's t test of the changes, two-sided"))


def topic_change(first: Floats, second: Floats) -> Sureness | None:
    """Of a contrast of two topics, by what each word adds: an interval with a warning, and no p.

    Words of one topic change together. In worlds where no gendered word changed its kind, a p that takes them as
    independent rejected in up to a third of them, and the interval covered as little as two thirds (docs/compare.md).
    """
    found = contrast_change(first, second)
    if found is None:
        return None
    interval = replace(
        found.interval, caution="takes the words of a topic as independent: too narrow where they are not"
    )
    return Sureness(interval, None)


def correlation_change(
    before: tuple[Floats, Floats], after: tuple[Floats, Floats], *, ranked: bool, over: str, seed: int
) -> Sureness | None:
    """Of a correlation of two columns of the same units, before and after: Spearman's if `ranked`, else Pearson's."""
    parts = correlation_parts(before, after, ranked=ranked)
    if parts is None:
        return None

    def correlation(table: Floats) -> float:
        z, w = (_standardised(column, ranked) for column in table.T)
        return float("nan") if z is None or w is None else float((z * w).mean())

    return statistic_change(
        np.column_stack(before), np.column_stack(after), correlation, parts, over=over, seed=seed, method="bca"
    )


def correlation_parts(before: tuple[Floats, Floats], after: tuple[Floats, Floats], *, ranked: bool) -> Floats | None:
    """What each unit adds to the change of a correlation.

    With z and w the standardised columns, r = mean(z w). To first order a unit adds z w - r (z^2 + w^2) / 2, with r the
    mean of the two correlations: without the second term, which is what standardising takes back, the p would be far
    too large wherever r is. The parts add up to n times the change, exactly.
    """
    standard = [(_standardised(z, ranked), _standardised(w, ranked)) for z, w in (before, after)]
    whole = [(z, w) for z, w in standard if z is not None and w is not None]
    if len(whole) < 2:
        return None
    middle = sum(float((z * w).mean()) for z, w in whole) / 2
    first, second = (z * w - middle / 2 * (z**2 + w**2) for z, w in whole)
    return np.asarray(second - first)


def statistic_change(
    before: Floats,
    after: Floats,
    statistic: Callable[[Floats], float],
    parts: Floats,
    *,
    over: str,
    seed: int,
    method: str = "percentile",
) -> Sureness:
    """Of any statistic of rows that are units: units are drawn anew, the same for both models; `parts` is what each
    unit adds to the change."""
    width = before.shape[1]
    interval = statistic_interval(
        np.column_stack([before, after]),
        lambda rows: statistic(rows[:, width:]) - statistic(rows[:, :width]),
        method="bca" if method == "bca" else "percentile",
        resamples=RESAMPLES,
        seed=seed,
    )
    named = replace(interval, method=f"bootstrap over {over}, drawn alike for both models, {interval.method}")
    return Sureness(named, exchanged(parts, over=over, seed=seed))


def _standardised(column: Floats, ranked: bool) -> Floats | None:
    """Mean 0 and mean square 1; nothing where the column does not vary."""
    from scipy.stats import rankdata

    values = rankdata(column) if ranked else column
    centred = values - values.mean()
    spread = float(np.sqrt((centred**2).mean()))
    return centred / spread if spread > 1e-12 * max(1.0, float(np.abs(values).max())) else None
