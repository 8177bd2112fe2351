"""Text is cleaned of its layout, cut where sentences end, and left with quotes that balance."""

from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.corpora.sentences import Sentences
from tiltmeter.packs import load_pack, shipped_languages

DENSE, SPACED = ("zh", "ja"), ("en", "es", "ru", "eu", "de")


@cache
def of(lang: str) -> Sentences:
    pack = load_pack(lang)
    assert pack.screening is not None
    return Sentences(pack, pack.screening)


def pieces(lang: str, text: str) -> list[str]:
    """A cleaned text between its bounds."""
    cleaned = of(lang).clean(text)
    stops = [0, *of(lang).bounds(cleaned).tolist()]
    return [cleaned[start:stop] for start, stop in pairwise(stops)]


def cut(lang: str, text: str) -> list[str]:
    """The sentences of a text, as the screening cuts them out."""
    return [piece.strip() for piece in pieces(lang, text) if piece.strip()]


class TestCleaning:
    @pytest.mark.parametrize(
        ("lang", "text", "cleaned"),
        [
            ("zh", "\u3000\u3000春天来了。\r\n\u3000\u3000花开了。\r\n", "\n春天来了。\n花开了。\n"),
            ("zh", "春 天\u3000来\t了\xa0。", "春天来了。"),
            ("zh", "\ufeff春天\u200b来了。", "春天来了。"),
            ("zh", "春天来了。\u3000\u3000花开了。", "春天来了。\n花开了。"),
            ("zh", "新的 Windows 10 系统和 New York 的天气", "新的Windows 10系统和New York的天气"),
            ("ja", "春 が\u3000来た。\n\n花が咲いた。", "春が来た。\n花が咲いた。"),
            ("en", "Spring came\nover the hills.", "Spring came over the hills."),
            ("en", "Spring  came\t over\xa0the hills.", "Spring came over the hills."),
            ("en", "Spring came.\n\n\nFlowers grew.", "Spring came.\nFlowers grew."),
            ("en", "Spring came.\n   Flowers grew.", "Spring came.\nFlowers grew."),
            ("en", "Spring came.\r\n \t\r\nFlowers grew.", "Spring came.\nFlowers grew."),
            ("de", "Der Frühling\rkam.", "Der Frühling kam."),
        ],
    )
    def test_layout_goes_and_paragraphs_stay(self, lang: str, text: str, cleaned: str) -> None:
        assert of(lang).clean(text) == cleaned

    @pytest.mark.parametrize("lang", shipped_languages())
    @given(text=st.text(alphabet="春ab. 。\n\r\t\u3000\xa0\u200b“”0", max_size=60))
    def test_only_spaces_are_ever_taken_away(self, lang: str, text: str) -> None:
        def letters(given: str) -> str:
            return "".join(given.replace("\u200b", "").split())

        assert letters(of(lang).clean(text)) == letters(text)


class TestSplitting:
    @pytest.mark.parametrize(
        ("lang", "text", "sentences"),
        [
            ("zh", "春天来了。花开了！你看见了吗？", ["春天来了。", "花开了！", "你看见了吗？"]),
            ("zh", "“春天来了。”花开了。", ["“春天来了。”", "花开了。"]),
            ("zh", "（“春天来了！”）花开了。", ["（“春天来了！”）", "花开了。"]),
            ("zh", "真的吗？！花开了。", ["真的吗？！", "花开了。"]),
            ("zh", "一首叫“春天”的歌响了起来。", ["一首叫“春天”的歌响了起来。"]),
            ("zh", "春天……来了。价格是3.5元。", ["春天……来了。", "价格是3.5元。"]),
            ("zh", "春天的消息\n花开了。", ["春天的消息", "花开了。"]),
            ("ja", "「春が来た。」花が咲いた。", ["「春が来た。」", "花が咲いた。"]),
            ("en", "Spring came. Flowers grew! Did you see?", ["Spring came.", "Flowers grew!", "Did you see?"]),
            ("en", "“Spring came.” Flowers grew.", ["“Spring came.”", "Flowers grew."]),
            ("en", "“Did spring come?” they asked.", ["“Did spring come?” they asked."]),
            ("en", "Dr. Brown saw J. R. Smith. It rained.", ["Dr. Brown saw J. R. Smith.", "It rained."]),
            ("en", "It cost 3.5 dollars at 5 p.m. on Monday.", ["It cost 3.5 dollars at 5 p.m. on Monday."]),
            ("en", "Well... perhaps. Or... No.", ["Well... perhaps.", "Or...", "No."]),
            ("en", "A headline\n\nSpring came.", ["A headline", "Spring came."]),
            ("es", "Vive en EE.UU. desde mayo. ¿Llueve?", ["Vive en EE.UU. desde mayo.", "¿Llueve?"]),
            ("ru", "Дом стоит на ул. Мира. Идёт дождь…", ["Дом стоит на ул. Мира.", "Идёт дождь…"]),
            ("eu", "Euria ari du. «Bai.» Zein ederra!", ["Euria ari du.", "«Bai.»", "Zein ederra!"]),
            ("de", "Das sind z. B. Blumen. „Schön.“ Es regnet.", ["Das sind z. B. Blumen.", "„Schön.“", "Es regnet."]),
        ],
    )
    def test_by_hand(self, lang: str, text: str, sentences: list[str]) -> None:
        assert cut(lang, text) == sentences

    @pytest.mark.parametrize("lang", shipped_languages())
    @given(text=st.text(alphabet="春花Ab .。！？!?…\n”」“"))
    def test_the_sentences_joined_are_the_cleaned_text(self, lang: str, text: str) -> None:
        assert "".join(pieces(lang, text)) == of(lang).clean(text)

    @pytest.mark.parametrize("lang", shipped_languages())
    def test_an_empty_text_has_no_sentence(self, lang: str) -> None:
        assert cut(lang, "") == cut(lang, " \n ") == []

    @pytest.mark.parametrize(
        ("lang", "sentence", "whole"),
        [
            ("zh", "春天来了。", True),
            ("zh", "“春天来了。”", True),
            ("zh", "春天的消息", False),
            ("zh", "“春天”", False),
            ("en", "Spring came.", True),
            ("en", "Spring came,", False),
            ("en", "", False),
        ],
    )
    def test_a_headline_is_no_whole_sentence(self, lang: str, sentence: str, whole: bool) -> None:
        assert of(lang).is_whole(sentence) is whole


class TestBalance:
    @pytest.mark.parametrize(
        ("lang", "sentence", "balanced"),
        [
            # What balances is left as it is.
            ("zh", "有人说：“春天来了。”", "有人说：“春天来了。”"),
            ("zh", "“那首‘春天’很好听。”", "“那首‘春天’很好听。”"),
            ("en", "Don’t touch the farmers’ ‘best’ apples.", "Don’t touch the farmers’ ‘best’ apples."),
            ("de", "„Ja“, »ja«, «ja» und “ja”.", "„Ja“, »ja«, «ja» und “ja”."),
            ("ru", "„Да“, «да» и “да”.", "„Да“, «да» и “да”."),
            ("eu", "„Bai“ eta “bai”.", "„Bai“ eta “bai”."),
            # What is not closed is closed at the end, from the inside out.
            ("zh", "有人说：“春天来了。", "有人说：“春天来了。”"),
            ("zh", "有人说：“那首‘春天很好听。", "有人说：“那首‘春天很好听。’”"),
            ("de", "Alle rufen: „Es regnet.", "Alle rufen: „Es regnet.“"),
            # What opens the sentence and is not closed goes, since its end is in another sentence.
            ("zh", "“春天来了。", "春天来了。"),
            ("en", "“Spring came over the hills.", "Spring came over the hills."),
            # What closes nothing goes.
            ("zh", "春天来了。”", "春天来了。"),
            ("zh", "春天）来了。", "春天来了。"),
            ("zh", "”有人说，“花开了。", "有人说，“花开了。”"),
            ("de", "Es regnet.“", "Es regnet."),
            ("ru", "Идёт дождь“, говорят соседи.", "Идёт дождь, говорят соседи."),
            # Straight quotes come in twos.
            ("zh", '有人说"春天"来了。', '有人说"春天"来了。'),
            ("zh", '有人说春天来了。"', "有人说春天来了。"),
            ("zh", '"春天来了。', "春天来了。"),
            *((lang, '"Ja, nein.', "Ja, nein.") for lang in shipped_languages()),
            *((lang, 'Ja "nein" ja.', 'Ja "nein" ja.') for lang in shipped_languages()),
        ],
    )
    def test_by_hand(self, lang: str, sentence: str, balanced: str) -> None:
        assert of(lang).balanced(sentence) == balanced

    @pytest.mark.parametrize("lang", shipped_languages())
    @given(data=st.data())
    def test_every_mark_has_its_partner_and_nothing_else_changes(self, lang: str, data: st.DataObject) -> None:
        screening = load_pack(lang).screening
        assert screening is not None
        marks = "".join(screening.quotes)
        sentence = data.draw(st.text(alphabet="春a 。" + marks, max_size=30))
        balanced = of(lang).balanced(sentence)
        none = dict.fromkeys(map(ord, marks))
        assert sentence.translate(none) == balanced.translate(none)
        assert is_balanced(balanced, screening.quotes)
        assert of(lang).balanced(balanced) == balanced


def is_balanced(sentence: str, quotes: tuple[str, ...]) -> bool:
    """A second way: every reading of every mark at once, as what opens, closes or, of ’ behind a letter, is none."""
    pairs = {(pair[0], pair[1]) for pair in quotes if pair[0] != pair[1]}
    readings = {""}
    for place, mark in enumerate(sentence):
        if not any(mark in pair for pair in pairs):
            continue
        closed = {opened[:-1] for opened in readings if (opened[-1:], mark) in pairs}
        grown = {opened + mark for opened in readings if any(mark == opener for opener, _ in pairs)}
        apostrophe = readings if mark == "’" and sentence[place - 1 : place].isalpha() else set()
        readings = closed | grown | apostrophe
    return "" in readings and not any(sentence.count(pair[0]) % 2 for pair in quotes if pair[0] == pair[1])


@pytest.mark.parametrize(
    ("lang", "sentence", "expected"),
    [
        ("de", "Sie sagte „Komm“ und „Geh“.", "Sie sagte „Komm“ und „Geh“."),
        ("de", "»Komm«, rief sie, «geh», rief er.", "»Komm«, rief sie, «geh», rief er."),
        ("de", "“Komm”, rief sie.", "“Komm”, rief sie."),
        ("de", "Sie sagte: „Komm.", "Sie sagte: „Komm.“"),
        ("de", "Dann kam sie nicht mehr.“", "Dann kam sie nicht mehr."),
        ("eu", "«Bai» eta „ez“ esan zuen.", "«Bai» eta „ez“ esan zuen."),
        ("ru", "Она сказала „да“ и «нет».", "Она сказала „да“ и «нет»."),
        ("ru", "Она ушла.“", "Она ушла."),
    ],
)
def test_marks_that_open_in_one_pair_and_close_in_another_balance(lang: str, sentence: str, expected: str) -> None:
    pack = load_pack(lang)
    assert pack.screening is not None
    assert Sentences(pack, pack.screening).balanced(sentence) == expected
