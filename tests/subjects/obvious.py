"""What a language model answers, worked out the slow and obvious way: one sentence, one pass, the whole vocabulary.

A second opinion for the tests. Nothing is batched, padded or hooked, and the pieces that make up a candidate are found
without the tokenizer's offsets: the words are cut into pieces one by one and laid along the characters of the text.
`None` stands for a lost number: the text is longer than the model, or the candidate has no piece or an unknown one.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import torch
from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForPreTraining, AutoTokenizer

Span = tuple[int, int]


class Piece(NamedTuple):
    """A token and the characters of the text it stands for, spaces left out; start == end for a lone space marker."""

    token: str
    id: int
    start: int
    end: int


class TokenScore(NamedTuple):
    token: str
    start: int
    end: int
    log_p: float
    attention: float | None


class TokenLogit(NamedTuple):
    token: str
    start: int
    end: int
    logit: float


def fill(
    folder: Path,
    text: str,
    span: Span,
    candidates: Sequence[str],
    hidden: Sequence[Span] = (),
    rule: str = "independent",
    masks: str = "token",
) -> list[float | None]:
    """log P of each candidate in place of the span, by a masked model."""
    return [_fill_one(folder, text, span, candidate, hidden, rule, masks) for candidate in candidates]


def candidate_tokens(folder: Path, text: str, span: Span, candidate: str, hidden: Sequence[Span] = ()) -> list[str]:
    """The pieces that make up the candidate where it stands."""
    new_text, (place, *others) = put(text, [(span, candidate), *((each, _at(text, each)) for each in hidden)])
    pieces = pieces_apart(_tokenizer(folder), new_text, [place, *others])
    return [pieces[number].token for number in _inside(pieces, place)]


def fill_causal(
    folder: Path,
    text: str,
    span: Span,
    candidates: Sequence[str],
    hidden: Sequence[Span] = (),
    neutral: str = "person",
) -> tuple[list[float | None], list[float | None]]:
    """For each candidate its share among the candidates, as a logarithm, and log P of the whole sentence."""
    sentences = []
    for candidate in candidates:
        new_text, _ = put(text, [(span, candidate), *((each, neutral) for each in hidden)])
        scores = token_scores(folder, new_text, masking="left")
        sentences.append(None if scores is None else sum(score.log_p for score in scores))
    known = [sentence for sentence in sentences if sentence is not None]
    every = torch.logsumexp(torch.tensor(known, dtype=torch.float64), 0).item() if known else 0.0
    return [None if sentence is None else sentence - every for sentence in sentences], sentences


def token_scores(folder: Path, text: str, masking: str = "each", attentions: bool = False) -> list[TokenScore] | None:
    """log P of every token of the text: itself masked ("each"), nothing masked ("none"), or given its left ("left").

    The attention is taken from the same pass as log P: mean over layers, heads and query positions.
    """
    tokenizer = _tokenizer(folder)
    pieces = pieces_apart(tokenizer, text, [])
    before, after = special_tokens(tokenizer)
    if masking == "left":
        first = tokenizer.eos_token_id if tokenizer.bos_token_id is None else tokenizer.bos_token_id
        before = before if before[:1] == [first] else [first, *before]
    ids = [*before, *(piece.id for piece in pieces), *after]
    model = _causal(folder) if masking == "left" else _masked(folder)
    if not pieces or len(ids) > longest(tokenizer, model):
        return None
    scores = []
    for place, piece in enumerate(pieces, start=len(before)):
        asked = list(ids)
        if masking == "each":
            asked[place] = tokenizer.mask_token_id
        output = _run(model, asked, attentions)
        row = place - 1 if masking == "left" else place
        log_p = output.logits[0, row].double().log_softmax(-1)[piece.id].item()
        scores.append(
            TokenScore(piece.token, piece.start, piece.end, log_p, _attention(output, place) if attentions else None)
        )
    return scores


def replaced_tokens(folder: Path, text: str) -> list[TokenLogit] | None:
    """A discriminator's logit for every token: how much it looks replaced."""
    tokenizer, model = _tokenizer(folder), _discriminator(folder)
    pieces = pieces_apart(tokenizer, text, [])
    before, after = special_tokens(tokenizer)
    ids = [*before, *(piece.id for piece in pieces), *after]
    if not pieces or len(ids) > longest(tokenizer, model):
        return None
    logits = _run(model, ids).logits[0, len(before) :]
    return [
        TokenLogit(piece.token, piece.start, piece.end, logits[number].item()) for number, piece in enumerate(pieces)
    ]


def _fill_one(
    folder: Path, text: str, span: Span, candidate: str, hidden: Sequence[Span], rule: str, masks: str
) -> float | None:
    tokenizer, model = _tokenizer(folder), _masked(folder)
    new_text, (place, *others) = put(text, [(span, candidate), *((each, _at(text, each)) for each in hidden)])
    pieces = pieces_apart(tokenizer, new_text, [place, *others])
    candidate_numbers = _inside(pieces, place)
    candidate_ids = [pieces[number].id for number in candidate_numbers]
    if not candidate_ids or tokenizer.unk_token_id in candidate_ids:
        return None

    mask = tokenizer.mask_token_id
    instead = {number: [piece.id] for number, piece in enumerate(pieces)}
    for each in others:
        numbers = _inside(pieces, each)
        for number in numbers:
            instead[number] = [mask] if masks == "token" else []
        if masks == "word" and numbers:
            instead[numbers[0]] = [mask] * len(_at(new_text, each).split())

    before, after = special_tokens(tokenizer)
    ids = list(before)
    places = []
    for number in range(len(pieces)):
        if number in candidate_numbers:
            places.append(len(ids))
        ids += instead[number]
    ids += after
    if len(ids) > longest(tokenizer, model):
        return None

    total = 0.0
    for done, (position, token) in enumerate(zip(places, candidate_ids, strict=True)):
        asked = list(ids)
        for masked in places if rule == "independent" else places[done:]:
            asked[masked] = mask
        total += _run(model, asked).logits[0, position].double().log_softmax(-1)[token].item()
    return total


def put(text: str, edits: Sequence[tuple[Span, str]]) -> tuple[str, list[Span]]:
    """The text with each span replaced, and where the replacements stand, in the order given."""
    new_text, done, spans = "", 0, {}
    for (start, end), words in sorted(edits):
        new_text += text[done:start]
        spans[start, end] = (len(new_text), len(new_text) + len(words))
        new_text += words
        done = end
    return new_text + text[done:], [spans[span] for span, _ in edits]


def pieces_apart(tokenizer: Any, text: str, spans: Sequence[Span]) -> list[Piece]:
    """The pieces of the text, none of which reaches over the edge of a span.

    A span that a piece reaches out of is tokenised by itself, and so is what stands left and right of it. The space in
    front of a part belongs to that part; a part without one gets no `▁` in front.
    """
    cuts: set[int] = set()
    while True:
        edges = [0, *sorted(cuts), len(text)]
        pieces = [
            Piece(piece.token, piece.id, piece.start + start, piece.end + start)
            for start, end in pairwise(edges)
            for piece in _pieces(tokenizer, text[start:end], within=start > 0 and not text[start].isspace())
        ]
        if not cuts:
            whole = tokenizer(text, add_special_tokens=False)["input_ids"]
            assert [piece.id for piece in pieces] == whole, (text, pieces, whole)
        crossed = {
            edge
            for span in spans
            if any(_reaches_over(piece, edge) for piece in pieces for edge in span)
            for edge in span
        }
        new = {len(text[:edge].rstrip()) for edge in crossed} - {0, len(text)} - cuts
        if not new:
            return pieces
        cuts |= new


def _pieces(tokenizer: Any, text: str, *, within: bool) -> Iterator[Piece]:
    """Walks the words of a text, and the pieces of each word, along the bytes of the text."""
    kind = _kind(tokenizer)
    bytes_left = [
        (byte, source)
        for character, source in _normalised(text, _normaliser(tokenizer))
        if not kind.is_blank(character)
        for byte in character.encode()
    ]
    at = 0
    for number, word in enumerate(_words(tokenizer, text)):
        bare = word.removeprefix("▁") if within and number == 0 and kind.metaspace else word
        for token, identity, surface in _cut(tokenizer, kind, bare):
            covered = bytes_left[: len(surface)]
            assert bytes(byte for byte, _ in covered) == surface, (text, token, surface, covered)
            del bytes_left[: len(surface)]
            sources = [source for _, source in covered]
            start, at = (min(sources), max(sources) + 1) if sources else (at, at)
            yield Piece(token, identity, start, at)
    assert not bytes_left, (text, bytes_left)


def _words(tokenizer: Any, text: str) -> list[str]:
    if not tokenizer.is_fast:
        return list(tokenizer.word_tokenizer.tokenize(text))
    pre_tokenizer = tokenizer.backend_tokenizer.pre_tokenizer
    return [word for word, _ in pre_tokenizer.pre_tokenize_str(_normaliser(tokenizer)(text)) if word]


def _cut(tokenizer: Any, kind: "_Kind", word: str) -> Iterator[tuple[str, int, bytes]]:
    """The pieces of a word: token, number, and the bytes of the text it stands for, without blanks."""
    if tokenizer.is_fast:
        cut = [(piece.value, piece.id) for piece in tokenizer.backend_tokenizer.model.tokenize(word)] if word else []
    else:
        tokens = tokenizer.subword_tokenizer.tokenize(word)
        cut = list(zip(tokens, tokenizer.convert_tokens_to_ids(tokens), strict=True))
    for token, identity in cut:
        name = tokenizer.convert_ids_to_tokens(identity)
        if kind.byte_level:
            yield name, identity, bytes(_BYTE[character] for character in token).translate(None, _BLANK_BYTES)
        elif kind.byte_fallback and name.startswith("<0x"):
            yield name, identity, bytes([int(name[3:-1], 16)])
        else:
            # An unknown piece of Unigram carries its characters; that of WordPiece is the whole word.
            shown = word if token == tokenizer.unk_token else token.removeprefix("##") if kind.wordpiece else token
            yield name, identity, "".join(each for each in shown if not kind.is_blank(each)).encode()


def _normalised(text: str, normalise: Callable[[str], str]) -> Iterable[tuple[str, int]]:
    """Every character of the normalised text with the number of the character that it comes from."""
    sources: list[int] = []
    for number in range(len(text)):
        sources += [number] * (len(normalise(text[: number + 1])) - len(sources))
    return zip(normalise(text), sources, strict=False)


def _normaliser(tokenizer: Any) -> Callable[[str], str]:
    if not tokenizer.is_fast:
        return lambda text: unicodedata.normalize("NFKC", text)
    normalizer = tokenizer.backend_tokenizer.normalizer
    return normalizer.normalize_str if normalizer else lambda text: text


def _reaches_over(piece: Piece, edge: int) -> bool:
    return piece.start < edge < piece.end


def _inside(pieces: Sequence[Piece], span: Span) -> list[int]:
    """The numbers of the pieces from the first to the last that stands for a character of the span.

    A lone space marker just before them is the space of the word, and counts as its first piece.
    """
    touching = [number for number, piece in enumerate(pieces) if max(piece.start, span[0]) < min(piece.end, span[1])]
    if not touching:
        return []
    spaced = touching[0] > 0 and pieces[touching[0] - 1].token in ("▁", "Ġ")
    return list(range(touching[0] - spaced, touching[-1] + 1))


def _at(text: str, span: Span) -> str:
    return text[span[0] : span[1]]


def special_tokens(tokenizer: Any) -> tuple[list[int], list[int]]:
    """What the tokenizer puts before a text, and what after it."""
    bare, whole = (list(tokenizer("a", add_special_tokens=special)["input_ids"]) for special in (False, True))
    before = next(start for start in range(len(whole) - len(bare) + 1) if whole[start : start + len(bare)] == bare)
    return whole[:before], whole[before + len(bare) :]


def longest(tokenizer: Any, model: Any) -> int:
    """How many tokens the model can read, special ones included."""
    unused = model.config.pad_token_id + 1 if "roberta" in model.config.model_type else 0
    return int(min(tokenizer.model_max_length, model.config.max_position_embeddings - unused))


def _run(model: Any, ids: list[int], attentions: bool = False) -> Any:
    with torch.inference_mode():
        return model(input_ids=torch.tensor([ids]), **({"output_attentions": True} if attentions else {}))


def _attention(output: Any, place: int) -> float | None:
    """Mean weight on a place over layers, heads and query positions; none in a model without attention."""
    layers = getattr(output, "attentions", None)
    return torch.stack(layers)[..., place].double().mean().item() if layers else None


class _Kind(NamedTuple):
    """What a tokenizer's pieces look like."""

    metaspace: bool
    wordpiece: bool
    byte_level: bool
    byte_fallback: bool

    def is_blank(self, character: str) -> bool:
        """Whether the character is a space to this tokenizer; to those with bytes, the wider spaces are not."""
        if self.byte_level:
            return character in _BLANK_BYTES.decode()
        if self.byte_fallback:
            return character in " ▁"
        return character.isspace() or (self.metaspace and character == "▁")


def _kind(tokenizer: Any) -> _Kind:
    if not tokenizer.is_fast:
        return _Kind(metaspace=False, wordpiece=True, byte_level=False, byte_fallback=False)
    made = json.loads(tokenizer.backend_tokenizer.to_str())
    splits = json.dumps(made["pre_tokenizer"])
    return _Kind(
        metaspace="Metaspace" in splits,
        wordpiece=made["model"]["type"] == "WordPiece",
        byte_level="ByteLevel" in splits,
        byte_fallback=bool(made["model"].get("byte_fallback")),
    )


_BLANK_BYTES = b" \t\n\r\f\v"

# Byte-level BPE writes a printable byte as itself and the others, in order, as the characters from U+0100 on.
_PRINTABLE = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_OTHERS = [byte for byte in range(256) if byte not in _PRINTABLE]
_BYTE = {chr(byte): byte for byte in _PRINTABLE} | {chr(256 + number): byte for number, byte in enumerate(_OTHERS)}


@cache
def _tokenizer(folder: Path) -> Any:
    return AutoTokenizer.from_pretrained(folder)


@cache
def _masked(folder: Path) -> Any:
    return _load(AutoModelForMaskedLM, folder)


@cache
def _causal(folder: Path) -> Any:
    return _load(AutoModelForCausalLM, folder)


@cache
def _discriminator(folder: Path) -> Any:
    return _load(AutoModelForPreTraining, folder)


def _load(kind: Any, folder: Path) -> Any:
    return kind.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager").eval()
