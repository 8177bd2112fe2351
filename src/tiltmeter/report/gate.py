"""What a gate found, as build servers read it: JUnit XML, and the annotations of GitHub."""

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from tiltmeter.runs import Outcome, Run, one_line


def junit(outcomes: Sequence[Outcome]) -> bytes:
    """One suite a run, one case a check: a breach is a failure, what is unjudged an error."""
    runs = list({outcome.run.id: outcome.run for outcome in outcomes}.values())
    root = ET.Element("testsuites", {"name": "tiltmeter gate", **_counts(outcomes)})
    for run, title in zip(runs, _titles(runs), strict=True):
        own = [outcome for outcome in outcomes if outcome.run.id == run.id]
        suite = ET.SubElement(root, "testsuite", {"name": _allowed(title), **_counts(own), "skipped": "0", "time": "0"})
        properties = ET.SubElement(suite, "properties")
        ET.SubElement(properties, "property", name="run", value=_allowed(run.id))
        for outcome in own:
            case = ET.SubElement(suite, "testcase", classname=_allowed(title), name=_allowed(_case(outcome)), time="0")
            if not outcome.passed:
                tag = "failure" if outcome.verdict == "breached" else "error"
                sentence = _allowed(outcome.sentence())
                ET.SubElement(case, tag, message=sentence, type=outcome.verdict).text = sentence
    ET.indent(root)
    written: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return written


def annotations(outcomes: Sequence[Outcome]) -> list[str]:
    """A workflow command for each check that did not pass.

    Of both the runner takes lines alone; it reads % as an escape, and , and : as the ends of a property.
    """
    return [
        f"::error title={_escaped(f'tiltmeter gate: {outcome.about} {outcome.verdict}', ':,')}::"
        f"{_escaped(outcome.sentence())}"
        for outcome in outcomes
        if not outcome.passed
    ]


def _counts(outcomes: Sequence[Outcome]) -> dict[str, str]:
    verdicts = Counter(outcome.verdict for outcome in outcomes)
    return {
        "tests": str(len(outcomes)),
        "failures": str(verdicts["breached"]),
        "errors": str(verdicts["unjudged"]),
    }


def _titles(runs: Sequence[Run]) -> list[str]:
    """The same from build to build, for servers tell by it what is new; only runs that share a title show their id."""
    titles = [f"{run.result.instrument} on {run.result.subject}, {run.result.lang}" for run in runs]
    shared = {title for title, count in Counter(titles).items() if count > 1}
    return [f"{title} (run {run.id})" if title in shared else title for run, title in zip(runs, titles, strict=True)]


def _case(outcome: Outcome) -> str:
    what = "" if outcome.on == "value" else " for the bound of its interval"
    return f"{outcome.about}: {outcome.rule.allowed}{what}"


def _allowed(text: str) -> str:
    """Text that XML 1.0 can hold."""
    return _FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", one_line(text))


_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _escaped(text: str, marks: str = "") -> str:
    """As GitHub's own toolkit escapes, % first."""
    for mark in f"%\r\n{marks}":
        text = text.replace(mark, f"%{ord(mark):02X}")
    return text
