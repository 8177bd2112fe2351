"""The networks that are trained: small ones made from nothing, or those of a checkpoint."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import BertConfig, GPT2Config, RobertaPreLayerNormConfig

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Store
from tiltmeter.subjects import model_folder
from tiltmeter.subjects.inference.labels import meaning
from tiltmeter.subjects.language_models.checkpoint import (
    checksum,
    chosen_segmenter,
    refuse_code,
    refuse_pickles,
    told_kind,
    told_labels,
    told_language,
)
from tiltmeter.training import ppmi
from tiltmeter.training.tokenizers import train_tokenizer

HEADS: Mapping[str, str] = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "classifier": "AutoModelForSequenceClassification",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Small:
    """A network of random weights: BERT's for classifiers, the same with its norms first for masked models (RoBERTa-
    PreLayerNorm), which learn several times faster so, GPT-2's for causal ones; with a tokenizer trained on the same
    texts."""

    layers: int = 2
    width: int = 128
    heads: int = 2
    vocabulary: int = 4000
    tokenizer: str = "bpe"
    dropout: float = 0.1
    counted: bool = False
    """Whether its words begin as vectors counted on the texts (PPMI-SVD) instead of at random: of a small text it then
    learns in some hundred steps what stands with what, which else takes thousands."""

    segmenter = "none"
    lang = None

    def __post_init__(self) -> None:
        if min(self.layers, self.heads) < 1 or self.width < 8 or self.width % self.heads:
            raise TiltmeterError(
                f"a network has layers and heads, and a width that its heads share alike; {self.layers} layers, "
                f"{self.heads} heads and a width of {self.width} were given"
            )
        if not 0 <= self.dropout < 1:
            raise TiltmeterError(f"dropout is a share from 0 to below 1, and {self.dropout} was given")

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    identity = to_json

    def made(self, head: str, texts: Iterable[str], *, longest: int, seed: int, labels: Sequence[str]) -> "Made":
        texts = list(texts)
        tokenizer = train_tokenizer(
            texts,
            method=self.tokenizer,
            vocabulary=self.vocabulary,
            causal=head == "causal",
            types=head == "classifier",
        )
        tokenizer.model_max_length = longest
        named = _named(labels)
        common: dict[str, Any] = {
            "vocab_size": len(tokenizer),
            "pad_token_id": tokenizer.pad_token_id,
            # The usual 0.02 fits widths of a thousand: with it, a narrow network hardly learns to compare words. With
            # norms first, less is enough.
            "initializer_range": self.width**-0.5 * (0.4 if head == "masked" else 1),
        }
        config: Any
        if head == "causal":
            config = GPT2Config(
                n_positions=longest,
                n_embd=self.width,
                n_layer=self.layers,
                n_head=self.heads,
                bos_token_id=tokenizer.bos_token_id,
                eos_token_id=tokenizer.eos_token_id,
                resid_pdrop=self.dropout,
                embd_pdrop=self.dropout,
                attn_pdrop=self.dropout,
                **common,
            )
        else:
            # Positions of this RoBERTa begin behind that of padding.
            masked = head == "masked"
            config = (RobertaPreLayerNormConfig if masked else BertConfig)(
                hidden_size=self.width,
                num_hidden_layers=self.layers,
                num_attention_heads=self.heads,
                intermediate_size=4 * self.width,
                max_position_embeddings=longest + tokenizer.pad_token_id + 1 if masked else longest,
                hidden_dropout_prob=self.dropout,
                attention_probs_dropout_prob=self.dropout,
                **({"type_vocab_size": 1} if masked else named),
                **common,
            )
        torch.manual_seed(seed)
        model = getattr(transformers, HEADS[head]).from_config(config)
        if self.counted:
            _begin_counted(model, tokenizer, texts, seed)
        return Made(model, tokenizer, tuple(labels))


_EVERYWHERE = 1 / 12


def _begin_counted(model: Any, tokenizer: Any, texts: Sequence[str], seed: int) -> None:
    """Gives each token of the texts a counted vector of length 1.

    Tokens of every twelfth text or more say little of what stands beside them, and are not counted."""
    weights = model.get_input_embeddings().weight
    special = set(tokenizer.all_special_ids)
    lines = [
        [str(token) for token in line if token not in special]
        for line in tokenizer(list(texts), return_attention_mask=False, return_token_type_ids=False)["input_ids"]
    ]
    everywhere = {
        token
        for token, texts_of in Counter(token for line in lines for token in set(line)).items()
        if texts_of > _EVERYWHERE * len(lines)
    }
    lines = [[token for token in line if token not in everywhere] for line in lines]
    counts = Counter(token for line in lines for token in line)
    vocabulary = dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
    if len(vocabulary) <= weights.shape[1]:
        raise TiltmeterError(
            f"the texts have {len(vocabulary)} different tokens, too few for counted vectors of {weights.shape[1]} "
            "dimensions; make the network narrower"
        )
    vectors = torch.from_numpy(ppmi.train(lines, vocabulary, window=10, dimensions=weights.shape[1], seed=seed))
    lengths = vectors.norm(dim=1, keepdim=True)
    with torch.no_grad():
        rows = torch.tensor([int(token) for token in vocabulary])
        weights[rows] = torch.where(lengths > 0, vectors / lengths.clamp(min=1e-6), weights[rows])


@dataclass(frozen=True)
class Pretrained:
    """A model of transformers on disk or of the hub, by name."""

    name: str
    store: Store
    pre_segment: str = "auto"

    @cached_property
    def folder(self) -> Path:
        return model_folder(self.name)

    @cached_property
    def content(self) -> str:
        return checksum(self.folder, self.store)

    @property
    def segmenter(self) -> str:
        return chosen_segmenter(self.folder, self.pre_segment)

    @property
    def lang(self) -> str | None:
        return told_language(self.folder)

    def to_json(self) -> dict[str, Any]:
        # A folder is named without its path, which would tell of the machine.
        name = self.folder.resolve().name if Path(self.name).expanduser().exists() else self.name
        return {"name": name, **self.identity()}

    def identity(self) -> dict[str, Any]:
        """What decides its weights: its content, whatever it is called."""
        return {"sha256": self.content, "pre_segment": self.segmenter}

    def made(self, head: str, texts: Iterable[str], *, longest: int, seed: int, labels: Sequence[str]) -> "Made":  # noqa: ARG002
        """With a head of its own if it has one for these labels, else with a new one of random weights."""
        refuse_code(self.folder, allowed=False)
        refuse_pickles(self.folder, allowed=False)
        if head != "classifier" and (kind := told_kind(self.folder)) != head:
            raise TiltmeterError(f"{self.folder.name} is a model of kind {kind}, which cannot be trained as {head}")
        named = labels_in_order(told_labels(self.folder), labels) if head == "classifier" else ()
        new = head == "classifier" and not named
        torch.manual_seed(seed)
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
            model, info = getattr(transformers, HEADS[head]).from_pretrained(
                self.folder,
                dtype=torch.float32,
                use_safetensors=True,
                local_files_only=True,
                output_loading_info=True,
                ignore_mismatched_sizes=new,
                **(_named(labels) if new else {"problem_type": _ONE_LABEL} if named else {}),
            )
        except Exception as error:
            reason = next(iter(str(error).strip().splitlines()), type(error).__name__)
            raise TiltmeterError(f"the model in {self.folder.name} cannot be trained as {head}: {reason}") from error
        if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):
            raise TiltmeterError(f"{self.folder.name} holds no vocabulary: the files of its tokenizer are missing")
        absent = [*info["missing_keys"], *(key for key, *_ in info["mismatched_keys"])]
        wrong = [key for key in absent if not new or _BODY.search(key)]
        wrong += [key for key in info["unexpected_keys"] if _LAYER.search(key)]
        if wrong := sorted(wrong):
            raise TiltmeterError(
                f"the weights of {self.folder.name} are not those of its config.json: {len(wrong)} of them are "
                f"missing, left over or of another size ({wrong[0]}, ...)"
            )
        if len(tokenizer) > len(model.get_input_embeddings().weight):
            raise TiltmeterError(
                f"the tokenizer of {self.folder.name} has {len(tokenizer):,} tokens, and the model has weights for "
                f"{len(model.get_input_embeddings().weight):,}: they do not belong together"
            )
        if new:
            _renewed(model, seed)
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        if tokenizer.pad_token is None:
            raise TiltmeterError(f"the tokenizer of {self.folder.name} has no token to fill up batches with")
        model.config.pad_token_id = tokenizer.pad_token_id
        return Made(model, tokenizer, named or tuple(labels), self.segmenter)


Network = Small | Pretrained

_LAYER = re.compile(r"\.(layer|layers|h|block|blocks|albert_layer_groups)\.\d+\.")
_BODY = re.compile(rf"{_LAYER.pattern}|embeddings?\.|\b(wte|wpe|embed_tokens|embed_positions|shared)\.")
_ONE_LABEL = "single_label_classification"


@dataclass(frozen=True, slots=True)
class Made:
    """A network that is ready to be trained."""

    model: Any
    tokenizer: Any
    labels: tuple[str, ...]
    """Of a classifier, in the order of their numbers."""
    pre_segment: str = "none"
    """What cuts a text into words before the tokenizer sees it."""


def _renewed(model: Any, seed: int) -> None:
    """Gives a classifier a head of random weights: one for other labels would be no beginning."""
    torch.manual_seed(seed)
    for name, part in model.named_children():
        if name in ("classifier", "score", "classification_head"):
            for layer in part.modules():
                if isinstance(layer, torch.nn.Linear):
                    torch.nn.init.normal_(layer.weight, std=0.02)
                    if layer.bias is not None:
                        torch.nn.init.zeros_(layer.bias)


def labels_in_order(found: Sequence[str], labels: Sequence[str]) -> tuple[str, ...]:
    """The labels in the order that a model has them in, by name; nothing where it has others."""
    if sorted(found) == sorted(labels):
        return tuple(found)
    known = {_plain(label): label for label in labels}
    same = len(known) == len(labels) and sorted(known) == sorted(map(_plain, found))
    return tuple(known[_plain(name)] for name in found) if same else ()


def _plain(label: str) -> str:
    """`ENTAILMENT` and 含意 are one label."""
    return meaning(label) or label


def _named(labels: Sequence[str]) -> dict[str, Any]:
    if not labels:
        return {}
    return {
        "problem_type": _ONE_LABEL,
        "id2label": dict(enumerate(labels)),
        "label2id": {label: number for number, label in enumerate(labels)},
    }
