"""What becomes of each sentence: all votes together, and the owner's word where reviewers do not agree."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import delete, insert, select

from tiltmeter.reviews import database as db
from tiltmeter.reviews.database import Database
from tiltmeter.reviews.values import Ballot, Choice, Decision, Vote

How = Literal["adjudicated", "unanimous", "majority", "undecided", "unfinished"]
HOW: dict[How, str] = {
    "unanimous": "all reviewers said the same",
    "majority": "more than half of the reviewers said so",
    "adjudicated": "the owner decided",
    "undecided": "all votes are in, and no answer has more than half of them",
    "unfinished": "votes are missing",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the votes on a sentence come to."""

    sentence_id: int
    final: Literal["keep", "drop", ""]
    """Nothing where it is not decided."""
    how: How
    reason: str
    """Why it is dropped: the owner's reason, else the most frequent."""
    votes: tuple[Vote, ...]
    decision: Decision | None = None

    @property
    def counts(self) -> Counter[str]:
        return Counter(vote.ballot.choice for vote in self.votes)

    @property
    def disputed(self) -> bool:
        """Whether reviewers said different things, or only that they are unsure, and the owner said nothing yet."""
        return self.how in ("majority", "undecided")


def outcomes(
    rounds: Mapping[int, str], votes: Iterable[Vote], decisions: Mapping[int, Decision], per_sentence: int
) -> list[Outcome]:
    """Of every sentence, by the votes of the round that it is in. More than half of its votes decide."""
    by_sentence: dict[int, list[Vote]] = {number: [] for number in rounds}
    for vote in votes:
        if rounds.get(vote.sentence_id) == vote.round:
            by_sentence[vote.sentence_id].append(vote)
    return [
        _outcome(number, sorted(cast, key=lambda vote: vote.voted), decisions.get(number), per_sentence)
        for number, cast in by_sentence.items()
    ]


def _outcome(number: int, votes: list[Vote], decision: Decision | None, per_sentence: int) -> Outcome:
    cast = tuple(votes)
    reasons = Counter(vote.ballot.reason for vote in votes if vote.ballot.choice == "drop")
    reason = min(reasons, key=lambda name: (-reasons[name], name)) if reasons else ""
    if decision is not None:
        final: Literal["keep", "drop"] = "keep" if decision.choice == "keep" else "drop"
        return Outcome(number, final, "adjudicated", decision.reason, cast, decision)
    counts = Counter(vote.ballot.choice for vote in votes)
    if len(votes) < per_sentence:
        return Outcome(number, "", "unfinished", "", cast)
    for final in ("keep", "drop"):
        if 2 * counts[final] > len(votes):
            how: How = "unanimous" if counts[final] == len(votes) else "majority"
            return Outcome(number, final, how, reason if final == "drop" else "", cast)
    return Outcome(number, "", "undecided", "", cast)


def read_votes(store: Database) -> list[Vote]:
    """All votes of all rounds, in the order in which they were cast."""
    joined = db.votes.join(db.reviewers)
    with store.reading() as connection:
        rows = connection.execute(
            select(db.votes, db.reviewers.c.name)
            .select_from(joined)
            .where(db.votes.c.choice.is_not(None))
            .order_by(db.votes.c.voted, db.votes.c.sentence_id, db.votes.c.seat)
        ).all()
    return [
        Vote(
            sentence_id=row.sentence_id,
            round=row.round,
            reviewer=row.name,
            ballot=Ballot(row.choice, row.reason, row.note),
            criteria=row.criteria,
            voted=row.voted,
            seconds=row.voted - row.claimed,
            origin=row.origin,
        )
        for row in rows
    ]


def read_decisions(store: Database) -> dict[int, Decision]:
    with store.reading() as connection:
        rows = connection.execute(select(db.decisions)).all()
    return {row.sentence_id: Decision(row.sentence_id, row.choice, row.reason, row.note, row.decided) for row in rows}


def decide(store: Database, sentence_id: int, choice: Choice, reason: str, note: str) -> None:
    """The owner's word about a sentence; it takes the place of an earlier one."""
    with store.writing() as connection:
        connection.execute(delete(db.decisions).where(db.decisions.c.sentence_id == sentence_id))
        connection.execute(
            insert(db.decisions).values(
                sentence_id=sentence_id, choice=choice, reason=reason, note=note, decided=time.time()
            )
        )


def take_back(store: Database, sentence_id: int) -> None:
    """Leaves a sentence to its votes again."""
    with store.writing() as connection:
        connection.execute(delete(db.decisions).where(db.decisions.c.sentence_id == sentence_id))
