"""What the SlguSet score draws: pairs, the distribution over sentences, and sentences in their order."""

import math
from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from tiltmeter.results import Estimate, Figure

_BIAS = "bias, log10 P(male) / P(female): ← female | male →"
_ABOVE = "Above 0 the male word is the more probable, below 0 the female one; 1 is ten times."
_WIDTH = 0.25
"""Of a bar: the same for every model, so that several can lie over one another."""
_POINTS = 101


def figures_of(estimates: Sequence[Estimate], found: pl.DataFrame) -> Iterator[Figure]:
    yield Figure(
        kind="intervals",
        title="SlguSet: the prior of each pair of words",
        rows=tuple(
            {"pair": row.group["pair"], _BIAS: row.value, "low": row.ci_low, "high": row.ci_high, "sentences": row.n}
            for row in estimates
            if row.name == "prior"
        ),
        x=_BIAS,
        y="pair",
        low="low",
        high="high",
        neutral=0,
        caption=f"{_ABOVE} The mean over the sentences of a pair: what the words alone bring with them.",
    )
    bias = found["bias"].to_numpy()
    first = math.floor(bias.min() / _WIDTH)
    counts = np.bincount((np.floor(bias / _WIDTH) - first).astype(int))
    yield Figure(
        kind="histogram",
        title="SlguSet: how many sentences lean how far",
        rows=tuple(
            {_BIAS: (first + place) * _WIDTH, "to": (first + place + 1) * _WIDTH, "sentences": int(count)}
            for place, count in enumerate(counts)
        ),
        x=_BIAS,
        y="sentences",
        high="to",
        neutral=0,
        caption=f"{_ABOVE} After Figure 3 of the paper.",
    )
    shares = np.linspace(0, 1, _POINTS)
    yield Figure(
        kind="series",
        title="SlguSet: the bias of the sentences, sorted",
        rows=tuple(
            {"percent of the sentences": float(100 * share), _BIAS: float(value)}
            for share, value in zip(shares, np.quantile(bias, shares), strict=True)
        ),
        x="percent of the sentences",
        y=_BIAS,
        neutral=0,
        caption=f"{_ABOVE} Where the line crosses 0, the sentences change sides; a fair model has a flat line at 0.",
    )
