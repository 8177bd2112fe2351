"""A matrix in `.npy`, and its words in the same order as `.txt` (one a line) or `.parquet` (first column)."""

import io
import math
from collections.abc import Collection, Mapping
from typing import BinaryIO

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import Member, exactly, skip
from tiltmeter.subjects.vector_files.pickles import pickled
from tiltmeter.subjects.vector_files.vocabulary import Asked, Lookup, Row, describe


def look_up(files: Mapping[str, Member], asked: Asked) -> Lookup:
    words = _words(files["words"])
    first: dict[str, int] = {}
    for index, word in enumerate(words):
        if word in asked.spellings:
            first.setdefault(word, index)
    (count, dimensions), rows = matrix_rows(files["vectors"], first.values())
    if count != len(words):
        raise TiltmeterError(f"{files['vectors']} has {count:,} rows and {files['words']} has {len(words):,} words")
    return Lookup({word: rows[index] for word, index in first.items()}, describe(words, dimensions))


def matrix_rows(file: Member, indices: Collection[int]) -> tuple[tuple[int, int], dict[int, Row]]:
    """The shape of a matrix, and some of its rows, read one after the other."""
    with file.open() as stream:
        shape, by_column, dtype = _header(file, stream)
        row_bytes = shape[1] * dtype.itemsize
        rows: dict[int, Row] = {}
        if by_column:
            content = exactly(stream, shape[0] * row_bytes, file)
            matrix = np.frombuffer(content, dtype=dtype).reshape(shape, order="F")
            rows = {index: matrix[index].astype(np.float32) for index in indices}
        else:
            reached = 0
            for index in sorted(set(indices)):
                skip(stream, (index - reached) * row_bytes)
                rows[index] = np.frombuffer(exactly(stream, row_bytes, file), dtype=dtype).astype(np.float32)
                reached = index + 1
            if left := (shape[0] - reached) * row_bytes:
                skip(stream, left - 1)
                exactly(stream, 1, file)
    return shape, rows


def _header(file: Member, stream: BinaryIO) -> tuple[tuple[int, int], bool, np.dtype]:
    try:
        version = np.lib.format.read_magic(stream)
        if version == (1, 0):
            shape, by_column, dtype = np.lib.format.read_array_header_1_0(stream)
        else:
            shape, by_column, dtype = np.lib.format.read_array_header_2_0(stream)
    except ValueError as error:
        raise TiltmeterError(f"{file} is not a numpy matrix ({error})") from error
    if dtype.hasobject:
        raise pickled(file)
    if len(shape) != 2 or dtype.kind not in "fiu" or not math.prod(shape):
        raise TiltmeterError(f"{file} holds {dtype} numbers of shape {shape}; a matrix, one row a word, was expected")
    return (int(shape[0]), int(shape[1])), by_column, dtype


def _words(file: Member) -> list[str]:
    with file.open() as stream:
        content = stream.read()
    if content[:4] == b"PAR1":
        try:
            return pl.read_parquet(io.BytesIO(content)).to_series(0).cast(pl.String).to_list()
        except pl.exceptions.PolarsError as error:
            raise TiltmeterError(f"{file} is no parquet file with the words in its first column ({error})") from error
    lines = content.removesuffix(b"\n").split(b"\n")
    try:
        return [line.removesuffix(b"\r").decode() for line in lines]
    except UnicodeDecodeError as error:
        line = content[: content.find(error.object)].count(b"\n") + 1
        raise TiltmeterError(
            f"{file}, line {line}: {error.object!r} is not UTF-8; convert the file to UTF-8"
        ) from error
