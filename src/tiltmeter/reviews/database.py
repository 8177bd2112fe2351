"""Where votes are kept: SQLite beside the set, or any database by URL. One review a database, one server at a time."""

import json
import os
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout
from sqlalchemy import (
    Column,
    Connection,
    Double,
    Engine,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    event,
    func,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError, OperationalError, SQLAlchemyError

from tiltmeter.errors import TiltmeterError

VERSION = 1
"""Of the layout below; raised with every change of it."""

PILOT, MAIN = "pilot", "main"
"""The rounds. A sentence is asked about in one of them at a time."""

_TRIES = 100
"""How often a change is tried when somebody else was quicker."""

Done = TypeVar("Done")

_tables = MetaData()

about = Table(
    "review_about",
    _tables,
    Column("id", Integer, primary_key=True),
    Column("version", Integer, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("name", Text, nullable=False),
    Column("lang", String(20), nullable=False),
    Column("per_sentence", Integer, nullable=False),
    Column("pilot", Integer, nullable=False),
    Column("open_round", String(10), nullable=False),
    Column("created", Double, nullable=False),
    Column("server", Text, nullable=False),
)
"""A single row: what is reviewed and how."""

sentences = Table(
    "review_sentences",
    _tables,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("position", Integer, nullable=False),
    Column("round", String(10), nullable=False),
    Column("sentence", Text, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("keyword", Text, nullable=False),
    Column("opposite", Text, nullable=False),
    Column("gender", Text, nullable=False),
    Column("pair", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("mark", Text, nullable=False),
    Index("review_sentences_order", "position"),
)
"""The set. `id` is the row in its file, `position` the order in which it is asked about."""

reviewers = Table(
    "review_reviewers",
    _tables,
    Column("id", Integer, primary_key=True),
    Column("name", String(100), nullable=False, unique=True),
    Column("token_hash", String(64), nullable=True, unique=True),
    Column("lang", String(20), nullable=False),
    Column("created", Double, nullable=False),
)
"""Who reviews. Without a `token_hash` a reviewer has no link: it was revoked, or the votes came out of a file."""

votes = Table(
    "review_votes",
    _tables,
    Column("sentence_id", Integer, ForeignKey("review_sentences.id"), primary_key=True),
    Column("round", String(10), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("reviewer_id", Integer, ForeignKey("review_reviewers.id"), nullable=False),
    Column("claimed", Double, nullable=False),
    Column("choice", String(10), nullable=True),
    Column("reason", String(60), nullable=False),
    Column("note", Text, nullable=False),
    Column("criteria", Integer, nullable=False),
    Column("voted", Double, nullable=True),
    Column("origin", String(20), nullable=False),
    UniqueConstraint("sentence_id", "round", "reviewer_id", name="review_one_vote_each"),
    Index("review_votes_by_reviewer", "reviewer_id", "voted"),
)
"""A seat of a sentence: whoever is shown it takes one (`choice` is empty), and votes on it. The keys themselves keep a
sentence from having more votes than seats, and a reviewer from voting twice."""

criteria = Table(
    "review_criteria",
    _tables,
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("saved", Double, nullable=False),
    Column("content", Text, nullable=False),
)
"""Every text of the criteria that there was."""

decisions = Table(
    "review_decisions",
    _tables,
    Column("sentence_id", Integer, ForeignKey("review_sentences.id"), primary_key=True),
    Column("round", String(10), primary_key=True),
    Column("choice", String(10), nullable=False),
    Column("reason", String(60), nullable=False),
    Column("note", Text, nullable=False),
    Column("decided", Double, nullable=False),
)
"""What the owner decided where reviewers did not agree."""

_serving = Table("review_serving", _tables, Column("id", Integer, primary_key=True))
"""A single row that a server holds the lock of."""


class Database:
    """Connections, each with a transaction: `reading()` sees one state, `writing()` is saved at its end or not."""

    _file: tuple[int, int] | None = None
    """Which file SQLite opened: votes that went into one that was moved away would be lost."""

    def __init__(self, url: str) -> None:
        self.url = _parsed(url)
        self.shown = (self.url.database if self.on_sqlite else None) or self.url.render_as_string(hide_password=True)
        try:
            self._engine = create_engine(self.url, pool_pre_ping=True, pool_size=20, max_overflow=30)
        except (ModuleNotFoundError, NoSuchModuleError) as error:
            driver = getattr(error, "name", None) or self.url.drivername
            raise TiltmeterError(
                f"{self.shown} needs the database driver {driver!r}; install it with pip, and give the URL as "
                "dialect+driver://... (https://docs.sqlalchemy.org/dialects)"
            ) from error
        if self.on_sqlite:
            _settle_sqlite(self._engine)
        self._to_write = self._engine.execution_options(tiltmeter_writes=True)
        level: Any = {} if self.on_sqlite else {"isolation_level": "REPEATABLE READ"}
        self._to_read = self._engine.execution_options(**level)

    @property
    def on_sqlite(self) -> bool:
        return self.url.get_backend_name() == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._to_read.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        with self._to_write.begin() as connection:
            yield connection
        if self._file is not None and self._file != _identity(Path(self.url.database or "")):
            raise TiltmeterError(f"{self.url.database} was moved away or replaced: nothing can be saved; start again")

    def persistently(self, once: Callable[[Connection], Done]) -> Done:
        """In a transaction of its own, and in another where somebody took the same seat in the same moment."""
        for _ in range(_TRIES):
            try:
                with self.writing() as connection:
                    return once(connection)
            except IntegrityError as error:
                taken = error
        raise taken

    def open(self, begin: Callable[[Connection], None] | None) -> bool:
        """Makes the tables where there are none, lets `begin` fill them in the same transaction, and says whether it
        did; refuses what is not such a database. Without `begin` there must be a review already."""
        nothing = TiltmeterError(f"there is no review in {self.shown} yet")
        if begin is None and self.on_sqlite and not Path(self.url.database or "").exists():
            raise nothing
        try:
            with self.writing() as connection:
                self._file = _identity(Path(self.url.database or "")) if self.on_sqlite else None
                there = {name for name in inspect(connection).get_table_names() if name in _tables.tables}
                if not there:
                    if begin is None:
                        raise nothing
                    _tables.create_all(connection)
                    connection.execute(insert(_serving).values(id=1))
                    begin(connection)
                    return True
                version = connection.execute(select(about.c.version)).scalar() if about.name in there else None
        except SQLAlchemyError as error:
            raise self._unusable(error) from error
        if version != VERSION:
            found = f"has layout {version}" if version is not None else "holds other tables of these names"
            raise TiltmeterError(
                f"the database {self.shown} {found}, and this tiltmeter reads layout {VERSION}: use the tiltmeter that "
                "made it, or another --database"
            )
        return False

    def state(self) -> tuple[object, ...]:
        """Something that is another after every vote, decision, edition or reviewer."""
        counts = [
            select(func.count(), func.sum(votes.c.voted)).where(votes.c.choice.is_not(None)),
            select(func.count(), func.sum(decisions.c.decided)).select_from(decisions),
            select(func.max(criteria.c.version), func.count()).select_from(criteria),
            select(about.c.per_sentence, about.c.open_round),
            select(func.count(), func.max(reviewers.c.id)).select_from(reviewers),
        ]
        with self.reading() as connection:
            return tuple(tuple(connection.execute(count).one()) for count in counts)

    @contextmanager
    def served(self, address: str) -> Iterator[None]:
        """Holds the database for one server. What dies lets go of it."""
        told = json.dumps({"address": address, "process": os.getpid(), "host": socket.gethostname()})
        with self._lock():
            with self.writing() as connection:
                connection.execute(update(about).values(server=told))
            yield

    def _lock(self) -> Any:
        return self._file_lock() if self.on_sqlite else self._row_lock()

    @contextmanager
    def _file_lock(self) -> Iterator[None]:
        lock = FileLock(f"{Path(self.url.database or '').resolve()}.lock")
        try:
            lock.acquire(timeout=0)
        except Timeout as error:
            raise self._taken() from error
        except OSError as error:
            raise TiltmeterError(f"{self.url.database}.lock cannot be written: {error.strerror}") from error
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _row_lock(self) -> Iterator[None]:
        """A lock on the row of a table of its own, held by a transaction that stays open."""
        with self._engine.connect() as connection:
            try:
                connection.execute(select(_serving.c.id).with_for_update(nowait=True)).scalar()
            except OperationalError as error:
                connection.rollback()
                raise self._taken() from error
            yield

    def _taken(self) -> TiltmeterError:
        with self.reading() as connection:
            server = json.loads(connection.execute(select(about.c.server)).scalar() or "{}")
        where = f" at {server['address']} (process {server['process']} on {server['host']})" if server else ""
        return TiltmeterError(f"another server{where} uses the database {self.shown}; stop that one first")

    def _unusable(self, error: SQLAlchemyError) -> TiltmeterError:
        why = str(getattr(error, "orig", None) or error).strip().splitlines()
        return TiltmeterError(f"the database {self.shown} cannot be used: {why[0] if why else type(error).__name__}")

    def close(self) -> None:
        self._engine.dispose()


def _parsed(url: str) -> URL:
    """A URL, or the path of an SQLite file."""
    if "://" not in url:
        path = Path(url)
        if not path.absolute().parent.is_dir():
            raise TiltmeterError(f"{path.absolute().parent} is no folder: the votes cannot be kept there")
        return URL.create("sqlite", database=str(path.absolute()))
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:  # not shown: it may hold a password
        raise TiltmeterError("--database is neither a file nor a URL such as postgresql://HOST/NAME") from error
    if parsed.get_backend_name() == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise TiltmeterError("votes in a database in memory are lost with it: name a file")
    return parsed


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        return path.stat().st_dev, path.stat().st_ino
    except OSError:
        return None


def _settle_sqlite(engine: Engine) -> None:
    """Readers beside a writer, commits that survive a power cut, and transactions that begin where they say so."""

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _: object) -> None:
        connection.isolation_level = None  # no transaction but those that we begin
        for setting in ("busy_timeout=60000", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            connection.execute(f"PRAGMA {setting}")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A reader that turns writer would find that others wrote meanwhile: who will write says so from the start.
        writes = connection.get_execution_options().get("tiltmeter_writes")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
