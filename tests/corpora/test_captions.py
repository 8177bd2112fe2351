"""Captions of pictures: exactly one person, who is the subject, and nothing else that tells a gender."""

from functools import cache

import pytest

from tiltmeter.corpora.captions import CaptionFinder
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Pack, load_pack


@cache
def finder(lang: str) -> CaptionFinder:
    return CaptionFinder(load_pack(lang))


@pytest.mark.parametrize(
    ("lang", "text", "expected"),
    [
        ("en", "A man is waiting for the bus.", "{subject} is waiting for the bus."),
        ("en", "The woman sits on a bench", "The {noun} sits on a bench."),
        ("en", "An old man with a package poses at a shop .", "An old {noun} with a package poses at a shop."),
        ("en", "Person riding a bicycle down a hill.", "{noun} riding a bicycle down a hill."),
        ("ja", "男性がテニスをしています。", "{subject}がテニスをしています。"),
        ("ja", "赤い服を着た女性が犬と散歩している。", "赤い服を着た{noun}が犬と散歩している。"),
        ("ja", "一人の男の人が公園のベンチに座っている", "一人の{noun}が公園のベンチに座っている。"),
        ("ja", "公園で女性が本を読んでいる。", "公園で{noun}が本を読んでいる。"),
        ("zh", "一个男人正在公园里跑步。", "{subject}正在公园里跑步。"),
        ("zh", "一个穿着红色衣服的女人坐在椅子上", "一个穿着红色衣服的{noun}坐在椅子上。"),
        ("zh", "那个女人正在桌子旁边做笔记。", "那个{noun}正在桌子旁边做笔记。"),
        ("es", "Un hombre espera el autobús en la parada.", "{subject} espera el autobús en la parada."),
        ("es", "Una persona camina por la playa.", "{subject} camina por la playa."),
        ("de", "Ein Mann wartet auf den Bus.", "{subject} wartet auf den Bus."),
        ("de", "Die Frau schaut aufs Meer.", "{subject} schaut aufs Meer."),
        ("ru", "Мужчина ждёт автобус на остановке.", "{subject} ждёт автобус на остановке."),
        ("ru", "Человек едет на велосипеде по мосту.", "{subject} едет на велосипеде по мосту."),
        ("eu", "Gizon bat autobusaren zain dago.", "{subject} autobusaren zain dago."),
        ("eu", "Emakume batek egunkaria dauka eskuan.", "{subject:erg} egunkaria dauka eskuan."),
        ("eu", "Gizona hondartzan dabil.", "{noun:def} hondartzan dabil."),
    ],
)  # fmt: skip
def test_the_person_becomes_the_slot(lang: str, text: str, expected: str) -> None:
    found = finder(lang).find(text)
    assert found.caption is not None, (found.reason, found.detail)
    assert found.caption.sentence == expected


@pytest.mark.parametrize(
    ("lang", "text", "reason"),
    [
        ("en", "A dog is sleeping on a sofa.", "no-person"),
        ("en", "A boy is flying a kite.", "no-person"),
        ("en", "A man and a woman are talking.", "persons"),
        ("en", "A man is feeding two children.", "persons"),
        ("en", "A woman is riding her bicycle.", "persons"),
        ("en", "A dog runs toward a man.", "not-subject"),
        ("en", "A man's dog sits on the grass.", "not-subject"),
        ("en", "A manager's cat is asleep.", "no-person"),
        ("en", "A woman in a red skirt is walking.", "stereotyped"),
        ("en", "A man smiles at a firefighter.", "persons"),
        ("en", "A man rides a bicycle. The dog runs.", "sentences"),
        ("en", "A man with a beard plays guitar.", "biological"),
        ("ja", "女性の隣に犬がいる。", "not-subject"),
        ("ja", "男の人と女の人が話している。", "persons"),
        ("ja", "男性が２人います。", "persons"),
        ("ja", "スカートをはいた女性が歩いている。", "stereotyped"),
        ("ja", "猫がソファで寝ている。", "no-person"),
        ("zh", "男人的狗在草地上跑。", "not-subject"),
        ("zh", "一个男人和一个女人在说话。", "persons"),
        ("zh", "一只猫在睡觉", "no-person"),
        ("es", "Una mujer vestida de rojo lee un libro.", "agreement-leak"),
        ("es", "El hombre está cansado.", "agreement-leak"),
        ("es", "Un hombre y una mujer hablan.", "persons"),
        ("de", "Eine junge Frau liest.", "not-subject"),
        ("de", "Eine Frau trägt ihren Hut.", "persons"),
        ("ru", "Мужчина сидел на скамейке.", "agreement-leak"),
        ("ru", "Молодая женщина идёт по улице.", "not-subject"),
        ("ru", "Девочка играет с мячом.", "no-person"),
        ("eu", "Gizon bat eta emakume bat hizketan ari dira.", "persons"),
        ("eu", "Emakumeak liburu bat irakurri du.", "not-subject"),
    ],
)
def test_what_is_left_out_has_its_reason(lang: str, text: str, reason: str) -> None:
    found = finder(lang).find(text)
    assert found.caption is None
    assert found.reason == reason, found.detail


def test_the_word_that_decided_is_named() -> None:
    assert finder("en").find("A man is feeding two children.").detail == "man children"
    assert finder("en").find("A woman in a red skirt is walking.").detail == "skirt"
    assert finder("es").find("El hombre está cansado.").detail == "cansado"


def test_a_pack_without_rules_is_refused() -> None:
    bare = Pack(lang="xx", name="X", endonym="X", scripts=("Latin",), grammatical_gender=())
    with pytest.raises(TiltmeterError, match=r"no caption_rules\.toml"):
        CaptionFinder(bare)
