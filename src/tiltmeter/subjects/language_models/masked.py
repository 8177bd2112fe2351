"""Masked language models: what stands at a place when it is hidden."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import polars as pl

from tiltmeter.subjects.language_models.blank import Blank, Sentence, Span
from tiltmeter.subjects.language_models.engine import CHUNK, Engine, Probe
from tiltmeter.subjects.language_models.tables import Filled, chunks, filled_table
from tiltmeter.subjects.language_models.tokens import Pieces, Tokens


def fill(
    engine: Engine, blanks: Iterable[Blank], *, rule: str, masks: str, width: int | None
) -> Iterator[pl.DataFrame]:
    """The log-probability of every candidate at its blank.

        independent:    log P(c) = sum_i log P(c_i | text, all of c hidden)
        left-to-right:  log P(c) = sum_i log P(c_i | text, c_1 .. c_(i-1), the rest of c hidden)
        first-token:    log P(c) = log P(c_1 | text, one mask in place of c)

    for the tokens c_1 .. c_k that the candidate has where it stands. `width` cuts and fills every sequence to so many
    tokens, padding attended to: with `first-token`, the way of published code, and wrong.
    """
    for chunk in chunks(blanks, lambda blank: len(blank.candidates), CHUNK):
        asked = [(number, word, blank.filled(word)) for number, blank in chunk for word in blank.candidates]
        placed = _place([sentence for _, _, sentence in asked], engine.tokens, by_word=masks == "word")
        probes = [_probes(place, engine, rule, width) if isinstance(place, _Placed) else [] for place in placed]
        answers = iter(engine.ask([probe for found in probes for probe in found]))
        rows = []
        for (number, word, _), place, found in zip(asked, placed, probes, strict=True):
            values = [float(value) for answer in islice(answers, len(found)) for value in answer]
            if isinstance(place, str):
                rows.append(Filled(number, word, [], lost=place))
            else:
                tokens = engine.tokens.words(place.pieces.ids[n] for n in place.target)
                lost = "" if found else engine.unfit(place.pieces.ids) or "the candidate was cut off"
                unknown = engine.tokens.unknown(place.pieces, asked[len(rows)][2].text)
                rows.append(Filled(number, word, tokens, sum(values) if found else None, lost=lost, unknown=unknown))
        yield filled_table(rows)


def probes_of_tokens(pieces: Pieces, mask: int | None) -> list[Probe]:
    """Each token hidden in turn, or, without a mask, all seen."""
    places = [place for place, span in enumerate(pieces.spans) if span is not None]
    if mask is None:
        return [Probe(pieces.ids, tuple((place, pieces.ids[place]) for place in places))] if places else []
    return [
        Probe((*pieces.ids[:place], mask, *pieces.ids[place + 1 :]), ((place, pieces.ids[place]),)) for place in places
    ]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A sentence as tokens, and which of them the candidate and the hidden words are."""

    pieces: Pieces
    target: range
    hidden: tuple[range, ...]
    by_word: bool
    """One mask for a hidden word, however many tokens it has."""


def _place(sentences: Sequence[Sentence], tokens: Tokens, *, by_word: bool) -> list[_Placed | str]:
    """Where the words stand among the tokens, or why that cannot be said."""
    texts = list(dict.fromkeys(sentence.text for sentence in sentences))
    whole = dict(zip(texts, tokens.encode(texts), strict=True))
    return [_placed(sentence, whole[sentence.text], tokens, by_word=by_word) for sentence in sentences]


def _placed(sentence: Sentence, whole: Pieces, tokens: Tokens, *, by_word: bool) -> _Placed | str:
    hidden = [word for span in sentence.hidden for word in (_words(sentence.text, span) if by_word else [span])]
    spans = [sentence.span, *hidden, *sentence.apart]
    candidate = sentence.text[slice(*sentence.span)]
    pieces: Pieces | None = whole
    cuts: set[int] = set()
    while pieces and (crossed := {edge for span in spans if not tokens.covering(pieces, span) for edge in span} - cuts):
        cuts |= crossed
        pieces = tokens.encode_apart(sentence.text, cuts)
    places = [tokens.covering(pieces, span) for span in spans] if pieces else []
    if not pieces or not all(places):
        unformed = next((s for s, place in zip(spans, places, strict=False) if not place), sentence.span)
        return (
            f"the tokenizer cannot form {sentence.text[slice(*unformed)]!r} here: its tokens run into their neighbours"
        )
    target, *others = (place for place in places[: len(hidden) + 1] if place)
    if any(pieces.ids[n] == tokens.unknown_id for n in target):
        return f"the tokenizer does not know {candidate!r}"
    return _Placed(pieces, target, tuple(others), by_word)


def _words(text: str, span: Span) -> list[Span]:
    return [(match.start(), match.end()) for match in re.compile(r"\S+").finditer(text, *span)]


def _probes(place: _Placed, engine: Engine, rule: str, width: int | None) -> list[Probe]:
    """Nothing for a sentence that the model cannot read, or whose candidate was cut off."""
    mask = engine.tokens.mask_id
    assert mask is not None
    covered = {n: range_ for range_ in place.hidden for n in range_}
    ids: list[int] = []
    at: list[int] = []
    for n, number in enumerate(place.pieces.ids):
        if n in place.target:
            if rule != "first-token" or n == place.target.start:
                at.append(len(ids))
                ids.append(mask)
        elif n not in covered:
            ids.append(number)
        elif not place.by_word or n == covered[n].start:
            ids.append(mask)
    if width is not None:
        kept = ids if len(ids) <= width else [*ids[: width - len(engine.tokens.behind)], *engine.tokens.behind]
        padding = engine.network.tokenizer.pad_token_id
        ids = [*kept, *[padding] * (width - len(kept))]
        if at[0] >= len(kept) - len(engine.tokens.behind):
            return []
    if engine.unfit(ids):
        return []
    words = [place.pieces.ids[n] for n in place.target]
    if rule != "left-to-right":
        return [Probe(tuple(ids), tuple(zip(at, words, strict=False)))]
    probes = []
    for position, number in zip(at, words, strict=True):
        probes.append(Probe(tuple(ids), ((position, number),)))
        ids[position] = number
    return probes
