"""One self-contained HTML page: opens from a mail attachment, loads nothing."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from tiltmeter import charts
from tiltmeter.errors import MissingExtra
from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.results import Estimate, Figure, Note, shown, shown_p
from tiltmeter.runs import Run, Skipped, across, agreement, comparable, labels
from tiltmeter.store import write_atomically


def write_page(runs: Sequence[Run], path: Path, *, skipped: Sequence[Skipped] = ()) -> None:
    """Writes the page of these runs, and of what was not measured and why."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtra("jinja2", "report") from error
    environment = Environment(
        loader=PackageLoader("tiltmeter.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {"number": shown, "p": shown_p}
    sections = _sections(runs)
    page = environment.get_template("page.html").render(
        sections=sections,
        agreements=agreement(runs),
        skipped=skipped,
        subjects=list(dict.fromkeys(run.result.subject for run in runs)),
        script=charts.script() if any(section.figures for section in sections) else "",
    )
    write_atomically(path, page.encode())


@dataclass(frozen=True, slots=True)
class Section:
    """Runs of one instrument in one language that may stand side by side."""

    instrument: Instrument
    lang: str
    runs: tuple[Run, ...]
    figures: tuple[tuple[Figure, str], ...]
    """Each figure with its specification as JSON."""

    def side_by_side(self) -> list[tuple[str, list[Estimate]]]:
        """The headline of each test over all subjects, corrected as one family; nothing for a single subject."""
        return across(self.runs).headlines() if len(self.runs) > 1 else []

    def labelled(self) -> list[tuple[str, Run]]:
        return list(zip(labels(self.runs), self.runs, strict=True))

    def estimates(self, run: Run) -> list[Estimate]:
        """Those that the instrument prints; all are in the stored run."""
        printed = self.instrument.summary
        return [row for row in run.result.estimates if not printed or row.name in printed]

    def notes(self, run: Run, *, reading: bool) -> list[Note]:
        """What the run says in words (or why it says nothing), or else what to know when reading it."""
        return [note for note in run.result.notes if (note.kind in ("reading", "hypothesis", "void")) == reading]


def _sections(runs: Sequence[Run]) -> list[Section]:
    def key(run: Run) -> tuple[str, str]:
        return run.result.instrument, run.result.lang

    groups = ((name, lang, list(group)) for (name, lang), group in groupby(sorted(runs, key=key), key))
    return [
        Section(load_instrument(name), lang, together, tuple((f, charts.specification(f)) for f in _merged(together)))
        for name, lang, group in groups
        for together in comparable(group)
    ]


def _merged(runs: Sequence[Run]) -> list[Figure]:
    """The runs' figures of one title as one figure, the subject as its colour."""
    merged: dict[str, Figure] = {}
    for run, subject in zip(runs, labels(runs), strict=True):
        for figure in run.result.figures:
            if figure.colour is not None:
                title = f"{figure.title}, {subject}"
                merged[title] = replace(figure, title=title)
                continue
            rows = tuple({**row, "subject": subject} for row in figure.rows)
            before = merged[figure.title].rows if figure.title in merged else ()
            merged[figure.title] = replace(figure, rows=(*before, *rows), colour="subject")
    return [figure for figure in merged.values() if figure.rows]
