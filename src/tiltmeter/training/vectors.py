"""Word vectors from plain text: a folder that is there whole or not at all."""

import logging
from collections.abc import Sequence
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.training import ppmi, predictive
from tiltmeter.training.corpus import Corpus, open_corpus
from tiltmeter.training.folder import CARD, holds, keep, write_card, write_text
from tiltmeter.training.recipe import Recipe

_log = logging.getLogger(__name__)

TextFiles = Path | str | Sequence[Path | str]


def train_vectors(
    corpus: TextFiles,
    out: Path | str,
    *,
    method: str = "skip-gram",
    window: int = 5,
    dimensions: int = 100,
    min_count: int = 5,
    epochs: int = 5,
    lower: bool = True,
    seed: int = 0,
    overwrite: bool = False,
) -> Path:
    """Trains vectors into the folder `out` and returns it.

    `method` is `cbow`, `skip-gram`, `fasttext` or `ppmi-svd` (which has no epochs). The same corpus, options and seed
    give the same bytes. A folder that already holds this very request is returned as it is; one that holds another is
    refused unless `overwrite`, and then stays until the new one is whole.
    """
    recipe = Recipe(
        method=method,
        window=window,
        dimensions=dimensions,
        min_count=min_count,
        epochs=epochs,
        lower=lower,
        seed=seed,
    )
    return _train(open_corpus(corpus, lower=lower), Path(out), recipe, overwrite=overwrite)


def train_sweep(
    corpus: TextFiles,
    out: Path | str,
    *,
    methods: Sequence[str],
    windows: Sequence[int],
    dimensions: Sequence[int],
    min_count: int = 5,
    epochs: int = 5,
    lower: bool = True,
    seed: int = 0,
    overwrite: bool = False,
) -> list[Path]:
    """Trains every combination into a folder of its own, such as `out/skip-gram-w5-d100`.

    What is wrong with any of them is said before the first is trained; folders already there are not made again.
    """
    recipes = [
        Recipe(
            method=method,
            window=window,
            dimensions=size,
            min_count=min_count,
            epochs=epochs,
            lower=lower,
            seed=seed,
        )
        for method, window, size in dict.fromkeys(product(methods, windows, dimensions))
    ]
    text = open_corpus(corpus, lower=lower)
    if (Path(out) / CARD).exists():
        raise TiltmeterError(f"{out} holds trained vectors itself; choose another folder for the sweep")
    places = [Path(out) / recipe.name for recipe in recipes]
    for place, recipe in zip(places, recipes, strict=True):
        if not holds(place, recipe.request(text), overwrite=overwrite):
            recipe.vocabulary(text)
    for number, (place, recipe) in enumerate(zip(places, recipes, strict=True), start=1):
        _log.info("[%d/%d] %s", number, len(recipes), recipe.name)
        _train(text, place, recipe, overwrite=overwrite)
    return places


def _train(corpus: Corpus, out: Path, recipe: Recipe, *, overwrite: bool) -> Path:
    return keep(out, recipe.request(corpus), lambda folder: _fill(folder, corpus, recipe), overwrite=overwrite)


def _fill(folder: Path, corpus: Corpus, recipe: Recipe) -> None:
    vocabulary = recipe.vocabulary(corpus)
    _log.info("  %s words, %s tokens", f"{len(vocabulary):,}", f"{corpus.tally.tokens:,}")
    vectors = _vectors(corpus, recipe, vocabulary)
    np.save(folder / "vectors.npy", vectors, allow_pickle=False)
    write_text(folder / "words.txt", "".join(f"{word}\n" for word in vocabulary))
    write_text(folder / "counts.tsv", "word\tcount\n" + "".join(f"{word}\t{n}\n" for word, n in vocabulary.items()))
    write_card(folder, _card(recipe, corpus, vocabulary, vectors))


def _vectors(corpus: Corpus, recipe: Recipe, vocabulary: dict[str, int]) -> NDArray[np.float32]:
    if recipe.method == "ppmi-svd":
        return ppmi.train(
            corpus.sentences(), vocabulary, window=recipe.window, dimensions=recipe.dimensions, seed=recipe.seed
        )
    return predictive.train(
        recipe.method,
        corpus.sentences,
        vocabulary,
        sentence_count=corpus.tally.sentences,
        window=recipe.window,
        dimensions=recipe.dimensions,
        epochs=recipe.epochs,
        seed=recipe.seed,
    )


def _card(recipe: Recipe, corpus: Corpus, vocabulary: dict[str, int], vectors: NDArray[np.float32]) -> dict[str, Any]:
    return {
        "kind": "word-vectors",
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
