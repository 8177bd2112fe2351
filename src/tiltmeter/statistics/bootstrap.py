"""Confidence limits of a mean of clustered rows, for many data sets at once.

Everything here works on cluster sums (one row per cluster, one column per data set) and cluster sizes: a
resample of whole clusters only changes how often each cluster counts. The simulation that measures coverage
calls the same function as the interval that is reported.
"""

from collections.abc import Iterator
from typing import Literal

import numpy as np

from tiltmeter.statistics.sample import TIE, FloatArray

MeanMethod = Literal["percentile", "bca", "bootstrap-t", "cluster-t"]

_CHUNK_VALUES = 2_000_000  # counts held at once while resampling


def mean_limits(
    sums: FloatArray, sizes: FloatArray, *, method: MeanMethod, level: float, resamples: int, seed: int
) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limits of the row mean, one of each per column of `sums`.

    With G clusters of n_g rows and sum S_g, N = sum n_g: mean m = sum S_g / N, residual e_g = S_g - n_g m,
    and the cluster-robust (CR1) variance v = G / (G - 1) sum e_g^2 / N^2, which is s^2 / n when every row is
    its own cluster (Liang and Zeger 1986; Cameron and Miller 2015).
    """
    clusters, total = sizes.size, sizes.sum()
    mean = sums.sum(axis=0) / total
    residuals = sums - sizes[:, None] * mean
    # Equal cluster means leave residuals of pure rounding, which a studentised interval would blow up.
    rounding = TIE * np.abs(sums).max(axis=0)
    residuals[np.abs(residuals) <= rounding] = 0.0
    error = np.sqrt(clusters / (clusters - 1) * (residuals**2).sum(axis=0)) / total
    tail = (1 - level) / 2

    if method == "cluster-t":
        from scipy.stats import t

        margin = t.ppf(1 - tail, clusters - 1) * error
        return mean - margin, mean + margin
    if method == "bootstrap-t":
        ratios = np.sort(_studentised_shifts(residuals, sizes, error, resamples, seed), axis=0)
        # Limits swap sides: a resample that errs high says the mean may lie low.
        low = mean - order_statistic(ratios, np.full(mean.size, 1 - tail)) * error
        return low, mean - order_statistic(ratios, np.full(mean.size, tail)) * error
    shifts = np.sort(_shifts(residuals, sizes, resamples, seed), axis=0)
    shares = np.full((2, mean.size), [[tail], [1 - tail]])
    if method == "bca":
        shares = _bca_shares(shifts, residuals, sizes, shares, tie=rounding * clusters / total)
    return mean + order_statistic(shifts, shares[0]), mean + order_statistic(shifts, shares[1])


def resampled_sums(columns: FloatArray, *, resamples: int, seed: int) -> FloatArray:
    """The sum of every column over rows drawn with replacement, one row per resample.

    Whatever is made of sums (means, ratios of them, differences between models) is resampled alike, at the cost of one
    matrix product.
    """
    chunks = _resampled_counts(columns.shape[0], resamples, seed)
    return np.concatenate([counts @ columns for counts in chunks])


def _shifts(residuals: FloatArray, sizes: FloatArray, resamples: int, seed: int) -> FloatArray:
    """How far each resampled mean lies from the observed one; resamples in rows."""
    chunks = _resampled_counts(sizes.size, resamples, seed)
    return np.concatenate([counts @ residuals / (counts @ sizes)[:, None] for counts in chunks])


def _studentised_shifts(
    residuals: FloatArray, sizes: FloatArray, error: FloatArray, resamples: int, seed: int
) -> FloatArray:
    """Each resampled mean's shift over its own cluster-robust standard error."""
    clusters, chunks = sizes.size, []
    for counts in _resampled_counts(clusters, resamples, seed):
        rows = (counts @ sizes)[:, None]
        shift = counts @ residuals / rows
        squares = counts @ residuals**2 - 2 * shift * (counts @ (residuals * sizes[:, None]))
        squares += shift**2 * (counts @ sizes**2)[:, None]
        variance = clusters / (clusters - 1) * squares / rows**2
        # A resample of equal clusters has no error of its own: it is infinitely far off, on its own side.
        flat = variance <= TIE * error**2
        ratio = shift / np.sqrt(np.where(flat, 1.0, variance))
        chunks.append(np.where(flat & (shift != 0), np.copysign(np.inf, shift), ratio))
    return np.concatenate(chunks)


def _resampled_counts(clusters: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each cluster is drawn, one row per resample, in chunks of bounded size."""
    rng = np.random.default_rng(seed)
    chunk = max(1, _CHUNK_VALUES // clusters)
    for start in range(0, resamples, chunk):
        rows = min(chunk, resamples - start)
        drawn = rng.integers(clusters, size=(rows, clusters)) + clusters * np.arange(rows)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)


def _bca_shares(
    shifts: FloatArray, residuals: FloatArray, sizes: FloatArray, shares: FloatArray, *, tie: FloatArray
) -> FloatArray:
    """Bias-corrected and accelerated shares, with a jackknife over clusters (Efron 1987)."""
    from scipy.special import ndtr, ndtri

    resamples = shifts.shape[0]
    below = ((shifts < -tie).mean(axis=0) + (shifts <= tie).mean(axis=0)) / 2  # a tie counts half
    bias = ndtri(np.clip(below, 1 / (resamples + 1), resamples / (resamples + 1)))
    without_one = -residuals / (sizes.sum() - sizes)[:, None]
    influence = without_one.mean(axis=0) - without_one
    squares = (influence**2).sum(axis=0)
    acceleration = (influence**3).sum(axis=0) / (6 * np.where(squares > 0, squares, 1.0) ** 1.5)
    moved = bias + ndtri(shares)
    return np.asarray(ndtr(bias + moved / (1 - acceleration * moved)))


def order_statistic(ordered: FloatArray, shares: FloatArray) -> FloatArray:
    """The (R + 1) share-th smallest of R values in each column (Davison and Hinkley 1997, 5.2.1)."""
    resamples = ordered.shape[0]
    places = np.clip(np.rint((resamples + 1) * shares).astype(int) - 1, 0, resamples - 1)
    return np.asarray(ordered[places, np.arange(ordered.shape[1])])
