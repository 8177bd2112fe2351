"""The pack that the page on new languages makes: it is the one of the example, and ready for what the page measures."""

import re

from docs.desks import FRENCH
from docs.pages import blocks
from support import Command
from tiltmeter.packs import load_folder


def test_the_example_holds_the_word_sets_that_the_page_shows() -> None:
    assert blocks("docs/new-language.md", "toml")[1].text.strip() in (FRENCH / "weat.toml").read_text("utf-8")


def test_it_is_ready_for_what_the_page_measures(told: Command) -> None:
    printed = told("list", "packs", "--check", FRENCH).stdout
    for name in ("weat", "grammar-weat", "becpro", "slgu"):
        assert f"- {name}: ready" in printed


def test_its_sentences_agree_with_neither_word() -> None:
    pack = load_folder(FRENCH)
    assert {row.written for row in pack.neutral_sentences} == {"male", "female"}
    endings = re.compile(r"\b(est|sont|a été|son|sa|ses) \w+(é|ée|eux|euse)\b")
    assert not [row.sentence for row in pack.neutral_sentences if endings.search(row.sentence)]
