"""Reviewers and their personal links. A link's token is known to its holder alone: only its checksum is kept."""

import hashlib
import secrets
import time
import unicodedata

from sqlalchemy import Connection, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from tiltmeter.errors import TiltmeterError
from tiltmeter.reviews.database import Database, reviewers, votes
from tiltmeter.reviews.values import Reviewer

LONGEST_NAME = 100


def add_reviewer(store: Database, name: str) -> str:
    """The token of a new reviewer's link; the name is usable."""
    try:
        with store.writing() as connection:
            return insert_reviewer(connection, name)
    except IntegrityError as error:
        raise TiltmeterError(f"there is a reviewer {name!r} already") from error


def insert_reviewer(connection: Connection, name: str) -> str:
    token = new_token()
    connection.execute(insert(reviewers).values(name=name, token_hash=_hash(token), lang="", created=time.time()))
    return token


def new_link(store: Database, reviewer_id: int) -> str:
    """The token of another link of a reviewer; the one before is no longer valid."""
    token = new_token()
    with store.writing() as connection:
        connection.execute(update(reviewers).where(reviewers.c.id == reviewer_id).values(token_hash=_hash(token)))
    return token


def revoke(store: Database, reviewer_id: int) -> None:
    """Takes a reviewer's link away. What they voted stays; the sentence that they were shown is free for others."""
    with store.writing() as connection:
        connection.execute(update(reviewers).where(reviewers.c.id == reviewer_id).values(token_hash=None))
        connection.execute(delete(votes).where(votes.c.reviewer_id == reviewer_id, votes.c.choice.is_(None)))


def reviewer_of(store: Database, token: str) -> Reviewer | None:
    """Whose link it is."""
    with store.reading() as connection:
        row = connection.execute(select(reviewers).where(reviewers.c.token_hash == _hash(token))).one_or_none()
    return None if row is None else Reviewer(row.id, row.name, row.lang, has_link=True)


def all_reviewers(store: Database) -> list[Reviewer]:
    with store.reading() as connection:
        rows = connection.execute(select(reviewers).order_by(reviewers.c.id)).all()
    return [Reviewer(row.id, row.name, row.lang, row.token_hash is not None) for row in rows]


def set_language(store: Database, reviewer_id: int, lang: str) -> None:
    with store.writing() as connection:
        connection.execute(update(reviewers).where(reviewers.c.id == reviewer_id).values(lang=lang))


def usable_name(name: str) -> str:
    usable = unicodedata.normalize("NFC", " ".join(name.split()))
    if not usable or len(usable) > LONGEST_NAME or not usable.isprintable():
        raise TiltmeterError(f"a reviewer's name has 1 to {LONGEST_NAME} characters, and {name[:120]!r} is none")
    return usable


def new_token() -> str:
    return secrets.token_urlsafe(32)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()
