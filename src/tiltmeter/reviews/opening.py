"""A review is begun with a set, and gone on with from its database."""

import hashlib
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from sqlalchemy import func, insert, select, update

from tiltmeter.datasets.slguset import LeftOut, left_out_reasons, placed
from tiltmeter.datasets.slguset_files import read_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Pack, load_pack
from tiltmeter.reviews import database as db
from tiltmeter.reviews.criteria import save_criteria
from tiltmeter.reviews.database import MAIN, PILOT, VERSION, Database
from tiltmeter.reviews.people import add_reviewer, all_reviewers
from tiltmeter.reviews.values import About, Sentence

PER_SENTENCE = 3
"""Votes that a sentence gets: the paper had three annotators."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A review that can be voted on, and what has to be said about it."""

    database: Database
    pack: Pack
    links: dict[str, str]
    """Tokens of the reviewers that were added now, by name; only their checksums are kept."""
    notes: tuple[str, ...]


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
    reviewers: Sequence[str] = (),
    per_sentence: int | None = None,
    pilot: int | None = None,
) -> Opened:
    """Begins the review of a set, or goes on with it: then `per_sentence` may be another, and reviewers are added."""
    _check(per_sentence, pilot)
    sentences, left_out = _read(path, pack)
    store = Database(database or str(default_database(path)))
    digest = _digest(sentences)
    notes = [f"left out, {count}: {reason}" for reason, count in left_out_reasons(left_out).items()]
    if store.open():
        _begin(store, path.name, pack, sentences, digest, per_sentence or PER_SENTENCE, pilot or 0)
    else:
        _go_on(store, digest, path, pack, per_sentence, pilot)
    known = {reviewer.name for reviewer in all_reviewers(store)}
    links = {name: add_reviewer(store, name) for name in reviewers if name not in known}
    there, wanted = len(known | set(links)), read_about(store).per_sentence
    if there < wanted:
        notes.append(f"{wanted} votes a sentence are wanted, and there are {there} reviewers: add some")
    return Opened(store, pack, links, tuple(notes))


def read_about(store: Database) -> About:
    with store.reading() as connection:
        row = connection.execute(select(*(db.about.c[name] for name in About.__slots__))).one()
    return About(*row)


def read_sentences(store: Database) -> dict[int, Sentence]:
    """The set by row of its file."""
    columns = [db.sentences.c[name] for name in Sentence.__slots__]
    with store.reading() as connection:
        return {row.id: Sentence(*row) for row in connection.execute(select(*columns).order_by(db.sentences.c.id))}


def rounds(store: Database) -> dict[int, str]:
    """The round in which each sentence is asked about."""
    with store.reading() as connection:
        return {row.id: row.round for row in connection.execute(select(db.sentences.c.id, db.sentences.c.round))}


def begin_main(store: Database, *, again: bool) -> None:
    """Ends the pilot. `again`: its sentences are asked about once more, with criteria that may have changed."""
    with store.writing() as connection:
        connection.execute(update(db.about).values(open_round=MAIN))
        if again:
            connection.execute(db.votes.delete().where(db.votes.c.round == PILOT, db.votes.c.choice.is_(None)))
            connection.execute(update(db.sentences).where(db.sentences.c.round == PILOT).values(round=MAIN))


def _check(per_sentence: int | None, pilot: int | None) -> None:
    if per_sentence is not None and per_sentence < 1:
        raise TiltmeterError(f"--per-sentence is {per_sentence}, and a sentence needs at least one vote")
    if pilot is not None and pilot < 0:
        raise TiltmeterError(f"--pilot is {pilot}, and a number of sentences was expected")


def _read(path: Path, pack: Pack) -> tuple[list[Sentence], list[LeftOut]]:
    if not path.is_file():
        raise TiltmeterError(
            f"{path} is no file: a set is what `tiltmeter build slguset` writes, or a CSV like SlguSet"
        )
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


def _begin(
    store: Database, name: str, pack: Pack, sentences: Sequence[Sentence], digest: str, per_sentence: int, pilot: int
) -> None:
    order = list(range(len(sentences)))
    random.Random(0).shuffle(order)  # so that pairs and sources are mixed, and the pilot is like the rest
    rows = [
        {**asdict(sentence), "position": position, "round": PILOT if position < pilot else MAIN}
        for sentence, position in zip(sentences, order, strict=True)
    ]
    with store.writing() as connection:
        connection.execute(insert(db.sentences), rows)
        connection.execute(
            insert(db.about).values(
                id=1,
                version=VERSION,
                digest=digest,
                name=name,
                lang=pack.lang,
                per_sentence=per_sentence,
                open_round=PILOT if pilot else MAIN,
                created=time.time(),
                server="",
            )
        )
    save_criteria(store, pack.criteria or load_pack("en").criteria)


def _go_on(store: Database, digest: str, path: Path, pack: Pack, per_sentence: int | None, pilot: int | None) -> None:
    known = read_about(store)
    if (known.digest, known.lang) != (digest, pack.lang):
        raise TiltmeterError(
            f"the database {store.shown} holds votes on another set ({known.name}, {known.lang}) than {path.name}: "
            "give another --database"
        )
    with store.reading() as connection:
        there = connection.execute(
            select(func.count()).select_from(db.sentences).where(db.sentences.c.round == PILOT)
        ).scalar()
    if pilot is not None and known.open_round == PILOT and pilot != there:
        raise TiltmeterError(f"this review began with a pilot of {there} sentences, which stays as it is")
    if per_sentence is not None and per_sentence != known.per_sentence:
        with store.writing() as connection:
            connection.execute(update(db.about).values(per_sentence=per_sentence))
