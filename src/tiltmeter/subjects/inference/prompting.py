"""Causal language models asked for an inference: a prompt around two sentences, and the words for the labels scored."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tiltmeter.packs import Prompt
from tiltmeter.subjects.inference.answers import LABELS, Pair, answered, argmax_labels
from tiltmeter.subjects.language_models import Blank

if TYPE_CHECKING:
    from tiltmeter.subjects.opening import Filler


def entail_by_prompt(model: "Filler", pairs: Sequence[Pair], prompt: Prompt) -> pl.DataFrame:
    """The probability of each label among the three, by the words that stand for them in the prompt:

    P(label) = P(prompt with its word) / sum over the three of P(prompt with the word)
    """
    words = tuple(getattr(prompt, label) for label in LABELS)
    blanks = [_blank(pair, prompt, words) for pair in pairs]
    found = pl.concat(model.fill(blanks))
    log_p = found["log_p"].to_numpy().reshape(-1, len(words))
    reasons = found["lost"].to_list()
    lost = [reasons[place * len(words)] for place in range(len(pairs))]
    probabilities = [None if reason else np.exp(row) for row, reason in zip(log_p, lost, strict=True)]
    return answered(probabilities, argmax_labels(probabilities), lost)


def _blank(pair: Pair, prompt: Prompt, words: tuple[str, ...]) -> Blank:
    before, _, behind = prompt.text.partition("{label}")
    start, end = (_written(part, pair) for part in (before, behind))
    return Blank(text=f"{start}{words[0]}{end}", span=(len(start), len(start) + len(words[0])), candidates=words)


def _written(part: str, pair: Pair) -> str:
    # Not by str.format: a prompt may hold other braces.
    return re.sub(r"\{(premise|hypothesis)\}", lambda slot: str(getattr(pair, slot[1])), part)
