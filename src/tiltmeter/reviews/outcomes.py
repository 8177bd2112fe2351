"""What becomes of each sentence: all votes together, and the owner's word where reviewers do not agree."""

import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, insert, select

from tiltmeter.errors import TiltmeterError
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
    rounds: Mapping[int, str], votes: Iterable[Vote], decisions: Mapping[tuple[int, str], Decision], per_sentence: int
) -> list[Outcome]:
    """Of every sentence, by what was said in the round that it is in. More than half of its votes decide."""
    by_sentence: dict[int, list[Vote]] = {number: [] for number in rounds}
    for vote in votes:
        if rounds.get(vote.sentence_id) == vote.round:
            by_sentence[vote.sentence_id].append(vote)
    return [
        _outcome(number, cast, decisions.get((number, rounds[number])), per_sentence)
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


def read_votes(connection: Connection) -> list[Vote]:
    """All votes of all rounds, in the order in which they were cast."""
    rows = connection.execute(
        select(db.votes, db.reviewers.c.name)
        .select_from(db.votes.join(db.reviewers))
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


def read_decisions(connection: Connection) -> dict[tuple[int, str], Decision]:
    """By sentence and round."""
    rows = connection.execute(select(*(db.decisions.c[name] for name in Decision.__slots__))).all()
    return {(row.sentence_id, row.round): Decision(*row) for row in rows}


def decide(store: Database, sentence_id: int, choice: Choice, reason: str, note: str) -> None:
    """The owner's word about a sentence; it takes the place of an earlier one."""

    def once(connection: Connection) -> None:
        round_ = _withdrawn(connection, sentence_id)
        values = {"choice": choice, "reason": reason, "note": note, "decided": time.time()}
        connection.execute(insert(db.decisions).values(sentence_id=sentence_id, round=round_, **values))

    store.persistently(once)


def take_back(store: Database, sentence_id: int) -> None:
    """Leaves a sentence to its votes again."""
    with store.writing() as connection:
        _withdrawn(connection, sentence_id)


def _withdrawn(connection: Connection, sentence_id: int) -> str:
    """Removes what was decided about a sentence in the round that it is in, which is the answer."""
    round_ = connection.execute(select(db.sentences.c.round).where(db.sentences.c.id == sentence_id)).scalar()
    if round_ is None:
        raise TiltmeterError("there is no such sentence in the set")
    here = (db.decisions.c.sentence_id == sentence_id, db.decisions.c.round == round_)
    connection.execute(delete(db.decisions).where(*here))
    return str(round_)
