"""What a model predicted elsewhere, read from a file: `predictions:FILE`."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Store
from tiltmeter.subjects.inference.answers import LABELS, Floats, Pair, answered, argmax_labels
from tiltmeter.subjects.inference.json_lines import is_text, read_json_lines, read_text
from tiltmeter.subjects.inference.labels import meaning

ENGINE = "predictions-1"
_PREMISE, _HYPOTHESIS = ("premise", "sentence1"), ("hypothesis", "sentence2")
_PROBABILITIES = tuple(f"p_{label}" for label in LABELS)
_PREDICTION = "prediction"
_TOLERANCE = 0.02
"""How far probabilities may be from adding up to 1: files are rounded."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A label, and the probabilities of all three where the file has them."""

    label: str | None
    probabilities: Floats | None

    def agrees(self, other: "Predicted") -> bool:
        if self.probabilities is None or other.probabilities is None:
            return self.label == other.label and self.probabilities is other.probabilities
        return self.label == other.label and bool(np.allclose(self.probabilities, other.probabilities))


def open_predictions(name: str, store: Store) -> "Predictions":
    """A file of CSV, TSV, JSON lines or Parquet with the columns `premise` and `hypothesis` (or `sentence1` and
    `sentence2`), and `prediction` or `p_entailment`, `p_contradiction` and `p_neutral`, or both."""
    path = Path(name.removeprefix("predictions:")).expanduser()
    if not path.is_file():
        raise TiltmeterError(f"there is no file {path}")
    sha256 = store.fingerprints.of(path)
    return Predictions(
        name=f"predictions:{path.name}",
        fingerprint=f"predictions-{sha256[:32]}",
        origin={"title": f"predictions in {path.name}", "kind": "nli", "file": path.name, "sha256": sha256},
        by_pair=_by_pair(path),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Predictions:
    """Answers that were given before: a pair that is not among them is lost, and counted."""

    name: str
    fingerprint: str
    origin: Mapping[str, Any]
    by_pair: Mapping[Pair, Predicted]

    lang = None
    kind = "nli"
    engine = ENGINE
    packages: tuple[str, ...] = ()
    capabilities = frozenset({"entail"})
    to_fetch = 0

    def entail(self, pairs: Sequence[Pair]) -> pl.DataFrame:
        found = [self.by_pair.get(pair) for pair in pairs]
        if pairs and not any(found):
            raise TiltmeterError(
                f"{self.name} has no prediction for any of the {len(pairs):,} pairs: it was made for another set "
                "(--data says which one is measured)"
            )
        return answered(
            [None if one is None else one.probabilities for one in found],
            [None if one is None else one.label for one in found],
            [f"{self.name} has no prediction for it" if one is None else "" for one in found],
        )

    def estimated_seconds(self, questions: int) -> float:  # noqa: ARG002
        return 0.0


def _by_pair(path: Path) -> dict[Pair, Predicted]:
    found: dict[Pair, Predicted] = {}
    columns: dict[str, str] | None = None
    for number, row in _rows(path):
        place = f"{path.name}, row {number}"
        columns = columns or _columns(row, path.name)
        premise, hypothesis = (row.get(columns[role]) for role in ("premise", "hypothesis"))
        if not is_text(premise) or not is_text(hypothesis) or not premise or not hypothesis:
            raise TiltmeterError(f"{place}: a premise and a hypothesis were expected")
        pair, predicted = Pair(premise, hypothesis), _predicted(row, place)
        earlier = found.setdefault(pair, predicted)
        if not earlier.agrees(predicted):
            raise TiltmeterError(
                f"{place}: the same pair was predicted {earlier.label} before, and is {predicted.label} here, or with "
                "other probabilities"
            )
    if not found:
        raise TiltmeterError(f"{path.name} holds no prediction")
    return found


def _columns(row: Mapping[str, Any], file: str) -> dict[str, str]:
    names = {}
    for role, known in (("premise", _PREMISE), ("hypothesis", _HYPOTHESIS)):
        there = [name for name in known if name in row]
        if not there:
            raise TiltmeterError(f"{file}: the column {known[0]!r} (or {known[1]!r}) is missing")
        names[role] = there[0]
    if _PREDICTION not in row and not all(name in row for name in _PROBABILITIES):
        # `label` is what is right, in published files: taking it for a prediction would make any model perfect.
        raise TiltmeterError(
            f"{file}: the column 'prediction' is missing, or all of {', '.join(_PROBABILITIES)}"
            + ("; its 'label' is taken for the right answer, not for a prediction" if "label" in row else "")
        )
    return names


def _predicted(row: Mapping[str, Any], place: str) -> Predicted:
    probabilities = _probabilities(row, place)
    named = row.get(_PREDICTION)
    if named is None or named == "":
        if probabilities is None:
            raise TiltmeterError(f"{place}: there is no prediction")
        return Predicted(argmax_labels([probabilities])[0], probabilities)
    label = meaning(str(named))
    if label is None:
        raise TiltmeterError(f"{place}: the prediction {named!r} is none of {', '.join(LABELS)}")
    if probabilities is not None and probabilities[LABELS.index(label)] < probabilities.max() - _TOLERANCE:
        raise TiltmeterError(f"{place}: {named!r} is predicted, and another label has the highest probability")
    return Predicted(label, probabilities)


def _probabilities(row: Mapping[str, Any], place: str) -> Floats | None:
    given = [row.get(name) for name in _PROBABILITIES]
    if all(value is None or value == "" for value in given):
        return None
    try:
        values = np.array([float(str(value)) for value in given], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TiltmeterError(f"{place}: three probabilities were expected, not {given}") from error
    if not (np.isfinite(values).all() and values.min() >= 0 and abs(values.sum() - 1) <= _TOLERANCE):
        raise TiltmeterError(f"{place}: {given} are no probabilities that add up to 1")
    return np.asarray(values / values.sum())


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Rows with their numbers, from 1."""
    if path.suffix.lower() == ".parquet":
        try:
            rows: list[dict[str, Any]] = pl.read_parquet(path).to_dicts()
        except (OSError, pl.exceptions.PolarsError) as error:
            raise TiltmeterError(f"{path.name} cannot be read: {next(iter(str(error).splitlines()), '')}") from error
        yield from enumerate(rows, start=1)
        return
    if path.suffix.lower() not in (".csv", ".tsv"):
        yield from read_json_lines(path)
        return
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    try:
        yield from enumerate(csv.DictReader(io.StringIO(read_text(path), newline=""), delimiter=delimiter), start=1)
    except csv.Error as error:
        raise TiltmeterError(f"{path.name} is not a CSV file: {error}") from error
