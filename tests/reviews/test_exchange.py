"""Votes to Label Studio and back: nothing is lost on the way, nothing is taken in twice."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import sqlalchemy

from reviews.made import numbers, shown, voted, write_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack
from tiltmeter.reviews import (
    FILES,
    Ballot,
    Opened,
    Stale,
    Vote,
    all_reviewers,
    begin_main,
    cast,
    exchange,
    import_label_studio,
    next_task,
    open_review,
    save_criteria,
    snapshot,
)

Begin = Callable[..., Opened]
REAL = Path(__file__).parent.parent / "datasets" / "label_studio"


def said(votes: list[Vote]) -> list[Any]:
    return sorted(
        (
            v.sentence_id,
            v.round,
            v.reviewer,
            v.ballot.choice,
            v.ballot.reason,
            v.ballot.note,
            v.criteria,
            round(v.voted, 6),
        )
        for v in votes
    )


def voted_review(begin: Begin, database: str) -> Opened:
    """Three reviewers through a pilot, whose sentences are asked again, and a second edition of the criteria."""
    review = begin(pilot=3, database=database)
    for name in ("Ana", "Ben"):
        voted(review, name, "drop", "name", "in the pilot")
    save_criteria(review.database, load_pack("zh").criteria[:4])
    begin_main(review.database, again=True)
    for name, choice, reason in (("Ana", "keep", ""), ("Ben", "unsure", ""), ("Cai", "drop", "sense")):
        for _ in range(5):
            task = shown(review, name)
            ballot = Ballot(choice, reason, f"{name}: 备注\n<b>")  # type: ignore[arg-type]
            cast(review.database, numbers(review)[name], task.sentence.id, task.round, ballot, 2)
    return review


def test_the_round_trip_gives_every_vote_back(begin: Begin, database: str, tmp_path: Path) -> None:
    taken = snapshot(voted_review(begin, database).database)
    content = FILES["label-studio.json"](taken)
    empty = begin("Ana", pilot=3, database=str(tmp_path / "second.db"))
    save_criteria(empty.database, load_pack("zh").criteria[:4])
    imported = import_label_studio(empty.database, content, "votes.json")
    assert (imported.new, imported.reviewers, imported.other, imported.without, imported.unknown) == (17, 2, 0, 0, 0)
    assert said(snapshot(empty.database).votes) == said(taken.votes)
    assert [person.has_link for person in all_reviewers(empty.database)] == [True, False, False]
    again = import_label_studio(empty.database, content, "votes.json")
    assert (again.new, again.same) == (0, 17)
    assert said(snapshot(empty.database).votes) == said(taken.votes)
    assert json.loads(FILES["label-studio.json"](snapshot(empty.database))) == json.loads(content)


def test_votes_of_a_pilot_count_where_there_is_none(begin: Begin, tmp_path: Path) -> None:
    first = begin("Ana Ben", count=2, pilot=1, per_sentence=2)
    for name in ("Ana", "Ben"):
        voted(first, name, "drop", "name")
    begin_main(first.database, again=True)
    voted(first, "Ana", "keep")  # another sentence, or the same one again
    voted(first, "Ana", "keep")
    content = FILES["label-studio.json"](snapshot(first.database))
    second = begin("", count=2, per_sentence=2, database=str(tmp_path / "second.db"))
    imported = import_label_studio(second.database, content, "x.json")
    assert (imported.new, imported.other, imported.superseded) == (3, 0, 1)
    assert {vote.round for vote in snapshot(second.database).votes} == {"main"}
    assert {v.ballot.choice for v in snapshot(second.database).votes if v.reviewer == "Ana"} == {"keep"}


def set_of_label_studio(folder: Path) -> Path:
    """The sentences that the real files are about."""
    rows = [
        {**{key: task["data"][key] for key in ("sentence", "start", "end", "keyword")}, "opposite": "她"}
        for task in json.loads((REAL / "exported_with_accounts.json").read_text("utf-8"))
    ]
    return write_set(folder, rows=rows)


@pytest.mark.parametrize(
    ("name", "people"),
    [
        ("exported.json", {"user 1": 1, "Ana": 1, "user 2": 1, "user 3": 2}),
        ("exported_min.json", {"user 1": 2, "user 2": 1, "user 3": 2}),
        ("exported_with_accounts.json", {"a@example.org": 1, "Ana": 1, "Ana Lopez": 1, "Ben Wu": 2}),
    ],
)
def test_a_real_export_is_taken_in(tmp_path: Path, name: str, people: dict[str, int]) -> None:
    review = open_review(set_of_label_studio(tmp_path), load_pack("zh"))
    imported = import_label_studio(review.database, (REAL / name).read_bytes(), name)
    assert (imported.new, imported.reviewers) == (5, len(people))
    assert imported.without == (1 if name == "exported_min.json" else 2)
    votes = snapshot(review.database).votes
    assert {who: sum(vote.reviewer == who for vote in votes) for who in people} == people
    # Label Studio holds the alias, or, in files that others made, what stands on the screen.
    assert sorted(vote.ballot.reason for vote in votes) == ["", "", "name", "name", "name"]
    review.database.close()


def test_what_reviewers_said_here_stays(begin: Begin) -> None:
    review = begin("Ana Ben", count=3)
    task = voted(review, "Ana", "keep")
    content = FILES["label-studio.json"](snapshot(review.database)).replace(b'"keep"', b'"unsure"')
    imported = import_label_studio(review.database, content, "x.json")
    assert (imported.new, imported.other) == (0, 1)
    assert "differ" in imported.sentence()
    (vote,) = snapshot(review.database).votes
    assert (vote.sentence_id, vote.ballot.choice) == (task.sentence.id, "keep")


def test_a_sentence_that_is_open_on_a_screen_can_be_voted_on_by_a_file(begin: Begin) -> None:
    review = begin("Ana Ben", count=1)
    task = voted(review, "Ana", "keep")
    content = FILES["label-studio.json"](snapshot(review.database)).replace(b'"Ana"', b'"Ben"')
    shown(review, "Ben")
    assert import_label_studio(review.database, content, "x.json").new == 1
    with pytest.raises(Stale, match="stale_voted"):
        cast(review.database, numbers(review)["Ben"], task.sentence.id, task.round, Ballot("unsure"), 1)
    assert next_task(review.database, numbers(review)["Ben"]) is None


def test_a_vote_cast_while_a_file_is_taken_in_stays(
    begin: Begin, postgres: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    review = begin("Ana", database=postgres())
    (task,) = one_task(review)
    again = begin("Ana", database=postgres())
    open_task = shown(again, "Ana")
    voted_on = {**task, "data": {"sentence": open_task.sentence.sentence, "start": open_task.sentence.start}}
    stranger = json.loads(json.dumps(voted_on).replace('"Ana"', '"Zoe"'))
    inserted = sqlalchemy.insert

    def meanwhile(table: Any) -> Any:
        monkeypatch.setattr(exchange, "insert", inserted)
        cast(again.database, 1, open_task.sentence.id, open_task.round, Ballot("keep", "", "mine"), 1)
        return inserted(table)

    monkeypatch.setattr(exchange, "insert", meanwhile)
    imported = import_label_studio(again.database, json.dumps([stranger, voted_on]).encode(), "x.json")
    assert (imported.new, imported.other) == (1, 1)
    by_name = {vote.reviewer: vote.ballot for vote in snapshot(again.database).votes}
    assert by_name == {"Ana": Ballot("keep", "", "mine"), "Zoe": Ballot("drop", "name", "n")}


@pytest.mark.parametrize(
    "change",
    [
        {"created_at": "9999-12-31T23:59:59-23:59"},
        {"created_at": "0001-01-01T00:00:00+23:59"},
        {"result": 5},
        {"lead_time": [3]},
    ],
)
def test_an_odd_annotation_does_no_harm(begin: Begin, change: dict[str, Any]) -> None:
    review = begin("Ana")
    (task,) = one_task(review, Ana="Ben")
    del task["annotations"][0]["result"][0]["meta"]["voted"]
    task["annotations"][0]["result"][0]["meta"]["criteria"] = [1]
    task["annotations"][0] |= change
    import_label_studio(review.database, json.dumps([task]).encode(), "x.json")
    assert pl.read_csv(FILES["votes.csv"](snapshot(review.database))).height == (1 if "result" in change else 2)


def one_task(review: Opened, **more: Any) -> list[dict[str, Any]]:
    voted(review, "Ana", "drop", "name", "n")
    (task,) = [t for t in json.loads(FILES["label-studio.json"](snapshot(review.database))) if t["annotations"]]
    text = json.dumps(task)
    for before, after in more.items():
        assert f'"{before}"' in text
        text = text.replace(f'"{before}"', json.dumps(after))
    return [json.loads(text)]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"drop": "maybe"}, "task 1: there is no verdict 'maybe'"),
        ({"name": "ugly"}, "task 1: there is no reason 'ugly'"),
        ({"n": "x" * 2001}, "task 1: the note is longer"),
        ({"Ana": "x" * 200}, "task 1: a reviewer's name"),
        ({"Ana": "a\x00b"}, "task 1: a reviewer's name"),
    ],
)
def test_a_file_with_something_odd_is_refused_whole(
    begin: Begin, database: str, change: dict[str, str], complaint: str
) -> None:
    review = begin("Ana", database=database)
    tasks = [*one_task(review, **change)]
    with pytest.raises(TiltmeterError, match=complaint):
        import_label_studio(review.database, json.dumps(tasks).encode(), "x.json")
    assert len(snapshot(review.database).votes) == 1


def test_tasks_about_other_sentences_are_counted_and_a_file_of_nothing_else_is_refused(begin: Begin) -> None:
    review = begin("Ana")
    (task,) = one_task(review)
    other = {**task, "data": {**task["data"], "sentence": "别的句子。"}}
    imported = import_label_studio(review.database, json.dumps([task, other]).encode(), "x.json")
    assert (imported.same, imported.unknown) == (1, 1)
    with pytest.raises(TiltmeterError, match="none of its 1 tasks"):
        import_label_studio(review.database, json.dumps([other]).encode(), "x.json")


def test_signs_that_not_every_database_takes_are_left_out_of_notes(begin: Begin, database: str) -> None:
    review = begin("Ana", database=database)
    tasks = json.dumps(one_task(review, Ana="Ben")).replace('["n"]', '["a\\u0000b\\ud800c\\r\\nd"]')
    import_label_studio(review.database, tasks.encode(), "x.json")
    assert [vote.ballot.note for vote in snapshot(review.database).votes if vote.reviewer == "Ben"] == ["abc\nd"]


def test_numbers_that_no_database_holds_do_no_harm(begin: Begin, database: str) -> None:
    review = begin("Ana", database=database)
    (task,) = one_task(review, Ana="Ben")
    task["data"]["sentence_id"] = 10**30
    task["annotations"][0]["result"][0]["meta"] |= {"voted": 1e308, "criteria": 10**30, "round": "x"}
    task["annotations"][0]["lead_time"] = 1e308
    assert import_label_studio(review.database, json.dumps([task]).encode(), "x.json").new == 1
    assert pl.read_csv(FILES["votes.csv"](snapshot(review.database))).height == 2
