"""A small text in which some words are known to be near."""

import random
from pathlib import Path

TOPICS = {
    "sea": ["ship", "wave", "salt", "harbour", "sail", "tide"],
    "wood": ["tree", "moss", "deer", "branch", "fern", "owl"],
}
TWINS = ("alpha", "beta")
"""Two words that stand in the same places, among words of the sea; `gamma` stands among words of the wood."""


def write_planted(path: Path, lines: int = 3_000, seed: int = 4) -> Path:
    chance = random.Random(seed)
    text = []
    for _ in range(lines):
        topic = chance.choice(sorted(TOPICS))
        words = chance.choices(TOPICS[topic], k=6)
        words[chance.randrange(6)] = chance.choice(TWINS) if topic == "sea" else "gamma"
        text.append(" ".join(words))
    path.write_text("\n".join(text) + "\n", "utf-8")
    return path
