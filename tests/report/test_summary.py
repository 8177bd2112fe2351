"""The first screen's sentences: what counts as a tilt, which one is told, and what is said where there is none."""

from dataclasses import replace

import pytest
from statsmodels.stats.multitest import multipletests

from tiltmeter.report.summary import models, overview, verdicts
from tiltmeter.results import Estimate, Note
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store


@pytest.fixture
def run(stocked: Store) -> Run:
    return measure("weat", "pkg:navec-news", store=stocked)


def with_estimates(run: Run, *rows: Estimate, notes: tuple[Note, ...] = ()) -> Run:
    return Run(run.id, replace(run.result, estimates=rows, notes=notes), run.items)


def d(test: str, value: float, low: float, high: float, p: float, **more: str) -> Estimate:
    return Estimate(
        test=test,
        name="effect_size_both",
        value=value,
        worse="away",
        neutral=0,
        ci_low=low,
        ci_high=high,
        p_value=p / 2,
        p_two_sided=p,
        group=more,
    )


def reading(test: str) -> Note:
    told = {"estimates": ["effect_size_both"], "group": {}, "above": "up", "below": "down"}
    return Note(kind="reading", test=test, text="", details=told)


def test_a_tilt_needs_a_small_corrected_p_and_an_interval_without_the_neutral_value(run: Run) -> None:
    made = with_estimates(
        run,
        d("both", 1, 0.5, 1.5, 0.001),
        d("the least sure", 1, 0.5, 1.5, 0.03),  # the largest of four: Holm leaves it as it is
        d("p alone", 1, -0.1, 1.5, 0.001),
        d("below", -1, -1.5, -0.5, 0.001),
        notes=tuple(map(reading, ("both", "the least sure", "p alone", "below", "fifth"))),
    )
    assert [verdict.shown for verdict in verdicts(made)] == [True, True, False, True]
    # With a fifth test above it, Holm doubles it.
    more = with_estimates(made, *made.result.estimates, d("fifth", 0.1, -1, 1, 0.9), notes=made.result.notes)
    assert [verdict.shown for verdict in verdicts(more)] == [True, False, False, True, False]


def test_without_a_p_or_an_interval_nothing_is_tested(run: Run) -> None:
    whole = d("a", 1, 0.5, 1.5, 0.001)
    for broken in (replace(whole, p_two_sided=None), replace(whole, ci_low=None, ci_high=None)):
        (model,) = models([with_estimates(run, broken, notes=(reading("a"),))])
        assert model.tested() == []
        assert model.sentence() == "was measured, but with nothing that tests for a tilt."


def test_every_question_of_an_instrument_counts(run: Run) -> None:
    """A model may tilt to one gender whatever the stereotype."""

    def row(name: str, value: float, p: float, **group: str) -> Estimate:
        return replace(d("BEC-Pro", value, value - 0.1, value + 0.1, p), name=name, group=group)

    def told(name: str, **group: str) -> Note:
        details = {"estimates": [name], "group": group, "above": f"{name} up", "below": f"{name} down"}
        return Note(kind="reading", test="BEC-Pro", text="", details=details)

    rows = (
        row("stereotype_contrast", 0.05, 0.9),
        row("f_minus_m_both", 0.3, 0.001, profession_class="all"),
        row("f_minus_m_both", 0.9, 0.0001, profession_class="male"),
    )
    notes = (told("stereotype_contrast"), told("f_minus_m_both", profession_class="all"))
    result = replace(run.result, instrument="becpro", estimates=rows, notes=notes)
    (model,) = models([Run("becpro", result, run.items)])
    assert [(found.said, found.shown) for found in model.verdicts] == [
        ("stereotype_contrast up", False),
        ("f_minus_m_both up", True),
    ]
    assert model.verdicts[1].p == pytest.approx(0.002)


def test_the_corrected_p_is_holms_over_the_two_sided_ones(run: Run) -> None:
    found = verdicts(run)
    expected = multipletests([verdict.row.p_two_sided for verdict in found], method="holm")[1]
    assert [verdict.p for verdict in found] == pytest.approx(list(expected))


def test_grammar_is_taken_out_where_that_could_be_done_and_controls_do_not_count(run: Run) -> None:
    found = verdicts(run)
    assert {verdict.row.name for verdict in found} == {"effect_size_without_grammar"}
    assert "grammar" not in {verdict.row.test for verdict in found}
    measured = {row.test for row in run.result.estimates if row.value is not None and not row.group}
    assert {verdict.row.test for verdict in found} == measured


def test_the_surest_tilt_is_told_in_the_words_of_its_side(run: Run) -> None:
    rows = (d("a", 1.0, 0.5, 1.5, 0.02), d("b", -1.0, -1.2, -0.8, 0.001), d("c", 2.0, 1.0, 3.0, 0.001))
    (model,) = models([with_estimates(run, *rows, notes=tuple(map(reading, "abc")))])
    (surest,) = model.surest()
    # b and c have the same p; b lies 1 / 0.4 = 2.5 widths of its interval from 0, c 2 / 2 = 1.
    assert (surest.row.test, surest.said) == ("b", "down")
    assert model.sentence() == (
        "tilts: down (Word Embedding Association Test, b: effect size both -1.000, 95% interval -1.200 to -0.800, "
        "corrected p = 0.0030); tests that show a tilt: weat 3 of 3."
    )
    assert [(tool.name, shown, tested) for tool, shown, tested in model.counts()] == [("weat", 3, 3)]


def test_without_a_tilt_there_is_nothing_to_tell(run: Run) -> None:
    (model,) = models([with_estimates(run, d("a", 1, -0.5, 1.5, 0.2), notes=(reading("a"),))])
    assert model.surest() == []
    assert len(model.tested()) == 1
    assert model.sentence().endswith("no proof that there is none; tests that show one: weat 0 of 1.")


def test_of_each_instrument_the_surest_tilt_is_told_with_what_to_beware_of(run: Run) -> None:
    few = Note(kind="any", test="a", text="", caution="few words")
    weat = with_estimates(run, d("a", 1, 0.5, 1.5, 0.02), notes=(reading("a"), few))
    bad = replace(d("x", -1, -1.2, -0.8, 0.001), name="score_minus_baseline")
    words = replace(reading("x"), details={**reading("x").details, "estimates": ["score_minus_baseline"]})
    other = Run("other", replace(weat.result, instrument="bad", estimates=(bad,), notes=(words,)), run.items)
    (model,) = models([weat, other])
    assert [(found.tool.name, found.said) for found in model.surest()] == [("bad", "down"), ("weat", "up")]
    assert "corrected p = 0.0200, but few words)" in model.sentence()


def test_an_instrument_without_a_p_of_its_own_gives_no_verdict(stocked: Store) -> None:
    (model,) = models([measure("mac", "pkg:navec-news", store=stocked)])
    assert model.tested() == []
    assert {verdict.outcome for verdict in model.verdicts} == {"not tested"}


def test_what_a_reader_must_beware_of_is_named_once(run: Run) -> None:
    said = ("lost words", "few words", "lost words", "")
    made = with_estimates(run, notes=tuple(Note(kind="any", text="", caution=caution) for caution in said))
    (model,) = models([made])
    assert model.cautions() == ["lost words", "few words"]


def test_the_overview_holds_every_effect_on_the_scale_of_its_instrument(run: Run, stocked: Store) -> None:
    other = measure("mac", "pkg:navec-news", store=stocked)
    found = models([other, run])
    (weat,), (mac,) = overview(found, tested=True), overview(found, tested=False)
    assert (weat.x, weat.neutral, mac.x, mac.neutral) == ("effect_size", 0, "mac", 1)
    assert [row["effect_size"] for row in weat.rows] == [verdict.row.value for verdict in verdicts(run)]
    assert [row["low"] for row in mac.rows] == [row.ci_low for row in other.result.estimates if row.value is not None]
    assert {row["model"] for row in weat.rows} == {"pkg:navec-news"}
