"""Tokenizers trained on texts, as transformers loads them."""

from collections.abc import Iterable
from typing import Any

from tiltmeter.errors import TiltmeterError, unknown

METHODS = ("bpe", "bytes", "characters")
"""The trainers of WordPiece and Unigram give other tokens in another process."""

_BERT = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_CAUSAL = {"pad_token": "<pad>", "unk_token": "<unk>", "bos_token": "<s>", "eos_token": "</s>"}
_UNSPACED = r"[\p{Han}\p{Hiragana}]"
"""Characters that are tokens of their own, as in the Chinese BERT: Chinese and Japanese have no spaces to go by. Words
in katakana are words."""


def train_tokenizer(
    texts: Iterable[str], *, method: str = "bpe", vocabulary: int = 4000, causal: bool = False, types: bool = True
) -> Any:
    """A tokenizer of at most so many tokens; the same texts give the same tokens.

    `bpe` (byte pair encoding within words), `bytes` (the same from bytes on, so that a rare character is several
    tokens), or `characters`. Text is NFKC, its case is kept. For a causal model a text begins with `<s>`; else there
    are `[CLS]` and `[SEP]` around one text or two, and `types` tell to which of them each token belongs, for models
    that learn that.
    """
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    if method not in METHODS:
        raise unknown("kind of tokenizer", method, METHODS)
    if vocabulary < (fewest := 300 if method == "bytes" else 50):
        raise TiltmeterError(f"a vocabulary has to have at least {fewest} tokens, and {vocabulary} was given")
    special = _CAUSAL if causal else _BERT
    common: dict[str, Any] = {
        "vocab_size": vocabulary,
        "special_tokens": list(special.values()),
        "show_progress": False,
    }
    unknown_token = special["unk_token"]
    if method == "characters":
        made = Tokenizer(models.WordLevel(unk_token=unknown_token))
        trainer: Any = trainers.WordLevelTrainer(**common)
    else:
        made = Tokenizer(models.BPE(unk_token=unknown_token))
        alphabet = pre_tokenizers.ByteLevel.alphabet() if method == "bytes" else []
        trainer = trainers.BpeTrainer(**common, initial_alphabet=alphabet)
    made.normalizer = normalizers.NFKC()
    alone = Regex(".") if method == "characters" else Regex(_UNSPACED)
    steps = [pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation(), pre_tokenizers.Split(alone, "isolated")]
    if method == "bytes":
        steps.append(pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False))
    made.pre_tokenizer = pre_tokenizers.Sequence(steps)
    made.train_from_iterator(texts, trainer)
    if made.get_vocab_size() <= len(special):
        raise TiltmeterError("there is no text to train a tokenizer on")
    if causal:
        form, ends = {"single": "<s> $A", "pair": "<s> $A $B"}, ["<s>"]
    else:
        form, ends = {"single": "[CLS] $A [SEP]", "pair": "[CLS] $A [SEP] $B:1 [SEP]:1"}, ["[CLS]", "[SEP]"]
    made.post_processor = processors.TemplateProcessing(
        **form, special_tokens=[(token, made.token_to_id(token)) for token in ends]
    )
    inputs = ["input_ids", *(["token_type_ids"] if types and not causal else []), "attention_mask"]
    fast: Any = PreTrainedTokenizerFast
    return fast(tokenizer_object=made, model_input_names=inputs, **special)
