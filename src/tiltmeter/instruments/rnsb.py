"""RNSB: does a classifier of the two topics see male and female words alike?

Relative negative sentiment bias (Sweeney and Najafian 2019), with the two topics in the place of positive and negative
words: logistic regression (L2, C = 1) learns to tell X from Y on unit vectors; q(t) is its probability of X for a
gendered word t, and P = q / sum(q):

    kl = sum over t of P(t) log(P(t) n)          (divergence of P from the uniform distribution, in nats)

0 is neutral and higher is worse. `lean` = mean q(a) - mean q(b): above 0 the first topic goes with male words; its p
swaps a and b within each pair, exactly.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tiltmeter.instruments._bibliography import SWEENEY
from tiltmeter.instruments._differences import Sureness, mean_change, statistic_change
from tiltmeter.instruments._queries import QueryOptions
from tiltmeter.instruments._word_measures import Floats, Number, Sets, word_instrument
from tiltmeter.statistics import flip_signs, mean_interval


def measure(sets: Sets) -> Mapping[str, Mapping[str, Floats]]:
    from sklearn.linear_model import LogisticRegression

    topics = np.concatenate([sets.unit["x"], sets.unit["y"]])
    labels = np.repeat([1, 0], [len(sets.unit["x"]), len(sets.unit["y"])])
    classifier = LogisticRegression(C=1.0, tol=1e-8, max_iter=10_000).fit(topics, labels)
    return {role: {"probability_x": classifier.predict_proba(sets.unit[role])[:, 1]} for role in "ab"}


def summarise(rows: pl.DataFrame, options: QueryOptions) -> Mapping[str, Number]:
    found = rows.drop_nulls("probability_x")
    q = found["probability_x"].to_numpy()
    share = q / q.sum()
    a, b = (found.filter(pl.col("role") == role).sort("pair")["probability_x"].to_numpy() for role in "ab")
    interval = mean_interval(a - b, seed=options.seed)
    flips = flip_signs(a - b, seed=options.seed)
    p = (flips.p_two_sided, flips.p_two_sided, flips.described("attribute-sign-flip", sides="two-sided"))
    return {
        "kl": Number(float(np.sum(share * np.log(share * share.size))), share.size),
        "lean": Number(float(np.mean(a - b)), share.size, (interval.low, interval.high, interval.label), p),
    }


def changes(before: pl.DataFrame, after: pl.DataFrame, options: QueryOptions) -> Mapping[str, Sureness | None]:
    first, second = (_by_pair(rows) for rows in (before, after))
    parts = _divergences(second).sum(1) - _divergences(first).sum(1)
    lean = (second[:, 0] - second[:, 1]) - (first[:, 0] - first[:, 1])
    over = "attribute pairs"
    return {
        "kl": statistic_change(
            first, second, lambda q: float(_divergences(q).sum()), parts, over=over, seed=options.seed
        ),
        "lean": mean_change(lean, over=over, seed=options.seed),
    }


def _by_pair(rows: pl.DataFrame) -> Floats:
    """q of the male and the female word of each pair."""
    found = rows.drop_nulls("probability_x")
    return np.column_stack(
        [found.filter(pl.col("role") == role).sort("pair")["probability_x"].to_numpy() for role in "ab"]
    )


def _divergences(q: Floats) -> Floats:
    """What each word adds to kl, none of it below 0: p log(p n) - p + 1/n, of which the last two cancel in the sum."""
    share = q / q.sum()
    parts: Floats = share * np.log(share * share.size) - share + 1 / share.size
    return parts


INSTRUMENT = word_instrument(
    name="rnsb",
    title="Relative negative sentiment bias, on two topics",
    measures="whether a classifier that tells two topics apart sees male and female words alike",
    formula="kl = KL(P || uniform), P(t) = q(t) / sum q, q(t) = probability of the first topic for a gendered word t",
    reading="kl: 0 is neutral and higher is worse; lean: above 0 the first topic goes with male words",
    reference="Sweeney and Najafian (2019), A Transparent Framework for Evaluating Unintended Demographic Bias, ACL",
    bibtex=SWEENEY,
    numbers={"kl": ("higher", 0), "lean": ("away", 0)},
    columns=("probability_x",),
    measure=measure,
    summarise=summarise,
    changes=changes,
)
