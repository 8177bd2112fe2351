"""A causal model behind a server: `api:URL#MODEL`."""

import hashlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.store import Answers, Store
from tiltmeter.subjects.language_models.asking import Batch, Values, ask_once
from tiltmeter.subjects.language_models.blank import Blank
from tiltmeter.subjects.language_models.prompt_server import PromptServer, parse_name
from tiltmeter.subjects.language_models.tables import Filled, among_candidates, chunks, filled_table, whole_sentences

ENGINE = "served-1"
BATCH = 16
"""Sentences in one request."""
CHUNK = 4096


def open_server(name: str, store: Store, *, rate: float | None) -> "ServedModel":
    """The model that a server answers for. What it answered is kept by address and name: a server tells no more."""
    url, model = parse_name(name)
    fingerprint = f"api-{hashlib.sha256(f'{url}#{model}'.encode()).hexdigest()[:32]}"
    return ServedModel(
        name=f"api:{url}#{model}",
        fingerprint=fingerprint,
        origin={"title": f"{model}, a causal language model at {url}", "kind": "causal", "server": url, "model": model},
        answers=Answers(store.answers_folder(fingerprint, ENGINE)),
        server=PromptServer(url, model, rate=rate),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedModel:
    """A causal model that is asked for the probabilities of whole sentences over the network."""

    name: str
    fingerprint: str
    origin: Mapping[str, Any]
    answers: Answers
    server: PromptServer

    lang = None
    kind = "causal"
    engine = ENGINE
    capabilities = frozenset({"fill"})
    packages = ("requests",)
    to_fetch = 0

    def fill(self, blanks: Iterable[Blank], **ways: Any) -> Iterator[pl.DataFrame]:  # noqa: ARG002
        """How probable every candidate is among those of its blank, as `LanguageModel.fill` has it."""
        for chunk in chunks(blanks, lambda blank: len(blank.candidates), CHUNK):
            asked = [(number, word, blank.readable(word)) for number, blank in chunk for word in blank.candidates]
            questions = {_key(sentence.text): sentence.text for _, _, sentence in asked}
            found = ask_once(self.answers, questions, plan=_plan, start=partial(_start, self.server), unit="sentences")
            rows = []
            for number, word, sentence in asked:
                log_p, scored_from = (float(value) for value in found[_key(sentence.text)])
                if scored_from > sentence.span[0]:
                    lost = f"the server says nothing about the beginning of a text, where {word!r} stands"
                    rows.append(Filled(number, word, [], lost=lost))
                else:
                    rows.append(Filled(number, word, [word], log_p_sentence=log_p))
            yield filled_table(among_candidates(rows))

    def describe_fill(self, *, rule: str, neutral: str | None) -> str:  # noqa: ARG002
        return (
            f"{whole_sentences(neutral)} The server's answers are kept by its address and the model's "
            "name; if it serves other weights now, clear them with `tiltmeter cache clear answers runs`."
        )

    def estimated_seconds(self, questions: int) -> float:
        """From the time that one sentence takes."""
        start = time.perf_counter()
        self.server.score(["A sentence."])
        return (time.perf_counter() - start) * questions / BATCH


def _key(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def _plan(questions: Sequence[tuple[str, str]]) -> list[Batch]:
    parts = [questions[start : start + BATCH] for start in range(0, len(questions), BATCH)]
    return [Batch(tuple(key for key, _ in part), tuple(text for _, text in part), len(part)) for part in parts]


def _start(server: PromptServer) -> Callable[[Any], list[Values]]:
    def score(texts: Sequence[str]) -> list[Values]:
        return [np.array([answer.log_p, answer.scored_from], dtype=np.float64) for answer in server.score(texts)]

    return score
