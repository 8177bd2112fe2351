"""A model behind an OpenAI-compatible completions server that gives the log-probabilities of its prompt."""

import json
import os
import re
import threading
import time
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tiltmeter.errors import OutOfReach, TiltmeterError
from tiltmeter.subjects.language_models.prompt_answers import ServerAnswer, read_answers

if TYPE_CHECKING:
    import requests

__all__ = ["PromptServer", "ServerAnswer", "parse_name"]

_TRIES = 5
_BACKOFF = 0.5
"""Seconds; doubled with every try."""
_LONGEST_WAIT = 60
"""Seconds that a server may ask for with Retry-After."""
_LARGEST_ANSWER = 64 << 20
_KEY = "TILTMETER_API_KEY"
_OPENAI_KEY = "OPENAI_API_KEY"


def parse_name(name: str) -> tuple[str, str]:
    """The address and the model of `api:URL#MODEL`."""
    url, _, model = name.removeprefix("api:").partition("#")
    model = model.strip()
    if not name.startswith("api:") or not model or not model.isprintable():
        raise TiltmeterError(
            f"{_without_password(name).partition('?')[0]!r} does not name a served model: write api:URL#MODEL, such as "
            "api:http://localhost:8000/v1#my-model"
        )
    return _base(url), model


class PromptServer:
    """Asks `POST URL/completions` with `echo`, as lm-evaluation-harness does; safe to use from several threads.

    The key is read from the environment when it is sent and kept nowhere: TILTMETER_API_KEY for any server,
    OPENAI_API_KEY for https://api.openai.com alone.
    """

    def __init__(self, url: str, model: str, *, rate: float | None = None, timeout: float = 60.0) -> None:
        if rate is not None and not 0 < rate < float("inf"):
            raise TiltmeterError(f"the rate has to be a number of requests a second above 0, not {rate}")
        if not 0 < timeout < float("inf"):
            raise TiltmeterError(f"the timeout has to be a number of seconds above 0, not {timeout}")
        self.url = _base(url)
        self.model = model
        self._timeout = timeout
        self._spacing = 1 / rate if rate else 0.0
        self._turn = threading.Lock()
        self._next_turn = time.monotonic()
        self._takes_lists = True

    def __repr__(self) -> str:
        return f"PromptServer({self.url!r}, {self.model!r})"

    def score(self, prompts: Sequence[str]) -> list[ServerAnswer]:
        """One answer a prompt, in order; one request where the server takes several prompts at once."""
        if not all(prompts):
            raise TiltmeterError("an empty text has no log-probability: leave it out")
        if len(prompts) > 1 and self._takes_lists:
            try:
                return self._ask(list(prompts))
            except _Refused:
                # Asked one by one below; what is wrong with the request itself is then said there.
                self._takes_lists = False
        return [self._ask(prompt)[0] for prompt in prompts]

    def _ask(self, prompt: str | list[str]) -> list[ServerAnswer]:
        question = {
            "model": self.model,
            "prompt": prompt,
            # Not 0: several servers refuse it or take it for "not given".
            "max_tokens": 1,
            "logprobs": 1,
            "echo": True,
            "temperature": 0,
        }
        return read_answers(self._post(question), [prompt] if isinstance(prompt, str) else prompt, self.url)

    def _post(self, question: dict[str, Any]) -> bytes:
        import requests

        # The adapter tries again when there is no answer; an answer that breaks off in the middle is left to us.
        for attempt in range(_TRIES):
            self._wait_for_turn()
            try:
                status, content = self._exchange(question)
            except requests.exceptions.ChunkedEncodingError:
                time.sleep(_BACKOFF * 2**attempt)
                continue
            except requests.exceptions.InvalidURL as error:
                raise TiltmeterError(f"{self.url} is no address that can be asked") from error
            except requests.RequestException as error:
                raise self._away(f"did not answer in {_TRIES} tries of up to {self._timeout:g} s each") from error
            if 200 <= status < 300:
                return content
            raise self._refusal(status, content)
        raise self._away(f"broke off its answer {_TRIES} times")

    def _wait_for_turn(self) -> None:
        with self._turn:
            time.sleep(max(0.0, self._next_turn - time.monotonic()))
            self._next_turn = time.monotonic() + self._spacing

    def _exchange(self, question: dict[str, Any]) -> tuple[int, bytes]:
        with self._session.post(
            f"{self.url}/completions",
            json=question,
            # Also keeps requests from taking a password out of ~/.netrc.
            auth=self._authorise,
            timeout=(min(10.0, self._timeout), self._timeout),
            # The key is for this address alone.
            allow_redirects=False,
            stream=True,
        ) as response:
            content = bytearray()
            for chunk in response.iter_content(1 << 16):
                content += chunk
                if not response.ok:
                    break  # enough to find the message in
                if len(content) > _LARGEST_ANSWER:
                    raise TiltmeterError(
                        f"{self.url} answered with more than {_LARGEST_ANSWER >> 20} MB; ask for fewer texts at once"
                    )
            return response.status_code, bytes(content)

    @cached_property
    def _session(self) -> "requests.Session":
        return _session(self._wait_for_turn)

    def _authorise(self, request: "requests.PreparedRequest") -> "requests.PreparedRequest":
        if name := _key_for(self.url):
            request.headers["Authorization"] = f"Bearer {_key_in(name)}"
        return request

    def _refusal(self, status: int, content: bytes) -> TiltmeterError:
        name = _key_for(self.url)
        if status == 429 or status >= 500:
            return self._away(f"answered {status} in each of {_TRIES} tries")
        if status in (401, 403):
            wanted = f"refuses the key in {name}: put a valid one there" if name else f"wants a key: put it in {_KEY}"
            return TiltmeterError(f"{self.url} {wanted}")
        if status < 400:
            return TiltmeterError(f"{self.url} sends on to another address, which is not followed: give that address")
        message = _message(content)
        if name:
            message = message.replace(_key_in(name), "***")
        message = message if len(message) <= 200 else f"{message[:197]}..."
        kind = _Refused if status in (400, 422) else TiltmeterError
        return kind(f"{self.url} refused model {self.model!r} with {status}: {message or 'no reason given'}")

    def _away(self, what: str) -> OutOfReach:
        return OutOfReach(
            f"{self.url} {what}; what was answered so far is kept, and the same command goes on from there"
        )


class _Refused(TiltmeterError):
    """The server does not take such a request; it may take a smaller one."""


def _base(url: str) -> str:
    shown = _without_password(url)
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if shown != url:
        raise TiltmeterError(f"the address {shown!r} holds a name or password: put a key in {_KEY} instead")
    if not usable or not re.fullmatch(r"[^\s\\?#\x00-\x1f\x7f]+", url):
        raise TiltmeterError(
            f"{url.partition('?')[0]!r} is no address of a completions server: write http://HOST:PORT/v1 or https://HOST/v1"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/') or '/v1'}"


def _without_password(text: str) -> str:
    return re.sub(r"//.*@", "//...@", text, flags=re.DOTALL)


def _session(wait_for_turn: Callable[[], None]) -> "requests.Session":
    # Imported late: requests alone would double the time that `tiltmeter --help` takes.
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import BaseHTTPResponse
    from urllib3.util import Retry

    class PacedRetry(Retry):
        """A second try is a request too, so it keeps to the rate; and no server makes us wait for hours."""

        def sleep(self, response: BaseHTTPResponse | None = None) -> None:
            super().sleep(response)
            wait_for_turn()

        def get_retry_after(self, response: BaseHTTPResponse) -> float | None:
            asked = super().get_retry_after(response)
            return None if asked is None else min(asked, _LONGEST_WAIT)

    retries = PacedRetry(
        total=_TRIES - 1,
        backoff_factor=_BACKOFF,
        # To ask twice changes nothing on the server, although it is a POST.
        allowed_methods={"POST"},
        status_forcelist=(429, *range(500, 600)),
        raise_on_status=False,
    )
    session = requests.Session()
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=retries))
    return session


def _key_for(url: str) -> str | None:
    """The environment variable whose key this server gets."""
    if os.environ.get(_KEY, "").strip():
        return _KEY
    parts = urlsplit(url)
    openai = parts.scheme == "https" and parts.hostname == "api.openai.com"
    return _OPENAI_KEY if openai and os.environ.get(_OPENAI_KEY, "").strip() else None


def _key_in(name: str) -> str:
    key = os.environ[name].strip()
    # Refused here, because http.client would show the key in its error.
    if not re.fullmatch(r"[!-~]+", key):
        raise TiltmeterError(f"{name} holds a space or another character that no key has")
    return key


def _message(content: bytes) -> str:
    """What the server says is wrong, on one line."""
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = content.decode("utf-8", "replace")
    for field in ("error", "message", "detail"):
        if isinstance(found, dict) and field in found:
            found = found[field]
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
