"""Whether runs stay within limits: what a build fails on.

A gate fails closed. What has no value, no interval where one is asked for, or is not in a run that a rule is about is
unjudged, and that is no pass; a rule that is about nothing at all is a mistake.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.results import Estimate, shown
from tiltmeter.runs.gate_rules import On, Rule, shown_limit
from tiltmeter.runs.run import Run

Verdict = Literal["passed", "breached", "unjudged"]
ABOUT_RUNS = ("lang", "subject")
"""Keys of a selector that choose runs; `test` and those of the groups choose estimates within each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One rule, held against one estimate of one run."""

    rule: Rule
    run: Run = field(repr=False, compare=False)
    estimate: Estimate | None
    """None where the run has nothing that the rule is about."""
    on: On
    compared: float | None
    """The number that was held against the limit; None where it is unjudged."""
    why: str = ""
    """Why it is unjudged."""

    @property
    def verdict(self) -> Verdict:
        if self.compared is None:
            return "unjudged"
        within = self.compared <= self.rule.limit if self.rule.bound == "max" else self.compared >= self.rule.limit
        return "passed" if within else "breached"

    @property
    def passed(self) -> bool:
        return self.verdict == "passed"

    @property
    def about(self) -> str:
        """Which estimate, in one line."""
        row = self.estimate
        if row is None:
            return one_line(self.rule.target)
        group = " ".join(f"{key}={value}" for key, value in row.group.items())
        return one_line(f"{row.test} {row.name}{group and f' [{group}]'}")

    def sentence(self) -> str:
        """The verdict with its numbers, in one line: run, estimate, value with its interval, limit."""
        result = self.run.result
        where = f"{result.instrument} on {result.subject}, {result.lang} (run {self.run.id}): {self.about}"
        reason = f" ({self.rule.reason})" if self.rule.reason else ""
        return one_line(f"{where} {self.why or self._numbers()}; must be {self.rule.allowed}{reason}")

    def to_json(self) -> dict[str, Any]:
        row, result = self.estimate, self.run.result
        found = ("test", "name", "group", "value", "ci_low", "ci_high", "worse", "neutral")
        return {
            "verdict": self.verdict,
            "why": self.why or None,
            "rule": str(self.rule),
            "bound": self.rule.bound,
            "limit": self.rule.limit,
            "on": self.on,
            "reason": self.rule.reason or None,
            "compared": self.compared,
            "run": self.run.id,
            "instrument": result.instrument,
            "subject": result.subject,
            "lang": result.lang,
            "estimate": row and {key: value for key, value in row.to_json().items() if key in found},
        }

    def _numbers(self) -> str:
        row = self.estimate
        if row is None or self.compared is None:
            return ""
        interval = "" if row.ci_low is None else f" (95% interval {shown(row.ci_low)} to {shown(row.ci_high)})"
        reach = "" if self.on == "value" else "down to " if row.worse == "lower" else "up to "
        compared = _telling(self.compared, self.rule.limit)
        if row.worse == "away" and row.neutral is not None:
            return f"is {shown(row.value)}{interval}, {reach}{compared} away from {shown_limit(row.neutral)}"
        return f"is {compared}{interval}" if not reach else f"is {shown(row.value)}{interval}, {reach}{compared}"


def check(runs: Sequence[Run], rules: Sequence[Rule], *, on: On = "value") -> list[Outcome]:
    """Holds every rule against every run of its instrument; a limit that is reached exactly is kept.

    `on` is for rules that do not say it themselves. `value` compares the estimate: itself, or where `away` is worse its
    distance from neutral. `ci` compares the worst bound of the interval (or the value, should that be worse still): it
    passes only what is surely within.
    """
    if not runs or not rules:
        raise TiltmeterError(f"a gate needs {'a run' if not runs else 'a rule'}; nothing was checked")
    return [outcome for rule in rules for outcome in _held_against(rule, runs, rule.on or on)]


def one_line(text: str) -> str:
    """Text from outside in one line: what would break it, or turn its direction, is written as an escape."""
    return "".join(
        character.encode("unicode_escape").decode()
        if unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in _TURNING
        else character
        for character in text
    )


_TURNING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def _held_against(rule: Rule, runs: Sequence[Run], on: On) -> Iterator[Outcome]:
    for run, rows in _chosen(rule, _runs_meant(rule, runs)):
        if not rows:
            why = "is not in this run (name the runs that are meant with lang= or subject=)"
            yield Outcome(rule=rule, run=run, estimate=None, on=on, compared=None, why=why)
        for row in rows:
            _check_direction(rule, row)
            compared, why = _compared(run, row, on)
            yield Outcome(rule=rule, run=run, estimate=row, on=on, compared=compared, why=why)


def _runs_meant(rule: Rule, runs: Sequence[Run]) -> list[Run]:
    meant = [run for run in runs if run.result.instrument == rule.instrument]
    if not meant:
        names = {run.result.instrument for run in runs}
        raise _mistake(rule, unknown("run of the instrument", rule.instrument, names))
    for key in ABOUT_RUNS:
        if key in rule.where:
            known = {getattr(run.result, key) for run in meant}
            meant = [run for run in meant if _same(getattr(run.result, key), rule.where[key])]
            if not meant:
                raise _mistake(rule, unknown(f"{rule.instrument} run with {key}", rule.where[key], known))
    return meant


def _chosen(rule: Rule, runs: Sequence[Run]) -> list[tuple[Run, list[Estimate]]]:
    """The estimates of each run that the rule is about; controls only where it names them or fits nothing else."""
    fitting = [(run, [row for row in run.result.estimates if _fits(rule, run, row)]) for run in runs]
    if not any(rows for _, rows in fitting):
        raise _mistake(rule, _what_fits_nothing(rule, runs))
    asked = [(run, [row for row in rows if "control" not in row.group]) for run, rows in fitting]
    return fitting if "control" in rule.where or not any(rows for _, rows in asked) else asked


def _fits(rule: Rule, run: Run, row: Estimate) -> bool:
    labels = _labels(run, row)
    selected = all(key in labels and _same(labels[key], value) for key, value in rule.where.items())
    return row.name == rule.name and selected


def _labels(run: Run, row: Estimate) -> dict[str, str]:
    return {
        **{key: str(value) for key, value in row.group.items()},
        "test": row.test,
        "lang": run.result.lang,
        "subject": run.result.subject,
    }


def _same(found: str, wanted: str) -> bool:
    """Accents may be typed in two ways that look the same."""
    return unicodedata.normalize("NFC", found) == unicodedata.normalize("NFC", wanted)


def _what_fits_nothing(rule: Rule, runs: Sequence[Run]) -> TiltmeterError:
    """The part of a rule that fits no estimate where the parts before it still do, and what is nearest to it."""
    rows = [(row.name, _labels(run, row)) for run in runs for row in run.result.estimates]
    left = [labels for name, labels in rows if name == rule.name]
    for key, value in rule.where.items():
        before = left
        left = [labels for labels in before if key in labels and _same(labels[key], value)]
        if before and not left:
            values = {labels[key] for labels in before if key in labels}
            keys = {known for labels in before for known in labels}
            return unknown(f"value of {key}", value, values) if values else unknown("key", key, keys)
    return unknown(f"estimate of {rule.instrument}", rule.name, {name for name, _ in rows})


def _check_direction(rule: Rule, row: Estimate) -> None:
    """A limit on the side that is not worse would never be breached, or by the wrong models."""
    if (rule.bound == "min") != (row.worse == "lower"):
        way = f"further from {row.neutral}" if row.worse == "away" else row.worse
        right = "min" if row.worse == "lower" else "max"
        raise _mistake(rule, f"{way} is worse in {rule.instrument}.{row.name}, so bound it with {right}")
    if row.worse == "away" and rule.limit < 0:
        raise _mistake(rule, f"the limit is of a distance from {row.neutral}, which is never below 0; drop the minus")


def _mistake(rule: Rule, problem: object) -> TiltmeterError:
    return TiltmeterError(f"rule {str(rule)!r}: {problem}")


def _compared(run: Run, row: Estimate, on: On) -> tuple[float | None, str]:
    """The number that is held against the limit, or why there is none."""
    if row.value is None:
        reasons = [note.text for note in run.result.notes if note.kind == "void" and note.test == row.test]
        said = (
            reasons[0].removeprefix("no value: ").rstrip(".")
            if len(reasons) == 1
            else f"see `tiltmeter runs show {run.id}`"
        )
        return None, f"has no value ({said})"
    numbers = [row.value]
    if on == "ci":
        if row.ci_low is None or row.ci_high is None:
            return None, f"is {shown(row.value)} and has no interval (gate it on `value`)"
        numbers += [row.ci_low, row.ci_high]
    if row.worse == "lower":
        return min(numbers), ""
    if row.worse == "higher":
        return max(numbers), ""
    if row.neutral is None:
        return None, f"is {shown(row.value)}, and nothing says what is neutral"
    return max(abs(number - row.neutral) for number in numbers), ""


def _telling(number: float, limit: float) -> str:
    """A number rounded, but never so far that it seems to be on the other side of the limit, or on it."""
    short = shown(number)
    sides = [(text > limit) - (text < limit) for text in (float(short), number)]
    return short if sides[0] == sides[1] else repr(number)
