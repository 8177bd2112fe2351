"""Several models on the same sentences: do they agree, which of them differ, and how often is that chance?"""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from instruments import slgu_again
from instruments.slgu_made import TOOL, ZH, characters, found, result_of, table, worlds
from tiltmeter.datasets.slguset import own_sentences
from tiltmeter.instruments import Findings
from tiltmeter.instruments._slgu_together import model_differences
from tiltmeter.runs import Run, across, compare, measure
from tiltmeter.store import Store


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """Two models on the pack's sentences."""
    root = tmp_path_factory.mktemp("together")
    texts = [row.filled(word) for row in own_sentences(ZH) for word in (row.male, row.female)]
    first = characters(root / "first", texts)
    # One token more, and every weight is another one.
    second = characters(root / "second", [*texts, "龘"])
    store = Store(root / "cache")
    return [measure("slgu", str(folder), lang="zh", store=store) for folder in (first, second)]


def test_correlations_are_those_of_the_sentences(runs: list[Run]) -> None:
    figures = across(runs).together.figures
    assert [figure.kind for figure in figures] == ["heat", "heat"]
    one, other = (run.items["bias"].to_numpy() for run in runs)
    cells = [row["r"] for row in figures[0].rows]
    assert cells == pytest.approx([1, stats.pearsonr(one, other)[0], stats.pearsonr(one, other)[0], 1])
    pairs = runs[0].items["pair"].to_list()
    means = [{p: np.mean([b for b, q in zip(x, pairs, strict=True) if p == q]) for p in pairs} for x in (one, other)]
    less = [[b - m[p] for b, p in zip(x, pairs, strict=True)] for x, m in zip((one, other), means, strict=True)]
    assert figures[1].rows[1]["r"] == pytest.approx(stats.pearsonr(*less)[0])


def test_table_4_says_which_differences_are_significant(runs: list[Run]) -> None:
    (told,) = across(runs).together.tables
    assert [row[0] for row in told.rows] == ["bias_man", "bias_woman", "model_bias", "signed_mean"]
    for row in told.rows:
        values = dict(zip(told.columns, row, strict=True))
        one, other = (found(run, str(values["number"]), sentences="all").value for run in runs)
        assert one is not None
        assert other is not None
        assert values["difference"] == pytest.approx(one - other)
        assert values["p corrected"] == values["p"]  # one pair of models
        low, high, p = values["low"], values["high"], values["p"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert isinstance(p, float)
        assert (values["significant"] == "yes") == (p < 0.05) == (not low <= 0 <= high)


def test_a_model_does_not_differ_from_itself(runs: list[Run]) -> None:
    same = across([runs[0], runs[0]]).together
    assert {row.value for row in same.estimates} == {0}
    assert {row.p_adjusted for row in same.estimates} == {1.0}
    assert all("does not differ clearly" in note.text for note in same.notes)


def test_several_models_are_corrected_together(runs: list[Run]) -> None:
    from statsmodels.stats.multitest import multipletests

    items = [runs[0].items, runs[1].items, runs[0].items.with_columns(bias=pl.col("bias") * 1.05 + 0.01)]
    results = [result_of(name) for name in "abc"]
    assert TOOL.compare is not None
    rows = TOOL.compare(list(zip(results, items, strict=True))).estimates
    for name in ("bias_man", "model_bias"):
        own = [row for row in rows if row.name == f"{name}_difference"]
        assert [(row.group["model"], row.group["less"]) for row in own] == [("a", "b"), ("a", "c"), ("b", "c")]
        told = multipletests([row.p_value for row in own], method="holm")[1]
        assert [row.p_adjusted for row in own] == pytest.approx(told)


def test_only_sentences_that_all_answered_count(runs: list[Run]) -> None:
    some = runs[1].items.with_columns(bias=pl.when(pl.int_range(pl.len()) < 50).then(None).otherwise(pl.col("bias")))
    assert TOOL.compare is not None
    result = TOOL.compare([(runs[0].result, runs[0].items), (runs[1].result, some)])
    assert {row.n for row in result.estimates} == {150}
    nothing = some.with_columns(context=pl.lit("other"))
    (note,) = TOOL.compare([(runs[0].result, runs[0].items), (runs[1].result, nothing)]).notes
    assert "fewer than two sentences" in note.text


def test_a_model_asked_in_two_ways_is_not_two_models(runs: list[Run]) -> None:
    items = runs[0].items
    other = replace(runs[0].result, options={**runs[0].result.options, "span": "whole-word"})
    assert TOOL.compare is not None
    assert TOOL.compare([(runs[0].result, items), (other, items)]).estimates == ()
    both = TOOL.compare([(runs[0].result, items), (other, items), (runs[1].result, runs[1].items)])
    assert len(both.estimates) == 4
    assert all(row.group["less"].endswith(f"({runs[1].id[:8]})") for row in both.estimates)


def test_a_masked_and_a_causal_model_are_never_ranked(runs: list[Run]) -> None:
    made = runs[1].result.provenance
    causal = replace(runs[1].result, provenance={**made, "subject": {**made["subject"], "kind": "causal"}})
    assert across([runs[0], Run(runs[1].id, causal, runs[1].items)]).to_json()["differences"] == []


def test_a_difference_that_cannot_be_tested_is_not_called_none() -> None:
    lopsided = np.concatenate([np.full(199, 2.0), [-0.5]])
    even = np.linspace(-1, 1, 200)
    rows = [[(str(n % 8), False, "male", float(bias)) for n, bias in enumerate(b)] for b in (lopsided, even)]
    assert TOOL.compare is not None
    result = TOOL.compare([(result_of(name), table(own)) for own, name in zip(rows, "ab", strict=True)])
    told = {row[0]: row[-1] for row in result.tables[0].rows}
    assert told["model_bias"] == "not tested"
    assert told["signed_mean"] == "yes"
    assert "which could not be tested" in result.notes[0].text


def test_models_of_different_languages_are_not_compared(runs: list[Run]) -> None:
    items = runs[0].items
    assert TOOL.compare is not None
    result = TOOL.compare([(result_of("a"), items), (result_of("b", lang="ja"), items)])
    assert result == Findings(estimates=())


def test_compare_pairs_every_number_of_two_models(runs: list[Run]) -> None:
    changes = {change.label: change for change in compare([runs[0]], [runs[1]]).changes}
    for name in ("bias_man", "model_bias", "signed_mean", "evident_man"):
        change = changes[f"SlguSet {name} [sentences=all]"]
        before, after = (found(run, name, sentences="all").value for run in runs)
        assert (change.before, change.after) == (before, after)
        assert change.p_value is not None
    label = "SlguSet prior [pair=他/她]"
    biases = [run.items.filter(pl.col("pair") == "他/她")["bias"].to_numpy() for run in runs]
    assert changes[label].difference == pytest.approx((biases[1] - biases[0]).mean())
    assert changes[label].p_method == "paired bootstrap over sentences, percentile, two-sided"


def test_how_often_models_of_one_kind_are_said_to_differ() -> None:
    """Two noisy answers to the same sentences, 300 times: nothing differs but by chance."""
    rng = np.random.default_rng(9)
    n = 300
    rejected = 0
    for _ in range(n):
        truth = np.array([bias for *_, bias in worlds(rng, pairs=8, size=10)])
        noisy = truth[:, None] + rng.normal(0, 0.3, (truth.size, 2))
        (row,) = [row for row in model_differences(noisy, ["a", "b"]) if row.name == "model_bias_difference"]
        rejected += row.p_value is not None and row.p_value < 0.05
    limits = stats.binomtest(rejected, n).proportion_ci(0.99, method="exact")
    assert limits.low <= 0.05 <= limits.high, rejected / n


def test_agrees_on_which_models_differ() -> None:
    rng = np.random.default_rng(3)
    first, second = worlds(rng), worlds(rng)
    pair = [(result_of(name), table(rows)) for name, rows in (("one", first), ("other", second))]
    assert TOOL.compare is not None
    rows = TOOL.compare(pair).estimates
    told = slgu_again.paired_bootstrap([b for *_, b in first], [b for *_, b in second], resamples=3000, seed=5)
    for name, (value, low, high) in told.items():
        (row,) = [row for row in rows if row.name == f"{name}_difference"]
        assert row.value == pytest.approx(value)
        width = high - low
        assert (row.ci_low, row.ci_high) == pytest.approx((low, high), abs=0.06 * width)
        assert row.group == {"model": "one", "less": "other"}
