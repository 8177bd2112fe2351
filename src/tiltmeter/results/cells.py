"""Text for the cells of files that spreadsheets open."""

Cell = str | float | None

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def harmless(cell: Cell) -> Cell:
    """Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay as they are."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
