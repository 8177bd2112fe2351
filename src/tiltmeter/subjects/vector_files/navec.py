"""navec's quantised vectors in `vectors.tar`: 100 codes a word, unpacked for the asked words only."""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from tiltmeter.subjects.vector_files.vocabulary import Lookup, describe

_NO_WORDS = ("<unk>", "<pad>")


def look_up(folder: Path, spellings: Collection[str]) -> Lookup:
    from navec import Navec

    vectors = Navec.load(folder / "vectors.tar")
    rows = {
        word: np.asarray(vectors[word], dtype=np.float32)
        for word in sorted(spellings)
        if word in vectors and word not in _NO_WORDS
    }
    words = (word for word in vectors.vocab.words if word not in _NO_WORDS)
    return Lookup(rows, describe(words, int(vectors.pq.dim)))
