"""What to say beside an interval whose measured coverage falls short of its promise."""

import json
from functools import cache
from importlib.resources import files

ACCEPTABLE = 0.92
"""Measured coverage of a nominal 95% interval below which a reader must be told."""


def coverage_caution(method: str, units: int) -> str | None:
    """A sentence with the measured coverage of `method` if it is under 92% on any simulated distribution.

    Looked up at the largest tabulated number of clusters that is not above `units`, on means of normal,
    exponential and lognormal cluster effects (see `tiltmeter.statistics.coverage`).
    """
    by_distribution = _measured_coverage()[method]
    tabulated = sorted(int(clusters) for clusters in by_distribution["normal"])
    if units < tabulated[0]:
        return f"with {units} independent units there are too few for any interval to be trusted"
    nearest = max(clusters for clusters in tabulated if clusters <= units)
    shares = {name: by_clusters[str(nearest)] for name, by_clusters in by_distribution.items()}
    worst = min(shares, key=lambda name: shares[name])
    if shares[worst] >= ACCEPTABLE:
        return None
    return (
        f"in simulations of means with {nearest} clusters this interval covered "
        f"{100 * shares['normal']:.0f}% on normal but {100 * shares[worst]:.0f}% on {worst} data "
        "(nominal 95%)"
    )


@cache
def _measured_coverage() -> dict[str, dict[str, dict[str, float]]]:
    text = (files("tiltmeter.statistics") / "coverage.json").read_text(encoding="utf-8")
    coverage: dict[str, dict[str, dict[str, float]]] = json.loads(text)["coverage"]
    return coverage
