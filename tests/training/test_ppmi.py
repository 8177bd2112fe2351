"""Counts, information and decomposition, each computed a second way."""

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from tiltmeter.errors import TiltmeterError
from tiltmeter.training import ppmi

TEXT = [
    ["the", "nurse", "saw", "the", "doctor"],
    ["the", "doctor", "saw", "a", "nurse", "and", "a", "doctor"],
    ["a", "ship"],
    ["and"],
]
WORDS = sorted({word for line in TEXT for word in line} - {"ship"})
ROWS = {word: row for row, word in enumerate(WORDS)}


def _counted(text: list[list[str]], window: int) -> Counter[tuple[str, str]]:
    """Every word looks left and right, by plain loops."""
    pairs: Counter[tuple[str, str]] = Counter()
    for line in text:
        kept = [word for word in line if word in ROWS]
        for place, word in enumerate(kept):
            for other in range(len(kept)):
                if other != place and abs(other - place) <= window:
                    pairs[word, kept[other]] += 1
    return pairs


def _dense(pairs: Counter[tuple[str, str]]) -> list[list[int]]:
    return [[pairs[word, context] for context in WORDS] for word in WORDS]


@pytest.mark.parametrize("window", [1, 2, 3, 50])
@pytest.mark.parametrize("block", [3, 1_000_000])
def test_counts_are_those_of_plain_loops(window: int, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ppmi, "_BLOCK", block)
    assert ppmi.cooccurrences(TEXT, ROWS, window).toarray().tolist() == _dense(_counted(TEXT, window))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from([*WORDS, "ship"]), max_size=9), max_size=12), st.integers(1, 6))
def test_counts_of_any_text_are_those_of_plain_loops(text: list[list[str]], window: int) -> None:
    assert ppmi.cooccurrences(text, ROWS, window).toarray().tolist() == _dense(_counted(text, window))


@pytest.mark.parametrize("smoothing", [0.75, 1.0])
def test_information_is_that_of_plain_loops(smoothing: float) -> None:
    pairs = _counted(TEXT, 2)
    total = sum(pairs.values())
    of = {word: sum(n for (first, _), n in pairs.items() if first == word) for word in WORDS}
    smooth_total = sum(of[word] ** smoothing for word in WORDS)
    expected = [[0.0] * len(WORDS) for _ in WORDS]
    for (word, context), n in pairs.items():
        joint, p_word, p_context = n / total, of[word] / total, of[context] ** smoothing / smooth_total
        expected[ROWS[word]][ROWS[context]] = max(0.0, math.log(joint / (p_word * p_context)))
    found = ppmi.positive_pmi(ppmi.cooccurrences(TEXT, ROWS, 2), smoothing).toarray()
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found.any()


def test_smoothing_takes_from_rare_contexts() -> None:
    counts = ppmi.cooccurrences(TEXT, ROWS, 2)
    plain, smooth = (ppmi.positive_pmi(counts, power).toarray() for power in (1.0, 0.75))
    rare = int(np.argmin(counts.sum(axis=0)))
    pairs = plain[:, rare] > 0
    assert pairs.any()
    assert (smooth[pairs, rare] < plain[pairs, rare]).all()


def _random_ppmi(words: int = 60) -> "csr_array[Any]":
    chance = np.random.default_rng(3)
    text = [[f"w{int(w)}" for w in np.minimum(chance.geometric(0.05, 12), words) - 1] for _ in range(400)]
    return ppmi.positive_pmi(ppmi.cooccurrences(text, {f"w{number}": number for number in range(words)}, 3))


@pytest.mark.parametrize("dimensions", [1, 5, 20, 59])
def test_no_matrix_of_that_rank_is_nearer(dimensions: int) -> None:
    """Eckart and Young: the error is that of numpy's full SVD, cut to as many columns."""
    matrix = _random_ppmi()
    left, values, right = np.linalg.svd(matrix.toarray())
    vectors = ppmi.factors(matrix, dimensions, seed=1)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=0) ** 2, values[:dimensions], rtol=1e-9)
    directions = vectors / np.linalg.norm(vectors, axis=0)
    error = np.linalg.norm(matrix.toarray() - directions @ directions.T @ matrix.toarray())
    best = np.linalg.norm(
        matrix.toarray() - (left[:, :dimensions] * values[:dimensions]) @ right[:dimensions], ord="fro"
    )
    assert error == pytest.approx(best, rel=1e-9)


def test_signs_do_not_hang_on_the_start() -> None:
    matrix = _random_ppmi()
    one, two = (ppmi.factors(matrix, 8, seed) for seed in (1, 2))
    np.testing.assert_allclose(one, two, atol=1e-9)
    assert (one[np.abs(one).argmax(axis=0), np.arange(8)] > 0).all()


def test_a_matrix_of_smaller_rank_gives_the_same_bytes_twice() -> None:
    counts = ppmi.cooccurrences([["a", "b"], ["c", "d"]] * 5, {w: row for row, w in enumerate("abcdef")}, 1)
    matrix = ppmi.positive_pmi(counts)
    first = ppmi.factors(matrix, 5, seed=0)
    assert np.isfinite(first).all()
    assert first.tobytes() == ppmi.factors(matrix, 5, seed=0).tobytes()


def test_a_word_without_company_has_a_vector_of_zeros() -> None:
    text = [*TEXT, ["ship"]]
    vectors = ppmi.train(iter(text[:2] + text[3:]), dict.fromkeys([*WORDS, "ship"], 1), window=2, dimensions=3, seed=0)
    assert not vectors[-1].any()
    assert vectors[:-1].any(axis=1).all()


def test_a_text_of_single_words_is_refused() -> None:
    with pytest.raises(TiltmeterError, match="no two words of the vocabulary stand in one line"):
        ppmi.train([["a"], ["b"]], {"a": 1, "b": 1}, window=2, dimensions=1, seed=0)
