"""The whole way, on a tiny model: train, measure, correlate, keep."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.planted import base, published
from subjects.classifiers import classifier
from subjects.tiny_models import bert_of_words
from support import Command
from tiltmeter.calibration import Calibration, write_calibration
from tiltmeter.calibration.nli_coal import Plan, calibrate_nli_coal
from tiltmeter.datasets.nli_corpora import read_nli
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.runs import measure
from tiltmeter.store import Store
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.settings import Settings

EPOCHS = 4


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("calibration")
    published(made)
    base(made, Store(made / "cache"))
    return made


def plan(folder: Path, seeds: int = 2) -> Plan:
    return Plan(
        pack=load_pack("en"),
        model=str(folder / "base"),
        sets=folder / "sets",
        evaluation=folder / "asked",
        seeds=seeds,
        learning_rate=3e-3,
        epochs=EPOCHS,
    )


@pytest.fixture(scope="module")
def found(folder: Path) -> Calibration:
    return calibrate_nli_coal(plan(folder), Store(folder / "cache"))


class TestACalibration:
    def test_trains_and_measures_as_one_would_by_hand(self, folder: Path, found: Calibration, tmp_path: Path) -> None:
        store = Store(tmp_path / "cache")
        learnt = read_nli(folder / "sets" / "train" / "train_r-5.json").pairs
        settings = Settings(epochs=EPOCHS, learning_rate=3e-3, seed=1)
        model = train_nli(str(folder / "base"), learnt, tmp_path / "m", settings=settings, lang="en", store=store)
        run = measure("nli-coal", str(model), lang="en", store=store, data=folder / "asked")
        by_hand = {(one.name, one.group.get("set"), one.group.get("tau")): one.value for one in run.result.estimates}
        (score,) = (one for one in found.scores if (one.seed, one.dose) == (1, 0.5))
        assert score.values["s"] == by_hand["s", None, None]
        assert score.values["s_excess"] == by_hand["s_excess", None, None]
        for name, own in (("1 - FN", "fraction_neutral"), ("1 - NN", "net_neutral")):
            value = by_hand[own, "all", None]
            assert value is not None
            assert score.values[name] == 1 - value
        above = by_hand["threshold_neutral", "all", "0.7"]
        assert above is not None
        assert score.values["1 - T(0.7)"] == 1 - above

    def test_has_a_model_for_every_seed_and_rate(self, found: Calibration) -> None:
        assert [(one.seed, one.dose) for one in found.scores] == [(s, d) for s in (0, 1) for d in (0.0, 0.5, 1.0)]

    def test_is_answered_from_disk_when_it_is_asked_again(
        self, folder: Path, found: Calibration, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("tiltmeter.calibration.nli_coal.train_nli", None)
        again = calibrate_nli_coal(plan(folder), Store(folder / "cache"))
        assert again.scores == found.scores

    def test_removes_the_models_that_go_on_from_a_given_one(self, folder: Path, found: Calibration) -> None:
        store = Store(folder / "cache")
        assert store.models.keys() == []
        assert len(store.calibrations.keys()) == len(found.scores)
        assert {path.name for path in (store.calibrations.root / store.calibrations.keys()[0]).iterdir()} == {
            "score.json",
            "manifest.json",
        }
        assert store.runs.keys() == []

    def test_is_written_with_its_figure(self, found: Calibration, tmp_path: Path) -> None:
        write_calibration(found, tmp_path / "out")
        told = json.loads((tmp_path / "out" / "calibration.json").read_text())
        assert told["doses"] == [0.0, 0.5, 1.0]
        assert told["measures"][0]["rank_correlation"] == found.following()[0].correlation
        assert len((tmp_path / "out" / "scores.csv").read_text().splitlines()) == 1 + len(found.scores)
        page = (tmp_path / "out" / "README.md").read_text()
        assert "2 seeds cannot carry" in page
        assert "The models answer" not in page, "nothing was held out"
        (picture,) = (tmp_path / "out" / "figures").glob("*.svg")
        assert picture.name in page
        write_calibration(found, tmp_path / "out")

    def test_is_not_written_over_other_files(self, found: Calibration, tmp_path: Path) -> None:
        (tmp_path / "mine.txt").write_text("mine")
        with pytest.raises(TiltmeterError, match="holds other files"):
            write_calibration(found, tmp_path)


class TestWhatIsWrong:
    def test_a_model_that_is_no_nli_model(self, tmp_path: Path, folder: Path) -> None:
        model = bert_of_words(tmp_path / "masked", ["a", "b"])
        wrong = Plan(pack=load_pack("en"), model=str(model), sets=folder / "sets", evaluation=folder / "asked", seeds=1)
        with pytest.raises(TiltmeterError, match="is no NLI model: train it first"):
            calibrate_nli_coal(wrong, Store(tmp_path / "cache"))

    def test_options_that_do_not_go_together(self, folder: Path) -> None:
        pack = load_pack("en")
        with pytest.raises(TiltmeterError, match="--sets and --evaluation belong together"):
            Plan(pack=pack, model="m", sets=folder / "sets")
        with pytest.raises(TiltmeterError, match="published sets need a model that knows inference"):
            Plan(pack=pack, sets=folder / "sets", evaluation=folder / "asked")
        with pytest.raises(TiltmeterError, match="--seeds is 0"):
            Plan(pack=pack, seeds=0)

    def test_is_told_by_the_command_in_one_sentence(self, told: Command, tmp_path: Path) -> None:
        done = told("calibrate", "nli-coal", "--lang", "en", "--sets", tmp_path, "--evaluation", tmp_path)
        assert done.returncode == 2
        assert done.stderr == (
            "tiltmeter: published sets need a model that knows inference: name one (`tiltmeter train nli`)\n"
        )


@pytest.mark.parametrize("evaluation", ["nowhere", "file"])
def test_what_is_no_folder_of_pairs_is_said(told: Command, folder: Path, tmp_path: Path, evaluation: str) -> None:
    (tmp_path / "file").write_text("")
    given = (folder / "base", "--lang", "en", "--sets", folder / "sets", "--evaluation", tmp_path / evaluation)
    done = told("calibrate", "nli-coal", *given)
    assert done.returncode == 2
    assert done.stderr.endswith(f"{evaluation} is no folder: the one with the files of the three sets was expected\n")


def test_a_model_whose_labels_have_no_names_is_refused(folder: Path, tmp_path: Path) -> None:
    model = classifier(folder / "base", tmp_path / "unnamed", ("LABEL_0", "LABEL_1", "LABEL_2"))
    wrong = Plan(pack=load_pack("en"), model=str(model), sets=folder / "sets", evaluation=folder / "asked", seeds=1)
    with pytest.raises(TiltmeterError, match="does not name its labels"):
        calibrate_nli_coal(wrong, Store(tmp_path / "cache"))


def test_the_command_prints_what_was_found(tilt: Command, folder: Path, found: Calibration) -> None:
    given = (folder / "base", "--lang", "en", "--sets", folder / "sets", "--evaluation", folder / "asked")
    ways = ("--seeds", 2, "--learning-rate", 0.003, "--epochs", EPOCHS)
    done = tilt("calibrate", "nli-coal", *given, *ways, "--json", TILTMETER_CACHE=str(folder / "cache"))
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["scores"] == found.to_json()["scores"]


def test_on_a_ray_cluster_it_is_the_same(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, Path(__file__).parent / "by_ray.py", tmp_path],
        capture_output=True,
        text=True,
        env={**os.environ, "RAY_AUTH_MODE": "disabled", "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr
    local, ray = done.stdout.splitlines()
    assert local == ray


@pytest.mark.slow
@pytest.mark.parametrize("lang", shipped_languages())
def test_s_finds_in_a_small_model_what_was_planted(lang: str, tmp_path: Path) -> None:
    found = calibrate_nli_coal(Plan(pack=load_pack(lang), seeds=1), Store(tmp_path))
    assert min(found.about["inference_accuracy"]) > 0.9
    assert statistics.median(score.learnt or 0 for score in found.scores) > 0.8
    by_name = {one.measure: one.correlation or 0 for one in found.following()}
    assert by_name["s"] > max(0.8, by_name["1 - FN"])
