"""What an instrument declares about itself, and the three steps it consists of."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin, get_type_hints

import polars as pl

from tiltmeter.packs import Pack
from tiltmeter.results import Estimate, Figure, Note
from tiltmeter.subjects import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the estimates of one run are, and what must be said with them."""

    estimates: tuple[Estimate, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Instrument:
    """One published way to measure.

    `version` is raised whenever the same answers would give other numbers: it is part of a run's identity.
    `items` lists what is asked, `answer` asks a subject, `estimate` turns answered items into numbers; the last
    takes nothing but the items table, so anybody can check it from the stored file.
    """

    name: str
    version: str
    title: str
    measures: str
    formula: str
    reading: str
    reference: str
    capability: str
    lists: tuple[str, ...]
    options: type
    items: Callable[[Pack, Any], pl.DataFrame]
    questions: Callable[[pl.DataFrame], int]
    answer: Callable[[pl.DataFrame, Subject, Pack, Any], tuple[pl.DataFrame, list[Note]]]
    estimate: Callable[[pl.DataFrame, Any], Findings]

    def choices(self, option_name: str) -> tuple[Any, ...]:
        """The values an option takes, or nothing if it takes any."""
        hint = get_type_hints(self.options)[option_name]
        return get_args(hint) if get_origin(hint) is Literal else ()


def option(default: Any, help_text: str) -> Any:
    """A field of an instrument's options, with the sentence that `--help` shows."""
    return dataclasses.field(default=default, metadata={"help": help_text})
