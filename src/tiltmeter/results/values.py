"""The values every measurement ends in. They hold no behaviour but their own JSON form."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self

from tiltmeter.results.checking import check
from tiltmeter.results.promises import check_promises
from tiltmeter.results.schema import migrate

Worse = Literal["higher", "lower", "away"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One number with its uncertainty.

    `worse` says in which direction the number is bad: `higher`, `lower`, or `away` from `neutral`.
    What cannot be computed has `value` None, and a note of the result says why; the fields never change.
    """

    test: str
    name: str
    value: float | None
    worse: Worse
    neutral: float | None
    group: Mapping[str, str] = field(default_factory=dict)
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str | None = None
    p_value: float | None = None
    p_method: str | None = None
    p_two_sided: float | None = None
    p_adjusted: float | None = None
    family: str | None = None
    """The tests that `p_adjusted` was corrected with."""
    n: int = 0
    lost: int = 0

    def __post_init__(self) -> None:
        for name in ("value", "ci_low", "ci_high", "p_value", "p_two_sided", "p_adjusted"):
            number = getattr(self, name)
            if number is not None and not math.isfinite(number):
                raise ValueError(f"{name} of {self.test} {self.name} is {number}: use None for what cannot be computed")

    def to_json(self) -> dict[str, Any]:
        keys = (
            "test name group value ci_low ci_high ci_method p_value p_method p_two_sided p_adjusted family "
            "n lost worse neutral"
        )
        return {key: dict(self.group) if key == "group" else getattr(self, key) for key in keys.split()}


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something a reader must know: lost words, a flagged interval, why a value is null."""

    kind: str
    text: str
    test: str | None = None
    caution: str = ""
    """A word or two for the first lines of a report, where it makes numbers mean less than they seem to."""
    details: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "test": self.test,
            "text": self.text,
            "caution": self.caution,
            "details": dict(self.details),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure as data: its kind, a table of rows, and which columns stand where.

    - `intervals`: a point at x with a line from `low` to `high` for every y; `within` names several of them under one y
    - `sorted`: a bar of length x for every y, the highest first
    - `box`: the median x of every y, a box from the columns `q25` to `q75`, whiskers from `low` to `high`
    - `histogram`: bars of height y from x to `high`
    - `heat`: a cell for every x and y, shaded by the number in `colour`
    - `scatter`: a point at x and y, with the text of `label` beside it
    - `series`: a line through the y of every x, with a band from `low` to `high`
    - `shares`: a bar of whole length for every y, cut into parts of x, one for each `colour`

    `neutral` draws a line at the value of x (in `scatter` and `series`: of y) that is no tilt; `order` lists what may
    stand in `colour`, so that figures beside each other give it the same colours.
    """

    kind: str
    title: str
    rows: tuple[Mapping[str, Any], ...]
    x: str
    y: str
    low: str | None = None
    high: str | None = None
    colour: str | None = None
    label: str | None = None
    within: str | None = None
    neutral: float | None = None
    order: tuple[str, ...] = ()
    caption: str = ""

    def to_json(self) -> dict[str, Any]:
        return _as_dict(self) | {"rows": [dict(row) for row in self.rows], "order": list(self.order)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "rows": tuple(data["rows"]), "order": tuple(data.get("order", ()))})


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTable:
    """A table to be read beside the numbers: sentences, words, and what was found for each."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]
    caption: str = ""

    def to_json(self) -> dict[str, Any]:
        return _as_dict(self) | {"columns": list(self.columns), "rows": [list(row) for row in self.rows]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(**{**data, "columns": tuple(data["columns"]), "rows": tuple(map(tuple, data["rows"]))})


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """All numbers of one run: instrument x subject x pack x options."""

    instrument: str
    version: str
    subject: str
    lang: str
    options: Mapping[str, Any]
    estimates: tuple[Estimate, ...]
    notes: tuple[Note, ...]
    provenance: Mapping[str, Any]
    figures: tuple[Figure, ...] = ()
    tests: Mapping[str, str] = field(default_factory=dict)
    """What each test compares, in words, where its name does not say it."""
    tables: tuple[TextTable, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The form that `--json` prints: figures, tables and the tests' words are left to the stored run."""
        return {
            "instrument": self.instrument,
            "version": self.version,
            "subject": self.subject,
            "lang": self.lang,
            "options": dict(self.options),
            "estimates": [estimate.to_json() for estimate in self.estimates],
            "notes": [note.to_json() for note in self.notes],
            "provenance": dict(self.provenance),
        }

    def to_stored_json(self) -> dict[str, Any]:
        return self.to_json() | {
            "figures": [figure.to_json() for figure in self.figures],
            "tests": dict(self.tests),
            "tables": [table.to_json() for table in self.tables],
        }

    @classmethod
    def from_stored_json(cls, data: object) -> Self:
        """Reads what any older version wrote; what a newer one wrote, or what is no result, is refused."""
        known = {spec.name for spec in fields(cls)}
        stored = {name: value for name, value in migrate(data).items() if name in known}
        check(stored, cls)
        check_promises(stored)
        return cls(
            **stored
            | {
                "estimates": tuple(Estimate(**row) for row in stored["estimates"]),
                "notes": tuple(Note(**row) for row in stored["notes"]),
                "figures": tuple(map(Figure.from_json, stored.get("figures", ()))),
                "tables": tuple(map(TextTable.from_json, stored.get("tables", ()))),
            }
        )


def _as_dict(value: Figure | TextTable) -> dict[str, Any]:
    return {spec.name: getattr(value, spec.name) for spec in fields(value)}
