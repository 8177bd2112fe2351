"""The first screen: what was found about each model in plain words, and how sure that is."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.report.calibrated import FAILS, all_notes, calibration_of
from tiltmeter.report.layouts import told_test
from tiltmeter.report.tables import Table, told_group
from tiltmeter.results import LEVEL, Estimate, Figure, Note, said_p, shown
from tiltmeter.runs import Run, is_reference, kind_of, labels
from tiltmeter.statistics import holm

TOLD = 3
"""So many tilts are told of a model."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Does the number that an instrument stands behind show a tilt in one test?"""

    run: Run
    tool: Instrument
    position: int
    """Of the estimate in its run."""
    said: str
    """Which way it leans, in the instrument's own words; nothing where the instrument does not test for a tilt."""
    p: float | None
    """Two-sided, for a tilt to either side; corrected (Holm) over the run's verdicts."""

    @property
    def row(self) -> Estimate:
        return self.run.result.estimates[self.position]

    @property
    def tested(self) -> bool:
        """Whether there is a p and an interval to judge it by."""
        row = self.row
        return bool(self.said) and None not in (self.p, row.ci_low, row.ci_high, row.neutral)

    @property
    def shown(self) -> bool:
        """A corrected p below 5%, and an interval that leaves out what is neutral."""
        if self.p is None or self.row.ci_low is None or self.row.ci_high is None or self.row.neutral is None:
            return False
        beyond = self.row.ci_low > self.row.neutral or self.row.ci_high < self.row.neutral
        return self.tested and self.p < LEVEL and beyond

    @property
    def outcome(self) -> str:
        return "not tested" if not self.tested else "tilt shown" if self.shown else "no tilt shown"

    @property
    def test(self) -> str:
        """The test in words, with its group where the run has several."""
        groups = {tuple(row.group.items()) for row in self.run.result.estimates if row.name == self.row.name}
        group = f" ({told_group(self.row)})" if len(groups) > 1 else ""
        return told_test(self.run, self.row.test) + group

    def sureness(self) -> str:
        """The number behind it, how sure it is, and what to beware of in that test."""
        row = self.row
        interval = "" if row.ci_low is None else f", 95% interval {shown(row.ci_low)} to {shown(row.ci_high)}"
        beware = cautions(note for note in self.run.result.notes if note.test == row.test)
        if (known := calibration_of(self.run).of(row)) and known.failures:
            beware.append(f"it {FAILS}")
        return (
            f"{self.tool.title}, {self.test}: {row.name.replace('_', ' ')} {shown(row.value)}{interval}, corrected "
            f"{said_p(self.p)}{', but ' + ' and '.join(beware) if beware else ''}"
        )


@dataclass(frozen=True, slots=True)
class Model:
    """One subject in one language, and all that was found about it."""

    name: str
    label: str
    """The name, with the language where the models are of several."""
    lang: str
    runs: tuple[Run, ...]
    verdicts: tuple[Verdict, ...]

    @property
    def reference(self) -> bool:
        return is_reference(self.runs[0])

    @property
    def title(self) -> str:
        """What is measured, as its maker calls it."""
        return str(self.runs[0].result.provenance["subject"].get("title", ""))

    def surest(self) -> list[Verdict]:
        """Of each instrument the tilt that chance explains least; the three surest of those."""
        found: dict[str, Verdict] = {}
        for verdict in sorted(self.verdicts, key=lambda verdict: (verdict.p or 0, -_clearness(verdict.row))):
            if verdict.shown and verdict.said:
                found.setdefault(verdict.tool.name, verdict)
        return list(found.values())[:TOLD]

    def sentence(self) -> str:
        """What was found, how far and how sure, in one sentence about the model."""
        return f"({self.title}) {self.finding()}" if self.reference else self.finding()

    def finding(self) -> str:
        tests = ", ".join(f"{tool.name} {tilts} of {n}" for tool, tilts, n in self.counts())
        if not tests:
            return "was measured, but with nothing that tests for a tilt."
        if not (surest := self.surest()):
            none = "shows no tilt that chance could not explain, which is no proof that there is none"
            return f"{none}; tests that show one: {tests}."
        told = "; ".join(f"{verdict.said} ({verdict.sureness()})" for verdict in surest)
        return f"tilts: {told}; tests that show a tilt: {tests}."

    def tested(self) -> list[Verdict]:
        return [verdict for verdict in self.verdicts if verdict.tested]

    def counts(self) -> list[tuple[Instrument, int, int]]:
        """Of each instrument: in how many of its tests a tilt is shown."""
        found: dict[str, list[Verdict]] = {}
        for verdict in self.tested():
            found.setdefault(verdict.tool.name, []).append(verdict)
        return [(own[0].tool, sum(verdict.shown for verdict in own), len(own)) for own in found.values()]

    def cautions(self) -> list[str]:
        return cautions(note for run in self.runs for note in all_notes(run))


def models(runs: Sequence[Run]) -> list[Model]:
    """The runs by what was measured, in the order in which they came."""
    groups: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        key = (run.result.subject, run.result.lang, str(run.result.provenance["subject"]["fingerprint"]))
        groups.setdefault(key, []).append(run)
    first = [own[0] for own in groups.values()]
    names = zip(labels(first, languages=False), labels(first), strict=True)
    return [
        Model(name, label, own[0].result.lang, tuple(own), tuple(verdict for run in own for verdict in verdicts(run)))
        for (name, label), own in zip(names, groups.values(), strict=True)
    ]


def counts_table(found: Sequence[Model]) -> Table:
    """In how many of its tests each instrument shows a tilt, by kind of model and language: what many models come to at
    a glance."""
    cells: dict[tuple[str, str, str], list[str]] = {}
    for model in found:
        tested = {tool.name: f"{tilts} of {tests}" for tool, tilts, tests in model.counts()}
        for run in model.runs:
            kind = kind_of(run).removeprefix("reference").strip() or "vectors"
            told = tested.get(run.result.instrument, "measured")
            cells.setdefault((kind, run.result.instrument, model.lang), []).append(told)
    languages = list(dict.fromkeys(model.lang for model in found))
    rows = sorted({key[:2] for key in cells}, key=[key[:2] for key in cells].index)
    return Table(
        title="Tests that show a tilt",
        header=(("subjects", "instrument", *languages),),
        rows=tuple((*row, *(", ".join(cells.get((*row, lang), ["–"])) for lang in languages)) for row in rows),
        caption="Tests that show a tilt, of all that an instrument made; measured: it tests nothing.",
        keys=2,
    )


def verdicts(run: Run) -> list[Verdict]:
    """One for each question, test and group that the run could measure; controls say nothing about tilt."""
    tool = load_instrument(run.result.instrument)
    chosen: dict[tuple[object, ...], int] = {}
    for question, names in enumerate(tool.verdict or ((tool.headline,),)):
        for name in names:
            for position, row in enumerate(run.result.estimates):
                told = not tool.verdict or _said(run, row)
                if row.name == name and row.value is not None and "control" not in row.group and told:
                    chosen.setdefault((question, row.test, *row.group.items()), position)
    places = sorted(chosen.values())
    corrected = holm([run.result.estimates[place].p_two_sided for place in places])
    return [
        Verdict(run, tool, place, _said(run, run.result.estimates[place]) if tool.verdict else "", p)
        for place, p in zip(places, corrected, strict=True)
    ]


def cautions(notes: Iterable[Note]) -> list[str]:
    """What a reader of the first lines has to know of, each once."""
    return list(dict.fromkeys(note.caution for note in notes if note.caution))


def _said(run: Run, row: Estimate) -> str:
    """Which way an estimate leans, as its run's reading says it."""
    for note in run.result.notes:
        told = note.details
        if note.test == row.test and row.name in told.get("estimates", ()) and told["group"] == dict(row.group):
            return str(told["above" if (row.value or 0) > (row.neutral or 0) else "below"])
    return ""


def overview(found: Sequence[Model], *, tested: bool) -> list[Figure]:
    """The effects of all models with their intervals: of each instrument that tests for a tilt, or of the others."""
    tools: dict[str, list[tuple[Model, Verdict]]] = {}
    for model in found:
        for verdict in model.verdicts:
            if bool(verdict.tool.verdict) == tested:
                tools.setdefault(verdict.tool.name, []).append((model, verdict))
    return [_effects(entries) for _, entries in sorted(tools.items())]


def _effects(entries: Sequence[tuple[Model, Verdict]]) -> Figure:
    tool = entries[0][1].tool
    names = list(dict.fromkeys(verdict.row.name for _, verdict in entries))
    along = tool.headline if any(f"{name}_".startswith(f"{tool.headline}_") for name in names) else names[0]
    several = len({(verdict.test, verdict.row.name) for _, verdict in entries}) > len(
        {verdict.test for _, verdict in entries}
    )
    return Figure(
        kind="intervals",
        title=tool.title,
        rows=tuple(
            {
                "model": model.label,
                "test": f"{verdict.test}, {verdict.row.name}".replace("_", " ") if several else verdict.test,
                "estimate": verdict.row.name,
                along: verdict.row.value,
                "low": verdict.row.ci_low,
                "high": verdict.row.ci_high,
                "outcome": verdict.outcome,
            }
            for model, verdict in entries
        ),
        x=along,
        y="model",
        low="low",
        high="high",
        within="test",
        colour="outcome",
        order=("no tilt shown", "tilt shown", "not tested"),
        neutral=entries[0][1].row.neutral,
        caption=f"{', '.join(names)}: {tool.reading}.".replace("_", " "),
    )


def _clearness(row: Estimate) -> float:
    """How many widths of its interval an estimate lies from neutral."""
    if row.ci_low is None or row.ci_high is None or row.ci_high == row.ci_low:
        return 0.0
    return abs((row.value or 0) - (row.neutral or 0)) / (row.ci_high - row.ci_low)
