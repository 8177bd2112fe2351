"""Runs from folders that anybody may have written: read and shown, or refused in one sentence, never a crash."""

import copy
import json
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from subjects.classifiers import word_classifier
from support import Command, stock
from tiltmeter.cli import show
from tiltmeter.datasets.nli import make_pairs
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import all_instruments, load_instrument
from tiltmeter.packs import load_pack
from tiltmeter.report import ENDINGS, cite, write_report
from tiltmeter.report import items as page_items
from tiltmeter.report.gate import junit
from tiltmeter.results import Malformed, Result
from tiltmeter.runs import (
    Run,
    across,
    agreement,
    check,
    compare,
    find_runs,
    measure,
    parse_rule,
    read_run,
    read_runs,
    unmeasured,
)
from tiltmeter.runs.run import keep_run, read_folder
from tiltmeter.store import Store

Place = tuple[str | int, ...]
Change = tuple[Place, object]

GONE = object()
"""Stands for an entry that is taken away."""
VALUES: tuple[object, ...] = (GONE, None, [], ["a", 1], {}, {"a": [1]}, "", "text", 3, -0.5, True, 10**400, 1e308)
"""What is put in the place of every part of a stored result."""
PROFESSIONS = """masculine,class,share
nurse,female,87
secretary,female,93
plumber,male,3
engineer,male,12
pianist,balanced,
cook,balanced,45
"""
TEMPLATES = """templates = ["{target} is a {attribute}."]
neutral = "person"
[targets]
male = ["he", "my brother"]
female = ["she", "my sister"]
[attributes]
care = ["nurse", "teacher"]
tech = ["engineer", "doctor"]
"""
SENTENCES = """sentence,start,end,keyword,opposite
The nurse said that he was tired.,20,22,he,she
The engineer said that she was late.,23,26,she,he
My brother is a nurse.,3,10,brother,sister
My sister is a doctor.,3,9,sister,brother
This man is a teacher.,5,8,man,woman
This woman is an engineer.,0,5,woman,man
My father is late.,3,9,father,mother
My mother is tired.,3,9,mother,father
My son is a nurse.,3,6,son,daughter
"""
RULES = {"weat": "weat.effect_size=1", "becpro": "becpro.stereotype_contrast=1", "slgu": "slgu.model_bias=1"}


@pytest.fixture(scope="module")
def measured(
    tmp_path_factory: pytest.TempPathFactory, real_downloads: dict[str, Path], tiny: Callable[[str], Path]
) -> dict[str, tuple[Run, Run]]:
    """A real run of each, small, with another to stand beside it."""
    store = stock(Store(tmp_path_factory.mktemp("cache")), real_downloads, "navec-news")
    (store.root / "own.csv").write_text(PROFESSIONS, "utf-8")
    (store.root / "set.csv").write_text(SENTENCES, "utf-8")
    return small_runs(store, tiny)


def small_runs(store: Store, tiny: Callable[[str], Path]) -> dict[str, tuple[Run, Run]]:
    vectors = [measure(tool, "pkg:navec-news", store=store, only="E1,E6") for tool in ("weat", "rnsb")]
    models = [
        measure("becpro", str(tiny(kind)), lang="en", store=store, profession_list=store.root / "own.csv")
        for kind in ("bert-cased", "bert-uncased")
    ]
    scores = [
        measure("slgu", str(tiny(kind)), lang="en", store=store, sentences=store.root / "set.csv")
        for kind in ("bert-cased", "bert-uncased")
    ]
    return {"weat": (vectors[0], vectors[1]), "becpro": (models[0], models[1]), "slgu": (scores[0], scores[1])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "saved"


def stored(run: Run) -> Any:
    return json.loads(json.dumps(run.result.to_stored_json()))


def places(node: Any, here: Place = ()) -> Iterator[Place]:
    """The place of every part of a tree, however deep."""
    yield here
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from places(inner, (*here, key))


def put(data: Any, place: Place, value: object) -> Any:
    """The data with another value in one place."""
    if not place:
        return value
    parent = copy.copy(data)
    if len(place) > 1:
        parent[place[0]] = put(data[place[0]], place[1:], value)
    elif value is GONE:
        del parent[place[0]]
    else:
        parent[place[0]] = value
    return parent


def changes(data: Any) -> list[Change]:
    return [(place, value) for place in places(data) for value in VALUES if place or value is not GONE]


def shape(place: Place) -> Place:
    """A place without its positions in lists: what stands in one row may stand in every row."""
    return tuple("*" if isinstance(key, int) else key for key in place)


def write(folder: Path, run: Run, data: object) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "result.json").write_text(json.dumps(data), "utf-8")
    (folder / "items.parquet").write_bytes(run.files()["items.parquet"])


def show_all(run: Run, other: Run, original: Run, out: Path, *, compared: bool) -> None:
    """Every verb on a run, alone and beside another: it works, or refuses the run in one sentence."""
    rule = parse_rule(RULES[original.result.instrument])
    verbs: list[Callable[[], object]] = [
        *(partial(report, [run] if ending == ".card.md" else [run, other], out / f"run{ending}") for ending in ENDINGS),
        partial(report, [run], out / "alone.md"),
        lambda: cite([run]),
        lambda: junit(check([run], [rule], on="ci")),
        lambda: [(outcome.sentence(), json.dumps(outcome.to_json())) for outcome in check([run], [rule])],
        lambda: json.dumps(across([run, other]).to_json(), allow_nan=False),
        lambda: agreement([run, other]),
        lambda: show.run(run, notes=True),
        lambda: show.runs([(run.id, run)]),
        lambda: show.found([run]),
        lambda: show.across(across([run, other])),
        run._repr_html_,
        run.to_pandas,
    ]
    if compared:
        verbs += [lambda: show.comparison(compare([run], [original])), lambda: compare([original], [run]).to_json()]
    for verb in verbs:
        if sentence := refusal(verb):
            assert "\n" not in sentence


def report(runs: list[Run], path: Path) -> None:
    write_report(runs, path, skipped=unmeasured(runs))


def refusal(verb: Callable[[], object]) -> str:
    """What a verb says when it refuses; nothing where it works. Any other error goes through."""
    try:
        verb()
    except TiltmeterError as error:
        return str(error)
    return ""


COMPARED = {"options", "version", "lang", "instrument", "subject"}
COMPARED_PROVENANCE = {"run", "pack", "subject"}


def is_compared(place: Place) -> bool:
    """Whether a comparison reads what stands there: it estimates anew, from the items."""
    return bool(place) and (place[0] in COMPARED or (len(place) > 1 and place[1] in COMPARED_PROVENANCE))


def try_out(measured: tuple[Run, Run], change: Change, folder: Path) -> bool:
    """Whether a changed run is read at all; where it is, every verb works with it or refuses it."""
    original, other = measured
    (folder / "result.json").write_text(json.dumps(put(stored(original), *change)), "utf-8")
    if sentence := refusal(lambda: read_folder(folder)):
        assert "\n" not in sentence
        assert sentence.startswith(f"{folder / 'result.json'}: ")
        return False
    try:
        show_all(read_folder(folder), other, original, folder.parent, compared=is_compared(change[0]))
    except Exception as error:
        raise AssertionError(f"{change[0]} as {change[1]!r:.40}: {error!r}") from error
    return True


def one_of_each_shape(data: Any, seed: int) -> list[Change]:
    """Of the changes at places of one shape (the values of all estimates) one for each value."""
    found = changes(data)
    random.Random(seed).shuffle(found)
    return list({(shape(place), repr(value)): (place, value) for place, value in found}.values())


@pytest.mark.parametrize("instrument", RULES)
def test_an_unchanged_run_is_not_refused_by_anything(
    measured: dict[str, tuple[Run, Run]], folder: Path, instrument: str
) -> None:
    original, other = measured[instrument]
    write(folder, original, stored(original))
    read = read_folder(folder)
    assert read.result == original.result
    assert read.items.equals(original.items)
    assert [run.id for run in find_runs(Store(folder), [str(folder)])] == [original.id]
    written = write_report([read, other], folder.parent / "report.html", skipped=unmeasured([read, other]))
    assert all(path.stat().st_size for path in written)


@pytest.mark.parametrize("instrument", RULES)
def test_whatever_stands_in_a_result_it_is_shown_or_refused_in_a_sentence(
    measured: dict[str, tuple[Run, Run]], folder: Path, instrument: str
) -> None:
    write(folder, measured[instrument][0], None)
    sample = random.Random(1).sample(one_of_each_shape(stored(measured[instrument][0]), 1), 25)
    found = [try_out(measured[instrument], change, folder) for change in sample]
    assert {True, False} == set(found)


@pytest.mark.slow
@pytest.mark.parametrize("instrument", RULES)
def test_every_part_of_a_result_may_be_anything(
    measured: dict[str, tuple[Run, Run]], folder: Path, instrument: str
) -> None:
    """Reading is tried with each value in each place; what comes after it with each value in each kind of place."""
    original = measured[instrument][0]
    write(folder, original, None)
    data = stored(original)
    for change in changes(data):
        sentence = refusal(partial(Result.from_stored_json, put(data, *change)))
        assert "\n" not in sentence
        assert len(sentence) < 500
    for change in one_of_each_shape(data, 2):
        try_out(measured[instrument], change, folder)


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("provenance", "subject"), "x", "provenance.subject is 'x', where an object with named entries is expected"),
        (("provenance", "subject", "fingerprint"), GONE, "provenance.subject.fingerprint is missing"),
        (("provenance", "packages"), {}, "provenance.packages.tiltmeter is missing"),
        (("provenance", "packages", "tiltmeter"), "1}, x = {", "'1}, x = {', where a version is expected"),
        (("provenance", "created"), "yesterday", "provenance.created is 'yesterday', where a date"),
        (("provenance", "run"), "../../x", "provenance.run is '../../x', where an id"),
        (("provenance", "sources", "weat"), "x", "provenance.sources.weat is 'x', where a list is expected"),
        (("provenance", "schema"), True, "does not say its schema (provenance.schema)"),
        (("options",), [1], "options is [1], where an object"),
        (("options", "tests"), {"sha256": "0"}, "options.tests.file is missing"),
        (("tests", "a b"), 3, "tests['a b'] is 3, where text is expected"),
        (("lang",), 3, "lang is 3, where text is expected"),
        (("subject",), "\ud800", "subject is '\\ud800', where text is expected"),
        (("estimates", 2), {}, "estimates[2].name is missing"),
        (("estimates", 0, "surprise"), 1, "estimates[0].surprise is no field that is known"),
        (("estimates", 0, "value"), True, "estimates[0].value is True, where a finite number or nothing is expected"),
        (("estimates", 0, "value"), float("nan"), "estimates[0].value is nan, where a finite number"),
        (("estimates", 0, "value"), 10**400, "estimates[0].value is 1000000000"),
        (("estimates", 0, "n"), "many", "estimates[0].n is 'many', where a whole number from 0 is expected"),
        (("estimates", 0, "n"), -1, "estimates[0].n is -1, where a whole number"),
        (("estimates", 0, "worse"), "sideways", "'sideways', where one of higher, lower, away is expected"),
        (("estimates", 0, "group"), {"a": 1}, "estimates[0].group.a is 1, where text is expected"),
        (("estimates", 0, "p_value"), 2.5, "estimates[0].p_value is 2.5, where a number from 0 to 1 is expected"),
        (("estimates", 0, "ci_high"), None, "estimates[0] has one end of an interval without the other"),
        (("notes", 0, "details"), {"estimates": ["x"]}, "notes[0].details.above is missing"),
        (("notes", 0, "kind"), "hypothesis", "notes[0].details.holds is missing"),
        (("figures", 0, "rows"), [1], "figures[0].rows[0] is 1, where an object"),
        (("figures", 0, "rows", 0, "d"), float("inf"), "figures[0].rows[0].d is inf, where text, a finite number"),
        (("figures", 0, "order"), None, "figures[0].order is None, where a list is expected"),
        (("tables",), [{"title": "t", "columns": ["a", "b"], "rows": [[1]]}], "tables[0].rows[0] has 1 cells for 2"),
        (("tables",), [{"title": "t", "columns": ["a"], "rows": [[{}]]}], "tables[0].rows[0][0] is {}, where text"),
        ((), [], "does not say its schema"),
    ],
)
def test_the_sentence_names_the_field(
    measured: dict[str, tuple[Run, Run]], folder: Path, place: Place, value: object, said: str
) -> None:
    run = measured["weat"][0]
    write(folder, run, put(stored(run), place, value))
    with pytest.raises(TiltmeterError) as refused:
        find_runs(Store(folder), [str(folder)])
    assert str(refused.value).startswith(f"{folder / 'result.json'}: ")
    assert str(refused.value).endswith("; measure it again")
    assert said in str(refused.value)


def test_json_that_nobody_can_read_is_refused(measured: dict[str, tuple[Run, Run]], folder: Path) -> None:
    write(folder, measured["weat"][0], None)
    for text in (b"{", b"\xff", b"[" * 100_000, b"1" * 10_000):
        (folder / "result.json").write_bytes(text)
        assert "result.json cannot be read: " in refusal(lambda: read_folder(folder))


@pytest.mark.parametrize("instrument", RULES)
def test_items_without_what_the_instrument_reads_are_refused(
    measured: dict[str, tuple[Run, Run]], folder: Path, instrument: str
) -> None:
    run = measured[instrument][0]
    write(folder, run, stored(run))
    for name in load_instrument(instrument).columns:
        for items, said in (
            (run.items.drop(name), f"items.parquet: there is no column {name!r}"),
            (run.items.with_columns(pl.lit([1]).alias(name)), f"column {name!r} holds List"),
            (run.items.with_columns(pl.lit(b"x").alias(name)), f"column {name!r} holds Binary"),
        ):
            items.write_parquet(folder / "items.parquet")
            assert said in refusal(lambda: read_folder(folder))
    (folder / "items.parquet").write_bytes(b"PAR1 no table")
    assert "items.parquet cannot be read: " in refusal(lambda: read_folder(folder))
    (folder / "items.parquet").unlink()
    assert "items.parquet" in refusal(lambda: read_folder(folder))


def test_the_columns_that_an_instrument_names_are_all_that_it_reads(
    stocked: Store, tiny: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "words.toml").write_text(TEMPLATES, "utf-8")
    (tmp_path / "own.csv").write_text(PROFESSIONS, "utf-8")
    given = {"kurita": {"words": tmp_path / "words.toml"}, "becpro": {"profession_list": tmp_path / "own.csv"}}
    for tool in all_instruments():
        own: dict[str, Any] = given.get(tool.name, {})
        subject, lang = ("pkg:navec-news", "ru") if tool.capability == "vectors" else (str(tiny("bert-cased")), "en")
        if tool.name == "form-preference":
            subject, lang = str(tiny("roberta")), "es"
        if tool.capability == "entail":
            subject = str(word_classifier(tmp_path / "nli", make_pairs(load_pack("en")).pairs))
        run = measure(tool.name, subject, lang=lang, store=stocked, **own)
        options = tool.make_options(own)
        few = run.items.select(*tool.columns)
        assert few.schema == pl.Schema(tool.columns)
        assert tool.estimate(few, options) == tool.estimate(run.items, options)
        assert tool.differences is not None
        assert tool.differences(few, few, options)


@pytest.mark.parametrize("instrument", RULES)
def test_items_of_other_content_are_not_compared_but_do_not_break_a_report(
    measured: dict[str, tuple[Run, Run]], folder: Path, instrument: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_items, "LIMIT", 10)
    run, other = measured[instrument]
    column = load_instrument(instrument).score or ""
    for items in (
        run.items.head(0),
        run.items.reverse(),
        run.items.with_columns(run=pl.lit("a"), subject=pl.lit(3)).head(run.items.height // 2),
        run.items.with_columns(pl.lit(None).alias(column)).head(7),
    ):
        write(folder, run, stored(run))
        items.write_parquet(folder / "items.parquet")
        read = read_folder(folder)
        write_report([read, other], folder.parent / "report.html", skipped=unmeasured([read]))
        told = compare([run], [read])
        assert told.pairs == ()
        assert {"the two runs list different items" in entry.reason for entry in told.alone} == {True}


def test_items_that_make_no_sense_are_said_to_make_none(measured: dict[str, tuple[Run, Run]]) -> None:
    run = measured["weat"][0]
    odd = replace(run, items=run.items.with_columns(target_set=pl.lit("z")))
    told = compare([odd], [odd])
    assert [entry.reason.partition(" (")[0] for entry in told.alone] == ["the items are not as weat writes them"] * 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": "x"}, "options.seed is 'x', where a whole number from 0 is expected"),
        ({"seed": -1}, "options.seed is -1"),
        ({"max_lost": True}, "options.max_lost is True, where a finite number is expected"),
        ({"effect_size": "huge"}, "options.effect_size is 'huge', where one of caliskan, pestova is expected"),
        ({"speed": 1}, "there is no option of weat 'speed'; did you mean 'seed'?"),
    ],
)
def test_options_that_an_instrument_does_not_have_are_not_compared_with(
    measured: dict[str, tuple[Run, Run]], options: dict[str, object], said: str
) -> None:
    run = measured["weat"][0]
    odd = replace(run, result=replace(run.result, options={**run.result.options, **options}))
    assert {said in entry.reason for entry in compare([odd], [odd]).alone} == {True}


@pytest.mark.parametrize(
    "arguments",
    [
        ("report", "RUN", "-o", "page.html"),
        ("report", "RUN", "-o", "run.card.md"),
        ("gate", "RUN", "--max", RULES["weat"]),
        ("compare", "RUN", "RUN"),
        ("cite", "RUN"),
    ],
)
def test_every_command_says_it_in_one_line_and_exits_with_2(
    measured: dict[str, tuple[Run, Run]], folder: Path, told: Command, arguments: tuple[str, ...]
) -> None:
    run = measured["weat"][0]
    write(folder, run, put(stored(run), ("provenance", "packages"), {}))
    found = told(*(str(folder) if word == "RUN" else word for word in arguments))
    assert found.returncode == 2
    assert found.stderr.count("\n") == 1
    assert "result.json: provenance.packages.tiltmeter is missing; measure it again" in found.stderr


def test_a_stored_run_that_is_none_is_measured_anew(stocked: Store) -> None:
    def asked() -> Run:
        return measure("weat", "pkg:navec-news", store=stocked, only="E1")

    run = asked()
    odd = replace(run, result=replace(run.result, provenance={**run.result.provenance, "packages": {}}))
    stocked.runs.remove(run.id)
    keep_run(stocked, odd)
    assert isinstance(dict(read_runs(stocked))[run.id], Malformed)
    assert asked().result.estimates == run.result.estimates
    assert read_run(stocked, run.id).result.provenance["packages"] == run.result.provenance["packages"]


def test_sixty_runs_are_checked_in_well_under_a_second(measured: dict[str, tuple[Run, Run]]) -> None:
    data = stored(measured["becpro"][0])
    data["estimates"] = (data["estimates"] * 200)[:200]
    started = time.process_time()
    for _ in range(60):
        Result.from_stored_json(data)
    assert time.process_time() - started < 1


def test_a_test_without_a_side_counts_for_none(measured: dict[str, tuple[Run, Run]]) -> None:
    weat, rnsb = measured["weat"]
    kept = tuple(row for row in rnsb.result.estimates if (row.test, row.name) != ("E1", "lean"))
    told = agreement([weat, replace(rnsb, result=replace(rnsb.result, estimates=kept))])
    sides = {(row.test, row.name): row.value or 0 for row in (*weat.result.estimates, *kept)}
    same = (sides["E6", "effect_size"] > 0) == (sides["E6", "lean"] > 0)
    assert [part.same_side for entry in told for part in entry.measures if part.instrument == "rnsb"] == [(same, 1)]
