"""From a network and a task to a model's folder: what classifiers and language models have in common."""

import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from tiltmeter.store import Store, identity, write_atomically
from tiltmeter.subjects.language_models.network import device_named, longest_sequence, quiet
from tiltmeter.training.batches import Batches, Encoded, Labelling, Special
from tiltmeter.training.fitting import fit, naming_full_disks
from tiltmeter.training.folder import TEST, keep, read_card, read_test, write_card
from tiltmeter.training.networks import Made, Network, Pretrained
from tiltmeter.training.settings import Running, Settings

ENGINE = "fit-2"
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

    def labelling(self, special: Special, settings: Settings) -> Labelling: ...
    def tested(self, made: Made, longest: int, special: Special) -> Mapping[str, Any]: ...


def train(
    network: Network | str,
    task: Task,
    out: Path | str | None,
    *,
    settings: Settings,
    running: Running,
    store: Store | None,
    lang: str | None,
    overwrite: bool,
) -> Path:
    """Trains into the folder `out`, or into one of the cache; a folder that holds this very request is left as it is.

    Killed at any moment, the same call goes on. What the model is tested on decides nothing about its weights: other
    data to test on is another `test.json` beside them.
    """
    store = store or Store()
    network = Pretrained(network, store) if isinstance(network, str) else network
    lang = lang or network.lang
    data = task.data()
    request = identity(ENGINE, task.kind, network.identity(), data, settings.to_json(), list(task.labels), lang)
    place = store.models.root / request[:24] if out is None else Path(out)
    work = store.unfinished.root / f"fit-{request[:24]}"

    def fill(folder: Path) -> None:
        with quiet():
            made = network.made(
                task.head, task.texts(), longest=settings.max_length, seed=settings.seed, labels=task.labels
            )
        longest = min(settings.max_length, longest_sequence(made.model, made.tokenizer))
        special = special_tokens(made)
        encoded, cut = task.encoded(made, longest)
        batches = Batches(encoded, settings, special, task.labelling(special, settings))
        fit(made.model, batches, settings, running, work, request)
        made.model.eval()
        with quiet(), naming_full_disks():
            made.model.save_pretrained(folder)
            made.tokenizer.save_pretrained(folder)
        card = {
            "kind": task.kind,
            "request": request,
            "engine": ENGINE,
            "network": network.to_json(),
            "options": settings.to_json(),
            "seed": settings.seed,
            "labels": list(made.labels),
            "language": lang,
            "longest": longest,
            "data": {**data, "cut": cut},
            "parameters": sum(weights.numel() for weights in made.model.parameters()),
            "versions": {package: version(package) for package in _PACKAGES},
        }
        write_card(folder, card)

    with store.unfinished.locked(work.name):
        keep(place, request, fill, overwrite=overwrite)
        shutil.rmtree(work, ignore_errors=True)
        _describe(place)
        _test(place, task, network.segmenter, running, store)
    return place


def _describe(place: Path) -> None:
    """Writes the model card that hubs know, unless there is one: its owner may have added to it."""
    page = place / "README.md"
    if not page.is_file():
        write_atomically(page, _readme(read_card(place)).encode())


def _test(place: Path, task: Task, segmenter: str, running: Running, store: Store) -> None:
    """Tests the model of a folder, unless it was tested on the same before."""
    wanted = task.test_checksum()
    known = read_test(place)
    if not wanted or (known is not None and known["sha256"] == wanted):
        return
    options, longest = (read_card(place)[name] for name in ("options", "longest"))
    with quiet():
        made = Pretrained(str(place), store, pre_segment=segmenter).made(
            task.head, (), longest=longest, seed=options["seed"], labels=task.labels
        )
    made.model.eval().to(device_named(running.device))
    found = dict(task.tested(made, longest, special_tokens(made)))
    write_atomically(place / TEST, (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode())


def special_tokens(made: Made) -> Special:
    tokenizer = made.tokenizer
    return Special(
        padding=tokenizer.pad_token_id,
        padding_type=tokenizer.pad_token_type_id,
        mask=tokenizer.mask_token_id or 0,
        vocabulary=len(tokenizer),
        kept=frozenset(tokenizer.all_special_ids),
    )


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
        f"most {card['longest']} tokens, seed {options['seed']}. card.json has all that decides its weights.",
    ]
    return "\n".join(lines) + "\n"
