"""Small data that a small network learns in seconds."""

import itertools

from tiltmeter.datasets.labelled import Labelled
from tiltmeter.training.networks import Small
from tiltmeter.training.settings import Running, Settings

TINY = Small(layers=1, width=32, heads=2, vocabulary=200, dropout=0.1)
QUICK = Settings(epochs=2, learning_rate=3e-3, batch=8, max_length=32)
CPU = Running(device="cpu")

THINGS = ("bus", "lamp", "pear", "cart", "drum", "kite", "rope", "fork", "bell", "sock")
TEXTS = [f"The {thing} is red." for thing in THINGS] * 4


def pairs(repeats: int = 2) -> list[Labelled]:
    """What follows is told by one word of the hypothesis."""
    words = {"entailment": "surely", "contradiction": "never", "neutral": "perhaps"}
    return [
        Labelled(f"Here is a {thing}.", label, f"It is {word} a {thing}.")
        for _, thing, (label, word) in itertools.product(range(repeats), THINGS, words.items())
    ]
