"""A set to review, and reviewers who vote on it."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.packs import load_pack
from tiltmeter.reviews import Ballot, Opened, Task, admit, all_reviewers, cast, next_task, open_review

PAIRS = (("他", "她"), ("男孩", "女孩"), ("哥哥", "姐姐"))


def sentence(number: int) -> dict[str, Any]:
    """A Chinese sentence with one keyword, of another pair and gender each time."""
    male, female = PAIRS[number % 3]
    gender = "female" if number % 2 else "male"
    keyword, opposite = (female, male) if number % 2 else (male, female)
    text = f"听说{keyword}昨天把第{number}份报告交了上去。"
    return {
        "sentence": text,
        "start": 2,
        "end": 2 + len(keyword),
        "keyword": keyword,
        "opposite": opposite,
        "gender": gender,
        "pair": f"{male}/{female}",
        "source": f"news-{number % 2}.txt",
        "mark": "metaphor" if number == 1 else "",
    }


def write_set(folder: Path, count: int = 12, rows: Sequence[dict[str, Any]] | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    pl.DataFrame([sentence(number) for number in range(count)] if rows is None else rows).write_parquet(
        folder / "set.parquet"
    )
    (folder / "card.json").write_text(json.dumps({"lang": "zh"}), "utf-8")
    return folder / "set.parquet"


def opened(folder: Path, names: str = "Ana Ben Cai", *, count: int = 12, **options: Any) -> Opened:
    review = open_review(write_set(folder, count), load_pack("zh"), **options)
    admit(review.database, names.split(), options.get("per_sentence"))
    return review


def numbers(review: Opened) -> dict[str, int]:
    return {reviewer.name: reviewer.id for reviewer in all_reviewers(review.database)}


def shown(review: Opened, name: str) -> Task:
    task = next_task(review.database, numbers(review)[name])
    assert task is not None
    return task


def voted(review: Opened, name: str, choice: str = "keep", reason: str = "", note: str = "") -> Task:
    """Votes on what is shown next."""
    task = shown(review, name)
    ballot = Ballot(choice, reason, note)  # type: ignore[arg-type]
    cast(review.database, numbers(review)[name], task.sentence.id, task.round, ballot, 1)
    return task
