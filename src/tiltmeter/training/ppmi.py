"""Vectors counted instead of learnt: positive pointwise mutual information, made small by an SVD."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array
from scipy.sparse.linalg import LinearOperator, eigsh

from tiltmeter.errors import TiltmeterError

_log = logging.getLogger(__name__)

FIXED: Mapping[str, Any] = {"context_smoothing": 0.75, "singular_value_power": 0.5}

_BLOCK = 1_000_000
_DENSE = 1000
"""Up to so many words the matrix is decomposed whole: ARPACK fails where nearly all singular values are wanted."""


def train(
    sentences: Iterable[list[str]], vocabulary: Mapping[str, int], *, window: int, dimensions: int, seed: int
) -> NDArray[np.float32]:
    """The vectors of the vocabulary's words, in its order: U √Σ of the smoothed positive PMI matrix (Levy, Goldberg
    and Dagan 2015). A word that stands with no other more often than chance has a vector of zeros."""
    _log.info("  counting pairs of words")
    counts = cooccurrences(sentences, {word: row for row, word in enumerate(vocabulary)}, window)
    if counts.nnz == 0:
        raise TiltmeterError("no two words of the vocabulary stand in one line; give lines of more than one word")
    _log.info("  decomposing %s pairs", f"{counts.nnz:,}")
    return factors(positive_pmi(counts), dimensions, seed).astype(np.float32)


def cooccurrences(sentences: Iterable[list[str]], rows: Mapping[str, int], window: int) -> "csr_array[Any]":
    """How often word i has word j at most `window` places away, within a line; words without a row are taken out
    before places are counted, as word2vec does.

    Memory grows with the number of different pairs, not with the length of the text.
    """
    sums: list[csr_array[Any]] = [csr_array((len(rows), len(rows)), dtype=np.int64)]
    for words, lines in _blocks(sentences, rows):
        for distance in range(1, min(window, len(words) - 1) + 1):
            together = lines[distance:] == lines[:-distance]
            first, second = words[:-distance][together], words[distance:][together]
            _add(sums, coo_array((np.ones(len(first), np.int64), (first, second)), shape=sums[0].shape).tocsr())
    ahead = sums.pop()
    while sums:
        ahead = ahead + sums.pop()
    return csr_array(ahead + ahead.T)


def positive_pmi(counts: "csr_array[Any]", smoothing: float = FIXED["context_smoothing"]) -> "csr_array[Any]":
    """max(0, log P(w,c) / (P(w) P_α(c))), where P_α(c) = #(c)^α / Σ #(c)^α: a rare context, whose PMI is always large,
    counts as if it were less rare."""
    pairs = counts.tocoo()
    word, context = pairs.coords
    of_word = np.asarray(counts.sum(axis=1), dtype=np.float64)
    of_context = np.asarray(counts.sum(axis=0), dtype=np.float64) ** smoothing
    information = np.log(pairs.data / of_word[word] * (of_context.sum() / of_context[context]))
    above = information > 0
    return coo_array((information[above], (word[above], context[above])), shape=counts.shape).tocsr()


def factors(matrix: "csr_array[Any]", dimensions: int, seed: int) -> NDArray[np.float64]:
    """U √Σ of the truncated SVD, the largest singular value first. An SVD leaves the sign of each column open: here
    its largest entry is positive."""
    if matrix.shape[0] <= _DENSE:
        left, values, _ = np.linalg.svd(matrix.toarray(), full_matrices=False)
        left, values = left[:, :dimensions], values[:dimensions]
    else:
        chance = np.random.default_rng(seed)
        square = LinearOperator(
            (matrix.shape[1], matrix.shape[1]), matvec=lambda vector: matrix.T @ (matrix @ vector), dtype=np.float64
        )
        # `scipy.sparse.linalg.svds` does the same, but starts again from unseeded noise where the rank is small.
        _, right = eigsh(square, k=dimensions, v0=chance.standard_normal(matrix.shape[1]), rng=chance)
        left, values, _ = np.linalg.svd(matrix @ right, full_matrices=False)
    sizes = np.abs(left)
    # Entries that are equal but for rounding count as equal, and the first of them decides.
    deciding = np.argmax(sizes >= sizes.max(axis=0) * (1 - 1e-6), axis=0)
    signs = np.where(left[deciding, np.arange(left.shape[1])] < 0, -1.0, 1.0)
    return np.asarray(left * signs * np.sqrt(values))


def _blocks(
    sentences: Iterable[list[str]], rows: Mapping[str, int]
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.int64]]]:
    """About a million words at a time: their rows, and the number of the line each stands in."""
    words: list[int] = []
    lengths: list[int] = []
    for sentence in sentences:
        known = [rows[word] for word in sentence if word in rows]
        words += known
        lengths.append(len(known))
        if len(words) >= _BLOCK:
            yield np.array(words, np.int32), np.repeat(np.arange(len(lengths)), lengths)
            words, lengths = [], []
    yield np.array(words, np.int32), np.repeat(np.arange(len(lengths)), lengths)


def _add(sums: "list[csr_array[Any]]", matrix: "csr_array[Any]") -> None:
    """Adds only matrices of like size, so that a large sum is not copied for every small one."""
    while sums and sums[-1].nnz <= 2 * matrix.nnz:
        matrix = csr_array(sums.pop() + matrix)
    sums.append(matrix)
