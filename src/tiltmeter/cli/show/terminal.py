"""Where all of it is printed. Every text that came from a file is printed as text, never as markup."""

import os
import re
import sys
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """Rich would exit with 1, which says that a gate was breached. Without a reader of what went wrong the exit
        code still tells it."""
        if not self.stderr:
            raise BrokenPipeError
        self.quiet = True
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


out = _Console(highlight=False)
_err = _Console(stderr=True, highlight=False)
if not out.is_terminal:
    out.width = 200  # a file or a pipe has no edge to fold at


def say(sentence: str, *, error: bool = False) -> None:
    (_err if error else out).print(plain(sentence), soft_wrap=True)


def plain(raw: str) -> Text:
    """Text from anywhere: it neither steers a terminal nor turns the direction of what follows."""
    return Text(_STEERING.sub("\N{REPLACEMENT CHARACTER}", raw))


_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def new_table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(plain(column), overflow="fold")
    return table


def add(table: Table, *cells: Any) -> None:
    table.add_row(*(plain(str(cell)) for cell in cells))
