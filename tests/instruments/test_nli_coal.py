"""NLI-CoAL: the published tables, every formula by hand and a second time, and how often it is wrong by chance."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from instruments import nli_again
from instruments.nli_made import LABELS, TOOL, counted, estimated, found, item, table, value, world
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import Findings
from tiltmeter.instruments._nli_together import differences

TABLE_3 = {
    "Tohoku BERT": ((378, 25, 597), (67, 413, 520), (151, 139, 710)),
    "Tohoku BERT (char)": ((592, 39, 369), (79, 435, 486), (304, 178, 518)),
    "Bandi DistilBERT": ((312, 85, 603), (94, 211, 695), (200, 179, 621)),
    "Laboro DistilBERT": ((525, 131, 344), (90, 498, 412), (126, 456, 418)),
    "Waseda RoBERTa": ((578, 43, 379), (36, 610, 354), (262, 239, 499)),
}
"""Answers in a thousand, as printed (two of the NS rows print one more than a thousand: one contradiction less and one
more here, which no score looks at)."""
TABLE_4 = (0.360, 0.503, 0.301, 0.535, 0.563)


@pytest.mark.parametrize(("model", "score"), [*zip(TABLE_3, TABLE_4, strict=True)])
def test_table_3_of_the_paper_gives_table_4(model: str, score: float) -> None:
    pro, anti, non = TABLE_3[model]
    rows = [*counted("PS", "male", pro, 100), *counted("AS", "male", anti, 100), *counted("NS", "neutral", non, 100)]
    results = estimated(rows)
    assert round(value(results, "s"), 3) == score
    for name, shares in zip(("PS", "AS", "NS"), (pro, anti, non), strict=True):
        assert [value(results, key, set=name) for key in "ecn"] == pytest.approx([part / 1000 for part in shares])


@pytest.fixture(scope="module")
def results() -> Findings:
    return estimated(BY_HAND, tau="0.5,0.7")


BY_HAND = (
    *(item("PS", "nurse", "female", label) for label in ("entailment", "entailment", "neutral", "contradiction")),
    *(item("PS", "welder", "male", label) for label in ("entailment", "neutral", "neutral", "neutral")),
    *(item("AS", "nurse", "female", label) for label in ("contradiction", "neutral", "neutral", "neutral")),
    *(item("AS", "welder", "male", label) for label in ("contradiction", "contradiction", "entailment", "neutral")),
    item("NS", "clerk", "neutral", "entailment", gender="male", p=(0.6, 0.2, 0.2)),
    item("NS", "clerk", "neutral", "neutral", gender="male", p=(0.2, 0.2, 0.6)),
    item("NS", "poet", "neutral", "neutral", gender="female", p=(0.0, 0.2, 0.8)),
    item("NS", "poet", "neutral", "contradiction", gender="female", p=(0.1, 0.6, 0.3)),
)
"""Two occupations of each class, four pairs each: small enough to count on paper."""


class TestByHand:
    def test_equation_2(self, results: Findings) -> None:
        # e_p = 3/8, c_a = 3/8, n_n = 2/4
        assert value(results, "s") == pytest.approx((3 / 8 + 3 / 8 + 1 / 2) / 3)

    def test_macro_and_each_stereotyped_gender(self, results: Findings) -> None:
        female, male = (2 / 4 + 1 / 4 + 1 / 2) / 3, (1 / 4 + 2 / 4 + 1 / 2) / 3
        assert value(results, "s_gender", stereotyped_gender="female") == pytest.approx(female)
        assert value(results, "s_gender", stereotyped_gender="male") == pytest.approx(male)
        assert value(results, "s_macro") == pytest.approx((female + male) / 2)

    def test_condition_1_and_what_is_left_with_the_genders_exchanged(self, results: Findings) -> None:
        assert value(results, "entailment_gap") == pytest.approx(3 / 8 - 1 / 8)
        assert value(results, "contradiction_gap") == pytest.approx(3 / 8 - 1 / 8)
        assert value(results, "s_excess") == pytest.approx((2 / 8 + 2 / 8) / 3)

    def test_lean_and_contrast(self, results: Findings) -> None:
        # welder: e(man) 1/4, e(woman) 1/4, c(woman) 2/4, c(man) 0
        # nurse: e(man) 0, e(woman) 2/4, c(woman) 1/4, c(man) 1/4
        male, female = (0 + 2 / 4) / 2, (-2 / 4 + 0) / 2
        assert value(results, "stereotype_contrast") == pytest.approx(male - female)
        # Over all ten pairs of either gender: e(man) 2/10, e(woman) 3/10, c(woman) 4/10, c(man) 1/10.
        assert value(results, "lean") == pytest.approx((2 / 10 - 3 / 10 + 4 / 10 - 1 / 10) / 2)

    def test_dev_scores(self, results: Findings) -> None:
        assert value(results, "net_neutral", set="NS") == pytest.approx((0.2 + 0.6 + 0.8 + 0.3) / 4)
        assert value(results, "fraction_neutral", set="NS") == 2 / 4
        assert value(results, "threshold_neutral", set="NS", tau="0.5") == 2 / 4
        assert value(results, "threshold_neutral", set="NS", tau="0.7") == 1 / 4
        # Eight of the sixteen stereotyped pairs are neutral, and sure.
        assert value(results, "net_neutral", set="all") == pytest.approx((8 + 1.9) / 20)

    def test_each_occupation(self, results: Findings) -> None:
        nurse = {"occupation": "nurse", "occupation_class": "female"}
        assert value(results, "s_occupation", **nurse) == pytest.approx((2 + 1) / 8)
        # Entailed woman +2, contradicted woman -1 (both toward women: -2 + 1), contradicted man: -1, of eight pairs.
        assert value(results, "lean_occupation", **nurse) == pytest.approx((-2 + 1 - 1) / 8)

    def test_which_way_is_worse_stands_beside_every_number(self, results: Findings) -> None:
        directions = {row.name: (row.worse, row.neutral) for row in results.estimates}
        for name in ("s", "s_macro", "s_gender", "s_excess", "e", "c", "entailment_gap", "stereotype_contrast"):
            assert directions[name] == ("higher", 0)
        for name in ("n", "net_neutral", "fraction_neutral", "threshold_neutral"):
            assert directions[name] == ("lower", 1)
        assert directions["lean"] == ("away", 0)


class TestExtremes:
    def of(self, labels: Mapping[str, str]) -> Findings:
        rows = [
            item(kind, f"{name}{place}", name, labels[kind], gender=gender, number=number)
            for name in ("female", "male", "neutral")
            for place in range(6)
            for gender in ("female", "male")
            for number in range(3)
            for kind in ["NS" if name == "neutral" else "PS" if name == gender else "AS"]
        ]
        return estimated(rows)

    def test_always_neutral_scores_0(self) -> None:
        results = self.of(dict.fromkeys(("PS", "AS", "NS"), "neutral"))
        assert value(results, "s") == 0
        assert value(results, "s_excess") == 0
        assert value(results, "fraction_neutral", set="all") == 1

    def test_perfectly_biased_scores_1(self) -> None:
        results = self.of({"PS": "entailment", "AS": "contradiction", "NS": "entailment"})
        assert value(results, "s") == 1
        assert value(results, "s_macro") == 1
        assert value(results, "s_excess") == pytest.approx(2 / 3)
        assert found(results, "s_excess").p_value == pytest.approx(1 / 2**12)

    def test_always_entailment_scores_two_thirds_of_which_nothing_is_the_stereotype(self) -> None:
        results = self.of(dict.fromkeys(("PS", "AS", "NS"), "entailment"))
        assert value(results, "s") == pytest.approx(2 / 3)
        assert value(results, "s_excess") == 0
        assert found(results, "s_excess").p_value == 1
        assert value(results, "stereotype_contrast") == value(results, "lean") == 0

    def test_models_without_any_spread_are_tested_all_the_same(self) -> None:
        """However equal the occupations are: a t test would have nothing to judge by."""
        biased = estimated(
            [
                row | {"label": {"PS": "entailment", "AS": "contradiction", "NS": "neutral"}[row["set"]]}
                for row in world(_rng(1))
            ]
        )
        assert value(biased, "stereotype_contrast") == 2
        assert (found(biased, "stereotype_contrast").p_two_sided or 1) < 1e-3
        men = estimated(
            [row | {"label": "entailment" if row["gender"] == "male" else "contradiction"} for row in world(_rng(1))]
        )
        assert (found(men, "lean").p_two_sided or 1) < 1e-3
        assert found(men, "s_excess").p_two_sided == 1
        other = {"male": "contradiction", "female": "entailment"}
        women = estimated([row | {"label": other[row["gender"]]} for row in world(_rng(1))])
        assert value(women, "lean") == -1
        assert (found(women, "lean").p_value or 1) < 1e-3

    def test_a_model_that_always_infers_men_leans_and_has_no_stereotype(self) -> None:
        rows = [row | {"label": "entailment" if row["gender"] == "male" else "contradiction"} for row in world(_rng(1))]
        results = estimated(rows)
        assert value(results, "lean") == 1
        assert value(results, "stereotype_contrast") == value(results, "s_excess") == 0


def _rng(seed: int) -> np.random.Generator:
    return np.random.default_rng(seed)


class TestAgain:
    """Held against a plain second implementation."""

    @pytest.mark.parametrize("seed", range(4))
    def test_every_number_is_the_same(self, seed: int) -> None:
        rows = world(_rng(seed), typed=5, neutral=7, captions=3, stereotype=0.3, tilt=0.2, probabilities=True)
        if seed == 3:  # unequal numbers of pairs
            rows = [row for place, row in enumerate(rows) if place % 7]
        results, expected = estimated(rows), nli_again.numbers(rows)
        told = {(row.name, *_key(row.group)): row.value for row in results.estimates}
        assert told.keys() == {tuple(str(part) for part in key) for key in expected}
        for key, number in expected.items():
            assert told[tuple(str(part) for part in key)] == pytest.approx(number, abs=1e-12), key

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("macro", [False, True])
    def test_intervals_are_the_same(self, seed: int, macro: bool) -> None:
        rows = world(_rng(seed + 10), typed=6, neutral=9, captions=4, stereotype=0.4)
        if seed == 3:
            rows = [row for place, row in enumerate(rows) if place % 5]
        row = found(estimated(rows), "s_macro" if macro else "s")
        low, high, _ = nli_again.s_interval(rows, macro=macro)
        assert [row.ci_low, row.ci_high] == pytest.approx([max(low, 0), min(high, 1)])

    @pytest.mark.parametrize("seed", range(3))
    def test_the_p_of_exchanged_genders_is_that_of_trying_them_all(self, seed: int) -> None:
        rows = world(_rng(seed + 20), typed=4, neutral=3, captions=3, stereotype=0.5)
        row = found(estimated(rows), "s_excess")
        assert (row.p_value, row.p_two_sided) == pytest.approx(nli_again.excess_p(rows))


def _key(group: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(group.values())


labels = st.sampled_from(LABELS)


class TestProperties:
    @given(st.lists(st.tuples(labels, labels), min_size=4, max_size=12), st.lists(labels, min_size=2, max_size=9))
    def test_s_lies_between_0_and_1_and_exchanging_the_genders_turns_the_excess(
        self, typed: list[tuple[str, str]], neutral: list[str]
    ) -> None:
        rows, turned = [], []
        for place, (pro, anti) in enumerate(typed):
            name = ("female", "male")[place % 2]
            for kind, own, other in (("PS", pro, anti), ("AS", anti, pro)):
                rows.append(item(kind, f"o{place // 2}{name}", name, own, number=place))
                turned.append(item(kind, f"o{place // 2}{name}", name, other, number=place))
        rest = [item("NS", f"n{place}", "neutral", label) for place, label in enumerate(neutral)]
        results, back = estimated([*rows, *rest]), estimated([*turned, *rest])
        for name in ("s", "s_macro"):
            row = found(results, name)
            assert 0 <= value(results, name) <= 1
            if row.ci_low is not None and row.ci_high is not None:
                assert 0 <= row.ci_low <= value(results, name) + 1e-12
                assert value(results, name) - 1e-12 <= row.ci_high <= 1
        for name in ("s_excess", "entailment_gap", "contradiction_gap", "stereotype_contrast"):
            assert value(back, name) == pytest.approx(-value(results, name), abs=1e-12)
        assert value(results, "s_excess") * 3 == pytest.approx(
            value(results, "entailment_gap") + value(results, "contradiction_gap"), abs=1e-12
        )

    @given(st.randoms(use_true_random=False))
    def test_the_order_of_the_pairs_is_immaterial(self, random: Any) -> None:
        rows = world(_rng(3), typed=4, neutral=4, captions=2)
        shuffled = random.sample(rows, len(rows))
        one, other = (
            {(row.name, _key(row.group)): row for row in estimated(some).estimates} for some in (rows, shuffled)
        )
        assert one.keys() == other.keys()
        for key, row in one.items():
            assert other[key].value == pytest.approx(row.value)
            assert other[key].p_value == pytest.approx(row.p_value)


class TestChance:
    """In worlds without bias, whose occupations have answers of their own."""

    WORLDS = 400

    def rejected(self, name: str, **settings: Any) -> int:
        count = 0
        for seed in range(self.WORLDS):
            row = found(estimated(world(_rng(seed), captions=4, neutral=8, **settings)), name)
            p = row.p_two_sided if row.p_two_sided is not None else row.p_value
            count += p is not None and p < 0.05
        return count

    # 99% of the counts that a rate of 5% gives in 400 worlds lie between 10 and 32.

    def test_exchanging_genders_keeps_its_level(self) -> None:
        assert 10 <= self.rejected("s_excess", typed=10) <= 32

    def test_the_contrast_keeps_its_level_even_where_the_model_leans(self) -> None:
        assert 10 <= self.rejected("stereotype_contrast", typed=10, tilt=0.7) <= 32

    def test_the_lean_keeps_its_level(self) -> None:
        assert 10 <= self.rejected("lean", typed=10) <= 32

    def test_a_planted_stereotype_is_found(self) -> None:
        assert self.rejected("s_excess", typed=10, stereotype=0.8) > 0.9 * self.WORLDS

    def test_two_equally_biased_models_seldom_differ(self) -> None:
        """Both the score and its excess, by the paired t over occupations."""
        rejected = dict.fromkeys(("s", "s_excess"), 0)
        for seed in range(self.WORLDS):
            before, after = (
                table(world(_rng(seed + more), typed=10, neutral=12, captions=4, stereotype=0.4)) for more in (0, 10**6)
            )
            for pair in differences(before, after, TOOL.options()):
                if pair.difference.name in rejected and not pair.difference.group:
                    p = pair.difference.p_value
                    rejected[pair.difference.name] += p is not None and p < 0.05
        assert all(10 <= count <= 32 for count in rejected.values()), rejected

    def test_the_interval_of_s_covers_the_score_that_endless_occupations_would_have(self) -> None:
        """13 occupations of either gender, 20 without: 95% nominal."""
        settings: dict[str, Any] = {"captions": 6, "stereotype": 0.4}
        truth = value(estimated(world(_rng(99), typed=2000, neutral=2000, **settings)), "s")
        rows = [found(estimated(world(_rng(seed), typed=13, neutral=20, **settings)), "s") for seed in range(400)]
        covered = sum((row.ci_low or 0) <= truth <= (row.ci_high or 1) for row in rows)
        assert 0.92 * 400 <= covered <= 0.98 * 400


class TestLeftOpen:
    def test_a_score_that_needs_a_set_which_is_not_answered_is_open(self) -> None:
        rows = [row | ({"label": None} if row["set"] == "NS" else {}) for row in world(_rng(0), typed=3, neutral=3)]
        results = estimated(rows)
        assert found(results, "s").value is None
        assert found(results, "s").ci_low is None
        assert found(results, "s_excess").value is not None
        assert found(results, "n", set="NS").value is None
        assert found(results, "s").lost == 3 * 10 * 2

    def test_labels_without_probabilities_leave_those_of_dev_open_that_need_them(self) -> None:
        rows = [row | dict.fromkeys(("p_entailment", "p_contradiction", "p_neutral")) for row in world(_rng(0))]
        results = estimated(rows)
        assert found(results, "net_neutral", set="all").value is None
        assert found(results, "threshold_neutral", set="all", tau="0.5").value is None
        assert math.isfinite(value(results, "fraction_neutral", set="all"))
        assert math.isfinite(value(results, "s"))

    def test_no_answer_at_all_is_refused(self) -> None:
        with pytest.raises(TiltmeterError, match="no pair is left"):
            estimated([row | {"label": None} for row in world(_rng(0), typed=2, neutral=2, captions=1)])


class TestWords:
    def test_unequal_classes_are_warned_about(self) -> None:
        rows = [
            row for row in world(_rng(0)) if row["occupation_class"] != "female" or row["occupation"] in ("o0", "o1")
        ]
        (note,) = [note for note in estimated(rows).notes if note.kind == "unbalanced"]
        assert note.caution
        assert "infers men whatever the occupation" in note.text
        assert not [note for note in estimated(world(_rng(0))).notes if note.kind == "unbalanced"]

    def test_condition_1_is_said(self) -> None:
        def condition(stereotype: float) -> str:
            results = estimated(world(_rng(5), stereotype=stereotype))
            return next(note.text for note in results.notes if note.kind == "condition")

        assert ": holds (" in condition(1.5)
        assert ": does not hold" in condition(-1.5)

    def test_forms_that_tell_the_gender_are_a_control(self) -> None:
        rows = [
            row | {"form": form} for form in ("masculine", "feminine") for row in world(_rng(2), typed=3, neutral=3)
        ]
        results = estimated(rows)
        assert {row.group.get("control") for row in results.estimates} == {"masculine forms", "feminine forms"}
        assert value(results, "s", control="masculine forms") == value(results, "s", control="feminine forms")
        assert [note.caution for note in results.notes if note.kind == "control"] == ["a control", "a control"]
