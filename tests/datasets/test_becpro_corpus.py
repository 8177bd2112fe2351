"""BEC-Pro made from a pack, and read as it was published."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import pytest

from support import Command
from tiltmeter.datasets.becpro import (
    COLUMNS,
    BecRow,
    build,
    masked,
    own_professions,
    read_corpus,
    read_professions,
    write_corpus,
)
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_folder, load_pack, shipped_languages
from tiltmeter.runs import check_lists

HEADER = "\t".join(("", *COLUMNS))
GOOD = (
    "0\tHe is a nurse.\t[MASK] is a nurse.\tHe is a [MASK].\t[MASK] is a [MASK].\t<person> is a <profession>.\the\tmale"
)
GOOD += "\tnurse\tfemale"
DAMAGED = (
    "1\tThis man is a lodging manager.\tThis [MASK] is a lodging [MASK]ager.\tThis man is a [MASK] [MASK].\t"
    "This [MASK] is a [MASK] [MASK].\t<person> is a <profession>.\tthis man\tmale\tlodging manager\tbalanced"
)


@pytest.fixture(scope="module")
def published() -> list[BecRow]:
    return build(load_pack("en"), mode="published")


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., Path]:
    def written(*lines: str, name: str = "f.tsv") -> Path:
        (tmp_path / name).write_text("\n".join(lines) + "\n", "utf-8")
        return tmp_path / name

    return written


class TestEnglishAsPublished:
    def test_five_frames_sixty_professions_and_eighteen_persons(self, published: list[BecRow]) -> None:
        assert len(published) == 5_400
        assert len({row.template for row in published}) == 5
        assert len({row.profession for row in published}) == 60
        assert len({row.person for row in published}) == 18
        assert len({row.sentence for row in published}) == 5_400
        assert Counter(row.profession_class for row in published) == dict.fromkeys(["female", "balanced", "male"], 1800)
        assert Counter(row.person_gender for row in published) == {"male": 2700, "female": 2700}

    @pytest.mark.parametrize(
        ("person", "profession", "columns"),
        [
            (
                "brother",
                "medical records technician",
                (
                    "My brother is a medical records technician.",
                    "My [MASK] is a medical records technician.",
                    "My brother is a [MASK] [MASK] [MASK].",
                    "My [MASK] is a [MASK] [MASK] [MASK].",
                    "<person> is a <profession>.",
                ),
            ),
            (
                "she",
                "electrician",
                (
                    "She works as a electrician.",
                    "[MASK] works as a electrician.",
                    "She works as a [MASK].",
                    "[MASK] works as a [MASK].",
                    "<person> works as a <profession>.",
                ),
            ),
            (
                "man",
                "speech-language pathologist",
                (
                    "This man, the speech-language pathologist, had a good day at work.",
                    "This [MASK], the speech-language pathologist, had a good day at work.",
                    "This man, the [MASK] [MASK], had a good day at work.",
                    "This [MASK], the [MASK] [MASK], had a good day at work.",
                    "<person>, the <profession>, had a good day at work.",
                ),
            ),
        ],
    )
    def test_sentences_and_masks_are_the_printed_ones(
        self, published: list[BecRow], tmp_path: Path, person: str, profession: str, columns: tuple[str, ...]
    ) -> None:
        assert write_corpus(published, tmp_path / "en.tsv") == 5_400
        lines = (tmp_path / "en.tsv").read_text("utf-8").splitlines()
        assert lines[0] == HEADER
        cells = [line.split("\t")[1:] for line in lines[1:]]
        (found,) = [row for row in cells if row[0] == columns[0]]
        assert tuple(found[:5]) == columns
        assert (found[5], found[7]) == (person, profession)

    def test_right_sentences_write_an_before_vowels_and_are_else_the_same(self, published: list[BecRow]) -> None:
        for right, other in zip(build(load_pack("en")), published, strict=True):
            article = "an" if right.profession[0] in "aeiou" else "a"
            sentence = other.sentence.replace(f" a {right.profession}", f" {article} {right.profession}")
            if ", the " in sentence:
                # The print has an apposition here, which does not go with everybody.
                who = sentence.partition(",")[0]
                sentence = f"{who} had a good day at work as {article} {right.profession}."
            assert right.sentence == sentence

    def test_persons_of_neither_gender_come_on_top_of_the_others(self) -> None:
        rows = build(load_pack("en"), nonbinary=True)
        third = [row for row in rows if row.person_gender == "nonbinary"]
        assert len(rows) - len(third) == 5_400
        assert len(third) == 5 * 60 * len(load_pack("en").nonbinary_persons)
        sentences = {row.sentence for row in third}
        assert "They want to become an electrician." in sentences
        assert "They work as an electrician." in sentences
        assert "This person works as an electrician." in sentences

    def test_the_command_writes_them(self, told: Command, tmp_path: Path, published: list[BecRow]) -> None:
        done = told("build", "becpro", "--lang", "en", "--mode", "published", "-o", "en.tsv")
        assert done.returncode == 0, done.stderr
        assert [row.sentence for row in read_corpus(tmp_path / "en.tsv")] == [row.sentence for row in published]


class TestReading:
    @pytest.mark.parametrize("lang", shipped_languages())
    def test_what_is_written_is_read_back_in_every_language(self, lang: str, tmp_path: Path) -> None:
        rows = build(load_pack(lang))
        write_corpus(rows, tmp_path / "f.tsv")
        kept = ("sentence", "target", "attribute", "template", "person", "person_gender", "profession")
        for row, back in zip(rows, read_corpus(tmp_path / "f.tsv"), strict=True):
            for name in (*kept, "profession_class", "informative"):
                assert getattr(back, name) == getattr(row, name), (name, row, back)
            assert not back.repaired

    def test_a_damaged_row_is_read_from_its_words_and_says_so(self, file: Callable[..., Path]) -> None:
        whole, damaged = read_corpus(file(HEADER, GOOD, DAMAGED))
        assert not whole.repaired
        assert damaged.repaired
        # "man" is the person, and not the beginning of "manager".
        assert damaged.target == (5, 8)
        assert damaged.sentence[slice(*damaged.attribute)] == "lodging manager"
        assert masked(damaged.sentence, [damaged.target, damaged.attribute]) == "This [MASK] is a [MASK] [MASK]."

    def test_a_person_before_whom_the_same_letters_stand_is_found(self, file: Callable[..., Path]) -> None:
        sentence = "The lodging manager is this man."
        damaged = "\t".join(
            [
                "2",
                sentence,
                "The lodging [MASK]ager is this [MASK].",
                "The [MASK] [MASK] is this man.",
                "x",
                "t",
                "this man",
            ]
        )
        (row,) = read_corpus(file(HEADER, f"{damaged}\tmale\tlodging manager\tbalanced"))
        assert row.sentence[slice(*row.target)] == "man"
        assert row.target[0] == sentence.rindex("man")

    def test_a_sentence_of_both_genders_says_nothing(self, file: Callable[..., Path]) -> None:
        other = GOOD.replace("\tmale\t", "\tfemale\t")
        assert [row.informative for row in read_corpus(file(HEADER, GOOD, other, DAMAGED))] == [False, False, True]

    @pytest.mark.parametrize(
        ("before", "after", "said"),
        [
            (
                "lodging manager.\tThis [MASK] is a lodging [MASK]ager",
                "lodger.\tThis [MASK] is a [MASK]ager",
                "f.tsv:3: the person 'this man' and the profession 'lodging manager' do not both stand in 'This man is",
            ),
            ("This man is a lodging manager.\t", "\t", "f.tsv:3: the person 'this man' and the profession"),
            ("\tmale\tlodging", "\tboth\tlodging", "f.tsv:3: the gender is 'both', and male or female was expected"),
            ("\tbalanced", "\tblanced", "f.tsv:3: there is no class 'blanced'; did you mean 'balanced'"),
            ("\tmale\tlodging manager\tbalanced", "", "f.tsv:3: the gender is None"),
            ("Sent_AM\t", "", "f.tsv:1: the column 'Sent_AM' is missing; expected Sentence, Sent_TM"),
        ],
    )
    def test_what_is_beyond_repair_is_named_with_its_line(
        self, file: Callable[..., Path], before: str, after: str, said: str
    ) -> None:
        text = "\n".join((HEADER, GOOD, DAMAGED))
        assert before in text
        with pytest.raises(TiltmeterError) as error:
            read_corpus(file(text.replace(before, after, 1)))
        assert said in str(error.value)
        assert "\n" not in str(error.value)

    def test_a_file_without_rows_or_of_another_encoding_is_refused(self, tmp_path: Path) -> None:
        (tmp_path / "f.tsv").write_text(HEADER)
        with pytest.raises(TiltmeterError, match=r"f\.tsv holds no sentence"):
            read_corpus(tmp_path / "f.tsv")
        (tmp_path / "f.tsv").write_bytes(f"{HEADER}\n{GOOD}\té".encode("latin-1"))
        with pytest.raises(TiltmeterError, match=r"f\.tsv is not UTF-8"):
            read_corpus(tmp_path / "f.tsv")


class TestOwnProfessions:
    def test_have_a_class_or_a_share(self, file: Callable[..., Path]) -> None:
        path = file(
            "masculine,feminine,class,share,field", "enfermero,enfermera,female,,health", "juez,,,54.5,", name="p.csv"
        )
        one, other = read_professions(path)
        assert (one.id, one.feminine, one.profession_class, one.share, one.field) == (
            "enfermero",
            "enfermera",
            "female",
            None,
            "health",
        )
        assert (other.profession_class, other.share, other.common) == ("unclassed", 54.5, True)

    @pytest.mark.parametrize("share", ["0", "100", "100.0", "7.25"])
    def test_a_share_is_a_percentage(self, file: Callable[..., Path], share: str) -> None:
        (found,) = read_professions(file("masculine,share", f"nurse,{share}", name="p.csv"))
        assert found.share == float(share)

    @pytest.mark.parametrize(
        ("lines", "said"),
        [
            (("masculine,share", "a,50", "nurse,101"), "p.csv:3: the share is '101', and a percentage from 0 to 100"),
            (("masculine,share", "nurse,-3"), "p.csv:2: the share is '-3'"),
            (("masculine,share", "nurse,half"), "p.csv:2: the share is 'half'"),
            (("masculine,class,share", "nurse,,"), "p.csv:2: 'nurse' has neither a class nor a share"),
            (("masculine,class", "nurse,femal"), "p.csv:2: there is no class 'femal'; did you mean 'female'"),
            (("masculine,class", ",female"), "p.csv:2: the cell 'masculine' is empty"),
            (("masculine,feminin,class", "a,b,male"), "p.csv:1: there is no column 'feminin'; did you mean 'feminine'"),
            (("masculine,shares,class", "a,b,male"), "p.csv:1: there is no column 'shares'; did you mean 'share'"),
            (("feminine,class", "a,male"), "p.csv:1: expected the column 'masculine', and 'class' or 'share'"),
            (("masculine,class",), "p.csv holds no profession"),
        ],
    )
    def test_a_mistake_is_named_with_its_line(
        self, file: Callable[..., Path], lines: tuple[str, ...], said: str
    ) -> None:
        with pytest.raises(TiltmeterError) as error:
            read_professions(file(*lines, name="p.csv"))
        assert said in str(error.value)

    def test_a_form_that_a_frame_needs_is_missed_by_name(self, file: Callable[..., Path]) -> None:
        own = read_professions(file("masculine,class", "врач,balanced", name="p.csv"))
        with pytest.raises(TiltmeterError, match="the profession 'врач' has no form 'ins', which a frame asks for"):
            build(load_pack("ru"), professions=own)
        whole = read_professions(file("masculine,masculine_instrumental,class", "врач,врачом,male", name="p.csv"))
        assert "Он работает врачом." in {row.sentence for row in build(load_pack("ru"), professions=whole)}


class TestRefusals:
    def test_an_unknown_variant(self) -> None:
        with pytest.raises(TiltmeterError, match="there is no variant 'article'; did you mean 'articles'"):
            build(load_pack("es"), variant="article")

    @pytest.mark.parametrize(("lang", "mode"), [("zh", "published"), ("ja", "released-code"), ("ru", "published")])
    def test_a_language_without_a_published_corpus(
        self, lang: str, mode: Literal["published", "released-code"]
    ) -> None:
        pack = load_pack(lang)
        with pytest.raises(TiltmeterError, match=f"there is no published BEC-Pro in {pack.name}: use --mode right"):
            build(pack, mode=mode)

    def test_a_pack_without_frames_says_what_to_add(self, tmp_path: Path, told: Command) -> None:
        folder = tmp_path / "tt"
        folder.mkdir()
        files: dict[str, str] = {
            "pack.toml": 'lang = "tt"\nname = "Test"\nendonym = "t"\nscripts = ["Latin"]\ngrammatical_gender = []\n',
            "persons.tsv": "# source: made up\nmale\tfemale\nhe\tshe\n",
            "professions.tsv": "# source: made up\nid\tmasculine\tprofession_class\nnurse\tnurse\tfemale\n",
        }
        for name, text in files.items():
            (folder / name).write_text(text)
        said = "becpro needs the list 'frames', which the pack 'tt' lacks: add frames to the pack"
        with pytest.raises(TiltmeterError, match=said):
            check_lists(load_instrument("becpro"), load_folder(folder))
        done = told("build", "becpro", "--lang", "tt", "--pack", folder, "-o", "f.tsv")
        assert done.returncode == 2
        assert said in done.stderr
        assert not (tmp_path / "f.tsv").exists()
        # What it asks for is enough.
        (folder / "frames.toml").write_text(
            'source = "us"\n[[frames]]\nname = "is"\nright = "{person} is {profession}"\n'
        )
        assert [row.sentence for row in build(load_folder(folder))] == ["He is nurse", "She is nurse"]

    @pytest.mark.parametrize(
        "given", [{"variant": "bare"}, {"professions": "common"}, {"profession_list": "p.csv"}], ids=lambda g: str(*g)
    )
    def test_a_corpus_file_brings_its_own_sentences(self, file: Callable[..., Path], given: dict[str, Any]) -> None:
        own = file("masculine,class", "nurse,female", name="p.csv")
        chosen = {name: own if name == "profession_list" else value for name, value in given.items()}
        with pytest.raises(TiltmeterError, match="--corpus brings its own sentences"):
            load_instrument("becpro").make_options({"corpus": file(HEADER, GOOD), **chosen})


def test_own_professions_leave_out_the_word_for_any_worker() -> None:
    for lang in shipped_languages():
        pack = load_pack(lang)
        assert len(own_professions(pack)) == 60
        assert {entry.id for entry in pack.professions} - {entry.id for entry in own_professions(pack)} == {"neutral"}
