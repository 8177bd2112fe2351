"""Label Studio's JSON: tasks with what annotators chose for them, read and written.

As Label Studio 1.23 imports and exports it. What it does with a file decides how one is written: it refuses the whole
file if `completed_by` names somebody whom it does not know, drops keys of an annotation that it does not know, keeps
those of a result, and takes an annotation for the truth if nothing is said. So the annotator's name stands in the
`meta.text` of the verdict, which survives its import, its editor and its export.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from xml.sax.saxutils import quoteattr

from tiltmeter.errors import TiltmeterError

VERDICT, REASON, NOTE = "verdict", "reason", "note"
"""The names of what is asked in the labelling interface."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one annotator said of a task."""

    annotator: str
    verdict: str
    """Nothing where the task was skipped, or answered without one."""
    reason: str = ""
    note: str = ""
    seconds: float = 0.0
    made: float | None = None
    """Seconds since 1970, if the file tells."""
    more: Mapping[str, Any] = field(default_factory=dict)
    """What else the verdict carries in its `meta`."""


@dataclass(frozen=True, slots=True)
class LabelledTask:
    """A task as it stands in a file."""

    place: int
    data: Mapping[str, Any]
    annotations: tuple[Annotation, ...]


def read_tasks(content: bytes, name: str) -> list[LabelledTask]:
    """A file that Label Studio exported as JSON or JSON_MIN, or one that `written_task` made."""
    try:
        listed = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise TiltmeterError(f"{name} is not JSON: {error}") from error
    if not isinstance(listed, list) or not listed:
        raise TiltmeterError(f"{name} is not a list of tasks: export the project from Label Studio as JSON")
    return [_task(entry, place, name) for place, entry in enumerate(listed, start=1)]


def written_task(data: Mapping[str, Any], annotations: Iterable[Annotation]) -> dict[str, Any]:
    return {"data": dict(data), "annotations": [_written(annotation) for annotation in annotations]}


def labelling_config(verdicts: Sequence[str], reasons: Mapping[str, str], reason_for: str) -> str:
    """The interface in which the tasks are shown; `reasons` by what is stored, with what stands on the screen."""
    choices = "".join(f"    <Choice value={quoteattr(verdict)}/>\n" for verdict in verdicts)
    aliased = "".join(
        f"    <Choice value={quoteattr(title)} alias={quoteattr(name)}/>\n" for name, title in reasons.items()
    )
    return (
        "<View>\n"
        '  <Text name="sentence" value="$sentence"/>\n'
        '  <Text name="swapped" value="$swapped"/>\n'
        f'  <Choices name="{VERDICT}" toName="sentence" choice="single" required="true">\n{choices}  </Choices>\n'
        f'  <Choices name="{REASON}" toName="sentence" choice="single" visibleWhen="choice-selected" '
        f'whenTagName="{VERDICT}" whenChoiceValue={quoteattr(reason_for)}>\n{aliased}  </Choices>\n'
        f'  <TextArea name="{NOTE}" toName="sentence" maxSubmissions="1"/>\n'
        "</View>\n"
    )


def _written(annotation: Annotation) -> dict[str, Any]:
    def choice(name: str, value: str, **more: Any) -> dict[str, Any]:
        return {"from_name": name, "to_name": "sentence", "type": "choices", "value": {"choices": [value]}, **more}

    result = [choice(VERDICT, annotation.verdict, meta={**annotation.more, "text": [annotation.annotator]})]
    if annotation.reason:
        result.append(choice(REASON, annotation.reason))
    if annotation.note:
        text = {"text": [annotation.note]}
        result.append({"from_name": NOTE, "to_name": "sentence", "type": "textarea", "value": text})
    return {
        "result": result,
        "was_cancelled": False,
        "ground_truth": False,
        "lead_time": round(annotation.seconds, 3),
    }


def _task(entry: Any, place: int, name: str) -> LabelledTask:
    if not isinstance(entry, dict):
        raise TiltmeterError(f"{name}, task {place}: expected an object with `data` and `annotations`")
    if "data" not in entry:
        return LabelledTask(place, entry, (_from_row(entry),))
    data, annotations = entry["data"], entry.get("annotations") or []
    if not isinstance(data, dict) or not isinstance(annotations, list):
        raise TiltmeterError(f"{name}, task {place}: `data` is not an object, or `annotations` is not a list")
    return LabelledTask(place, data, tuple(_annotation(found) for found in annotations if isinstance(found, dict)))


def _annotation(found: Mapping[str, Any]) -> Annotation:
    listed = found.get("result")
    results = [item for item in listed if isinstance(item, dict)] if isinstance(listed, list) else []
    by_name = {str(item.get("from_name")): item for item in results}
    meta = by_name.get(VERDICT, {}).get("meta")
    meta = meta if isinstance(meta, dict) else {}
    named = _first(meta.get("text"))
    return Annotation(
        annotator=named or _user(found.get("completed_by")),
        verdict=_value(by_name.get(VERDICT), "choices"),
        reason=_value(by_name.get(REASON), "choices"),
        note=_value(by_name.get(NOTE), "text"),
        seconds=_number(found.get("lead_time")),
        made=_moment(found.get("created_at")),
        more={key: value for key, value in meta.items() if key != "text"},
    )


def _from_row(row: Mapping[str, Any]) -> Annotation:
    """A row of JSON_MIN: the answers stand beside the data."""

    def told(name: str) -> str:
        value = row.get(name)
        return _first(value.get("choices") if isinstance(value, dict) else value)

    annotator = row.get("annotator")
    return Annotation(
        annotator=annotator if isinstance(annotator, str) and annotator != "None" else _user(annotator),
        verdict=told(VERDICT),
        reason=told(REASON),
        note=told(NOTE),
        seconds=_number(row.get("lead_time")),
        made=_moment(row.get("created_at")),
    )


def _user(completed_by: Any) -> str:
    """Whoever completed it: a number, or an account with a name and an address."""
    if isinstance(completed_by, dict):
        full = " ".join(str(completed_by.get(part) or "") for part in ("first_name", "last_name")).strip()
        return full or str(completed_by.get("email") or "") or _user(completed_by.get("id"))
    known = isinstance(completed_by, int) and not isinstance(completed_by, bool)
    return f"user {completed_by}" if known else "unknown user"


def _value(item: Mapping[str, Any] | None, key: str) -> str:
    value = item.get("value") if item else None
    return _first(value.get(key)) if isinstance(value, dict) else ""


def _first(value: Any) -> str:
    if isinstance(value, list):
        value = value[0] if value else ""
    return value.strip() if isinstance(value, str) else ""


def _number(value: Any) -> float:
    known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(value) if known else 0.0


def _moment(value: Any) -> float | None:
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None
