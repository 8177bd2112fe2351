"""What every subject that infers answers with: the probabilities of the three labels."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

LABELS = ("entailment", "contradiction", "neutral")
Floats = NDArray[np.float64]
_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "p_entailment": pl.Float64,
    "p_contradiction": pl.Float64,
    "p_neutral": pl.Float64,
    "label": pl.String,
    "lost": pl.String,
}


@dataclass(frozen=True, slots=True)
class Pair:
    """Does the hypothesis follow from the premise?"""

    premise: str
    hypothesis: str


def answered(probabilities: Sequence[Floats | None], labels: Sequence[str | None], lost: Sequence[str]) -> pl.DataFrame:
    """One row a pair, in the pairs' order; what was not told is null, and `lost` says why there is no answer."""
    columns = {
        f"p_{name}": [None if found is None else float(found[place]) for found in probabilities]
        for place, name in enumerate(LABELS)
    }
    return pl.DataFrame({**columns, "label": labels, "lost": lost}, schema=_SCHEMA)


def argmax_labels(probabilities: Sequence[Floats | None]) -> list[str | None]:
    """The most probable label; of equal ones the more cautious: neutral, then contradiction."""
    cautious = (2, 1, 0)
    return [None if found is None else LABELS[max(cautious, key=lambda place: found[place])] for found in probabilities]
