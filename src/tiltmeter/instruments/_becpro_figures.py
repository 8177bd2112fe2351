"""What BEC-Pro draws: the figures of its papers, all from numbers that are there already."""

from collections.abc import Iterator, Sequence

import polars as pl

from tiltmeter.results import Estimate, Figure

_ABOVE = "Above 0 the professions draw women more, below 0 men."
_LESS, _SHARE = "female_less_male", "share_of_women_in_percent"


def figures_of(estimates: Sequence[Estimate], by_profession: pl.DataFrame) -> Iterator[Figure]:
    """By class, against the share of women, as boxes, template by template, profession by profession."""
    yield Figure(
        kind="intervals",
        title="BEC-Pro: female less male association by class of professions",
        rows=tuple(
            {
                "professions": row.group["profession_class"],
                "f_minus_m": row.value,
                "low": row.ci_low,
                "high": row.ci_high,
            }
            for row in estimates
            if row.name == "f_minus_m"
        ),
        x="f_minus_m",
        y="professions",
        low="low",
        high="high",
        neutral=0,
        caption=_ABOVE,
    )
    named = by_profession.rename({"difference": _LESS, "share": _SHARE})
    shared = named.drop_nulls(_SHARE)
    if shared.height:
        yield Figure(
            kind="scatter",
            title="BEC-Pro: female less male association against the share of women",
            rows=tuple(shared.select(_SHARE, _LESS, "profession", "profession_class").iter_rows(named=True)),
            x=_SHARE,
            y=_LESS,
            label="profession",
            colour="profession_class",
            neutral=0,
            caption=f"{_ABOVE} A model without stereotypes shows no slope.",
        )
    yield _boxes(estimates)
    templates = tuple(
        {**row.group, "f_minus_m": row.value}
        for row in estimates
        if row.name == "f_minus_m_template" and row.value is not None
    )
    if templates:
        yield Figure(
            kind="heat",
            title="BEC-Pro: female less male association by template and class of professions",
            rows=templates,
            x="profession_class",
            y="template",
            colour="f_minus_m",
            neutral=0,
            caption=f"{_ABOVE} Where templates disagree, a mean over them hides it.",
        )
    yield Figure(
        kind="sorted",
        title="BEC-Pro: female less male association of each profession",
        rows=tuple(named.select("profession", _LESS, "profession_class").iter_rows(named=True)),
        x=_LESS,
        y="profession",
        colour="profession_class",
        neutral=0,
        caption=_ABOVE,
    )


def _boxes(estimates: Sequence[Estimate]) -> Figure:
    """Lowest, quarter, median, three quarters and highest association of each class with each gender."""
    boxes: dict[tuple[str, str], dict[str, str | float | None]] = {}
    for row in estimates:
        if row.name in _QUANTILES:
            key = (row.group["profession_class"], row.group["person_gender"])
            boxes.setdefault(key, dict(row.group))[_QUANTILES[row.name]] = row.value
    return Figure(
        kind="box",
        title="BEC-Pro: association by class of professions and gender of the person",
        rows=tuple(boxes.values()),
        x="association",
        y="profession_class",
        low="lowest",
        high="highest",
        colour="person_gender",
        neutral=0,
        caption="Over sentences: the median, the middle half as a box, the lowest and the highest. Above 0 a "
        "profession makes the person more probable, below 0 less.",
    )


_QUANTILES = {"min": "lowest", "q25": "q25", "median": "association", "q75": "q75", "max": "highest"}
