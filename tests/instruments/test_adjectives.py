"""BAD and MWEAT against their equations written out, on made-up and on real vectors."""

import itertools
import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from support import made_of
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import Adjective, BaselineAdjective, Pack, WordPair
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

MARKED = [("alto", "alta"), ("bello", "bella"), ("sucio", "sucia"), ("listo", "lista"), ("vago", "vaga")]
UNMARKED = [("libre", "libre"), ("amable", "amable"), ("audaz", "audaz")]
SEX = [("hombre", "mujer"), ("padre", "madre"), ("rey", "reina")]
GIVEN = [("juan", "ana"), ("luis", "eva")]
COLOURS = [("rojo", "roja"), ("negro", "negra"), ("blanco", "blanca"), ("verde", "verde")]
PACK = Pack(
    lang="xx", name="X", endonym="X", scripts=("Latin",), grammatical_gender=("m", "f"),
    adjectives=tuple(
        Adjective(m, f, "male" if number % 2 else "female", "positive")
        for number, (m, f) in enumerate(MARKED + UNMARKED)
    ),
    baseline_adjectives=tuple(BaselineAdjective(m, f, "colour") for m, f in COLOURS),
    semantic_gender=tuple(WordPair(m, f) for m, f in SEX),
    names=tuple(WordPair(m, f) for m, f in GIVEN),
)  # fmt: skip
RATINGS = "word_m,word_f,rating_m,rating_f\n" + "".join(
    f"{m},{f},{3 + number % 4},{2 + number % 3}\n" for number, (m, f) in enumerate(MARKED)
)


@pytest.fixture
def table() -> dict[str, np.ndarray]:
    words = {word for pair in (*MARKED, *UNMARKED, *SEX, *GIVEN, *COLOURS) for word in pair}
    rng = np.random.default_rng(5)
    return {word: rng.normal(size=6) for word in sorted(words)}


def found(name: str, folder: Path, table: dict[str, np.ndarray], **given: object) -> list[Estimate]:
    subject = made_of(table, folder)
    tool = load_instrument(name)
    options = tool.make_options(given)
    items, _ = tool.answer(tool.items(PACK, options), subject, PACK, options)
    return list(tool.estimate(items, options).estimates)


def cosine(table: dict[str, np.ndarray], left: str, right: str) -> float:
    u, v = (table[word].astype(np.float32).astype(float) for word in (left, right))
    return float(u @ v) / math.sqrt(float(u @ u) * float(v @ v))


def similarity(table: dict[str, np.ndarray], word: str, others: list[str]) -> float:
    return sum(cosine(table, word, other) for other in others) / len(others)


def scores(
    table: dict[str, np.ndarray], adjectives: list[tuple[str, str]], attributes: list[tuple[str, str]]
) -> list[float]:
    """Equation 4 of each adjective."""
    male, female = ([pair[side] for pair in attributes] for side in (0, 1))
    return [similarity(table, m, male) - similarity(table, f, female) for m, f in adjectives]


class TestBad:
    @pytest.mark.parametrize(("test", "attributes"), [("semantic-gender", SEX), ("names", GIVEN)])
    def test_the_equations_give_the_same(
        self, tmp_path: Path, table: dict[str, np.ndarray], test: str, attributes: list[tuple[str, str]]
    ) -> None:
        rows = {row.name: row for row in found("bad", tmp_path, table) if row.test == test}
        ours, neutral = scores(table, MARKED + UNMARKED, attributes), scores(table, COLOURS, attributes)
        assert rows["statistic"].value == pytest.approx(sum(ours), abs=1e-6)
        assert rows["mean_score"].value == pytest.approx(np.mean(ours), abs=1e-6)
        assert rows["score_minus_baseline"].value == pytest.approx(np.mean(ours) - np.mean(neutral), abs=1e-6)
        assert rows["stereotype_contrast"].value == pytest.approx(np.mean(ours[1::2]) - np.mean(ours[::2]), abs=1e-6)
        assert rows["marked_minus_unmarked"].value == pytest.approx(np.mean(ours[:5]) - np.mean(ours[5:]), abs=1e-6)
        paired = stats.ttest_1samp(ours, 0)
        assert rows["paired_t"].value == pytest.approx(paired.statistic, rel=1e-4)
        assert rows["statistic"].p_value == pytest.approx(paired.pvalue, rel=1e-4)
        flips = [sum(s * v for s, v in zip(signs, ours, strict=True)) for signs in itertools.product((1, -1), repeat=8)]
        share = sum(abs(flip) >= abs(sum(ours)) - 1e-9 for flip in flips) / len(flips)
        assert rows["statistic_sign_flip"].p_two_sided == pytest.approx(share)

    def test_ratings_are_correlated_with_the_scores_of_their_adjectives(
        self, tmp_path: Path, table: dict[str, np.ndarray]
    ) -> None:
        path = tmp_path / "spain.csv"
        path.write_text(RATINGS)
        rows = [row for row in found("bad", tmp_path, table, ratings=[path]) if row.group["adjectives"] == "spain.csv"]
        by_name = {row.name: row for row in rows if row.test == "semantic-gender"}
        bias = [(3 + n % 4) - (2 + n % 3) for n in range(5)]
        r = stats.pearsonr(scores(table, MARKED, SEX), bias)
        assert by_name["pearson"].value == pytest.approx(r.statistic, abs=1e-5)
        assert by_name["pearson"].p_value == pytest.approx(r.pvalue, abs=1e-5)
        people = stats.ttest_rel([3 + n % 4 for n in range(5)], [2 + n % 3 for n in range(5)])
        assert by_name["ratings_paired_t"].value == pytest.approx(people.statistic)
        assert by_name["pearson"].n == 5

    def test_scaling_the_ratings_to_0_1_does_not_change_the_correlation(
        self, tmp_path: Path, table: dict[str, np.ndarray]
    ) -> None:
        values = []
        for name, scale in (("a.csv", 1.0), ("b.csv", 1 / 7)):
            path = tmp_path / name
            rows = [f"{m},{f},{(3 + n % 4) * scale},{(2 + n % 3) * scale}" for n, (m, f) in enumerate(MARKED)]
            path.write_text("word_m,word_f,rating_m,rating_f\n" + "\n".join(rows))
            values += [row.value for row in found("bad", tmp_path, table, ratings=[path]) if row.name == "pearson"]
        assert values[:2] == pytest.approx(values[2:])

    def test_real_russian_vectors_have_the_scores_of_plain_loops(
        self, stocked: Store, real_downloads: dict[str, Path]
    ) -> None:
        from navec import Navec

        run = measure("bad", "pkg:navec-news", store=stocked)
        navec = Navec.load(real_downloads["navec-news"] / "vectors.tar")
        from tiltmeter.packs import load_pack

        names = load_pack("ru").names
        row = run.items.filter(pl.col("test") == "names").drop_nulls("score").row(0, named=True)
        sims = [
            [float(navec.sim(row[form], getattr(pair, side).lower())) for pair in names]
            for form, side in (("masculine", "male"), ("feminine", "female"))
        ]
        assert row["score"] == pytest.approx(np.mean(sims[0]) - np.mean(sims[1]), abs=1e-5)

    def test_lost_attributes_void_the_test_and_lost_baseline_the_difference(
        self, tmp_path: Path, table: dict[str, np.ndarray]
    ) -> None:
        few = {word: row for word, row in table.items() if word not in ("juan", "rojo", "negra")}
        rows = {(row.test, row.name): row for row in found("bad", tmp_path, few)}
        assert rows["names", "statistic"].value is None
        assert rows["names", "statistic"].lost == 1
        assert rows["semantic-gender", "statistic"].value is not None
        assert rows["semantic-gender", "score_minus_baseline"].value is None

    @pytest.mark.parametrize("name", ["ratings.csv", "baseline"])
    def test_two_lists_of_one_name_are_refused(self, tmp_path: Path, name: str) -> None:
        for folder in ("spain", "mexico"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / name).write_text(RATINGS)
        with pytest.raises(TiltmeterError, match="two lists of adjectives would be called"):
            load_instrument("bad").make_options({"ratings": [tmp_path / f / name for f in ("spain", "mexico")]})

    @settings(max_examples=5)
    @given(seed=st.integers(0, 1000))
    def test_swapping_the_forms_and_the_genders_negates_it(
        self, tmp_path_factory: pytest.TempPathFactory, seed: int
    ) -> None:
        words = sorted({word for pair in (*MARKED, *UNMARKED, *SEX, *GIVEN, *COLOURS) for word in pair})
        rng = np.random.default_rng(seed)
        table = {word: rng.normal(size=6) for word in words}
        pairs = (*MARKED, *SEX, *GIVEN, *COLOURS)
        other = dict(pairs) | {f: m for m, f in pairs}
        turn = np.linalg.qr(rng.normal(size=(6, 6)))[0]
        folder = tmp_path_factory.mktemp("v")
        plain, swapped, turned = (
            {(row.test, row.name): row.value or 0 for row in found("bad", folder / part, rows)}
            for part, rows in (
                ("1", table),
                ("2", {other.get(word, word): row for word, row in table.items()}),
                ("3", {word: 3 * row @ turn for word, row in table.items()}),
            )
        )
        assert swapped == pytest.approx({key: -value for key, value in plain.items()}, rel=1e-3, abs=1e-4)
        assert turned == pytest.approx(plain, rel=1e-3, abs=1e-4)

    def test_lost_adjectives_void_the_list(self, tmp_path: Path, table: dict[str, np.ndarray]) -> None:
        few = {word: row for word, row in table.items() if word not in ("alta", "bello")}
        rows = [row for row in found("bad", tmp_path, few) if row.test == "names"]
        assert all(row.value is None for row in rows)
        assert {row.lost for row in rows} == {2}


class TestMweat:
    def test_equation_3_and_both_nulls_by_brute_force(self, tmp_path: Path, table: dict[str, np.ndarray]) -> None:
        rows = {(row.name, row.group["adjectives"]): row for row in found("mweat", tmp_path, table)}
        male, female = ([pair[side] for pair in SEX] for side in (0, 1))

        def s(word: str) -> float:
            return similarity(table, word, male) - similarity(table, word, female)

        x, y = [s(m) for m, _ in MARKED], [s(f) for _, f in MARKED]
        value = abs(abs(sum(x)) - abs(sum(y)))
        assert rows["statistic", "marked"].value == pytest.approx(value, abs=1e-6)
        swaps = []
        for swap in itertools.product((False, True), repeat=5):
            first = sum(b if swapped else a for a, b, swapped in zip(x, y, swap, strict=True))
            swaps.append(abs(abs(first) - abs(sum(x) + sum(y) - first)))
        expected = sum(other >= value - 1e-9 for other in swaps) / len(swaps)
        assert rows["statistic", "marked"].p_value == pytest.approx(expected)
        total = sum(x) + sum(y)
        splits = [abs(abs(sum(part)) - abs(total - sum(part))) for part in itertools.combinations(x + y, 5)]
        expected = sum(other >= value - 1e-9 for other in splits) / len(splits)
        assert rows["statistic_resplit", "marked"].p_value == pytest.approx(expected)

    def test_unmarked_adjectives_score_0(self, tmp_path: Path, table: dict[str, np.ndarray]) -> None:
        rows = {(row.name, row.group["adjectives"]): row for row in found("mweat", tmp_path, table)}
        assert rows["statistic", "unmarked"].value == 0
        assert rows["statistic", "unmarked"].p_value == 1


BAD_RATINGS = [
    ("word_m,word_f,rating_m\na,b,1\n", r"r.csv:1: the column 'rating_f' is missing"),
    ("word_m,word_f,rating_m,rating_f\na,b,1,2\na,b,1,2\n", r"r.csv:3: 'a' is rated twice"),
    ("word_m,word_f,rating_m,rating_f\na,b,1,2\nc,b,1,2\n", r"r.csv:3: 'b' is rated twice"),
    ("word_m,word_f,rating_m,rating_f\na,b,high,2\n", r"r.csv:2: 'rating_m' is 'high', and a number was expected"),
    ("word_m,word_f,rating_m,rating_f\n,b,1,2\n", r"r.csv:2: the cell 'word_m' is empty"),
    ("word_m,word_f,rating_m,rating_f\na,b,1,2\n", r"r.csv rates 1 adjectives; at least 3"),
    ("", r"r.csv:1: the column 'word_m' is missing"),
]


@pytest.mark.parametrize(("text", "said"), BAD_RATINGS)
def test_ratings_that_cannot_be_used_are_refused(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(TiltmeterError, match=said):
        load_instrument("bad").make_options({"ratings": [tmp_path / "r.csv"]})


def test_ratings_that_are_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TiltmeterError, match=r"none.csv is not a file"):
        load_instrument("bad").make_options({"ratings": [tmp_path / "none.csv"]})


def test_a_file_of_the_users_counts_by_its_content(stocked: Store, tmp_path: Path) -> None:
    def run(name: str, text: str) -> Run:
        (tmp_path / name).write_text(text)
        return measure("bad", "pkg:navec-news", store=stocked, ratings=[tmp_path / name])

    text = "word_m\tword_f\trating_m\trating_f\nсильный\tсильная\t5\t3\nдобрый\tдобрая\t3\t5\nумный\tумная\t4\t4\n"
    first = run("a.tsv", text)
    assert str(tmp_path) not in str(first.result.to_stored_json())
    assert first.result.options["ratings"][0]["file"] == "a.tsv"
    assert run("a.tsv", text).id == first.id
    assert run("a.tsv", text.replace("5\t3", "6\t3")).id != first.id
