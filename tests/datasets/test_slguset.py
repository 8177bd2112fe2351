"""SlguSet and sets like it: what a file says, what is repaired, and what cannot be measured."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.datasets.slguset import (
    LeftOut,
    NeutralRow,
    hidden_part,
    left_out_reasons,
    own_sentences,
    placed,
)
from tiltmeter.datasets.slguset_files import COLUMNS, ListedSentence, read_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack, shipped_languages

ZH, EN, JA = load_pack("zh"), load_pack("en"), load_pack("ja")
HEADER = [published for published, _ in COLUMNS.values()]


def written(rows: Sequence[Sequence[object]], header: Sequence[str] = HEADER) -> str:
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


def listed(sentence: str, position: tuple[int, int] | None, keyword: str, opposite: str = "") -> ListedSentence:
    return ListedSentence(line=2, sentence=sentence, position=position, keyword=keyword, opposite=opposite)


def one(sentence: str, position: tuple[int, int] | None, keyword: str, opposite: str = "") -> NeutralRow:
    (row,), left_out = placed([listed(sentence, position, keyword, opposite)], ZH)
    assert left_out == []
    return row


def why(entry: ListedSentence, *, more: str = "") -> str:
    rows, (left_out,) = placed([entry], ZH, more=more)
    assert rows == []
    return left_out.reason


class TestReading:
    ROW = ("门口站着一位男老师。", "[7, 8]", "男", "女")

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
    def test_a_published_file_in_the_encodings_that_chinese_files_have(self, tmp_path: Path, encoding: str) -> None:
        path = tmp_path / "SlguSet.csv"
        path.write_bytes(written([self.ROW]).encode(encoding))
        found = read_set(path)
        assert found.sentences == (
            ListedSentence(line=2, sentence=self.ROW[0], position=(7, 8), keyword="男", opposite="女"),
        )
        assert found.encoding == encoding.removesuffix("-sig")

    def test_what_is_in_no_encoding_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "set.csv"
        path.write_bytes(written([self.ROW]).encode() + b"\xff\xff\xff")
        with pytest.raises(
            TiltmeterError, match=r"set\.csv is neither UTF-8 nor a Chinese file in GB18030; save it as UTF-8"
        ):
            read_set(path)

    @pytest.mark.parametrize("missing", HEADER)
    def test_a_missing_column_is_named(self, tmp_path: Path, missing: str) -> None:
        path = tmp_path / "set.csv"
        path.write_text(written([self.ROW], [name if name != missing else "另一列" for name in HEADER]), "utf-8")
        with pytest.raises(TiltmeterError, match=f"set.csv: the column '{missing}' .* is missing; expected 句子"):
            read_set(path)

    def test_a_file_without_sentences_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "set.csv"
        path.write_text(written([]), "utf-8")
        with pytest.raises(TiltmeterError, match=r"set\.csv holds no sentence"):
            read_set(path)

    def test_what_is_no_csv_or_no_parquet_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "set.csv"
        path.write_text('句子,关键词位置,原始关键词,对立关键词\n"门口,[1', "utf-8")
        with pytest.raises(TiltmeterError, match="is not a CSV file"):
            read_set(path)
        other = tmp_path / "set.parquet"
        other.write_text("no parquet")
        with pytest.raises(TiltmeterError, match="cannot be read"):
            read_set(other)

    def test_a_set_of_ones_own_with_english_columns_as_csv_and_as_parquet(self, tmp_path: Path) -> None:
        table = pl.DataFrame(
            {
                "sentence": ["My brother is late."],
                "start": [3],
                "end": [10],
                "keyword": ["brother"],
                "opposite": ["sister"],
                "gender": ["male"],
                "pair": ["brother/sister"],
            }
        )
        table.write_csv(tmp_path / "set.csv")
        table.write_parquet(tmp_path / "set.parquet")
        (first,) = read_set(tmp_path / "set.csv").sentences
        (second,) = read_set(tmp_path / "set.parquet").sentences
        assert first == second
        assert first.position == (3, 10)
        assert (first.gender, first.pair) == ("male", "brother/sister")

    @pytest.mark.parametrize(
        "cell",
        [
            "",
            "7",
            "7-8",
            "[7]",
            "[7, 8, 9]",
            "[a, b]",
            "[-7, 8]",
            "__import__('os')",
            "[7, [8]]",
            "[,]",
            "[7.5, 8]",
            "[.,.]",
        ],
    )
    def test_a_position_that_is_no_list_of_two_numbers_is_none(self, tmp_path: Path, cell: str) -> None:
        path = tmp_path / "set.csv"
        path.write_text(written([("门口站着一位男老师。", cell, "男", "女")]), "utf-8")
        assert read_set(path).sentences[0].position is None

    @pytest.mark.parametrize("cell", ["[7, 8]", "(7,8)", " [7.0, 8.0] "])
    def test_whole_numbers_are_read_however_they_are_written(self, tmp_path: Path, cell: str) -> None:
        path = tmp_path / "set.csv"
        path.write_text(written([("门口站着一位男老师。", cell, "男", "女")]), "utf-8")
        assert read_set(path).sentences[0].position == (7, 8)

    def test_positions_of_a_table_with_gaps_and_numbers_that_nobody_can_hold(self, tmp_path: Path) -> None:
        table = pl.DataFrame(
            {
                "sentence": ["he came", None, "she left"],
                "start": [0.0, None, 0.0],
                "end": [2.0, 1.0, 3.0],
                "keyword": ["he", None, "she"],
                "opposite": ["she", "he", None],
            }
        )
        table.write_parquet(tmp_path / "SET.PARQUET")
        first, second, third = read_set(tmp_path / "SET.PARQUET").sentences
        assert (first.position, second.position, third.position) == ((0, 2), None, (0, 3))
        assert (second.sentence, second.keyword, third.opposite) == ("", "", "")
        path = tmp_path / "set.csv"
        path.write_text(f"sentence,start,end,keyword,opposite\nhe came,{'9' * 5000},2,he,she\n", "utf-8")
        assert read_set(path).sentences[0].position is None

    def test_other_bytes_do_not_pass_for_chinese(self, tmp_path: Path) -> None:
        path = tmp_path / "set.csv"
        path.write_bytes("sentence,start,end,keyword,opposite\nEl niño vino.,0,7,El niño,La niña\n".encode("latin-1"))
        with pytest.raises(TiltmeterError, match="save it as UTF-8"):
            read_set(path)


class TestFinding:
    def test_a_position_that_gives_the_keyword_is_kept(self) -> None:
        row = one("男孩和另一个男孩在下棋。", (6, 8), "男孩", "女孩")
        assert (row.span, row.repaired) == ((6, 8), False)

    @pytest.mark.parametrize(("position", "start"), [((1, 3), 0), ((5, 7), 6), ((40, 42), 6), ((3, 5), 0), ((6, 7), 6)])
    def test_another_is_repaired_to_the_nearest_occurrence_the_earlier_of_two(
        self, position: tuple[int, int], start: int
    ) -> None:
        row = one("男孩和另一个男孩在下棋。", position, "男孩", "女孩")
        assert row.span == (start, start + 2)
        assert row.repaired
        assert row.sentence[slice(*row.span)] == "男孩"

    def test_no_position_at_all_does_where_the_keyword_stands_once(self) -> None:
        assert one("有位男孩在下棋。", None, "男孩", "女孩").repaired
        assert why(listed("男孩和男孩在下棋。", None, "男孩", "女孩")) == (
            "its position is no list [start, end], and '男孩' stands in it 2 times"
        )

    def test_what_cannot_be_found_is_left_out(self) -> None:
        assert why(listed("有人在下棋。", (0, 2), "男孩", "女孩")) == "'男孩' does not stand in the sentence"
        assert why(listed(" ", (0, 2), "男孩", "女孩")) == "there is no sentence"
        assert why(listed("有位男孩在下棋。", (2, 4), "", "女孩")) == "there is no keyword"
        assert why(listed("有位男孩在下棋。", (2, 4), "男孩", "男孩")) == "both words are '男孩'"

    def test_the_opposite_that_is_not_said_comes_from_the_pack(self) -> None:
        assert one("有位女孩在下棋。", (2, 4), "女孩").context == "有位{男孩|女孩}在下棋。"
        assert why(listed("有位国王在下棋。", (2, 4), "国王")) == (
            "there is no opposite of '国王', and the pack knows none"
        )

    @pytest.mark.parametrize(
        ("keyword", "opposite", "male"),
        [("老婆", "老公", "老公"), ("公", "婆", "公"), ("妻子", "丈夫", "丈夫"), ("婆婆", "公公", "公公")],
    )
    def test_pairs_of_the_released_file_that_the_table_does_not_have(
        self, keyword: str, opposite: str, male: str
    ) -> None:
        row = one(f"我{keyword}出差了。", (1, 1 + len(keyword)), keyword, opposite)
        assert row.male == male
        assert row.written == ("male" if keyword == male else "female")

    def test_an_unknown_pair_is_accepted_once_it_is_known_which_word_is_male(self) -> None:
        entry = listed("那位王后很慷慨。", (2, 4), "王后", "国王")
        assert "which of '王后' and '国王' is male is not known: say it with --pairs" in why(entry)
        (row,), _ = placed([entry], ZH, more="国王/王后, 王子/公主")
        assert (row.pair, row.written) == ("国王/王后", "female")
        said = ListedSentence(
            line=2, sentence=entry.sentence, position=(2, 4), keyword="王后", opposite="国王", gender="F"
        )
        (row,), _ = placed([said], ZH)
        assert row.pair == "国王/王后"

    def test_a_gender_that_is_none_or_is_not_the_packs_is_not_believed(self) -> None:
        row = listed("他来了。", (0, 1), "他", "她")
        assert why(replace(row, gender="both")) == "its gender is 'both', and male or female was expected"
        assert why(replace(row, gender="女性")) == "the file calls '他' female, and the pack male"

    def test_what_the_user_says_of_a_pair_comes_first(self) -> None:
        (row,), _ = placed([listed("他来了。", (0, 1), "他", "她")], ZH, more="她/他")
        assert (row.written, row.male) == ("female", "她")

    @pytest.mark.parametrize("more", ["国王", "国王/", "/王后", "国王/国王"])
    def test_a_pair_that_is_none_is_refused(self, more: str) -> None:
        with pytest.raises(TiltmeterError, match="--pairs takes MALE/FEMALE"):
            placed([], ZH, more=more)

    def test_rows_that_give_the_gender_away_are_flagged(self) -> None:
        assert one("他说他不来。", (0, 1), "他", "她").flag == "keyword again"
        assert one("他说她不来。", (0, 1), "他", "她").flag == "both words"
        assert one("他说不来。", (0, 1), "他", "她").flag == ""

    def test_the_same_context_stands_twice_also_when_written_for_the_other_gender(self) -> None:
        rows, left_out = placed(
            [
                ListedSentence(line=2, sentence="他不来了。", position=(0, 1), keyword="他", opposite="她"),
                ListedSentence(line=3, sentence="他不来了。", position=(0, 1), keyword="他", opposite="她"),
                ListedSentence(line=4, sentence="她不来了。", position=(0, 1), keyword="她", opposite="他"),
                ListedSentence(line=5, sentence="她又不来了。", position=(0, 1), keyword="她", opposite="他"),
            ],
            ZH,
        )
        assert [row.line for row in rows] == [2, 5]
        assert [entry.reason for entry in left_out] == ["the same sentence stands in row 2"] * 2
        assert left_out_reasons(left_out) == {"the same sentence stands in an earlier row": 2}

    def test_reasons_are_counted_by_kind(self) -> None:
        reasons = (
            "'男孩' does not stand in the sentence",
            "'女' does not stand in the sentence",
            "there is no keyword",
        )
        assert left_out_reasons([LeftOut(2, "", reason) for reason in reasons]) == {
            "'…' does not stand in the sentence": 2,
            "there is no keyword": 1,
        }

    def test_words_between_spaces_are_whole_and_keep_their_capital(self) -> None:
        sentence = "The man said he was late."
        (row,), _ = placed([listed(sentence, (0, 2), "he", "she")], EN)
        assert row.span == (13, 15)
        (row,), _ = placed([listed("He was late.", (0, 2), "he", "she")], EN)
        assert (row.male, row.female, row.pair) == ("He", "She", "he/she")

    @pytest.mark.parametrize(
        ("sentence", "keyword", "opposite", "context"),
        [
            ("He was late.", "He", "she", "{He|She} was late."),
            ("He was late.", "he", "", "{He|She} was late."),
            ("Then he left.", "He", "She", "Then {he|she} left."),
            ("HE WAS LATE.", "he", "she", "{HE|SHE} WAS LATE."),
        ],
    )
    def test_both_words_have_the_capitals_of_the_sentence(
        self, sentence: str, keyword: str, opposite: str, context: str
    ) -> None:
        (row,), _ = placed([listed(sentence, (0, 2), keyword, opposite)], EN)
        assert (row.context, row.pair, row.pronoun) == (context, "he/she", True)

    def test_a_sentence_is_the_same_whatever_its_pair_is_called(self) -> None:
        same = listed("He was late.", (0, 2), "He", "She")
        rows, left_out = placed([replace(same, line=n, pair=name) for n, name in ((2, "a"), (3, "b"))], EN)
        assert (len(rows), len(left_out)) == (1, 1)

    def test_a_word_is_not_found_inside_its_opposite(self) -> None:
        (row,), _ = placed([listed("彼女の隣で彼は黙っていた。", (0, 1), "彼", "彼女")], JA)
        assert row.span == (5, 6)
        assert row.flag == "both words"


class TestHidden:
    @pytest.mark.parametrize(
        ("male", "female", "hidden"),
        [
            ("男孩", "女孩", ("男", "女")),
            ("外公", "外婆", ("公", "婆")),
            ("姥爷", "姥姥", ("爷", "姥")),
            ("儿子", "女儿", ("儿子", "女儿")),
            ("爸爸", "妈妈", ("爸爸", "妈妈")),
            ("他", "她", ("他", "她")),
        ],
    )
    def test_the_characters_in_which_the_words_differ(self, male: str, female: str, hidden: tuple[str, str]) -> None:
        row = one(f"有位{male}在唱歌。", (2, 2 + len(male)), male, female)
        span, man, woman = hidden_part(row, ZH, "differing-characters")
        assert (man, woman) == hidden
        assert row.sentence[slice(*span)] == man
        assert row.sentence[: span[0]] + woman + row.sentence[span[1] :] == row.filled(female)
        assert hidden_part(row, ZH, "whole-word") == (row.span, male, female)

    def test_a_word_that_holds_the_other_is_hidden_whole(self) -> None:
        (row,), _ = placed([listed("駅で彼女を見かけた。", (2, 4), "彼女", "彼")], JA)
        assert hidden_part(row, JA, "differing-characters") == ((2, 4), "彼", "彼女")

    def test_words_with_spaces_are_hidden_whole(self) -> None:
        (row,), _ = placed([listed("My grandfather sings.", (3, 14), "grandfather", "grandmother")], EN)
        assert hidden_part(row, EN, "differing-characters") == ((3, 14), "grandfather", "grandmother")

    @given(st.sampled_from([*own_sentences(ZH), *own_sentences(JA)]), st.sampled_from([ZH, JA]))
    def test_whatever_is_hidden_gives_both_sentences(self, row: NeutralRow, pack: object) -> None:
        (start, end), man, woman = hidden_part(row, ZH if pack is ZH else JA, "differing-characters")
        texts = {row.sentence[:start] + part + row.sentence[end:] for part in (man, woman)}
        assert texts == {row.filled(row.male), row.filled(row.female)}


class TestOwnSentences:
    @pytest.mark.parametrize("lang", shipped_languages())
    def test_two_hundred_of_every_pair_as_many_written_with_either_word(self, lang: str) -> None:
        pack = load_pack(lang)
        rows = own_sentences(pack)
        assert len(rows) == 200
        counts = pl.DataFrame({"pair": [row.pair for row in rows], "written": [row.written for row in rows]})
        sizes = counts.group_by("pair").agg(n=pl.len(), male=(pl.col("written") == "male").sum())
        in_use = {f"{pair.male}/{pair.female}" for pair in pack.gender_pairs if not pair.status}
        assert set(sizes["pair"]) == in_use
        assert (sizes["male"] * 2 == sizes["n"]).all()
        most, least = sizes["n"].max(), sizes["n"].min()
        assert isinstance(most, int)
        assert isinstance(least, int)
        assert most - least <= 2
        assert any(row.pronoun for row in rows) == (lang not in ("de", "eu"))

    @pytest.mark.parametrize("lang", shipped_languages())
    def test_a_file_of_them_is_read_back_as_it_is(self, lang: str, tmp_path: Path) -> None:
        pack = load_pack(lang)
        rows = own_sentences(pack)
        words = [(row.male, row.female) if row.written == "male" else (row.female, row.male) for row in rows]
        table = pl.DataFrame(
            {
                "sentence": [row.sentence for row in rows],
                "start": [row.span[0] for row in rows],
                "end": [row.span[1] for row in rows],
                "keyword": [keyword for keyword, _ in words],
                "opposite": [opposite for _, opposite in words],
                "gender": [row.written for row in rows],
                "pair": [row.pair for row in rows],
            }
        )
        table.write_csv(tmp_path / "set.csv")
        again, left_out = placed(read_set(tmp_path / "set.csv").sentences, pack)
        assert left_out == []
        assert [(row.context, row.pair, row.written) for row in again] == [
            (row.context, row.pair, row.written) for row in rows
        ]
        # Nothing gives the gender away: no keyword, and no opposite, stands in a sentence once more.
        assert [row.sentence for row in again if row.flag or row.repaired] == []
