"""What changed from one model to another, as values: each number before and after, and whether it got worse."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

from tiltmeter.instruments import load_instrument
from tiltmeter.results import LEVEL, Estimate, Figure, Note, Worse, said_p, shown
from tiltmeter.runs.pairing import Alone
from tiltmeter.runs.run import Run

Direction = Literal["worse", "better", "changed sides", "unclear", "no change shown", "not tested"]
SHOWN: tuple[Direction, ...] = ("worse", "better", "changed sides", "unclear")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One number before and after, over what both models could answer."""

    instrument: str
    lang: str
    test: str
    name: str
    group: Mapping[str, str] = field(default_factory=dict)
    before: float | None
    after: float | None
    difference: float | None
    """`after` less `before`."""
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str | None = None
    p_value: float | None = None
    """Two-sided."""
    p_method: str | None = None
    p_adjusted: float | None = None
    family: str | None = None
    n: int = 0
    left_out: int = 0
    """What only one of the models could answer."""
    worse: Worse
    neutral: float | None
    direction: Direction
    note: str = ""
    """Why there is no difference, where there is none."""
    runs: tuple[str, str]

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"group": dict(self.group), "runs": list(self.runs)}

    @property
    def label(self) -> str:
        """The test, the estimate and its group."""
        group = " ".join(f"{key}={value}" for key, value in self.group.items())
        return f"{self.test} {self.name}" + (f" [{group}]" if group else "")

    def sentence(self) -> str:
        """The change in plain words."""
        if self.before is None or self.after is None or self.difference is None or self.ci_low is None:
            return f"{self.instrument}, {self.lang}, {self.label}: {self.note or self.direction}"
        return (
            f"{self.instrument}, {self.lang}, {self.label}: from {shown(self.before)} to {shown(self.after)}, "
            f"{self._way()} (95% interval of the change {shown(self.ci_low)} to {shown(self.ci_high)}, corrected "
            f"{said_p(self.p_adjusted)})"
        )

    def _way(self) -> str:
        """Up or down; or nearer to neutral or farther, and whether on the other side."""
        assert self.before is not None
        assert self.after is not None
        if self.worse != "away":
            return f"{'up' if self.after > self.before else 'down'} by {shown(abs(self.after - self.before))}"
        neutral = self.neutral or 0.0
        here, there = self.before - neutral, self.after - neutral
        farther = abs(there) - abs(here)
        way = f"{'farther from' if farther > 0 else 'nearer to'} {neutral:g} by {shown(abs(farther))}"
        return f"{way} and on the other side" if here * there < 0 else way


@dataclass(frozen=True, slots=True, repr=False)
class Comparison:
    """All that changed from one model to another, and what could not be compared."""

    before: str
    after: str
    pairs: tuple[tuple[Run, Run], ...]
    changes: tuple[Change, ...]
    alone: tuple[Alone, ...]
    """Runs that were not compared, with the reason."""
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        changes = sum(change.direction in SHOWN for change in self.distinct())
        return f"Comparison({self.before} to {self.after}, {len(self.pairs)} pairs of runs, {changes} changes shown)"

    def changed(self, direction: Direction) -> list[Change]:
        """The changes of one direction."""
        return [change for change in self.distinct() if change.direction == direction]

    def main(self) -> list[Change]:
        """Those of each instrument's main estimates, and whatever else is shown to have changed."""
        return [change for change in self.distinct() if _is_main(change) or change.direction in SHOWN]

    def distinct(self) -> list[Change]:
        """A number that stands under two names (with two p-values in a run) once, under its main one."""
        found: dict[tuple[object, ...], Change] = {}
        for change in self.changes:
            group = tuple(sorted(change.group.items()))
            number = change.before, change.after, change.ci_low, change.ci_high
            key = change.runs, change.test, group, *(number if change.ci_low is not None else (change.name,))
            if key not in found or (_is_main(change) and not _is_main(found[key])):
                found[key] = change
        return list(found.values())

    def figures(self) -> list[Figure]:
        """Of each pair of runs the changes of its main estimates, with their intervals."""
        return [figure for runs in self.pairs if (figure := self._figure(*runs)).rows]

    def _figure(self, before: Run, after: Run) -> Figure:
        tool = load_instrument(before.result.instrument)
        names = tool.main_estimates
        chosen = [row for row in self.changes if row.runs == (before.id, after.id) and row.name in names]
        rows = tuple(
            {
                "estimate": row.label,
                "change": row.difference,
                "low": row.ci_low,
                "high": row.ci_high,
                "direction": row.direction,
            }
            for row in chosen
            if row.difference is not None
        )
        return Figure(
            kind="intervals",
            title=f"{tool.title}, {before.result.lang}: change from {self.before} to {self.after}",
            rows=rows,
            x="change",
            y="estimate",
            low="low",
            high="high",
            colour="direction",
            order=get_args(Direction),
            neutral=0,
            caption=f"After less before, with its 95% interval; 0 is no change. Of the number itself: {tool.reading}.",
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "before": self.before,
            "after": self.after,
            "runs": [{"before": before.id, "after": after.id} for before, after in self.pairs],
            "changes": [change.to_json() for change in self.changes],
            "alone": [
                {
                    "side": entry.side,
                    "run": entry.run.id,
                    "instrument": entry.run.result.instrument,
                    "lang": entry.run.result.lang,
                    "subject": entry.run.result.subject,
                    "reason": entry.reason,
                }
                for entry in self.alone
            ],
            "notes": [note.to_json() for note in self.notes],
        }


def _is_main(change: Change) -> bool:
    return change.name in load_instrument(change.instrument).main_estimates


def direction(before: Estimate, after: Estimate, difference: Estimate) -> Direction:
    """Whether a change is shown, and whether it is one for the worse.

    The test is on the signed difference; worse is a matter of distance from neutral. On one side of neutral the two are
    the same. Where the value went to the other side they are not: it `changed sides` if both intervals leave out
    neutral; else it got better or worse only if the distances that the two intervals allow do not overlap.
    """
    if difference.value is None or difference.p_adjusted is None or difference.ci_low is None:
        return "not tested"
    assert difference.ci_high is not None
    if difference.p_adjusted >= LEVEL or difference.ci_low <= 0 <= difference.ci_high:
        return "no change shown"
    if difference.worse != "away":
        return "worse" if (difference.value > 0) == (difference.worse == "higher") else "better"
    neutral = difference.neutral or 0.0
    here, there = ((row.value or 0.0) - neutral for row in (before, after))
    if here * there >= 0:
        return "better" if abs(there) < abs(here) else "worse"
    (least, most), (later_least, later_most) = (_distances(row, neutral) for row in (before, after))
    if least > 0 and later_least > 0:
        return "changed sides"
    return "better" if later_most < least else "worse" if later_least > most else "unclear"


def _distances(row: Estimate, neutral: float) -> tuple[float, float]:
    """The least and the greatest distance from neutral within an estimate's interval; any, where it has none."""
    if row.ci_low is None or row.ci_high is None:
        return 0.0, float("inf")
    low, high = row.ci_low - neutral, row.ci_high - neutral
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
