"""ECT: do male and female words see the topics in the same order?

Embedding coherence test (Dev and Phillips 2019): with m = mean(A), f = mean(B) of unit vectors and w over all targets,

    coherence = Spearman's rank correlation of cos(w, m) with cos(w, f)

1 is neutral and lower is worse. It does not say which way.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tiltmeter.instruments._bibliography import DEV
from tiltmeter.instruments._differences import Sureness, correlation_change
from tiltmeter.instruments._queries import QueryOptions
from tiltmeter.instruments._word_measures import Floats, Number, Sets, word_instrument
from tiltmeter.statistics import spearman


def measure(sets: Sets) -> Mapping[str, Mapping[str, Floats]]:
    means = {side: sets.unit[role].mean(0) for side, role in (("male", "a"), ("female", "b"))}
    return {
        role: {f"cosine_{side}": sets.unit[role] @ mean / np.linalg.norm(mean) for side, mean in means.items()}
        for role in "xy"
    }


def summarise(rows: pl.DataFrame, options: QueryOptions) -> Mapping[str, Number]:  # noqa: ARG001
    found = rows.drop_nulls("cosine_male")
    order = spearman(found["cosine_male"].to_numpy(), found["cosine_female"].to_numpy())
    if order.reason:
        return {"coherence": Number(None, order.n)}
    return {"coherence": Number(order.r, order.n, (order.interval.low, order.interval.high, order.interval.label))}


def changes(before: pl.DataFrame, after: pl.DataFrame, options: QueryOptions) -> Mapping[str, Sureness | None]:
    cosines = [
        (found["cosine_male"].to_numpy(), found["cosine_female"].to_numpy())
        for found in (rows.drop_nulls("cosine_male") for rows in (before, after))
    ]
    return {"coherence": correlation_change(*cosines, ranked=True, over="words", seed=options.seed)}


INSTRUMENT = word_instrument(
    name="ect",
    title="Embedding coherence test",
    measures="whether male and female words are near to the words of two topics in the same order",
    formula="Spearman correlation of cos(w, mean A) with cos(w, mean B) over all targets w",
    reading="1 is neutral and lower is worse; it does not say which way",
    reference="Dev and Phillips (2019), Attenuating Bias in Word Vectors, AISTATS",
    bibtex=DEV,
    numbers={"coherence": ("lower", 1)},
    columns=("cosine_male", "cosine_female"),
    measure=measure,
    summarise=summarise,
    changes=changes,
)
