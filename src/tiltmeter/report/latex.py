"""Runs as LaTeX for a paper: the tables of the papers' layouts, and all there is to know about them as comments."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from tiltmeter.report.content import (
    DOES_NOT_SHOW,
    Section,
    caveats,
    facts,
    not_measured,
    readings,
    sections,
    subjects,
)
from tiltmeter.report.latex_tables import table_blocks
from tiltmeter.report.latex_text import comment
from tiltmeter.report.summary import models
from tiltmeter.runs import Run, Skipped


def latex(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """A fragment for \\input: tables and comments; what the preamble needs is said in its first lines."""
    labels: set[str] = set()
    found = [f"{model.label} {model.sentence()}" for model in models(runs)]
    blocks = [_comments(["What was found", *(found or ["Nothing was measured."])])]
    for section in sections(runs):
        blocks.append(_comments(_about(section)))
        # Where no layout has a place for what a run found, its estimates are the table.
        tables = section.tables_in_words() or [table for _, _, table in section.printed() if table.rows]
        for table in [*tables, *section.calibration()]:
            blocks += table_blocks(table, _label(section.instrument.name, table.title), labels)
    if missing := not_measured(skipped):
        blocks.append(_comments(["What was not measured", *missing]))
    blocks.append(_comments(["What this does not show", DOES_NOT_SHOW]))
    if runs:
        blocks.append(_comments(["The same numbers again", *(line for run in runs for line in _made(run))]))
    body = "\n\n".join(blocks)
    return f"{_preamble(subjects(runs), body)}\n\n{body}\n"


def _about(section: Section) -> Iterator[str]:
    """What the tables below it measure, and what their runs say in words."""
    tool = section.instrument
    yield section.title
    yield f"Measures {tool.measures}."
    yield f"Which way is worse: {tool.reading}."
    yield f"Formula: {tool.formula}. {tool.reference}."
    for label, run in section.labelled:
        for told in [*readings(run), *caveats(run)]:
            yield f"{label}, {run.result.lang}: {told}"


def _made(run: Run) -> Iterator[str]:
    told = facts(run)
    yield told.pop("command")
    yield "; ".join(f"{name}: {fact}" for name, fact in told.items())


def _label(instrument: str, title: str) -> str:
    """What \\ref is given: instrument and title in plain letters; of a long title the first words and the last."""
    words, own = (re.findall("[a-z0-9]+", _ascii(told)) for told in (title, instrument))
    if not "".join(words).startswith("".join(own)):
        words = [*own, *words]
    return f"tab:{'-'.join(words if len(words) <= _WORDS else [*words[: _WORDS - 1], words[-1]])}"


_WORDS = 10


def _ascii(told: str) -> str:
    return unicodedata.normalize("NFKD", told).encode("ascii", "ignore").decode().lower()


def _preamble(about: str, body: str) -> str:
    lines = [
        f"{about}, measured with tiltmeter: tables for a paper, to be put in with \\input. All estimates are in the "
        ".csv and .xlsx of these runs (tiltmeter report RUN... -o report.csv).",
        "The preamble needs \\usepackage{array,booktabs,multirow}; with pdfLaTeX also \\usepackage[T1]{fontenc}.",
    ]
    if scripts := _scripts(body):
        lines += [
            f"The tables have signs that are not Latin ({', '.join(scripts)}): compile them with XeLaTeX or LuaLaTeX, "
            "and a font that has them: \\usepackage{fontspec} \\setmainfont{...}; Chinese, Japanese and Korean: "
            "\\usepackage{xeCJK} \\setCJKmainfont{...} (LuaLaTeX: luatexja-fontspec).",
        ]
    return _comments(lines)


def _scripts(body: str) -> list[str]:
    """The first words of the names of letters in the tables that pdfLaTeX has no font for."""
    printed = "\n".join(line for line in body.splitlines() if not line.startswith("%"))
    found = {sign for sign in printed if ord(sign) > 0x17F}
    return sorted({unicodedata.name(sign, "SIGN").split()[0].capitalize() for sign in found})


def _comments(lines: Iterable[str]) -> str:
    return "\n".join(map(comment, lines))
