"""What an instrument declares about itself, and the three steps it consists of."""

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Literal, Self, get_args, get_origin, get_type_hints

import polars as pl

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.packs import Pack
from tiltmeter.results import Estimate, Figure, Note, Result, TextTable, check
from tiltmeter.subjects import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What the estimates of one run are, and what must be said with them."""

    estimates: tuple[Estimate, ...]
    figures: tuple[Figure, ...] = ()
    notes: tuple[Note, ...] = ()
    tests: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """What each test compares, in words, where its name does not say it."""
    tables: tuple[TextTable, ...] = ()

    @classmethod
    def joined(cls, parts: Iterable[Self]) -> Self:
        """What was found in several places, one after the other."""
        found = list(parts)
        return cls(
            estimates=tuple(row for part in found for row in part.estimates),
            figures=tuple(figure for part in found for figure in part.figures),
            notes=tuple(note for part in found for note in part.notes),
            tests={name: said for part in found for name, said in part.tests.items()},
            tables=tuple(table for part in found for table in part.tables),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """One number of two models over what both could answer, and what changed from the first to the second."""

    before: Estimate
    after: Estimate
    difference: Estimate
    """Its value is `after` less `before`; its interval and p are paired; `lost` counts what only one could answer."""
    note: str = ""
    """Why there is no difference, where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """A table as papers print it: which estimates, what makes a row, what makes a column, what stands in a cell.

    Rows and columns are named by `subject`, `lang`, `test` or `name`, or by a key of an estimate's group.
    """

    title: str
    names: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[str, ...] = ("value",)
    """Fields of the estimate, or `interval`, side by side in each column."""
    stacked: bool = False
    """The cells stand one below the other, each in a row of its own."""
    each_language: bool = False
    """A table for each language."""


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
    bibtex: str = ""
    """The entries to cite: of the paper, and of what else the numbers rest on."""
    headline: str
    """The estimate to look at first."""
    verdict: tuple[tuple[str, ...], ...] = ()
    """What says whether there is a tilt: for each question the estimates that answer it, the best first. They count
    where a reading says them in words."""
    summary: tuple[str, ...] = ()
    """The estimates that are printed; all of them without it. Every one is in the result."""
    side_by_side: tuple[str, ...] = ()
    """The estimates that stand in a table over several subjects; without it those of the verdict, or the headline."""
    layouts: tuple[Layout, ...] = ()
    """The tables of its paper."""
    columns: Mapping[str, type[pl.DataType]]
    """What `estimate`, `compare` and `differences` read from answered items: a stored table has to have these."""
    score: str | None = None
    """The column of the items that holds the number of each."""
    side: str | None = None
    """The estimate whose sign says which way: above its neutral value the first topic leans male."""
    capability: str
    instead: str = ""
    """A capability through which it can also ask, where an option says how; an audit does not."""
    lists: tuple[str, ...]
    """Lists of the pack that it cannot do without."""
    stands_in: str = ""
    """An option that stands in for these lists where it is given: a set of the user's own."""
    extras: tuple[str, ...] = ()
    """Lists that it uses where the pack has them."""
    options: type
    items: Callable[[Pack, Any], pl.DataFrame]
    questions: Callable[[pl.DataFrame], int]
    answer: Callable[[pl.DataFrame, Subject, Pack, Any], tuple[pl.DataFrame, list[Note]]]
    estimate: Callable[[pl.DataFrame, Any], Findings]
    tables: Callable[[pl.DataFrame, Pack, Any], list[TextTable]] | None = None
    """What is to be read beside the numbers of a run: sentences, words."""
    compare: Callable[[Sequence[tuple[Result, pl.DataFrame]]], Findings] | None = None
    """What is found in several runs side by side, each with its items."""
    differences: Callable[[pl.DataFrame, pl.DataFrame, Any], list[Paired]] | None = None
    """What changed from the first items to the second, over what both share: every estimate of both."""

    @property
    def deciding(self) -> tuple[str, ...]:
        """The estimates that it stands behind: the headline, and those of the verdict."""
        return tuple(dict.fromkeys((self.headline, *chain.from_iterable(self.verdict))))

    @property
    def main_estimates(self) -> tuple[str, ...]:
        """The estimates that stand side by side with those of other subjects."""
        return self.side_by_side or tuple(chain.from_iterable(self.verdict)) or (self.headline,)

    def make_options(self, given: Mapping[str, Any]) -> Any:
        """The options of one run: unknown names and values are refused, files of the user's are read."""
        known = {field.name: field for field in dataclasses.fields(self.options)}
        read: dict[str, Any] = {}
        for name, value in given.items():
            if name not in known:
                raise unknown(f"option of {self.name}", name, known)
            choices = self.choices(name)
            if choices and value not in choices:
                raise unknown(f"value of {name}", str(value), choices)
            reader = known[name].metadata.get("reader")
            folder = bool(known[name].metadata.get("folder"))
            read[name] = value if reader is None else _read(reader, value, folder=folder)
        for name in self.wanted():
            if read.get(name) is None:
                raise TiltmeterError(f"{self.name} needs a file of yours: give it with --{name.replace('_', '-')}")
        return self.options(**read)

    def stored_options(self, described: Mapping[str, Any]) -> Any:
        """The options that a stored run describes; the user's files stand in its items already, and are left out."""
        known = {field.name: field for field in dataclasses.fields(self.options)}
        hints = get_type_hints(self.options)
        read: dict[str, Any] = {}
        for name, value in described.items():
            if name not in known:
                raise unknown(f"option of {self.name}", name, known)
            if "reader" not in known[name].metadata:
                check(value, hints[name], f"options.{name}")
                read[name] = value
        return self.options(**read)

    def needed_lists(self, options: Any) -> tuple[str, ...]:
        """The lists that a run with these options cannot do without."""
        return () if self.stands_in and getattr(options, self.stands_in) is not None else self.lists

    def wanted(self) -> list[str]:
        """Options that have to be given: files which nothing in a pack can stand in for."""
        return [field.name for field in dataclasses.fields(self.options) if field.metadata.get("needed")]

    def file_options(self) -> dict[str, bool]:
        """Options that take a file or folder of the user's, and whether they take several."""
        told = {field.name: field.metadata for field in dataclasses.fields(self.options)}
        return {name: bool(metadata["many"]) for name, metadata in told.items() if "reader" in metadata}

    def describe(self, options: Any) -> dict[str, Any]:
        """The options as they stand in a result and in a run's identity: files by name and checksum."""
        return {field.name: _described(getattr(options, field.name)) for field in dataclasses.fields(self.options)}

    def choices(self, option_name: str) -> tuple[Any, ...]:
        """The values an option takes, or nothing if it takes any."""
        hint = get_type_hints(self.options)[option_name]
        return get_args(hint) if get_origin(hint) is Literal else ()


def option(default: Any, help_text: str) -> Any:
    """A field of an instrument's options, with the sentence that `--help` shows."""
    return dataclasses.field(default=default, metadata={"help": help_text})


def file_option(reader: Callable[[Path], Any], help_text: str, *, many: bool = False, needed: bool = False) -> Any:
    """An option that takes a file of the user's, or several: `reader` turns each into the content of a `Given`."""
    told = {"help": help_text, "reader": reader, "many": many, "needed": needed}
    return dataclasses.field(default=() if many else None, metadata=told)


def folder_option(reader: Callable[[Path], Any], help_text: str) -> Any:
    """An option that takes a folder of the user's with JSON files: `reader` turns it into the content of a `Given`."""
    return dataclasses.field(
        default=None, metadata={"help": help_text, "reader": reader, "many": False, "needed": False, "folder": True}
    )


@dataclass(frozen=True, slots=True)
class Given:
    """A file or folder that the user gave: known by its content, named without where it lies."""

    name: str
    sha256: str
    content: Any = dataclasses.field(compare=False, repr=False)


def _read(reader: Callable[[Path], Any], value: Any, *, folder: bool) -> Any:
    """A path as what stands in it; several paths as a tuple."""
    if value is None or isinstance(value, Given):
        return value
    if isinstance(value, str | Path):
        path = Path(value)
        if folder:
            return _read_folder(reader, path)
        if not path.is_file():
            raise TiltmeterError(f"{path} is not a file")
        return Given(path.name, hashlib.sha256(path.read_bytes()).hexdigest(), reader(path))
    return tuple(_read(reader, entry, folder=folder) for entry in value)


def _read_folder(reader: Callable[[Path], Any], path: Path) -> Given:
    if not path.is_dir():
        raise TiltmeterError(f"{path} is not a folder")
    content = reader(path)
    # Of what was read: other files of the folder decide nothing.
    return Given(path.resolve().name, hashlib.sha256(repr(content).encode()).hexdigest(), content)


def _described(value: Any) -> Any:
    if isinstance(value, Given):
        return {"file": value.name, "sha256": value.sha256}
    return [_described(entry) for entry in value] if isinstance(value, tuple) else value
