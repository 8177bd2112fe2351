"""One WEAT test with its p-value against WEFE, which runs in a virtual environment of its own."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bench.row import Row, seconds
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import Pack, WeatTest, Word
from tiltmeter.store import Answers, Store
from tiltmeter.subjects import VectorSubject, open_subject

PEER = "wefe==1.0.1"
TARGETS, DIMENSIONS = 8, 300
PUBLISHED, MEASURED = 100_000, 1_000
"""Iterations of the published p-value, and how many of them the peer is timed at."""
OUT = Path(__file__).parent / "out"


def rows() -> Iterator[Row]:
    python = _peer_python()
    table = OUT / "vectors"
    words = _write(table)
    peer = subprocess.run([python, "-c", _BY_WEFE, table, str(MEASURED)], check=True, capture_output=True, text=True)
    ours = seconds(lambda: _by_us(table, words), repeat=5)
    yield Row(
        f"one WEAT test, {TARGETS} + {TARGETS} words, {DIMENSIONS} dimensions, with p: exact; {PEER} at {PUBLISHED:,} "
        f"iterations (timed at {MEASURED:,}, scaled)",
        ours,
        float(peer.stdout.split()[-1]) * PUBLISHED / MEASURED,
        at_least=10_000,
    )


def _peer_python() -> Path:
    folder = OUT / "wefe"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        # WEFE needs numpy 1.
        install = [str(folder / "bin" / "pip"), "install", "--quiet", PEER, "numpy<2"]
        subprocess.run(install, check=True, capture_output=True)
        (folder / "ready").touch()
    return folder / "bin" / "python"


def _write(folder: Path) -> dict[str, list[str]]:
    """Random vectors as a folder that we read, and as word2vec text that the peer reads."""
    words = {role: [f"{role}{number}" for number in range(TARGETS)] for role in "xyab"}
    names = [word for part in words.values() for word in part]
    matrix = np.random.default_rng(0).normal(size=(len(names), DIMENSIONS)).astype(np.float32)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "vectors.npy", matrix)
    (folder / "words.txt").write_text("\n".join(names))
    lines = [f"{name} {' '.join(map(str, row))}" for name, row in zip(names, matrix.tolist(), strict=True)]
    (OUT / "vectors.vec").write_text("\n".join([f"{len(names)} {DIMENSIONS}", *lines]))
    return words


def _by_us(folder: Path, words: dict[str, list[str]]) -> float:
    """From the words to d, both p-values and the interval, files read and all."""
    x, y, a, b = (tuple(Word(word) for word in words[role]) for role in "xyab")
    test = WeatTest("t", ("x", "y"), ("male", "female"), x, y, a, b, "ours", "random")
    pack = Pack(lang="xx", name="X", endonym="X", scripts=(), grammatical_gender=(), weat=(test,))
    tool = load_instrument("weat")
    options = tool.options()
    subject = open_subject(str(folder), Store(OUT / "cache"))
    assert isinstance(subject, VectorSubject)
    subject = VectorSubject(
        name="t", fingerprint="t", lang=None, origin={}, files=subject.files, answers=Answers(OUT / "nowhere")
    )
    items, _ = tool.answer(tool.items(pack, options), subject, pack, options)
    found = {row.name: row.value for row in tool.estimate(items, options).estimates}
    for batch in (OUT / "nowhere").glob("*.parquet"):
        batch.unlink()
    return found["effect_size"] or 0.0


_BY_WEFE = """
import sys, time
from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

folder, iterations = sys.argv[1], int(sys.argv[2])
model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(folder + ".vec"), "random")
words = [w.strip() for w in open(folder + "/words.txt")]
sets = [[w for w in words if w[0] == role] for role in "xyab"]
query = Query(sets[:2], sets[2:], ["x", "y"], ["a", "b"])
start = time.perf_counter()
WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=iterations)
print(time.perf_counter() - start)
"""
