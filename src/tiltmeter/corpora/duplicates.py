"""Sentences that are nearly the same as another one."""

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b

import polars as pl

ALIKE = 0.7
"""Overlap of shingles (Jaccard's index) from which on two sentences are nearly the same."""

_AT_ONCE = 200_000
"""Sentences whose texts are held at a time."""

Texts = Callable[[Sequence[int]], dict[int, str]]
"""The sentences of some numbers."""


def near_duplicates(ordered: Sequence[int], bands: Iterable[pl.Series], texts: Texts) -> dict[int, int]:
    """For each sentence that is nearly the same as one before it in the order, the number of that one.

    Each of the `bands` has a value for every number; only sentences that share one are compared, each with the first
    of its group, the rest with the first of what is left. So the sentence that stays is the first in the order,
    whatever the corpus was read in.
    """
    first: dict[int, int] = {}
    numbers = pl.Series("number", ordered, dtype=pl.Int64)
    for band in bands:
        rows = pl.DataFrame({"number": numbers, "band": band.gather(numbers)})
        groups = rows.group_by("band", maintain_order=True).agg("number").filter(pl.col("number").list.len() > 1)
        for some in _bounded(groups["number"].to_list()):
            left = [[number for number in members if number not in first] for members in some]
            found = texts(sorted({number for members in left if len(members) > 1 for number in members}))
            for members in left:
                _compare(members, found, first)
    return first


def _bounded(groups: list[list[int]]) -> Iterable[list[list[int]]]:
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
    """Holds the members of a group against its first, then the rest against the first of them, and so on."""
    while len(members) > 1:
        leader, *others = members
        leading = _shingles(texts[leader])
        members = []
        for number in others:
            if overlap(leading, _shingles(texts[number])) >= ALIKE:
                first[number] = leader
            else:
                members.append(number)


def _shingles(text: str) -> frozenset[str]:
    return frozenset(text[place : place + 3] for place in range(max(1, len(text) - 2)))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's index: what both hold, over what either holds."""
    return len(one & other) / len(one | other)


def copies(kept: pl.DataFrame) -> pl.DataFrame:
    """The columns `number` and `leader`, in the order: for each sentence the first that is the same to the letter.

    `kept` has the columns `number order source`. Copies have the same `order`, so that none has to be read: of a
    sentence that stands below every article there may be millions.
    """
    ordered = kept.sort("order", "source", "number")
    return ordered.select("number", leader=pl.col("number").first().over("order"))


def seeded_hash(text: str, seed: int) -> int:
    """A number that depends on the text and the seed alone: who has the lowest is drawn first."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8, key=str(seed).encode()).digest(), "big")
