"""Who is shown which sentence, and what becomes of votes, on SQLite and on PostgreSQL."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update

from reviews.made import numbers, shown, voted
from tiltmeter.errors import TiltmeterError
from tiltmeter.reviews import (
    LEASE,
    Ballot,
    Opened,
    Stale,
    asking,
    begin_main,
    cast,
    decide,
    last_vote,
    next_task,
    progress,
    revoke,
    snapshot,
    undo,
)
from tiltmeter.reviews import database as tables

Begin = Callable[..., Opened]


def places(review: Opened) -> Counter[int]:
    return Counter(vote.sentence_id for vote in snapshot(review.database).votes)


def left_lying(review: Opened, name: str) -> None:
    """As if the reviewer had been shown the sentence more than half an hour ago."""
    with review.database.writing() as connection:
        connection.execute(
            update(tables.votes)
            .where(tables.votes.c.reviewer_id == numbers(review)[name], tables.votes.c.choice.is_(None))
            .values(claimed=time.time() - LEASE - 1)
        )


def test_each_sentence_gets_its_votes_from_different_reviewers_and_no_more(begin: Begin, database: str) -> None:
    review = begin("Ana Ben Cai Dan", database=database)
    people = numbers(review)
    for turn in range(100):
        name = list(people)[turn % 4]
        if next_task(review.database, people[name]):
            voted(review, name)
    votes = snapshot(review.database).votes
    assert places(review) == dict.fromkeys(range(2, 14), 3)
    assert len({(vote.sentence_id, vote.reviewer) for vote in votes}) == 36
    assert all(next_task(review.database, number) is None for number in people.values())
    assert progress(review.database, people["Ana"]).waiting == "done"


def test_a_sentence_stays_on_the_screen_until_it_is_voted_on(begin: Begin, database: str) -> None:
    review = begin(database=database)
    first = shown(review, "Ana")
    assert shown(review, "Ana") == first
    voted(review, "Ana")
    assert shown(review, "Ana").sentence.id != first.sentence.id


def test_a_seat_that_was_left_is_given_to_others_only_when_they_have_nothing_else(begin: Begin, database: str) -> None:
    review = begin("Ana Ben", count=2, per_sentence=1, database=database)
    lying = shown(review, "Ana")
    left_lying(review, "Ana")
    assert voted(review, "Ben").sentence.id != lying.sentence.id
    assert shown(review, "Ben").sentence.id == lying.sentence.id
    voted(review, "Ben")
    with pytest.raises(Stale, match="stale_full"):
        cast(review.database, numbers(review)["Ana"], lying.sentence.id, lying.round, Ballot("keep"), 1)
    assert places(review) == {2: 1, 3: 1}


def test_a_fresh_seat_is_not_taken_away(begin: Begin, database: str) -> None:
    review = begin("Ana Ben", count=1, per_sentence=1, database=database)
    task = shown(review, "Ana")
    ben = numbers(review)["Ben"]
    assert next_task(review.database, ben) is None
    assert progress(review.database, ben).waiting == "others"
    assert shown(review, "Ana") == task


def test_who_left_a_sentence_may_still_vote_while_a_seat_is_free(begin: Begin, database: str) -> None:
    review = begin("Ana Ben", count=1, per_sentence=2, database=database)
    task = shown(review, "Ana")
    revoke(review.database, numbers(review)["Ana"])  # takes the open seat away
    cast(review.database, numbers(review)["Ana"], task.sentence.id, task.round, Ballot("drop", "name"), 1)
    assert places(review) == {2: 1}


def test_the_same_vote_twice_counts_once_and_another_one_is_refused(begin: Begin, database: str) -> None:
    review = begin(database=database)
    ana = numbers(review)["Ana"]
    task = voted(review, "Ana", "drop", "name", "a note")
    cast(review.database, ana, task.sentence.id, task.round, Ballot("drop", "name", "a note"), 1)
    with pytest.raises(Stale, match="stale_voted"):
        cast(review.database, ana, task.sentence.id, task.round, Ballot("keep"), 1)
    (vote,) = snapshot(review.database).votes
    assert vote.ballot == Ballot("drop", "name", "a note")


def test_undo_brings_the_sentence_back_with_its_note_as_often_as_one_likes(begin: Begin, database: str) -> None:
    review = begin(database=database)
    ana = numbers(review)["Ana"]
    first = voted(review, "Ana", "keep", note="why")
    second = voted(review, "Ana", "drop", "name")
    shown(review, "Ana")
    for task, note in ((second, ""), (first, "why")):
        last = last_vote(review.database, ana)
        assert last is not None
        assert last.sentence_id == task.sentence.id
        undo(review.database, ana, task.sentence.id, task.round)
        assert shown(review, "Ana").sentence.id == task.sentence.id
        assert shown(review, "Ana").note == note
    assert snapshot(review.database).votes == []
    assert last_vote(review.database, ana) is None


def test_only_the_last_vote_can_be_taken_back_and_not_after_the_owner_decided(begin: Begin, database: str) -> None:
    review = begin(database=database)
    ana = numbers(review)["Ana"]
    first, second = voted(review, "Ana"), voted(review, "Ana")
    with pytest.raises(Stale, match="stale_undo"):
        undo(review.database, ana, first.sentence.id, first.round)
    decide(review.database, second.sentence.id, "drop", "name", "")
    with pytest.raises(Stale, match="stale_decided"):
        undo(review.database, ana, second.sentence.id, second.round)
    assert len(snapshot(review.database).votes) == 2


def test_the_pilot_comes_first_and_the_rest_when_the_owner_opens_it(begin: Begin, database: str) -> None:
    review = begin("Ana", pilot=4, per_sentence=1, database=database)
    ana = numbers(review)["Ana"]
    pilot = {voted(review, "Ana").sentence.id for _ in range(4)}
    assert next_task(review.database, ana) is None
    assert progress(review.database, ana).waiting == "pilot"
    begin_main(review.database, again=False)
    main = {voted(review, "Ana").sentence.id for _ in range(8)}
    assert pilot | main == set(range(2, 14))
    assert next_task(review.database, ana) is None


def test_the_pilots_sentences_can_be_asked_again_and_only_the_new_votes_count(begin: Begin, database: str) -> None:
    review = begin("Ana", pilot=4, per_sentence=1, database=database)
    ana = numbers(review)["Ana"]
    pilot = {voted(review, "Ana", "drop", "name").sentence.id for _ in range(3)}
    lying = shown(review, "Ana")
    begin_main(review.database, again=True)
    with pytest.raises(Stale, match="stale_gone"):
        cast(review.database, ana, lying.sentence.id, lying.round, Ballot("keep"), 1)
    for _ in range(12):
        voted(review, "Ana", "keep")
    taken = snapshot(review.database)
    assert [outcome.final for outcome in taken.outcomes] == ["keep"] * 12
    assert {vote.sentence_id for vote in taken.votes if vote.round == "pilot"} == pilot


def test_what_the_owner_decided_in_the_pilot_does_not_bind_when_it_is_asked_again(begin: Begin, database: str) -> None:
    review = begin("Ana", count=1, pilot=1, per_sentence=1, database=database)
    task = voted(review, "Ana", "drop", "name")
    decide(review.database, task.sentence.id, "drop", "name", "")
    begin_main(review.database, again=True)
    voted(review, "Ana", "keep")
    (outcome,) = snapshot(review.database).outcomes
    assert (outcome.final, outcome.how) == ("keep", "unanimous")


def test_the_main_part_is_opened_once(begin: Begin, database: str) -> None:
    review = begin("Ana", pilot=4, per_sentence=1, database=database)
    for _ in range(4):
        voted(review, "Ana")
    begin_main(review.database, again=False)
    before = snapshot(review.database)
    with pytest.raises(TiltmeterError, match="open already"):
        begin_main(review.database, again=True)
    assert snapshot(review.database) == before


def test_a_sentence_of_the_main_part_cannot_be_voted_on_in_the_pilot(begin: Begin, database: str) -> None:
    review = begin("Ana", pilot=1, database=database)
    pilot = shown(review, "Ana").sentence.id
    main = next(number for number in range(2, 14) if number != pilot)
    with pytest.raises(Stale, match="stale_gone"):
        cast(review.database, numbers(review)["Ana"], main, "main", Ballot("keep"), 1)
    assert snapshot(review.database).votes == []


def test_an_undo_that_another_tab_was_ahead_of_takes_no_newer_vote_back(
    begin: Begin, postgres: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the first tab's look and its change the second takes back and votes again. (SQLite lets no second writer
    in between.)"""
    review = begin("Ana", database=postgres())
    ana = numbers(review)["Ana"]
    task = voted(review, "Ana", "keep")
    asked = asking._is_asked

    def meanwhile(*arguments: Any) -> bool:
        monkeypatch.setattr(asking, "_is_asked", asked)
        undo(review.database, ana, task.sentence.id, task.round)
        cast(review.database, ana, task.sentence.id, task.round, Ballot("drop", "name"), 1)
        return asked(*arguments)

    monkeypatch.setattr(asking, "_is_asked", meanwhile)
    with pytest.raises(Stale, match="stale_undo"):
        undo(review.database, ana, task.sentence.id, task.round)
    assert [vote.ballot for vote in snapshot(review.database).votes] == [Ballot("drop", "name")]


def test_more_votes_a_sentence_may_be_wanted_later(begin: Begin, database: str) -> None:
    review = begin("Ana Ben", count=1, per_sentence=1, database=database)
    voted(review, "Ana")
    assert next_task(review.database, numbers(review)["Ben"]) is None
    again = begin("Ana Ben", count=1, per_sentence=2, database=database)
    voted(again, "Ben")
    assert places(again) == {2: 2}


def test_twenty_threads_at_once_lose_and_double_nothing(begin: Begin, database: str) -> None:
    names = [f"r{number}" for number in range(20)]
    review = begin(" ".join(names), count=60, per_sentence=3, database=database)
    people = numbers(review)
    acknowledged: list[tuple[str, int]] = []
    wrong: list[BaseException] = []

    def work(name: str) -> None:
        try:
            while task := next_task(review.database, people[name]):
                cast(review.database, people[name], task.sentence.id, task.round, Ballot("keep"), 1)
                acknowledged.append((name, task.sentence.id))
        except BaseException as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    votes = snapshot(review.database).votes
    assert sorted(acknowledged) == sorted((vote.reviewer, vote.sentence_id) for vote in votes)
    assert places(review) == dict.fromkeys(range(2, 62), 3)
