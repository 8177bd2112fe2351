"""`build slguset` on what is wrong: one clear sentence, no traceback, nothing half-written."""

import gzip
import hashlib
import json
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from corpora.built import Out, framed, written
from support import Command
from tiltmeter import packs

Build = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    return written(tmp_path / "good.txt", framed())


@pytest.fixture
def build(tilt: Command, tmp_path: Path) -> Build:
    """Builds into `out`, and checks what holds of every failure."""

    def run(*arguments: object, out: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
        words = arguments if "--lang" in arguments or "--pack" in arguments else ("--lang", "zh", *arguments)
        done = tilt("build", "slguset", *words, "--total", 20, "-o", out or tmp_path / "out", **environment)
        assert "Traceback" not in done.stderr, done.stderr
        assert done.returncode in (2, 3), done.stderr
        left = [path for path in tmp_path.rglob("*") if path.name.endswith(".part")]
        assert not left
        return done

    return run


def told(done: "subprocess.CompletedProcess[str]") -> str:
    """The one sentence of a command that failed."""
    assert done.returncode in (2, 3)
    said = [line for line in done.stderr.splitlines() if not re.match(r"[\d,]+ of [\d,]+ MB, ", line)]
    assert len(said) == 1, done.stderr
    return said[0].removeprefix("tiltmeter: ")


class TestFilesAmongOthers:
    """A file that cannot be read is named, the rest goes on, the exit code is 3."""

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("bad.txt", "他在河边看船，天上有云。\n".encode("gb18030"), "bad.txt is not utf-8 (invalid"),
            ("bad.jsonl", b'{"text": "x"}\n{"text": \n', "bad.jsonl has a line that is no JSON: '{\"text\":'"),
            ("bad.jsonl", b"[1, 2]\n", "bad.jsonl has a line that is neither a text nor an object with one"),
            ("bad.jsonl", b'{"title": "x"}\n', "bad.jsonl has none of the fields text, content"),
            ("bad.txt.gz", gzip.compress(b"x" * 9999, mtime=0)[:-9], "bad.txt.gz is damaged, or not packed with gzip"),
            ("bad.txt.zst", b"no zstd", "bad.txt.zst is damaged, or not packed with zstd"),
            ("bad.parquet", b"PAR1 no parquet PAR1", "bad.parquet cannot be read as Parquet"),
        ],
    )
    def test_it_is_named_and_the_rest_goes_on(
        self, build: Build, good: Path, tmp_path: Path, name: str, content: bytes, sentence: str
    ) -> None:
        bad = tmp_path / name
        bad.write_bytes(content)
        done = build("--corpus", good, "--corpus", bad)
        assert done.returncode == 3
        assert told(done).startswith(sentence)
        out = Out(tmp_path / "out")
        assert out.card["size"] == len(out.csv) == 6
        assert [problem.startswith(sentence) for problem in out.card["problems"]] == [True]
        assert "Left out: bad." in (out.folder / "card.md").read_text("utf-8")

    def test_a_file_that_is_wrong_in_its_middle_is_left_out_and_counted_nowhere(
        self, build: Build, good: Path, tmp_path: Path
    ) -> None:
        bad = tmp_path / "bad.txt"
        bad.write_bytes(("\n".join(framed()) + "\n").encode() * 250 + b"\xff\n" + "\n".join(framed()).encode())
        assert bad.stat().st_size > 8_000_000  # more than one piece
        done = build("--corpus", good, "--corpus", bad)
        assert done.returncode == 3
        card = Out(tmp_path / "out").card
        assert card["sentences_of_the_corpus"] == 600
        assert card["keywords_found"]["他/她"] == card["single_keyword"]["他/她"] == {"male": 300, "female": 300}

    def test_parquet_without_a_text_column(self, build: Build, good: Path, tmp_path: Path) -> None:
        parquet.write_table(pa.table({"title": ["a"], "url": ["b"]}), tmp_path / "bad.parquet")
        done = build("--corpus", good, "--corpus", tmp_path / "bad.parquet")
        assert done.returncode == 3
        assert "bad.parquet has none of the fields" in told(done)
        assert "but title, url; name it with --text-field" in told(done)

    def test_a_url_that_cannot_be_read(self, build: Build, good: Path, tmp_path: Path) -> None:
        done = build("--corpus", "http://127.0.0.1:1/a.txt", "--corpus", good, "--json")
        assert done.returncode == 3
        assert told(done).startswith("http://127.0.0.1:1/a.txt cannot be read (")
        assert Out(tmp_path / "out").card["problems"] == json.loads(done.stdout)["problems"] == [told(done)]


class TestNothingToBuild:
    def test_all_files_in_another_encoding(self, build: Build, tmp_path: Path) -> None:
        for name in ("a.txt", "b.txt"):
            (tmp_path / "c" / name).parent.mkdir(exist_ok=True)
            (tmp_path / "c" / name).write_bytes("\n".join(framed()).encode("gb18030"))
        done = build("--corpus", tmp_path / "c")
        assert "no sentence of the corpus holds a keyword" in told(done)
        assert "a.txt is not utf-8" in told(done)
        assert not (tmp_path / "out").exists()

    def test_a_url_alone(self, build: Build, tmp_path: Path) -> None:
        done = build("--corpus", "http://127.0.0.1:1/a.txt")
        assert done.returncode == 3
        assert told(done).startswith("http://127.0.0.1:1/a.txt cannot be read (")
        assert "the rest" not in told(done)
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            ("", "the corpus is empty: its files hold no bytes"),
            ("\n \n\n", "no sentence of the corpus holds a keyword of the pack 'zh'"),
            ("这座桥建于一百年前，至今仍在使用。\n", "no sentence of the corpus holds a keyword of the pack 'zh'"),
            ("他在河边看船，天上有云在飘。\n", "no pair has neutral sentences with both of its words"),
            ("他们在河边看船，天上有云在飘。\n", "no sentence of the corpus holds a keyword of the pack 'zh'"),
        ],
    )
    def test_a_corpus_without_what_is_wanted(self, build: Build, tmp_path: Path, content: str, sentence: str) -> None:
        (tmp_path / "a.txt").write_text(content, "utf-8")
        done = build("--corpus", tmp_path / "a.txt")
        assert done.returncode == 2
        assert told(done).startswith(sentence)
        assert not (tmp_path / "out").exists()

    def test_parquet_without_rows(self, build: Build, tmp_path: Path) -> None:
        parquet.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
        assert "no sentence of the corpus holds a keyword" in told(build("--corpus", tmp_path / "a.parquet"))


class TestWrongWords:
    @pytest.mark.parametrize(
        ("arguments", "sentence"),
        [
            (("--corpus", "nothing.txt"), "there is no file or folder nothing.txt"),
            (("--corpus", "no*.txt"), "there is no file at no*.txt"),
            (("--corpus", "GOOD", "--encoding", "klingon"), "--encoding 'klingon' is not known"),
            (("--corpus", "GOOD", "--encoding", "base64"), "--encoding 'base64' is not known"),
            (("--corpus", "GOOD", "--without", "lenght"), "there is no rule 'lenght'; did you mean 'length'?"),
            (("--corpus", "GOOD", "--without", "keywords"), "there is no rule that can be switched off 'keywords'"),
            (("--corpus", "GOOD", "--lang", "tlh"), "there is no "),
            (("--corpus", "GOOD", "--licence", "a", "--licence", "b"), "2 licences for 1 corpora"),
            (("--corpus", "GOOD", "--tokenizer", "./nothing"), "the tokenizer './nothing' cannot be loaded"),
            (("--corpus", "GOOD", "--pack", "PACK"), "the pack 'zh' has no screening.toml"),
        ],
    )
    def test_they_are_told_before_any_work(
        self, build: Build, good: Path, tmp_path: Path, arguments: tuple[str, ...], sentence: str
    ) -> None:
        if "PACK" in arguments:
            self.without_screening(tmp_path / "pack")
        given = {"GOOD": good, "PACK": tmp_path / "pack"}
        done = build(*(given.get(word, word) for word in arguments))
        assert done.returncode == 2
        assert told(done).startswith(sentence)
        assert not (tmp_path / "out").exists()

    def without_screening(self, folder: Path) -> None:
        shutil.copytree(Path(packs.__file__).parent / "zh", folder)
        (folder / "screening.toml").unlink()

    def test_a_total_of_one(self, tilt: Command, good: Path) -> None:
        done = tilt("build", "slguset", "--lang", "zh", "--corpus", good, "--total", 1, "-o", "x")
        assert told(done) == "--total is 1, and a set has at least two sentences"

    def test_a_folder_with_something_in_it_is_left_alone(self, build: Build, good: Path, tmp_path: Path) -> None:
        written(tmp_path / "out" / "mine.txt", ["mine"])
        assert "is there already; choose another folder" in told(build("--corpus", good))
        assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine.txt"]


class TestFullDisk:
    @pytest.fixture
    def disk(self, tmp_path: Path) -> Iterator[Path]:
        """A disk of one megabyte."""
        folder = tmp_path / "disk"
        folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], check=True)
        yield folder
        subprocess.run(["umount", folder], check=True)

    @pytest.fixture
    def large(self, tmp_path: Path) -> Path:
        """12 MB in which every line has a keyword and is its own, so that what is kept of it does not pack well."""
        lines = (
            f"第{hashlib.sha256(str(number).encode()).hexdigest()}号车上，{'他她'[number % 2]}在看书。"
            for number in range(100_000)
        )
        return written(tmp_path / "large.txt", list(lines))

    def test_of_the_cache(self, build: Build, tilt: Command, large: Path, disk: Path, tmp_path: Path) -> None:
        done = build("--corpus", large, TILTMETER_CACHE=str(disk))
        assert done.returncode == 2
        assert told(done).startswith("the disk is full: ")
        assert not (tmp_path / "out").exists()
        assert not [path for path in disk.rglob("*") if path.is_file() and path.suffix not in (".lock", ".parquet")]

    def test_of_the_set(self, build: Build, tilt: Command, large: Path, disk: Path, tmp_path: Path) -> None:
        """The parts are kept: the same command with a larger disk goes on and screens nothing again."""
        done = build("--corpus", large, out=disk / "set")
        assert done.returncode == 2
        assert told(done).startswith("the disk is full: ")
        assert not list(disk.iterdir())
        (part,) = (tmp_path / "cache" / "parts").glob("*/part-*.parquet")
        subprocess.run(["mount", "-o", "remount,size=100m", disk], check=True)
        again = tilt("build", "slguset", "--lang", "zh", "--corpus", large, "--total", 20, "-o", disk / "set")
        assert again.returncode == 0, again.stderr
        assert not re.search(r"of \d+ MB", again.stderr)
        assert Out(disk / "set").card["sentences_of_the_corpus"] == 100_000
        assert not part.exists()


def test_a_cluster_that_is_not_there_is_said_at_once(build: Build, good: Path, tmp_path: Path) -> None:
    done = build("--corpus", good, "--runner", "ray", "--ray-address", "127.0.0.1:1")
    assert done.returncode == 2
    assert told(done) == "there is no Ray cluster at 127.0.0.1:1; start one, or give its --ray-address"
    assert not (tmp_path / "out").exists()
