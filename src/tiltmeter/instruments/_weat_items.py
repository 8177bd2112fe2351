"""Reads a table of WEAT items: its tests, their words, the similarities in them, and what in these is grammar."""

import numpy as np
import polars as pl

from tiltmeter.instruments._association import Similarities
from tiltmeter.instruments._numbers import gathered
from tiltmeter.instruments._queries import ROLES, QueryOptions, void_sets
from tiltmeter.packs import GRAMMAR_TEST

COLUMNS = {
    **dict.fromkeys(("test", "target", "target_set", "target_label", "target_gender", "target_form"), pl.String),
    **dict.fromkeys(("attribute", "attribute_set", "attribute_label", "attribute_form"), pl.String),
    "pair": pl.Int64,
    "cosine": pl.Float64,
}
"""Of answered items."""

GenderMeans = dict[str, dict[str, float]]
"""By grammatical gender and attribute."""


def is_grammar(name: str) -> bool:
    return name == GRAMMAR_TEST or name.startswith(f"{GRAMMAR_TEST}-")


def attributes_of(rows: pl.DataFrame) -> tuple[str, ...]:
    return tuple(rows["attribute"].unique(maintain_order=True))


def gender_means(rows: pl.DataFrame, options: QueryOptions) -> GenderMeans:
    """For each grammatical gender and attribute: the mean cosine of its inanimate nouns, less that of m and f.

    Empty where the control has lost too many of its nouns to say what grammar does.
    """
    if void_sets(all_words(rows), options)[1]:
        return {}
    cosines = gathered(rows.drop_nulls("cosine"), ["target_gender", "attribute"], "cosine")
    table: GenderMeans = {}
    for gender, attribute, cosine in cosines.with_columns(pl.col("cosine").list.mean()).iter_rows():
        table.setdefault(gender, {})[attribute] = cosine
    middle = {attribute: (cosine + table["f"][attribute]) / 2 for attribute, cosine in table.get("m", {}).items()}
    return {
        gender: {attribute: cosine - middle[attribute] for attribute, cosine in row.items() if attribute in middle}
        for gender, row in table.items()
    }


def without_grammar(rows: pl.DataFrame, means: GenderMeans) -> pl.DataFrame:
    shares = [
        means.get(gender, {}).get(attribute, 0.0)
        for gender, attribute in rows.select("target_gender", "attribute").iter_rows()
    ]
    return rows.with_columns(cosine=pl.col("cosine") - pl.Series(shares, dtype=pl.Float64))


def words_of(rows: pl.DataFrame, role: str) -> pl.DataFrame:
    """The words of one of the four sets, in order, with the form found for each."""
    return all_words(rows).filter(pl.col("role") == role)


def all_words(rows: pl.DataFrame) -> pl.DataFrame:
    """The words of the four sets: `word, form, pair, role`."""
    kinds = [
        rows.select(word=kind, form=f"{kind}_form", pair="pair", role=f"{kind}_set").unique(
            ["word", "role"], keep="first", maintain_order=True
        )
        for kind in ("target", "attribute")
    ]
    return pl.concat(kinds).filter(pl.col("role").is_in(list(ROLES)))


def similarities_in(rows: pl.DataFrame) -> Similarities:
    """The cosines of the words found; a pair of attributes that lost one word is left out with both."""
    found: dict[str, dict[str, int]] = {role: {} for role in ROLES}
    for word, pair, role in all_words(rows).drop_nulls("form").select("word", "pair", "role").iter_rows():
        found[role][word] = pair
    second = {pair: word for word, pair in found["b"].items()}
    pairs = [(word, second[pair]) for word, pair in found["a"].items() if pair in second]
    cosine = {
        (target, attribute): value
        for target, attribute, value in rows.select("target", "attribute", "cosine").iter_rows()
    }
    return Similarities(
        **{
            f"{role}_{side}": np.array(
                [[cosine[target, pair[place]] for pair in pairs] for target in found[role]]
            ).reshape(len(found[role]), len(pairs))
            for role in "xy"
            for place, side in enumerate("ab")
        }
    )


def label_of(rows: pl.DataFrame, role: str) -> str:
    kind = "target" if role in "xy" else "attribute"
    return str(rows.filter(pl.col(f"{kind}_set") == role)[f"{kind}_label"][0])
