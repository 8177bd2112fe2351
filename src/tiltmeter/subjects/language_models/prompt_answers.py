"""What a completions server answered: the log-probabilities of the prompt's own tokens.

Servers write tokens in different ways (` He`, `ĠHe`, `▁He`, `<0xE5>`, `bytes:\\xe5`, `�`), and their `text_offset`
cannot be relied on: vLLM counts the characters of `<s>` and of every `�`, SGLang always says -1. So which tokens are
the prompt's is told by the echoed text and the tokens themselves.
"""

import json
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.errors import TiltmeterError


@dataclass(frozen=True, slots=True)
class ServerAnswer:
    """One prompt's score: natural log, summed over the scored tokens."""

    log_p: float
    tokens: tuple[str, ...]
    """The prompt's tokens as the server writes them, without what it puts in front."""
    scored_from: int
    """The first character of the prompt that is scored: 0 when a BOS stands in front, else after the first token."""


def read_answers(content: bytes, prompts: Sequence[str], server: str) -> list[ServerAnswer]:
    """The answers to these prompts, in their order."""
    try:
        body = json.loads(content)
    except (ValueError, RecursionError):
        raise TiltmeterError(f"{server} did not answer with JSON: is it a completions server?") from None
    choices = body.get("choices") if isinstance(body, dict) else None
    if not isinstance(choices, list) or not all(isinstance(choice, dict) for choice in choices):
        raise _wrong(server, "no list of choices")
    in_order = [[choice for choice in choices if choice.get("index") == number] for number in range(len(prompts))]
    if len(choices) != len(prompts) or any(len(found) != 1 for found in in_order):
        raise _wrong(server, f"{len(choices)} choices, not one for each of {len(prompts)} prompts")
    usage = body.get("usage")
    generated = usage.get("completion_tokens") if isinstance(usage, dict) else None
    if isinstance(generated, int) and generated > len(prompts):
        raise _wrong(server, f"{generated} new tokens where one a prompt was asked for")
    return [
        _answer(choice, prompt, server, only_prompt=generated == 0)
        for (choice,), prompt in zip(in_order, prompts, strict=True)
    ]


def _answer(choice: dict[str, Any], prompt: str, server: str, *, only_prompt: bool) -> ServerAnswer:
    tokens, values = _columns(choice, server)
    text = choice.get("text")
    _, echo, new_text = text.partition(prompt) if isinstance(text, str) else ("", "", "")
    # We asked for one new token. A server that makes none ends with the prompt's last token.
    if tokens and not (only_prompt or (not new_text and _ends(prompt, tokens[-1]))):
        tokens, values = tokens[:-1], values[:-1]
    front = 0
    while front < len(tokens) and _SPECIAL.fullmatch(tokens[front]) and _reach(tokens[front], prompt) is None:
        front += 1
    tokens, values = tokens[front:], values[front:]
    if not echo or not tokens:
        raise TiltmeterError(
            f"{server} gives no log-probabilities of the prompt, so nothing can be measured there: it has to honour "
            "`echo` together with `logprobs`, as vLLM's completions do"
        )
    reach = _reach(tokens[0], prompt)
    if reach is None:
        raise _wrong(server, f"a first token {tokens[0][:40]!r} that does not begin the text {prompt[:40]!r}")
    unscored = front == 0 and values[0] is None
    scored = [_log_probability(value, server) for value in values[unscored:]]
    return ServerAnswer(math.fsum(scored), tuple(tokens), reach if unscored else 0)


def _columns(choice: dict[str, Any], server: str) -> tuple[list[str], list[object]]:
    logprobs = choice.get("logprobs") or {}
    if not isinstance(logprobs, dict):
        raise _wrong(server, "log-probabilities that are no object")
    tokens, values = logprobs.get("tokens") or [], logprobs.get("token_logprobs") or []
    if not isinstance(tokens, list) or not isinstance(values, list) or len(tokens) != len(values):
        raise _wrong(server, "tokens without a log-probability each")
    if not all(isinstance(token, str) for token in tokens):
        raise _wrong(server, "a token that is no text")
    # Half of a surrogate pair is valid JSON, but it cannot be stored.
    return [token.encode("utf-8", "replace").decode() for token in tokens], values


def _log_probability(value: object, server: str) -> float:
    # Half-precision servers overshoot 0 by rounding.
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e6 < value < 1e-3:
        raise _wrong(server, f"{str(value)[:40]!r} where a log-probability stands")
    return min(0.0, float(value))


def _wrong(server: str, what: str) -> TiltmeterError:
    return TiltmeterError(f"{server} answered with {what}, so the answer was not used")


_SPECIAL = re.compile(r"<(?!0x[0-9A-F]{2}>).+>|\[.+\]|", re.DOTALL)
"""`<s>`, `<|endoftext|>`, `[gMASK]`, or nothing where the server hides it."""


def _reach(token: str, prompt: str) -> int | None:
    """How many of the prompt's first characters the token touches; None if the prompt does not begin with it."""
    raw = prompt.encode("utf-8", "replace")
    for reading in _readings(token):
        if raw.startswith(reading):
            # A character that the token holds only in part becomes one replacement character: touched.
            return len(reading.decode("utf-8", "replace"))
    whole = token.rstrip("\ufffd")
    if whole == token != "":
        return 0 if token.strip(" ▁Ġ") == "" else None
    # Bytes that are no whole character, shown as `�` or as nothing; that cannot be a letter of ASCII.
    touched = prompt[len(whole) : len(whole) + 1]
    return len(whole) + 1 if prompt.startswith(whole) and not touched.isascii() else None


def _ends(prompt: str, token: str) -> bool:
    return any(prompt.encode("utf-8", "replace").endswith(reading) for reading in _readings(token))


def _readings(token: str) -> Iterator[bytes]:
    """What a written token may stand for, the likeliest first; never nothing."""
    plain = [token.encode("utf-8")]
    if token.startswith("▁"):
        plain.append(token.replace("▁", " ").encode("utf-8"))
    if all(letter in _BYTES for letter in token):
        plain.append(bytes(_BYTES[letter] for letter in token))
    if token.startswith("bytes:"):
        escaped = token.removeprefix("bytes:").encode("utf-8")
        plain.append(re.sub(rb"\\x([0-9A-Fa-f]{2})", lambda found: bytes.fromhex(found[1].decode()), escaped))
    if byte := re.fullmatch("<0x([0-9A-F]{2})>", token):
        plain.append(bytes.fromhex(byte[1]))
    # SentencePiece puts a space in front of a text that has none.
    yield from filter(None, [*plain, *(reading.removeprefix(b" ") for reading in plain)])


def _byte_alphabet() -> dict[str, int]:
    """How GPT-2's byte-level BPE writes bytes: printable ones as they are, the others from U+0100 on."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + n): byte for n, byte in enumerate(others)}


_BYTES = _byte_alphabet()
