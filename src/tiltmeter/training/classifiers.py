"""Classifiers of texts and of pairs of texts; with the three labels of inference, NLI models."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from scipy.stats import binomtest

from tiltmeter.datasets.labelled import Labelled, checksum_of
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import segmenter
from tiltmeter.store import Store
from tiltmeter.subjects.inference import LABELS
from tiltmeter.training.batches import Encoded, Labelling, Special, classes, padded
from tiltmeter.training.models import train
from tiltmeter.training.networks import Made, Network
from tiltmeter.training.settings import Running, Settings

_AT_ONCE = 64
"""Texts that are classified together."""


def train_nli(
    network: Network | str,
    pairs: Sequence[Labelled],
    out: Path | str | None,
    *,
    test: Sequence[Labelled] = (),
    settings: Settings = Settings(),
    running: Running = Running(),
    lang: str | None = None,
    store: Store | None = None,
    overwrite: bool = False,
) -> Path:
    """Trains a model to tell entailment, contradiction and neutral apart; the settings are the published ones.

    `network` is a `Small` one, or the path or hub name of an encoder; one that has these three labels already goes on
    from its own head, whatever their order. Accuracy on `test`, label by label, stands in `test.json`.
    """
    return train(
        network,
        Classifying("nli", tuple(pairs), LABELS, tuple(test)),
        out,
        settings=settings,
        running=running,
        store=store,
        lang=lang,
        overwrite=overwrite,
    )


def train_classifier(
    network: Network | str,
    rows: Sequence[Labelled],
    out: Path | str | None,
    *,
    test: Sequence[Labelled] = (),
    settings: Settings = Settings(),
    running: Running = Running(),
    lang: str | None = None,
    store: Store | None = None,
    overwrite: bool = False,
) -> Path:
    """Trains a model to tell the labels of the rows apart."""
    labels = sorted({row.label for row in rows})
    if len(labels) < 2:
        raise TiltmeterError(f"a classifier tells at least two labels apart, and the rows have {len(labels)}")
    return train(
        network,
        Classifying("classifier", tuple(rows), tuple(labels), tuple(test)),
        out,
        settings=settings,
        running=running,
        store=store,
        lang=lang,
        overwrite=overwrite,
    )


@dataclass(frozen=True, slots=True)
class Classifying:
    """Rows to learn, rows to be tested on, and the labels that they have."""

    kind: str
    rows: tuple[Labelled, ...]
    labels: tuple[str, ...]
    test: tuple[Labelled, ...]

    head = "classifier"

    def __post_init__(self) -> None:
        what = "pair" if self.kind == "nli" else "row"
        if not self.rows:
            raise TiltmeterError(f"there is no {what} to train on")
        for rows, use in ((self.rows, "train on"), (self.test, "test on")):
            if others := sorted({row.label for row in rows} - set(self.labels)):
                raise TiltmeterError(f"a {what} to {use} is labelled {others[0]!r}, which is none of {self.labels}")
        if lacking := [label for label in self.labels if label not in {row.label for row in self.rows}]:
            raise TiltmeterError(f"no {what} to train on is labelled {lacking[0]!r}: the model could not learn it")

    def texts(self) -> Iterator[str]:
        for row in self.rows:
            yield row.text
            if row.second:
                yield row.second

    def data(self) -> dict[str, Any]:
        counts = Counter(row.label for row in self.rows)
        return {
            "sha256": checksum_of(self.rows),
            "rows": len(self.rows),
            "by_label": {label: counts[label] for label in self.labels},
        }

    def test_checksum(self) -> str:
        return checksum_of(self.test) if self.test else ""

    def labelling(self, special: Special, settings: Settings) -> Labelling:  # noqa: ARG002
        return classes

    def encoded(self, made: Made, longest: int) -> tuple[list[Encoded], int]:
        return _encoded(self.rows, made, longest)

    def tested(self, made: Made, longest: int, special: Special) -> dict[str, Any]:
        """Accuracy with a 95% interval, label by label, with what was predicted instead."""
        encoded, cut = _encoded(self.test, made, longest)
        predicted = [made.labels[number] for number in _classified(made.model, encoded, special)]
        pairs = Counter((row.label, said) for row, said in zip(self.test, predicted, strict=True))
        sizes = Counter(row.label for row in self.test)
        by_label = {
            label: {
                **_accuracy(pairs[label, label], sizes[label]),
                "predicted": {said: pairs[label, said] for said in self.labels},
            }
            for label in self.labels
        }
        right = sum(pairs[label, label] for label in self.labels)
        return {
            "sha256": self.test_checksum(),
            **_accuracy(right, len(self.test)),
            "always_the_most_frequent": max(sizes.values()) / len(self.test),
            "by_label": by_label,
            "cut": cut,
            "learnt_too": len(set(self.test) & set(self.rows)),
        }


def _accuracy(right: int, rows: int) -> dict[str, Any]:
    if not rows:
        return {"rows": 0, "accuracy": None, "ci_low": None, "ci_high": None}
    limits = binomtest(right, rows).proportion_ci(method="exact")
    return {"rows": rows, "accuracy": right / rows, "ci_low": float(limits.low), "ci_high": float(limits.high)}


def _encoded(rows: Sequence[Labelled], made: Made, longest: int) -> tuple[list[Encoded], int]:
    """Tokens with the special ones around them; what is longer is cut, at the end of the longer text of a pair."""
    numbers = {label: number for number, label in enumerate(made.labels)}
    cutter = segmenter(made.pre_segment) if made.pre_segment != "none" else None

    def written(text: str) -> str:
        return text if cutter is None else " ".join(word for word in cutter(text) if word.strip())

    first = [written(row.text) for row in rows]
    second = [written(row.second) for row in rows] if any(row.second for row in rows) else None
    ways: dict[str, Any] = {"return_attention_mask": False, "verbose": False}
    whole = made.tokenizer(first, second, **ways)
    cut = made.tokenizer(first, second, truncation=True, max_length=longest, **ways)
    types = cut.get("token_type_ids") or [()] * len(rows)
    encoded = [
        Encoded(tuple(ids), tuple(own), numbers[row.label])
        for row, ids, own in zip(rows, cut["input_ids"], types, strict=True)
    ]
    return encoded, sum(len(ids) > longest for ids in whole["input_ids"])


def _classified(model: Any, encoded: Sequence[Encoded], special: Special) -> list[int]:
    order = sorted(range(len(encoded)), key=lambda place: -len(encoded[place].ids))
    found = [0] * len(encoded)
    device = next(model.parameters()).device
    with torch.inference_mode():
        for start in range(0, len(order), _AT_ONCE):
            places = order[start : start + _AT_ONCE]
            batch = padded([encoded[place] for place in places], special)
            logits = model(**{name: tensor.to(device) for name, tensor in batch.items()}).logits
            for place, number in zip(places, logits.argmax(dim=-1).tolist(), strict=True):
                found[place] = number
    return found
