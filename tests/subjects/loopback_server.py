"""A real completions server on loopback around a real causal model: real log-probabilities, and real ways to fail."""

import json
import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Self


@dataclass(frozen=True)
class Reply:
    """What is answered in place of a completion."""

    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


BUSY = Reply(429, b"busy", {"Retry-After": "1"})
BROKEN = Reply(500, b"broken")


class LoopbackServer:
    """Serves the model in a folder at `url` while the context lasts.

    first: what happens to the first requests, one each: a Reply, "drop" (no answer), "cut" (half an answer) or
    "hang" (no answer until the client is gone). dies_after: the server is gone after so many completions.
    spell: how a token is written. change: what is sent instead of the answer; bytes are sent as they are.
    """

    def __init__(
        self,
        folder: Path,
        *,
        bos: bool = True,
        echo: bool = True,
        lists: bool = True,
        new_tokens: int = 1,
        port: int = 0,
        key: str | None = None,
        first: Sequence[Reply | str] = (),
        dies_after: int | None = None,
        spell: Callable[[Any, int], str] = lambda tokenizer, token: tokenizer.decode([token]),
        change: Callable[[Any], Any] = lambda answer: answer,
    ) -> None:
        self.folder, self.bos, self.echo, self.lists, self.new_tokens = folder, bos, echo, lists, new_tokens
        self.key, self.dies_after, self.spell, self.change = key, dies_after, spell, change
        self.model = "tiny"
        self.arrivals: list[float] = []
        self.questions: list[dict[str, Any]] = []
        self.authorizations: list[str | None] = []
        self.completed = 0
        self.first = list(first)
        self._closing = threading.Event()
        self._lock = threading.Lock()
        self._server = _Quiet(("127.0.0.1", port), self._handler())
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Self:
        loaded(self.folder)  # before the first request, whose time is limited
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if not self._closing.is_set():
            self._closing.set()
            self._server.shutdown()
            self._server.server_close()

    def reply(self, path: str, authorization: str | None, question: dict[str, Any]) -> Reply | str:
        """What this request gets."""
        with self._lock:
            self.arrivals.append(time.monotonic())
            self.questions.append(question)
            self.authorizations.append(authorization)
            if self.first:
                return self.first.pop(0)
            if self.dies_after is not None and self.completed >= self.dies_after:
                self.close()
                return "drop"
            if self.key is not None and authorization != f"Bearer {self.key}":
                return _error(401, f"wrong key: {authorization}")
            if path != "/v1/completions" or question["model"] != self.model:
                return _error(404, f"The model `{question['model']}` does not exist.")
            prompts = question["prompt"]
            if isinstance(prompts, list) and not self.lists:
                return _error(400, "prompt has to be a string")
            answer = self.change(self._completion([prompts] if isinstance(prompts, str) else prompts))
            self.completed += 1
            return Reply(200, answer if isinstance(answer, bytes) else json.dumps(answer).encode())

    def _completion(self, prompts: Sequence[str]) -> dict[str, Any]:
        choices = [{"index": number, **self._choice(prompt)} for number, prompt in enumerate(prompts)]
        return {"choices": choices, "usage": {"completion_tokens": self.new_tokens * len(prompts)}}

    def _choice(self, prompt: str) -> dict[str, Any]:
        tokenizer = loaded(self.folder)[1]
        ids, values = _scored(self.folder, prompt, self.bos, self.new_tokens)
        asked = len(ids) - self.new_tokens
        first = 0 if self.echo else asked
        tokens = [self.spell(tokenizer, token) for token in ids]
        return {
            "text": prompt * self.echo + str(tokenizer.decode(ids[asked:], skip_special_tokens=True)),
            "logprobs": {
                "tokens": tokens[first:],
                "token_logprobs": values[first:],
                # As vLLM counts them: the lengths of the tokens as written, the BOS among them.
                "text_offset": [sum(map(len, tokens[:place])) for place in range(first, len(tokens))],
            },
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # head and body are two writes: 40 ms apart otherwise

            def do_POST(self) -> None:
                question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                reply = served.reply(self.path, self.headers["Authorization"], question)
                if reply == "hang":
                    self.rfile.read(1)  # ends when the client closes the connection
                if isinstance(reply, Reply):
                    self.send(reply, len(reply.body))
                    return
                if reply == "cut":
                    self.send(Reply(200, b'{"choices": ['), 1000)
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)

            def send(self, reply: Reply, length: int) -> None:
                self.send_response(reply.status)
                for name, value in {**reply.headers, "Content-Length": str(length)}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, _format: str, *args: object) -> None:
                pass

        return Handler


class _Quiet(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """A client that goes away is part of the tests."""


def _error(status: int, message: str) -> Reply:
    return Reply(status, json.dumps({"error": {"message": message, "code": status}}).encode())


@cache
def _scored(folder: Path, prompt: str, bos: bool, new_tokens: int) -> tuple[list[int], list[float | None]]:
    import torch

    model, tokenizer = loaded(folder)
    ids = [tokenizer.bos_token_id] * bos + tokenizer.encode(prompt, add_special_tokens=False)
    with torch.no_grad():
        for _ in range(new_tokens):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
        log_p = model(torch.tensor([ids])).logits[0].double().log_softmax(-1)
    return ids, [None, *(float(log_p[place, token]) for place, token in enumerate(ids[1:]))]


@cache
def loaded(folder: Path) -> tuple[Any, Any]:
    """The model and the tokenizer in a folder."""
    # Imported late: every worker of the tests imports this file, and one needs these.
    from transformers import AutoModelForCausalLM, AutoTokenizer

    # In the mode of use already: from_pretrained turns training off.
    return AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
