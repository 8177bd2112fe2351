"""What every document of some runs says, whatever its format."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.report.layouts import paper_tables
from tiltmeter.report.tables import Table, hypotheses_table, printed_table
from tiltmeter.results import Note
from tiltmeter.runs import Run, Skipped, comparable, labels, told_option

LIMITS = (
    ("Other genders", "most of these tests compare two genders and say nothing about people of others"),
    (
        "How gender meets race, class, age or disability",
        "a model may be even on average and unfair to some",
    ),
    (
        "Harm",
        "a tilt in vectors or in predicted words is a sign to look closer at what the model is used for; no tilt here "
        "is no proof that a use of it is fair",
    ),
    (
        "The cause",
        "frequency, spelling and grammar move these numbers too; where that is known, it is said beside them",
    ),
    (
        "A ranking",
        "scores of different languages, of different kinds of models and of different instruments cannot be compared",
    ),
)
"""What no number here shows, and why."""
DOES_NOT_SHOW = " ".join(f"{what}: {why}." for what, why in LIMITS)

READINGS = ("reading", "hypothesis", "void")
"""Kinds of notes that say what was found, or why nothing was."""


@dataclass(frozen=True, slots=True)
class Section:
    """Runs of one instrument that may stand side by side."""

    instrument: Instrument
    kind: str
    """What kind of model, where the document has several."""
    labelled: tuple[tuple[str, Run], ...]
    tables: tuple[Table, ...]
    """Those of the paper, and its hypotheses."""

    @property
    def title(self) -> str:
        return self.instrument.title + (f", {self.kind} models" if self.kind else "")

    def printed(self) -> list[tuple[str, Run, Table]]:
        """Each run with the table of its estimates."""
        return [
            (label, run, printed_table(run, f"{self.instrument.name} on {label}, {run.result.lang}"))
            for label, run in self.labelled
        ]


def sections(runs: Sequence[Run]) -> list[Section]:
    """By instrument, in the order of the runs; a masked model is never beside a causal one."""
    found = []
    for name in dict.fromkeys(run.result.instrument for run in runs):
        tool = load_instrument(name)
        groups = comparable([run for run in runs if run.result.instrument == name])
        for group in groups:
            kind = str(group[0].result.provenance["subject"].get("kind", "")) if len(groups) > 1 else ""
            tables = [*paper_tables(tool, group), *filter(None, [hypotheses_table(group)])]
            if kind:
                tables = [replace(table, title=f"{table.title}, {kind} models") for table in tables]
            labelled = zip(labels(group, languages=False), group, strict=True)
            found.append(Section(tool, kind, tuple(labelled), tuple(tables)))
    return found


def readings(run: Run) -> list[str]:
    """What a run says in words, or why it says nothing."""
    return [_told(note) for note in run.result.notes if note.kind in READINGS]


def caveats(run: Run) -> list[str]:
    """What to know when reading its numbers."""
    return [_told(note) for note in run.result.notes if note.kind not in READINGS]


def subjects(runs: Sequence[Run]) -> str:
    return ", ".join(dict.fromkeys(run.result.subject for run in runs)) or "nothing"


def facts(run: Run) -> dict[str, str]:
    """Where a run comes from: what it takes to make it again, and to know that it is the same."""
    made = run.result.provenance
    return {
        "run": run.id,
        "instrument": f"{run.result.instrument} (version {run.result.version})",
        "subject": run.result.subject,
        "lang": run.result.lang,
        "options": ", ".join(f"{name}={told_option(value)}" for name, value in run.result.options.items()),
        "command": str(made["command"]),
        "created": str(made["created"]),
        "seconds": str(made["seconds"]),
        "python": str(made["python"]),
        "system": str(made["system"]),
        "packages": ", ".join(f"{name} {version}" for name, version in made["packages"].items()),
        "measured": ", ".join(f"{name} {value}" for name, value in made["subject"].items()),
    }


def not_measured(skipped: Sequence[Skipped]) -> Table:
    return Table(
        title="What was not measured",
        header=(("instrument", "subject", "why"),),
        rows=tuple((entry.instrument, entry.subject, entry.reason) for entry in skipped),
    )


def meanings(runs: Sequence[Run]) -> Table:
    """What the numbers of each instrument mean."""
    tools = [load_instrument(name) for name in dict.fromkeys(run.result.instrument for run in runs)]
    return Table(
        title="What the numbers mean",
        header=(("instrument", "measures", "which way is worse", "formula", "reference"),),
        rows=tuple((tool.name, tool.measures, tool.reading, tool.formula, tool.reference) for tool in tools),
    )


def all_tables(runs: Sequence[Run]) -> list[Table]:
    return list(chain.from_iterable(section.tables for section in sections(runs)))


def _told(note: Note) -> str:
    return f"{note.test}: {note.text}" if note.test else note.text
