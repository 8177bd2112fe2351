"""A review as files: every vote, what became of each sentence, the final set, and a card that tells about it."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.datasets.slguset_files import SET_COLUMNS, write_csv
from tiltmeter.errors import TiltmeterError
from tiltmeter.results import harmless
from tiltmeter.reviews.card import card_json, card_text
from tiltmeter.reviews.exchange import label_studio_config, label_studio_tasks
from tiltmeter.reviews.snapshot import Snapshot
from tiltmeter.reviews.values import Sentence
from tiltmeter.store import write_atomically, writing


def write_files(taken: Snapshot, folder: Path) -> list[Path]:
    """All files of a review, into a folder that is not there yet, or is empty: all of them or none."""
    check_folder(folder)
    contents = {folder / name: make(taken) for name, make in FILES.items()}
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        for path, content in contents.items():
            write_atomically(path, content)
    except BaseException:
        for path in contents:
            path.unlink(missing_ok=True)
        raise
    return list(contents)


def check_folder(folder: Path) -> None:
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise TiltmeterError(f"{folder} is there already; choose another folder, or remove it")


def vote_rows(taken: Snapshot) -> list[dict[str, Any]]:
    """A row for each vote, and behind them one for each decision of the owner, whose origin is `adjudication`."""
    cast: list[dict[str, Any]] = [
        {
            "reviewer": vote.reviewer,
            "round": vote.round,
            "choice": vote.ballot.choice,
            "reason": vote.ballot.reason,
            "note": vote.ballot.note,
            "criteria": vote.criteria,
            "voted": _time(vote.voted),
            "seconds": round(vote.seconds, 1),
            "origin": vote.origin,
            "sentence_id": vote.sentence_id,
        }
        for vote in taken.votes
    ]
    decided: list[dict[str, Any]] = [
        {
            "reviewer": "",
            "round": decision.round,
            "choice": decision.choice,
            "reason": decision.reason,
            "note": decision.note,
            "criteria": None,
            "voted": _time(decision.decided),
            "seconds": None,
            "origin": "adjudication",
            "sentence_id": decision.sentence_id,
        }
        for decision in taken.decisions
    ]
    return [row | _sentence(taken.sentences[row["sentence_id"]]) for row in cast + decided]


_VOTE_SCHEMA = {
    **dict.fromkeys(("reviewer", "round", "choice", "reason", "note"), pl.String),
    "criteria": pl.Int64,
    "voted": pl.String,
    "seconds": pl.Float64,
    "origin": pl.String,
    "sentence_id": pl.Int64,
}
_SET_SCHEMA = {name: pl.Int64 if name in ("start", "end") else pl.String for name in SET_COLUMNS}
_OUTCOME_SCHEMA = {
    "sentence_id": pl.Int64,
    "final": pl.String,
    "how": pl.String,
    "reason": pl.String,
    **dict.fromkeys(("keep", "drop", "unsure"), pl.Int64),
}


def outcome_rows(taken: Snapshot) -> list[dict[str, Any]]:
    return [
        {
            "sentence_id": outcome.sentence_id,
            "final": outcome.final,
            "how": outcome.how,
            "reason": outcome.reason,
            **{choice: outcome.counts[choice] for choice in ("keep", "drop", "unsure")},
            **_sentence(taken.sentences[outcome.sentence_id]),
        }
        for outcome in taken.outcomes
    ]


def _sentence(sentence: Sentence) -> dict[str, Any]:
    cells = asdict(sentence)
    return {name: cells[name] for name in SET_COLUMNS}


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")


def _parquet(rows: Sequence[dict[str, Any]], schema: dict[str, Any]) -> bytes:
    content = io.BytesIO()
    pl.DataFrame(rows, schema=schema).write_parquet(content)
    return content.getvalue()


def _csv(rows: Iterable[dict[str, Any]], schema: dict[str, Any]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(schema)
    writer.writerows([harmless(row[name]) for name in schema] for row in rows)
    return text.getvalue().encode("utf-8-sig")


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False).encode()


FILES: dict[str, Callable[[Snapshot], bytes]] = {
    "votes.parquet": lambda taken: _parquet(vote_rows(taken), _VOTE_SCHEMA | _SET_SCHEMA),
    "votes.csv": lambda taken: _csv(vote_rows(taken), _VOTE_SCHEMA | _SET_SCHEMA),
    "outcomes.parquet": lambda taken: _parquet(outcome_rows(taken), _OUTCOME_SCHEMA | _SET_SCHEMA),
    "set.parquet": lambda taken: _parquet([_sentence(sentence) for sentence in taken.kept], _SET_SCHEMA),
    "set.csv": lambda taken: write_csv(_sentence(sentence) for sentence in taken.kept),
    "card.md": lambda taken: card_text(taken).encode(),
    "card.json": lambda taken: _json(card_json(taken)),
    "label-studio.json": lambda taken: _json(label_studio_tasks(taken.sentences.values(), taken.votes)),
    "label-studio.xml": lambda taken: label_studio_config(taken.editions[-1], taken.about.lang).encode(),
}
"""What can be had of a review: the name of a file, and what makes it."""
