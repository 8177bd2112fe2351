"""Word vectors from plain text: a folder that is there whole or not at all."""

import json
import logging
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Shelf
from tiltmeter.training import ppmi, predictive
from tiltmeter.training.card import CARD, make_card, read_card
from tiltmeter.training.corpus import Corpus, open_corpus
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
        if not _holds(place, recipe.request(text), overwrite=overwrite):
            recipe.vocabulary(text)
    for number, (place, recipe) in enumerate(zip(places, recipes, strict=True), start=1):
        _log.info("[%d/%d] %s", number, len(recipes), recipe.name)
        _train(text, place, recipe, overwrite=overwrite)
    return places


def _train(corpus: Corpus, out: Path, recipe: Recipe, *, overwrite: bool) -> Path:
    place = out.resolve()
    shelf = Shelf(place.parent)

    def fill(folder: Path) -> None:
        _fill(folder, corpus, recipe)

    with shelf.locked(place.name):
        if _holds(place, recipe.request(corpus), overwrite=overwrite):
            _log.info("  %s is there already", out)
            shelf.obtain(place.name, fill)
        else:
            shelf.replace(place.name, fill)
    return out


def _holds(place: Path, request: str, *, overwrite: bool) -> bool:
    """Whether this request's vectors stand in the place already; refuses a place that holds anything else, which only
    another request's vectors may make way for."""
    if not place.exists() or (place.is_dir() and not any(place.iterdir())):
        return False
    if not place.is_dir():
        raise TiltmeterError(f"{place} is a file; choose another place with --out")
    try:
        found = read_card(place)["request"]
    except TiltmeterError as error:
        raise TiltmeterError(f"{error}; it is left alone, choose another place with --out") from error
    if found != request and not overwrite:
        raise TiltmeterError(
            f"{place} holds vectors of another corpus or other options; choose another place or replace them with "
            "--overwrite"
        )
    return bool(found == request)


def _fill(folder: Path, corpus: Corpus, recipe: Recipe) -> None:
    vocabulary = recipe.vocabulary(corpus)
    _log.info("  %s words, %s tokens", f"{len(vocabulary):,}", f"{corpus.tally.tokens:,}")
    vectors = _vectors(corpus, recipe, vocabulary)
    card = make_card(recipe, corpus, vocabulary, vectors)
    np.save(folder / "vectors.npy", vectors, allow_pickle=False)
    _write(folder / "words.txt", "".join(f"{word}\n" for word in vocabulary))
    _write(folder / "counts.tsv", "word\tcount\n" + "".join(f"{word}\t{n}\n" for word, n in vocabulary.items()))
    _write(folder / CARD, json.dumps(card, indent=1) + "\n")


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


def _write(path: Path, text: str) -> None:
    path.write_text(text, "utf-8", newline="\n")
