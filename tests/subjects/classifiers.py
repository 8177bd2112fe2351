"""Tiny real classifiers with random weights, made from the tiny models of every kind."""

import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForSequenceClassification

from subjects.tiny_models import bert_of_words
from tiltmeter.datasets.nli import NliPair

LABELS = ("entailment", "neutral", "contradiction")


def classifier(base: Path, folder: Path, labels: Sequence[str] = LABELS, *, seed: int = 0) -> Path:
    """A classifier with the tokenizer and the shape of another model."""
    named = dict(enumerate(labels))
    config = AutoConfig.from_pretrained(
        base, num_labels=len(labels), id2label=named, label2id={v: k for k, v in named.items()}
    )
    torch.manual_seed(seed)
    architecture: Any = AutoModelForSequenceClassification
    return _saved(architecture.from_config(config).eval(), base, folder)


def permuted(original: Path, folder: Path, order: Sequence[int]) -> Path:
    """The same classifier with its labels in another order: the last layer's rows, and their names."""
    model: Any = AutoModelForSequenceClassification.from_pretrained(original)
    head = model.classifier
    with torch.no_grad():
        head.weight.copy_(head.weight[list(order)].clone())
        head.bias.copy_(head.bias[list(order)].clone())
    names = [model.config.id2label[place] for place in order]
    model.config.id2label, model.config.label2id = dict(enumerate(names)), {v: k for k, v in enumerate(names)}
    return _saved(model, original, folder)


def words_of(pairs: Iterable[NliPair]) -> list[str]:
    texts = {text for pair in pairs for text in (pair.premise, pair.hypothesis)}
    return sorted({word for text in texts for word in re.findall(r"\w+|[^\w\s]", text.lower())})


def word_classifier(folder: Path, pairs: Iterable[NliPair], labels: Sequence[str] = LABELS, *, seed: int = 0) -> Path:
    """A classifier that knows every word of these pairs."""
    return classifier(bert_of_words(folder / "base", words_of(pairs)), folder / "nli", labels, seed=seed)


def _saved(model: Any, base: Path, folder: Path) -> Path:
    folder.mkdir(parents=True)
    for file in base.iterdir():
        if file.name.startswith(("tokenizer", "vocab", "merges", "special", "spiece", "sentencepiece")):
            shutil.copy(file, folder / file.name)
    model.save_pretrained(folder)
    return folder
