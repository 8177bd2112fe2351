"""Quotation marks that open in one pair and close in another."""

import pytest

from tiltmeter.corpora.sentences import Sentences
from tiltmeter.packs import load_pack


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
def test_they_balance(lang: str, sentence: str, expected: str) -> None:
    pack = load_pack(lang)
    assert pack.screening is not None
    assert Sentences(pack, pack.screening).balanced(sentence) == expected
