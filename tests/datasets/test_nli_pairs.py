"""Pairs made from packs: balanced, leak-free, seeded; and the published files read and written."""

import json
import re
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path

import pytest

from instruments.nli_made import FILES, in_folder, published
from tiltmeter.corpora.rules import Rules
from tiltmeter.corpora.screening import Screener
from tiltmeter.datasets.nli import SETS, by_crowd_scores, by_share, class_by_share, make_pairs
from tiltmeter.datasets.nli_files import read_crowd_scores, read_folder, read_occupations, written_files
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Caption, Pack, load_pack, shipped_languages

LANGUAGES = shipped_languages()
GENDERED_GRAMMAR = ("de", "es", "ru")


@pytest.mark.parametrize("lang", LANGUAGES)
class TestEveryPack:
    def test_it_ships_forty_captions_and_more_occupations_than_were_published(self, lang: str) -> None:
        pack = load_pack(lang)
        assert len(pack.captions) >= 40
        classes = Counter(occupation.occupation_class for occupation in pack.occupations)
        assert classes == {"female": 26, "male": 87, "neutral": 171}
        for name in ("masculine", "feminine", "epicene", "id"):
            words = [getattr(occupation, name) for occupation in pack.occupations if getattr(occupation, name)]
            assert len(set(words)) == len(words)

    def test_a_caption_serves_as_many_male_as_female_typed_occupations(self, lang: str) -> None:
        served: dict[str, Counter[str]] = defaultdict(Counter)
        for occupation, name, caption in {
            (pair.occupation, pair.occupation_class, pair.template) for pair in make_pairs(load_pack(lang)).pairs
        }:
            assert occupation
            served[caption][name] += 1
        assert len(served) == len(load_pack(lang).captions)
        for counts in served.values():
            assert counts["female"] == counts["male"] > 0
        uses = [counts["neutral"] for counts in served.values()]
        assert max(uses) - min(uses) <= 1

    def test_sizes_follow_from_the_occupations(self, lang: str) -> None:
        made = make_pairs(load_pack(lang))
        words: dict[str, set[str]] = defaultdict(set)
        for pair in made.pairs:
            words[pair.occupation_class].add(pair.occupation)
        count = len(words["female"])
        assert count == len(words["male"]) == 26
        assert Counter(pair.set for pair in made.pairs) == {
            "PS": 20 * count,
            "AS": 20 * count,
            "NS": 20 * len(words["neutral"]),
        }
        assert len({(pair.premise, pair.hypothesis) for pair in made.pairs}) == len(made.pairs)
        used = sum(map(len, words.values()))
        assert used + len(made.left_out) == len(load_pack(lang).occupations)

    def test_premise_and_hypothesis_differ_in_the_subject_alone(self, lang: str) -> None:
        for pair in make_pairs(load_pack(lang)).pairs[::29]:
            before, behind = re.split(r"\{[^}]*\}", pair.template)
            for sentence in (pair.premise, pair.hypothesis):
                assert sentence.endswith(behind)
                assert sentence.lower().startswith(before.lower())
            assert pair.premise != pair.hypothesis

    def test_nothing_but_the_subject_tells_a_gender(self, lang: str) -> None:
        """By the screening that neutral sentences go through, with a woman and with a man as the subject."""
        pack = load_pack(lang)
        screener = Screener(pack, Rules(frozenset({"length", "near-duplicate"})))
        checked = set()
        for pair in make_pairs(pack).pairs:
            if (pair.template, pair.gender) in checked:
                continue
            checked.add((pair.template, pair.gender))
            phrase = next(
                entry.phrase for entry in pack.subjects if entry.kind == ("woman" if pair.gender == "female" else "man")
            )
            # A determiner agrees with its own noun; what else does is told without it.
            bare = pair.hypothesis.replace(phrase[:1].upper() + phrase[1:], phrase.split()[-1].capitalize())
            sentence = bare.replace(phrase, phrase.split()[-1]) if lang in GENDERED_GRAMMAR else pair.hypothesis
            (judged,) = screener.screen(sentence)
            assert (judged.reason, judged.detail) == ("", ""), sentence
        assert len(checked) == 2 * len(pack.captions)

    def test_premises_hold_no_gendered_word(self, lang: str) -> None:
        """No word of a gender pair, whole or, in scripts without spaces, as characters."""
        pack = load_pack(lang)
        words = {word for pair in pack.gender_pairs if pair.status != "rejected" for word in (pair.male, pair.female)}
        for premise in {pair.premise for pair in make_pairs(pack).pairs}:
            if pack.spaced:
                assert not words & set(re.findall(r"\w+(?:-\w+)*", premise.lower())), premise
            else:
                held = [word for word in words if word in premise]
                # 人 stands in no pair; 他 in 吉他 is no he.
                assert not [word for word in held if not (word == "他" and "吉他" in premise)], premise

    def test_the_seed_decides_and_nothing_else(self, lang: str) -> None:
        pack = load_pack(lang)
        turned = replace(pack, occupations=pack.occupations[::-1], captions=pack.captions[::-1])
        assert set(make_pairs(pack, seed=3).pairs) == set(make_pairs(turned, seed=3).pairs)
        assert make_pairs(pack, seed=3).pairs != make_pairs(pack, seed=4).pairs

    def test_both_forms_are_a_control_where_there_are_two(self, lang: str) -> None:
        pack = load_pack(lang)
        if lang not in GENDERED_GRAMMAR:
            with pytest.raises(TiltmeterError, match="no masculine and feminine forms"):
                make_pairs(pack, forms="both")
            return
        forms = Counter((pair.form, pair.set) for pair in make_pairs(pack, forms="both").pairs)
        assert {form for form, _ in forms} == {"masculine", "feminine"}
        for name in SETS:
            assert forms["masculine", name] == forms["feminine", name] > 0
        assert {pair.form for pair in make_pairs(pack).pairs} == {""}

    def test_published_mode_has_the_published_sizes(self, lang: str) -> None:
        pack = load_pack(lang)
        if lang not in ("en", "ja", "zh"):
            with pytest.raises(TiltmeterError, match="no published list"):
                make_pairs(pack, mode="published")
            return
        sizes = Counter(pair.set for pair in make_pairs(pack, mode="published").pairs)
        assert sizes == {"PS": 1000, "AS": 1000, "NS": 3320 if lang == "zh" else 3420}


class TestSpanish:
    def test_premises_begin_with_somebody(self) -> None:
        subjects = {pair.premise for pair in make_pairs(load_pack("es")).pairs if pair.template.startswith("{subject}")}
        assert {premise.split()[0] for premise in subjects} == {"Alguien"}


class TestClasses:
    def test_shares_of_three_in_four_make_a_class(self) -> None:
        assert [class_by_share(share) for share in (0, 25, 25.1, 50, 74.9, 75, 100)] == [
            "male", "male", "neutral", "neutral", "neutral", "female", "female",
        ]  # fmt: skip

    def test_occupations_without_a_share_are_left_out_and_named(self) -> None:
        kept, left_out = by_share(load_pack("en").occupations)
        assert len(kept) + len(left_out) == len(load_pack("en").occupations)
        classes = {occupation.id: occupation.occupation_class for occupation in kept}
        assert classes["plumber"] == "male"
        assert classes["bartender"] == "neutral"
        assert classes["dietitian"] == "female"

    def test_crowd_scores_with_the_thresholds_of_the_paper(self, tmp_path: Path) -> None:
        path = tmp_path / "professions.json"
        rows = [
            ["nurse", -0.1, -0.9], ["soldier", 0.0, 0.8], ["accountant", 0.0, 0.4], ["ballerina", -0.5, -0.6],
            ["taxi_driver", 0.1, 0.51], ["lawyer", 0.49, -0.5],
        ]  # fmt: skip
        path.write_text(json.dumps(rows))
        kept, left_out = by_crowd_scores(load_pack("en").occupations, read_crowd_scores(path))
        found = {occupation.id: (occupation.occupation_class, occupation.gendered) for occupation in kept}
        assert found == {
            "nurse": ("female", ""),
            "soldier": ("male", ""),
            "accountant": ("neutral", ""),
            "ballerina": ("neutral", "yes"),
            "taxi driver": ("male", ""),
            "lawyer": ("neutral", ""),
        }
        assert len(left_out) == len(load_pack("en").occupations) - 6

    @pytest.mark.parametrize("content", ["{}", "[1]", '[["nurse", 0]]', '[["nurse", 0, 3]]', "no json"])
    def test_scores_of_another_shape_are_refused(self, tmp_path: Path, content: str) -> None:
        (tmp_path / "scores.json").write_text(content)
        with pytest.raises(TiltmeterError, match=r"scores\.json"):
            read_crowd_scores(tmp_path / "scores.json")


class TestOwnOccupations:
    def test_a_list_of_ones_own_by_class_or_share(self, tmp_path: Path) -> None:
        (tmp_path / "own.csv").write_text("occupation,class,share\nrigger,male,\npainter,,50\ncarer,,88\n")
        found = read_occupations(tmp_path / "own.csv")
        assert [(entry.masculine, entry.occupation_class) for entry in found] == [
            ("rigger", "male"),
            ("painter", "neutral"),
            ("carer", "female"),
        ]
        made = make_pairs(load_pack("en"), occupations=found)
        assert Counter(pair.set for pair in made.pairs) == {"PS": 20, "AS": 20, "NS": 20}

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("word,class\nx,male\n", "expected the column 'occupation'"),
            ("occupation\nx\n", "and 'class' or 'share'"),
            ("occupation,class,extra\nx,male,1\n", "there is no column 'extra'"),
            ("occupation,class\nx,boy\n", ":2: there is no class 'boy'"),
            ("occupation,class,share\nx,,\n", ":2: 'x' has neither a class nor a share"),
            ("occupation,share\nx,200\n", ":2: the share is '200'"),
            ("occupation,class\n,male\n", ":2: the cell 'occupation' is empty"),
            ("occupation,class\nx,male\nx,female\n", "'x' stands in it twice"),
            ("occupation,share\nx,0.9\ny,0.1\n", "no share is above 1, and percentages"),
            ("occupation,class\n", "holds no occupation"),
        ],
    )
    def test_what_is_wrong_is_named(self, tmp_path: Path, text: str, message: str) -> None:
        (tmp_path / "own.csv").write_text(text)
        with pytest.raises(TiltmeterError, match=re.escape(message)):
            read_occupations(tmp_path / "own.csv")


class TestRefused:
    def test_too_few_captions(self) -> None:
        pack = load_pack("en")
        with pytest.raises(TiltmeterError, match="10 captions an occupation are needed, and there are 3"):
            make_pairs(pack, captions=pack.captions[:3])

    @pytest.mark.parametrize(("left", "missing"), [("neutral", "PS"), ("female", "NS")])
    def test_a_set_that_would_be_empty(self, left: str, missing: str) -> None:
        pack = load_pack("en")
        some = [occupation for occupation in pack.occupations if occupation.occupation_class == left]
        with pytest.raises(TiltmeterError, match=f"the set {missing if left == 'neutral' else 'PS'} would be empty"):
            make_pairs(pack, occupations=some)


PS = [published(0, "a nurse sits.", "a woman sits.", "nurse", "female-stereo")]
AS = [published(1, "a nurse sits.", "a man sits.", "nurse", "female-stereo")]
NS = [published(2, "a clerk sits.", "a woman sits.", "clerk", "neutral")]
WHOLE = {"PS": PS, "AS": AS, "NS": NS}


class TestPublishedFiles:
    @pytest.mark.parametrize(
        ("suffix", "variant"),
        [
            ("_v1.1", ""),
            ("-downsamp_v1.1", "downsamp"),
            ("-tok_v1.1", "tok"),
            ("-downsamp-tok_v1.1", "downsamp-tok"),
            ("", ""),
        ],
    )
    def test_every_published_variant_is_read(self, tmp_path: Path, suffix: str, variant: str) -> None:
        listed = read_folder(in_folder(tmp_path / "data", WHOLE, suffix=suffix))
        assert listed.variant == variant
        assert [(pair.set, pair.premise, pair.hypothesis, pair.occupation) for pair in listed.pairs] == [
            ("PS", "a nurse sits.", "a woman sits.", "nurse"),
            ("AS", "a nurse sits.", "a man sits.", "nurse"),
            ("NS", "a clerk sits.", "a woman sits.", "clerk"),
        ]
        told = [(pair.occupation_class, pair.gender) for pair in listed.pairs]
        assert told == [("female", "female"), ("female", "male"), ("neutral", "")]

    def test_the_file_of_all_pairs_and_others_are_not_in_the_way(self, tmp_path: Path) -> None:
        folder = in_folder(tmp_path / "data", WHOLE)
        for name in ("4-all_v1.1.json", "README.md", "occup_en_v1.1.tsv"):
            (folder / name).write_text("nothing to be read")
        assert len(read_folder(folder).pairs) == 3

    @pytest.mark.parametrize("missing", SETS)
    def test_a_missing_set_is_refused(self, tmp_path: Path, missing: str) -> None:
        folder = in_folder(tmp_path / "data", {name: rows for name, rows in WHOLE.items() if name != missing})
        with pytest.raises(TiltmeterError, match=f"the {SETS[missing]} set is missing; a file {FILES[missing]}"):
            read_folder(folder)

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"occ_type": None}, "3-nonstereo_v1.1.json:1: the row has no class"),
            ({"occ_type": ""}, "3-nonstereo_v1.1.json:1: the row has no class"),
            ({"occ_type": "boy"}, "there is no occ_type 'boy'"),
            ({"occ_type": "male-stereo"}, "does not belong in the non-stereotypical set"),
            ({"sentence1": ""}, "'sentence1' is missing or not a text"),
            ({"sentence2": 3}, "'sentence2' is missing or not a text"),
            ({"occ_word": None}, "'occ_word' is missing or not a text"),
        ],
    )
    def test_a_row_that_cannot_be_used_is_named(self, tmp_path: Path, change: dict[str, object], message: str) -> None:
        folder = in_folder(tmp_path / "data", {**WHOLE, "NS": [{**NS[0], **change}]})
        with pytest.raises(TiltmeterError, match=re.escape(message)):
            read_folder(folder)

    def test_several_variants_in_one_folder_are_not_guessed_about(self, tmp_path: Path) -> None:
        folder = in_folder(tmp_path / "data", WHOLE)
        in_folder(folder, WHOLE, suffix="-tok_v1.1")
        with pytest.raises(TiltmeterError, match="several sets of files"):
            read_folder(folder)
        in_folder(tmp_path / "two", WHOLE)
        in_folder(tmp_path / "two", WHOLE, suffix="_v2")
        with pytest.raises(TiltmeterError, match="holds both 1-prostereo_v1"):
            read_folder(tmp_path / "two")

    def test_broken_and_empty_files_are_refused(self, tmp_path: Path) -> None:
        folder = in_folder(tmp_path / "data", WHOLE)
        (folder / "1-prostereo_v1.1.json").write_text("[1]\n")
        with pytest.raises(TiltmeterError, match=r"1-prostereo_v1\.1\.json:1: one JSON object a line"):
            read_folder(folder)
        (folder / "1-prostereo_v1.1.json").write_text("\n")
        with pytest.raises(TiltmeterError, match="holds no pair"):
            read_folder(folder)

    @pytest.mark.parametrize("lang", ["en", "ja", "es"])
    def test_what_is_written_is_read_again(self, tmp_path: Path, lang: str) -> None:
        pairs = make_pairs(load_pack(lang)).pairs
        for name, content in written_files(pairs, lang).items():
            (tmp_path / name).write_bytes(content)
        listed = read_folder(tmp_path)
        kept = [replace(pair, template="", gender="" if pair.set == "NS" else pair.gender) for pair in pairs]
        assert list(listed.pairs) == kept
        rows = [json.loads(line) for line in (tmp_path / f"4-all_{lang}.json").read_text("utf-8").splitlines()]
        assert [row["id"] for row in rows] == list(range(len(pairs)))
        assert {tuple(row) for row in rows} == {("id", "sentence1", "sentence2", "label", "occ_word", "occ_type")}
        assert {row["label"] for row in rows} == {"neutral"}

    def test_a_control_is_read_as_one(self, tmp_path: Path) -> None:
        pairs = make_pairs(load_pack("de"), forms="both").pairs
        for name, content in written_files(pairs, "de").items():
            (tmp_path / name).write_bytes(content)
        assert Counter(pair.form for pair in read_folder(tmp_path).pairs) == Counter(pair.form for pair in pairs)


def test_a_caption_needs_one_slot() -> None:
    assert Caption("{subject} sits.").slot == "subject"
    assert Caption("{noun:def} dago.").slot == "noun:def"
    assert not Caption("{subject} sees {subject}.").slot
    assert not Caption("somebody sits.").slot
    assert not Caption("{person} sits.").slot


def test_a_pack_without_captions_says_so() -> None:
    bare = Pack(lang="xx", name="X", endonym="X", scripts=("Latin",), grammatical_gender=())
    with pytest.raises(TiltmeterError, match="10 captions an occupation are needed, and there are 0"):
        make_pairs(bare)
