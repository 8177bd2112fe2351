"""spaCy's vectors as it writes them under `vocab/`: `vectors` (npy), `key2row` (msgpack) and `strings.json`.

A key is the hash of a word (MurmurHash64A, seed 1), so a word is found without the list of strings; pruned tables
give one row to many words.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.vector_files.members import Member
from tiltmeter.subjects.vector_files.numpy import matrix_rows
from tiltmeter.subjects.vector_files.vocabulary import Asked, Lookup, describe


def look_up(files: Mapping[str, Member], asked: Asked) -> Lookup:
    key2row = _key2row(files["key2row"])
    strings = _strings(files["strings"])
    row_of = _found(sorted(asked.spellings), key2row)
    (count, dimensions), rows = matrix_rows(files["vectors"], row_of.values())
    if key2row and max(key2row.values()) >= count:
        raise TiltmeterError(f"{files['key2row']} points to rows beyond the {count:,} of {files['vectors']}")
    traits = describe(_found(strings, key2row), dimensions, rows=len(set(key2row.values())))
    # The list of strings leaves out spaCy's own labels.
    return Lookup({word: rows[row] for word, row in row_of.items()}, replace(traits, words=len(key2row)))


def hashes(words: Sequence[str]) -> NDArray[np.uint64]:
    """MurmurHash64A with seed 1 of many words at once: those of equal length go through it side by side."""
    encoded = [word.encode() for word in words]
    lengths = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
    result = np.zeros(len(encoded), dtype=np.uint64)
    for length in np.unique(lengths):
        chosen = np.flatnonzero(lengths == length)
        content = b"".join(encoded[index] for index in chosen)
        result[chosen] = _murmur(np.frombuffer(content, np.uint8).reshape(len(chosen), length))
    return result


_M, _R = np.uint64(0xC6A4A7935BD1E995), np.uint64(47)


def _murmur(words: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Multiplication is modulo 2^64 for arrays; the last block, shorter than 8 bytes, is padded with zeros."""
    count, length = words.shape
    blocks = np.zeros((count, length // 8 * 8 + 8), dtype=np.uint8)
    blocks[:, :length] = words
    numbers = blocks.view("<u8")
    result = np.full(count, 1 ^ (length * int(_M)) % 2**64, dtype=np.uint64)
    for position in range(length // 8):
        block = numbers[:, position] * _M
        block = (block ^ (block >> _R)) * _M
        result = (result ^ block) * _M
    if length % 8:
        result = (result ^ numbers[:, -1]) * _M
    result = (result ^ (result >> _R)) * _M
    return result ^ (result >> _R)


def _found(words: Sequence[str], key2row: Mapping[int, int]) -> dict[str, int]:
    keys = ((word, _SYMBOLS.get(word, key)) for word, key in zip(words, hashes(words).tolist(), strict=True))
    return {word: key2row[key] for word, key in keys if key in key2row}


def _key2row(file: Member) -> dict[int, int]:
    import msgpack

    with file.open() as stream:
        content = stream.read()
    try:
        table = msgpack.unpackb(content, strict_map_key=False)
    except (ValueError, msgpack.exceptions.UnpackException) as error:
        raise TiltmeterError(f"{file} is damaged or cut off: it is no msgpack table ({error})") from error
    if not isinstance(table, dict):
        raise TiltmeterError(f"{file} holds no table of keys and rows")
    return {key: row for key, row in table.items() if row >= 0}


def _strings(file: Member) -> list[str]:
    with file.open() as stream:
        try:
            return list(dict.fromkeys(json.load(stream)))
        except ValueError as error:
            raise TiltmeterError(f"{file} is damaged or cut off: it is no JSON list of words ({error})") from error


def _numbered(first: int, names: str) -> Iterable[tuple[str, int]]:
    return ((name, number) for number, name in enumerate(names.split(), start=first))


# spaCy numbers its own labels instead of hashing them, and words such as "mark", "agent" or "number" are labels.
_SYMBOLS = dict(
    [
        *_numbered(64, "ID ORTH LOWER NORM SHAPE PREFIX SUFFIX LENGTH CLUSTER LEMMA POS TAG DEP"),
        *_numbered(79, "HEAD SENT_START SPACY PROB LANG"),
        *_numbered(84, "ADJ ADP ADV AUX CONJ CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X EOL SPACE"),
        *_numbered(380, "PERSON NORP FACILITY ORG GPE LOC PRODUCT EVENT WORK_OF_ART LANGUAGE LAW DATE TIME PERCENT"),
        *_numbered(
            394, "MONEY QUANTITY ORDINAL CARDINAL acomp advcl advmod agent amod appos attr aux auxpass cc ccomp"
        ),
        *_numbered(409, "complm conj cop csubj csubjpass dep det dobj expl hmod hyph infmod intj iobj mark meta neg"),
        *_numbered(426, "nmod nn npadvmod nsubj nsubjpass num number oprd obj obl parataxis partmod pcomp pobj poss"),
        *_numbered(441, "possessive preconj prep prt punct quantmod relcl rcmod root xcomp acl"),
        *_numbered(453, "MORPH"),
        *_numbered(455, "IDX _"),
    ]
)
