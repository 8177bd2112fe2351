"""Permutation p-values, counted a second way: by brute force, by scipy, by dynamic programming."""

import itertools
import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from tiltmeter.statistics import flip_signs, permutation, permute_groups

SIZES = list(itertools.product(range(1, 8), repeat=2))
few_values = st.lists(st.integers(-4, 4), min_size=1, max_size=5)


def brute_force_groups(x: Sequence[int], y: Sequence[int]) -> tuple[float, float, float]:
    """One-sided p, two-sided p and share of ties over every re-split, in integers."""
    pooled, nx, total = [*x, *y], len(x), sum(x) + sum(y)
    size = len(pooled)
    observed = size * sum(x) - nx * total  # proportional to the mean difference
    resplit = [size * sum(chosen) - nx * total for chosen in itertools.combinations(pooled, nx)]
    upper = sum(value >= observed for value in resplit)
    both = sum(abs(value) >= abs(observed) for value in resplit)
    ties = sum(value == observed for value in resplit)
    return upper / len(resplit), both / len(resplit), ties / len(resplit)


def brute_force_flips(differences: Sequence[int]) -> tuple[float, float, float]:
    signs = itertools.product((1, -1), repeat=len(differences))
    observed = sum(differences)
    flipped = [sum(s * d for s, d in zip(choice, differences, strict=True)) for choice in signs]
    upper = sum(value >= observed for value in flipped)
    both = sum(abs(value) >= abs(observed) for value in flipped)
    ties = sum(value == observed for value in flipped)
    return upper / len(flipped), both / len(flipped), ties / len(flipped)


@pytest.mark.parametrize(("nx", "ny"), SIZES)
@pytest.mark.parametrize("spread", [2, 1000], ids=["many-ties", "few-ties"])
def test_exact_group_p_equals_brute_force_at_every_size(nx: int, ny: int, spread: int) -> None:
    rng = np.random.default_rng([nx, ny, spread])
    x, y = rng.integers(-spread, spread, nx).tolist(), rng.integers(-spread, spread, ny).tolist()
    # Tenths are not exact in binary, so ties must survive rounding.
    test = permute_groups(np.array(x) / 10, np.array(y) / 10)
    upper, both, _ = brute_force_groups(x, y)
    assert (test.p_value, test.p_two_sided) == (upper, both)
    assert (test.method, test.arrangements, test.seed) == ("exact", math.comb(nx + ny, nx), None)


@pytest.mark.parametrize("n", range(1, 13))
@pytest.mark.parametrize("spread", [3, 1000], ids=["many-ties", "few-ties"])
def test_exact_flip_p_equals_brute_force_at_every_size(n: int, spread: int) -> None:
    differences = np.random.default_rng([n, spread]).integers(-spread, spread + 1, n).tolist()
    test = flip_signs(np.array(differences) / 10)
    upper, both, _ = brute_force_flips(differences)
    assert (test.p_value, test.p_two_sided) == (upper, both)
    assert (test.method, test.arrangements, test.seed) == ("exact", 2**n, None)


def test_exact_group_p_equals_scipy() -> None:
    rng = np.random.default_rng(3)
    x, y = rng.normal(0.5, 1, 6), rng.normal(0, 1, 6)

    def scipy_p(alternative: Literal["greater", "two-sided"]) -> float:
        result = stats.permutation_test(
            (x, y), lambda a, b: a.mean() - b.mean(), alternative=alternative, n_resamples=10_000
        )
        return float(result.pvalue)

    test = permute_groups(x, y)
    assert test.p_value == pytest.approx(scipy_p("greater"))
    assert test.p_two_sided == pytest.approx(scipy_p("two-sided"))


def test_exact_flip_p_equals_scipy() -> None:
    differences = np.random.default_rng(4).normal(0.4, 1, 10)
    result = stats.permutation_test(
        (differences,), np.mean, permutation_type="samples", alternative="greater", n_resamples=10_000
    )
    assert flip_signs(differences).p_value == pytest.approx(float(result.pvalue))


@pytest.mark.parametrize(("nx", "ny"), [(14, 14), (14, 10), (20, 20), (3, 37)])
def test_large_exact_group_counts_equal_dynamic_programming(nx: int, ny: int) -> None:
    rng = np.random.default_rng([nx, ny])
    x, y = rng.integers(0, 60, nx).tolist(), rng.integers(0, 50, ny).tolist()
    ways: Counter[tuple[int, int]] = Counter({(0, 0): 1})
    for value in [*x, *y]:
        for (size, total), count in list(ways.items()):
            if size < nx:
                ways[size + 1, total + value] += count
    sums = {total: count for (size, total), count in ways.items() if size == nx}
    centre = Fraction((sum(x) + sum(y)) * nx, nx + ny)
    upper = sum(count for total, count in sums.items() if total >= sum(x))
    both = sum(count for total, count in sums.items() if abs(total - centre) >= abs(sum(x) - centre))
    test = permute_groups(x, y)
    assert test.arrangements == math.comb(nx + ny, nx) == sum(sums.values())
    assert test.p_value * test.arrangements == pytest.approx(upper, abs=0.01)
    assert test.p_two_sided * test.arrangements == pytest.approx(both, abs=0.01)


def test_large_exact_flip_counts_equal_dynamic_programming() -> None:
    differences = np.random.default_rng(5).integers(-20, 31, 40).tolist()
    ways: Counter[int] = Counter({0: 1})
    for value in differences:
        ways = flipped_once(ways, value)
    observed = sum(differences)
    test = flip_signs(differences)
    assert test.arrangements == 2**40 == sum(ways.values())
    upper = sum(count for total, count in ways.items() if total >= observed)
    both = sum(count for total, count in ways.items() if abs(total) >= abs(observed))
    assert test.p_value * 2**40 == upper
    assert test.p_two_sided * 2**40 == both


def flipped_once(ways: Counter[int], value: int) -> Counter[int]:
    flipped: Counter[int] = Counter()
    for total, count in ways.items():
        flipped[total + value] += count
        flipped[total - value] += count
    return flipped


def test_fourteen_against_fourteen_has_forty_million_re_splits_and_the_best_is_one_of_them() -> None:
    test = permute_groups(range(14, 28), range(14))
    assert test.arrangements == 40_116_600
    assert test.p_value == 1 / 40_116_600
    assert test.p_two_sided == 2 / 40_116_600


def test_identical_groups_are_not_significant() -> None:
    words = [0.1, 0.2, 0.3, 0.7]
    assert permute_groups(words, words[::-1]).p_two_sided == 1
    assert permute_groups(words, words).p_value > 0.5


def test_differences_of_zero_are_not_significant() -> None:
    test = flip_signs([0.0] * 6)
    assert (test.p_value, test.p_two_sided) == (1, 1)


def test_an_observed_difference_of_zero_ties_despite_rounding() -> None:
    # 0.1 + 0.2 - 0.3 is 5.6e-17, not 0.
    test = flip_signs([0.1, 0.2, -0.3])
    upper, both, _ = brute_force_flips([1, 2, -3])
    assert (test.p_value, test.p_two_sided) == (upper, both)


@pytest.mark.parametrize("seed", range(5))
def test_monte_carlo_lies_within_its_binomial_error_of_the_exact_p(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.normal(0.4, 1, 9), rng.normal(0, 1, 12)
    samples = 20_000
    pairs = [
        (permute_groups(x, y), permute_groups(x, y, exact_up_to=0, samples=samples, seed=seed)),
        (flip_signs(x), flip_signs(x, exact_up_to=0, samples=samples, seed=seed)),
    ]
    for exact, drawn in pairs:
        assert (drawn.method, drawn.arrangements, drawn.seed) == ("monte-carlo", samples, seed)
        for p, estimate in ((exact.p_value, drawn.p_value), (exact.p_two_sided, drawn.p_two_sided)):
            assert abs(estimate - p) < 4.5 * math.sqrt(p * (1 - p) / samples) + 1 / samples


def test_monte_carlo_p_is_never_zero() -> None:
    far = np.arange(30.0)
    assert permute_groups(far + 100, far, samples=999).p_value == 1 / 1000
    assert flip_signs(np.arange(1.0, 61), samples=999).p_value == 1 / 1000


def test_same_seed_same_answer_and_another_seed_another() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=30), rng.normal(size=30)
    assert permute_groups(x, y, samples=2000, seed=7) == permute_groups(x, y, samples=2000, seed=7)
    assert permute_groups(x, y, samples=2000, seed=7) != permute_groups(x, y, samples=2000, seed=8)
    assert flip_signs(np.r_[x, y], samples=2000, seed=7) == flip_signs(np.r_[x, y], samples=2000, seed=7)


def test_drawing_in_small_chunks_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=30), rng.normal(size=30)
    whole = permute_groups(x, y, samples=999), flip_signs(x, exact_up_to=0, samples=999)
    monkeypatch.setattr(permutation, "_CHUNK_VALUES", 700)
    assert (permute_groups(x, y, samples=999), flip_signs(x, exact_up_to=0, samples=999)) == whole


@given(few_values, few_values)
def test_swapping_the_groups_gives_the_complementary_p(x: list[int], y: list[int]) -> None:
    ties = brute_force_groups(x, y)[2]
    there, back = permute_groups(x, y), permute_groups(y, x)
    assert there.p_value + back.p_value == pytest.approx(1 + ties)
    assert there.p_two_sided == pytest.approx(back.p_two_sided)


@given(few_values)
def test_negating_the_differences_gives_the_complementary_p(differences: list[int]) -> None:
    ties = brute_force_flips(differences)[2]
    there, back = flip_signs(differences), flip_signs([-d for d in differences])
    assert there.p_value + back.p_value == pytest.approx(1 + ties)
    assert there.p_two_sided == back.p_two_sided


@given(few_values, few_values, st.floats(-50, 50), st.floats(0.01, 100), st.randoms())
def test_group_p_ignores_shift_scale_and_order(
    x: list[int], y: list[int], shift: float, scale: float, shuffler: random.Random
) -> None:
    moved_x, moved_y = [shift + scale * v for v in x], [shift + scale * v for v in y]
    shuffler.shuffle(moved_x)
    shuffler.shuffle(moved_y)
    assert permute_groups(moved_x, moved_y) == permute_groups(x, y)


@given(few_values, st.floats(0.01, 100), st.randoms())
def test_flip_p_ignores_scale_and_order(differences: list[int], scale: float, shuffler: random.Random) -> None:
    moved = [scale * d for d in differences]
    shuffler.shuffle(moved)
    assert flip_signs(moved) == flip_signs(differences)


@given(few_values, few_values, st.floats(0, 10))
def test_raising_the_first_group_never_raises_its_p(x: list[int], y: list[int], rise: float) -> None:
    assert permute_groups([v + rise for v in x], y).p_value <= permute_groups(x, y).p_value
    assert flip_signs([v + rise for v in x]).p_value <= flip_signs(x).p_value


@settings(max_examples=30)
@given(few_values, few_values, st.sampled_from([0, 40]))
def test_p_lies_above_zero_and_up_to_one(x: list[int], y: list[int], exact_up_to: int) -> None:
    for test in (
        permute_groups(x, y, exact_up_to=exact_up_to, samples=99),
        flip_signs(x, exact_up_to=exact_up_to, samples=99),
    ):
        assert 0 < test.p_value <= 1
        assert 0 < test.p_two_sided <= 1


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        ([], [1.0], "x needs at least 1"),
        ([1.0], [], "y needs at least 1"),
        ([math.nan], [1.0], "x holds NaN"),
        ([1.0], [math.inf], "y holds NaN or infinite"),
        ([[1.0], [2.0]], [1.0], "x must be a flat list"),
    ],
)
def test_unusable_groups_are_refused(x: list[float], y: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        permute_groups(x, y)


def test_unusable_options_are_refused() -> None:
    with pytest.raises(ValueError, match="differences needs at least 1"):
        flip_signs([])
    with pytest.raises(ValueError, match="exact_up_to must lie between"):
        permute_groups([1.0], [2.0], exact_up_to=60)
    with pytest.raises(ValueError, match="samples must be at least 1"):
        flip_signs([1.0], samples=0)


@given(st.lists(st.integers(-5, 5), min_size=2, max_size=7), st.integers(0, 12))
def test_another_bound_counts_the_flips_that_reach_it(differences: list[int], bound: int) -> None:
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in itertools.product((1, -1), repeat=len(differences))
    ]
    found = flip_signs(differences, at_least=bound)
    assert found.p_value == pytest.approx(sum(total >= bound for total in sums) / len(sums))
    assert found.p_two_sided == pytest.approx(sum(abs(total) >= bound for total in sums) / len(sums))


@given(st.lists(st.integers(-5, 5), min_size=3, max_size=3), st.lists(st.integers(-5, 5), min_size=3, max_size=3))
def test_another_bound_counts_the_re_splits_that_reach_it(x: list[int], y: list[int]) -> None:
    pooled, centre = x + y, sum(x + y) / 2
    sums = [sum(chosen) - centre for chosen in itertools.combinations(pooled, 3)]
    found = permute_groups(x, y, at_least=1.5)
    assert found.p_two_sided == pytest.approx(sum(abs(total) >= 1.5 for total in sums) / len(sums))
