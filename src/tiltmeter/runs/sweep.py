"""Which choice in training moves a result: the factors of a sweep, each with its share of the variance."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError

Level = str | int | float
Row = tuple[Mapping[str, Level], Mapping[str, float | None]]
"""The factors of one trained model, and its effect size d in each test."""


@dataclass(frozen=True, slots=True)
class FactorEffect:
    """What one factor does to d in one test."""

    test: str
    factor: str
    means: tuple[tuple[Level, float], ...]
    """The mean of d at each level, over all levels of the other factors."""
    spread: float | None
    """The largest of these means minus the smallest, in units of d."""
    eta_squared: float | None
    """The share of the variance of d that goes with this factor, from 0 to 1."""
    n: int
    reason: str | None = None
    """Why there is no number, where there is none."""


def factor_effects(rows: Sequence[Row]) -> list[FactorEffect]:
    """For each test, the factors that vary, the one that moves d most first.

    η² = SS_factor / SS_total from an analysis of variance with main effects only (Fisher 1925; Cohen 1973), where
    SS_factor is what the squared error grows by when the factor is left out of the least-squares fit. The rows have to
    be a full grid, every combination equally often: only then do the shares add up, and 1 minus their sum is what
    interactions and chance hold.
    """
    factors = _varying([levels for levels, _ in rows])
    tests = dict.fromkeys(test for _, found in rows for test in found)
    return [effect for test in tests for effect in _of_test(test, rows, factors)]


def _varying(rows: Sequence[Mapping[str, Level]]) -> dict[str, list[Level]]:
    """The factors with more than one level, checked to make up a full grid.

    A factor that only some of the models have (a decomposition has no epochs) is none of the sweep's.
    """
    shared = [name for name in (rows[0] if rows else {}) if all(name in row for row in rows)]
    levels = {name: sorted({row[name] for row in rows}, key=_order) for name in shared}
    varying = {name: found for name, found in levels.items() if len(found) > 1}
    if not varying:
        raise TiltmeterError("these models do not differ in any factor; give the folders of a sweep")
    cells = Counter(tuple(row[name] for name in varying) for row in rows)
    for cell in product(*varying.values()):
        if cells[cell] != max(cells.values()):
            where = ", ".join(f"{name} {level}" for name, level in zip(varying, cell, strict=True))
            raise TiltmeterError(
                f"the grid is not full: there are {cells[cell]} models with {where}, and {max(cells.values())} with "
                "another combination; train what is missing"
            )
    return varying


def _of_test(test: str, rows: Sequence[Row], factors: Mapping[str, list[Level]]) -> list[FactorEffect]:
    found = [_number(values.get(test)) for _, values in rows]
    d = np.array(found)
    lost = int(np.isnan(d).sum())
    if lost:
        return [_none(test, name, len(d), f"{lost} of {len(d)} models have no d in this test") for name in factors]
    if np.ptp(d) <= 1e-12 * np.abs(d).max():
        return [_none(test, name, len(d), "d is the same for all models") for name in factors]

    columns = {name: _indicators([levels[name] for levels, _ in rows], factors[name]) for name in factors}
    total = _squared_error(d, [])
    full = _squared_error(d, list(columns.values()))
    effects = []
    for name, indicators in columns.items():
        # A column for each level but the first; the first is where all of them are 0.
        first = 1 - indicators.sum(axis=1, keepdims=True)
        means = [float(d[level == 1].mean()) for level in np.hstack([first, indicators]).T]
        others = [other for factor, other in columns.items() if factor != name]
        share = (_squared_error(d, others) - full) / total
        effects.append(
            FactorEffect(
                test=test,
                factor=name,
                means=tuple(zip(factors[name], means, strict=True)),
                spread=max(means) - min(means),
                eta_squared=min(1.0, max(0.0, share)),
                n=len(d),
            )
        )
    return sorted(effects, key=lambda effect: -(effect.eta_squared or 0))


def _indicators(found: Sequence[Level], levels: Sequence[Level]) -> NDArray[np.float64]:
    return np.array([[float(level == other) for other in levels[1:]] for level in found])


def _squared_error(d: NDArray[np.float64], columns: Sequence[NDArray[np.float64]]) -> float:
    """What a least-squares fit with a constant and these columns leaves."""
    design = np.hstack([np.ones((len(d), 1)), *columns])
    fitted = design @ np.linalg.lstsq(design, d)[0]
    return float(((d - fitted) ** 2).sum())


def _none(test: str, factor: str, n: int, reason: str) -> FactorEffect:
    return FactorEffect(test, factor, means=(), spread=None, eta_squared=None, n=n, reason=reason)


def _number(value: float | None) -> float:
    return value if value is not None and math.isfinite(value) else math.nan


def _order(level: Level) -> tuple[bool, Level]:
    return isinstance(level, str), level
