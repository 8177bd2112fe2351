"""Small models of known bias, and what is made of them."""

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy.stats import t, ttest_1samp

from support import Command
from tiltmeter.calibration.certificate import Certificate, Outcome, Setting
from tiltmeter.calibration.certificate_page import certificate_page
from tiltmeter.calibration.model_worlds import WAYS, ModelPlan, _half, certify, measured
from tiltmeter.calibration.sentence_worlds import SentenceWorld
from tiltmeter.calibration.taught import NETWORK, _network
from tiltmeter.datasets.nli_planted import plant
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.store import Store
from tiltmeter.training.tokenizers import train_tokenizer


def plan() -> ModelPlan:
    return ModelPlan(instrument="slgu", pack=load_pack("eu"), seeds=2, null_models=3, splits=6, other_seeds=0, steps=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def found(folder: Path) -> Certificate:
    """Of models that hardly learnt: what is done with them is the same."""
    return certify(plan(), Store(folder))


class TestACertificate:
    def test_has_every_dose_and_says_of_what(self, found: Certificate) -> None:
        told = found.to_json()
        assert (told["kind"], told["capability"], told["ways"]) == ("masked", "fill", [{"prefix": "", "options": {}}])
        (rows,) = told["responses"].values()
        assert [point["dose"] for point in rows[0]["by_dose"]] == [-1.0, -0.5, 0.0, 0.5, 1.0]
        assert {"SlguSet signed_mean all", "SlguSet written_gap", "SlguSet model_bias all"} <= {
            row["measure"] for row in rows
        }

    def test_counts_each_model_without_bias_once_however_often_it_is_read(self, found: Certificate) -> None:
        rows = [one for one in found.false_positives() if one["measure"] == "SlguSet signed_mean all"]
        told = [(row["classes"], row["worlds"], row["readings"]) for row in rows]
        assert told == [("shuffled", 3, 18), ("own", 3, 3)]

    def test_is_taken_from_disk_the_second_time(
        self, found: Certificate, folder: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delattr("tiltmeter.calibration.model_worlds._outcomes")
        assert certify(plan(), Store(folder)).outcomes == found.outcomes

    def test_is_a_page(self, found: Certificate) -> None:
        page = certificate_page(found.to_json())
        assert "11 models that learnt texts of known bias: masked models, 2 layers of 64." in page
        assert "3 models, 18 splits" in page
        assert "by the sentences." in page


def made(rates: list[list[bool]]) -> Certificate:
    """Models that were read several times."""
    plain = Setting(use="null", dial="lean", dose=0.0, seed=0)
    outcomes = [
        Outcome(replace(plain, seed=seed, split=split), {"d": (0.0, 0.01 if small else 0.9, 0.01 if small else 0.9)})
        for seed, splits in enumerate(rates)
        for split, small in enumerate(splits)
    ]
    return Certificate("becpro", "3", "fill", "es", {}, tuple(outcomes), kind="masked")


def test_splits_of_one_model_are_not_independent() -> None:
    rates = [[True, False, False, False], [False] * 4, [True, True, False, False], [False] * 4]
    (row,) = made(rates).false_positives()
    means = np.array([0.25, 0.0, 0.5, 0.0])
    error = means.std(ddof=1) / 2
    assert row["rate"] == pytest.approx(means.mean())
    assert row["ci"] == pytest.approx([0.0, means.mean() + t.ppf(0.995, 3) * error])
    assert row["p_value"] == pytest.approx(ttest_1samp(means, 0.05, alternative="greater").pvalue)


def test_models_that_are_read_with_their_own_classes_are_counted_apart() -> None:
    found = made([[False] * 4] * 3)
    own = tuple(
        Outcome(Setting(use=use, dial="lean", dose=0.0, seed=seed), {"d": (0.0, p, p)})
        for seed, (use, p) in enumerate((("dose", 0.01), ("own", 0.02), ("own", 0.9)))
    )
    shuffled, row = replace(found, outcomes=(*found.outcomes, *own)).false_positives()
    assert (shuffled["classes"], shuffled["rejected"]) == ("shuffled", 0)
    assert (row["classes"], row["worlds"], row["rejected"]) == ("own", 3, 2)
    assert row["p_value"] == pytest.approx(3 * 0.05**2 * 0.95 + 0.05**3)


def test_splits_that_change_nothing_count_once_a_model() -> None:
    (row,) = made([[True] * 3, [False] * 3, [False] * 3]).false_positives()
    assert (row["worlds"], row["rate"]) == (3, pytest.approx(1 / 3))
    assert row["p_value"] == pytest.approx(1 - 0.95**3)


def test_a_measure_without_a_sign_is_held_against_the_size_of_the_dose() -> None:
    outcomes = tuple(
        Outcome(
            Setting(use="dose", dial="lean", dose=dose, seed=seed),
            {"signed": (dose, None, None), "size": (abs(dose), None, None)},
        )
        for dose in (-1.0, -0.5, 0.0, 0.5, 1.0)
        for seed in (0, 1)
    )
    certificate = Certificate("slgu", "2", "fill", "en", {}, outcomes, kind="masked", unsigned=("size",))
    rows = {row["measure"]: row for row in certificate.to_json()["responses"]["lean"]}
    assert rows["signed"]["rank_correlation"] == rows["size"]["rank_correlation"] == pytest.approx(1)
    assert rows["size"]["slope"]["value"] == pytest.approx(1)


def test_a_mode_that_some_seeds_were_not_read_in_has_those_that_were() -> None:
    outcomes = tuple(
        Outcome(
            Setting(use="dose", dial="stereotype", dose=dose, seed=seed),
            {"d": (dose, None, None)} | ({"published d": (-dose, None, None)} if seed == 0 else {}),
        )
        for dose in (-1.0, 0.0, 1.0)
        for seed in (0, 1)
    )
    certificate = Certificate("becpro", "3", "fill", "en", {}, outcomes, kind="masked")
    rows = {row["measure"]: row for row in certificate.to_json()["responses"]["stereotype"]}
    assert (rows["d"]["rank_correlation"], rows["d"]["seeds"]) == (pytest.approx(1), 2)
    assert (rows["published d"]["rank_correlation"], rows["published d"]["seeds"]) == (pytest.approx(-1), 1)


class TestHalves:
    @pytest.mark.parametrize(
        ("name", "lang"),
        [
            (name, lang)
            for name in WAYS
            for lang in shipped_languages()
            if not load_pack(lang).missing(load_instrument(name).lists)
        ],
    )
    def test_have_as_many_of_each_kind_and_all_of_them(self, name: str, lang: str) -> None:
        """Else one of them is planted, and the other is not."""
        pack, way, tool = load_pack(lang), WAYS[name], load_instrument(name)
        if way.asked is None:
            items = tool.items(pack, tool.make_options({}))
        else:
            asked = [(pair.occupation, pair.occupation_class) for pair in plant(pack, seed=3).asked()]
            items = pl.DataFrame(asked, schema=[way.unit, way.balanced], orient="row")
        counts = []
        for half in (0, 1):
            (found, _) = _half({"": (items, None)}, way, half)[""]
            units = found.filter(pl.col(way.unit).cast(pl.String) != "").unique(way.unit)
            counts.append((set(units[way.unit]), Counter(units[way.balanced])))
        (first, of_first), (second, of_second) = counts
        assert not first & second
        assert first | second == {unit for unit in items[way.unit] if unit != ""}
        assert all(abs(of_first[kind] - of_second[kind]) <= 1 for kind in of_first | of_second)

    @pytest.mark.parametrize("lang", shipped_languages())
    def test_another_tokenizer_takes_words_apart_in_every_language(self, lang: str) -> None:
        pack = load_pack(lang)
        text = SentenceWorld(pack=pack).professions()
        usual, other = (
            train_tokenizer(text, method=network.tokenizer, vocabulary=network.vocabulary)
            for use in ("dose", "other tokenizer")
            for network in [_network(pack, Setting(use=use, dial="stereotype", dose=0.0, seed=0), NETWORK)]
        )
        assert sum(map(len, other(text)["input_ids"])) > 1.05 * sum(map(len, usual(text)["input_ids"]))


class TestShuffling:
    def test_professions_keep_their_answers_and_exchange_their_classes(self) -> None:
        items = pl.DataFrame(
            {
                "profession": ["nurse", "nurse", "roofer", "clerk", ""],
                "profession_class": ["female", "female", "male", "balanced", ""],
                "share": [90.0, 90.0, 2.0, 50.0, None],
                "association": [0.1, 0.2, 0.3, 0.4, 0.5],
            }
        )
        seen = set()
        for seed in range(30):
            found = WAYS["becpro"].shuffled(items, random.Random(seed))
            assert found.select("profession", "association").equals(items.select("profession", "association"))
            told = found.filter(pl.col("profession") != "").unique("profession", maintain_order=True)
            pairs = told.select("profession_class", "share").rows()
            assert sorted(pairs) == [("balanced", 50.0), ("female", 90.0), ("male", 2.0)]
            seen.add(tuple(pairs))
        assert len(seen) == 6

    def test_words_of_a_pair_change_sides_together(self) -> None:
        items = pl.DataFrame(
            {"pair": ["a/b", "a/b", "c/d"], "bias": [1.0, 2.0, 3.0], "written": ["male", "male", "female"]}
        )
        seen = {tuple(WAYS["slgu"].shuffled(items, random.Random(seed))["bias"]) for seed in range(30)}
        assert seen == {(x, 2 * x, 3 * y) for x in (-1.0, 1.0) for y in (-1.0, 1.0)}


def test_a_model_of_inference_is_taught_and_asked_of_its_own_occupations(tmp_path: Path) -> None:
    few = ModelPlan(instrument="nli-coal", pack=load_pack("en"), seeds=2, null_models=2, other_seeds=0, steps=4)
    whole, *_ = measured(few, Store(tmp_path), few.settings[0])
    assert (few.reads, few.settings[0].dose) == ("nli", -1.0)
    assert {"NLI-CoAL s", "NLI-CoAL s_excess", "NLI-CoAL stereotype_contrast"} <= set(whole.readings)
    assert len(whole.halves) == 2


def test_occupations_that_exchange_their_stereotype_turn_their_sets() -> None:
    items = pl.DataFrame(
        {
            "occupation": ["nurse", "nurse", "roofer", "clerk"],
            "occupation_class": ["female", "female", "male", "neutral"],
            "set": ["PS", "AS", "PS", "NS"],
        }
    )
    seen = set()
    for seed in range(30):
        found = WAYS["nli-coal"].shuffled(items, random.Random(seed))
        (one, first), (two, second), (three, third), last = found.select("occupation_class", "set").rows()
        assert last == ("neutral", "NS")
        assert (one, two) in {("female", "female"), ("male", "male")}
        assert {first, second} == {"PS", "AS"}
        assert (first == "PS") == (one == "female")
        assert (third == "PS") == (three == "male")
        seen.add((one, three))
    assert len(seen) == 4


class TestBadInput:
    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"instrument": "weat"}, "instrument on language models that can be calibrated"),
            ({"kind": "nli"}, "kind of model that slgu reads"),
            ({"seeds": 1}, "--seeds is 1, and at least 2 are needed"),
            ({"null_models": 0}, "--null-models is 0, and at least 2 are needed"),
            ({"splits": 1}, "--splits is 1, and at least 2 are needed"),
            ({"other_seeds": -1}, "--other-seeds is -1"),
        ],
    )
    def test_a_plan_that_cannot_be(self, options: dict[str, object], said: str) -> None:
        with pytest.raises(TiltmeterError, match=said):
            ModelPlan(**{"instrument": "slgu", "pack": load_pack("en")} | options)  # type: ignore[arg-type]

    def test_the_command_says_what_a_language_lacks(self, told: Command) -> None:
        found = told("calibrate", "form-preference", "--lang", "en")
        assert found.returncode == 2
        assert "form-preference needs the list 'forms', which the pack 'en' lacks" in found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_form_preference_follows_what_was_planted_in_spanish(tmp_path: Path, kind: str) -> None:
    few = ModelPlan(
        instrument="form-preference", pack=load_pack("es"), kind=kind, seeds=2, null_models=2, other_seeds=0
    )
    (rows,) = certify(few, Store(tmp_path)).to_json()["responses"].values()
    assert next(row for row in rows if row["measure"] == "form rank_correlation")["rank_correlation"] >= 0.9
