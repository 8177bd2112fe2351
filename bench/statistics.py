"""Exact permutation by counting subset sums, against enumeration."""

import itertools
import math
from collections.abc import Iterator

import numpy as np
from scipy import stats

from bench.row import Row, seconds
from tiltmeter.statistics import flip_signs, permute_groups


def rows() -> Iterator[Row]:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=8), rng.normal(size=8)

    def by_scipy() -> object:
        return stats.permutation_test((x, y), _difference, n_resamples=10**9, vectorized=True, alternative="greater")

    yield Row(
        "exact p, 8 against 8 (12,870 re-splits), scipy's exact permutation_test",
        seconds(lambda: permute_groups(x, y)),
        seconds(by_scipy),
    )

    large_x, large_y = rng.normal(size=14), rng.normal(size=14)
    sample = 200_000
    pooled = np.concatenate([large_x, large_y])

    def enumerate_some() -> float:
        combinations = itertools.islice(itertools.combinations(range(28), 14), sample)
        return max(float(pooled[list(chosen)].sum()) for chosen in combinations)

    yield Row(
        f"exact p, 14 against 14 (40,116,600 re-splits), enumeration ({sample:,} of them, scaled)",
        seconds(lambda: permute_groups(large_x, large_y)),
        seconds(enumerate_some, repeat=1) * math.comb(28, 14) / sample,
        at_least=1000,
    )

    pairs = rng.normal(size=20)

    def flip_all() -> int:
        signs = 1 - 2 * ((np.arange(2**20)[:, None] >> np.arange(20)) & 1)
        return int((signs @ pairs >= pairs.sum()).sum())

    yield Row(
        "exact sign flip, 20 pairs (1,048,576 flips), one matrix product over all of them",
        seconds(lambda: flip_signs(pairs)),
        seconds(flip_all, repeat=2),
    )


def _difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
    return np.asarray(np.mean(a, axis=axis) - np.mean(b, axis=axis))
