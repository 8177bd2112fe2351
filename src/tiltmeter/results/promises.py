"""What a stored result promises beyond the types of its fields: whoever reads one relies on it."""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, NotRequired, TypedDict

from tiltmeter.results.checking import check, refuse, told


class Measured(TypedDict):
    """What was measured; it may say more of where it comes from."""

    fingerprint: str
    kind: NotRequired[str]
    capabilities: NotRequired[list[str]]
    trained: NotRequired[dict[str, str | float | bool]]


class Packages(TypedDict):
    """The versions of what a run was made with; others are named as well."""

    tiltmeter: str


class Provenance(TypedDict):
    run: str
    schema: int
    subject: Measured
    sources: dict[str, list[str]]
    command: str
    created: str
    seconds: float
    python: str
    system: str
    packages: Packages


class Side(TypedDict):
    """The details of a note that says in words which way some estimates lean."""

    estimates: list[str]
    group: dict[str, str]
    above: str
    below: str


class Hypothesis(TypedDict):
    hypothesis: str
    holds: bool


class GivenFile(TypedDict):
    """A file of the user's among the options."""

    file: str
    sha256: str


def check_promises(result: Mapping[str, Any]) -> None:
    """Refuses a result, its types checked already, that lacks what every run says or says what cannot be."""
    _check_provenance(result["provenance"])
    for place, estimate in enumerate(result["estimates"]):
        _check_estimate(estimate, f"estimates[{place}]")
    for place, note in enumerate(result["notes"]):
        details = note.get("details", {})
        if "estimates" in details:
            check(details, Side, f"notes[{place}].details")
        if note["kind"] == "hypothesis":
            check(details, Hypothesis, f"notes[{place}].details")
    for name, value in result["options"].items():
        _check_files(value, f"options.{name}")
    for place, table in enumerate(result.get("tables", ())):
        for number, row in enumerate(table["rows"]):
            if len(row) != len(table["columns"]):
                refuse(f"tables[{place}].rows[{number}]", f"has {len(row)} cells for {len(table['columns'])} columns")


def _check_provenance(made: Any) -> None:
    check(made, Provenance, "provenance")
    if not re.fullmatch(r"[\w-]{1,64}", made["run"]):
        refuse("provenance.run", f"is {told(made['run'])}, where an id of letters and digits is expected")
    version = made["packages"]["tiltmeter"]
    if not re.fullmatch(r"[\w.!+-]{1,64}", version):
        refuse("provenance.packages.tiltmeter", f"is {told(version)}, where a version is expected")
    try:
        datetime.fromisoformat(made["created"])
    except ValueError:
        refuse("provenance.created", f"is {told(made['created'])}, where a date and time is expected")


def _check_estimate(row: Mapping[str, Any], where: str) -> None:
    for name in ("p_value", "p_two_sided", "p_adjusted"):
        if (p := row.get(name)) is not None and not 0 <= p <= 1:
            refuse(f"{where}.{name}", f"is {p}, where a number from 0 to 1 is expected")
    if (row.get("ci_low") is None) != (row.get("ci_high") is None):
        refuse(where, "has one end of an interval without the other (ci_low, ci_high)")


def _check_files(value: Any, where: str) -> None:
    if isinstance(value, list):
        for place, entry in enumerate(value):
            _check_files(entry, f"{where}[{place}]")
    elif isinstance(value, Mapping):
        check(value, GivenFile, where)
