"""A loaded model: batches of token ids in, numbers at the asked positions out."""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import torch
import transformers
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.language_models.asking import Values
from tiltmeter.subjects.language_models.checkpoint import KINDS, Checkpoint, refuse_code, refuse_pickles

log = logging.getLogger(__name__)

Asked = tuple[tuple[int, int], ...]
"""Positions in a sequence, each with the token that is asked for there."""


@dataclass(frozen=True, slots=True)
class Line:
    """Token ids, and what is asked about them: several questions may share a sequence."""

    ids: tuple[int, ...]
    questions: tuple[Asked, ...]
    types: tuple[int, ...] = ()
    """To which of two texts each token belongs, for models that are told."""


@lru_cache(maxsize=1)
def load(checkpoint: Checkpoint) -> "Network":
    """Loads a model, and tries out on it what makes asking fast."""
    return Network(checkpoint, *_load(checkpoint))


class Network:
    """A model on its device.

    `projects` says whether the vocabulary projection can be had at the asked positions alone, `narrows` whether that
    goes for the last feed-forward layer too, `pads` whether sequences of different lengths can go together: each is
    tried when the model is loaded and not done where the numbers would differ from those of a plain pass.
    """

    def __init__(self, checkpoint: Checkpoint, model: Any, tokenizer: Any) -> None:
        self.checkpoint = checkpoint
        self.model = model
        self.tokenizer = tokenizer
        self.device = next(model.parameters()).device
        self.limit = longest_sequence(model, tokenizer)
        head = model.get_output_embeddings()
        self.vocabulary = int(len(model.get_input_embeddings().weight) if head is None else len(head.weight))
        self.projects = self.pads = True
        self.narrows = False
        self._fits: int | None = None
        """Tokens that fit into memory together, once too many did not."""
        try:
            self._try_out()
        except (RuntimeError, IndexError, AttributeError, TypeError, ValueError) as error:
            raise TiltmeterError(
                f"{checkpoint.folder.name} cannot be asked as a {checkpoint.kind} model in {checkpoint.dtype}: "
                f"{_first_line(error)}"
            ) from error

    def log_probabilities(self, lines: Sequence[Line]) -> list[Values]:
        """The natural log of the softmax over the whole vocabulary, one array a question, in their order."""
        return self._within_memory(self._log_probabilities, lines)

    def attentions(self, lines: Sequence[Line]) -> list[Values]:
        """The weight on each asked position, as the mean over layers, heads and positions that attend."""
        with self._eager():
            return self._within_memory(self._attentions, lines)

    def replaced(self, lines: Sequence[Line]) -> list[Values]:
        """A discriminator's logit at each asked position: above 0 it takes the token for a replaced one."""
        return self._within_memory(self._replaced, lines)

    def classified(self, lines: Sequence[Line]) -> list[Values]:
        """The natural log of a classifier's softmax over its labels, by their numbers; one array a line."""
        return self._within_memory(self._classified, lines)

    def _log_probabilities(self, lines: Sequence[Line]) -> list[Values]:
        # A position asked by several questions is projected once.
        rows: list[int] = []
        columns: list[int] = []
        entries: list[tuple[int, int]] = []
        for row, line in enumerate(lines):
            places: dict[int, int] = {}
            for position, token in (pair for asked in line.questions for pair in asked):
                if position not in places:
                    places[position] = len(rows)
                    rows.append(row)
                    columns.append(position)
                entries.append((places[position], token))
        logits = self._logits([line.ids for line in lines], rows, columns)
        where = torch.tensor([place for place, _ in entries], device=self.device)
        tokens = torch.tensor([token for _, token in entries], device=self.device)
        totals = torch.logsumexp(logits, dim=-1)
        return _by_question((logits[where, tokens] - totals[where]).cpu().numpy(), lines)

    def _attentions(self, lines: Sequence[Line]) -> list[Values]:
        ids, mask = self._padded([line.ids for line in lines])
        given = self.model(input_ids=ids, attention_mask=mask, output_attentions=True).attentions
        if not given or given[0] is None:
            raise TiltmeterError(f"{self.checkpoint.folder.name} gives no attention weights")
        weights = sum(layer.float().mean(dim=1) for layer in given) / len(given)
        attending = mask.unsqueeze(-1).to(weights.dtype)
        received = (weights * attending).sum(dim=1) / attending.sum(dim=1)
        return _by_question(_at(received, lines), lines)

    def _replaced(self, lines: Sequence[Line]) -> list[Values]:
        ids, mask = self._padded([line.ids for line in lines])
        return _by_question(_at(self.model(input_ids=ids, attention_mask=mask).logits.float(), lines), lines)

    def _classified(self, lines: Sequence[Line]) -> list[Values]:
        ids, mask = self._padded([line.ids for line in lines])
        types = {"token_type_ids": self._padded_types(lines, ids.shape[1])} if lines[0].types else {}
        with self._narrowing(lambda hidden: hidden[:, :1]) if self.narrows else nullcontext():
            logits = self.model(input_ids=ids, attention_mask=mask, **types).logits.float()
        found: NDArray[np.float32] = torch.log_softmax(logits, dim=-1).cpu().numpy()
        return list(found.astype(np.float64))

    def _padded_types(self, lines: Sequence[Line], width: int) -> torch.Tensor:
        padding = self.tokenizer.pad_token_type_id
        types = [[*line.types, *[padding] * (width - len(line.types))] for line in lines]
        return torch.tensor(types).to(self.device)

    def _logits(self, sequences: Sequence[tuple[int, ...]], rows: list[int], columns: list[int]) -> torch.Tensor:
        """The logits at these positions, one row each."""
        ids, mask = self._padded(sequences)
        where = torch.tensor(rows, device=self.device), torch.tensor(columns, device=self.device)
        with self._projecting(*where) if self.projects else nullcontext():
            logits: torch.Tensor = self.model(input_ids=ids, attention_mask=mask, **self._without_cache).logits
        if logits.dim() == 3:  # asked of a head that does not go through its output embeddings too
            self.projects = False
            logits = logits[where]
        return logits.float()

    @contextmanager
    def _projecting(self, rows: torch.Tensor, columns: torch.Tensor) -> Iterator[None]:
        """Lets the layer that maps to the vocabulary, and the last feed-forward layer, see the asked positions only."""

        with self._narrowing(lambda hidden: hidden[rows, columns], self.model.get_output_embeddings()):
            yield

    @contextmanager
    def _narrowing(self, part: Callable[[torch.Tensor], torch.Tensor], *layers: Any) -> Iterator[None]:
        """Lets these layers, and the last feed-forward layer where the model bears it, see a part of what they are
        given."""

        def choose(_: Any, inputs: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
            return tuple(part(one) if one.dim() == 3 else one for one in inputs)

        narrowed = [*layers, *(_last_feed_forward(self.model) if self.narrows else ())]
        hooks = [layer.register_forward_pre_hook(choose) for layer in narrowed]
        try:
            yield
        finally:
            for hook in hooks:
                hook.remove()

    @property
    def _without_cache(self) -> dict[str, bool]:
        return {"use_cache": False} if self.checkpoint.kind == "causal" else {}

    def _padded(self, sequences: Sequence[tuple[int, ...]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Padding stands behind and is masked out of attention."""
        width = max(map(len, sequences))
        padding = self.tokenizer.pad_token_id or 0
        ids = torch.tensor([[*ids, *[padding] * (width - len(ids))] for ids in sequences])
        mask = torch.tensor([[1] * len(ids) + [0] * (width - len(ids)) for ids in sequences])
        return ids.to(self.device), mask.to(self.device)

    def _within_memory(self, ask: Callable[[Sequence[Line]], list[Values]], lines: Sequence[Line]) -> list[Values]:
        """Asks in parts that fit: half as much where memory runs out, from then on."""
        found: list[Values] = []
        rest = list(lines)
        while rest:
            width = max(len(line.ids) for line in rest)
            count = len(rest) if self._fits is None else max(1, self._fits // width)
            part = rest[:count]
            try:
                with torch.inference_mode():
                    found += ask(part)
            except (RuntimeError, MemoryError) as error:
                if not _out_of_memory(error):
                    raise
                if len(part) == 1:
                    raise TiltmeterError(
                        f"memory ran out on a single sentence of {width} tokens; use a smaller model, --dtype bfloat16 "
                        "or another --device"
                    ) from error
                self._fits = len(part) * width // 2
                log.info("memory ran out: going on with at most %d tokens at once", self._fits)
                if self.device.type == "cuda":
                    torch.cuda.empty_cache()
                continue
            rest = rest[count:]
        return found

    @contextmanager
    def _eager(self) -> Iterator[None]:
        """Only the plain implementation of attention shows its weights."""
        before = self.model.config._attn_implementation
        self.model.set_attn_implementation("eager")
        try:
            yield
        finally:
            self.model.set_attn_implementation(before)

    def _try_out(self) -> None:
        """Compares one padded batch with plain passes, one sequence at a time."""
        some = [number % self.vocabulary for number in range(11, 5000, 97)]
        sequences = [tuple(some[:5]), tuple(some[5:18])]
        if self.checkpoint.kind == "discriminator":
            self.replaced([Line(ids, (((0, 0),),)) for ids in sequences])
            return
        if self.checkpoint.kind == "nli":
            self._try_pairs()
            return
        rows, columns = [0, 0, 1, 1], [1, 4, 0, 12]
        with torch.inference_mode():
            self.projects = False
            alone = torch.cat(
                [self._logits([ids], [0, 0], columns[2 * row : 2 * row + 2]) for row, ids in enumerate(sequences)]
            )
            if not bool(alone.isfinite().all()):
                raise TiltmeterError(f"the weights of {self.checkpoint.folder.name} give numbers that are not finite")
            if self.checkpoint.kind == "causal":
                # What comes later may not change what is said of what came before.
                other = self._logits([(*sequences[1][:-1], some[20])], [0], [0])
                if not self._agree(alone[2:3], other):
                    raise TiltmeterError(
                        f"{self.checkpoint.folder.name} is no causal model: it sees what stands behind what it is asked"
                    )
            self.pads = self._agree(alone, self._logits(sequences, rows, columns))
            same = sequences if self.pads else [sequences[1], sequences[1]]
            full = self._logits(same, rows, columns)
            self.projects = True
            try:
                self.projects = self._agree(full, self._logits(same, rows, columns)) and self.projects
            except (RuntimeError, IndexError, AttributeError):
                self.projects = False
            self.narrows = self.projects and self.checkpoint.kind == "masked" and bool(_last_feed_forward(self.model))
            try:
                self.narrows = self.narrows and self._agree(full, self._logits(same, rows, columns))
            except (RuntimeError, IndexError, AttributeError, ValueError):
                self.narrows = False
        for good, slow in ((self.pads, "padding changes its answers"), (self.projects, "its head takes no part of it")):
            if not good:
                log.info("%s is asked the slow way: %s", self.checkpoint.folder.name, slow)

    def _try_pairs(self) -> None:
        """The same for a classifier, on pairs that its own tokenizer made: some models look for the token that ends
        a text."""
        encoded = [self.tokenizer(*texts) for texts in (("a", "b a"), ("a b b a b a", "b b a b b"))]
        lines = [Line(tuple(one["input_ids"]), (), tuple(one.get("token_type_ids", ()))) for one in encoded]
        alone = torch.tensor(np.array([self.classified([line])[0] for line in lines]))
        if not bool(alone.isfinite().all()):
            raise TiltmeterError(f"the weights of {self.checkpoint.folder.name} give numbers that are not finite")
        try:
            self.pads = self._agree(alone, torch.tensor(np.array(self.classified(lines))))
        except (RuntimeError, ValueError):
            self.pads = False
        self.narrows = bool(_last_feed_forward(self.model))
        try:
            narrow = torch.tensor(np.array([self.classified([line])[0] for line in lines]))
            self.narrows = self.narrows and self._agree(alone, narrow)
        except (RuntimeError, IndexError, AttributeError, ValueError):
            self.narrows = False

    def _agree(self, one: torch.Tensor, other: torch.Tensor) -> bool:
        """Equal but for rounding."""
        allowed = 1e-4 if self.checkpoint.dtype == "float32" else 5e-2
        return bool((one - other).abs().max() <= allowed * max(1.0, float(one.abs().max())))


def _last_feed_forward(model: Any) -> tuple[Any, ...]:
    """The two parts of the last layer's feed-forward network, where a model is built as BERT is; else nothing."""
    layers = [part for name, part in model.named_modules() if re.search(r"(^|\.)layer\.\d+$", name)]
    parts = [getattr(layers[-1], name, None) for name in ("intermediate", "output")] if layers else []
    return tuple(parts) if parts and all(isinstance(part, torch.nn.Module) for part in parts) else ()


def _load(checkpoint: Checkpoint) -> tuple[Any, Any]:
    folder = checkpoint.folder
    refuse_code(folder, allowed=checkpoint.allow_code)
    refuse_pickles(folder, allowed=checkpoint.allow_pickle)
    code = {"trust_remote_code": checkpoint.allow_code, "local_files_only": True}
    with quiet():
        try:
            tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **code)
            model, info = getattr(transformers, KINDS[checkpoint.kind]).from_pretrained(
                folder,
                dtype=getattr(torch, checkpoint.dtype),
                use_safetensors=None if checkpoint.allow_pickle else True,
                output_loading_info=True,
                **code,
            )
        except ImportError as error:
            raise TiltmeterError(f"the model in {folder.name} needs another package: {_first_line(error)}") from error
        except Exception as error:
            if "trust_remote_code" in str(error):
                raise TiltmeterError(
                    f"{folder.name} brings Python code of its own, which is not run unless you say --allow-code"
                ) from error
            damaged = "; its weights are cut off or damaged: fetch them again" if "deserializ" in str(error) else ""
            raise TiltmeterError(
                f"the model in {folder.name} cannot be loaded as {checkpoint.kind}: {_first_line(error)}{damaged}"
            ) from error
    if len(tokenizer.get_vocab()) <= len(tokenizer.all_special_tokens):
        raise TiltmeterError(f"{folder.name} holds no vocabulary: the files of its tokenizer are missing")
    if ignored := [key for key in sorted(info["unexpected_keys"]) if _PART_OF_A_LAYER.search(key)]:
        raise TiltmeterError(
            f"{folder.name} has {len(ignored)} weights that its configuration has no place for ({ignored[0]}, ...): a "
            "part of the model would be left out"
        )
    missing = sorted(info["missing_keys"]) + sorted(str(key) for key in info["mismatched_keys"])
    if missing:
        raise TiltmeterError(
            f"{folder.name} lacks {len(missing)} of its weights ({missing[0]}, ...): its head or a part of it is "
            "missing, and would be random"
        )
    if checkpoint.kind == "nli":
        # Models that read a text's last token tell it from the padding behind it; many have no token for that.
        tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
        model.config.pad_token_id = tokenizer.pad_token_id
    return model.eval().to(device_named(checkpoint.device)), tokenizer


# Heads of other tasks may be left over; layers and adapters may not.
_PART_OF_A_LAYER = re.compile(r"\.(layer|layers|h|block|blocks)\.\d+\.|lora_")


def device_named(name: str) -> str:
    if name == "auto":
        return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise TiltmeterError(f"--device {name}: there is no GPU that torch can use")
    return name


def longest_sequence(model: Any, tokenizer: Any) -> int:
    """The longest sequence: of the positions a model has, RoBERTa-like ones use none before its padding index."""
    limits = [tokenizer.model_max_length]
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions and positions > 0:
        table = next((part for name, part in model.named_modules() if name.endswith("position_embeddings")), None)
        before = getattr(table, "padding_idx", None)
        limits.append(positions if before is None else positions - before - 1)
    return int(min(limits))


def _at(values: torch.Tensor, lines: Sequence[Line]) -> NDArray[np.float32]:
    """The values of a (row, position) table at all asked positions."""
    pairs = [(row, place) for row, line in enumerate(lines) for asked in line.questions for place, _ in asked]
    chosen = values[[row for row, _ in pairs], [place for _, place in pairs]]
    found: NDArray[np.float32] = chosen.cpu().numpy()
    return found


def _by_question(values: NDArray[np.float32], lines: Sequence[Line]) -> list[Values]:
    ends = np.cumsum([len(asked) for line in lines for asked in line.questions])
    return np.split(values.astype(np.float64), ends[:-1])


def _out_of_memory(error: Exception) -> bool:
    said = str(error)
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or any(
        phrase in said for phrase in ("out of memory", "can't allocate memory", "not enough memory", "could not create")
    )


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


@contextmanager
def quiet() -> Iterator[None]:
    """What transformers says about a checkpoint, we say in one sentence."""
    said: Any = transformers.logging
    level, bars = said.get_verbosity(), said.is_progress_bar_enabled()
    said.set_verbosity(logging.CRITICAL)
    said.disable_progress_bar()
    try:
        yield
    finally:
        said.set_verbosity(level)
        if bars:
            said.enable_progress_bar()
