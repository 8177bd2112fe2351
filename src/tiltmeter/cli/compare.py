"""`tiltmeter compare`: two models against each other, or several side by side."""

import json as json_format
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tiltmeter.cli.options import JsonOption

if TYPE_CHECKING:
    from tiltmeter.runs import Run


def compare(
    names: Annotated[
        list[str],
        typer.Argument(
            metavar="A B | RUN RUN RUN...",
            help="Two of: a run's id or its beginning, a saved run, a folder of runs, a measured subject; or more "
            "than two runs of one instrument.",
        ),
    ],
    figures: Annotated[
        Path | None, typer.Option("--figures", help="Folder for the changes as figures: SVG, PNG and PDF.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """What changed from A to B, and what got worse; or several runs of one instrument side by side."""
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.runs import find_runs
    from tiltmeter.store import Store

    store = Store()
    if len(names) < 2:
        raise TiltmeterError("compare takes two: runs, folders of runs, or subjects that were measured")
    if len(names) == 2:
        before, after = (find_runs(store, [name]) for name in names)
        _from_to(before, after, figures, json=json)
    elif figures is not None:
        raise TiltmeterError("--figures draws what changed between two: give two")
    else:
        _side_by_side(find_runs(store, names), json=json)


def _from_to(before: "list[Run]", after: "list[Run]", figures: Path | None, *, json: bool) -> None:
    """Paired differences; runs of one instrument of which none can be paired stand side by side, with the reason."""
    from tiltmeter.charts import write_figures
    from tiltmeter.cli import show
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.runs import across
    from tiltmeter.runs import compare as compare_runs

    found = compare_runs(before, after)
    runs = [*before, *after]
    one = len({run.result.instrument for run in runs}) == 1
    if not found.pairs and not one:
        raise TiltmeterError(f"nothing can be compared: {found.alone[0].reason}")
    if figures is not None:
        show.drawn(lambda: write_figures(found.figures(), figures), figures)
    if json:
        beside = across(runs).to_json() if one else None
        everything = found.to_json() | {"across": beside}
        print(json_format.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False))
    elif found.pairs:
        show.comparison(found)
    else:
        show.alone(found)
        _side_by_side(runs, json=False)


def _side_by_side(runs: "list[Run]", *, json: bool) -> None:
    from tiltmeter.cli import show
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.runs import across, comparable

    tools = sorted({run.result.instrument for run in runs})
    if len(tools) > 1:
        raise TiltmeterError(f"the runs are of {' and '.join(tools)}: only those of one instrument stand side by side")
    if json:
        print(json_format.dumps(across(runs).to_json(), ensure_ascii=False, indent=1))
        return
    groups = [across(together) for together in comparable(runs)]
    if not any(group.headlines() for group in groups):
        raise TiltmeterError("these runs have no test in common, so nothing can stand side by side")
    for group in groups:
        show.across(group)
