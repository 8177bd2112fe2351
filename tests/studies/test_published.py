"""The studies that ship: what they printed, held against each other and against their own formulas."""

import math
from collections.abc import Mapping

import polars as pl
import pytest

from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_pack
from tiltmeter.studies import Printout, published_studies, read_study

CELLS = {"anantaprayoon-2023": 63, "azpillaga-2021": 683, "bad": 18, "pestova": 70, "zhao-2021": 115}
"""Counted by hand: rows times columns of each printed table."""


def table(study: str, title: str) -> Printout:
    return next(one for one in read_study(study).tables if one.title.startswith(title))


def numbers(found: Printout, *keys: str) -> list[float]:
    row = next(row for row in found.rows if row[: len(keys)] == keys)
    return [printed.value for printed in found.printed(row).values()]


def quotas() -> Mapping[str, int]:
    screening = load_pack("zh").screening
    assert screening is not None
    return screening.quotas


def test_are_the_five() -> None:
    assert published_studies() == tuple(sorted(CELLS))


@pytest.mark.parametrize("name", CELLS)
def test_have_every_printed_number(name: str) -> None:
    found = [(one, row) for one in read_study(name).tables for row in one.rows]
    assert sum(len(one.printed(row)) for one, row in found) == CELLS[name]


def test_contradict_their_own_formula_in_three_rows_and_their_own_sum_in_three() -> None:
    found = {
        (name, one.title.split(":")[0], one.rows.index(row)): (row[-1], round(value, 3))
        for name in CELLS
        for one in read_study(name).tables
        for row in one.rows
        for value in one.contradictions(row).values()
    }
    # 2.492e-3 / 2.123e-11, 1.224e-3 / 3.304e-2 and 1.208e-3 / 1.027e-2.
    by_hand = [round(math.log10(part), 3) for part in (2.492e-3 / 2.123e-11, 1.224e-3 / 3.304e-2, 1.208e-3 / 1.027e-2)]
    assert found == {
        ("zhao-2021", "Table 5", 1): ("3.756", by_hand[0]),
        ("zhao-2021", "Table 9", 0): ("-1.428", by_hand[1]),
        ("zhao-2021", "Table 9", 1): ("-1.070", by_hand[2]),
        ("zhao-2021", "Section 5.2", 3): ("20000", 7223 + 6024 + 6743),
        ("zhao-2021", "Table 1", 16): ("20000", sum(quotas().values())),
        ("azpillaga-2021", "Table A.1", 5): ("224.6", 35 + 81 + 28 + 16 + 6436),
    }
    assert by_hand == [8.07, -1.431, -0.93]


def test_quotas_of_table_1_are_those_of_the_pack() -> None:
    printed = {row[0].replace("&", "/"): int(row[1]) for row in table("zhao-2021", "Table 1").rows[:-1]}
    assert printed == quotas()


def test_shares_of_women_are_those_of_the_pack() -> None:
    for title, name in (("Table B.1", "female"), ("Table B.2", "balanced"), ("Table B.3", "male")):
        printed = {row[0]: row[1] for row in table("azpillaga-2021", title).rows}
        known = {one.id: one.us_female_share for one in load_pack("en").professions if one.profession_class == name}
        assert {profession: known[profession] for profession in printed} == printed
        assert len(printed) == 20


def test_sizes_of_table_6_are_those_of_the_command_that_it_names() -> None:
    tool = load_instrument("nli-coal")
    items = tool.items(load_pack("ja"), tool.options(mode="published"))
    made = {
        name: (pairs, occupations)
        for name, pairs, occupations in items.group_by("set")
        .agg(pl.len(), pl.col("occupation").n_unique().alias("occupations"))
        .iter_rows()
    }
    assert {row[0]: (int(row[1]), int(row[2])) for row in table("anantaprayoon-2023", "Table 6").rows} == made


@pytest.mark.parametrize("name", CELLS)
def test_what_no_run_gives_says_what_does_or_why_nothing_does(name: str) -> None:
    study = read_study(name)
    measured = {(run.id, label) for run in study.runs for label in run.models}
    for one in study.tables:
        labels = {row[one.keys.index("model")] for row in one.rows} if "model" in one.keys else set()
        left_out = {label for label in labels if one.run and (one.run, label) not in measured}
        assert all(label in one.note for label in left_out)
        assert one.run or one.command.startswith("tiltmeter ") or one.note


def test_differences_of_table_4_4_are_those_of_the_tables_behind_it() -> None:
    compared = 0
    for lang, behind in (("english", "4.5"), ("spanish, articles", "4.6"), ("spanish, bare", "4.7"), ("basque", "4.8")):
        first, second = table("azpillaga-2021", f"Table 4.4, {lang}"), table("azpillaga-2021", f"Table {behind}")
        for row in first.rows:
            assert numbers(first, *row[:2])[0] == numbers(second, *row[:2])[0]
            compared += 1
    assert compared == 36


def test_scores_of_japanese_models_have_the_printed_order() -> None:
    found = table("anantaprayoon-2023", "Tables 3 and 4")
    scores = {row[0]: numbers(found, row[0])[-1] for row in found.rows}
    ordered = sorted(scores, key=lambda name: -scores[name])
    assert ordered == [
        "Waseda RoBERTa", "Laboro DistilBERT", "Tohoku BERT (char)", "Tohoku BERT", "Bandi DistilBERT",
    ]  # fmt: skip
    ranks = {row[0]: row[1] for row in table("anantaprayoon-2023", "Table 4").rows}
    assert [ranks[name] for name in ordered] == ["1", "2", "3", "4", "5"]


def test_pestova_has_all_seven_tests_of_all_five_vectors() -> None:
    found = table("pestova", "Table 1")
    assert len({row[:2] for row in found.rows}) == 35
    assert numbers(found, "RNC-Wiki_skip", "E4") == [0.735, 0.00002]
    assert numbers(found, "GeoWac_fast", "E3") == [-0.25, 0.8937]
