"""One self-contained HTML page: opens from a mail attachment, loads nothing."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter import charts
from tiltmeter.calibration.recovery import SAID
from tiltmeter.errors import MissingExtra
from tiltmeter.instruments import Instrument
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.report.calibrated import Calibrated, all_notes, calibration_of
from tiltmeter.report.content import LIMITS, READINGS, grouped
from tiltmeter.report.content import sections as all_sections
from tiltmeter.report.figures import merged
from tiltmeter.report.items import Packed, packed_estimates, packed_items, write_items
from tiltmeter.report.summary import counts_table, models, overview, verdicts
from tiltmeter.report.tables import Table
from tiltmeter.results import Estimate, Figure, Note, shown, shown_p
from tiltmeter.runs import Across, Run, Skipped, agreement, labels
from tiltmeter.store import write_atomically


def write_page(runs: Sequence[Run], path: Path, *, skipped: Sequence[Skipped] = ()) -> list[Path]:
    """Writes the page of these runs, and of what was not measured and why.

    Where there are more items than a page can hold, a Parquet file beside it holds all of them. Returns what was
    written.
    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise MissingExtra("jinja2", "report") from error
    environment = Environment(
        loader=PackageLoader("tiltmeter.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    environment.filters |= {"number": shown, "p": shown_p, "language": _language, "words": _words}
    every = models(runs)
    found = [model for model in every if not model.reference]
    references = [model for model in every if model.reference]
    items = packed_items(runs)
    beside = path.with_suffix(".items.parquet") if any(own.kept < own.rows for own in items.values()) else None
    figures = _Figures()
    page = environment.get_template("page.html").render(
        every=every,
        models=found,
        references=references,
        reference_counts=counts_table(references),
        reference_figures=[
            figures.add(figure) for tested in (True, False) for figure in overview(references, tested=tested)
        ],
        tested=[figures.add(figure) for figure in overview(found, tested=True)],
        untested=[figures.add(figure) for figure in overview(found, tested=False)],
        sections=_sections(runs, items, figures),
        agreements=agreement(runs),
        skipped=grouped(skipped),
        runs=runs,
        limits=LIMITS,
        calibration=SAID,
        made=_made(runs),
        beside=beside.name if beside else None,
        specifications=figures.specifications,
        themes=json.dumps(charts.THEMES),
        script=charts.script(),
    )
    if beside:
        write_items(runs, beside)
    write_atomically(path, page.encode())
    return [path, beside] if beside else [path]


class _Figures:
    """The page's figures: each is placed by its number and drawn from the data at the page's end."""

    def __init__(self) -> None:
        self.specifications: list[str] = []

    def add(self, figure: Figure) -> tuple[int, Figure]:
        self.specifications.append(charts.specification(figure))
        return len(self.specifications) - 1, figure


@dataclass(frozen=True, slots=True)
class Source:
    """A table for the explorer to show."""

    label: str
    table: Packed
    what: str


@dataclass(frozen=True, slots=True)
class Part:
    """Runs of one instrument in one language that may stand side by side."""

    tool: Instrument
    lang: str
    runs: tuple[Run, ...]
    figures: tuple[tuple[int, Figure], ...]
    sources: tuple[Source, ...]
    several: Across | None
    """Of more than one run."""

    def side_by_side(self) -> list[tuple[str, list[Estimate]]]:
        """The headline of each test over all subjects, corrected as one family; nothing for a single subject."""
        return self.several.headlines() if self.several else []

    def together(self) -> Sequence[Note]:
        """What the instrument says of these runs together."""
        return self.several.together.notes if self.several else ()

    def labelled(self) -> list[tuple[str, Run]]:
        return list(zip(labels(self.runs), self.runs, strict=True))

    def estimates(self, run: Run) -> list[tuple[int, Estimate]]:
        """Those that the instrument prints, with their position in the run."""
        return [(run.result.estimates.index(row), row) for row in run.printed()]

    def beside(self, run: Run) -> Calibrated | None:
        """The certificate, where it knows any of the estimates."""
        found = calibration_of(run)
        return found if any(found.of(row) for row in run.printed()) else None

    def deciding(self, run: Run) -> dict[int, float | None]:
        """The estimates that say whether there is a tilt, by position, with their corrected two-sided p."""
        return {verdict.position: verdict.p for verdict in verdicts(run) if verdict.tested}

    def said(self, run: Run) -> list[Note]:
        return [note for note in run.result.notes if note.kind in READINGS]

    def cautions(self, run: Run) -> list[Note]:
        """What makes a number mean less, or something else."""
        return [note for note in all_notes(run) if note.caution and note.kind not in READINGS]

    def asides(self, run: Run) -> list[Note]:
        """How it was asked."""
        return [note for note in all_notes(run) if not note.caution and note.kind not in READINGS]

    def methods(self, run: Run) -> list[tuple[str, list[str]]]:
        """How intervals and p-values were made, and what to beware of in them: each with the estimates it holds for."""
        found: dict[str, dict[str, None]] = {}
        for _, row in self.estimates(run):
            interval = f"interval by {row.ci_method}" if row.ci_method else ""
            p = f"p by {row.p_method}" if row.p_method else ""
            family = f"corrected with {row.family}" if row.family else ""
            for method in filter(None, (interval, p, family)):
                found.setdefault(method, {})[row.name] = None
        return [(method, list(names)) for method, names in found.items()]


@dataclass(frozen=True, slots=True)
class Section:
    """All about one instrument, or about it and one kind of models."""

    title: str
    tool: Instrument
    tables: tuple[Table, ...]
    parts: tuple[Part, ...]


def _sections(runs: Sequence[Run], items: dict[str, Packed], figures: _Figures) -> list[Section]:
    found = []
    tested_first = sorted(all_sections(runs), key=lambda found: (not found.instrument.verdict, found.instrument.name))
    for section in tested_first:
        languages: dict[str, list[Run]] = {}
        for _, run in section.labelled:
            languages.setdefault(run.result.lang, []).append(run)
        parts = tuple(
            _part(section.instrument, tuple(own), items, figures, section.side_by_side.get(lang))
            for lang, own in languages.items()
        )
        found.append(Section(section.title, section.instrument, section.tables, parts))
    return found


def _part(
    tool: Instrument, runs: tuple[Run, ...], items: dict[str, Packed], figures: _Figures, several: Across | None
) -> Part:
    sources = []
    for label, run in zip(labels(runs), runs, strict=True):
        sources.append(Source(label, items[run.id], "items"))
        sources.append(Source(label, packed_estimates(run), "estimates"))
    drawn = tuple(figures.add(figure) for figure in merged(runs, several))
    return Part(tool, runs[0].result.lang, runs, drawn, tuple(sources), several)


def _language(lang: str) -> str:
    return load_pack(lang).name if lang in shipped_languages() else lang


def _made(runs: Sequence[Run]) -> str:
    """With what, and when."""
    facts = [run.result.provenance for run in runs]
    days = sorted({str(fact["created"])[:10] for fact in facts})
    tools = sorted({str(fact["packages"].get("tiltmeter", "")) for fact in facts})
    return f"tiltmeter {', '.join(tools)}; measured {' to '.join(dict.fromkeys(days[:1] + days[-1:]))}" if facts else ""


def _words(name: str) -> str:
    return name.replace("_", " ")
