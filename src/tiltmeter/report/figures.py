"""The figures of some runs, for the page and as files for a paper."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tiltmeter import charts
from tiltmeter.report.content import sections
from tiltmeter.report.summary import models, overview
from tiltmeter.results import Figure
from tiltmeter.runs import Across, Run, labels

Row = Mapping[str, Any]


def write_figures(runs: Sequence[Run], folder: Path, *, font: str | Path | None = None) -> list[Path]:
    """Writes the effects of all runs, then the figures of each instrument and language, as SVG, PNG and PDF."""
    found = models(runs)
    figures = overview(found, tested=True) + overview(found, tested=False)
    for section in sections(runs):
        together = [run for _, run in section.labelled]
        for lang in dict.fromkeys(run.result.lang for run in together):
            own = merged([run for run in together if run.result.lang == lang], section.side_by_side.get(lang))
            figures += [replace(figure, title=f"{figure.title}, {lang}") for figure in own]
    return charts.write_figures(figures, folder, font=font)


def merged(runs: Sequence[Run], beside: Across | None = None) -> list[Figure]:
    """The runs' figures of one title as one figure, the subject as its colour; then those of all runs together."""
    found: dict[str, Figure] = {}
    subjects = labels(runs)
    for run, subject in zip(runs, subjects, strict=True):
        for figure in run.result.figures:
            if figure.colour is not None:
                title = f"{figure.title}, {subject}"
                found[title] = replace(figure, title=title)
                continue
            first = found.setdefault(figure.title, replace(figure, rows=(), colour="subject", order=tuple(subjects)))
            # A run that was stored by another version may call the same columns by other names.
            roles = [(getattr(figure, role), getattr(first, role)) for role in ("x", "y", "low", "high")]
            names = {own: shared for own, shared in roles if isinstance(own, str) and isinstance(shared, str)}
            rows = tuple(
                {names.get(name, name): row[name] for name in row} | {"subject": subject} for row in figure.rows
            )
            found[figure.title] = replace(first, rows=_interleaved(first.rows, rows, first.y))
    of_all = beside.together.figures if beside else ()
    return [figure for figure in (*found.values(), *of_all) if figure.rows]


def _interleaved(before: Sequence[Row], added: Sequence[Row], y: str) -> tuple[Row, ...]:
    """The rows of both, those of one name together: a name that is new stands after the one that it followed."""
    names = list(dict.fromkeys(str(row.get(y)) for row in before))
    place = 0
    for name in dict.fromkeys(str(row.get(y)) for row in added):
        if name in names:
            place = names.index(name) + 1
        else:
            names.insert(place, name)
            place += 1
    order = {name: number for number, name in enumerate(names)}
    return tuple(sorted((*before, *added), key=lambda row: order[str(row.get(y))]))
