"""Analysis over several runs of one call."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tiltmeter.runs.measuring import corrected
from tiltmeter.runs.run import Run


def across(runs: Sequence[Run]) -> dict[str, Any]:
    """All p-values of the call as one family, corrected together: testing five models is five times the chances."""
    tools = sorted({run.result.instrument for run in runs})
    rows = [(run, estimate) for run in runs for estimate in run.result.estimates]
    pooled = corrected(
        [replace(estimate, p_adjusted=None) for _, estimate in rows], f"{', '.join(tools)}, {len(runs)} runs"
    )
    return {
        "estimates": [
            {"run": run.id, "subject": run.result.subject, "lang": run.result.lang, **estimate.to_json()}
            for (run, _), estimate in zip(rows, pooled, strict=True)
        ]
    }
