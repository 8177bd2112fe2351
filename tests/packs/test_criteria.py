"""`criteria.toml`: in every shipped pack, and what is wrong with one."""

from pathlib import Path

import pytest

from tiltmeter.corpora.rules import RULES
from tiltmeter.packs import KEEP, PackError, load_folder, load_pack, shipped_languages

PAPER = {"sense", "name", "gendered-term", "biological"}
"""What section 3.3 of the paper drops sentences for."""


@pytest.mark.parametrize("lang", shipped_languages())
def test_every_language_has_the_papers_criteria_in_its_own_words_and_in_english(lang: str) -> None:
    criteria = load_pack(lang).criteria
    assert criteria[0].id == KEEP
    reasons = [criterion.id for criterion in criteria[1:]]
    assert PAPER <= set(reasons) <= {*RULES, "other"}
    assert len(reasons) <= 9, "each has a key"
    for criterion in criteria:
        assert set(criterion.wordings) == {lang, "en"}
        titles = [wording.title for wording in criterion.wordings.values()]
        assert all(0 < len(title) <= 40 for title in titles)
    own = [criterion.wordings[lang].title for criterion in criteria]
    assert len(set(own)) == len(own)


def test_the_criteria_ask_what_the_languages_rules_ask() -> None:
    """What a language's grammar gives away is a criterion there and nowhere else."""
    for rule, langs in (("agreement-leak", "de es ru"), ("speaker-gender", "ja"), ("allocutive", "eu")):
        there = [lang for lang in shipped_languages() if rule in {entry.id for entry in load_pack(lang).criteria}]
        assert there == langs.split()


def test_a_wording_is_in_the_first_language_that_there_is() -> None:
    name = load_pack("zh").criteria[2]
    assert name.wording("ja", "en", "zh").title == "A person's name"
    assert name.wording("zh").title == "出现人名"
    assert name.wording("xx") in name.wordings.values()


GOOD = """source = "own"
[[criteria]]
id = "keep"
en = { title = "Keep", text = "Stays." }
[[criteria]]
id = "name"
en = { title = "Name", text = "A name." }
"""


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (('source = "own"\n', ""), "'source' is missing"),
        (('id = "keep"', 'id = "stay"'), "the first criterion must be 'keep'"),
        (('id = "name"', 'id = "keep"'), "the same name"),
        (('id = "name"', 'id = "A name"'), "small letters"),
        (('id = "name"\n', ""), "'id' is missing"),
        (('title = "Name"', 'title = ""'), "'title' is missing"),
        ((', text = "A name."', ""), "expected `title` and `text`"),
        (('en = { title = "Name", text = "A name." }', ""), "has no title"),
        (("[[criteria]]", "[[other]]"), "there is no key 'other'"),
    ],
)
def test_a_file_that_is_wrong_is_told_with_its_place(tmp_path: Path, change: tuple[str, str], complaint: str) -> None:
    (tmp_path / "pack.toml").write_text('extends = "en"\n', "utf-8")
    (tmp_path / "criteria.toml").write_text(GOOD, "utf-8")
    assert [criterion.id for criterion in load_folder(tmp_path).criteria] == ["keep", "name"]
    assert change[0] in GOOD
    (tmp_path / "criteria.toml").write_text(GOOD.replace(*change), "utf-8")
    with pytest.raises(PackError, match=r"criteria.toml:\d+: ") as told:
        load_folder(tmp_path)
    assert complaint in str(told.value)
