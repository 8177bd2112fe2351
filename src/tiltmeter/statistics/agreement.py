"""How far people agree who judged the same things: Krippendorff's alpha, Fleiss' kappa, Cohen's kappa."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.intervals import Interval, resampled_interval

Counts = npt.NDArray[np.int64]
"""How many judges gave each answer: a row for each thing that was judged, a column for each answer."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far judges agree. All of these are 1 where they always do, and 0 where they do as by chance; lower is worse.

    What cannot be computed is nan: with no thing judged twice, or with one answer only.
    """

    alpha: float
    interval: Interval
    """Of alpha, over things that were judged."""
    kappa: float
    """Fleiss', over the things with the most frequent number of judges."""
    judges: int
    """That number."""
    kappa_units: int
    unanimous: float
    """Share of the things on which all judges gave the same answer."""
    units: int
    """Things with two answers and more."""
    votes: int
    """Answers about these."""


def agreement(counts: npt.ArrayLike, *, resamples: int = 1999, seed: int = 0) -> Agreement:
    """Agreement about nominal answers, from how often each was given for each thing.

    Things with fewer than two answers say nothing and are left out. The interval resamples things, since the answers
    about one are not independent.
    """
    table = np.asarray(counts, dtype=np.int64)
    table = table[table.sum(axis=1) >= 2]
    patterns, times = np.unique(table, axis=0, return_counts=True)
    units = int(times.sum())
    if units == 0:
        none = Interval(math.nan, math.nan, 0.95, _METHOD, 0, "nothing was judged twice")
        return Agreement(math.nan, none, math.nan, 0, 0, math.nan, 0, 0)
    alpha = float(_alpha(patterns, times[None, :].astype(np.float64))[0])
    # Things with the same answers are the same: drawing patterns is drawing things.
    drawn = np.random.default_rng(seed).multinomial(units, times / units, size=resamples).astype(np.float64)
    interval, _ = resampled_interval(alpha, _alpha(patterns, drawn), n=units, method=_METHOD)
    if units == 1:
        interval = replace(interval, low=math.nan, high=math.nan)
    sizes = patterns.sum(axis=1)
    judges = max(set(sizes.tolist()), key=lambda size: (int(times[sizes == size].sum()), size))
    same = sizes == judges
    return Agreement(
        alpha=alpha,
        interval=interval,
        kappa=fleiss_kappa(np.repeat(patterns[same], times[same], axis=0)),
        judges=judges,
        kappa_units=int(times[same].sum()),
        unanimous=float(times[(patterns > 0).sum(axis=1) == 1].sum() / units),
        units=units,
        votes=int((sizes * times).sum()),
    )


_METHOD = "percentile, resampling what was judged"


def _alpha(patterns: Counts, times: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Krippendorff's alpha for nominal data, for each row of `times`: how often each pattern of answers occurs.

    alpha = 1 - D_o / D_e; with n_uc answers c about u, m_u about u, n_c in all and n altogether:
    D_o = 1/n sum_u (m_u^2 - sum_c n_uc^2) / (m_u - 1), D_e = (n^2 - sum_c n_c^2) / (n (n - 1)).
    Krippendorff (2004), Content Analysis, chapter 11. Undefined (nan) where all answers are the same.
    """
    sizes = patterns.sum(axis=1)
    unlike = (sizes**2 - (patterns**2).sum(axis=1)) / (sizes - 1)
    by_answer = times @ patterns
    total = by_answer.sum(axis=1)
    expected = total**2 - (by_answer**2).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        found: npt.NDArray[np.float64] = np.where(expected > 0, 1 - (total - 1) * (times @ unlike) / expected, np.nan)
    return found


def fleiss_kappa(counts: npt.ArrayLike) -> float:
    """kappa = (P - P_e) / (1 - P_e): the share of agreeing pairs of judges beyond that of answers drawn at random.

    Every row has the same number of answers (Fleiss 1971). Undefined (nan) where all answers are the same.
    """
    table = np.asarray(counts, dtype=np.float64)
    judges = table[0].sum()
    if (table.sum(axis=1) != judges).any():
        raise ValueError("Fleiss' kappa needs the same number of answers in every row.")
    observed = float(((table**2).sum(axis=1) - judges).mean() / (judges * (judges - 1)))
    by_chance = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return math.nan if by_chance == 1 else (observed - by_chance) / (1 - by_chance)


def cohens_kappa(one: Sequence[str], other: Sequence[str]) -> float:
    """Cohen's (1960) kappa of two judges about the same things: (P - P_e) / (1 - P_e), where P_e is the share of equal
    answers if each judge drew theirs at random as often as they gave them. nan where both gave one answer only."""
    pairs = list(zip(one, other, strict=True))
    observed = sum(a == b for a, b in pairs) / len(pairs)
    by_chance = sum(one.count(answer) * other.count(answer) for answer in {*one, *other}) / len(pairs) ** 2
    return math.nan if by_chance == 1 else (observed - by_chance) / (1 - by_chance)
