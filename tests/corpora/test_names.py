"""Persons' names are found; bare surnames, places and common words that look like names are none."""

from functools import cache

import pytest

from tiltmeter.corpora.names import FindName, name_finder
from tiltmeter.language import tagged_words
from tiltmeter.packs import load_pack


@cache
def finder(lang: str) -> FindName:
    pack = load_pack(lang)
    assert pack.screening is not None
    return name_finder(pack, pack.screening)


def name(lang: str, sentence: str) -> str:
    return finder(lang)(sentence, tagged_words(load_pack(lang).segmenter)(sentence))


@pytest.mark.parametrize(
    ("lang", "sentence", "found"),
    [
        ("zh", "王小明修好了那台旧电视。", "王小明"),
        ("zh", "张伟告诉大家明天不用上班。", "张伟"),
        ("zh", "欧阳明昨天来过这家商店。", "欧阳明"),
        ("zh", "玛丽告诉大家明天不用上班。", "玛丽"),
        ("zh", "约翰逊告诉大家明天不用上班。", "约翰逊"),
        ("zh", "卡尔·马克思，是那本书的作者。", "卡尔·马克思"),
        ("zh", "那本书是Jane Austen写的。", "Jane Austen"),
        ("ja", "太郎と一緒に近くの公園を散歩した。", "太郎"),
        ("ja", "田中美咲が会議の資料を配った。", "美咲"),
        ("ru", "Соседи часто видят Ивана у моря.", "Ивана"),
        ("ru", "Соседи часто видят Марью Петровну у моря.", "Петровну"),
        ("en", "The neighbours met John near the station.", "John"),
        ("en", "The neighbours met Zadie Quillfeather today.", "Zadie Quillfeather"),
        ("es", "Los vecinos vieron a Antonio cerca del parque.", "Antonio"),
        ("eu", "Auzokoak Jonekin etorri dira gaur.", "Jonekin"),
        ("de", "Die Leute treffen Alexander am Bahnhof.", "Alexander"),
    ],
)
def test_names_are_found(lang: str, sentence: str, found: str) -> None:
    assert found in name(lang, sentence)


@pytest.mark.parametrize(
    ("lang", "sentence"),
    [
        ("zh", "老马修好了那台旧电视。"),
        ("zh", "小李在院子里晒太阳。"),
        ("zh", "王某说昨天没有去过那家商店。"),
        ("zh", "张先生昨天去过那家商店。"),
        ("zh", "马德里的春天来得比北京早。"),
        ("zh", "高铁上的乘客都在看书。"),
        ("zh", "孩子们期待明天去阿根廷旅行。"),
        ("ja", "田中と一緒に近くの公園を散歩した。"),
        ("ja", "東京の春は短くて美しい。"),
        ("ru", "Соседи часто отдыхают в Москве у реки."),
        ("ru", "Слава о мастере дошла до столицы."),
        ("en", "The neighbours met near Hyde Park yesterday."),
        ("en", "Last Monday the neighbours left for London."),
        ("en", "Prof. Quillfeather left for London last week."),
        ("es", "Los vecinos pasean por la Plaza Mayor."),
        ("eu", "Auzokoak Euskal Herrira etorri dira gaur."),
        ("de", "Die Leute treffen sich am Bahnhof in Berlin."),
    ],
)
def test_what_is_no_name_is_let_be(lang: str, sentence: str) -> None:
    assert name(lang, sentence) == ""
