"""Runs as Markdown for GitHub: tables and lists, with every text from outside as text."""

import re
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
from tiltmeter.report.summary import models
from tiltmeter.report.tables import Cell, Number, Table
from tiltmeter.runs import Run, Skipped


def markdown(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """The whole report."""
    blocks = [f"# Gender bias, measured with tiltmeter: {text(subjects(runs))}", found_block(runs)]
    said: set[tuple[str, str]] = set()
    for section in sections(runs):
        blocks += [*section_blocks(section, level=2), *_run_blocks(section, said)]
    blocks += end_blocks(runs, skipped, level=2)
    if runs:
        blocks += folded_away("The runs, and what they were made with", [_made(runs)])
    return "\n\n".join(blocks) + "\n"


def found_block(runs: Sequence[Run]) -> str:
    """One sentence for each model."""
    return bullets(f"{model.label} {model.sentence()}" for model in models(runs)) or "Nothing was measured."


def section_blocks(section: Section, *, level: int) -> Iterator[str]:
    """One instrument: what it measures, and the tables of its paper."""
    tool, tables = section.instrument, section.tables_in_words()
    alone = len(tables) == 1 and tables[0].title.startswith(section.title)
    yield f"{'#' * level} {text(tables[0].title if alone else section.title)}"
    yield (
        f"Measures {text(tool.measures)}. **Which way is worse:** {text(tool.reading)}. "
        f"Formula: {code(tool.formula)}. {text(tool.reference)}."
    )
    for table in tables:
        yield from table_blocks(table, titled=not alone)


def _run_blocks(section: Section, said: set[tuple[str, str]]) -> Iterator[str]:
    """Each run: what it says in words, what to know with it that was not said of its subject before, its numbers."""
    for label, run, table in section.printed():
        yield f"### {text(label)}, {text(run.result.lang)}"
        if told := readings(run):
            yield bullets(told)
        if known := caveats(run):
            subject = f"{run.result.lang} {run.result.provenance['subject']['fingerprint']}"
            keys = {entry: (subject, entry) for entry in known}
            new = [entry for entry, key in keys.items() if key not in said]
            before = ["what is said of it above"] if len(new) < len(keys) else []
            yield "What to know when reading this:"
            yield bullets([*new, *before])
            said |= set(keys.values())
        yield from folded_away("Its numbers", table_blocks(table, titled=False))


def end_blocks(runs: Sequence[Run], skipped: Sequence[Skipped], *, level: int) -> Iterator[str]:
    """What was not measured, what this does not show, and the commands that give the same numbers again."""
    heading = "#" * level
    if missing := not_measured(skipped):
        yield f"{heading} What was not measured"
        yield bullets(missing)
    yield f"{heading} What this does not show"
    yield paragraph(DOES_NOT_SHOW)
    if runs:
        yield f"{heading} The same numbers again"
        yield fenced("\n".join(dict.fromkeys(facts(run)["command"] for run in runs)))


def _made(runs: Sequence[Run]) -> str:
    """What differs from run to run in a line each; what is the same of all once."""
    told = [{name: fact for name, fact in facts(run).items() if name != "command"} for run in runs]
    same = [name for name in told[0] if len({fact[name] for fact in told}) == 1] if len(told) > 1 else []
    lines = [{name: fact for name, fact in facts_of.items() if name not in same} for facts_of in told]
    if same:
        lines.append({name: told[0][name] for name in same})
    listed = ["; ".join(f"{name}: {fact}" for name, fact in line.items()) for line in lines]
    return bullets([*listed[:-1], f"all of them: {listed[-1]}"] if same else listed)


def folded_away(title: str, blocks: Iterable[str]) -> Iterator[str]:
    """Blocks that a reader opens; the title is ours, for nothing keeps text from being HTML there."""
    yield f"<details>\n<summary>{title}</summary>"
    yield from blocks
    yield "</details>"


def table_blocks(table: Table, *, titled: bool = True) -> Iterator[str]:
    title = f"**{text(table.title)}**" if titled else ""
    if told := ". ".join(part for part in (title, paragraph(table.caption)) if part):
        yield told
    header = table.flat_header()
    numeric = [bool(table.rows) and not isinstance(table.rows[0][place], str) for place in range(len(header))]
    lines = [_line(map(text, header)), _line("--:" if right else "---" for right in numeric)]
    for row, cells in enumerate(table.rows):
        lines.append(_line("" if table.repeats(row, column) else _shown(cell) for column, cell in enumerate(cells)))
    yield "\n".join(lines)


def bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {paragraph(entry)}" for entry in texts)


def paragraph(raw: str) -> str:
    """Text at the start of a line, where a dash or a number would begin a list."""
    return _AT_START.sub(lambda found: f"{found[0][:-1]}\\{found[0][-1]}", text(raw))


def text(raw: str) -> str:
    """Text that means nothing to Markdown: no markup, no HTML, no link, no mention, one line.

    A renderer that looks for mentions and addresses after it has read the Markdown is kept off by a word joiner behind
    the at sign; text that turns the direction of writing is closed in, so that it turns nothing behind it.
    """
    line = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(raw.split()))
    line = _SPECIAL.sub(r"\\\g<0>", line)
    line = _MENTION.sub("@\N{WORD JOINER}", line)
    if _TURNING.search(line):
        line = f"\N{FIRST STRONG ISOLATE}{line}\N{POP DIRECTIONAL ISOLATE}"
    return line


def code(raw: str) -> str:
    """A piece of code in a line."""
    line = _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", " ".join(raw.split()))
    ticks = "`" * (1 + max((len(run) for run in re.findall("`+", line)), default=0))
    space = " " if "`" in line else ""
    return f"{ticks}{space}{line}{space}{ticks}"


def fenced(raw: str) -> str:
    """A command to be copied as it is."""
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", raw)), default=0))
    return f"{ticks}console\n{raw}\n{ticks}"


# An underscore between two letters is one for Markdown as well.
_SPECIAL = re.compile(
    r"[\\`*{}\[\]<>|~$&#^]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.|(?<=mailto):|(?<=xmpp):|!(?=\[)", re.IGNORECASE
)
_AT_START = re.compile(r"^(?:[-+=]|\d+[.)])")
_MENTION = re.compile(r"@(?=\w)")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_UNSEEN = re.compile("[\x00-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return text(cell)
    told = str(cell).replace("<", "\\<")
    return f"**{told}**" if isinstance(cell, Number) and cell.strong else told
