"""`tiltmeter gate`: a build fails on it."""

import json as json_format
import os
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tiltmeter.cli.options import JsonOption
from tiltmeter.errors import TiltmeterError

if TYPE_CHECKING:
    from tiltmeter.runs import Outcome, Run

BREACHED = 1


def gate(
    runs: Annotated[list[str], typer.Argument(help="Runs: ids, their beginnings, or folders.")],
    most: Annotated[
        list[str] | None,
        typer.Option(
            "--max",
            metavar="RULE",
            help="At most: 'weat.effect_size\\[test=E6]=1.5'. Where further away is worse, the distance from neutral "
            "is compared.",
        ),
    ] = None,
    least: Annotated[
        list[str] | None,
        typer.Option("--min", metavar="RULE", help="At least: 'ect.coherence=0.5', where lower is worse."),
    ] = None,
    rules: Annotated[Path | None, typer.Option(help="A TOML file with \\[\\[rule]] tables.")] = None,
    on: Annotated[
        Literal["value", "ci"] | None,
        typer.Option(
            help="value: the estimate has to be within the limit (the default). ci: its whole 95% interval has to be: "
            "only what is surely within passes."
        ),
    ] = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write JUnit XML, passed or breached.")] = None,
    github: Annotated[
        bool | None,
        typer.Option("--github/--no-github", help="GitHub annotations; by themselves inside GitHub Actions."),
    ] = None,
    json: JsonOption = False,
) -> int:
    """Hold runs against limits: exit code 0 if all are kept, 1 if any is breached or cannot be judged.

    A rule is INSTRUMENT.ESTIMATE\\[key=value,...]=LIMIT; keys are test, lang, subject and those of the group. Without
    \\[...] every test and group counts.
    """
    from tiltmeter.runs import check, find_runs, parse_rule, read_rules
    from tiltmeter.store import Store

    wanted = [parse_rule(text, "max") for text in most or ()] + [parse_rule(text, "min") for text in least or ()]
    if rules is not None:
        wanted += read_rules(rules, on)
    if not wanted:
        raise TiltmeterError("a gate needs a rule: give --max, --min or --rules")
    found = find_runs(Store(), runs)
    outcomes = check(found, wanted, on=on or "value")
    if junit is not None:
        from tiltmeter.report.gate import junit as as_junit
        from tiltmeter.store import write_atomically

        write_atomically(junit, as_junit(outcomes))
    annotated = os.environ.get("GITHUB_ACTIONS") == "true" if github is None else github
    lines = _annotations(outcomes) if annotated else _lines(outcomes)
    judged = {outcome.run.id for outcome in outcomes}
    left_out = [run for run in found if run.id not in judged]
    if json:
        # GitHub reads annotations from stderr too, where they are not in the JSON's way.
        print(*(f"{line}\n" for line in lines if annotated), sep="", end="", file=sys.stderr)
        _print(_as_json(outcomes, left_out))
    else:
        _print(*lines, *(_untouched(run) for run in left_out), _summary(outcomes))
    return 0 if all(outcome.passed for outcome in outcomes) else BREACHED


def _print(*lines: str) -> None:
    """A reader that has gone (`tiltmeter gate ... | head`) does not change the verdict."""
    try:
        print(*lines, sep="\n", flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _lines(outcomes: "Sequence[Outcome]") -> list[str]:
    return [f"{outcome.verdict}: {outcome.sentence()}" for outcome in outcomes if not outcome.passed]


def _annotations(outcomes: "Sequence[Outcome]") -> list[str]:
    from tiltmeter.report.gate import annotations

    return annotations(outcomes)


def _untouched(run: "Run") -> str:
    from tiltmeter.runs import one_line

    return one_line(f"no rule is about run {run.id} ({run.result.instrument} on {run.result.subject})")


def _as_json(outcomes: "Sequence[Outcome]", left_out: "Sequence[Run]") -> str:
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    everything = {
        "passed": all(outcome.passed for outcome in outcomes),
        "counts": {verdict: verdicts[verdict] for verdict in ("passed", "breached", "unjudged")},
        "outcomes": [outcome.to_json() for outcome in outcomes],
        "without_rule": [run.id for run in left_out],
    }
    return json_format.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False)


def _summary(outcomes: "Sequence[Outcome]") -> str:
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    checks = f"{len(outcomes)} check{'s' if len(outcomes) != 1 else ''}"
    if verdicts["passed"] == len(outcomes):
        return f"gate passed: {checks}"
    unjudged = f", {verdicts['unjudged']} unjudged" if verdicts["unjudged"] else ""
    return f"gate failed: {verdicts['breached']} of {checks} breached{unjudged}"
