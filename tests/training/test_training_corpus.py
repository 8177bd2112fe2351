"""Text becomes words by one rule, streamed; what cannot be read is said in one sentence."""

import gzip
import hashlib
from pathlib import Path

import pytest

from tiltmeter.errors import TiltmeterError
from tiltmeter.training import corpus as corpus_module
from tiltmeter.training.corpus import open_corpus


def _sentences(path: Path, *, lower: bool = True) -> list[list[str]]:
    return list(open_corpus(path, lower=lower).sentences())


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("The nurse, 34, said: «Hello»!", ["the", "nurse", "34", "said", "hello"]),
        ("La médica y el médico", ["la", "médica", "y", "el", "médico"]),
        ("me\u0301dica", ["médica"]),
        ("во\u0301лны Ёлка", ["во\u0301лны", "ёлка"]),
        ("她 是 护士 。", ["她", "是", "护士"]),
        ("врач_NOUN", ["врач_noun"]),
        ("--- … ", []),
    ],
)
def test_words_are_runs_of_word_characters(tmp_path: Path, line: str, words: list[str]) -> None:
    path = tmp_path / "text"
    path.write_text(line, "utf-8")
    assert _sentences(path) == ([words] if words else [])


def test_case_is_kept_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("Anna sings")
    assert _sentences(path, lower=False) == [["Anna", "sings"]]


def test_a_byte_order_mark_and_windows_line_ends_are_no_words(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes("\ufeffone two\r\nthree".encode())
    assert _sentences(path) == [["one", "two"], ["three"]]


def test_gzip_holds_the_same_text_and_has_the_same_checksum(tmp_path: Path) -> None:
    plain, packed = tmp_path / "a.txt", tmp_path / "a.txt.gz"
    plain.write_text("one two\nthree\n")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert _sentences(plain) == _sentences(packed)
    checksum = hashlib.sha256(plain.read_bytes()).hexdigest()
    assert {open_corpus(path, lower=True).sha256 for path in (plain, packed)} == {checksum}


def test_several_files_follow_each_other_as_lines(tmp_path: Path) -> None:
    for name, text in {"a": "one two", "b": "three\n", "both": "one two\nthree\n"}.items():
        (tmp_path / name).write_text(text)
    several = open_corpus([tmp_path / "a", tmp_path / "b"], lower=True)
    assert list(several.sentences()) == _sentences(tmp_path / "both")
    assert several.sha256 == open_corpus(tmp_path / "both", lower=True).sha256


def test_of_a_very_long_line_no_word_is_lost_or_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "_BLOCK", 1_000)
    words = [f"wört{number}" for number in range(25_000)]
    path = tmp_path / "text"
    path.write_text("short line\n" + " ".join(words) + "\nlast line", "utf-8")
    sentences = _sentences(path)
    assert sentences[0] == ["short", "line"]
    assert sentences[-1] == ["last", "line"]
    assert [word for sentence in sentences[1:-1] for word in sentence] == words


def test_no_sentence_is_longer_than_gensim_reads(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("a b " * 12_500)
    assert [len(sentence) for sentence in _sentences(path)] == [10_000, 10_000, 5_000]


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("one\ntwo\nmédica\n".encode("latin-1"))
    with pytest.raises(TiltmeterError, match=r"old\.txt, line 3, is not UTF-8; convert"):
        _sentences(path)


def test_the_line_is_counted_after_a_long_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpus_module, "_BLOCK", 10)
    path = tmp_path / "old.txt"
    path.write_bytes(b"a long line of words\n" * 3 + b"\xff\n")
    with pytest.raises(TiltmeterError, match=r"old\.txt, line 4, is not UTF-8"):
        _sentences(path)


@pytest.mark.parametrize("content", [b"plain text", gzip.compress(b"some text " * 99)[:-9]], ids=["none", "cut"])
def test_a_gzip_file_that_is_none_or_is_cut_short_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(content)
    with pytest.raises(TiltmeterError, match=r"a\.gz is no whole gzip file"):
        _sentences(path)


def test_a_corpus_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TiltmeterError, match=r"there is no corpus .*none\.txt; give a text file"):
        open_corpus(tmp_path / "none.txt", lower=True)
    with pytest.raises(TiltmeterError, match="is no file; give text files"):
        open_corpus(tmp_path, lower=True)
    with pytest.raises(TiltmeterError, match="name at least one text file"):
        open_corpus([], lower=True)


@pytest.mark.parametrize("text", ["", "\n\n", "... --- ...\n"])
def test_a_corpus_without_a_word_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "void.txt"
    path.write_text(text)
    with pytest.raises(TiltmeterError, match=r"there is no word in .*void\.txt"):
        _ = open_corpus(path, lower=True).tally
