"""A study measured again: what is at hand is run in the study's mode, and every cell stands beside the printed one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtra, OutOfReach, TiltmeterError, unknown
from tiltmeter.instruments import load_instrument
from tiltmeter.reading import Reading
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store
from tiltmeter.studies.cells import Compared, Outcome, Part, compared, unmatched
from tiltmeter.studies.study import Measured, Model, Study
from tiltmeter.subjects.language_models.checkpoint import is_cached


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
    """What was at hand and could not be measured, and why; and printed numbers that no measured run has."""

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
                            "outcome": row.outcome,
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
    by_run = {one.part.of.id: one.part for one in found}
    tables = tuple(
        compared(table, by_run.get(table.run))
        for table in study.tables
        if table.run in by_run or not (table.run or only)
    )
    parts = by_run.values()
    failed = [*(one for asked in found for one in asked.failed), *(told for one in tables for told in unmatched(one))]
    return Reproduction(
        study=study,
        tables=tables,
        runs=tuple({run.id: run for part in parts for run in (*part.runs.values(), *part.stand_ins.values())}.values()),
        stand_ins=tuple(dict.fromkeys(name for part in parts for name in part.stand_ins)),
        absent=tuple(dict.fromkeys(one for asked in found for one in asked.absent)),
        failed=tuple(dict.fromkeys(failed)),
    )


def _chosen(study: Study, only: Sequence[str]) -> list[Measured]:
    """The runs that are named, or that one of the models named belongs to."""
    return [run for run in study.runs if not only or run.id in only or set(run.models) & set(only)]


@dataclass(frozen=True, slots=True)
class _Asked:
    """One run of a study: what came of it, what was not at hand for it, and what could not be measured."""

    part: Part
    absent: tuple[Absent, ...]
    failed: tuple[str, ...]


def _measured(
    study: Study, run: Measured, places: Sequence[Path], only: Sequence[str], reading: Reading, store: Store
) -> _Asked:
    labels = [label for label in run.models if not set(only) & set(run.models) or label in only]
    named = {**run.files, **({"pack": run.pack} if run.pack else {})}
    given = {option: _as_option(run, option, path) for option in named if (path := _inside(places, named[option]))}
    absent = [Absent(name, run.fetch or _NOT_SAID) for option, name in named.items() if option not in given]
    failed: list[str] = []
    outcomes: dict[str, Outcome] = {
        label: "not at hand" if label in labels else "not asked for" for label in run.models
    }
    runs: dict[str, Run] = {}
    standing: dict[str, Run] = {}

    def ask(label: str, name: str, way: Reading, into: dict[str, Run]) -> Outcome:
        try:
            into[label] = measure(run.instrument, name, lang=run.lang, store=store, reading=way, **run.options, **given)
        except (OutOfReach, MissingExtra) as error:
            absent.append(Absent(f"{label} ({name})", str(error)))
            return "not at hand"
        except TiltmeterError as error:
            failed.append(f"{run.instrument} on {label}: {error}")
            return "failed"
        return "measured"

    for model in map(study.model, labels):
        name = _subject(model, study, places)
        if name is None:
            absent.append(Absent(f"{model.label} ({model.name})", model.fetch or _to_fetch(model.name)))
        elif len(given) == len(named):
            way = replace(reading, **model.reading)  # type: ignore[arg-type]
            outcomes[model.label] = ask(model.label, name, way, runs)
    if not (runs or failed or only or (run.pack and "pack" not in given)):
        for name in run.stand_in:
            ask(name, name, reading, standing)
    return _Asked(Part(run, runs, outcomes, standing), tuple(absent), tuple(failed))


def _as_option(run: Measured, option: str, path: Path) -> Any:
    """Some options take several files."""
    return [path] if load_instrument(run.instrument).file_options().get(option) else path


def _to_fetch(name: str) -> str:
    on_hub = re.fullmatch(r"[\w.-]+/[\w.-]+(@[\w.-]+)?", name)
    return f"`hf download {name}`" if on_hub else _NOT_SAID


_NOT_SAID = "where, the study does not say"


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
