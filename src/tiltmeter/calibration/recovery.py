"""How well one measure recovers what was planted, as its certificate says."""

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb, floor
from operator import lt
from typing import Any

from tiltmeter.calibration.certificate import ALPHA, FOLLOWS, follows
from tiltmeter.results import shown

_Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What a certificate has of a measure; of several dials, of the one that it follows best."""

    measure: str
    planted: bool
    """Whether what it measures was planted: a lean is not where a stereotype is."""
    dial: str
    rank_correlation: float | None
    """With the dose; None where it could not be measured in every world."""
    ci: tuple[float, float] | None
    lowest_of_a_seed: float | None
    false_positive_rate: float | None
    """How often its p is at most .05 where nothing was planted: of its kinds of p and of worlds the highest, of
    those that fail where any does. Models that were read with their own classes are few, and count where they fail."""
    false_positive_ci: tuple[float, float] | None
    published: bool
    """Its p is a paper's: it is told with its rate."""
    of_the_model: bool
    """Its p asks whether this model leans, which one that learnt a text without bias may do: told with its rate."""
    p_fails: bool
    """Its p is ours, and at most .05 more often than in 5% of the worlds without bias."""
    power: float | None
    """How often its two-sided p finds a weak bias, with the most text that was tried; None where it follows another
    dial than the one that was turned for that."""
    reliability: float | None
    own_classes: tuple[int, int] | None
    """In how many models without bias, read with their own classes, its p is at most .05, and of how many. Too few to
    fail a p by themselves; told where chance alone makes as many in less than one of ten certificates."""
    without_bias: float | None
    """What it is on average where nothing was planted, if it grows from there whichever way the dose leans."""
    failures: tuple[str, ...]
    """What its certificate warns of."""

    @property
    def follows(self) -> bool:
        return self.planted and self.rank_correlation is not None and follows(self.rank_correlation)

    def said(self, *, with_p: bool = True, with_floor: bool = False) -> str:
        """All of it in a few words, for the cell of a table; the floor is for numbers that no model brings to 0."""
        if not self.planted:
            told = "was not planted"
        elif self.rank_correlation is None:
            told = "cannot always be measured"
        else:
            told = f"{'follows' if self.follows else 'does not follow'} ({_short(self.rank_correlation)})"
        if with_p and self.false_positive_rate is not None and (self.published or self.p_fails or self.of_the_model):
            false = "small" if self.of_the_model else "false"
            told += f"; p {false} in {self.false_positive_rate:.0%}"
        if with_p and self.own_classes and not (self.p_fails or self.of_the_model or self.published):
            found, models = self.own_classes
            if _chance(found, models) < 0.1:
                told += f"; p false in {found} of {models} with own classes"
        if with_floor and self.without_bias is not None:
            told += f"; {shown(self.without_bias)} without bias"
        return told


SAID = (
    "Calibration: does the number follow a bias that was planted (in brackets its rank correlation with the dose; not "
    f"below {FOLLOWS:g}), how often a p that is published, finds too much or asks for a lean is at most {ALPHA:g} "
    "where nothing was planted, and, of a number that grows with bias of either kind, what it was there"
)
"""What stands in such a cell."""


def recoveries(certificate: Mapping[str, Any]) -> dict[str, Recovery]:
    """What a certificate has of each measure that it knows."""
    responses = _by_measure({"dial": dial, **row} for dial, rows in certificate["responses"].items() for row in rows)
    null, power = _by_measure(certificate["false_positives"]), _by_measure(certificate["power"])
    failures: dict[str, list[str]] = {}
    for sentence in certificate["failures"]:
        failures.setdefault(_measure_of(sentence, responses), []).append(sentence)
    turned = next(iter(certificate["responses"]), "")
    best = {
        measure: max(rows, key=lambda row: _or_least(row["rank_correlation"])) for measure, rows in responses.items()
    }
    return {
        measure: _recovery(
            measure,
            row,
            null.get(measure, []),
            max(
                power.get(measure, []) if row["dial"] == turned else [],
                key=lambda row: int(row["sentences"]),
                default=None,
            ),
            certificate["reliability"].get(measure),
            tuple(failures.get(measure, ())),
        )
        for measure, row in best.items()
    }


def _recovery(
    measure: str,
    best: _Row,
    null: Sequence[_Row],
    power: _Row | None,
    reliability: float | None,
    failures: tuple[str, ...],
) -> Recovery:
    failing = [row for row in null if row["p_adjusted"] is not None and row["p_adjusted"] <= ALPHA]
    told = failing or [row for row in null if row["classes"] != "own"]
    worst = max(told, key=lambda row: float(row["rate"]), default=None)
    return Recovery(
        measure=measure,
        planted=best["planted"],
        dial=best["dial"],
        rank_correlation=best["rank_correlation"],
        ci=_pair(best["ci"]),
        lowest_of_a_seed=best["lowest_of_a_seed"],
        false_positive_rate=None if worst is None else worst["rate"],
        false_positive_ci=None if worst is None else _pair(worst["ci"]),
        published=any(row["published"] for row in null),
        of_the_model=any(row["of_the_model"] for row in null),
        p_fails=bool(failing),
        power=None if power is None else power["rate"],
        reliability=reliability,
        own_classes=next(((row["rejected"], row["readings"]) for row in null if row["classes"] == "own"), None),
        without_bias=_least({point["dose"]: point["value"] for point in best["by_dose"]}),
        failures=failures,
    )


def _least(means: Mapping[float, float | None]) -> float | None:
    """The mean without bias, where means rise from it to both ends."""
    sides = [[means[dose] for dose in sorted(means, key=abs) if dose * side >= 0] for side in (-1, 1)]
    known = [[value for value in side if value is not None] for side in sides]
    rises = known == sides and all(len(side) > 1 and all(map(lt, side, side[1:])) for side in known)
    return means.get(0.0) if rises else None


def _chance(found: int, models: int) -> float:
    """Of so many models or more with a p of at most .05, where each has one by chance: a binomial tail, by hand since
    certificates are read without loading scipy's statistics."""
    return sum(comb(models, k) * ALPHA**k * (1 - ALPHA) ** (models - k) for k in range(found, models + 1))


def _by_measure(rows: Iterable[_Row]) -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for row in rows:
        found.setdefault(row["measure"], []).append(row)
    return found


def _measure_of(sentence: str, measures: Container[str]) -> str:
    """Of what a warning is: it begins with the measure, in whose name there may be a colon as well."""
    parts = sentence.split(": ")
    names = (": ".join(parts[:end]) for end in range(len(parts), 0, -1))
    return next((name for name in names if name in measures), "")


def _or_least(value: float | None) -> float:
    return -2.0 if value is None else value


def _pair(limits: Any) -> tuple[float, float] | None:
    return None if limits is None else (float(limits[0]), float(limits[1]))


def _short(value: float) -> str:
    """Two digits, and never 1.00 or 0.90 for what is less."""
    return f"{floor(value * 100 + 1e-9) / 100 if value > 0 else round(value, 2) + 0.0:.2f}"
