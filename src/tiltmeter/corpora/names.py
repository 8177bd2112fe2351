"""Persons' names in a sentence. Bare surnames and forms such as 老马 are none."""

import re
from collections.abc import Callable, Sequence

from tiltmeter.language.tagging import rjieba
from tiltmeter.packs import Pack, Screening

Tagged = tuple[str, str]
"""A word and the segmenter's tag."""
FindName = Callable[[str, Sequence[Tagged]], str]
"""The first name of a sentence with its words, or nothing."""


def name_finder(pack: Pack, screening: Screening) -> FindName:
    """By the tags of the pack's segmenter, or by given names and capitals."""
    if screening.names in ("capitals", "given"):
        return _by_capitals(screening)
    by_tags = {"rjieba": _chinese, "mecab": _japanese, "pymorphy3": _russian}
    if screening.names == "tags" and pack.segmenter in by_tags:
        return by_tags[pack.segmenter](screening)
    return lambda *_: ""


_FOREIGN = re.compile(r"[\u4e00-\u9fff]{1,6}(?:[·•・‧][\u4e00-\u9fffA-Za-z]{1,8})+")
_LATIN = re.compile(r"(?<![A-Za-z])[A-Z][a-z]{2,} [A-Z][a-z]{2,}(?![A-Za-z])")
_DOTS = frozenset("·•・‧")
_PREFIXES = frozenset({"老", "小", "阿", "大", "姓", "某"})
_NO_PART_OF_A_NAME = frozenset({"x", "uj", "ul", "uz", "ud", "ug", "p", "c", "y", "m", "q", "r", "f"})
"""Tags of words that a name cannot go on with: punctuation, particles, numbers, pronouns."""
_PLACES = frozenset("省市县区镇乡村旗州岛湾湖河路街道站杯赛队院厂店寺庙桥")
"""What a longer word ends with that is a place, a house or a contest."""
_FUNCTION = frozenset("那这的了是不太越很更最都也就没着过您你我别")
"""What stands in phrases of the dictionary and in no name of three characters or more."""
_THINGS = frozenset({"ns", "nz", "n", "j"})
_COMMON = frozenset(
    "时来连万高边车管向何全应成方单原位常沿张关银包封房井台花米木保计谈和都白黄金明安温冷乐游解强查席古池商扬练衣石田马江文"
)
"""Surnames that are common words, too."""
_TRANSLITERATING = frozenset(
    "阿埃艾爱安昂奥巴白拜班邦鲍贝本比彼宾波伯勃博布查达戴丹道德登邓迪蒂丁东杜敦多厄恩尔法凡菲费芬弗夫福盖甘冈高哥戈格根古圭哈海汉豪赫亨胡华怀霍基吉加贾简姜杰"
    "金喀卡凯坎康科克肯孔库奎昆拉莱兰朗劳勒雷蕾黎里理利立丽莉列林琳龙隆卢鲁路露伦罗洛马玛迈麦曼芒毛梅门蒙米密敏明摩莫默姆穆拿娜纳南内尼妮涅宁纽农努诺欧帕派潘庞佩"
    "彭皮平珀普奇契钱乔切琴琼丘让热日荣茹儒瑞若萨塞赛桑瑟森沙莎珊尚绍舍申什圣施石史什士舒朔斯思丝松苏索塔泰坦汤陶特滕提廷图托瓦万威韦维温文翁沃乌武西希夏香谢辛欣雄休修"
    "许雅亚延扬耶叶伊依因英永尤于约赞泽扎詹珍芝朱茨兹祖佐翰逊娅"
)


def _chinese(screening: Screening) -> FindName:
    """By jieba's tags, which call many a common word a name: `not_names` lists those."""
    harmless = frozenset(screening.not_names)
    surnames = frozenset(screening.surnames)
    given = frozenset(screening.given_names)
    suffixes = frozenset(screening.name_suffixes)
    has_word = rjieba().has_word
    roles, speech = frozenset(screening.roles), frozenset(screening.speech_verbs)

    def is_bare(word: str) -> bool:
        if word in surnames or (word[0] in _PREFIXES and word[1:] in surnames):
            return True
        return any(word[:size] in surnames and word[size:] in suffixes for size in (1, 2))

    def may_be_a_name(word: str) -> bool:
        phrase = len(word) > 2 and (word[-1] in _PLACES or not _FUNCTION.isdisjoint(word)) and has_word(word)
        return len(word) > 1 and not phrase and word not in harmless and not is_bare(word)

    def is_unknown_name(word: str, tag: str) -> bool:
        """A word of three characters or more that is tagged otherwise: foreign names as places or things, rare ones as
        anything."""
        if word in harmless:
            return False
        if tag in _THINGS and _TRANSLITERATING.issuperset(word):
            return True
        return len(word) == 3 and word[0] in surnames and word[0] not in _COMMON and not has_word(word)

    def find(sentence: str, words: Sequence[Tagged]) -> str:
        if not _DOTS.isdisjoint(sentence):
            foreign = _FOREIGN.search(sentence)
            if foreign:
                return foreign[0]
        latin = _LATIN.search(sentence)
        if latin:
            return latin[0]
        last = len(words) - 1
        for place, (word, tag) in enumerate(words):
            if word in given:
                return word
            named = tag[:2] == "nr"
            if may_be_a_name(word) if named else len(word) > 2 and is_unknown_name(word, tag):
                return word
            if word[0] not in surnames or place == last:
                continue
            before = words[place - 1][0] if place else ""
            behind, behind_tag = words[place + 1]
            if len(word) == 1 and named and word not in _COMMON and before not in _PREFIXES:
                # A surname with its given name cut off: 裴|立新.
                if (
                    len(behind) < 3
                    and behind not in suffixes
                    and behind not in speech
                    and behind_tag not in _NO_PART_OF_A_NAME
                ):
                    return word + behind
            elif 1 < len(word) < 4 and before in roles and behind in speech and not is_bare(word):
                return word
        return ""

    return find


def _japanese(screening: Screening) -> FindName:
    """A given name, alone or behind its surname, by the tags of the dictionary."""
    harmless = frozenset(screening.not_names)
    given = frozenset(screening.given_names)

    def find(sentence: str, words: Sequence[Tagged]) -> str:
        foreign = re.search(r"[ァ-ヴー]{2,}[・＝=][ァ-ヴー]{2,}", sentence)
        if foreign:
            return foreign[0]
        for word, tag in words:
            if word in given or (tag.endswith(("人名-名", "人名-一般")) and word not in harmless):
                return word
        return ""

    return find


def _russian(screening: Screening) -> FindName:
    """A capitalised given name or patronymic."""
    harmless = {word.lower() for word in screening.not_names}

    def find(_: str, words: Sequence[Tagged]) -> str:
        for word, tag in words:
            if word[:1].isupper() and ("Name" in tag or "Patr" in tag) and word.lower() not in harmless:
                return word
        return ""

    return find


def _by_capitals(screening: Screening) -> FindName:
    """A given name, or, but where all nouns are capitalised, several capitals in a row that are no place or office."""
    rows_tell = screening.names == "capitals"
    given = {word.lower() for word in screening.given_names}
    harmless = {word.lower() for word in screening.not_names}

    def named(row: list[str], begins: bool) -> str:
        lowered = [word.lower() for word in row]
        if not harmless.isdisjoint((*lowered, " ".join(lowered))):
            return ""
        known = next((word for word, low in zip(row, lowered, strict=True) if low in given), "")
        # The first word of a sentence has its capital anyway.
        several = row[1:] if begins else row
        if known or not rows_tell or len(several) < 2 or all(map(str.isupper, several)):
            return known
        return " ".join(several)

    def find(_: str, words: Sequence[Tagged]) -> str:
        row: list[str] = []
        first = 0
        for place, (word, _tag) in enumerate([*words, ("", "")]):
            if word[:1].isupper() and (len(word) > 1 or row):
                first = first if row else place
                row.append(word)
                continue
            if word == "." and row and len(row[-1]) < 4:
                continue  # of an abbreviation: St. Thomas
            if row and (found := named(row, begins=first == 0)):
                return found
            row = []
        return ""

    return find
