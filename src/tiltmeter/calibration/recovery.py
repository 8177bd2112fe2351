"""How well one measure recovers what was planted, as its certificate says."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Any

from tiltmeter.calibration.certificate import ALPHA, FOLLOWS, follows


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """What a certificate has of a measure; of several dials, of the one that it follows best."""

    measure: str
    dial: str
    rank_correlation: float | None
    """With the dose; None where it could not be measured in every world."""
    ci: tuple[float, float] | None
    lowest_of_a_seed: float | None
    false_positive_rate: float | None
    """How often its p is at most .05 where nothing was planted: of its kinds of p and of worlds, the highest."""
    false_positive_ci: tuple[float, float] | None
    published: bool
    """Its p is a paper's: it is told with its rate."""
    p_fails: bool
    """Its p is ours, and at most .05 more often than in 5% of the worlds without bias."""
    power: float | None
    """How often its two-sided p finds a weak bias, with the most text that was tried."""
    reliability: float | None
    failures: tuple[str, ...]
    """What its certificate warns of."""

    @property
    def follows(self) -> bool:
        return self.rank_correlation is not None and follows(self.rank_correlation)

    def said(self, *, with_p: bool = True) -> str:
        """All of it in a few words, for the cell of a table."""
        if self.rank_correlation is None:
            told = "cannot always be measured"
        else:
            told = f"{'follows' if self.follows else 'does not follow'} ({_short(self.rank_correlation)})"
        if with_p and self.false_positive_rate is not None and (self.published or self.p_fails):
            told += f"; p false in {self.false_positive_rate:.0%}"
        return told


SAID = (
    "Calibration says whether the number follows a bias that was planted (in brackets its rank correlation with the "
    f"dose: 1 is best, below {FOLLOWS:g} it does not follow), and how often its p is at most {ALPHA:g} where nothing "
    "was planted, told where that p is a published one or finds too much"
)
"""What stands in such a cell."""


def recovery(certificate: Mapping[str, Any], measure: str) -> Recovery | None:
    """What a certificate has of a measure; None where it does not know it."""
    responses = [
        (dial, row) for dial, rows in certificate["responses"].items() for row in rows if row["measure"] == measure
    ]
    if not responses:
        return None
    dial, best = max(responses, key=lambda found: _or_least(found[1]["rank_correlation"]))
    null = [row for row in certificate["false_positives"] if row["measure"] == measure]
    worst = max(null, key=lambda row: float(row["rate"]), default=None)
    power = [row for row in certificate["power"] if row["measure"] == measure]
    return Recovery(
        measure=measure,
        dial=dial,
        rank_correlation=best["rank_correlation"],
        ci=_pair(best["ci"]),
        lowest_of_a_seed=best["lowest_of_a_seed"],
        false_positive_rate=None if worst is None else worst["rate"],
        false_positive_ci=None if worst is None else _pair(worst["ci"]),
        published=any(row["published"] for row in null),
        p_fails=any(row["p_adjusted"] is not None and row["p_adjusted"] <= ALPHA for row in null),
        power=max(power, key=lambda row: int(row["sentences"]))["rate"] if power else None,
        reliability=certificate["reliability"].get(measure),
        failures=tuple(sentence for sentence in certificate["failures"] if sentence.startswith(f"{measure}: ")),
    )


def _or_least(value: float | None) -> float:
    return -2.0 if value is None else value


def _pair(limits: Any) -> tuple[float, float] | None:
    return None if limits is None else (float(limits[0]), float(limits[1]))


def _short(value: float) -> str:
    """Two digits, and never 1.00 or 0.90 for what is less."""
    return f"{floor(value * 100 + 1e-9) / 100:.2f}"
