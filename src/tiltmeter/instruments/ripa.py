"""RIPA: how far do words lie along the line from a female word to its male partner?

Relational inner product association (Ethayarajh, Duvenaud and Hirst 2019), on vectors as they stand in the file:

    ripa(w) = mean over pairs of < w, (a - b) / ||a - b|| >

Above 0 a word leans male. `lean` = mean ripa(x) - mean ripa(y): above 0 the first topic leans more male than the
second; 0 is neutral, further away is worse. Long vectors weigh more, which WEAT's cosines do not allow.
"""

from collections.abc import Mapping

import numpy as np
import polars as pl

from tiltmeter.instruments._bibliography import ETHAYARAJH
from tiltmeter.instruments._differences import Sureness, topic_change
from tiltmeter.instruments._queries import QueryOptions
from tiltmeter.instruments._word_measures import Floats, Number, Sets, topic_difference, word_instrument


def measure(sets: Sets) -> Mapping[str, Mapping[str, Floats]]:
    relations = sets.raw["a"] - sets.raw["b"]
    lengths = np.linalg.norm(relations, axis=1, keepdims=True)
    # A pair whose two vectors are one row has no direction to measure along.
    directions = np.divide(relations, lengths, out=np.zeros_like(relations), where=lengths > 0)
    return {role: {"ripa": (sets.raw[role] @ directions.T).mean(1)} for role in "xy"}


def summarise(rows: pl.DataFrame, options: QueryOptions) -> Mapping[str, Number]:
    x, y = (rows.filter(pl.col("role") == role).drop_nulls("ripa")["ripa"].to_numpy() for role in "xy")
    return {
        "lean": topic_difference(x, y, options),
        "ripa_x": Number(float(x.mean()), x.size),
        "ripa_y": Number(float(y.mean()), y.size),
    }


def changes(before: pl.DataFrame, after: pl.DataFrame, options: QueryOptions) -> Mapping[str, Sureness | None]:  # noqa: ARG001
    both = before.select("role", change=after["ripa"] - before["ripa"]).drop_nulls()
    x, y = (both.filter(pl.col("role") == role)["change"].to_numpy() for role in "xy")
    return {"lean": topic_change(x, y)}


INSTRUMENT = word_instrument(
    name="ripa",
    title="Relational inner product association",
    measures="how far the words of two topics lie along the line from female words to their male partners",
    formula="ripa(w) = mean over pairs of <w, (a - b)/|a - b|>; lean = mean ripa(x) - mean ripa(y)",
    reading="0 is neutral and further away is worse; above 0 the first topic leans more male than the second",
    reference="Ethayarajh, Duvenaud and Hirst (2019), Understanding Undesirable Word Embedding Associations, ACL",
    bibtex=ETHAYARAJH,
    numbers={"lean": ("away", 0), "ripa_x": ("away", 0), "ripa_y": ("away", 0)},
    columns=("ripa",),
    measure=measure,
    summarise=summarise,
    changes=changes,
)
