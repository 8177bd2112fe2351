"""Masked and causal language models, small ones from nothing or those of a checkpoint trained further."""

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Store
from tiltmeter.training.batches import Batches, Encoded, Labelling, Special, masked_tokens, next_tokens
from tiltmeter.training.models import train
from tiltmeter.training.networks import Made, Network, Small
from tiltmeter.training.settings import Running, Settings

KINDS = ("masked", "causal")
SETTINGS = Settings(epochs=5, learning_rate=1e-3, warmup=0.05)
"""For a small network of random weights; one that is trained already bears less."""


def train_language_model(
    kind: str,
    texts: Sequence[str],
    out: Path | str | None,
    *,
    network: Network | str = Small(),
    test: Sequence[str] = (),
    settings: Settings = SETTINGS,
    running: Running = Running(),
    lang: str | None = None,
    store: Store | None = None,
    overwrite: bool = False,
) -> Path:
    """Trains a `masked` model to tell words from those around them, a `causal` one from those before them.

    A text longer than the model is cut into pieces that are all learnt. `test` gives the mean loss and the perplexity
    of tokens in texts that it did not see.
    """
    if kind not in KINDS:
        raise TiltmeterError(f"a language model is masked or causal, not {kind!r}")
    return train(
        network,
        Modelling(kind, tuple(filter(None, texts)), tuple(filter(None, test))),
        out,
        settings=settings,
        running=running,
        store=store,
        lang=lang,
        overwrite=overwrite,
    )


@dataclass(frozen=True, slots=True)
class Modelling:
    """Texts to learn, and texts to be tested on."""

    kind: str
    rows: tuple[str, ...]
    test: tuple[str, ...]

    labels: tuple[str, ...] = ()

    @property
    def head(self) -> str:
        return self.kind

    def __post_init__(self) -> None:
        if not self.rows:
            raise TiltmeterError("there is no text to train on")

    def texts(self) -> Iterator[str]:
        return iter(self.rows)

    def data(self) -> dict[str, Any]:
        return {"sha256": _checksum(self.rows), "rows": len(self.rows)}

    def test_checksum(self) -> str:
        return _checksum(self.test) if self.test else ""

    def labelling(self, special: Special, settings: Settings) -> Labelling:
        return next_tokens if self.kind == "causal" else masked_tokens(special, settings.masked)

    def encoded(self, made: Made, longest: int) -> tuple[list[Encoded], int]:
        """Nothing is left out: a longer text is several."""
        if self.kind == "masked" and made.tokenizer.mask_token_id is None:
            raise TiltmeterError("the tokenizer has no token for a mask: it is not one of a masked model")
        return _pieces(self.rows, made, longest), 0

    def tested(self, made: Made, longest: int, special: Special) -> dict[str, Any]:
        pieces = _pieces(self.test, made, longest, use="test")
        # Of a masked model the loss is that of tokens drawn once, always the same.
        settings = Settings(epochs=1, batch=64)
        batches = Batches(pieces, settings, special, self.labelling(special, settings))
        device = next(made.model.parameters()).device
        total, tokens = 0.0, 0
        with torch.inference_mode():
            for step in range(len(batches)):
                batch = {name: tensor.to(device) for name, tensor in batches[step].items()}
                labels = batch["labels"][:, 1:] if self.kind == "causal" else batch["labels"]
                count = int((labels >= 0).sum())
                if not count:
                    continue
                total += float(made.model(**batch).loss) * count
                tokens += count
        if not tokens:
            raise TiltmeterError("there is no text to test on: no token in it has one before it to be told from")
        loss = total / tokens
        return {"sha256": self.test_checksum(), "tokens": tokens, "loss": loss, "perplexity": math.exp(loss)}


def _pieces(texts: Sequence[str], made: Made, longest: int, use: str = "train") -> list[Encoded]:
    ways: dict[str, Any] = {"return_attention_mask": False, "return_token_type_ids": False, "verbose": False}
    if made.tokenizer.is_fast:
        ways |= {"truncation": True, "max_length": longest, "return_overflowing_tokens": True}
        found = made.tokenizer(list(texts), **ways)["input_ids"]
    else:
        whole = made.tokenizer(list(texts), add_special_tokens=False, **ways)["input_ids"]
        room = longest - made.tokenizer.num_special_tokens_to_add()
        cut = [ids[start : start + room] for ids in whole for start in range(0, len(ids), room)]
        found = [made.tokenizer.build_inputs_with_special_tokens(ids) for ids in cut]
    around = set(made.tokenizer.all_special_ids)
    pieces = [Encoded(tuple(ids)) for ids in found if set(ids) - around]
    if not pieces:
        raise TiltmeterError(f"there is no text to {use} on: the tokenizer finds no token in it")
    return pieces


def _checksum(texts: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        digest.update(json.dumps(text).encode() + b"\n")
    return digest.hexdigest()
