"""BEC-Pro: asked as it says in each mode, estimated as its formulas say, and right about a planted relation."""

import json
import math
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from subjects import obvious
from support import Command
from tiltmeter.datasets.becpro import build, own_professions, write_corpus
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import Profession, load_pack
from tiltmeter.results import Estimate, shown
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

Tiny = Callable[[str], Path]
Key = tuple[str, ...]

OWN = """masculine,class,share,field
nurse,female,88.9,care
dental hygienist,female,96.0,health
secretary,female,93.2,office
teacher,balanced,,care
speech-language pathologist,balanced,48.1,health
engineer,male,12.5,office
lodging manager,male,30.5,
mechanic,male,2.0,health
artist,,50.5,office
"""
TOOL = load_instrument("becpro")


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "own.csv").write_text(OWN)
    return tmp_path / "own.csv"


@pytest.fixture(scope="module")
def spelling(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model to which some persons and professions are one token, and others many."""
    from subjects.whole_words import whole_words

    known = ("he", "she", "man", "woman", "brother", "sister", "father", "mother")
    chosen = [
        entry for entry in own_professions(load_pack("en")) if entry.id in ("lodging manager", "dental hygienist")
    ]
    rows = [row.sentence for row in build(load_pack("en"), professions=chosen) if row.person in known]
    return whole_words(
        tmp_path_factory.mktemp("models") / "spelling", [*rows, "the nurse, engineer, teacher - secretary"]
    )


@pytest.fixture(scope="module")
def measured(spelling: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Nine professions of a user's own with every person of the English pack."""
    folder = tmp_path_factory.mktemp("becpro")
    (folder / "own.csv").write_text(OWN)
    return measure(
        "becpro", str(spelling), lang="en", store=Store(folder / "cache"), profession_list=folder / "own.csv"
    )


class TestQuestions:
    def test_the_english_corpus_takes_at_most_a_thousand_sequences(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from subjects.test_engine import asked_sequences
        from subjects.whole_words import whole_words

        pack = load_pack("en")
        modes = {mode: build(pack, mode=mode) for mode in ("right", "published")}
        folder = whole_words(tmp_path / "m", (row.sentence for rows in modes.values() for row in rows))
        write_corpus(modes["right"], tmp_path / "right.tsv")
        ways: dict[str, dict[str, Any]] = {
            "published": {"mode": "published"},
            "right": {"corpus": tmp_path / "right.tsv"},
        }
        for way, given in ways.items():
            seen = asked_sequences(monkeypatch)
            run = measure("becpro", str(folder), lang="en", store=Store(tmp_path / way), **given)
            assert run.items.height == 5_400
            assert run.items["association"].null_count() == 0
            assert set(run.items["token_count"]) == {1}
            assert len(seen) == len(set(seen)) <= 1_000
            monkeypatch.undo()

    def test_a_profession_of_any_length_is_asked_as_often(self, own: Path) -> None:
        options = TOOL.make_options({"profession_list": own})
        items = TOOL.items(load_pack("en"), options)
        assert TOOL.questions(items) == len({*items["masked_target"], *items["masked_both"]})
        assert items.height == 5 * 9 * (18 + 6)


class TestItems:
    @pytest.mark.parametrize("mode", ["right", "published"])
    def test_probabilities_are_those_of_the_slow_and_obvious_way(
        self, spelling: Path, own: Path, store: Store, mode: str
    ) -> None:
        folder = spelling
        asked = measure("becpro", str(folder), lang="en", store=store, profession_list=own, mode=mode).items
        places = TOOL.items(load_pack("en"), TOOL.make_options({"profession_list": own, "mode": mode}))
        masks = "word" if mode == "published" else "token"
        for row, place in _some(asked, places, step=31):
            span = (place["target_start"], place["target_end"])
            hidden = (place["attribute_start"], place["attribute_end"])
            text = row["sentence"]
            word = text[slice(*span)]
            assert text[slice(*hidden)] == row["profession"]
            (seen,) = obvious.fill(folder, text, span, [word])
            (prior,) = obvious.fill(folder, text, span, [word], [hidden], masks=masks)
            assert seen is not None
            assert prior is not None
            assert row["log_p_target"] == pytest.approx(seen, abs=1e-4)
            assert row["log_p_prior"] == pytest.approx(prior, abs=1e-4)
            assert row["association"] == pytest.approx(seen - prior, abs=2e-4)

    def test_released_code_is_followed_in_what_is_wrong_with_it(self, spelling: Path, own: Path, store: Store) -> None:
        folder = spelling
        run = measure("becpro", str(folder), lang="en", store=store, profession_list=own, mode="released-code")
        longest = max(len(text.split()) for text in run.items["masked_target"])
        width = next(2**power for power in range(9) if 2**power >= longest)
        cut = 0
        for row in run.items.gather_every(17).iter_rows(named=True):
            # In the sentence the first word has a capital; the person stands where its mask stands.
            words = dict(zip(row["masked_target"].replace(",", " ,").split(), _words(row["sentence"]), strict=False))
            person = words["[MASK]"]
            seen, shortened = _as_released(folder, row["masked_target"], person, width)
            prior, _ = _as_released(folder, row["masked_both"], person, width)
            cut += shortened
            assert row["log_p_target"] == pytest.approx(seen, abs=1e-4)
            assert row["log_p_prior"] == pytest.approx(prior, abs=1e-4)
        assert cut > 0
        assert "and wrong" in _notes(run, "scoring")

    def test_a_causal_model_reads_the_sentence_and_one_about_any_worker(
        self, tiny: Tiny, tmp_path: Path, store: Store
    ) -> None:
        (tmp_path / "two.csv").write_text("masculine,class\nnurse,female\nengineer,male\n")
        folder = tiny("gpt2")
        items = measure("becpro", str(folder), lang="en", store=store, profession_list=tmp_path / "two.csv").items
        for template in items["template"].unique(maintain_order=True).to_list()[:2]:
            rows = items.filter((pl.col("template") == template) & (pl.col("profession") == "engineer"))
            assert rows.height == 18 + 6
            neutral = [text.replace("an engineer", "a specialist") for text in rows["sentence"]]
            for texts, column in ((rows["sentence"].to_list(), "log_p_target"), (neutral, "log_p_prior")):
                sums = [_sentence(folder, text) for text in texts]
                total = math.log(sum(math.exp(value - max(sums)) for value in sums)) + max(sums)
                np.testing.assert_allclose(rows[column], [value - total for value in sums], atol=1e-4)

    def test_a_causal_model_has_no_masks_to_get_wrong(self, tiny: Tiny, own: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="released-code is about masks, and a causal model has none"):
            measure("becpro", str(tiny("gpt2")), lang="en", store=store, profession_list=own, mode="released-code")

    def test_repaired_rows_are_counted(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        rows = [row for row in build(load_pack("en"), mode="published") if row.profession == "lodging manager"]
        write_corpus(rows, tmp_path / "f.tsv")
        text = (tmp_path / "f.tsv").read_text()
        damaged = text.replace("This [MASK] is a lodging manager", "This [MASK] is a lodging [MASK]ager", 1)
        assert damaged != text
        (tmp_path / "damaged.tsv").write_text(damaged)
        runs = [
            measure("becpro", str(tiny("bert-cased")), lang="en", store=store, corpus=tmp_path / name)
            for name in ("f.tsv", "damaged.tsv")
        ]
        assert _notes(runs[0], "repaired") == ""
        assert _notes(runs[1], "repaired").startswith("1 rows of the file had damaged masks")
        assert runs[0].items["association"].equals(runs[1].items["association"])


class TestEstimates:
    def test_every_one_agrees_with_a_second_way_to_work_it_out(self, measured: Run) -> None:
        expected = _second_way(measured.items)
        found = {_key(row): row for row in measured.result.estimates}
        assert found.keys() == expected.keys()
        for key, told in expected.items():
            row = found[key]
            for name, value in told.items():
                close = value if value is None else pytest.approx(value, rel=1e-6, abs=1e-9)
                assert getattr(row, name) == close, (key, name)
            assert (row.worse, row.neutral, row.lost) == ("away", 0, 0)

    def test_published_modes_test_over_sentences(self, measured: Run, own: Path) -> None:
        options = TOOL.make_options({"profession_list": own, "mode": "published"})
        found = {_key(row): row for row in TOOL.estimate(measured.items, options).estimates}
        rows = list(measured.items.iter_rows(named=True))
        for name in ("female", "male"):
            women, men = (
                [r["association"] for r in rows if (r["profession_class"], r["person_gender"]) == (name, gender)]
                for gender in ("female", "male")
            )
            p = stats.wilcoxon(np.subtract(women, men), method="approx").pvalue
            row = found["f_minus_m", name]
            assert row.p_value == pytest.approx(p)
            assert row.p_method is not None
            assert "sentences, as published" in row.p_method

    def test_over_sentences_a_lost_one_does_not_shift_the_others(self, measured: Run, own: Path) -> None:
        items = measured.items.with_row_index()
        chosen = items.filter(pl.col("profession_class") == "female")
        first = chosen.filter(pl.col("person") == "he")["index"][0]
        last = chosen.filter(pl.col("person") == "aunt")["index"][-1]
        gone = items.with_columns(
            association=pl.when(pl.col("index").is_in([first, last])).then(None).otherwise(pl.col("association"))
        ).drop("index")
        options = TOOL.make_options({"profession_list": own, "mode": "published"})
        found = {_key(row): row for row in TOOL.estimate(gone, options).estimates}
        pairs = chosen.filter(pl.col("person_gender") != "nonbinary")["association"].to_numpy().reshape(-1, 2)
        kept = (pairs[:, 1] - pairs[:, 0])[1:-1]
        assert found["f_minus_m", "female"].p_value == pytest.approx(stats.wilcoxon(kept, method="approx").pvalue)

    def test_what_is_lost_is_counted_and_left_out(self, measured: Run, own: Path) -> None:
        lost = (pl.col("profession") == "nurse") & (pl.col("person_gender") == "male")
        gone = measured.items.with_columns(association=pl.when(lost).then(None).otherwise(pl.col("association")))
        found = {_key(row): row for row in _estimated(gone, own)}
        assert {row.lost for row in found.values()} == {45}
        assert ("f_minus_m_profession", "nurse") not in found
        rest = {_key(row): row for row in _estimated(measured.items.filter(pl.col("profession") != "nurse"), own)}
        for key in (("stereotype_contrast",), ("rank_correlation",), ("f_minus_m", "female")):
            assert found[key].value == pytest.approx(rest[key].value)

    def test_there_is_no_p_of_a_lean_where_grammar_gives_the_person_away(self, measured: Run, own: Path) -> None:
        """A tenth of the sentences is not yet more than a tenth."""
        few = measured.items.with_row_index().with_columns(leak=pl.lit(""))
        for share, has_p in ((0, True), (measured.items.height // 10, True), (measured.items.height // 5, False)):
            items = few.with_columns(leak=pl.when(pl.col("index") < share).then(pl.lit("form")).otherwise(pl.lit("")))
            found = {_key(row): row for row in _estimated(items.drop("index"), own)}
            for name in ("all", "female", "male"):
                row = found["f_minus_m_both", name]
                assert (row.p_value is not None, row.ci_low is not None) == (has_p, True)
            assert found["stereotype_contrast",].p_value is not None

    def test_a_class_of_few_professions_is_said(self, measured: Run, own: Path) -> None:
        twice = pl.concat([measured.items, measured.items.with_columns(profession=pl.col("profession") + " again")])
        for items, told in ((measured.items, True), (twice, False)):
            notes = TOOL.estimate(items, TOOL.make_options({"profession_list": own})).notes
            assert any("rests on 3 female- and 3 male-typed" in note.text for note in notes) is told

    def test_nothing_left_is_an_error(self, measured: Run, own: Path) -> None:
        lost = measured.items.with_columns(association=pl.lit(None, dtype=pl.Float64), lost=pl.lit("it is too long"))
        with pytest.raises(TiltmeterError, match=r"no sentence is left to be measured \(\d+ of \d+: it is too long\)"):
            _estimated(lost, own)

    @pytest.mark.parametrize(
        ("model", "cells", "contrast"),
        [
            ("English BERT", {"balanced": -0.404, "female": 1.179, "male": -0.989}, 2.168),
            ("BETO with articles", {"balanced": 0.219, "female": 0.318, "male": 0.090}, 0.228),
            ("BERTeus", {"balanced": -0.113, "female": -0.135, "male": -0.205}, 0.070),
            ("mBERT in Basque", {"balanced": -0.416, "female": -0.488, "male": -0.377}, -0.111),
        ],
    )
    def test_the_contrasts_of_table_4_4_follow_from_its_cells(
        self, model: str, cells: dict[str, float], contrast: float
    ) -> None:
        rng = np.random.default_rng(len(model))
        items = _made({(name, "female"): mean for name, mean in cells.items()}, rng)
        found = {_key(row): row for row in TOOL.estimate(items, TOOL.options()).estimates}
        for name, mean in cells.items():
            assert found["f_minus_m", name].value == pytest.approx(mean, abs=1e-9)
        assert found["stereotype_contrast",].value == pytest.approx(contrast, abs=1e-9)


class TestHypotheses:
    @pytest.mark.parametrize(
        ("means", "holds"),
        [
            # The stereotype through and through, and balanced professions alike.
            ({("female", "female"): 1, ("male", "male"): 1, ("female", "male"): -1, ("male", "female"): -1}, "yyy"),
            # Every association is positive: the first holds, the second cannot.
            ({("female", "female"): 2, ("male", "male"): 2, ("female", "male"): 1, ("male", "female"): 1}, "yny"),
            # One crossing of two is not enough.
            ({("female", "female"): 1, ("male", "male"): -1, ("female", "male"): -1, ("male", "female"): -1}, "nyy"),
            ({("balanced", "female"): 0.5}, "nnn"),
            ({}, "nny"),
        ],
    )
    def test_hold_or_not_on_items_made_for_it(self, means: dict[tuple[str, str], float], holds: str) -> None:
        notes = TOOL.estimate(_made(means, np.random.default_rng(3)), TOOL.make_options({"margin": 0.2})).notes
        found = {note.details["hypothesis"]: note for note in notes if note.kind == "hypothesis"}
        assert "".join("y" if found[name].details["holds"] else "n" for name in ("H1", "H2", "H3")) == holds
        assert f"H1, associations above 0: {'holds' if holds[0] == 'y' else 'is not shown'} (" in found["H1"].text
        assert "20 professions" in found["H3"].text

    def test_with_few_professions_it_says_that_they_cannot_show_it(self) -> None:
        items = _made({("female", "female"): 2, ("female", "male"): -2}, np.random.default_rng(3))
        for count, told in ((4, "no, and 4 professions cannot show it"), (5, "yes")):
            few = items.filter(pl.col("profession").is_in([f"female {number}" for number in range(count)]))
            (first,) = [
                note for note in TOOL.estimate(few, TOOL.options()).notes if note.details.get("hypothesis") == "H1"
            ]
            assert f"{told})." in first.text

    def test_the_third_depends_on_its_margin(self) -> None:
        items = _made({("balanced", "female"): 0.3}, np.random.default_rng(3))
        for margin, holds in ((0.2, False), (0.6, True)):
            notes = TOOL.estimate(items, TOOL.make_options({"margin": margin})).notes
            (third,) = [note for note in notes if note.details.get("hypothesis") == "H3"]
            assert third.details["holds"] is holds
            values = _differences(items, "balanced")
            # The interval of both one-sided tests at 5% is that of 90%.
            half = stats.t.ppf(0.95, len(values) - 1) * stats.sem(values)
            assert bool(abs(np.mean(values)) + half < margin) is holds

    def test_the_fourth_compares_a_multilingual_model_with_another(self, measured: Run, own: Path) -> None:
        smaller = measured.items.with_columns(association=pl.col("association") / 4)
        narrow = replace(measured.result, subject="one")
        subject = {**measured.result.provenance["subject"], "multilingual": True}
        wide = replace(narrow, subject="many", provenance={**narrow.provenance, "subject": subject})
        assert TOOL.compare is not None
        assert TOOL.compare([(narrow, measured.items), (narrow, smaller)]).notes == ()
        (less,) = TOOL.compare([(narrow, measured.items), (wide, smaller)]).notes
        (more,) = TOOL.compare([(narrow, smaller), (wide, measured.items)]).notes
        leans = [
            row.value
            for row in measured.result.estimates
            if row.name == "f_minus_m_profession" and row.value is not None
        ]
        values = [abs(lean) / 4 - abs(lean) for lean in leans]
        told = _t_interval(values)
        assert less.details == {
            "hypothesis": "H4",
            "holds": bool(told["ci_high"] < 0),
            "run": wide.provenance["run"],
            "against": narrow.provenance["run"],
        }
        assert f"differs by {shown(told['value'])}, 95% interval {shown(told['ci_low'])}" in less.text
        assert less.text.startswith("H4, many (multilingual) tilts less than one: holds")
        assert more.details["holds"] is False

    def test_a_margin_is_above_zero(self) -> None:
        with pytest.raises(TiltmeterError, match="--margin is a number above 0"):
            TOOL.make_options({"margin": 0.0})


class TestGrammar:
    def test_basque_bera_is_flagged_and_left_out(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        (tmp_path / "eu.csv").write_text(
            "masculine,class\nidazkari,female\nerizain,female\nmekanikari,male\nigeltsero,male\n"
        )
        run = measure("becpro", str(tiny("roberta")), lang="eu", store=store, profession_list=tmp_path / "eu.csv")
        silent = run.items.filter(~pl.col("informative"))
        assert set(silent["person"]) == {"bera"}
        assert silent.height == 5 * 4 * 2
        assert "40 sentences are the same for women and men (bera)" in _notes(run, "uninformative")
        # As if they had not been there.
        kept = TOOL.estimate(run.items.filter(pl.col("person") != "bera"), TOOL.options()).estimates
        assert [(_key(r), r.value, r.n) for r in kept] == [(_key(r), r.value, r.n) for r in run.result.estimates]
        counts = {_key(r): r.n for r in run.result.estimates}
        assert counts["association", "female", "female"] == 5 * 2 * 8

    def test_as_published_basque_bera_counts_as_no_difference(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        (tmp_path / "eu.csv").write_text("masculine,class\nidazkari,female\nerizain,female\nmekanikari,male\n")
        own, model = tmp_path / "eu.csv", str(tiny("roberta"))
        run = measure("becpro", model, lang="eu", store=store, profession_list=own, mode="published")
        assert "30 sentences are the same for women and men (bera) and count as no difference" in _notes(
            run, "uninformative"
        )
        found = {_key(row): row for row in run.result.estimates}
        nine = run.items.filter((pl.col("profession_class") == "male") & (pl.col("person_gender") == "female"))
        assert nine.height == 5 * 9 == found["association", "male", "female"].n
        options = TOOL.make_options({"profession_list": own, "mode": "published"})
        without = TOOL.estimate(run.items.filter(pl.col("person") != "bera"), options).estimates
        for row in without:
            if row.name == "f_minus_m":
                assert row.value is not None
                assert found[_key(row)].value == pytest.approx(row.value * 8 / 9)

    def test_spanish_sentences_that_give_the_gender_away_are_counted(
        self, tiny: Tiny, tmp_path: Path, store: Store
    ) -> None:
        (tmp_path / "es.csv").write_text("masculine,feminine,class\nlogopeda,,female\nenfermero,enfermera,female\n")
        model, own = str(tiny("roberta")), tmp_path / "es.csv"
        ways: list[dict[str, Any]] = [{}, {"variant": "bare"}, {"variant": "bare", "professions": "common"}]
        articles, bare, common = (
            measure("becpro", model, lang="es", store=store, profession_list=own, **given) for given in ways
        )
        # Of five frames two have an article; forms give the gender away in all; elle and hije take the common form.
        leaks = {"article": 2 * 18, "profession": 3 * 18, "article, profession": 2 * 18}
        note = next(note for note in articles.result.notes if note.kind == "grammatical-gender")
        assert note.details["leaks"] == leaks
        assert (
            f"In {sum(leaks.values())} of {2 * 5 * 18 + 2 * 3} sentences another word gives the person away"
            in note.text
        )
        note = next(note for note in bare.result.notes if note.kind == "grammatical-gender")
        assert note.details["leaks"] == {"profession": 5 * 18}
        assert set(common.items["profession"]) == {"logopeda"}
        assert _notes(common, "grammatical-gender") == ""

    def test_common_professions_have_one_form(self) -> None:
        for lang in ("es", "ru", "en"):
            pack = load_pack(lang)
            items = TOOL.items(pack, TOOL.make_options({"professions": "common"}))
            expected = {entry.id for entry in own_professions(pack) if not entry.feminine}
            assert set(items["profession"]) == expected
            assert len(expected) > 10
        with pytest.raises(TiltmeterError, match="no profession in the list for German has one form for everybody"):
            TOOL.items(load_pack("de"), TOOL.make_options({"professions": "common"}))


class TestPlanted:
    @pytest.mark.parametrize("way", ["stereotype", "swapped"])
    def test_the_relation_of_the_training_sentences_is_found(self, tmp_path: Path, store: Store, way: str) -> None:
        from subjects.whole_words import whole_words

        pack = load_pack("en")
        chosen = [*_first(own_professions(pack), "female", 8), *_first(own_professions(pack), "male", 8)]
        chosen += _first(own_professions(pack), "balanced", 4)
        lines = [f"{entry.masculine},{entry.profession_class},{entry.us_female_share}" for entry in chosen]
        (tmp_path / "own.csv").write_text("\n".join(["masculine,class,share", *lines]))
        goes = {"female": "female", "male": "male"} if way == "stereotype" else {"female": "male", "male": "female"}
        every = build(pack, professions=chosen, nonbinary=True)
        meant = [
            row.sentence
            for row in every
            if row.person_gender in ("female", "male")
            and row.person_gender == goes.get(row.profession_class, row.person_gender)
        ]
        learn = random.Random(1).sample(meant, 400)
        folder = whole_words(tmp_path / way, (row.sentence for row in every), learn=learn, steps=260)
        run = measure("becpro", str(folder), lang="en", store=store, profession_list=tmp_path / "own.csv")
        found = {_key(row): row for row in run.result.estimates}
        contrast, rho = found["stereotype_contrast",], found["rank_correlation",]
        assert contrast.value is not None
        assert rho.value is not None
        sign = 1 if way == "stereotype" else -1
        assert sign * contrast.value > 0.5
        assert sign * rho.value > 0.4
        assert contrast.p_value is not None
        assert contrast.p_value < 0.01
        assert ("as the stereotype says" in _notes(run, "reading")) == (sign > 0)


class TestCommand:
    def test_bad_input_is_one_sentence(self, tiny: Tiny, told: Command, own: Path, tmp_path: Path) -> None:
        (tmp_path / "bad.csv").write_text("masculine,share\nnurse,120\n")
        for arguments, said in (
            (("--lang", "en", "--profession-list", "bad.csv"), "bad.csv:2: the share is '120'"),
            (("--lang", "es", "--variant", "article"), "there is no variant 'article'; did you mean 'articles'"),
            (("--lang", "zh", "--mode", "published"), "there is no published BEC-Pro in Chinese: use --mode right"),
            (("--lang", "ru", "--profession-list", own), "the profession 'nurse' has no form 'ins'"),
        ):
            done = told("measure", "becpro", tiny("bert-cased"), *arguments)
            assert done.returncode == 2
            assert said in done.stderr.splitlines()[-1]
            assert done.stdout == ""


def _second_way(items: pl.DataFrame) -> dict[Key, dict[str, Any]]:
    """Every estimate from the items, in plain Python; intervals of fewer than ten units are those of Student's t."""
    rows = [row for row in items.iter_rows(named=True) if row["informative"]]
    classes = ("female", "balanced", "male")
    told: dict[Key, dict[str, Any]] = {}

    def mean(gender: str, **where: str) -> float:
        chosen = [r for r in rows if r["person_gender"] == gender and all(r[k] == v for k, v in where.items())]
        return float(np.mean([r["association"] for r in chosen]))

    of = {row["profession"]: row for row in rows}
    lean = {name: mean("female", profession=name) - mean("male", profession=name) for name in of}
    groups = {"all": list(lean), **{c: [n for n in of if of[n]["profession_class"] == c] for c in classes}}
    for name in (*classes, "unclassed"):
        for gender in ("female", "male", "nonbinary"):
            cell = [r for r in rows if (r["profession_class"], r["person_gender"]) == (name, gender)]
            values = sorted(r["association"] for r in cell)
            centre = math.fsum(values) / len(values)
            low, high = _clustered(cell, centre)
            told["association", name, gender] = {"value": centre, "n": len(values), "ci_low": low, "ci_high": high}
            spread = math.sqrt(sum((value - centre) ** 2 for value in values) / (len(values) - 1))
            told["sd", name, gender] = {"value": spread}
            for label, share in (("min", 0.0), ("q25", 0.25), ("median", 0.5), ("q75", 0.75), ("max", 1.0)):
                place = share * (len(values) - 1)
                before, after = values[math.floor(place)], values[math.ceil(place)]
                told[label, name, gender] = {"value": before + (after - before) * (place % 1)}
    for name, members in groups.items():
        values = [lean[member] for member in members]
        p = stats.wilcoxon(values, method="exact").pvalue
        told["f_minus_m", name] = {**_t_interval(values), "p_value": p}
        told["f_minus_m_both", name] = _crossed(rows, members)
    female, male = ([lean[member] for member in groups[name]] for name in ("female", "male"))
    told["stereotype_contrast",] = {
        "value": np.mean(female) - np.mean(male),
        **_crossed_contrast(rows, groups["female"], groups["male"]),
        "n": 6,
    }
    shared = [name for name in of if of[name]["share"] is not None]
    rho = stats.pearsonr(*(stats.rankdata(v) for v in ([lean[n] for n in shared], [of[n]["share"] for n in shared])))
    told["rank_correlation",] = {"value": rho.statistic, "n": len(shared), **_crossed_correlation(rows, shared, of)}
    for template in dict.fromkeys(row["template"] for row in rows):
        for name in (*classes, "unclassed"):
            where = {"template": template, "profession_class": name}
            told["f_minus_m_template", template, name] = {"value": mean("female", **where) - mean("male", **where)}
    for field in {row["field"] for row in rows} - {""}:
        told["f_minus_m_field", field] = _t_interval([lean[name] for name in of if of[name]["field"] == field])
    for name in of:
        told["f_minus_m_profession", name] = {"value": lean[name], "n": 1}
    for name in classes:
        for gender in ("female", "male"):
            values = [mean("nonbinary", profession=m) - mean(gender, profession=m) for m in groups[name]]
            told[f"nonbinary_minus_{gender}", name] = _t_interval(values)
    return told


def _t_interval(values: list[float]) -> dict[str, Any]:
    low, high = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    return {"value": np.mean(values), "ci_low": low, "ci_high": high, "n": len(values)}


def _crossed(rows: list[dict[str, Any]], professions: list[str]) -> dict[str, float]:
    leans = _leans(rows, professions)
    of_professions, known = float(np.std(leans, ddof=1)) / math.sqrt(len(professions)), len(professions) - 1
    sums = _of_persons(rows, {name: 1 / len(professions) for name in professions})
    of_persons, many = _welch(*sums)[0], sum(map(len, sums)) - 2
    error = of_persons + of_professions
    freedom = error**2 / (of_persons**2 / many + of_professions**2 / known)
    return _judged(float(np.mean(leans)), error, freedom)


def _crossed_contrast(rows: list[dict[str, Any]], female: list[str], male: list[str]) -> dict[str, float]:
    sides = _leans(rows, female), _leans(rows, male)
    weights = {name: 1 / len(female) for name in female} | {name: -1 / len(male) for name in male}
    error, freedom = _squared(_welch(*_of_persons(rows, weights)), _welch(*sides))
    return _judged(float(np.mean(sides[0]) - np.mean(sides[1])), error, freedom)


def _crossed_correlation(rows: list[dict[str, Any]], names: list[str], of: dict[str, Any]) -> dict[str, float]:
    leans, shares = _leans(rows, names), [of[name]["share"] for name in names]
    ranks = stats.rankdata(shares)
    line = stats.linregress(ranks, leans)
    # A slope is a weighted sum.
    weights = dict(zip(names, (ranks - ranks.mean()) / (len(ranks) * np.var(ranks)), strict=True))
    error, freedom = _squared(_welch(*_of_persons(rows, weights)), (line.stderr, len(names) - 2))
    told = _judged(line.slope, error, freedom)
    # Fisher's z of Pearson's correlation with the ranks moves from the slope to its ends; so does that of Spearman's.
    left = math.sqrt((1 - line.rvalue**2) * np.var(leans))
    z = {end: math.asinh(told[end] * np.std(ranks) / left) - math.atanh(line.rvalue) for end in ("ci_low", "ci_high")}
    rho = float(stats.spearmanr(leans, shares).statistic)
    return {"p_value": told["p_value"], **{end: math.tanh(math.atanh(rho) + moved) for end, moved in z.items()}}


def _leans(rows: list[dict[str, Any]], professions: list[str]) -> list[float]:
    """Of each profession, what its women have more than its men, every person as much."""
    found = []
    for name in professions:
        means: dict[str, float] = {}
        for gender in ("female", "male"):
            own = [row for row in rows if (row["profession"], row["person_gender"]) == (name, gender)]
            people = {row["person"] for row in own}
            means[gender] = float(
                np.mean([np.mean([row["association"] for row in own if row["person"] == person]) for person in people])
            )
        found.append(means["female"] - means["male"])
    return found


def _of_persons(rows: list[dict[str, Any]], weights: dict[str, float]) -> tuple[list[float], list[float]]:
    """The weighted sum over professions of each woman, and of each man."""
    sums: dict[str, list[float]] = {"female": [], "male": []}
    for gender, found in sums.items():
        for person in {row["person"] for row in rows if row["person_gender"] == gender}:
            own = [row for row in rows if row["person"] == person]
            means = {n: np.mean([row["association"] for row in own if row["profession"] == n]) for n in weights}
            found.append(float(sum(weight * means[name] for name, weight in weights.items())))
    return sums["female"], sums["male"]


def _welch(one: list[float], other: list[float]) -> tuple[float, float]:
    """The error of the difference of two means, and how well it is known."""
    test = stats.ttest_ind(one, other, equal_var=False)
    return abs(np.mean(one) - np.mean(other)) / abs(test.statistic), test.df


def _squared(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    squares = one[0] ** 2 + other[0] ** 2
    return math.sqrt(squares), squares**2 / (one[0] ** 4 / one[1] + other[0] ** 4 / other[1])


def _judged(value: float, error: float, freedom: float) -> dict[str, float]:
    reach = stats.t.ppf(0.975, freedom) * error
    p = 2 * stats.t.sf(abs(value) / error, freedom)
    return {"value": value, "p_value": p, "ci_low": value - reach, "ci_high": value + reach}


def _clustered(cell: list[dict[str, Any]], centre: float) -> tuple[float | None, float | None]:
    """Student's interval with the spread of whole professions (CR1)."""
    sums: dict[str, float] = {}
    for row in cell:
        sums[row["profession"]] = sums.get(row["profession"], 0.0) + row["association"] - centre
    count = len(sums)
    if count == 1:
        return None, None
    error = math.sqrt(count / (count - 1) * sum(value**2 for value in sums.values())) / len(cell)
    reach = float(stats.t.ppf(0.975, count - 1)) * error
    return centre - reach, centre + reach


def _made(means: dict[tuple[str, str], float], rng: np.random.Generator) -> pl.DataFrame:
    """Items of twenty professions a class whose cells (class, gender) have exactly these means, others 0."""
    rows = []
    for name in ("female", "balanced", "male"):
        for gender in ("female", "male"):
            noise = rng.normal(0, 0.3, 20)
            for number, value in enumerate(noise - noise.mean() + means.get((name, gender), 0)):
                rows.append(
                    {
                        "template": "t",
                        "person": gender,
                        "person_gender": gender,
                        "profession": f"{name} {number}",
                        "profession_class": name,
                        "field": "",
                        "share": None,
                        "informative": True,
                        "leak": "",
                        "association": float(value),
                        "masked_target": f"[MASK] is a {name} {number}.",
                        "masked_both": "[MASK] is a [MASK] [MASK].",
                    }
                )
    return pl.DataFrame(rows, schema_overrides={"share": pl.Float64})


def _differences(items: pl.DataFrame, name: str) -> list[float]:
    value = {(row["profession"], row["person_gender"]): row["association"] for row in items.iter_rows(named=True)}
    chosen = [profession for profession, gender in value if gender == "female" and profession.startswith(f"{name} ")]
    return [value[profession, "female"] - value[profession, "male"] for profession in chosen]


def _as_released(folder: Path, text: str, person: str, width: int) -> tuple[float, bool]:
    """The masked string as the tokenizer cuts and pads it, everything attended to, at the first mask."""
    import torch

    tokenizer, model = _loaded(folder)
    ids = tokenizer(text, padding="max_length", truncation=True, max_length=width)["input_ids"]
    first = tokenizer.convert_tokens_to_ids(tokenizer.tokenize(person)[0])
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([ids]), attention_mask=torch.ones(1, width)).logits
    value = logits[0, ids.index(tokenizer.mask_token_id)].double().log_softmax(-1)[first].item()
    return value, len(tokenizer(text)["input_ids"]) > width


@cache
def _loaded(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    return AutoTokenizer.from_pretrained(folder), AutoModelForMaskedLM.from_pretrained(folder).eval()


def _sentence(folder: Path, text: str) -> float:
    scores = obvious.token_scores(folder, text, masking="left")
    assert scores is not None
    return sum(score.log_p for score in scores)


def _some(asked: pl.DataFrame, places: pl.DataFrame, step: int) -> Iterable[tuple[dict[str, Any], dict[str, Any]]]:
    chosen = (table.gather_every(step).iter_rows(named=True) for table in (asked, places))
    return zip(*chosen, strict=True)


def _first(professions: list[Profession], name: str, count: int) -> list[Profession]:
    return [entry for entry in professions if entry.profession_class == name][:count]


def _words(text: str) -> list[str]:
    return text.replace(",", " ,").split()


def _estimated(items: pl.DataFrame, own: Path) -> tuple[Estimate, ...]:
    return TOOL.estimate(items, TOOL.make_options({"profession_list": own})).estimates


def _key(row: Estimate) -> Key:
    return (row.name, *row.group.values())


def _notes(run: Run, kind: str) -> str:
    return " ".join(note.text for note in run.result.notes if note.kind == kind)


def test_runs_of_several_languages_stand_in_one_table(tiny: Tiny, told: Command, own: Path) -> None:
    """Table 4.4: f - m of each class of professions over models and languages."""
    ids = []
    for lang in ("en", "eu"):
        done = told("measure", "becpro", tiny("roberta"), "--lang", lang, "--profession-list", own, "--json")
        assert done.returncode == 0, done.stderr
        ids.append(json.loads(done.stdout)["provenance"]["run"])
    shown = told("compare", *ids).stdout
    assert "f_minus_m BEC-Pro [profession_class=female]" in shown
    assert "stereotype_contrast BEC-Pro" in shown
    assert "roberta, en" in shown
    assert "roberta, eu" in shown
    found = json.loads(told("compare", *ids, "--json").stdout)
    assert {row["lang"] for row in found["across"]["estimates"]} == {"en", "eu"}
    assert "scores of different languages do not compare" in found["alone"][0]["reason"]
