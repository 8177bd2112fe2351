"""Training itself: batches, steps, kills, bad input."""

import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from transformers import AutoModelForSequenceClassification

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Store
from tiltmeter.training import read_card
from tiltmeter.training.batches import Batches, Encoded, Special, classes, masked_tokens, next_tokens, plan
from tiltmeter.training.classifiers import Classifying, train_nli
from tiltmeter.training.fitting import fit
from tiltmeter.training.many import train_many
from tiltmeter.training.models import special_tokens
from tiltmeter.training.settings import Running, Settings
from training.made import CPU, QUICK, TINY, pairs

SPECIAL = Special(padding=0, mask=4, vocabulary=50, kept=frozenset(range(5)))


def weights(folder: Path) -> str:
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


class TestBatches:
    def test_meet_every_sequence_once_an_epoch(self) -> None:
        lengths = np.random.default_rng(0).integers(5, 60, 1003).tolist()
        found = plan(lengths, batch=16, epochs=3, seed=1)
        assert len(found) == 3 * 63
        for epoch in range(3):
            met = np.concatenate(found[epoch * 63 : (epoch + 1) * 63])
            assert sorted(met.tolist()) == list(range(1003))
        assert max(map(len, found)) == 16

    def test_pad_far_less_than_chance_would(self) -> None:
        lengths = np.random.default_rng(0).integers(5, 60, 2000)
        grouped = plan(lengths.tolist(), batch=16, epochs=1, seed=0)
        shuffled = np.array_split(np.random.default_rng(0).permutation(2000), 125)
        computed = [sum(len(some) * lengths[some].max() for some in found) for found in (grouped, shuffled)]
        assert computed[0] < 1.1 * lengths.sum() < 0.7 * computed[1]

    def test_follow_from_seed_and_step_alone(self) -> None:
        sequences = [Encoded(tuple(range(5, 5 + size))) for size in (5, 9, 7, 12, 30, 8)]
        settings = Settings(epochs=2, batch=2, seed=3)
        one, other = (Batches(sequences, settings, SPECIAL, masked_tokens(SPECIAL)) for _ in range(2))
        for step in reversed(range(len(one))):
            assert all(torch.equal(tensor, other[step][name]) for name, tensor in one[step].items())
        assert not torch.equal(one[0]["labels"], one[1]["labels"])

    def test_are_padded_behind_and_masked_there(self) -> None:
        rows = [Encoded((7, 8, 9), (0, 0, 1), 2), Encoded((6,), (0,), 1)]
        batch = Batches(rows, Settings(epochs=1, batch=2), SPECIAL, classes)[0]
        assert batch["input_ids"].tolist() == [[7, 8, 9], [6, 0, 0]]
        assert batch["attention_mask"].tolist() == [[1, 1, 1], [1, 0, 0]]
        assert batch["token_type_ids"].tolist() == [[0, 0, 1], [0, 0, 0]]
        assert batch["labels"].tolist() == [2, 1]

    def test_mask_as_bert_does(self) -> None:
        rows = [Encoded((2, *range(5, 45), 3)) for _ in range(400)]
        batch = Batches(rows, Settings(epochs=1, batch=400), SPECIAL, masked_tokens(SPECIAL))[0]
        labels, shown = batch["labels"].numpy(), batch["input_ids"].numpy()
        told = labels >= 0
        original = np.array([row.ids for row in rows])
        assert not told[:, [0, -1]].any()
        assert (labels[told] == original[told]).all()
        assert (shown[~told] == original[~told]).all()
        assert told[:, 1:-1].mean() == pytest.approx(0.15, abs=0.01)
        assert (shown[told] == SPECIAL.mask).mean() == pytest.approx(0.8, abs=0.03)
        assert (shown[told] == original[told]).mean() == pytest.approx(0.1, abs=0.03)

    def test_of_a_causal_model_leave_padding_out(self) -> None:
        batch = Batches([Encoded((7, 8)), Encoded((6, 7, 9))], Settings(epochs=1, batch=2), SPECIAL, next_tokens)[0]
        assert sorted(batch["labels"].tolist()) == [[6, 7, 9], [7, 8, -100]]


class TestTraining:
    def test_gives_the_weights_of_a_plain_loop(self, tmp_path: Path) -> None:
        """AdamW with a learning rate that falls to 0 in a straight line and gradients cut to 1, written out."""
        task = Classifying("nli", tuple(pairs()), ("entailment", "contradiction", "neutral"), ())
        made = TINY.made("classifier", task.texts(), longest=32, seed=0, labels=task.labels)
        again = TINY.made("classifier", task.texts(), longest=32, seed=0, labels=task.labels)
        for model in (made.model, again.model):
            for part in model.modules():
                if isinstance(part, torch.nn.Dropout):
                    part.p = 0.0
        special = special_tokens(made)
        batches = Batches(task.encoded(made, 32)[0], QUICK, special, task.labelling(special, QUICK))
        fit(made.model, batches, QUICK, CPU, tmp_path / "work", "request")

        again.model.train()
        optimizer = torch.optim.AdamW(again.model.parameters(), lr=QUICK.learning_rate, weight_decay=0.0)
        for step in range(len(batches)):
            optimizer.param_groups[0]["lr"] = QUICK.learning_rate * (1 - step / len(batches))
            again.model(**batches[step]).loss.backward()
            torch.nn.utils.clip_grad_norm_(again.model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
        plain = dict(again.model.named_parameters())
        for name, found in made.model.named_parameters():
            # Attention does not depend on the bias of its keys: AdamW makes steps of what rounding leaves of 0.
            assert name.endswith("key.bias") or torch.allclose(found, plain[name], atol=1e-5), name

    def test_the_same_seed_gives_the_same_bytes(self, tmp_path: Path, store: Store) -> None:
        found = [
            weights(
                train_nli(
                    TINY,
                    pairs(),
                    tmp_path / name,
                    settings=Settings(**{**QUICK.to_json(), "seed": seed}),
                    running=CPU,
                    store=store,
                )
            )
            for name, seed in (("a", 0), ("b", 0), ("c", 1))
        ]
        assert found[0] == found[1] != found[2]

    def test_weights_that_go_astray_are_refused(self, tmp_path: Path, store: Store) -> None:
        task = Classifying("nli", tuple(pairs()), ("entailment", "contradiction", "neutral"), ())
        made = TINY.made("classifier", task.texts(), longest=32, seed=0, labels=task.labels)
        with torch.no_grad():
            made.model.classifier.weight.fill_(float("nan"))
        special = special_tokens(made)
        batches = Batches(task.encoded(made, 32)[0], QUICK, special, task.labelling(special, QUICK))
        with pytest.raises(TiltmeterError, match=r"the training went astray.*lower the learning rate"):
            fit(made.model, batches, QUICK, CPU, tmp_path / "work", "request")


class TestAKill:
    @pytest.fixture
    def run(self, tmp_path: Path) -> "Any":
        def begun(out: str) -> "subprocess.Popen[str]":
            script = Path(__file__).parent / "trainer.py"
            path = {"PYTHONPATH": str(Path(__file__).parents[1]), "OMP_NUM_THREADS": "1"}
            return subprocess.Popen(
                [sys.executable, script, tmp_path / out, tmp_path / f"cache-{out}"],
                env={**os.environ, **path},
                stderr=subprocess.PIPE,
                text=True,
            )

        return begun

    def test_at_random_moments_does_not_change_the_weights(self, run: Any, tmp_path: Path) -> None:
        with run("whole") as whole:
            said = whole.communicate()[1]
            assert whole.returncode == 0, said
        chance = random.Random(os.getpid())
        work = tmp_path / "cache-killed" / "parts"
        resumed = 0
        for _ in range(4):
            before = set(work.glob("*/checkpoint-*"))
            with run("killed") as process:
                began = time.monotonic()
                while process.poll() is None and set(work.glob("*/checkpoint-*")) <= before:
                    assert time.monotonic() < began + 100
                    time.sleep(0.01)
                time.sleep(chance.uniform(0, 0.2))
                process.send_signal(signal.SIGKILL)
                resumed += "going on from step" in process.communicate()[1]
        with run("killed") as last:
            said = last.communicate()[1]
            assert last.returncode == 0, said
        resumed += "going on from step" in said
        assert resumed
        assert weights(tmp_path / "killed") == weights(tmp_path / "whole")
        assert not list(work.glob("fit-*"))


class TestWhatIsWrong:
    def test_a_checkpoint_of_another_training(self, tmp_path: Path) -> None:
        task = Classifying("nli", tuple(pairs()), ("entailment", "contradiction", "neutral"), ())
        made = TINY.made("classifier", task.texts(), longest=32, seed=0, labels=task.labels)
        checkpoint = tmp_path / "work" / "checkpoint-3"
        checkpoint.mkdir(parents=True)
        (checkpoint / "whole.json").write_text(json.dumps({"request": "other", "files": {}}))
        special = special_tokens(made)
        batches = Batches(task.encoded(made, 32)[0], QUICK, special, task.labelling(special, QUICK))
        with pytest.raises(TiltmeterError, match=r"checkpoint-3 is a checkpoint of another training; remove"):
            fit(made.model, batches, QUICK, CPU, tmp_path / "work", "request")

    def test_a_torn_checkpoint_is_passed_over(self, tmp_path: Path) -> None:
        task = Classifying("nli", tuple(pairs()), ("entailment", "contradiction", "neutral"), ())
        made = TINY.made("classifier", task.texts(), longest=32, seed=0, labels=task.labels)
        for number, mark in ((5, None), (4, {"request": "request", "files": {"model.safetensors": "0" * 64}})):
            checkpoint = tmp_path / "work" / f"checkpoint-{number}"
            checkpoint.mkdir(parents=True)
            (checkpoint / "model.safetensors").write_bytes(b"torn")
            if mark:
                (checkpoint / "whole.json").write_text(json.dumps(mark))
        special = special_tokens(made)
        batches = Batches(task.encoded(made, 32)[0], QUICK, special, task.labelling(special, QUICK))
        fit(made.model, batches, QUICK, CPU, tmp_path / "work", "request")
        assert not list((tmp_path / "work").glob("checkpoint-[45]"))

    @pytest.fixture
    def disk(self, tmp_path: Path) -> Iterator[Path]:
        folder = tmp_path / "disk"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder], check=True)
        yield folder
        subprocess.run(["umount", folder], check=True)

    @pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small disk")
    @pytest.mark.parametrize("full", ["cache", "out"])
    def test_a_disk_that_is_full(self, disk: Path, tmp_path: Path, full: str) -> None:
        out, cache = (disk / "out", tmp_path / "cache") if full == "out" else (tmp_path / "out", disk)
        # The network is larger than the disk.
        with pytest.raises(TiltmeterError, match="the disk is full"):
            train_nli(
                TINY,
                pairs(),
                out,
                settings=QUICK,
                running=Running(device="cpu", save_every=0.0),
                store=Store(cache),
            )
        assert not out.exists()

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"epochs": 0}, "epochs has to be at least 1"),
            ({"batch": 0}, "batch has to be at least 1"),
            ({"max_length": 4}, "max_length has to be at least 8"),
            ({"learning_rate": 0.0}, "learning_rate has to lie between"),
            ({"warmup": 1.0}, "warmup is a share"),
            ({"seed": -1}, "seed has to be from 0"),
        ],
    )
    def test_settings(self, options: dict[str, Any], said: str) -> None:
        with pytest.raises(TiltmeterError, match=said):
            Settings(**options)

    def test_a_device(self) -> None:
        with pytest.raises(TiltmeterError, match="--device of a training is auto or cpu"):
            Running(device="cuda:7")


def test_many_trainings_come_back_in_their_order(tmp_path: Path, store: Store) -> None:
    from functools import partial

    fits = [
        partial(
            train_nli,
            TINY,
            pairs(),
            tmp_path / str(seed),
            settings=Settings(**{**QUICK.to_json(), "epochs": 1, "seed": seed}),
            running=CPU,
            store=store,
        )
        for seed in (4, 2)
    ]
    assert [read_card(folder)["seed"] for folder in train_many(fits)] == [4, 2]
    assert Counter(path.name for path in tmp_path.iterdir())["4"] == 1


def test_the_folder_is_loaded_as_users_do(tmp_path: Path, store: Store) -> None:
    folder = train_nli(TINY, pairs(), tmp_path / "m", settings=QUICK, running=CPU, store=store)
    model: Any = AutoModelForSequenceClassification.from_pretrained(folder)
    assert sorted(model.config.id2label.values()) == ["contradiction", "entailment", "neutral"]
