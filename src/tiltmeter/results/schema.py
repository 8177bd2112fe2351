"""The version of a stored result, and the steps from each older version to the next."""

from collections.abc import Callable
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.results.checking import Malformed, told

SCHEMA = 3
"""Raised by one whenever the stored form of a result changes."""

STEPS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda result: result | {"tests": {}},
    2: lambda result: result | {"tables": []},
}
"""STEPS[n] turns a result of schema n into one of schema n + 1."""


def migrate(data: object) -> dict[str, Any]:
    """A stored result in the present schema.

    Raises when a newer tiltmeter wrote it, or when the step from its schema is unknown.
    """
    made = data.get("provenance") if isinstance(data, dict) else None
    found = made.get("schema") if isinstance(made, dict) else None
    if not isinstance(data, dict) or not isinstance(made, dict) or not isinstance(found, int) or found is True:
        raise Malformed("this stored run does not say its schema (provenance.schema)")
    if found > SCHEMA:
        raise TiltmeterError(
            f"this run was written by a newer tiltmeter (schema {told(found)}, this one reads up to {SCHEMA}); "
            "upgrade with `pip install -U tiltmeter`"
        )
    result = dict(data)
    for step in range(found, SCHEMA):
        if step not in STEPS:
            raise TiltmeterError(f"a run of schema {told(found)} can no longer be read; measure it again")
        result = STEPS[step](result)
    result["provenance"] = {**made, "schema": SCHEMA}
    return result
