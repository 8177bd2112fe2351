"""RND, RIPA, ECT, MAC and RNSB against their formulas written out, and what must hold of them."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from support import made_of
from tiltmeter.instruments import load_instrument
from tiltmeter.instruments._queries import QueryOptions
from tiltmeter.packs import Pack, WeatTest, Word
from tiltmeter.results import Estimate
from tiltmeter.runs import agreement, measure
from tiltmeter.store import Store

NAMES = ("rnd", "ripa", "ect", "mac", "rnsb")
SIDED = ("rnd", "ripa", "rnsb")
DIMENSIONS = 5


def made_up(sizes: tuple[int, int, int]) -> WeatTest:
    n_x, n_y, pairs = sizes
    x, y, a, b = (
        tuple(Word(f"{role}{number}") for number in range(count))
        for role, count in (("x", n_x), ("y", n_y), ("a", pairs), ("b", pairs))
    )
    return WeatTest("T", ("one", "two"), ("male", "female"), x, y, a, b, "ours", "made up")


def pack(test: WeatTest) -> Pack:
    return Pack(lang="xx", name="X", endonym="X", scripts=("Latin",), grammatical_gender=(), weat=(test,))


def vectors(seed: int, test: WeatTest) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    return {w.text: rng.normal(size=DIMENSIONS) * rng.uniform(0.5, 2) for w in (*test.x, *test.y, *test.a, *test.b)}


def estimates(
    folder: Path, name: str, test: WeatTest, table: dict[str, np.ndarray], **given: float
) -> dict[str, Estimate]:
    """The instrument on a real table of vectors."""
    subject = made_of(table, folder)
    tool = load_instrument(name)
    options = QueryOptions(**given)  # type: ignore[arg-type]
    items, _ = tool.answer(tool.items(pack(test), options), subject, pack(test), options)
    return {row.name: row for row in tool.estimate(items, options).estimates}


def unit(vector: np.ndarray) -> np.ndarray:
    return np.asarray(vector / math.sqrt(sum(float(v) ** 2 for v in vector)))


def by_hand(name: str, test: WeatTest, table: dict[str, np.ndarray]) -> dict[str, float]:
    """The published formulas, word by word."""
    raw = {role: [table[w.text].astype(np.float32).astype(float) for w in getattr(test, role)] for role in "xyab"}
    u = {role: [unit(v) for v in raw[role]] for role in "xyab"}
    mean_a, mean_b = sum(u["a"]) / len(u["a"]), sum(u["b"]) / len(u["b"])
    if name == "rnd":
        rnd = {r: [float(np.linalg.norm(w - mean_a) - np.linalg.norm(w - mean_b)) for w in u[r]] for r in "xy"}
        x, y = (sum(rnd[r]) / len(rnd[r]) for r in "xy")
        return {"lean": y - x, "rnd_x": x, "rnd_y": y}
    if name == "ripa":
        lines = [unit(a - b) for a, b in zip(raw["a"], raw["b"], strict=True)]
        x, y = (np.mean([np.mean([float(w @ line) for line in lines]) for w in raw[r]]) for r in "xy")
        return {"lean": x - y, "ripa_x": x, "ripa_y": y}
    if name == "ect":
        targets = u["x"] + u["y"]
        male, female = ([float(w @ unit(np.asarray(m))) for w in targets] for m in (mean_a, mean_b))
        return {"coherence": stats.spearmanr(male, female).statistic}
    if name == "mac":
        return {"mac": np.mean([[np.mean([1 - float(t @ w) for w in u[r]]) for r in "xy"] for t in u["a"] + u["b"]])}
    weights = _logistic(np.array(u["x"] + u["y"]), np.array([1] * len(u["x"]) + [0] * len(u["y"])))
    q = [1 / (1 + math.exp(-float(weights[:-1] @ t + weights[-1]))) for t in u["a"] + u["b"]]
    share = [value / sum(q) for value in q]
    half = len(u["a"])
    return {
        "kl": sum(p * math.log(p * len(share)) for p in share),
        "lean": sum(q[:half]) / half - sum(q[half:]) / half,
    }


def _logistic(rows: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """L2-penalised logistic regression with a free intercept, minimised directly."""

    def loss(weights: np.ndarray) -> float:
        margin = (2 * labels - 1) * (rows @ weights[:-1] + weights[-1])
        return float(np.logaddexp(0, -margin).sum() + 0.5 * weights[:-1] @ weights[:-1])

    return np.asarray(optimize.minimize(loss, np.zeros(rows.shape[1] + 1), method="BFGS", options={"gtol": 1e-9}).x)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_the_published_formula_gives_the_same(tmp_path: Path, name: str, seed: int) -> None:
    test = made_up((6, 5, 4))
    table = vectors(seed, test)
    found = {key: row.value for key, row in estimates(tmp_path, name, test, table).items()}
    assert found == pytest.approx(by_hand(name, test, table), rel=1e-3, abs=2e-4)


@pytest.mark.parametrize("name", SIDED)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_swapping_the_topics_or_the_genders_swaps_the_side(
    tmp_path_factory: pytest.TempPathFactory, name: str, seed: int
) -> None:
    test = made_up((4, 4, 3))
    table = vectors(seed, test)
    folder = tmp_path_factory.mktemp("v")
    lean = estimates(folder / "1", name, test, table)["lean"].value or 0
    for number, (one, other) in enumerate((("x", "y"), ("a", "b"))):
        renamed = {_renamed(word, one, other): row for word, row in table.items()}
        again = estimates(folder / f"s{number}", name, test, renamed)["lean"].value
        assert again == pytest.approx(-lean, rel=1e-4, abs=1e-5)


def _renamed(word: str, one: str, other: str) -> str:
    return {one: other, other: one}.get(word[0], word[0]) + word[1:]


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=6, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_rotating_all_vectors_changes_nothing(tmp_path_factory: pytest.TempPathFactory, name: str, seed: int) -> None:
    test = made_up((5, 5, 4))
    table = vectors(seed, test)
    rotation = np.linalg.qr(np.random.default_rng(seed).normal(size=(DIMENSIONS, DIMENSIONS)))[0]
    folder = tmp_path_factory.mktemp("v")
    plain, turned = (
        {key: row.value for key, row in estimates(folder / part, name, test, rows).items()}
        for part, rows in (("1", table), ("2", {word: row @ rotation for word, row in table.items()}))
    )
    assert turned == pytest.approx(plain, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "ripa"])
def test_the_length_of_vectors_does_not_count(tmp_path: Path, name: str) -> None:
    test = made_up((5, 5, 4))
    table = vectors(3, test)
    longer = {word: row * (2 + place) for place, (word, row) in enumerate(table.items())}
    plain, scaled = (
        {key: row.value for key, row in estimates(tmp_path / part, name, test, rows).items()}
        for part, rows in (("1", table), ("2", longer))
    )
    assert scaled == pytest.approx(plain, rel=1e-4, abs=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_lost_words_void_a_test_and_the_schema_stays(tmp_path: Path, name: str) -> None:
    test = made_up((5, 5, 4))
    table = vectors(3, test)
    whole = estimates(tmp_path / "1", name, test, table)
    void = estimates(tmp_path / "2", name, test, {word: row for word, row in table.items() if word not in ("x1", "x2")})
    assert list(void) == list(whole)
    assert all(row.value is None and row.lost == 2 for row in void.values())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("left", [0, 1])
def test_too_few_attribute_pairs_void_a_test(tmp_path: Path, name: str, left: int) -> None:
    test = made_up((4, 4, 4))
    gone = {f"{'ab'[number % 2]}{number}" for number in range(left, 4)}
    table = {word: row for word, row in vectors(3, test).items() if word not in gone}
    rows = estimates(tmp_path, name, test, table, max_lost=0.9)
    assert all(row.value is None for row in rows.values())


class TestAgreement:
    def test_measures_stand_beside_weat_with_their_sides_counted(self, stocked: Store) -> None:
        runs = [measure(name, "pkg:navec-news", store=stocked) for name in ("weat", *NAMES)]
        (found,) = agreement(runs)
        assert [entry.instrument for entry in found.measures] == ["weat", *NAMES]
        by_name = {entry.instrument: entry for entry in found.measures}
        assert by_name["weat"].same_side == (6, 6)
        assert by_name["weat"].rank_correlation == pytest.approx(1)
        assert by_name["mac"].same_side is None
        d = {row.test: row.value for row in runs[0].result.estimates if row.name == "effect_size" and not row.group}
        lean = {row.test: row.value for row in runs[1].result.estimates if row.name == "lean"}
        both = [test for test in d if d[test] is not None]
        assert by_name["rnd"].same_side == (sum((d[t] or 0) * (lean[t] or 0) > 0 for t in both), 6)
        expected = stats.spearmanr([abs(d[t] or 0) for t in both], [abs(lean[t] or 0) for t in both]).statistic
        assert by_name["rnd"].rank_correlation == pytest.approx(expected)

    def test_one_instrument_alone_has_nothing_to_agree_with(self, stocked: Store) -> None:
        assert agreement([measure("weat", "pkg:navec-news", store=stocked)]) == []
