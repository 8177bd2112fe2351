"""What every document of some runs says, whatever its format."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.report.calibrated import all_notes
from tiltmeter.report.layouts import paper_tables
from tiltmeter.report.tables import Table, calibration_table, hypotheses_table, printed_table, text_table
from tiltmeter.results import Note
from tiltmeter.runs import (
    NOT_ASKED,
    Across,
    Run,
    Skipped,
    across,
    comparable,
    is_reference,
    kind_of,
    labels,
    told_option,
)

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
    """What kind of model, where the document has several; of references always."""
    labelled: tuple[tuple[str, Run], ...]
    tables: tuple[Table, ...]
    """Those of the paper, its hypotheses, and what is to be read beside them."""
    side_by_side: Mapping[str, Across]
    """The runs of each language that has several."""

    @property
    def title(self) -> str:
        return self.instrument.title + (f", {self.kind} models" if self.kind else "")

    def tables_in_words(self) -> list[Table]:
        """The same tables with words for the names of estimates."""
        names = {row.name for _, run in self.labelled for row in run.result.estimates}
        return [in_words(table, names) for table in self.tables]

    def calibration(self) -> list[Table]:
        """What is known of the numbers in these tables from models of known bias."""
        tool = self.instrument
        names = {name for layout in tool.layouts for name in layout.names} | {*tool.main_estimates, tool.headline}
        found = calibration_table([run for _, run in self.labelled], names)
        return [] if found is None else [in_words(replace(found, title=f"{self.title}: calibration"), names)]

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
            kind = kind_of(group[0]) if len(groups) > 1 or is_reference(group[0]) else ""
            languages = dict.fromkeys(run.result.lang for run in group)
            alike = {lang: [run for run in group if run.result.lang == lang] for lang in languages}
            beside = {lang: across(own) for lang, own in alike.items() if len(own) > 1}
            told = [note for several in beside.values() for note in several.together.notes]
            tables = [*paper_tables(tool, group), *filter(None, [hypotheses_table(group, told)])]
            tables += _text_tables(group, beside)
            if kind:
                tables = [replace(table, title=f"{table.title}, {kind} models") for table in tables]
            labelled = zip(labels(group, languages=False), group, strict=True)
            found.append(Section(tool, kind, tuple(labelled), tuple(tables), beside))
    return found


def _text_tables(runs: Sequence[Run], beside: Mapping[str, Across]) -> Iterator[Table]:
    """What is to be read of runs side by side, then of each run."""
    for lang, several in beside.items():
        for found in several.together.tables:
            yield text_table(found, f"{found.title}, {lang}")
    for label, run in zip(labels(runs), runs, strict=True):
        for found in run.result.tables:
            yield text_table(found, f"{found.title}, {label}")


def readings(run: Run) -> list[str]:
    """What a run says in words, or why it says nothing."""
    return [_told(note) for note in run.result.notes if note.kind in READINGS]


def caveats(run: Run) -> list[str]:
    """What to know when reading its numbers."""
    return [_told(note) for note in all_notes(run) if note.kind not in READINGS]


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


def asked_for(skipped: Iterable[Skipped]) -> list[Skipped]:
    """What was not measured for a reason that a reader has to know."""
    return [entry for entry in skipped if entry.reason != NOT_ASKED]


def grouped(skipped: Iterable[Skipped]) -> list[tuple[str, list[str], list[str]]]:
    """What was not measured by its reason: the instruments, and the subjects for all of which it holds."""
    tools: dict[tuple[str, str], list[str]] = {}
    for entry in asked_for(skipped):
        tools.setdefault((entry.reason, entry.subject), []).append(entry.instrument)
    subjects: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for (reason, subject), names in tools.items():
        subjects.setdefault((reason, tuple(names)), []).append(subject)
    return [(reason, list(names), found) for (reason, names), found in subjects.items()]


def not_measured(skipped: Iterable[Skipped]) -> list[str]:
    """The same, a sentence for each reason."""
    return [f"{', '.join(tools)} on {', '.join(names)}: {reason}" for reason, tools, names in grouped(skipped)]


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


def in_words(table: Table, names: Iterable[str]) -> Table:
    """A table that says `effect size, sign flip` where its estimates are called `effect_size_sign_flip`."""
    words = {name: name_in_words(name, names) for name in names}

    def headed(line: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(", ".join(words.get(part, part) for part in name.split(", ")) for name in line)

    named = [column for column, header in enumerate(table.header[-1]) if header == "name"]
    longest = sorted(map(re.escape, words), key=len, reverse=True)
    said = re.compile(rf"(?<![\w-])(?:{'|'.join(longest)})(?![\w-])" if longest else "(?!)")
    return replace(
        table,
        title=said.sub(lambda found: words[found[0]], table.title),
        header=tuple(map(headed, table.header)),
        rows=tuple(
            tuple(words.get(str(cell), cell) if column in named else cell for column, cell in enumerate(row))
            for row in table.rows
        ),
        caption=said.sub(lambda found: words[found[0]], table.caption),
    )


def name_in_words(name: str, names: Iterable[str]) -> str:
    """An estimate's name; what it adds to the name of another estimate stands behind a comma."""
    shorter = [other for other in names if name.startswith(f"{other}_")]
    if not shorter:
        return name.replace("_", " ")
    base = max(shorter, key=len)
    return f"{name_in_words(base, shorter)}, {name[len(base) + 1 :].replace('_', ' ')}"


def _told(note: Note) -> str:
    return f"{note.test}: {note.text}" if note.test else note.text
