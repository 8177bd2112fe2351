"""Which room a table has on a page: in what type it is set, what is wrapped, and into which parts it is cut."""

from dataclasses import dataclass, replace
from math import ceil

from tiltmeter.report.latex_text import ems, folded, longest_piece
from tiltmeter.report.tables import COVERED, Cell, Number, Table

LINE = 345.0
"""Points in a line of an article in ten-point type: the narrowest page with one column."""
PAGE = 530.0
"""Points in the height of such a page, less those around a table."""
_NARROWEST = 6.0
"""Ems that a column of names keeps, unless there is no other way."""


def parts_that_fit(table: Table) -> list[Table]:
    """The table, or parts of it that are each no wider than the text and no longer than a page."""
    return [part for columns in _columns_that_fit(table) for part in _rows_that_fit(columns)]


def fitted(table: Table) -> "Fit":
    """How a part is set."""
    return _fit(table) or _wrapping(table, 0.0) or Fit("footnotesize", 8.0, 3.0, tuple(_natural(table, 4.0)))


@dataclass(frozen=True, slots=True)
class Fit:
    """How a table is set."""

    size: str
    points: float
    gap: float
    """Points on each side of a column."""
    widths: tuple[float, ...]
    """Ems of each column."""
    wrapped: frozenset[int] = frozenset()
    """Columns of text that is broken into lines."""
    headed: bool = False
    """The first key stands in lines of its own, above its rows."""

    def lines(self, place: int, cell: Cell) -> int:
        return ceil(1.15 * ems(str(cell)) / self.widths[place]) if place in self.wrapped else 1


def _columns_that_fit(table: Table) -> list[Table]:
    """The table, or several with the same rows: as many groups of columns in each as there is room for."""
    if _fit(table):
        return [table]
    groups: list[list[int]] = []
    place = 0
    for _, columns in table.groups(table.header[0]) if len(table.header) > 1 else [("", 1) for _ in table.header[0]]:
        groups.append([column for column in range(place, place + columns) if column >= table.keys])
        place += columns
    groups = [part for group in groups if group for part in _small_enough(table, group)]
    chosen: list[list[int]] = groups[:1]
    for group in groups[1:]:
        if _fit(_of(table, chosen[-1] + group)):
            chosen[-1] = chosen[-1] + group
        else:
            chosen.append(group)
    return [_of(table, columns) for columns in chosen] or [table]


def _small_enough(table: Table, group: list[int]) -> list[list[int]]:
    return [group] if _fit(_of(table, group)) else [[column] for column in group]


def _of(table: Table, columns: list[int]) -> Table:
    """The keys and some of the columns."""
    kept = [*range(table.keys), *columns]
    return replace(
        table,
        header=tuple(tuple(line[place] for place in kept) for line in table.header),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
    )


def _rows_that_fit(table: Table) -> list[Table]:
    """The table, or several that are each no longer than a page, cut where the first key changes if there is one."""
    fit = fitted(table)
    line = fit.points * 1.2
    caption = ceil(ems(f"{table.title} {table.caption}") * 10 / LINE) + 1
    header = [max(len(folded(name, fit.widths[place])) for place, name in enumerate(names)) for names in table.header]
    above = caption * 12 + sum(header) * line
    room = max(PAGE - above, 10 * line)
    heights = []
    for row, cells in enumerate(table.rows):
        own = max(fit.lines(place, cell) for place, cell in enumerate(cells)) * line
        heights.append(own + (0 if inside(table, row) else 5 + line * fit.headed))
    parts: list[Table] = []
    start, height = 0, 0.0
    for row, own in enumerate(heights):
        height += own
        if height > room and row > start:
            places = range(row, start, -1)
            whole = next((place for place in places if not inside(table, place)), None)
            cut = whole or next((place for place in places if not _covered(table, place)), row)
            parts.append(replace(table, rows=table.rows[start:cut]))
            start, height = cut, sum(heights[cut : row + 1])
    return [*parts, replace(table, rows=table.rows[start:])]


def inside(table: Table, row: int) -> bool:
    """Whether a row is of the same first key as the one above, or shares a number with it."""
    return row == 0 or table.keys < 2 or table.repeats(row, 0) or _covered(table, row)


def _covered(table: Table, row: int) -> bool:
    """Whether a number above is of this row as well."""
    cells = zip(table.rows[row], numeric(table), strict=True)
    return any(cell == COVERED for cell, right in list(cells)[table.keys :] if right)


def _fit(table: Table) -> Fit | None:
    """The largest type in which the table has room; names are wrapped, or set above their rows, if that is needed."""
    for points, gap, heading in _SETTINGS:
        natural = _natural(table, heading)
        if sum(natural) * points + 2 * gap * (len(natural) - 1) <= LINE:
            return Fit("small" if points == 9 else "footnotesize", points, gap, tuple(natural))
    return _wrapping(table, _NARROWEST) or (_wrapping(table, _NARROWEST, headed=True) if table.keys > 1 else None)


_SETTINGS = (
    *((9.0, 6.0, heading) for heading in (12.0, 9.0, 6.5)),
    *((9.0, 4.0, heading) for heading in (9.0, 6.5, 4.0)),
    *((8.0, 3.0, heading) for heading in (6.5, 4.0)),
)
"""Points of the type, points on each side of a column, and ems of a heading that may be wider than its column."""


def _wrapping(table: Table, narrowest: float, *, headed: bool = False) -> Fit | None:
    natural, points, gap = _natural(table, 4.0), 8.0, 2.5
    if headed:
        natural[0] = 0.0
    room = (LINE - 2 * gap * (len(natural) - 1 - headed)) / points
    least = list(natural)
    for place, right in enumerate(numeric(table)):
        if not right:
            pieces = [longest_piece(str(row[place])) for row in table.rows]
            least[place] = min(natural[place], max([narrowest, *pieces, _heading_width(table, place, 0.0)]))
    if sum(least) > room:
        return None
    wanting = sum(natural) - sum(least)
    share = min(1.0, (room - sum(least)) / wanting) if wanting else 1.0
    widths = [low + share * (high - low) for low, high in zip(least, natural, strict=True)]
    wrapped = [place for place, (width, full) in enumerate(zip(widths, natural, strict=True)) if width < full]
    return Fit("footnotesize", points, gap, tuple(widths), frozenset(wrapped), headed)


def _natural(table: Table, heading: float) -> list[float]:
    """The width of each column with its cells unbroken, and its heading in lines of so many ems."""
    widths = []
    for place in range(len(table.header[0])):
        cells = [_cell_width(row[place]) for row in table.rows]
        widths.append(max([_heading_width(table, place, max([heading, *cells])), *cells]))
    start = 0
    for name, columns in table.groups(table.header[0]) if len(table.header) > 1 else ():
        # A name that is wider than its columns widens the last of them.
        own = sum(widths[start : start + columns])
        widths[start + columns - 1] += max(0.0, max(map(ems, folded(name, max(own, 2 * heading)))) - own)
        start += columns
    return widths


def _heading_width(table: Table, place: int, width: float) -> float:
    return max(map(ems, folded(table.header[-1][place], width)))


def _cell_width(cell: Cell) -> float:
    if isinstance(cell, str):
        return ems(cell)
    return ems(str(cell).replace("-", "−")) * (1.15 if strong(cell) else 1.0)


def strong(cell: Cell) -> bool:
    return isinstance(cell, Number) and cell.strong


def numeric(table: Table) -> list[bool]:
    return [any(not isinstance(row[place], str) for row in table.rows) for place in range(len(table.header[0]))]
