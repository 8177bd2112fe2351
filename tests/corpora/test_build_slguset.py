"""`tiltmeter build slguset` from end to end: real processes over corpora that the tests write."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from corpora.built import Out, framed, own, written
from subjects.tiny_models import bert_of_words
from support import Command
from tiltmeter.packs import shipped_languages

FILES = ("set.parquet", "set.csv", "rejected.parquet", "card.md", "card.json", "figures")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three files: the pack's own sentences, sentences of frames, and some that break rules."""
    folder = tmp_path_factory.mktemp("corpus")
    written(folder / "own.txt", own("zh"))
    written(folder / "frames" / "one.txt", framed()[::3])
    written(folder / "frames" / "two.txt", [*framed()[1::3], *framed(("男孩", "女孩"))[::7]])
    written(
        folder / "faults.txt",
        [
            "他和她昨天一起在河边放风筝。",
            "他们昨天一起在河边放风筝看云。",
            "弟弟说兄弟俩昨天一起在河边放风筝。",
            "她在怀孕的时候每天都去河边散步。",
            "他来了。",
            "他在河边放风筝的消息",
            own("zh")[0],
        ],
    )
    return folder


@pytest.fixture(scope="module")
def out(corpus: Path, tmp_path_factory: pytest.TempPathFactory) -> Out:
    """The set of that corpus, and what was said."""
    folder = tmp_path_factory.mktemp("built")
    built = Out(folder / "set")
    done = command(folder / "cache", "--corpus", corpus, "--total", 60, "-o", built.folder, "--json")
    assert done.returncode == 0, done.stderr
    (folder / "told.json").write_text(done.stdout)
    return built


def command(cache: Path, *arguments: object, lang: str = "zh") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "tiltmeter", "build", "slguset", "--lang", lang, *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "TILTMETER_CACHE": str(cache), "COLUMNS": "200"},
    )  # fmt: skip


class TestWhatIsWritten:
    def test_all_files_are_there_and_nothing_else(self, out: Out) -> None:
        assert sorted(path.name for path in out.folder.iterdir()) == sorted(FILES)
        assert {path.suffix for path in (out.folder / "figures").iterdir()} == {".svg", ".png", ".pdf", ".txt"}
        for figure in (out.folder / "figures").glob("*.svg"):
            assert f"(figures/{figure.name})" in (out.folder / "card.md").read_text("utf-8")

    def test_offsets_give_the_keyword(self, out: Out) -> None:
        assert list(out.csv[0])[:4] == ["句子", "关键词位置", "原始关键词", "对立关键词"]
        assert len(out.csv) > 40
        for row in out.csv:
            start, end = json.loads(row["关键词位置"])
            assert row["句子"][start:end] == row["原始关键词"]
            assert sorted(row["pair"].split("/")) == sorted((row["原始关键词"], row["对立关键词"]))

    def test_both_genders_have_half_of_each_pair(self, out: Out) -> None:
        counts = Counter((row["pair"], row["gender"]) for row in out.csv)
        assert all(counts[pair, "male"] == counts[pair, "female"] for pair, _ in counts)

    def test_parquet_and_csv_hold_the_same(self, out: Out) -> None:
        rows = out.set.select("sentence", "start", "end", "keyword", "opposite", "gender", "pair").rows()
        listed = [(row["句子"], *json.loads(row["关键词位置"]), *list(row.values())[2:]) for row in out.csv]
        assert rows == listed

    def test_every_sentence_with_a_keyword_is_in_the_set_or_rejected_once(self, out: Out, corpus: Path) -> None:
        lines = [line for path in corpus.rglob("*.txt") for line in path.read_text("utf-8").splitlines()]
        expected = Counter(
            line for line in lines if any(word in line for word in "他她男女父母爸妈儿友叔阿哥姐弟妹爷奶姥外")
        )
        found = Counter([*out.set["sentence"], *out.rejected["sentence"]])
        assert found.total() == out.set.height + out.rejected.height
        assert not found - expected
        # What is missing holds no keyword at all.
        assert all("他" not in line and "她" not in line for line in expected - found)

    def test_reasons_are_kept(self, out: Out) -> None:
        reasons = dict(out.rejected.select("sentence", "reason").iter_rows())
        assert reasons["他和她昨天一起在河边放风筝。"] == "keywords"
        assert reasons["他们昨天一起在河边放风筝看云。"] == "generic"
        assert reasons["弟弟说兄弟俩昨天一起在河边放风筝。"] == "gendered-term"
        assert reasons["她在怀孕的时候每天都去河边散步。"] == "biological"
        assert reasons["他来了。"] == "length"
        assert reasons["他在河边放风筝的消息"] == "unfinished"
        # It stands in the corpus twice: one of the two is left out for the other.
        assert "near-duplicate" in set(out.rejected.filter(sentence=own("zh")[0])["reason"])

    def test_the_counts_of_the_card_add_up(self, out: Out) -> None:
        card = out.card
        assert card["size"] == len(out.csv) == sum(quota["drawn"] for quota in card["quotas"].values())
        assert card["left_out"] == {
            **dict.fromkeys(card["left_out"], 0),
            **Counter(out.rejected["reason"].to_list()),
        }
        assert sum(source["sentences"] for source in card["sources"]) == card["size"]
        drawn = Counter((row["pair"], row["gender"]) for row in out.csv)
        for pair, sides in card["drawn"].items():
            for gender, number in sides.items():
                assert number == drawn[pair, gender]
                assert number <= card["neutral"][pair][gender] <= card["single_keyword"][pair][gender]
                assert card["single_keyword"][pair][gender] <= card["keywords_found"][pair][gender]
        neutral = sum(number for sides in card["neutral"].values() for number in sides.values())
        assert neutral == card["size"] + card["left_out"]["not-drawn"]

    def test_what_json_says_is_the_card(self, out: Out) -> None:
        told = json.loads((out.folder.parent / "told.json").read_text())
        assert told.pop("folder") == str(out.folder)
        assert told == out.card

    def test_nothing_stays_in_the_cache(self, out: Out) -> None:
        parts = out.folder.parent / "cache" / "parts"
        assert [path for path in parts.iterdir() if not path.name.startswith(".")] == []

    def test_measure_slgu_reads_it_and_repairs_nothing(self, out: Out, tmp_path: Path) -> None:
        letters = sorted({letter for row in out.csv for letter in row["句子"]} | set("他她男女"))
        model = bert_of_words(tmp_path / "model", letters)
        done = subprocess.run(
            [sys.executable, "-m", "tiltmeter", "measure", "slgu", str(model), "--lang", "zh",
             "--sentences", str(out.folder / "set.csv"), "--json"],
            capture_output=True, text=True, check=False, timeout=240,
            env={**os.environ, "TILTMETER_CACHE": str(tmp_path / "cache")},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (table,) = (tmp_path / "cache" / "runs").rglob("items.parquet")
        items = pl.read_parquet(table)
        assert items.height == len(out.csv)
        assert items["repaired"].sum() == 0
        assert set(items["lost"]) == {""}
        assert set(items["flag"]) == {""}


class TestTheSameSet:
    """Order, names, cuts and processes never change the set; the seed does."""

    def build(self, tmp_path: Path, name: str, *arguments: object) -> Out:
        built = Out(tmp_path / name)
        done = command(tmp_path / "cache", "--total", 60, "-o", built.folder, *arguments)
        assert done.returncode == 0, done.stderr
        return built

    def test_other_orders_and_workers_give_the_same_bytes(self, out: Out, corpus: Path, tmp_path: Path) -> None:
        backwards = [word for path in sorted(corpus.rglob("*.txt"), reverse=True) for word in ("--corpus", path)]
        assert self.build(tmp_path, "one", *backwards, "--workers", 1).bytes == out.bytes

    def test_other_names_and_lines_in_another_order_give_the_same_bytes(
        self, out: Out, corpus: Path, tmp_path: Path
    ) -> None:
        for path in corpus.rglob("*.txt"):
            lines = path.read_text("utf-8").splitlines()
            random.Random(1).shuffle(lines)
            # One file is JSON lines. Of a sentence that stands in two files that of the first by name stays, so that
            # those which share one keep their order.
            name = {"two": "a", "one": "b", "faults": "c", "own": "d"}[path.stem]
            if path.stem == "two":
                written(tmp_path / "other" / f"{name}.jsonl", [json.dumps(line) for line in lines])
            else:
                written(tmp_path / "other" / f"{name}.txt", lines)
        assert len(list((tmp_path / "other").iterdir())) == 4
        assert self.build(tmp_path, "two", "--corpus", tmp_path / "other", "--workers", 2).bytes == out.bytes

    def test_another_seed_gives_another_set_of_the_same_size(self, out: Out, corpus: Path, tmp_path: Path) -> None:
        other = self.build(tmp_path, "three", "--corpus", corpus, "--seed", 1)
        assert len(other.csv) == len(out.csv)
        assert {row["句子"] for row in other.csv} != {row["句子"] for row in out.csv}
        assert "--seed 1" in other.card["provenance"]["command"]


class TestOptions:
    def test_total_licence_tokenizer_and_rules_that_are_off(self, corpus: Path, tmp_path: Path) -> None:
        """One build with all of them: coverage is counted by hand."""
        model = bert_of_words(tmp_path / "model", ["他", "她", "在", "没有"])
        built = Out(tmp_path / "set")
        done = command(
            tmp_path / "cache",
            *("--corpus", corpus / "frames", "--corpus", corpus / "faults.txt"),
            *("--licence", "CC0", "--licence", "CC | BY"),
            *("--tokenizer", model, "--total", 20, "--without", "length", "--without", "biological"),
            *("-o", built.folder),
        )
        assert done.returncode == 0, done.stderr
        assert "not filled: 男/女: 0 of 4 (0 neutral sentences with its male word)" in done.stdout
        card, text = built.card, "".join(row["句子"] for row in built.csv)
        assert card["quotas"]["他/她"] == {"wanted": 6, "drawn": 6}  # 20 * 6,000 / 19,000, by largest remainders
        assert sum(quota["wanted"] for quota in card["quotas"].values()) == 20
        assert [source["licence"] for source in card["sources"]] == ["CC0", "CC | BY"]
        assert [source["files"] for source in card["sources"]] == [2, 1]
        known = [letter for letter in ("他", "她", "在") if letter in text]
        assert card["coverage"]["characters_known"] == len(known)
        assert card["coverage"]["share_of_text"] == pytest.approx(sum(map(text.count, known)) / len(text))
        assert card["characters"]["distinct"] == len(set(text))
        assert not {"length", "biological"} & set(card["rules"])
        reasons = dict(built.rejected.select("sentence", "reason").iter_rows())
        kept = {*built.set["sentence"], *(sentence for sentence, reason in reasons.items() if reason == "not-drawn")}
        assert {"他来了。", "她在怀孕的时候每天都去河边散步。"} <= kept
        markdown = (built.folder / "card.md").read_text("utf-8")
        assert "CC \\| BY" in markdown
        assert "Not asked: length" in markdown

    def test_where_agreement_is_not_checked_in_a_language_that_has_it_it_says_so(self, tmp_path: Path) -> None:
        path = written(tmp_path / "es.txt", [*own("es")[:40], "El hombre está cansado de esperar el tren."], "\n\n")
        for number, (off, seen) in enumerate((((), True), (("--without", "agreement-leak"), False))):
            built = Out(tmp_path / str(number))
            arguments = ("--corpus", path, "--total", 40, "-o", built.folder, *off)
            done = command(tmp_path / "cache", *arguments, lang="es")
            assert done.returncode == 0, done.stderr
            told = "Spanish has grammatical gender, and agreement was not checked"
            assert (told in done.stdout, told in (built.folder / "card.md").read_text("utf-8")) == (not seen, not seen)

    def test_the_folder_one_is_in_can_be_filled(self, corpus: Path, tilt: Command, tmp_path: Path) -> None:
        done = tilt("build", "slguset", "--lang", "zh", "--corpus", corpus, "--total", 10, "-o", ".")
        assert done.returncode == 0, done.stderr
        assert sorted(path.name for path in (tmp_path / "here").iterdir()) == sorted(FILES)

    def test_files_of_one_name_in_two_corpora_are_two_files(self, corpus: Path, tmp_path: Path) -> None:
        """An unreadable one does not take the other with it."""
        good = written(tmp_path / "one" / "a.txt", framed())
        bad = tmp_path / "two" / "a.txt"
        bad.parent.mkdir()
        bad.write_bytes("他在河边放风筝看云看山。\n".encode("gb18030"))
        built = Out(tmp_path / "set")
        done = command(tmp_path / "cache", "--corpus", good.parent, "--corpus", bad, "--total", 20, "-o", built.folder)
        assert done.returncode == 3
        assert done.stderr.startswith("2:a.txt is not utf-8")
        assert [source["sentences"] for source in built.card["sources"]] == [built.card["size"], 0]
        assert built.card["size"] > 0


@pytest.mark.parametrize("lang", shipped_languages())
def test_every_language_builds_a_set_of_its_own_sentences(lang: str, tmp_path: Path) -> None:
    built = Out(tmp_path / "set")
    path = written(tmp_path / f"{lang}.txt", own(lang), "\n\n")
    done = command(tmp_path / "cache", "--corpus", path, "--total", 40, "-o", built.folder, lang=lang)
    assert done.returncode == 0, done.stderr
    assert len(built.csv) >= 30
    assert {row["句子"] for row in built.csv} <= set(own(lang))
    for row in built.csv:
        start, end = json.loads(row["关键词位置"])
        assert row["句子"][start:end] == row["原始关键词"] != row["对立关键词"]


SMALL_PARTS = """
import sys
from tiltmeter.corpora import build, files
build.PART = files.PART = 20_000
files.PIECE = build.PIECE = 20_000
files.group_parts.__defaults__ = (20_000,)
from tiltmeter.cli import main
sys.argv = ["tiltmeter", *sys.argv[1:]]
main()
"""


class TestKilled:
    def start(self, cache: Path, *arguments: object) -> "subprocess.Popen[str]":
        words = ["build", "slguset", "--lang", "zh", *map(str, arguments)]
        return subprocess.Popen(
            [sys.executable, "-c", SMALL_PARTS, *words],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
            env={**os.environ, "TILTMETER_CACHE": str(cache)},
        )  # fmt: skip

    def test_a_killed_build_goes_on_and_gives_the_same_bytes(self, corpus: Path, tmp_path: Path) -> None:
        lines = [*framed(), *own("zh"), *framed(("父亲", "母亲")), *framed(("男孩", "女孩"))] * 2
        written(tmp_path / "big.txt", lines)
        asked = ("--corpus", tmp_path / "big.txt", "--total", 60, "--workers", 1)
        whole = self.start(tmp_path / "other", *asked, "-o", tmp_path / "whole")
        assert whole.communicate(timeout=120)[0]
        assert whole.returncode == 0

        killed = self.start(tmp_path / "cache", *asked, "-o", tmp_path / "again")
        parts = tmp_path / "cache" / "parts"
        until = time.monotonic() + 60
        while len(list(parts.glob("*/part-*.parquet"))) < 2 and time.monotonic() < until:
            time.sleep(0.005)
        os.killpg(killed.pid, signal.SIGKILL)
        killed.communicate()
        assert killed.returncode == -signal.SIGKILL
        assert not (tmp_path / "again").exists()
        finished = {path: path.stat().st_mtime_ns for path in parts.glob("*/part-*.parquet")}
        assert 2 <= len(finished) < round(len("".join(lines).encode()) / 20_000)

        (kept,) = parts.glob("[!.]*")
        first = min(finished)
        again = self.start(tmp_path / "cache", *asked, "-o", tmp_path / "again")
        untouched = True
        while again.poll() is None:
            if first.exists() and first.stat().st_mtime_ns != finished[first]:
                untouched = False
            time.sleep(0.01)
        assert again.returncode == 0, again.communicate()
        again.communicate()
        assert untouched
        assert not kept.exists()
        for name in ("set.csv", "set.parquet", "rejected.parquet"):
            assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes(), name
