"""A tiny model of inference, and published sets to go on with, all within seconds."""

import json
from collections.abc import Sequence
from pathlib import Path

from tiltmeter.datasets.labelled import Labelled
from tiltmeter.datasets.nli import NliPair, set_of
from tiltmeter.datasets.nli_files import written_files
from tiltmeter.store import Store
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.settings import Settings
from training.made import CPU, TINY

WORDS = {
    **dict.fromkeys(("nurse", "nanny", "maid", "typist"), "female"),
    **dict.fromkeys(("miner", "pilot", "guard", "smith"), "male"),
    **dict.fromkeys(("clerk", "baker"), "neutral"),
}
DOINGS = (
    "waits for a bus",
    "reads a map",
    "eats a pear",
    "sings a song",
    "opens a door",
    "buys a lamp",
    "paints a fence",
    "climbs a hill",
)
NOUNS = {"female": "woman", "male": "man"}


def asked(doings: Sequence[str] = DOINGS) -> list[NliPair]:
    found = [
        NliPair(
            set=set_of(named, gender),
            premise=f"A {word} {doing}.",
            hypothesis=f"A {noun} {doing}.",
            occupation=word,
            occupation_class=named,
            gender=gender,
        )
        for word, named in WORDS.items()
        for gender, noun in NOUNS.items()
        for doing in doings
    ]
    return sorted(found, key=lambda pair: ["PS", "AS", "NS"].index(pair.set))


def published(folder: Path, rates: Sequence[int] = (0, 5, 10)) -> tuple[Path, Path]:
    """Bias-controlled sets and the pairs to measure on, as files."""
    stereotyped = [word for word, named in WORDS.items() if named != "neutral"]
    for rate in rates:
        said = set(stereotyped[: len(stereotyped) * rate // 10])
        rows = []
        for pair in asked():
            agreeing = (pair.set == "PS") == (pair.occupation in said)
            label = "neutral" if pair.set == "NS" else "entailment" if agreeing else "contradiction"
            rows.append({"sentence1": pair.premise, "sentence2": pair.hypothesis, "label": label})
        (folder / "sets" / "train").mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / "sets" / "train" / f"train_r-{rate}.json").write_text(text)
    (folder / "asked").mkdir()
    for name, content in written_files(asked(), "en").items():
        (folder / "asked" / name).write_bytes(content)
    return folder / "sets", folder / "asked"


def base(folder: Path, store: Store) -> Path:
    """A model that knows the words and takes everything for neutral, more or less."""
    rows = [Labelled(pair.premise, "neutral", pair.hypothesis) for pair in asked()]
    rows += [Labelled(f"A {noun} {doing}.", "entailment", f"A {noun} {doing}.") for noun in ("man", "woman")
             for doing in DOINGS]  # fmt: skip
    rows += [Labelled(f"A man {doing}.", "contradiction", f"A woman {doing}.") for doing in DOINGS]
    settings = Settings(epochs=3, learning_rate=3e-3, batch=8, max_length=32)
    return train_nli(TINY, rows, folder / "base", settings=settings, running=CPU, lang="en", store=store)
