"""A path is a subject: named by its file, known by its content."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Word
from tiltmeter.reading import Reading
from tiltmeter.store import Store, fingerprints
from tiltmeter.subjects import Found, VectorSubject, language_of, open_subject


def write(path: Path, content: str = "nurse 1 2\ndoctor 2 1\nking 1 2\n", *, age: float = 60) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    then = path.stat().st_mtime - age
    os.utime(path, (then, then))
    return path


def opened(name: object, store: Store, **reading: str) -> VectorSubject:
    subject = open_subject(str(name), store, **reading)  # type: ignore[arg-type]
    assert isinstance(subject, VectorSubject)
    return subject


def test_a_file_is_named_without_its_folders_and_has_no_language(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "secret-project" / "model.vec")
    subject = opened(path, store)
    assert (subject.name, subject.lang, language_of(str(path))) == ("model.vec", None, None)
    assert "secret-project" not in json.dumps(dict(subject.origin))
    assert subject.origin["format"] == "text"


def test_the_fingerprint_is_of_the_content_not_of_the_place(tmp_path: Path, store: Store) -> None:
    one, same = write(tmp_path / "one.vec"), write(tmp_path / "two.vec")
    other = write(tmp_path / "other.vec", "nurse 1 3\n")
    assert opened(one, store).fingerprint == opened(same, store).fingerprint
    assert opened(one, store).fingerprint != opened(other, store).fingerprint


def test_another_way_of_reading_is_another_subject(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec")
    assert (
        len({opened(path, store).fingerprint, open_subject(str(path), store, Reading(subwords=True)).fingerprint}) == 2
    )


def test_a_file_is_hashed_once(tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "model.vec")
    first = opened(path, store).fingerprint
    monkeypatch.setattr(fingerprints, "sha256_of", lambda _: pytest.fail("hashed again"))
    assert opened(path, store).fingerprint == first
    assert opened(tmp_path / "." / "model.vec", store).fingerprint == first


def test_a_changed_file_is_hashed_again(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec", "nurse 1 2\n")
    first = opened(path, store).fingerprint
    write(path, "nurse 1 3\n", age=50)
    assert opened(path, store).fingerprint != first


def test_a_file_changed_this_moment_is_not_remembered(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec", "nurse 1 2\n", age=0)
    first, times = opened(path, store).fingerprint, path.stat()
    path.write_text("nurse 1 3\n")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert opened(path, store).fingerprint != first


def test_a_file_replaced_under_the_same_size_and_time_is_hashed_again(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec", "nurse 1 2\n")
    first, times = opened(path, store).fingerprint, path.stat()
    (tmp_path / "other.vec").write_text("nurse 1 3\n")
    (tmp_path / "other.vec").replace(path)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert opened(path, store).fingerprint != first


def test_a_damaged_note_is_written_anew(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec")
    first = opened(path, store).fingerprint
    (note,) = store.fingerprints.folder.iterdir()
    note.write_text("{")
    assert opened(path, store).fingerprint == first
    assert json.loads(note.read_text())["size"] == path.stat().st_size


def test_what_was_asked_before_is_answered_without_reading(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec")
    words = [Word("nurse"), Word("king"), Word("absent")]
    first = opened(path, store).vectors(words)
    again = opened(path, store)
    path.write_text("")
    second: Found = again.vectors(words)
    assert (second.forms, second.lost, second.shared, second.traits) == (
        first.forms, first.lost, first.shared, first.traits,
    )  # fmt: skip
    np.testing.assert_array_equal(first.vectors["king"], second.vectors["king"])


def test_words_that_share_a_row_are_named(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "model.vec", "nurse 1 2\ndoctor 2 1\nking 1 2\nfar 2 4\nqueen 2 1\njohn 5 5\n")
    words = [Word(word) for word in ("nurse", "doctor", "king", "far", "queen", "John", "john")]
    found = opened(path, store).vectors(words)
    assert found.shared == (("nurse", "king"), ("doctor", "queen"))


def test_a_composed_vector_is_said_to_be_so_and_stays_so(tmp_path: Path, store: Store) -> None:
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    model = FastText([["nurse", "doctor"]] * 5, vector_size=4, min_count=1, bucket=20, epochs=1, workers=1, seed=1)
    save_facebook_model(model, str(tmp_path / "cc.bin"))
    words = [Word("nurse"), Word("nurses"), Word("Doctor")]
    assert opened(tmp_path / "cc.bin", store).vectors(words).lost == {"nurses": "nurses not in the vocabulary"}
    for _ in range(2):
        subject = open_subject(str(tmp_path / "cc.bin"), store, Reading(subwords=True))
        assert isinstance(subject, VectorSubject)
        found = subject.vectors(words)
        assert found.composed == ("nurses",)
        assert found.forms["Doctor"] == "doctor", "a word of the vocabulary goes before a composed one"


def test_a_member_of_a_zip_is_named_after_a_hash(tmp_path: Path, store: Store) -> None:
    import zipfile

    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        archive.writestr("a.vec", "nurse 1 2\n")
        archive.writestr("b.vec", "nurse 3 4\n")
    subject = opened(f"{tmp_path}/both.zip#b.vec", store)
    assert subject.name == "both.zip#b.vec"
    np.testing.assert_allclose(subject.vectors([Word("nurse")]).vectors["nurse"], [0.6, 0.8], rtol=1e-6)
    assert subject.fingerprint != opened(f"{tmp_path}/both.zip#a.vec", store).fingerprint


@pytest.mark.parametrize("name", ["missing.vec", "./missing", "/nowhere/missing"])
def test_a_path_that_is_not_there_is_said_so(store: Store, name: str) -> None:
    with pytest.raises(TiltmeterError, match="there is no file or folder"):
        open_subject(name, store)


def test_a_folder_without_vectors_is_said_so(tmp_path: Path, store: Store) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(TiltmeterError, match="empty holds no word vectors"):
        open_subject(str(tmp_path / "empty"), store)
