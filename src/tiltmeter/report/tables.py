"""Tables as plain values, whatever format they end in."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from tiltmeter.calibration.recovery import SAID, Recovery
from tiltmeter.report.calibrated import calibration_of
from tiltmeter.results import LEVEL, Estimate, Note, TextTable, shown, shown_p
from tiltmeter.runs import Run, labels


@dataclass(frozen=True, slots=True)
class Number:
    """A number with all its digits; its text is the short form for readers. None is a dash."""

    value: float | None
    p: bool = False
    """A p-value: never shown as 0."""
    judged: bool = False
    """A p-value that is strong where it is below 5%."""

    @property
    def strong(self) -> bool:
        return self.judged and self.value is not None and self.value < LEVEL

    def __str__(self) -> str:
        if isinstance(self.value, int):
            return str(self.value)
        return shown_p(self.value) if self.p else shown(self.value)


@dataclass(frozen=True, slots=True)
class Range:
    """An interval; one column for readers, two for programs."""

    low: float | None
    high: float | None

    def __str__(self) -> str:
        return shown(self.low) if self.low is None else f"{shown(self.low)} to {shown(self.high)}"


Cell = str | Number | Range

NOTHING = Number(None)
COVERED = ""
"""A cell whose number stands in a row above and is of this row as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A title, one or two header lines, rows, and what to know when reading them.

    Of two header lines the upper one names groups of columns, once for each column. The first `keys` columns name the
    row; where they repeat from row to row, readers are shown them once.
    """

    title: str
    header: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[Cell, ...], ...]
    caption: str = ""
    keys: int = 0

    def flat_header(self) -> list[str]:
        """One line: the group and the column together."""
        return [": ".join(part for part in column if part) for column in zip(*self.header, strict=True)]

    @staticmethod
    def groups(line: Sequence[str]) -> list[tuple[str, int]]:
        """A header line as names with the number of columns that each stands for."""
        return [
            (name, 1) if not name else (name, len(found))
            for name, same in groupby(line)
            for found in ([list(same)] if name else [[one] for one in same])
        ]

    def repeats(self, row: int, column: int) -> bool:
        """Whether a key is that of the row above, with all keys to its left."""
        return row > 0 and column < self.keys and self.rows[row][: column + 1] == self.rows[row - 1][: column + 1]

    def spanned(self, row: int, column: int) -> int:
        """How many rows a cell stands for: keys until they change, numbers until the next that is not covered."""
        below = row + 1
        while below < len(self.rows) and (
            self.repeats(below, column)
            if column < self.keys
            else self.rows[row][column] != COVERED and self.rows[below][column] == COVERED
        ):
            below += 1
        return below - row


def printed_table(run: Run, title: str) -> Table:
    """A run's estimates as a reader wants them: each with its interval, corrected p, and which way is worse."""
    rows = run.printed()
    grouped = any(row.group for row in rows)
    beside = calibration_of(run)
    known = any(beside.of(row) for row in rows)
    header = ("test", "estimate", *(("group",) if grouped else ()), "value", "95% interval", "p", "p corrected")
    hidden = len(run.result.estimates) - len(rows)
    return Table(
        title=title,
        header=((*header, "n", "lost", "worse", *(("calibration",) if known else ())),),
        rows=tuple(
            (
                row.test,
                row.name,
                *((told_group(row),) if grouped else ()),
                Number(row.value),
                Range(row.ci_low, row.ci_high),
                Number(row.p_value, p=True),
                Number(row.p_adjusted, p=True, judged=True),
                Number(row.n),
                Number(row.lost),
                told_worse(row),
                *((beside.said(row),) if known else ()),
            )
            for row in rows
        ),
        caption=" ".join(
            [
                *told_sides(rows),
                *told_families(rows),
                *([f"{SAID}."] if known else []),
                *([f"{hidden} more estimates are in the run and in .csv, .xlsx and .json."] if hidden else []),
            ]
        ),
        keys=1,
    )


def estimates_table(runs: Sequence[Run]) -> Table:
    """Every estimate of every run with all its fields, a column for each key of a group."""
    rows = [(run, row, beside) for run in runs for beside in [calibration_of(run)] for row in run.result.estimates]
    groups = list(dict.fromkeys(key for _, row, _ in rows for key in row.group))
    names = [name for name in _ANY.to_json() if name != "group"]
    at = names.index("name") + 1
    header = ["run", "instrument", "version", "subject", "lang", *names[:at], *(f"group.{key}" for key in groups)]
    return Table(
        title="Estimates",
        header=((*header, *names[at:], "calibration", *(f"calibration.{name}" for name in _CALIBRATION)),),
        rows=tuple(
            (
                run.id,
                run.result.instrument,
                run.result.version,
                run.result.subject,
                run.result.lang,
                *(_cell(row, name) for name in names[:at]),
                *(str(row.group.get(key, "")) for key in groups),
                *(_cell(row, name) for name in names[at:]),
                beside.said(row),
                *_calibration(beside.of(row)),
            )
            for run, row, beside in rows
        ),
    )


def calibration_table(runs: Sequence[Run], names: Iterable[str]) -> Table | None:
    """What is known of the estimates of these names from models of known bias, each once; None where nothing is."""
    found: dict[tuple[str, ...], tuple[Cell, ...]] = {}
    for run in runs:
        beside = calibration_of(run)
        for row in run.result.estimates:
            if row.name not in names or (known := beside.of(row)) is None:
                continue
            found[run.result.lang, beside.prefix, row.test, row.name, ", ".join(row.group.values())] = (
                Number(known.rank_correlation),
                Range(*(known.ci or (None, None))),
                Number(known.false_positive_rate),
                beside.said(row),
            )
    if not found:
        return None
    keys = ("lang", "mode", "test", "name", "group")
    kept = [place for place, key in enumerate(keys) if any(row[place] for row in found)]
    return Table(
        title="Calibration",
        header=(
            (*(keys[place] for place in kept), "rank correlation", "95% interval", "p at most 0.05", "calibration"),
        ),
        rows=tuple((*(row[place] for place in kept), *cells) for row, cells in found.items()),
        caption=f"{SAID}.",
        keys=1,
    )


def text_table(found: TextTable, title: str) -> Table:
    """Sentences or words with their numbers; columns called `p` are p-values."""
    return Table(
        title=title,
        header=(found.columns,),
        rows=tuple(
            tuple(
                cell if isinstance(cell, str) else Number(cell, p=name.startswith("p ") or name == "p")
                for name, cell in zip(found.columns, row, strict=True)
            )
            for row in found.rows
        ),
        caption=found.caption,
    )


def hypotheses_table(runs: Sequence[Run], together: Iterable[Note]) -> Table | None:
    """Which hypotheses of the paper hold, by subject; None where the instrument has none.

    `together` are notes of several runs side by side, which name theirs in the details.
    """
    told: dict[str, dict[str, list[bool]]] = {run.id: {} for run in runs}
    found = [(run.id, note) for run in runs for note in run.result.notes]
    found += [(str(note.details.get("run")), note) for note in together]
    for run_id, note in [entry for entry in found if entry[1].kind == "hypothesis" and entry[0] in told]:
        told[run_id].setdefault(str(note.details["hypothesis"]), []).append(bool(note.details["holds"]))
    names = sorted({name for verdicts in told.values() for name in verdicts})
    if not names:
        return None
    return Table(
        title="Hypotheses",
        header=(("subject", *names),),
        rows=tuple(
            (label, *(_verdict(told[run.id].get(name, [])) for name in names))
            for run, label in zip(runs, labels(runs), strict=True)
        ),
        caption="A hypothesis that is not shown may still be true: the numbers are in the notes.",
        keys=1,
    )


def told_group(row: Estimate) -> str:
    return ", ".join(f"{key}={value}" for key, value in row.group.items())


def told_worse(row: Estimate) -> str:
    """Which way is worse, from what neutral value."""
    way = {"higher": "above", "lower": "below", "away": "away from"}[row.worse]
    return way if row.neutral is None else f"{way} {row.neutral:g}"


def told_sides(rows: Sequence[Estimate]) -> list[str]:
    """Which p are one-sided."""
    names = dict.fromkeys(row.name for row in rows if row.p_two_sided not in (None, row.p_value))
    if not names:
        return []
    return [f"p of {', '.join(names)} is one-sided (above neutral); what is said in words is two-sided."]


def told_families(rows: Sequence[Estimate]) -> list[str]:
    """With which other tests each p was corrected."""
    families = dict.fromkeys(row.family for row in rows if row.p_adjusted is not None and row.family)
    return [f"p corrected within {'; '.join(families)}."] if families else []


def _verdict(holds: Sequence[bool]) -> Cell:
    if not holds:
        return NOTHING
    if len(set(holds)) > 1:
        return f"holds in {sum(holds)} of {len(holds)}"
    return "holds" if holds[0] else "not shown"


_CALIBRATION = (
    "rank_correlation",
    "ci_low",
    "ci_high",
    "lowest_of_a_seed",
    "false_positive_rate",
    "power",
    "reliability",
    "without_bias",
)


def _calibration(found: Recovery | None) -> Iterator[Number]:
    if found is None:
        yield from [NOTHING] * len(_CALIBRATION)
        return
    low, high = found.ci or (None, None)
    told = asdict(found) | {"ci_low": low, "ci_high": high}
    yield from (Number(told[name]) for name in _CALIBRATION)


def _cell(row: Estimate, name: str) -> Cell:
    value: Any = getattr(row, name)
    if isinstance(value, str) or name in ("ci_method", "p_method", "family"):
        return value or ""
    return Number(value, p=name.startswith("p_"))


_ANY = Estimate(test="", name="", value=None, worse="away", neutral=None)
