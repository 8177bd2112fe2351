"""Sentences that are nearly the same as another one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b

import polars as pl

ALIKE = 0.7
"""Overlap of shingles (Jaccard's index) from which on two sentences are nearly the same."""

_AT_ONCE = 200_000
"""Sentences whose texts are held at a time."""

_ASKED = 12

Texts = Callable[[Sequence[int]], dict[int, str]]
"""The sentences of some numbers."""


def near_duplicates(index: pl.DataFrame, bands: Iterable[pl.Series], texts: Texts) -> pl.DataFrame:
    """The sentences that are nearly the same as one before them in the index, each with the number of that one: `number
    first`.

    `index` holds the columns `number` and `order`, a hash of the sentence, in the order of who stays. Each of the
    `bands` has a value for every number; only sentences that share one are compared, each with the first of its group,
    the rest with the first of what is left. So the sentence that stays is the first in the index, whatever order the
    corpus was read in.
    """
    same = index.select("number", first=pl.col("number").first().over("order"))
    numbers = same.filter(pl.col("number") == pl.col("first"))["number"]
    near: dict[int, int] = {}
    for groups in _bounded(_groups(numbers, bands)):
        left = [[number for number in members if number not in near] for members in groups]
        found = texts(sorted({number for members in left if len(members) > 1 for number in members}))
        for members in left:
            _compare(members, found, near)
    alike = pl.DataFrame({"number": list(near), "first": list(near.values())}, schema=same.schema)
    return pl.concat([same.filter(pl.col("number") != pl.col("first")), alike])


def _groups(numbers: pl.Series, bands: Iterable[pl.Series]) -> Iterator[list[int]]:
    """The sentences that share a value of a band."""
    for band in bands:
        rows = pl.DataFrame({"number": numbers, "band": band.gather(numbers)})
        shared = rows.filter(pl.len().over("band") > 1).group_by("band", maintain_order=True).agg("number")
        yield from shared["number"].to_list()


def _bounded(groups: Iterable[list[int]]) -> Iterator[list[list[int]]]:
    """As many groups as may be compared at once."""
    some: list[list[int]] = []
    held = 0
    for members in groups:
        some.append(members)
        held += len(members)
        if held > _AT_ONCE:
            yield some
            some, held = [], 0
    if some:
        yield some


def _compare(members: list[int], texts: dict[int, str], first: dict[int, int]) -> None:
    """Holds the members of a group against its first, then the rest against the first of them, and so on.

    In a group of many that are like the first only in that band, a dozen are asked: what is nearly the same shares
    other bands, too, and the work does not grow with the square of a group.
    """
    shingles = {number: _shingles(texts[number]) for number in members} if len(members) > 1 else {}
    for _ in range(_ASKED):
        if len(members) < 2:
            break
        leader, *others = members
        members = []
        for number in others:
            if overlap(shingles[leader], shingles[number]) >= ALIKE:
                first[number] = leader
            else:
                members.append(number)


def _shingles(text: str) -> frozenset[str]:
    return frozenset(text[place : place + 3] for place in range(max(1, len(text) - 2)))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's index: what both hold, over what either holds."""
    return len(one & other) / len(one | other)


def seeded_hash(text: str, seed: int) -> int:
    """A number that depends on the text and the seed alone: who has the lowest is drawn first."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8, key=str(seed).encode()).digest(), "big")
