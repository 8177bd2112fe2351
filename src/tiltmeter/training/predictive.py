"""Vectors learnt by predicting words from words: word2vec and fastText, by gensim."""

import logging
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_log = logging.getLogger(__name__)

METHODS = ("cbow", "skip-gram", "fasttext")

FIXED: Mapping[str, Any] = {"negative": 5, "sample": 1e-3, "alpha": 0.025}
"""Negative samples, subsampling of frequent words and first learning rate: the defaults of word2vec."""


def train(
    method: str,
    sentences: Callable[[], Iterator[list[str]]],
    vocabulary: Mapping[str, int],
    *,
    sentence_count: int,
    window: int,
    dimensions: int,
    epochs: int,
    seed: int,
) -> NDArray[np.float32]:
    """The vectors of the vocabulary's words, in its order.

    `cbow` predicts a word from the mean of its neighbours, `skip-gram` the neighbours from the word (Mikolov et al.
    2013); `fasttext` is skip-gram in which a word's vector is the mean of its own and those of its character n-grams
    of 3 to 6 letters (Bojanowski et al. 2017). One worker, and a vocabulary in a fixed order, make the outcome depend
    on the arguments alone.
    """
    # gensim warns of small corpora through logging: without a handler Python would print that.
    logging.getLogger("gensim").addHandler(logging.NullHandler())
    from gensim.models import FastText, Word2Vec

    family = FastText if method == "fasttext" else Word2Vec
    model = family(
        sg=int(method != "cbow"),
        vector_size=dimensions,
        window=window,
        min_count=1,
        sorted_vocab=0,
        workers=1,
        seed=seed,
        hashfxn=_stable_hash,
        **FIXED,
    )
    passes = _Passes(sentences, epochs)
    model.build_vocab_from_freq(dict(vocabulary), corpus_count=sentence_count)
    model.train(passes, total_examples=sentence_count, epochs=epochs)
    if passes.failure is not None:
        raise passes.failure
    return np.asarray(model.wv[list(vocabulary)], dtype=np.float32)


class _Passes:
    """The corpus, once an epoch. gensim reads it in a thread whose death it would wait for without end, so an error
    ends the pass and is kept."""

    def __init__(self, sentences: Callable[[], Iterator[list[str]]], epochs: int) -> None:
        self.sentences = sentences
        self.epochs = epochs
        self.begun = 0
        self.failure: Exception | None = None

    def __iter__(self) -> Iterator[list[str]]:
        self.begun += 1
        if self.failure is None:
            _log.info("  epoch %d of %d", self.begun, self.epochs)
            try:
                yield from self.sentences()
            except Exception as error:
                self.failure = error


def _stable_hash(text: str) -> int:
    return zlib.crc32(text.encode())
