"""A certificate as a page."""

from collections.abc import Mapping, Sequence
from typing import Any

from tiltmeter.calibration.certificate import ALPHA, kind_of_p, worlds_of


def certificate_page(told: Mapping[str, Any], figures: Sequence[str] = ()) -> str:
    """What a certificate's JSON says, in Markdown."""
    lines = [
        f"# {told['instrument']} {told['version']}, {told['lang']}: certificate",
        "",
        _made(told["about"]),
    ]
    lines += [f"\n**{sentence}.**" for sentence in told["failures"]]
    for dial, rows in told["responses"].items():
        doses = [point["dose"] for point in rows[0]["by_dose"]]
        lines += [
            "",
            f"## Planted {dial}",
            "",
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
    lines += [f"\n![dose and response](figures/{name})" for name in figures]
    return "\n".join([*lines, ""])


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
