"""Natural language inference as it was published: pairs of sentences with the label that people gave them.

| data set | files | layout |
| --- | --- | --- |
| SNLI, MultiNLI | `snli_1.0_*.jsonl`, `.txt` | JSON lines, or tab and header: `gold_label sentence1 sentence2` |
| XNLI | `xnli.{dev,test}.{jsonl,tsv}` | the same with `language`, fifteen languages in a file |
| XNLI-MT | `multinli.train.LANG.tsv` | tab, header `premise hypo label`, `contradictory`; cut into words |
| JSNLI | `train_w_filtering.tsv`, `dev.tsv` | tab, no header: label, premise, hypothesis, cut into words by Juman++ |
| JNLI, OCNLI, CMNLI | `train-v1.1.json`, `train.50k.json` | JSON lines: `sentence1 sentence2 label` |
| JSICK | `jsick.tsv`, `train.tsv`, `test.tsv` | tab, header: `sentence_A_Ja sentence_B_Ja entailment_label_Ja data` |
| bias-controlled sets | `train_r-K.json`, `dev_r-K.json` | JSON lines: `sentence1 sentence2 label` |

A label `-` says that people did not agree: such pairs are left out and counted. Tab-separated files have no quoting: a
`"` is a character of the text.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tiltmeter.datasets.labelled import Labelled
from tiltmeter.errors import TiltmeterError
from tiltmeter.subjects.inference.json_lines import is_text, read_rows
from tiltmeter.subjects.inference.labels import meaning

Use = Literal["train", "test"]

_COLUMNS = (
    ("sentence1", "sentence2", "gold_label"),
    ("sentence1", "sentence2", "label"),
    ("premise", "hypothesis", "label"),
    ("premise", "hypo", "label"),
    ("premise cut into words", "hypothesis cut into words", "label"),
    ("sentence_A_Ja", "sentence_B_Ja", "entailment_label_Ja"),
)
"""Premise, hypothesis, label, as the data sets name them."""
_WITHOUT_HEADER = ("label", "premise cut into words", "hypothesis cut into words")
_UNDECIDED = ("-", "")
_CUT = ("multinli.train.zh", "multinli.train.th")
_BIASED = re.compile(r"(train|dev)(-tok)?_r-(\d+)\.jsonl?")


@dataclass(frozen=True, slots=True)
class ReadPairs:
    """The pairs of a file, and how many had no label that people agreed on."""

    pairs: tuple[Labelled, ...]
    undecided: int


def read_nli(path: Path, *, use: Use = "train", lang: str | None = None) -> ReadPairs:
    """The labelled pairs of a file in any of the published layouts, which its content tells.

    A file that holds training and test pairs together (JSICK) gives those for `use`; of one with several languages
    (XNLI) those of `lang`.
    """
    if not path.is_file():
        raise TiltmeterError(f"there is no file {path}")
    pairs: list[Labelled] = []
    undecided = others = 0
    languages: set[str] = set()
    columns: tuple[str, str, str] | None = None
    for number, row in _rows(path):
        place = f"{path.name}:{number}"
        columns = columns or _columns(row, path.name)
        if row.get("data") and (row["data"] == "test") != (use == "test"):
            others += 1
            continue
        if language := row.get("language"):
            languages.add(str(language))
            if lang is not None and language != lang:
                continue
        premise, hypothesis, label = (row.get(name) for name in columns)
        if label in _UNDECIDED:
            undecided += 1
            continue
        pairs.append(_pair(premise, hypothesis, label, place))
    _refuse_nothing(path, pairs, undecided, others, languages, use, lang)
    return ReadPairs(tuple(pairs), undecided)


def read_bias_controlled(folder: Path) -> dict[float, dict[Use, tuple[Labelled, ...]]]:
    """The published sets by their rate of bias, K / 10: what to train on, and, where it is there, what to test on."""
    if not folder.is_dir():
        raise TiltmeterError(f"{folder} is no folder: the one with train_r-0.json, ... was expected")
    found: dict[float, dict[Use, tuple[Labelled, ...]]] = {}
    for path in sorted(folder.rglob("*.json*")):
        named = _BIASED.fullmatch(path.name)
        if named is None:
            continue
        if int(named[3]) > 10:
            raise TiltmeterError(f"{path.name}: a rate is 0 to 10 tenths, not {named[3]}")
        use: Use = "train" if named[1] == "train" else "test"
        of_rate = found.setdefault(int(named[3]) / 10, {})
        if use in of_rate:
            raise TiltmeterError(f"{folder} holds {path.name} twice: give a folder with one set of files")
        of_rate[use] = read_nli(path).pairs
    for rate, uses in sorted(found.items()):
        if "train" not in uses:
            raise TiltmeterError(f"{folder}: train_r-{rate * 10:.0f}.json is missing beside dev_r-{rate * 10:.0f}.json")
    if len(found) < 3:
        raise TiltmeterError(
            f"{folder} holds the sets of {len(found)} rates, and a correlation needs three or more: train_r-0.json to "
            "train_r-10.json were expected"
        )
    return dict(sorted(found.items()))


def _pair(premise: Any, hypothesis: Any, label: Any, place: str) -> Labelled:
    if not is_text(premise) or not is_text(hypothesis) or not premise.strip() or not hypothesis.strip():
        raise TiltmeterError(f"{place}: a premise and a hypothesis were expected")
    if label is None:
        raise TiltmeterError(f"{place}: the label is missing (a test set whose answers were not published?)")
    meant = meaning(label) if isinstance(label, str) else None
    if meant is None:
        raise TiltmeterError(f"{place}: the label {label!r} is none of entailment, neutral, contradiction")
    return Labelled(premise.strip(), meant, hypothesis.strip())


def _refuse_nothing(
    path: Path,
    pairs: list[Labelled],
    undecided: int,
    others: int,
    languages: set[str],
    use: Use,
    lang: str | None,
) -> None:
    if languages and lang is None and len(languages) > 1:
        raise TiltmeterError(
            f"{path.name} holds {len(languages)} languages ({', '.join(sorted(languages)[:4])}, ...): say which with "
            "--lang"
        )
    if pairs:
        return
    if languages and lang is not None and lang not in languages:
        raise TiltmeterError(f"{path.name} holds no pair in {lang!r}, but in {', '.join(sorted(languages))}")
    why = f": {others} are for {'training' if use == 'test' else 'testing'}" if others else ""
    why = why or (f": all {undecided} are without a label" if undecided else "")
    raise TiltmeterError(f"{path.name} holds no pair to {use} on{why}")


def _columns(row: Mapping[str, Any], file: str) -> tuple[str, str, str]:
    for names in _COLUMNS:
        if all(name in row for name in names):
            return names
    if any(premise in row and hypothesis in row for premise, hypothesis, _ in _COLUMNS):
        raise TiltmeterError(f"{file}: its pairs have no label (a test set whose answers were not published?)")
    raise TiltmeterError(
        f"{file} is laid out like no data set of inference that is known: sentence1, sentence2 and label (or "
        "gold_label) were expected"
    )


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Rows with the number of their line; text that was cut into words is put together again."""
    for number, row in read_rows(path, _named_by_layout):
        if _WITHOUT_HEADER[1] in row or path.name.startswith(_CUT):
            yield number, {name: without_spaces(text) if is_text(text) else text for name, text in row.items()}
        else:
            yield number, row


def _named_by_layout(first: list[str]) -> tuple[str, ...] | None:
    """JSNLI has no header: its first line begins with a label."""
    return _WITHOUT_HEADER if len(first) == 3 and meaning(first[0]) is not None else None


def without_spaces(text: str) -> str:
    """Text that was cut into words, as it is written: a space goes where a Chinese, Japanese or Thai character stands
    beside it.

    A model's own tokenizer expects it so; one that wants words cut first has them cut again.
    """
    unspaced = "[\u0e00-\u0e7f\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]"
    return re.sub(f"(?<={unspaced}) +| +(?={unspaced})", "", text.strip())
