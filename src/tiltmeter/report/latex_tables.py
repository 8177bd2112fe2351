"""A table as LaTeX for a paper, with booktabs: caption, label, header, rows."""

import re
from collections.abc import Iterator
from dataclasses import replace

from tiltmeter.report.latex_fit import LINE, Fit, fitted, inside, numeric, parts_that_fit, strong
from tiltmeter.report.latex_text import breakable, folded, text
from tiltmeter.report.tables import Cell, Table


def table_blocks(table: Table, label: str, taken: set[str]) -> Iterator[str]:
    """The table, or its parts; the first has the label, the others have it with their number."""
    table = replace(table, header=tuple(tuple(_SHORT.get(name, name) for name in line) for line in table.header))
    parts = parts_that_fit(table)
    for number, part in enumerate(parts, start=1):
        title = table.title if len(parts) == 1 else f"{table.title}, part {number} of {len(parts)}"
        own = label if number == 1 else f"{label}-{number}"
        while own in taken:
            own += "-other"
        taken.add(own)
        yield _block(replace(part, title=title), own)


_SHORT = {"p corrected": "p corr."}


def _block(table: Table, label: str) -> str:
    fit = fitted(table)
    columns = []
    for place, right in list(enumerate(numeric(table)))[fit.headed :]:
        share = fit.widths[place] * fit.points / LINE
        wide = f">{{\\raggedright\\arraybackslash}}p{{{share:.3f}\\linewidth}}"
        columns.append("r" if right else wide if place in fit.wrapped else "l")
    return "\n".join(
        [
            "\\begin{table}[htbp]",
            "\\centering",
            "\\setlength{\\emergencystretch}{3em}",
            "\\setlength{\\belowcaptionskip}{4pt}",
            f"\\caption{{{_caption(table)}}}",
            f"\\label{{{label}}}",
            f"\\{fit.size}",
            f"\\setlength{{\\tabcolsep}}{{{fit.gap:g}pt}}",
            f"\\begin{{tabular}}{{@{{}}{''.join(columns)}@{{}}}}",
            "\\toprule",
            *_header(table, fit),
            "\\midrule",
            *_body(table, fit),
            "\\bottomrule",
            "\\end{tabular}",
            "\\end{table}",
        ]
    )


def _caption(table: Table) -> str:
    told = " ".join(part for part in (f"{table.title}.", table.caption) if part)
    told = re.sub(r"(?<!\S)p \\textless\{\} ([\d.]+\d)", r"$p < \1$", breakable(told))
    return re.sub(r"(?<!\S)p(?=[ .,;])", "$p$", told)


def _header(table: Table, fit: Fit) -> Iterator[str]:
    """The lines of the header; a group of columns is named once, above a rule of its width."""
    first = int(fit.headed)
    *upper, lower = (line[first:] for line in table.header)
    widths = fit.widths[first:]
    for line in upper:
        stacks, spans, rules, start = [], [], [], 0
        for name, columns in table.groups(line):
            width = sum(widths[start : start + columns]) + (columns - 1) * 2 * fit.gap / fit.points
            stacks.append(folded(name, width))
            spans.append(columns)
            if name:
                rules.append(f"\\cmidrule(lr){{{start + 1}-{start + columns}}}")
            start += columns
        for cells in _levelled(stacks):
            told = [f"\\multicolumn{{{n}}}{{c}}{{{text(c)}}}" if c else "" for c, n in zip(cells, spans, strict=True)]
            yield f"{_row(told, spans)} \\\\"
        yield "".join(rules)
    for cells in _levelled([folded(name, width) for name, width in zip(lower, widths, strict=True)]):
        yield f"{' & '.join(map(_heading, cells))} \\\\"


def _row(cells: list[str], spans: list[int]) -> str:
    """Cells of several columns; an empty one has as many separators as it has columns."""
    return " & ".join(cell or " & " * (span - 1) for cell, span in zip(cells, spans, strict=True))


def _levelled(stacks: list[list[str]]) -> Iterator[tuple[str, ...]]:
    """Lines of several headings, all ending on the same line."""
    high = max(map(len, stacks))
    return zip(*([""] * (high - len(lines)) + lines for lines in stacks), strict=True)


def _heading(name: str) -> str:
    return re.sub(r"^p(?= |$)", "$p$", text(name))


def _body(table: Table, fit: Fit) -> Iterator[str]:
    for row, cells in enumerate(table.rows):
        if row and not inside(table, row):
            yield "\\midrule"
        if fit.headed and not table.repeats(row, 0):
            for line in folded(str(cells[0]), LINE / fit.points):
                yield f"\\multicolumn{{{len(cells) - 1}}}{{@{{}}l}}{{\\textit{{{text(line)}}}}} \\\\"
        told = [_placed(table, fit, row, column) for column in range(int(fit.headed), len(cells))]
        yield f"{' & '.join(told)} \\\\"


def _placed(table: Table, fit: Fit, row: int, column: int) -> str:
    """A cell, over the rows that it stands for."""
    cell, rows = table.rows[row][column], table.spanned(row, column)
    if table.repeats(row, column):
        return ""
    if column == table.keys - 1 and not table.header[-1][column]:
        return _heading(str(cell))  # of numbers that stand one below the other
    told = _shown(cell)
    text_of_one_row = isinstance(cell, str) and column >= table.keys
    if not told or rows == 1 or text_of_one_row or fit.lines(column, cell) > rows:
        return told
    return f"\\multirow[t]{{{rows}}}{{{'=' if column in fit.wrapped else '*'}}}{{{told}}}"


def _shown(cell: Cell) -> str:
    if isinstance(cell, str):
        return breakable(cell)
    told = re.sub(r"-(?=\d)", "$-$", str(cell)).replace("<", "$<$").replace("–", "--")
    return f"\\textbf{{{told}}}" if strong(cell) else told
