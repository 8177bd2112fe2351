"""Which sentence a reviewer is shown, and what becomes of the vote.

Whoever is shown a sentence takes one of its seats; a seat is free again when nothing was voted on it for half an hour
and somebody else could use it. What is written holds only if nothing has changed since it was read: where a key is
taken, or a condition no longer fits, it is tried again or refused. So neither two reviewers nor two tabs can make a
sentence have too many votes, or lose one.
"""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Exists, and_, case, delete, exists, func, insert, or_, select, update

from tiltmeter.reviews import database as db
from tiltmeter.reviews.database import MAIN, PILOT, Database
from tiltmeter.reviews.values import Ballot, Sentence, Stale

LEASE = 30 * 60.0
"""Seconds for which a sentence that was shown is kept for its reviewer."""


@dataclass(frozen=True, slots=True)
class Task:
    """A sentence to vote on."""

    sentence: Sentence
    round: str
    note: str
    """What the reviewer had noted before taking a vote back."""


@dataclass(frozen=True, slots=True)
class Last:
    """The vote that a reviewer can take back."""

    sentence_id: int
    round: str
    ballot: Ballot
    voted: float


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a reviewer and all together are."""

    own: int
    """Votes of the reviewer on what is asked about now."""
    cast: int
    """Votes of all on it, up to as many as are wanted."""
    wanted: int
    waiting: str
    """Why there may be nothing to show: `pilot` (the main part is not open), `others` (they have the last), `done`."""


def next_task(store: Database, reviewer_id: int) -> Task | None:
    """The sentence that the reviewer has open, else the first with a free seat, else one that was left lying."""

    def once(connection: Connection) -> Task | None:
        now = time.time()
        task = _open_task(connection, reviewer_id, now)
        if task is None and _take_free(connection, reviewer_id, now):
            task = _open_task(connection, reviewer_id, now)
        if task is None and _take_left_lying(connection, reviewer_id, now):
            task = _open_task(connection, reviewer_id, now)
        return task

    return store.persistently(once)


def cast(store: Database, reviewer_id: int, sentence_id: int, round_: str, ballot: Ballot, criteria: int) -> None:
    """Saves a vote; on return it survives whatever happens to the server. The same vote sent twice counts once."""
    now = time.time()
    values = {"choice": ballot.choice, "reason": ballot.reason, "note": ballot.note, "criteria": criteria, "voted": now}
    mine = and_(
        db.votes.c.sentence_id == sentence_id, db.votes.c.round == round_, db.votes.c.reviewer_id == reviewer_id
    )

    def once(connection: Connection) -> None:
        saved = connection.execute(update(db.votes).where(mine, db.votes.c.choice.is_(None)).values(**values))
        if saved.rowcount:
            return
        row = connection.execute(select(db.votes.c.choice, db.votes.c.reason).where(mine)).one_or_none()
        if row is not None:
            if (row.choice, row.reason) != (ballot.choice, ballot.reason):
                raise Stale("stale_voted")
            return
        # Shown long ago, and left to others since: there may still be a seat.
        if not _is_asked(connection, sentence_id, round_):
            raise Stale("stale_gone")
        seat = _free_seat(connection, sentence_id, round_)
        if seat is None:
            raise Stale("stale_full")
        connection.execute(insert(db.votes), _seat(sentence_id, round_, seat, reviewer_id, now) | values)

    store.persistently(once)


def undo(store: Database, reviewer_id: int, sentence_id: int, round_: str) -> None:
    """Takes the reviewer's last vote back and shows them its sentence again."""
    with store.writing() as connection:
        last = _last(connection, reviewer_id)
        if last is None or (last.sentence_id, last.round) != (sentence_id, round_):
            raise Stale("stale_undo")
        if connection.execute(
            select(db.decisions.c.round).where(
                db.decisions.c.sentence_id == sentence_id, db.decisions.c.round == round_
            )
        ).first():
            raise Stale("stale_decided")
        if not _is_asked(connection, sentence_id, round_):
            raise Stale("stale_undo")
        mine = db.votes.c.reviewer_id == reviewer_id
        taken_back = connection.execute(
            update(db.votes)
            .where(mine, db.votes.c.sentence_id == sentence_id, db.votes.c.round == round_)
            .where(db.votes.c.voted == last.voted)
            .values(choice=None, reason="", voted=None, claimed=time.time())
        )
        if taken_back.rowcount == 0:
            raise Stale("stale_undo")
        others = or_(db.votes.c.sentence_id != sentence_id, db.votes.c.round != round_)
        connection.execute(delete(db.votes).where(mine, db.votes.c.choice.is_(None), others))


def last_vote(store: Database, reviewer_id: int) -> Last | None:
    with store.reading() as connection:
        return _last(connection, reviewer_id)


def progress(store: Database, reviewer_id: int | None = None) -> Progress:
    """Of one reviewer and of all."""
    cast_here = and_(db.votes.c.choice.is_not(None), db.votes.c.round == db.sentences.c.round)
    with store.reading() as connection:
        per_sentence, open_round = connection.execute(select(db.about.c.per_sentence, db.about.c.open_round)).one()
        asked = db.sentences.c.round.in_(_rounds(open_round))
        count = connection.execute(select(func.count()).select_from(db.sentences).where(asked)).scalar() or 0
        each = (
            select(func.count().label("votes"))
            .select_from(db.votes.join(db.sentences))
            .where(cast_here, asked)
            .group_by(db.sentences.c.id)
            .subquery()
        )
        enough = case((each.c.votes > per_sentence, per_sentence), else_=each.c.votes)
        voted = connection.execute(select(func.sum(enough))).scalar() or 0
        own = connection.execute(
            select(func.count())
            .select_from(db.votes.join(db.sentences))
            .where(cast_here, asked, db.votes.c.reviewer_id == reviewer_id)
        ).scalar()
        open_for_me = connection.execute(
            select(db.votes.c.sentence_id)
            .select_from(db.votes.join(db.sentences))
            .where(
                db.votes.c.choice.is_(None),
                asked,
                db.votes.c.round == db.sentences.c.round,
                ~_has_seat(reviewer_id),
            )
            .limit(1)
        ).first()
    waiting = "others" if open_for_me else "pilot" if open_round == PILOT else "done"
    return Progress(own or 0, int(voted), count * per_sentence, waiting)


def _rounds(open_round: str) -> tuple[str, ...]:
    return (PILOT,) if open_round == PILOT else (PILOT, MAIN)


def _open_task(connection: Connection, reviewer_id: int, now: float) -> Task | None:
    """The sentence that the reviewer was shown and has not voted on; it is kept for them from now on again."""
    columns = [db.sentences.c[name] for name in Sentence.__slots__]
    row = connection.execute(
        select(*columns, db.votes.c.round, db.votes.c.note)
        .select_from(db.votes.join(db.sentences))
        .where(
            db.votes.c.reviewer_id == reviewer_id,
            db.votes.c.choice.is_(None),
            db.votes.c.round == db.sentences.c.round,
        )
        .order_by(db.votes.c.claimed)
        .limit(1)
    ).one_or_none()
    if row is None:
        return None
    *cells, round_, note = row
    connection.execute(
        update(db.votes)
        .where(db.votes.c.sentence_id == row.id, db.votes.c.round == round_, db.votes.c.reviewer_id == reviewer_id)
        .values(claimed=now)
    )
    return Task(Sentence(*cells), round_, note)


def _take_free(connection: Connection, reviewer_id: int, now: float) -> bool:
    per_sentence, open_round = connection.execute(select(db.about.c.per_sentence, db.about.c.open_round)).one()
    seated = db.votes.alias()
    here = and_(seated.c.sentence_id == db.sentences.c.id, seated.c.round == db.sentences.c.round)
    taken = select(func.count()).select_from(seated).where(here).scalar_subquery()
    row = connection.execute(
        select(db.sentences.c.id, db.sentences.c.round)
        .where(
            db.sentences.c.round.in_(_rounds(open_round)),
            ~_has_seat(reviewer_id),
            taken < per_sentence,
        )
        .order_by(db.sentences.c.position)
        .limit(1)
    ).one_or_none()
    if row is None:
        return False
    seat = _free_seat(connection, row.id, row.round)
    if seat is None:
        return False
    connection.execute(insert(db.votes), _seat(row.id, row.round, seat, reviewer_id, now))
    return True


def _take_left_lying(connection: Connection, reviewer_id: int, now: float) -> bool:
    row = connection.execute(
        select(db.votes)
        .select_from(db.votes.join(db.sentences))
        .where(
            db.votes.c.choice.is_(None),
            db.votes.c.claimed < now - LEASE,
            db.votes.c.round == db.sentences.c.round,
            ~_has_seat(reviewer_id),
        )
        .order_by(db.votes.c.claimed)
        .limit(1)
    ).one_or_none()
    if row is None:
        return False
    taken = connection.execute(
        update(db.votes)
        .where(
            db.votes.c.sentence_id == row.sentence_id,
            db.votes.c.round == row.round,
            db.votes.c.seat == row.seat,
            db.votes.c.reviewer_id == row.reviewer_id,
            db.votes.c.choice.is_(None),
            db.votes.c.claimed == row.claimed,
        )
        .values(reviewer_id=reviewer_id, claimed=now, note="")
    )
    return taken.rowcount == 1


def _has_seat(reviewer_id: int | None) -> Exists:
    """Whether the reviewer voted on the sentence, or has it open."""
    mine = db.votes.alias()
    return exists().where(
        mine.c.sentence_id == db.sentences.c.id,
        mine.c.round == db.sentences.c.round,
        mine.c.reviewer_id == reviewer_id,
    )


def _seat(sentence_id: int, round_: str, seat: int, reviewer_id: int, now: float) -> dict[str, Any]:
    """A seat that is taken and not voted on."""
    return {
        "sentence_id": sentence_id,
        "round": round_,
        "seat": seat,
        "reviewer_id": reviewer_id,
        "claimed": now,
        "choice": None,
        "reason": "",
        "note": "",
        "criteria": 0,
        "voted": None,
        "origin": "web",
    }


def _free_seat(connection: Connection, sentence_id: int, round_: str) -> int | None:
    per_sentence = connection.execute(select(db.about.c.per_sentence)).scalar() or 0
    taken = set(
        connection.execute(
            select(db.votes.c.seat).where(db.votes.c.sentence_id == sentence_id, db.votes.c.round == round_)
        ).scalars()
    )
    return next(seat for seat in range(per_sentence) if seat not in taken) if len(taken) < per_sentence else None


def _is_asked(connection: Connection, sentence_id: int, round_: str) -> bool:
    open_round = connection.execute(select(db.about.c.open_round)).scalar_one()
    asked = select(db.sentences.c.id).where(db.sentences.c.id == sentence_id, db.sentences.c.round == round_)
    return round_ in _rounds(open_round) and connection.execute(asked).first() is not None


def _last(connection: Connection, reviewer_id: int) -> Last | None:
    row = connection.execute(
        select(db.votes)
        .where(db.votes.c.reviewer_id == reviewer_id, db.votes.c.voted.is_not(None), db.votes.c.origin == "web")
        .order_by(db.votes.c.voted.desc())
        .limit(1)
    ).one_or_none()
    return (
        None if row is None else Last(row.sentence_id, row.round, Ballot(row.choice, row.reason, row.note), row.voted)
    )
