"""Every format and wrapping gives the rows that its own library gives."""

import gzip
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path

import msgpack
import numpy as np
import polars as pl
import pytest
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import load_facebook_vectors, save_facebook_model
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tiltmeter.errors import TiltmeterError
from tiltmeter.store import Store
from tiltmeter.subjects.packages import fetch, known_package
from tiltmeter.subjects.vector_files import FORMATS, Asked, Layout, Lookup, find_layout, look_up
from tiltmeter.subjects.vector_files.spacy import hashes

WORDS = ["the", "nurse", "тётя", "護士", "New_York", "naïve", "1984", "mark"]
MATRIX = np.random.default_rng(0).normal(size=(len(WORDS), 7)).astype(np.float32)


def table(words: Collection[str] = WORDS, matrix: NDArray[np.float32] = MATRIX) -> KeyedVectors:
    vectors = KeyedVectors(matrix.shape[1])
    vectors.add_vectors(list(words), matrix)
    return vectors


def ask(path: Path, words: Collection[str], **reading: str) -> Lookup:
    return look_up(find_layout(path, **reading), Asked(frozenset(words)))


def as_text(path: Path) -> None:
    table().save_word2vec_format(path, binary=False)


def as_glove(path: Path) -> None:
    table().save_word2vec_format(path, binary=False, write_header=False)


def as_word2vec_c_text(path: Path) -> None:
    """word2vec.c and fastText leave a blank at the end of each line."""
    as_text(path)
    path.write_bytes(path.read_bytes().replace(b"\n", b" \n"))


def as_tabs(path: Path) -> None:
    as_glove(path)
    path.write_bytes(path.read_bytes().replace(b" ", b"\t").replace(b"\n", b"\r\n"))


def as_binary(path: Path) -> None:
    table().save_word2vec_format(path, binary=True)


def as_word2vec_c_binary(path: Path) -> None:
    """word2vec.c ends each entry with a line feed, gensim does not."""
    entries = (word.encode() + b" " + row.tobytes() + b"\n" for word, row in zip(WORDS, MATRIX, strict=True))
    path.write_bytes(b"%d %d\n" % MATRIX.shape + b"".join(entries))


def gzipped(path: Path) -> Path:
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return packed


def zipped(path: Path) -> Path:
    packed = path.with_suffix(".zip")
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("meta.json", '{"tags": false}')
        archive.writestr("README", "the vectors of 2019\n")
        archive.write(path, path.name)
    path.unlink()
    return packed


def unpacked(path: Path) -> Path:
    return path


@pytest.mark.parametrize("wrap", [unpacked, gzipped, zipped])
@pytest.mark.parametrize(
    ("write", "name", "format_name"),
    [
        (as_text, "model.txt", "text"),
        (as_text, "no-extension", "text"),
        (as_glove, "glove.txt", "text"),
        (as_word2vec_c_text, "wiki.vec", "text"),
        (as_tabs, "model.tsv", "text"),
        (as_binary, "model.bin", "word2vec-binary"),
        (as_binary, "no-extension", "word2vec-binary"),
        (as_word2vec_c_binary, "model.bin", "word2vec-binary"),
    ],
)
def test_rows_are_those_that_gensim_wrote(
    tmp_path: Path, write: Callable[[Path], None], name: str, format_name: str, wrap: Callable[[Path], Path]
) -> None:
    write(tmp_path / name)
    path = wrap(tmp_path / name)
    assert find_layout(path).format == format_name
    found = ask(path, [*WORDS, "absent", "nurs"])
    assert found.rows.keys() == set(WORDS)
    for word, row in zip(WORDS, MATRIX, strict=True):
        np.testing.assert_array_equal(found.rows[word], row)
    assert (found.traits.words, found.traits.dimensions, found.traits.rows) == (8, 7, 8)
    assert (found.traits.cased, found.traits.yo, found.traits.tagged) == (True, True, False)


WORD = st.text(st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=8)
FLOAT = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(
    data=st.integers(1, 5).flatmap(
        lambda size: st.dictionaries(WORD, st.lists(FLOAT, min_size=size, max_size=size), min_size=1, max_size=6)
    ),
    binary=st.booleans(),
    wrap=st.sampled_from([unpacked, gzipped, zipped]),
)
@settings(max_examples=150, deadline=None)
def test_any_table_comes_back_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory,
    data: dict[str, list[float]],
    binary: bool,
    wrap: Callable[[Path], Path],
) -> None:
    matrix = np.array(list(data.values()), dtype=np.float32)
    path = tmp_path_factory.mktemp("any") / ("model.bin" if binary else "model.txt")
    table(data, matrix).save_word2vec_format(path, binary=binary)
    found = ask(wrap(path), list(data), format="word2vec-binary" if binary else "text")
    assert found.rows.keys() == data.keys()
    for word, row in zip(data, matrix, strict=True):
        np.testing.assert_array_equal(found.rows[word], row)


@pytest.fixture(scope="session")
def fasttext(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small model in fastText's own format."""
    sentences = [["король", "королева", "nurse", "doctor"], ["nurse", "doctor", "king", "queen", "护士"]] * 5
    model = FastText(sentences, vector_size=6, min_count=1, bucket=50, epochs=1, workers=1, seed=1)
    path = tmp_path_factory.mktemp("fasttext") / "cc.bin"
    save_facebook_model(model, str(path))
    return path


@pytest.mark.parametrize("wrap", [unpacked, gzipped, zipped])
def test_fasttext_models_give_the_vectors_that_gensim_gives(
    tmp_path: Path, fasttext: Path, wrap: Callable[[Path], Path]
) -> None:
    reference = load_facebook_vectors(str(fasttext))
    copy = tmp_path / "cc.bin"
    copy.write_bytes(fasttext.read_bytes())
    layout = find_layout(wrap(copy))
    assert layout.format == "fasttext-binary"
    asked = frozenset([*reference.key_to_index, "nurses", "короля"])
    plain = look_up(layout, Asked(asked))
    assert plain.rows.keys() == reference.key_to_index.keys(), "a lost word stays lost"
    composed = look_up(layout, Asked(asked, subwords=True))
    assert composed.composed == {"nurses", "короля"}
    for word in asked:
        np.testing.assert_allclose(composed.rows[word], reference[word], rtol=1e-5, atol=1e-7)
    assert (plain.traits.words, plain.traits.dimensions) == (len(reference), 6)


def test_a_fasttext_model_that_ends_early_is_refused(tmp_path: Path, fasttext: Path) -> None:
    content = fasttext.read_bytes()
    for length in (6, 60, 100, len(content) // 4):
        (tmp_path / "cut.bin").write_bytes(content[:length])
        with pytest.raises(TiltmeterError, match=r"cut\.bin is cut off"):
            ask(tmp_path / "cut.bin", ["nurse"])


@pytest.mark.parametrize("ending", ["txt", "parquet"])
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_matrix_is_read_with_the_words_beside_it(tmp_path: Path, ending: str, dtype: str, order: str) -> None:
    matrix = np.asarray(MATRIX.astype(dtype), order=order)  # type: ignore[call-overload]
    np.save(tmp_path / "emb.npy", matrix)
    write_words(tmp_path / f"emb.{ending}")
    for path in (tmp_path / "emb.npy", tmp_path):
        found = ask(path, ["nurse", "mark", "absent"])
        assert found.rows.keys() == {"nurse", "mark"}
        np.testing.assert_array_equal(found.rows["mark"], matrix[-1].astype(np.float32))
        assert found.traits.words == len(WORDS)


def test_a_matrix_is_read_out_of_gz_and_zip(tmp_path: Path) -> None:
    np.save(tmp_path / "emb.npy", MATRIX)
    write_words(tmp_path / "emb.txt")
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.write(tmp_path / "emb.npy", "inner/emb.npy")
        archive.write(tmp_path / "emb.txt", "inner/emb.txt")
    for path in (gzipped(tmp_path / "emb.npy"), tmp_path / "all.zip"):
        np.testing.assert_array_equal(ask(path, ["naïve"]).rows["naïve"], MATRIX[5])


def write_words(path: Path) -> None:
    if path.suffix == ".txt":
        path.write_text("\n".join(WORDS) + "\n", "utf-8")
    else:
        pl.DataFrame({"word": WORDS}).write_parquet(path)


@pytest.mark.parametrize("wrap", [unpacked, gzipped, zipped])
def test_navec_gives_what_its_library_gives(tmp_path: Path, wrap: Callable[[Path], Path]) -> None:
    from navec import Navec
    from navec.meta import Meta
    from navec.pq import PQ
    from navec.vocab import Vocab

    rng = np.random.default_rng(0)
    words = ["мать", "отец", "врач", "<unk>", "<pad>"]
    codes = rng.normal(size=(3, 256, 2)).astype(np.float32)
    indexes = rng.integers(0, 256, size=(5, 3)).astype(np.uint8)
    model = Navec(Meta("test"), Vocab(words, [1] * 5), PQ(5, 6, 3, 256, indexes, codes))
    model.dump(tmp_path / "navec.tar")
    layout = find_layout(wrap(tmp_path / "navec.tar"))
    found = look_up(layout, Asked(frozenset(words)))
    assert (layout.format, found.traits.words) == ("navec", 3)
    assert found.rows.keys() == {"мать", "отец", "врач"}
    for word, row in found.rows.items():
        np.testing.assert_array_equal(row, model[word])


@pytest.fixture(scope="session")
def ginza() -> Path:
    """The real Japanese table, fetched into the user's cache on first use."""
    return fetch(known_package("ginza-ja"), Store())


def test_words_hash_to_the_keys_of_a_real_spacy_table(ginza: Path) -> None:
    keys = set(msgpack.unpackb((ginza / "key2row").read_bytes(), strict_map_key=False))
    strings = json.loads((ginza / "strings.json").read_bytes())
    hashed = hashes(strings).tolist()
    assert len(keys & set(hashed)) > 0.999 * len(keys)
    lengths = {len(string.encode()) for string, key in zip(strings, hashed, strict=True) if key in keys}
    assert lengths >= set(range(1, 25)), "words of every length modulo the block of 8 bytes are among them"


def test_a_pruned_spacy_table_gives_its_rows_and_counts_them(ginza: Path) -> None:
    found = ask(ginza, ["看護師", "医師", "ないない語"])
    key2row = msgpack.unpackb((ginza / "key2row").read_bytes(), strict_map_key=False)
    matrix = np.load(ginza / "vectors", mmap_mode="r")
    assert found.rows.keys() == {"看護師", "医師"}
    for word, row in found.rows.items():
        np.testing.assert_array_equal(row, matrix[key2row[int(hashes([word])[0])]])
    assert (found.traits.words, found.traits.rows, found.traits.dimensions) == (480_443, 20_000, 300)


def spacy_folder(folder: Path) -> Path:
    """Two words on one row; `mark` is a label, which spaCy numbers instead of hashing."""
    folder.mkdir(parents=True)
    words = ["mother", "father", "physics"]
    keys = [*hashes(words).tolist(), 423]
    with (folder / "vectors").open("wb") as file:
        np.save(file, MATRIX[:3])
    (folder / "key2row").write_bytes(msgpack.packb(dict(zip(keys, [0, 1, 1, 2], strict=True))))
    (folder / "strings.json").write_text(json.dumps([*words, "unrelated"]))
    return folder


def test_a_spacy_model_is_read_from_its_folder_or_its_wheel(tmp_path: Path) -> None:
    folder = spacy_folder(tmp_path / "model" / "vocab")
    with zipfile.ZipFile(tmp_path / "model.whl", "w") as wheel:
        for file in folder.iterdir():
            wheel.write(file, f"xx_model/xx_model-1.0/vocab/{file.name}")
    for path in (folder, folder.parent, tmp_path / "model.whl"):
        found = ask(path, ["mother", "father", "physics", "mark", "unrelated"])
        assert found.rows.keys() == {"mother", "father", "physics", "mark"}
        np.testing.assert_array_equal(found.rows["mark"], MATRIX[2])
        np.testing.assert_array_equal(found.rows["father"], found.rows["physics"])
        assert (found.traits.words, found.traits.rows) == (4, 3)


def test_of_a_table_given_twice_the_binary_is_read(tmp_path: Path) -> None:
    as_text(tmp_path / "model.txt")
    as_binary(tmp_path / "model.bin")
    layout = find_layout(tmp_path)
    assert (layout.format, str(layout.files["vectors"])) == ("word2vec-binary", "model.bin")


def test_one_of_several_is_chosen_by_name(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "both.zip", "w") as archive:
        for name in ("news.vec", "fiction.vec"):
            as_text(tmp_path / name)
            archive.write(tmp_path / name, name)
    with pytest.raises(
        TiltmeterError, match=r"2 files that could be .* \(fiction.vec, news.vec\); name one as both.zip#"
    ):
        find_layout(tmp_path / "both.zip")
    assert find_layout(tmp_path / "both.zip", member="news.vec").files["vectors"].entry == "news.vec"


def test_of_a_word_given_twice_the_first_counts(tmp_path: Path) -> None:
    (tmp_path / "twice.vec").write_text("3 2\nnurse 1 2\ndoctor 3 4\nnurse 5 6\n")
    found = ask(tmp_path / "twice.vec", ["nurse", "doctor"])
    assert found.rows["nurse"].tolist() == [1, 2]
    assert (found.traits.words, found.traits.duplicates) == (2, 1)
    content = b"".join(word + b" " + np.float32(value).tobytes() for word, value in ((b"a", 1), (b"b", 2), (b"a", 3)))
    (tmp_path / "twice.bin").write_bytes(b"3 1\n" + content)
    found = ask(tmp_path / "twice.bin", ["a"], format="word2vec-binary")
    assert (found.rows["a"].tolist(), found.traits.duplicates) == ([1], 1)


def test_a_word_with_a_blank_inside_is_not_its_first_half(tmp_path: Path) -> None:
    (tmp_path / "glove.txt").write_text("the 1 2\nat name@domain.com 3 4\nat 5 6\n")
    assert ask(tmp_path / "glove.txt", ["at"]).rows["at"].tolist() == [5, 6]


def test_a_number_can_be_a_word(tmp_path: Path) -> None:
    (tmp_path / "numbers.txt").write_text("1 2 3\n7 8 9\n")
    assert ask(tmp_path / "numbers.txt", ["7"]).rows["7"].tolist() == [8, 9]
    (tmp_path / "single.txt").write_text("1 2\n7 8\n")
    assert ask(tmp_path / "single.txt", ["7"]).rows["7"].tolist() == [8]


def test_words_that_straddle_chunks_are_found(tmp_path: Path) -> None:
    words = [f"w{number}" for number in range(5000)]
    matrix = np.random.default_rng(1).normal(size=(5000, 150)).astype(np.float32)
    table(words, matrix).save_word2vec_format(tmp_path / "big.bin", binary=True)
    assert (tmp_path / "big.bin").stat().st_size > 2 * (1 << 20)
    found = ask(tmp_path / "big.bin", words)
    np.testing.assert_array_equal(np.stack([found.rows[word] for word in words]), matrix)


def test_an_empty_word_is_a_word_like_others(tmp_path: Path) -> None:
    numbers = np.arange(3, dtype="f4").tobytes()
    for words in ([b"", b"a"], [b"a", b""], [b"a", b"", b"b"], [b"", b""]):
        entries = b"".join(word + b" " + numbers for word in words)
        (tmp_path / "empty.bin").write_bytes(b"%d 3\n" % len(words) + entries)
        found = ask(tmp_path / "empty.bin", ["a"])
        assert found.traits.words + found.traits.duplicates == len(words)
        assert all(row.tolist() == [0, 1, 2] for row in found.rows.values())


def test_every_format_has_a_reader() -> None:
    for name, parts in FORMATS.items():
        with pytest.raises(TiltmeterError, match="|".join(parts)):
            look_up(Layout(name, {}), Asked(frozenset()))


def test_gensim_is_no_part_of_reading(tmp_path: Path) -> None:
    """It is the oracle here, and costs a second to import."""
    as_text(tmp_path / "model.vec")
    code = (
        "import sys; from pathlib import Path; from tiltmeter.subjects.vector_files import *;"
        f"look_up(find_layout(Path({str(tmp_path / 'model.vec')!r})), Asked(frozenset(['the'])));"
        "sys.exit('gensim' in sys.modules or 'pymorphy3' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
