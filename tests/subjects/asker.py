"""Processes that ask a model: `asker.py many COUNT MODEL CACHE`, or the command: `asker.py measured LOG ARGUMENTS`."""

import hashlib
import string
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import islice, product
from pathlib import Path

from transformers.models.bert import modeling_bert  # noqa: F401 (to be ready, not to be importing yet)

from tiltmeter.cli import main as command
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import Blank
from tiltmeter.subjects.language_models.asking import Values
from tiltmeter.subjects.language_models.model import LanguageModel
from tiltmeter.subjects.language_models.network import Line, Network

WORDS = tuple(map("".join, product(string.ascii_lowercase[:10], repeat=2)))
"""A hundred, which make a million sentences of three words."""
PAUSE = 0.04
"""Seconds before each batch, so that there are moments at which to be killed."""


def many(asked: str, model: str, cache: str) -> None:
    """Asks up to a million questions, and says how many were answered and how many megabytes it took at most."""
    subject = open_subject(model, Store(Path(cache)))
    assert isinstance(subject, LanguageModel)
    answered = sum(table["log_p"].count() for table in subject.fill(islice(_sentences(), int(asked))))
    print(answered, _peak())


def measured(log: str, *arguments: str) -> None:
    """Runs the command, and writes a line whenever a batch begins."""
    plain = Network.log_probabilities

    def logged(network: Network, lines: Sequence[Line]) -> list[Values]:
        with Path(log).open("a") as file:
            file.write(hashlib.sha256(repr(lines).encode()).hexdigest() + "\n")
        time.sleep(PAUSE)
        return plain(network, lines)

    setattr(Network, "log_probabilities", logged)  # noqa: B010 (an assignment does not pass the types)
    sys.argv = ["tiltmeter", *arguments]
    print("ready", flush=True)
    command()


def _sentences() -> Iterator[Blank]:
    for three in product(WORDS, repeat=3):
        text = " ".join(three)
        yield Blank(text=f"{text} {WORDS[0]}", span=(len(text) + 1, len(text) + 3), candidates=WORDS[:1])


def _peak() -> float:
    # Not getrusage: its peak of a child begins with the memory of the parent.
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) / 1024


if __name__ == "__main__":
    work = many if sys.argv[1] == "many" else measured
    work(*sys.argv[2:])
