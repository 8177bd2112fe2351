"""NLI-CoAL as files: `1-prostereo_*.json`, `2-antistereo_*.json`, `3-nonstereo_*.json` and `4-all_*.json`, JSON lines.

Anantaprayoon et al. (2024). A row has `id`, `sentence1`, `sentence2`, `label` (always neutral), `occ_word` and
`occ_type` (`female-stereo`, `male-stereo`, `neutral`). The name of a file may say that occupations were left out
(`-downsamp`) or that the sentences are cut into words (`-tok`); in the control of a built set it says the form
(`-masculine`, `-feminine`).
"""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from tiltmeter.datasets.nli import FORMS, SETS, NliPair, OccupationClass, class_by_share
from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.packs import Occupation
from tiltmeter.subjects.inference.json_lines import is_text, read_json_lines, read_text

_STEMS = {"PS": "1-prostereo", "AS": "2-antistereo", "NS": "3-nonstereo"}
_ALL = "4-all"
_CLASSES = {"female-stereo": "female", "male-stereo": "male", "neutral": "neutral"}
_TYPES = {name: published for published, name in _CLASSES.items()}


@dataclass(frozen=True, slots=True)
class ListedPairs:
    """What stands in a folder."""

    pairs: tuple[NliPair, ...]
    variant: str
    """`downsamp`, `tok`, both, or nothing: as the names of the files say."""


def read_folder(folder: Path) -> ListedPairs:
    """The three sets of a folder; a set that is missing, or that is there in several variants, is refused."""
    if not folder.is_dir():
        raise TiltmeterError(f"{folder} is no folder: the one with the files of the three sets was expected")
    files = {name: _files(folder, stem) for name, stem in _STEMS.items()}
    for name, found in files.items():
        if not found:
            raise TiltmeterError(
                f"{folder}: the {SETS[name]} set is missing; a file {_STEMS[name]}_*.json was expected"
            )
    variants = sorted({variant for found in files.values() for variant in found})
    if len(variants) > 1 and variants != sorted(FORMS):
        told = ", ".join(variant or "no addition" for variant in variants)
        raise TiltmeterError(f"{folder} holds several sets of files ({told}): give a folder with one of them")
    for name, found in files.items():
        if lacking := [variant for variant in variants if variant not in found]:
            raise TiltmeterError(f"{folder}: the {SETS[name]} set of {lacking[0]!r} is missing")
    pairs = tuple(
        pair
        for name in SETS
        for variant in variants
        for pair in _read(files[name][variant], name, variant if variant in FORMS else "")
    )
    return ListedPairs(pairs, variants[0] if variants[0] not in FORMS else "")


def _files(folder: Path, stem: str) -> dict[str, Path]:
    """The files of one set by their variant."""
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        named = re.fullmatch(rf"{stem}((?:-[a-z]+)*)(?:_[^/]*)?\.jsonl?", path.name)
        if not named or not path.is_file():
            continue
        variant = named[1].removeprefix("-")
        if variant in found:
            raise TiltmeterError(f"{folder} holds both {found[variant].name} and {path.name}: leave one of them there")
        found[variant] = path
    return found


def _read(path: Path, name: str, form: str) -> Iterator[NliPair]:
    rows = 0
    for number, row in read_json_lines(path):
        rows += 1
        place = f"{path.name}:{number}"
        premise, hypothesis, word = (_text(row, key, place) for key in ("sentence1", "sentence2", "occ_word"))
        published = row.get("occ_type")
        if published in (None, ""):
            raise TiltmeterError(f"{place}: the row has no class; 'occ_type' is one of {', '.join(_CLASSES)}")
        if not isinstance(published, str) or published not in _CLASSES:
            raise TiltmeterError(f"{place}: {unknown('occ_type', str(published), _CLASSES)}")
        named = _CLASSES[published]
        if (named == "neutral") != (name == "NS"):
            raise TiltmeterError(
                f"{place}: an occupation of class {published!r} does not belong in the {SETS[name]} set"
            )
        gender = {"PS": named, "AS": {"female": "male", "male": "female"}.get(named, ""), "NS": ""}[name]
        yield NliPair(
            set=name,
            premise=premise,
            hypothesis=hypothesis,
            occupation=word,
            occupation_class=named,
            gender=gender,
            form=form,
        )
    if not rows:
        raise TiltmeterError(f"{path.name} holds no pair")


def _text(row: Mapping[str, Any], key: str, place: str) -> str:
    value = row.get(key)
    if not is_text(value) or not value.strip():
        raise TiltmeterError(f"{place}: {key!r} is missing or not a text")
    return value


def written_files(pairs: Iterable[NliPair], lang: str) -> dict[str, bytes]:
    """The files of a set in the published format, by name; ids run on from set to set, and on through the forms."""
    lines: dict[str, list[str]] = {}
    for number, pair in enumerate(pairs):
        row = {
            "id": number,
            "sentence1": pair.premise,
            "sentence2": pair.hypothesis,
            "label": "neutral",
            "occ_word": pair.occupation,
            "occ_type": _TYPES[pair.occupation_class],
        }
        form = f"-{pair.form}" if pair.form else ""
        for stem in (_STEMS[pair.set], _ALL):
            lines.setdefault(f"{stem}{form}_{lang}.json", []).append(json.dumps(row, ensure_ascii=False))
    return {name: ("\n".join(rows) + "\n").encode() for name, rows in lines.items()}


def read_crowd_scores(path: Path) -> dict[str, tuple[float, float]]:
    """`professions.json` of Bolukbasi et al. (2016): word, definitional and stereotypical score, below 0 feminine."""
    try:
        rows: list[tuple[str, float, float]] = json.loads(read_text(path))
        if not isinstance(rows, list):
            raise TypeError("no list")
        scores = {str(word).replace("_", " "): (float(own), float(typical)) for word, own, typical in rows}
    except (ValueError, TypeError, RecursionError) as error:
        raise TiltmeterError(
            f"{path.name} is no list of [word, definitional, stereotypical] as in professions.json: {error}"
        ) from error
    for word, both in scores.items():
        if not all(-1 <= score <= 1 for score in both):
            raise TiltmeterError(
                f"{path.name}: the scores of {word!r} are {both}, and numbers from -1 to 1 were expected"
            )
    return scores


_COLUMNS = ("occupation", "feminine", "epicene", "class", "share")


def read_occupations(path: Path) -> tuple[Occupation, ...]:
    """Occupations of the user's own: CSV with `occupation` and `class` (female, male, neutral) or `share` (percent of
    women), and `feminine` and `epicene` where there are any."""
    reader = csv.DictReader(io.StringIO(read_text(path), newline=""))
    names = set(reader.fieldnames or ())
    if "occupation" not in names or not names & {"class", "share"}:
        raise TiltmeterError(f"{path.name}:1: expected the column 'occupation', and 'class' or 'share'")
    if extra := names - set(_COLUMNS):
        raise TiltmeterError(f"{path.name}:1: {unknown('column', sorted(extra)[0], _COLUMNS)}")
    try:
        found = [_own_occupation(row, f"{path.name}:{reader.line_num}") for row in reader]
    except csv.Error as error:
        raise TiltmeterError(f"{path.name} is not a CSV file: {error}") from error
    if not found:
        raise TiltmeterError(f"{path.name} holds no occupation")
    shares = [occupation.share for occupation in found if occupation.share is not None]
    if shares and max(shares) <= 1:
        raise TiltmeterError(f"{path.name}: no share is above 1, and percentages from 0 to 100 were expected")
    words = [occupation.masculine for occupation in found]
    if twice := next((word for word, count in Counter(words).items() if count > 1), None):
        raise TiltmeterError(f"{path.name}: {twice!r} stands in it twice")
    return tuple(found)


def _own_occupation(row: Mapping[str, str | None], place: str) -> Occupation:
    cells = {name: (row.get(name) or "").strip() for name in _COLUMNS}
    if not cells["occupation"]:
        raise TiltmeterError(f"{place}: the cell 'occupation' is empty")
    if cells["class"] not in ("", *_TYPES):
        raise TiltmeterError(f"{place}: {unknown('class', cells['class'], _TYPES)}")
    if cells["share"] and not re.fullmatch(r"\d{1,2}(\.\d+)?|100(\.0+)?", cells["share"]):
        raise TiltmeterError(f"{place}: the share is {cells['share']!r}, and a percentage from 0 to 100 was expected")
    if not cells["class"] and not cells["share"]:
        raise TiltmeterError(f"{place}: {cells['occupation']!r} has neither a class nor a share")
    return Occupation(
        id=cells["occupation"],
        masculine=cells["occupation"],
        feminine=cells["feminine"],
        epicene=cells["epicene"],
        occupation_class=cast(OccupationClass, cells["class"] or class_by_share(float(cells["share"]))),
        us_female_share=cells["share"],
        origin="ours",
    )
