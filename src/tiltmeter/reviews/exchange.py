"""Votes to Label Studio, and back from it."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from tiltmeter.datasets.label_studio import Annotation, LabelledTask, labelling_config, read_tasks, written_task
from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.reviews import database as db
from tiltmeter.reviews.criteria import editions
from tiltmeter.reviews.database import MAIN, PILOT, Database
from tiltmeter.reviews.opening import read_about, read_sentences, rounds
from tiltmeter.reviews.people import usable_name
from tiltmeter.reviews.values import CHOICES, LONGEST_NOTE, Edition, Sentence, Vote, storable

ORIGIN = "label-studio"


@dataclass(frozen=True, slots=True)
class Imported:
    """What a file gave."""

    new: int
    same: int
    """Votes that were here already."""
    other: int
    """Votes of reviewers who said something else here: what they said here stays."""
    without: int
    """Annotations without a verdict, or skipped."""
    unknown: int
    """Tasks about sentences that are not in the set."""
    superseded: int
    """Votes of a pilot that was asked again, in a review without one."""
    reviewers: int
    """Reviewers who were not here before; they have no link."""

    def sentence(self) -> str:
        told = [f"{self.new} votes taken in"]
        for count, what in (
            (self.reviewers, "new reviewers, without a link"),
            (self.same, "votes were here already"),
            (self.other, "votes differ from what their reviewers said here, which stays"),
            (self.without, "annotations without a verdict"),
            (self.superseded, "votes of a pilot that was asked again left out"),
            (self.unknown, "tasks about sentences that are not in this set"),
        ):
            told += [f"{count} {what}"] if count else []
        return ", ".join(told)


def label_studio_tasks(sentences: Iterable[Sentence], votes: Iterable[Vote]) -> list[dict[str, Any]]:
    """A task for each sentence, with the votes on it as annotations."""
    cast: dict[int, list[Annotation]] = defaultdict(list)
    for vote in votes:
        cast[vote.sentence_id].append(
            Annotation(
                annotator=vote.reviewer,
                verdict=vote.ballot.choice,
                reason=vote.ballot.reason,
                note=vote.ballot.note,
                seconds=vote.seconds,
                more={"round": vote.round, "voted": vote.voted, "criteria": vote.criteria},
            )
        )
    tasks = []
    for sentence in sentences:
        data = asdict(sentence)
        # `id` would be lost in Label Studio's short export.
        data = {"sentence_id": data.pop("id"), **data, "swapped": sentence.swapped}
        tasks.append(written_task(data, cast[sentence.id]))
    return tasks


def label_studio_config(criteria: Edition, lang: str) -> str:
    reasons = {reason.id: reason.wording(lang, "en").title for reason in criteria.reasons}
    return labelling_config(CHOICES, reasons, "drop")


def import_label_studio(store: Database, content: bytes, name: str) -> Imported:
    """Takes the votes of a Label Studio export in: all of them, or, where one cannot be read, none."""
    tasks = read_tasks(content, name)
    with store.reading() as connection:
        known = _Review(connection)
    ballots = []
    without = missing = superseded = 0
    for task in tasks:
        sentence_id = known.sentence(task)
        if sentence_id is None:
            missing += 1
            continue
        for annotation in task.annotations:
            if not annotation.verdict:
                without += 1
            elif known.was_asked_again(annotation, task):
                superseded += 1
            else:
                ballots.append(known.row(sentence_id, annotation, f"{name}, task {task.place}"))
    if missing == len(tasks):
        raise TiltmeterError(f"{name}: none of its {missing} tasks is about a sentence of this set")
    counts: Counter[str] = store.persistently(lambda connection: _saved(connection, ballots))
    return Imported(
        new=counts["new"],
        same=counts["same"],
        other=counts["other"],
        without=without,
        unknown=missing,
        superseded=superseded,
        reviewers=counts["reviewers"],
    )


class _Review:
    """What a file is held against."""

    def __init__(self, connection: Connection) -> None:
        self._sentences = read_sentences(connection)
        self._rounds = rounds(connection)
        self._by_text = {(row.sentence, row.start): row.id for row in self._sentences.values()}
        self._pilot = read_about(connection).pilot
        known = editions(connection)
        self._versions = {edition.version for edition in known}
        self._latest = known[-1].version
        self._reasons = {reason.id: reason.id for edition in known for reason in edition.reasons}
        for edition in known:
            for reason in edition.reasons:
                for wording in reason.wordings.values():
                    self._reasons.setdefault(wording.title, reason.id)

    def sentence(self, task: LabelledTask) -> int | None:
        """By its number if the text is the same, else by text and place of the keyword."""
        number, text, start = (task.data.get(key) for key in ("sentence_id", "sentence", "start"))
        found = self._sentences.get(number) if isinstance(number, int) else None
        if found is not None and found.sentence == text:
            return found.id
        return self._by_text.get((text, start)) if isinstance(text, str) and isinstance(start, int) else None

    def was_asked_again(self, annotation: Annotation, task: LabelledTask) -> bool:
        """Whether it is of a pilot that there was not here, and its annotator said something later."""
        later = {other.annotator for other in task.annotations if other.more.get("round") == MAIN}
        return not self._pilot and annotation.more.get("round") == PILOT and annotation.annotator in later

    def _round(self, sentence_id: int, told: object) -> str:
        """That of the file; but where there was no pilot, its votes are votes as any other."""
        return str(told) if told == MAIN or (told == PILOT and self._pilot) else self._rounds[sentence_id]

    def row(self, sentence_id: int, annotation: Annotation, place: str) -> dict[str, Any]:
        if annotation.verdict not in CHOICES:
            raise TiltmeterError(f"{place}: {unknown('verdict', annotation.verdict, CHOICES)}")
        if annotation.reason and annotation.reason not in self._reasons:
            raise TiltmeterError(f"{place}: {unknown('reason', annotation.reason, self._reasons)}")
        if len(annotation.note) > LONGEST_NOTE:
            raise TiltmeterError(f"{place}: the note is longer than {LONGEST_NOTE} characters")
        try:
            reviewer = usable_name(annotation.annotator)
        except TiltmeterError as error:
            raise TiltmeterError(f"{place}: {error}") from error
        more, version = annotation.more, annotation.more.get("criteria")
        voted = _moment(more.get("voted")) or _moment(annotation.made) or time.time()
        return {
            "reviewer": reviewer,
            "sentence_id": sentence_id,
            "round": self._round(sentence_id, more.get("round")),
            "choice": annotation.verdict,
            "reason": self._reasons.get(annotation.reason, "") if annotation.verdict == "drop" else "",
            "note": storable(annotation.note),
            "criteria": version if isinstance(version, int) and version in self._versions else self._latest,
            "claimed": voted - annotation.seconds,
            "voted": voted,
            "origin": ORIGIN,
        }


def _moment(value: object) -> float | None:
    """Seconds since 1970, before the year 2100."""
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 4.1e9
    return float(value) if known else None  # type: ignore[arg-type]


def _saved(connection: Connection, ballots: Iterable[Mapping[str, Any]]) -> "Counter[str]":
    counts: Counter[str] = Counter()
    people = {row.name: row.id for row in connection.execute(select(db.reviewers.c.name, db.reviewers.c.id))}
    cast: dict[tuple[int, str, int], tuple[str | None, str]] = {}
    seats: dict[tuple[int, str], set[int]] = defaultdict(set)
    for row in connection.execute(select(db.votes)):
        cast[row.sentence_id, row.round, row.reviewer_id] = (row.choice, row.reason)
        seats[row.sentence_id, row.round].add(row.seat)
    new = []
    for ballot in ballots:
        values = dict(ballot)
        name = values.pop("reviewer")
        if name not in people:
            connection.execute(insert(db.reviewers).values(name=name, token_hash=None, lang="", created=time.time()))
            people[name] = connection.execute(select(db.reviewers.c.id).where(db.reviewers.c.name == name)).scalar_one()
            counts["reviewers"] += 1
        place = (values["sentence_id"], values["round"], people[name])
        said, there = (values["choice"], values["reason"]), cast.get(place)
        if there is None:
            taken = seats[place[:2]]
            seat = next(seat for seat in range(len(taken) + 1) if seat not in taken)
            taken.add(seat)
            new.append(values | {"reviewer_id": people[name], "seat": seat})
        elif there[0] is None:  # it is open on their screen: that form will be told
            mine = (
                db.votes.c.sentence_id == place[0],
                db.votes.c.round == place[1],
                db.votes.c.reviewer_id == place[2],
            )
            still_open = update(db.votes).where(*mine, db.votes.c.choice.is_(None))
            if connection.execute(still_open.values(**values)).rowcount == 0:  # they voted in this very moment
                counts["other"] += 1
                continue
        else:
            counts["same" if there == said else "other"] += 1
            continue
        cast[place] = said
        counts["new"] += 1
    if new:
        connection.execute(insert(db.votes), new)
    return counts
