"""The version of a stored result, and the steps from each older version to the next."""

from collections.abc import Callable, Mapping
from typing import Any

from tiltmeter.errors import TiltmeterError

SCHEMA = 2
"""Raised by one whenever the stored form of a result changes."""

STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda result: result | {"tests": {}},
}
"""STEPS[n] turns a result of schema n into one of schema n + 1."""


def migrate(data: Mapping[str, Any]) -> dict[str, Any]:
    """A stored result in the present schema.

    Raises when a newer tiltmeter wrote it, or when the step from its schema is unknown.
    """
    result = dict(data)
    found = result.get("provenance", {}).get("schema")
    if not isinstance(found, int):
        raise TiltmeterError("this stored run does not say its schema; measure it again")
    if found > SCHEMA:
        raise TiltmeterError(
            f"this run was written by a newer tiltmeter (schema {found}, this one reads up to {SCHEMA}); "
            "upgrade with `pip install -U tiltmeter`"
        )
    for step in range(found, SCHEMA):
        if step not in STEPS:
            raise TiltmeterError(f"a run of schema {found} can no longer be read; measure it again")
        result = STEPS[step](result)
    result["provenance"] = {**result["provenance"], "schema": SCHEMA}
    return result
