"""A calibration as files: its numbers, its figure, and a page that says what they mean."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from tiltmeter import charts
from tiltmeter.calibration.certificate import Certificate
from tiltmeter.calibration.certificate_page import certificate_figures, certificate_page
from tiltmeter.calibration.dose_response import FEW_SEEDS, Calibration, Following
from tiltmeter.errors import TiltmeterError
from tiltmeter.results import shown_p
from tiltmeter.statistics import Interval
from tiltmeter.store import write_atomically

NUMBERS = "calibration.json"
CERTIFICATE = "certificate.json"
LEARNT = 0.75
"""The share of unseen pairs that a model which learnt what was planted answers as it was taught; a third is chance."""


def write_calibration(found: Calibration, out: Path) -> list[Path]:
    """Writes `calibration.json`, `scores.csv` (a row a model), `README.md` and the figure into a folder that is new or
    holds an earlier calibration."""
    refuse_other(out)
    drawn = charts.write_figures([found.figure()], out / "figures")
    files = {
        NUMBERS: json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n",
        "scores.csv": _scores(found),
        "README.md": page(found, next(path.name for path in drawn if path.suffix == ".svg")),
    }
    for name, content in files.items():
        write_atomically(out / name, content.encode())
    return [*(out / name for name in files), *drawn]


def write_certificate(found: Certificate, out: Path) -> list[Path]:
    """Writes `certificate.json`, `README.md` and a figure for each dial."""
    refuse_other(out)
    told = found.to_json()
    drawn = charts.write_figures(certificate_figures(told), out / "figures")
    files = {
        CERTIFICATE: json.dumps(told, ensure_ascii=False, indent=1) + "\n",
        "README.md": certificate_page(told, [path.name for path in drawn if path.suffix == ".svg"]),
    }
    for name, content in files.items():
        write_atomically(out / name, content.encode())
    return [*(out / name for name in files), *drawn]


def refuse_other(out: Path) -> None:
    """Refuses a folder that holds anything else than a calibration."""
    if out.exists() and not out.is_dir():
        raise TiltmeterError(f"{out} is a file; choose another place with --out")
    if out.is_dir() and any(out.iterdir()) and not any((out / name).is_file() for name in (NUMBERS, CERTIFICATE)):
        raise TiltmeterError(f"{out} holds other files; choose another place with --out")


def page(found: Calibration, figure: str) -> str:
    """What was found, in Markdown, with the figure of that name."""
    about = found.about
    network = about["network"]
    model = network.get("name") or (
        f"a small model ({network['layers']} layers of {network['width']}) that learnt inference on the pack's captions"
    )
    lines = [
        f"# {found.instrument} {found.version}, {found.lang}: does it find the bias that was planted?",
        "",
        f"{len(found.scores)} models: {_counted(len(found.seeds), 'seed')}, {len(found.doses)} rates of bias from "
        f"{found.doses[0]:g} to {found.doses[-1]:g}; from {model}.",
        "",
        "| measure | rank correlation with the rate | 95% interval | lowest of a seed | less that of "
        f"{found.against} | 95% interval | p, Holm |",
        "| --- | ---: | --- | ---: | ---: | --- | ---: |",
        *(f"| {' | '.join(cells(one))} |" for one in found.following()),
        "",
        "Means over seeds of Spearman's rank correlation; every measure is turned so that higher says more bias. The "
        "intervals are those of means over seeds: of the correlation by t, of the difference, seed by seed, by a "
        "studentised bootstrap (by t below ten seeds); p is two-sided, of exchanging signs over seeds, corrected over "
        "all differences. A measure that is the same at every rate has a correlation of 0.",
    ]
    lines += ["", sentence] if (sentence := learning(found)) else []
    lines += [f"\n**{sentence}**" for sentence in cautions(found)]
    return "\n".join([*lines, "", f"![planted and measured](figures/{figure})", ""])


def cells(one: Following) -> tuple[str, ...]:
    """A row of the table."""
    unrelated = f" (no relation at all in {_counted(one.unrelated, 'seed')})" if one.unrelated else ""
    return (
        one.measure + unrelated,
        _number(one.correlation),
        _limits(one.interval),
        _number(one.lowest),
        _number(one.difference),
        _limits(one.difference_interval),
        "" if one.p_adjusted is None else shown_p(one.p_adjusted),
    )


def cautions(found: Calibration) -> list[str]:
    """What makes the numbers mean less than they seem to."""
    said = []
    if len(found.seeds) < FEW_SEEDS:
        said.append(
            f"{_counted(len(found.seeds), 'seed')} cannot carry a correlation that is published: take {FEW_SEEDS} or "
            "more."
        )
    if unlearnt := [score for score in found.scores if score.learnt is not None and score.learnt < LEARNT]:
        said.append(
            f"{_counted(len(unlearnt), 'model')} of {len(found.scores)} answer fewer than three in four unseen pairs "
            "as they were taught: their scores say more about the training than about the measures."
        )
    of_intervals: dict[str, list[str]] = {}
    for one in found.following():
        for interval in (one.interval, one.difference_interval):
            if interval is not None and interval.caution:
                of_intervals.setdefault(interval.caution, []).append(one.measure)
    said += [f"{', '.join(dict.fromkeys(names))}: {sentence}." for sentence, names in of_intervals.items()]
    return said


def learning(found: Calibration) -> str:
    """Whether the models learnt what they were to be measured for: one that did not says nothing about a measure."""
    told = [score.learnt for score in found.scores if score.learnt is not None]
    before = found.about.get("inference_accuracy")
    sentences = (
        [f"Before anything was planted, {_range(before)} of held-out pairs were answered right."] if before else []
    )
    sentences += [f"The models answer {_range(told)} of unseen pairs as they were taught."] if told else []
    return " ".join(sentences)


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _range(shares: Sequence[float]) -> str:
    return f"{min(shares):.2f} to {max(shares):.2f}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _limits(interval: Interval | None) -> str:
    if interval is None or interval.low != interval.low:
        return ""
    return f"{interval.low:.3f} to {interval.high:.3f}"


def _scores(found: Calibration) -> str:
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["seed", "rate", "learnt", *found.measures])
    for score in found.scores:
        rows.writerow([score.seed, score.dose, score.learnt, *(score.values.get(name) for name in found.measures)])
    return written.getvalue()
