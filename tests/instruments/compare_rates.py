"""How often `compare` calls something changed between two noisy copies of the same real vectors.

Prints the table of docs/compare.md: `PYTHONPATH=src:tests python tests/instruments/compare_rates.py` (10 minutes).
"""

import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from support import made_of
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import Word, load_pack
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject

NOISE = 0.3
"""The length of the noise on a vector, as a share of the vector's own."""
WORD_MEASURES = ("weat", "ect", "mac", "rnsb", "rnd", "ripa")
VECTORS = {
    "pkg:glove-6b-50d": ("en", 40, WORD_MEASURES),
    "pkg:navec-news": ("ru", 25, (*WORD_MEASURES, "bad", "mweat")),
}
Counts = dict[tuple[str, str], list[int]]


def main() -> None:
    counts: Counts = defaultdict(lambda: [0, 0, 0, 0])
    for name, (lang, worlds, tools) in VECTORS.items():
        vectors = _vectors(name, lang, tools)
        rng = np.random.default_rng(5)
        for _ in range(worlds):
            with tempfile.TemporaryDirectory() as folder:
                copies = [made_of(_noisy(vectors, rng), Path(folder) / side) for side in ("before", "after")]
                for tool in tools:
                    _count(tool, lang, copies, counts)
    print("| estimate | comparisons | interval leaves out 0 | p < .05 | both |\n| --- | ---: | ---: | ---: | ---: |")
    for (tool, estimate), (n, outside, rejected, both) in counts.items():
        tested = f"{rejected / n:.0%} | {both / n:.0%}" if tool not in ("rnd", "ripa") else "– | –"
        print(f"| {tool} {estimate} | {n} | {outside / n:.0%} | {tested} |")


def _vectors(name: str, lang: str, tools: tuple[str, ...]) -> dict[str, np.ndarray]:
    """All words that the instruments ask for."""
    pack = load_pack(lang)
    texts = {text for pair in (*pack.semantic_gender, *pack.names) for text in (pair.male, pair.female)}
    for tool in map(load_instrument, tools):
        items = tool.items(pack, tool.options())
        columns = {"target", "attribute", "word", "masculine", "feminine"} & set(items.columns)
        texts |= {text for column in columns for text in items[column]}
    subject: Any = open_subject(name, Store())
    found = subject.vectors([Word(text) for text in sorted(texts)], match="auto", adjectives="citation")
    return {word: found.vectors[word] * found.lengths[word] for word in sorted(found.vectors)}


def _noisy(vectors: dict[str, np.ndarray], rng: np.random.Generator) -> dict[str, np.ndarray]:
    return {
        word: row + NOISE * np.linalg.norm(row) / np.sqrt(row.size) * rng.standard_normal(row.size)
        for word, row in vectors.items()
    }


def _count(name: str, lang: str, copies: list[Any], counts: Counts) -> None:
    tool, pack = load_instrument(name), load_pack(lang)
    assert tool.differences is not None
    options = tool.options()
    before, after = (tool.answer(tool.items(pack, options), copy, pack, options)[0] for copy in copies)
    for paired in tool.differences(before, after, options):
        row = paired.difference
        if (
            row.ci_low is None
            or row.ci_high is None
            or "control" in row.group
            or row.name.endswith(("flip", "resplit"))
        ):
            continue
        outside = not row.ci_low <= 0 <= row.ci_high
        rejected = row.p_value is not None and row.p_value < 0.05
        for place, hit in enumerate((True, outside, rejected, outside and rejected)):
            counts[name, row.name][place] += hit


if __name__ == "__main__":
    main()
