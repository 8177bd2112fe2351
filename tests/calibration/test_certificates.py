"""What is made of worlds: counted, correlated, and measured a second way."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, binomtest, spearmanr

from calibration.issuing import certificate, response
from support import Command
from tiltmeter.calibration.certificate import Certificate, Outcome, Setting
from tiltmeter.calibration.certificate_page import certificate_figures, certificate_page
from tiltmeter.calibration.vector_worlds import DIMENSIONS, WAYS, WINDOW, VectorPlan, _Part, certify, counted
from tiltmeter.calibration.worlds import World
from tiltmeter.charts import svg
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_pack
from tiltmeter.results import Figure
from tiltmeter.runs import measure
from tiltmeter.store import Store
from tiltmeter.subjects.table import VectorTable
from tiltmeter.training import train_vectors

DOSES = (-1.0, 0.0, 1.0)


def small(instrument: str, lang: str) -> VectorPlan:
    return VectorPlan(
        instrument=instrument, pack=load_pack(lang), seeds=2, worlds=4, power_worlds=2, sizes=(5, 10), other_seeds=1
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("certificates")


@pytest.fixture(scope="module")
def found(folder: Path) -> Certificate:
    return certify(small("weat", "es"), Store(folder))


def made() -> Certificate:
    """Readings that are known."""
    chance = np.random.default_rng(0)
    alike = chance.normal(size=(len(DOSES), 4))
    outcomes = [
        Outcome(
            Setting(use="dose", dial="stereotype", dose=dose, seed=seed),
            {"d": (3 * dose + 0.1 * seed, 0.5, 0.5)},
            tuple({"d": (dose + alike[row, seed] + 0.5 * chance.normal(), None, None)} for _ in range(2)),
        )
        for row, dose in enumerate(DOSES)
        for seed in range(4)
    ]
    outcomes += [
        Outcome(
            Setting(use="null", dial="stereotype", dose=0.0, seed=seed), {"d": (0.0, 0.01 if seed < 30 else 0.9, 0.5)}
        )
        for seed in range(100)
    ]
    outcomes += [
        Outcome(
            Setting(use="power", dial="stereotype", dose=0.5, seed=seed, often=often),
            {"d": (0.1, 0.5, 0.001 if seed < often else 0.5)},
        )
        for often in (2, 5)
        for seed in range(10)
    ]
    outcomes += [
        Outcome(
            Setting(use="no grammar", dial="stereotype", dose=dose, seed=seed, grammar=False), {"d": (7.0, 0.5, 0.5)}
        )
        for dose in (0.0, 1.0)
        for seed in range(4)
    ]
    about = {"worlds": len(outcomes), "method": "ppmi-svd", "window": 10, "dimensions": 50, "power_dose": 0.5}
    return Certificate("weat", "2", "vectors", "es", about, tuple(outcomes))


class TestACertificate:
    def test_counts_false_positives_with_the_exact_interval(self) -> None:
        one, two = made().false_positives()
        assert (one["p"], one["worlds"], one["rejected"], one["rate"]) == ("one-sided", 100, 30, 0.3)
        exact = binomtest(30, 100).proportion_ci(0.99, "exact")
        assert one["ci"] == pytest.approx([exact.low, exact.high])
        assert one["p_adjusted"] == pytest.approx(2 * binom.sf(29, 100, 0.05))
        assert (two["p"], two["rejected"], two["p_adjusted"]) == ("two-sided", 0, 1.0)

    def test_counts_a_p_that_is_two_sided_already_once(self) -> None:
        outcomes = tuple(
            replace(one, readings={"d": (one.readings["d"][0], one.readings["d"][2], one.readings["d"][2])})
            for one in made().outcomes
        )
        (row,) = replace(made(), outcomes=outcomes).false_positives()
        assert row["p"] == "two-sided"

    def test_has_the_power_of_every_size(self) -> None:
        assert [(row["sentences"], row["rate"]) for row in made().power()] == [(2, 0.2), (5, 0.5)]

    def test_has_slope_and_correlation_of_every_seed(self) -> None:
        (row,) = made().to_json()["responses"]["stereotype"]
        assert row["slope"]["value"] == pytest.approx(3)
        assert row["rank_correlation"] == 1.0
        assert [point["value"] for point in row["by_dose"]] == pytest.approx([-2.85, 0.15, 3.15])

    def test_steps_the_correlation_of_halves_within_a_dose_up_to_the_whole(self) -> None:
        told = [one for one in made().outcomes if one.halves]
        doses = np.array([one.setting.dose for one in told])
        rest = []
        for place in (0, 1):
            values = np.array([one.halves[place]["d"][0] for one in told], dtype=float)
            rest.append(values - np.array([values[doses == dose].mean() for dose in doses]))
        r = np.corrcoef(rest)[0, 1]
        assert r > 0.2
        assert made().reliability()["d"] == pytest.approx(2 * r / (1 + r))

    def test_shows_what_a_change_of_the_world_does(self) -> None:
        rows = {(row["changed"], row["dose"]): row["value"] for row in made().robustness()}
        assert rows == pytest.approx(
            {("as it is", 0.0): 0.15, ("as it is", 1.0): 3.15, ("no grammar", 0.0): 7.0, ("no grammar", 1.0): 7.0}
        )

    def test_warns_of_a_p_of_ours_that_finds_too_much_and_of_a_measure_that_follows_nothing(self) -> None:
        told = made().to_json()
        (said,) = told["failures"]
        assert said.startswith("d: its one-sided p is at most 0.05 in 30.0% of worlds without bias (99% interval 18.9%")
        assert "| d | one-sided | 100 | **30.0%** |" in certificate_page(told)
        assert f"**{said}.**" in certificate_page(told)
        upside_down = tuple(
            replace(one, setting=replace(one.setting, dose=-one.setting.dose)) for one in made().outcomes
        )
        assert replace(made(), outcomes=upside_down).to_json()["failures"][1] == (
            "d: it follows nothing that was planted (rank correlation: stereotype -1.00)"
        )

    def test_tells_the_rate_of_a_published_p_and_does_not_warn_of_it(self) -> None:
        told = replace(made(), published=("d",)).to_json()
        assert told["failures"] == []
        assert "| d | one-sided, published | 100 | 30.0% |" in certificate_page(told)

    def test_tells_how_often_models_lean_and_does_not_warn_of_it(self) -> None:
        upside_down = tuple(
            replace(one, setting=replace(one.setting, dose=-one.setting.dose)) for one in made().outcomes
        )
        told = replace(made(), outcomes=upside_down, of_the_model=("d",)).to_json()
        assert told["failures"] == []
        assert [row["planted"] for row in told["responses"]["stereotype"]] == [False]
        assert "| d | one-sided, of the model | 100 | 30.0% |" in certificate_page(told)

    def test_names_what_to_read_instead_of_a_p_that_fails(self) -> None:
        both = tuple(replace(one, readings={**one.readings, "d_both": (0.0, 0.5, 0.5)}) for one in made().outcomes)
        first, *_ = replace(made(), outcomes=both, instead=(("d", "d_both"),)).to_json()["failures"]
        assert first.startswith("d: its one-sided p is at most 0.05 in 30.0% of worlds without bias")
        assert first.endswith("; read d_both")
        assert replace(made(), instead=(("d", "d_both"),)).to_json()["failures"] == made().to_json()["failures"]


class TestCertifying:
    def test_says_what_a_measurement_of_the_same_text_says(self, found: Certificate, tmp_path: Path) -> None:
        """The text as a file, vectors trained and measured as a user would."""
        outcome = next(one for one in found.outcomes if (one.setting.use, one.setting.dose) == ("dose", 1.0))
        world = World(pack=load_pack("es"), dose=1.0, seed=0)
        told = [[word for word in sentence if word not in world.function_words] for sentence in world.topics()]
        assert {len(words) for words in told} == {2}
        (tmp_path / "text.txt").write_text("".join(" ".join(words) + "\n" for words in told))
        folder = train_vectors(
            tmp_path / "text.txt",
            tmp_path / "vectors",
            method="ppmi-svd",
            window=WINDOW,
            dimensions=DIMENSIONS,
            min_count=1,
            lower=False,
        )
        run = measure("weat", str(folder), lang="es", store=Store(tmp_path / "cache"), match="exact")
        by_hand = {f"{one.test} {one.name}": one for one in run.result.estimates if not one.group}
        assert by_hand.keys() == outcome.readings.keys()
        for name, estimate in by_hand.items():
            value, p_value, _ = outcome.readings[name]
            assert value == pytest.approx(estimate.value, abs=1e-3)
            assert p_value == pytest.approx(estimate.p_value, abs=1e-2)

    def test_has_worlds_without_bias_of_every_kind(self, found: Certificate) -> None:
        kinds = Counter(
            (one.setting.coherent, one.setting.drawn) for one in found.outcomes if one.setting.use == "null"
        )
        assert kinds == dict.fromkeys(product((False, True), repeat=2), 4)
        told = {(row["coherent"], row["drawn"]) for row in found.false_positives()}
        assert told == set(kinds)

    @pytest.mark.parametrize("instrument", ["weat", "bad", "mweat"])
    def test_asks_what_a_measurement_asks_but_for_intervals(self, instrument: str) -> None:
        """A p of many words is drawn less often, the rest is the same."""
        pack, tool, way = load_pack("es"), load_instrument(instrument), WAYS[instrument]
        options = tool.options()
        world = World(pack=pack)
        table = VectorTable(counted(way.pairs(world), world.function_words))
        answered, _ = tool.answer(tool.items(pack, options), table, pack, options)
        whole = [row for row in tool.estimate(answered, options).estimates if "control" not in row.group]
        bare = way.estimates(answered, options)
        assert [(row.name, row.test, row.group, row.value) for row in bare] == [
            (row.name, row.test, row.group, row.value) for row in whole
        ]
        for one, other in zip(bare, whole, strict=True):
            assert one.ci_low is None
            assert one.p_value == pytest.approx(other.p_value, abs=0.05)
            assert one.p_value == other.p_value or "monte-carlo" in (one.p_method or "")

    def test_finds_what_was_planted(self, found: Certificate) -> None:
        sizes = [one.readings["career-family effect_size"][0] for one in found.outcomes if one.setting.use == "dose"]
        doses = [one.setting.dose for one in found.outcomes if one.setting.use == "dose"]
        assert spearmanr(doses, [size or 0.0 for size in sizes]).statistic > 0.8

    def test_is_not_done_again(self, found: Certificate, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tiltmeter.calibration.vector_worlds._outcome", None)
        assert certify(small("weat", "es"), Store(folder)).outcomes == found.outcomes

    def test_of_adjectives_sees_a_stereotype_in_the_contrast_and_a_lean_in_the_sum(self, folder: Path) -> None:
        told = certify(replace(small("bad", "es"), other_seeds=0), Store(folder)).to_json()["responses"]
        slopes = {(dial, row["measure"]): row["slope"]["value"] for dial, rows in told.items() for row in rows}
        assert slopes["stereotype", "semantic-gender stereotype_contrast"] > 0.3
        assert abs(slopes["lean", "semantic-gender stereotype_contrast"]) < 0.1
        assert slopes["lean", "semantic-gender statistic"] > 4
        assert abs(slopes["stereotype", "semantic-gender statistic"]) < 1

    def test_wants_an_instrument_and_worlds(self) -> None:
        with pytest.raises(TiltmeterError, match="no instrument on word vectors that can be calibrated 'becpro'"):
            VectorPlan(instrument="becpro", pack=load_pack("en"))
        with pytest.raises(TiltmeterError, match="--worlds is 1, and at least 2 are needed"):
            replace(small("weat", "en"), worlds=1)
        with pytest.raises(TiltmeterError, match="--other-seeds is -1, and cannot be below 0"):
            replace(small("weat", "en"), other_seeds=-1)
        with pytest.raises(TiltmeterError, match="at a dose above 0 and up to 1"):
            replace(small("weat", "en"), power_dose=3.0)
        pack = load_pack("en")
        with pytest.raises(TiltmeterError, match="has to have two or more sentences that mention two words"):
            replace(small("weat", "en"), pack=replace(pack, mentions=pack.mentions[:1]))

    def test_keeps_apart_what_any_list_of_a_world_changes(self) -> None:
        pack = load_pack("es")
        others = [
            replace(pack, **{name: getattr(pack, name)[:-1]})
            for name in ("occupations", "baseline_adjectives", "inanimate_nouns", "mentions", "weat")
        ]
        setting = (Setting(use="null", dial="stereotype", dose=0.0, seed=0),)
        keys = {_Part("weat", one, setting, Store(Path("nowhere"))).key for one in (pack, *others)}
        assert len(keys) == 6


class TestTheFigures:
    @staticmethod
    def drawn(*measures: str, values: Sequence[float] = ()) -> tuple[Figure, ...]:
        """Of a certificate whose measures have these means where nothing was planted, and one more with the dose."""
        rows = [
            response(measure, 1.0, seeds=3, by_dose=[point(0.0, value), point(1.0, value + 1)])
            for measure, value in zip(measures, values or range(len(measures)), strict=True)
        ]
        return tuple(certificate_figures(certificate("bad", "vectors", "es", {"stereotype": rows, "lean": rows})))

    def test_have_the_means_and_intervals_at_each_dose(self) -> None:
        first, second = self.drawn("names mean_score")
        assert ("stereotype" in first.title, "lean" in second.title) == (True, True)
        assert first.rows == (
            {"planted bias": 0.0, "measure": "names mean_score", "score": 0, "low": -1, "high": 1},
            {"planted bias": 1.0, "measure": "names mean_score", "score": 1, "low": 0, "high": 2},
        )
        assert first.caption == "Means over 3 worlds of each dose with their 95% intervals."

    def test_draw_no_measure_twice_and_no_other_scale(self) -> None:
        measures = ("T statistic", "T paired_t", "T d", "T d_again", "T e")
        figure, _ = self.drawn(*measures, values=(40, 30, 1, 1, 2))
        assert figure.order == ("T d", "T e")
        assert figure.caption.endswith("2 of 5 measures are drawn.")

    def test_draw_a_sum_where_there_is_nothing_else(self) -> None:
        assert self.drawn("T statistic")[0].order == ("T statistic",)

    def test_draw_no_more_than_colours_tell_apart(self) -> None:
        assert self.drawn(*(f"T{place} d" for place in range(9)))[0].order == tuple(f"T{place} d" for place in range(7))


def point(dose: float, value: float) -> dict[str, Any]:
    return {"dose": dose, "value": value, "ci": [value - 1, value + 1]}


def test_the_command_writes_a_certificate(told: Command, tmp_path: Path) -> None:
    sizes = ("--seeds", 2, "--worlds", 3, "--power-worlds", 2, "--other-seeds", 1)
    done = told("calibrate", "weat", "--lang", "en", *sizes, "-o", tmp_path / "c")
    assert done.returncode == 0, done.stderr
    assert "career-family effect_size_sign_flip" in done.stdout
    made = json.loads((tmp_path / "c" / "certificate.json").read_text())
    assert (made["instrument"], made["capability"], made["lang"]) == ("weat", "vectors", "en")
    page = (tmp_path / "c" / "README.md").read_text()
    (picture,) = (tmp_path / "c" / "figures").glob("*.svg")
    assert picture.name in page
    assert picture.read_text("utf-8") == svg(certificate_figures(made)[0])


def test_the_command_says_what_a_pack_lacks(told: Command, tmp_path: Path) -> None:
    done = told("calibrate", "bad", "--lang", "en", "-o", tmp_path / "c")
    assert done.returncode == 2
    assert done.stderr == (
        "tiltmeter: English has no list 'adjectives', which this world needs: English has no grammatical gender\n"
    )
    assert not (tmp_path / "c").exists()


def test_too_few_words_for_any_number_are_told_before_anything_is_made(tmp_path: Path) -> None:
    pack = load_pack("es")
    few = replace(small("bad", "es"), pack=replace(pack, adjectives=pack.adjectives[:2]))
    with pytest.raises(TiltmeterError, match="of Spanish: pack: no value: there are 2 adjectives with"):
        certify(few, Store(tmp_path))
    assert not list(tmp_path.rglob("outcomes.json"))


def test_a_certificate_of_small_models_takes_no_settings_of_others(told: Command, tmp_path: Path) -> None:
    for option in (["--epochs", "2"], ["--learning-rate", "1e-3"], ["--device", "cpu"], ["--sets", "sets"]):
        found = told("calibrate", "nli-coal", "--certificate", "--lang", "en", *option)
        assert found.returncode == 2
        assert f"are always trained alike: leave out {option[0]}" in found.stderr
