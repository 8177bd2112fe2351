import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import torch
from tokenizers.processors import TemplateProcessing
from transformers import AutoTokenizer

from tiltmeter.errors import TiltmeterError
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import Blank
from tiltmeter.training import read_card, read_test
from tiltmeter.training.batches import Batches
from tiltmeter.training.fitting import fit
from tiltmeter.training.language_models import Modelling, train_language_model
from tiltmeter.training.models import special_tokens
from tiltmeter.training.networks import Made, Small
from tiltmeter.training.settings import Settings
from tiltmeter.training.tokenizers import METHODS, train_tokenizer
from training.made import CPU, TEXTS, TINY

LEARNT = Settings(epochs=30, learning_rate=3e-3, batch=8, max_length=32)


def perplexity(folder: Path) -> float:
    found = read_test(folder)
    assert found is not None
    return float(found["perplexity"])


@pytest.mark.parametrize("kind", ["masked", "causal"])
def test_a_small_model_learns_its_text_and_is_asked_by_its_folder(kind: str, tmp_path: Path, store: Store) -> None:
    out = train_language_model(
        kind, TEXTS, tmp_path / "m", network=TINY, test=TEXTS[:10], settings=LEARNT, running=CPU, lang="en", store=store
    )
    assert read_card(out)["kind"] == kind
    assert perplexity(out) < 4  # about fifty tokens are known
    subject: Any = open_subject(str(out), store, Reading(device="cpu"))
    assert subject.kind == kind
    blanks = [
        Blank(text=text, span=(text.index(" is ") + 4, len(text) - 1), candidates=("red", "bus")) for text in TEXTS[:10]
    ]
    log_p = pl.concat(subject.fill(blanks))["log_p"].to_numpy().reshape(-1, 2)
    assert (log_p[:, 0] > log_p[:, 1]).all()


def test_a_long_text_is_cut_into_pieces_that_are_all_learnt(tmp_path: Path, store: Store) -> None:
    long = " ".join(TEXTS[:40])
    settings = Settings(epochs=1, batch=4, max_length=16, learning_rate=1e-3)
    out = train_language_model(
        "masked", [long], tmp_path / "m", network=TINY, test=[long], settings=settings, running=CPU, store=store
    )
    tokenizer: Any = AutoTokenizer.from_pretrained(out)
    tokens = len(tokenizer(long, add_special_tokens=False)["input_ids"])
    told = read_test(out)
    assert told is not None
    assert read_card(out)["data"]["cut"] == 0
    assert told["tokens"] == pytest.approx(0.15 * tokens, rel=0.5)


def test_a_model_is_trained_further(tmp_path: Path, store: Store) -> None:
    first = train_language_model(
        "masked", TEXTS, tmp_path / "a", network=TINY, settings=LEARNT, running=CPU, lang="en", store=store
    )
    second = train_language_model(
        "masked",
        TEXTS,
        tmp_path / "b",
        network=str(first),
        test=TEXTS[:5],
        settings=Settings(epochs=1, max_length=32),
        running=CPU,
        store=store,
    )
    card = read_card(second)
    assert card["language"] == "en"
    assert card["network"]["name"] == "a"
    assert perplexity(second) < 4


@pytest.mark.parametrize(
    ("texts", "kind", "said"),
    [([], "masked", "there is no text to train on"), (["a"], "other", "a language model is masked or causal")],
)
def test_what_is_wrong_is_said(texts: list[str], kind: str, said: str, tmp_path: Path, store: Store) -> None:
    with pytest.raises(TiltmeterError, match=said):
        train_language_model(kind, texts, tmp_path / "m", store=store)


class TestTokenizers:
    @pytest.mark.parametrize("method", METHODS)
    def test_know_their_text(self, method: str) -> None:
        tokenizer = train_tokenizer(TEXTS, method=method, vocabulary=300)
        ids = tokenizer("The bus is red.")["input_ids"]
        assert tokenizer.unk_token_id not in ids
        assert (ids[0], ids[-1]) == (tokenizer.cls_token_id, tokenizer.sep_token_id)
        assert tokenizer("a", "b")["token_type_ids"][-1] == 1

    def test_take_chinese_and_japanese_characters_alone_and_katakana_words_whole(self) -> None:
        tokenizer = train_tokenizer(["看護師がバスを待っています。"] * 5, vocabulary=100)
        assert tokenizer.tokenize("看護師がバスを待つ")[:6] == ["▁", "看", "護", "師", "が", "バス"]

    def test_of_bytes_have_every_character_and_several_tokens_for_a_rare_one(self) -> None:
        tokenizer = train_tokenizer(["看護師が待っています。"] * 5, method="bytes", vocabulary=300)
        text = "看医"
        found = tokenizer(text, add_special_tokens=False, return_offsets_mapping=True)
        assert tokenizer.unk_token_id not in found["input_ids"]
        characters = [start for start, end in found["offset_mapping"] if end > start and start > 0]
        assert characters == [1] * len("医".encode())

    @pytest.mark.parametrize("method", METHODS)
    def test_are_the_same_in_another_process(self, method: str) -> None:
        script = (
            "import hashlib, sys\n"
            "from training.made import TEXTS\n"
            "from tiltmeter.training.tokenizers import METHODS, train_tokenizer\n"
            "made = train_tokenizer(TEXTS, method=sys.argv[1], vocabulary=300)\n"
            "print(hashlib.sha256(made.backend_tokenizer.to_str().encode()).hexdigest())\n"
        )
        found = {
            subprocess.run(
                [sys.executable, "-c", script, method],
                capture_output=True,
                text=True,
                check=True,
                env={"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": seed},
            ).stdout
            for seed in ("1", "2")
        }
        assert len(found) == 1

    def test_refuse_what_is_wrong(self) -> None:
        with pytest.raises(TiltmeterError, match="there is no kind of tokenizer 'other'"):
            train_tokenizer(TEXTS, method="other")
        for method, fewest in (("bpe", 50), ("bytes", 300)):
            with pytest.raises(TiltmeterError, match=f"at least {fewest} tokens"):
                train_tokenizer(TEXTS, method=method, vocabulary=fewest - 1)
        with pytest.raises(TiltmeterError, match="there is no text to train a tokenizer on"):
            train_tokenizer([])


def test_a_model_is_trained_as_what_it_is(tmp_path: Path, store: Store) -> None:
    """An encoder would see what it has to predict."""
    masked = train_language_model(
        "masked",
        TEXTS,
        tmp_path / "a",
        network=TINY,
        settings=Settings(epochs=1, max_length=32),
        running=CPU,
        store=store,
    )
    with pytest.raises(TiltmeterError, match="a is a model of kind masked, which cannot be trained as causal"):
        train_language_model("causal", TEXTS, tmp_path / "b", network=str(masked), running=CPU, store=store)


def test_a_text_in_which_nothing_can_be_told_is_refused(tmp_path: Path, store: Store) -> None:
    """A causal model tells a word from those before it; a tokenizer without a first token has none before the first."""
    tokenizer = train_tokenizer(TEXTS, vocabulary=100, causal=True)
    made = TINY.made("causal", TEXTS, longest=32, seed=0, labels=())
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(single="$A", pair="$A $B", special_tokens=[])
    bare = Made(made.model, tokenizer, ())
    with pytest.raises(TiltmeterError, match="there is no text to test on"):
        Modelling("causal", ("The",), ("bus",)).tested(bare, 32, special_tokens(bare))


class TestASmallMaskedModel:
    def test_has_the_loss_of_the_whole_vocabulary_at_the_masked_places(self, tmp_path: Path) -> None:
        """One step, from the loss at these places alone and from the model's own over all of them."""
        settings = Settings(epochs=1, batch=len(TEXTS), learning_rate=1e-3, max_length=32, masked=0.5)
        one, other = (
            Small(layers=1, width=32, heads=2, vocabulary=200, dropout=0.0).made(
                "masked", TEXTS, longest=32, seed=0, labels=()
            )
            for _ in range(2)
        )
        task = Modelling("masked", tuple(TEXTS), ())
        special = special_tokens(one)
        batches = Batches(task.encoded(one, 32)[0], settings, special, task.labelling(special, settings))
        fit(one.model, batches, settings, CPU, tmp_path / "work", "request")
        optimizer = torch.optim.AdamW(other.model.parameters(), lr=settings.learning_rate, weight_decay=0.0)
        other.model.train()
        other.model(**batches[0]).loss.backward()
        torch.nn.utils.clip_grad_norm_(other.model.parameters(), 1.0)
        optimizer.step()
        for name, weights in one.model.named_parameters():
            assert torch.allclose(weights, other.model.get_parameter(name), atol=1e-5), name

    def test_is_masked_as_much_as_is_asked_for(self) -> None:
        made = TINY.made("masked", TEXTS, longest=32, seed=0, labels=())
        task = Modelling("masked", tuple(TEXTS), ())
        special = special_tokens(made)
        shares = []
        for masked in (0.15, 0.5):
            settings = Settings(epochs=40, batch=8, max_length=32, masked=masked)
            batches = Batches(task.encoded(made, 32)[0], settings, special, task.labelling(special, settings))
            asked = [batches[step] for step in range(len(batches))]
            own = sum(int((~torch.isin(b["labels"], torch.tensor([-100]))).sum()) for b in asked)
            shares.append(own / (40 * sum(len(row.ids) - 2 for row in task.encoded(made, 32)[0])))
        assert shares == pytest.approx([0.15, 0.5], abs=0.02)

    def test_begins_with_vectors_in_which_words_of_the_same_company_are_alike(self) -> None:
        groups = [
            [first + last for last in ("ta", "ko", "mi", "su")] for first in map("".join, product("bdfgl", "aeio"))
        ]
        texts = [f"{one} {other}" for a, b, c, d in groups for one in (a, b) for other in (c, d)]
        made = Small(layers=1, width=48, heads=2, vocabulary=600, dropout=0.0, counted=True).made(
            "masked", texts, longest=32, seed=0, labels=()
        )
        rows = made.model.get_input_embeddings().weight.detach()
        first, second = (
            torch.stack([rows[made.tokenizer.convert_tokens_to_ids(f"▁{group[place]}")] for group in groups])
            for place in (0, 1)
        )
        cosines = first @ second.T
        assert cosines.argmax(dim=1).tolist() == list(range(len(groups)))
        assert first.norm(dim=1) == pytest.approx(np.ones(len(groups)), abs=1e-4)

    def test_with_fewer_words_than_dimensions_cannot_begin_so(self) -> None:
        with pytest.raises(TiltmeterError, match="too few for counted vectors of 64 dimensions"):
            Small(width=64, counted=True).made("masked", ["A b.", "A c."], longest=32, seed=0, labels=())
