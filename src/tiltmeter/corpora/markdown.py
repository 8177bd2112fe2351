"""Markdown of data cards: tables, and text from outside that stays text."""

import re
from collections.abc import Iterator, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"| {' | '.join('---' for _ in head)} |"
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def inline(value: object) -> str:
    """Text from outside in one line of Markdown, with no markup, link or picture of its own."""
    return re.sub(r"([\\`*_\[\]<>&|~])", r"\\\1", _one_line(value))


def code(value: object) -> str:
    """Text from outside as code, within more backticks than it has itself."""
    text = _one_line(value).replace("|", r"\|")
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    return f"{fence} {text} {fence}" if "`" in text else f"`{text}`"


def _one_line(value: object) -> str:
    return " ".join(str(value).split())
