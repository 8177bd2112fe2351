"""Every data set of inference in the layout that it was published in; the sentences are our own."""

import json
from collections import Counter
from pathlib import Path

import pytest

from tiltmeter.datasets.labelled import Labelled, checksum_of, read_labelled
from tiltmeter.datasets.nli_corpora import read_bias_controlled, read_nli, without_spaces
from tiltmeter.errors import TiltmeterError

FILES = Path(__file__).parent / "nli_corpora"
BIASED = FILES / "nli_coal" / "en_v1.1" / "bias-controlled-set_v1.1"


@pytest.mark.parametrize(
    ("file", "pairs", "undecided"),
    [
        ("snli/snli_1.0_train.jsonl", 6, 1),
        ("snli/snli_1.0_train.txt", 6, 1),
        ("multinli/multinli_1.0_train.jsonl", 5, 0),
        ("multinli/multinli_1.0_train.txt", 5, 0),
        ("multinli/multinli_1.0_dev_matched.jsonl", 3, 1),
        ("multinli/multinli_1.0_dev_matched.txt", 3, 1),
        ("xnli/XNLI-MT-1.0/multinli/multinli.train.de.tsv", 4, 0),
        ("xnli/XNLI-MT-1.0/multinli/multinli.train.zh.tsv", 4, 0),
        ("jsnli/train_w_filtering.tsv", 5, 0),
        ("jsnli/train_wo_filtering.tsv", 6, 0),
        ("jnli/train-v1.1.json", 5, 0),
        ("ocnli/train.50k.json", 4, 1),
        ("ocnli/cmnli_public/train.json", 3, 0),
        ("jsick/train.tsv", 4, 0),
    ],
)
def test_every_published_layout_is_read(file: str, pairs: int, undecided: int) -> None:
    found = read_nli(FILES / file)
    assert (len(found.pairs), found.undecided) == (pairs, undecided)
    assert {pair.label for pair in found.pairs} <= {"entailment", "neutral", "contradiction"}
    assert all(pair.text and pair.second for pair in found.pairs)


def test_the_text_and_the_json_of_snli_hold_the_same_pairs() -> None:
    assert read_nli(FILES / "snli/snli_1.0_train.txt") == read_nli(FILES / "snli/snli_1.0_train.jsonl")


@pytest.mark.parametrize("ending", ["tsv", "jsonl"])
def test_one_language_of_xnli_is_taken(ending: str) -> None:
    path = FILES / f"xnli/XNLI-1.0/xnli.dev.{ending}"
    with pytest.raises(TiltmeterError, match=r"holds 3 languages .*say which with --lang"):
        read_nli(path)
    found = read_nli(path, lang="de")
    assert Counter(pair.label for pair in found.pairs) == {"entailment": 1, "neutral": 1, "contradiction": 1}
    with pytest.raises(TiltmeterError, match="holds no pair in 'ja'"):
        read_nli(path, lang="ja")


def test_the_japanese_label_of_jsick_is_taken_and_its_parts_are_told_apart() -> None:
    whole = FILES / "jsick/jsick.tsv"
    train, test = read_nli(whole), read_nli(whole, use="test")
    assert len(train.pairs) + len(test.pairs) == 5
    assert read_nli(FILES / "jsick/test.tsv", use="test").pairs == test.pairs
    cyclists = next(pair for pair in test.pairs if "自転車" in pair.text)
    assert cyclists.label == "contradiction"  # in English the same pair is neutral
    with pytest.raises(TiltmeterError, match=r"test.tsv holds no pair to train on: 2 are for testing"):
        read_nli(FILES / "jsick/test.tsv")


def test_words_of_jsnli_are_put_together_again() -> None:
    first = read_nli(FILES / "jsnli/train_w_filtering.tsv").pairs[0]
    assert first == Labelled(
        "灰色の前掛けをした陶工がろくろで器を作っています。", "entailment", "誰かが器を作っています。"
    )
    assert without_spaces("Tシャツ の 人 が New York で 2 人") == "Tシャツの人がNew Yorkで2人"
    assert without_spaces("Это врач, он спит") == "Это врач, он спит"


class TestWhatIsWrong:
    def test_a_test_set_without_answers(self) -> None:
        with pytest.raises(TiltmeterError, match=r"test.json: its pairs have no label"):
            read_nli(FILES / "ocnli/test.json", use="test")

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a.tsv", "", "a.tsv holds no pair to train on"),
            ("a.jsonl", '{"sentence1": "a", "sentence2": "b", "label": null}\n', "a.jsonl:1: the label is missing"),
            ("a.jsonl", '{"sentence1": "a", "sentence2": "b", "label": "maybe"}\n', "a.jsonl:1: the label 'maybe'"),
            ("a.jsonl", '{"sentence1": "a", "sentence2": "b", "label": 1}\n', "a.jsonl:1: the label 1 is none of"),
            ("a.jsonl", '{"sentence1": "a", "sentence2": "", "label": "neutral"}\n', "a.jsonl:1: a premise and"),
            ("a.jsonl", '{"sentence1": "a", "sentence2": "b", "label": "-"}\n', "all 1 are without a label"),
            ("a.jsonl", '{"text": "a"}\n', "laid out like no data set"),
            ("a.jsonl", "{\n", "a.jsonl:1: not JSON"),
            ("a.tsv", "premise\thypo\tlabel\na\tb\n", "a.tsv:2: 3 fields were expected, and there are 2"),
        ],
    )
    def test_is_said_with_its_line(self, tmp_path: Path, name: str, content: str, said: str) -> None:
        path = tmp_path / name
        path.write_text(content, "utf-8")
        with pytest.raises(TiltmeterError) as raised:
            read_nli(path)
        assert said in str(raised.value)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(TiltmeterError, match="there is no file"):
            read_nli(tmp_path / "no.jsonl")


class TestBiasControlledSets:
    def test_are_found_by_their_rate(self) -> None:
        found = read_bias_controlled(BIASED)
        assert list(found) == [0.0, 0.5, 1.0]
        assert all(set(uses) == {"train", "test"} for uses in found.values())
        assert {len(uses["train"]) for uses in found.values()} == {6}

    def test_without_three_rates_are_refused(self, tmp_path: Path) -> None:
        (tmp_path / "train_r-3.json").write_bytes((BIASED / "train/train_r-5.json").read_bytes())
        with pytest.raises(TiltmeterError, match="holds the sets of 1 rates"):
            read_bias_controlled(tmp_path)
        (tmp_path / "dev_r-4.json").write_bytes((BIASED / "dev/dev_r-5.json").read_bytes())
        with pytest.raises(TiltmeterError, match=r"train_r-4.json is missing beside dev_r-4.json"):
            read_bias_controlled(tmp_path)
        (tmp_path / "train_r-11.json").write_bytes((BIASED / "train/train_r-5.json").read_bytes())
        with pytest.raises(TiltmeterError, match="a rate is 0 to 10 tenths, not 11"):
            read_bias_controlled(tmp_path)

    def test_that_are_there_twice_are_refused(self, tmp_path: Path) -> None:
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "train_r-3.json").write_bytes((BIASED / "train/train_r-5.json").read_bytes())
        with pytest.raises(TiltmeterError, match=r"holds train_r-3.json twice"):
            read_bias_controlled(tmp_path)


class TestLabelledRows:
    def test_are_read_from_tabs_and_json(self, tmp_path: Path) -> None:
        rows = [Labelled('a "b', "x"), Labelled("c", "y")]
        (tmp_path / "a.tsv").write_text('text\tlabel\na "b\tx\nc\ty\n')
        (tmp_path / "a.jsonl").write_text("".join(json.dumps({"text": r.text, "label": r.label}) + "\n" for r in rows))
        assert read_labelled(tmp_path / "a.tsv") == read_labelled(tmp_path / "a.jsonl") == rows

    @pytest.mark.parametrize(
        ("content", "said"),
        [("text\tlabel\n", "a.tsv holds no row"), ("text\tlabel\na\t\n", "a.tsv:2: 'label' is missing")],
    )
    def test_that_lack_something_are_refused(self, tmp_path: Path, content: str, said: str) -> None:
        (tmp_path / "a.tsv").write_text(content)
        with pytest.raises(TiltmeterError, match=said):
            read_labelled(tmp_path / "a.tsv")

    def test_have_a_checksum_of_their_content_and_order(self) -> None:
        one, other = Labelled("a", "x", "b"), Labelled("c", "y")
        assert checksum_of([one, other]) != checksum_of([other, one])
        assert checksum_of([Labelled("a", "x", "b")]) == checksum_of([one])
        assert checksum_of([Labelled("ab", "x")]) != checksum_of([Labelled("a", "x", "b")])


def test_what_is_no_text_is_said_where_words_are_put_together(tmp_path: Path) -> None:
    file = tmp_path / "multinli.train.zh.jsonl"
    file.write_text('{"sentence1": 7, "sentence2": "b", "label": "neutral"}\n')
    with pytest.raises(TiltmeterError, match=r"multinli.train.zh.jsonl:1: a premise and a hypothesis were expected"):
        read_nli(file)
