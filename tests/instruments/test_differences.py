"""What changed between two models: checked by brute force, by other libraries, and in worlds where nothing did."""

import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from instruments.nli_made import table, world
from support import made_of
from tiltmeter.instruments import Paired, all_instruments, load_instrument
from tiltmeter.instruments import _association as association
from tiltmeter.instruments._association import Similarities, effect_size
from tiltmeter.instruments._differences import (
    contrast_change,
    correlation_parts,
    mean_change,
    topic_change,
)
from tiltmeter.packs import load_pack
from tiltmeter.results import Estimate
from tiltmeter.runs import measure
from tiltmeter.statistics import flip_signs
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject

Both = tuple[pl.DataFrame, pl.DataFrame]
WORDS = ("weat", "rnd", "ripa", "ect", "mac", "rnsb")
RUSSIAN = ("weat", "grammar-weat", "bad", "mweat", "rnsb")
FRAMES = """neutral = "thing"
templates = ["{target} is a {attribute}.", "{target} likes the {attribute}."]
[targets]
female = ["she", "woman"]
male = ["he", "man"]
[attributes]
art = ["poem", "song", "dance"]
work = ["engine", "bridge", "stone", "road"]
"""
PROFESSIONS = """masculine,class,share
nurse,female,88.9
secretary,female,93.2
librarian,female,80.1
hairdresser,female,91.0
teacher,balanced,60.5
artist,balanced,50.5
engineer,male,12.5
mechanic,male,2.0
driver,male,6.0
"""


@pytest.fixture(scope="module")
def sides(tmp_path_factory: pytest.TempPathFactory, real_downloads: dict[str, Path]) -> Callable[[str], Both]:
    """The items of two models for any instrument: real vectors with noise on them, tiny language models."""
    folder = tmp_path_factory.mktemp("sides")
    made: dict[str, Both] = {}

    def items(name: str) -> Both:
        if name not in made:
            maker = {"fill": _language_models, "entail": _classifiers}.get(load_instrument(name).capability, _vectors)
            made[name] = maker(name, folder, real_downloads)
        return made[name]

    return items


def _vectors(name: str, folder: Path, downloads: dict[str, Path]) -> Both:
    from support import stock

    lang, package = ("ru", "navec-news") if name in RUSSIAN else ("en", "glove-6b-50d")
    tool, pack = load_instrument(name), load_pack(lang)
    items = tool.items(pack, tool.options())
    known = {"target", "attribute", "word", "masculine", "feminine"} & set(items.columns)
    texts = {text for column in known for text in items[column]}
    texts |= {text for pair in (*pack.semantic_gender, *pack.names) for text in (pair.male, pair.female)}
    store = Store(folder / name)
    subject: Any = open_subject(f"pkg:{package}", stock(store, downloads, package))
    from tiltmeter.packs import Word

    found = subject.vectors([Word(text) for text in sorted(texts)], match="auto", adjectives="citation")
    rng = np.random.default_rng(3)
    answered = []
    for side in range(2):
        noise = 0.4 / math.sqrt(len(next(iter(found.vectors.values()))))
        table = {word: row + noise * rng.standard_normal(row.size) for word, row in sorted(found.vectors.items())}
        answered.append(tool.answer(items, made_of(table, folder / f"{name}{side}"), pack, tool.options())[0])
    return answered[0], answered[1]


def _language_models(name: str, folder: Path, downloads: dict[str, Path]) -> Both:
    from subjects.whole_words import whole_words

    lang = "es" if name == "form-preference" else "en"
    given: dict[str, Any] = {}
    if name == "kurita":
        (folder / "frames.toml").write_text(FRAMES)
        given["words"] = folder / "frames.toml"
    if name == "becpro":
        (folder / "own.csv").write_text(PROFESSIONS)
        given["profession_list"] = folder / "own.csv"
    tool = load_instrument(name)
    texts = tool.items(load_pack(lang), tool.make_options(given))["sentence"].to_list()
    more = [word for column in ("feminine", "masculine") for word in _column(tool, lang, given, column)]
    runs = []
    for side, learn in enumerate(((), texts[:: 1 + len(texts) // 60])):
        model = whole_words(folder / f"{name}{side}", [*texts, *more, "thing"], learn=learn, steps=3 if learn else 0)
        runs.append(measure(name, str(model), lang=lang, store=Store(folder / "cache"), **given))
    return runs[0].items, runs[1].items


def _classifiers(name: str, folder: Path, downloads: dict[str, Path]) -> Both:
    """Two models that answer all three labels: the answers of worlds, as predictions."""
    rows = [world(np.random.default_rng(seed), typed=4, neutral=5, captions=3, probabilities=True) for seed in (1, 2)]
    first, second = (table(own) for own in rows)
    return first, second


def _column(tool: Any, lang: str, given: dict[str, Any], column: str) -> list[str]:
    items = tool.items(load_pack(lang), tool.make_options(given))
    return items[column].to_list() if column in items.columns else []


def changed(name: str, before: pl.DataFrame, after: pl.DataFrame, **options: Any) -> list[Paired]:
    tool = load_instrument(name)
    assert tool.differences is not None
    return tool.differences(before, after, tool.options(**options))


def by_name(rows: Iterable[Paired]) -> dict[tuple[str, ...], Estimate]:
    return {(row.difference.test, row.difference.name, *row.difference.group.values()): row.difference for row in rows}


ALL = [tool.name for tool in all_instruments()]


@pytest.mark.parametrize("name", ALL)
class TestEveryInstrument:
    def test_a_model_has_not_changed_from_itself(self, sides: Callable[[str], Both], name: str) -> None:
        items = sides(name)[0]
        rows = changed(name, items, items)
        tested = [row.difference for row in rows if row.difference.p_value is not None]
        assert {row.difference.value for row in rows if row.before.value is not None} == {0.0}
        assert {row.p_value for row in tested} <= {1.0}
        assert {(row.ci_low, row.ci_high) for row in tested} <= {(0.0, 0.0)}

    def test_the_other_way_round_the_change_is_the_opposite(self, sides: Callable[[str], Both], name: str) -> None:
        before, after = sides(name)
        there, back = changed(name, before, after), changed(name, after, before)
        assert any(row.difference.value for row in there)
        for one, other in zip(there, back, strict=True):
            if one.difference.value is None:
                assert other.difference.value is None
                continue
            assert other.difference.value is not None
            assert one.difference.value == -other.difference.value
            assert one.difference.p_value == other.difference.p_value
            if one.difference.ci_low is not None:
                mirrored = [-(other.difference.ci_high or 0), -(other.difference.ci_low or 0)]
                assert [one.difference.ci_low, one.difference.ci_high] == pytest.approx(mirrored, rel=0.1, abs=1e-9)

    def test_every_estimate_of_a_run_is_there_as_the_run_says_it(self, sides: Callable[[str], Both], name: str) -> None:
        """Where both models could answer everything, nothing but the p-values of the run is missing."""
        before, after = sides(name)
        tool = load_instrument(name)
        rows = changed(name, before, after)
        for part, items in (("before", before), ("after", after)):
            expected = [
                (row.test, row.name, dict(row.group), row.value)
                for row in tool.estimate(items, tool.options()).estimates
            ]
            found = [getattr(row, part) for row in rows]
            assert [(row.test, row.name, dict(row.group), row.value) for row in found] == expected

    def test_the_headline_has_an_interval_around_its_change(self, sides: Callable[[str], Both], name: str) -> None:
        headline = load_instrument(name).headline
        rows = [row.difference for row in changed(name, *sides(name)) if row.difference.name == headline]
        found = [row for row in rows if row.value is not None]
        assert found
        for row in found:
            assert row.ci_low is not None
            assert row.ci_high is not None
            assert row.ci_low <= (row.value or 0) <= row.ci_high or "percentile" in str(row.ci_method)


def flipped(parts: Iterable[float]) -> float:
    """The share of all signs whose sum is at least as far from 0, one choice of signs at a time."""
    values = list(parts)
    observed = abs(math.fsum(values))
    slack = 1e-12 * sum(map(abs, values))
    choices = itertools.product((1, -1), repeat=len(values))
    far = [abs(math.fsum(s * v for s, v in zip(signs, values, strict=True))) >= observed - slack for signs in choices]
    return sum(far) / len(far)


class TestBecpro:
    def tilts(self, items: pl.DataFrame) -> dict[str, float]:
        """Female less male association of each profession, one sentence at a time."""
        heard: dict[tuple[str, str], list[float]] = {}
        for row in items.filter("informative").iter_rows(named=True):
            heard.setdefault((row["profession"], row["person_gender"]), []).append(row["association"])
        mean = {place: math.fsum(values) / len(values) for place, values in heard.items()}
        return {name: mean[name, "female"] - mean[name, "male"] for name in dict.fromkeys(items["profession"])}

    def test_the_mean_is_tested_over_professions_by_a_paired_t_interval_and_all_exchanges(
        self, sides: Callable[[str], Both]
    ) -> None:
        before, after = (self.tilts(items) for items in sides("becpro"))
        change = [after[name] - before[name] for name in before]
        row = by_name(changed("becpro", *sides("becpro")))["BEC-Pro", "f_minus_m", "all"]
        assert row.value == pytest.approx(np.mean(change))
        assert row.p_value == flipped(change)
        limits = stats.ttest_rel(list(after.values()), list(before.values())).confidence_interval()
        assert (row.ci_low, row.ci_high) == pytest.approx((limits.low, limits.high))

    def test_the_contrast_is_that_of_welch_on_the_changes(self, sides: Callable[[str], Both]) -> None:
        before, after = (self.tilts(items) for items in sides("becpro"))
        classes = dict(sides("becpro")[0].select("profession", "profession_class").iter_rows())
        arms = {
            arm: [after[name] - before[name] for name in before if classes[name] == arm] for arm in ("female", "male")
        }
        expected = stats.ttest_ind(arms["female"], arms["male"], equal_var=False)
        row = by_name(changed("becpro", *sides("becpro")))["BEC-Pro", "stereotype_contrast"]
        assert row.value == pytest.approx(np.mean(arms["female"]) - np.mean(arms["male"]))
        assert row.p_value == pytest.approx(expected.pvalue)
        limits = expected.confidence_interval()
        assert (row.ci_low, row.ci_high) == pytest.approx((limits.low, limits.high))

    def test_the_rank_correlation_is_bootstrapped_over_professions_of_both(self, sides: Callable[[str], Both]) -> None:
        before, after = (self.tilts(items) for items in sides("becpro"))
        shares = dict(sides("becpro")[0].select("profession", "share").iter_rows())
        columns = [list(before.values()), list(after.values()), [shares[name] for name in before]]
        row = by_name(changed("becpro", *sides("becpro")))["BEC-Pro", "rank_correlation"]

        def difference(one: Any, other: Any, share: Any) -> float:
            return float(stats.spearmanr(other, share).statistic - stats.spearmanr(one, share).statistic)

        assert row.value == pytest.approx(difference(*columns))
        rng = np.random.default_rng(0)
        expected = stats.bootstrap(
            columns, difference, paired=True, vectorized=False, n_resamples=1999, method="BCa", rng=rng
        ).confidence_interval
        assert (row.ci_low, row.ci_high) == pytest.approx((expected.low, expected.high))

    def test_associations_are_paired_by_sentence_and_exchanged_by_profession(
        self, sides: Callable[[str], Both]
    ) -> None:
        before, after = sides("becpro")
        sums: dict[str, float] = {}
        count = 0
        for one, other in zip(before.iter_rows(named=True), after.iter_rows(named=True), strict=True):
            if (one["profession_class"], one["person_gender"]) == ("female", "male") and one["informative"]:
                sums[one["profession"]] = sums.get(one["profession"], 0) + other["association"] - one["association"]
                count += 1
        row = by_name(changed("becpro", before, after))["BEC-Pro", "association", "female", "male"]
        assert row.value == pytest.approx(sum(sums.values()) / count)
        assert row.p_value == flipped(sums.values())

    def test_a_sentence_that_one_model_lost_is_left_out_of_both_and_counted(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("becpro")
        lost = pl.when(pl.col("person") == "he").then(None).otherwise(pl.col("association")).alias("association")
        rows = changed("becpro", before, after.with_columns(lost))
        expected = changed("becpro", before.with_columns(lost), after.with_columns(lost))
        count = before.filter(pl.col("person") == "he").height
        assert count > 0
        assert {row.difference.lost for row in rows} == {count}
        assert [row.difference.value for row in rows] == [row.difference.value for row in expected]
        assert [row.before for row in rows] == [row.before for row in expected]

    def test_other_sentences_are_refused(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("becpro")
        with pytest.raises(Exception, match="the two runs list different items"):
            changed("becpro", before, after.reverse())


class TestOtherSentences:
    def test_kurita_changes_over_attributes(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("kurita")
        parts: dict[str, dict[str, float]] = {}
        for (group, attribute), rows in before.group_by("attribute_group", "attribute", maintain_order=True):
            other = after.filter(pl.col("attribute") == attribute)
            means = [
                float(np.mean(part.filter(pl.col("target_group") == gender)["association"].to_numpy()))
                for part in (rows, other)
                for gender in ("female", "male")
            ]
            parts.setdefault(str(group), {})[str(attribute)] = means[2] - means[3] - (means[0] - means[1])
        found = by_name(changed("kurita", before, after))
        for group, changes in parts.items():
            row = found["female - male", "difference", group]
            values = list(changes.values())
            assert row.value == pytest.approx(np.mean(values))
            assert row.p_value == flipped(values)
            limits = stats.ttest_1samp(values, 0).confidence_interval()
            assert (row.ci_low, row.ci_high) == pytest.approx((limits.low, limits.high))
        contrast = found["female - male", "contrast", "art - work"]
        arms = [list(changes.values()) for changes in parts.values()]
        assert contrast.p_value == pytest.approx(stats.ttest_ind(*arms, equal_var=False).pvalue)

    def test_forms_change_over_professions(self, sides: Callable[[str], Both]) -> None:
        tables = []
        for items in sides("form-preference"):
            free = {
                (row["frame"], row["profession"]): row["log_odds"]
                for row in items.iter_rows(named=True)
                if row["kind"] == "content-free"
            }
            heard: dict[str, list[float]] = {}
            for asked in items.iter_rows(named=True):
                if asked["kind"] == "test" and asked["profession_class"] == "female":
                    place = asked["frame"], asked["profession"]
                    heard.setdefault(asked["profession"], []).append(asked["log_odds"] - free[place])
            tables.append({name: math.fsum(values) / len(values) for name, values in heard.items()})
        change = [tables[1][name] - tables[0][name] for name in tables[0]]
        row = by_name(changed("form-preference", *sides("form-preference")))["form", "log_odds_feminine", "female"]
        assert row.value == pytest.approx(np.mean(change))
        test = stats.permutation_test(
            (change,),
            lambda x: np.mean(x),
            permutation_type="samples",
            n_resamples=20_000,
            rng=np.random.default_rng(1),
        )
        assert row.p_value == pytest.approx(test.pvalue, abs=0.02)


def cosines(rows: pl.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """x_a, x_b, y_a, y_b of one test, looked up one by one."""
    table = {(row["target"], row["attribute"]): row["cosine"] for row in rows.iter_rows(named=True)}
    sets = {
        role: list(dict.fromkeys(rows.filter(pl.col(f"{kind}_set") == role)[kind]))
        for kind, roles in (("target", "xy"), ("attribute", "ab"))
        for role in roles
    }
    a, b, c, d = (
        np.array([[table[target, attribute] for attribute in sets[side]] for target in sets[role]])
        for role in "xy"
        for side in "ab"
    )
    return a, b, c, d


def d_of(x_a: np.ndarray, x_b: np.ndarray, y_a: np.ndarray, y_b: np.ndarray) -> float:
    x, y = x_a.mean(1) - x_b.mean(1), y_a.mean(1) - y_b.mean(1)
    return float((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1))


class TestWeat:
    @pytest.fixture
    def both(self, sides: Callable[[str], Both]) -> Both:
        """The first test whose words are all known."""
        before, after = sides("weat")
        whole = [
            str(name)
            for (name,), rows in before.group_by("test", maintain_order=True)
            if rows["cosine"].null_count() == 0
        ]
        return before.filter(pl.col("test") == whole[0]), after.filter(pl.col("test") == whole[0])

    def test_both_models_get_the_same_words_drawn(self, both: Both, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(association, "RESAMPLES", 300)
        tables = [cosines(rows) for rows in both]
        n_x, n_pairs = tables[0][0].shape
        n_y = len(tables[0][2])
        rng = np.random.default_rng(5)
        counts = rng.multinomial(n_pairs, [1 / n_pairs] * n_pairs, size=300)
        xs, ys = rng.integers(n_x, size=(n_x, 300)), rng.integers(n_y, size=(n_y, 300))
        changes = []
        for draw in range(300):
            pairs = np.repeat(np.arange(n_pairs), counts[draw])
            x, y = xs[:, draw], ys[:, draw]
            values = [d_of(t[0][x][:, pairs], t[1][x][:, pairs], t[2][y][:, pairs], t[3][y][:, pairs]) for t in tables]
            changes.append(values[1] - values[0])
        row = next(r.difference for r in changed("weat", *both, seed=5) if r.difference.name == "effect_size")
        assert (row.ci_low, row.ci_high) == pytest.approx(tuple(np.quantile(changes, [0.025, 0.975])))
        assert row.value == pytest.approx(d_of(*tables[1]) - d_of(*tables[0]))

    def test_models_are_exchanged_within_pairs_in_units_of_their_own_deviation(self, both: Both) -> None:
        parts = []
        for x_a, x_b, y_a, y_b in (cosines(rows) for rows in both):
            s = np.concatenate([x_a.mean(1) - x_b.mean(1), y_a.mean(1) - y_b.mean(1)])
            parts.append(((x_a - x_b).mean(0) - (y_a - y_b).mean(0)) / s.std(ddof=1))
        rows = {row.difference.name: row.difference for row in changed("weat", *both)}
        assert rows["effect_size"].p_value == flipped(parts[1] - parts[0])
        for same in ("effect_size_sign_flip", "effect_size_both"):
            assert rows[same] == replace(rows["effect_size"], name=same)
        assert float((parts[1] - parts[0]).mean()) == pytest.approx(rows["effect_size"].value)

    def test_a_word_that_one_model_lacks_is_left_out_of_both(self, both: Both) -> None:
        before, after = both
        word = before["target"][0]
        gone = [
            pl.when(pl.col("target") == word).then(None).otherwise(pl.col(name)).alias(name)
            for name in ("cosine", "target_form")
        ]
        rows = changed("weat", before, after.with_columns(gone))
        expected = changed("weat", before.with_columns(gone), after.with_columns(gone))
        assert {row.difference.lost for row in rows} == {1}
        assert [row.difference.value for row in rows] == [row.difference.value for row in expected]
        assert rows[0].before.n == expected[0].before.n


class TestWordMeasures:
    @pytest.mark.parametrize("name", ["rnd", "ripa"])
    def test_a_lean_has_an_interval_over_words_and_no_p(self, sides: Callable[[str], Both], name: str) -> None:
        rows = [row.difference for row in changed(name, *sides(name)) if row.difference.name == "lean"]
        for row in rows:
            assert row.p_value is None
            assert "as independent" in (row.ci_method or "")
        column = {
            "ripa": lambda items: items["ripa"],
            "rnd": lambda items: items["distance_female"] - items["distance_male"],
        }
        first, second = sides(name)
        change = first.select("test", "role", change=column[name](second) - column[name](first)).drop_nulls()
        arms = [change.filter((pl.col("test") == rows[0].test) & (pl.col("role") == role))["change"] for role in "xy"]
        limits = stats.ttest_ind(*(arm.to_numpy() for arm in arms), equal_var=False).confidence_interval()
        assert (rows[0].ci_low, rows[0].ci_high) == pytest.approx((limits.low, limits.high))

    def test_words_that_are_measured_against_have_to_be_the_same(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("rnd")
        word = before.filter(pl.col("role") == "a")["word"][0]
        gone = pl.when((pl.col("word") == word) & (pl.col("role") == "a")).then(None).otherwise(pl.col("form"))
        rows = changed("rnd", before, after.with_columns(form=gone))
        void = [row for row in rows if row.difference.test == before["test"][0]]
        assert {row.difference.value for row in void} == {None}
        assert void[0].note.endswith(f"only one of the models knows {word}")

    def test_mac_is_exchanged_by_attribute_pair(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("mac")
        row = changed("mac", before, after)[0].difference
        sums: dict[int, float] = {}
        for one, other in zip(before.iter_rows(named=True), after.iter_rows(named=True), strict=True):
            if one["test"] == row.test and one["distance_x"] is not None:
                change = (other["distance_x"] + other["distance_y"] - one["distance_x"] - one["distance_y"]) / 2
                sums[one["pair"]] = sums.get(one["pair"], 0) + change
        assert row.p_value == flipped(sums.values())
        assert row.value == pytest.approx(sum(sums.values()) / (2 * len(sums)))

    def test_what_pairs_add_to_the_divergence_adds_up_to_its_change(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("rnsb")
        row = next(r.difference for r in changed("rnsb", before, after) if r.difference.value is not None)
        parts: dict[int, float] = {}
        for sign, items in ((-1, before), (1, after)):
            found = items.filter(pl.col("test") == row.test).drop_nulls("probability_x")
            total, n = math.fsum(found["probability_x"]), found.height
            for pair, q in found.select("pair", "probability_x").iter_rows():
                p = q / total
                parts[pair] = parts.get(pair, 0) + sign * (p * math.log(p * n) - p + 1 / n)
        assert row.name == "kl"
        assert row.value == pytest.approx(math.fsum(parts.values()))
        assert row.p_value == flipped(parts.values())

    def test_coherence_is_bootstrapped_over_words_of_both(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("ect")
        row = changed("ect", before, after)[0].difference
        columns = [
            items.filter(pl.col("test") == row.test).drop_nulls("cosine_male")[side].to_list()
            for items in (before, after)
            for side in ("cosine_male", "cosine_female")
        ]

        def difference(m: Any, f: Any, other_m: Any, other_f: Any) -> float:
            return float(stats.spearmanr(other_m, other_f).statistic - stats.spearmanr(m, f).statistic)

        expected = stats.bootstrap(
            columns,
            difference,
            paired=True,
            vectorized=False,
            n_resamples=1999,
            method="BCa",
            rng=np.random.default_rng(0),
        ).confidence_interval
        assert row.value == pytest.approx(difference(*columns))
        assert (row.ci_low, row.ci_high) == pytest.approx((expected.low, expected.high))


class TestAdjectives:
    def test_bad_changes_over_adjectives_and_against_the_baseline(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("bad")
        found = by_name(changed("bad", before, after))
        test = before["test"][0]
        arms: dict[str, list[float]] = {}
        for one, other in zip(before.iter_rows(named=True), after.iter_rows(named=True), strict=True):
            if one["test"] == test and one["score"] is not None:
                arms.setdefault(one["adjectives"], []).append(other["score"] - one["score"])
        row = found[test, "score_minus_baseline", "pack"]
        expected = stats.ttest_ind(arms["pack"], arms["baseline"], equal_var=False)
        assert row.p_value == pytest.approx(expected.pvalue)
        assert row.value == pytest.approx(np.mean(arms["pack"]) - np.mean(arms["baseline"]))
        mean = found[test, "mean_score", "pack"]
        exchanged = stats.permutation_test(
            (arms["pack"],), lambda x: np.mean(x), permutation_type="samples", n_resamples=20_000,
            rng=np.random.default_rng(2),
        )  # fmt: skip
        assert mean.p_value == pytest.approx(exchanged.pvalue, abs=0.02)
        assert found[test, "statistic", "pack"].value == pytest.approx((mean.value or 0) * len(arms["pack"]))
        assert found[test, "statistic", "pack"].ci_low is None

    def test_adjectives_add_to_mweat_what_it_is(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("mweat")
        parts = []
        for items in (before, after):
            found = items.drop_nulls("masculine_to_male")
            x = (found["masculine_to_male"] - found["masculine_to_female"]).to_list()
            y = (found["feminine_to_male"] - found["feminine_to_female"]).to_list()
            signs = math.copysign(1, sum(x)), math.copysign(1, sum(y))
            side = math.copysign(1, abs(sum(x)) - abs(sum(y)))
            parts.append([side * (signs[0] * one - signs[1] * other) for one, other in zip(x, y, strict=True)])
        row = by_name(changed("mweat", before, after))["semantic-gender", "statistic", "all"]
        changes = [after - before for before, after in zip(*parts, strict=True)]
        assert row.value == pytest.approx(sum(changes))
        exchanged = stats.permutation_test(
            (changes,),
            lambda x: np.sum(x),
            permutation_type="samples",
            n_resamples=20_000,
            rng=np.random.default_rng(2),
        )
        assert row.p_value == pytest.approx(exchanged.pvalue, abs=0.02)

    def test_other_attributes_are_not_compared(self, sides: Callable[[str], Both]) -> None:
        before, after = sides("mweat")
        rows = changed("mweat", before, after.with_columns(pairs_found=pl.col("pairs_found") - 1))
        assert {row.difference.value for row in rows} == {None}
        assert "the attributes are not the same" in rows[0].note


@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=3, max_size=12), st.booleans())
def test_what_units_add_to_a_correlation_adds_up_to_its_change(rows: list[tuple[int, ...]], ranked: bool) -> None:
    before, after, share = (np.array(column, dtype=float) for column in zip(*rows, strict=True))
    parts = correlation_parts((before, share), (after, share), ranked=ranked)
    if any(np.ptp(column) == 0 for column in (before, after, share)):
        assert parts is None
        return
    correlate: Any = stats.spearmanr if ranked else stats.pearsonr
    change = correlate(after, share).statistic - correlate(before, share).statistic
    assert parts is not None
    assert parts.mean() == pytest.approx(change, abs=1e-9)


def test_a_shift_common_to_both_groups_does_not_hide_the_change_of_their_contrast() -> None:
    rng = np.random.default_rng(4)
    first, second = 2 + 0.6 + 0.5 * rng.standard_normal(20), 2 + 0.5 * rng.standard_normal(20)
    found = contrast_change(first, second)
    assert found is not None
    assert found.tested is not None
    assert found.tested.p_value < 0.01
    by_exchange = np.concatenate([first, -second])
    signs = rng.choice([-1, 1], size=(4000, 40))
    assert (np.abs(signs @ by_exchange) >= abs(by_exchange.sum())).mean() > 0.05


def test_too_few_units_have_no_test() -> None:
    assert contrast_change(np.array([1.0]), np.array([1.0, 2.0])) is None
    assert topic_change(np.array([1.0]), np.array([1.0, 2.0])) is None
    assert mean_change(np.array([]), over="units", seed=0) is None
    assert correlation_parts((np.ones(5), np.arange(5.0)), (np.arange(5.0), np.arange(5.0)), ranked=True) is None


WORLDS = 300


def within(count: int, rate: float) -> bool:
    """Whether the rate is inside the exact 99.9% interval of so many worlds."""
    limits = stats.binomtest(count, WORLDS, rate).proportion_ci(0.999)
    return bool(limits.low <= rate <= limits.high)


class TestWhereNothingChanged:
    """Worlds in which the two models differ by chance alone: 5% are called changed, and 95% of intervals hold 0."""

    def test_means_over_professions_keep_their_level(self) -> None:
        rng = np.random.default_rng(11)
        rejected = covered = 0
        for _ in range(WORLDS):
            profession = rng.standard_normal(20)
            before, after = (profession + 0.5 * rng.standard_normal(20) for _ in "ba")
            found = mean_change(after - before, over="professions", seed=0)
            assert found is not None
            assert found.tested is not None
            rejected += found.tested.p_value < 0.05
            covered += found.interval.low <= 0 <= found.interval.high
        assert within(rejected, 0.05)
        assert within(covered, 0.95)

    def test_contrasts_keep_theirs_though_all_professions_shift_and_one_class_varies_more(self) -> None:
        rng = np.random.default_rng(12)
        rejected = covered = 0
        for _ in range(WORLDS):
            found = contrast_change(1 + rng.standard_normal(25), 1 + 3 * rng.standard_normal(12))
            assert found is not None
            assert found.tested is not None
            rejected += found.tested.p_value < 0.05
            covered += found.interval.low <= 0 <= found.interval.high
        assert within(rejected, 0.05)
        assert within(covered, 0.95)

    @pytest.mark.parametrize("slope", [0.0, 1.0, 3.0])
    def test_rank_correlations_keep_theirs_whatever_the_correlation(self, slope: float) -> None:
        rng = np.random.default_rng(13)
        rejected = 0
        for _ in range(WORLDS):
            share = rng.random(20)
            profession = slope * (share - 0.5) * math.sqrt(12) + 0.5 * rng.standard_normal(20)
            before, after = (scale * (profession + rng.standard_normal(20)) for scale in (1.0, 2.0))
            parts = correlation_parts((before, share), (after, share), ranked=True)
            assert parts is not None
            rejected += flip_signs(parts).p_two_sided < 0.05
        assert within(rejected, 0.05)

    @pytest.mark.parametrize("direction", [0.0, 1.0])
    def test_weat_shows_a_change_in_no_more_than_one_world_in_twenty(
        self, direction: float, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Two noisy versions of one set of vectors, with and without a gender direction in them.

        With one, targets that moved along it by chance moved for all pairs: the p alone calls that a change, the
        interval, which draws the targets anew, does not.
        """
        monkeypatch.setattr(association, "RESAMPLES", 500)
        rng = np.random.default_rng(14)
        by_p = shown = covered = 0
        for _ in range(WORLDS):
            before, after = _two_versions(rng, direction)
            (low, high), parts = association.changes(before, after, "caliskan", seed=0)["effect_size"]
            p = flip_signs(parts).p_two_sided
            by_p += p < 0.05
            shown += p < 0.05 and not low <= 0 <= high
            covered += low <= 0 <= high
        assert stats.binomtest(shown, WORLDS, 0.05).proportion_ci(0.999).low <= 0.05
        assert stats.binomtest(covered, WORLDS, 0.95).proportion_ci(0.999).high >= 0.95
        if direction:
            assert stats.binomtest(by_p, WORLDS, 0.05).proportion_ci(0.999).low > 0.05


def _two_versions(rng: np.random.Generator, direction: float) -> tuple[Similarities, Similarities]:
    topics = [rng.standard_normal(50) * 0.6 + 0.8 * rng.standard_normal((8, 50)) for _ in "xy"]
    meaning, gender = rng.standard_normal((9, 50)), direction * rng.standard_normal(50)
    sets = [*topics, meaning + rng.standard_normal((9, 50)) + gender, meaning + rng.standard_normal((9, 50)) - gender]
    versions = []
    for _ in range(2):
        x, y, a, b = (
            (rows := part + rng.standard_normal(part.shape)) / np.linalg.norm(rows, axis=1, keepdims=True)
            for part in sets
        )
        versions.append(Similarities(x @ a.T, x @ b.T, y @ a.T, y @ b.T))
    return versions[0], versions[1]


def test_a_planted_change_of_weat_is_found_and_its_size_right() -> None:
    """Male and female words drawn apart along what tells the topics apart: d grows, by what the formula says."""
    rng = np.random.default_rng(15)
    before, _ = _two_versions(rng, 0.0)
    after = Similarities(before.x_a + 0.3, before.x_b, before.y_a - 0.3, before.y_b)
    (low, high), parts = association.changes(before, after, "caliskan", seed=0)["effect_size"]
    sizes = [effect_size(part, "caliskan") for part in (before, after)]
    assert float(parts.sum()) == pytest.approx((sizes[1] or 0) - (sizes[0] or 0))
    assert 0 < low <= high
    assert flipped(parts) < 0.05
