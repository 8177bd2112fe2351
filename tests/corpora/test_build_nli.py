"""`build nli`: from a pack or from captions to files and a data card, whole or not at all; then measured."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import tiltmeter
from subjects.classifiers import word_classifier
from support import Command
from tiltmeter.datasets.captions import read_captions
from tiltmeter.datasets.nli_files import read_folder
from tiltmeter.errors import TiltmeterError

PLACES = ("bus", "train", "tram", "ferry", "boat", "taxi", "plane", "lift", "bike", "cart", "sledge", "van")
GOOD = [f"A {person} is waiting for the {place}." for person in ("man", "woman") for place in PLACES]
BAD = ["A dog is asleep.", "A man and a woman are talking.", "A dog runs toward a man.", "A woman in a skirt waits."]


def coco(path: Path, captions: list[str]) -> Path:
    """The layout of COCO, YJ Captions and STAIR."""
    annotations = [{"image_id": 7, "id": number, "caption": text} for number, text in enumerate(captions)]
    content = {"info": {}, "images": [{"id": 7, "file_name": "x.jpg"}], "licenses": [], "annotations": annotations}
    path.write_text(json.dumps(content, ensure_ascii=False), "utf-8")
    return path


def lines(path: Path, captions: list[str]) -> Path:
    path.write_text("\n".join(captions) + "\n", "utf-8")
    return path


class TestCaptions:
    @pytest.mark.parametrize("write", [coco, lines])
    def test_files_of_both_kinds_give_the_same_set(self, tmp_path: Path, write: Any) -> None:
        file = write(tmp_path / ("c.json" if write is coco else "c.txt"), [*GOOD, *BAD])
        built = tiltmeter.build_nli(tmp_path / "set", lang="en", captions=file, licence="CC BY 4.0")
        assert built.card.captions == len(PLACES)  # a man's and a woman's are one
        assert built.card.reasons() == {"no-person": 1, "persons": 1, "not-subject": 1, "stereotyped": 1}
        assert {pair.template for pair in built.card.pairs} == {
            f"{{subject}} is waiting for the {place}." for place in PLACES
        }
        premises = {pair.premise for pair in read_folder(tmp_path / "set").pairs}
        assert "A nurse is waiting for the tram." in premises or "A nurse is waiting for the bus." in premises

    def test_every_caption_that_was_read_is_in_a_file_with_what_became_of_it(self, tmp_path: Path) -> None:
        tiltmeter.build_nli(tmp_path / "set", lang="en", captions=lines(tmp_path / "c.txt", [*GOOD, *BAD]))
        with (tmp_path / "set" / "captions.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [row["caption"] for row in rows] == [*GOOD, *BAD]
        assert [bool(row["with_slot"]) for row in rows] == [True] * len(GOOD) + [False] * len(BAD)
        assert [row["reason"] for row in rows[len(GOOD) :]] == ["no-person", "persons", "not-subject", "stereotyped"]

    @pytest.mark.parametrize(
        ("captions", "reason"), [(["A dog is asleep."], "no-person 1"), (["A man and a woman talk."], "persons 1")]
    )
    def test_captions_without_a_person_or_with_two_make_no_set(
        self, tmp_path: Path, captions: list[str], reason: str
    ) -> None:
        with pytest.raises(TiltmeterError, match=f"0 of 1 captions are about one person.*{reason}"):
            tiltmeter.build_nli(tmp_path / "set", lang="en", captions=lines(tmp_path / "c.txt", captions))
        assert not (tmp_path / "set").exists()

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("c.json", "{}", "a list 'annotations'"),
            ("c.json", "[1, 2]", "a list 'annotations'"),
            ("c.json", '{"annotations": [{"id": 1}]}', "annotation 1 has no text 'caption'"),
            ("c.json", "no json", "is no JSON"),
            ("c.txt", "\n\n", "holds no caption"),
        ],
    )
    def test_files_of_another_shape_are_refused(self, tmp_path: Path, name: str, content: str, message: str) -> None:
        (tmp_path / name).write_text(content)
        with pytest.raises(TiltmeterError, match=message):
            read_captions(tmp_path / name)

    def test_a_file_that_is_not_there_or_not_utf_8_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(TiltmeterError, match="there is no file"):
            read_captions(tmp_path / "nowhere.txt")
        (tmp_path / "latin.txt").write_bytes("Ein Mann geht über die Straße".encode("latin-1"))
        with pytest.raises(TiltmeterError, match="not UTF-8"):
            read_captions(tmp_path / "latin.txt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "set"
    tiltmeter.build_nli(folder, lang="es")
    return folder


def _lines(path: Path) -> int:
    return len(path.read_text("utf-8").splitlines())


class TestCard:
    def test_table_6_is_in_it(self, folder: Path) -> None:
        card = json.loads((folder / "card.json").read_text("utf-8"))
        files = sorted(folder.glob("[123]-*"))
        counts = {name: _lines(path) for name, path in zip(("PS", "AS", "NS"), files, strict=True)}
        assert {name: row["pairs"] for name, row in card["sets"].items()} == counts
        assert card["sets"]["PS"]["female"] == card["sets"]["PS"]["male"] == counts["PS"] / 2
        assert sum(counts.values()) == card["size"] == _lines(folder / "4-all_es.json")
        text = (folder / "card.md").read_text("utf-8")
        assert f"| pro-stereotypical (PS) | {counts['PS']:,} |" in text
        assert "48 of them serve as many female- as male-typed occupations" in text

    def test_what_was_not_used_is_named(self, folder: Path) -> None:
        card = json.loads((folder / "card.json").read_text("utf-8"))
        reasons = {reason for _, reason in card["occupations_left_out"]}
        assert reasons == {"its gender is its meaning", "not drawn: as many of either gender"}

    def test_text_from_outside_stays_text(self, tmp_path: Path) -> None:
        file = lines(tmp_path / "c`<b>.txt", GOOD)
        tiltmeter.build_nli(tmp_path / "set", lang="en", captions=file, licence="<script>[x](y)")
        text = (tmp_path / "set" / "card.md").read_text("utf-8")
        assert r"(licence: \<script\>\[x\](y))" in text
        assert "`` c`<b>.txt ``" in text


def test_a_list_of_which_nothing_is_left_is_not_replaced_by_the_packs(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("occupation,class\nnurse,female\nsailor,male\nclerk,neutral\n")
    with pytest.raises(TiltmeterError, match="the set PS would be empty"):
        tiltmeter.build_nli(tmp_path / "set", lang="en", occupations=tmp_path / "own.csv", classes="share")


@pytest.mark.parametrize("option", ["--captions", "--occupations", "--scores"])
def test_a_file_that_is_not_there_is_named(told: Command, option: str) -> None:
    more = ("--classes", "crowd") if option == "--scores" else ()
    done = told("build", "nli", "--lang", "en", option, "nowhere.json", *more, "-o", "set")
    assert done.returncode == 2
    assert "nowhere.json" in done.stderr.strip().splitlines()[-1]


def test_cells_that_a_spreadsheet_would_run_are_not(tmp_path: Path) -> None:
    file = lines(tmp_path / "c.txt", [*GOOD, "=HYPERLINK(1)"])
    tiltmeter.build_nli(tmp_path / "set", lang="en", captions=file)
    assert "'=HYPERLINK(1)," in (tmp_path / "set" / "captions.csv").read_text("utf-8")


def test_where_forms_tell_a_gender_a_list_of_ones_own_has_to_say_how(tmp_path: Path) -> None:
    (tmp_path / "own.csv").write_text("occupation,class\nenfermero,female\nfontanero,male\npoeta,neutral\n")
    for lang in ("es", "de", "ru"):
        with pytest.raises(TiltmeterError, match="a word's form may tell a gender; give the columns 'feminine'"):
            tiltmeter.build_nli(tmp_path / lang, lang=lang, occupations=tmp_path / "own.csv")


class TestCommand:
    def test_built_then_measured_from_the_folder_as_from_the_pack(self, told: Command, tmp_path: Path) -> None:
        done = told("build", "nli", "--lang", "en", "-o", "set")
        assert done.returncode == 0, done.stderr
        assert "4,100 pairs (PS 520, AS 520, NS 3,060): set" in done.stdout
        assert "tiltmeter measure nli-coal MODEL --lang en --data set" in done.stdout
        model = word_classifier(tmp_path / "model", read_folder(tmp_path / "set").pairs)
        told("measure", "nli-coal", model, "--lang", "en", "--items", "pack.parquet")
        given = told("measure", "nli-coal", model, "--lang", "en", "--data", "set", "--json")
        assert given.returncode == 0, given.stderr
        alone = told("measure", "nli-coal", model, "--lang", "en", "--json")
        one, other = (json.loads(run.stdout) for run in (given, alone))
        assert one["options"]["data"]["file"] == "set"
        assert [row["value"] for row in one["estimates"]] == pytest.approx([row["value"] for row in other["estimates"]])

    def test_json_is_one_object(self, told: Command) -> None:
        done = told("build", "nli", "--lang", "ja", "--templates", "4", "-o", "set", "--json")
        assert json.loads(done.stdout)["sets"]["PS"]["pairs"] == 4 * 52

    def test_a_folder_that_is_there_is_not_touched(self, told: Command, tmp_path: Path) -> None:
        (tmp_path / "set").mkdir()
        (tmp_path / "set" / "mine.txt").write_text("mine")
        done = told("build", "nli", "--lang", "en", "-o", "set")
        assert done.returncode == 2
        assert "is there already" in done.stderr
        assert [path.name for path in (tmp_path / "set").iterdir()] == ["mine.txt"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (("--lang", "en", "--classes", "crowd"), "--classes crowd and --scores FILE go together"),
            (("--lang", "es", "--mode", "published"), "no published list of occupations in Spanish"),
            (("--lang", "en", "--mode", "published", "--classes", "share"), "--mode published takes the published"),
            (("--lang", "eu", "--forms", "both"), "Basque has no masculine and feminine forms"),
            (("--lang", "en", "--templates", "0"), "at least one caption"),
            (("--lang", "en", "--captions", "nowhere.txt"), "there is no file"),
            (("--lang", "xx"), "there is no language 'xx'"),
        ],
    )
    def test_bad_requests_write_nothing(
        self, told: Command, tmp_path: Path, arguments: tuple[str, ...], message: str
    ) -> None:
        done = told("build", "nli", *arguments, "-o", "set")
        assert done.returncode == 2
        assert message in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "set").exists()
