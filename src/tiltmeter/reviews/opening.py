"""A review is begun with a set, and gone on with from its database."""

import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import Connection, insert, select, update

from tiltmeter.datasets.slguset import LeftOut, left_out_reasons, placed
from tiltmeter.datasets.slguset_files import read_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Pack, load_pack
from tiltmeter.reviews import database as db
from tiltmeter.reviews.criteria import insert_edition
from tiltmeter.reviews.database import MAIN, PILOT, VERSION, Database
from tiltmeter.reviews.people import insert_reviewer, usable_name
from tiltmeter.reviews.values import About, Sentence

PER_SENTENCE = 3
"""Votes that a sentence gets: the paper had three annotators."""


MOST_VOTES = 100
"""Votes that a sentence may want."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A review that can be voted on, and what has to be said about it."""

    database: Database
    pack: Pack
    notes: tuple[str, ...] = ()


def default_database(path: Path) -> Path:
    """Where the votes on a set are kept if nothing else is said: `set.parquet`, `set.review.db`."""
    return path.with_suffix(".review.db")


def language_of(path: Path) -> str | None:
    """What the data card beside a set says of its language."""
    try:
        card = json.loads((path.parent / "card.json").read_text("utf-8"))
        return str(card["lang"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def open_review(
    path: Path,
    pack: Pack,
    *,
    database: str | None = None,
    per_sentence: int | None = None,
    pilot: int | None = None,
    begin: bool = True,
) -> Opened:
    """Begins the review of a set, or, where its database is there, goes on with it and changes nothing.

    `begin=False`: it must have been begun already.
    """
    check_votes(per_sentence)
    if pilot is not None and pilot < 0:
        raise TiltmeterError(f"--pilot is {pilot}, and a number of sentences was expected")
    sentences, left_out = _read(path, pack)
    notes = tuple(f"left out, {count}: {reason}" for reason, count in left_out_reasons(left_out).items())
    pilot_size = min(pilot or 0, len(sentences))
    wanted = About(
        digest=_digest(sentences),
        name=path.name,
        lang=pack.lang,
        per_sentence=per_sentence or PER_SENTENCE,
        pilot=pilot_size,
        open_round=PILOT if pilot_size else MAIN,
        created=time.time(),
    )
    store = Database(database or str(default_database(path)))
    try:
        fill = (lambda connection: _begin(connection, wanted, sentences, pack)) if begin else None
        if not store.open(fill):
            _check_same(store, wanted, pilot)
    except BaseException:
        store.close()
        raise
    return Opened(store, pack, notes)


def admit(store: Database, names: Sequence[str], per_sentence: int | None = None) -> dict[str, str]:
    """Adds those reviewers who are not there yet and gives the tokens of their links, by name; a sentence may want
    more votes from now on."""
    wanted = list(dict.fromkeys(usable_name(name) for name in names))
    check_votes(per_sentence)

    def once(connection: Connection) -> dict[str, str]:
        before = read_about(connection).per_sentence
        if per_sentence is not None and per_sentence < before:
            raise TiltmeterError(f"this review wants {before} votes a sentence, and can only want more")
        if per_sentence is not None:
            connection.execute(update(db.about).values(per_sentence=per_sentence))
        known = set(connection.execute(select(db.reviewers.c.name)).scalars())
        return {name: insert_reviewer(connection, name) for name in wanted if name not in known}

    return store.persistently(once)


def check_votes(per_sentence: int | None) -> None:
    if per_sentence is not None and not 1 <= per_sentence <= MOST_VOTES:
        raise TiltmeterError(f"--per-sentence is {per_sentence}, and a sentence wants 1 to {MOST_VOTES} votes")


def read_about(connection: Connection) -> About:
    return About(*connection.execute(select(*(db.about.c[name] for name in About.__slots__))).one())


def read_sentences(connection: Connection) -> dict[int, Sentence]:
    """The set by row of its file."""
    columns = [db.sentences.c[name] for name in Sentence.__slots__]
    return {row.id: Sentence(*row) for row in connection.execute(select(*columns).order_by(db.sentences.c.id))}


def rounds(connection: Connection) -> dict[int, str]:
    """The round in which each sentence is asked about."""
    return {row.id: row.round for row in connection.execute(select(db.sentences.c.id, db.sentences.c.round))}


def begin_main(store: Database, *, again: bool) -> None:
    """Ends the pilot. `again`: its sentences are asked about once more, with criteria that may have changed."""
    with store.writing() as connection:
        opened = connection.execute(update(db.about).where(db.about.c.open_round == PILOT).values(open_round=MAIN))
        if opened.rowcount == 0:
            raise TiltmeterError("the main part is open already")
        if again:
            connection.execute(db.votes.delete().where(db.votes.c.round == PILOT, db.votes.c.choice.is_(None)))
            connection.execute(update(db.sentences).where(db.sentences.c.round == PILOT).values(round=MAIN))


def _read(path: Path, pack: Pack) -> tuple[list[Sentence], list[LeftOut]]:
    listed = {entry.line: entry for entry in read_set(path).sentences}
    rows, left_out = placed(listed.values(), pack)
    if not rows:
        raise TiltmeterError(f"{path.name} holds no sentence that can be reviewed; the first: {left_out[0].reason}")
    found = [
        Sentence(
            id=row.line,
            sentence=row.sentence,
            start=row.span[0],
            end=row.span[1],
            keyword=row.male if row.written == "male" else row.female,
            opposite=row.female if row.written == "male" else row.male,
            gender=row.written,
            pair=row.pair,
            source=listed[row.line].source,
            mark=listed[row.line].mark,
        )
        for row in rows
    ]
    return found, left_out


def _digest(sentences: Sequence[Sentence]) -> str:
    content = [(row.id, row.sentence, row.start, row.end, row.opposite) for row in sentences]
    return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()


def _begin(connection: Connection, about: About, sentences: Sequence[Sentence], pack: Pack) -> None:
    order = list(range(len(sentences)))
    random.Random(0).shuffle(order)  # so that pairs and sources are mixed, and the pilot is like the rest
    rows = [
        {**asdict(sentence), "position": position, "round": PILOT if position < about.pilot else MAIN}
        for sentence, position in zip(sentences, order, strict=True)
    ]
    connection.execute(insert(db.sentences), rows)
    connection.execute(insert(db.about).values(id=1, version=VERSION, server="", **asdict(about)))
    insert_edition(connection, 1, pack.criteria or load_pack("en").criteria)


def _check_same(store: Database, wanted: About, pilot: int | None) -> None:
    with store.reading() as connection:
        known = read_about(connection)
    if (known.digest, known.lang) != (wanted.digest, wanted.lang):
        raise TiltmeterError(
            f"the database {store.shown} holds votes on another set ({known.name}, {known.lang}) than {wanted.name}: "
            "give another --database"
        )
    if pilot is not None and wanted.pilot != known.pilot:
        raise TiltmeterError(f"this review began with a pilot of {known.pilot} sentences, which stays as it is")
