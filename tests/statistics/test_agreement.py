"""Agreement of judges, against other libraries, by hand and by what must hold."""

import math

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from statsmodels.stats.inter_rater import cohens_kappa as their_cohens_kappa
from statsmodels.stats.inter_rater import fleiss_kappa as their_fleiss_kappa

from tiltmeter.statistics import agreement, cohens_kappa, fleiss_kappa

tables = arrays.arrays(np.int64, st.tuples(st.integers(2, 25), st.integers(2, 4)), elements=st.integers(0, 3))


def varied(table: "np.ndarray") -> bool:
    """Whether at least two answers were given where something was judged twice."""
    judged = table[table.sum(axis=1) >= 2]
    return bool((judged.sum(axis=0) > 0).sum() > 1)


@given(tables)
def test_alpha_is_that_of_the_library_krippendorff(table: "np.ndarray") -> None:
    assume(varied(table))
    theirs = krippendorff.alpha(value_counts=table, level_of_measurement="nominal")
    assert agreement(table, resamples=99).alpha == pytest.approx(theirs, abs=1e-12)


def test_alpha_of_krippendorffs_own_example() -> None:
    """Twelve units, four observers, with gaps: alpha = 0.743 (Krippendorff 2011, Computing Krippendorff's
    Alpha-Reliability, section C)."""
    observers = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, 0, 0, 0],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, 0, 3],
        [0, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, 0],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, 0],
    ]
    table = [[sum(row[unit] == value for row in observers) for value in range(1, 6)] for unit in range(12)]
    found = agreement(table)
    assert found.alpha == pytest.approx(0.743, abs=0.0005)
    assert (found.units, found.votes) == (11, 40)


def test_a_number_by_hand() -> None:
    """Three judges, three sentences: keep keep keep, keep keep drop, drop drop drop.

    n = 9, n_keep = 5, n_drop = 4; only the second disagrees: (9 - 5) / 2 = 2.
    alpha = 1 - 8 * 2 / (81 - 41) = 0.6; P = (1 + 1/3 + 1) / 3, P_e = 41/81, kappa = (7/9 - 41/81) / (40/81) = 0.55.
    """
    found = agreement([[3, 0], [2, 1], [0, 3]])
    assert found.alpha == pytest.approx(0.6)
    assert found.kappa == pytest.approx(0.55)
    assert found.unanimous == pytest.approx(2 / 3)
    assert (found.units, found.votes, found.judges, found.kappa_units) == (3, 9, 3, 3)
    assert found.interval.caution is not None  # three sentences are too few for an interval


@given(st.integers(2, 5), st.lists(st.integers(0, 5), min_size=2, max_size=20))
def test_fleiss_kappa_is_that_of_statsmodels(judges: int, kept: list[int]) -> None:
    table = np.array([[min(k, judges), judges - min(k, judges)] for k in kept])
    assume((table.sum(axis=0) > 0).all())
    assert fleiss_kappa(table) == pytest.approx(their_fleiss_kappa(table), abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from("kdu"), st.sampled_from("kdu")), min_size=2, max_size=30))
def test_cohens_kappa_is_that_of_statsmodels(answers: list[tuple[str, str]]) -> None:
    one, other = zip(*answers, strict=True)
    seen = sorted({*one, *other})
    assume(len(seen) > 1)
    table = np.array([[sum(pair == (a, b) for pair in answers) for b in seen] for a in seen])
    assert cohens_kappa(one, other) == pytest.approx(their_cohens_kappa(table, return_results=False), abs=1e-12)


def test_fleiss_takes_the_most_frequent_number_of_judges() -> None:
    found = agreement([[3, 0], [2, 1], [0, 3], [1, 1], [2, 2]])
    assert (found.judges, found.kappa_units, found.units) == (3, 3, 5)
    assert found.kappa == pytest.approx(0.55)


def test_rows_of_unequal_sums_are_no_data_for_fleiss() -> None:
    with pytest.raises(ValueError, match="same number"):
        fleiss_kappa([[3, 0], [2, 0]])


def test_perfect_agreement_is_one_and_single_answers_count_for_nothing() -> None:
    found = agreement([[3, 0], [0, 3], [1, 0], [0, 0]])
    assert (found.alpha, found.kappa, found.unanimous, found.units) == (1.0, 1.0, 1.0, 2)


@pytest.mark.parametrize("table", [[[1, 0], [0, 1]], [[3, 0], [3, 0]], np.zeros((0, 2), dtype=int)])
def test_without_two_answers_or_with_one_kind_only_there_is_no_number(table: "np.ndarray") -> None:
    found = agreement(table)
    assert math.isnan(found.alpha)
    assert math.isnan(found.kappa)
    assert math.isnan(found.interval.low)
    assert math.isnan(cohens_kappa(["keep"], ["keep"]))


def test_one_thing_has_no_interval() -> None:
    found = agreement([[2, 1]])
    assert math.isnan(found.interval.low)
    assert found.interval.caution is not None


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    """Judges who say the truth with probability .9 agree with an alpha that is known: 1 - 2 * .9 * .1 / .5 = .64."""
    rng = np.random.default_rng(3)
    hits = 0
    for world in range(300):
        truth = rng.random(120) < 0.5
        votes = np.where(rng.random((3, 120)) < 0.9, truth, ~truth)
        kept = votes.sum(axis=0)
        found = agreement(np.stack([kept, 3 - kept], axis=1), resamples=499, seed=world).interval
        hits += found.low <= 0.64 <= found.high
    # 300 worlds at 95%: 99.9% of counts lie between 271 and 296.
    assert 271 <= hits <= 298
