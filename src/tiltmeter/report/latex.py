"""Runs as LaTeX to be put into a paper: tables with booktabs, in the papers' layouts, every text escaped."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from tiltmeter.report.content import (
    DOES_NOT_SHOW,
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

LONG = 40
"""A table of more rows may break over pages."""
WIDE = 75
"""A table of more signs in a row is shrunk to the width of the line."""


def latex(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """A fragment for \\input: no preamble; what the preamble needs is said in its first lines."""
    blocks = [_list(f"{model.label} {model.sentence()}" for model in models(runs))] if runs else []
    for section in sections(runs):
        tool = section.instrument
        blocks.append(f"\\paragraph{{{text(section.title)}.}}")
        blocks.append(f"Measures {text(tool.measures)}. Which way is worse: {text(tool.reading)}.")
        blocks.append(f"Formula: {text(tool.formula)}. {text(tool.reference)}.")
        blocks += [table_block(table) for table in section.tables]
        for label, run, table in section.printed():
            blocks.append(table_block(table, breaking=True))
            if told := [*readings(run), *caveats(run)]:
                blocks.append(f"\\noindent {text(label)}:")
                blocks.append(_list(told))
    if skipped:
        blocks.append(f"\\paragraph{{{text(not_measured(skipped).title)}.}}")
        blocks.append(_list(f"{entry.instrument} on {entry.subject}: {entry.reason}" for entry in skipped))
    blocks += ["\\paragraph{What this does not show.}", text(DOES_NOT_SHOW)]
    if runs:
        blocks.append("\\paragraph{The same numbers again.}")
        blocks.append("\n\n".join(_made(run) for run in runs))
    body = "\n\n".join(blocks)
    return f"{_preamble(subjects(runs), body)}\n{body}\n"


def table_block(table: Table, *, breaking: bool = False) -> str:
    """A table with its caption; long ones may break over pages."""
    breaking = breaking or len(table.rows) > LONG
    columns = "".join("r" if right else "l" for right in _numeric(table))
    if breaking:
        columns = _folding(table)
    caption = text(" ".join(part for part in (f"{table.title}.", table.caption) if part))
    lines = ["\\toprule", *_header(table), "\\midrule"]
    if breaking:
        lines.append("\\endhead")
    lines += [*_body(table, spanning=not breaking), "\\bottomrule"]
    size = "\\scriptsize" if breaking else "\\footnotesize" if len(columns) > 7 else "\\small"
    if breaking:
        begin = ["\\begingroup", size, "\\setlength{\\tabcolsep}{3pt}", f"\\begin{{longtable}}{{{columns}}}"]
        return "\n".join([*begin, f"\\caption{{{caption}}}\\\\", *lines, "\\end{longtable}", "\\endgroup"])
    inner = "\n".join([f"\\begin{{tabular}}{{{columns}}}", *lines, "\\end{tabular}"])
    if _width(table) > WIDE:
        inner = f"\\resizebox{{\\linewidth}}{{!}}{{%\n{inner}}}"
    begin = ["\\begin{table}[htbp]", "\\centering", size, f"\\caption{{{caption}}}"]
    return "\n".join([*begin, inner, "\\end{table}"])


def text(raw: str) -> str:
    """Text that TeX prints as it is: no command, no mathematics, no comment, one line.

    Signs without a shape, such as those that turn the direction of writing, are named.
    """
    line = " ".join(raw.split())
    return "".join(_escaped(before, sign) for before, sign in pairwise(f" {line}"))


_ESCAPES = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    "$": "\\$",
    "&": "\\&",
    "%": "\\%",
    "#": "\\#",
    "_": "\\_\\allowbreak{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "`": "\\textasciigrave{}",
    "'": "\\textquotesingle{}",
    '"': "\\textquotedbl{}",
    # At the start of a row these would belong to the line break before it.
    "[": "{[}",
    "*": "{*}",
    "–": "\\textendash{}",
    "—": "\\textemdash{}",
    "…": "\\ldots{}",
    "−": "$-$",
    "×": "$\\times$",
    "·": "\\textperiodcentered{}",
}
_UNSHAPED = ("Cc", "Cf", "Cn", "Co", "Cs")


def _escaped(before: str, sign: str) -> str:
    if sign == before and sign in "-,":  # together they would be a dash or a quotation mark
        return f"\\hbox{{}}{sign}"
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    # A joiner makes one picture of several.
    if unicodedata.category(sign) in _UNSHAPED and sign not in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}":
        return f"[U+{ord(sign):04X}]".replace("[", "{[}")
    return sign


def _preamble(about: str, body: str) -> str:
    lines = [
        f"% {_comment(about)}, measured with tiltmeter. Put it into a paper with \\input; its preamble needs",
        "% \\usepackage[T1]{fontenc}  (pdfLaTeX alone)",
        "% \\usepackage{array,booktabs,multirow,longtable,graphicx}",
    ]
    if scripts := _scripts(body):
        lines += [
            f"% It has signs that are not Latin ({', '.join(scripts)}): compile it with XeLaTeX or LuaLaTeX, and set a",
            "% font that has them: \\usepackage{fontspec} \\setmainfont{...}; Chinese, Japanese and Korean:",
            "% \\usepackage{xeCJK} \\setCJKmainfont{...} (LuaLaTeX: luatexja-fontspec).",
        ]
    return "\n".join(lines)


def _comment(raw: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in " ".join(raw.split()))


def _scripts(body: str) -> list[str]:
    """The first words of the names of letters that pdfLaTeX has no font for."""
    found = {sign for sign in body if ord(sign) > 0x17F}
    return sorted({unicodedata.name(sign, "SIGN").split()[0].capitalize() for sign in found})


def _numeric(table: Table) -> list[bool]:
    return [any(not isinstance(row[place], str) for row in table.rows) for place in range(len(table.header[0]))]


def _header(table: Table) -> Iterator[str]:
    """The lines of the header; a group of columns is named once, above a rule of its width."""
    *upper, lower = table.header
    for line in upper:
        cells, rules = [], []
        start = 0
        for name, columns in table.groups(line):
            cells.append(f"\\multicolumn{{{columns}}}{{c}}{{{text(name)}}}" if name else "")
            if name:
                rules.append(f"\\cmidrule(lr){{{start + 1}-{start + columns}}}")
            start += columns
        yield f"{' & '.join(cells)} \\\\"
        yield "".join(rules)
    numeric = _numeric(table)
    yield (
        " & ".join(
            f"\\multicolumn{{1}}{{r}}{{{text(name)}}}" if right else text(name)
            for name, right in zip(lower, numeric, strict=True)
        )
        + " \\\\"
    )


def _body(table: Table, *, spanning: bool) -> Iterator[str]:
    for row, cells in enumerate(table.rows):
        if row and table.keys > 1 and not table.repeats(row, 0):
            yield "\\midrule"
        line = []
        for column, cell in enumerate(cells):
            rows = table.spanned(row, column)
            told = "" if table.repeats(row, column) else _shown(cell)
            line.append(f"\\multirow{{{rows}}}{{*}}{{{told}}}" if spanning and told and rows > 1 else told)
        yield f"{' & '.join(line)} \\\\"


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return text(cell)
    told = re.sub(r"-(?=\d)", "$-$", str(cell)).replace("<", "$<$").replace("–", "--")
    return f"\\textbf{{{told}}}" if isinstance(cell, Number) and cell.strong else told


def _folding(table: Table) -> str:
    """Columns of a table that cannot be shrunk: long text is broken into lines."""
    columns = []
    for place, right in enumerate(_numeric(table)):
        longest = max((len(str(row[place])) for row in table.rows), default=0)
        wide = f">{{\\raggedright\\arraybackslash}}p{{{min(longest, 24) / 2:.0f}em}}"
        columns.append("r" if right else wide if longest > 12 else "l")
    return "".join(columns)


def _width(table: Table) -> float:
    """Signs in a row; the name of several columns is as wide as they are together."""
    total = 0.0
    for place, name in enumerate(table.header[-1]):
        group = table.header[0][place]
        above = len(group) / table.header[0].count(group) if group and len(table.header) > 1 else 0
        total += 2 + max(len(name), above, *(len(str(row[place])) for row in table.rows))
    return total


def _list(texts: Iterable[str]) -> str:
    return "\n".join(["\\begin{itemize}", *(f"\\item {{}}{text(entry)}" for entry in texts), "\\end{itemize}"])


def _made(run: Run) -> str:
    told = facts(run)
    command = text(told.pop("command"))
    rest = text("; ".join(f"{name}: {fact}" for name, fact in told.items()))
    return f"{{\\raggedright\\footnotesize\\texttt{{{command}}}\\par {rest}\\par}}"
