"""A certificate: what an instrument made of worlds whose bias is known, in numbers that a user can hold against it."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from tiltmeter.calibration.dose_response import Calibration, Score
from tiltmeter.calibration.worlds import Dial
from tiltmeter.statistics import holm, mean_interval, pearson

ALPHA = 0.05
LEVEL = 0.99
"""Of the exact interval of a rate of false positives."""
FOLLOWS = 0.9
"""A measure whose rank correlation with the dose is lower does not follow it."""
SIDES = {"one-sided": 1, "two-sided": 2}
"""Where the p of each kind stands in a reading."""
_NOTHING = (None, None, None)

_World = tuple[str, bool, bool]
"""A kind of world without bias: how classes are read, whether topics are coherent, whether sentences are drawn."""
Readings = Mapping[str, tuple[float | None, float | None, float | None]]
"""By measure: its value, its p as the instrument gives it, its two-sided p."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One world, and how it is read."""

    use: str
    """What it is for: `dose`, `null`, `power`, or the name of what is done otherwise."""
    dial: Dial
    dose: float
    seed: int
    often: int = 40
    method: str = "ppmi-svd"
    grammar: bool = True
    coherent: bool = False
    drawn: bool = False
    """Whether each sentence's gender is drawn, so that shares are as planted only on average."""
    half: int = 0
    """Which half of the sentence forms; 0 for all."""
    even: bool = True
    """Whether forms and gendered words are as frequent at every dose."""
    split: int = 0
    """Of a model that is read several times, with classes shuffled or of some words: which time."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the instrument said of a world, with all words and with either half of them."""

    setting: Setting
    readings: Readings
    halves: tuple[Readings, ...] = ()

    @classmethod
    def from_json(cls, row: Mapping[str, Any]) -> "Outcome":
        return cls(Setting(**row["setting"]), row["readings"], tuple(row["halves"]))


@dataclass(frozen=True)
class Certificate:
    """What was found about an instrument in a language."""

    instrument: str
    version: str
    capability: str
    lang: str
    about: Mapping[str, Any]
    outcomes: tuple[Outcome, ...]
    kind: str = "vectors"
    """Of subjects: `vectors`, `masked`, `causal` or `nli`."""
    ways: tuple[Mapping[str, Any], ...] = ({"prefix": "", "options": {}},)
    """The options under which it was measured, and what the names of measures begin with then."""
    published: tuple[str, ...] = ()
    """Estimates whose p is a paper's, or what names of measures begin with: told with its rate, not held against us."""
    of_the_model: tuple[str, ...] = ()
    """Estimates of a lean, where a stereotype is planted. Their p asks of a model whether it leans, which it may have
    come to by chance: how often it has is told, not held against the p. Those of female-typed words alone rise with the
    dose, those of male-typed ones fall; over all, nothing was planted."""
    instead: tuple[tuple[str, str], ...] = ()
    """Of an estimate whose p may fail, one to read instead, the best first."""
    unsigned: tuple[str, ...] = ()
    """Estimates that are never below 0: they have to follow the size of a dose, whichever way it leans."""

    @cached_property
    def measures(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(key for outcome in self.outcomes for key in outcome.readings))

    @cached_property
    def responses(self) -> dict[Dial, Calibration]:
        """Dose and response, for each dial."""
        found: dict[Dial, list[Score]] = {}
        for outcome in self._of("dose"):
            values = {key: reading[0] for key, reading in outcome.readings.items()}
            score = Score(seed=outcome.setting.seed, dose=outcome.setting.dose, learnt=None, values=values)
            found.setdefault(outcome.setting.dial, []).append(score)
        return {
            dial: Calibration(
                self.instrument,
                self.version,
                self.lang,
                self.measures,
                None,
                tuple(scores),
                {},
                unsigned=tuple(one for one in self.measures if set(one.split()) & set(self.unsigned)),
                turned=tuple(one for one in self.measures if self._is_of_the_model(one) and "male" in one.split()),
            )
            for dial, scores in found.items()
        }

    def false_positives(self) -> list[dict[str, Any]]:
        """How often p is at most .05 in worlds without any bias, for each measure and kind of p.

        Models are read with their classes shuffled, which asks whether a p keeps its level, and, where they have any,
        with their own, which also asks whether it takes for independent what is not: words of a class may share a part.

        `p_adjusted`: of p values of ours, whether that is more often than 5%, one-sided and exact, by Holm over all.
        """
        found: list[dict[str, Any]] = []
        by_kind_of_world: dict[_World, list[Outcome]] = {}
        models = self.kind != "vectors"
        own = self._of("own")
        own += [one for one in self._of("dose") if own and one.setting.dose == 0.0]
        for classes, read in (("shuffled" if models else "", self._of("null")), ("own", own)):
            for one in read:
                by_kind_of_world.setdefault((classes, one.setting.coherent, one.setting.drawn), []).append(one)
        for measure, ((classes, coherent, drawn), null) in product(self.measures, by_kind_of_world.items()):
            told = [(one.setting.seed, one.readings[measure]) for one in null if measure in one.readings]
            by_kind = {kind: [(seed, one[place]) for seed, one in told] for kind, place in SIDES.items()}
            if by_kind["one-sided"] == by_kind["two-sided"]:
                del by_kind["one-sided"]  # what the instrument gives is two-sided already
            for kind, values in by_kind.items():
                by_world: dict[int, list[bool]] = {}
                for seed, p in values:
                    if p is not None:
                        by_world.setdefault(seed, []).append(p <= ALPHA)
                if not by_world:
                    continue
                told_only = {
                    "published": bool(set(measure.split()) & set(self.published)),
                    "of_the_model": self._is_of_the_model(measure),
                }
                rate = _rate(list(by_world.values()))
                found.append(
                    {
                        "measure": measure,
                        "p": kind,
                        "classes": classes,
                        "coherent": coherent,
                        "drawn": drawn,
                        **told_only,
                    }
                    | rate
                    | {"p_value": None if any(told_only.values()) else rate["p_value"]}
                )
        adjusted = holm([row["p_value"] for row in found])
        return [row | {"p_adjusted": p} for row, p in zip(found, adjusted, strict=True)]

    def power(self) -> list[dict[str, Any]]:
        """How often the two-sided p finds a weak bias, by the sentences that each word stands in."""
        sizes = sorted({one.setting.often for one in self._of("power")})
        return [
            {"measure": measure, "sentences": often, "worlds": len(told), "rate": float(np.mean(told))}
            for measure in self.measures
            for often in sizes
            if (
                told := [
                    p <= ALPHA
                    for one in self._of("power")
                    if one.setting.often == often and (p := one.readings.get(measure, _NOTHING)[2]) is not None
                ]
            )
        ]

    def reliability(self) -> dict[str, float | None]:
        """Split-half reliability over the words that are measured: the correlation of what either half of them says in
        worlds of one dose, stepped up to the whole list (Spearman and Brown: 2r / (1 + r)), 0
        where r is not above 0."""
        return {measure: self._reliability(measure) for measure in self.measures}

    def _reliability(self, measure: str) -> float | None:
        by_dose: dict[float, list[tuple[float, float]]] = {}
        for one in (one for one in self._of("dose") if one.halves):
            first, second = (half.get(measure, (None,))[0] for half in one.halves)
            if one.setting.dial == self._first_dial and first is not None and second is not None:
                by_dose.setdefault(one.setting.dose, []).append((first, second))
        # Between doses any measure that moves at all agrees with itself.
        within = [np.array(pairs) - np.mean(pairs, axis=0) for pairs in by_dose.values() if len(pairs) > 1]
        if not within:
            return None
        r = pearson(*np.concatenate(within).T).r
        return None if math.isnan(r) else 2 * r / (1 + r) if r > 0 else 0.0

    def robustness(self) -> list[dict[str, Any]]:
        """The measures without bias and with as much as can be, as the world or its reading is changed."""
        plain = [one for one in self._of("dose") if one.setting.dial == self._first_dial]
        changed = [one for one in self.outcomes if one.setting.use not in ("dose", "null", "own", "power")]
        named = [(one if one.setting.use != "dose" else _called(one, "as it is")) for one in (*plain, *changed)]
        uses = dict.fromkeys(one.setting.use for one in named)
        return [
            {"measure": measure, "changed": use, "dose": dose, **_mean(values)}
            for measure in self.measures
            for use in uses
            for dose in (0.0, 1.0)
            if (
                values := [
                    value
                    for one in named
                    if (one.setting.use, one.setting.dose) == (use, dose)
                    and (value := one.readings.get(measure, _NOTHING)[0]) is not None
                ]
            )
        ]

    def to_json(self) -> dict[str, Any]:
        told: dict[str, Any] = {
            "instrument": self.instrument,
            "version": self.version,
            "capability": self.capability,
            "kind": self.kind,
            "lang": self.lang,
            "ways": [dict(way) for way in self.ways],
            "about": dict(self.about),
            "responses": {dial: list(self._told_responses(found)) for dial, found in self.responses.items()},
            "false_positives": self.false_positives(),
            "power": self.power(),
            "reliability": self.reliability(),
            "robustness": self.robustness(),
        }
        found: dict[str, Any] = _rounded(told | {"failures": list(_failures(told, self.instead))})
        return found

    def _is_of_the_model(self, measure: str) -> bool:
        return bool(set(measure.split()) & set(self.of_the_model))

    def _told_responses(self, found: Calibration) -> Iterator[dict[str, Any]]:
        for row in _responses(found):
            planted = not self._is_of_the_model(row["measure"]) or bool(
                {"female", "male"} & set(row["measure"].split())
            )
            yield {"measure": row["measure"], "planted": planted} | row

    def _of(self, use: str) -> list[Outcome]:
        return [one for one in self.outcomes if one.setting.use == use]

    @property
    def _first_dial(self) -> Dial:
        return next(iter(self.responses))


def follows(rank_correlation: float) -> bool:
    # A mean of .8, .9, .9 and 1 is a little below .9.
    return rank_correlation >= FOLLOWS - 1e-9


def _rounded(value: Any) -> Any:
    """What a certificate tells is never more exact than that, and it is read by people."""
    if isinstance(value, Mapping):
        return {key: _rounded(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return round(value, 6) if isinstance(value, float) else value


def _rate(worlds: list[list[bool]]) -> dict[str, Any]:
    """How often p was small, with a 99% interval and a one-sided p against 5%.

    Of worlds that were read once, or alike each time, exact (binomial); of models that were read many times, by t over
    the rates of the models, which are not independent within one.
    """
    from scipy.stats import binomtest, ttest_1samp

    rates = np.array([np.mean(world) for world in worlds])
    told = {"worlds": len(worlds), "readings": sum(map(len, worlds)), "rejected": sum(map(sum, worlds))}
    rate = float(rates.mean())
    if set(rates.tolist()) <= {0.0, 1.0}:
        test = binomtest(int(rates.sum()), len(rates), ALPHA, alternative="greater")
        limits = binomtest(test.k, test.n).proportion_ci(LEVEL, "exact")
        return told | {"rate": rate, "ci": [float(limits.low), float(limits.high)], "p_value": float(test.pvalue)}
    within = ttest_1samp(rates, ALPHA, alternative="greater")
    low, high = ttest_1samp(rates, ALPHA).confidence_interval(LEVEL)
    return told | {"rate": rate, "ci": [max(0.0, float(low)), min(1.0, float(high))], "p_value": float(within.pvalue)}


def kind_of_p(row: Mapping[str, Any]) -> str:
    """Which p a rate of false positives is of, in words."""
    said = {
        row["p"]: True,
        "own classes": row["classes"] == "own",
        "published": row["published"],
        "of the model": row["of_the_model"],
    }
    return ", ".join(name for name, holds in said.items() if holds)


def worlds_of(row: Mapping[str, Any]) -> str:
    """How many worlds or models a rate of false positives is of, and which."""
    many = row["readings"] > row["worlds"]
    worlds = f"{row['worlds']:,} models, {row['readings']:,} splits" if many else f"{row['worlds']:,}"
    return worlds + f"{' with coherent topics' if row['coherent'] else ''}{', drawn' if row['drawn'] else ''}"


def _called(outcome: Outcome, use: str) -> Outcome:
    return replace(outcome, setting=replace(outcome.setting, use=use))


def _failures(told: Mapping[str, Any], instead: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What a user has to be warned of: a p of ours that finds too much, a measure that follows nothing."""
    finds_too_much = [
        row for row in told["false_positives"] if row["p_adjusted"] is not None and row["p_adjusted"] <= ALPHA
    ]
    fails = {row["measure"] for row in finds_too_much}
    holds = {row["measure"] for row in told["false_positives"]} - fails
    for row in finds_too_much:
        low, high = row["ci"]
        others = (row["measure"].replace(name, other) for name, other in instead if name in row["measure"].split())
        better = next((one for one in others if one in holds), "")
        yield (
            f"{row['measure']}: its {row['p']} p is at most {ALPHA:g} in {row['rate']:.1%} of worlds without bias"
            f"{' whose topics are coherent' if row['coherent'] else ''}"
            f"{', sentences drawn' if row['drawn'] else ''}"
            f"{', read with their own classes' if row['classes'] == 'own' else ''}"
            f" (99% interval {low:.1%} to {high:.1%}){f'; read {better}' if better else ''}"
        )
    by_measure: dict[str, dict[str, float | None]] = {}
    for dial, rows in told["responses"].items():
        for row in (row for row in rows if row["planted"]):
            by_measure.setdefault(row["measure"], {})[dial] = row["rank_correlation"]
    for measure, found in by_measure.items():
        known = {dial: value for dial, value in found.items() if value is not None}
        if not known:
            yield f"{measure}: it could not be measured in every world"
        elif not follows(max(known.values())):
            values = ", ".join(f"{dial} {value:.2f}" for dial, value in known.items())
            yield f"{measure}: it follows nothing that was planted (rank correlation: {values})"


def _responses(found: Calibration) -> Iterator[dict[str, Any]]:
    for one in found.following():
        yield {
            "measure": one.measure,
            "rank_correlation": one.correlation,
            "ci": None if one.interval is None else [one.interval.low, one.interval.high],
            "lowest_of_a_seed": one.lowest,
            "seeds": one.seeds,
            "slope": _slope(found, one.measure),
            "by_dose": [
                {"dose": dose, **_mean([value for value in values if value is not None])}
                for dose in found.doses
                if (values := [score.values.get(one.measure) for score in found.scores if score.dose == dose])
            ],
        }


def _slope(found: Calibration, measure: str) -> dict[str, Any]:
    """By how much it rises with a dose of 1, seed by seed."""
    slopes = []
    for seed in found.seeds:
        points = [
            (found.held_against(measure, one.dose), value)
            for one in found.scores
            if one.seed == seed and (value := one.values.get(measure)) is not None
        ]
        if len(points) > 1:
            doses, values = zip(*points, strict=True)
            slopes.append(float(np.polyfit(doses, values, 1)[0]))
    return _mean(slopes)


def _mean(values: list[float]) -> dict[str, Any]:
    if not values:
        return {"value": None, "ci": None}
    interval = mean_interval(values) if len(values) > 1 else None
    limits = None if interval is None or math.isnan(interval.low) else [interval.low, interval.high]
    return {"value": float(np.mean(values)), "ci": limits}
