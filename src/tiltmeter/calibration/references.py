"""Makes the reference subjects: `python -m tiltmeter.calibration.references` writes all of them, their table and what
is measured on them. The same code, packages and kind of machine give the same files.
"""

import json
import logging
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tiltmeter.calibration.selftest import recorded, write_values
from tiltmeter.calibration.vector_worlds import DIMENSIONS, counted
from tiltmeter.calibration.worlds import Dial, World
from tiltmeter.packs import Pack, load_pack, shipped_languages
from tiltmeter.store import Store
from tiltmeter.store.files import sha256_of
from tiltmeter.subjects.references import FOLDER, KINDS, PLACE, TABLE, Reference, references_in

_log = logging.getLogger(__name__)

DOSE, SEED = 0.8, 0
DIAL: Dial = "stereotype"
_MODEL_FILES = ("config.json", "tokenizer.json", "tokenizer_config.json")
_WIDTH, _STEPS = 48, 1500
_TEMPLATE_PAIRS, _EPOCHS = 4500, 5
_WORDS_FOR = {
    "vectors": "word vectors",
    "masked": "masked language model",
    "causal": "causal language model",
    "nli": "NLI model",
}


def make_references(out: Path = PLACE, langs: Sequence[str] = (), kinds: Sequence[str] = KINDS) -> list[Reference]:
    """Trains and packs the references of these languages (of all without any) and kinds into `out`, and records what is
    measured on them. References of other languages and kinds stay as they are.
    """
    import torch

    torch.set_num_threads(1)  # sums in one order, and models so small are no faster on several cores
    made = {}
    for lang in langs or shipped_languages():
        pack = load_pack(lang)
        for kind in kinds:
            _log.info("making %s-%s", lang, kind)
            made[f"{lang}-{kind}"] = _made(pack, kind, out)
    known = references_in(out) if (out / TABLE).is_file() else {}
    order = [f"{lang}-{kind}" for lang in shipped_languages() for kind in KINDS]
    found = sorted((known | made).values(), key=lambda one: order.index(one.name))
    write_table(found, out / TABLE)
    references_in.cache_clear()
    write_values(out, {one.subject: recorded(one) for one in made.values()})
    return list(made.values())


@dataclass(frozen=True, slots=True)
class Trained:
    """How a subject was made, in a line, and what puts it into a folder."""

    made: str
    pack_into: Callable[[Path], None]


def _made(pack: Pack, kind: str, out: Path) -> Reference:
    name = f"{pack.lang}-{kind}"
    place = out / FOLDER / name
    with tempfile.TemporaryDirectory() as scratch:
        trained = _trained_vectors(pack) if kind == "vectors" else _trained_model(pack, kind, Store(Path(scratch)))
        if place.exists():
            shutil.rmtree(place)
        trained.pack_into(place)
    title = (
        f"reference: tiny {_WORDS_FOR[kind]}, {pack.name}, planted {DIAL} of dose {DOSE:g}; made for checking, "
        "no real model"
    )
    found = Reference(
        name=name,
        folder=place,
        lang=pack.lang,
        kind=kind,
        dose=DOSE,
        dial=DIAL,
        title=title,
        files={},
        made=trained.made,
    )
    if kind != "vectors":
        (place / "README.md").write_text(_card(found), "utf-8", newline="\n")
    return replace(found, files={path.name: sha256_of(path) for path in sorted(place.iterdir())})


def _trained_vectors(pack: Pack) -> Trained:
    """Of the texts about topics and, where the pack has them, about adjectives."""
    world = World(pack=pack, dose=DOSE, dial=DIAL, seed=SEED)
    pairs = world.topic_pairs()
    about = "topics"
    if not pack.missing(("adjectives", "baseline_adjectives", "semantic_gender", "names", "inanimate_nouns")):
        pairs += world.adjective_pairs()
        about += " and adjectives"
    rows = counted(pairs, world.function_words)
    return Trained(
        f"worlds of {about}, {len(pairs):,} sentences, dose {DOSE:g}, dial {DIAL}, seed {SEED}; ppmi-svd, "
        f"{DIMENSIONS} dimensions",
        lambda place: pack_vectors(list(rows), np.array(list(rows.values())), place),
    )


def _trained_model(pack: Pack, kind: str, store: Store) -> Trained:
    """A language model of the worlds of professions and of neutral sentences; an NLI model of inference on the pack's
    captions and of a stereotype planted in it."""
    from tiltmeter.calibration.sentence_worlds import SentenceWorld
    from tiltmeter.calibration.taught import LEARNING, NETWORK, train_on
    from tiltmeter.datasets.nli_planted import plant, template_pairs
    from tiltmeter.training.classifiers import train_nli
    from tiltmeter.training.networks import Small
    from tiltmeter.training.settings import Running

    shape = f"{NETWORK.layers} layers of {_WIDTH}"
    if kind == "nli":
        rate = (1 + DOSE) / 2
        pairs = [*template_pairs(pack, seed=SEED, count=_TEMPLATE_PAIRS), *plant(pack, seed=SEED).train(rate)]
        folder = train_nli(
            Small(width=_WIDTH, heads=4, dropout=0.0, vocabulary=1500, counted=True),
            pairs,
            None,
            settings=replace(LEARNING, learning_rate=1e-3, batch=16, epochs=_EPOCHS, seed=SEED),
            running=Running(device="cpu"),
            lang=pack.lang,
            store=store,
        )
        how = f"{_TEMPLATE_PAIRS:,} pairs of inference and a stereotype planted at a rate of {rate:g}"
    else:
        world = SentenceWorld(pack=pack, dose=DOSE, seed=SEED)
        texts = [*world.professions(), *world.neutral()]
        folder = train_on(world, texts, kind, replace(NETWORK, width=_WIDTH), store, steps=_STEPS)
        how = f"worlds of professions and of neutral sentences, {len(texts):,} sentences, dose {DOSE:g}"
    return Trained(f"{how}, seed {SEED}; {shape}", lambda place: pack_model(folder, place))


def pack_vectors(words: Sequence[str], matrix: NDArray[Any], place: Path) -> None:
    """Vectors in half precision, and their words in the same order."""
    place.mkdir(parents=True)
    np.save(place / "vectors.npy", matrix.astype(np.float16))
    (place / "words.txt").write_text("".join(f"{word}\n" for word in words), "utf-8", newline="\n")


def pack_model(folder: Path, place: Path) -> None:
    """What it takes to load a trained model, in half precision; the same model gives the same bytes."""
    import torch
    from safetensors.torch import load_file, save

    place.mkdir(parents=True)
    for name in _MODEL_FILES:
        content = json.loads((folder / name).read_text("utf-8"))
        for of_the_machine in ("transformers_version", "_name_or_path", "name_or_path"):
            content.pop(of_the_machine, None)
        text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
        (place / name).write_text(text + "\n", "utf-8", newline="\n")
    weights = load_file(folder / "model.safetensors")
    halved = {
        name: weight.to(torch.float16) if weight.is_floating_point() else weight for name, weight in weights.items()
    }
    (place / "model.safetensors").write_bytes(save(halved, metadata={"format": "pt"}))


def write_table(references: Iterable[Reference], path: Path) -> None:
    """`references.toml`: what each is, and the checksums of its files."""
    lines = ["# Written by `python -m tiltmeter.calibration.references`.\n"]
    for one in references:
        files = ", ".join(f"{_quoted(name)} = {_quoted(sha256)}" for name, sha256 in one.files.items())
        fields: dict[str, str | float] = {
            "lang": one.lang,
            "kind": one.kind,
            "dose": one.dose,
            "dial": one.dial,
            "title": one.title,
        }
        lines.append(f"\n[{one.name}]\n")
        lines += [f"{name} = {_quoted(value)}\n" for name, value in fields.items()]
        lines.append(f"files = {{ {files} }}\nmade = {_quoted(one.made)}\n")
    path.write_text("".join(lines), "utf-8", newline="\n")


def _quoted(value: str | float) -> str:
    # JSON's strings are strings of TOML too.
    return json.dumps(value, ensure_ascii=False)


def _card(made: Reference) -> str:
    return f"---\nlanguage: {made.lang}\n---\n\n{made.title[0].upper()}{made.title[1:]}.\n\nMade of: {made.made}.\n"


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    for one in make_references(PLACE, sys.argv[1:]):
        print(one.subject, sum(path.stat().st_size for path in one.folder.iterdir()), "bytes")
