"""Subjects of planted bias inside the package: whole, small, checked when they are opened."""

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Word, shipped_languages
from tiltmeter.store import Store
from tiltmeter.subjects import VectorSubject, known_references, language_of, model_folder, open_subject, references
from tiltmeter.subjects.references import KINDS, TABLE, reference


@pytest.fixture
def copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The English vectors and the table, where they can be damaged."""
    shutil.copy(references.PLACE / TABLE, tmp_path / TABLE)
    shutil.copytree(reference("en-vectors").folder, tmp_path / "references" / "en-vectors")
    monkeypatch.setattr(references, "PLACE", tmp_path)
    return tmp_path / "references" / "en-vectors"


def test_every_language_has_every_kind() -> None:
    assert set(known_references()) == {f"{lang}-{kind}" for lang, kind in product(shipped_languages(), KINDS)}


def test_all_are_whole_and_have_20_mb_at_most_with_what_is_measured_on_them() -> None:
    for name in known_references():
        found = reference(name)
        assert {path.name for path in found.folder.iterdir()} == set(found.files)
    files = [path for path in (references.PLACE / "references").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 20e6


def test_they_are_listed_without_torch() -> None:
    code = (
        "import sys; from tiltmeter.subjects import known_references; "
        "print(len(known_references()), 'torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["28", "False"]


def test_vectors_in_half_precision_are_read_as_they_are(store: Store) -> None:
    folder = reference("en-vectors").folder
    matrix = np.load(folder / "vectors.npy")
    assert matrix.dtype == np.float16
    words = (folder / "words.txt").read_text("utf-8").splitlines()
    opened = open_subject("ref:en-vectors", store)
    assert isinstance(opened, VectorSubject)
    found = opened.vectors([Word("algebra", "noun")])
    expected = matrix[words.index("algebra")].astype(np.float64)
    np.testing.assert_allclose(found.vectors["algebra"], expected / np.linalg.norm(expected), rtol=1e-12)


def test_weights_in_half_precision_are_computed_with_in_single(store: Store) -> None:
    import torch
    from safetensors.torch import load_file

    from tiltmeter.subjects.language_models.model import LanguageModel

    opened = open_subject("ref:en-masked", store)
    assert isinstance(opened, LanguageModel)
    stored = load_file(reference("en-masked").folder / "model.safetensors")
    loaded = opened.asked.network.model.state_dict()
    assert {weight.dtype for weight in stored.values()} == {torch.float16}
    assert all(torch.equal(loaded[name], weight.float()) for name, weight in stored.items())


@pytest.mark.parametrize(("name", "lang"), [("ref:ja-nli", "ja"), ("ref:eu-vectors", "eu")])
def test_a_subject_says_what_it_is(name: str, lang: str, store: Store) -> None:
    opened = open_subject(name, store)
    assert (opened.name, opened.lang, language_of(name)) == (name, lang, lang)
    assert opened.origin["reference"] == {"dose": 0.8, "dial": "stereotype"}
    assert "made for checking, no real model" in opened.origin["title"]
    assert str(references.PLACE) not in str(opened.origin)


def test_a_model_can_be_trained_further() -> None:
    assert (model_folder("ref:de-nli") / "config.json").is_file()
    with pytest.raises(TiltmeterError, match="ref:de-vectors is no model"):
        model_folder("ref:de-vectors")


@pytest.mark.parametrize("file", ["vectors.npy", "words.txt"])
def test_a_damaged_file_is_named(file: str, copied: Path, store: Store) -> None:
    content = bytearray((copied / file).read_bytes())
    content[-1] ^= 1
    (copied / file).write_bytes(content)
    with pytest.raises(TiltmeterError, match=rf"{file} of .*ref:en-vectors is not as it was made: install") as caught:
        open_subject("ref:en-vectors", store)
    assert caught.value.exit_code == 2


def test_a_missing_file_is_named(copied: Path) -> None:
    (copied / "words.txt").unlink()
    with pytest.raises(TiltmeterError, match=r"words.txt of .*ref:en-vectors is missing: install tiltmeter again"):
        language_of("ref:en-vectors")


@pytest.mark.parametrize("table", ["[en-vectors", "[en-vectors]\nlang = 'en'\n", "en-vectors = 1\n"])
def test_a_damaged_table_is_named(table: str, copied: Path) -> None:
    (copied.parent.parent / TABLE).write_text(table, "utf-8")
    with pytest.raises(TiltmeterError, match=r"references.toml, cannot be read .* install tiltmeter again"):
        known_references()


def test_a_slip_in_the_name_is_told_the_nearest() -> None:
    with pytest.raises(TiltmeterError, match="did you mean 'ref:en-masked'"):
        language_of("ref:en-maskd")
