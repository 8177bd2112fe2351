"""The report: a page, or a document of another format; the ending says which."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.report.calibrated import as_values
from tiltmeter.report.comma_separated import comma_separated
from tiltmeter.report.content import DOES_NOT_SHOW
from tiltmeter.report.latex import latex
from tiltmeter.report.markdown import markdown
from tiltmeter.report.model_card import model_card
from tiltmeter.report.page import write_page
from tiltmeter.report.workbook import workbook
from tiltmeter.runs import Run, Skipped
from tiltmeter.store import write_atomically


def write_report(runs: Sequence[Run], path: Path, *, skipped: Sequence[Skipped] = ()) -> list[Path]:
    """Writes the runs, and what was not measured and why, as the ending says; returns what was written."""
    ending = ending_of(path)
    if ending == PAGE:
        return write_page(runs, path, skipped=skipped)
    written = _WRITERS[ending](runs, skipped)
    # A file name may hold half a sign, which no encoding has.
    write_atomically(path, written if isinstance(written, bytes) else written.encode("utf-8", "replace"))
    return [path]


def ending_of(path: Path) -> str:
    """Which of the known endings a file has; refused where it has none, before anything is measured for it."""
    for ending in ENDINGS:
        if path.name.lower().endswith(ending):
            return ending
    raise TiltmeterError(f"{path.name!r} ends in none of {', '.join(ENDINGS)}: give the report one of these endings")


def everything(runs: Sequence[Run], skipped: Sequence[Skipped]) -> str:
    """The runs as `--json` prints them, what was skipped, what the numbers mean, and how they did on planted bias."""
    tools = [load_instrument(name) for name in dict.fromkeys(run.result.instrument for run in runs)]
    told = {
        "runs": [run.result.to_json() for run in runs],
        "skipped": [{"subject": s.subject, "instrument": s.instrument, "reason": s.reason} for s in skipped],
        "instruments": {
            tool.name: {name: getattr(tool, name) for name in ("measures", "reading", "formula", "reference")}
            for tool in tools
        },
        "calibration": [as_values(run) for run in runs],
        "does_not_show": DOES_NOT_SHOW,
    }
    return json.dumps(told, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


_WRITERS: dict[str, Callable[[Sequence[Run], Sequence[Skipped]], str | bytes]] = {
    ".card.md": model_card,
    ".md": markdown,
    ".tex": latex,
    ".csv": comma_separated,
    ".xlsx": workbook,
    ".json": everything,
}
PAGE = ".html"
ENDINGS = (PAGE, *_WRITERS)
