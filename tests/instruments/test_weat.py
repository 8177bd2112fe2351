"""WEAT against a second implementation in plain loops, and what must hold of it whatever the numbers."""

import itertools
import math
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support import made_of, stock
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.instruments.instrument import Findings
from tiltmeter.instruments.weat import WeatOptions, answer, estimate, list_items
from tiltmeter.packs import Adjective, InanimateNoun, Pack, WeatTest, Word, WordPair, load_pack
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

EMPTY = Pack(lang="xx", name="X", endonym="X", scripts=("Latin",), grammatical_gender=())


def words(prefix: str, count: int) -> tuple[Word, ...]:
    return tuple(Word(f"{prefix}{number}") for number in range(count))


def answered(seed: int, n_x: int, n_y: int, pairs: int, *, lost: tuple[str, ...] = ()) -> pl.DataFrame:
    """Items of one test on random vectors, answered by their cosines."""
    x, y, a, b = words("x", n_x), words("y", n_y), words("a", pairs), words("b", pairs)
    test = WeatTest("T", ("one", "two"), ("male", "female"), x, y, a, b, "ours", "made up")
    items = list_items(replace(EMPTY, weat=(test,)), WeatOptions())
    rng = np.random.default_rng(seed)
    vectors = {word.text: rng.standard_normal(6) for word in (*x, *y, *a, *b)}
    vectors = {word: vector for word, vector in vectors.items() if word not in lost}
    return items.with_columns(
        pl.Series(
            "cosine",
            [
                cosine(vectors[t], vectors[c]) if t in vectors and c in vectors else None
                for t, c in items.select("target", "attribute").iter_rows()
            ],
            dtype=pl.Float64,
        ),
        target_form=pl.col("target").replace_strict(dict.fromkeys(vectors, "found"), default=None),
        attribute_form=pl.col("attribute").replace_strict(dict.fromkeys(vectors, "found"), default=None),
    )


def cosine(left: np.ndarray, right: np.ndarray) -> float:
    return float(left @ right / math.sqrt(left @ left) / math.sqrt(right @ right))


def swapped(items: pl.DataFrame, column: str, one: str, other: str) -> pl.DataFrame:
    return items.with_columns(pl.col(column).replace({one: other, other: one}))


def by_name(items: pl.DataFrame, **options: object) -> dict[str, Estimate]:
    return {row.name: row for row in estimate(items, WeatOptions(**options)).estimates}  # type: ignore[arg-type]


def plain(items: pl.DataFrame, *, pestova: bool = False) -> dict[str, float]:
    """The formulas once more, one cosine at a time."""
    table = {(row["target"], row["attribute"]): row["cosine"] for row in items.iter_rows(named=True)}
    sets: dict[str, list[str]] = {role: [] for role in "xyab"}
    for row in items.iter_rows(named=True):
        for word, role in ((row["target"], row["target_set"]), (row["attribute"], row["attribute_set"])):
            if word not in sets[role]:
                sets[role].append(word)

    def mean_similarity(word: str, role: str) -> float:
        return math.fsum(table[word, other] for other in sets[role]) / len(sets[role])

    s = {word: mean_similarity(word, "a") - mean_similarity(word, "b") for word in sets["x"] + sets["y"]}
    x, y = [s[word] for word in sets["x"]], [s[word] for word in sets["y"]]
    raw = [mean_similarity(word, role) for word in sets["x"] + sets["y"] for role in "ab"]
    values = raw if pestova else x + y
    centre = sum(values) / len(values)
    spread = math.sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - 1))
    d = (sum(x) / len(x) - sum(y) / len(y)) / spread
    parts = [
        sum(table[w, a] - table[w, b] for w in sets["x"]) / len(x)
        - sum(table[w, a] - table[w, b] for w in sets["y"]) / len(y)
        for a, b in zip(sets["a"], sets["b"], strict=True)
    ]
    flips = [
        sum(f * p for f, p in zip(flip, parts, strict=True)) for flip in itertools.product((1, -1), repeat=len(parts))
    ]
    permuted = stats.permutation_test(
        (x, y), lambda u, v, axis: u.sum(axis) - v.sum(axis), alternative="greater", n_resamples=10**9, vectorized=True
    )
    squares = [sum((value - sum(side) / len(side)) ** 2 for value in side) / (len(side) - 1) for side in (x, y, parts)]
    errors = math.sqrt(squares[0] / len(x) + squares[1] / len(y)), math.sqrt(squares[2] / len(parts))
    t = (sum(x) / len(x) - sum(y) / len(y)) / sum(errors)
    freedom = sum(errors) ** 2 / (errors[0] ** 2 / (len(x) + len(y) - 2) + errors[1] ** 2 / (len(parts) - 1))
    return {
        "p_both": float(stats.t.sf(t, freedom)),
        "p_both_two_sided": 2 * float(stats.t.sf(abs(t), freedom)),
        "statistic": sum(x) - sum(y),
        "d": d,
        "p_targets": float(permuted.pvalue),
        "p_flips": sum(flip >= sum(parts) - 1e-12 for flip in flips) / len(flips),
        "p_flips_two_sided": sum(abs(flip) >= abs(sum(parts)) - 1e-12 for flip in flips) / len(flips),
    }


class TestAgainstPlainLoops:
    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("pestova", [False, True])
    def test_random_vectors(self, seed: int, pestova: bool) -> None:
        items = answered(seed, 5, 5, 4)
        self.check(by_name(items, effect_size="pestova" if pestova else "caliskan"), plain(items, pestova=pestova))

    def test_real_english_vectors(self, english: Run) -> None:
        for (name,), items in english.items.group_by("test"):
            found = {row.name: row for row in english.result.estimates if row.test == name}
            self.check(found, plain(items))

    @staticmethod
    def check(found: dict[str, Estimate], expected: dict[str, float]) -> None:
        assert found["statistic"].value == pytest.approx(expected["statistic"], abs=1e-12)
        assert found["effect_size"].value == pytest.approx(expected["d"], abs=1e-12)
        assert found["effect_size_sign_flip"].value == found["effect_size"].value
        assert found["effect_size"].p_value == pytest.approx(expected["p_targets"], abs=1e-12)
        assert found["effect_size_sign_flip"].p_value == pytest.approx(expected["p_flips"], abs=1e-12)
        assert found["effect_size_sign_flip"].p_two_sided == pytest.approx(expected["p_flips_two_sided"], abs=1e-12)
        assert found["effect_size_both"].value == found["effect_size"].value
        assert found["effect_size_both"].p_value == pytest.approx(expected["p_both"], abs=1e-12)
        assert found["effect_size_both"].p_two_sided == pytest.approx(expected["p_both_two_sided"], abs=1e-12)


@pytest.fixture(scope="module")
def english(real_downloads: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return _measured("pkg:glove-6b-50d", real_downloads, tmp_path_factory.mktemp("en"))


@pytest.fixture(scope="module")
def russian(real_downloads: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Run:
    return _measured("pkg:navec-news", real_downloads, tmp_path_factory.mktemp("ru"))


def _measured(subject: str, real_downloads: dict[str, Path], cache: Path) -> Run:
    return measure("weat", subject, store=stock(Store(cache), real_downloads, *real_downloads))


def test_an_example_done_by_hand() -> None:
    """cos(x,a) = 0.5 and 0.1, cos(x,b) = 0.1 and -0.3; y the other way round: s = 0.4, 0.4, -0.4, -0.4."""
    items = answered(0, 2, 2, 2).with_columns(
        cosine=pl.when(pl.col("target_set") == "x")
        .then(
            pl.when(pl.col("attribute_set") == "a")
            .then(0.5 - 0.4 * pl.col("pair"))
            .otherwise(0.1 - 0.4 * pl.col("pair"))
        )
        .otherwise(
            pl.when(pl.col("attribute_set") == "a")
            .then(0.1 - 0.4 * pl.col("pair"))
            .otherwise(0.5 - 0.4 * pl.col("pair"))
        )
    )
    found = by_name(items)
    assert found["statistic"].value == pytest.approx(1.6)
    assert found["effect_size"].value == pytest.approx(0.8 / math.sqrt(0.64 / 3))
    assert found["effect_size"].p_value == pytest.approx(1 / 6)
    assert found["effect_size_sign_flip"].p_value == pytest.approx(1 / 4)
    raw = [0.3, 0.3, -0.1, -0.1, -0.1, -0.1, 0.3, 0.3]
    assert by_name(items, effect_size="pestova")["effect_size"].value == pytest.approx(0.8 / np.std(raw, ddof=1))


class TestWhatMustHold:
    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 6), st.integers(2, 5))
    def test_swapping_targets_or_attributes_negates_it(self, seed: int, n_x: int, n_y: int, pairs: int) -> None:
        items = answered(seed, n_x, n_y, pairs)
        plain = {name: row.value or 0 for name, row in by_name(items).items()}
        for column, one, other in (("target_set", "x", "y"), ("attribute_set", "a", "b")):
            turned = {name: row.value or 0 for name, row in by_name(swapped(items, column, one, other)).items()}
            assert turned == pytest.approx({name: -value for name, value in plain.items()}, abs=1e-9)

    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 5))
    def test_identical_targets_have_no_effect(self, seed: int, n: int, pairs: int) -> None:
        items = answered(seed, n, n, pairs)
        twins = items.filter(pl.col("target_set") == "x").with_columns(
            target=pl.lit("twin of ") + pl.col("target"), target_set=pl.lit("y")
        )
        found = by_name(pl.concat([items.filter(pl.col("target_set") == "x"), twins]))
        assert found["effect_size"].value == pytest.approx(0, abs=1e-12)
        assert found["effect_size_sign_flip"].p_two_sided == 1
        assert found["effect_size"].p_two_sided == 1

    @settings(max_examples=15, deadline=None)
    @given(st.integers(0, 10_000))
    def test_the_interval_holds_the_value_and_the_seed_decides_it(self, seed: int) -> None:
        items = answered(seed, 8, 8, 8)
        found = by_name(items)["effect_size"]
        assert found == by_name(items)["effect_size"]
        assert found.ci_low is not None
        assert found.ci_high is not None
        assert found.ci_low < found.ci_high
        assert by_name(items, seed=1)["effect_size"].ci_low != found.ci_low


@pytest.mark.parametrize("name", ["weat", "mweat"])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_neither_rotation_nor_length_of_the_vectors_counts(tmp_path: Path, name: str, seed: int) -> None:
    x, y, a, b = (words(role, 4) for role in "xyab")
    test = WeatTest("T", ("one", "two"), ("male", "female"), x, y, a, b, "ours", "made up")
    pairs = tuple(WordPair(male.text, female.text) for male, female in zip(a, b, strict=True))
    adjectives = tuple(Adjective(m.text, f.text, "male", "positive") for m, f in zip(x, y, strict=True))
    pack = replace(EMPTY, weat=(test,), adjectives=adjectives, semantic_gender=pairs)
    rng = np.random.default_rng(seed)
    table = {word.text: rng.normal(size=6) for word in (*x, *y, *a, *b)}
    turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    turned = {word: rng.uniform(0.5, 3) * row @ turn for word, row in table.items()}
    tool = load_instrument(name)
    found = []
    for part, rows in (("1", table), ("2", turned)):
        items, _ = tool.answer(tool.items(pack, tool.options()), made_of(rows, tmp_path / part), pack, tool.options())
        found.append([row.value for row in tool.estimate(items, tool.options()).estimates])
    assert found[1] == pytest.approx(found[0], rel=1e-4, abs=1e-5)


class TestLostWords:
    def test_a_pair_that_lost_one_word_is_left_out_with_both(self) -> None:
        with_loss = by_name(answered(3, 6, 6, 6, lost=("a2",)))
        without = by_name(answered(3, 6, 6, 6).filter(pl.col("pair") != 2))
        assert with_loss["effect_size"].value == pytest.approx(without["effect_size"].value)
        assert (with_loss["effect_size"].n, with_loss["effect_size"].lost) == (12, 1)

    def test_losing_more_than_the_stated_share_gives_null_with_a_note(self) -> None:
        items = answered(3, 6, 6, 6, lost=("x0", "x1"))
        findings = estimate(items, WeatOptions())
        assert all(row.value is None and row.p_value is None and row.ci_low is None for row in findings.estimates)
        assert len(findings.estimates) == 4, "the schema does not change"
        (note,) = [note for note in findings.notes if note.kind == "void"]
        assert note.text.startswith("no value: 2 of the 6 words of X have no vector (at most 20%")
        assert note.details["x"] == ["x0", "x1"]
        assert by_name(items, max_lost=0.5)["effect_size"].value is not None

    def test_nothing_found_is_void_and_not_a_crash(self) -> None:
        items = answered(1, 3, 3, 3, lost=tuple(f"{role}{n}" for role in "xyab" for n in range(3)))
        assert by_name(items, max_lost=0.99)["effect_size"].value is None

    def test_a_share_out_of_range_is_refused(self) -> None:
        with pytest.raises(TiltmeterError, match="--max-lost is a share"):
            WeatOptions(max_lost=1.5)


class TestRealVectors:
    def test_glove_repeats_the_direction_of_all_three_published_english_tests(self, english: Run) -> None:
        found = {row.test: row for row in english.result.estimates if row.name == "effect_size"}
        assert set(found) == {"career-family", "math-arts", "science-arts"}
        assert all(row.value is not None and row.value > 1 and row.n == 16 for row in found.values())

    def test_names_are_found_in_lower_case_and_that_is_said(self, english: Run) -> None:
        (note,) = [note for note in english.result.notes if note.kind == "matching"]
        assert note.details["respelled"]["John"] == "john"

    def test_navec_news_lacks_algebra_and_the_intelligence_test_is_void(self, russian: Run) -> None:
        found = {row.test: row for row in russian.result.estimates if row.name == "effect_size"}
        assert (found["E2"].n, found["E2"].lost) == (13, 1)
        assert found["E4"].value is None
        (lost,) = [note for note in russian.result.notes if note.kind == "lost-words"]
        assert lost.details["reasons"]["алгебра"] == "алгебра not in the vocabulary"

    def test_russian_adjectives_are_averaged_over_their_forms(self, russian: Run) -> None:
        forms = russian.items.filter(pl.col("target") == "сильный")["target_form"].unique().to_list()
        assert forms == ["сильный+сильная"]

    def test_published_sets_that_confound_topic_and_grammar_are_flagged(self, russian: Run) -> None:
        flagged = {note.test for note in russian.result.notes if note.kind == "grammatical-gender"}
        assert flagged == {"E1", "E2", "E3", "E5", "E6", "E7"}

    def test_small_sets_are_flagged(self, russian: Run) -> None:
        assert {"E6", "E7"} <= {note.test for note in russian.result.notes if note.kind == "few-words"}


def test_only_the_chosen_tests_are_run_and_an_unknown_one_is_refused() -> None:
    pack = load_pack("ru")
    assert list_items(pack, WeatOptions(only="E6,E7"))["test"].unique(maintain_order=True).to_list() == [
        "E6",
        "E7",
        "grammar",
    ]
    with pytest.raises(TiltmeterError, match="there is no test 'E8'; did you mean 'E"):
        list_items(pack, WeatOptions(only="E8"))


class TestGrammar:
    """Vectors in which masculine nouns lie toward male words for no other reason than their gender."""

    nouns = tuple(InanimateNoun(f"{gender}{number}", gender) for gender in ("m", "f") for number in range(12))
    x = tuple(Word(f"x{n}", "NOUN", "m" if n < 7 else "f") for n in range(9))
    y = tuple(Word(f"y{n}", "NOUN", "f" if n < 7 else "m") for n in range(9))
    test = WeatTest("T", ("one", "two"), ("male", "female"), x, y, words("a", 9), words("b", 9), "ours", "made up")
    pack = replace(EMPTY, weat=(test,), inanimate_nouns=nouns, grammatical_gender=("m", "f"))

    def means(self, folder: Path, stereotype: float) -> dict[tuple[str, str], float]:
        """Mean estimates over ten worlds."""
        worlds = [self.estimates(folder / str(seed), stereotype, seed) for seed in range(10)]
        return {key: float(np.mean([world[key] for world in worlds])) for key in worlds[0]}

    def estimates(self, folder: Path, stereotype: float, seed: int) -> dict[tuple[str, str], float]:
        return {(row.test, row.name): row.value or 0.0 for row in self.findings(folder, stereotype, seed).estimates}

    def findings(self, folder: Path, stereotype: float, seed: int) -> Findings:
        rng = np.random.default_rng(seed)
        gender = np.eye(40)[0]
        lean = {"m": 2.0, "f": -2.0}
        table = {noun.noun: rng.normal(size=40) + lean[noun.gender] * gender for noun in self.nouns}
        for sign, part in ((1, self.x), (-1, self.y)):
            table |= {w.text: rng.normal(size=40) + (lean[w.gender] + sign * stereotype) * gender for w in part}
        for role, sign in (("a", 1), ("b", -1)):
            table |= {f"{role}{n}": rng.normal(size=40) + sign * 3 * gender for n in range(9)}
        subject = made_of(table, folder)
        items, _ = answer(list_items(self.pack, WeatOptions()), subject, self.pack, WeatOptions())
        return estimate(items, WeatOptions())

    def test_in_words_what_is_left_without_grammar_decides(self, tmp_path: Path) -> None:
        found = self.findings(tmp_path, stereotype=0.0, seed=7)  # grammar alone makes a difference that seems clear
        both, left = (
            next(row for row in found.estimates if (row.test, row.name) == ("T", f"effect_size_{name}"))
            for name in ("both", "without_grammar")
        )
        assert both.ci_low is not None
        assert left.p_two_sided is not None
        assert both.ci_low > 0
        assert both.p_value is None  # of topics of other genders it would tell grammar from chance
        assert left.p_two_sided > 0.05
        (said,) = [note.text for note in found.notes if (note.kind, note.test) == ("reading", "T")]
        assert f"with grammatical gender taken out, {both.value:.2f} with it; chance cannot be ruled out" in said
        assert f"d = {left.value:.2f}" in said
        assert f"p = {left.p_two_sided:.3g} over targets" in said

    def test_what_is_mere_grammar_goes_away_when_grammar_is_taken_out(self, tmp_path: Path) -> None:
        found = self.means(tmp_path, stereotype=0.0)
        assert found["grammar", "effect_size"] > 1.5
        assert found["T", "effect_size"] > 0.8
        assert abs(found["T", "effect_size_without_grammar"]) < 0.3

    def test_what_is_more_than_grammar_stays(self, tmp_path: Path) -> None:
        assert self.means(tmp_path, stereotype=2.0)["T", "effect_size_without_grammar"] > 1.3

    @pytest.mark.parametrize("lost", ["m", "f", "mf"])
    def test_without_its_nouns_the_control_and_the_correction_are_void_and_the_schema_stays(self, lost: str) -> None:
        items = list_items(self.pack, WeatOptions())
        rng = np.random.default_rng(0)
        gone = pl.col("test").eq("grammar") & pl.col("target_gender").is_in(list(lost))
        answered_items = items.with_columns(
            cosine=pl.when(gone).then(None).otherwise(pl.Series(rng.normal(size=items.height))),
            target_form=pl.when(gone).then(None).otherwise(pl.col("target")),
            attribute_form=pl.col("attribute"),
        )
        findings = estimate(answered_items, WeatOptions())
        found = {(row.test, row.name): row.value for row in findings.estimates}
        assert found["T", "effect_size"] is not None
        (both,) = [row for row in findings.estimates if (row.test, row.name) == ("T", "effect_size_both")]
        assert both.p_value is not None
        assert found["T", "effect_size_without_grammar"] is None
        assert found["grammar", "effect_size"] is None
        assert any("grammar could not be taken out" in note.text for note in findings.notes)

    def test_the_correction_is_the_same_to_the_last_bit_however_many_threads_work(self) -> None:
        program = """
import numpy as np, polars as pl
from tiltmeter.instruments._weat_items import gender_means
from tiltmeter.instruments.weat import WeatOptions, list_items
from tiltmeter.packs import load_pack
rows = list_items(load_pack("ru"), WeatOptions()).filter(pl.col("test").str.starts_with("grammar"))
cosines = pl.Series(np.random.default_rng(0).standard_normal(len(rows)))
rows = rows.with_columns(cosine=cosines, target_form="target", attribute_form="attribute")
means = [gender_means(rows, WeatOptions()) for _ in range(400)]
print(len(rows) > 0 and bool(means[0]), all(mean == means[0] for mean in means))
"""
        threads = os.environ | {"POLARS_MAX_THREADS": "16"}
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=threads, check=True)
        assert said.stdout.split() == ["True", "True"]

    def test_the_grammar_test_is_a_family_of_its_own(self, russian: Run) -> None:
        rows = [row for row in russian.result.estimates if row.name == "effect_size" and row.value is not None]
        families = {row.family for row in rows if row.test != "grammar"}
        assert families == {"weat, ru, pkg:navec-news: effect_size, 6 tests, Holm"}
        (control,) = [row for row in rows if row.test == "grammar"]
        assert control.p_adjusted == control.p_value

    def test_the_instrument_of_its_own_gives_the_same_numbers(self, russian: Run, stocked: Store) -> None:
        beside = {row.name: row.value for row in russian.result.estimates if row.test == "grammar"}
        alone = measure("grammar-weat", "pkg:navec-news", store=stocked)
        assert {row.name: row.value for row in alone.result.estimates} == beside


MINE = """[tests.weather]
x = ["rain", "storm"]
y = ["sun", "warmth"]
a = ["he", "man", "boy"]
b = ["she", "woman", "girl"]
labels = ["bad", "good"]
"""


class TestSetsOfTheUsers:
    def test_the_grammar_that_the_pack_gives_them_counts(self, stocked: Store, tmp_path: Path) -> None:
        (tmp_path / "mine.toml").write_text(
            '[tests.t]\nx = ["умный", "сильный"]\ny = ["слабый", "красивый"]\n'
            'a = ["отец", "сын"]\nb = ["мать", "дочь"]\n'
        )
        runs = []
        for folder, feminine in (("one", "умная"), ("two", "сильная")):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "pack.toml").write_text('extends = "ru"\n')
            (tmp_path / folder / "lexicon.tsv").write_text(
                f"# source: x\nword\tpos\tgender\tfeminine\nумный\tADJ\t\t{feminine}\n"
            )
            tests, pack = tmp_path / "mine.toml", tmp_path / folder
            runs.append(measure("weat", "pkg:navec-news", store=stocked, tests=tests, pack=pack))
        assert runs[0].id != runs[1].id
        assert runs[0].result.estimates[0].value != runs[1].result.estimates[0].value

    def test_any_sets_from_a_file_are_measured(self, stocked: Store, tmp_path: Path) -> None:
        (tmp_path / "mine.toml").write_text(MINE)
        run = measure("weat", "pkg:glove-6b-50d", store=stocked, tests=tmp_path / "mine.toml")
        assert {row.test for row in run.result.estimates} == {"weather"}
        assert run.items.height == 4 * 6
        TestAgainstPlainLoops.check({row.name: row for row in run.result.estimates}, plain(run.items))
        assert run.result.provenance["command"] == "tiltmeter measure weat pkg:glove-6b-50d --lang en --tests mine.toml"

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ('"he", "man", "boy"', '"he", "man"', r"mine.toml:5: unequal pairs: 'a' has 2 words and 'b' has 3"),
            ('"sun", "warmth"', '"sun"', r"mine.toml:3: the set 'y' needs at least two words"),
            ('y = ["sun", "warmth"]\n', "", r"mine.toml:1: 'y' is missing or not a list"),
            ("tests.weather", "test.weather", r"mine.toml:1: there is no key 'test'; did you mean 'tests'"),
            (MINE, "", r"mine.toml:1: there is no table"),
            (MINE, "tests = 3", r"mine.toml:1: there is no table"),
            (MINE, "[tests]\nE1 = 5", r"mine.toml:2: 'E1' is not a table"),
            ('"sun"', '"boy"', r"mine.toml:3: 'boy' is a target and an attribute at once"),
            ("weather", "grammar", r"mine.toml:1: the name 'grammar' is kept"),
        ],
        ids=["unequal", "small", "missing", "key", "empty", "no table", "no test", "both", "reserved"],
    )
    def test_a_file_that_cannot_be_used_is_refused(self, tmp_path: Path, old: str, new: str, said: str) -> None:
        (tmp_path / "mine.toml").write_text(MINE.replace(old, new))
        with pytest.raises(TiltmeterError, match=said):
            load_instrument("weat").make_options({"tests": tmp_path / "mine.toml"})
