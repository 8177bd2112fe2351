"""A section for a model card of the Hugging Face Hub, with the numbers as `model-index` metadata before it."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tiltmeter.errors import MissingExtra, TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.report.content import sections
from tiltmeter.report.markdown import end_blocks, found_block, section_blocks
from tiltmeter.report.tables import told_group
from tiltmeter.runs import Run, Skipped, told_option

if TYPE_CHECKING:
    from huggingface_hub import EvalResult

_TASKS = {"masked": "fill-mask", "causal": "text-generation"}
_VECTORS = "feature-extraction"


def model_card(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """The metadata, then what was measured in words and tables; of one model."""
    try:
        from huggingface_hub import ModelCardData
    except ImportError as error:
        raise MissingExtra("huggingface_hub", "report") from error
    subjects = {(run.result.subject, str(run.result.provenance["subject"]["fingerprint"])) for run in runs}
    if len(subjects) != 1:
        names = ", ".join(sorted(name for name, _ in subjects)) or "none"
        raise TiltmeterError(f"a model card is of one model, and these runs are of {len(subjects)} ({names})")
    results = [result for run in runs for result in _results(run)]
    data = ModelCardData(model_name=runs[0].result.subject, eval_results=results)
    blocks = [f"---\n{data.to_yaml()}\n---", "## Gender bias", found_block(runs)]
    for section in sections(runs):
        blocks += section_blocks(section, level=3)
    blocks += end_blocks(runs, skipped, level=3)
    return "\n\n".join(blocks) + "\n"


def _results(run: Run) -> "Iterator[EvalResult]":
    """Each printed estimate that has a value, as the Hub wants it: task, dataset, metric.

    The Hub takes results of one dataset and configuration for one, so the configuration says the test and the options.
    """
    from huggingface_hub import EvalResult

    result = run.result
    tool = load_instrument(result.instrument)
    made = result.provenance
    chosen = {name: told_option(value) for name, value in result.options.items() if value not in (None, "", [], ())}
    for row in run.printed():
        if row.value is None:
            continue
        settings = {"lang": result.lang, "test": row.test, **chosen}
        yield EvalResult(
            task_type=_TASKS.get(str(made["subject"].get("kind", "")), _VECTORS),
            task_name=tool.title,
            dataset_type=f"tiltmeter-{tool.name}",
            dataset_name=f"{tool.title}: {row.test}, {result.lang}",
            dataset_config=", ".join(f"{name}={value}" for name, value in settings.items()),
            dataset_revision=f"tiltmeter {made['packages']['tiltmeter']}, {tool.name} {result.version}, run {run.id}",
            metric_type=row.name,
            metric_name=f"{row.name} ({told_group(row)})" if row.group else row.name,
            metric_value=row.value,
            verified=False,
        )
