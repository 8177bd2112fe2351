"""The SlguSet score: the paper's printed numbers, a second implementation, every language, several models."""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from scipy import stats

from instruments import slgu_again
from instruments.slgu_made import HEADER, TOOL, ZH, characters, found, in_file, table, worlds
from subjects import obvious, tiny_models
from subjects.whole_words import whole_words
from support import Command
from tiltmeter.datasets.slguset import hidden_part, own_sentences
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._slgu_estimates import over_pairs, written_gap
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.runs import measure
from tiltmeter.store import Store


def even_everywhere(folder: Path, probabilities: dict[str, float]) -> Path:
    """A real model that gives these characters these probabilities at every mask, and all else the rest."""
    from transformers import BertForMaskedLM

    folder = characters(folder, [*probabilities, "有一位孩子在门口等人。"])
    masked: Any = BertForMaskedLM
    model = masked.from_pretrained(folder)
    tokens = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    rest = (1 - sum(probabilities.values())) / (len(tokens) - len(probabilities))
    with torch.no_grad():
        for weight in model.parameters():
            weight.zero_()
        for token, number in tokens.items():
            model.cls.predictions.bias[number] = math.log(probabilities.get(token, rest))
    model.save_pretrained(folder)
    return folder


class TestThePaper:
    """Tables 5, 6, 8 and 9 of Zhao et al. (2021): the probabilities of both words, Bias_c, and how many masks."""

    PRINTED = (
        (9.865e-1, 4.191e-7, 6.372, 1),
        (8.944e-1, 7.671e-4, 3.067, 1),
        (9.429e-1, 2.701e-3, 2.543, 1),
        (9.012e-1, 3.384e-3, 2.425, 1),
        (5.486e-12, 5.732e-7, -5.019, 2),
        (3.940e-8, 4.588e-4, -4.066, 2),
        (1.668e-4, 3.426e-1, -3.313, 2),
        (2.091e-3, 9.972e-1, -2.678, 1),
        (1.934e-6, 6.212e-4, -2.507, 2),
        (4.109e-1, 7.460e-2, 0.741, 1),
        (7.750e-1, 1.625e-1, 0.678, 1),
        (5.983e-1, 1.337e-1, 0.651, 1),
        (7.632e-1, 1.776e-1, 0.633, 1),
        (7.462e-1, 1.899e-1, 0.594, 1),
        (4.884e-2, 5.691e-1, -1.066, 1),
        (2.364e-2, 2.451e-1, -1.016, 1),
        (1.334e-3, 1.265e-2, -0.977, 1),
        # Rows that do not follow from equation 1 as printed (3.756, -1.428, -1.070): what they should say.
        (2.492e-3, 2.123e-11, 8.070, 2),
        (1.224e-3, 3.304e-2, -1.431, 1),
        (1.208e-3, 1.027e-2, -0.930, 1),
    )

    @pytest.mark.parametrize(("man", "woman", "bias", "hidden"), PRINTED)
    def test_a_model_with_the_printed_probabilities_has_the_printed_bias(
        self, man: float, woman: float, bias: float, hidden: int, tmp_path: Path, store: Store
    ) -> None:
        words = ("男", "女") if hidden == 1 else ("爷爷", "奶奶")
        letters = {words[0][0]: man ** (1 / hidden), words[1][0]: woman ** (1 / hidden)}
        folder = even_everywhere(tmp_path, letters)
        sentence = f"有一位{words[0]}孩子在门口等人。"
        path = in_file(tmp_path / "set.csv", (sentence, f"[3, {3 + hidden}]", *words))
        (row,) = measure("slgu", str(folder), lang="zh", store=store, sentences=path).items.iter_rows(named=True)
        assert row["log10_p_man"] == pytest.approx(math.log10(man), abs=1e-4)
        assert row["log10_p_woman"] == pytest.approx(math.log10(woman), abs=1e-4)
        assert row["bias"] == pytest.approx(bias, abs=6e-4)  # printed to three digits

    def test_equations_two_and_three_by_hand(self) -> None:
        rows = [(pair, False, "male", bias) for pair in "ab" for bias in (1.0, 0.5, -0.25, -0.75, 0.0)]
        result = TOOL.estimate(table(rows), TOOL.options())
        assert found(result, "bias_man", sentences="all").value == 0.75
        assert found(result, "bias_woman", sentences="all").value == 0.5
        assert found(result, "model_bias", sentences="all").value == 0.625
        assert found(result, "signed_mean", sentences="all").value == pytest.approx(0.1)
        assert found(result, "evident_man", sentences="all").value == 4
        assert found(result, "evident_woman", sentences="all").value == 2

    def test_model_bias_has_the_interval_of_two_independent_means(self) -> None:
        rng = np.random.default_rng(2)
        rows = worlds(rng)
        row = found(TOOL.estimate(table(rows), TOOL.options()), "model_bias", sentences="all")
        bias = np.array([bias for *_, bias in rows])
        told = stats.ttest_ind(bias[bias > 0], bias[bias < 0], equal_var=False).confidence_interval(0.95)
        assert (row.ci_low, row.ci_high) == pytest.approx((told.low / 2, told.high / 2))


@pytest.fixture(scope="module")
def chinese(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [row.filled(word) for row in own_sentences(ZH) for word in (row.male, row.female)]
    return characters(tmp_path_factory.mktemp("zh"), [*texts, "国王后老公婆"])


MESSY = (
    ("门口站着一位男老师。", "[6, 7]", "男", "女"),
    ("那个女孩和另一个女孩在下棋。", "[5, 7]", "女孩", "男孩"),
    ("他说他不来。", "[2, 3]", "他", "她"),
    ("她说他不来。", "[0, 1]", "她", "他"),
    ("我老公出差了。", "[1, 3]", "老公", "老婆"),
    ("有人在下棋。", "[0, 2]", "男孩", "女孩"),
    ("这位奶奶会修车。", "奶奶", "奶奶", "爷爷"),
    ("门口站着一位女老师。", "[6, 7]", "女", "男"),
    ("那位国王来了。", "[2, 4]", "国王", "王后"),
    ("儿子出门了，女儿也出门了。", "[6, 8]", "女儿", "儿子"),
    ("一名男童走丢了，一名女童找到了。", "[2, 3]", "男", "女"),
    ("外婆在家。", "[0, 2]", "外婆", "外公"),
    ("弟弟在学校。", "[9, 11]", "弟弟", "妹妹"),
)


class TestASecondImplementation:
    @pytest.mark.parametrize("span", ["differing-characters", "whole-word"])
    def test_agrees_on_a_file_with_everything_wrong_in_it(
        self, chinese: Path, tmp_path: Path, store: Store, span: str
    ) -> None:
        path = in_file(tmp_path / "set.csv", *MESSY)
        run = measure("slgu", str(chinese), lang="zh", store=store, sentences=path, span=span)
        again = slgu_again.read_rows(path, {pair.male: pair.female for pair in ZH.gender_pairs})
        assert [row.line for row in again] == run.items["line"].to_list()
        for row, ours in zip(again, run.items.iter_rows(named=True), strict=True):
            assert bool(row.reason) == bool(ours["lost"]), (row, ours["lost"])
            if row.reason:
                assert ours["bias"] is None
                continue
            assert (ours["start"], ours["end"], ours["repaired"]) == (row.start, row.end, row.repaired)
            assert ours["flag"] == row.flag
            man, woman = slgu_again.log10_probabilities(chinese, row, span)
            assert (ours["log10_p_man"], ours["log10_p_woman"]) == pytest.approx((man, woman), abs=1e-5)

    def test_agrees_on_the_two_hundred_sentences_and_every_number_made_of_them(
        self, chinese: Path, store: Store
    ) -> None:
        run = measure("slgu", str(chinese), lang="zh", store=store)
        columns = ("pair", "pronoun", "written", "bias")
        rows: list[tuple[str, bool, str, float]] = list(run.items.select(columns).iter_rows())
        for sentences, some in (("all", rows), ("without pronouns", [row for row in rows if not row[1]])):
            told = slgu_again.scores(some)
            for name in ("bias_man", "bias_woman", "model_bias", "signed_mean", "evident_man", "evident_woman"):
                assert found(run, name, sentences=sentences).value == pytest.approx(told[name])
        told = slgu_again.scores(rows)
        share = found(run, "pair_share")
        assert (share.value, share.ci_low, share.ci_high) == pytest.approx(
            (told["pair_share"], told["pair_share_low"], told["pair_share_high"])
        )
        assert found(run, "context_bias").value == pytest.approx(told["context_bias"])
        excess, gap = found(run, "excess_over_prior"), found(run, "written_gap")
        assert excess.value == pytest.approx(told["excess_over_prior"])
        assert (gap.value, gap.p_value) == pytest.approx((told["written_gap"], told["written_gap_p"]))
        for pair in {row[0] for row in rows}:
            own = slgu_again.scores([row for row in rows if row[0] == pair])
            assert found(run, "prior", pair=pair).value == pytest.approx(own["signed_mean"])
            for name in ("bias_man", "bias_woman", "model_bias"):
                value = found(run, f"{name}_pair", pair=pair).value
                assert (math.nan if value is None else value) == pytest.approx(own[name], nan_ok=True)


class TestQuestions:
    def test_swapping_the_words_turns_the_sign_to_the_last_bit(
        self, chinese: Path, tmp_path: Path, store: Store
    ) -> None:
        """A pack with the words of every pair exchanged: what was male is female."""
        pack = tmp_path / "turned"
        pack.mkdir()
        (pack / "pack.toml").write_text(
            'lang = "zh"\nname = "Chinese"\nendonym = "中文"\nscripts = ["Han"]\ngrammatical_gender = []\n', "utf-8"
        )
        pairs = [f"{pair.female}\t{pair.male}" for pair in ZH.gender_pairs]
        (pack / "gender_pairs.tsv").write_text("\n".join(["# source: turned", "male\tfemale", *pairs]), "utf-8")
        sentences = ["# source: turned", "male\tfemale\twritten\tsentence"]
        for entry in ZH.neutral_sentences:
            assert entry.parts is not None
            before, male, female, behind = entry.parts
            other = {"male": "female", "female": "male"}[entry.written]
            sentences.append(f"{entry.female}\t{entry.male}\t{other}\t{before}{{{female}|{male}}}{behind}")
        (pack / "neutral_sentences.tsv").write_text("\n".join(sentences), "utf-8")
        first = measure("slgu", str(chinese), lang="zh", store=store)
        second = measure("slgu", str(chinese), pack=pack, store=store)
        assert second.items["sentence"].to_list() == first.items["sentence"].to_list()
        assert first.items["bias"].to_list() == [-bias for bias in second.items["bias"]]
        for one, other in (("bias_man", "bias_woman"), ("evident_man", "evident_woman")):
            value = found(first, one, sentences="all").value
            assert value == pytest.approx(found(second, other, sentences="all").value)

    def test_a_sentence_is_asked_once_for_both_words_of_one_length(
        self, chinese: Path, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from subjects.test_engine import asked_sequences

        seen = asked_sequences(monkeypatch)
        run = measure("slgu", str(chinese), lang="zh", store=store)
        items = TOOL.items(ZH, TOOL.options())
        assert (run.items["token_count_man"] == run.items["token_count_woman"]).all()
        assert len(seen) == len(set(seen)) == TOOL.questions(items) == 200

    def test_the_rule_for_words_of_several_tokens_is_the_users(self, chinese: Path, store: Store) -> None:
        run = measure("slgu", str(chinese), lang="zh", store=store, rule="left-to-right")
        items = TOOL.items(ZH, TOOL.options())
        for row, asked in list(zip(run.items.iter_rows(named=True), items.iter_rows(named=True), strict=True))[::29]:
            span = (asked["hidden_start"], asked["hidden_end"])
            words = (asked["hidden_man"], asked["hidden_woman"])
            told = obvious.fill(chinese, asked["sentence"], span, words, rule="left-to-right")
            assert [row["log10_p_man"] * math.log(10), row["log10_p_woman"] * math.log(10)] == pytest.approx(
                told, abs=1e-4
            )
        assert "left-to-right (each given those before it)" in run.result.notes[-2].text + run.result.notes[-3].text


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """A masked model that knows every word of a language's sentences, and a causal one that reads any text."""
    root = tmp_path_factory.mktemp("readers")

    def made(kind: str, lang: str) -> Path:
        if kind == "causal":
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(tiny_models, "LONGEST", 512)
                return tiny_models.gpt2(root)
        pack = load_pack(lang)
        pieces = []
        for row in own_sentences(pack):
            (start, end), man, woman = hidden_part(row, pack, "differing-characters")
            pieces += [
                row.sentence[:start],
                man,
                woman,
                row.sentence[end:],
                row.filled(row.male),
                row.filled(row.female),
            ]
        # Every Chinese character is a word of its own to BERT.
        return whole_words(root / lang, [re.sub(r"([\u4e00-\u9fff々])", r" \1 ", piece) for piece in pieces])

    return made


@pytest.mark.parametrize("kind", ["masked", "causal"])
@pytest.mark.parametrize("lang", shipped_languages())
def test_every_language_runs_out_of_the_box(
    lang: str, kind: str, readers: Callable[[str, str], Path], store: Store
) -> None:
    folder = readers(kind, lang)
    run = measure("slgu", str(folder), lang=lang, store=store)
    assert run.items.height == 200
    assert run.items["lost"].to_list() == [""] * 200
    assert run.items["bias"].null_count() == 0
    for name in ("bias_man", "bias_woman", "model_bias", "signed_mean", "evident_man", "evident_woman"):
        assert found(run, name, sentences="all").value is not None
    pronouns = lang not in ("de", "eu")
    assert ("without pronouns" in {row.group.get("sentences") for row in run.result.estimates}) == pronouns
    assert [table.title for table in run.result.tables] == [
        "SlguSet: sentences that lean farthest to men",
        "SlguSet: sentences that lean farthest to women",
        "SlguSet: topic words of the sentences that lean clearly",
    ]
    assert all(table.rows for table in run.result.tables)
    rows = list(run.items.iter_rows(named=True))
    pack = load_pack(lang)
    for place, own in list(enumerate(own_sentences(pack)))[::37]:
        (start, end), man, woman = hidden_part(own, pack, "differing-characters")
        if kind == "causal":
            shares, _ = obvious.fill_causal(folder, own.sentence, (start, end), (man, woman))
            told = [share for share in shares if share is not None]
        else:
            told = [
                share for share in obvious.fill(folder, own.sentence, (start, end), (man, woman)) if share is not None
            ]
        assert rows[place]["bias"] == pytest.approx((told[0] - told[1]) / math.log(10), abs=1e-3)


class TestEstimates:
    def test_a_side_without_sentences_leaves_its_mean_open_and_says_so(self) -> None:
        rows = [("a", False, "male", 0.5), ("a", False, "female", 1.0), ("b", False, "male", 0.2)]
        result = TOOL.estimate(table(rows), TOOL.options())
        assert found(result, "bias_man", sentences="all").value == pytest.approx(1.7 / 3)
        assert found(result, "bias_woman", sentences="all").value is None
        assert found(result, "model_bias", sentences="all").value is None
        assert [note.text for note in result.notes if note.kind == "void"] == [
            "No sentence leans female: what is a mean over them, and Model_bias, cannot be computed; read signed_mean."
        ]

    def test_a_model_that_is_even_has_no_bias(self) -> None:
        rows = [(pair, False, "male", 0.0) for pair in "abcdef" for _ in range(4)]
        result = TOOL.estimate(table(rows), TOOL.options())
        assert found(result, "signed_mean", sentences="all").value == 0
        assert found(result, "signed_mean", sentences="all").p_value == 1
        assert found(result, "evident_man", sentences="all").value == 0
        assert found(result, "context_bias").value == 0

    def test_a_bias_that_is_the_pairs_alone_does_not_exceed_the_prior(self) -> None:
        rows = [(str(n), False, "male", 1.0 - 2 * (n % 2)) for n in range(6) for _ in range(5)]
        result = TOOL.estimate(table(rows), TOOL.options())
        assert found(result, "pair_share").value == 1
        assert found(result, "excess_over_prior").value == pytest.approx(0)

    def test_a_bias_that_is_the_contexts_alone_exceeds_it(self) -> None:
        rng = np.random.default_rng(0)
        rows = [(str(n), False, "male", float(rng.normal())) for n in range(8) for _ in range(40)]
        result = TOOL.estimate(table(rows), TOOL.options())
        share, excess = found(result, "pair_share"), found(result, "excess_over_prior")
        assert share.value is not None
        assert share.value < 0.05
        assert excess.ci_low is not None
        assert excess.ci_low > 0.5
        assert excess.p_value is None, "noise carries sentences over as well"

    def test_the_tilt_is_judged_over_pairs_few_or_many(self) -> None:
        rng = np.random.default_rng(1)
        rows = worlds(rng)
        row = found(TOOL.estimate(table(rows), TOOL.options()), "signed_mean", sentences="all")
        sums = [sum(bias for pair, *_, bias in rows if pair == str(n)) for n in range(16)]
        flips = np.array(np.meshgrid(*[[-1, 1]] * 16)).reshape(16, -1).T @ np.array(sums)
        assert row.p_value == pytest.approx(np.mean(np.abs(flips) >= abs(sum(sums)) - 1e-9))
        assert "over 16 pairs" in (row.ci_method or "")
        # Four pairs of twelve: t of their means, which have one size.
        few = found(TOOL.estimate(table(rows[:48]), TOOL.options()), "signed_mean", sentences="all")
        told = stats.ttest_1samp(np.array(sums[:4]) / 12, 0)
        assert few.p_value == pytest.approx(told.pvalue)
        limits = told.confidence_interval(0.95)
        assert (few.ci_low, few.ci_high) == pytest.approx((limits.low, limits.high))
        alone = TOOL.estimate(table(rows[:12]), TOOL.options())
        one = found(alone, "signed_mean", sentences="all")
        assert one.p_value == pytest.approx(stats.ttest_1samp([bias for *_, bias in rows[:12]], 0).pvalue)
        assert "over 12 sentences of one pair" in (one.ci_method or "")
        assert [note.caution for note in alone.notes if note.caution] == ["one pair of words"]

    def test_results_without_pronouns_without_leaks_and_with_what_the_user_names(self) -> None:
        rows = [("他/她", True, "male", 2.0)] * 4 + [("b", False, "female", -1.0)] * 4 + [("b", False, "male", 0.6)] * 2
        items = table(rows, chosen=[False] * 8 + [True] * 2).with_columns(
            flag=pl.when(pl.int_range(10) == 5).then(pl.lit("both words")).otherwise(pl.lit(""))
        )
        result = TOOL.estimate(items, TOOL.make_options({"contains": "童"}))
        assert found(result, "signed_mean", sentences="without pronouns").value == pytest.approx((-4 + 1.2) / 6)
        assert found(result, "evident_woman", sentences="gender not given away").value == 3
        assert found(result, "bias_man", sentences="with 童").value == pytest.approx(0.6)
        assert found(result, "bias_man", sentences="with 童").n == 2

    def test_a_clear_bias_is_what_the_user_says(self) -> None:
        rows = [("a", False, "male", bias) for bias in (0.2, 0.4, -0.4, -0.6)]
        result = TOOL.estimate(table(rows), TOOL.make_options({"threshold": 0.5}))
        assert found(result, "evident_man", sentences="all").value == 0
        assert found(result, "evident_woman", sentences="all").value == 1
        with pytest.raises(TiltmeterError, match="--threshold is a number above 0"):
            TOOL.make_options({"threshold": -1.0})

    def test_an_even_model_leans_to_neither_side(self) -> None:
        result = TOOL.estimate(table([(pair, False, "male", 0.0) for pair in "ab" for _ in range(3)]), TOOL.options())
        told = [note.text for note in result.notes if note.kind in ("reading", "void")]
        assert told[0].startswith("neutral sentences lean to neither side: mean Bias_c = 0.0000")
        assert told[1].startswith("No sentence leans male or female")

    def test_values_that_are_mostly_equal_have_an_interval_with_ends(self) -> None:
        rows = [("a", False, "male", 0.5)] * 11 + [("b", False, "male", 0.7), ("b", False, "male", -0.2)]
        row = found(TOOL.estimate(table(rows), TOOL.options()), "bias_man", sentences="all")
        assert row.ci_low is not None
        told = stats.t.interval(0.95, 11, np.mean([0.5] * 11 + [0.7]), stats.sem([0.5] * 11 + [0.7]))
        assert (row.ci_low, row.ci_high) == pytest.approx(told)
        assert (row.ci_method or "").startswith("cluster-t")

    def test_very_many_sentences_are_counted_right(self) -> None:
        n = 70_000
        many = pl.DataFrame({"pair": ["a"] * 2 * n, "written": ["male", "female"] * n, "bias": [1.0, 0.0] * n})
        few = pl.DataFrame(
            {"pair": ["b"] * 200, "written": ["male", "female"] * 100, "bias": [0.0, 0.1, 0.1, 0.0] * 50}
        )
        value = written_gap(pl.concat([many, few]), 0).value
        assert value == pytest.approx(35_000 / 35_050)

    def test_what_was_lost_is_counted_where_it_was_lost(self) -> None:
        items = table([("a", False, "male", 0.5)] * 3 + [("b", False, "male", -0.5)] * 4).with_columns(
            bias=pl.when(pl.int_range(7) > 4).then(None).otherwise(pl.col("bias"))
        )
        result = TOOL.estimate(items, TOOL.options())
        assert [found(result, "prior", pair=pair).lost for pair in "ab"] == [0, 2]
        assert found(result, "signed_mean", sentences="all").lost == 2

    def test_nothing_is_left(self) -> None:
        with pytest.raises(TiltmeterError, match="no sentence is left"):
            TOOL.estimate(
                table([("a", False, "male", 1.0)]).with_columns(bias=pl.lit(None, pl.Float64)), TOOL.options()
            )

    def test_how_often_a_true_null_is_rejected(self) -> None:
        """A thousand worlds without tilt and without anything in the gender that a sentence was written for."""
        rng = np.random.default_rng(7)
        n = 1_000
        rejected = {"signed_mean": 0, "few pairs": 0, "written_gap": 0}
        for _ in range(n):
            items = table(worlds(rng, pairs=12, size=8))
            rejected["signed_mean"] += over_pairs(items, seed=0).p_value < 0.05
            rejected["few pairs"] += over_pairs(table(worlds(rng, pairs=4, size=8)), seed=0).p_value < 0.05
            rejected["written_gap"] += (written_gap(items, 0).p_value or 0) < 0.05
        for name, count in rejected.items():
            limits = stats.binomtest(count, n).proportion_ci(0.99, method="exact")
            assert limits.low <= 0.05 <= limits.high, (name, count / n)


class TestTables:
    def test_the_sentences_that_lean_farthest_come_first(self, chinese: Path, store: Store) -> None:
        run = measure("slgu", str(chinese), lang="zh", store=store, contains="孩")
        tables = {entry.title: entry for entry in run.result.tables}
        items = run.items.sort("bias")
        men = tables["SlguSet: sentences that lean farthest to men"]
        assert [row[0] for row in men.rows] == items["context"].to_list()[:-11:-1]
        assert [row[3] for row in men.rows] == items["bias"].to_list()[:-11:-1]
        women = tables["SlguSet: sentences with 孩 that lean farthest to women"]
        some = items.filter(pl.col("context").str.contains("孩") & (pl.col("bias") < 0))
        assert [row[0] for row in women.rows] == some["context"].to_list()[:10]
        named = run.items.filter(pl.col("context").str.contains("孩"))
        assert women.caption.startswith(f"{some.height} of {named.height} sentences with 孩 lean to women")

    def test_a_case_study_finds_a_word_whichever_gender_it_was_written_for(
        self, chinese: Path, tmp_path: Path, store: Store
    ) -> None:
        path = in_file(
            tmp_path / "set.csv",
            ("一名女童走丢了。", "[2, 3]", "女", "男"),
            ("一名男童走丢过。", "[2, 3]", "男", "女"),
            ("一名男生走丢了。", "[2, 3]", "男", "女"),
        )
        run = measure("slgu", str(chinese), lang="zh", store=store, sentences=path, contains="男童")
        assert run.items["chosen"].to_list() == [True, True, False]

    def test_topic_words_are_of_the_clear_sentences_without_their_keyword(self) -> None:
        assert TOOL.tables is not None
        sentences = [("女记者在学校采访。", 0.9), ("男记者在学校跑步。", -0.9), ("女老师在医院做饭。", 0.1)]
        rows = [("男/女", False, "male", bias) for _, bias in sentences]
        items = table(rows).with_columns(sentence=pl.Series([text for text, _ in sentences]))
        topics = TOOL.tables(items, ZH, TOOL.options())[-1]
        words = {str(cell).partition(" ")[0] for row in topics.rows for cell in row}
        assert {"记者", "学校", "采访", "跑步"} <= words
        assert not words & {"老师", "医院", "女记者", "男记者"}
        assert "1 sentences to women and 1 to men" in topics.caption


class TestTheCommand:
    def test_one_model_in_json_and_its_items(self, chinese: Path, tmp_path: Path, told: Command) -> None:
        done = told("measure", "slgu", chinese, "--lang", "zh", "--json", "--items", tmp_path / "items.parquet")
        assert done.returncode == 0
        result = json.loads(done.stdout)
        assert result["instrument"] == "slgu"
        names = {row["name"] for row in result["estimates"]}
        assert {"bias_man", "bias_woman", "model_bias", "signed_mean"} <= names
        columns = pl.read_parquet(tmp_path / "items.parquet").columns
        wanted = {"sentence", "start", "end", "keyword", "opposite", "log10_p_man", "log10_p_woman", "bias", "repaired"}
        assert wanted <= set(columns)

    def test_several_models_print_and_store_their_differences(
        self, chinese: Path, tmp_path: Path, told: Command
    ) -> None:
        texts = [row.filled(word) for row in own_sentences(ZH) for word in (row.male, row.female)]
        other = characters(tmp_path / "other", [*texts, "龘"])
        done = told("measure", "slgu", chinese, other.rename(tmp_path / "another"), "--lang", "zh", "--json")
        beside = json.loads(done.stdout)["across"]
        assert {row["name"] for row in beside["differences"]} >= {"model_bias_difference"}
        shown = told("measure", "slgu", chinese, tmp_path / "another", "--lang", "zh").stdout
        assert "SlguSet: which differences between models are significant" in shown

    def test_what_was_done_to_a_file_is_told(self, chinese: Path, tmp_path: Path, told: Command) -> None:
        path = in_file(tmp_path / "set.csv", *MESSY)
        done = told("measure", "slgu", chinese, "--lang", "zh", "--sentences", path, "--json")
        notes = {note["kind"]: note for note in json.loads(done.stdout)["notes"]}
        assert notes["set"]["text"] == "Chinese sentences of a file, 13 rows, read as utf-8; 10 can be asked."
        assert notes["repaired"]["text"].startswith("In 3 of 13 rows (23.1%) the position did not give the keyword")
        assert [row.partition(":")[0] for row in notes["repaired"]["details"]["rows"]] == ["3", "8", "14"]
        assert notes["gender-given-away"]["text"].startswith(
            "5 sentences hold the keyword once more (2) or its opposite as well (3)"
        )
        reasons = notes["left-out"]["details"]["reasons"]
        assert list(reasons.values()) == [1, 1, 1]
        assert len(notes["left-out"]["details"]["rows"]) == 3

    @pytest.mark.parametrize(
        ("content", "said"),
        [
            (
                "句子,原始关键词,对立关键词\n男孩来了。,男孩,女孩\n",
                "the column '关键词位置' (or 'position') is missing",
            ),
            (f"{HEADER}\n", "set.csv holds no sentence"),
            (
                f"{HEADER}\n来了。,[0],男孩,女孩\n",
                "none of its 1 rows can be measured; row 2: '男孩' does not stand in",
            ),
            (f'{HEADER}\n国王来了。,"[0, 2]",国王,王后\n', "which of '国王' and '王后' is male is not known"),
        ],
    )
    def test_bad_input_is_one_sentence_and_exit_code_2(
        self, chinese: Path, tmp_path: Path, told: Command, content: str, said: str
    ) -> None:
        (tmp_path / "set.csv").write_text(content, "utf-8")
        done = told("measure", "slgu", chinese, "--lang", "zh", "--sentences", tmp_path / "set.csv")
        assert done.returncode == 2
        assert said in done.stderr
        assert done.stdout == ""
        assert len(done.stderr.strip().splitlines()) == 1

    def test_a_pack_without_sentences_asks_for_a_set(self, chinese: Path, tmp_path: Path, told: Command) -> None:
        pack = tmp_path / "mine"
        pack.mkdir()
        (pack / "pack.toml").write_text(
            'lang = "zh"\nname = "Chinese"\nendonym = "中文"\nscripts = ["Han"]\ngrammatical_gender = []\n', "utf-8"
        )
        (pack / "gender_pairs.tsv").write_text("# source: mine\nmale\tfemale\n他\t她\n", "utf-8")
        done = told("measure", "slgu", chinese, "--pack", pack)
        assert done.returncode == 2
        assert "has no neutral sentences: give a set with --sentences" in done.stderr
        path = in_file(tmp_path / "set.csv", *[(f"他{n}天来了。", "[0, 1]", "他", "她") for n in "一二三"])
        assert told("measure", "slgu", chinese, "--pack", pack, "--sentences", path).returncode == 0
