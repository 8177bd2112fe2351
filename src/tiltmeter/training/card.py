"""What a model folder says about itself. It names no user, machine or path."""

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.training.corpus import Corpus
from tiltmeter.training.recipe import Recipe

CARD = "card.json"
KIND = "word-vectors"


def make_card(
    recipe: Recipe, corpus: Corpus, vocabulary: dict[str, int], vectors: NDArray[np.float32]
) -> dict[str, Any]:
    return {
        "kind": KIND,
        "request": recipe.request(corpus),
        "method": recipe.method,
        "options": recipe.options(),
        "seed": recipe.seed,
        "corpus": {
            "sha256": corpus.sha256,
            "tokens": corpus.tally.tokens,
            "sentences": corpus.tally.sentences,
            "words": len(corpus.tally.counts),
        },
        "vocabulary": {
            "words": len(vocabulary),
            "tokens": sum(vocabulary.values()),
            "zero_vectors": int((~vectors.any(axis=1)).sum()),
        },
        "versions": {package: version(package) for package in ("gensim", "scipy", "numpy")},
    }


def read_card(folder: Path) -> dict[str, Any]:
    """The card of a folder that was trained here; any other folder is refused."""
    try:
        card = json.loads((folder / CARD).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise TiltmeterError(f"{folder} holds no trained vectors: its {CARD} cannot be read ({error})") from error
    if not isinstance(card, dict) or card.get("kind") != KIND or "request" not in card:
        raise TiltmeterError(f"{folder} holds no trained vectors: its {CARD} is of another kind")
    return card
