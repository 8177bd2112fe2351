"""The reviewers' pages over HTTP: votes, undo, languages, forms that are stale or wrong, links that are none."""

import re
import tomllib
from collections.abc import Callable
from html import unescape
from pathlib import Path
from string import Formatter
from typing import Any

import polars as pl
import pytest

import tiltmeter.web
from reviews.made import sentence
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.web.texts import all_texts, preferred
from web.served import Client, Served

Serve = Callable[..., Served]


def votes(served: Served, tmp_path: Path) -> list[dict[str, Any]]:
    """As the owner downloads them."""
    content = Client(served.owner).open("/files/votes.parquet").content
    (tmp_path / "votes.parquet").write_bytes(content)
    return pl.read_parquet(tmp_path / "votes.parquet").to_dicts()


def marked(page: str) -> list[str]:
    """The two sentences with their keywords in brackets."""
    found = re.findall(r"<blockquote[^>]*>(.*?)</blockquote>", page, re.S)
    return [unescape(text.replace("<mark>", "[").replace("</mark>", "]")) for text in found]


def test_a_reviewer_sees_both_sentences_with_their_keywords_and_votes(serve: Serve, tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana,Ben")
    ana = Client(served.reviewer("Ana"))
    ana.open()
    number = int(ana.form("/vote")["sentence"])
    row = sentence(number - 2)
    before, behind = row["sentence"][: row["start"]], row["sentence"][row["end"] :]
    assert marked(ana.page) == [f"{before}[{row['keyword']}]{behind}", f"{before}[{row['opposite']}]{behind}"]
    answer = ana.vote("drop:name", "some\r\nnote")
    assert (answer.status_code, answer.headers["location"]) == (303, served.reviewer("Ana").removeprefix(served.root))
    ana.vote("keep")
    ana.vote("unsure")
    cast = votes(served, tmp_path)
    assert [(vote["choice"], vote["reason"], vote["note"]) for vote in cast] == [
        ("drop", "name", "some\nnote"),
        ("keep", "", ""),
        ("unsure", "", ""),
    ]
    assert {vote["reviewer"] for vote in cast} == {"Ana"}
    assert cast[0]["sentence"] == row["sentence"]
    ana.open()
    assert int(ana.form("/vote")["sentence"]) not in {vote["sentence_id"] for vote in cast}


def test_undo_shows_the_sentence_again_with_its_note(serve: Serve, tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana")
    ana = Client(served.reviewer("Ana"))
    ana.open()
    number = ana.form("/vote")["sentence"]
    ana.vote("drop:biological", "胡子 & <b>")
    ana.open()
    assert ana.send("/undo", ana.form("/undo")).status_code == 303
    ana.open()
    assert ana.form("/vote")["sentence"] == number
    assert "胡子 &amp; &lt;b&gt;</textarea>" in ana.page
    assert votes(served, tmp_path) == []


def test_nothing_of_others_is_on_a_reviewers_page_before_or_after_voting(serve: Serve) -> None:
    served = serve("--reviewers", "Ana,Ben", count=1)
    ben = Client(served.reviewer("Ben"))
    ben.open()
    before = ben.page
    Client(served.reviewer("Ana")).vote("drop:biological", "SECRET-NOTE")
    ben.open()
    # All that changes is how many votes there are.
    assert (
        ben.page.replace("All votes: 1 of 3", "All votes: 0 of 3").replace('value="1" max', 'value="0" max') == before
    )
    ben.vote("keep")
    ben.open()
    assert "SECRET-NOTE" not in ben.page
    assert "Ana" not in ben.page


def test_one_link_shows_no_other_reviewers_sentence_and_the_owners_pages_want_the_owners_token(serve: Serve) -> None:
    served = serve("--reviewers", "Ana,Ben")
    token = served.reviewer("Ana").rpartition("/")[2]
    assert Client(f"{served.root}/owner/{token}").open().status_code == 404
    assert Client(f"{served.root}/owner/{token}").open("/files/votes.csv").status_code == 404
    owner = served.owner.rpartition("/")[2]
    assert Client(f"{served.root}/review/{owner}").open().status_code == 404


@pytest.mark.parametrize("token", ["x", "x" * 43, "x" * 5000, "%00", "..%2f..%2fetc", "é" * 20])
def test_a_wrong_token_is_told_politely_and_nothing_else(untouched: Served, token: str) -> None:
    answer = Client(f"{untouched.root}/review/{token}").open(**{"Accept-Language": "ru;q=0.9,en;q=0.1"})
    assert answer.status_code == 404
    assert "Ana" not in answer.text
    assert all_texts()["ru"]["invalid"] in answer.text


def test_a_revoked_link_is_no_longer_valid_and_a_form_of_it_is_not_counted(serve: Serve, tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana")
    ana, owner = Client(served.reviewer("Ana")), Client(served.owner)
    ana.open()
    form = ana.form("/vote")
    owner.open()
    assert owner.send("/reviewers/1/revoke", owner.form("/reviewers/1/revoke")).status_code == 303
    assert ana.send("/vote", {**form, "choice": "keep"}).status_code == 404
    assert ana.open().status_code == 404
    owner.open()
    owner.send("/reviewers/1/link", owner.form("/reviewers/1/link"))
    owner.open()
    link = re.search(r'value="(http[^"]*/review/[^"]*)"', owner.page)
    assert link is not None
    assert link[1] != served.reviewer("Ana")
    assert Client(link[1]).vote("keep").status_code == 303
    assert len(votes(served, tmp_path)) == 1


def test_a_form_sent_twice_counts_once_and_another_answer_to_it_is_stale(serve: Serve, tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana")
    ana = Client(served.reviewer("Ana"))
    ana.open()
    form = ana.form("/vote")
    assert [ana.send("/vote", {**form, "choice": "keep"}).status_code for _ in range(2)] == [303, 303]
    stale = ana.send("/vote", {**form, "choice": "unsure"})
    assert stale.status_code == 409
    assert all_texts()["en"]["stale_voted"] in unescape(stale.text)
    assert [vote["choice"] for vote in votes(served, tmp_path)] == ["keep"]


def test_a_reason_that_is_gone_is_stale_and_a_vote_keeps_the_criteria_that_were_shown(
    serve: Serve, tmp_path: Path
) -> None:
    served = serve("--reviewers", "Ana,Ben")
    ana, ben, owner = Client(served.reviewer("Ana")), Client(served.reviewer("Ben")), Client(served.owner)
    ana.open()
    ben.open()
    owner.open("/criteria")
    fields = re.findall(r'name="((?:id|title)\.[^"]*)"[^>]*value="([^"]*)"', owner.page)
    changed = {**owner.form("/criteria"), **{name: unescape(value) for name, value in fields}, "remove.2": "1"}
    assert changed["id.2"] == "name"
    assert owner.send("/criteria", changed).status_code == 303
    gone = ana.send("/vote", {**ana.form("/vote"), "choice": "drop:name", "note": "kept note"})
    assert gone.status_code == 409
    assert "kept note</textarea>" in gone.text
    assert ben.send("/vote", {**ben.form("/vote"), "choice": "drop:sense"}).status_code == 303
    ana.vote("drop:sense")
    assert [(vote["reviewer"], vote["criteria"]) for vote in votes(served, tmp_path)] == [("Ben", 1), ("Ana", 2)]
    owner.open("/criteria")
    assert "<del>- name (zh)" in owner.page


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"mark": "0" * 64}, 403),
        ({"mark": "é"}, 403),
        ({"sentence": "3"}, 403),
        ({"round": "pilot"}, 403),
        ({"criteria": "2"}, 403),
        ({"sentence": "9" * 40}, 400),
        ({"criteria": "-1"}, 400),
        ({"round": "third"}, 400),
        ({"sentence": "x"}, 400),
        ({"choice": "love"}, 400),
        ({"choice": "keep:name"}, 400),
        ({"choice": "drop"}, 400),
        ({"choice": "drop:nonsense"}, 409),
        ({"choice": "drop:keep"}, 409),
        ({"note": "x" * 2001}, 400),
        ({"note": "x" * 2_000_000}, 413),
    ],
)
def test_a_form_that_is_wrong_changes_nothing(
    untouched: Served, tmp_path: Path, change: dict[str, str], status: int
) -> None:
    ana = Client(untouched.reviewer("Ana"))
    ana.open()
    answer = ana.send("/vote", {**ana.form("/vote"), "choice": "keep", **change})
    assert answer.status_code == status
    assert "Traceback" not in answer.text
    assert votes(untouched, tmp_path) == []


@pytest.mark.parametrize("missing", ["mark", "sentence", "round", "criteria", "choice"])
def test_a_form_without_a_field_changes_nothing(untouched: Served, tmp_path: Path, missing: str) -> None:
    ana = Client(untouched.reviewer("Ana"))
    ana.open()
    fields = {**ana.form("/vote"), "choice": "keep"}
    del fields[missing]
    assert ana.send("/vote", fields).status_code == 400
    assert votes(untouched, tmp_path) == []


def test_a_note_with_signs_that_no_database_takes_is_saved_without_them(serve: Serve, tmp_path: Path) -> None:
    served = serve("--reviewers", "Ana", count=1)
    assert Client(served.reviewer("Ana")).vote("keep", "a\x00b\x1bc").status_code == 303
    assert [vote["note"] for vote in votes(served, tmp_path)] == ["abc"]


def test_the_pages_are_in_the_reviewers_language(serve: Serve) -> None:
    served = serve("--reviewers", "Ana")
    ana = Client(served.reviewer("Ana"))
    ana.open(**{"Accept-Language": "eu"})
    assert '<html lang="eu">' in ana.page
    assert ana.send("/language", {**ana.form("/language"), "lang": "ja"}).status_code == 303
    ana.open(**{"Accept-Language": "eu"})
    assert all_texts()["ja"]["question"] in ana.page
    # A Chinese set has its criteria in Chinese and in English: others see the words of their own language's pack.
    japanese = {criterion.id: criterion.wordings["ja"] for criterion in load_pack("ja").criteria}
    for criterion in load_pack("zh").criteria:
        assert japanese[criterion.id].title in ana.page
    assert load_pack("zh").criteria[1].wordings["zh"].title not in ana.page
    assert ana.send("/language", {**ana.form("/language"), "lang": "xx"}).status_code == 403


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("fr;q=1, es;q=0.4, ru;q=0.5", "ru"),
        ("fr", "en"),
        ("ja;q=0, de", "de"),
        (";;;q=,,x;q=y", "en"),
        ("en;q=nan", "en"),
    ],
)
def test_a_browser_gets_what_it_asks_for_most(asked: str, expected: str) -> None:
    assert preferred(asked) == expected


def test_without_a_wish_the_language_of_the_set_is_taken() -> None:
    assert preferred("", "zh") == "zh"
    assert preferred("fr", "xx") == "en"


def test_every_language_has_every_text_with_the_same_places_for_numbers() -> None:
    texts = all_texts()
    assert set(texts) == set(shipped_languages())

    def places(text: str) -> set[str]:
        return {name for _, name, _, _ in Formatter().parse(text) if name}

    for lang, known in texts.items():
        assert known.keys() == texts["en"].keys(), lang
        for name, text in known.items():
            assert places(text) == places(texts["en"][name]), (lang, name)
            assert text.strip()


def test_every_text_is_used() -> None:
    folder = Path(tiltmeter.web.__file__).parent
    sources = "".join(path.read_text("utf-8") for path in (*folder.glob("*.py"), *folder.glob("templates/*.html")))
    asking = (folder.parent / "reviews" / "asking.py").read_text("utf-8")
    for name in tomllib.loads((folder / "texts" / "en.toml").read_text("utf-8")):
        stem = re.sub(r"_text$", "", name)
        used = name in sources or stem in sources or f'"{name}"' in asking or name.startswith("waiting_")
        assert used, name


def test_when_all_is_done_the_reviewer_is_thanked(serve: Serve) -> None:
    served = serve("--reviewers", "Ana", "--per-sentence", "1", count=1)
    ana = Client(served.reviewer("Ana"))
    ana.vote("keep")
    ana.open()
    assert all_texts()["en"]["waiting_done"] in ana.page


def test_hostile_sentences_names_and_notes_are_shown_as_text(serve: Serve) -> None:
    evil = "</textarea><script>alert('x')</script><img src=x onerror=alert(1)>"
    rows = [{**sentence(0), "sentence": f"听说他{evil}来了。", "start": 2, "end": 3, "pair": "他/她", "source": evil}]
    served = serve("--reviewers", f"{evil},Ben", "--per-sentence", "2", rows=rows)
    name = " ".join(evil.split())
    one, owner = Client(served.reviewer(name)), Client(served.owner)
    one.open()
    pages = [one.page]
    one.vote("drop:name", evil)
    one.open()
    one.send("/undo", one.form("/undo"))
    one.open()
    pages.append(one.page)
    one.vote("drop:name", evil)
    Client(served.reviewer("Ben")).vote("keep", evil)
    for path in ("", "/numbers", "/disagreements", "/criteria", "/files"):
        owner.open(path)
        pages.append(owner.page)
    for page in pages:
        assert "<script>alert" not in page
        assert "<img" not in page
        assert "</textarea><script" not in page
    assert "&lt;script&gt;" in pages[0]
    assert "&lt;script&gt;" in pages[4]
