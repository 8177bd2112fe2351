"""An epoch of inference on real pairs, as published for NLI: batches of 32, at most 128 tokens, 6 layers of 384."""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    PrinterCallback,
    Trainer,
    TrainingArguments,
)

from bench.nli import FOLDER, SIZES, SNLI, make_classifier
from bench.row import Row, seconds
from tiltmeter.datasets.labelled import Labelled
from tiltmeter.datasets.nli_corpora import read_nli
from tiltmeter.store import Store
from tiltmeter.subjects.inference import LABELS, Pair
from tiltmeter.subjects.packages import fetch
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.settings import Running, Settings

PAIRS = 1600
ROUNDS = 2
WAYS = {
    "transformers' Trainer on pairs padded to 128 tokens, as its example scripts have it": "max_length",
    "transformers' Trainer on shuffled batches, each padded to its longest pair": False,
}


def rows() -> Iterator[Row]:
    pairs = read_nli(fetch(SNLI, Store(FOLDER / "cache")) / "test.jsonl").pairs[:PAIRS]
    base = FOLDER / "training-6-layers-of-384"
    if not (base / "ready").exists():
        make_classifier(base, [Pair(pair.text, pair.second) for pair in pairs], *SIZES["6 layers of 384"])
    for what, padding in WAYS.items():
        times = [
            (
                seconds(lambda: _ours(base, pairs), repeat=1),
                seconds(lambda how=padding: _theirs(base, pairs, how), repeat=1),  # type: ignore[misc]
            )
            for _ in range(ROUNDS)
        ]
        ours, other = (min(column) for column in zip(*times, strict=True))
        yield Row(f"an epoch of {PAIRS:,} pairs of SNLI, 6 layers of 384, to the folder; {what}", ours, other)


def _ours(base: Path, pairs: Sequence[Labelled]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        train_nli(
            str(base),
            pairs,
            Path(folder) / "model",
            settings=Settings(epochs=1),
            running=Running(device="cpu"),
            store=Store(Path(folder) / "cache"),
        )


def _theirs(base: Path, pairs: Sequence[Labelled], padding: Any) -> None:
    tokenizer: Any = AutoTokenizer.from_pretrained(base)
    model = AutoModelForSequenceClassification.from_pretrained(base)
    texts = [pair.text for pair in pairs], [pair.second for pair in pairs]
    encoded = tokenizer(*texts, truncation=True, max_length=128, padding=padding)
    data = [
        {name: column[row] for name, column in encoded.items()} | {"labels": LABELS.index(pair.label)}
        for row, pair in enumerate(pairs)
    ]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            num_train_epochs=1,
            learning_rate=2e-5,
            per_device_train_batch_size=32,
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            dataloader_pin_memory=False,
        )
        told: Any = data
        trainer = Trainer(
            model=model, args=arguments, train_dataset=told, data_collator=DataCollatorWithPadding(tokenizer)
        )
        trainer.remove_callback(PrinterCallback)
        trainer.train()
        trainer.save_model(folder)
