"""Beginning a review and going on with it, and what is said of sets and databases that cannot be used."""

import sqlite3
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from sqlalchemy import update

from reviews.made import numbers, opened, sentence, shown, voted, write_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack
from tiltmeter.reviews import (
    Database,
    Opened,
    admit,
    all_reviewers,
    current_criteria,
    new_link,
    open_review,
    reviewer_of,
    revoke,
    save_criteria,
    snapshot,
)
from tiltmeter.reviews import database as tables

Begin = Callable[..., Opened]
ZH = load_pack("zh")


def test_a_review_goes_on_where_it_was_and_new_reviewers_are_added(begin: Begin, database: str) -> None:
    first = begin("Ana Ben", database=database)
    voted(first, "Ana", "drop", "name", "备注")
    before = snapshot(first.database)
    again = begin("", database=database)
    assert snapshot(again.database) == before
    assert list(admit(again.database, ["Ana", "Cai", "Cai", " Cai "])) == ["Cai"]
    assert [person.name for person in all_reviewers(again.database)] == ["Ana", "Ben", "Cai"]


def test_the_order_mixes_pairs_and_is_the_same_every_time(tmp_path: Path) -> None:
    orders = []
    for name in ("one", "two"):
        review = opened(tmp_path / name, "Ana", count=60, per_sentence=1)
        orders.append([voted(review, "Ana").sentence.pair for _ in range(60)])
        review.database.close()
    assert orders[0] == orders[1]
    assert all(len(set(orders[0][start : start + 20])) == 3 for start in (0, 20, 40))
    assert Counter(orders[0]) == {"他/她": 20, "男孩/女孩": 20, "哥哥/姐姐": 20}


def test_a_published_file_with_wrong_offsets_can_be_reviewed(tmp_path: Path) -> None:
    path = tmp_path / "SlguSet.csv"
    path.write_text(
        '句子,关键词位置,原始关键词,对立关键词\n听说他来了。,"[4, 5]",他,她\n没有词。,"[0, 1]",他,她\n', "utf-8"
    )
    review = open_review(path, ZH, per_sentence=1)
    admit(review.database, ["Ana"])
    task = shown(review, "Ana")
    assert (task.sentence.parts, task.sentence.swapped) == (("听说", "来了。"), "听说她来了。")
    assert any("does not stand in the sentence" in note for note in review.notes)
    review.database.close()


def test_a_link_is_known_by_its_checksum_alone_and_can_be_revoked_and_replaced(begin: Begin, tmp_path: Path) -> None:
    review = begin("")
    links = admit(review.database, ["Ana", "Ben"])
    tokens = list(links.values())
    assert len({*tokens}) == 2
    assert all(len(token) >= 43 for token in tokens)  # 256 bits
    database = tmp_path / "set.review.db"
    assert all(
        token.encode() not in path.read_bytes() for token in tokens for path in tmp_path.glob("set.review.db*")
    ), database
    ana = reviewer_of(review.database, links["Ana"])
    assert ana is not None
    assert ana.name == "Ana"
    revoke(review.database, ana.id)
    assert reviewer_of(review.database, links["Ana"]) is None
    fresh = new_link(review.database, ana.id)
    assert reviewer_of(review.database, fresh) == ana
    assert reviewer_of(review.database, links["Ana"]) is None
    assert reviewer_of(review.database, "") is None


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\x00b", "a\u202eb"])
def test_a_name_that_is_none_is_refused(begin: Begin, name: str) -> None:
    review = begin("Ana")
    with pytest.raises(TiltmeterError, match="name has 1 to 100 characters"):
        admit(review.database, ["Ben", name])
    assert [person.name for person in all_reviewers(review.database)] == ["Ana"]


def test_criteria_have_a_history_and_a_change_of_an_old_edition_is_refused(begin: Begin, database: str) -> None:
    review = begin(database=database)
    assert current_criteria(review.database).criteria == ZH.criteria
    assert save_criteria(review.database, ZH.criteria) == 1, "nothing changed"
    assert save_criteria(review.database, ZH.criteria[:3], after=1) == 2
    with pytest.raises(TiltmeterError, match="saved other criteria meanwhile"):
        save_criteria(review.database, ZH.criteria[:4], after=1)
    assert [(edition.version, len(edition.criteria)) for edition in snapshot(review.database).editions] == [
        (1, 9),
        (2, 3),
    ]
    for wrong, complaint in (
        (ZH.criteria[1:], "the first criterion must be 'keep'"),
        (ZH.criteria[:1], "at least one reason"),
        ((*ZH.criteria, replace(ZH.criteria[1], id="`<b>")), "small letters"),
        ((*ZH.criteria, replace(ZH.criteria[1], id="x", wordings={})), "no title"),
        ((*ZH.criteria, ZH.criteria[1]), "the same name"),
    ):
        with pytest.raises(TiltmeterError, match=complaint):
            save_criteria(review.database, wrong)


def test_a_pack_without_criteria_takes_the_english_ones(tmp_path: Path) -> None:
    review = open_review(write_set(tmp_path), replace(ZH, criteria=()))
    assert current_criteria(review.database).criteria == load_pack("en").criteria
    review.database.close()


def without(column: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in sentence(0).items() if key != column}]


@pytest.mark.parametrize(
    ("rows", "complaint"),
    [
        (without("sentence"), "'sentence'"),
        (without("keyword"), "'keyword'"),
        (without("start"), "'position'"),
        (without("opposite"), "'opposite'"),
        ([{**sentence(0), "keyword": "鱼"}], "no sentence that can be reviewed"),
    ],
)
def test_a_set_without_what_is_needed_is_refused_and_no_database_is_made(
    tmp_path: Path, rows: list[dict[str, Any]], complaint: str
) -> None:
    with pytest.raises(TiltmeterError, match=complaint):
        open_review(write_set(tmp_path, rows=rows), ZH)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "set.parquet"]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"per_sentence": 0}, "--per-sentence is 0"),
        ({"per_sentence": 10**30}, "--per-sentence is 1000"),
        ({"pilot": -1}, "--pilot is -1"),
        ({"database": "nowhere/votes.db"}, "is no folder"),
        ({"database": "sqlite://"}, "lost with it"),
        ({"database": "sqlite:///:memory:"}, "lost with it"),
        ({"database": "postgresql+psycopg://me:secret@127.0.0.1:abc/x"}, "neither a file nor a URL"),
        ({"begin": False}, "there is no review"),
        ({"database": "://x"}, "neither a file nor a URL"),
        ({"database": "oracle+nothing://host/x"}, "needs the database driver"),
        ({"database": "postgresql+psycopg://127.0.0.1:9/x?connect_timeout=2"}, "cannot be used"),
    ],
)
def test_options_that_cannot_be_are_refused_in_a_sentence(
    tmp_path: Path, options: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(TiltmeterError, match=complaint) as told:
        open_review(write_set(tmp_path), ZH, **options)
    assert "\n" not in str(told.value)
    assert "secret" not in str(told.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["card.json", "set.parquet"]


def test_passwords_are_not_shown(tmp_path: Path) -> None:
    url = "postgresql+psycopg://me:secret@127.0.0.1:9/x?connect_timeout=2"
    with pytest.raises(TiltmeterError) as told:
        open_review(write_set(tmp_path), ZH, database=url)
    assert "secret" not in str(told.value)


def test_a_database_of_another_version_is_refused_and_left_as_it_is(begin: Begin, database: str) -> None:
    review = begin(database=database)
    voted(review, "Ana")
    with review.database.writing() as connection:
        connection.execute(update(tables.about).values(version=99))
    with pytest.raises(TiltmeterError, match="has layout 99, and this tiltmeter reads layout 1"):
        begin(database=database)
    assert len(snapshot(review.database).votes) == 1


def test_a_file_that_is_no_database_or_one_of_others_is_refused(tmp_path: Path) -> None:
    path = write_set(tmp_path)
    (tmp_path / "set.review.db").write_text("a letter to my aunt " * 100, "utf-8")
    with pytest.raises(TiltmeterError, match=r"cannot be used: .*not a database"):
        open_review(path, ZH)
    with sqlite3.connect(tmp_path / "other.db") as other:
        other.execute("CREATE TABLE review_votes (x)")
    other.close()
    with pytest.raises(TiltmeterError, match="other tables of these names"):
        open_review(path, ZH, database=str(tmp_path / "other.db"))


def test_votes_on_another_set_are_not_mixed_in(begin: Begin, database: str, tmp_path: Path) -> None:
    begin(database=database)
    other = write_set(tmp_path / "other", count=5)
    with pytest.raises(TiltmeterError, match="holds votes on another set"):
        open_review(other, ZH, database=database)
    with pytest.raises(TiltmeterError, match="holds votes on another set"):
        open_review(write_set(tmp_path), load_pack("ja"), database=database)


def test_the_pilot_is_what_it_was(begin: Begin, database: str) -> None:
    begin(pilot=3, database=database)
    begin(pilot=3, database=database)
    with pytest.raises(TiltmeterError, match="began with a pilot of 3"):
        begin(pilot=4, database=database)


def test_a_pilot_cannot_be_added_later(begin: Begin) -> None:
    begin()
    with pytest.raises(TiltmeterError, match="began with a pilot of 0"):
        begin(pilot=4)


def test_fewer_votes_a_sentence_cannot_be_wanted(begin: Begin) -> None:
    review = begin(per_sentence=3)
    with pytest.raises(TiltmeterError, match="wants 3 votes a sentence, and can only want more"):
        admit(review.database, ["New"], 2)
    assert "New" not in numbers(review)


def test_a_review_that_could_not_be_begun_leaves_the_database_as_it_was(tmp_path: Path, database: str) -> None:
    """A sentence with a sign that PostgreSQL does not take; and one that dies in the middle."""
    broken = write_set(tmp_path / "broken", rows=[sentence(0), {**sentence(1), "source": "a\x00b"}])
    if database.startswith("postgresql"):
        with pytest.raises(TiltmeterError, match="cannot be used"):
            open_review(broken, ZH, database=database)
    else:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("tiltmeter.reviews.opening.insert_edition", _dies)
            with pytest.raises(KeyboardInterrupt):
                open_review(broken, ZH, database=database)
    review = open_review(write_set(tmp_path), ZH, database=database)
    assert len(snapshot(review.database).sentences) == 12
    review.database.close()


def _dies(*_: object) -> None:
    raise KeyboardInterrupt


def test_only_one_server_holds_a_database_and_what_dies_lets_go(begin: Begin, database: str) -> None:
    review = begin(database=database)
    second = Database(database)
    with (
        review.database.served("http://127.0.0.1:1"),
        pytest.raises(TiltmeterError, match=r"another server at http://127.0.0.1:1 \(process"),
        second.served("http://127.0.0.1:2"),
    ):
        pass
    if database.endswith(".db"):
        Path(f"{database}-link").symlink_to(database)
        linked = Database(f"{database}-link")
        with (
            review.database.served("http://127.0.0.1:1"),
            pytest.raises(TiltmeterError, match="another server"),
            linked.served("http://127.0.0.1:3"),
        ):
            pass
        linked.close()
    with second.served("http://127.0.0.1:2"):
        voted(review, "Ana")
    second.close()
    assert len(snapshot(review.database).votes) == 1


def test_a_set_of_every_language_can_be_reviewed(tmp_path: Path) -> None:
    from tiltmeter.datasets.slguset import own_sentences

    for lang in ("de", "en", "es", "eu", "ja", "ru", "zh"):
        pack = load_pack(lang)
        rows = [
            {
                "sentence": row.sentence,
                "start": row.span[0],
                "end": row.span[1],
                "keyword": row.sentence[slice(*row.span)],
                "opposite": row.female if row.written == "male" else row.male,
                "gender": row.written,
                "pair": row.pair,
            }
            for row in own_sentences(pack)
        ]
        path = tmp_path / f"{lang}.parquet"
        pl.DataFrame(rows).write_parquet(path)
        review = open_review(path, pack)
        admit(review.database, ["Ana"])
        task = shown(review, "Ana")
        wanted = {(row["sentence"], row["keyword"], row["opposite"]) for row in rows}
        assert (task.sentence.sentence, task.sentence.keyword, task.sentence.opposite) in wanted
        assert len(snapshot(review.database).sentences) == len(rows) == 200
        assert numbers(review) == {"Ana": 1}
        review.database.close()
