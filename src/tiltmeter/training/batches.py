"""The batches of a training, each a function of its number: a training that goes on meets those that it would have met.

Sequences of nearly one length go together, so that little is computed for padding.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from tiltmeter.training.settings import Settings

_LEFT_OUT = -100
"""The label of a token that is not to be predicted."""
_REPLACED, _AS_MASK = 0.1, 0.8
"""Of the tokens that are predicted 80% read as [MASK], 10% as a random token, 10% as they are (BERT)."""
_GROUP = 50
"""So many batches are sorted by length together."""


@dataclass(frozen=True, slots=True)
class Encoded:
    ids: tuple[int, ...]
    types: tuple[int, ...] = ()
    """To which of two texts each token belongs, for models that are told."""
    label: int = 0


@dataclass(frozen=True, slots=True)
class Special:
    """Tokens of a model that a batch has to know."""

    padding: int
    padding_type: int = 0
    mask: int = 0
    vocabulary: int = 0
    kept: frozenset[int] = frozenset()
    """Tokens that are never predicted: those around a text."""


Tensors = dict[str, torch.Tensor]
Labelling = Callable[[Tensors, Sequence[Encoded], np.random.Generator], Tensors]
"""What a model is to learn from a padded batch: labels, and new ids where they change."""


class Batches(torch.utils.data.Dataset[Tensors]):
    """All batches of all epochs, in their order."""

    def __init__(self, sequences: Sequence[Encoded], settings: Settings, special: Special, labelled: Labelling) -> None:
        self._sequences = sequences
        self._special = special
        self._labelled = labelled
        self._seed = settings.seed
        self._plan = plan(
            [len(sequence.ids) for sequence in sequences],
            batch=settings.batch,
            epochs=settings.epochs,
            seed=settings.seed,
        )

    def __len__(self) -> int:
        return len(self._plan)

    def __getitem__(self, step: int) -> Tensors:
        chosen = [self._sequences[place] for place in self._plan[step]]
        given = padded(chosen, self._special)
        return given | self._labelled(given, chosen, np.random.default_rng([self._seed, 1, step]))


def plan(lengths: Sequence[int], *, batch: int, epochs: int, seed: int) -> list[NDArray[np.intp]]:
    """Which sequences stand in which batch: shuffled anew for every epoch, then sorted by length within groups of
    batches, then the batches shuffled. Every sequence is met once an epoch."""
    count, sizes = len(lengths), np.asarray(lengths)
    # At least four groups, so that the batches of a small set are not the same in every epoch.
    group = batch * max(1, min(_GROUP, count // (4 * batch)))
    batches: list[NDArray[np.intp]] = []
    for epoch in range(epochs):
        chance = np.random.default_rng([seed, 0, epoch])
        shuffled = chance.permutation(count)
        groups = [shuffled[start : start + group] for start in range(0, count, group)]
        ordered = [some[np.argsort(-sizes[some], kind="stable")] for some in groups]
        own = [some[start : start + batch] for some in ordered for start in range(0, len(some), batch)]
        batches += [own[place] for place in chance.permutation(len(own))]
    return batches


def classes(given: Tensors, chosen: Sequence[Encoded], chance: np.random.Generator) -> Tensors:  # noqa: ARG001
    """The class of each sequence."""
    return {"labels": torch.tensor([sequence.label for sequence in chosen])}


def next_tokens(given: Tensors, chosen: Sequence[Encoded], chance: np.random.Generator) -> Tensors:  # noqa: ARG001
    """Every token from those before it (the model itself shifts them by one)."""
    return {"labels": torch.where(given["attention_mask"].bool(), given["input_ids"], _LEFT_OUT)}


def masked_tokens(special: Special, share: float = 0.15) -> Labelling:
    """Some tokens, by default as many as BERT, from all the others."""

    def labelled(given: Tensors, chosen: Sequence[Encoded], chance: np.random.Generator) -> Tensors:  # noqa: ARG001
        read = given["input_ids"].numpy()
        own = given["attention_mask"].numpy().astype(bool) & ~np.isin(read, sorted(special.kept))
        predicted = own & (chance.random(read.shape) < share)
        # A batch without one would teach nothing, and its loss would be no number.
        if not predicted.any() and own.any():
            predicted.flat[chance.choice(np.flatnonzero(own))] = True
        how = chance.random(read.shape)
        random = chance.integers(special.vocabulary, size=read.shape)
        shown = np.where(predicted & (how < _AS_MASK), special.mask, read)
        shown = np.where(predicted & (how >= 1 - _REPLACED), random, shown)
        labels = np.where(predicted, read, _LEFT_OUT)
        return {"input_ids": torch.from_numpy(shown), "labels": torch.from_numpy(labels)}

    return labelled


def padded(chosen: Sequence[Encoded], special: Special) -> Tensors:
    """Sequences side by side, the shorter ones filled up behind and masked out of attention there."""
    width = max(len(sequence.ids) for sequence in chosen)
    given = {
        "input_ids": torch.tensor([_filled(sequence.ids, width, special.padding) for sequence in chosen]),
        "attention_mask": torch.tensor([_filled((1,) * len(sequence.ids), width, 0) for sequence in chosen]),
    }
    if chosen[0].types:
        types = [_filled(sequence.types, width, special.padding_type) for sequence in chosen]
        given["token_type_ids"] = torch.tensor(types)
    return given


def _filled(numbers: tuple[int, ...], width: int, padding: int) -> list[int]:
    return [*numbers, *[padding] * (width - len(numbers))]
