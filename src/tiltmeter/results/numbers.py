"""How numbers are shown to people, in the terminal and on the page alike."""

LEVEL = 0.05
"""A p below this counts as hardly chance."""


def shown(value: float | None) -> str:
    """A number short enough for a table; a count as it is, a dash where there is none."""
    if isinstance(value, int):
        return f"{value:,}"
    return "–" if value is None else f"{value:z.4f}" if abs(value) < 0.1 else f"{value:z.3f}"


def shown_p(value: float | None) -> str:
    """A p-value is never 0, and never printed as 0."""
    return "<0.0001" if value is not None and value < 0.0001 else shown(value)


def said_p(value: float | None) -> str:
    """A p-value inside a sentence."""
    text = shown_p(value)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
