"""Words find their vectors by named policies, and what is lost is said."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Word
from tiltmeter.store import Answers, Store
from tiltmeter.subjects import VectorSubject, open_subject
from tiltmeter.subjects.vector_files import Layout, find_layout

TABLE = {
    "john": [1.0, 0.0, 0.0],
    "teta": [0.0, 2.0, 0.0],
    "тётя": [0.0, 0.0, 3.0],
    "умный": [1.0, 0.0, 0.0],
    "умная": [0.0, 4.0, 0.0],
    "хитрый": [1.0, 1.0, 0.0],
    "nothing": [0.0, 0.0, 0.0],
    "broken": [float("nan"), 1.0, 1.0],
}


def subject(folder: Path, table: dict[str, list[float]]) -> VectorSubject:
    folder.mkdir(exist_ok=True)
    np.save(folder / "vectors.npy", np.array(list(table.values()), dtype=np.float32))
    pl.DataFrame({"index": list(table)}).write_parquet(folder / "words.parquet")
    return VectorSubject(
        name="demo", fingerprint="demo", lang="ru", origin={}, files=lambda: find_layout(folder, format="numpy"),
        answers=Answers(folder / "answers"),
    )  # fmt: skip


def test_words_are_lower_cased_only_where_the_vocabulary_has_no_upper_case(tmp_path: Path) -> None:
    lower = subject(tmp_path / "lower", TABLE).vectors([Word("John")])
    assert lower.forms == {"John": "john"}
    assert lower.policies == ("exact", "lower-case", "yo")
    cased = subject(tmp_path / "cased", {**TABLE, "Amy": [1.0, 1.0, 1.0]}).vectors([Word("John"), Word("Amy")])
    assert cased.lost == {"John": "John not in the vocabulary"}
    assert cased.policies == ("exact", "yo")


def test_a_yo_written_as_ye_is_found(tmp_path: Path) -> None:
    found = subject(tmp_path, TABLE).vectors([Word("тетя")])
    assert found.forms == {"тетя": "тётя"}
    assert "тетя" in subject(tmp_path, TABLE).vectors([Word("тетя"), Word("john")], match="exact").lost


def test_adjectives_are_the_mean_direction_of_both_forms_where_the_vocabulary_holds_word_forms(tmp_path: Path) -> None:
    clever, cunning = Word("умный", "ADJ", "", "умная"), Word("хитрый", "ADJ", "", "хитрая")
    found = subject(tmp_path, TABLE).vectors([clever, cunning])
    assert found.averaged == ("умный",)
    np.testing.assert_allclose(found.vectors["умный"], [np.sqrt(0.5), np.sqrt(0.5), 0], rtol=1e-6)
    assert found.lost == {"хитрый": "хитрая not in the vocabulary"}, "half of a pair would leak its gender"


def test_on_lemmas_the_listed_form_stands_alone(tmp_path: Path) -> None:
    lemmas = {word: row for word, row in TABLE.items() if word != "умная"}
    found = subject(tmp_path, lemmas).vectors([Word("умный", "ADJ", "", "умная")])
    assert found.averaged == ()
    np.testing.assert_allclose(found.vectors["умный"], [1, 0, 0])


def test_zero_and_not_finite_vectors_are_lost_with_the_reason(tmp_path: Path) -> None:
    found = subject(tmp_path, TABLE).vectors([Word("nothing"), Word("broken"), Word("john")])
    assert dict(found.lost) == dict.fromkeys(("nothing", "broken"), "its vector is zero or not finite")


def test_vectors_have_unit_length(tmp_path: Path) -> None:
    found = subject(tmp_path, TABLE).vectors([Word("тётя"), Word("teta")])
    assert [float(np.linalg.norm(row)) for row in found.vectors.values()] == pytest.approx([1, 1])


def test_what_was_asked_before_is_answered_without_the_files(tmp_path: Path) -> None:
    first = subject(tmp_path, TABLE).vectors([Word("john"), Word("nobody")])
    (tmp_path / "vectors.npy").unlink()
    again = subject_without_files(tmp_path).vectors([Word("nobody"), Word("john")])
    np.testing.assert_array_equal(first.vectors["john"], again.vectors["john"])
    assert again.lost == first.lost
    assert again.traits == first.traits


def subject_without_files(folder: Path) -> VectorSubject:
    def refuse() -> Layout:
        raise AssertionError("the files were read again")

    return VectorSubject(
        name="demo", fingerprint="demo", lang="ru", origin={}, files=refuse,
        answers=Answers(folder / "answers"),
    )  # fmt: skip


def test_an_unknown_policy_is_refused_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(TiltmeterError, match="no matching policy 'exakt'; did you mean 'exact'"):
        subject(tmp_path, TABLE).vectors([Word("john")], match="exakt")


def test_glove_rows_are_those_of_the_file(stocked: Store, real_downloads: dict[str, Path]) -> None:
    folder = real_downloads["glove-6b-50d"]
    words = pl.read_parquet(folder / "words.parquet")["index"].to_list()
    row = np.load(folder / "vectors.npy")[words.index("nurse")].astype(np.float64)
    opened = open_subject("pkg:glove-6b-50d", stocked)
    assert isinstance(opened, VectorSubject)
    found = opened.vectors([Word("nurse")])
    np.testing.assert_allclose(found.vectors["nurse"], row / np.linalg.norm(row), rtol=1e-6)
    assert (found.traits.words, found.traits.dimensions, found.traits.cased) == (400_000, 50, False)


def test_navec_rows_have_the_similarity_that_navec_gives(stocked: Store, real_downloads: dict[str, Path]) -> None:
    from navec import Navec

    opened = open_subject("pkg:navec-news", stocked)
    assert isinstance(opened, VectorSubject)
    found = opened.vectors([Word("карьера"), Word("семья"), Word("алгебра")])
    reference = Navec.load(real_downloads["navec-news"] / "vectors.tar")
    cosine = float(found.vectors["карьера"] @ found.vectors["семья"])
    assert cosine == pytest.approx(float(reference.sim("карьера", "семья")), abs=1e-5)
    assert "алгебра" in found.lost
    assert found.traits.words == 250_000


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pkg:navec-new", "did you mean 'pkg:navec-news'"),
        ("navec-news", "did you mean 'pkg:navec-news'"),
        ("pgk:glove-6b-50d", "did you mean 'pkg:glove-6b-50d'"),
    ],
)
def test_an_unknown_subject_is_refused_with_what_is_known(store: Store, name: str, said: str) -> None:
    with pytest.raises(TiltmeterError, match=said):
        open_subject(name, store)
