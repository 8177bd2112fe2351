"""Which factor moves d, against statsmodels and against grids whose answer is known."""

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.anova import anova_lm

from tiltmeter.errors import TiltmeterError
from tiltmeter.runs import across, factor_effects, measure
from tiltmeter.runs.sweep import Row
from tiltmeter.store import Store
from tiltmeter.training import train_sweep
from training.planted import write_planted

METHODS, WINDOWS, SIZES = ("cbow", "ppmi-svd", "skip-gram"), (2, 5, 10, 20), (100, 300)
GRID = list(product(METHODS, WINDOWS, SIZES))


def _rows(values: list[float], test: str = "career") -> list[Row]:
    return [
        ({"method": method, "window": window, "dimensions": size, "lower": True}, {test: value})
        for (method, window, size), value in zip(GRID * (len(values) // len(GRID)), values, strict=True)
    ]


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_shares_are_those_of_statsmodels(seed: int, models_a_cell: int) -> None:
    d = np.random.default_rng(seed).normal(size=len(GRID) * models_a_cell).tolist()
    table = pd.DataFrame(GRID * models_a_cell, columns=["method", "window", "dimensions"]).assign(d=d)
    fit = smf.ols("d ~ C(method) + C(window) + C(dimensions)", table).fit()
    squares = anova_lm(fit, typ=2)["sum_sq"]
    expected = {name: squares[f"C({name})"] / squares.sum() for name in ("method", "window", "dimensions")}
    found = {effect.factor: effect.eta_squared for effect in factor_effects(_rows(d))}
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_means_and_spread_are_those_of_the_levels() -> None:
    d = np.random.default_rng(8).normal(size=len(GRID)).tolist()
    effects = {effect.factor: effect for effect in factor_effects(_rows(d))}
    by_window = {
        window: sum(value for (_, at, _), value in zip(GRID, d, strict=True) if at == window) / 6 for window in WINDOWS
    }
    assert dict(effects["window"].means) == pytest.approx(by_window)
    assert [level for level, _ in effects["window"].means] == list(WINDOWS)
    assert effects["window"].spread == pytest.approx(max(by_window.values()) - min(by_window.values()))
    assert {effect.n for effect in effects.values()} == {len(GRID)}


def test_the_factor_that_moves_d_comes_first_and_has_all_of_it() -> None:
    d = [1.0 if window >= 10 else 0.4 for _, window, _ in GRID]
    first, *others = factor_effects(_rows(d))
    assert first.factor == "window"
    assert first.eta_squared == pytest.approx(1)
    assert first.spread == pytest.approx(0.6)
    assert [other.eta_squared for other in others] == pytest.approx([0, 0], abs=1e-12)


def test_a_pure_interaction_belongs_to_no_factor() -> None:
    rows: list[Row] = [({"a": a, "b": b}, {"t": float(a == b)}) for a in (0, 1) for b in (0, 1)]
    assert [effect.eta_squared for effect in factor_effects(rows)] == pytest.approx([0, 0], abs=1e-12)


def test_every_test_has_its_own_effects() -> None:
    rows: list[Row] = [({"a": a, "b": b}, {"s": float(a), "t": float(b)}) for a in (0, 1) for b in (0, 1)]
    assert [(effect.test, effect.factor) for effect in factor_effects(rows) if (effect.eta_squared or 0) > 0.99] == [
        ("s", "a"),
        ("t", "b"),
    ]


def test_what_cannot_be_computed_says_why_and_the_other_tests_stay() -> None:
    rows: list[Row] = [
        ({"a": a, "b": b}, {"lost": None if a == b == 0 else 1.0, "flat": 0.3, "good": float(a)})
        for a in (0, 1)
        for b in (0, 1)
    ]
    found = {(effect.test, effect.factor): effect for effect in factor_effects(rows)}
    assert found["lost", "a"].reason == "1 of 4 models have no d in this test"
    assert found["flat", "a"].reason == "d is the same for all models"
    assert found["lost", "a"].eta_squared is None
    assert found["flat", "b"].spread is None
    assert found["good", "a"].eta_squared == pytest.approx(1)


def test_a_grid_with_a_hole_is_refused_and_the_hole_named() -> None:
    rows: list[Row] = [
        ({"window": w, "dimensions": d}, {"t": float(w * d)}) for w in (2, 5) for d in (100, 300) if (w, d) != (5, 300)
    ]
    with pytest.raises(TiltmeterError, match="there are 0 models with window 5, dimensions 300, and 1 with another"):
        factor_effects(rows)


@pytest.mark.parametrize("rows", [[], [({"window": 2}, {"t": 1.0})] * 3])
def test_models_that_do_not_differ_are_refused(rows: list[Row]) -> None:
    with pytest.raises(TiltmeterError, match="do not differ in any factor"):
        factor_effects(rows)


def test_a_sweep_measured_in_one_call_says_which_factor_moves_d(tmp_path: Path) -> None:
    text = write_planted(tmp_path / "text", lines=200)
    folders = train_sweep(text, tmp_path / "s", methods=["cbow", "ppmi-svd"], windows=[1, 2], dimensions=[3], epochs=1)
    words = (folders[0] / "words.txt").read_text("utf-8").split()
    (tmp_path / "mine.toml").write_text(
        f"[tests.t]\nx = {words[0:2]}\ny = {words[2:4]}\na = {words[4:6]}\nb = {words[6:8]}\n".replace("'", '"')
    )
    runs = [
        measure("weat", str(folder), lang="en", store=Store(tmp_path / "cache"), tests=tmp_path / "mine.toml")
        for folder in folders
    ]
    effects = across(runs).factors
    assert {effect.factor for effect in effects} == {"method", "window"}
    values = [row.value or 0 for run in runs for row in run.result.estimates if row.name == "effect_size"]
    by_window = [np.mean(values[0::2]), np.mean(values[1::2])]
    (window,) = [effect for effect in effects if effect.factor == "window"]
    assert [mean for _, mean in window.means] == pytest.approx(by_window)
