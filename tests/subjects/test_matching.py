"""A word finds its spelling by the policies that the vocabulary calls for."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tiltmeter.errors import MissingExtra
from tiltmeter.packs import Word
from tiltmeter.store import Store
from tiltmeter.subjects import Found, VectorSubject, matching, open_subject

TAGGED = ["мужчина_NOUN", "мужской_ADJ", "сдаться_VERB", "иван_PROPN", "тетя_NOUN", "умный_ADJ", "queen_NOUN"]


def find(folder: Path, vocabulary: list[str], *words: Word, match: str = "auto") -> Found:
    path = folder / "model.vec"
    path.write_text("".join(f"{word} 1 {number}\n" for number, word in enumerate(vocabulary)), "utf-8")
    opened = open_subject(str(path), Store(folder / "cache"))
    assert isinstance(opened, VectorSubject)
    return opened.vectors(words, match=match)


@pytest.fixture
def without_pymorphy(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setitem(sys.modules, "pymorphy3", None)
    matching._analyser.cache_clear()
    yield
    matching._analyser.cache_clear()


def test_a_tagged_vocabulary_is_matched_by_the_part_of_speech_in_the_list(tmp_path: Path) -> None:
    words = [
        Word("мужчина", "NOUN"),
        Word("Иван", "PROPN"),
        Word("тётя", "NOUN"),
        Word("queen", "NOUN"),
        Word("сдаться", "ADJ"),
    ]
    found = find(tmp_path, TAGGED, *words)
    assert found.policies == ("exact", "pos-tag")
    assert dict(found.forms) == {
        "мужчина": "мужчина_NOUN", "Иван": "иван_PROPN", "тётя": "тетя_NOUN", "queen": "queen_NOUN",
    }  # fmt: skip
    assert found.lost == {"сдаться": "сдаться not in the vocabulary"}, "another part of speech is another word"


def test_a_word_without_a_part_of_speech_gets_it_from_pymorphy(tmp_path: Path) -> None:
    found = find(tmp_path, TAGGED, *map(Word, ("мужчина", "мужской", "сдаться", "Иван", "queen")))
    assert list(found.forms.values()) == ["мужчина_NOUN", "мужской_ADJ", "сдаться_VERB", "иван_PROPN"]
    assert "queen" in found.lost, "it knows Russian only"


@pytest.mark.usefixtures("without_pymorphy")
def test_where_pymorphy_is_not_installed_such_a_word_is_lost(tmp_path: Path) -> None:
    found = find(tmp_path, TAGGED, Word("мужчина", "NOUN"), Word("мужской"))
    assert found.forms == {"мужчина": "мужчина_NOUN"}
    assert "мужской" in found.lost


@pytest.mark.usefixtures("without_pymorphy")
def test_a_policy_that_was_named_says_what_it_needs(tmp_path: Path) -> None:
    for policy in ("lemma", "exact,pos-tag"):
        with pytest.raises(MissingExtra, match=r"this needs pymorphy3: .*tiltmeter\[corpus\]"):
            find(tmp_path, TAGGED, Word("мужчина"), match=policy)
    assert find(tmp_path, TAGGED, Word("мужчина", "NOUN"), match="pos-tag").forms


def test_a_lemma_is_found_for_an_inflected_word_if_that_was_asked(tmp_path: Path) -> None:
    words = [Word("мужчины"), Word("умная", "ADJ"), Word("тётю")]
    tagged = find(tmp_path, TAGGED, *words, match="lemma")
    assert list(tagged.forms.values()) == ["мужчина_NOUN", "умный_ADJ", "тетя_NOUN"]
    plain = find(tmp_path, ["мужчина", "умный", "тётя"], *words, match="exact,lemma")
    assert list(plain.forms.values()) == ["мужчина", "умный", "тётя"]
    with pytest.raises(Exception, match="none of the 3 words"):
        find(tmp_path, ["мужчина", "умный", "тётя"], *words)


def test_a_lemma_fits_the_part_of_speech_in_the_list(tmp_path: Path) -> None:
    assert find(tmp_path, ["стать", "сталь"], Word("стали", "NOUN"), match="lemma").forms == {"стали": "сталь"}
    assert find(tmp_path, ["стать", "сталь"], Word("стали", "VERB"), match="lemma").forms == {"стали": "стать"}


def test_a_feminine_form_with_the_lemma_of_the_masculine_is_no_second_form(tmp_path: Path) -> None:
    clever = Word("умный", "ADJ", "", "умная")
    assert find(tmp_path, TAGGED, clever, match="pos-tag,lemma").averaged == ()


def test_a_plain_vocabulary_needs_no_dictionary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_analyser", lambda: pytest.fail("pymorphy3 was loaded"))
    assert find(tmp_path, ["мужчина"], Word("мужчина")).policies == ("exact", "lower-case", "yo")
