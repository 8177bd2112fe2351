"""Which of the neutral sentences make the set: quotas, one to one, spread over the sources."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from tiltmeter.packs import Pack

USUAL = 20_000
"""Sentences of a set whose pack has no quotas."""


@dataclass(frozen=True, slots=True)
class Quota:
    """What a pair was to have and has, both genders together."""

    pair: str
    wanted: int
    drawn: int
    male: int
    female: int
    """Neutral sentences that there were."""

    @property
    def short_of(self) -> str:
        """Why it is not filled, or nothing."""
        if self.drawn == self.wanted:
            return ""
        fewer = "male" if self.male <= self.female else "female"
        return f"{self.drawn:,} of {self.wanted:,} ({getattr(self, fewer):,} neutral sentences with its {fewer} word)"


def quotas(pack: Pack, total: int | None = None) -> dict[str, int]:
    """Sentences for each pair: the pack's own, scaled to the total; without any, the pairs share alike.

    A pair that the pack's quotas do not name, such as one that a user added, gets as many as the least of them.
    Numbers are even, since both genders get half, and sum up to the total where that is even.
    """
    pairs = [f"{pair.male}/{pair.female}" for pair in pack.gender_pairs if pair.status != "rejected"]
    given: Mapping[str, int] = pack.screening.quotas if pack.screening else {}
    least = min(filter(None, given.values()), default=0)
    weights = {pair: given.get(pair, least) for pair in pairs} if least else dict.fromkeys(pairs, 1)
    if total is None and least:
        return {pair: weight - weight % 2 for pair, weight in weights.items()}
    halves = (USUAL if total is None else total) // 2
    exact = {pair: halves * weight / sum(weights.values()) for pair, weight in weights.items()}
    whole = {pair: int(share) for pair, share in exact.items()}
    # The largest remainders take what rounding left.
    for pair in sorted(exact, key=lambda pair: (whole[pair] - exact[pair], pair))[: halves - sum(whole.values())]:
        whole[pair] += 1
    return {pair: 2 * half for pair, half in whole.items()}


def draw(clean: pl.DataFrame, wanted: Mapping[str, int]) -> tuple[pl.DataFrame, list[Quota]]:
    """The rows that are drawn: of each pair as many with the male as with the female word.

    `clean` has the columns `pair gender source order`. Every source gives its first sentence before any gives its
    second; within that the lowest `order` wins, of copies that of the first source.
    """
    ordered = clean.sort("order", "source", maintain_order=True)
    turns = ordered.with_columns(turn=pl.int_range(pl.len()).over("pair", "gender", "source"))
    ranked = turns.sort("turn", maintain_order=True).with_columns(place=pl.int_range(pl.len()).over("pair", "gender"))
    counts = {(pair, gender): n for pair, gender, n in clean.group_by("pair", "gender").len().iter_rows()}
    drawn, told = [], []
    for pair, number in wanted.items():
        male, female = (counts.get((pair, gender), 0) for gender in ("male", "female"))
        half = min(number // 2, male, female)
        drawn.append(ranked.filter((pl.col("pair") == pair) & (pl.col("place") < half)))
        told.append(Quota(pair, number, 2 * half, male, female))
    return pl.concat(drawn).drop("turn", "place") if drawn else clean.clear(), told
