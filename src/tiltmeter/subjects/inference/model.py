"""A classifier of transformers that was trained on natural language inference."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from tiltmeter.language import segmenter
from tiltmeter.subjects.inference.answers import Pair, answered, argmax_labels
from tiltmeter.subjects.language_models.engine import CHUNK, ENGINE, Engine, Probe
from tiltmeter.subjects.language_models.network import Line


@dataclass(frozen=True, slots=True, kw_only=True)
class InferenceModel:
    """A model that says how probable it is that one sentence follows from another."""

    name: str
    fingerprint: str
    lang: str | None
    origin: Mapping[str, Any]
    asked: Engine
    order: tuple[int, ...]
    """The model's number of entailment, contradiction and neutral."""

    kind = "nli"
    engine = ENGINE
    packages = ("torch", "transformers", "tokenizers")
    capabilities = frozenset({"entail"})
    to_fetch = 0

    def entail(self, pairs: Sequence[Pair]) -> pl.DataFrame:
        """The probability of each label for each pair, in the pairs' order; equal pairs are asked once.

        A pair that is longer than the model is not cut: it has no probabilities, and `lost` says so.
        """
        return pl.concat([answered([], [], []), *self._tables(pairs)])

    def _tables(self, pairs: Sequence[Pair]) -> Iterator[pl.DataFrame]:
        for start in range(0, len(pairs), CHUNK):
            probes = self._probes(pairs[start : start + CHUNK])
            lost = [self.asked.unfit(probe.ids) for probe in probes]
            fitting = [probe for probe, reason in zip(probes, lost, strict=True) if not reason]
            found = iter(self.asked.ask(fitting, "classified"))
            probabilities = [None if reason else np.exp(next(found))[list(self.order)] for reason in lost]
            yield answered(probabilities, argmax_labels(probabilities), lost)

    def _probes(self, pairs: Sequence[Pair]) -> list[Probe]:
        """Both sentences with the special tokens that the model's own tokenizer puts around them."""
        tokens, distinct = self.asked.tokens, list(dict.fromkeys(pairs))
        texts = {text for pair in distinct for text in (pair.premise, pair.hypothesis)}
        for text in sorted(texts):
            tokens.refuse_special(text)
        if tokens.pre_segment == "none":
            written = {text: text for text in texts}
        else:
            cut = segmenter(tokens.pre_segment)
            written = {text: " ".join(word for word in cut(text) if word.strip()) for text in texts}
        encoded = tokens.tokenizer(
            [written[pair.premise] for pair in distinct],
            [written[pair.hypothesis] for pair in distinct],
            return_attention_mask=False,
            verbose=False,
        )
        types = encoded.get("token_type_ids") or [()] * len(distinct)
        probes = {
            pair: Probe(tuple(ids), types=tuple(own))
            for pair, ids, own in zip(distinct, encoded["input_ids"], types, strict=True)
        }
        return [probes[pair] for pair in pairs]

    def estimated_seconds(self, questions: int) -> float:
        """From the time that pairs of thirty-two tokens take."""
        count = 32
        lines = [Line(tuple(range(32)), (), (0,) * 32 if self._has_types else ())] * count
        start = time.perf_counter()
        self.asked.network.classified(lines)
        return (time.perf_counter() - start) / count * questions

    @property
    def _has_types(self) -> bool:
        return "token_type_ids" in self.asked.tokens.tokenizer.model_input_names
