"""From a network and a task to a model's folder: what classifiers and language models have in common."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Store
from tiltmeter.subjects.language_models.network import longest_sequence, quiet
from tiltmeter.training.batches import Batches, Encoded, Labelling, Special
from tiltmeter.training.fitting import fit, naming_full_disks
from tiltmeter.training.folder import CARD, keep, read_card, write_card, write_text
from tiltmeter.training.networks import Made, Network, Pretrained, identity
from tiltmeter.training.settings import Running, Settings

ENGINE = "fit-1"
"""Raised whenever the same request would give other weights."""
_PACKAGES = ("torch", "transformers", "tokenizers")


class Task(Protocol):
    """What a model is trained for, and on what."""

    @property
    def kind(self) -> str: ...
    @property
    def head(self) -> str: ...
    @property
    def labels(self) -> Sequence[str]: ...
    def texts(self) -> Iterator[str]: ...
    def data(self) -> dict[str, Any]:
        """Sizes and checksum of what is learnt."""
        ...

    def test_checksum(self) -> str:
        """Of what is held out; nothing where nothing is."""
        ...

    def encoded(self, made: Made, longest: int) -> tuple[list[Encoded], int]:
        """What is learnt, and how much of it had to be cut."""
        ...

    def labelling(self, special: Special) -> Labelling: ...
    def tested(self, made: Made, longest: int, special: Special) -> Mapping[str, Any]: ...


def train(
    network: Network,
    task: Task,
    out: Path | None,
    *,
    settings: Settings,
    running: Running,
    store: Store,
    lang: str | None,
    overwrite: bool,
) -> Path:
    """Trains into the folder `out`, or into one of the cache; a folder that holds this very request is left as it is.

    Killed at any moment, the same call goes on. Where the weights are there and only the data to test them on is
    another, they are not trained again.
    """
    data = task.data()
    trained = identity(ENGINE, task.kind, network.identity(), data, settings.to_json(), list(task.labels), lang)
    request = identity(trained, task.test_checksum())
    place = out or store.models.root / request[:24]
    work = store.unfinished.root / f"fit-{trained[:24]}"

    def fill(folder: Path) -> None:
        known = _card_of(place, trained)
        source = Pretrained(str(place), store, pre_segment=network.segmenter) if known else network
        with quiet():
            made = source.made(
                task.head, task.texts(), longest=settings.max_length, seed=settings.seed, labels=task.labels
            )
        longest = min(settings.max_length, longest_sequence(made.model, made.tokenizer))
        special = special_tokens(made)
        if known:
            cut = known["data"]["cut"]
        else:
            encoded, cut = task.encoded(made, longest)
            batches = Batches(encoded, settings, special, task.labelling(special))
            fit(made.model, batches, settings, running, work, trained)
        made.model.eval()
        with quiet(), naming_full_disks():
            made.model.save_pretrained(folder)
            made.tokenizer.save_pretrained(folder)
        card = {
            "kind": task.kind,
            "request": request,
            "trained": trained,
            "engine": ENGINE,
            "network": network.to_json(),
            "options": settings.to_json(),
            "seed": settings.seed,
            "labels": list(made.labels),
            "language": lang,
            "data": {**data, "cut": cut},
            "test": dict(task.tested(made, longest, special)) if task.test_checksum() else None,
            "parameters": sum(weights.numel() for weights in made.model.parameters()),
            "versions": {package: version(package) for package in _PACKAGES},
        }
        write_card(folder, card)
        write_text(folder / "README.md", _readme(card))

    with store.unfinished.locked(work.name):
        keep(place, request, fill, overwrite=overwrite or _card_of(place, trained) is not None)
        shutil.rmtree(work, ignore_errors=True)
    return place


def special_tokens(made: Made) -> Special:
    tokenizer = made.tokenizer
    return Special(
        padding=tokenizer.pad_token_id,
        padding_type=tokenizer.pad_token_type_id,
        mask=tokenizer.mask_token_id or 0,
        vocabulary=len(tokenizer),
        kept=frozenset(tokenizer.all_special_ids),
    )


def _card_of(out: Path, trained: str) -> dict[str, Any] | None:
    """The card of the folder, if it holds the weights that are asked for."""
    if not (out / CARD).is_file():
        return None
    try:
        card = read_card(out)
    except TiltmeterError:
        return None
    return card if card.get("trained") == trained else None


def _readme(card: Mapping[str, Any]) -> str:
    """The model card as model hubs know it: it names the language, so that it need not be said when measuring."""
    network, options = card["network"], card["options"]
    base = network.get("name")
    head = [f"language: {card['language']}"] if card["language"] else []
    head += [f"base_model: {base}"] if base else []
    written = "a network of random weights" if base is None else base
    if network.get("pre_segment") in ("jumanpp", "mecab"):
        cutter = {"jumanpp": "Juman++", "mecab": "MeCab"}[network["pre_segment"]]
        written += f"; its input has to be segmented into words by {cutter}"
    lines = [
        *(["---", *head, "---", ""] if head else []),
        f"# A {card['kind']} model",
        "",
        f"Trained by tiltmeter from {written}.",
        "",
        f"{options['epochs']} epochs, learning rate {options['learning_rate']:g}, batches of {options['batch']}, at "
        f"most {options['max_length']} tokens, seed {options['seed']}. card.json has all that decides its weights.",
    ]
    return "\n".join(lines) + "\n"
