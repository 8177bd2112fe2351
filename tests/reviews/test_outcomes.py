"""What votes come to, how far reviewers agree, and what the files of a review hold."""

import csv
import io
import json
import math
from collections import Counter
from collections.abc import Callable
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reviews.made import numbers, shown, voted
from support import Command
from tiltmeter.datasets.slguset_files import read_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack
from tiltmeter.reviews import (
    FILES,
    Ballot,
    Opened,
    Sentence,
    Vote,
    begin_main,
    cast,
    decide,
    save_criteria,
    snapshot,
    take_back,
    write_files,
)
from tiltmeter.reviews.agreeing import agreements, two_by_two
from tiltmeter.reviews.files import vote_rows
from tiltmeter.reviews.outcomes import outcomes

Begin = Callable[..., Opened]


def vote(sentence_id: int, reviewer: str, choice: str, reason: str = "", round_: str = "main") -> Vote:
    return Vote(sentence_id, round_, reviewer, Ballot(choice, reason), 1, 0.0, 1.0, "web")  # type: ignore[arg-type]


def came_to(*choices: str, per_sentence: int = 3) -> tuple[str, str, str]:
    votes = [vote(1, str(place), *choice.split(":")) for place, choice in enumerate(choices)]
    (outcome,) = outcomes({1: "main"}, votes, {}, per_sentence)
    return outcome.final, outcome.how, outcome.reason


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        (["keep", "keep", "keep"], ("keep", "unanimous", "")),
        (["keep", "keep", "drop:name"], ("keep", "majority", "")),
        (["drop:name", "drop:sense", "drop:name"], ("drop", "unanimous", "name")),
        (["drop:sense", "drop:name", "unsure"], ("drop", "majority", "name")),
        (["keep", "drop:name", "unsure"], ("", "undecided", "")),
        (["unsure", "unsure", "unsure"], ("", "undecided", "")),
        (["keep", "unsure", "unsure"], ("", "undecided", "")),
        (["keep", "keep"], ("", "unfinished", "")),
        ([], ("", "unfinished", "")),
    ],
)
def test_more_than_half_of_all_votes_decide(choices: list[str], expected: tuple[str, str, str]) -> None:
    assert came_to(*choices) == expected
    for order in permutations(choices):
        assert came_to(*order) == expected


def test_of_a_pilot_that_was_asked_again_everything_is_in_the_files_and_nothing_counts(begin: Begin) -> None:
    review = begin("Ana Ben", count=1, pilot=1, per_sentence=2)
    voted(review, "Ana", "keep")
    task = voted(review, "Ben", "drop", "name")
    decide(review.database, task.sentence.id, "drop", "name", "of the pilot")
    begin_main(review.database, again=True)
    for name in ("Ana", "Ben"):
        voted(review, name, "unsure")
    taken = snapshot(review.database)
    rows = vote_rows(taken)
    assert [(row["round"], row["choice"], row["origin"]) for row in rows] == [
        ("pilot", "keep", "web"),
        ("pilot", "drop", "web"),
        ("main", "unsure", "web"),
        ("main", "unsure", "web"),
        ("pilot", "drop", "adjudication"),
    ]
    agreed = {row.kind: row.found for row in taken.agreements()}
    assert (agreed["all"].units, agreed["all"].votes, agreed["all"].unanimous) == (1, 2, 1.0)
    assert (agreed["pilot"].votes, agreed["pilot"].unanimous) == (2, 0.0)
    assert [two.same for two in taken.two_by_two()] == [1.0]


def test_half_is_no_majority() -> None:
    assert came_to("keep", "keep", "drop:name", "drop:name", per_sentence=4) == ("", "undecided", "")


def test_the_owner_has_the_last_word_and_can_take_it_back(begin: Begin) -> None:
    review = begin("Ana Ben Cai", count=1)
    for name, choice, reason in (("Ana", "keep", ""), ("Ben", "keep", ""), ("Cai", "drop", "name")):
        voted(review, name, choice, reason)
    (disputed,) = snapshot(review.database).disputed
    assert (disputed.final, disputed.how) == ("keep", "majority")
    decide(review.database, disputed.sentence_id, "drop", "sense", "because")
    decide(review.database, disputed.sentence_id, "drop", "biological", "thought again")
    taken = snapshot(review.database)
    assert (taken.outcomes[0].final, taken.outcomes[0].how, taken.outcomes[0].reason) == (
        "drop",
        "adjudicated",
        "biological",
    )
    assert taken.disputed == []
    take_back(review.database, disputed.sentence_id)
    assert [outcome.how for outcome in snapshot(review.database).disputed] == ["majority"]


SENTENCES = {n: Sentence(n, "x", 0, 1, "他", "她", "male", "他/她" if n % 2 else "男孩/女孩") for n in range(12)}

cast_votes = st.lists(
    st.tuples(
        st.sampled_from(sorted(SENTENCES)),
        st.sampled_from(["Ana", "Ben", "Cai", "Dan"]),
        st.sampled_from(["keep", "unsure", "drop:name", "drop:sense"]),
    ),
    unique_by=lambda row: row[:2],
    min_size=1,
)


@given(cast_votes)
def test_agreement_two_by_two_and_by_question_is_what_loops_over_pairs_of_votes_give(rows: list[Any]) -> None:
    """Alpha by its definition: 1 - disagreement of pairs within sentences / of pairs of all votes."""
    votes = [vote(number, name, *choice.split(":")) for number, name, choice in rows]
    found = {(row.kind, row.name): row.found.alpha for row in agreements(votes, SENTENCES, ["name"])}
    questions: dict[tuple[str, str], Callable[[Vote], str | None]] = {
        ("all", "keep, drop or unsure"): lambda v: v.ballot.choice,
        ("certain", "keep or drop, unsure left out"): lambda v: (
            None if v.ballot.choice == "unsure" else v.ballot.choice
        ),
    }
    for reason in {v.ballot.reason for v in votes} - {""}:
        questions["criterion", reason] = lambda v, reason=reason: str(v.ballot.reason == reason)  # type: ignore[misc]
    for pair in {SENTENCES[v.sentence_id].pair for v in votes}:
        questions["pair", pair] = (
            lambda v, pair=pair: v.ballot.choice if SENTENCES[v.sentence_id].pair == pair else None  # type: ignore[misc]
        )
    assert found.keys() == questions.keys()
    for key, answer in questions.items():
        assert found[key] == pytest.approx(alpha_by_loops(votes, answer), nan_ok=True, abs=1e-9)
    for two in two_by_two(votes):
        said = {
            name: {v.sentence_id: v.ballot.choice for v in votes if v.reviewer == name} for name in (two.one, two.other)
        }
        shared = said[two.one].keys() & said[two.other].keys()
        assert two.sentences == len(shared)
        assert two.same == sum(said[two.one][n] == said[two.other][n] for n in shared) / len(shared)


def alpha_by_loops(votes: list[Vote], answer: Callable[[Vote], str | None]) -> float:
    units: dict[int, list[str]] = {}
    for one in votes:
        if (said := answer(one)) is not None:
            units.setdefault(one.sentence_id, []).append(said)
    judged = [answers for answers in units.values() if len(answers) > 1]
    everything = [said for answers in judged for said in answers]
    expected = sum(a != b for a, b in combinations(everything, 2)) / max(1, math.comb(len(everything), 2))
    if expected == 0:
        return math.nan
    observed = sum(sum(a != b for a, b in combinations(answers, 2)) * 2 / (len(answers) - 1) for answers in judged)
    return 1 - observed / len(everything) / expected


@pytest.fixture
def reviewed(begin: Begin) -> Opened:
    """Twelve sentences: Ana keeps all; Ben drops every third; Cai drops every second, with a hostile note."""
    review = begin()
    for name, every in (("Ana", 99), ("Ben", 3), ("Cai", 2)):
        for _ in range(12):
            number = shown(review, name).sentence.id
            if number % every:
                voted(review, name)
            else:
                voted(review, name, "drop", "name", '=HYPERLINK("http://evil")' if name == "Cai" else "")
    return review


def test_every_vote_is_in_the_files_once(reviewed: Opened, tmp_path: Path) -> None:
    decide(reviewed.database, 6, "keep", "", "the owner")
    written = write_files(snapshot(reviewed.database), tmp_path / "out")
    assert {path.name for path in written} == set(FILES)
    table = pl.read_parquet(tmp_path / "out" / "votes.parquet")
    assert table.height == 37
    cast_by = Counter(table.filter(pl.col("origin") == "web").select("reviewer", "choice").iter_rows())
    assert cast_by == {
        ("Ana", "keep"): 12,
        ("Ben", "keep"): 8,
        ("Ben", "drop"): 4,
        ("Cai", "keep"): 6,
        ("Cai", "drop"): 6,
    }
    own = table.filter(pl.col("origin") == "adjudication")
    assert own.select("sentence_id", "choice", "note").rows() == [(6, "keep", "the owner")]
    rows = list(csv.DictReader(io.StringIO((tmp_path / "out" / "votes.csv").read_text("utf-8-sig"))))
    assert [row["sentence"] for row in rows] == table["sentence"].to_list()
    assert {row["note"] for row in rows if row["reviewer"] == "Cai"} == {"", '\'=HYPERLINK("http://evil")'}


def test_the_final_set_is_what_a_majority_or_the_owner_keeps_and_slgu_measures_it(
    reviewed: Opened, tmp_path: Path, told: Command, tiny: Callable[[str], Path]
) -> None:
    decide(reviewed.database, 6, "keep", "", "")
    write_files(snapshot(reviewed.database), tmp_path / "out")
    # Rows 6 and 12 are dropped by Ben and by Cai; the owner keeps 6.
    kept = pl.read_parquet(tmp_path / "out" / "set.parquet")
    before = pl.read_parquet(tmp_path / "set.parquet")
    assert kept.rows() == [row for line, row in enumerate(before.iter_rows(), start=2) if line != 12]
    listed = read_set(tmp_path / "out" / "set.csv").sentences
    assert [entry.sentence for entry in listed] == kept["sentence"].to_list()
    chosen = ("--lang", "zh", "--sentences", tmp_path / "out" / "set.csv", "--items", tmp_path / "items.parquet")
    done = told("measure", "slgu", tiny("bert-characters"), *chosen)
    assert done.returncode == 0, done.stderr
    assert sorted(pl.read_parquet(tmp_path / "items.parquet")["sentence"]) == sorted(kept["sentence"])


def test_the_card_says_what_became_of_the_sentences_and_how_far_reviewers_agree(reviewed: Opened) -> None:
    taken = snapshot(reviewed.database)
    card = json.loads(FILES["card.json"](taken))
    assert card["lang"] == "zh"
    assert card["reviewers"] == {"Ana": 12, "Ben": 12, "Cai": 12}
    # Of the rows 2 to 13: 3 and 9 break Ben's rule alone, 2 4 8 10 Cai's alone, 6 and 12 both.
    assert {(row["final"], row["how"]): row["sentences"] for row in card["outcomes"]} == {
        ("keep", "unanimous"): 4,
        ("keep", "majority"): 6,
        ("drop", "majority"): 2,
    }
    everything = next(row for row in card["agreement"] if row["about"] == "all")
    # 36 votes, 26 keep and 10 drop; eight sentences with two unlike pairs: alpha = 1 - 35 * 16 / (36^2 - 26^2 - 10^2).
    assert everything["alpha"] == pytest.approx(1 - 35 * 16 / 520)
    assert everything["worse"] == "lower"
    text = FILES["card.md"](taken).decode()
    assert "In the final set: 10." in text
    assert "| drop | 2 | majority" in text


def test_hostile_text_stays_text_in_the_card(begin: Begin) -> None:
    review = begin("<script>|x|[a](b)", count=1, per_sentence=1)
    pack = load_pack("zh")
    keep, *others = pack.criteria
    evil = type(others[0])(others[0].id, {"zh": type(keep.wordings["zh"])("<img src=x>|", "**bold** | \n# head")})
    save_criteria(review.database, [keep, evil])
    task = shown(review, "<script>|x|[a](b)")
    cast(review.database, numbers(review)["<script>|x|[a](b)"], task.sentence.id, task.round, Ballot("keep"), 2)
    text = FILES["card.md"](snapshot(review.database)).decode()
    assert r"\<img src=x\>\|" in text
    assert "<script" not in text.replace(r"\<script", "")
    assert "\n# head" not in text


def test_files_of_a_review_without_votes_can_be_written(begin: Begin, tmp_path: Path) -> None:
    write_files(snapshot(begin().database), tmp_path / "out")
    assert pl.read_parquet(tmp_path / "out" / "votes.parquet").height == 0
    assert pl.read_parquet(tmp_path / "out" / "outcomes.parquet")["how"].to_list() == ["unfinished"] * 12


def test_a_full_disk_leaves_no_half_of_the_files(begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(path: Path, content: bytes) -> None:
        if path.name == "set.csv":
            raise TiltmeterError("the disk is full")
        path.write_bytes(content)

    monkeypatch.setattr("tiltmeter.reviews.files.write_atomically", full)
    with pytest.raises(TiltmeterError, match="full"):
        write_files(snapshot(begin().database), tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []


def test_a_folder_that_holds_something_is_left_alone(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(TiltmeterError, match="there already"):
        write_files(snapshot(begin().database), tmp_path / "out")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]
