"""Certificates written down by hand: no number in them comes from a world."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tiltmeter.calibration import issued
from tiltmeter.instruments import load_instrument

WAYS = ({"prefix": "", "options": {}},)


def response(measure: str, r: float | None, ci: Sequence[float] | None = None, **more: Any) -> dict[str, Any]:
    slope = {"value": 1.0, "ci": None}
    return {
        "measure": measure,
        "planted": True,
        "rank_correlation": r,
        "ci": ci,
        "lowest_of_a_seed": r,
        "slope": slope,
        "by_dose": [],
    } | more


def false_positive(
    measure: str, rate: float, *, published: bool = False, of_the_model: bool = False, fails: bool = False
) -> dict[str, Any]:
    return {
        "measure": measure,
        "p": "two-sided",
        "classes": "",
        "coherent": False,
        "published": published,
        "of_the_model": of_the_model,
        "worlds": 1000,
        "rejected": round(1000 * rate),
        "rate": rate,
        "ci": [rate / 2, rate * 2],
        "p_value": None if published else 0.5,
        "p_adjusted": None if published else 1e-6 if fails else 1.0,
    }


def certificate(
    instrument: str,
    kind: str,
    lang: str,
    responses: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    false_positives: Sequence[Mapping[str, Any]] = (),
    failures: Sequence[str] = (),
    ways: Sequence[Mapping[str, Any]] = WAYS,
    power: Sequence[Mapping[str, Any]] = (),
    reliability: Mapping[str, float | None] | None = None,
    version: str = "",
) -> dict[str, Any]:
    tool = load_instrument(instrument)
    return {
        "instrument": instrument,
        "version": version or tool.version,
        "capability": tool.capability,
        "kind": kind,
        "lang": lang,
        "about": {"worlds": 1},
        "ways": list(ways),
        "responses": {dial: list(rows) for dial, rows in responses.items()},
        "false_positives": list(false_positives),
        "power": list(power),
        "reliability": dict(reliability or {}),
        "robustness": [],
        "failures": list(failures),
    }


def issue(folder: Path, monkeypatch: pytest.MonkeyPatch, *certificates: Mapping[str, Any]) -> None:
    """These ship, and no others."""
    monkeypatch.setattr(issued, "FOLDER", folder)
    for one in certificates:
        path = folder / f"{one['instrument']}-{one['kind']}-{one['lang']}.json"
        path.write_text(json.dumps(one), "utf-8")
