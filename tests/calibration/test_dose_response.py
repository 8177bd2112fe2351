import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from tiltmeter.calibration import Calibration, Score, cautions, cells
from tiltmeter.charts import draw

DOSES = tuple(tenth / 10 for tenth in range(11))


def made(noise: float, seeds: int = 12) -> Calibration:
    chance = np.random.default_rng(0)
    scores = [
        Score(
            seed=seed,
            dose=dose,
            learnt=0.9,
            values={
                "rises": dose + noise * chance.standard_normal(),
                "flat": 0.5,
                "noise": chance.standard_normal(),
            },
        )
        for seed in range(seeds)
        for dose in DOSES
    ]
    about = {"network": {"name": "some-model"}}
    return Calibration("nli-coal", "1", "en", ("rises", "flat", "noise"), "noise", tuple(scores), about)


class TestCorrelations:
    def test_are_means_over_seeds_of_spearmans(self) -> None:
        found = made(0.5)
        rises = found.following()[0]
        by_hand = [
            spearmanr(DOSES, [score.values["rises"] or 0.0 for score in found.scores if score.seed == seed]).statistic
            for seed in range(12)
        ]
        assert rises.correlation == pytest.approx(np.mean(by_hand))
        assert rises.lowest == pytest.approx(min(by_hand))
        assert rises.interval is not None
        t = 2.200985160082949  # of 11 degrees of freedom, from a table
        margin = t * np.std(by_hand, ddof=1) / math.sqrt(12)
        assert rises.interval.low == pytest.approx(np.mean(by_hand) - margin, abs=0.05)
        assert rises.interval.high <= 1

    def test_of_what_never_moves_is_nothing_and_is_counted(self) -> None:
        flat = made(0.1).following()[1]
        assert (flat.correlation, flat.unrelated) == (0.0, 12)
        assert "no relation at all in 12 seeds" in cells(flat)[0]

    def test_that_cannot_be_had_are_open(self) -> None:
        found = made(0.1)
        scores = tuple(
            Score(seed=one.seed, dose=one.dose, learnt=None, values={**one.values, "rises": None}) if n == 7 else one
            for n, one in enumerate(found.scores)
        )
        rises = Calibration("i", "1", "en", found.measures, "noise", scores, {}).following()[0]
        assert rises.correlation is None
        assert cells(rises)[1] == ""


class TestDifferences:
    def test_are_paired_over_seeds(self) -> None:
        found = made(0.3)
        rises = found.following()[0]
        shifts = found.correlations["rises"] - found.correlations["noise"]
        assert rises.difference == pytest.approx(shifts.mean())
        chance = np.random.default_rng(5)
        drawn = chance.choice(shifts, (20_000, 12))
        pulls = (drawn.mean(axis=1) - shifts.mean()) / (drawn.std(axis=1, ddof=1) / math.sqrt(12))
        error = shifts.std(ddof=1) / math.sqrt(12)
        assert rises.difference_interval is not None
        assert rises.difference_interval.low == pytest.approx(
            shifts.mean() - np.quantile(pulls, 0.975) * error, abs=0.03
        )
        assert rises.difference_interval.high == pytest.approx(
            shifts.mean() - np.quantile(pulls, 0.025) * error, abs=0.03
        )
        assert (shifts > 0).all()
        assert rises.p_value == pytest.approx(2 / 2**12)

    def test_of_a_measure_from_itself_there_is_none(self) -> None:
        assert made(0.3).following()[2].difference is None

    def test_have_no_interval_with_one_seed(self) -> None:
        rises = made(0.3, seeds=1).following()[0]
        assert rises.correlation is not None
        assert (rises.interval, rises.difference) == (None, None)


def test_few_seeds_are_said_to_be_too_few() -> None:
    assert cautions(made(0.1, seeds=3))[0].startswith("3 seeds cannot carry")
    assert not [said for said in cautions(made(0.1)) if "cannot carry" in said]


def test_what_is_known_of_an_interval_is_said_with_it() -> None:
    found = made(0.0)
    assert "rises, flat: all values are equal: their spread is unknown." in cautions(found)
    (rises,) = (row for row in found.to_json()["measures"] if row["measure"] == "rises")
    assert rises["ci_caution"] == "all values are equal: their spread is unknown"
    assert rises["difference_ci_method"] == "bootstrap-t"


def test_models_that_did_not_learn_are_counted() -> None:
    found = made(0.1)
    scores = tuple(replace(score, learnt=0.4) if score.dose == 0 else score for score in found.scores)
    (said,) = (said for said in cautions(replace(found, scores=scores)) if "taught" in said)
    assert said.startswith("12 models of 132 answer fewer than three in four unseen pairs as they were taught")


def test_p_is_corrected_over_all_differences_and_never_printed_as_0() -> None:
    by_name = {one.measure: one for one in made(0.1, seeds=20).following()}
    assert by_name["rises"].p_adjusted == pytest.approx(2 * (by_name["rises"].p_value or 0))
    assert cells(by_name["rises"])[-1] == "<0.0001"


def test_the_figure_has_a_point_for_every_dose_and_measure() -> None:
    figure = made(0.2).figure()
    assert len(figure.rows) == 33
    first = figure.rows[0]
    values = [score.values["rises"] for score in made(0.2).scores if score.dose == 0]
    assert first["score"] == pytest.approx(np.mean([value for value in values if value is not None]))
    assert first["low"] < first["score"] < first["high"]
    assert draw(figure).to_dict()["datasets"]
    assert {row["measure"] for row in replace(made(0.2), drawn=("flat",)).figure().rows} == {"flat"}
