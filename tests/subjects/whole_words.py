"""A tiny BERT to which every word is one token, untrained or trained on a few hundred sentences."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from string import ascii_letters
from typing import Any

import torch
from tokenizers.pre_tokenizers import BertPreTokenizer
from transformers import BertConfig, BertForMaskedLM, BertTokenizer

from subjects.tiny_models import BERT_SPECIAL, LONGEST, SPREAD

IGNORED = -100
"""What the loss of a masked model leaves out."""
BATCH = 64


def whole_words(folder: Path, texts: Iterable[str], *, learn: Sequence[str] = (), steps: int = 0) -> Path:
    """A model that knows the words of the texts; with steps, one that was trained to fill masks in `learn`.

    Other words it spells, one letter a token.
    """
    splitter = BertPreTokenizer()
    words = sorted({word for text in {*texts, *learn} for word, _ in splitter.pre_tokenize_str(text)})
    spelt = sorted({*ascii_letters, *(f"##{letter}" for letter in ascii_letters)} - set(words))
    vocabulary = {token: number for number, token in enumerate((*BERT_SPECIAL, *words, *spelt))}
    tokenizer: Any = BertTokenizer(vocab=vocabulary, do_lower_case=False, strip_accents=False, model_max_length=LONGEST)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=LONGEST,
        initializer_range=0.05 if steps else SPREAD,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    architecture: Any = BertForMaskedLM
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        model = architecture(config)
        if steps:
            _train(model, tokenizer(list(learn), padding=True, return_tensors="pt"), steps)
    tokenizer.save_pretrained(folder)
    model.eval().save_pretrained(folder)
    return folder


def _train(model: Any, sentences: Any, steps: int) -> None:
    """Hides three in ten of the words that make sentences differ, and learns to guess it, some sentences at a time."""
    every, attention = sentences["input_ids"], sentences["attention_mask"]
    seldom = torch.bincount(every.flatten(), minlength=model.config.vocab_size) < len(every) / 5
    seldom[: len(BERT_SPECIAL)] = False
    optimiser = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(steps):
        some = torch.randint(len(every), (BATCH,))
        ids = every[some]
        hidden = (torch.rand(ids.shape) < 0.3) & seldom[ids]
        seen = ids.masked_fill(hidden, BERT_SPECIAL.index("[MASK]"))
        labels = ids.masked_fill(~hidden, IGNORED)
        loss = model(input_ids=seen, attention_mask=attention[some], labels=labels).loss
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
