"""What the tests of the SlguSet score share: models, files and answered items."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from report.handmade import made
from subjects import tiny_models
from tiltmeter.datasets.slguset_files import COLUMNS
from tiltmeter.instruments import Findings, load_instrument
from tiltmeter.packs import load_pack
from tiltmeter.results import Estimate
from tiltmeter.runs import Run

TOOL = load_instrument("slgu")
ZH = load_pack("zh")
HEADER = ",".join(published for published, _ in COLUMNS.values())
Rows = Sequence[tuple[str, bool, str, float]]


def in_file(path: Path, *rows: tuple[str, str, str, str]) -> Path:
    lines = [f'{sentence},"{position}",{keyword},{opposite}' for sentence, position, keyword, opposite in rows]
    path.write_text("\n".join([HEADER, *lines]) + "\n", "utf-8")
    return path


def characters(folder: Path, texts: Sequence[str]) -> Path:
    """A random masked model to which every character of the texts is a token."""
    return tiny_models.bert_of_words(folder, sorted({letter for text in texts for letter in text}))


def found(run: Run | Findings, name: str, **group: str) -> Estimate:
    estimates = run.result.estimates if isinstance(run, Run) else run.estimates
    (row,) = [row for row in estimates if row.name == name and row.group == group]
    return row


def table(rows: Rows, *, chosen: Sequence[bool] | None = None) -> pl.DataFrame:
    """Answered items with this bias."""
    return pl.DataFrame(
        [
            {
                "sentence": f"s{number}",
                "context": f"s{number}",
                "start": 0,
                "end": 1,
                "pair": pair,
                "pronoun": pronoun,
                "written": written,
                "flag": "",
                "lost": "",
                "chosen": bool(chosen and chosen[number]),
                "log10_p_man": bias - 1,
                "log10_p_woman": -1.0,
                "bias": bias,
            }
            for number, (pair, pronoun, written, bias) in enumerate(rows)
        ]
    )


def worlds(rng: np.random.Generator, *, pairs: int = 16, size: int = 12) -> Rows:
    """Sentences whose bias is a pair's own and noise."""
    priors = rng.normal(0, 0.5, pairs)
    return [
        (str(pair), pair == 0, "male" if place % 2 else "female", float(priors[pair] + rng.normal(0, 0.4)))
        for pair in range(pairs)
        for place in range(size)
    ]


def result_of(subject: str, lang: str = "zh") -> Any:
    """The result of a run without numbers."""
    return made("slgu", subject, [], lang=lang).result
