"""The SlguSet score (Zhao et al. 2021) written a second time, in plain loops, as an oracle for tests."""

from __future__ import annotations

import csv
import functools
import io
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy import stats
from transformers import AutoModelForMaskedLM, AutoTokenizer

COLUMNS = ("句子", "关键词位置", "原始关键词", "对立关键词")
NAN = math.nan


@dataclass(frozen=True)
class Row:
    """One line of the file; start and end are -1 where no keyword was found, reason is empty if it can be used."""

    line: int
    sentence: str
    start: int
    end: int
    keyword: str
    opposite: str
    male: str
    female: str
    repaired: bool
    flag: str
    reason: str


def _occurrences(text: str, word: str) -> list[int]:
    """Every start of word in text, overlapping ones included."""
    return [i for i in range(len(text) - len(word) + 1) if word and text[i : i + len(word)] == word]


def _keyword_places(sentence: str, keyword: str, opposite: str) -> list[int]:
    """Starts of the keyword that do not lie inside an occurrence of the opposite word."""
    places = _occurrences(sentence, keyword)
    for other in _occurrences(sentence, opposite):
        places = [p for p in places if p < other or p + len(keyword) > other + len(opposite)]
    return places


def _differing(one: str, two: str) -> tuple[int, str, str]:
    """Length of the shared beginning, and the two words without it and without what they then share at the end."""
    shorter, front, back = min(len(one), len(two)), 0, 0
    while front < shorter and one[front] == two[front]:
        front += 1
    while back < shorter - front and one[-1 - back] == two[-1 - back]:
        back += 1
    if front + back == shorter:
        return 0, one, two
    return front, one[front : len(one) - back], two[front : len(two) - back]


def _genders(keyword: str, opposite: str, known: dict[str, str]) -> tuple[str, str]:
    """The male and the female word, or two empty texts for a pair that is not known."""
    if not keyword or not opposite or keyword == opposite:
        return "", ""
    for male, female in ((keyword, opposite), (opposite, keyword)):
        if known.get(male) == female:
            return male, female
    for male, female in ((keyword, opposite), (opposite, keyword)):
        for known_male, known_female in known.items():
            if _differing(male, female)[1:] == _differing(known_male, known_female)[1:]:
                return male, female
    return "", ""


def _find(sentence: str, position: str, keyword: str, opposite: str) -> tuple[int, bool, str]:
    """Start of the keyword, whether the position was repaired, and why there is none."""
    places = _keyword_places(sentence, keyword, opposite)
    if not places:
        return -1, False, "keyword not in the sentence"
    given = re.fullmatch(r"\s*\[\s*(-?[0-9]+)\s*,\s*(-?[0-9]+)\s*\]\s*", position)
    if given is None:
        return (places[0], True, "") if len(places) == 1 else (-1, False, "position unreadable, keyword not unique")
    start, end = int(given[1]), int(given[2])
    if start in places and sentence[start:end] == keyword:
        return start, False, ""
    return min(places, key=lambda place: (abs(place - start), place)), True, ""


def read_rows(path: Path, known: dict[str, str]) -> list[Row]:
    """All rows of the file, usable or not; known maps each male word to its female word."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text = raw.decode("gb18030")
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    if not set(COLUMNS) <= set(reader.fieldnames or []):
        raise ValueError(f"{path}: needs the columns {COLUMNS}")
    rows: list[Row] = []
    seen: set[tuple[str, str, frozenset[str]]] = set()
    for line, record in enumerate(reader, start=2):
        sentence, position, keyword, opposite = [record[column] or "" for column in COLUMNS]
        start, repaired, reason = _find(sentence, position, keyword, opposite)
        end = start + len(keyword) if start >= 0 else -1
        male, female = _genders(keyword, opposite, known)
        if not male:
            reason = "unknown pair"
        flags = []
        if len(_keyword_places(sentence, keyword, opposite)) > 1:
            flags.append("keyword again")
        if start >= 0 and opposite and (opposite in sentence[:start] or opposite in sentence[end:]):
            flags.append("both words")
        if not reason:
            context = (sentence[:start], sentence[end:], frozenset((keyword, opposite)))
            if context in seen:
                reason = "duplicate"
            seen.add(context)
        found = (start, end, keyword, opposite, male, female, repaired)
        rows.append(Row(line, sentence, *found, flag=", ".join(flags), reason=reason))
    return rows


def hidden(row: Row, rule: str) -> tuple[int, int, str, str]:
    """Start and end of what is masked, and the male and the female text to ask for there."""
    if row.reason:
        raise ValueError(f"line {row.line} cannot be used: {row.reason}")
    if rule == "whole-word":
        return row.start, row.end, row.male, row.female
    if rule == "differing-characters":
        front, male, female = _differing(row.male, row.female)
        start = row.start + front
        return start, start + len(male if row.keyword == row.male else female), male, female
    raise ValueError(f"no such rule: {rule}")


@functools.lru_cache(maxsize=2)
def _load(folder: Path) -> tuple[Any, Any]:
    tokenizer: Any = AutoTokenizer.from_pretrained(str(folder))
    model: Any = AutoModelForMaskedLM.from_pretrained(str(folder), dtype=torch.float32)
    model.eval()
    return tokenizer, model


def _log10_probability(folder: Path, before: str, candidate: str, after: str) -> float:
    """log10 of the product, over the characters of candidate, of each one's probability at its own mask."""
    tokenizer, model = _load(folder)
    text = before + tokenizer.mask_token * len(candidate) + after
    inputs = tokenizer(text, return_tensors="pt")
    ids = inputs["input_ids"][0].tolist()
    places = [i for i, token in enumerate(ids) if token == tokenizer.mask_token_id]
    if len(places) != len(candidate):
        raise ValueError(f"{len(places)} masks for {len(candidate)} characters: {text}")
    with torch.no_grad():
        logits = model(**inputs).logits[0].double()
    total = 0.0
    for place, character in zip(places, candidate, strict=True):
        token = tokenizer.convert_tokens_to_ids(character)
        if token is None or token == tokenizer.unk_token_id:
            raise ValueError(f"{character} is not in the vocabulary")
        total += float(torch.log_softmax(logits[place], dim=0)[token])
    return total / math.log(10)


def log10_probabilities(folder: Path, row: Row, rule: str) -> tuple[float, float]:
    """log10 probability of the male and of the female text; the bias of the sentence is their difference."""
    start, end, male, female = hidden(row, rule)
    before, after = row.sentence[:start], row.sentence[end:]
    return _log10_probability(folder, before, male, after), _log10_probability(folder, before, female, after)


def _mean(values: list[float]) -> float:
    return math.fsum(values) / len(values) if values else NAN


def _variance(values: list[float]) -> float:
    centre = _mean(values)
    return math.fsum((value - centre) ** 2 for value in values) / (len(values) - 1)


def _headline(biases: list[float]) -> dict[str, float]:
    """Equations 2 and 3 and the signed mean; a side without any sentence is not a number."""
    man = _mean([bias for bias in biases if bias > 0])
    woman = -_mean([bias for bias in biases if bias < 0])
    return {"bias_man": man, "bias_woman": woman, "model_bias": (man + woman) / 2, "signed_mean": _mean(biases)}


def _pair_share(groups: list[list[float]]) -> tuple[float, float, float]:
    """Share of the variance that lies between pairs, with the interval of Thomas and Hultquist."""
    groups = [group for group in groups if len(group) > 1]
    count, size = len(groups), sum(len(group) for group in groups)
    if count <= 1:
        return NAN, NAN, NAN
    harmonic = count / math.fsum(1 / len(group) for group in groups)
    within = math.fsum(_variance(group) * (len(group) - 1) for group in groups) / (size - count)
    of_means = _variance([_mean(group) for group in groups])
    between = max(0.0, of_means - within / harmonic)
    if within == 0:
        return (1.0 if between > 0 else NAN), NAN, NAN
    ratio = harmonic * of_means / within
    lower = ratio / float(stats.f.ppf(0.975, count - 1, size - count))
    upper = ratio / float(stats.f.ppf(0.025, count - 1, size - count))
    low = max(0.0, (lower - 1) / (lower - 1 + harmonic))
    return between / (between + within), low, (upper - 1) / (upper - 1 + harmonic)


def _against_prior(groups: list[list[float]]) -> tuple[float, float]:
    """Mean distance from the pair's other sentences, and mean excess over them."""
    distances, excesses = [], []
    for group in groups:
        total = math.fsum(group)
        for bias in group if len(group) > 1 else []:
            prior = (total - bias) / (len(group) - 1)
            distances.append(abs(bias - prior))
            excesses.append(abs(bias) - abs(prior))
    return _mean(distances), _mean(excesses)


def _written_gap(sides: list[tuple[list[float], list[float]]]) -> tuple[float, float]:
    """Weighted gap between sentences written with the male and with the female word, and its two-sided p (Welch)."""
    gaps, weights, spreads, freedoms = [], [], [], []
    for male, female in sides:
        if min(len(male), len(female)) <= 1:
            continue
        weight = len(male) * len(female) / (len(male) + len(female))
        weights.append(weight)
        gaps.append(weight * (_mean(male) - _mean(female)))
        for side in (male, female):
            spreads.append(weight**2 * _variance(side) / len(side))
            freedoms.append(spreads[-1] ** 2 / (len(side) - 1))
    if not weights:
        return NAN, NAN
    gap = math.fsum(gaps) / math.fsum(weights)
    error = math.sqrt(math.fsum(spreads)) / math.fsum(weights)
    if error == 0:
        return gap, NAN
    freedom = math.fsum(spreads) ** 2 / math.fsum(freedoms)
    return gap, float(2 * stats.t.sf(abs(gap) / error, freedom))


def scores(rows_with_bias: list[tuple[str, bool, str, float]], threshold: float = 0.3) -> dict[str, float]:
    """All scores from (pair, pronoun, written 'male' or 'female', bias) of every sentence."""
    biases = [bias for _, _, _, bias in rows_with_bias]
    by_pair: dict[str, list[float]] = {}
    by_side: dict[str, tuple[list[float], list[float]]] = {}
    for pair, _, written, bias in rows_with_bias:
        if written not in ("male", "female"):
            raise ValueError(f"written {written}")
        by_pair.setdefault(pair, []).append(bias)
        by_side.setdefault(pair, ([], []))[0 if written == "male" else 1].append(bias)
    result = _headline(biases)
    result["evident_man"] = float(sum(bias > threshold for bias in biases))
    result["evident_woman"] = float(sum(bias < -threshold for bias in biases))
    groups = list(by_pair.values())
    result["pair_share"], result["pair_share_low"], result["pair_share_high"] = _pair_share(groups)
    result["context_bias"], result["excess_over_prior"] = _against_prior(groups)
    result["written_gap"], result["written_gap_p"] = _written_gap(list(by_side.values()))
    return result


def paired_bootstrap(
    bias_a: list[float], bias_b: list[float], resamples: int, seed: int
) -> dict[str, tuple[float, float, float]]:
    """Difference a - b of each headline score, with its 2.5% and 97.5% quantiles over resampled sentences."""
    if len(bias_a) != len(bias_b):
        raise ValueError("the two models need the same sentences")
    generator = np.random.default_rng(seed)
    seen_a, seen_b = _headline(bias_a), _headline(bias_b)
    drawn: dict[str, list[float]] = {name: [] for name in seen_a}
    for _ in range(resamples):
        chosen = generator.integers(0, len(bias_a), size=len(bias_a))
        again_a, again_b = _headline([bias_a[i] for i in chosen]), _headline([bias_b[i] for i in chosen])
        for name, values in drawn.items():
            values.append(again_a[name] - again_b[name])
    result = {}
    for name, values in drawn.items():
        low, high = np.quantile(values, [0.025, 0.975])
        result[name] = (seen_a[name] - seen_b[name], float(low), float(high))
    return result
