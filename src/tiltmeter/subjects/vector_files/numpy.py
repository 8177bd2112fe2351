"""A matrix in `vectors.npy` and its words, in the same order, in `words.parquet`."""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import polars as pl

from tiltmeter.subjects.vector_files.vocabulary import Lookup, describe


def look_up(folder: Path, spellings: Collection[str]) -> Lookup:
    matrix = np.load(folder / "vectors.npy", mmap_mode="r", allow_pickle=False)
    words = pl.read_parquet(folder / "words.parquet").to_series(0)
    asked = pl.DataFrame({"word": sorted(spellings)}, schema={"word": pl.String})
    found = words.to_frame("word").with_row_index("row").join(asked, on="word", how="semi").unique("word", keep="first")
    rows = {word: np.array(matrix[row], dtype=np.float32) for row, word in found.iter_rows()}
    return Lookup(rows, describe(words.to_list(), matrix.shape[1]))
