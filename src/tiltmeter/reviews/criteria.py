"""The text by which sentences are judged: it can be edited, and every edition is kept."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import Connection, func, insert, select

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Criterion, Wording, criteria_problem
from tiltmeter.reviews.database import Database, criteria
from tiltmeter.reviews.values import Edition


def save_criteria(store: Database, wanted: Sequence[Criterion], *, after: int | None = None) -> int:
    """Keeps a new edition and gives its version; `after`: only if that one is still the last."""
    if wrong := criteria_problem(wanted):
        raise TiltmeterError(wrong)

    def once(connection: Connection) -> int:
        last: int = connection.execute(select(func.max(criteria.c.version))).scalar_one()
        if after is not None and after != last:
            raise TiltmeterError("somebody saved other criteria meanwhile: nothing was changed; look at those first")
        content = connection.execute(select(criteria.c.content).where(criteria.c.version == last)).scalar_one()
        if _read(content) == tuple(wanted):
            return last
        insert_edition(connection, last + 1, wanted)
        return last + 1

    return store.persistently(once)


def insert_edition(connection: Connection, version: int, wanted: Sequence[Criterion]) -> None:
    content = json.dumps([asdict(criterion) for criterion in wanted], ensure_ascii=False)
    connection.execute(insert(criteria).values(version=version, saved=time.time(), content=content))


def editions(connection: Connection) -> list[Edition]:
    """All of them, the latest last."""
    rows = connection.execute(select(criteria).order_by(criteria.c.version)).all()
    return [Edition(row.version, row.saved, _read(row.content)) for row in rows]


def current_criteria(store: Database) -> Edition:
    with store.reading() as connection:
        row = connection.execute(select(criteria).order_by(criteria.c.version.desc()).limit(1)).one()
    return Edition(row.version, row.saved, _read(row.content))


def edition(store: Database, version: int) -> Edition | None:
    with store.reading() as connection:
        row = connection.execute(select(criteria).where(criteria.c.version == version)).one_or_none()
    return None if row is None else Edition(row.version, row.saved, _read(row.content))


def _read(content: str) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(entry["id"], {lang: Wording(**wording) for lang, wording in entry["wordings"].items()})
        for entry in json.loads(content)
    )
