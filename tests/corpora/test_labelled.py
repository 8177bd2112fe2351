"""Labelled sentences, screened: what stays is neutral, and most of what is neutral stays."""

import csv
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tiltmeter.corpora.rules import RULES
from tiltmeter.corpora.screening import Screener
from tiltmeter.packs import load_pack, shipped_languages

LABELLED = Path(__file__).parent / "labelled"
FLOORS = {
    # name of the file: precision and recall of what stays
    "zh": (0.9, 0.9),
    "zh-unseen": (0.9, 0.8),
    "de": (0.9, 0.9),
    "en": (0.95, 0.9),
    "es": (0.95, 0.9),
    "eu": (0.95, 0.9),
    "ja": (0.95, 0.9),
    "ru": (0.95, 0.8),
}


@dataclass(frozen=True)
class Row:
    sentence: str
    keyword: str
    label: str
    found: str
    """`keep`, the rule that it broke, or nothing where no keyword was found."""
    hidden: str


@cache
def judged(name: str) -> tuple[Row, ...]:
    lines = (LABELLED / f"{name}.tsv").read_text("utf-8").splitlines()
    screener = Screener(load_pack(name.partition("-")[0]))
    rows = []
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        found = list(screener.screen(row["sentence"]))
        reason = (found[0].reason or "keep") if found else ""
        hidden = found[0].keyword if found else ""
        rows.append(Row(row["sentence"], row["keyword"], row["label"], reason, hidden))
    return tuple(rows)


@pytest.mark.parametrize("name", FLOORS)
class TestEveryLanguage:
    def test_what_stays_is_neutral(self, name: str) -> None:
        kept = [row for row in judged(name) if row.found == "keep"]
        wrong = [row.sentence for row in kept if row.label != "keep"]
        assert 1 - len(wrong) / len(kept) >= FLOORS[name][0], wrong

    def test_most_of_what_is_neutral_stays(self, name: str) -> None:
        neutral = [row for row in judged(name) if row.label == "keep"]
        lost = [(row.sentence, row.found) for row in neutral if row.found != "keep"]
        assert 1 - len(lost) / len(neutral) >= FLOORS[name][1], lost

    def test_the_keyword_is_hidden(self, name: str) -> None:
        kept = [row for row in judged(name) if row.found == row.label == "keep"]
        assert all(row.keyword in row.hidden for row in kept)

    def test_labels_are_rules(self, name: str) -> None:
        assert {row.label for row in judged(name)} <= {"keep", *RULES}


@pytest.mark.parametrize("name", ["zh", "zh-unseen"])
def test_chinese_has_every_pair_and_every_rule(name: str) -> None:
    rows = judged(name)
    pairs = Counter(row.keyword for row in rows)
    for pair in load_pack("zh").gender_pairs:
        if pair.status != "rejected":
            assert min(pairs[pair.male], pairs[pair.female]) >= 1
    assert {row.label for row in rows} == {
        "keep", "inside-word", "sense", "name", "gendered-term", "biological", "generic"
    }  # fmt: skip
    assert len(rows) == 150


@pytest.mark.parametrize("lang", shipped_languages())
def test_the_packs_own_sentences_pass(lang: str) -> None:
    """They were written to be neutral; what is refused of them is what the rules refuse too much."""
    pack = load_pack(lang)
    screener = Screener(pack)
    kept = total = 0
    for entry in pack.neutral_sentences:
        assert entry.parts is not None
        before, male, female, behind = entry.parts
        for word in (male, female):
            total += 1
            found = list(screener.screen(before + word + behind))
            kept += any(not judged.reason for judged in found)
    assert kept / total >= 0.75


def tables() -> str:
    """What docs/building.md shows: Chinese by rule, and every file by what stays."""
    head = ["labelled so", "of these left out", "left out by it", "of these rightly"]
    lines = [f"| rule | {' | '.join(head)} | unseen half: {' | '.join(head)} |", "| --- " * 9 + "|"]
    for rule in (rule for rule in RULES if any(row.label == rule for row in judged("zh"))):
        cells = []
        for name in ("zh", "zh-unseen"):
            labelled = [row for row in judged(name) if row.label == rule]
            by_it = [row for row in judged(name) if row.found == rule]
            cells += [len(labelled), sum(row.found != "keep" for row in labelled)]
            cells += [len(by_it), sum(row.label != "keep" for row in by_it)]
        lines.append(f"| `{rule}` | {' | '.join(map(str, cells))} |")
    lines += ["", "| sentences | labelled | stay | of these neutral | of the neutral stay |", "| --- " * 5 + "|"]
    for name in FLOORS:
        rows = judged(name)
        kept = [row for row in rows if row.found == "keep"]
        right = sum(row.label == "keep" for row in kept)
        neutral = sum(row.label == "keep" for row in rows)
        lines.append(f"| {name} | {len(rows)} | {len(kept)} | {right / len(kept):.3f} | {right / neutral:.3f} |")
    return "\n".join(lines)


if __name__ == "__main__":
    print(tables())
