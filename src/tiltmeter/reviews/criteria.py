"""The text by which sentences are judged: it can be edited, and every edition is kept."""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import func, insert, select

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import KEEP, Criterion, Wording
from tiltmeter.reviews.database import Database, criteria
from tiltmeter.reviews.values import Edition


def save_criteria(store: Database, wanted: Sequence[Criterion], *, after: int | None = None) -> int:
    """Keeps a new edition and gives its version; `after`: only if that one is still the last."""
    _check(wanted)
    content = json.dumps([asdict(criterion) for criterion in wanted], ensure_ascii=False)
    with store.writing() as connection:
        last = connection.execute(select(func.max(criteria.c.version))).scalar() or 0
        if after is not None and after != last:
            raise TiltmeterError("somebody saved other criteria meanwhile: nothing was changed; look at those first")
        same = connection.execute(select(criteria.c.content).where(criteria.c.version == last)).scalar() == content
        if not same:
            connection.execute(insert(criteria).values(version=last + 1, saved=time.time(), content=content))
    return last if same else last + 1


def editions(store: Database) -> list[Edition]:
    """All of them, the latest last."""
    with store.reading() as connection:
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


def _check(wanted: Sequence[Criterion]) -> None:
    ids = [criterion.id for criterion in wanted]
    if len(set(ids)) < len(ids):
        raise TiltmeterError("two criteria have the same name")
    if ids[:1] != [KEEP] or len(ids) < 2:
        raise TiltmeterError("there must be a text for what is kept, and at least one reason to drop a sentence")
    for criterion in wanted:
        if not criterion.id or len(criterion.id) > 60:
            raise TiltmeterError("a criterion's name has 1 to 60 characters")
        if not any(wording.title.strip() for wording in criterion.wordings.values()):
            raise TiltmeterError(f"the criterion {criterion.id!r} has no title")


def _read(content: str) -> tuple[Criterion, ...]:
    return tuple(
        Criterion(entry["id"], {lang: Wording(**wording) for lang, wording in entry["wordings"].items()})
        for entry in json.loads(content)
    )
