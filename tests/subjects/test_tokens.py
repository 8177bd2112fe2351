"""Tokens and the characters they stand for, where a tokenizer does not say."""

import pytest

from tiltmeter.subjects.language_models.tokens import align


@pytest.mark.parametrize(
    ("tokens", "text", "spans"),
    [
        (["彼女", "は", "看護", "##師"], "彼女は看護師", [(0, 2), (2, 3), (3, 5), (5, 6)]),
        (["he", "is", "[UNK]", "today"], "He  is ☃☃ today", [(0, 2), (4, 6), (7, 9), (10, 15)]),
        (["medica", "."], "Médica.", [(0, 6), (6, 7)]),
        # Half-width letters are written as full ones, and a voicing mark joins its letter.
        (["ガラス", "です"], "ｶﾞﾗｽです", [(0, 4), (4, 6)]),
        (["[UNK]", "[UNK]"], "☃ ☂", [(0, 3), (0, 3)]),
        (["▁he", "▁is"], "he is", [(0, 2), (3, 5)]),
    ],
)
def test_each_token_is_found_in_the_text(tokens: list[str], text: str, spans: list[tuple[int, int]]) -> None:
    assert list(align(tokens, text, "[UNK]")) == spans
