"""Every instrument runs in every language whose pack has its lists, and loses no word of them."""

from pathlib import Path

import numpy as np
import pytest

from support import made_of
from tiltmeter.instruments import all_instruments
from tiltmeter.packs import Pack, load_pack, shipped_languages

IMPOSSIBLE = {"marked_minus_unmarked"}
"""Needs unmarked adjectives, which Russian and German do not have."""


def all_words(pack: Pack) -> list[str]:
    sets = [word for test in pack.weat for word in (*test.x, *test.y, *test.a, *test.b)]
    words = [text for word in sets for text in (word.text, word.feminine) if text]
    words += [text for pair in (*pack.semantic_gender, *pack.names) for text in (pair.male, pair.female)]
    forms = [(entry.masculine, entry.feminine) for entry in pack.adjectives]
    forms += [(entry.masculine, entry.feminine) for entry in pack.baseline_adjectives]
    words += [text for pair in forms for text in pair]
    return list(dict.fromkeys(words + [entry.noun for entry in pack.inanimate_nouns]))


@pytest.mark.parametrize("lang", shipped_languages())
def test_nothing_is_lost_and_everything_has_a_value(lang: str, tmp_path: Path) -> None:
    pack = load_pack(lang)
    rng = np.random.default_rng(4)
    subject = made_of({word: rng.normal(size=12) for word in all_words(pack)}, tmp_path)
    ran = []
    for tool in all_instruments():
        if tool.capability != "vectors" or pack.missing(tool.lists):
            continue
        options = tool.options()
        items, _ = tool.answer(tool.items(pack, options), subject, pack, options)
        rows = tool.estimate(items, options).estimates
        assert {row.lost for row in rows} == {0}
        assert not [row.name for row in rows if row.value is None and row.name not in IMPOSSIBLE]
        ran.append(tool.name)
    assert {"weat", "rnd", "ripa", "ect", "mac", "rnsb"} <= set(ran)
    assert ({"bad", "mweat", "grammar-weat"} <= set(ran)) == (lang in ("de", "es", "ru"))
