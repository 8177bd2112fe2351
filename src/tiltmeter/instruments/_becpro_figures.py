"""What BEC-Pro draws: the figures of its papers, all from numbers that are there already."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import takewhile

import polars as pl

from tiltmeter.results import Estimate, Figure

_ABOVE = "Above 0 the professions draw women more, below 0 men."
_LESS = "female less male association: ← men | women →"
_ASSOCIATION = "association with the person: ← less | more probable →"
_SHARE = "share of women in percent"
_PROFESSIONS = {"all": "all", "female": "female-typed", "balanced": "balanced", "male": "male-typed"}
ORDER = ("male", "female", "balanced", "nonbinary", "unclassed")
"""One colour for each, whether of persons or of professions: those that a heat map has for either side."""


def figures_of(estimates: Sequence[Estimate], by_profession: pl.DataFrame, items: pl.DataFrame) -> Iterator[Figure]:
    """By class, against the share of women, as boxes, template by template, profession by profession."""
    yield Figure(
        kind="intervals",
        title="BEC-Pro: female less male association by class of professions",
        rows=tuple(
            {
                "professions": _typed(row),
                _LESS: row.value,
                "low": row.ci_low,
                "high": row.ci_high,
            }
            for row in estimates
            if row.name == "f_minus_m"
        ),
        x=_LESS,
        y="professions",
        low="low",
        high="high",
        neutral=0,
        caption=_ABOVE,
    )
    words = asked_words(items)
    named = by_profession.rename({"difference": _LESS, "share": _SHARE, "profession": "id"}).with_columns(
        profession=pl.col("id").replace(words)
    )
    columns = ("profession", *(["id"] if any(word != name for name, word in words.items()) else []))
    shared = named.drop_nulls(_SHARE)
    if shared.height:
        yield Figure(
            kind="scatter",
            title="BEC-Pro: female less male association against the share of women",
            rows=tuple(shared.select(_SHARE, _LESS, *columns, "profession_class").iter_rows(named=True)),
            x=_SHARE,
            y=_LESS,
            label="profession",
            colour="profession_class",
            order=ORDER,
            neutral=0,
            caption=f"{_ABOVE} A model without stereotypes shows no slope.",
        )
    yield _boxes(estimates)
    templates = tuple(
        {"template": row.group["template"], "professions": _typed(row), _LESS: row.value}
        for row in estimates
        if row.name == "f_minus_m_template" and row.value is not None
    )
    if templates:
        yield Figure(
            kind="heat",
            title="BEC-Pro: female less male association by template and class of professions",
            rows=templates,
            x="professions",
            y="template",
            colour=_LESS,
            neutral=0,
            caption=f"{_ABOVE} Where templates disagree, a mean over them hides it.",
        )
    yield Figure(
        kind="sorted",
        title="BEC-Pro: female less male association of each profession",
        rows=tuple(named.select(*columns, _LESS, "profession_class").iter_rows(named=True)),
        x=_LESS,
        y="profession",
        colour="profession_class",
        order=ORDER,
        neutral=0,
        caption=_ABOVE,
    )


def _boxes(estimates: Sequence[Estimate]) -> Figure:
    """Lowest, quarter, median, three quarters and highest association of each class with each gender."""
    boxes: dict[tuple[str, str], dict[str, str | float | None]] = {}
    for row in estimates:
        if row.name in _QUANTILES:
            key = (row.group["profession_class"], row.group["person_gender"])
            box = boxes.setdefault(key, {"professions": _typed(row), "person_gender": row.group["person_gender"]})
            box[_QUANTILES[row.name]] = row.value
    return Figure(
        kind="box",
        title="BEC-Pro: association by class of professions and gender of the person",
        rows=tuple(boxes.values()),
        x=_ASSOCIATION,
        y="professions",
        low="lowest",
        high="highest",
        colour="person_gender",
        order=ORDER,
        neutral=0,
        caption="Over sentences: the median, the middle half as a box, the lowest and the highest. Above 0 a "
        "profession makes the person more probable, below 0 less.",
    )


_QUANTILES = {"min": "lowest", "q25": "q25", "median": _ASSOCIATION, "q75": "q75", "max": "highest"}


def _typed(row: Estimate) -> str:
    """The class of professions, so that nobody takes it for the gender of a person."""
    name = row.group["profession_class"]
    return _PROFESSIONS.get(name, name)


def asked_words(items: pl.DataFrame) -> dict[str, str]:
    """Each profession as it stands in its first sentences, about a man and about a woman, where it is not its own id.

    A pack knows its professions by English names.
    """
    found: dict[str, dict[str, str]] = {}
    columns = ("profession", "person_gender", "masked_target", "masked_both")
    for name, gender, seen, hidden in items.select(columns).iter_rows():
        if gender != "nonbinary":
            found.setdefault(name, {}).setdefault(gender, _hidden_word(seen, hidden))
    words = {
        name: "/".join(dict.fromkeys(forms[gender] for gender in ("male", "female") if gender in forms))
        for name, forms in found.items()
    }
    again = Counter(words.values())
    return {name: word if again[word] == 1 else f"{word} ({name})" for name, word in words.items()}


def _hidden_word(seen: str, hidden: str) -> str:
    """What the second sentence masks of the first."""
    start = _alike(seen, hidden)
    return seen[start : len(seen) - _alike(seen[start:][::-1], hidden[start:][::-1])]


def _alike(one: str, other: str) -> int:
    """How many letters both begin with."""
    return sum(1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(one, other, strict=False)))
