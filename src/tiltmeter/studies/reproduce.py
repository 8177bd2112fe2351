"""A study measured again: what is at hand is run in the study's mode, and every cell stands beside the printed one."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

import polars as pl

from tiltmeter.errors import MissingExtra, OutOfReach, TiltmeterError, unknown
from tiltmeter.instruments import load_instrument
from tiltmeter.reading import Reading
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store
from tiltmeter.studies.formulas import Formula, Printed
from tiltmeter.studies.study import Column, Measured, Model, Printout, Study
from tiltmeter.subjects.language_models.checkpoint import is_cached

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Cell:
    """A printed number and ours."""

    printed: Printed | None
    ours: float | None
    by_formula: float | None = None
    """What the paper's own formula gives of what it printed beside it, where the print cannot be that."""

    @property
    def difference(self) -> float | None:
        return None if self.printed is None or self.ours is None else self.ours - self.printed.value

    @property
    def agrees(self) -> bool | None:
        """Whether ours rounds to what was printed; None where there is nothing to compare."""
        return None if self.printed is None or self.ours is None else self.printed.agrees(self.ours)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table; of a stand-in, nothing was printed."""

    keys: tuple[str, ...]
    cells: tuple[Cell, ...]
    stands_in: bool = False


@dataclass(frozen=True, slots=True)
class Compared:
    """A table of the study, ours beside theirs."""

    table: Printout
    rows: tuple[Row, ...]

    @property
    def cells(self) -> list[Cell]:
        return list(chain.from_iterable(row.cells for row in self.rows))

    def to_pandas(self) -> "pd.DataFrame":
        """The table with three columns for each of its own: what was printed, ours, and the difference."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("pandas", "report") from error
        rows = []
        for row in self.rows:
            told: dict[str, Any] = dict(zip(self.table.keys, row.keys, strict=True))
            for column, cell in zip(self.table.columns, row.cells, strict=True):
                told[f"{column.head}, printed"] = cell.printed.text if cell.printed else ""
                told[f"{column.head}, ours"] = cell.ours
                told[f"{column.head}, difference"] = cell.difference
            rows.append(told)
        return pd.DataFrame(rows)


@dataclass(frozen=True, slots=True)
class Absent:
    """What was not at hand, and where to get it."""

    what: str
    fetch: str


@dataclass(frozen=True, slots=True)
class Reproduction:
    """What came of a study."""

    study: Study
    tables: tuple[Compared, ...]
    runs: tuple[Run, ...]
    """Of the study's models; else of what stands in for them."""
    stand_ins: tuple[str, ...]
    """Subjects that are no models of the study."""
    absent: tuple[Absent, ...]
    failed: tuple[str, ...]
    """What was at hand and could not be measured, and why."""

    def to_json(self) -> dict[str, Any]:
        return {
            "study": self.study.name,
            "title": self.study.title,
            "reference": self.study.reference,
            "note": self.study.note,
            "tables": [
                {
                    "title": one.table.title,
                    "run": one.table.run or None,
                    "command": one.table.command or None,
                    "note": one.table.note,
                    "keys": list(one.table.keys),
                    "columns": [column.head for column in one.table.columns],
                    "rows": [
                        {
                            "keys": list(row.keys),
                            "stands_in": row.stands_in,
                            "cells": [
                                {
                                    "printed": cell.printed.text if cell.printed else None,
                                    "ours": cell.ours,
                                    "difference": cell.difference,
                                    "agrees": cell.agrees,
                                    "by_formula": cell.by_formula,
                                }
                                for cell in row.cells
                            ],
                        }
                        for row in one.rows
                    ],
                }
                for one in self.tables
            ],
            "runs": [run.id for run in self.runs],
            "stand_ins": list(self.stand_ins),
            "absent": [{"what": one.what, "fetch": one.fetch} for one in self.absent],
            "failed": list(self.failed),
        }


def reproduce(
    study: Study,
    *,
    models: Path | None = None,
    only: Sequence[str] = (),
    reading: Reading = Reading(),
    store: Store | None = None,
) -> Reproduction:
    """Measures the models and data of a study that are at hand: in the folder `models`, beside the study's own file,
    in the model hub's cache, or in a package. Of a run none of whose models is, stand-ins show the layout.

    `only` takes labels of models and ids of runs: these alone are measured, and nothing stands in for them. Of a run
    that is named beside some of its models, these models are measured.
    """
    store = store or Store()
    if models is not None and not models.is_dir():
        raise TiltmeterError(f"--models {models} is not a folder: give one with the study's models and data")
    known = [*(model.label for model in study.models), *(run.id for run in study.runs)]
    if strange := next((name for name in only if name not in known), None):
        raise unknown(f"model or run of {study.name}", strange, known)
    places = [Path(place) for place in (models, study.folder) if place]
    found = [_measured(study, run, places, only, reading, store) for run in _chosen(study, only)]
    by_run = {part.of.id: part for part in found}
    tables = tuple(
        _compared(table, by_run.get(table.run))
        for table in study.tables
        if table.run in by_run or not (table.run or only)
    )
    return Reproduction(
        study=study,
        tables=tables,
        runs=tuple({run.id: run for part in found for run in part.runs.values()}.values()),
        stand_ins=tuple(dict.fromkeys(name for part in found if part.stands_in for name in part.runs)),
        absent=tuple(dict.fromkeys(one for part in found for one in part.absent)),
        failed=(*dict.fromkeys(one for part in found for one in part.failed), *_unmatched(tables)),
    )


def _unmatched(tables: Sequence[Compared]) -> Iterator[str]:
    """Columns for which no run has a number, where it has others."""
    for one in tables:
        rows = [row for row in one.rows if not row.stands_in and any(cell.ours is not None for cell in row.cells)]
        for place, column in enumerate(one.table.columns):
            if rows and all(row.cells[place].ours is None for row in rows):
                what = column.estimate or column.item
                yield f"{one.table.title}: no run has what the column {column.head!r} names ({what})"


def _chosen(study: Study, only: Sequence[str]) -> list[Measured]:
    """The runs that are named, or that one of the models named belongs to."""
    return [run for run in study.runs if not only or run.id in only or set(run.models) & set(only)]


@dataclass(frozen=True, slots=True)
class _Part:
    """One run of a study, measured: by a model's label, or by the name of what stands in."""

    of: Measured
    runs: Mapping[str, Run]
    stands_in: bool
    absent: tuple[Absent, ...]
    failed: tuple[str, ...]


def _measured(
    study: Study, run: Measured, places: Sequence[Path], only: Sequence[str], reading: Reading, store: Store
) -> _Part:
    labels = [label for label in run.models if not set(only) & set(run.models) or label in only]
    named = {**run.files, **({"pack": run.pack} if run.pack else {})}
    given = {option: _as_option(run, option, path) for option in named if (path := _inside(places, named[option]))}
    absent = [Absent(name, run.fetch) for option, name in named.items() if option not in given]
    failed: list[str] = []
    found: dict[str, Run] = {}

    def ask(label: str, name: str, way: Reading) -> None:
        try:
            found[label] = measure(
                run.instrument, name, lang=run.lang, store=store, reading=way, **run.options, **given
            )
        except (OutOfReach, MissingExtra) as error:
            absent.append(Absent(f"{label} ({name})", str(error)))
        except TiltmeterError as error:
            failed.append(f"{run.instrument} on {label}: {error}")

    for model in map(study.model, labels):
        name = _subject(model, study, places)
        if name is None:
            absent.append(Absent(f"{model.label} ({model.name})", model.fetch or _to_fetch(model.name)))
        elif len(given) == len(named):
            ask(model.label, name, replace(reading, **model.reading))  # type: ignore[arg-type]
    if found or only or (run.pack and "pack" not in given):
        return _Part(run, found, False, tuple(absent), tuple(failed))
    for name in run.stand_in:
        ask(name, name, reading)
    return _Part(run, found, True, tuple(absent), tuple(failed))


def _as_option(run: Measured, option: str, path: Path) -> Any:
    """Some options take several files."""
    return [path] if load_instrument(run.instrument).file_options().get(option) else path


def _to_fetch(name: str) -> str:
    on_hub = re.fullmatch(r"[\w.-]+/[\w.-]+(@[\w.-]+)?", name)
    return f"`hf download {name}`" if on_hub else "where, the study does not say"


def _inside(places: Sequence[Path], name: str) -> Path | None:
    """A file or folder of the user's, by the name that a study gives it; never one that lies elsewhere."""
    parts = Path(name).parts
    if not parts or ".." in parts or Path(name).is_absolute():
        return None
    for place in places:
        try:
            if (place / name).exists():
                return place / name
        except OSError:  # a name that no disk has
            return None
    return None


def _subject(model: Model, study: Study, places: Sequence[Path]) -> str | None:
    """What to open for a model: its folder or file among the user's, by its whole name, by its last part where no other
    model of the study has it, or with the ending of a file of vectors; else what its name stands for, if that is here.

    A file that somebody else wrote cannot have a server asked.
    """
    kind, colon, rest = model.name.partition(":")
    if colon and kind == "predictions":
        file = _inside(places, rest)
        return None if file is None else f"predictions:{file}"
    if colon:
        return model.name if kind in ("pkg", "ref") else None
    last = model.name.rsplit("/", 1)[-1]
    shared = sum(one.name.rsplit("/", 1)[-1] == last for one in study.models) > 1
    names = dict.fromkeys((model.name, model.name.replace("/", "--"), *(() if shared else (last,))))
    for name in names:
        for ending in ("", *_VECTORS):
            if found := _inside(places, f"{name}{ending}"):
                return str(found)
    return model.name if is_cached(model.name) else None


_VECTORS = tuple(
    f"{one}{packed}" for one in (".vec", ".bin", ".txt", ".tar", ".model.txt") for packed in ("", ".gz", ".zip")
)
"""Endings of files of word vectors, the first that is there counts."""


def _compared(table: Printout, part: _Part | None) -> Compared:
    rows = []
    for row in table.rows:
        printed, wrong = table.printed(row), table.contradictions(row)
        run = None if part is None or part.stands_in else _run_of(table, row, part)
        ours = [_ours(table, column, row, run) for column in table.columns]
        cells = (Cell(printed.get(place), value, wrong.get(place)) for place, value in enumerate(ours))
        rows.append(Row(row[: len(table.keys)], tuple(cells)))
    if part is not None and part.stands_in:
        rows += _stand_ins(table, part)
    return Compared(table, tuple(rows))


def _run_of(table: Printout, row: Sequence[str], part: _Part) -> Run | None:
    """The run of a row's model; a table that names none is of the run's only one."""
    if "model" in table.keys:
        return part.runs.get(row[table.keys.index("model")])
    return next(iter(part.runs.values()), None) if len(part.of.models) == 1 else None


def _stand_ins(table: Printout, part: _Part) -> Iterator[Row]:
    """The same rows of what stands in, each once; what is of an item is of a sentence that the study's data has."""
    if any(column.item for column in table.columns):
        return
    place = table.keys.index("model") if "model" in table.keys else None
    for name, run in part.runs.items():
        known = []
        for row in table.rows:
            keys = tuple(name if at == place else key for at, key in enumerate(row[: len(table.keys)]))
            if keys not in known:
                known.append(keys)
                yield Row(keys, tuple(Cell(None, _ours(table, column, keys, run)) for column in table.columns), True)


def _ours(table: Printout, column: Column, row: Sequence[str], run: Run | None) -> float | None:
    if run is None:
        return None
    keys = {key: value for key, value in zip(table.keys, row, strict=False) if key != "model"}
    if column.item:
        return _of_item(column.item, keys, run.items)
    test = keys.pop("test", column.test)
    group = {key: _of_file(value, run) for key, value in (keys | column.group).items()}
    found = [row for row in run.result.estimates if _is_it(row, column.estimate, test, group)]
    value = getattr(found[0], column.field) if len(found) == 1 else None
    return None if value is None else float(value)


def _of_file(value: str, run: Run) -> str:
    """`@OPTION` is the file that was given with an option, by its name, or the pack's own list where none was."""
    if not value.startswith("@"):
        return value
    given = run.result.options.get(value[1:])
    one = given[0] if isinstance(given, list | tuple) and given else given
    return str(one["file"]) if isinstance(one, Mapping) else "pack"


def _is_it(row: Estimate, name: str, test: str, group: Mapping[str, str]) -> bool:
    return row.name == name and (not test or row.test == test) and dict(row.group) == dict(group)


def _of_item(formula: str, keys: Mapping[str, str], items: pl.DataFrame) -> float | None:
    """Arithmetic over the columns of the item that a row names; `[MASK]` in a printed text is any one character."""
    wanted = pl.lit(True)
    for key, told in keys.items():
        if key not in items.columns:
            return None
        # A print may have other commas than the data: those of half a width, say.
        pattern = "^" + ".".join(map(re.escape, normalize("NFKC", told).split("[MASK]"))) + "$"
        wanted = wanted & pl.col(key).cast(pl.String).str.normalize("NFKC").str.contains(pattern)
        if "[MASK]" in told and {"start", "end"} <= set(items.columns):
            # One text stands there once for each of its keywords.
            hidden = told.index("[MASK]")
            wanted = wanted & (pl.col("start") <= hidden) & (pl.col("end") > hidden)
    arithmetic = Formula(formula)
    values = []
    for row in items.filter(wanted).iter_rows(named=True):
        numbers = {name: float(value) for name, value in row.items() if isinstance(value, int | float)}
        values.append(arithmetic.value(numbers) if set(arithmetic.names) <= numbers.keys() else None)
    return values[0] if len(set(values)) == 1 else None
