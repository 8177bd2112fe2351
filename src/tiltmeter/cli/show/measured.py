"""What was measured: runs, comparisons, audits, and what is kept of them."""

import json
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from tiltmeter.calibration.recovery import SAID
from tiltmeter.cli.show.terminal import add, new_table, out, say
from tiltmeter.errors import TiltmeterError
from tiltmeter.report.calibrated import KIND, all_notes, calibration_of
from tiltmeter.report.content import not_measured
from tiltmeter.report.summary import models
from tiltmeter.report.tables import told_sides, told_worse
from tiltmeter.results import TextTable, shown, shown_p
from tiltmeter.runs import SHOWN, Across, Audit, Comparison, Planned, Run, Skipped, agreement, labels
from tiltmeter.store import PARTS, Store


def run(found: Run, *, notes: bool = False) -> None:
    """A run's estimates as a table, then what they say in words."""
    result = found.result
    say(f"\n{result.instrument} on {result.subject}, {result.lang} (run {found.id})")
    printed = found.printed()
    beside = calibration_of(found)
    known = any(beside.of(row) for row in printed)
    columns = ("test", "estimate", "value", "95% interval", "p", "p corr.", "n", "lost", "worse")
    table = new_table(*columns, *(("calibration",) if known else ()))
    for row in printed:
        interval = "–" if row.ci_low is None else f"{shown(row.ci_low)} to {shown(row.ci_high)}"
        group = " ".join(f"{key}={value}" for key, value in row.group.items())
        name = f"{row.name} [{group}]" if group else row.name
        add(
            table,
            row.test,
            name,
            shown(row.value),
            interval,
            shown_p(row.p_value),
            shown_p(row.p_adjusted),
            row.n,
            row.lost,
            told_worse(row),
            *((beside.said(row),) if known else ()),
        )
    out.print(table)
    for sentence in told_sides(printed):
        say(sentence)
    if known:
        say(SAID)
    if hidden := len(result.estimates) - len(printed):
        say(f"and {hidden} more: `tiltmeter runs show {found.id} --json`")
    for note in all_notes(found):
        if notes or note.kind in ("reading", "hypothesis", "void") or (note.kind == KIND and note.caution):
            say(f"- {note.test + ': ' if note.test else ''}{note.text}")
    for text_table in result.tables if notes else ():
        read(text_table)


def read(found: TextTable) -> None:
    """Sentences or words with their numbers."""
    say(f"\n{found.title}")
    table = new_table(*found.columns)
    for row in found.rows:
        cells = zip(found.columns, row, strict=True)
        add(table, *(_cell(cell, is_p=name in ("p", "p corrected")) for name, cell in cells))
    out.print(table)
    say(found.caption)


def _cell(cell: str | float | None, *, is_p: bool) -> str:
    return cell if isinstance(cell, str) else shown_p(cell) if is_p else shown(cell)


def found(runs: Sequence[Run]) -> None:
    """What was found about each model, in a sentence, and where the numbers are."""
    for model in models(runs):
        say(f"\n{model.label} {model.sentence()}")
        if cautions := model.cautions():
            say(f"beware: {', '.join(cautions)}")
    say("\nall numbers are in the report; `tiltmeter runs list` names the runs\n")


def drawn(write: Callable[[], Sequence[Path]], folder: Path) -> None:
    """Writes figures, and says how many and what they lack."""
    with warnings.catch_warnings(record=True) as told:
        written = write()
    for warning in told:
        say(str(warning.message), error=True)
    say(f"written: {len(written)} files in {folder}", error=True)


def across(found: Across) -> None:
    """The headline of each test over all subjects, corrected as one family."""
    table = new_table("test", "subject", "value", "p", "p corr.")
    for test, rows in found.headlines():
        for subject, row in zip(labels(found.runs), rows, strict=True):
            add(table, test, subject, shown(row.value), shown_p(row.p_value), shown_p(row.p_adjusted))
    say("\nside by side, p corrected over all of them")
    out.print(table)
    for note in found.together.notes:
        say(f"- {note.text}")
    for text_table in found.together.tables:
        read(text_table)
    if found.no_factors:
        say(f"- no factors: {found.no_factors}")
    for effect in found.factors:
        means = ", ".join(f"{level}: {mean:.2f}" for level, mean in effect.means)
        share = effect.reason or f"{effect.eta_squared:.0%} of the variance ({means})"
        say(f"- {effect.test}: {effect.factor} {share}")


_DIRECTIONS = {
    "worse": "got worse",
    "better": "got better",
    "changed sides": "changed sides: the tilt is now the other way",
    "unclear": "changed, but whether nearer to neutral or farther is not shown",
}


def comparison(found: Comparison) -> None:
    """What got worse, what got better, what changed sides; then the numbers, and what could not be compared."""
    say(f"\nfrom {found.before} to {found.after}")
    for direction in SHOWN:
        changes = found.changed(direction)
        if changes or direction in ("worse", "better"):
            say(f"\n{_DIRECTIONS[direction]}{':' if changes else ': nothing that is shown'}")
        for change in changes:
            say(f"- {change.sentence()}")
    table = new_table("instrument", "estimate", "before", "after", "change", "95% interval", "p", "p corr.", "n", "")
    for row in found.main():
        interval = "–" if row.ci_low is None else f"{shown(row.ci_low)} to {shown(row.ci_high)}"
        add(
            table,
            f"{row.instrument}, {row.lang}",
            row.label,
            shown(row.before),
            shown(row.after),
            shown(row.difference),
            interval,
            shown_p(row.p_value),
            shown_p(row.p_adjusted),
            row.n,
            row.direction,
        )
    say("\nthe main numbers, and what else changed; over what both could answer, p corrected with Holm's method")
    out.print(table)
    if hidden := len(found.changes) - len(found.main()):
        say(f"and {hidden} more: --json")
    for note in found.notes:
        say(f"- {note.text}")
    alone(found)


def alone(found: Comparison) -> None:
    for entry in found.alone:
        result = entry.run.result
        say(f"not compared: {result.instrument}, {result.lang}, of {result.subject} ({entry.side}): {entry.reason}")


def audit_json(found: Audit) -> None:
    skipped = [{"subject": s.subject, "instrument": s.instrument, "reason": s.reason} for s in found.skipped]
    agreeing = [asdict(entry) for entry in agreement(found.runs)]
    everything = {"runs": [r.result.to_json() for r in found.runs], "agreement": agreeing, "skipped": skipped}
    print(json.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False))


def skipped(entries: Sequence[Skipped]) -> None:
    for failed in (False, True):
        for sentence in not_measured(entry for entry in entries if entry.failed == failed):
            say(f"not measured: {sentence}", error=failed)


def plan(todo: Sequence[Planned], left_out: Sequence[Skipped]) -> None:
    table = new_table("subject", "instrument", "lang", "questions", "minutes")
    for row in todo:
        minutes = row.note or f"{(row.seconds or 0) / 60:.2f}"
        add(table, row.subject, row.instrument, row.lang, row.questions, minutes)
    out.print(table)
    skipped(left_out)


def plan_json(todo: Sequence[Planned], left_out: Sequence[Skipped]) -> None:
    rows = {"planned": [asdict(row) for row in todo], "skipped": [asdict(row) for row in left_out]}
    print(json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False))


def runs(found: Iterable[tuple[str, Run | TiltmeterError]]) -> None:
    table = new_table("run", "instrument", "subject", "lang", "made", "seconds")
    for run_id, entry in found:
        if isinstance(entry, TiltmeterError):
            add(table, run_id, str(entry), "", "", "", "")
        else:
            made = entry.result.provenance
            result = entry.result
            add(table, run_id, result.instrument, result.subject, result.lang, made["created"], made["seconds"])
    out.print(table)


def cache(store: Store) -> None:
    say(f"{store.root}")
    table = new_table("part", "files", "MB", "what it holds")
    for part, (files, size) in store.sizes().items():
        add(table, part, files, f"{size / 1e6:.1f}", PARTS[part])
    out.print(table)
