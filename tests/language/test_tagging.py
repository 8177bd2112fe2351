"""Words with their places and parts of speech."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.errors import TiltmeterError
from tiltmeter.language import tagger


def tagged(segmenter: str, text: str) -> list[tuple[str, str]]:
    return [(word.text, word.pos) for word in tagger(segmenter)(text)]


def test_chinese_parts_of_speech() -> None:
    assert tagged("rjieba", "他在北京买了3本小说。") == [
        ("他", "PRON"), ("在", "ADP"), ("北京", "PROPN"), ("买", "VERB"), ("了", "PART"), ("3", "NUM"), ("本", "PRON"),
        ("小说", "NOUN"), ("。", "PUNCT"),
    ]  # fmt: skip


def test_japanese_parts_of_speech() -> None:
    assert tagged("mecab", "彼女は東京で本を2冊読んだ。") == [
        ("彼女", "PRON"), ("は", "ADP"), ("東京", "PROPN"), ("で", "ADP"), ("本", "NOUN"), ("を", "ADP"), ("2", "NUM"),
        ("冊", "NOUN"), ("読ん", "VERB"), ("だ", "AUX"), ("。", "PUNCT"),
    ]  # fmt: skip


def test_russian_parts_of_speech() -> None:
    assert tagged("pymorphy3", "Моя сестра Анна купила 2 новых книги.") == [
        ("Моя", "ADJ"), ("сестра", "NOUN"), ("Анна", "PROPN"), ("купила", "VERB"), ("2", "NUM"), ("новых", "ADJ"),
        ("книги", "NOUN"), (".", "PUNCT"),
    ]  # fmt: skip


def test_spaces_tell_words_numbers_and_marks_only() -> None:
    assert tagged("spaces", "Mutil-lagunak 3,5 euro, ezta?") == [
        ("Mutil-lagunak", "X"), ("3,5", "NUM"), ("euro", "X"), (",", "PUNCT"), ("ezta", "X"), ("?", "PUNCT"),
    ]  # fmt: skip


def test_the_segmenters_own_tags_are_kept() -> None:
    assert tagger("rjieba")("北京")[0].tag == "ns"
    assert tagger("mecab")("東京")[0].tag == "名詞-固有名詞-地名-一般"
    assert tagger("pymorphy3")("сестру")[0].tag == "NOUN,anim,femn sing,accs"


@pytest.mark.parametrize("segmenter", ["rjieba", "mecab", "pymorphy3", "spaces"])
@given(text=st.text(alphabet="他女の彼 \u3000\n\t.,。3５aЁб-男性_", max_size=30))
def test_every_word_stands_at_its_place_and_nothing_but_white_space_is_left_out(segmenter: str, text: str) -> None:
    place = 0
    for word in tagger(segmenter)(text):
        assert word.text == text[word.start : word.end] != ""
        assert not text[place : word.start].strip()
        place = word.end
    assert not text[place:].strip()


def test_a_segmenter_that_is_not_there_is_named() -> None:
    with pytest.raises(TiltmeterError, match="there is no segmenter 'jieba'; did you mean 'rjieba'"):
        tagger("jieba")
