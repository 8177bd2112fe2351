"""A model of transformers as a subject."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.subjects.language_models import causal, masked
from tiltmeter.subjects.language_models.blank import Blank
from tiltmeter.subjects.language_models.engine import CHUNK, ENGINE, Engine, Probe
from tiltmeter.subjects.language_models.network import Line
from tiltmeter.subjects.language_models.tables import TokenScore, chunks, scores_table, whole_sentences
from tiltmeter.subjects.language_models.tokens import Pieces

RULES = ("independent", "left-to-right", "first-token")
MASKS = ("token", "word")
MASKINGS = {"masked": ("each", "none"), "causal": ("left",)}
_CAPABILITIES = {
    "masked": frozenset({"fill", "token_scores"}),
    "causal": frozenset({"fill", "token_scores"}),
    "discriminator": frozenset({"replaced_tokens"}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageModel:
    """A masked or causal language model, or a discriminator.

    Masked models give the probability of a word at a hidden place, over the whole vocabulary; causal ones that of
    a sentence, over the candidates. The two are not comparable, and no result ranks one against the other.
    """

    name: str
    fingerprint: str
    lang: str | None
    origin: Mapping[str, Any]
    asked: Engine

    engine = ENGINE
    packages = ("torch", "transformers", "tokenizers")
    to_fetch = 0

    @property
    def kind(self) -> str:
        return self.asked.checkpoint.kind

    @property
    def capabilities(self) -> frozenset[str]:
        return _CAPABILITIES[self.kind]

    def fill(
        self,
        blanks: Iterable[Blank],
        *,
        rule: str = "independent",
        masks: str = "token",
        width: int | None = None,
    ) -> Iterator[pl.DataFrame]:
        """How probable every candidate is at its blank, table by table in the blanks' order.

        Columns: blank (its number), candidate, tokens, log_p (natural), log_p_sentence (causal models), lost. A
        masked model follows `rule` for words of several tokens, and hides each `token` or each `word` of what is
        hidden under a mask; a causal one reads the whole sentence and needs neither. `width` is for the numbers of
        published code: see `masked.fill`.
        """
        _check("rule", rule, RULES)
        _check("masks", masks, MASKS)
        self._check_capability("fill")
        if self.kind == "causal":
            return causal.fill(self.asked, blanks)
        self._mask_token()
        return masked.fill(self.asked, blanks, rule=rule, masks=masks, width=width)

    def describe_fill(self, *, rule: str, neutral: str | None) -> str:
        """How `fill` was asked, in words."""
        tokens = self.asked.tokens
        if self.kind == "causal":
            first = causal.beginning(tokens.encode(["a"])[0], self.asked).ids[: len(tokens.before) or 1]
            return f"{whole_sentences(neutral)} Every sentence begins with {' '.join(tokens.words(first))}."
        several = {"independent": "all hidden at once", "left-to-right": "each given those before it"}[rule]
        around = " ".join([*tokens.words(tokens.before), "...", *tokens.words(tokens.behind)])
        return (
            f"Probabilities are over the whole vocabulary, of sentences as {around}; what is hidden "
            f"is one {tokens.tokenizer.mask_token} a token. Words of several tokens: {rule} ({several}), summed. "
            "Tokens are those that the model's own tokenizer makes of the word where it stands."
        )

    def token_scores(
        self, texts: Iterable[str], *, masking: str | None = None, attentions: bool = False
    ) -> Iterator[pl.DataFrame]:
        """How probable each token of a text is: `each` hidden in turn, `none` hidden, or, for causal models, `left`:
        given those to its left.

        Columns: text (its number), token, start, end, log_p, attention, lost. `attentions` adds the weight that the
        token receives in the text as it stands, as the mean over layers, heads and attending positions.
        """
        self._check_capability("token_scores")
        masking = masking or MASKINGS[self.kind][0]
        _check("masking", masking, MASKINGS[self.kind])
        line = partial(causal.beginning, engine=self.asked) if self.kind == "causal" else _as_it_is
        if self.kind == "causal":
            probes: Callable[[Pieces], list[Probe]] = causal.probes_of_tokens
        else:
            probes = partial(masked.probes_of_tokens, mask=self._mask_token() if masking == "each" else None)
        asked = {"log_p": ("log_probabilities", probes)}
        if attentions:
            asked["attention"] = ("attentions", partial(masked.probes_of_tokens, mask=None))
        return self._scores(texts, line, asked)

    def replaced_tokens(self, texts: Iterable[str]) -> Iterator[pl.DataFrame]:
        """A discriminator's logit for each token: above 0 it holds the token for a replaced one.

        Columns: text (its number), token, start, end, logit, lost.
        """
        self._check_capability("replaced_tokens")
        return self._scores(texts, _as_it_is, {"logit": ("replaced", partial(masked.probes_of_tokens, mask=None))})

    def estimated_seconds(self, questions: int) -> float:
        """From the time that sentences of sixteen tokens take."""
        network, count = self.asked.network, 32
        lines = [Line(tuple(range(16)), (((1, 1),),))] * count
        ask = network.replaced if self.kind == "discriminator" else network.log_probabilities
        start = time.perf_counter()
        ask(lines)
        return (time.perf_counter() - start) / count * questions

    def _scores(
        self,
        texts: Iterable[str],
        line: Callable[[Pieces], Pieces],
        asked: Mapping[str, tuple[str, Callable[[Pieces], list[Probe]]]],
    ) -> Iterator[pl.DataFrame]:
        """One row a token, one column for everything that is asked about it."""
        for chunk in chunks(texts, len, CHUNK):
            lines = [line(pieces) for pieces in self.asked.tokens.encode([text for _, text in chunk])]
            fitting = [pieces for pieces in lines if not self.asked.unfit(pieces.ids)]
            columns = {
                column: iter(
                    [
                        float(value)
                        for values in self.asked.ask([probe for pieces in fitting for probe in probes(pieces)], what)
                        for value in values
                    ]
                )
                for column, (what, probes) in asked.items()
            }
            rows: list[TokenScore] = []
            for (number, _), pieces in zip(chunk, lines, strict=True):
                spans = [(n, span) for n, span in enumerate(pieces.spans) if span is not None]
                if reason := self.asked.unfit(pieces.ids):
                    rows.append(TokenScore(number, lost=reason))
                elif not spans:
                    rows.append(TokenScore(number, lost="there is no token in the text"))
                else:
                    for n, (start, end) in spans:
                        token = self.asked.tokens.words([pieces.ids[n]])[0]
                        values: dict[str, Any] = {column: next(found) for column, found in columns.items()}
                        rows.append(TokenScore(number, token, start, end, **values))
            yield scores_table(rows)

    def _check_capability(self, capability: str) -> None:
        if capability not in self.capabilities:
            raise TiltmeterError(f"{self.name} is a {self.kind} model, which does not offer {capability}")

    def _mask_token(self) -> int:
        mask: int | None = self.asked.network.tokenizer.mask_token_id
        if mask is None:
            raise TiltmeterError(f"the tokenizer of {self.name} has no mask token, so nothing can be hidden from it")
        return mask


def _as_it_is(pieces: Pieces) -> Pieces:
    return pieces


def _check(what: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        raise unknown(what, value, known)
