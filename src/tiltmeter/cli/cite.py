"""What to cite for a run."""

from typing import Annotated

import typer


def cite(
    names: Annotated[list[str], typer.Argument(metavar="RUN...", help="Runs: ids, their beginnings, or folders.")],
) -> None:
    """BibTeX of the instruments, the word lists and the tool, for a paper."""
    from tiltmeter.report.citations import cite as cite_runs
    from tiltmeter.runs import find_runs
    from tiltmeter.store import Store

    print(cite_runs(find_runs(Store(), names)), end="")
