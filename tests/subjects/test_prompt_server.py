"""A served model: the numbers of a real model over real HTTP, and every way in which a server can fail."""

import json
import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from subjects.loopback_server import BROKEN, BUSY, LoopbackServer, Reply, loaded
from tiltmeter.errors import OutOfReach, TiltmeterError
from tiltmeter.subjects.language_models import prompt_server
from tiltmeter.subjects.language_models.prompt_server import PromptServer, ServerAnswer, parse_name

PROMPTS = ["She is a nurse.", "He is a nurse.", "Она врач.", "他是护士。", "Эн", "x", "Él es enfermero…", " 女は医者"]


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A GPT-2 with random weights and a byte-level BPE in which Chinese characters are parts of characters."""
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=["<s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(["She is a nurse. He is a nurse. Она врач."] * 9, trainer)
    folder = tmp_path_factory.mktemp("tiny")
    PreTrainedTokenizerFast(  # type: ignore[no-untyped-call]
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="<s>"
    ).save_pretrained(folder)
    torch.manual_seed(7)
    config = GPT2Config(
        vocab_size=tokenizer.get_vocab_size(),
        n_positions=64,
        n_embd=16,
        n_layer=2,
        n_head=2,
        initializer_range=0.4,
        bos_token_id=0,
        eos_token_id=0,
    )
    GPT2LMHeadModel(config).save_pretrained(folder)  # type: ignore[no-untyped-call]
    return folder


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No key of the user's, and no long waits."""
    monkeypatch.delenv("TILTMETER_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(prompt_server, "_BACKOFF", 0.001)


@cache
def expected(folder: Path, prompt: str, bos: bool) -> float:
    """The same sum from the model's own loss, one sentence at a time."""
    import torch

    model, tokenizer = loaded(folder)
    ids = torch.tensor([[tokenizer.bos_token_id] * bos + tokenizer.encode(prompt, add_special_tokens=False)])
    if ids.shape[1] == 1:
        return 0.0
    with torch.no_grad():
        return -float(model(ids, labels=ids).loss) * (ids.shape[1] - 1)


def ask(server: LoopbackServer, *prompts: str, **options: float) -> list[ServerAnswer]:
    return PromptServer(server.url, server.model, **options).score(prompts or PROMPTS[:2])


@pytest.mark.parametrize("bos", [True, False])
def test_scores_are_those_of_the_model_itself(tiny: Path, bos: bool) -> None:
    with LoopbackServer(tiny, bos=bos) as server:
        answers = ask(server, *PROMPTS)
    assert [answer.log_p for answer in answers] == pytest.approx([expected(tiny, p, bos) for p in PROMPTS], rel=1e-5)
    assert len(server.questions) == 1
    pieces = [loaded(tiny)[1].encode(prompt, add_special_tokens=False) for prompt in PROMPTS]
    assert [len(answer.tokens) for answer in answers] == [len(ids) for ids in pieces]


def test_with_a_bos_everything_is_scored_and_without_one_what_follows_the_first_token(tiny: Path) -> None:
    with LoopbackServer(tiny, bos=True) as server:
        assert {answer.scored_from for answer in ask(server, *PROMPTS)} == {0}
    with LoopbackServer(tiny, bos=False) as server:
        answers = dict(zip(PROMPTS, ask(server, *PROMPTS), strict=True))
    assert answers["He is a nurse."].scored_from == len(answers["He is a nurse."].tokens[0]) > 0
    # One byte of three: the character has no number of its own.
    assert answers["他是护士。"].tokens[0] == "\ufffd"
    assert answers["他是护士。"].scored_from == 1
    assert answers["x"] == ServerAnswer(0.0, ("x",), 1)


def raw(tokenizer: Any, token: int) -> str:
    return str(tokenizer.convert_ids_to_tokens(token))


def sentencepiece(tokenizer: Any, token: int) -> str:
    return str(tokenizer.decode([token])).replace(" ", "▁")


def spaceless(tokenizer: Any, token: int) -> str:
    """As vLLM decodes SentencePiece one by one."""
    return str(tokenizer.decode([token])).removeprefix(" ") or " "


def escaped(tokenizer: Any, token: int) -> str:
    """As OpenAI writes bytes that are no character."""
    from transformers.convert_slow_tokenizer import bytes_to_unicode

    text = str(tokenizer.decode([token]))
    alphabet = {letter: byte for byte, letter in bytes_to_unicode().items()}  # type: ignore[no-untyped-call]
    escapes = [f"\\x{alphabet[letter]:02x}" for letter in tokenizer.convert_ids_to_tokens(token) if letter in alphabet]
    return "bytes:" + "".join(escapes) if "\ufffd" in text else text


def one_byte(tokenizer: Any, token: int) -> str:
    """As Llama's tokenizer falls back to bytes."""
    found = escaped(tokenizer, token)
    return f"<0x{found[-2:].upper()}>" if len(found) == len("bytes:\\xe5") and found.startswith("bytes:") else found


def unseen(tokenizer: Any, token: int) -> str:
    """As vLLM hides bytes that are no character yet."""
    return "" if (text := str(tokenizer.decode([token]))) == "\ufffd" else text


@pytest.mark.parametrize("spell", [raw, sentencepiece, spaceless, escaped, one_byte, unseen])
@pytest.mark.parametrize("bos", [True, False])
def test_how_a_server_writes_tokens_changes_nothing(tiny: Path, spell: Callable[[Any, int], str], bos: bool) -> None:
    with LoopbackServer(tiny, bos=bos) as server:
        plain = ask(server, *PROMPTS)
    with LoopbackServer(tiny, bos=bos, spell=spell) as server:
        written = ask(server, *PROMPTS)
    assert [answer.log_p for answer in written] == [answer.log_p for answer in plain]
    spared = [answer.scored_from for answer in written]
    if bos and spell is unseen:
        # Hidden in front of a script of several bytes, a BOS and a byte look the same: the first letter is given up.
        assert all(at <= 1 for at in spared)
    else:
        assert spared == [answer.scored_from for answer in plain]


@pytest.mark.parametrize("mark", [" ", "▁", "Ġ"])
def test_a_space_that_the_tokenizer_puts_in_front_is_no_character_of_the_text(tiny: Path, mark: str) -> None:
    with LoopbackServer(tiny, bos=False) as server:
        plain = ask(server)[1]
    with LoopbackServer(tiny, bos=False, change=_with(0, "tokens", mark + plain.tokens[0])) as server:
        assert ask(server)[1].scored_from == plain.scored_from
    with LoopbackServer(tiny, bos=True, change=_with(0, "tokens", mark)) as server:
        assert ask(server)[1].scored_from == 0


@pytest.mark.parametrize(
    "front",
    [
        {"tokens": ["[gMASK]", "<sop>"], "token_logprobs": [None, -3.0]},
        {"tokens": ["<｜begin▁of▁sentence｜>"], "token_logprobs": [None]},
        {"tokens": [""], "token_logprobs": [None]},
        {"tokens": ["<s>"], "token_logprobs": [-9999.0]},
        {"tokens": [], "token_logprobs": []},
    ],
)
def test_what_the_server_puts_in_front_has_no_part_in_the_score(tiny: Path, front: dict[str, list[Any]]) -> None:
    def with_front(answer: Any) -> Any:
        for choice in answer["choices"]:
            choice["logprobs"] = {name: front[name] + choice["logprobs"][name][1:] for name in front}
        return answer

    with LoopbackServer(tiny) as server:
        plain = ask(server)
    with LoopbackServer(tiny, change=with_front) as server:
        assert ask(server) == plain


@pytest.mark.parametrize("usage", [True, False])
def test_a_server_that_makes_no_new_token_keeps_the_last_of_the_prompt(tiny: Path, usage: bool) -> None:
    prompts = PROMPTS if usage else PROMPTS[:3]
    told: Callable[[Any], Any] = lambda answer: answer if usage else {"choices": answer["choices"]}  # noqa: E731
    with LoopbackServer(tiny, new_tokens=0, change=told) as server:
        assert [answer.log_p for answer in ask(server, *prompts)] == pytest.approx(
            [expected(tiny, prompt, True) for prompt in prompts], rel=1e-5
        )


def test_answers_come_in_the_order_of_the_prompts_whatever_that_of_the_choices(tiny: Path) -> None:
    with LoopbackServer(tiny) as server:
        straight = ask(server, *PROMPTS)
    with LoopbackServer(tiny, change=lambda answer: {**answer, "choices": answer["choices"][::-1]}) as server:
        assert ask(server, *PROMPTS) == straight


def test_a_server_that_takes_no_lists_is_asked_one_by_one(tiny: Path) -> None:
    with LoopbackServer(tiny) as server:
        together = ask(server)
    with LoopbackServer(tiny, lists=False) as server:
        client = PromptServer(server.url, server.model)
        assert client.score(PROMPTS[:2]) == client.score(PROMPTS[:2]) == together
    assert [type(question["prompt"]) for question in server.questions] == [list, str, str, str, str]


def test_nothing_is_asked_about_no_prompts_and_an_empty_one_is_refused(tiny: Path) -> None:
    with LoopbackServer(tiny) as server:
        assert PromptServer(server.url, server.model).score([]) == []
        with pytest.raises(TiltmeterError, match="empty text"):
            ask(server, "He", "")
    assert server.questions == []


@pytest.mark.parametrize("trouble", [[BROKEN], ["drop"], ["cut"], ["hang"], [BROKEN, "drop", "cut", BROKEN]])
def test_a_passing_trouble_does_not_show(tiny: Path, trouble: list[Reply | str]) -> None:
    with LoopbackServer(tiny, first=trouble) as server:
        (answer,) = ask(server, PROMPTS[0], timeout=0.5 if "hang" in trouble else 20.0)
    assert answer.log_p == pytest.approx(expected(tiny, PROMPTS[0], True), rel=1e-5)
    assert len(server.arrivals) > len(trouble)


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(tiny: Path) -> None:
    with LoopbackServer(tiny, first=[BUSY]) as server:
        ask(server)
    assert server.arrivals[1] - server.arrivals[0] >= 1


@pytest.mark.parametrize("trouble", [Reply(429), BROKEN, "drop", "cut", "hang"])
def test_a_lasting_trouble_ends_after_five_tries_and_says_how_to_go_on(tiny: Path, trouble: Reply | str) -> None:
    with LoopbackServer(tiny, first=[trouble] * 50) as server, pytest.raises(OutOfReach, match="goes on from there"):
        ask(server, timeout=0.05 if trouble == "hang" else 20.0)
    assert len(server.arrivals) == 5


def test_a_server_that_dies_leaves_the_earlier_answers(tiny: Path) -> None:
    with LoopbackServer(tiny, dies_after=1) as server:
        client = PromptServer(server.url, server.model)
        assert len(client.score(PROMPTS[:2])) == 2
        with pytest.raises(OutOfReach, match="answered so far is kept"):
            client.score(PROMPTS[2:])


def test_the_key_is_sent_and_shown_nowhere(
    tiny: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told: list[str] = []
    with LoopbackServer(tiny, key="sk-secret", first=["drop"]) as server:
        client = PromptServer(server.url, server.model)
        for key, wanted in [("", "put it in TILTMETER_API_KEY"), ("sk-wrong", "refuses the key in TILTMETER_API_KEY")]:
            monkeypatch.setenv("TILTMETER_API_KEY", key)
            with pytest.raises(TiltmeterError, match=wanted) as refused:
                client.score(["He"])
            told.append(str(refused.value))
        monkeypatch.setenv("TILTMETER_API_KEY", "sk-secret\n")
        assert len(client.score(["He"])) == 1
        server.first.append(Reply(400, b"no such thing as sk-secret"))
        with pytest.raises(TiltmeterError, match=r"no such thing as \*\*\*") as refused:
            client.score(["He"])
        monkeypatch.setenv("TILTMETER_API_KEY", "sk-secret\nInjected: 1")
        with pytest.raises(TiltmeterError, match="TILTMETER_API_KEY holds a space") as unusable:
            client.score(["He"])
    told += [str(refused.value), str(unusable.value), repr(client), repr(vars(client)), caplog.text]
    assert not [text for text in told if "sk-" in text]
    assert server.authorizations[-1] == "Bearer sk-secret"


def test_openais_key_goes_to_openai_alone(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with LoopbackServer(tiny) as server:
        ask(server)
    assert server.authorizations == [None]
    places = ["https://api.openai.com/v1", "http://api.openai.com/v1", "https://api.openai.com.example.org/v1"]
    assert [prompt_server._key_for(url) for url in places] == ["OPENAI_API_KEY", None, None]


@pytest.mark.parametrize(
    ("echo", "change"),
    [
        (False, lambda answer: answer),
        (True, lambda answer: {**answer, "choices": [{**c, "logprobs": None} for c in answer["choices"]]}),
        (True, lambda answer: {**answer, "choices": [{**c, "text": ""} for c in answer["choices"]]}),
        (True, lambda answer: {**answer, "choices": [_only_new(c) for c in answer["choices"]]}),
    ],
)
def test_a_server_without_log_probabilities_of_the_prompt_is_refused(
    tiny: Path, echo: bool, change: Callable[[Any], Any]
) -> None:
    with (
        LoopbackServer(tiny, echo=echo, change=change) as server,
        pytest.raises(TiltmeterError, match="no log-probabilities of the prompt"),
    ):
        ask(server)


def _only_new(choice: dict[str, Any]) -> dict[str, Any]:
    return {**choice, "logprobs": {name: column[-1:] for name, column in choice["logprobs"].items()}}


def _with(place: int, column: str, value: object) -> Callable[[Any], Any]:
    def changed(answer: Any) -> Any:
        answer["choices"][1]["logprobs"][column][place] = value
        return answer

    return changed


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"<html>",
        lambda _: b"\xff\xfe\xfd",
        lambda _: b"[" * 100_000,
        lambda _: [],
        lambda _: {"choices": None},
        lambda _: {"choices": [1, 2]},
        lambda answer: {"choices": answer["choices"][:1]},
        lambda answer: {"choices": answer["choices"][:1] * 2},
        lambda answer: {"choices": [{**c, "index": [0]} for c in answer["choices"]]},
        lambda answer: {"choices": [{**c, "logprobs": "none"} for c in answer["choices"]]},
        lambda answer: {**answer, "usage": {"completion_tokens": 32}},
        _with(3, "token_logprobs", math.nan),
        _with(3, "token_logprobs", -math.inf),
        _with(3, "token_logprobs", 0.5),
        _with(3, "token_logprobs", 10**400),
        _with(3, "token_logprobs", None),
        _with(3, "token_logprobs", True),
        _with(3, "token_logprobs", "-1"),
        _with(1, "token_logprobs", None),
        _with(3, "tokens", 7),
        _with(1, "tokens", "token_id:7"),
        lambda answer: json.loads(json.dumps(answer).replace('"token_logprobs": [', '"token_logprobs": [-1.0, ')),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(tiny: Path, change: Callable[[Any], Any]) -> None:
    with LoopbackServer(tiny, change=change) as server, pytest.raises(TiltmeterError, match="answer") as refused:
        ask(server)
    assert not isinstance(refused.value, OutOfReach)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 300


def test_half_of_a_surrogate_pair_in_a_token_can_be_stored(tiny: Path) -> None:
    with LoopbackServer(tiny, change=_with(2, "tokens", "\ud83d")) as server:
        assert ask(server)[1].tokens[1].encode() == b"?"


def test_an_answer_without_end_is_not_read_to_its_end(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prompt_server, "_LARGEST_ANSWER", 1 << 20)
    endless = LoopbackServer(tiny, change=lambda _: b" " * (3 << 20))
    with endless as server, pytest.raises(TiltmeterError, match="more than 1 MB"):
        ask(server)


def test_the_servers_own_words_are_shown_short_and_clean(tiny: Path) -> None:
    with LoopbackServer(tiny) as server:
        with pytest.raises(TiltmeterError, match="404: The model `large` does not exist"):
            PromptServer(server.url, "large").score(["He"])
        server.first.append(Reply(400, json.dumps({"error": "bad\x1b[31m\r\n\u202eprompt " * 99}).encode()))
        with pytest.raises(TiltmeterError, match=r"400: bad \[31m prompt bad") as refused:
            ask(server, "He")
    assert str(refused.value).isprintable()
    assert len(str(refused.value).partition("400: ")[2]) == 200


def test_a_redirect_is_not_followed(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILTMETER_API_KEY", "sk-secret")
    with LoopbackServer(tiny) as other:
        elsewhere = Reply(307, headers={"Location": f"{other.url}/completions"})
        with LoopbackServer(tiny, first=[elsewhere]) as server, pytest.raises(TiltmeterError, match="another address"):
            ask(server)
    assert other.arrivals == []


def test_requests_and_second_tries_keep_to_the_rate(tiny: Path) -> None:
    rate = 20.0
    with LoopbackServer(tiny, first=[BROKEN, "drop", "cut"]) as server:
        client = PromptServer(server.url, server.model, rate=rate)
        started = time.monotonic()
        with ThreadPoolExecutor(3) as threads:
            list(threads.map(client.score, [[prompt] for prompt in PROMPTS[:5]]))
    assert len(server.arrivals) == 8
    assert all(at - started >= number / rate for number, at in enumerate(sorted(server.arrivals)))


def test_a_name_holds_the_address_and_the_model(tiny: Path) -> None:
    assert parse_name("api:http://localhost:8000/v1#org/model") == ("http://localhost:8000/v1", "org/model")
    assert parse_name("api:https://api.openai.com#davinci-002") == ("https://api.openai.com/v1", "davinci-002")
    assert parse_name("api:http://[::1]:80/other/#a#b") == ("http://[::1]:80/other", "a#b")
    with LoopbackServer(tiny) as server:
        assert PromptServer(*parse_name(f"api:{server.url.removesuffix('/v1')}/#tiny")).score(["He"])


@pytest.mark.parametrize(
    "name",
    [
        "http://localhost/v1#m",
        "api:http://localhost/v1",
        "api:http://localhost/v1#",
        "api:http://localhost/v1#\x1b",
        "api:#m",
        "api:localhost:8000#m",
        "api:ftp://localhost#m",
        "api:file:///etc/passwd#m",
        "api:http://#m",
        "api:http://host:99999#m",
        "api:http://[::1#m",
        "api:http://ho st#m",
        "api:http://host/v1?key=1#m",
        "api:http://host\\evil#m",
        "api:http://user:hunter2@host/v1#m",
        "api:http://user:hunter2@host/v1",
        "api:http://user:hunt/er2@host#m",
    ],
)
def test_a_malformed_name_is_refused_and_a_password_not_repeated(name: str) -> None:
    with pytest.raises(TiltmeterError, match=r"api:URL#MODEL|http://HOST:PORT|password") as refused:
        parse_name(name)
    assert "er2" not in str(refused.value)


@pytest.mark.parametrize("options", [{"rate": 0.0}, {"rate": -1.0}, {"rate": math.nan}, {"timeout": 0.0}])
def test_a_rate_and_a_timeout_are_above_zero(options: dict[str, float]) -> None:
    with pytest.raises(TiltmeterError, match="above 0"):
        PromptServer("http://localhost", "m", **options)
