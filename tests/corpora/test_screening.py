"""Each rule leaves out what it is about, can be switched off, and the keyword is found where it stands."""

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import pytest

from tiltmeter.corpora.rules import NEEDED, RULES, Rules
from tiltmeter.corpora.screening import Judged, Screener
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack


@cache
def screener(lang: str, *without: str) -> Screener:
    return Screener(load_pack(lang), Rules.without(without))


def judged(lang: str, sentence: str, *without: str) -> Judged:
    """What is said of one sentence that holds a keyword."""
    (found,) = screener(lang, *without).screen(sentence)
    assert found.sentence[found.start : found.end] == found.keyword
    return found


class Broken(NamedTuple):
    """A sentence that breaks a rule, by which word, and what is said of it when the rule is off."""

    lang: str
    rule: str
    detail: str
    sentence: str
    otherwise: str = ""


BROKEN = [
    Broken("zh", "unfinished", "", "父亲的菜园里种着西红柿"),
    Broken("zh", "keywords", "父亲 母亲", "父亲和母亲一起去菜市场买菜。"),
    Broken("zh", "length", "6", "他走了很远。"),
    Broken("zh", "length", "92", "他" + "走了很远很远" * 15 + "。"),
    Broken("zh", "inside-word", "吉他", "年轻人弹着吉他在广场上唱歌。"),
    Broken("zh", "inside-word", "子女", "每个家庭的子女都要学会做饭。"),
    Broken("zh", "inside-word", "儿女", "两位老人的儿女都在外地工作。"),
    Broken("zh", "inside-word", "其他", "其他人都已经坐上火车回家了。"),
    Broken("zh", "inside-word", "牛奶奶", "鲜牛奶奶源来自附近的一个牧场。"),
    Broken("zh", "inside-word", "父亲节", "父亲节那天我们一起去公园划船。"),
    Broken("zh", "generic", "他们", "他们在河边一起修理旧木船。"),
    Broken("zh", "generic", "任何人", "任何人都应该知道他有权得到帮助。"),
    Broken("zh", "sense", "男儿", "好男儿志在四方，不怕路途遥远。", "inside-word"),
    Broken("zh", "sense", "女汉子", "大家都说老板是个爽快的女汉子。", "inside-word"),
    Broken("zh", "name", "王小明", "王小明和弟弟一起修好了那台旧电视。"),
    Broken("zh", "gendered-term", "兄弟", "弟弟回家以后，兄弟俩一起做饭。"),
    Broken("zh", "gendered-term", "孙女", "他的孙女今年刚上小学三年级。"),
    Broken("zh", "biological", "孕期", "妈妈在孕期每天坚持散步半小时。"),
    Broken("zh", "biological", "哺乳", "妹妹正处于哺乳期，晚上睡得不好。"),
    Broken("ja", "unfinished", "", "父の新しい自転車と古い時計"),
    Broken("ja", "keywords", "父 母", "父と母は毎朝近くの公園を散歩しています。"),
    Broken("ja", "length", "5", "父が来た。"),
    Broken("ja", "inside-word", "男女", "男女ともに参加できる大会が開かれた。"),
    Broken("ja", "generic", "彼ら", "彼らは毎朝近くの公園を散歩しています。"),
    Broken("ja", "name", "太郎", "父は太郎と一緒に近くの公園を散歩した。"),
    Broken("ja", "gendered-term", "兄弟", "弟は兄弟の中でいちばん足が速い。"),
    Broken("ja", "biological", "妊娠", "母は妊娠中に毎日近くの公園を散歩した。"),
    Broken("ja", "speaker-gender", "俺", "俺は父と一緒に近くの公園を散歩した。"),
    Broken("ja", "speaker-gender", "あたし", "あたしは父と一緒に近くの公園を散歩した。"),
    Broken("en", "unfinished", "", "My father planted tomatoes behind the house"),
    Broken("en", "keywords", "father mother", "My father and my mother planted tomatoes."),
    Broken("en", "keywords", "he she", "Every student knows whether he or she passed the exam."),
    Broken("en", "length", "14", "He slept well."),
    Broken("en", "inside-word", "isle of man", "The Isle of Man is a quiet place in the winter."),
    Broken("en", "sense", "mother tongue", "The mother tongue of the teacher was never written down."),
    Broken("en", "name", "John", "My father met John near the old railway station."),
    Broken("en", "gendered-term", "his", "The boy lost his umbrella near the railway station."),
    Broken("en", "biological", "pregnant", "The woman was pregnant during the long summer."),
    Broken("es", "sense", "célula madre", "La célula madre permite crear tejidos nuevos."),
    Broken("es", "name", "Antonio", "Mi padre conoció a Antonio cerca de la estación."),
    Broken("es", "gendered-term", "señor", "Su padre, un señor amable, vive lejos de aquí.", "agreement-leak"),
    Broken("es", "biological", "dio a luz", "Su madre dio a luz en un hospital de Madrid."),
    Broken("es", "agreement-leak", "El", "El padre cultiva tomates detrás de la casa."),
    Broken("es", "agreement-leak", "cansado", "Mi hermano está cansado después del trabajo."),
    Broken("ru", "sense", "папа римский", "Папа римский живёт в большом городе у моря.", "agreement-leak"),
    Broken("ru", "name", "Ивана", "Она часто видит Ивана в большом городе у моря."),
    Broken("ru", "gendered-term", "господина", "Она часто видит господина в большом городе у моря."),
    Broken("ru", "gendered-term", "брата", "Она часто видит брата в большом городе у моря."),
    Broken("ru", "gendered-term", "сестёр", "Она часто видит сестёр в большом городе у моря."),
    Broken("ru", "gendered-term", "мать", "Отец и мать живут в большом городе у моря."),
    Broken("ru", "biological", "беремен", "Брат говорит о беременности врачам в городе."),
    Broken("ru", "agreement-leak", "жила", "Она жила в большом городе у моря."),
    Broken("eu", "keywords", "aita ama", "Aita eta ama goizero joaten dira lanera trenez."),
    Broken("eu", "name", "Jonekin", "Aita etorri da Jonekin gaur goizean trenez."),
    Broken("eu", "gendered-term", "jaunari", "Aitak jaunari liburu bat eman zion gaur."),
    Broken("eu", "gendered-term", "neska", "Aitak neska ikusi du gaur goizean trenean."),
    Broken("eu", "biological", "haurdun", "Emakumea haurdun zegoen uda luze hartan."),
    Broken("eu", "allocutive", "duk", "Aita etorri duk gaur goizean trenez."),
    Broken("de", "sense", "mutter natur", "Mutter Natur schenkt uns jeden Sommer neue Farben."),
    Broken("de", "name", "Alexander", "Mein Vater trifft Alexander heute am Bahnhof."),
    Broken("de", "gendered-term", "herrn", "Mein Vater grüßt den Herrn hinter dem Haus."),
    Broken("de", "biological", "schwanger", "Die Frau war im Sommer schwanger und sehr müde."),
    Broken("de", "agreement-leak", "der", "Der Vater, der hinter dem Haus wohnt, pflanzt Tomaten."),
]


@pytest.mark.parametrize("case", BROKEN, ids=lambda case: f"{case.lang}-{case.rule}-{case.detail}")
class TestBroken:
    def test_the_sentence_is_left_out_with_its_reason(self, case: Broken) -> None:
        found = judged(case.lang, case.sentence)
        assert (found.reason, found.detail) == (case.rule, case.detail)

    def test_without_the_rule_it_stays_or_breaks_another(self, case: Broken) -> None:
        if case.rule in NEEDED:
            with pytest.raises(TiltmeterError, match=f"no rule that can be switched off '{case.rule}'"):
                Rules.without([case.rule])
        else:
            assert judged(case.lang, case.sentence, case.rule).reason == case.otherwise


def test_every_rule_that_asks_a_sentence_is_tried() -> None:
    assert {case.rule for case in BROKEN} == set(RULES) - {"near-duplicate"}
    assert {case.lang for case in BROKEN} == {"zh", "ja", "en", "es", "ru", "eu", "de"}


def test_a_rule_that_is_not_known_is_refused() -> None:
    with pytest.raises(TiltmeterError, match="there is no rule 'naem'; did you mean 'name'"):
        Rules.without(["naem"])


@pytest.mark.parametrize(
    ("lang", "sentence", "keyword", "opposite"),
    [
        ("zh", "他昨天在图书馆读完了那本书。", "他", "她"),
        ("zh", "孩子女儿都很喜欢吃西瓜和葡萄。", "女儿", "儿子"),
        ("zh", "其他人都走了，只有他留下来扫地。", "他", "她"),
        ("zh", "年轻人弹着吉他，弟弟在旁边唱歌。", "弟弟", "妹妹"),
        ("zh", "他已经期待这次旅行很久了。", "他", "她"),
        ("zh", "男足昨晚在主场赢了三比一。", "男", "女"),
        ("zh", "女足昨晚在主场赢了三比一。", "女", "男"),
        ("zh", "女司机把车停在了超市的门口。", "女", "男"),
        ("zh", "老奶奶每天早上都去公园散步。", "奶奶", "爷爷"),
        ("zh", "奶奶的老房子在河边的小路旁。", "奶奶", "爷爷"),
        ("ja", "彼女は昨日図書館で本を借りました。", "彼女", "彼"),
        ("ja", "お父さんは台所で新聞を読んでいます。", "お父さん", "お母さん"),
        ("ja", "父は田中と一緒に近くの公園を散歩した。", "父", "母"),
        ("en", "My father planted tomatoes behind the house.", "father", "mother"),
        ("en", "He wandered slowly through the empty market.", "He", "She"),
        ("en", "MY FATHER PLANTED TOMATOES BEHIND THE HOUSE.", "FATHER", "MOTHER"),
        ("es", "Mi padre cultiva tomates detrás de la casa.", "padre", "madre"),
        ("es", "Ella trabaja en una oficina cerca del río.", "Ella", "Él"),
        ("ru", "Она живёт в большом городе у моря.", "Она", "Он"),
        ("eu", "Gizona goizero joaten da lanera trenez.", "Gizona", "Emakumea"),
        # In German what agrees with the keyword before it is hidden with it.
        ("de", "Mein Vater pflanzt hinter dem Haus Tomaten.", "Mein Vater", "Meine Mutter"),
        ("de", "Ich treffe den Vater heute am Bahnhof im Regen.", "den Vater", "die Mutter"),
        ("de", "Mein alter Vater pflanzt hinter dem Haus Tomaten.", "Mein alter Vater", "Meine alte Mutter"),
    ],
)
def test_a_neutral_sentence_stays_with_its_keyword(lang: str, sentence: str, keyword: str, opposite: str) -> None:
    found = judged(lang, sentence)
    assert (found.reason, found.keyword, found.opposite) == ("", keyword, opposite)
    assert found.mark == ""


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [
        ("zh", "这座老桥就像母亲一样守护着村庄。"),
        ("ja", "その木はまるで母のように村を見守っている。"),
        ("en", "The old tree stood there like a father over the village."),
        ("es", "Su padre vive como si fuera invierno todo el año."),
        ("ru", "Она живёт, как будто зима никогда не кончится."),
        ("eu", "Aita mendia bezalakoa da herri txiki honetan."),
        ("de", "Der Baum steht dort wie ein Vater über dem Dorf."),
    ],
)
def test_metaphors_stay_marked(lang: str, sentence: str) -> None:
    found = judged(lang, sentence)
    assert (found.reason, found.mark) == ("", "metaphor")


@pytest.mark.parametrize(
    ("lang", "raw", "sentence", "keyword"),
    [
        ("zh", "“他昨天在图书馆读完了那本书。", "他昨天在图书馆读完了那本书。", "他"),
        ("zh", "””他在“图书馆读完了那本书。", "他在“图书馆读完了那本书。”", "他"),
        ("zh", "医生）告诉‘爸爸”要多喝水、多休息。", "医生告诉‘爸爸要多喝水、多休息。’", "爸爸"),
        (
            "en",
            "”My father” planted tomatoes behind the house.",
            "My father planted tomatoes behind the house.",
            "father",
        ),
        ("de", "„Mein Vater“ steht auf dem alten Plakat.", "„Mein Vater“ steht auf dem alten Plakat.", "Mein Vater"),
        ("ru", "Она живёт у моря“, говорят соседи.", "Она живёт у моря, говорят соседи.", "Она"),
    ],
)
def test_the_place_is_right_after_quotes_were_repaired(lang: str, raw: str, sentence: str, keyword: str) -> None:
    found = judged(lang, raw)
    assert (found.sentence, found.keyword, found.reason) == (sentence, keyword, "")


def test_a_form_for_everybody_beside_a_keyword_breaks_the_rule_too() -> None:
    found = judged("zh", "他们走后，弟弟一个人留在屋里写字。")
    assert (found.keyword, found.reason, found.detail) == ("弟弟", "generic", "他们")


def test_sentences_are_judged_one_by_one_in_running_text() -> None:
    text = (
        "\u3000\u3000春天来了。他昨天在图书馆读完了那本书。\n他们在河边一起修理旧木船。\n"
        "\u3000\u3000花开了。“妹妹在院子里种了很多花。”"
    )
    own = Screener(load_pack("zh"))
    found = list(own.screen(text))
    assert [(one.keyword, one.reason) for one in found] == [("他", ""), ("", "generic"), ("妹妹", "")]
    assert all(one.sentence[one.start : one.end] == one.keyword for one in found)
    assert own.tally.sentences == 5
    assert own.tally.occurrences == {("他/她", "male"): 1, ("弟弟/妹妹", "female"): 1}


def test_a_generic_plural_is_a_keyword_where_the_rule_is_off() -> None:
    for word in "他她":
        found = judged("zh", f"{word}们在河边一起修理旧木船。", "generic")
        assert (found.keyword, found.reason) == (word, "")


def test_a_pack_without_screening_is_refused() -> None:
    with pytest.raises(TiltmeterError, match=r"'zh' has no screening\.toml"):
        Screener(replace(load_pack("zh"), screening=None))
