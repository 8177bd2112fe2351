"""Every bad file is refused in one sentence that names it, and nothing in it is ever executed."""

import gzip
import json
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgpack
import numpy as np
import polars as pl
import pytest
from gensim.models import KeyedVectors

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Word
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import VectorSubject, open_subject
from tiltmeter.subjects.vector_files import Asked, find_layout, look_up

BINARY = b"2 3\nnurse " + np.ones(3, "f4").tobytes() + b"doctor " + np.ones(3, "f4").tobytes()


def refusal(path: Path, *words: str, **reading: str) -> str:
    """The one sentence that reading this file ends with."""
    with pytest.raises(TiltmeterError) as refused:
        look_up(find_layout(path, **reading), Asked(frozenset(words or ["nurse", "doctor"])))
    sentence = str(refused.value)
    assert path.name in sentence
    assert "\n" not in sentence
    return sentence


def write(path: Path, content: bytes | str) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize("length", range(5, len(BINARY)))
def test_a_binary_cut_off_anywhere_is_refused(tmp_path: Path, length: int) -> None:
    path = write(tmp_path / "cut.bin", BINARY[:length])
    assert "cut off: its header says 2 words, and it ends in word" in refusal(path, format="word2vec-binary")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("2 3\nnurse 1 2 3\ndoctor 4 5\n", "bad.vec, line 3: 2 numbers follow 'doctor' where 3 were expected"),
        ("2 3\nnurse 1 2 3\ndoctor 4 5 6 7\n", "bad.vec, line 3: 4 numbers follow 'doctor' where 3 were expected"),
        ("nurse 1 2 3\n\ndoctor 4 5\n", "bad.vec, line 3: 2 numbers follow 'doctor' where 3 were expected"),
        ("nurse 1 2 3\ndoctor 4 x 6\n", "bad.vec, line 2: what follows 'doctor' is no number"),
        ("nurse 1 2 3\nother 1 2\nlast 1 2 3\n", "bad.vec, line 2: 2 numbers follow 'other' where 3 were expected"),
        ("nurse 1 2 3\nother 1 2 3 4 5\nlast 1 2 3\n", "bad.vec, line 2: 5 numbers follow 'other' where 3"),
        ("nurse 1 2 3\nother 1 2\n", "bad.vec, line 2: 2 numbers follow 'other' where 3 were expected"),
        ("nurse 1 2 3\nother\nmore 1 2 3\n", "bad.vec, line 2: 0 numbers follow 'other' where 3 were expected"),
        ("3 3\nnurse 1 2 3\ndoctor 4 5 6\n", "says in its first line that it holds 3 words, and it holds 2"),
        ("1 3\nnurse 1 2 3\ndoctor 4 5 6\n", "says in its first line that it holds 1 words, and it holds 2"),
        ("2 5\nnurse 1 2 3\ndoctor 4 5 6\n", "bad.vec, line 2: 3 numbers follow 'nurse' where 5 were expected"),
        ("", "bad.vec is empty"),
        (
            "<!doctype html>\n<p>404 not found\n",
            "bad.vec holds no word vectors in a format that tiltmeter reads (text,",
        ),
    ],
)
def test_bad_text_is_refused_with_its_line(tmp_path: Path, content: str, said: str) -> None:
    assert said in refusal(write(tmp_path / "bad.vec", content))


def test_a_header_that_promises_too_little_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "more.bin", BINARY.replace(b"2 3", b"1 3", 1))
    assert "goes on after the 1 words that its header says" in refusal(path)


def test_a_header_of_wrong_dimensions_does_not_read_on_for_ever(tmp_path: Path) -> None:
    path = write(tmp_path / "wrong.bin", b"9 2\n" + b"word " + b"\xff" * 20_000)
    assert "wrong.bin, word 2: no word ends within 4096 bytes" in refusal(path)


class TestEncoding:
    def test_the_line_and_byte_that_are_not_utf8_are_named(self, tmp_path: Path) -> None:
        path = write(tmp_path / "cp1251.vec", "nurse 1 2\n\nдоктор 1 2\nврач 3 4\n".encode("cp1251"))
        assert "cp1251.vec, line 3: the word b'\\xe4\\xee" in refusal(path)
        assert "(byte 0xe4); convert the file to UTF-8" in refusal(path)

    def test_so_is_the_word_of_a_binary(self, tmp_path: Path) -> None:
        path = write(tmp_path / "bad.bin", BINARY.replace(b"doctor", b"docto\xd0"))
        assert "bad.bin, word 2: the word b'docto\\xd0' is not UTF-8" in refusal(path)

    def test_broken_words_are_skipped_and_counted_if_that_is_asked(self, tmp_path: Path, store: Store) -> None:
        path = write(tmp_path / "bad.bin", BINARY.replace(b"doctor", b"docto\xd0"))
        opened = open_subject(str(path), store, Reading(skip_broken=True))
        assert isinstance(opened, VectorSubject)
        assert opened.vectors([Word("nurse")]).traits.broken == 1

    def test_words_beside_a_matrix_are_checked_as_well(self, tmp_path: Path) -> None:
        np.save(tmp_path / "emb.npy", np.ones((2, 2), np.float32))
        write(tmp_path / "emb.txt", "nurse\nврач\n".encode("cp1251"))
        with pytest.raises(TiltmeterError, match=r"emb\.txt, line 2: .* is not UTF-8"):
            look_up(find_layout(tmp_path / "emb.npy"), Asked(frozenset(["nurse"])))


class Trap:
    """Whoever unpickles this makes a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> tuple[Callable[[Path], None], tuple[Path]]:
        return Path.mkdir, (self.folder,)


class TestPickles:
    @pytest.mark.parametrize("name", ["model.kv", "model.vec", "model.npy"])
    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    @pytest.mark.parametrize("wrapping", ["", "gz", "zip"])
    @pytest.mark.parametrize("forced", [None, "text", "word2vec-binary", "fasttext-binary", "navec", "numpy", "spacy"])
    def test_never_execute_in_any_disguise(
        self, tmp_path: Path, name: str, protocol: int, wrapping: str, forced: str | None
    ) -> None:
        content = pickle.dumps({"vectors": Trap(tmp_path / "sprung")}, protocol=protocol)
        path = tmp_path / (f"{name}.{wrapping}" if wrapping else name)
        if wrapping == "zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr(name, content)
        else:
            write(path, gzip.compress(content) if wrapping else content)
        write(tmp_path / "model.txt", "nurse\n")
        sentence = refusal(path) if forced is None else refusal(path, format=forced)
        assert not (tmp_path / "sprung").exists()
        if forced is None:
            assert "is a pickle, which can run any code when it is opened" in sentence
            assert "KeyedVectors.load(...).save_word2vec_format" in sentence

    def test_of_gensim_are_refused_with_the_way_to_convert_them(self, tmp_path: Path) -> None:
        vectors = KeyedVectors(3)
        vectors.add_vectors(["nurse", "doctor"], np.ones((2, 3), np.float32))
        vectors.save(str(tmp_path / "small.kv"))
        vectors.save(str(tmp_path / "large.model"), sep_limit=0)
        assert "small.kv is a pickle" in refusal(tmp_path / "small.kv")
        assert "large.model is a pickle" in refusal(tmp_path / "large.model")
        (tmp_path / "small.kv").unlink()
        with pytest.raises(TiltmeterError, match=r"large\.model is a pickle"):
            find_layout(tmp_path)

    def test_inside_a_matrix_of_objects_never_execute(self, tmp_path: Path) -> None:
        np.save(tmp_path / "emb.npy", np.array([[Trap(tmp_path / "sprung")]], dtype=object), allow_pickle=True)
        write(tmp_path / "emb.txt", "nurse\n")
        assert "emb.npy is a pickle" in refusal(tmp_path / "emb.npy")
        assert not (tmp_path / "sprung").exists()


class TestZips:
    @pytest.mark.parametrize("name", ["../model.vec", "a/../../model.vec", "/model.vec", "..\\model.vec"])
    def test_a_member_that_climbs_out_is_refused(self, tmp_path: Path, name: str) -> None:
        path = tmp_path / "climbing.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(name, "nurse 1 2\n")
        assert "climbs out of the zip, so it was not opened" in refusal(path)

    @pytest.mark.parametrize("wrapping", ["gz", "zip"])
    def test_what_unpacks_to_far_too_much_is_refused(self, tmp_path: Path, wrapping: str) -> None:
        content = b"nurse 1 2\n" + b"doctor 0 0\n" * 2_000_000
        path = tmp_path / f"bomb.{wrapping}"
        if wrapping == "zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("model.vec", content)
        else:
            write(path, gzip.compress(content))
        assert "unpacks to more than 100 times its packed size" in refusal(path)

    @pytest.mark.parametrize("wrapping", ["gz", "zip"])
    def test_a_packed_file_that_is_cut_off_or_flipped_is_refused(self, tmp_path: Path, wrapping: str) -> None:
        rng = np.random.default_rng(0)
        text = "".join(f"w{number} {rng.normal()} {rng.normal()}\n" for number in range(5000))
        path = tmp_path / f"model.{wrapping}"
        if wrapping == "zip":
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("model.vec", text)
        else:
            write(path, gzip.compress(text.encode()))
        whole = path.read_bytes()
        write(path, whole[:-2000])
        assert "damaged or cut off" in refusal(path)
        middle = len(whole) // 2
        write(path, whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :])
        assert "is damaged or cut off" in refusal(path, "w1")

    def test_without_vectors_is_said_so(self, tmp_path: Path) -> None:
        path = tmp_path / "none.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("meta.json", "{}")
            archive.writestr("README", "nothing here")
        assert "none.zip holds no word vectors" in refusal(path)
        assert "none.zip holds no 'model.bin'; it holds README, meta.json" in refusal(path, member="model.bin")


class TestMatrices:
    def test_without_words_say_which_file_is_missing(self, tmp_path: Path) -> None:
        np.save(tmp_path / "emb.npy", np.ones((2, 3), np.float32))
        assert "emb.npy has no words beside it: emb.txt or emb.parquet was expected" in refusal(tmp_path / "emb.npy")

    def test_with_another_number_of_words_are_refused(self, tmp_path: Path) -> None:
        np.save(tmp_path / "emb.npy", np.ones((2, 3), np.float32))
        write(tmp_path / "emb.txt", "nurse\ndoctor\nking\n")
        assert "emb.npy has 2 rows and emb.txt has 3 words" in refusal(tmp_path / "emb.npy", "nurse")

    def test_cut_off_are_refused_wherever_the_asked_rows_are(self, tmp_path: Path) -> None:
        np.save(tmp_path / "emb.npy", np.ones((2, 3), np.float32))
        write(tmp_path / "emb.txt", "nurse\ndoctor\n")
        write(tmp_path / "emb.npy", (tmp_path / "emb.npy").read_bytes()[:-1])
        assert "emb.npy is cut off" in refusal(tmp_path / "emb.npy", "nurse")

    def test_of_no_numbers_or_one_dimension_are_refused(self, tmp_path: Path) -> None:
        write(tmp_path / "emb.txt", "nurse\ndoctor\n")
        for matrix in (np.ones(2), np.array([["a"], ["b"]])):
            np.save(tmp_path / "emb.npy", matrix)
            assert "a matrix, one row a word, was expected" in refusal(tmp_path / "emb.npy", "nurse")


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("key2row", b"\xc1", "key2row is damaged or cut off"),
        ("key2row", msgpack.packb([1]), "key2row holds no table"),
        ("key2row", msgpack.packb({1: 9}), "key2row points to rows beyond the 2 of vectors"),
        ("strings.json", b'["a', "strings.json is damaged or cut off"),
    ],
)
def test_damaged_spacy_files_are_named(tmp_path: Path, file: str, content: bytes, said: str) -> None:
    with (tmp_path / "vectors").open("wb") as stream:
        np.save(stream, np.ones((2, 3), np.float32))
    write(tmp_path / "key2row", msgpack.packb({1: 0}))
    write(tmp_path / "strings.json", "[]")
    write(tmp_path / file, content)
    with pytest.raises(TiltmeterError, match=said):
        look_up(find_layout(tmp_path), Asked(frozenset(["nurse"])))


def test_a_tar_without_navec_inside_is_refused(tmp_path: Path) -> None:
    import tarfile

    with tarfile.open(tmp_path / "other.tar", "w") as tar:
        tar.add(write(tmp_path / "x.txt", "x"), "x.txt")
    assert "other.tar is not navec's format, or cut off: it lacks vocab.bin and pq.bin" in refusal(
        tmp_path / "other.tar"
    )


def test_zero_and_not_finite_rows_of_a_file_are_lost_with_the_reason(tmp_path: Path, store: Store) -> None:
    path = write(tmp_path / "holes.vec", "4 2\nzero 0 0\nnan nan 1\ninf 1 -inf\nnurse 1 2\n")
    opened = open_subject(str(path), store)
    assert isinstance(opened, VectorSubject)
    lost = opened.vectors([Word(word) for word in ("zero", "nan", "inf", "nurse")]).lost
    assert dict(lost) == dict.fromkeys(("zero", "nan", "inf"), "its vector is zero or not finite")


def test_a_file_with_none_of_the_words_is_said_so(tmp_path: Path, store: Store) -> None:
    opened = open_subject(str(write(tmp_path / "other.vec", "gato 1 2\nperro 3 4\n")), store)
    assert isinstance(opened, VectorSubject)
    with pytest.raises(TiltmeterError, match=r"none of the 2 words asked for has a vector in other\.vec \(2 words"):
        opened.vectors([Word("nurse"), Word("doctor")])


def test_an_unknown_format_is_refused_with_the_nearest(tmp_path: Path) -> None:
    path = write(tmp_path / "model.vec", "nurse 1 2\n")
    with pytest.raises(TiltmeterError, match="no vector format 'spacey'; did you mean 'spacy'"):
        find_layout(path, format="spacey")
    assert "has no vectors, key2row and strings.json" in refusal(path, format="spacy")


class TestFilesThatLie:
    """Sizes and types inside a file are the file's word, not the truth."""

    @pytest.mark.parametrize("order", [True, False])
    def test_a_matrix_that_promises_more_than_it_holds(self, tmp_path: Path, order: bool) -> None:
        header = {"descr": "<f4", "fortran_order": order, "shape": (10**12, 10**6)}
        with (tmp_path / "emb.npy").open("wb") as file:
            np.lib.format.write_array_header_1_0(file, header)
        write(tmp_path / "emb.txt", "nurse\ndoctor\n")
        assert "emb" in refusal(tmp_path / "emb.npy")

    def test_a_word_list_with_a_hole(self, tmp_path: Path) -> None:
        np.save(tmp_path / "emb.npy", np.ones((2, 2), np.float32))
        pl.DataFrame({"word": ["nurse", None]}).write_parquet(tmp_path / "emb.parquet")
        assert "emb" in refusal(tmp_path / "emb.npy")

    @pytest.mark.parametrize("damage", [{"rows": {"a": "b"}}, {"strings": [1, 2]}])
    def test_spacy_tables_of_the_wrong_types(self, tmp_path: Path, damage: dict[str, object]) -> None:
        folder = tmp_path / "vocab"
        folder.mkdir()
        with (folder / "vectors").open("wb") as file:
            np.save(file, np.ones((2, 2), np.float32))
        write(folder / "key2row", msgpack.packb(damage.get("rows", {1: 0})))
        write(folder / "strings.json", json.dumps(damage.get("strings", ["nurse"])))
        with pytest.raises(TiltmeterError, match=r"cannot be read as spacy|vocab|key2row|strings"):
            look_up(find_layout(folder), Asked(frozenset(["nurse"])))


def test_a_stray_token_in_upper_case_does_not_make_a_vocabulary_cased(tmp_path: Path, store: Store) -> None:
    lines = [f"w{number} {number} 1" for number in range(200)]
    path = write(tmp_path / "lower.vec", "\n".join(["<UNK> 0 1", "john 1 1", *lines]) + "\n")
    opened = open_subject(str(path), store)
    assert isinstance(opened, VectorSubject)
    assert opened.vectors([Word("John")]).forms == {"John": "john"}
