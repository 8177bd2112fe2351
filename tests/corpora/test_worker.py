"""What a corpus may hold and how it may be given: nothing is lost silently, read twice or counted wrongly."""

import gzip
import json
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from markdown_it import MarkdownIt
from pyarrow import parquet

from tiltmeter import packs
from tiltmeter.corpora.files import cut_pieces, find_files, group_parts
from tiltmeter.corpora.plan import Job, Worker, _Progress
from tiltmeter.corpora.reading import python_name
from tiltmeter.corpora.rules import Rules
from tiltmeter.corpora.sampling import draw, quotas
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import load_pack

NEUTRAL = "他今天在工作的时候笑了起来。"


def screened(
    *corpora: Path | str, encoding: str = "utf-8", without: Sequence[str] = (), lang: str = "zh"
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The judged sentences and the tallies of a corpus."""
    files, _ = find_files([str(corpus) for corpus in corpora])
    worker = Worker(Job(load_pack(lang), Rules.without(without), encoding, ""))
    rows, tallies = [], []
    for part in group_parts(cut_pieces(files, encoding)):
        for bundle in part:
            (answer,) = worker.screen([piece.to_json() for piece in bundle]).to_pylist()
            rows += answer["rows"]
            tallies += json.loads(answer["tallies"])
    return rows, tallies


def problems(tallies: list[dict[str, Any]]) -> dict[str, str]:
    return {source: problem for tally in tallies for source, problem in tally["problems"].items()}


class TestFiles:
    def test_files_of_the_same_name_in_two_corpora_are_told_apart(self, tmp_path: Path) -> None:
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            (tmp_path / folder / "news.txt").write_text(NEUTRAL, "utf-8")
        files, _ = find_files([str(tmp_path / "a"), str(tmp_path / "b")])
        assert [file.source for file in files] == ["1:news.txt", "2:news.txt"]

    def test_a_file_that_two_corpora_name_is_read_once(self, tmp_path: Path) -> None:
        (tmp_path / "news.txt").write_text(NEUTRAL, "utf-8")
        files, _ = find_files([str(tmp_path), str(tmp_path / "*.txt")])
        assert [(file.source, file.corpus) for file in files] == [("news.txt", 0)]

    def test_a_link_is_read_by_its_own_suffix(self, tmp_path: Path) -> None:
        """As in the cache of the Hugging Face Hub, where the file itself has a checksum for a name."""
        blob = tmp_path / "blob"
        parquet.write_table(pa.table({"text": [NEUTRAL]}), blob)
        (tmp_path / "snapshot").mkdir()
        (tmp_path / "snapshot" / "train.parquet").symlink_to(blob)
        rows, _ = screened(tmp_path / "snapshot")
        assert [row["sentence"] for row in rows] == [NEUTRAL]

    def test_a_glob_may_match_folders(self, tmp_path: Path) -> None:
        (tmp_path / "sport").mkdir()
        (tmp_path / "sport" / "1.txt").write_text(NEUTRAL, "utf-8")
        files, _ = find_files([str(tmp_path / "sp*")])
        assert [file.source for file in files] == ["sport/1.txt"]


class TestReading:
    @pytest.mark.parametrize("value", [5, [NEUTRAL], {"zh": NEUTRAL}, True])
    def test_a_field_that_is_no_text_is_said(self, tmp_path: Path, value: object) -> None:
        (tmp_path / "a.jsonl").write_text(json.dumps({"text": value}) + "\n", "utf-8")
        _, tallies = screened(tmp_path)
        assert "'text' is no text" in problems(tallies)["a.jsonl"]

    def test_a_field_without_a_value_is_none(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"text": null}\n{"text": ""}\n' + json.dumps({"text": NEUTRAL}), "utf-8")
        rows, tallies = screened(tmp_path)
        assert (len(rows), problems(tallies)) == (1, {})

    def test_half_a_character_does_not_stop_the_build(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_text('{"text": "他今天\\ud83d在工作的时候笑了起来。"}\n', "utf-8")
        rows, _ = screened(tmp_path)
        assert [row["sentence"] for row in rows] == ["他今天\ufffd在工作的时候笑了起来。"]

    @pytest.mark.parametrize("column", [pa.array([[NEUTRAL]]), pa.array([NEUTRAL.encode()]), pa.array([5])])
    def test_a_column_that_is_no_text_is_said(self, tmp_path: Path, column: Any) -> None:
        parquet.write_table(pa.table({"text": column}), tmp_path / "a.parquet")
        _, tallies = screened(tmp_path)
        assert "holds no text but" in problems(tallies)["a.parquet"]

    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
    def test_a_column_may_hold_text_in_any_way(self, tmp_path: Path, kind: Any) -> None:
        parquet.write_table(
            pa.table({"text": pa.array([NEUTRAL, None], pa.string()).cast(kind)}), tmp_path / "a.parquet"
        )
        rows, tallies = screened(tmp_path)
        assert (len(rows), problems(tallies)) == (1, {})

    @pytest.mark.parametrize("name", ["base64", "rot13", "nonsense"])
    def test_what_is_no_encoding_of_text_is_refused(self, name: str) -> None:
        with pytest.raises(TiltmeterError, match="is not known"):
            python_name(name)

    @pytest.mark.parametrize("name", ["utf-16", "utf-32-be", "utf-8-sig", "hz", "gb18030"])
    def test_every_encoding_gives_the_same_sentences(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a.txt").write_bytes(f"{NEUTRAL}\n{NEUTRAL}\n".encode(name))
        rows, _ = screened(tmp_path, encoding=python_name(name))
        assert [row["sentence"] for row in rows] == [NEUTRAL] * 2

    def test_wrapped_lines_are_not_torn_where_a_packed_text_is_cut(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        paragraph = "The nurse said that\nshe found the work hard and\nthat the days were long.\n\n"
        (tmp_path / "a.txt.gz").write_bytes(gzip.compress((paragraph * 200).encode()))
        monkeypatch.setattr("tiltmeter.corpora.reading.PIECE", 1000)
        rows, _ = screened(tmp_path, lang="en")
        assert {row["sentence"] for row in rows} == {paragraph.replace("\n", " ").strip()}


class TestCounts:
    def test_what_cannot_be_read_to_its_end_is_not_counted(self, tmp_path: Path) -> None:
        (tmp_path / "good.txt").write_text(f"{NEUTRAL}\n", "utf-8")
        (tmp_path / "bad.txt.gz").write_bytes(gzip.compress(f"{NEUTRAL}\n".encode() * 300_000)[:-100])
        rows, tallies = screened(tmp_path)
        assert (len(rows), sum(tally["sentences"] for tally in tallies)) == (1, 1)
        assert [count for tally in tallies for *_, count in tally["occurrences"]] == [1]

    def test_the_counts_of_a_file_in_pieces_name_it(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tiltmeter.corpora.files.PIECE", 1000)
        (tmp_path / "large.txt").write_text(f"{NEUTRAL}\n" * 100, "utf-8")
        rows, tallies = screened(tmp_path)
        assert len(rows) == sum(tally["sentences"] for tally in tallies if tally["source"] == "large.txt") == 100

    def test_a_line_that_is_no_sentence_is_counted_as_it_is_left_out(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("他今天笑了\n\n他今天哭了\n", "utf-8")
        rows, tallies = screened(tmp_path)
        assert [row["reason"] for row in rows] == ["unfinished"] * 2
        assert sum(tally["sentences"] for tally in tallies) == 2


class TestScreening:
    def test_forms_for_everybody_stay_where_they_are_not_asked_about(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text("他们今天在工作的时候笑了起来。\n", "utf-8")
        assert [row["reason"] for row in screened(tmp_path)[0]] == ["generic"]
        ((row,), _) = screened(tmp_path, without=["generic"])
        assert (row["reason"], row["keyword"], row["start"], row["end"]) == ("", "他", 0, 1)

    @pytest.mark.parametrize("text", ["他" * 400_000, "妈妈" * 200_000 + "。"])
    def test_a_line_of_keywords_alone_does_not_take_for_ever(self, tmp_path: Path, text: str) -> None:
        (tmp_path / "a.txt").write_text(text, "utf-8")
        rows, _ = screened(tmp_path)
        assert {row["reason"] for row in rows} <= {"unfinished", "keywords"}

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("”他说“今天的工作”很难做。", "他说“今天的工作”很难做。"),
            ("“他说今天的工作很难做。", "他说今天的工作很难做。"),
            ("有人说”今天”他的工作很难做。", "有人说今天他的工作很难做。"),
            ("有人说“今天他的工作很难做。", "有人说“今天他的工作很难做。”"),
            ('"他说今天的工作很难做。', "他说今天的工作很难做。"),
        ],
    )
    def test_the_span_follows_the_quotation_marks(self, tmp_path: Path, before: str, after: str) -> None:
        (tmp_path / "a.txt").write_text(before, "utf-8")
        ((row,), _) = screened(tmp_path)
        assert row["sentence"] == after
        assert row["sentence"][row["start"] : row["end"]] == row["keyword"] == "他"


def test_progress_tells_bytes_sentences_survivors_and_the_time_left(caplog: pytest.LogCaptureFixture) -> None:
    answer = (pa.table({"reason": ["", "name"]}), 1, [{"sentences": 3}])
    with caplog.at_level(logging.INFO, "tiltmeter"):
        list(_Progress(4_000_000, 0).watch([answer], ["one bundle", "another"], 4_000_000))
    (said,) = caplog.records
    assert re.fullmatch(r"2 of 4 MB, 3 sentences, 1 without a fault, [\d.]+ MB/s, 0 s left", said.getMessage())
    assert said.__dict__["progress"] == 0.5


class TestTies:
    def test_of_copies_the_first_source_is_drawn(self) -> None:
        clean = pl.DataFrame(
            {"pair": "他/她", "gender": ["male", "female"] * 200, "source": [f"{n:03}" for n in range(400, 0, -1)]}
        ).with_columns(order=pl.lit(7, pl.UInt64))
        drawn, _ = draw(clean, {"他/她": 4})
        assert sorted(drawn["source"]) == ["001", "002", "003", "004"]

    def test_quotas_of_nothing_are_none(self) -> None:
        pack = load_pack("zh")
        assert pack.screening is not None
        nothing = replace(pack, screening=replace(pack.screening, quotas={"他/她": 0}))
        assert sum(quotas(nothing, 100).values()) == 100


class TestBuild:
    """Each by the command itself."""

    def test_a_pair_that_is_not_there_is_said_and_all_counts_add_up(self, tmp_path: Path) -> None:
        corpora = []
        for folder in ("a", "b"):
            (tmp_path / folder).mkdir()
            corpora += ["--corpus", str(tmp_path / folder)]
        (tmp_path / "a" / "news.txt").write_bytes(f"{NEUTRAL}\n".encode("gb18030"))
        (tmp_path / "b" / "news.txt").write_text(f"{NEUTRAL}\n她昨天在公司的门口等了很久。\n", "utf-8")
        done = command(tmp_path, *corpora, "--licence", "CC `0` [x](http://x.example)", "-o", "set", "--json")
        assert done.returncode == 3, done.stderr
        card = json.loads(done.stdout)
        assert [problem.split()[0] for problem in card["problems"]] == ["1:news.txt"]
        assert [source["sentences"] for source in card["sources"]] == [0, 2]
        assert (card["sentences_of_the_corpus"], card["size"]) == (2, 2)
        assert card["symmetry"][-1]["warnings"][0].startswith("neither")
        page = MarkdownIt().enable("table").render((tmp_path / "set" / "card.md").read_text("utf-8"))
        assert "<table>" in page
        assert "<a " not in page
        assert shlex.split(card["provenance"]["command"])[-1] == "CC `0` [x](http://x.example)"

    def test_python_builds_what_the_command_builds(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text(f"{NEUTRAL}\n{NEUTRAL.replace('他', '她').replace('工作', '散步')}\n", "utf-8")
        program = (
            "import tiltmeter\nif __name__ == '__main__':\n"
            "    built = tiltmeter.build_slguset('a.txt', 'set', lang='zh', cache='cache')\n"
            "    print(built.card.size, built.card.unfilled[0])\n"
        )
        (tmp_path / "build.py").write_text(program)
        done = subprocess.run([sys.executable, "build.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.stdout == "2 他/她: 2 of 6,000 (1 neutral sentences with its male word)\n", done.stderr
        assert (tmp_path / "set" / "set.csv").read_text("utf-8").count("\n") == 3

    def test_the_folder_may_be_this_one(self, tmp_path: Path) -> None:
        (tmp_path / "news.txt").write_text(f"{NEUTRAL}\n她昨天在公司的门口等了很久。\n", "utf-8")
        (tmp_path / "set").mkdir()
        done = command(tmp_path / "set", "--corpus", "../news.txt", "-o", ".")
        assert (done.returncode, (tmp_path / "set" / "set.csv").is_file()) == (0, True), done.stderr

    def test_a_pack_that_cannot_screen_is_one_sentence(self, tmp_path: Path) -> None:
        (tmp_path / "news.txt").write_text(NEUTRAL, "utf-8")
        shutil.copytree(Path(packs.__file__).parent / "zh", tmp_path / "zh")
        (tmp_path / "zh" / "screening.toml").unlink()
        done = command(tmp_path, "--pack", "zh", "--corpus", "news.txt", "-o", "set", lang=())
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "has no screening.toml" in done.stderr

    def test_workers_are_not_fewer_than_none(self, tmp_path: Path) -> None:
        (tmp_path / "news.txt").write_text(NEUTRAL, "utf-8")
        done = command(tmp_path, "--corpus", "news.txt", "-o", "set", "--workers", "-2")
        assert (done.returncode, "--workers is -2" in done.stderr) == (2, True)


def command(folder: Path, *words: str, lang: Sequence[str] = ("--lang", "zh")) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tiltmeter", "build", "slguset", *lang, *words],
        cwd=folder,
        env=os.environ | {"TILTMETER_CACHE": str(folder.parent / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
    )
