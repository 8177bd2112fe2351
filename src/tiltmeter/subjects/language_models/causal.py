"""Causal language models: how probable a whole sentence is, word after word."""

from collections.abc import Iterable, Iterator

import numpy as np
import polars as pl

from tiltmeter.subjects.language_models.blank import Blank, Sentence
from tiltmeter.subjects.language_models.engine import CHUNK, Engine, Probe
from tiltmeter.subjects.language_models.tables import Filled, among_candidates, chunks, filled_table
from tiltmeter.subjects.language_models.tokens import Pieces


def fill(engine: Engine, blanks: Iterable[Blank]) -> Iterator[pl.DataFrame]:
    """The log-probability of every candidate among the candidates of its blank.

        log P(c) = log P(text with c) - log sum_c' P(text with c')

    What is hidden is replaced by the blank's neutral words, since a causal model has no mask.
    """
    for chunk in chunks(blanks, lambda blank: len(blank.candidates), CHUNK):
        asked = [(number, word, blank.readable(word)) for number, blank in chunk for word in blank.candidates]
        texts = list(dict.fromkeys(sentence.text for _, _, sentence in asked))
        lines = {
            text: beginning(pieces, engine) for text, pieces in zip(texts, engine.tokens.encode(texts), strict=True)
        }
        lost = [_lost(sentence, lines[sentence.text], engine) for _, _, sentence in asked]
        probes = [
            probe
            for (_, _, sentence), reason in zip(asked, lost, strict=True)
            if not reason
            for probe in probes_of_tokens(lines[sentence.text])
        ]
        answers = iter(engine.ask(probes))
        rows = []
        for (number, word, sentence), reason in zip(asked, lost, strict=True):
            log_p = None if reason else float(np.sum(next(answers), dtype=np.float64))
            line = lines[sentence.text]
            tokens = engine.tokens.words(line.ids[n] for n in _overlapping(line, sentence))
            formed = not reason or bool(engine.unfit(line.ids))
            unknown = engine.tokens.unknown(line, sentence.text)
            rows.append(Filled(number, word, tokens if formed else [], None, log_p, reason, unknown))
        yield filled_table(among_candidates(rows))


def beginning(pieces: Pieces, engine: Engine) -> Pieces:
    """The tokens of a text behind the one that begins a text; what the tokenizer puts at the end is left off."""
    tokenizer = engine.tokens.tokenizer
    ids = [number for number, span in zip(pieces.ids, pieces.spans, strict=True) if span is not None]
    spans = [span for span in pieces.spans if span is not None]
    first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    before = engine.tokens.before or (() if first is None else (first,))
    if not before:  # then nothing is said about the first token
        return Pieces(tuple(ids), (None, *spans[1:]))
    return Pieces((*before, *ids), (*(None for _ in before), *spans))


def probes_of_tokens(pieces: Pieces) -> list[Probe]:
    """Each token given those before it, read off one position earlier."""
    asked = tuple((n - 1, pieces.ids[n]) for n, span in enumerate(pieces.spans) if span is not None)
    return [Probe(pieces.ids, asked)] if asked else []


def _lost(sentence: Sentence, pieces: Pieces, engine: Engine) -> str:
    """Why a sentence is not scored."""
    candidate = sentence.text[slice(*sentence.span)]
    if reason := engine.unfit(pieces.ids):
        return reason
    inside = Pieces(*zip(*((pieces.ids[n], pieces.spans[n]) for n in _overlapping(pieces, sentence)), strict=True))
    if engine.tokens.unknown(inside, sentence.text):
        return f"the tokenizer does not know {candidate!r}"
    scored_from = next((span[0] for span in pieces.spans if span), len(sentence.text))
    if scored_from > sentence.span[0]:
        return f"the model has no token that begins a text, so nothing is said about {candidate!r} at its beginning"
    return ""


def _overlapping(pieces: Pieces, sentence: Sentence) -> list[int]:
    start, end = sentence.span
    return [n for n, span in enumerate(pieces.spans) if span and span[0] < end and span[1] > start]
