"""How often each of WEAT's p-values rejects a true null; the table in docs/statistics.md comes from here.

Worlds of random vectors without gender bias: a target is its topic plus noise, an attribute is its pair's meaning plus
noise, and nothing ties topics to gender. `coherence` is the share of a target's variance that its topic explains.
Run this file to print the table: `python tests/instruments/test_weat_error_rates.py`.
"""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from tiltmeter.instruments._association import Similarities
from tiltmeter.statistics import crossed_t, flip_signs, permute_groups

COHERENCE = (0.0, 0.2, 0.4, 0.6, 0.8)
WORLDS = 4_000
TARGETS, PAIRS, DIMENSIONS = 8, 9, 100
TABLE = Path(__file__).parents[2] / "docs" / "statistics.md"


def rejections(coherence: float, *, worlds: int, seed: int) -> tuple[int, int, int]:
    """How many worlds give p < 0.05 by target permutation, by attribute sign flip, and over targets and pairs."""
    rng = np.random.default_rng(seed)
    published = flips = both = 0
    for _ in range(worlds):
        x, y = (_topic(rng, coherence) for _ in "xy")
        meaning = rng.standard_normal((PAIRS, DIMENSIONS))
        a, b = (_unit(meaning + rng.standard_normal((PAIRS, DIMENSIONS))) for _ in "ab")
        similarities = Similarities(x @ a.T, x @ b.T, y @ a.T, y @ b.T)
        published += permute_groups(*similarities.associations()).p_value < 0.05
        flips += flip_signs(similarities.pair_differences()).p_value < 0.05
        both += crossed_t(*similarities.by_pair()).p_value < 0.05
    return published, flips, both


def _topic(rng: np.random.Generator, coherence: float) -> np.ndarray:
    topic = rng.standard_normal(DIMENSIONS)
    noise = rng.standard_normal((TARGETS, DIMENSIONS))
    return _unit(np.sqrt(coherence) * topic + np.sqrt(1 - coherence) * noise)


def _unit(rows: np.ndarray) -> np.ndarray:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))


def table() -> str:
    names = ("coherence of a topic", "target-permutation", "attribute-sign-flip", "targets-and-pairs")
    lines = [f"| {' | '.join(names)} |", f"| {' | '.join(['---:'] * len(names))} |"]
    for coherence in COHERENCE:
        rates = [f"{100 * count / WORLDS:.1f}" for count in rejections(coherence, worlds=WORLDS, seed=1)]
        lines.append(f"| {' | '.join([f'{coherence:.1f}', *rates])} |")
    return "\n".join(lines)


def test_ours_keep_their_level_and_the_published_p_does_not() -> None:
    published, *ours = rejections(0.6, worlds=400, seed=7)
    for count in ours:
        assert stats.binomtest(count, 400, 0.05).proportion_ci(0.999).low <= 0.05
    assert stats.binomtest(published, 400, 0.05).proportion_ci(0.999).low > 0.05


@pytest.mark.slow
def test_the_table_in_the_docs_is_what_the_simulation_gives() -> None:
    measured = table()
    assert measured in TABLE.read_text("utf-8")
    for ours in re.findall(r"\| ([\d.]+) \| ([\d.]+) \|$", measured, flags=re.MULTILINE):
        count = round(max(map(float, ours)) / 100 * WORLDS)
        assert stats.binomtest(count, WORLDS, 0.05).proportion_ci(0.99).low <= 0.05


if __name__ == "__main__":
    print(table())
