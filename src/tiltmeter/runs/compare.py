"""Two models, or one before and after: what changed, by how much, how sure, and whether it got worse."""

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import Paired, load_instrument
from tiltmeter.results import Estimate, Note
from tiltmeter.runs.comparison import SHOWN, Change, Comparison, direction
from tiltmeter.runs.measuring import corrected
from tiltmeter.runs.pairing import Alone, pair
from tiltmeter.runs.run import Run, labels


def compare(before: Sequence[Run], after: Sequence[Run]) -> Comparison:
    """The runs of two models, paired by instrument, version, language, lists and options, and what changed in each.

    Differences are over what both models could answer. Their p-values are corrected with Holm's method over all tests
    of an estimate. A change counts as shown where its corrected p is below .05 and its interval leaves out 0.
    """
    pairs, alone = pair(before, after)
    names = labels([*before, *after])
    first, second = (_joined(part) for part in (names[: len(before)], names[len(before) :]))
    done: list[tuple[Run, Run]] = []
    found: list[list[Paired]] = []
    for runs in pairs:
        try:
            found.append(_differences(*runs))
            done.append(runs)
        except TiltmeterError as error:
            alone += [Alone(run, side, str(error)) for run, side in zip(runs, ("before", "after"), strict=True)]
    changes = tuple(_changes(done, found, f"{first} to {second}"))
    return Comparison(first, second, tuple(done), changes, tuple(alone), tuple(_notes(done, changes)))


def _joined(names: Sequence[str]) -> str:
    return ", ".join(dict.fromkeys(names))


def _differences(before: Run, after: Run) -> list[Paired]:
    tool = load_instrument(before.result.instrument)
    if before.result.version != tool.version:
        raise TiltmeterError(
            f"measured with version {before.result.version} of {tool.name}, and this tiltmeter has version "
            f"{tool.version}: measure again"
        )
    if tool.differences is None:
        raise TiltmeterError(f"{tool.name} does not say how two of its runs are compared")
    options = tool.stored_options(before.result.options)
    try:
        return tool.differences(before.items, after.items, options)
    except (ArithmeticError, LookupError, TypeError, ValueError, pl.exceptions.PolarsError) as error:
        # An instrument relies on what it wrote itself, and these tables may have been written by anybody.
        why = next(iter(str(error).splitlines()), "")
        raise TiltmeterError(f"the items are not as {tool.name} writes them ({why}): measure again") from error


def _changes(pairs: Sequence[tuple[Run, Run]], found: Sequence[Sequence[Paired]], scope: str) -> Iterator[Change]:
    """Every change, its p corrected over all pairs of runs of one instrument."""
    tools = dict.fromkeys(before.result.instrument for before, _ in pairs)
    adjusted: dict[int, Estimate] = {}
    for tool in tools:
        of_tool = [
            row for (run, _), rows in zip(pairs, found, strict=True) for row in rows if run.result.instrument == tool
        ]
        estimates = corrected([row.difference for row in of_tool], f"{tool}, {scope}")
        adjusted |= {id(row): estimate for row, estimate in zip(of_tool, estimates, strict=True)}
    for runs, rows in zip(pairs, found, strict=True):
        for row in rows:
            yield _change(runs, row, adjusted[id(row)])


def _change(runs: tuple[Run, Run], row: Paired, difference: Estimate) -> Change:
    return Change(
        instrument=runs[0].result.instrument,
        lang=runs[0].result.lang,
        test=difference.test,
        name=difference.name,
        group=difference.group,
        before=row.before.value,
        after=row.after.value,
        difference=difference.value,
        ci_low=difference.ci_low,
        ci_high=difference.ci_high,
        ci_method=difference.ci_method,
        p_value=difference.p_value,
        p_method=difference.p_method,
        p_adjusted=difference.p_adjusted,
        family=difference.family,
        n=difference.n,
        left_out=difference.lost,
        worse=difference.worse,
        neutral=difference.neutral,
        direction=direction(row.before, row.after, difference),
        note=row.note,
        runs=(runs[0].id, runs[1].id),
    )


def _notes(pairs: Sequence[tuple[Run, Run]], changes: Sequence[Change]) -> Iterator[Note]:
    """What was left out, and what an instrument says of the two runs together."""
    for before, after in pairs:
        tool = load_instrument(before.result.instrument)
        of_pair = [change for change in changes if change.runs == (before.id, after.id)]
        where = f"{tool.name}, {before.result.lang}"
        if lost := {change.test: change.left_out for change in of_pair if change.left_out}:
            told = ", ".join(f"{test} {count}" for test, count in lost.items())
            text = f"{where}: answers that only one of the models gave were left out of both ({told})."
            yield Note(kind="left-out", text=text, details={"left_out": lost})
        for test, why in dict.fromkeys((change.test, change.note) for change in of_pair if change.note):
            yield Note(kind="void", test=test, text=f"{where}, {test}: {why}.")
        if before.id == after.id:
            yield Note(kind="same", text=f"{where}: both sides are the same run.")
        if tool.compare is not None:
            yield from tool.compare([(run.result, run.items) for run in (before, after)]).notes
    if any(change.direction in SHOWN for change in changes):
        yield Note(
            kind="caveat",
            text="Shown is what differs between these two models. Two trainings of one recipe differ as well, first of "
            "all in means: to judge a recipe, compare several trainings.",
        )
