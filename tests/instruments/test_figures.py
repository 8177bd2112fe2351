"""The papers' figures: every number is one of the items table, computed here in plain loops; and all are drawn."""

import colorsys
import json
import random
from collections.abc import Iterable
from pathlib import Path
from statistics import fmean, median
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from tiltmeter import charts
from tiltmeter.datasets.becpro import own_professions
from tiltmeter.instruments import load_instrument
from tiltmeter.instruments._becpro_figures import asked_words
from tiltmeter.packs import load_pack
from tiltmeter.results import Figure

PROFESSIONS = {
    "nurse": ("female", 90.0),
    "secretary": ("female", 93.5),
    "baker": ("balanced", 50.0),
    "judge": ("balanced", None),
    "mason": ("male", 2.0),
    "roofer": ("male", 3.0),
}


def figures(name: str, items: pl.DataFrame, **given: object) -> dict[str, Figure]:
    tool = load_instrument(name)
    found = tool.estimate(items, tool.make_options(given)).figures
    assert all("datasets" in charts.specification(figure) for figure in found)
    return {figure.kind: figure for figure in found}


def mean(values: Iterable[float]) -> float:
    return pytest.approx(fmean(values))  # type: ignore[return-value]


class TestBecpro:
    @pytest.fixture
    def items(self) -> pl.DataFrame:
        rng = random.Random(4)
        return pl.DataFrame(
            [
                {
                    "template": template,
                    "person": gender,
                    "person_gender": gender,
                    "profession": profession,
                    "profession_class": name,
                    "field": "",
                    "share": share,
                    "informative": True,
                    "leak": "",
                    "association": rng.gauss(0, 1),
                    "masked_target": f"[MASK] is a {profession}.",
                    "masked_both": "[MASK] is a [MASK].",
                }
                for profession, (name, share) in PROFESSIONS.items()
                for template in ("is", "works-as")
                for gender in ("female", "male")
                for _ in range(3)
            ],
            schema_overrides={"share": pl.Float64},
        )

    def association(self, items: pl.DataFrame, **wanted: str) -> list[float]:
        rows = items.iter_rows(named=True)
        return [row["association"] for row in rows if all(row[key] == value for key, value in wanted.items())]

    def test_the_first_is_the_one_by_class_and_every_figure_of_the_paper_is_there(self, items: pl.DataFrame) -> None:
        assert list(figures("becpro", items)) == ["intervals", "scatter", "box", "heat", "sorted"]

    def test_the_scatter_sets_each_profession_against_the_share_of_women(self, items: pl.DataFrame) -> None:
        figure = figures("becpro", items)["scatter"]
        found = {row[str(figure.label)]: (row[figure.x], row[figure.y], row[str(figure.colour)]) for row in figure.rows}
        assert found == {
            name: (
                share,
                pytest.approx(
                    fmean(self.association(items, profession=name, person_gender="female"))
                    - fmean(self.association(items, profession=name, person_gender="male"))
                ),
                profession_class,
            )
            for name, (profession_class, share) in PROFESSIONS.items()
            if share is not None
        }

    def test_the_boxes_are_the_quarters_of_the_associations(self, items: pl.DataFrame) -> None:
        figure = figures("becpro", items)["box"]
        assert len(figure.rows) == 6
        for row in figure.rows:
            name = row["professions"].removesuffix("-typed")
            values = self.association(items, profession_class=name, person_gender=row["person_gender"])
            assert row[figure.x] == pytest.approx(median(values))
            assert (row["q25"], row["q75"]) == pytest.approx(tuple(np.percentile(values, (25, 75))))
            assert (row[str(figure.low)], row[str(figure.high)]) == (min(values), max(values))

    def test_the_heat_map_has_a_cell_for_each_template_and_class(self, items: pl.DataFrame) -> None:
        figure = figures("becpro", items)["heat"]
        assert len(figure.rows) == 6
        for row in figure.rows:
            cell = {"template": row["template"], "profession_class": row["professions"].removesuffix("-typed")}
            female, male = (self.association(items, person_gender=gender, **cell) for gender in ("female", "male"))
            assert row[str(figure.colour)] == pytest.approx(fmean(female) - fmean(male))

    def test_a_gender_has_one_colour_whether_of_persons_or_of_professions(self, items: pl.DataFrame) -> None:
        found = figures("becpro", items)
        domains = {kind: colours_of(found[kind]) for kind in ("box", "scatter", "sorted")}
        assert domains["box"] == domains["scatter"] == domains["sorted"]
        # And where the heat map shades what draws men blue, men are blue.
        for theme in charts.THEMES.values():
            low, _, high = theme["range"]["diverging"]
            colours = dict(zip(domains["box"], theme["range"]["category"], strict=False))
            assert hue(colours["male"]) == pytest.approx(hue(low), abs=0.06)
            assert hue(colours["female"]) == pytest.approx(hue(high), abs=0.06)

    def test_professions_are_named_as_they_were_asked_for(self) -> None:
        """By the lists of each pack, whose professions have English ids."""
        for lang in ("zh", "ja", "de", "es", "ru"):
            pack = load_pack(lang)
            tool = load_instrument("becpro")
            words = asked_words(tool.items(pack, tool.options()))
            for entry in own_professions(pack):
                both = f"{entry.masculine}/{entry.feminine}" if entry.feminine else entry.masculine
                assert words[entry.id] in (both, f"{both} ({entry.id})")
            assert len(set(words.values())) == len(words)
        own = pl.DataFrame(
            [
                ("a", "male", "[MASK] is a cook.", "[MASK] is a [MASK]."),
                ("b", "male", "a cook [MASK]", "a [MASK] [MASK]"),
            ],
            schema=["profession", "person_gender", "masked_target", "masked_both"],
            orient="row",
        )
        assert asked_words(own) == {"a": "cook (a)", "b": "cook (b)"}

    def test_the_scatter_says_the_word_and_keeps_the_id(self, items: pl.DataFrame) -> None:
        german = items.with_columns(masked_target=pl.col("masked_target").str.replace("nurse", "Pfleger"))
        rows = figures("becpro", german)["scatter"].rows
        assert {row["id"]: row["profession"] for row in rows}["nurse"] == "Pfleger"
        assert "id" not in figures("becpro", items)["scatter"].rows[0]

    def test_without_shares_there_is_no_scatter(self, items: pl.DataFrame) -> None:
        assert "scatter" not in figures("becpro", items.with_columns(share=pl.lit(None, pl.Float64)))


def test_form_preference_is_set_against_the_share_of_women() -> None:
    rng = random.Random(2)
    items = pl.DataFrame(
        [
            {
                "test": "form",
                "kind": kind,
                "frame": frame,
                "profession": profession,
                "profession_class": name,
                "share": share,
                "log_odds": rng.gauss(0, 1),
                "sentence": f"I work as {profession}.",
                "feminine": f"{profession}.f",
                "masculine": f"{profession}.m",
            }
            for profession, (name, share) in PROFESSIONS.items()
            for frame in ("one", "two")
            for kind in ("test", "content-free")
        ],
        schema_overrides={"share": pl.Float64},
    )
    odds = {(row["profession"], row["frame"], row["kind"]): row["log_odds"] for row in items.iter_rows(named=True)}
    found = figures("form-preference", items)
    assert list(found) == ["scatter", "sorted"]
    figure = found["scatter"]
    assert {row["profession"]: (row[figure.x], row[figure.y]) for row in figure.rows} == {
        f"{name}.m/{name}.f": (
            share,
            mean(odds[name, frame, "test"] - odds[name, frame, "content-free"] for frame in ("one", "two")),
        )
        for name, (_, share) in PROFESSIONS.items()
        if share is not None
    }


def test_where_a_verb_is_asked_the_profession_is_named_as_its_sentence_has_it() -> None:
    from tiltmeter.instruments.form_preference import _asked_words

    pack, tool = load_pack("ru"), load_instrument("form-preference")
    items = tool.items(pack, tool.options())
    nouns = {entry.id: entry.masculine for entry in pack.professions}
    words = _asked_words(items.filter(pl.col("test") == "agreement"))
    assert len(words) > 10
    assert words == {name: nouns[name] for name in words}


def colours_of(figure: Figure) -> list[str]:
    """What the figure's colours stand for, in the order of the theme's colours."""
    layers = json.loads(charts.specification(figure))["layer"]
    return next(layer["encoding"]["color"]["scale"]["domain"] for layer in layers if "color" in layer["encoding"])


def hue(colour: str) -> float:
    return colorsys.rgb_to_hls(*(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)))[0]


class TestBad:
    @pytest.fixture
    def items(self) -> pl.DataFrame:
        rng = random.Random(3)
        rows = []
        for source, count in (("pack", 20), ("baseline", 10), ("rated.csv", 12)):
            for number in range(count):
                male, female = rng.gauss(0.3, 0.1), rng.gauss(0.2, 0.1)
                rated = source == "rated.csv"
                rows.append(
                    {
                        "test": "names",
                        "adjectives": source,
                        "masculine": f"{source}{number}o",
                        "feminine": f"{source}{number}a" if number else f"{source}{number}o",
                        "stereotype": "" if source != "pack" else ("female", "male")[number % 2],
                        "valence": "",
                        "marked": number > 3,
                        "masculine_to_male": male,
                        "feminine_to_female": female,
                        "pairs": 5,
                        "pairs_found": 5,
                        "score": male - female,
                        "rating_m": rng.uniform(1, 5) if rated else None,
                        "rating_f": rng.uniform(1, 5) if rated else None,
                    }
                )
        return pl.DataFrame(rows, schema_overrides={"rating_m": pl.Float64, "rating_f": pl.Float64})

    def test_the_histogram_counts_every_adjective_once_and_both_lists_share_their_bins(
        self, items: pl.DataFrame
    ) -> None:
        figure = figures("bad", items.filter(pl.col("adjectives") != "rated.csv"))["histogram"]
        for source, count in (("pack", 20), ("baseline", 10)):
            scores = items.filter(pl.col("adjectives") == source)["score"].to_list()
            bars = [row for row in figure.rows if row[str(figure.colour)] == source]
            last = bars[-1][str(figure.high)]
            for row in bars:
                low, high = row[figure.x], row[str(figure.high)]
                inside = sum(low <= score < high or score == high == last for score in scores)
                assert row[figure.y] == pytest.approx(inside / count)
            assert sum(row[figure.y] for row in bars) == pytest.approx(1)
        edges = {(row[figure.x], row[str(figure.high)]) for row in figure.rows}
        assert len(edges) == len(figure.rows) / 2

    def test_scores_are_set_against_what_people_said_where_they_said_it(self, items: pl.DataFrame) -> None:
        found = figures("bad", items)
        assert "scatter" not in figures("bad", items.filter(pl.col("adjectives") != "rated.csv"))
        figure = found["scatter"]
        rated = [row for row in items.iter_rows(named=True) if row["rating_m"] is not None]
        assert len(figure.rows) == len(rated) == 12
        assert [(row[figure.x], row[figure.y]) for row in figure.rows] == [
            (pytest.approx(row["rating_m"] - row["rating_f"]), row["score"]) for row in rated
        ]
        assert [row[str(figure.label)] for row in figure.rows][:2] == ["rated.csv0o", "rated.csv1o/rated.csv1a"]


def test_kurita_says_which_group_of_targets_an_attribute_draws() -> None:
    drawn = {("she", "poem"): 2.0, ("he", "poem"): 0.5, ("she", "stone"): -1.0, ("he", "stone"): 1.5}
    items = pl.DataFrame(
        [
            {
                "template": "t",
                "attribute": attribute,
                "attribute_group": "things",
                "target": target,
                "target_group": {"she": "female", "he": "male"}[target],
                "association": value,
            }
            for (target, attribute), value in drawn.items()
        ]
    )
    (figure,) = load_instrument("kurita").estimate(items, SimpleNamespace(seed=0)).figures
    assert figure.x == "difference in association: ← male | female →"
    assert {row["attribute"]: row[figure.x] for row in figure.rows} == {"poem": 1.5, "stone": -2.5}


@pytest.mark.parametrize(
    ("name", "axis"),
    [
        ("rnd", "lean: ← first topic female | male →"),
        ("ripa", "lean: ← first topic female | male →"),
        ("ect", "coherence: ← worse | neutral →"),
        ("mac", "mac: 1 is neutral"),
        ("rnsb", "kl: ← neutral | worse →"),
    ],
)
def test_measures_of_words_say_how_their_axis_is_read(
    name: str, axis: str, tmp_path: Path, real_downloads: dict[str, Path]
) -> None:
    from support import stock
    from tiltmeter.runs import measure
    from tiltmeter.store import Store

    store = stock(Store(tmp_path), real_downloads, "navec-news")
    (figure,) = measure(name, "pkg:navec-news", store=store).result.figures
    assert figure.x == axis
    assert figure.caption.lower() == f"{load_instrument(name).reading}.".lower()
    assert all(isinstance(row[axis], float) for row in figure.rows)


def test_files_for_a_paper_come_out_of_a_run_of_real_vectors(tmp_path: Path, real_downloads: dict[str, Path]) -> None:
    from support import stock
    from tiltmeter.runs import measure
    from tiltmeter.store import Store

    run = measure("bad", "pkg:navec-news", store=stock(Store(tmp_path / "cache"), real_downloads, "navec-news"))
    written = charts.write_figures(run.result.figures, tmp_path / "figures")
    assert len(written) - 1 == 3 * len(run.result.figures) == 12
    assert written[-1].read_text("utf-8").count("\nAbove 0 an adjective leans male, below 0 female.") == 4
    assert written[0].name == "01-bad-scores-semantic-gender-adjectives-of-pack.svg"
