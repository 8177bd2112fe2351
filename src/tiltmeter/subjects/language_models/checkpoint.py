"""A model's folder: what kind of model it holds, and whether it is safe to load."""

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.errors import MissingExtra, TiltmeterError
from tiltmeter.store import Store

KINDS: Mapping[str, str] = {
    "masked": "AutoModelForMaskedLM",
    "causal": "AutoModelForCausalLM",
    "discriminator": "AutoModelForPreTraining",
    "nli": "AutoModelForSequenceClassification",
}
"""The kinds of models, and what transformers loads them with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """All that is needed to load a model, here or in another process."""

    folder: Path
    content: str
    """The checksum of its files: a folder may hold another model tomorrow."""
    kind: str
    dtype: str = "float32"
    device: str = "auto"
    allow_pickle: bool = False
    allow_code: bool = False

    def __post_init__(self) -> None:
        if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", self.device):
            raise TiltmeterError(f"--device is auto, cpu, mps, cuda or cuda:N, not {self.device!r}")


def is_checkpoint(path: Path) -> bool:
    """Whether a folder holds a model of transformers."""
    return path.is_dir() and isinstance(_config(path).get("model_type"), str)


def told_kind(folder: Path) -> str:
    """The kind of model that a folder's configuration names.

    The class it was saved from goes first; a configuration without one is taken for masked if there is a masked
    model of its type, else for causal.
    """
    config = _config(folder)
    named = config.get("architectures")
    architectures = [name for name in named if isinstance(name, str)] if isinstance(named, list) else []
    for architecture in architectures:
        if architecture == "ElectraForPreTraining":
            return "discriminator"
        if architecture.endswith(("ForMaskedLM", "ForPreTraining", "WithLMHeadModel")):
            return "masked"
        if architecture.endswith(("ForCausalLM", "LMHeadModel")):
            return "causal"
        if architecture.endswith("ForSequenceClassification"):
            return "nli"
    if not architectures and not config.get("is_decoder"):
        from transformers.models.auto import modeling_auto as known

        if config["model_type"] in known.MODEL_FOR_MASKED_LM_MAPPING_NAMES:
            return "masked"
        if config["model_type"] in known.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES:
            return "causal"
    saved = ", ".join(architectures) or config["model_type"]
    raise TiltmeterError(
        f"{folder.name} was saved from {saved}, which is no language model that can be asked for words; if it has a "
        "language-model head, say so with --kind masked or --kind causal"
    )


def told_labels(folder: Path) -> list[str]:
    """The names of a classifier's labels in the order of their numbers, as its configuration has them."""
    config = _config(folder)
    named = config.get("id2label")
    if not isinstance(named, dict) or not named:
        count = config.get("num_labels")
        return [f"LABEL_{number}" for number in range(count if isinstance(count, int) else 2)]
    if sorted(named) != sorted(map(str, range(len(named)))):
        raise TiltmeterError(f"{folder.name}: id2label in its config.json does not number its labels from 0")
    return [str(named[str(number)]) for number in range(len(named))]


def told_language(folder: Path) -> str | None:
    """The language in the model card, if it names just one."""
    named = _languages(folder)
    return named[0] if len(named) == 1 and named[0] != "multilingual" else None


def is_multilingual(folder: Path, name: str) -> bool:
    """Whether the card names several languages, or the name says so."""
    named = _languages(folder)
    return len(named) > 1 or "multilingual" in named or re.search(r"multilingual|xlm|mbert", name.lower()) is not None


def _languages(folder: Path) -> list[str]:
    """All that the model card names."""
    try:
        import yaml
    except ImportError:
        return []
    try:
        head = re.match(r"---\n(.*?\n)---", (folder / "README.md").read_text("utf-8"), re.DOTALL)
        language = yaml.safe_load(head[1]).get("language") if head else None
    except (OSError, ValueError, AttributeError, yaml.YAMLError):
        return []
    return [name for name in (language if isinstance(language, list) else [language]) if isinstance(name, str)]


def chosen_segmenter(folder: Path, said: str) -> str:
    """How text is cut before the tokenizer sees it: as said, or else not at all.

    Models trained on text that Juman++ had cut say so in their card; asked with raw text they would give numbers
    that mean nothing, so that has to be said.
    """
    if said != "auto":
        return said
    tokenizer = _json(folder / "tokenizer_config.json")
    card = folder / "README.md"
    text = card.read_text("utf-8", errors="replace") if card.is_file() else ""
    told = re.search(r"segmented\b[^.]*\b(Juman\+\+|by MeCab)", text, re.IGNORECASE)
    if told and "word_tokenizer_type" not in tokenizer:
        cutter = told[1].removeprefix("by ")
        raise TiltmeterError(
            f"{folder.name} was trained on text that {cutter} had cut into words, as its card says: give --pre-segment "
            "jumanpp (or mecab), or --pre-segment none to ask it with raw text all the same"
        )
    return "none"


def checksum(folder: Path, store: Store) -> str:
    """Of every file that decides an answer."""
    files = sorted(path for path in folder.iterdir() if path.is_file() and _decides(path))
    lines = [f"{path.name} {store.fingerprints.of(path)}\n" for path in files]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def refuse_code(folder: Path, *, allowed: bool) -> None:
    """A model may bring Python code for itself or its tokenizer: without it, it would be another model."""
    if not allowed and any("auto_map" in _json(folder / name) for name in ("config.json", "tokenizer_config.json")):
        raise TiltmeterError(
            f"{folder.name} brings Python code of its own, which is not run unless you say --allow-code"
        )


def load_vocabulary(name: str) -> frozenset[str]:
    """The tokens that a model's tokenizer knows, by path or hub name; no code of its own is run."""
    try:
        import transformers
    except ImportError as error:
        raise MissingExtra("transformers", "models") from error
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
    except Exception as error:
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise TiltmeterError(f"the tokenizer {name!r} cannot be loaded: {reason}") from error
    return frozenset(tokenizer.get_vocab())


def refuse_pickles(folder: Path, *, allowed: bool) -> None:
    """Weights have to be safetensors unless the user says otherwise."""
    names = {path.name for path in folder.iterdir()}
    if any(name.endswith(".safetensors") for name in names):
        return
    pickles = sorted(name for name in names if name.endswith((".bin", ".pt", ".pth", ".ckpt")))
    if not pickles:
        raise TiltmeterError(f"{folder.name} holds no weights: a file *.safetensors was expected")
    if not allowed:
        raise TiltmeterError(
            f"the weights in {folder.name} are a pickle ({pickles[0]}), which can run code when it is read; save the "
            "model as safetensors, or say --allow-pickle if you trust where it comes from"
        )


def is_cached(name: str) -> bool:
    """Whether the hub's own cache has a model of the hub, with weights."""
    try:
        import huggingface_hub as hub
        from huggingface_hub import errors
    except ImportError:
        return False
    repository, _, revision = name.partition("@")
    weights = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin")
    try:
        here = [
            isinstance(hub.try_to_load_from_cache(repository, file, revision=revision or None), str)
            for file in ("config.json", *weights)
        ]
    except (errors.HFValidationError, OSError):
        return False
    return here[0] and any(here[1:])


def hub_snapshot(name: str, *, allow_pickle: bool) -> Path:
    """The folder of a model of the hub, `NAME` or `NAME@REVISION`, fetched on first use into the hub's own cache."""
    try:
        import huggingface_hub as hub
        from huggingface_hub import errors
    except ImportError as error:
        raise MissingExtra("transformers", "models") from error
    repository, _, revision = name.partition("@")
    wanted = [
        "*.json",
        "*.txt",
        "*.model",
        "*.spm",
        "*.codes",
        "*.tiktoken",
        "*.safetensors",
        "*.jinja",
        "*.md",
        "*.py",
    ]
    try:
        found = hub.snapshot_download(
            repository,
            revision=revision or None,
            allow_patterns=[*wanted, *(["*.bin"] if allow_pickle else [])],
            ignore_patterns=["*/*"],
        )
    except errors.HFValidationError as error:
        raise TiltmeterError(f"there is no subject {name!r}: it is no path and no name of a model") from error
    except (errors.RepositoryNotFoundError, errors.RevisionNotFoundError, errors.GatedRepoError) as error:
        raise TiltmeterError(
            f"the model hub has no {name}, or does not let you read it; check the name, or log in to the hub"
        ) from error
    except (errors.LocalEntryNotFoundError, errors.OfflineModeIsEnabled, OSError) as error:
        raise TiltmeterError(
            f"{name} is no file or folder here, and the model hub could not be reached to ask for a model of that "
            "name; check the spelling and the network, or give the path of the model's folder"
        ) from error
    return Path(found)


def _decides(path: Path) -> bool:
    """Cards, pictures and the state of a training change no answer."""
    return not path.name.startswith(
        (".", "training_args", "trainer_state", "optimizer", "card", "manifest", "test.json")
    ) and path.suffix not in (
        ".md",
        ".png",
        ".jpg",
        ".log",
    )


def _config(folder: Path) -> dict[str, Any]:
    return _json(folder / "config.json")


def _json(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        config = json.loads(path.read_text("utf-8"))
    except (ValueError, UnicodeDecodeError) as error:
        raise TiltmeterError(f"{path} is no JSON: {error}") from error
    return config if isinstance(config, dict) else {}
