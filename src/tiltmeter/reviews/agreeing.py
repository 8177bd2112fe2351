"""How far reviewers agree: over all sentences, by criterion, by pair of words, and two by two."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from tiltmeter.reviews.values import CHOICES, Ballot, Sentence, Vote
from tiltmeter.statistics import Agreement, agreement, cohens_kappa


@dataclass(frozen=True, slots=True)
class Row:
    """Agreement about one question."""

    kind: str
    """`all`, `certain`, `criterion`, `pair` or `pilot`."""
    name: str
    found: Agreement


@dataclass(frozen=True, slots=True)
class Two:
    """Two reviewers, on the sentences that both voted on."""

    one: str
    other: str
    sentences: int
    same: float
    """Share of the sentences of which both said the same."""
    kappa: float


def agreements(votes: Sequence[Vote], sentences: Mapping[int, Sentence], reasons: Sequence[str]) -> list[Row]:
    """On keep, drop and unsure; on keep and drop alone; on each reason (dropped for it or not); by pair of words."""
    by_sentence: dict[tuple[int, str], list[Ballot]] = defaultdict(list)
    by_pair: dict[str, list[list[Ballot]]] = defaultdict(list)
    for vote in votes:
        by_sentence[vote.sentence_id, vote.round].append(vote.ballot)
    for (number, _), ballots in by_sentence.items():
        by_pair[sentences[number].pair].append(ballots)
    everything = list(by_sentence.values())
    rows = [
        Row("all", "keep, drop or unsure", _agreement(everything, _choice, CHOICES)),
        Row("certain", "keep or drop, unsure left out", _agreement(everything, _choice, ("keep", "drop"))),
    ]
    used = {ballot.reason for ballots in everything for ballot in ballots}
    for reason in (*(name for name in reasons if name in used), *sorted(used - {"", *reasons})):
        rows.append(Row("criterion", reason, _agreement(everything, _dropped_for(reason), ("yes", "no"))))
    for pair in sorted(by_pair):
        rows.append(Row("pair", pair, _agreement(by_pair[pair], _choice, CHOICES)))
    return rows


def two_by_two(votes: Iterable[Vote]) -> list[Two]:
    """Every two reviewers who voted on the same sentences."""
    by_reviewer: dict[str, dict[tuple[int, str], str]] = defaultdict(dict)
    for vote in votes:
        by_reviewer[vote.reviewer][vote.sentence_id, vote.round] = vote.ballot.choice
    found = []
    for one, other in combinations(sorted(by_reviewer), 2):
        shared = sorted(by_reviewer[one].keys() & by_reviewer[other].keys())
        if shared:
            said = [[by_reviewer[name][place] for place in shared] for name in (one, other)]
            same = sum(a == b for a, b in zip(*said, strict=True)) / len(shared)
            found.append(Two(one, other, len(shared), same, cohens_kappa(*said)))
    return found


def _choice(ballot: Ballot) -> str:
    return ballot.choice


def _dropped_for(reason: str) -> Callable[[Ballot], str]:
    return lambda ballot: "yes" if ballot.choice == "drop" and ballot.reason == reason else "no"


def _agreement(
    sentences: Iterable[Iterable[Ballot]], answer: Callable[[Ballot], str], answers: Sequence[str]
) -> Agreement:
    said = [[answer(ballot) for ballot in ballots] for ballots in sentences]
    counts = np.array([[row.count(name) for name in answers] for row in said], dtype=np.int64)
    return agreement(counts.reshape(-1, len(answers)))
