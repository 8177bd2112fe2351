"""Twenty reviewers at once through a real server, which is killed in the middle."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import requests

from reviews.made import write_set
from tiltmeter.packs import load_pack
from tiltmeter.reviews import Vote, open_review, snapshot
from web.served import Client, Served, start

NAMES = [f"r{number:02}" for number in range(20)]
CHOICES = ["keep", "unsure", "drop:name", "drop:sense"]


class Crowd:
    """Reviewers in threads of their own, each noting what the server acknowledged."""

    def __init__(self) -> None:
        self.acknowledged: list[tuple[str, int, str]] = []
        self.faults: list[str] = []
        self.stop = threading.Event()

    def work(self, name: str, link: str) -> None:
        client = Client(link)
        turn = NAMES.index(name)
        try:
            while not self.stop.is_set():
                client.open()
                if "/vote" not in client.page:
                    return
                form = client.form("/vote")
                choice = CHOICES[turn % len(CHOICES)]
                turn += 1
                answer = client.send("/vote", {**form, "choice": choice})
                # Every third vote is sent once more, as an impatient hand does.
                again = client.send("/vote", {**form, "choice": choice}).status_code if turn % 3 == 0 else 303
                if answer.status_code == 303:
                    self.acknowledged.append((name, int(form["sentence"]), choice))
                if (answer.status_code, again) != (303, 303):
                    self.faults.append(f"{answer.status_code} {again}")
        except requests.RequestException:
            return  # the server was killed

    def run(self, links: dict[str, str], then: Callable[[], None]) -> None:
        threads = [threading.Thread(target=self.work, args=(name, links[name])) for name in NAMES]
        for thread in threads:
            thread.start()
        then()
        for thread in threads:
            thread.join()


def read(path: Path, database: str) -> list[Vote]:
    review = open_review(path, load_pack("zh"), database=database, begin=False)
    try:
        return snapshot(review.database).votes
    finally:
        review.database.close()


def said(votes: list[Vote]) -> list[tuple[str, int, str]]:
    return sorted(
        (v.reviewer, v.sentence_id, f"drop:{v.ballot.reason}" if v.ballot.choice == "drop" else v.ballot.choice)
        for v in votes
    )


def test_twenty_reviewers_lose_and_double_nothing_and_a_killed_server_has_lost_nothing_that_it_acknowledged(
    tmp_path: Path, database: str
) -> None:
    path = write_set(tmp_path / "set", 60)
    served = start(path, "--database", database, "--reviewers", ",".join(NAMES))
    links: dict[str, str] = served.links["reviewers"]
    port = served.root.rpartition(":")[2]
    crowd = Crowd()

    def kill_when_half_is_done() -> None:
        until = time.monotonic() + 120
        while len(crowd.acknowledged) < 90 and time.monotonic() < until:
            time.sleep(0.005)
        served.kill()
        crowd.stop.set()

    crowd.run(links, kill_when_half_is_done)
    assert crowd.faults == []
    assert 90 <= len(crowd.acknowledged) < 180, "it was killed in the middle"
    after_kill = said(read(path, database))
    # What was acknowledged is there; what is there beyond that was on its way when the server died.
    assert set(crowd.acknowledged) <= set(after_kill)
    assert len(after_kill) - len(crowd.acknowledged) <= len(NAMES)

    again = start(path, "--database", database, "--port", port)
    crowd.stop.clear()
    crowd.run(links, lambda: None)
    again.kill()
    assert crowd.faults == []
    votes = read(path, database)
    assert said(votes) == sorted({*crowd.acknowledged, *after_kill})
    assert Counter(vote.sentence_id for vote in votes) == dict.fromkeys(range(2, 62), 3)
    assert len({(vote.sentence_id, vote.reviewer) for vote in votes}) == 180


def test_a_database_that_is_taken_away_acknowledges_nothing(serve: Callable[..., Served], tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana")
    ana = Client(served.reviewer("Ana"))
    assert ana.vote("keep").status_code == 303
    ana.open()
    form = ana.form("/vote")
    for path in (tmp_path / "set").glob("set.review.db*"):
        path.rename(path.with_name(f"moved-{path.name}"))
    answer = ana.send("/vote", {**form, "choice": "keep"})
    assert answer.status_code == 503
    assert "Your vote was not counted" in answer.text


@pytest.mark.parametrize("arguments", [[], ["--port", "PORT"]])
def test_a_second_server_on_one_database_is_refused_and_changes_nothing(
    serve: Callable[..., Served], tmp_path: Path, arguments: list[str]
) -> None:
    served = serve("--reviewers", "Ana")
    port = served.root.rpartition(":")[2]
    path = tmp_path / "set" / "set.parquet"
    with pytest.raises(AssertionError) as told:
        start(path, "--reviewers", "Zoe", "--per-sentence", "7", *(a.replace("PORT", port) for a in arguments))
    said_sentence = str(told.value)
    assert "nothing can be served at" in said_sentence if arguments else "another server at" in said_sentence
    assert said_sentence.count("\n") == 1
    page = Client(served.owner).open().text
    assert "Zoe" not in page
    assert "3 votes a sentence" in page
