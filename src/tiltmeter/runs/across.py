"""Analysis over several runs of one call."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import Findings, load_instrument
from tiltmeter.results import Estimate
from tiltmeter.runs.measuring import corrected
from tiltmeter.runs.run import Run
from tiltmeter.runs.sweep import FactorEffect, factor_effects


@dataclass(frozen=True)
class Across:
    """Runs of one instrument side by side, their p-values corrected as one family."""

    runs: tuple[Run, ...]
    estimates: tuple[tuple[Estimate, ...], ...]
    """Of each run, with `p_adjusted` over all of them."""
    factors: tuple[FactorEffect, ...]
    """Which choice in training moves the headline, where the subjects are a sweep."""
    no_factors: str = ""
    """Why trained subjects make up no sweep."""

    @cached_property
    def together(self) -> Findings:
        """What the instrument finds in several runs together."""
        tool = load_instrument(self.runs[0].result.instrument)
        # The items of another version may lack what this one reads.
        current = all((run.result.instrument, run.result.version) == (tool.name, tool.version) for run in self.runs)
        groups = [group for group in comparable(self.runs) if len(group) > 1]
        if tool.compare is None or not current:
            return Findings(estimates=())
        return Findings.joined(tool.compare([(run.result, run.items) for run in group]) for group in groups)

    def headlines(self) -> list[tuple[str, list[Estimate]]]:
        """The main estimates of each test and group, one a run: the table a paper prints over models."""
        tool = load_instrument(self.runs[0].result.instrument)
        names = tool.main_estimates
        found = [
            {_label(row) if len(names) == 1 else f"{row.name} {_label(row)}": row for row in rows if row.name in names}
            for rows in self.estimates
        ]
        shared = [label for label in found[0] if all(label in rows for rows in found)]
        return [(label, [rows[label] for rows in found]) for label in shared]

    def to_json(self) -> dict[str, Any]:
        return {
            "estimates": [
                {"run": run.id, "subject": run.result.subject, "lang": run.result.lang, **row.to_json()}
                for run, rows in zip(self.runs, self.estimates, strict=True)
                for row in rows
            ],
            "comparable": [[run.id for run in group] for group in comparable(self.runs)],
            "factors": [asdict(effect) for effect in self.factors],
            "no_factors": self.no_factors or None,
            "differences": [row.to_json() for row in self.together.estimates],
            "notes": [note.to_json() for note in self.together.notes],
        }


def across(runs: Sequence[Run]) -> Across:
    """All p-values as one family, corrected together: testing five models is five times the chances."""
    tools = sorted({run.result.instrument for run in runs})
    rows = [replace(estimate, p_adjusted=None) for run in runs for estimate in run.result.estimates]
    pooled = iter(corrected(rows, f"{', '.join(tools)}, {len(runs)} runs"))
    estimates = tuple(tuple(next(pooled) for _ in run.result.estimates) for run in runs)
    return Across(tuple(runs), estimates, *_factors(runs))


def comparable(runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    """Runs that may stand side by side: a masked model is never ranked against a causal one.

    The first gives a word's probability over its vocabulary, the second a sentence's over the candidates. Nor is a real
    model beside one that was made for checking: that would correct its p-values for tests of no interest.
    """
    groups: dict[str, list[Run]] = {}
    for run in runs:
        groups.setdefault(kind_of(run), []).append(run)
    return [tuple(group) for group in groups.values()]


def kind_of(run: Run) -> str:
    """What kind of model it is, where that matters, and whether it is a reference."""
    kind = str(run.result.provenance["subject"].get("kind", ""))
    return f"reference {kind}".strip() if is_reference(run) else kind


def is_reference(run: Run) -> bool:
    """Whether the subject is a tiny one of planted bias, made for checking."""
    return "reference" in run.result.provenance["subject"]


def _label(row: Estimate) -> str:
    """A test, with its group where it has one."""
    return " ".join([row.test, *(f"[{key}={value}]" for key, value in row.group.items())])


def _factors(runs: Sequence[Run]) -> tuple[tuple[FactorEffect, ...], str]:
    """Nothing unless every subject says how it was trained; or the reason why that is no sweep."""
    trained: list[Mapping[str, Any]] = [run.result.provenance["subject"].get("trained", {}) for run in runs]
    if len(runs) < 2 or not all(trained):
        return (), ""
    name = load_instrument(runs[0].result.instrument).headline
    values = [{_label(row): row.value for row in run.result.estimates if row.name == name} for run in runs]
    try:
        return tuple(factor_effects(list(zip(trained, values, strict=True)))), ""
    except TiltmeterError as error:
        return (), str(error)
