"""The first screen: what was found about each model in plain words, and how sure that is."""

from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.report.layouts import told_test
from tiltmeter.report.tables import told_group
from tiltmeter.results import Estimate, Figure, said_p, shown
from tiltmeter.runs import Run, labels
from tiltmeter.statistics import holm

SURE = 0.05
"""A corrected p below this, with an interval that leaves out what is neutral, shows a tilt."""
TOLD = 3
"""So many tilts are told of a model."""
CAUTIONS = {
    "grammatical-gender": "grammar plays a part",
    "few-words": "few words",
    "lost-words": "lost words",
    "lost-attributes": "lost words",
    "lost-sentences": "lost sentences",
    "repaired": "repaired rows",
    "void": "tests without a result",
}
"""Notes that a reader of the first screen has to know of."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Does the number that an instrument stands behind show a tilt in one test?"""

    run: Run
    tool: Instrument
    position: int
    """Of the estimate in its run."""
    tested: bool
    """Whether the instrument has a p that it stands behind."""
    p: float | None
    """Two-sided, for a tilt to either side; corrected (Holm) over the run's verdicts."""

    @property
    def row(self) -> Estimate:
        return self.run.result.estimates[self.position]

    @property
    def shown(self) -> bool:
        return self.tested and self.p is not None and self.p < SURE and self.beyond

    @property
    def beyond(self) -> bool:
        """Whether the interval leaves out what is neutral; true where there is none."""
        row = self.row
        if row.ci_low is None or row.ci_high is None or row.neutral is None:
            return True
        return row.ci_low > row.neutral or row.ci_high < row.neutral

    @property
    def outcome(self) -> str:
        return "no test of it" if not self.tested else "tilt shown" if self.shown else "no tilt shown"

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
        beware = [
            CAUTIONS[note.kind] for note in self.run.result.notes if note.test == row.test and note.kind in CAUTIONS
        ]
        return (
            f"{self.tool.title}, {self.test}: {row.name.replace('_', ' ')} {shown(row.value)}{interval}, corrected "
            f"{said_p(self.p)}{', but ' + ' and '.join(beware) if beware else ''}"
        )

    @property
    def said(self) -> str:
        """Which way it leans, in the instrument's own words; nothing where it has none."""
        row = self.row
        for note in self.run.result.notes:
            told = note.details
            if note.test == row.test and row.name in told.get("estimates", ()) and told["group"] == dict(row.group):
                return str(told["above" if (row.value or 0) > (row.neutral or 0) else "below"])
        return ""


@dataclass(frozen=True, slots=True)
class Model:
    """One subject in one language, and all that was found about it."""

    name: str
    label: str
    """The name, with the language where the models are of several."""
    lang: str
    runs: tuple[Run, ...]
    verdicts: tuple[Verdict, ...]

    def surest(self) -> list[Verdict]:
        """Of each instrument the tilt that chance explains least; the three surest of those."""
        found: dict[str, Verdict] = {}
        for verdict in sorted(self.verdicts, key=lambda verdict: (verdict.p or 0, -_clearness(verdict.row))):
            if verdict.shown and verdict.said:
                found.setdefault(verdict.tool.name, verdict)
        return list(found.values())[:TOLD]

    def sentence(self) -> str:
        """What was found, how far and how sure, in one sentence about the model."""
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
        kinds = {note.kind for run in self.runs for note in run.result.notes}
        return list(dict.fromkeys(words for kind, words in CAUTIONS.items() if kind in kinds))


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


def verdicts(run: Run) -> list[Verdict]:
    """One for each test and group that the run could measure; controls say nothing about tilt."""
    tool = load_instrument(run.result.instrument)
    wanted = tool.verdict or (tool.headline,)
    chosen: dict[tuple[str, tuple[tuple[str, str], ...]], int] = {}
    for position, row in enumerate(run.result.estimates):
        key = row.test, tuple(row.group.items())
        if row.name not in wanted or row.value is None or "control" in row.group:
            continue
        if key not in chosen or wanted.index(row.name) < wanted.index(run.result.estimates[chosen[key]].name):
            chosen[key] = position
    corrected = holm([run.result.estimates[position].p_two_sided for position in chosen.values()])
    return [
        Verdict(run, tool, position, bool(tool.verdict), p)
        for position, p in zip(chosen.values(), corrected, strict=True)
    ]


def overview(found: Sequence[Model], *, tested: bool) -> list[Figure]:
    """The effects of all models with their intervals: of each instrument that tests for a tilt, or of the others."""
    tools: dict[str, list[tuple[Model, Verdict]]] = {}
    for model in found:
        for verdict in model.verdicts:
            if verdict.tested == tested:
                tools.setdefault(verdict.tool.name, []).append((model, verdict))
    return [_effects(entries) for _, entries in sorted(tools.items())]


def _effects(entries: Sequence[tuple[Model, Verdict]]) -> Figure:
    tool = entries[0][1].tool
    return Figure(
        kind="intervals",
        title=tool.title,
        rows=tuple(
            {
                "model": model.label,
                "test": verdict.test,
                "estimate": verdict.row.name,
                tool.headline: verdict.row.value,
                "low": verdict.row.ci_low,
                "high": verdict.row.ci_high,
                "outcome": verdict.outcome,
            }
            for model, verdict in entries
        ),
        x=tool.headline,
        y="model",
        low="low",
        high="high",
        within="test",
        colour="outcome",
        order=("no tilt shown", "tilt shown", "no test of it"),
        neutral=entries[0][1].row.neutral,
        caption=f"{tool.reading[0].upper()}{tool.reading[1:]}.",
    )


def _clearness(row: Estimate) -> float:
    """How many widths of its interval an estimate lies from neutral."""
    if row.ci_low is None or row.ci_high is None or row.ci_high == row.ci_low:
        return 0.0
    return abs((row.value or 0) - (row.neutral or 0)) / (row.ci_high - row.ci_low)
