"""The certificates that ship, and what they say of one measure."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from calibration.issuing import certificate, false_positive, issue, response
from tiltmeter.calibration.issued import FOLDER, all_issued, issued, issued_version
from tiltmeter.calibration.naming import measure_key
from tiltmeter.calibration.ranking import ranking
from tiltmeter.calibration.recovery import recoveries
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import shipped_languages
from tiltmeter.results import Estimate

WEAT = load_instrument("weat").version


def row(test: str, name: str, **group: str) -> Estimate:
    return Estimate(test=test, name=name, value=1.0, worse="away", neutral=0, group=group)


def test_a_measure_is_called_by_its_way_test_name_and_groups() -> None:
    assert measure_key(row("E1", "effect_size")) == "E1 effect_size"
    assert measure_key(row("BEC-Pro", "f_minus_m", profession_class="all"), "published") == (
        "published BEC-Pro f_minus_m all"
    )
    assert measure_key(row("names", "statistic", source="pack", adjectives="male")) == "names statistic male"
    assert measure_key(row("grammar", "effect_size", control="grammatical gender")) == ""


class TestIssued:
    def test_it_is_that_of_instrument_kind_language_and_version(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        issue(tmp_path, monkeypatch, certificate("weat", "vectors", "en", {"stereotype": [response("E1 d", 1.0)]}))
        found = issued("weat", WEAT, "vectors", "en")
        assert found == json.loads((tmp_path / "weat-vectors-en.json").read_text())
        assert issued("weat", WEAT, "vectors", "en") is found
        assert all_issued() == [found]
        for other in (("weat", WEAT, "vectors", "ru"), ("weat", WEAT, "masked", "en"), ("bad", WEAT, "vectors", "en")):
            assert issued(*other) is None
            assert issued_version(other[0], other[2], other[3]) is None

    def test_one_of_another_version_is_none_and_is_told_apart(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        issue(tmp_path, monkeypatch, certificate("weat", "vectors", "en", {}, version="0"))
        assert issued("weat", WEAT, "vectors", "en") is None
        assert issued_version("weat", "vectors", "en") == "0"

    def test_a_name_leads_to_no_other_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        inner = tmp_path / "inner"
        inner.mkdir()
        issue(tmp_path, monkeypatch, certificate("weat", "vectors", "en", {}))
        issue(inner, monkeypatch)
        for lang in ("../weat-vectors-en", "\0", "x" * 5000):
            assert issued("weat", WEAT, "vectors", lang) is None
            assert issued("../weat", WEAT, "vectors", "en") is None

    @pytest.mark.parametrize(
        ("content", "why"),
        [
            ("{", "it cannot be read"),
            ("[]", "there is no 'instrument'"),
            (json.dumps(certificate("weat", "vectors", "en", {}) | {"ways": None}), "there is no 'ways'"),
            (json.dumps(certificate("weat", "vectors", "ru", {})), "it is that of weat-vectors-ru"),
        ],
    )
    def test_a_damaged_one_is_said_in_a_sentence(
        self, content: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        issue(tmp_path, monkeypatch)
        (tmp_path / "weat-vectors-en.json").write_text(content)
        for ask in (all_issued, lambda: issued("weat", WEAT, "vectors", "en")):
            with pytest.raises(TiltmeterError, match=f"weat-vectors-en.json is damaged: {why}"):
                ask()

    def test_every_one_that_ships_is_whole(self) -> None:
        for found in all_issued():
            assert recoveries(found)
            assert {tuple(sorted(way)) for way in found["ways"]} == {("options", "prefix")}
        assert (FOLDER / "README.md").is_file()

    def test_there_is_one_of_this_version_in_every_language_that_an_instrument_serves(self) -> None:
        kinds = {"weat": "vectors", "bad": "vectors", "mweat": "vectors", "nli-coal": "nli"}
        kinds |= dict.fromkeys(("becpro", "form-preference", "slgu"), "masked")
        gendered = ("bad", "mweat", "form-preference")
        wanted = {
            (name, load_instrument(name).version, kind, lang)
            for name, kind in kinds.items()
            for lang in (("de", "es", "ru") if name in gendered else shipped_languages())
        }
        there = {(one["instrument"], one["version"], one["kind"], one["lang"]) for one in all_issued()}
        assert wanted <= there
        more = {(name, load_instrument(name).version) for name in ("becpro", "form-preference")}
        assert {(name, version) for name, version, kind, _ in there - wanted if kind == "causal"} == more
        assert {kind for _, _, kind, _ in there - wanted} == {"causal"}

    def test_in_every_language_some_number_of_each_capability_follows(self) -> None:
        best = {(row.capability, row.lang) for row in ranking(all_issued()) if row.follows}
        assert best == {(asked, lang) for asked in ("vectors", "fill", "entail") for lang in shipped_languages()}

    def test_it_is_read_without_what_only_measuring_needs(self) -> None:
        code = "import sys, tiltmeter.calibration.issued; print({'torch', 'gensim', 'scipy.stats'} & set(sys.modules))"
        told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert told.stdout.strip() == "set()"


class TestRecovery:
    def test_the_dial_that_is_followed_best_and_the_worst_p_count(self) -> None:
        found = recoveries(
            certificate(
                "bad",
                "vectors",
                "es",
                {"stereotype": [response("a s", 0.2)], "lean": [response("a s", 0.95, [0.9, 1.0])]},
                false_positives=[false_positive("a s", 0.03), false_positive("a s", 0.08), false_positive("b s", 0.5)],
                reliability={"a s": 0.6},
                failures=["a s: too much", "a s more: not of this one"],
            )
        )["a s"]
        assert (found.dial, found.rank_correlation, found.ci) == ("lean", 0.95, (0.9, 1.0))
        assert (found.false_positive_rate, found.reliability) == (0.08, 0.6)
        assert found.failures == ("a s: too much",)

    @pytest.mark.parametrize(("of_stereotype", "power"), [(0.96, 0.7), (0.2, None)])
    def test_power_is_that_of_the_dial_that_was_turned_for_it(self, of_stereotype: float, power: float | None) -> None:
        """The first; of a number that follows another it says nothing."""
        found = recoveries(
            certificate(
                "bad",
                "vectors",
                "es",
                {"stereotype": [response("a s", of_stereotype)], "lean": [response("a s", 0.95)]},
                power=[
                    {"measure": "a s", "sentences": 80, "worlds": 9, "rate": 0.7},
                    {"measure": "a s", "sentences": 5, "worlds": 9, "rate": 0.1},
                ],
            )
        )["a s"]
        assert found.power == power

    @pytest.mark.parametrize(
        ("r", "told"),
        [
            (1.0, "follows (1.00)"),
            (0.999, "follows (0.99)"),
            (sum([0.8, 0.9, 0.9, 1.0]) / 4, "follows (0.90)"),
            (0.8999, "does not follow (0.89)"),
            (-0.156, "does not follow (-0.16)"),
            (None, "cannot always be measured"),
        ],
    )
    def test_a_few_words_say_whether_it_follows(self, r: float | None, told: str) -> None:
        found = recoveries(certificate("weat", "vectors", "en", {"stereotype": [response("E1 d", r)]}))["E1 d"]
        assert found.said() == told

    @pytest.mark.parametrize(
        ("published", "fails", "told"), [(True, False, True), (False, True, True), (False, False, False)]
    )
    def test_the_rate_of_a_p_is_told_where_it_is_published_or_fails(
        self, published: bool, fails: bool, told: bool
    ) -> None:
        rates = [false_positive("E1 d", 0.32, published=published, fails=fails)]
        made = certificate("weat", "vectors", "en", {"stereotype": [response("E1 d", 1.0)]}, false_positives=rates)
        found = recoveries(made)["E1 d"]
        assert found.said() == "follows (1.00)" + ("; p false in 32%" if told else "")
        assert found.said(with_p=False) == "follows (1.00)"

    def test_of_a_p_that_asks_whether_a_model_leans_it_is_told_how_often_models_do(self) -> None:
        rows = {"stereotype": [response("E1 d", -0.2) | {"planted": False}]}
        rates = [false_positive("E1 d", 0.32, of_the_model=True)]
        found = recoveries(certificate("weat", "vectors", "en", rows, false_positives=rates))["E1 d"]
        assert found.said() == "was not planted; p small in 32%"
        assert not found.follows

    @pytest.mark.parametrize(
        ("found", "models", "told"),
        [
            (2, 20, ""),
            (3, 20, "; p false in 3 of 20 with own classes"),
            (1, 5, ""),
            (2, 5, "; p false in 2 of 5 with own classes"),
        ],
    )
    def test_models_read_with_their_own_classes_are_counted(self, found: int, models: int, told: str) -> None:
        own = false_positive("E1 d", found / models) | {"classes": "own", "readings": models, "rejected": found}
        rows = {"stereotype": [response("E1 d", 1.0)]}
        made = certificate("becpro", "masked", "en", rows, false_positives=[false_positive("E1 d", 0.04), own])
        assert recoveries(made)["E1 d"].said() == "follows (1.00)" + told

    @pytest.mark.parametrize(("at_minus_1", "told"), [(0.9, "; 0.238 without bias"), (0.25, ""), (0.1, "")])
    def test_what_a_number_is_without_bias_is_told_where_it_only_grows(self, at_minus_1: float, told: str) -> None:
        means = [
            {"dose": dose, "value": value}
            for dose, value in ((-1.0, at_minus_1), (-0.5, 0.3), (0.0, 0.238), (1.0, 0.8))
        ]
        rows = {"lean": [response("E1 d", 1.0) | {"by_dose": means}]}
        found = recoveries(certificate("slgu", "masked", "en", rows))["E1 d"]
        assert found.said() == "follows (1.00)"
        assert found.said(with_floor=True) == "follows (1.00)" + told

    def test_a_measure_that_was_not_calibrated_has_none(self) -> None:
        made = certificate("weat", "vectors", "en", {"stereotype": [response("E1 d", 1.0)]})
        assert list(recoveries(made)) == ["E1 d"]

    def test_a_warning_is_of_the_longest_name_that_it_begins_with(self) -> None:
        rows = [response("E1", 1.0), response("E1: a d", 1.0)]
        warnings = ["E1: a d: fails", "E1: fails", "E2: is not there"]
        found = recoveries(certificate("weat", "vectors", "en", {"stereotype": rows}, failures=warnings))
        assert {name: one.failures for name, one in found.items()} == {
            "E1": ("E1: fails",),
            "E1: a d": ("E1: a d: fails",),
        }
