"""Which tokens make up which characters of a text, by the model's own tokenizer."""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.language import segmenter
from tiltmeter.subjects.language_models.blank import Span


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text as token ids, special tokens included.

    `spans` says where each stands, without the space that many tokens begin with; None for special tokens.
    """

    ids: tuple[int, ...]
    spans: tuple[Span | None, ...]


@dataclass(frozen=True)
class Tokens:
    """A tokenizer of transformers, with what is added to it here: characters for every token."""

    tokenizer: Any
    pre_segment: str = "none"

    def encode(self, texts: Sequence[str]) -> list[Pieces]:
        """The texts as they stand, with the special tokens that the tokenizer puts around them."""
        return [self._between_special(pieces) for pieces in self._plain(texts)]

    def encode_apart(self, text: str, cuts: Iterable[int]) -> Pieces | None:
        """The text with no token across a cut: its parts are tokenised one by one.

        For scripts that are written without spaces, where a tokenizer may join a word with its neighbour. None
        where a cut goes through a word of another script, or the tokenizer puts a space where there is none.
        """
        # The space before a word belongs to it, as in the tokenizers that know spaces.
        edges = sorted({0, len(text), *(len(text[:cut].rstrip()) for cut in cuts)})
        if any(_inside_word(text, cut) for cut in edges[1:-1]):
            return None
        if self.pre_segment != "none":
            (found,) = self._segmented([[text[a:b] for a, b in pairwise(edges)]])
            return self._between_special(found)
        ids: list[int] = list(self.before)
        spans: list[Span | None] = [None] * len(ids)
        for start, end in pairwise(edges):
            part = text[start:end]
            pieces = self._plain([part])[0] if start == 0 else self._after_no_space(part)
            if pieces is None:
                return None
            ids += pieces.ids
            spans += [(span[0] + start, span[1] + start) for span in pieces.spans if span]
        return Pieces((*ids, *self.behind), (*spans, *(None for _ in self.behind)))

    def covering(self, pieces: Pieces, span: Span) -> range | None:
        """The places of the tokens that make up a span of the text; None if one of them reaches beyond it."""
        start, end = span
        inside = [n for n, where in enumerate(pieces.spans) if where and where[0] < end and where[1] > start]
        if not inside:
            return None
        edges = [edge for n in inside for edge in pieces.spans[n] or ()]
        if min(edges) < start or max(edges) > end:
            return None
        # A token that is nothing but the space before a word is a part of it, as it is of `▁word`.
        first = inside[0]
        spaced = first > 0 and pieces.spans[first - 1] is not None and pieces.ids[first - 1] in self.spaces
        return range(first - spaced, inside[-1] + 1)

    def words(self, ids: Iterable[int]) -> list[str]:
        found: list[str] = self.tokenizer.convert_ids_to_tokens(list(ids))
        return found

    def unknown(self, pieces: Pieces, text: str) -> str:
        """What of a text the tokenizer does not know, separated by spaces."""
        if self.unknown_id not in pieces.ids:
            return ""
        spans = [where for where, n in zip(pieces.spans, pieces.ids, strict=True) if where and n == self.unknown_id]
        return " ".join(dict.fromkeys(text[slice(*span)] for span in spans))

    def refuse_special(self, text: str) -> None:
        """A text may not pass for more than text."""
        for token in self._special:
            if token in text:
                raise TiltmeterError(f"the text {text!r} holds {token}, which the model reads as a special token")

    @cached_property
    def before(self) -> tuple[int, ...]:
        """Special tokens in front of a text."""
        return self._around[0]

    @cached_property
    def behind(self) -> tuple[int, ...]:
        return self._around[1]

    @cached_property
    def space(self) -> str:
        """How a space is written inside tokens: `▁` by SentencePiece, `Ġ` by byte-level tokenizers, or not at all."""
        last = self.words(self.tokenizer("a a", add_special_tokens=False)["input_ids"])[-2:]
        return next((mark for mark in "▁Ġ" if any(token.startswith(mark) for token in last)), " ")

    @cached_property
    def spaces(self) -> frozenset[int]:
        """Tokens that are nothing but a space."""
        vocabulary: dict[str, int] = self.tokenizer.get_vocab()
        return frozenset(number for token, number in vocabulary.items() if token and not token.strip(self.space))

    # Kept, since transformers looks for each of them anew whenever it is asked.

    @cached_property
    def mask_id(self) -> int | None:
        number: int | None = self.tokenizer.mask_token_id
        return number

    @cached_property
    def unknown_id(self) -> int | None:
        """GPT-2 calls the token that ends a text unknown, though byte-level tokenizers know everything."""
        number: int | None = self.tokenizer.unk_token_id
        return None if number == self.tokenizer.eos_token_id else number

    @cached_property
    def _special(self) -> tuple[str, ...]:
        return tuple(self.tokenizer.all_special_tokens)

    @cached_property
    def _around(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        whole = self.tokenizer("a", add_special_tokens=True)["input_ids"]
        plain = self.tokenizer("a", add_special_tokens=False)["input_ids"]
        places = [n for n in range(len(whole) - len(plain) + 1) if whole[n : n + len(plain)] == plain]
        start = places[0]
        return tuple(whole[:start]), tuple(whole[start + len(plain) :])

    def _plain(self, texts: Sequence[str]) -> list[Pieces]:
        """Without special tokens."""
        for text in texts:
            self.refuse_special(text)
        if self.pre_segment == "none":
            return self._tokenised(texts)
        return self._segmented([[text] for text in texts])

    def _segmented(self, texts: Sequence[Sequence[str]]) -> list[Pieces]:
        """Texts, each in parts that no word may join, cut into words first."""
        cut = segmenter(self.pre_segment)
        spaced = [_spaced("".join(parts), [word for part in parts for word in cut(part)]) for parts in texts]
        found = self._tokenised([text for text, _ in spaced])
        return [
            Pieces(pieces.ids, tuple(_original(span, places) for span in pieces.spans if span))
            for pieces, (_, places) in zip(found, spaced, strict=True)
        ]

    def _between_special(self, pieces: Pieces) -> Pieces:
        before, behind = (None,) * len(self.before), (None,) * len(self.behind)
        return Pieces((*self.before, *pieces.ids, *self.behind), (*before, *pieces.spans, *behind))

    def _tokenised(self, texts: Sequence[str]) -> list[Pieces]:
        if not self.tokenizer.is_fast:
            return [self._aligned(text) for text in texts]
        if not texts:
            return []
        encoded = self.tokenizer(list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False)
        return [
            Pieces(tuple(ids), tuple(self._bare(text, *pair) for pair in zip(ids, spans, strict=True)))
            for text, ids, spans in zip(texts, encoded["input_ids"], encoded["offset_mapping"], strict=True)
        ]

    def _bare(self, text: str, number: int, span: Span) -> Span:
        """Where a token stands without its space; a mere space may have been given the place of the next letter."""
        start, end = _trimmed(text, span)
        return (start, start) if number in self.spaces else (start, end)

    def _aligned(self, text: str) -> Pieces:
        """For tokenizers that do not say where their tokens stand; Japanese ones cut words first."""
        unknown = self.tokenizer.unk_token
        if getattr(self.tokenizer, "word_tokenizer", None) is None:
            tokens = self.tokenizer.tokenize(text)
            spans = align(tokens, text, unknown)
        else:
            words = self.tokenizer.word_tokenizer.tokenize(text)
            tokens, spans = [], ()
            for word, (start, end) in zip(words, align(words, text, unknown), strict=True):
                parts = (
                    self.tokenizer.subword_tokenizer.tokenize(word) if self.tokenizer.do_subword_tokenize else [word]
                )
                tokens += parts
                spans += tuple((start + a, start + b) for a, b in align(parts, text[start:end], unknown))
        return Pieces(tuple(self.tokenizer.convert_tokens_to_ids(tokens)), spans)

    def _after_no_space(self, text: str) -> Pieces | None:
        """A part of a text that follows without a space, though SentencePiece puts one before whatever comes first."""
        head, rest = re.fullmatch(r"(\S*)(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
        first, others = self._plain([head, rest])
        if first.ids and self.tokenizer.is_fast and self.words(first.ids[:1])[0].startswith("▁"):
            backend = self.tokenizer.backend_tokenizer
            written = head if backend.normalizer is None else backend.normalizer.normalize_str(head).lstrip("▁")
            found = backend.model.tokenize(written)
            spans = align([token.value for token in found], head, self.tokenizer.unk_token)
            first = Pieces(tuple(token.id for token in found), spans)
        elif first.ids and self.words(first.ids[:1])[0].startswith(self.space):
            return None
        behind = [(span[0] + len(head), span[1] + len(head)) for span in others.spans if span]
        return Pieces((*first.ids, *others.ids), (*first.spans, *behind))


def align(tokens: Sequence[str], text: str, unknown: str) -> tuple[Span, ...]:
    """Where each token stands in the text.

    Both are compared without case, accents and compatibility forms, since tokenizers change those; a token that
    is unknown covers what lies between its neighbours.
    """
    plain, places = _folded(text)
    spans: list[Span | None] = []
    at = 0
    for token in tokens:
        surface = "" if token == unknown else _folded(token.removeprefix("##").strip("▁"))[0]
        found = plain.find(surface, at) if surface else -1
        if found < 0:
            spans.append(None)
            continue
        at = found + len(surface)
        spans.append((places[found], places[at - 1] + 1))
    return tuple(span or _gap(spans, place, text) for place, span in enumerate(spans))


def _gap(spans: Sequence[Span | None], place: int, text: str) -> Span:
    """From the end of the token before to the beginning of the one behind."""
    before = next((span[1] for span in reversed(spans[:place]) if span), 0)
    behind = next((span[0] for span in spans[place + 1 :] if span), len(text))
    return _trimmed(text, (before, behind))


def _trimmed(text: str, span: Span) -> Span:
    """A span without the spaces at its ends."""
    start, end = span
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _folded(text: str) -> tuple[str, list[int]]:
    """Letters without case and marks, and the character of the text that each came from."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFD", unicodedata.normalize("NFKC", character).lower()):
            if not letter.isspace() and unicodedata.category(letter) != "Mn":
                letters.append(letter)
                places.append(place)
    return "".join(letters), places


def _spaced(text: str, words: Iterable[str]) -> tuple[str, list[int]]:
    """The words with spaces between, and the character of the text that each of its characters came from."""
    spaced: list[str] = []
    places: list[int] = []
    at = 0
    for word in words:
        if not word.strip():
            continue
        at = text.find(word, at)
        if at < 0:
            raise TiltmeterError(f"the segmenter wrote {word!r}, which does not stand in {text!r} like that")
        if spaced:
            spaced.append(" ")
            places.append(at)
        spaced += word
        places += range(at, at + len(word))
        at += len(word)
    return "".join(spaced), places


def _original(span: Span, places: Sequence[int]) -> Span:
    start, end = span
    if start == end:  # a space that the tokenizer does not count
        return (places[start], places[start])
    return (places[start], places[end - 1] + 1)


def _inside_word(text: str, cut: int) -> bool:
    """Whether a cut goes through a word of a script that has spaces between words."""
    left, right = text[cut - 1], text[cut]
    return left.isalnum() and right.isalnum() and not (_spaceless(left) or _spaceless(right))


def _spaceless(character: str) -> bool:
    script = unicodedata.name(character, "").partition(" ")[0]
    return unicodedata.east_asian_width(character) in "WF" or script in ("THAI", "LAO", "KHMER", "MYANMAR")
