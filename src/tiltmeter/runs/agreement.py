"""Do several instruments that ask the same tests say the same about one subject?"""

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.results import Estimate
from tiltmeter.runs.run import Run
from tiltmeter.statistics import spearman


@dataclass(frozen=True, slots=True)
class Measure:
    """One instrument beside the reference, over the tests that both could measure."""

    instrument: str
    estimate: str
    values: dict[str, float | None]
    """The headline of each test."""
    same_side: tuple[int, int] | None
    """On how many of how many tests it leans to the same side; None for an instrument without a side."""
    rank_correlation: float | None
    """Spearman's correlation of the distances from neutral: does it rank the tests alike?"""


@dataclass(frozen=True, slots=True)
class Agreement:
    subject: str
    lang: str
    reference: str
    measures: tuple[Measure, ...]


def agreement(runs: Sequence[Run], *, reference: str = "weat") -> list[Agreement]:
    """For every subject measured by the reference and by others: the others test by test, and how far they agree."""
    found = []
    for base in runs:
        if base.result.instrument != reference:
            continue
        others = [run for run in runs if _subject(run) == _subject(base) and run is not base]
        tests = {row.test: row for row in _headlines(base) if "control" not in row.group}
        beside = [_beside(run, tests, base) for run in others if _shares_tests(run, tests)]
        if beside:
            measures = (_beside(base, tests, base), *beside)
            found.append(Agreement(base.result.subject, base.result.lang, reference, measures))
    return found


def _subject(run: Run) -> tuple[str, str]:
    """What was measured: two files of one name are two subjects."""
    return str(run.result.provenance["subject"]["fingerprint"]), run.result.lang


def _headlines(run: Run) -> list[Estimate]:
    name = load_instrument(run.result.instrument).headline
    return [row for row in run.result.estimates if row.name == name]


def _shares_tests(run: Run, tests: dict[str, Estimate]) -> bool:
    return len(tests) > 1 and {row.test for row in _headlines(run)} == set(tests)


def _beside(run: Run, tests: dict[str, Estimate], base: Run) -> Measure:
    tool = load_instrument(run.result.instrument)
    values = {row.test: row for row in _headlines(run) if row.test in tests}
    both = [test for test in tests if tests[test].value is not None and values[test].value is not None]
    far = [[_distance(rows[test]) for test in both] for rows in (tests, values)]
    return Measure(
        instrument=tool.name,
        estimate=tool.headline,
        values={test: row.value for test, row in values.items()},
        same_side=_same_side(run, tool, base, both),
        rank_correlation=_finite(spearman(*far).r) if len(both) > 2 else None,
    )


def _same_side(run: Run, tool: Instrument, base: Run, tests: list[str]) -> tuple[int, int] | None:
    side = load_instrument(base.result.instrument).side
    if tool.side is None or side is None:
        return None
    ours, theirs = (
        {row.test: row.value for row in r.result.estimates if row.name == name}
        for r, name in ((base, side), (run, tool.side))
    )
    sided = [test for test in tests if test in ours and test in theirs]
    return sum(((ours[test] or 0) > 0) == ((theirs[test] or 0) > 0) for test in sided), len(sided)


def _distance(row: Estimate) -> float:
    return abs((row.value or 0.0) - (row.neutral or 0.0))


def _finite(value: float) -> float | None:
    return value if value == value else None
