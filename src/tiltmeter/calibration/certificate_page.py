"""A certificate as a page, and its figures: all that they show is in its JSON."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from tiltmeter.calibration.certificate import ALPHA, kind_of_p, worlds_of
from tiltmeter.instruments import load_instrument
from tiltmeter.results import Figure

MOST_DRAWN = 7
"""Measures in a figure: no more than can be told apart by colour."""
_OTHER_SCALE = ("statistic", "paired_t")
"""Sums and t values: beside them nothing else in a figure would seem to move."""


def certificate_page(told: Mapping[str, Any], figures: Sequence[str] = ()) -> str:
    """What a certificate's JSON says, in Markdown; `figures` names a file for each dial."""
    lines = [
        f"# {told['instrument']} {told['version']}, {told['lang']}, {told['kind']}: certificate",
        "",
        _made(told["about"]),
    ]
    lines += [f"\n**{sentence}.**" for sentence in told["failures"]]
    for (dial, rows), figure in zip_longest(told["responses"].items(), figures):
        doses = [point["dose"] for point in rows[0]["by_dose"]]
        lines += ["", f"## Planted {dial}", ""]
        if figure:
            lines += [f"![{dial}: dose and response](figures/{figure})", "", _caption(told, rows), ""]
        lines += [
            "| measure | rank correlation with the dose | 95% interval | slope | split halves | "
            + " | ".join(f"{dose:+g}" if dose else "0" for dose in doses)
            + " |",
            f"| --- | ---: | --- | ---: | ---: |{' ---: |' * len(doses)}",
            *(_response(row, told["reliability"] if dial == next(iter(told["responses"])) else {}) for row in rows),
        ]
    lines += [
        "",
        "## False positives",
        "",
        f"How often p is at most {ALPHA:g} where nothing was planted, with a 99% interval (exact; of models that are "
        "read several times by t over models). In bold: a p of ours that is so too often (Holm over all of them). A "
        "published p is only told, and so is one that asks whether a model leans, which it may have come to by chance "
        "while it learnt. Models that are read with their own classes are counted apart: words of a class share "
        "parts, which shuffled classes hide.",
        "",
        "| measure | p | worlds | rate | interval |",
        "| --- | --- | --- | ---: | --- |",
        *(_false_positive(row) for row in told["false_positives"]),
        "",
        "## Power",
        "",
        f"How often the two-sided p finds a {_first_dial(told)} of {told['about']['power_dose']:g}, by the "
        f"{told['about'].get('power_unit', 'sentences in which each word stands with a gendered one')}.",
        "",
        *_power(told["power"]),
        "",
        "## Robustness",
        "",
        "Means without bias and with as much as can be.",
        "",
        "| measure | changed | dose 0 | dose 1 |",
        "| --- | --- | ---: | ---: |",
        *_robustness(told["robustness"]),
    ]
    return "\n".join([*lines, ""])


def certificate_figures(told: Mapping[str, Any]) -> list[Figure]:
    """Dose and response as a certificate's JSON has them, a figure a dial."""
    return [_figure(told, dial, rows) for dial, rows in told["responses"].items()]


def _figure(told: Mapping[str, Any], dial: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    drawn = _drawn(told)
    points = [(row["measure"], point) for row in rows if row["measure"] in drawn for point in row["by_dose"]]
    return Figure(
        kind="series",
        title=f"{told['instrument']}: planted {dial} and what is measured, {told['lang']}",
        rows=tuple(
            {"planted bias": point["dose"], "measure": measure, "score": point["value"]}
            | dict(zip(("low", "high"), point["ci"] or (None, None), strict=True))
            for measure, point in points
        ),
        x="planted bias",
        y="score",
        low="low",
        high="high",
        colour="measure",
        order=drawn,
        caption=_caption(told, rows),
    )


def _caption(told: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    drawn, seeds = len(_drawn(told)), max(row["seeds"] for row in rows)
    some = f" {drawn} of {len(rows)} measures are drawn." if drawn < len(rows) else ""
    of = "worlds" if told["kind"] == "vectors" else "models"
    return f"Means over {seeds} {of} of each dose with their 95% intervals.{some}"


def _drawn(told: Mapping[str, Any]) -> tuple[str, ...]:
    """Of measures that are the same at every dose, the first; of those that have one scale what the instrument stands
    behind, and then the first."""
    means: dict[str, list[Any]] = {}
    for rows in told["responses"].values():
        for row in rows:
            means.setdefault(row["measure"], []).append(row["by_dose"])
    first = [measure for place, measure in enumerate(means) if means[measure] not in list(means.values())[:place]]
    alike = [measure for measure in first if measure.split()[-1] not in _OTHER_SCALE] or first
    deciding = set(load_instrument(told["instrument"]).deciding)
    return tuple(sorted(alike, key=lambda measure: deciding.isdisjoint(measure.split()))[:MOST_DRAWN])


def _made(about: Mapping[str, Any]) -> str:
    if "models" in about:
        return f"{about['models']:,} models that learnt texts of known bias: {about['method']}."
    return (
        f"{about['worlds']:,} worlds of known bias; vectors by {about['method']}, window {about['window']}, "
        f"{about['dimensions']} dimensions."
    )


def _first_dial(told: Mapping[str, Any]) -> str:
    return str(next(iter(told["responses"])))


def _response(row: Mapping[str, Any], reliability: Mapping[str, float | None]) -> str:
    cells = [
        row["measure"],
        *((_number(row["rank_correlation"]), _interval(row["ci"])) if row["planted"] else ("not planted", "–")),
        _number(row["slope"]["value"]),
        _number(reliability.get(row["measure"])),
        *(_number(point["value"]) for point in row["by_dose"]),
    ]
    return f"| {' | '.join(cells)} |"


def _false_positive(row: Mapping[str, Any]) -> str:
    rate = f"{row['rate']:.1%}"
    rate = f"**{rate}**" if row["p_adjusted"] is not None and row["p_adjusted"] <= ALPHA else rate
    low, high = row["ci"]
    return f"| {row['measure']} | {kind_of_p(row)} | {worlds_of(row)} | {rate} | {low:.1%} to {high:.1%} |"


def _power(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    sizes = sorted({row["sentences"] for row in rows})
    rates = {(row["measure"], row["sentences"]): row["rate"] for row in rows}
    return [
        f"| measure | {' | '.join(map(str, sizes))} |",
        f"| --- |{' ---: |' * len(sizes)}",
        *(
            f"| {measure} | {' | '.join(_share(rates.get((measure, size))) for size in sizes)} |"
            for measure in dict.fromkeys(row["measure"] for row in rows)
        ),
    ]


def _robustness(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    values = {(row["measure"], row["changed"], row["dose"]): row["value"] for row in rows}
    return [
        f"| {measure} | {changed} | {_number(values.get((measure, changed, 0.0)))} | "
        f"{_number(values.get((measure, changed, 1.0)))} |"
        for measure, changed in dict.fromkeys((row["measure"], row["changed"]) for row in rows)
    ]


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _interval(limits: Sequence[float] | None) -> str:
    return "" if limits is None else f"{limits[0]:.2f} to {limits[1]:.2f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"
