"""MAC: how near are gendered words to the topics on the whole?

Mean average cosine distance (Manzini et al. 2019): for every male or female word t and each of the two topics S,

    f(t, S) = mean over w in S of 1 - cos(t, w);   mac = mean of f over all t and both topics

1 is neutral (unrelated words), further away is worse. It does not tell male from female, so it hardly tells bias from
relatedness: read it before and after a mitigation, not alone.
"""

from collections.abc import Mapping

import polars as pl

from tiltmeter.instruments._bibliography import MANZINI
from tiltmeter.instruments._differences import Sureness, mean_change
from tiltmeter.instruments._queries import QueryOptions
from tiltmeter.instruments._word_measures import Floats, Number, Sets, word_instrument
from tiltmeter.statistics import mean_interval


def measure(sets: Sets) -> Mapping[str, Mapping[str, Floats]]:
    return {
        role: {f"distance_{topic}": 1 - (sets.unit[role] @ sets.unit[topic].T).mean(1) for topic in "xy"}
        for role in "ab"
    }


def summarise(rows: pl.DataFrame, options: QueryOptions) -> Mapping[str, Number]:
    found = rows.drop_nulls("distance_x")
    distances = ((found["distance_x"] + found["distance_y"]) / 2).to_numpy()
    # Both words of a pair mean the same but for gender: they are one unit.
    interval = mean_interval(distances, clusters=found["pair"].to_list(), seed=options.seed)
    return {"mac": Number(float(distances.mean()), distances.size, (interval.low, interval.high, interval.label))}


def changes(before: pl.DataFrame, after: pl.DataFrame, options: QueryOptions) -> Mapping[str, Sureness | None]:
    found = before.select("pair", change=_distance(after) - _distance(before)).drop_nulls()
    pairs, change = found["pair"].to_list(), found["change"].to_numpy()
    return {"mac": mean_change(change, clusters=pairs, over="attribute pairs", seed=options.seed)}


def _distance(rows: pl.DataFrame) -> pl.Series:
    return (rows["distance_x"] + rows["distance_y"]) / 2


INSTRUMENT = word_instrument(
    name="mac",
    title="Mean average cosine distance",
    measures="how near male and female words lie to two topics on the whole",
    formula="mean over gendered words t and topics S of mean 1 - cos(t, w), w in S",
    reading="1 is neutral and further away is worse; it does not say which way",
    reference="Manzini, Lim, Tsvetkov and Black (2019), Black is to Criminal as Caucasian is to Police, NAACL",
    bibtex=MANZINI,
    numbers={"mac": ("away", 1)},
    columns=("distance_x", "distance_y"),
    measure=measure,
    summarise=summarise,
    changes=changes,
)
