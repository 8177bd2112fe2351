"""A study as a data file: its models, what was measured on them, and the tables that it printed.

A file is TOML, shipped for the studies that tiltmeter grows out of, or of a user's own. It holds facts; nothing in it
is executed, and formulas are arithmetic.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments import load_instrument
from tiltmeter.packs.reading import read_toml
from tiltmeter.reading import Reading
from tiltmeter.results import check
from tiltmeter.studies.formulas import Formula, Law, Printed, read_law, read_printed, sum_contradicts

PUBLISHED = Path(__file__).with_name("published")


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model of the study: how its tables call it, and how the world does."""

    label: str
    name: str
    """A path, a name of the model hub, `pkg:NAME`, or a file's name without its ending."""
    fetch: str = ""
    """Where to get it, in words."""
    reading: dict[str, str] = dataclasses.field(default_factory=dict)
    """How it has to be read, as `pre_segment = "jumanpp"`."""


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One instrument with its options on some of the models."""

    id: str
    instrument: str
    lang: str
    models: tuple[str, ...]
    """By label."""
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    files: dict[str, str] = dataclasses.field(default_factory=dict)
    """Options that take a file or folder, by the name it has among the user's."""
    pack: str = ""
    """The folder of a language pack, by its name among the user's; else the pack of the language that ships."""
    fetch: str = ""
    """Where these files and the pack are to be had."""
    stand_in: tuple[str, ...] = ()
    """Subjects that show the layout where no model of the study is at hand."""


@dataclass(frozen=True, kw_only=True)
class Column:
    """A printed column, and what it is in a run: an estimate's field, or arithmetic over columns of an item."""

    head: str
    name: str = ""
    """As laws call it."""
    estimate: str = ""
    field: str = "value"
    test: str = ""
    group: dict[str, str] = dataclasses.field(default_factory=dict)
    item: str = ""

    @property
    def what(self) -> str:
        """What of a run it is."""
        return self.estimate or self.item


@dataclass(frozen=True, kw_only=True)
class Printout:
    """A table as it was printed."""

    title: str
    run: str = ""
    """What it is of; without it nothing is measured, and `command` says what gives such numbers, or `note` why there is
    none."""
    command: str = ""
    keys: tuple[str, ...]
    """What the first cells of a row are: `model`, `test`, a key of an estimate's group, or a column of the items."""
    columns: tuple[Column, ...] = ()
    rows: tuple[tuple[str, ...], ...]
    """Numbers as they were printed, with every digit; nothing for a dash."""
    laws: tuple[str, ...] = ()
    """What follows by the paper's own formula: `bias = log10(man / woman)`."""
    totals: dict[str, str] = dataclasses.field(default_factory=dict)
    """The row, by its first cell, in which a column, by its name, has the sum of its other rows."""
    order: str = ""
    """Of items: arithmetic over their columns; what stands in shows those of the lowest values."""
    words: str = ""
    """The title of a table to read that a run has beside its numbers, whose columns the keys are."""
    note: str = ""

    @cached_property
    def read_laws(self) -> tuple[Law, ...]:
        return tuple(map(read_law, self.laws))

    def printed(self, row: tuple[str, ...]) -> dict[int, Printed]:
        """The numbers of a row, by the place of their column."""
        cells = enumerate(row[len(self.keys) :])
        return {place: number for place, cell in cells if (number := read_printed(cell)) is not None}

    def contradictions(self, row: tuple[str, ...]) -> dict[int, float]:
        """Where the print cannot be what the paper's formula gives of the other cells, or what a column sums to, and
        what that is."""
        by_name = {self.columns[place].name: number for place, number in self.printed(row).items()}
        places = {column.name: place for place, column in enumerate(self.columns)}
        found: dict[int, float] = {}
        for law in self.read_laws:
            if (value := law.contradicts(by_name)) is not None:
                found.setdefault(places[law.column], value)
        for name, total in self.totals.items():
            if row[0] == total and (value := self._sum_contradicts(row, places[name])) is not None:
                found.setdefault(places[name], value)
        return found

    def _sum_contradicts(self, total: tuple[str, ...], place: int) -> float | None:
        column = {row[0]: self.printed(row).get(place) for row in self.rows}
        printed = column.pop(total[0])
        parts = [number for number in column.values() if number is not None]
        return sum_contradicts(printed, parts) if printed and parts and len(parts) == len(column) else None


@dataclass(frozen=True, kw_only=True)
class Study:
    """All that a study's file says."""

    name: str
    title: str
    reference: str
    note: str = ""
    models: tuple[Model, ...]
    runs: tuple[Measured, ...]
    tables: tuple[Printout, ...]
    folder: str = ""
    """Where its file lies: the user's files may lie beside it."""

    def model(self, label: str) -> Model:
        return next(model for model in self.models if model.label == label)


def published_studies() -> tuple[str, ...]:
    """The names of the studies that ship."""
    return tuple(sorted(path.stem for path in PUBLISHED.glob("*.toml")))


def read_study(name: str | Path) -> Study:
    """A study that ships, by name, or one of the user's, by path."""
    shipped = published_studies()
    if str(name) in shipped:
        return _read(PUBLISHED / f"{name}.toml", folder="")
    path = Path(name)
    if path.suffix != ".toml":
        raise unknown("study", str(name), shipped)
    try:
        there = path.is_file()
    except OSError:  # a name that no disk has
        there = False
    if not there:
        raise TiltmeterError(f"{path} is not a file: expected a study, as `tiltmeter runs export --study` writes it")
    return _read(path, folder=str(path.parent))


def _read(path: Path, folder: str) -> Study:
    given = read_toml(path, label=str(path)).data
    known = {one.name for one in dataclasses.fields(Study)} - {"folder"}
    try:
        if strange := sorted(given.keys() - known):
            raise unknown("part of a study", strange[0], known)
        check(given, Study)
        study = _made(given, folder)
        _refer(study)
    except TiltmeterError as error:
        raise TiltmeterError(f"{path}: {error}") from error
    return study


def _made(given: Mapping[str, Any], folder: str) -> Study:
    tables = [
        Printout(
            **{
                **table,
                "keys": tuple(table["keys"]),
                "columns": tuple(Column(**column) for column in table.get("columns", ())),
                "rows": tuple(map(tuple, table["rows"])),
                "laws": tuple(table.get("laws", ())),
            }
        )
        for table in given["tables"]
    ]
    runs = [
        Measured(**{**run, "models": tuple(run["models"]), "stand_in": tuple(run.get("stand_in", ()))})
        for run in given["runs"]
    ]
    plain = {name: given[name] for name in ("name", "title", "reference", "note") if name in given}
    models = tuple(Model(**model) for model in given["models"])
    return Study(**plain, models=models, runs=tuple(runs), tables=tuple(tables), folder=folder)


def _refer(study: Study) -> None:
    """Every name that a part uses is that of another part, of an instrument, or of an option."""
    labels, ids = [model.label for model in study.models], [run.id for run in study.runs]
    for names, what in ((labels, "models have the label"), (ids, "runs have the id")):
        if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
            raise TiltmeterError(f"two {what} {twice!r}")
    for model in study.models:
        if strange := next((name for name in model.reading if name not in READING), None):
            raise unknown("way to read a model that a study may say", strange, READING)
        Reading(**model.reading)  # type: ignore[arg-type]  # what is wrong with it is said here
    for run in study.runs:
        tool = load_instrument(run.instrument)
        if file := next((name for name in run.options if name in tool.file_options()), None):
            raise TiltmeterError(f"{file} of the run {run.id!r} takes a file: name it under files, not under options")
        tool.stored_options(run.options)
        if strange := next((name for name in run.files if name not in tool.file_options()), None):
            raise unknown(f"option of {tool.name} that takes a file", strange, tool.file_options())
        if strange := next((label for label in run.models if label not in labels), None):
            raise unknown(f"model of the run {run.id!r}", strange, labels)
    by_id = {run.id: run for run in study.runs}
    for table in study.tables:
        _refer_table(table, by_id, labels)


def _refer_table(table: Printout, runs: Mapping[str, Measured], labels: list[str]) -> None:
    where = f"the table {table.title!r}"
    if table.run and table.run not in runs:
        raise unknown(f"run, which {where} is of,", table.run, runs)
    if not table.run and not table.command and not table.note:
        raise TiltmeterError(
            f"{where} says neither which run it is of nor which command gives such numbers, nor why none does (note)"
        )
    width = len(table.keys) + len(table.columns)
    for row in table.rows:
        if len(row) != width:
            raise TiltmeterError(f"{where}: a row has {len(row)} cells, where {width} are expected: {', '.join(row)}")
        if strange := next((cell for cell in row[len(table.keys) :] if cell and read_printed(cell) is None), None):
            raise TiltmeterError(f"{where}: {strange!r} is no number; nothing (two quotes) stands for a dash")
        if "model" in table.keys and (label := row[table.keys.index("model")]) not in labels:
            raise unknown(f"model in {where}", label, labels)
    of = runs.get(table.run)
    if of is not None and len(of.models) > 1 and "model" not in table.keys:
        raise TiltmeterError(f"{where}: the run {of.id!r} is of several models, so that a row has to name one (model)")
    files = [f"@{name}" for name in load_instrument(of.instrument).file_options()] if of is not None else []
    for column in table.columns:
        if strange := next((v for v in column.group.values() if v.startswith("@") and v not in files), None):
            raise unknown(f"file in {where}", strange, files)
        if table.run and bool(column.estimate) == bool(column.item):
            raise TiltmeterError(f"{where}: the column {column.head!r} has to be an estimate or of an item")
        if column.field not in _FIELDS:
            raise unknown("field of an estimate", column.field, _FIELDS)
        if column.item:
            Formula(column.item)
    if table.order:
        Formula(table.order)
    if table.words and (not table.run or table.columns):
        raise TiltmeterError(f"{where}: words are those of a run, and stand in the keys of a table without columns")
    _refer_laws(table, where)


def _refer_laws(table: Printout, where: str) -> None:
    names = [column.name for column in table.columns if column.name]
    if twice := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise TiltmeterError(f"{where}: two columns have the name {twice!r}")
    named = [(name, "a law") for law in table.read_laws for name in (law.column, *law.formula.names)]
    for name, what in [*named, *((name, "the totals") for name in table.totals)]:
        if name not in names:
            raise unknown(f"column in {what} of {where}", name, names)
    first = [row[0] for row in table.rows]
    if table.totals and (twice := next((name for place, name in enumerate(first) if name in first[:place]), None)):
        raise TiltmeterError(f"{where}: its totals go by the first cell of a row, and two rows begin with {twice!r}")
    if strange := next((total for total in table.totals.values() if total not in first), None):
        raise unknown(f"row in the totals of {where}", strange, first)


READING = ("kind", "format", "pre_segment", "labels")
"""What runs code (pickles, a model's own Python) is for the user to say, not for a file."""
_FIELDS = ("value", "p_value", "p_two_sided", "p_adjusted", "ci_low", "ci_high", "n", "lost")
