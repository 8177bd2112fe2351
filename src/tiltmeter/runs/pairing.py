"""Which run of one model stands against which of another, and why some stand alone."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.runs.across import comparable, kind_of
from tiltmeter.runs.finding import request
from tiltmeter.runs.run import Run, labels, told_option


@dataclass(frozen=True, slots=True)
class Alone:
    """A run without a partner, and why."""

    run: Run
    side: str
    """`before` or `after`."""
    reason: str


def pair(before: Sequence[Run], after: Sequence[Run]) -> tuple[list[tuple[Run, Run]], list[Alone]]:
    """Runs of one instrument, version, language, lists and options; the others with the reason why they stand alone."""
    for side, runs in (("first", before), ("second", after)):
        _refuse_several(side, runs)
    pairs, alone = [], []
    partners = {_asked(run): run for run in after}
    for run in before:
        partner = partners.pop(_asked(run), None)
        if partner is None:
            alone.append(Alone(run, "before", _why_alone(run, after)))
        elif len(comparable([run, partner])) > 1:
            kinds = [kind_of(part) or "real" for part in (run, partner)]
            reason = f"one model is {kinds[0]} and the other {kinds[1]}: their numbers do not compare"
            alone += [Alone(run, "before", reason), Alone(partner, "after", reason)]
        else:
            pairs.append((run, partner))
    alone += [Alone(run, "after", _why_alone(run, before)) for run in partners.values()]
    return pairs, alone


def _refuse_several(side: str, runs: Sequence[Run]) -> None:
    seen: dict[str, Run] = {}
    for run in runs:
        other = seen.setdefault(_asked(run), run)
        if other is not run:
            names = " and ".join(labels([other, run]))
            result = run.result
            raise TiltmeterError(
                f"the {side} side holds two runs of {result.instrument} in {result.lang} with the same options, of "
                f"{names}: give one"
            )


def _why_alone(run: Run, others: Sequence[Run]) -> str:
    """The first thing in which no run of the other side agrees."""
    mine = run.result
    near = [other for other in others if other.result.instrument == mine.instrument]
    if not near:
        return f"the other side has no run of {mine.instrument}"
    languages = sorted({other.result.lang for other in near})
    near = [other for other in near if other.result.lang == mine.lang]
    if not near:
        return f"the other side was measured in {', '.join(languages)}: scores of different languages do not compare"
    apart = [_other_options(mine.options, other.result.options) for other in near]
    near = [other for other, differing in zip(near, apart, strict=True) if not differing]
    if not near:
        return f"measured with other options ({'; '.join(sorted(apart, key=len)[0])}): measure both alike"
    versions = sorted({other.result.version for other in near})
    if mine.version not in versions:
        return (
            f"measured with version {mine.version} of {mine.instrument}, the other side with version "
            f"{', '.join(versions)}: measure again"
        )
    return f"measured with other word lists of the pack {mine.lang!r} than the other side: measure again"


def _other_options(mine: Any, theirs: Any) -> list[str]:
    differing = [name for name in sorted({*mine, *theirs}) if mine.get(name) != theirs.get(name)]
    told = {name: (told_option(mine.get(name)), told_option(theirs.get(name))) for name in differing}
    return [
        f"{name} {one} and {other if other != one else 'another of that name'}" for name, (one, other) in told.items()
    ]


def _asked(run: Run) -> str:
    """What two runs have to agree in to be paired."""
    return json.dumps([request(run), run.result.version, run.result.provenance.get("pack")])
