"""Does this installation measure right? The reference subjects are measured again, and held against what was recorded
when they were made."""

import json
import logging
import math
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtra, TiltmeterError, unknown
from tiltmeter.results import Estimate
from tiltmeter.runs import Audit, Run, audit
from tiltmeter.store import Store, write_atomically
from tiltmeter.subjects import Reference, known_references, open_subject
from tiltmeter.subjects.references import FOLDER, PLACE

RELATIVE, ABSOLUTE = 1e-3, 1e-4
"""Numbers agree that differ by no more than either: processors add in different orders."""
VALUES = "values.json"
_NUMBERS = ("value", "p_value", "p_two_sided")

Row = tuple[float | None, ...]
Recorded = dict[str, dict[str, Row]]
"""By instrument and estimate: its value, its p and its two-sided p."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A number that is not as it was recorded."""

    estimate: str
    number: str
    """`value`, `p_value`, `p_two_sided`."""
    recorded: float | None
    measured: float | None


@dataclass(frozen=True, slots=True)
class Checked:
    """One reference subject measured by one instrument."""

    subject: str
    instrument: str
    estimates: int
    differences: tuple[Difference, ...]
    failed: str = ""
    """Why it could not be measured, or not be compared."""

    @property
    def agrees(self) -> bool:
        return not self.differences and not self.failed

    def sentence(self) -> str:
        """What was found; of several differences the largest."""
        if self.failed:
            return self.failed
        if not self.differences:
            return f"{self.estimates} estimates agree"
        worst = max(self.differences, key=_distance)
        more = f", and {len(self.differences) - 1} more" if len(self.differences) > 1 else ""
        by = "" if None in (worst.recorded, worst.measured) else f" (by {_distance(worst):.2g})"
        return (
            f"differs: {worst.number} of {worst.estimate} is {_told(worst.measured)} and was recorded as "
            f"{_told(worst.recorded)}{by}{more}"
        )


@dataclass(frozen=True, slots=True)
class Selftest:
    """What was measured again, and what could not be for want of a package."""

    checked: tuple[Checked, ...]
    not_tested: Mapping[str, str]
    """By subject, why."""

    @property
    def agrees(self) -> bool:
        return all(one.agrees for one in self.checked)

    def to_json(self) -> dict[str, Any]:
        return {
            "agrees": self.agrees,
            "tolerance": {"relative": RELATIVE, "absolute": ABSOLUTE},
            "checked": [
                {
                    "subject": one.subject,
                    "instrument": one.instrument,
                    "agrees": one.agrees,
                    "estimates": one.estimates,
                    "failed": one.failed or None,
                    "differences": [
                        {
                            "estimate": row.estimate,
                            "number": row.number,
                            "recorded": row.recorded,
                            "measured": row.measured,
                        }
                        for row in one.differences
                    ],
                }
                for one in self.checked
            ],
            "not_tested": dict(self.not_tested),
        }


def selftest(only: Sequence[str] = ()) -> Selftest:
    """Measures the reference subjects, or those named, with all that applies; nothing is taken from the cache."""
    values = read_values(PLACE)
    tested: list[str] = []
    not_tested: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as cache:
        store = Store(Path(cache))
        for one in _chosen(only):
            try:
                open_subject(one.subject, store)
                tested.append(one.subject)
            except MissingExtra as error:
                not_tested[one.subject] = str(error)
        with _quietly():
            found = audit(tested, store=store)
    checked = [row for subject in tested for row in _checked(subject, found, values.get(subject, {}))]
    return Selftest(tuple(checked), not_tested)


def recorded(one: Reference) -> Recorded:
    """What is to be recorded of a reference that was just made, wherever it lies."""
    with tempfile.TemporaryDirectory() as cache:
        found = audit([str(one.folder)], lang=one.lang, store=Store(Path(cache)))
    if failed := next((skipped for skipped in found.skipped if skipped.failed), None):
        raise TiltmeterError(f"{failed.instrument} cannot measure {one.subject}: {failed.reason}")
    return _numbers(found.runs)


def read_values(place: Path) -> dict[str, Recorded]:
    path = place / FOLDER / VALUES
    try:
        found = json.loads(path.read_text("utf-8"))
        return {
            subject: {tool: {key: tuple(row) for key, row in rows.items()} for tool, rows in tools.items()}
            for subject, tools in found.items()
        }
    except (OSError, ValueError, AttributeError, TypeError) as error:
        raise TiltmeterError(
            f"the recorded values of the reference subjects, {path}, cannot be read ({error}): install tiltmeter again"
        ) from error


def write_values(place: Path, more: Mapping[str, Recorded]) -> None:
    """Adds what was recorded to what is there; a line an estimate, so that a change shows."""
    path = place / FOLDER / VALUES
    known = read_values(place) if path.is_file() else {}
    everything = {
        subject: {
            tool: {key: [_rounded(number) for number in row] for key, row in rows.items()}
            for tool, rows in tools.items()
        }
        for subject, tools in sorted({**known, **more}.items())
    }
    text = json.dumps(everything, ensure_ascii=False, indent=None, separators=(",", ":"), allow_nan=False)
    write_atomically(path, text.replace("],", "],\n").encode() + b"\n")


def _chosen(only: Sequence[str]) -> list[Reference]:
    known = {one.subject: one for one in known_references().values()}
    names = [name if name.startswith("ref:") else f"ref:{name}" for name in only]
    for name in names:
        if name not in known:
            raise unknown("reference subject", name, known)
    return [one for subject, one in known.items() if not names or subject in names]


@contextmanager
def _quietly() -> Iterator[None]:
    """Runs that other processes measured come from this test's own disk, which is nothing to tell."""
    measuring = logging.getLogger("tiltmeter.runs.measuring")
    level = measuring.level
    measuring.setLevel(logging.WARNING)
    try:
        yield
    finally:
        measuring.setLevel(level)


def _numbers(runs: Iterable[Run]) -> Recorded:
    return {
        run.result.instrument: {
            _key(row): tuple(getattr(row, name) for name in _NUMBERS) for row in run.result.estimates
        }
        for run in runs
    }


def _checked(subject: str, found: Audit, values: Recorded) -> Iterator[Checked]:
    """Every instrument that measured, or that did when the values were recorded."""
    measured = _numbers(run for run in found.runs if run.result.subject == subject)
    failed = {skipped.instrument: skipped.reason for skipped in found.skipped if skipped.subject == subject}
    for tool in dict.fromkeys([*measured, *values]):
        if tool not in measured:
            yield Checked(subject, tool, 0, (), f"not measured: {failed.get(tool, 'it does not apply any more')}")
        elif tool not in values:
            yield Checked(subject, tool, len(measured[tool]), (), "nothing is recorded of it")
        else:
            yield Checked(subject, tool, len(measured[tool]), tuple(_differences(measured[tool], values[tool])))


def _differences(measured: Mapping[str, Row], values: Mapping[str, Row]) -> Iterator[Difference]:
    nothing: Row = (None,) * len(_NUMBERS)
    for key in dict.fromkeys([*measured, *values]):
        for number, now, then in zip(_NUMBERS, measured.get(key, nothing), values.get(key, nothing), strict=True):
            if not _agree(now, then):
                yield Difference(key, number, then, now)


def _agree(now: float | None, then: float | None) -> bool:
    if now is None or then is None:
        return now is then
    return math.isclose(now, then, rel_tol=RELATIVE, abs_tol=ABSOLUTE)


def _key(row: Estimate) -> str:
    return " ".join([row.test, row.name, *(f"[{key}={value}]" for key, value in row.group.items())])


def _distance(row: Difference) -> float:
    """How far apart; a number that is not there at all is farthest."""
    return math.inf if row.recorded is None or row.measured is None else abs(row.measured - row.recorded)


def _rounded(number: float | None) -> float | None:
    return None if number is None else float(f"{number:.7g}")


def _told(number: float | None) -> str:
    return "nothing" if number is None else f"{number:.6g}"
