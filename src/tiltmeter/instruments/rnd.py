"""RND: is a topic nearer to the mean of the male words or to that of the female words?

Relative norm distance (Garg et al. 2018), on vectors of unit length:

    rnd(w) = || w - mean(A) || - || w - mean(B) ||

Below 0 a word lies nearer to the male mean, as published. `lean` = mean rnd(y) - mean rnd(x), so that above 0 the first
topic leans more male than the second, as in WEAT; 0 is neutral, further away is worse.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tiltmeter.instruments._bibliography import GARG
from tiltmeter.instruments._differences import Sureness, topic_change
from tiltmeter.instruments._queries import QueryOptions
from tiltmeter.instruments._word_measures import Floats, Number, Sets, topic_difference, word_instrument


def measure(sets: Sets) -> Mapping[str, Mapping[str, Floats]]:
    male, female = sets.unit["a"].mean(0), sets.unit["b"].mean(0)
    return {
        role: {
            "distance_male": np.linalg.norm(sets.unit[role] - male, axis=1),
            "distance_female": np.linalg.norm(sets.unit[role] - female, axis=1),
        }
        for role in "xy"
    }


def summarise(rows: pl.DataFrame, options: QueryOptions) -> Mapping[str, Number]:
    distances = rows.drop_nulls("distance_male").with_columns(rnd=pl.col("distance_male") - pl.col("distance_female"))
    x, y = (distances.filter(pl.col("role") == role)["rnd"].to_numpy() for role in "xy")
    return {
        "lean": topic_difference(-x, -y, options),
        "rnd_x": Number(float(x.mean()), x.size),
        "rnd_y": Number(float(y.mean()), y.size),
    }


def changes(before: pl.DataFrame, after: pl.DataFrame, options: QueryOptions) -> Mapping[str, Sureness | None]:  # noqa: ARG001
    both = before.select("role", change=_rnd(before) - _rnd(after)).drop_nulls()
    x, y = (both.filter(pl.col("role") == role)["change"].to_numpy() for role in "xy")
    return {"lean": topic_change(x, y)}


def _rnd(rows: pl.DataFrame) -> pl.Series:
    return rows["distance_male"] - rows["distance_female"]


INSTRUMENT = word_instrument(
    name="rnd",
    title="Relative norm distance",
    measures="whether two topics differ in which mean they lie nearer to, that of male or that of female words",
    formula="rnd(w) = |w - mean A| - |w - mean B|; lean = mean rnd(y) - mean rnd(x)",
    reading="0 is neutral and further away is worse; above 0 the first topic leans more male than the second",
    reference="Garg, Schiebinger, Jurafsky and Zou (2018), PNAS 115(16), E3635-E3644",
    bibtex=GARG,
    numbers={"lean": ("away", 0), "rnd_x": ("away", 0), "rnd_y": ("away", 0)},
    columns=("distance_male", "distance_female"),
    measure=measure,
    summarise=summarise,
    changes=changes,
)
