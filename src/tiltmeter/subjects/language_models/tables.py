"""The tables that language models answer with."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar, cast

import polars as pl
from scipy.special import logsumexp

Entry = TypeVar("Entry")
Columns = dict[str, pl.DataType | type[pl.DataType]]


def whole_sentences(neutral: str | None) -> str:
    """How a causal model was asked, in words; `neutral` is what stands in for what is hidden, if anything is."""
    prior = f"; the prior is the same sentence with {neutral!r} in place of what is hidden" if neutral else ""
    return (
        "A causal model: probabilities are those of whole sentences, normalised over the candidates"
        f"{prior}. Not comparable with masked models."
    )


@dataclass(frozen=True, slots=True)
class Filled:
    """A candidate at a blank. `log_p` is a natural logarithm; `lost` says why there is none."""

    blank: int
    candidate: str
    tokens: list[str]
    log_p: float | None = None
    log_p_sentence: float | None = None
    """Of the whole sentence; causal models only."""
    lost: str = ""
    unknown: str = ""
    """What of the sentence the tokenizer does not know."""


@dataclass(frozen=True, slots=True)
class TokenScore:
    """A token of a text, or one row without a token for a text that was not asked."""

    text: int
    token: str | None = None
    start: int | None = None
    end: int | None = None
    log_p: float | None = None
    attention: float | None = None
    logit: float | None = None
    lost: str = ""


def filled_table(rows: Sequence[Filled]) -> pl.DataFrame:
    schema: Columns = {
        "blank": pl.Int64,
        "candidate": pl.String,
        "tokens": pl.List(pl.String),
        "log_p": pl.Float64,
        "log_p_sentence": pl.Float64,
        "lost": pl.String,
        "unknown": pl.String,
    }
    return _table(rows, schema)


def scores_table(rows: Sequence[TokenScore]) -> pl.DataFrame:
    schema: Columns = {
        "text": pl.Int64,
        "token": pl.String,
        "start": pl.Int64,
        "end": pl.Int64,
        "log_p": pl.Float64,
        "attention": pl.Float64,
        "logit": pl.Float64,
        "lost": pl.String,
    }
    return _table(rows, schema)


def _table(rows: Sequence[Filled] | Sequence[TokenScore], schema: Columns) -> pl.DataFrame:
    """Column by column: with millions of rows a dictionary for each would take longer than a small model does."""
    return pl.DataFrame({name: [getattr(row, name) for row in rows] for name in schema}, schema=schema)


def among_candidates(rows: Sequence[Filled]) -> list[Filled]:
    """Normalises the sentences' probabilities over the candidates of each blank, unless one of them is lost."""
    blanks: dict[int, list[Filled]] = {}
    for row in rows:
        blanks.setdefault(row.blank, []).append(row)
    found = []
    for together in blanks.values():
        values = [row.log_p_sentence for row in together if row.log_p_sentence is not None]
        if len(values) == len(together):
            total = float(logsumexp(values))
            found += [replace(row, log_p=cast(float, row.log_p_sentence) - total) for row in together]
        else:
            reason = next(row.lost for row in together if row.lost)
            found += [
                row if row.lost else replace(row, lost=f"lost with another candidate: {reason}") for row in together
            ]
    return found


def chunks(entries: Iterable[Entry], size: Callable[[Entry], int], limit: int) -> Iterator[list[tuple[int, Entry]]]:
    """Entries with their numbers, in lists whose sizes add up to no more than the limit (a larger one stays alone)."""
    chunk: list[tuple[int, Entry]] = []
    total = 0
    for number, entry in enumerate(entries):
        if chunk and total + size(entry) > limit:
            yield chunk
            chunk, total = [], 0
        chunk.append((number, entry))
        total += size(entry)
    if chunk:
        yield chunk
