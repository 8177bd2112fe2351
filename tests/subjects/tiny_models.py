"""Tiny real models with their tokenizers, made on the spot: random weights, every kind of tokenizer that matters.

Each function takes a folder, makes one model folder in it (safetensors, loadable offline by the Auto classes) and
returns that folder. The same call always makes the same model.
"""

import json
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AlbertConfig,
    AlbertForMaskedLM,
    AlbertTokenizer,
    BertConfig,
    BertForMaskedLM,
    BertJapaneseTokenizer,
    BertTokenizer,
    DebertaV2Config,
    DebertaV2Tokenizer,
    DistilBertConfig,
    DistilBertForMaskedLM,
    ElectraConfig,
    ElectraForMaskedLM,
    ElectraForPreTraining,
    FNetConfig,
    FNetForMaskedLM,
    FNetTokenizer,
    GPT2Config,
    GPT2LMHeadModel,
    GPT2Tokenizer,
    LlamaConfig,
    LlamaForCausalLM,
    MobileBertConfig,
    MobileBertForMaskedLM,
    PreTrainedTokenizerFast,
    RobertaConfig,
    RobertaForMaskedLM,
    RobertaTokenizer,
    RoFormerConfig,
    RoFormerForMaskedLM,
    XLMRobertaConfig,
    XLMRobertaForMaskedLM,
    XLMRobertaTokenizer,
)

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # this model's own module calls torch.jit.script
    from transformers import DebertaV2ForMaskedLM

LONGEST = 64
"""How many tokens, special ones included, every model here can read."""

SPREAD = 0.3
"""Standard deviation of the random weights: wide enough that tokens differ clearly in probability."""

BERT_SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
ROBERTA_SPECIAL = ("<s>", "<pad>", "</s>", "<unk>", "<mask>")
LLAMA_SPECIAL = ("<unk>", "<s>", "</s>")

ENGLISH = """\
He is a nurse.
She is a nurse.
He is an engineer.
She is an engineer.
The nurse said that she was tired.
The nurse said that he was tired.
The engineer said that he was late.
The engineer said that she was late.
My sister works as a housekeeper.
My brother works as a bookkeeper.
My mother wants to become a firefighter.
My father wants to become a kindergarten teacher.
This man is a doctor and this woman is a doctor.
The woman asked her brother, and the man asked his sister.
The manager had a good relationship with her staff.
The manager had a bad relationship with his staff.
His daughter is a hairdresser, her son is a plumber.
The nurses helped the engineers.
They are nurses; we are engineers.
Girls and boys play, women and men work.
A dental hygienist and a speech-language pathologist met him.
Is she the boss? He isn't the boss!
The receptionist greeted him and the mechanic greeted her.
The secretary, the carpenter and the electrician are friends of mine."""

SPANISH = """\
Él es enfermero y ella es enfermera.
Ella es médica; él es médico.
Mi madre trabaja de ingeniera.
Mi padre trabaja de ingeniero.
La niña pequeña soñó con el camión.
El niño pequeño comió jamón.
Esta mujer es la señora Muñoz.
Este hombre es el señor Núñez.
¿Quién es él? ¡Es mi tío!"""

RUSSIAN = """\
Он работает врачом.
Она работает врачом.
Мой брат хороший инженер.
Моя сестра хороший инженер.
Мужчина и женщина пришли домой.
Её муж — учитель, его жена — учительница.
Он ещё мальчик, она ещё девочка.
Она любит чай, и он любит чай."""

CHINESE = """\
她是一名护士。
他是一名护士。
她是一名工程师。
他是一名工程师。
女人说他很累。
男人说她很累。
这个女人是医生，那个男人也是医生。
她的丈夫是老师，他的妻子是老师。
女孩和男孩在学校。
我的母亲喜欢喝茶，我的父亲喜欢喝茶。
女护士帮助男医生。"""

JAPANESE = """\
彼は看護師です。
彼女は看護師です。
彼は技術者です。
彼女は技術者です。
彼女は医者になりたい。
彼は先生になりたい。
母は学校で働いています。
父は病院で働いています。
女性と男性が話しています。
私の姉は看護婦でした。"""

SENTENCES = "\n".join((ENGLISH, SPANISH, RUSSIAN, CHINESE, JAPANESE)).splitlines()


def bert_uncased(folder: Path) -> Path:
    """WordPiece, lower-cased and without accents: `Él` and `el` are one token."""
    return _bert(folder / "bert-uncased", _wordpiece(lower=True), lower=True)


def bert_cased(folder: Path) -> Path:
    """WordPiece that tells `He` from `he`."""
    return _bert(folder / "bert-cased", _wordpiece(lower=False), lower=False)


def bert_of_words(folder: Path, words: Sequence[str]) -> Path:
    """One thin layer over these words, each of them a token: hardly any work for each sentence."""
    vocabulary = _numbered([*BERT_SPECIAL, *words])
    thin = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(vocabulary), **{**_SHAPE, **thin})
    return _save(folder / "bert-of-words", _bert_tokenizer(vocabulary, lower=True), BertForMaskedLM, config)


def bert_characters(folder: Path) -> Path:
    """Every Chinese character a token, as in Chinese BERT; Latin words fall apart into letters."""
    characters = sorted({character for sentence in SENTENCES for character in sentence.lower() if character != " "})
    vocabulary = [*BERT_SPECIAL, *characters, *(f"##{character}" for character in characters if character.isalpha())]
    return _bert(folder / "bert-characters", _numbered(vocabulary), lower=True)


def bert_japanese(folder: Path) -> Path:
    """MeCab words cut into WordPieces. This tokenizer gives no offsets."""
    made = folder / "bert-japanese"
    made.mkdir(parents=True)
    vocabulary = _mecab_vocabulary()
    (made / "vocab.txt").write_text("\n".join(vocabulary) + "\n", "utf-8")
    tokenizer = _tokenizer(
        BertJapaneseTokenizer,
        vocab_file=str(made / "vocab.txt"),
        word_tokenizer_type="mecab",
        mecab_kwargs={"mecab_dic": "unidic_lite"},
        subword_tokenizer_type="wordpiece",
    )
    return _save(made, tokenizer, BertForMaskedLM, BertConfig(vocab_size=len(vocabulary), **_SHAPE))


def roberta(folder: Path) -> Path:
    """Byte-level BPE: a word after a space is another token than the same word at the start; positions begin at 2."""
    vocabulary, merges = _byte_pairs(ROBERTA_SPECIAL)
    tokenizer = _tokenizer(RobertaTokenizer, vocab=vocabulary, merges=merges, mask_token=_MASK)
    config = RobertaConfig(vocab_size=len(vocabulary), **_ROBERTA_SHAPE)
    return _save(folder / "roberta", tokenizer, RobertaForMaskedLM, config)


def xlm_roberta(folder: Path) -> Path:
    """Unigram pieces with `▁` for a space; no words in Chinese, so a piece may reach over a word's edge."""
    vocabulary = _unigram(ROBERTA_SPECIAL, unknown="<unk>")
    tokenizer = _tokenizer(XLMRobertaTokenizer, vocab=vocabulary, mask_token=_MASK)
    config = XLMRobertaConfig(vocab_size=len(vocabulary), **_ROBERTA_SHAPE)
    return _save(folder / "xlm-roberta", tokenizer, XLMRobertaForMaskedLM, config)


def albert(folder: Path) -> Path:
    """Lower-cased Unigram; the layers share their weights and the embedding is narrower than the layers."""
    vocabulary = _unigram(("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"), unknown="<unk>", lower=True)
    tokenizer = _tokenizer(AlbertTokenizer, vocab=vocabulary)
    config = AlbertConfig(
        vocab_size=len(vocabulary), embedding_size=16, pad_token_id=0, bos_token_id=2, eos_token_id=3, **_SHAPE
    )
    return _save(folder / "albert", tokenizer, AlbertForMaskedLM, config)


def distilbert(folder: Path) -> Path:
    """No token types."""
    vocabulary = _wordpiece(lower=True)
    config = DistilBertConfig(
        vocab_size=len(vocabulary),
        dim=32,
        n_layers=2,
        n_heads=2,
        hidden_dim=64,
        max_position_embeddings=LONGEST,
        initializer_range=SPREAD,
        pad_token_id=0,
    )
    return _save(folder / "distilbert", _bert_tokenizer(vocabulary, lower=True), DistilBertForMaskedLM, config)


def electra_generator(folder: Path) -> Path:
    """The half of ELECTRA that fills masks."""
    vocabulary = _wordpiece(lower=True)
    config = ElectraConfig(vocab_size=len(vocabulary), embedding_size=16, **_SHAPE)
    return _save(folder / "electra-generator", _bert_tokenizer(vocabulary, lower=True), ElectraForMaskedLM, config)


def discriminator(folder: Path) -> Path:
    """The half of ELECTRA that tells replaced tokens from real ones."""
    vocabulary = _wordpiece(lower=True)
    config = ElectraConfig(vocab_size=len(vocabulary), embedding_size=16, **_SHAPE)
    tokenizer = _bert_tokenizer(vocabulary, lower=True)
    return _save(folder / "electra-discriminator", tokenizer, ElectraForPreTraining, config)


def deberta_v2(folder: Path) -> Path:
    """Unigram with case and accents; attention by relative position."""
    vocabulary = _unigram(BERT_SPECIAL, unknown="[UNK]")
    tokenizer = _tokenizer(DebertaV2Tokenizer, vocab=vocabulary)
    config = DebertaV2Config(
        vocab_size=len(vocabulary),
        relative_attention=True,
        pos_att_type=["p2c", "c2p"],
        position_biased_input=False,
        **_SHAPE,
    )
    return _save(folder / "deberta-v2", tokenizer, DebertaV2ForMaskedLM, config)


def roformer(folder: Path) -> Path:
    """Rotary positions; with BERT's tokenizer, for its own would need one more dependency."""
    vocabulary = _wordpiece(lower=False)
    config = RoFormerConfig(vocab_size=len(vocabulary), embedding_size=32, **_SHAPE)
    return _save(folder / "roformer", _bert_tokenizer(vocabulary, lower=False), RoFormerForMaskedLM, config)


def mobilebert(folder: Path) -> Path:
    """Its head multiplies with a matrix of its own, past the output embedding."""
    vocabulary = _wordpiece(lower=True)
    config = MobileBertConfig(
        vocab_size=len(vocabulary),
        embedding_size=16,
        intra_bottleneck_size=16,
        num_feedforward_networks=2,
        **_SHAPE,
    )
    return _save(folder / "mobilebert", _bert_tokenizer(vocabulary, lower=True), MobileBertForMaskedLM, config)


def fnet(folder: Path) -> Path:
    """Fourier transforms for attention: padding cannot be masked out, and there are no attention weights."""
    vocabulary = _unigram(("<pad>", "<unk>", "[CLS]", "[SEP]", "[MASK]"), unknown="<unk>", lower=True)
    tokenizer = _tokenizer(FNetTokenizer, vocab=vocabulary)
    shape = {name: value for name, value in _SHAPE.items() if name != "num_attention_heads"}
    config = FNetConfig(vocab_size=len(vocabulary), pad_token_id=0, bos_token_id=2, eos_token_id=3, **shape)
    return _save(folder / "fnet", tokenizer, FNetForMaskedLM, config)


def gpt2(folder: Path) -> Path:
    """Byte-level BPE whose only special token begins, ends and pads; the tokenizer does not add it."""
    vocabulary, merges = _byte_pairs(("<|endoftext|>",))
    tokenizer = _tokenizer(GPT2Tokenizer, vocab=vocabulary, merges=merges)
    config = GPT2Config(
        vocab_size=len(vocabulary),
        n_embd=32,
        n_layer=2,
        n_head=2,
        n_positions=LONGEST,
        initializer_range=SPREAD,
        bos_token_id=0,
        eos_token_id=0,
    )
    return _save(folder / "gpt2", tokenizer, GPT2LMHeadModel, config)


def llama(folder: Path) -> Path:
    """Unigram with bytes for what it does not know; the tokenizer puts `<s>` in front."""
    vocabulary = _unigram(LLAMA_SPECIAL, unknown="<unk>", latin_only=True)
    vocabulary[3:3] = [(f"<0x{byte:02X}>", -20.0) for byte in range(256)]
    backend = Tokenizer(models.Unigram(vocabulary, unk_id=0, byte_fallback=True))
    backend.pre_tokenizer = pre_tokenizers.Metaspace(prepend_scheme="first", split=False)
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", left=1)]
    )
    backend.post_processor = processors.TemplateProcessing(single=["<s>", "$A"], special_tokens=[("<s>", 1)])
    tokenizer = _tokenizer(
        PreTrainedTokenizerFast,
        tokenizer_object=backend,
        unk_token="<unk>",
        bos_token="<s>",
        eos_token="</s>",
    )
    config = LlamaConfig(vocab_size=len(vocabulary), num_key_value_heads=1, bos_token_id=1, eos_token_id=2, **_SHAPE)
    return _save(folder / "llama", tokenizer, LlamaForCausalLM, config)


MASKED: dict[str, Callable[[Path], Path]] = {
    "bert-uncased": bert_uncased,
    "bert-cased": bert_cased,
    "bert-characters": bert_characters,
    "bert-japanese": bert_japanese,
    "roberta": roberta,
    "xlm-roberta": xlm_roberta,
    "albert": albert,
    "distilbert": distilbert,
    "electra-generator": electra_generator,
    "deberta-v2": deberta_v2,
    "roformer": roformer,
    "mobilebert": mobilebert,
    "fnet": fnet,
}

CAUSAL: dict[str, Callable[[Path], Path]] = {"gpt2": gpt2, "llama": llama}

_MASK = AddedToken("<mask>", lstrip=True, special=True)
"""RoBERTa's mask swallows the space on its left."""

_SHAPE: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "max_position_embeddings": LONGEST,
    "initializer_range": SPREAD,
}

_ROBERTA_SHAPE: dict[str, Any] = {
    **_SHAPE,
    "max_position_embeddings": LONGEST + 2,  # the first two positions are the padding's
    "type_vocab_size": 1,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
}


def _bert(folder: Path, vocabulary: dict[str, int], *, lower: bool) -> Path:
    config = BertConfig(vocab_size=len(vocabulary), **_SHAPE)
    return _save(folder, _bert_tokenizer(vocabulary, lower=lower), BertForMaskedLM, config)


def _bert_tokenizer(vocabulary: dict[str, int], *, lower: bool) -> Any:
    return _tokenizer(BertTokenizer, vocab=dict(vocabulary), do_lower_case=lower)


def _tokenizer(kind: Any, **settings: Any) -> Any:
    return kind(model_max_length=LONGEST, **settings)


def _save(folder: Path, tokenizer: Any, architecture: Any, config: Any) -> Path:
    """The folder, with a model of random weights; biases too are random, so that none can be forgotten unseen."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(7)
        model = architecture(config).eval()
        for weight in model.parameters():
            if weight.ndim == 1:
                weight += 0.2 * torch.randn_like(weight)
    tokenizer.save_pretrained(folder)
    model.save_pretrained(folder)
    return folder


def _numbered(vocabulary: list[str]) -> dict[str, int]:
    return {token: number for number, token in enumerate(vocabulary)}


# The trainers of WordPiece and Unigram break ties by chance; that of byte-pair encoding does not. So the pieces of all
# vocabularies are found by byte-pair encoding, and only the model that cuts words into them differs.


@cache
def _wordpiece(*, lower: bool) -> dict[str, int]:
    normalizer = normalizers.BertNormalizer(lowercase=lower)
    words = _words(normalizer, pre_tokenizers.BertPreTokenizer(), SENTENCES)
    starts: set[str] = set()
    later: set[str] = set()
    for piece in _pairs(words, size=430):
        starts |= {piece for word in words if word.startswith(piece)}
        later |= {f"##{piece}" for word in words if piece in word[1:]}
    characters = {character for word in words for character in word}
    letters = {f"##{character}" for character in characters if character.isalpha()}
    return _numbered([*BERT_SPECIAL, *sorted(starts | characters), *sorted(later | letters)])


@cache
def _mecab_vocabulary() -> tuple[str, ...]:
    from transformers.models.bert_japanese.tokenization_bert_japanese import MecabTokenizer

    mecab: Any = MecabTokenizer(mecab_dic="unidic_lite")
    words = Counter(word for sentence in (JAPANESE + "\n" + ENGLISH).splitlines() for word in mecab.tokenize(sentence))
    characters = sorted({character for word in words for character in word})
    often = sorted(word for word, count in words.items() if count > 1 and len(word) > 1)
    return (*BERT_SPECIAL, *characters, *often, *(f"##{character}" for character in characters))


def _byte_pairs(special: tuple[str, ...]) -> tuple[dict[str, int], list[tuple[str, str]]]:
    """The vocabulary and the merges of byte-level BPE, the special tokens first."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=480, special_tokens=list(special), initial_alphabet=alphabet, show_progress=False
    )
    backend.train_from_iterator(SENTENCES, trainer)
    merges = json.loads(backend.to_str())["model"]["merges"]
    return backend.get_vocab(), [(first, second) for first, second in merges]


def _unigram(
    special: tuple[str, ...], *, unknown: str, lower: bool = False, latin_only: bool = False
) -> list[tuple[str, float]]:
    """Pieces with their scores: the logarithm of how often each stands in the sentences."""
    assert unknown in special
    sentences = (ENGLISH + "\n" + SPANISH).splitlines() if latin_only else SENTENCES
    steps = [normalizers.NFKD(), normalizers.StripAccents(), normalizers.Lowercase()] if lower else [normalizers.NFC()]
    splits = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()])
    words = _words(normalizers.Sequence(steps), splits, sentences)
    everything = "\n".join(word for word, count in words.items() for _ in range(count))
    pieces = {*_pairs(words, size=300 if latin_only else 430), *everything.replace("\n", ""), "▁"}
    counts = {piece: everything.count(piece) for piece in pieces}
    total = sum(counts.values())
    ordered = sorted(pieces, key=lambda piece: (-counts[piece], piece))
    scores = torch.tensor([counts[piece] / total for piece in ordered], dtype=torch.float64).log().tolist()
    return [*((token, 0.0) for token in special), *zip(ordered, scores, strict=True)]


def _words(normalizer: Any, pre_tokenizer: Any, sentences: list[str]) -> Counter[str]:
    return Counter(
        word for sentence in sentences for word, _ in pre_tokenizer.pre_tokenize_str(normalizer.normalize_str(sentence))
    )


def _pairs(words: Counter[str], *, size: int) -> list[str]:
    """The pieces that byte-pair encoding makes of these words."""
    backend = Tokenizer(models.BPE())
    backend.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    backend.train_from_iterator(sorted(words.elements()), trainers.BpeTrainer(vocab_size=size, show_progress=False))
    return sorted(backend.get_vocab())
