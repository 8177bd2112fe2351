"""Plain values: one number with its uncertainty, all of a run's numbers, a figure as data."""

from tiltmeter.results.cells import harmless
from tiltmeter.results.checking import Malformed, check
from tiltmeter.results.numbers import LEVEL, said_p, shown, shown_p
from tiltmeter.results.schema import SCHEMA
from tiltmeter.results.values import Estimate, Figure, Note, Result, TextTable, Worse

__all__ = [
    "LEVEL",
    "SCHEMA",
    "Estimate",
    "Figure",
    "Malformed",
    "Note",
    "Result",
    "TextTable",
    "Worse",
    "check",
    "harmless",
    "said_p",
    "shown",
    "shown_p",
]
