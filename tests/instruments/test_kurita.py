"""Kurita's association: asked rightly, and estimated as its formulas say."""

import json
from collections.abc import Callable
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from subjects import obvious
from subjects.loopback_server import LoopbackServer
from support import Command
from tiltmeter.datasets import read_frames
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import Pack
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

Tiny = Callable[[str], Path]

FRAMES = """
templates = ["{target} is a {attribute}.", "I know that {target} works as a {attribute}."]
neutral = "person"

[targets]
male = ["he", "my brother"]
female = ["she", "my sister"]

[attributes]
care = ["nurse", "teacher", "firefighter"]
tech = ["engineer", "manager", "doctor"]
"""
MALE, FEMALE = ("he", "my brother"), ("she", "my sister")
CARE, TECH = ("nurse", "teacher", "firefighter"), ("engineer", "manager", "doctor")


@pytest.fixture
def frames(tmp_path: Path) -> Path:
    (tmp_path / "frames.toml").write_text(FRAMES)
    return tmp_path / "frames.toml"


def asked(model: Path, frames: Path, store: Store, **options: Any) -> Run:
    return measure("kurita", str(model), lang="en", store=store, words=frames, **options)


class TestItems:
    @pytest.mark.parametrize("rule", ["independent", "left-to-right"])
    def test_each_sentence_is_asked_with_its_attribute_and_without(
        self, tiny: Tiny, frames: Path, store: Store, rule: str
    ) -> None:
        folder = tiny("bert-cased")
        items = asked(folder, frames, store, rule=rule).items
        assert items.height == 2 * 4 * 6
        for row in items.iter_rows(named=True):
            # Written out by hand: the first word of a sentence has a capital.
            begins = row["template"].startswith("{target}")
            target = row["target"][0].upper() + row["target"][1:] if begins else row["target"]
            text = row["template"].replace("{target}", target).replace("{attribute}", row["attribute"])
            assert row["sentence"] == text
            start = 0 if begins else len("I know that ")
            place = text.index(row["attribute"], start + len(target))
            span, hidden = (start, start + len(target)), (place, place + len(row["attribute"]))
            (seen,) = obvious.fill(folder, text, span, [target], rule=rule)
            (prior,) = obvious.fill(folder, text, span, [target], [hidden], rule=rule)
            assert seen is not None
            assert prior is not None
            assert row["log_p_target"] == pytest.approx(seen, abs=1e-4)
            assert row["log_p_prior"] == pytest.approx(prior, abs=1e-4)
            assert row["association"] == pytest.approx(seen - prior, abs=2e-4)
            assert row["token_count"] == len(obvious.candidate_tokens(folder, text, span, target))

    def test_a_causal_model_reads_the_neutral_noun(self, tiny: Tiny, frames: Path, store: Store) -> None:
        folder = tiny("gpt2")
        run = asked(folder, frames, store)
        for row in run.items.filter(pl.col("attribute") == "nurse").iter_rows(named=True):
            text, begins = row["sentence"], row["template"].startswith("{target}")
            targets = [*MALE, *FEMALE]
            words = [word[0].upper() + word[1:] for word in targets] if begins else targets
            start = 0 if begins else len("I know that ")
            word = words[targets.index(row["target"])]
            span, place = (start, start + len(word)), text.index("nurse")
            seen, _ = obvious.fill_causal(folder, text, span, words)
            prior, _ = obvious.fill_causal(folder, text, span, words, [(place, place + 5)], "person")
            assert row["log_p_target"] == pytest.approx(seen[words.index(word)], abs=1e-4)
            assert row["log_p_prior"] == pytest.approx(prior[words.index(word)], abs=1e-4)
        assert "with 'person' in place of what is hidden" in _notes(run, "scoring")

    def test_a_served_model_answers_as_the_same_model_here(self, tiny: Tiny, frames: Path, tmp_path: Path) -> None:
        here = asked(tiny("gpt2"), frames, Store(tmp_path / "here"))
        with LoopbackServer(tiny("gpt2"), bos=True) as server:
            served = measure(
                "kurita", f"api:{server.url}#tiny", lang="en", store=Store(tmp_path / "served"), words=frames
            )
        np.testing.assert_allclose(served.items["association"], here.items["association"], atol=1e-3)
        assert served.result.subject == f"api:{server.url}#tiny"

    def test_a_server_that_dies_keeps_what_it_answered(self, tiny: Tiny, frames: Path, store: Store) -> None:
        with LoopbackServer(tiny("gpt2"), bos=True) as server:
            port, whole = server.port, len(_asked_of(server, frames, Store(store.root / "whole")))
        with (
            LoopbackServer(tiny("gpt2"), bos=True, dies_after=2, port=port) as server,
            pytest.raises(TiltmeterError, match="the same command goes on from there"),
        ):
            _asked_of(server, frames, store)
        with LoopbackServer(tiny("gpt2"), bos=True, port=port) as server:
            rest = _asked_of(server, frames, store)
        assert 0 < len(rest) < whole


class TestEstimates:
    def test_agree_with_a_second_way_to_work_them_out(self, tiny: Tiny, frames: Path, store: Store) -> None:
        run = asked(tiny("bert-cased"), frames, store)
        value = {
            (row["template"], row["target"], row["attribute"]): row["association"]
            for row in run.items.iter_rows(named=True)
        }
        templates = sorted({template for template, _, _ in value})

        def association(targets: tuple[str, ...], attribute: str, chosen: list[str]) -> float:
            return float(np.mean([value[key] for key in product(chosen, targets, [attribute])]))

        def difference(attribute: str, chosen: list[str]) -> float:
            return association(MALE, attribute, chosen) - association(FEMALE, attribute, chosen)

        care, tech = ([difference(word, templates) for word in group] for group in (CARE, TECH))
        found = {(row.name, *row.group.values()): row for row in run.result.estimates}
        for group, words in (("care", CARE), ("tech", TECH)):
            for name, targets in (("male", MALE), ("female", FEMALE)):
                expected = np.mean([association(targets, word, templates) for word in words])
                assert found["association", name, group].value == pytest.approx(expected)
            for template in templates:
                expected = np.mean([difference(word, [template]) for word in words])
                assert found["difference_in_template", group, template].value == pytest.approx(expected)
        main = found["difference", "care"]
        assert main.value == pytest.approx(np.mean(care))
        half = stats.t.ppf(0.975, 2) * stats.sem(care)
        assert (main.ci_low, main.ci_high) == pytest.approx((np.mean(care) - half, np.mean(care) + half))
        flips = [abs(np.dot(signs, care)) for signs in product((1, -1), repeat=3)]
        assert main.p_value == pytest.approx(np.mean([flip >= abs(sum(care)) - 1e-12 for flip in flips]))
        contrast = found["contrast", "care - tech"]
        assert contrast.value == pytest.approx(np.mean(care) - np.mean(tech))
        size = (np.mean(care) - np.mean(tech)) / np.std([*care, *tech], ddof=1)
        assert found["effect_size", "care - tech"].value == pytest.approx(size)
        every = [*care, *tech]
        splits = [abs(sum(chosen) - (sum(every) - sum(chosen))) for chosen in combinations(every, 3)]
        reached = [split >= abs(sum(care) - sum(tech)) - 1e-12 for split in splits]
        assert contrast.p_value == pytest.approx(np.mean(reached))
        assert {row.worse for row in run.result.estimates} == {"away"}

    def test_no_difference_where_both_groups_are_the_same(self, tiny: Tiny, frames: Path, store: Store) -> None:
        tool = load_instrument("kurita")
        items = asked(tiny("bert-cased"), frames, store).items
        male = items.filter(pl.col("target_group") == "male")
        both = pl.concat([male, male.with_columns(target_group=pl.lit("female"))])
        found = tool.estimate(both, tool.make_options({"words": frames})).estimates
        assert {row.value for row in found if row.name in ("difference", "contrast")} == {0.0}

    def test_a_sentence_that_is_lost_does_not_tip_the_scales(self, tiny: Tiny, frames: Path, store: Store) -> None:
        tool = load_instrument("kurita")
        options = tool.make_options({"words": frames})
        items = asked(tiny("bert-cased"), frames, store).items
        first = items["template"][0]
        lost = (pl.col("template") == first) & (pl.col("attribute") == "nurse") & (pl.col("target_group") == "male")
        gone = items.with_columns(association=pl.when(lost).then(None).otherwise(pl.col("association")))
        kept = items.filter(~((pl.col("template") == first) & (pl.col("attribute") == "nurse")))
        one, other = (
            {
                (r.name, *r.group.values()): (r.value, r.n)
                for r in tool.estimate(t, options).estimates
                if r.test != "association"
            }
            for t in (gone, kept)
        )
        assert one == other
        assert one["difference_in_template", "care", first][1] == 2

    def test_a_language_with_grammatical_gender_gets_a_warning(self, tiny: Tiny, frames: Path, store: Store) -> None:
        run = measure("kurita", str(tiny("roberta")), lang="es", store=store, words=frames)
        assert "Spanish has grammatical gender" in _notes(run, "grammatical-gender")

    def test_groups_may_be_called_anything(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        (tmp_path / "f.toml").write_text(
            FRAMES.replace("male =", "attribute =", 1).replace("female =", "template =", 1)
        )
        run = asked(tiny("bert-cased"), tmp_path / "f.toml", store)
        assert "attribute - template" in {row.test for row in run.result.estimates}

    def test_three_groups_of_targets_make_three_tests(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        (tmp_path / "f.toml").write_text(FRAMES.replace("[attributes]", 'any = ["they"]\n[attributes]'))
        run = asked(tiny("bert-cased"), tmp_path / "f.toml", store)
        tests = {row.test for row in run.result.estimates if row.name == "difference"}
        assert tests == {"male - female", "male - any", "female - any"}

    def test_one_attribute_has_no_interval(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        (tmp_path / "f.toml").write_text(FRAMES.split("care =")[0] + 'care = ["nurse"]\ntech = ["engineer"]')
        run = asked(tiny("bert-cased"), tmp_path / "f.toml", store)
        rows = {row.name: row for row in run.result.estimates}
        assert rows["contrast"].value is not None
        assert rows["contrast"].ci_low is None
        assert rows["difference"].ci_low is None
        assert rows["difference"].p_value == 1

    def test_what_is_too_long_is_counted_and_said(self, tiny: Tiny, tmp_path: Path, store: Store) -> None:
        long = "{target} is a very " + "very " * 80 + "good {attribute}."
        (tmp_path / "f.toml").write_text(
            FRAMES.replace('templates = ["{target}', f'templates = ["{long}", "{{target}}')
        )
        run = asked(tiny("bert-cased"), tmp_path / "f.toml", store)
        assert run.items.height == 3 * 24
        assert {row.lost for row in run.result.estimates} == {24}
        assert "24 of 72 sentences were left out, none was cut" in _notes(run, "lost-sentences")


class TestCapitals:
    @pytest.mark.parametrize(
        ("template", "target", "lang", "sentence"),
        [
            ("{target} is a {attribute}.", "he", "en", "He is a nurse."),
            ("¿{target} es {attribute}?", "ella", "es", "¿Ella es nurse?"),
            ("Mr. X: {target} is a {attribute}.", "he", "en", "Mr. X: he is a nurse."),
            ("{target} {attribute}.", "ის", "ka", "ის nurse."),
            ("{target} {attribute}.", "iş", "tr", "İş nurse."),
        ],
    )
    def test_the_first_word_gets_one_where_its_language_writes_it(
        self, tmp_path: Path, template: str, target: str, lang: str, sentence: str
    ) -> None:
        (tmp_path / "f.toml").write_text(
            f'templates = ["{template}"]\n[targets]\na = ["{target}"]\n[attributes]\nb = ["nurse"]'
        )
        tool = load_instrument("kurita")
        pack = Pack(lang=lang, name=lang, endonym=lang, scripts=(), grammatical_gender=())
        assert tool.items(pack, tool.make_options({"words": tmp_path / "f.toml"}))["sentence"].to_list() == [sentence]


class TestFiles:
    def test_csv_and_toml_say_the_same(self, frames: Path, tmp_path: Path) -> None:
        rows = ["role,group,text", "neutral,,person"]
        rows += [f'template,,"{text}"' for text in read_frames(frames).templates]
        for role, groups in (("target", read_frames(frames).targets), ("attribute", read_frames(frames).attributes)):
            rows += [f"{role},{group},{word}" for group, words in groups.items() for word in words]
        (tmp_path / "f.csv").write_text("\n".join(rows))
        assert read_frames(tmp_path / "f.csv") == read_frames(frames)

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            ("{target} is a {attribute}.", "{target} is here.", "f.toml:2: the template .* needs {target} once and"),
            ("{target} is a", "{target} is a {target}", "needs {target} once"),
            ("{target} is a", "{target} is {x}", "nothing else in braces"),
            ('["nurse", "teacher", "firefighter"]', "[]", "f.toml:10: the list 'care' of attributes is empty"),
            ('"teacher"', '"nurse"', "the attribute 'nurse' stands there twice"),
            ('"teacher"', '" teacher"', "the word ' teacher' is empty or has spaces around it"),
            ('"teacher"', '"teаcher"', "mixes scripts"),
            ("[attributes]", "[attribute]", "there is no key 'attribute'; did you mean 'attributes'"),
            ("[targets]", "[targets", "not valid TOML"),
            ('male = ["he", "my brother"]', "male = 3", "'male' is missing or not a list of texts"),
        ],
    )
    def test_a_mistake_is_named_with_its_line(self, tmp_path: Path, before: str, after: str, said: str) -> None:
        assert before in FRAMES
        (tmp_path / "f.toml").write_text(FRAMES.replace(before, after, 1))
        with pytest.raises(TiltmeterError, match=said):
            read_frames(tmp_path / "f.toml")

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("role,text\n", "f.csv:1: the column 'group' is missing"),
            ("role,group,text\nnoun,a,b\n", "f.csv:2: the role is 'noun'"),
            ("role,group,text\ntarget,,he\n", "f.csv:2: the target 'he' belongs to no group"),
            ("role,group,text\ntarget,male,he\n", "f.csv has no template"),
            ("role,group,text\nneutral,,a\nneutral,,b\n", "names 2 neutral words"),
        ],
    )
    def test_a_mistake_in_a_table_too(self, tmp_path: Path, text: str, said: str) -> None:
        (tmp_path / "f.csv").write_text(text)
        with pytest.raises(TiltmeterError, match=said):
            read_frames(tmp_path / "f.csv")


class TestCommand:
    def test_prints_one_json_object_for_a_language_without_a_pack(
        self, tiny: Tiny, frames: Path, told: Command, tmp_path: Path
    ) -> None:
        done = told(
            "measure", "kurita", tiny("bert-cased"), "--lang", "fr", "--words", frames, "--items", "i.csv", "--json"
        )
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["lang"] == "fr"
        assert result["options"]["rule"] == "independent"
        assert result["provenance"]["packages"]["torch"]
        assert pl.read_csv(tmp_path / "i.csv")["association"].len() == 48

    def test_masked_and_causal_models_never_stand_side_by_side(self, tiny: Tiny, frames: Path, told: Command) -> None:
        models = [tiny(kind) for kind in ("bert-cased", "bert-uncased", "gpt2")]
        done = told("measure", "kurita", *models, "--lang", "en", "--words", frames)
        table = done.stdout[done.stdout.index("side by side") :]
        assert "bert-cased" in table
        assert "bert-uncased" in table
        assert "gpt2" not in table
        found = json.loads(told("measure", "kurita", *models, "--lang", "en", "--words", frames, "--json").stdout)
        assert [len(group) for group in found["across"]["comparable"]] == [2, 1]

    @pytest.mark.parametrize(
        ("change", "arguments", "said"),
        [
            (("nurse", "nurse"), (), "kurita needs a file of yours: give it with --words"),
            (('"he"', '"☃"'), ("--words", "f.toml"), "bert-cased cannot be asked for '☃': the tokenizer does not know"),
            (('"he"', '"He", "he"'), ("--words", "f.toml"), "two targets are both written 'He' in"),
            (("nurse", "☃☃"), ("--words", "f.toml"), "cannot be asked: its tokenizer does not know '☃☃'"),
            (("nurse", "[MASK]"), ("--words", "f.toml"), "which the model reads as a special token"),
            (("nurse", "nurse"), ("--words", "none.toml"), "none.toml is not a file"),
        ],
    )
    def test_bad_input_is_one_sentence(
        self,
        tiny: Tiny,
        told: Command,
        tmp_path: Path,
        change: tuple[str, str],
        arguments: tuple[str, ...],
        said: str,
    ) -> None:
        (tmp_path / "f.toml").write_text(FRAMES.replace(*change, 1))
        done = told("measure", "kurita", tiny("bert-cased"), "--lang", "en", *arguments)
        assert done.returncode == 2
        assert said in done.stderr.splitlines()[-1]
        assert done.stdout == ""

    def test_an_audit_says_that_it_needs_a_file(self, tiny: Tiny, told: Command) -> None:
        done = told("audit", tiny("bert-cased"), "--lang", "en")
        assert "kurita on bert-cased: it needs a file of yours (--words)" in done.stdout


def _asked_of(server: LoopbackServer, frames: Path, store: Store) -> list[str]:
    """The sentences that this server had to be asked."""
    measure("kurita", f"api:{server.url}#tiny", lang="en", store=store, words=frames)
    return [prompt for question in server.questions for prompt in question["prompt"]]


def _notes(run: Run, kind: str) -> str:
    return " ".join(note.text for note in run.result.notes if note.kind == kind)
