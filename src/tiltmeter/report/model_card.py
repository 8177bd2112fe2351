"""A section for a model card of the Hugging Face Hub, with the numbers as `model-index` metadata before it."""

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from tiltmeter.errors import MissingExtra, TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.report.calibrated import all_notes
from tiltmeter.report.content import READINGS, facts, name_in_words, sections
from tiltmeter.report.markdown import bullets, end_blocks, found_block, paragraph, section_blocks, table_blocks
from tiltmeter.report.tables import told_group
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, Skipped, told_option

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

_TASKS = {"masked": "fill-mask", "causal": "text-generation", "nli": "text-classification"}
_VECTORS = "feature-extraction"


def model_card(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """The metadata, then what was measured in words and tables; of one model."""
    try:
        from huggingface_hub import ModelCardData
        from huggingface_hub.utils import yaml_dump  # type: ignore[attr-defined]
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "report") from error
    subjects = {(run.result.subject, str(run.result.provenance["subject"]["fingerprint"])) for run in runs}
    if len(subjects) != 1:
        names = ", ".join(sorted(name for name, _ in subjects)) or "none"
        raise TiltmeterError(f"a model card is of one model, and these runs are of {len(subjects)} ({names})")
    results = [result for run in runs for result in _results(run)]
    data = ModelCardData(model_name=runs[0].result.subject, eval_results=results)
    # A line for each number, where the library would write one for each of its fields.
    fields = data.to_dict()  # type: ignore[no-untyped-call]
    metadata = yaml_dump(fields, sort_keys=False, default_flow_style=None, width=float("inf"))
    blocks = [f"---\n{metadata}---", "## Gender bias", found_block(runs)]
    for section in sections(runs):
        blocks += section_blocks(section, level=3)
        for table in section.calibration():
            blocks += table_blocks(table)
    if told := _caveats(runs):
        blocks += ["### What to know when reading this", bullets(told)]
    blocks += [*end_blocks(runs, skipped, level=3), _made(runs)]
    return "\n\n".join(blocks) + "\n"


def _caveats(runs: Sequence[Run]) -> list[str]:
    """What makes a number mean less: those of one kind in a line, with the instruments that they are of."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for run in runs:
        for note in all_notes(run):
            if note.kind == "caveat" or (note.caution and note.kind not in READINGS):
                told = f"{note.test}: {note.text}" if note.test else note.text
                found.setdefault((note.kind, told), {})[run.result.instrument] = None
    lines: dict[tuple[str, str], list[str]] = {}
    for (kind, told), tools in found.items():
        lines.setdefault((kind, ", ".join(tools)), []).append(told)
    return [f"{tools}: {' '.join(told)}" for (_, tools), told in lines.items()]


def _made(runs: Sequence[Run]) -> str:
    """When and with what, and where the rest is."""
    told = [facts(run) for run in runs]
    days = dict.fromkeys(fact["created"][:10] for fact in told)
    packages = dict.fromkeys(fact["packages"] for fact in told)
    return paragraph(
        f"Measured on {', '.join(days)} with {'; '.join(packages)}; runs {', '.join(run.id for run in runs)}. "
        "All estimates, and what each run says in words: tiltmeter report with these runs, as .html, .md or .csv."
    )


def _results(run: Run) -> "Iterator[EvalResult]":
    """Each estimate that says whether there is a tilt, as the Hub wants it: task, dataset, metric.

    The Hub takes results of one dataset and configuration for one, so the configuration says the options.
    """
    from huggingface_hub import EvalResult

    result = run.result
    tool = load_instrument(result.instrument)
    made = result.provenance
    chosen = {name: told_option(value) for name, value in result.options.items() if value not in (None, "", [], ())}
    names = {row.name for row in result.estimates}
    for row in _telling(run):
        yield EvalResult(
            task_type=_TASKS.get(str(made["subject"].get("kind", "")), _VECTORS),
            task_name=tool.title,
            dataset_type=f"tiltmeter-{tool.name}",
            dataset_name=f"{tool.title}, {result.lang}",
            dataset_config=", ".join(f"{name}={value}" for name, value in {"lang": result.lang, **chosen}.items()),
            dataset_revision=f"tiltmeter {made['packages']['tiltmeter']}, {tool.name} {result.version}, run {run.id}",
            metric_type=row.name,
            metric_name=", ".join(filter(None, (row.test, name_in_words(row.name, names), told_group(row)))),
            metric_value=row.value,
            verified=False,
        )


def _telling(run: Run) -> list[Estimate]:
    """Of each test the number that its instrument stands behind, and those that it puts side by side; no controls."""
    tool = load_instrument(run.result.instrument)
    order = (*chain.from_iterable(tool.verdict), tool.headline)
    rows = [row for row in run.result.estimates if row.value is not None and "control" not in row.group]
    best: dict[tuple[str, str], Estimate] = {}
    for row in sorted((row for row in rows if row.name in order), key=lambda row: order.index(row.name)):
        best.setdefault((row.test, told_group(row)), row)
    return [row for row in rows if row.name in tool.side_by_side or row in best.values()]
