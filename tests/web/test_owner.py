"""The owner's pages over HTTP: reviewers, live numbers, disagreements, criteria, the pilot, files."""

import json
import re
from collections.abc import Callable
from html import unescape
from pathlib import Path

import requests

from web.served import Client, Served

Serve = Callable[..., Served]


def text(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", page)).split())


def vote_all(served: Served, **said: str) -> None:
    """Each reviewer says the same of all sentences."""
    for name, choice in said.items():
        client = Client(served.reviewer(name))
        while '"/vote"' in client.open().text or "/vote" in client.page:
            client.vote(choice)


def test_the_numbers_are_those_of_the_moment(serve: Serve) -> None:
    served = serve("--reviewers", "Ana,Ben", "--per-sentence", "2", count=4)
    owner = Client(served.owner)
    assert "0 of 8 votes" in text(owner.open("/numbers").text)
    vote_all(served, Ana="keep", Ben="drop:name")
    page = text(owner.open("/numbers").text)
    assert "8 of 8 votes" in page
    assert "Ana 4 4 0 0" in page
    assert "Ben 4 0 4 0" in page
    # Never the same: 8 votes, 4 and 4; alpha = 1 - 7 * 4 * 2 / (64 - 32) = -0.75; kappa = (0 - .5) / .5 = -1.
    assert "keep, drop or unsure 4 8 -0.750" in page
    assert "-1.000" in page
    assert "Ana , Ben 4 0% 0.0000" in page  # Cohen: neither agreement nor any by chance
    assert "4 disputed , 4 of them without a majority" in page


def test_a_reviewer_is_added_and_has_a_link(serve: Serve) -> None:
    served = serve()
    owner = Client(served.owner)
    owner.open()
    assert owner.send("/reviewers", {**owner.form("/reviewers"), "name": "  Jose\u0301   B "}).status_code == 303
    owner.open()
    (link,) = re.findall(r'value="(http[^"]*/review/[^"]*)"', owner.page)
    assert "José B" in owner.page
    assert Client(link).open().status_code == 200
    again = owner.send("/reviewers", {**owner.form("/reviewers"), "name": "José B"})
    assert again.status_code == 409
    assert "already" in again.text
    assert owner.send("/reviewers", {**owner.form("/reviewers"), "name": " "}).status_code == 409


def test_disagreements_are_decided_and_taken_back(serve: Serve) -> None:
    served = serve("--reviewers", "Ana,Ben", "--per-sentence", "2", count=2)
    vote_all(served, Ana="keep", Ben="drop:name")
    owner = Client(served.owner)
    owner.open("/disagreements")
    assert "Reviewers do not agree: 2" in text(owner.page)
    assert text(owner.page).count("Ana : keep") == 2
    form = owner.form("/disagreements/2")
    assert owner.send("/disagreements/2", {**form, "choice": "drop", "reason": "keep"}).status_code == 409
    assert owner.send("/disagreements/2", {**form, "choice": "unsure"}).status_code == 409
    wrong = {**form, "choice": "keep", "mark": owner.form("/disagreements/3")["mark"]}
    assert owner.send("/disagreements/2", wrong).status_code == 403
    assert owner.send("/disagreements/2", {**form, "choice": "drop", "reason": "sense", "note": "n"}).status_code == 303
    assert "Reviewers do not agree: 1" in text(owner.open("/disagreements").text)
    assert "the owner decided: drop" in text(owner.open("/disagreements?decided=1").text)
    assert owner.send("/disagreements/2", {**owner.form("/disagreements/2"), "choice": "back"}).status_code == 303
    assert "Reviewers do not agree: 2" in text(owner.open("/disagreements").text)


def test_many_disagreements_are_shown_page_by_page(serve: Serve) -> None:
    served = serve("--reviewers", "Ana", "--per-sentence", "1", count=23)
    vote_all(served, Ana="unsure")
    owner = Client(served.owner)
    seen: list[str] = []
    for number in (1, 2):
        owner.open(f"/disagreements?page={number}")
        seen += re.findall(r'id="s(\d+)"', owner.page)
    assert sorted(map(int, seen)) == list(range(2, 25))


def test_criteria_are_edited_with_a_history_and_an_old_form_is_refused(serve: Serve) -> None:
    served = serve("--reviewers", "Ana")
    owner, ana = Client(served.owner), Client(served.reviewer("Ana"))
    owner.open("/criteria")
    fields = owner.form("/criteria")
    for name, value in re.findall(r'name="((?:id|title)\.[^"]*)"[^>]*value="([^"]*)"', owner.page):
        fields[name] = unescape(value)
    for name, value in re.findall(r'name="(text\.[^"]*)"[^>]*>([^<]*)</textarea>', owner.page):
        fields[name] = unescape(value)
    place = len([name for name in fields if name.startswith("id.")])
    new = {f"id.{place}": "slang", f"title.{place}.en": "Slang", f"text.{place}.en": "Only <one> of them says so."}
    assert owner.send("/criteria", {**fields, "title.1.en": "Changed & new", **new}).status_code == 303
    ana.open()
    assert "Changed &amp; new" in ana.page
    assert "Only &lt;one&gt; of them says so." in ana.page
    assert ana.vote("drop:slang").status_code == 303
    history = text(owner.open("/criteria").text)
    assert "Edition 2" in history
    assert "+ slang (en): Slang. Only <one> of them says so." in history
    stale = owner.send("/criteria", {**fields, "title.1.en": "Other"})
    assert stale.status_code == 409
    assert "saved other criteria meanwhile" in stale.text
    assert owner.send("/criteria", {"mark": fields["mark"], "version": "2"}).status_code == 409


def test_the_pilot_ends_when_the_owner_says_so(serve: Serve) -> None:
    served = serve("--reviewers", "Ana", "--pilot", "2", "--per-sentence", "1", count=3)
    ana, owner = Client(served.reviewer("Ana")), Client(served.owner)
    vote_all(served, Ana="keep")
    assert "You have finished the pilot" in ana.open().text
    owner.open()
    form = owner.form("/main")
    assert owner.send("/main", form).status_code == 303
    assert owner.send("/main", {**form, "again": "1"}).status_code == 409
    assert ana.vote("keep").status_code == 303
    assert "You are finished" in ana.open().text


def test_every_file_can_be_downloaded_and_votes_come_back_from_label_studio(serve: Serve, tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana", count=3)
    Client(served.reviewer("Ana")).vote("drop:name", "note")
    owner = Client(served.owner)
    owner.open("/files")
    names = re.findall(r'href="[^"]*/files/([^"]*)"', owner.page)
    assert len(names) == 9
    for name in names:
        answer = owner.open(f"/files/{name}")
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert answer.content
    tasks = json.loads(owner.open("/files/label-studio.json").text.replace('"Ana"', '"Ben"'))
    owner.open("/files")
    form = owner.form("/import")
    upload = {"file": ("export.json", json.dumps(tasks).encode(), "application/json")}
    assert requests.post(served.owner + "/import", data=form, files=upload, timeout=60).status_code == 200
    assert "1 votes taken in" in owner.open("/files").text
    assert "Ben" in owner.open().text
