"""Which models are loaded, which are refused, and by what name."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
import torch
import transformers

from tiltmeter.errors import TiltmeterError
from tiltmeter.reading import Reading
from tiltmeter.runs import measure
from tiltmeter.store import Store
from tiltmeter.subjects import language_of, open_subject
from tiltmeter.subjects.language_models import Blank
from tiltmeter.subjects.language_models.checkpoint import told_kind
from tiltmeter.subjects.language_models.model import LanguageModel

Tiny = Callable[[str], Path]
BLANK = Blank(text="he is a nurse", span=(0, 2), candidates=("he", "she"))


@pytest.fixture
def bert(tiny: Tiny, tmp_path: Path) -> Path:
    """A folder that a test may spoil."""
    return Path(shutil.copytree(tiny("bert-cased"), tmp_path / "my-bert"))


def opened(name: object, store: Store, **said: Any) -> LanguageModel:
    return cast(LanguageModel, open_subject(str(name), store, Reading(device="cpu", **said)))


def answered(name: object, store: Store, **said: Any) -> list[float]:
    return pl.concat(opened(name, store, **said).fill([BLANK]))["log_p"].to_list()


class TestKinds:
    @pytest.mark.parametrize(
        ("kind", "told", "capabilities"),
        [
            ("bert-cased", "masked", {"fill", "token_scores"}),
            ("electra-generator", "masked", {"fill", "token_scores"}),
            ("gpt2", "causal", {"fill", "token_scores"}),
            ("llama", "causal", {"fill", "token_scores"}),
            ("discriminator", "discriminator", {"replaced_tokens"}),
        ],
    )
    def test_the_kind_is_told_from_the_files(
        self, tiny: Tiny, store: Store, kind: str, told: str, capabilities: set[str]
    ) -> None:
        model = opened(tiny(kind), store)
        assert model.kind == told
        assert model.capabilities == capabilities
        assert model.origin["kind"] == told

    def test_without_an_architecture_the_type_of_the_model_tells(self, bert: Path, store: Store) -> None:
        _change(bert / "config.json", architectures=None)
        assert opened(bert, store).kind == "masked"

    def test_what_is_no_language_model_is_refused_unless_it_is_said_to_be_one(self, bert: Path, store: Store) -> None:
        _change(bert / "config.json", architectures=["BertForTokenClassification"])
        with pytest.raises(TiltmeterError, match="was saved from BertForTokenClassification, which is no language"):
            opened(bert, store)
        assert len(answered(bert, store, kind="masked")) == 2

    def test_a_folder_without_a_model_is_no_model(self, tmp_path: Path, store: Store) -> None:
        with pytest.raises(TiltmeterError, match=r"--kind masked: .* is no folder with a model's config\.json"):
            opened(tmp_path, store, kind="masked")


class TestNames:
    def test_a_model_of_the_hub_is_found_by_its_name_in_the_hubs_cache(
        self, tiny: Tiny, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        hub, commit = tmp_path / "hub", "0123456789abcdef0123456789abcdef01234567"
        repository = hub / "models--someone--tiny-bert"
        shutil.copytree(tiny("bert-cased"), repository / "snapshots" / commit)
        (repository / "refs").mkdir()
        (repository / "refs" / "main").write_text(commit)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(hub))
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        by_name = opened("someone/tiny-bert", store)
        assert by_name.name == "someone/tiny-bert"
        assert by_name.fingerprint == opened(tiny("bert-cased"), store).fingerprint
        assert opened(f"someone/tiny-bert@{commit}", store).fingerprint == by_name.fingerprint

    @pytest.mark.parametrize("name", ["no-such-model-anywhere", "someone/no-such-model-anywhere"])
    def test_a_name_that_cannot_be_reached_is_said_to_be_so(self, store: Store, name: str) -> None:
        with pytest.raises(TiltmeterError, match=f"^{name} is no file or folder here, and the model hub could not be"):
            opened(name, store)

    def test_the_model_card_tells_the_language_if_it_is_one(self, bert: Path, store: Store) -> None:
        assert language_of(str(bert)) is None
        (bert / "README.md").write_text("---\nlanguage: eu\n---\nA model.\n")
        assert language_of(str(bert)) == "eu"
        assert opened(bert, store).lang == "eu"
        for unclear in ("[en, es]", "[en", "{en: 1}", "[no]", "3", ""):
            (bert / "README.md").write_text(f"---\nlanguage: {unclear}\n---\nA model.\n")
            assert language_of(str(bert)) is None

    def test_measured_in_another_language_than_the_card_names_it_says_so(
        self, bert: Path, store: Store, tmp_path: Path
    ) -> None:
        (tmp_path / "two.csv").write_text("masculine,class\nnurse,female\nengineer,male\n")
        for card, told in (("eu", ["another language"]), ("en", []), ("[en, eu]", [])):
            (bert / "README.md").write_text(f"---\nlanguage: {card}\n---\n")
            own = tmp_path / "two.csv"
            run = measure("becpro", str(bert), lang="en", store=store, profession_list=own, keep=False)
            assert [note.caution for note in run.result.notes if note.kind == "language"] == told

    def test_other_weights_are_another_subject_and_another_card_is_not(self, bert: Path, store: Store) -> None:
        before = opened(bert, store).fingerprint
        (bert / "README.md").write_text("---\nlanguage: eu\n---\n")
        assert opened(bert, store).fingerprint == before
        _spoil_weights(bert, lambda weights: weights["cls.predictions.bias"].add_(1))
        assert opened(bert, store).fingerprint != before

    def test_a_configuration_that_names_no_class_is_told_by_its_type(self, bert: Path) -> None:
        config = json.loads((bert / "config.json").read_text())
        for named in (5, None, [5], []):
            (bert / "config.json").write_text(json.dumps(config | {"architectures": named}))
            assert told_kind(bert) == "masked"


class TestRefusals:
    def test_a_head_that_is_missing_is_not_made_up(self, bert: Path, store: Store) -> None:
        def take_head(weights: dict[str, torch.Tensor]) -> None:
            for name in [name for name in weights if name.startswith("cls.")]:
                del weights[name]

        _spoil_weights(bert, take_head)
        with pytest.raises(TiltmeterError, match=r"my-bert lacks \d+ of its weights .*its head"):
            answered(bert, store)

    def test_a_discriminator_has_no_words_to_offer_even_if_it_is_said_to(self, tiny: Tiny, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="head or a part of it is missing"):
            answered(tiny("discriminator"), store, kind="masked")

    def test_without_a_mask_token_nothing_can_be_hidden(self, bert: Path, store: Store) -> None:
        _change(bert / "tokenizer_config.json", mask_token=None, tokenizer_class="PreTrainedTokenizerFast")
        with pytest.raises(TiltmeterError, match="the tokenizer of my-bert has no mask token"):
            answered(bert, store)

    def test_pickled_weights_are_refused_unless_they_are_allowed(self, bert: Path, store: Store) -> None:
        expected = answered(bert, store)
        weights = _weights(bert)
        (bert / "model.safetensors").unlink()
        torch.save(weights, bert / "pytorch_model.bin")
        with pytest.raises(TiltmeterError, match=r"are a pickle \(pytorch_model\.bin\).*--allow-pickle"):
            answered(bert, store)
        assert answered(bert, store, allow_pickle=True) == pytest.approx(expected, abs=1e-6)

    def test_a_pickle_beside_safetensors_is_never_opened(self, bert: Path, store: Store) -> None:
        expected = answered(bert, store)
        (bert / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch /tmp/opened'\ntR.")
        assert answered(bert, store) == expected

    def test_code_that_comes_with_a_model_is_not_run(self, bert: Path, store: Store, tmp_path: Path) -> None:
        ran = tmp_path / "ran"
        (bert / "modeling_own.py").write_text(f"open({str(ran)!r}, 'w')\n")
        auto = {"AutoConfig": "modeling_own.Config", "AutoModelForMaskedLM": "modeling_own.Model"}
        _change(bert / "config.json", model_type="own", auto_map=auto)
        with pytest.raises(TiltmeterError, match="brings Python code of its own, which is not run unless you say"):
            answered(bert, store)
        assert not ran.exists()

    @pytest.mark.parametrize("file", ["config.json", "tokenizer_config.json"])
    def test_nor_left_out_where_the_model_would_load_without_it(self, bert: Path, store: Store, file: str) -> None:
        _change(bert / file, auto_map={"AutoModelForMaskedLM": "modeling_own.Model"})
        with pytest.raises(TiltmeterError, match="brings Python code of its own"):
            answered(bert, store)
        assert opened(bert, store).fingerprint != opened(bert, store, allow_code=True).fingerprint

    def test_a_model_that_sees_what_comes_later_is_not_causal(self, tiny: Tiny, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="is no causal model: it sees what stands behind what it is asked"):
            answered(tiny("bert-cased"), store, kind="causal")

    def test_layers_that_the_configuration_has_no_place_for_are_not_left_out(self, bert: Path, store: Store) -> None:
        _change(bert / "config.json", num_hidden_layers=1)
        with pytest.raises(TiltmeterError, match=r"weights that its configuration has no place for \(bert\.encoder"):
            answered(bert, store)

    def test_a_head_of_another_task_may_be_left_over(self, bert: Path, store: Store) -> None:
        expected = answered(bert, store)
        _spoil_weights(bert, lambda weights: weights.update({"cls.seq_relationship.weight": torch.zeros(2, 32)}))
        assert answered(bert, store) == expected

    def test_weights_that_give_no_numbers_are_refused(self, bert: Path, store: Store) -> None:
        _spoil_weights(bert, lambda weights: weights["cls.predictions.bias"].fill_(float("nan")))
        with pytest.raises(TiltmeterError, match="give numbers that are not finite"):
            answered(bert, store)

    def test_a_tokenizer_without_words_is_refused(self, bert: Path, store: Store) -> None:
        for name in ("tokenizer.json", "vocab.txt"):
            (bert / name).unlink(missing_ok=True)
        with pytest.raises(TiltmeterError, match=r"the files of its tokenizer are missing|cannot be loaded"):
            answered(bert, store)

    def test_a_token_that_the_model_has_no_weights_for_is_lost(self, bert: Path, store: Store) -> None:
        tokenizer = transformers.AutoTokenizer.from_pretrained(bert)
        tokenizer.add_tokens(["nurse9"])
        tokenizer.save_pretrained(bert)
        blank = Blank(text="he is a nurse9", span=(0, 2), candidates=("he",))
        (row,) = pl.concat(opened(bert, store).fill([blank])).rows(named=True)
        assert row["lost"] == "the tokenizer has a token 'nurse9' that the model has no weights for"

    def test_a_name_of_the_hub_is_no_file_of_vectors(self, store: Store) -> None:
        with pytest.raises(TiltmeterError, match="--kind vectors: someone/model is no file or folder of vectors"):
            opened("someone/model", store, kind="vectors")

    def test_a_model_that_wants_words_is_not_asked_with_raw_text_unless_told(self, bert: Path, store: Store) -> None:
        (bert / "README.md").write_text("The input text should be segmented into words by [Juman++](url) in advance.\n")
        with pytest.raises(TiltmeterError, match=r"trained on text that Juman\+\+ had cut.*--pre-segment none"):
            opened(bert, store)
        assert opened(bert, store, pre_segment="mecab").origin["pre_segment"] == "mecab"
        assert len(answered(bert, store, pre_segment="none")) == 2
        _change(bert / "tokenizer_config.json", word_tokenizer_type="jumanpp")
        assert opened(bert, store).origin["pre_segment"] == "none"

    @pytest.mark.parametrize(
        ("spoil", "said"),
        [
            (lambda folder: (folder / "model.safetensors").unlink(), "holds no weights"),
            (lambda folder: (folder / "model.safetensors").write_bytes(b"{}"), "masked.*cut off or damaged"),
            (lambda folder: (folder / "config.json").write_text("{"), "is no JSON"),
        ],
    )
    def test_a_damaged_folder_is_refused_in_one_sentence(
        self, bert: Path, store: Store, spoil: Callable[[Path], Any], said: str
    ) -> None:
        spoil(bert)
        with pytest.raises(TiltmeterError, match=said) as refused:
            answered(bert, store)
        assert "\n" not in str(refused.value)

    @pytest.mark.parametrize(
        ("said", "sentence"),
        [
            ({"dtype": "int8"}, "there is no value of --dtype 'int8'"),
            ({"kind": "bert"}, "there is no value of --kind 'bert'"),
            ({"rate": 0}, "--rate is a number of requests a second above 0"),
        ],
    )
    def test_what_is_said_of_a_subject_has_to_make_sense(self, said: dict[str, Any], sentence: str) -> None:
        with pytest.raises(TiltmeterError, match=sentence):
            Reading(**said)

    def test_a_device_that_is_not_there_is_said_to_be_so(self, tiny: Tiny, store: Store) -> None:
        if torch.cuda.is_available():
            pytest.skip("there is a GPU")
        model = open_subject(str(tiny("bert-cased")), store, Reading(device="cuda"))
        with pytest.raises(TiltmeterError, match="--device cuda: there is no GPU that torch can use"):
            list(cast(LanguageModel, model).fill([BLANK]))


def _change(path: Path, **values: Any) -> None:
    settings = json.loads(path.read_text()) | values
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not None}))


def _weights(folder: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def _spoil_weights(folder: Path, change: Callable[[dict[str, torch.Tensor]], Any]) -> None:
    from safetensors.torch import save_file

    weights = _weights(folder)
    change(weights)
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
