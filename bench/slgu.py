"""The SlguSet score of 20,000 sentences, against scripts that sort, batch and project onto the whole vocabulary."""

import tempfile
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
import torch
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from bench.row import Row, seconds
from tiltmeter.datasets.slguset_files import ListedSentence, ListedSet
from tiltmeter.instruments import Given, load_instrument
from tiltmeter.packs import load_pack
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models.model import LanguageModel
from tiltmeter.subjects.language_models.network import Network

TOOL, PACK = load_instrument("slgu"), load_pack("zh")
SENTENCES, LENGTH = 20_000, 34
VOCABULARY = 21_128
"""Of Chinese BERT."""
BATCH = 32
ROUNDS = 2
SIZES: dict[str, tuple[BertConfig, int, int]] = {
    "6 layers of 384": (
        BertConfig(
            vocab_size=VOCABULARY, hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536
        ),
        SENTENCES,
        1_600,
    ),
    "bert-base": (BertConfig(vocab_size=VOCABULARY), 480, 480),
}
"""The model, how many sentences we are asked, and how many the peers, whose time is scaled to ours. Of fewer than all
they are those of the commonest lengths: batches of few sentences of all lengths would be half padding."""


def rows() -> Iterator[Row]:
    for size, (config, ours, theirs) in SIZES.items():
        folder = Path(__file__).parent / "out" / f"chinese-{size.replace(' ', '-')}"
        if not (folder / "ready").exists():
            _make(folder, config)
        options = TOOL.options(sentences=Given("bench.csv", "", ListedSet(_sentences()[:ours], "utf-8")))
        items = TOOL.items(PACK, options)
        sample = items[sorted(Random(0).sample(range(ours), theirs))]
        with tempfile.TemporaryDirectory() as cache:
            network = _open(folder, cache).asked.network

        # In turns: a machine that is busy for a while is so for all of them.
        times = [
            (
                seconds(partial(_by_us, items, folder, options), repeat=1),
                seconds(partial(_once, sample, network), repeat=1),
                seconds(partial(_word_by_word, sample, network), repeat=1),
            )
            for _ in range(ROUNDS)
        ]
        _compare(_by_us(sample, folder, options), _once(sample, network), _word_by_word(sample, network))
        mine, once, each = (min(column) for column in zip(*times, strict=True))
        scale = ours / theirs
        what = f"SlguSet score of {ours:,} sentences of about {LENGTH} characters, {size}; sorted batches of {BATCH}, "
        whole = "the whole vocabulary at every token" + (f" (timed on {theirs:,}, scaled)" if scale > 1 else "")
        yield Row(f"{what}each sentence once, {whole}", mine, once * scale, at_least=1.2)
        yield Row(f"{what}one pass for each word, {whole}", mine, each * scale, at_least=2.2)


def _by_us(items: pl.DataFrame, folder: Path, options: Any) -> pl.DataFrame:
    """The checksum of the model's files, tokens, answers and their way to the disk and all; the model is loaded."""
    with tempfile.TemporaryDirectory() as cache:
        return TOOL.answer(items, _open(folder, cache), PACK, options)[0]


def _open(folder: Path, cache: str) -> LanguageModel:
    subject = open_subject(str(folder), Store(Path(cache)))
    assert isinstance(subject, LanguageModel)
    return subject


def _once(items: pl.DataFrame, network: Network) -> list[float]:
    """Both words are read off one pass where they have one length, as in nearly all sentences."""
    found = [0.0] * items.height
    entries = [(place, row, (row["hidden_man"], row["hidden_woman"])) for place, row in _numbered(items)]
    for place, values in _asked(entries, network):
        found[place] = values[0] - values[1]
    return found


def _word_by_word(items: pl.DataFrame, network: Network) -> list[float]:
    found = [0.0] * items.height
    for sign, column in ((1, "hidden_man"), (-1, "hidden_woman")):
        for place, values in _asked([(place, row, (row[column],)) for place, row in _numbered(items)], network):
            found[place] += sign * values[0]
    return found


def _numbered(items: pl.DataFrame) -> list[tuple[int, dict[str, Any]]]:
    return list(enumerate(items.iter_rows(named=True)))


def _asked(
    entries: Sequence[tuple[int, dict[str, Any], tuple[str, ...]]], network: Network
) -> Iterator[tuple[int, list[float]]]:
    tokenizer = network.tokenizer
    ordered = sorted(entries, key=lambda entry: len(entry[1]["sentence"]))
    for start in range(0, len(ordered), BATCH):
        batch = ordered[start : start + BATCH]
        texts = [
            row["sentence"][: row["hidden_start"]]
            + tokenizer.mask_token * len(words[0])
            + row["sentence"][row["hidden_end"] :]
            for _, row, words in batch
        ]
        encoded = tokenizer(texts, padding=True, return_tensors="pt")
        with torch.no_grad():
            log_p = torch.log_softmax(network.model(**encoded).logits, dim=-1)
        for line, (place, _, words) in enumerate(batch):
            at = (encoded["input_ids"][line] == tokenizer.mask_token_id).nonzero().flatten()
            ids = [tokenizer.convert_tokens_to_ids(list(word)) for word in words]
            yield place, [float(log_p[line, at, numbers].sum()) / float(np.log(10)) for numbers in ids]


def _compare(ours: pl.DataFrame, *theirs: list[float]) -> None:
    """Who is faster must not be so by answering something else."""
    for found in theirs:
        furthest = float(np.abs(ours["bias"].to_numpy() - np.array(found)).max())
        if not furthest <= 1e-4 or len(np.unique(np.round(found, 4))) < len(found) / 2:
            raise AssertionError(f"our bias differs from the script's by up to {furthest}")


def _sentences() -> tuple[ListedSentence, ...]:
    """Characters at random around a keyword, pairs as often as in Table 1 of the paper; the commonest length first."""
    chance = Random(1)
    pairs = [pair for pair, share in _SHARES.items() for _ in range(share)]
    found = []
    for line in range(SENTENCES):
        length = max(8, min(90, round(chance.gauss(LENGTH, 12))))
        text = "".join(chance.choices(_CHARACTERS, k=length))
        place = chance.randrange(length)
        keyword, opposite = chance.sample(chance.choice(pairs).split("/"), 2)
        found.append(
            ListedSentence(
                line=line,
                sentence=f"{text[:place]}{keyword}{text[place:]}。",
                position=(place, place + len(keyword)),
                keyword=keyword,
                opposite=opposite,
            )
        )
    return tuple(sorted(found, key=lambda entry: abs(len(entry.sentence) - LENGTH)))


_SHARES = {
    "他/她": 30,
    "男/女": 20,
    "男孩/女孩": 6,
    "男子/女子": 5,
    "爸爸/妈妈": 5,
    "父亲/母亲": 5,
    "儿子/女儿": 4,
    "哥哥/姐姐": 4,
}
_WORDS = sorted(set("".join(_SHARES)) - {"/"})
_CHARACTERS = [letter for letter in map(chr, range(0x4E00, 0x4E00 + 6_000)) if letter not in _WORDS]


def _make(folder: Path, config: BertConfig) -> None:
    """A model with random weights and a vocabulary of characters."""
    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "。", *_WORDS, *_CHARACTERS]
    known += [f"[unused{number}]" for number in range(VOCABULARY - len(known))]
    torch.manual_seed(0)
    model: Any = BertForMaskedLM
    model(config).save_pretrained(folder)
    vocabulary = {token: number for number, token in enumerate(known)}
    BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=512).save_pretrained(folder)
    (folder / "ready").touch()
