"""Several models on the same sentences: do they agree, and which of their scores differ?"""

from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.instruments._differences import Key, Sureness, both_answered, key, known_to_one, paired
from tiltmeter.instruments._numbers import Tested, number
from tiltmeter.instruments._slgu_estimates import TEST, Floats, estimate, sides, subsets, usable
from tiltmeter.instruments._together import (
    Runs,
    corrected_pairs,
    differences_table,
    model_names,
    said_differences,
    seed_of,
    together_where_alike,
)
from tiltmeter.instruments.instrument import Findings, Paired
from tiltmeter.results import Estimate, Figure, Note
from tiltmeter.statistics import resampled_interval, resampled_sums

_ASKED = ("context", "pair", "pronoun", "written", "flag", "chosen")
_METHOD = "paired bootstrap over sentences, percentile"
RESAMPLES = 9_999
_ROUNDING = 1e-9
"""A bias that varies by less does not vary."""
NAMES = ("bias_man", "bias_woman", "model_bias", "signed_mean")


def together(runs: Runs) -> Findings:
    """Figure 4, and Table 4 with the differences that are significant, over the sentences that every model answered.

    Only runs that were asked the same in the same way stand together.
    """
    return together_where_alike(runs, _together)


def _together(runs: Runs, which: str) -> Findings:
    names = model_names([result for result, _ in runs])
    tables = [
        usable(items).select("context", "pair", pl.col("bias").alias(f"bias{place}"))
        for place, (_, items) in enumerate(runs)
    ]
    shared = reduce(lambda one, other: one.join(other, on=("context", "pair"), maintain_order="left"), tables)
    if shared.height < 2:
        note = Note(kind="void", text="The models share fewer than two sentences, so that nothing can be compared.")
        return Findings(estimates=(), notes=(note,))
    bias = shared.drop("context", "pair").to_numpy()
    within = shared.select(pl.exclude("context", "pair") - pl.exclude("context", "pair").mean().over("pair")).to_numpy()
    differences = model_differences(bias, names, seed_of(runs))
    return Findings(
        estimates=tuple(differences),
        figures=(
            _agreement(bias, names, which, "Pearson's r of Bias_c over the sentences; after Figure 4 of the paper."),
            _agreement(
                within,
                names,
                f", less the prior of its pair{which}",
                "Pearson's r of what is left of Bias_c when each pair's own mean is taken away: whether the models "
                "agree about contexts, and not only about words.",
            ),
        ),
        tables=(
            differences_table(
                differences,
                f"SlguSet: which differences between models are significant{which}",
                f"{shared.height:,} sentences that every model answered, drawn anew {RESAMPLES:,} times, the same for "
                "all models; p corrected over the pairs of models (Holm) for each number. It speaks of other sentences "
                "of these pairs of words, not of other pairs.",
            ),
        ),
        notes=tuple(said_differences(differences, "model_bias", "Model_bias", f"{shared.height:,} sentences")),
    )


def differences(before: pl.DataFrame, after: pl.DataFrame, options: Any) -> list[Paired]:
    """What changed from one model to another, over the sentences that both answered."""
    first, second = both_answered(before, after, asked=_ASKED, answers=("bias",))
    numbers = estimate(first, options), estimate(second, options)
    both = first.with_columns(after=second["bias"])
    sure: dict[Key, Sureness | None] = {}
    for name, some in subsets(both, options).items():
        sure |= dict(_changes(usable(some), {"sentences": name}, options))
    for (pair,), some in usable(both).group_by("pair", maintain_order=True):
        sure |= dict(_changes(some, {"pair": str(pair)}, options))
    return paired(*numbers, sure, left_out=known_to_one(before["bias"], after["bias"]))


def _changes(some: pl.DataFrame, group: dict[str, str], options: Any) -> Iterator[tuple[Key, Sureness | None]]:
    if some.height < 2:
        return
    bias = some.select("bias", "after").to_numpy()
    observed, drawn = _resampled(bias, options.threshold, options.seed)
    for place, name in enumerate((*NAMES, "evident_man", "evident_woman")):
        change = observed[1, place] - observed[0, place]
        interval, p = resampled_interval(change, drawn[:, 1, place] - drawn[:, 0, place], n=some.height, method=_METHOD)
        found = Sureness(interval, Tested(p, f"{_METHOD}, two-sided"))
        of_pair = "prior" if name == "signed_mean" else f"{name}_pair"
        yield key(TEST, of_pair if "pair" in group else name, group), found


def model_differences(bias: Floats, names: Sequence[str], seed: int = 0) -> list[Estimate]:
    """Of every two models, corrected (Holm) over all of them, for each number of Table 4."""
    observed, drawn = _resampled(bias, 0.0, seed)
    found = []
    for place, name in enumerate(NAMES):
        rows = []
        for one, other in combinations(range(len(names)), 2):
            value = float(observed[one, place] - observed[other, place])
            limits, p = resampled_interval(
                value, drawn[:, one, place] - drawn[:, other, place], n=len(bias), method=_METHOD
            )
            group = {"model": names[one], "less": names[other]}
            tested = Tested(p, f"{_METHOD}, two-sided")
            rows.append(
                number(TEST, f"{name}_difference", value, group, n=len(bias), lost=0, limits=limits, tested=tested)
            )
        found += corrected_pairs(rows, name)
    return found


def _resampled(bias: Floats, threshold: float, seed: int) -> tuple[Floats, Floats]:
    """Bias_man, Bias_woman, Model_bias, the signed mean and the counts of each model (columns of `bias`), as they are
    and over sentences drawn anew, the same for every model: models x numbers, and resamples x models x numbers."""
    parts = [
        column
        for own in bias.T
        for column in (
            np.where(own > 0, own, 0.0),
            own > 0,
            np.where(own < 0, -own, 0.0),
            own < 0,
            own,
            own > threshold,
            own < -threshold,
        )
    ]
    sums = resampled_sums(np.column_stack(parts).astype(np.float64), resamples=RESAMPLES, seed=seed)
    drawn = _numbers(sums.reshape(len(sums), bias.shape[1], 7), len(bias))
    observed = []
    for own in bias.T:
        found = sides(own)
        counts = float((own > threshold).sum()), float((own < -threshold).sum())
        observed.append((found.bias_man, found.bias_woman, found.model_bias, found.signed_mean, *counts))
    return np.array(observed), drawn


def _numbers(sums: Floats, n: int) -> Floats:
    male, men, female, women, both, clear_male, clear_female = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        bias_man, bias_woman = male / men, female / women
    return np.stack([bias_man, bias_woman, (bias_man + bias_woman) / 2, both / n, clear_male, clear_female], axis=-1)


def _agreement(bias: Floats, names: Sequence[str], of_what: str, caption: str) -> Figure:
    rows = []
    for (one, left), (other, right) in (
        (a, b) for a in zip(names, bias.T, strict=True) for b in zip(names, bias.T, strict=True)
    ):
        still = min(np.ptp(left), np.ptp(right)) < _ROUNDING
        rows.append({"model": one, "other model": other, "r": None if still else float(np.corrcoef(left, right)[0, 1])})
    return Figure(
        kind="heat",
        title=f"SlguSet: correlation of the models' bias{of_what}",
        rows=tuple(rows),
        x="model",
        y="other model",
        colour="r",
        neutral=0,
        caption=caption,
    )
