"""The tables of the papers, against tables written down by hand."""

from dataclasses import replace
from itertools import product

import polars as pl
import pytest
from statsmodels.stats.multitest import multipletests

from report.handmade import estimate, made
from tiltmeter.instruments import Instrument, Layout, all_instruments, load_instrument
from tiltmeter.report.content import sections
from tiltmeter.report.layouts import LANGUAGES, laid_out, paper_tables
from tiltmeter.report.tables import COVERED, NOTHING, Number, Range, Table, hypotheses_table, printed_table
from tiltmeter.results import Note
from tiltmeter.runs import Run, across, labels


def cells(table: Table | None) -> list[list[object]]:
    """Numbers as they are, text as text, a dash as None."""
    assert table is not None
    return [[cell.value if isinstance(cell, Number) else cell for cell in row] for row in table.rows]


def weat(subject: str, d: dict[str, tuple[float, float]], **more: str) -> Run:
    rows = [estimate(test, "effect_size", value, p_value=p, p_method="x") for test, (value, p) in d.items()]
    return made("weat", subject, rows, **more)  # type: ignore[arg-type]


class TestLayout:
    def test_pestovas_table_has_a_row_for_each_test_and_two_columns_for_each_subject(self) -> None:
        runs = [
            weat("RNC_cbow", {"E1": (0.262, 0.0201), "E2": (0.588, 0.0159)}),
            weat("GeoWAC_fast", {"E1": (0.064, 0.2662), "E3": (-0.250, 0.8937)}),
        ]
        table = laid_out(load_instrument("weat").layouts[0], runs)
        assert table is not None
        assert table.header == (
            ("", "RNC_cbow", "RNC_cbow", "GeoWAC_fast", "GeoWAC_fast"),
            ("test", *["value", "p"] * 2),
        )
        assert cells(table) == [
            ["E1", 0.262, 0.0201, 0.064, 0.2662],
            ["E2", 0.588, 0.0159, None, None],
            ["E3", None, None, -0.250, 0.8937],
        ]
        strong = [cell.strong for row in table.rows for cell in row if isinstance(cell, Number) and cell.p]
        assert strong == [True, False, True, False]

    def test_a_test_is_named_with_what_it_compares(self) -> None:
        run = made("weat", "s", [estimate("E1", "effect_size", 1.0)], tests={"E1": "career / family"})
        whole = replace(run, result=replace(run.result, tests={"E1": "E1: career / family"}))
        for told in (run, whole):
            assert cells(laid_out(load_instrument("weat").layouts[0], [told])) == [["E1: career / family", 1.0]]

    def test_azpillagas_detailed_table_prints_the_difference_once_for_both_genders(self) -> None:
        # The first block of Table 4.5.
        associations = {
            ("balanced", "female"): (-0.350, 1.295, 5.355),
            ("balanced", "male"): (0.054, 1.124, 4.173),
            ("female", "female"): (0.496, 1.307, 6.432),
            ("female", "male"): (-0.683, 1.535, 3.963),
        }
        rows = [
            estimate("BEC-Pro", name, value, {"profession_class": professions, "person_gender": persons})
            for (professions, persons), values in associations.items()
            for name, value in zip(("association", "sd", "max"), values, strict=True)
        ]
        for professions, value in (("balanced", -0.404), ("female", 1.179), ("all", 0.3875)):
            rows.append(estimate("BEC-Pro", "f_minus_m", value, {"profession_class": professions}))
        table = laid_out(load_instrument("becpro").layouts[1], [made("becpro", "BERT", rows, lang="en")])
        assert table is not None
        assert table.header == (
            ("subject", "profession class", "person gender", "f_minus_m", "association", "sd", "max"),
        )
        assert cells(table) == [
            ["BERT", "balanced", "female", -0.404, -0.350, 1.295, 5.355],
            ["BERT", "balanced", "male", COVERED, 0.054, 1.124, 4.173],
            ["BERT", "female", "female", 1.179, 0.496, 1.307, 6.432],
            ["BERT", "female", "male", COVERED, -0.683, 1.535, 3.963],
            ["BERT", "all", "", 0.3875, None, None, None],
        ]
        assert [table.spanned(row, 0) for row in range(5)] == [5, 4, 3, 2, 1]
        assert [table.spanned(0, column) for column in (1, 2, 3, 4)] == [2, 1, 2, 1]
        assert [[table.repeats(row, column) for column in (0, 1, 2)] for row in range(3)] == [
            [False, False, False],
            [True, True, False],
            [True, False, False],
        ]

    def test_azpillagas_summary_has_languages_and_classes_down_and_models_across(self) -> None:
        # Two languages of Table 4.4.
        def run(model: str, lang: str, values: tuple[float, float]) -> Run:
            rows = [
                estimate("BEC-Pro", "f_minus_m", value, {"profession_class": name})
                for name, value in zip(("balanced", "female"), values, strict=True)
            ]
            return made("becpro", model, rows, lang=lang, run=f"{model}-{lang}")

        runs = [
            run("mBERT", "en", (-0.254, 0.166)),
            run("BERT", "en", (-0.404, 1.179)),
            run("mBERT", "eu", (-0.416, -0.488)),
            run("BERTeus", "eu", (-0.113, -0.135)),
        ]
        table = laid_out(load_instrument("becpro").layouts[0], runs)
        assert table is not None
        assert table.header == (("lang", "profession class", "mBERT", "BERT", "BERTeus"),)
        assert cells(table) == [
            ["en", "balanced", -0.254, -0.404, None],
            ["en", "female", 0.166, 1.179, None],
            ["eu", "balanced", -0.416, None, -0.113],
            ["eu", "female", -0.488, None, -0.135],
        ]
        assert LANGUAGES in table.caption

    def test_the_second_table_of_bad_has_the_p_below_its_correlation(self) -> None:
        found = {
            "Wikipedia": {"semantic-gender": (0.3513, 0.0262), "names": (0.0075, 0.9632)},
            "SBWC": {"semantic-gender": (0.3500, 0.0268), "names": (0.0834, 0.6088)},
        }
        runs = [
            made(
                "bad",
                corpus,
                [
                    estimate(test, "pearson", r, {"adjectives": "cgss.csv"}, p_value=p)
                    for test, (r, p) in by_test.items()
                ],
                lang="es",
            )
            for corpus, by_test in found.items()
        ]
        table = laid_out(load_instrument("bad").layouts[1], runs)
        assert table is not None
        assert table.header == (("adjectives", "subject", "", "semantic-gender", "names"),)
        assert cells(table) == [
            ["cgss.csv", "Wikipedia", "value", 0.3513, 0.0075],
            ["cgss.csv", "Wikipedia", "p", 0.0262, 0.9632],
            ["cgss.csv", "SBWC", "value", 0.3500, 0.0834],
            ["cgss.csv", "SBWC", "p", 0.0268, 0.6088],
        ]

    def test_no_estimate_is_lost_where_two_would_share_a_cell(self) -> None:
        rows = [
            estimate("t", name, float(place), {"list": words})
            for place, (name, words) in enumerate(product(("a", "b"), ("x", "y")))
        ]
        layout = Layout(title="", names=("a", "b"), rows=("test",), columns=("subject",))
        table = laid_out(layout, [made("mac", "s", rows)])
        assert sorted(str(row[-1]) for row in table.rows) == ["0.0000", "1.000", "2.000", "3.000"]  # type: ignore[union-attr]
        assert table is not None
        assert set(table.header[0]) == {"test", "list", "name", "s"}

    def test_what_no_estimate_has_makes_no_column(self) -> None:
        run = made("mac", "s", [estimate("t", "mac", 1.02, ci_low=0.9, ci_high=1.1)])
        (table,) = paper_tables(load_instrument("mac"), [run])
        assert table.header[-1] == ("test", "value", "95% interval")
        assert table.rows == (("t", Number(1.02), Range(0.9, 1.1)),)

    def test_there_is_no_table_without_numbers(self) -> None:
        assert laid_out(load_instrument("bad").layouts[1], [made("bad", "s", [])]) is None


def test_p_is_corrected_over_all_runs_of_a_table() -> None:
    p = {("a", "E1"): 0.01, ("a", "E2"): 0.04, ("b", "E1"): 0.03, ("b", "E2"): 0.2}
    runs = [
        made(
            "weat",
            subject,
            [
                estimate(test, "effect_size_both", 1.0, p_value=p[subject, test], p_adjusted=0.5)
                for test in ("E1", "E2")
            ],
        )
        for subject in ("a", "b")
    ]
    table = laid_out(load_instrument("weat").layouts[1], runs)
    _, expected, *_ = multipletests(list(p.values()), method="holm")
    assert table is not None
    found = [row[column].value for column in (2, 4) for row in table.rows]  # type: ignore[union-attr]
    assert found == pytest.approx(expected)
    assert "4 tests, Holm" in table.caption


class TestApart:
    def test_a_masked_and_a_causal_model_never_share_a_table(self) -> None:
        rows = [estimate("BEC-Pro", "f_minus_m", 1.0, {"profession_class": "male"})]
        runs = [made("becpro", kind, rows, kind=kind, lang="en") for kind in ("masked", "causal")]
        found = sections(runs)
        assert [section.title.split(", ")[1] for section in found] == ["masked models", "causal models"]
        for section, kind in zip(found, ("masked", "causal"), strict=True):
            assert section.tables[0].header[0][-1] == kind
            assert kind in section.tables[0].title

    def test_runs_with_other_options_are_told_apart_by_them(self) -> None:
        runs = [
            weat("navec", {"E1": (1.0, 0.1)}),
            made("weat", "navec", [estimate("E1", "effect_size", 2.0)], options={"effect_size": "pestova"}),
        ]
        assert labels(runs) == ["navec (effect_size caliskan)", "navec (effect_size pestova)"]
        assert cells(laid_out(load_instrument("weat").layouts[0], runs)) == [["E1", 1.0, 0.1, 2.0, None]]

    def test_options_of_another_language_are_no_difference(self) -> None:
        one = made("becpro", "m", [], lang="en")
        other = made("becpro", "m", [], lang="es", options={"variant": "bare"})
        assert labels([one, other]) == ["m, en", "m, es"]

    def test_the_same_request_answered_twice_is_told_apart_by_the_run(self) -> None:
        runs = [made("weat", "s", [], run=run) for run in ("aaaaaaaa11111111", "bbbbbbbb22222222")]
        assert labels(runs) == ["s (run aaaaaaaa)", "s (run bbbbbbbb)"]

    def test_files_of_one_name_are_told_apart_by_their_content(self) -> None:
        def run(sha: str) -> Run:
            return made("kurita", "m", [], options={"words": {"file": "w.toml", "sha256": sha}}, run=sha * 16)

        assert labels([run("1"), run("2")]) == ["m (words w.toml) (run 11111111)", "m (words w.toml) (run 22222222)"]


class TestHypotheses:
    def verdict(self, name: str, holds: bool, **details: str) -> Note:
        return Note(kind="hypothesis", text=name, details={"hypothesis": name, "holds": holds, **details})

    def test_a_row_for_each_model_and_a_column_for_each_hypothesis(self) -> None:
        runs = [
            made("becpro", "a", [], notes=[self.verdict("H1", True), self.verdict("H3", False)]),
            made("becpro", "b", [], notes=[self.verdict("H1", False)]),
        ]
        table = hypotheses_table(runs, ())
        assert table is not None
        assert table.header == (("subject", "H1", "H3"),)
        assert table.rows == (("a", "holds", "not shown"), ("b", "not shown", NOTHING))

    def test_the_fourth_comes_from_both_models_together_and_stands_with_the_multilingual_one(self) -> None:
        items = pl.DataFrame(
            [
                {"profession": name, "person_gender": gender, "association": value, "informative": True}
                for name, tilt in (("nurse", 2.0), ("smith", -1.5), ("clerk", 1.8))
                for gender, value in (("female", tilt), ("male", 0.0))
            ]
        )
        narrow, wide = (made("becpro", name, [], lang="en") for name in ("narrow", "wide"))
        wide.result.provenance["subject"]["multilingual"] = True
        smaller = items.with_columns(association=pl.col("association") / 100)
        runs = [Run(narrow.id, narrow.result, items), Run(wide.id, wide.result, smaller)]
        table = hypotheses_table(runs, across(runs).together.notes)
        assert table is not None
        assert table.header == (("subject", "H4"),)
        assert table.rows == (("narrow", NOTHING), ("wide", "holds"))

    def test_most_instruments_have_none(self) -> None:
        assert hypotheses_table([weat("s", {"E1": (1.0, 0.1)})], ()) is None


def test_a_run_is_printed_with_which_way_is_worse_and_its_family() -> None:
    rows = [
        estimate("E1", "effect_size", 0.5, p_value=0.01, p_adjusted=0.02, family="weat: 2 tests, Holm", n=8, lost=1),
        replace(estimate("E1", "other", 0.9), worse="lower", neutral=1),
        replace(estimate("E2", "other", 0.9), worse="higher", neutral=0.5),
    ]
    table = printed_table(made("weat", "s", rows, lang="xx"), "")
    assert [row[-1] for row in table.rows] == ["away from 0", "below 1", "above 0.5"]
    assert table.caption == "p corrected within weat: 2 tests, Holm."
    sided = [replace(rows[0], p_two_sided=0.02), replace(rows[1], p_value=0.3, p_two_sided=0.3)]
    told = "p of effect_size is one-sided (above neutral); what is said in words is two-sided."
    assert printed_table(made("weat", "s", sided, lang="xx"), "").caption.startswith(told)


@pytest.mark.parametrize("tool", all_instruments(), ids=lambda tool: tool.name)
def test_every_instrument_declares_its_tables_and_what_to_cite(tool: Instrument) -> None:
    assert tool.layouts
    assert tool.bibtex.startswith("@")
    known = {"value", "interval", "p_value", "p_adjusted"}
    assert all(set(layout.cells) <= known for layout in tool.layouts)
