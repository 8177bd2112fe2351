"""Training by the Trainer of transformers, which goes on after a kill and ends with the same weights."""

import errno
import json
import logging
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from transformers import PrinterCallback, Trainer, TrainerCallback, TrainingArguments

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import write_atomically, writing
from tiltmeter.store.files import sha256_of
from tiltmeter.subjects.language_models.network import quiet
from tiltmeter.training.batches import Batches, Tensors
from tiltmeter.training.settings import Running, Settings

_log = logging.getLogger(__name__)

_WHOLE = "whole.json"
"""In a checkpoint that is complete: whose it is, and the checksums of its files."""


def fit(model: Any, batches: Batches, settings: Settings, running: Running, work: Path, request: str) -> None:
    """Trains the model in place.

    Checkpoints go into `work`, every one marked when it is whole; a later call with the same request goes on from the
    last of these. What is drawn at random follows from the seed and the number of the step, or stands in the
    checkpoint, so that on the same machine the weights at the end are the same.
    """
    with writing(work), naming_full_disks(), quiet():
        work.mkdir(parents=True, exist_ok=True)
        begun = _last_whole(work, request)
        arguments = TrainingArguments(
            output_dir=str(work),
            num_train_epochs=1,  # the batches of all epochs stand in one row
            learning_rate=settings.learning_rate,
            warmup_steps=round(settings.warmup * len(batches)),
            seed=settings.seed,
            save_strategy="no",  # by the clock instead
            save_total_limit=2,
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=running.device == "cpu",
            dataloader_pin_memory=False,
            remove_unused_columns=False,
        )
        arguments._n_gpu = min(arguments.n_gpu, 1)  # several would each take a batch of the row
        trainer = _InARow(
            model=model,
            args=arguments,
            train_dataset=batches,
            callbacks=[_Saving(request, running.save_every), _Telling(len(batches))],
        )
        trainer.remove_callback(PrinterCallback)
        if begun is not None:
            _log.info("  going on from step %d", _step(begun))
        trainer.train(resume_from_checkpoint=None if begun is None else str(begun))
    if not all(bool(weights.isfinite().all()) for weights in model.parameters()):
        raise TiltmeterError(
            f"the training went astray: weights are no longer finite; lower the learning rate, which is "
            f"{settings.learning_rate:g}"
        )


class _InARow(Trainer):
    """Takes the batches as they stand."""

    def get_train_dataloader(self) -> Any:
        # Its own would ask whether the data is one of the package `datasets`, for which it takes any folder of that
        # name that Python can see.
        data: Any = self.train_dataset
        loader = torch.utils.data.DataLoader(data, batch_size=1, collate_fn=_only)
        return self.accelerator.prepare(loader)

    def compute_loss(self, model: Any, inputs: Tensors, *arguments: Any, **named: Any) -> Any:
        """The model's own loss; of a masked model computed at the masked places alone, which gives the same."""
        if not type(model).__name__.endswith("ForMaskedLM"):
            return super().compute_loss(model, inputs, *arguments, **named)
        asked = inputs["labels"] >= 0
        head = model.get_output_embeddings()
        hook = head.register_forward_pre_hook(lambda _, given: (given[0][asked], *given[1:]))
        try:
            logits = model(**{name: tensor for name, tensor in inputs.items() if name != "labels"}).logits
        finally:
            hook.remove()
        # A model that does not ask this layer has all of them.
        logits = logits if logits.dim() == 2 else logits[asked]
        return torch.nn.functional.cross_entropy(logits.float(), inputs["labels"][asked])


def _only(rows: list[Tensors]) -> Tensors:
    """A row of the data is a whole batch already."""
    (batch,) = rows
    return batch


class _Saving(TrainerCallback):
    """Asks for a checkpoint now and then, and marks it when it is whole."""

    def __init__(self, request: str, every: float) -> None:
        self._request = request
        self._every = every
        self._saved = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        due = time.monotonic() - self._saved >= self._every
        control.should_save = due and state.global_step < state.max_steps

    def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
        checksums = {path.name: sha256_of(path) for path in sorted(folder.iterdir())}
        write_atomically(folder / _WHOLE, json.dumps({"request": self._request, "files": checksums}).encode())
        self._saved = time.monotonic()


class _Telling(TrainerCallback):
    """Says how far it is."""

    def __init__(self, steps: int) -> None:
        self._steps = steps

    def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        self._started, self._from = time.monotonic(), state.global_step

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:  # noqa: ARG002
        done = state.global_step - self._from
        minutes = (time.monotonic() - self._started) / done * (self._steps - state.global_step) / 60
        _log.info(
            "  step %s of %s, %s left",
            f"{state.global_step:,}",
            f"{self._steps:,}",
            f"about {minutes:.0f} min" if minutes >= 1 else "less than 1 min",
            extra={"progress": state.global_step / self._steps},
        )


def _last_whole(work: Path, request: str) -> Path | None:
    """The last checkpoint that is complete; what was being written when the training was killed is removed."""
    for folder in sorted(work.glob("checkpoint-*"), key=_step, reverse=True):
        try:
            mark = json.loads((folder / _WHOLE).read_bytes())
            whole = all(sha256_of(folder / name) == checksum for name, checksum in mark["files"].items())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            whole = False
        if whole and mark["request"] != request:
            raise TiltmeterError(f"{folder} is a checkpoint of another training; remove {work}")
        if whole:
            return folder
        shutil.rmtree(folder)
    return None


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


@contextmanager
def naming_full_disks() -> Iterator[None]:
    """safetensors, tokenizers and torch have words of their own for a disk that is full."""
    try:
        yield
    except (TiltmeterError, OSError):
        raise
    except torch.OutOfMemoryError as error:
        raise TiltmeterError("the memory of the GPU ran out; make --batch or --max-length smaller") from error
    except Exception as error:
        if any(words in str(error) for words in ("No space left", "PytorchStreamWriter", "unexpected pos")):
            raise OSError(errno.ENOSPC, "no space left on device") from error
        raise
