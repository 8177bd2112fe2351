"""What the tests of NLI-CoAL share: answered items, worlds without bias, and folders in the published format."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.instruments import Findings, load_instrument
from tiltmeter.results import Estimate
from tiltmeter.runs import Run

TOOL = load_instrument("nli-coal")
FILES = {"PS": "1-prostereo", "AS": "2-antistereo", "NS": "3-nonstereo"}
LABELS = ("entailment", "contradiction", "neutral")


def item(
    set: str,
    occupation: str,
    occupation_class: str,
    label: str | None,
    *,
    gender: str = "",
    number: int = 0,
    **more: Any,
) -> dict[str, Any]:
    """An answered pair; the label it has is sure unless `p` says otherwise."""
    other = {"female": "male", "male": "female"}
    gender = gender or {"PS": occupation_class, "AS": other.get(occupation_class, "")}.get(set, "female")
    sure = [float(name == label) for name in LABELS] if label else [None] * 3
    p = more.pop("p", sure)
    return {
        "set": set,
        "premise": f"{occupation} {number}",
        "hypothesis": f"{gender} {number}",
        "occupation": occupation,
        "occupation_class": occupation_class,
        "gender": gender,
        "template": str(number),
        "form": "",
        "p_entailment": p[0],
        "p_contradiction": p[1],
        "p_neutral": p[2],
        "label": label,
        "lost": "" if label else "not asked",
    } | more


def table(rows: Iterable[Mapping[str, Any]]) -> pl.DataFrame:
    numbers = dict.fromkeys(("p_entailment", "p_contradiction", "p_neutral"), pl.Float64)
    return pl.DataFrame(list(rows), schema_overrides=numbers)


def counted(set: str, occupation_class: str, counts: Sequence[int], occupations: int) -> list[dict[str, Any]]:
    """So many pairs of each label, dealt out to the occupations in turn."""
    labels = [label for label, count in zip(LABELS, counts, strict=True) for _ in range(count)]
    return [
        item(set, f"{occupation_class}{number % occupations}", occupation_class, label, number=number)
        for number, label in enumerate(labels)
    ]


def world(
    rng: np.random.Generator,
    *,
    typed: int = 26,
    neutral: int = 40,
    captions: int = 10,
    stereotype: float = 0.0,
    tilt: float = 0.0,
    spread: float = 1.0,
    probabilities: bool = False,
) -> list[dict[str, Any]]:
    """Answers of a model whose logits of entailment and contradiction are the occupation's own and noise, shifted by
    `stereotype` for the gender of the class and by `tilt` for men."""
    rows = []
    classes = ["female"] * typed + ["male"] * typed + ["neutral"] * neutral
    for place, name in enumerate(classes):
        own = rng.normal(0, spread, 2)
        lean = rng.normal(0, spread / 2)
        for caption in range(captions):
            for gender in ("female", "male"):
                kind = "NS" if name == "neutral" else "PS" if name == gender else "AS"
                sign = 1 if gender == "male" else -1
                pull = sign * (tilt + lean) + {"PS": stereotype, "AS": -stereotype, "NS": 0.0}[kind]
                logits = np.array([own[0] + pull, own[1] - pull, 1.0]) + rng.gumbel(size=3)
                p = np.exp(logits) / np.exp(logits).sum()
                label = LABELS[int(logits.argmax())]
                more = {"p": [float(value) for value in p]} if probabilities else {}
                rows.append(item(kind, f"o{place}", name, label, gender=gender, number=caption, **more))
    return rows


def found(run: Run | Findings, name: str, **group: str) -> Estimate:
    estimates = run.result.estimates if isinstance(run, Run) else run.estimates
    (row,) = [row for row in estimates if row.name == name and row.group == group]
    return row


def value(run: Run | Findings, name: str, **group: str) -> float:
    number = found(run, name, **group).value
    assert number is not None
    return number


def estimated(rows: Iterable[Mapping[str, Any]], **options: Any) -> Findings:
    return TOOL.estimate(table(rows), TOOL.options(**options))


def in_folder(folder: Path, rows: Mapping[str, Sequence[Mapping[str, Any]]], *, suffix: str = "_v1.1") -> Path:
    """The published layout: a file a set, an object a line."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, own in rows.items():
        lines = [json.dumps(row, ensure_ascii=False) for row in own]
        (folder / f"{FILES[name]}{suffix}.json").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def published(number: int, premise: str, hypothesis: str, word: str, kind: str) -> dict[str, Any]:
    return {
        "id": number,
        "sentence1": premise,
        "sentence2": hypothesis,
        "label": "neutral",
        "occ_word": word,
        "occ_type": kind,
    }
