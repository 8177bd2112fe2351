"""A review of 20,000 sentences: how long a reviewer waits for the next one, and how long agreement takes."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import krippendorff
import numpy as np
import polars as pl
from sqlalchemy import insert

from bench.row import Row, seconds
from tiltmeter.packs import load_pack
from tiltmeter.reviews import Ballot, Opened, admit, cast, next_task, open_review
from tiltmeter.reviews import database as tables
from tiltmeter.statistics import agreement

SENTENCES, RESAMPLES, TIMED = 20_000, 1999, 20


def rows() -> Iterator[Row]:
    yield _agreement()
    with tempfile.TemporaryDirectory() as folder:
        short, long = (_reviewed(Path(folder) / str(count), count) for count in (200, SENTENCES))
        ours, other = (seconds(lambda review=review: _vote(review), repeat=20) for review in (long, short))  # type: ignore[misc]
        for review in (short, long):
            review.database.close()
    yield Row(
        f"a vote and the next sentence, {SENTENCES:,} sentences of which all but 100 are done; 200, half of them done",
        ours,
        other,
    )


def _agreement() -> Row:
    """Three votes a sentence."""
    kept = np.random.default_rng(0).binomial(3, 0.8, SENTENCES)
    counts = np.stack([kept, 3 - kept], axis=1)
    drawn = np.random.default_rng(1).integers(0, SENTENCES, (TIMED, SENTENCES))

    def library() -> None:
        for places in drawn:
            krippendorff.alpha(value_counts=counts[places], level_of_measurement="nominal")

    theirs = seconds(library, repeat=1) * (RESAMPLES + 1) / TIMED
    return Row(
        f"alpha of {SENTENCES:,} sentences with its interval; the library krippendorff on as many resamples "
        f"(timed on {TIMED}, scaled)",
        seconds(lambda: agreement(counts, resamples=RESAMPLES)),
        theirs,
    )


def _reviewed(folder: Path, count: int) -> Opened:
    """Three reviewers are done with all but 100 sentences; a fourth begins."""
    folder.mkdir()
    sentences = [
        {"sentence": f"听说他昨天交了第{number}份报告。", "start": 2, "end": 3, "keyword": "他", "opposite": "她"}
        for number in range(count)
    ]
    pl.DataFrame(sentences).write_parquet(folder / "set.parquet")
    review = open_review(folder / "set.parquet", load_pack("zh"))
    admit(review.database, ["Ana", "Ben", "Cai", "Dan"])
    seat = {"round": "main", "claimed": 1.0, "choice": "keep", "reason": "", "note": "", "criteria": 1, "voted": 2.0}
    done = [
        {**seat, "sentence_id": line, "seat": place, "reviewer_id": place + 1, "origin": "web"}
        for line in range(2, count - 98)
        for place in range(3)
    ]
    with review.database.writing() as connection:
        connection.execute(insert(tables.votes), done)
    return review


def _vote(review: Opened) -> None:
    task = next_task(review.database, 4)
    assert task is not None
    cast(review.database, 4, task.sentence.id, task.round, Ballot("keep"), 1)
