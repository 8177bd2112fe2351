"""A calibration as files: its numbers, its figure, and a page that says what they mean."""

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path

from tiltmeter import charts
from tiltmeter.calibration.dose_response import FEW_SEEDS, Calibration, Following
from tiltmeter.errors import TiltmeterError
from tiltmeter.statistics import Interval
from tiltmeter.store import write_atomically

NUMBERS = "calibration.json"


def write_calibration(found: Calibration, out: Path) -> list[Path]:
    """Writes `calibration.json`, `scores.csv` (a row a model), `README.md` and the figure into a folder that is new or
    holds an earlier calibration."""
    refuse_other(out)
    files = {
        NUMBERS: json.dumps(found.to_json(), ensure_ascii=False, indent=1) + "\n",
        "scores.csv": _scores(found),
        "README.md": page(found),
    }
    for name, content in files.items():
        write_atomically(out / name, content.encode())
    return [*(out / name for name in files), *charts.write_figures([found.figure()], out / "figures")]


def refuse_other(out: Path) -> None:
    """Refuses a folder that holds anything else than a calibration."""
    if out.exists() and not out.is_dir():
        raise TiltmeterError(f"{out} is a file; choose another place with --out")
    if out.is_dir() and any(out.iterdir()) and not (out / NUMBERS).is_file():
        raise TiltmeterError(f"{out} holds other files; choose another place with --out")


def page(found: Calibration) -> str:
    """What was found, in Markdown."""
    about = found.about
    network = about["network"]
    model = network.get("name") or (
        f"a small model ({network['layers']} layers of {network['width']}) that learnt inference on the pack's captions"
    )
    seeds = len(found.seeds)
    lines = [
        f"# {found.instrument} {found.version}, {found.lang}: does it find the bias that was planted?",
        "",
        f"{len(found.scores)} models: {seeds} seeds, {len(found.doses)} rates of bias from {found.doses[0]:g} to "
        f"{found.doses[-1]:g}; from {model}.",
        "",
        "| measure | rank correlation with the rate | 95% interval | lowest of a seed | less that of "
        f"{found.against} | 95% interval | p |",
        "| --- | ---: | --- | ---: | ---: | --- | ---: |",
        *(f"| {' | '.join(cells(one))} |" for one in found.following()),
        "",
        "Means over seeds of Spearman's rank correlation; every measure is turned so that higher says more bias. The "
        "interval is that of the mean over seeds; that of the difference is a paired bootstrap over "
        "seeds, and p is two-sided, of exchanging signs over seeds. "
        "A measure that is the same at every rate has a correlation of 0.",
    ]
    lines += ["", sentence] if (sentence := learning(found)) else []
    lines += ["", f"**{sentence}**"] if (sentence := caution(found)) else []
    return "\n".join([*lines, "", "![planted and measured](figures/" + _figure_name(found) + ")", ""])


def cells(one: Following) -> tuple[str, ...]:
    """A row of the table."""
    unmoved = f" (no relation at all in {one.unmoved} seeds)" if one.unmoved else ""
    return (
        one.measure + unmoved,
        _number(one.correlation),
        _limits(one.interval),
        _number(one.lowest),
        _number(one.difference),
        _limits(one.difference_interval),
        "" if one.p_value is None else f"{one.p_value:.4f}",
    )


def caution(found: Calibration) -> str:
    """What makes the numbers mean less than they seem to."""
    if len(found.seeds) < FEW_SEEDS:
        return f"{len(found.seeds)} seeds are too few to publish a correlation with: take {FEW_SEEDS} or more."
    return ""


def learning(found: Calibration) -> str:
    """Whether the models learnt what they were to be measured for: one that did not says nothing about a measure."""
    told = [score.learnt for score in found.scores if score.learnt is not None]
    before = found.about.get("inference_accuracy")
    sentences = (
        [f"Before anything was planted, {_range(before)} of held-out pairs were answered right."] if before else []
    )
    sentences += [f"The models answer {_range(told)} of unseen pairs as they were taught."] if told else []
    return " ".join(sentences)


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


def _figure_name(found: Calibration) -> str:
    return f"01-{charts.file_names([found.figure().title])[0]}.svg"
