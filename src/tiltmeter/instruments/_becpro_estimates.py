"""The numbers of BEC-Pro, all from its items table."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.instruments._becpro_figures import figures_of
from tiltmeter.instruments._becpro_wording import ALONE, few_professions, given_away, hypotheses, readings
from tiltmeter.instruments._numbers import Tested, by_permutation, gathered, number
from tiltmeter.instruments._sentences import nothing_left
from tiltmeter.instruments.instrument import Findings
from tiltmeter.results import Estimate
from tiltmeter.statistics import (
    BRISK,
    THOROUGH,
    CrossedTest,
    Effort,
    Interval,
    crossed_contrast,
    crossed_correlation,
    crossed_t,
    difference_interval,
    mean_interval,
    permute_groups,
    spearman,
    wilcoxon,
)

TEST = "BEC-Pro"
CLASSES = ("female", "balanced", "male")
QUANTILES = {"min": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "max": 1.0}
Floats = NDArray[np.float64]


def estimate(items: pl.DataFrame, options: Any) -> Findings:
    """Tables 4.4 to 4.8, and what they lack: tests over professions, the contrast, and the share."""
    found = usable(items)
    lost = items["association"].null_count()
    if found.is_empty():
        raise nothing_left(items)
    professions = by_profession(found)
    estimates = [
        *_descriptive(found, lost, options),
        *_differences(items.filter("informative"), professions, lost, options),
        *_details(found, professions, lost, options),
    ]
    contrast = next(row for row in estimates if row.name == "stereotype_contrast")
    notes = [*readings(estimates), *few_professions(professions, contrast), *hypotheses(professions, options.margin)]
    figures = tuple(figures_of(estimates, professions, found))
    return Findings(estimates=tuple(estimates), notes=tuple(notes), figures=figures)


def bare_estimates(items: pl.DataFrame, options: Any) -> list[Estimate]:
    """The differences of classes alone, without details, words and figures; p-values of many words drawn, nothing
    else resampled."""
    lost = items["association"].null_count()
    return list(_differences(items.filter("informative"), by_profession(usable(items)), lost, options, bare=True))


def usable(items: pl.DataFrame) -> pl.DataFrame:
    """The sentences that were answered and tell the genders apart."""
    return items.filter(pl.col("association").is_not_null() & pl.col("informative"))


def by_profession(found: pl.DataFrame) -> pl.DataFrame:
    return _by(found, ["profession", "profession_class", "field", "share"])


def _by(found: pl.DataFrame, columns: list[str]) -> pl.DataFrame:
    """Female less male, for each value of the columns."""
    mean = pl.col("association")
    return (
        found.group_by(columns, maintain_order=True)
        .agg(
            difference=mean.filter(pl.col("person_gender") == "female").mean()
            - mean.filter(pl.col("person_gender") == "male").mean(),
            female=mean.filter(pl.col("person_gender") == "female").mean(),
            male=mean.filter(pl.col("person_gender") == "male").mean(),
            nonbinary=mean.filter(pl.col("person_gender") == "nonbinary").mean(),
        )
        .drop_nulls("difference")
    )


def _descriptive(found: pl.DataFrame, lost: int, options: Any) -> Iterator[Estimate]:
    """Tables 4.5 to 4.8: the association of each class with each gender, over sentences."""
    for name in (*CLASSES, "unclassed"):
        for gender in ("female", "male", "nonbinary"):
            rows = found.filter((pl.col("profession_class") == name) & (pl.col("person_gender") == gender))
            if rows.is_empty():
                continue
            values = rows["association"].to_numpy()
            group = {"profession_class": name, "person_gender": gender}
            limits = mean_interval(values, clusters=rows["profession"].to_list(), seed=options.seed)
            told = partial(number, TEST, group=group, n=len(values), lost=lost)
            yield told("association", float(values.mean()), limits=limits)
            yield told("sd", float(values.std(ddof=1)) if len(values) > 1 else None)
            for quantile, share in QUANTILES.items():
                yield told(quantile, float(np.quantile(values, share)))


def _differences(
    items: pl.DataFrame, professions: pl.DataFrame, lost: int, options: Any, *, bare: bool = False
) -> Iterator[Estimate]:
    """f_minus_m of each class and of all, the contrast of the classes, and the rank correlation with the share."""
    classes = {name: _of_class(professions, name) for name in CLASSES}
    cells = _cells(items)
    grammar = given_away(items)
    for name, values in {"all": professions["difference"].to_numpy(), **classes}.items():
        if len(values) == 0:
            continue
        limits = mean_interval(values, method="cluster-t" if bare else "auto", seed=options.seed)
        tested = _wilcoxon(values, "professions") if options.mode == "right" else _by_rows(items, name)
        group = {"profession_class": name}
        told = partial(number, TEST, value=float(values.mean()), group=group, n=len(values), lost=lost)
        yield told("f_minus_m", limits=limits, tested=tested)
        crossed = _crossed(cells if name == "all" else cells.filter(pl.col("profession_class") == name))
        reach, p = crossed or (None, None)
        yield told("f_minus_m_both", limits=reach, tested=None if grammar else p)
    yield _contrast(cells, classes["female"], classes["male"], lost, options, BRISK if bare else THOROUGH)
    shared = professions.drop_nulls("share")
    if shared.height > 3:
        yield _correlation(cells, shared, lost)


def _contrast(cells: pl.DataFrame, female: Floats, male: Floats, lost: int, options: Any, effort: Effort) -> Estimate:
    """Persons and professions both taken as drawn: words of a class share parts, so that they lean alike for some
    persons or others. With one person of a gender, or a person who was not asked with some profession, professions
    alone are."""
    told = partial(number, TEST, "stereotype_contrast", group={}, n=len(female) + len(male), lost=lost)
    if min(len(female), len(male)) < 2:
        return told(value=None)
    value = float(female.mean() - male.mean())
    x, y, known = _tables(cells.filter(pl.col("profession_class").is_in(["female", "male"])))
    group = (known["profession_class"] == "female").to_numpy()
    if min(len(x), len(y)) < 2 or known.height < len(female) + len(male):
        tested = by_permutation(permute_groups(female, male, seed=options.seed, **effort), ALONE)
        return told(value=value, limits=difference_interval(female, male), tested=tested)
    test = crossed_contrast(x, y, group)
    return told(value=value, limits=test.interval(value, n=known.height), tested=_tested(test, x, y))


def _correlation(cells: pl.DataFrame, shared: pl.DataFrame, lost: int) -> Estimate:
    """With the share of women, persons and professions both taken as drawn where there are enough."""
    r = spearman(shared["difference"].to_numpy(), shared["share"].to_numpy())
    told = partial(number, TEST, "rank_correlation", r.r, {}, n=r.n, lost=lost)
    x, y, known = _tables(cells.drop_nulls("share"))
    alone = told(limits=r.interval, tested=Tested(r.p_value, r.method))
    if min(len(x), len(y)) < 2 or known.height < shared.height or math.isnan(r.r):
        return alone
    test = crossed_correlation(x, y, known["share"].to_numpy())
    if math.isnan(test.p_value):
        return alone
    limits = test.interval_of_correlation(r.r, n=known.height) or r.interval
    return told(limits=limits, tested=_tested(test, x, y))


def _details(found: pl.DataFrame, professions: pl.DataFrame, lost: int, options: Any) -> Iterator[Estimate]:
    """Template by template, field by field, profession by profession, and persons of neither gender."""
    for template, name, value in (
        _by(found, ["template", "profession_class"]).select("template", "profession_class", "difference").iter_rows()
    ):
        group = {"template": template, "profession_class": name}
        yield number(TEST, "f_minus_m_template", value, group, n=len(_of_class(professions, name)), lost=lost)
    for (field,), rows in professions.group_by("field", maintain_order=True):
        if field:
            values = rows["difference"].to_numpy()
            limits = mean_interval(values, seed=options.seed) if len(values) > 1 else None
            value = float(values.mean())
            yield number(TEST, "f_minus_m_field", value, {"field": str(field)}, n=len(values), lost=lost, limits=limits)
    for name, value in professions.select("profession", "difference").iter_rows():
        yield number(TEST, "f_minus_m_profession", value, {"profession": name}, n=1, lost=lost)
    third = professions.drop_nulls("nonbinary")
    for name in CLASSES:
        rows = third.filter(pl.col("profession_class") == name)
        for gender in ("female", "male") if rows.height else ():
            values = (rows["nonbinary"] - rows[gender]).to_numpy()
            limits = mean_interval(values, seed=options.seed)
            group = {"profession_class": name}
            value = float(values.mean())
            yield number(TEST, f"nonbinary_minus_{gender}", value, group, n=len(values), lost=lost, limits=limits)


def _of_class(professions: pl.DataFrame, name: str) -> Floats:
    return professions.filter(pl.col("profession_class") == name)["difference"].to_numpy()


def _wilcoxon(values: Floats, over: str) -> Tested:
    test = wilcoxon(values)
    return Tested(test.p_value, f"Wilcoxon signed-rank over {test.n} {over}, {test.method}, two-sided")


def _cells(items: pl.DataFrame) -> pl.DataFrame:
    """The mean association of each person with each profession."""
    keys = ["person_gender", "person", "profession", "profession_class", "share"]
    return gathered(items.drop_nulls("association"), keys, "association").with_columns(
        pl.col("association").list.mean()
    )


def _tables(cells: pl.DataFrame) -> tuple[Floats, Floats, pl.DataFrame]:
    """Persons by professions, of women and of men, and the professions: those that all persons were asked with."""
    index = ["profession", "profession_class", "share"]
    female, male = (
        cells.filter(pl.col("person_gender") == gender).pivot("person", index=index, values="association")
        for gender in ("female", "male")
    )
    both = [
        table.filter(pl.all_horizontal(pl.all().exclude(index).is_not_null())).sort("profession")
        for table in (female, male)
    ]
    x, y = (
        table.join(other, on="profession", how="semi", maintain_order="left") for table, other in (both, reversed(both))
    )
    return x.drop(index).to_numpy().T, y.drop(index).to_numpy().T, x.select(index)


def _crossed(cells: pl.DataFrame) -> tuple[Interval | None, Tested] | None:
    """With persons and professions both taken as drawn: a model whose words for women are a little likelier in any
    sentence leans in every profession, and professions alone would make much of that."""
    x, y, known = _tables(cells)
    if min(len(x), len(y), known.height) < 2:
        return None
    test = crossed_t(x, y)
    return test.interval(float(x.mean() - y.mean()), n=known.height), _tested(test, x, y)


def _tested(test: CrossedTest, x: Floats, y: Floats) -> Tested:
    what = f"{x.shape[0]} + {y.shape[0]} persons and {x.shape[1]} professions taken as drawn"
    return Tested(test.p_two_sided, test.described(what, sides="two-sided"))


def _by_rows(items: pl.DataFrame, name: str) -> Tested | None:
    """As published: every female sentence against the male one in its place, as if they were independent."""
    rows = items if name == "all" else items.filter(pl.col("profession_class") == name)
    female, male = (rows.filter(pl.col("person_gender") == gender) for gender in ("female", "male"))
    if female.height != male.height:
        return None
    differences = (female["association"] - male["association"]).drop_nulls()
    return None if differences.is_empty() else _wilcoxon(differences.to_numpy(), "sentences, as published")
