"""MWEAT: are the masculine forms of adjectives tied to gender more strongly than the feminine ones?

Zhou et al. (2019), equation 3 of the BAD paper. For masculine forms X and feminine forms Y of the same adjectives:

    statistic = | |sum_x s(x, A, B)| - |sum_y s(y, A, B)| |,   s(w, A, B) = mean_a cos(w, a) - mean_b cos(w, b)

0 is neutral and higher is worse. An adjective with one form for both genders adds the same to both sums, so the MWEAT
of unmarked adjectives is 0. Two null hypotheses, named: `pair-swap` (an adjective's two forms are exchangeable) and
`re-split` (all forms are). Both depend on the sum over X alone: with T the sum over all forms, the statistic is at
least c exactly when |2 sum_x - T| is, so both are counted exactly up to 40 values.
"""

import numpy as np
import polars as pl
from numpy.typing import NDArray

from tiltmeter.instruments._adjectives import (
    COLUMNS,
    AdjectiveOptions,
    count_forms,
    list_adjectives,
    lost_adjectives,
    mean_similarities,
    pack_adjectives,
    shared_adjectives,
)
from tiltmeter.instruments._bibliography import ZHOU
from tiltmeter.instruments._differences import Key, Sureness, key, paired, statistic_change
from tiltmeter.instruments._numbers import reading
from tiltmeter.instruments.instrument import Findings, Instrument, Layout, Paired
from tiltmeter.packs import Pack
from tiltmeter.results import Estimate, Note, shown
from tiltmeter.statistics import (
    BRISK,
    THOROUGH,
    PermutationTest,
    flip_signs,
    permute_groups,
    statistic_interval,
)
from tiltmeter.subjects import Subject

TEST = "semantic-gender"
Floats = NDArray[np.float64]


def list_items(pack: Pack, options: AdjectiveOptions) -> pl.DataFrame:  # noqa: ARG001
    return list_adjectives(pack_adjectives(pack), [TEST])


def answer(
    items: pl.DataFrame, subject: Subject, pack: Pack, options: AdjectiveOptions
) -> tuple[pl.DataFrame, list[Note]]:
    return mean_similarities(items, subject, {TEST: pack.semantic_gender}, options)


def estimate(items: pl.DataFrame, options: AdjectiveOptions) -> Findings:
    """All adjectives, then the marked and the unmarked ones alone."""
    estimates: list[Estimate] = []
    notes: list[Note] = []
    for group, rows in _groups(items).items():
        found, said = _estimates(group, rows, options)
        estimates += found
        notes += said
    return Findings(estimates=tuple(estimates), notes=tuple(notes))


def bare_estimates(items: pl.DataFrame, options: AdjectiveOptions) -> list[Estimate]:
    """Values and p-values without intervals, the p-values of many words drawn: what a thousand worlds are asked."""
    groups = _groups(items).items()
    return [row for group, rows in groups for row in _estimates(group, rows, options, bare=True)[0]]


def differences(before: pl.DataFrame, after: pl.DataFrame, options: AdjectiveOptions) -> list[Paired]:
    """Adjectives are the units: drawn alike for both models, and what each adds to the two statistics."""
    shared = shared_adjectives(before, after)
    sure: dict[Key, Sureness | None] = {}
    for (group, rows), others in zip(_groups(shared.before).items(), _groups(shared.after).values(), strict=True):
        if lost_adjectives(rows, options)[2]:
            continue
        first, second = (_forms(part.drop_nulls("masculine_to_male")) for part in (rows, others))
        parts = _added(second) - _added(first)
        found = statistic_change(first, second, statistic, parts, over="adjectives", seed=options.seed)
        sure |= {key(TEST, name, {"adjectives": group}): found for name in _NAMES}
    found_in = [estimate(items, options) for items in (shared.before, shared.after)]
    return paired(found_in[0], found_in[1], sure, left_out=shared.left_out, broken=shared.broken)


INSTRUMENT = Instrument(
    name="mweat",
    version="1",
    title="Modified Word Embedding Association Test",
    measures="whether masculine or feminine forms of adjectives are tied more strongly to gender",
    formula="| |sum s(x,A,B)| - |sum s(y,A,B)| |, x masculine and y feminine forms",
    reading="0 is neutral and higher is worse; it does not say which way",
    reference="Zhou et al. (2019), Examining Gender Bias in Languages with Grammatical Gender, EMNLP, arXiv:1909.02224",
    bibtex=ZHOU,
    headline="statistic",
    verdict=(("statistic",),),
    columns=COLUMNS,
    layouts=(
        Layout(
            title="MWEAT: the statistic under two null hypotheses",
            names=("statistic", "statistic_resplit"),
            rows=("adjectives", "name"),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
        ),
    ),
    capability="vectors",
    lists=("adjectives", "semantic_gender"),
    options=AdjectiveOptions,
    items=list_items,
    questions=count_forms,
    answer=answer,
    estimate=estimate,
    differences=differences,
)


_NAMES = {"statistic": "pair-swap", "statistic_resplit": "re-split"}
"""The estimates, and what their p-values exchange."""


def _groups(items: pl.DataFrame) -> dict[str, pl.DataFrame]:
    groups = {"all": items, "marked": items.filter("marked"), "unmarked": items.filter(~pl.col("marked"))}
    return {
        name: rows
        for name, rows in groups.items()
        if not rows.is_empty() and (name == "all" or rows.height < items.height)
    }


def _forms(rows: pl.DataFrame) -> Floats:
    """s(w, A, B) of the masculine and of the feminine form of each adjective."""
    return np.column_stack(
        [(rows[f"{form}_to_male"] - rows[f"{form}_to_female"]).to_numpy() for form in ("masculine", "feminine")]
    )


def _added(forms: Floats) -> Floats:
    """What each adjective adds to the statistic, given the signs of the two sums and of their difference."""
    sums = forms.sum(axis=0)
    sides = np.sign(sums)
    parts: Floats = np.sign(abs(sums[0]) - abs(sums[1])) * (sides[0] * forms[:, 0] - sides[1] * forms[:, 1])
    return parts


def _estimates(
    group: str, rows: pl.DataFrame, options: AdjectiveOptions, *, bare: bool = False
) -> tuple[list[Estimate], list[Note]]:
    found, lost, void = lost_adjectives(rows, options)
    if void:
        nothing = [_estimate(name, group, None, found.height, lost) for name in _NAMES]
        return nothing, [Note(kind="void", caution="tests without a result", test=TEST, text=f"{group}: {void}.")]
    forms = _forms(found)
    x, y = forms.T
    value = statistic(forms)
    effort = BRISK if bare else THOROUGH
    nulls = {
        "statistic": flip_signs(x - y, at_least=value, seed=options.seed, **effort),
        "statistic_resplit": permute_groups(x, y, at_least=value / 2, seed=options.seed, **effort),
    }
    limits = None if bare else _limits(forms, options)
    estimates = [
        _estimate(name, group, value, found.height, lost, limits, nulls[name], method)
        for name, method in _NAMES.items()
    ]
    differ = "masculine and feminine forms differ in how strongly they are tied to gender"
    said = f"{group} adjectives: {differ}, by {shown(value)}, which is never below 0: only its p tells it from chance"
    return estimates, [reading(estimates[0], said, above=differ, below=differ)]


def _limits(forms: Floats, options: AdjectiveOptions) -> tuple[float, float, str] | None:
    interval = statistic_interval(forms, statistic, method="percentile", seed=options.seed, resamples=1999)
    return (interval.low, interval.high, interval.label) if np.isfinite(interval.low) else None


def statistic(forms: Floats) -> float:
    """Equation 3 on a table of s(w, A, B), masculine forms in the first column and feminine in the second."""
    sum_x, sum_y = forms.sum(axis=0)
    return float(abs(abs(sum_x) - abs(sum_y)))


def _estimate(
    name: str,
    group: str,
    value: float | None,
    n: int,
    lost: int,
    limits: tuple[float, float, str] | None = None,
    p: PermutationTest | None = None,
    method: str = "",
) -> Estimate:
    return Estimate(
        test=TEST,
        name=name,
        group={"adjectives": group},
        value=value,
        worse="higher",
        neutral=0,
        ci_low=limits[0] if limits else None,
        ci_high=limits[1] if limits else None,
        ci_method=f"bootstrap over adjectives, {limits[2]}" if limits else None,
        p_value=p.p_two_sided if p else None,
        p_two_sided=p.p_two_sided if p else None,
        p_method=p.described(method, sides="two-sided") if p else None,
        n=n,
        lost=lost,
    )
