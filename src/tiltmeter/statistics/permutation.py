"""Permutation tests: exact by counting subset sums, Monte Carlo beyond.

Both statistics here are monotone in one sum (of the first group's values, of the signed differences), so an
exact p-value needs the number of arrangements whose sum reaches the observed one, not the arrangements
themselves. Meeting in the middle (Horowitz and Sahni 1974; Pagano and Tritchler 1983 for tests) makes that a
matter of milliseconds: 14 against 14 has 40,116,600 re-splits but only 2 x 16,384 half sums.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.sample import TIE, FloatArray, finite_sample


class Effort(TypedDict):
    """How much a p-value may cost: exact up to so many values, and beyond that so many arrangements."""

    exact_up_to: int
    samples: int


THOROUGH: Effort = {"exact_up_to": 40, "samples": 100_000}
BRISK: Effort = {"exact_up_to": 20, "samples": 1_999}
"""For thousands of tests: as valid, but a p near .05 is only known to half a hundredth."""

_LARGEST_EXACT = 48  # 2 x 2^24 half sums of 8 bytes: a quarter of a gigabyte
_CHUNK_VALUES = 2_000_000  # doubles held at once by the Monte Carlo tests


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """The share of arrangements at least as extreme as the observed one; ties count, p is never 0."""

    p_value: float
    """One-sided; the alternative is that x (or the difference) is larger."""
    p_two_sided: float
    method: str
    """`exact` or `monte-carlo`."""
    arrangements: int
    """All arrangements if exact, otherwise the number drawn."""
    seed: int | None
    """None if exact."""

    def described(self, what: str, *, sides: str) -> str:
        """How the p-value was made, in words: what was rearranged, how, out of how many, on which side."""
        return f"{what}, {self.method}, {self.arrangements} arrangements, {sides}"


def permute_groups(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    at_least: float | None = None,
    exact_up_to: int = THOROUGH["exact_up_to"],
    samples: int = THOROUGH["samples"],
    seed: int = 0,
) -> PermutationTest:
    """Test mean(x) > mean(y) by re-splitting the pooled values into groups of the same sizes.

    p = #{re-splits with mean(x') - mean(y') >= mean(x) - mean(y)} / C(nx + ny, nx), over all re-splits when
    nx + ny <= `exact_up_to`; otherwise (count + 1) / (samples + 1) over seeded random ones (Phipson and Smyth
    2010). Two-sided: re-splits whose |mean difference| is at least the observed |mean difference|.
    Differences within 1e-12 of the sum of absolute values are ties, and ties count. Positions are permuted,
    never values drawn with replacement, so duplicates are safe. A small p says that x is larger than chance
    would have it.

    `at_least` compares with another bound than the observed sum of x about its expectation: for statistics that are
    a function of that sum.
    """
    first, second = finite_sample(x, "x"), finite_sample(y, "y")
    _check_effort(exact_up_to, samples)
    pooled = np.concatenate([first, second])
    # Centred, the first group's sum is nx * ny / N times the mean difference: same order, same sign, and
    # "two-sided" means |sum| whatever the sizes.
    centred = pooled - math.fsum(pooled) / pooled.size
    observed = math.fsum(centred[: first.size]) if at_least is None else at_least
    tolerance = TIE * float(np.abs(pooled).sum())

    if pooled.size <= exact_up_to:
        total = math.comb(pooled.size, first.size)
        halves = list(_resplit_halves(centred, first.size))
        return _exact_test(halves, total, observed, tolerance)

    def draw(rng: np.random.Generator, count: int) -> FloatArray:
        shuffled = rng.permuted(np.tile(centred, (count, 1)), axis=1)
        return np.asarray(shuffled[:, : first.size].sum(axis=1))

    return _monte_carlo_test(draw, pooled.size, samples, seed, observed, tolerance)


def flip_signs(
    differences: npt.ArrayLike,
    *,
    at_least: float | None = None,
    exact_up_to: int = THOROUGH["exact_up_to"],
    samples: int = THOROUGH["samples"],
    seed: int = 0,
) -> PermutationTest:
    """Test mean(differences) > 0 by flipping the sign of each difference (Fisher 1935).

    p = #{flips with sum(+-d) >= sum(d)} / 2^n, over all flips when n <= `exact_up_to`; otherwise (count + 1)
    / (samples + 1) over seeded random ones. Two-sided: flips with |sum| >= the observed |sum|. Ties as in
    `permute_groups`. A small p says that the differences lean to the positive side; the smallest possible one
    is 2^-n, so fewer than five differences can never be significant at 5%.
    `at_least` compares with another bound than the observed sum.
    """
    sample = finite_sample(differences, "differences")
    _check_effort(exact_up_to, samples)
    observed = math.fsum(sample) if at_least is None else at_least
    tolerance = TIE * float(np.abs(sample).sum())

    if sample.size <= exact_up_to:
        middle = sample.size // 2
        halves = [(_signed_sums(sample[:middle]), _signed_sums(sample[middle:]))]
        return _exact_test(halves, 2**sample.size, observed, tolerance)

    def draw(rng: np.random.Generator, count: int) -> FloatArray:
        signs = rng.choice(np.array([-1.0, 1.0]), size=(count, sample.size))
        return np.asarray(signs @ sample)

    return _monte_carlo_test(draw, sample.size, samples, seed, observed, tolerance)


def _check_effort(exact_up_to: int, samples: int) -> None:
    if not 0 <= exact_up_to <= _LARGEST_EXACT:
        raise ValueError(f"exact_up_to must lie between 0 and {_LARGEST_EXACT}, got {exact_up_to}.")
    if samples < 1:
        raise ValueError(f"samples must be at least 1, got {samples}.")


def _exact_test(
    halves: list[tuple[FloatArray, FloatArray]], total: int, observed: float, tolerance: float
) -> PermutationTest:
    """Count the pairs of half sums that reach the observed sum."""
    upper = sum(_pairs_reaching(left, right, observed - tolerance) for left, right in halves)
    extreme = abs(observed) - tolerance
    if extreme <= 0:  # the two tails overlap: every arrangement is at least as far from 0
        both = total
    else:
        both = sum(
            _pairs_reaching(left, right, extreme) + _pairs_reaching(-left, -right[::-1], extreme)
            for left, right in halves
        )
    return PermutationTest(upper / total, both / total, "exact", total, None)


def _pairs_reaching(left: FloatArray, right: FloatArray, bound: float) -> int:
    """How many pairs (l, r) have l + r >= bound; `right` is sorted."""
    below = np.searchsorted(right, bound - left, side="left")
    return left.size * right.size - int(below.sum())


def _resplit_halves(values: FloatArray, chosen: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Subset sums of the two halves of `values`, matched so that the sizes of two subsets add to `chosen`."""
    middle = values.size // 2
    left, right = _subset_sums_by_size(values[:middle]), _subset_sums_by_size(values[middle:])
    for size, sums in enumerate(left):
        if 0 <= chosen - size < len(right):
            yield sums, right[chosen - size]


def _subset_sums_by_size(values: FloatArray) -> list[FloatArray]:
    """For k = 0..n the sorted sums of all subsets of k values."""
    nothing = np.empty(0)
    by_size = [np.zeros(1)]
    for value in values:
        without, including = [*by_size, nothing], [nothing, *(sums + value for sums in by_size)]
        by_size = [np.concatenate(pair) for pair in zip(without, including, strict=True)]
    # Sorted needles are looked up far faster than shuffled ones, so both halves are sorted.
    return [np.sort(sums) for sums in by_size]


def _signed_sums(values: FloatArray) -> FloatArray:
    """The sorted sums of +-values over all 2^n choices of sign."""
    sums = np.zeros(1)
    for value in values:
        sums = np.concatenate([sums - value, sums + value])
    return np.sort(sums)


def _monte_carlo_test(
    draw: Callable[[np.random.Generator, int], FloatArray],
    width: int,
    samples: int,
    seed: int,
    observed: float,
    tolerance: float,
) -> PermutationTest:
    """Compare the observed sum with `samples` drawn ones, the observed arrangement counted among them."""
    rng = np.random.default_rng(seed)
    chunk = max(1, _CHUNK_VALUES // width)
    upper = both = 0
    for start in range(0, samples, chunk):
        sums = draw(rng, min(chunk, samples - start))
        upper += int((sums >= observed - tolerance).sum())
        both += int((np.abs(sums) >= abs(observed) - tolerance).sum())
    p_value, p_two_sided = (upper + 1) / (samples + 1), (both + 1) / (samples + 1)
    return PermutationTest(p_value, p_two_sided, "monte-carlo", samples, seed)
