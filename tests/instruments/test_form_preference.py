"""Form preference: asked for both forms, corrected, and right about a planted relation."""

import math
import random
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from subjects import obvious
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_pack
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, check_lists, measure
from tiltmeter.store import Store

TOOL = load_instrument("form-preference")
FRAMES = {
    "Trabajo como {profession}.": "test",
    "Trabaja como {profession}.": "test",
    "¿Trabajas como {profession}?": "test",
    "Quiero trabajar como {profession}.": "test",
    "Ese ser humano trabaja como {profession}.": "control-masculine",
    "Esa persona trabaja como {profession}.": "control-feminine",
}


def listed(lang: str) -> pl.DataFrame:
    return TOOL.items(load_pack(lang), TOOL.options())


def both_ways(items: pl.DataFrame) -> Iterator[str]:
    """Every sentence in the feminine and in the masculine form."""
    for text, start, feminine, masculine in items.select("sentence", "start", "feminine", "masculine").iter_rows():
        yield text
        yield text[:start] + masculine + text[start + len(feminine) :]


@pytest.fixture(scope="module")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[Path, Run]]:
    """A model with the words of a language's forms, and its answers."""
    from subjects.whole_words import whole_words

    def asked(lang: str) -> tuple[Path, Run]:
        folder = tmp_path_factory.mktemp(lang)
        model = whole_words(folder / "model", both_ways(listed(lang)))
        return model, measure("form-preference", str(model), lang=lang, store=Store(folder / "cache"))

    made: dict[str, tuple[Path, Run]] = {}
    return lambda lang: made.setdefault(lang, made.get(lang) or asked(lang))


Untrained = Callable[[str], tuple[Path, Run]]


class TestItems:
    def test_every_spanish_profession_of_two_forms_stands_in_every_frame_and_without_content(self) -> None:
        items = listed("es")
        pack = load_pack("es")
        two = [entry for entry in pack.professions if entry.feminine and entry.form_preference != "no"]
        two = [entry for entry in two if entry.profession_class != "neutral"]
        assert items.height == len(FRAMES) * len(two) * 2
        assert dict(items.filter(pl.col("kind") != "content-free").select("frame", "kind").iter_rows()) == FRAMES
        for row in items.iter_rows(named=True):
            text = f"… {row['feminine']}." if row["kind"] == "content-free" else row["frame"]
            assert row["sentence"] == text.replace("{profession}", row["feminine"])
            assert row["sentence"][row["start"] :].startswith(row["feminine"])
        forms = {(row["feminine"], row["masculine"]) for row in items.iter_rows(named=True)}
        assert forms == {(entry.feminine, entry.masculine) for entry in two}

    @pytest.mark.parametrize("rule", ["left-to-right", "independent"])
    def test_log_odds_are_those_of_the_slow_and_obvious_way(
        self, untrained: Untrained, store: Store, rule: str
    ) -> None:
        folder, run = untrained("es")
        answered = run.items if rule == "left-to-right" else _asked(folder, store, rule=rule).items
        longest = 0
        for row, start in list(zip(answered.iter_rows(named=True), listed("es")["start"], strict=True))[::19]:
            span = (start, start + len(row["feminine"]))
            feminine, masculine = obvious.fill(
                folder, row["sentence"], span, [row["feminine"], row["masculine"]], rule=rule
            )
            assert feminine is not None
            assert masculine is not None
            assert row["log_p_feminine"] == pytest.approx(feminine, abs=1e-4)
            assert row["log_p_masculine"] == pytest.approx(masculine, abs=1e-4)
            assert row["log_odds"] == pytest.approx(feminine - masculine, abs=2e-4)
            longest = max(longest, row["token_count"])
        assert longest > 2

    def test_russian_asks_for_forms_and_for_agreement(self, untrained: Untrained) -> None:
        items = listed("ru")
        form, agreement = (items.filter(pl.col("test") == name) for name in ("form", "agreement"))
        sentences = dict(items.select("sentence", "masculine").iter_rows())
        assert sentences["Я работаю воспитательницей."] == "воспитателем"
        assert sentences["Логопед пришла на работу."] == "пришёл"
        assert sentences["Вчера логопед опоздала на работу."] == "опоздал"
        assert sentences["… пришла на работу."] == "пришёл"
        pack = {entry.id: entry for entry in load_pack("ru").professions}
        assert all(pack[name].feminine for name in form["profession"])
        assert not any(pack[name].feminine for name in agreement["profession"] if name)
        _, run = untrained("ru")
        found = {(row.test, row.name) for row in run.result.estimates}
        for test in ("form", "agreement"):
            for name in ("log_odds_feminine", "rank_correlation", "log_odds_feminine_control"):
                assert (test, name) in found

    @pytest.mark.parametrize(
        ("lang", "name"), [("en", "English"), ("eu", "Basque"), ("zh", "Chinese"), ("ja", "Japanese")]
    )
    def test_a_language_without_grammatical_gender_is_refused_with_the_reason(self, lang: str, name: str) -> None:
        said = (
            f"form-preference needs the list 'forms', which the pack '{lang}' lacks: {name} has no grammatical gender"
        )
        with pytest.raises(TiltmeterError, match=said):
            check_lists(TOOL, load_pack(lang))


class TestEstimates:
    @pytest.mark.parametrize("lang", ["es", "ru", "de"])
    def test_every_one_agrees_with_a_second_way_to_work_it_out(self, untrained: Untrained, lang: str) -> None:
        items = untrained(lang)[1].items
        chosen = [
            name
            for test in items["test"].unique(maintain_order=True)
            for kind in ("female", "balanced", "male")
            for name in items.filter((pl.col("test") == test) & (pl.col("profession_class") == kind))["profession"]
            .unique(maintain_order=True)
            .head(3)
        ]
        # Nine at most of each test, so that all flips can be counted and intervals are Student's.
        few = items.filter(pl.col("profession").is_in([*chosen, ""]))
        found = {_key(row): row for row in TOOL.estimate(few, TOOL.options()).estimates}
        expected = {key: told for test in few["test"].unique() for key, told in _second_way(few, test).items()}
        assert found.keys() == expected.keys()
        for key, told in expected.items():
            for name, value in told.items():
                close = value if value is None else pytest.approx(value, rel=1e-6, abs=1e-9)
                assert getattr(found[key], name) == close, (key, name)

    def test_the_headline_says_whether_forms_follow_the_share(self, untrained: Untrained) -> None:
        _, run = untrained("es")
        (headline,) = [row for row in run.result.estimates if row.name == "rank_correlation"]
        told = {row.group["profession"]: row.value for row in run.result.estimates if row.name.endswith("_profession")}
        shares = {entry.id: entry.share for entry in load_pack("es").professions}
        rho = stats.spearmanr(np.array(list(told.values()), float), np.array([shares[name] for name in told], float))
        assert headline.value == pytest.approx(rho.statistic)
        assert headline.p_value == pytest.approx(rho.pvalue)
        assert headline.n == len(told)


class TestPlanted:
    @pytest.mark.parametrize("way", ["stereotype", "swapped"])
    def test_the_relation_of_the_training_sentences_is_found_in_spanish(
        self, tmp_path: Path, store: Store, way: str
    ) -> None:
        from subjects.whole_words import whole_words

        items = listed("es")
        takes = {"female": "feminine", "male": "masculine"}
        if way == "swapped":
            takes = {"female": "masculine", "male": "feminine"}
        learn = []
        for row in items.iter_rows(named=True):
            for form in ("feminine", "masculine"):
                text = row["sentence"].replace(row["feminine"], row[form])
                # Without content both forms are as frequent; in a sentence that of the class, in controls none.
                if row["kind"] == "content-free" or (
                    row["kind"] == "test" and takes.get(row["profession_class"], form) == form
                ):
                    learn.append(text)
        learn = random.Random(1).sample(list(dict.fromkeys(learn)), 300)
        model = whole_words(tmp_path / way, both_ways(items), learn=learn, steps=160)
        run = _asked(model, store)
        (rho,) = [row for row in run.result.estimates if row.name == "rank_correlation"]
        assert rho.value is not None
        assert rho.p_value is not None
        assert (rho.value if way == "stereotype" else -rho.value) > 0.4
        assert rho.p_value < 0.01
        reading = next(note.text for note in run.result.notes if note.kind == "reading")
        assert ("more feminine forms where more women work" in reading) == (way == "stereotype")


def _second_way(items: pl.DataFrame, test: str) -> dict[tuple[str, ...], dict[str, Any]]:
    """Every estimate of a test from the items, in plain Python."""
    rows = [row for row in items.iter_rows(named=True) if row["test"] == test]
    free = {(r["frame"], r["profession"]): r["log_odds"] for r in rows if r["kind"] == "content-free"}
    corrected: dict[str, dict[str, list[float]]] = {}
    for row in rows:
        if row["kind"] != "content-free":
            value = row["log_p_feminine"] - row["log_p_masculine"] - free[row["frame"], row["profession"]]
            corrected.setdefault(row["kind"], {}).setdefault(row["profession"], []).append(value)
    lean = {name: math.fsum(values) / len(values) for name, values in corrected["test"].items()}
    of = {row["profession"]: row for row in rows}
    told: dict[tuple[str, ...], dict[str, Any]] = {}
    for group in ("all", "female", "balanced", "male"):
        values = [lean[name] for name in lean if group in ("all", of[name]["profession_class"])]
        if not values:
            continue
        flips = [abs(np.dot(signs, values)) for signs in product((1, -1), repeat=len(values))]
        p = np.mean([flip >= abs(math.fsum(values)) - 1e-12 for flip in flips])
        told[test, "log_odds_feminine", group] = {**_t_interval(values), "p_value": p}
    if len(lean) > 3:
        rho = stats.spearmanr(list(lean.values()), [of[name]["share"] for name in lean])
        told[test, "rank_correlation"] = {"value": rho.statistic, "n": len(lean)}
    for control in ("masculine", "feminine"):
        values = [value for found in corrected[f"control-{control}"].values() for value in found]
        told[test, "log_odds_feminine_control", control] = _t_interval(values)
    for name, value in lean.items():
        told[test, "log_odds_feminine_profession", name] = {"value": value, "n": 1}
    return told


def _t_interval(values: list[float]) -> dict[str, Any]:
    if len(values) == 1:
        return {"value": values[0], "ci_low": None, "ci_high": None, "n": 1}
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return {"value": np.mean(values), "ci_low": low, "ci_high": high, "n": len(values)}


def _asked(model: Path, store: Store, **options: Any) -> Run:
    return measure("form-preference", str(model), lang="es", store=store, **options)


def _key(row: Estimate) -> tuple[str, ...]:
    return (row.test, row.name, *row.group.values())
