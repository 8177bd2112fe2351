"""What changed in BEC-Pro between two models. Professions are the units: each sentence that both could be asked."""

from collections.abc import Iterator
from typing import Any

import polars as pl

from tiltmeter.instruments._becpro_estimates import CLASSES, TEST, by_profession, estimate, usable
from tiltmeter.instruments._differences import (
    Key,
    Sureness,
    both_answered,
    contrast_change,
    correlation_change,
    key,
    known_to_one,
    mean_change,
    paired,
)
from tiltmeter.instruments.instrument import Paired

_ASKED = ("sentence", "template", "person", "person_gender", "profession", "profession_class", "informative")
_OVER = "professions"


def differences(before: pl.DataFrame, after: pl.DataFrame, options: Any) -> list[Paired]:
    first, second = both_answered(before, after, asked=_ASKED, answers=("association",))
    left_out = known_to_one(before["association"], after["association"])
    numbers = estimate(first, options), estimate(second, options)
    rows = usable(first).with_columns(change=usable(second)["association"] - usable(first)["association"])
    sure: dict[Key, Sureness | None] = dict(_associations(rows, options.seed))
    sure |= dict(_of_professions(by_profession(usable(first)), by_profession(usable(second)), options.seed))
    return paired(*numbers, sure, left_out=left_out)


def _associations(rows: pl.DataFrame, seed: int) -> Iterator[tuple[Key, Sureness | None]]:
    """Of each class with each gender: means over sentences, of which those of a profession belong together."""
    for (name, gender), some in rows.group_by("profession_class", "person_gender", maintain_order=True):
        group = {"profession_class": str(name), "person_gender": str(gender)}
        changes, professions = some["change"].to_numpy(), some["profession"].to_list()
        yield key(TEST, "association", group), mean_change(changes, clusters=professions, over=_OVER, seed=seed)


def _of_professions(before: pl.DataFrame, after: pl.DataFrame, seed: int) -> Iterator[tuple[Key, Sureness | None]]:
    both = before.with_columns(after=after["difference"], change=after["difference"] - before["difference"])
    changes = {name: both.filter(pl.col("profession_class") == name)["change"].to_numpy() for name in CLASSES}
    for name, values in {"all": both["change"].to_numpy(), **changes}.items():
        yield key(TEST, "f_minus_m", {"profession_class": name}), mean_change(values, over=_OVER, seed=seed)
    yield key(TEST, "stereotype_contrast"), contrast_change(changes["female"], changes["male"])
    shared = both.drop_nulls("share")
    if shared.height > 3:
        share = shared["share"].to_numpy()
        columns = [(shared[name].to_numpy(), share) for name in ("difference", "after")]
        found = correlation_change(columns[0], columns[1], ranked=True, over=_OVER, seed=seed)
        yield key(TEST, "rank_correlation"), found
    for (field,), rows in both.group_by("field", maintain_order=True):
        if field and rows.height > 1:
            found = mean_change(rows["change"].to_numpy(), over=_OVER, seed=seed)
            yield key(TEST, "f_minus_m_field", {"field": str(field)}), found
    for gender in ("female", "male"):
        less = [part["nonbinary"] - part[gender] for part in (before, after)]
        third = before.select("profession_class", change=less[1] - less[0]).drop_nulls()
        for name in CLASSES:
            values = third.filter(pl.col("profession_class") == name)["change"].to_numpy()
            group = {"profession_class": name}
            yield key(TEST, f"nonbinary_minus_{gender}", group), mean_change(values, over=_OVER, seed=seed)
