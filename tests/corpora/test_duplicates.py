"""Near-duplicates are found by their bands as comparing all pairs finds them, whatever order a corpus is read in."""

import random
from itertools import combinations

import numpy as np
import polars as pl
import pytest

from tiltmeter.corpora.duplicates import ALIKE, near_duplicates, seeded_hash
from tiltmeter.corpora.plan import BANDS, signatures

WORDS = [
    "春天", "河边", "火车", "书店", "苹果", "雨伞", "老师", "旅行", "电影", "面包",
    "医院", "花园", "城市", "音乐", "早晨", "冬天", "篮球", "市场", "朋友", "故事",
]  # fmt: skip
VERBS = ["看见", "买下", "讨论", "喜欢", "忘记", "修理", "收拾", "等待", "画出", "带走"]


def made(count: int, seed: int) -> list[str]:
    """Sentences of their own, each with some that differ from it in a few words."""
    chance = random.Random(seed)
    sentences = []
    for _ in range(count):
        words = [chance.choice(VERBS if place % 2 else WORDS) for place in range(12)]
        sentences.append("".join(words) + "。")
        for changes in (0, 1, 1, 2, 4):
            changed = list(words)
            for place in chance.sample(range(12), changes):
                changed[place] = chance.choice(WORDS)
            sentences.append("".join(changed) + "。")
    return sentences


def firsts_of(sentences: list[str], seed: int | None = None) -> dict[int, int]:
    """Which sentence is called a near-duplicate of which; without a seed they stay in the order given."""
    hashes = [seeded_hash(sentence, seed or 0) for sentence in sentences]
    index = pl.DataFrame({"number": range(len(sentences)), "order": hashes}, schema_overrides={"order": pl.UInt64})
    bands = (pl.Series(column) for column in signatures(sentences).T)
    ordered = index if seed is None else index.sort("order", "number")
    found = near_duplicates(ordered, bands, lambda numbers: {number: sentences[number] for number in numbers})
    return dict(found.select("number", "first").iter_rows())


def found(sentences: list[str], seed: int = 0) -> dict[str, str]:
    return {sentences[number]: sentences[first] for number, first in firsts_of(sentences, seed).items()}


def jaccard(one: str, other: str) -> float:
    """The overlap of all stretches of three characters, by hand."""
    left, right = ({text[n : n + 3] for n in range(len(text) - 2)} for text in (one, other))
    return len(left & right) / len(left | right)


@pytest.fixture(scope="module")
def sentences() -> list[str]:
    return list(dict.fromkeys(made(60, seed=5)))


def test_nothing_below_the_threshold_is_called_one(sentences: list[str]) -> None:
    told = found(sentences)
    assert told
    assert all(jaccard(one, other) >= ALIKE for one, other in told.items())


def test_what_stays_is_no_near_duplicate_of_what_stays(sentences: list[str]) -> None:
    """Against all pairs: of those that are alike from the threshold on, at most one in a hundred may stay together."""
    told = found(sentences)
    alike = [pair for pair in combinations(sentences, 2) if jaccard(*pair) >= ALIKE]
    together = [pair for pair in alike if not told.keys() & set(pair)]
    assert len(alike) > 100
    assert len(together) <= len(alike) / 100


def test_every_near_duplicate_comes_later_in_the_order_than_what_it_is_one_of(sentences: list[str]) -> None:
    for seed in (0, 1):
        for one, other in found(sentences, seed).items():
            assert seeded_hash(other, seed) < seeded_hash(one, seed)


def test_the_order_in_which_the_corpus_was_read_changes_nothing(sentences: list[str]) -> None:
    told = found(sentences)
    for seed in range(3):
        shuffled = random.Random(seed).sample(sentences, len(sentences))
        assert found(shuffled) == told


def test_of_exact_duplicates_one_stays() -> None:
    assert firsts_of(["春天的河边开满了花。", "火车在清晨到达了城市。"] * 3) == {2: 0, 4: 0, 3: 1, 5: 1}


def test_sentences_of_one_or_two_characters_are_compared_whole() -> None:
    assert firsts_of(["他", "她", "他", "他。", "他。"]) == {2: 0, 4: 3}


def test_signatures_depend_on_the_sentence_alone(sentences: list[str]) -> None:
    together, apart = signatures(sentences[:20]), [signatures([sentence]) for sentence in sentences[:20]]
    assert np.array_equal(together, np.concatenate(apart))
    assert signatures([]).shape == (0, BANDS)


def test_a_seed_gives_another_order_and_the_same_seed_the_same() -> None:
    assert seeded_hash("春天", 0) == seeded_hash("春天", 0)
    assert len({seeded_hash(text, seed) for text in ("春天", "秋天") for seed in range(10)}) == 20
