"""What the tests of `build slguset` share: corpora that they write themselves, and what came out of them."""

import csv
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.datasets.slguset import own_sentences
from tiltmeter.packs import load_pack

PLACES = ("车站", "码头", "公园", "图书馆", "操场", "果园", "菜市场", "博物馆", "邮局", "山顶")
THINGS = ("修好了那台旧收音机", "把地图折好放进口袋", "拍下了傍晚的云", "读完了整本游记", "买到了两张旧唱片")
WHEN = ("去年冬天", "一个下雨的早晨", "学校放假之后", "比赛结束以后", "大雪封路那天", "灯会开始之前")
FRAMES = ("{when}，{word}在{place}{thing}。", "有人看见{word}{when}在{place}{thing}。")


def own(lang: str) -> list[str]:
    """The sentences of a pack."""
    return [row.sentence for row in own_sentences(load_pack(lang))]


def framed(words: Sequence[str] = ("他", "她"), frames: Sequence[str] = FRAMES) -> list[str]:
    """Neutral sentences of frames: 600 with both words, no two of them nearly the same but for the word."""
    return [
        frame.format(when=when, place=place, thing=thing, word=words[number % 2])
        for number, (frame, when, place, thing) in enumerate(
            (frame, when, place, thing) for frame in frames for when in WHEN for place in PLACES for thing in THINGS
        )
    ]


def made_text(lang: str, size: int, seed: int = 0) -> str:
    """The pack's own sentences with numbers in them, about so many characters; the same for the same seed."""
    rng = random.Random(seed)
    entries = [entry.parts for entry in load_pack(lang).neutral_sentences if entry.parts]
    dense = not load_pack(lang).spaced
    lines, length = [], 0
    while length < size:
        before, male, female, behind = rng.choice(entries)
        number = str(rng.randrange(10**9))
        added = f"编号是{number}，" if lang == "zh" else f"{number}、" if dense else f"{number}: "
        line = added + before + (male if rng.random() < 0.5 else female) + behind
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines) if dense else "\n\n".join(lines)


def written(path: Path, sentences: Sequence[str], between: str = "\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(between.join(sentences) + "\n", "utf-8")
    return path


@dataclass(frozen=True)
class Out:
    """A folder that was built."""

    folder: Path

    @property
    def csv(self) -> list[dict[str, str]]:
        with (self.folder / "set.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    @property
    def bytes(self) -> bytes:
        return (self.folder / "set.csv").read_bytes()

    @property
    def set(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "set.parquet")

    @property
    def rejected(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "rejected.parquet")

    @property
    def card(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads((self.folder / "card.json").read_bytes())
        return told
