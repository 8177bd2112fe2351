"""The studies that ship: what they printed, held against each other and against their own formulas."""

import math

import pytest

from tiltmeter.studies import Printout, published_studies, read_study

CELLS = {"anantaprayoon-2023": 52, "azpillaga-2021": 576, "bad": 18, "pestova": 70, "zhao-2021": 77}
"""Counted by hand: rows times columns of each printed table."""


def table(study: str, title: str) -> Printout:
    return next(one for one in read_study(study).tables if one.title.startswith(title))


def numbers(found: Printout, *keys: str) -> list[float]:
    row = next(row for row in found.rows if row[: len(keys)] == keys)
    return [printed.value for printed in found.printed(row).values()]


def test_are_the_five() -> None:
    assert published_studies() == tuple(sorted(CELLS))


@pytest.mark.parametrize("name", CELLS)
def test_have_every_printed_number(name: str) -> None:
    found = [(one, row) for one in read_study(name).tables for row in one.rows]
    assert sum(len(one.printed(row)) for one, row in found) == CELLS[name]


def test_contradict_their_own_formula_in_three_rows() -> None:
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
    }
    assert by_hand == [8.07, -1.431, -0.93]


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
    assert sorted(scores, key=lambda name: -scores[name]) == [
        "Waseda RoBERTa", "Laboro DistilBERT", "Tohoku BERT (char)", "Tohoku BERT", "Bandi DistilBERT",
    ]  # fmt: skip


def test_pestova_has_all_seven_tests_of_all_five_vectors() -> None:
    found = table("pestova", "Table 1")
    assert len({row[:2] for row in found.rows}) == 35
    assert numbers(found, "RNC-Wiki_skip", "E4") == [0.735, 0.00002]
    assert numbers(found, "GeoWac_fast", "E3") == [-0.25, 0.8937]
