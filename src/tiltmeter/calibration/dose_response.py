"""How closely scores follow a dose that is known: rank correlations, their intervals over seeds, their differences."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.results import Figure
from tiltmeter.statistics import Interval, flip_signs, holm, mean_interval, spearman

FEW_SEEDS = 10
"""Fewer seeds than these are too few to publish a correlation with (and its interval)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One model: what was planted in it, and what was measured."""

    seed: int
    dose: float
    learnt: float | None
    """The share of pairs it was not shown that it answers as it was taught."""
    values: Mapping[str, float | None]
    """By measure, all turned so that higher says more bias."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Of the packages that trained the model."""


@dataclass(frozen=True, slots=True)
class Following:
    """How a measure follows the dose."""

    measure: str
    correlation: float | None
    """The mean over seeds of Spearman's rank correlation with the dose; a measure that does not move has 0."""
    interval: Interval | None
    lowest: float | None
    unrelated: int
    """Seeds in which the measure was the same at every dose, or rose as much as it fell."""
    seeds: int = 0
    """In which it was measured."""
    difference: float | None = None
    """From the correlation of the measure that it is held against, seed by seed."""
    difference_interval: Interval | None = None
    """By a studentised bootstrap of the seeds' differences; below ten seeds, by t."""
    p_value: float | None = None
    """Two-sided, of the difference: the signs of the seeds' differences exchanged in every way."""
    p_adjusted: float | None = None
    """By Holm, over all differences from that measure."""


@dataclass(frozen=True)
class Calibration:
    """All that was found about an instrument in a language."""

    instrument: str
    version: str
    lang: str
    measures: tuple[str, ...]
    against: str | None
    """The measure that the others are held against, if they are."""
    scores: tuple[Score, ...]
    about: Mapping[str, Any]
    """What was trained on what, with which settings and versions."""
    seconds: float = 0.0
    drawn: tuple[str, ...] = ()
    """The measures that stand in the figure, where all would hide each other."""
    unsigned: tuple[str, ...] = ()
    """Measures that say how much, not which way: they are held against the size of the dose."""
    turned: tuple[str, ...] = ()
    """Measures that fall where the dose rises: they are held against the dose turned round."""

    @cached_property
    def seeds(self) -> list[int]:
        return sorted({score.seed for score in self.scores})

    @cached_property
    def doses(self) -> list[float]:
        return sorted({score.dose for score in self.scores})

    @cached_property
    def correlations(self) -> dict[str, NDArray[np.float64]]:
        """For each measure, a correlation a seed; nan where the measure could not be had."""
        return {
            measure: np.array([self._correlation(measure, seed) for seed in self.seeds]) for measure in self.measures
        }

    def held_against(self, measure: str, dose: float) -> float:
        """What a measure has to follow."""
        return abs(dose) if measure in self.unsigned else -dose if measure in self.turned else dose

    def following(self) -> list[Following]:
        """Each measure, held against one of them."""
        found = [self._following(measure) for measure in self.measures]
        compared = [one for one in found if one.p_value is not None]
        adjusted = dict(zip((one.measure for one in compared), holm([one.p_value for one in compared]), strict=True))
        return [replace(one, p_adjusted=adjusted.get(one.measure)) for one in found]

    def _correlation(self, measure: str, seed: int) -> float:
        own = {score.dose: score.values.get(measure) for score in self.scores if score.seed == seed}
        values = [own.get(dose) for dose in self.doses]
        if any(value is None for value in values):
            return math.nan
        doses = [self.held_against(measure, dose) for dose in self.doses]
        found = spearman(doses, [value for value in values if value is not None])
        # What is the same at every dose orders nothing: it is no missing number, but no relation.
        return 0.0 if math.isnan(found.r) else found.r

    def _following(self, measure: str) -> Following:
        asked = {score.seed for score in self.scores if measure in score.values}
        own = self.correlations[measure][[seed in asked for seed in self.seeds]]
        if np.isnan(own).any() or not own.size:
            return Following(measure, None, None, None, 0)
        several = own.size > 1
        found = Following(
            measure,
            float(own.mean()),
            # Of correlations, most of which are near 1 and few are not, a studentised bootstrap has no end.
            _within_one(mean_interval(own, method="cluster-t")) if several else None,
            float(own.min()),
            int((own == 0.0).sum()),
            own.size,
        )
        if self.against in (None, measure) or not several:
            return found
        shifts = own - self.correlations[self.against]
        if np.isnan(shifts).any():
            return found
        return replace(
            found,
            difference=float(shifts.mean()),
            difference_interval=mean_interval(shifts),
            p_value=flip_signs(shifts, seed=0).p_two_sided,
        )

    def figure(self) -> Figure:
        """Dose and response: a line for each measure, with the interval of its mean over seeds."""
        measures = self.drawn or self.measures
        rows = [self._point(measure, dose) for measure in measures for dose in self.doses]
        seeds = f"{len(self.seeds)} seed{'s' if len(self.seeds) > 1 else ''}"
        return Figure(
            kind="series",
            title=f"{self.instrument}: planted bias and what is measured, {self.lang}",
            rows=tuple(rows),
            x="planted bias",
            y="score",
            low="low",
            high="high",
            colour="measure",
            order=measures,
            caption=f"Means over {seeds} with their 95% intervals; every measure is turned so that higher says more "
            "bias. A measure of bias rises from left to right; one that only counts wrong answers does not.",
        )

    def _point(self, measure: str, dose: float) -> dict[str, Any]:
        values = [score.values.get(measure) for score in self.scores if score.dose == dose]
        known = [value for value in values if value is not None]
        row = {"planted bias": dose, "measure": measure, "score": float(np.mean(known)) if known else None}
        if len(known) > 1:
            interval = mean_interval(known)
            row |= {"low": interval.low, "high": interval.high}
        return row | {key: None for key in ("low", "high") if key not in row}

    def to_json(self) -> dict[str, Any]:
        return {
            "instrument": self.instrument,
            "version": self.version,
            "lang": self.lang,
            "about": dict(self.about),
            "seconds": round(self.seconds, 1),
            "seeds": self.seeds,
            "doses": self.doses,
            "against": self.against,
            "measures": [_told(one) for one in self.following()],
            "scores": [
                {"seed": score.seed, "dose": score.dose, "learnt": score.learnt, **score.values}
                for score in self.scores
            ],
        }


def _told(one: Following) -> dict[str, Any]:
    return {
        "measure": one.measure,
        "rank_correlation": one.correlation,
        **_limits("ci", one.interval),
        "lowest_of_a_seed": one.lowest,
        "seeds_without_any_relation": one.unrelated,
        "difference": one.difference,
        **_limits("difference_ci", one.difference_interval),
        "difference_p": one.p_value,
        "difference_p_adjusted": one.p_adjusted,
    }


def _limits(name: str, interval: Interval | None) -> dict[str, Any]:
    known = interval is not None and not math.isnan(interval.low)
    return {
        name: [interval.low, interval.high] if interval is not None and known else None,
        f"{name}_method": interval.method if interval is not None else None,
        f"{name}_caution": interval.caution if interval is not None else None,
    }


def _within_one(interval: Interval) -> Interval:
    """A correlation is at most 1, however wide its interval."""
    if math.isnan(interval.low):
        return interval
    return replace(interval, low=max(-1.0, interval.low), high=min(1.0, interval.high))
