"""Label Studio's files: those that it wrote itself (1.23.2, of sentences made up for it), and what is odd in others."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from tiltmeter.datasets.label_studio import Annotation, labelling_config, read_tasks, written_task
from tiltmeter.errors import TiltmeterError

FILES = Path(__file__).parent / "label_studio"


def read(value: Any) -> list[list[Annotation]]:
    return [list(task.annotations) for task in read_tasks(json.dumps(value).encode(), "x.json")]


@pytest.mark.parametrize(
    ("name", "annotators"),
    [
        ("exported.json", ["user 2", "Ana", "user 3", "user 1", "user 1", "user 3", "user 1"]),
        ("exported_min.json", ["user 2", "user 1", "user 3", "user 1", "user 3", "user 1"]),
        (
            "exported_with_accounts.json",
            ["Ana Lopez", "Ana", "Ben Wu", "a@example.org", "a@example.org", "Ben Wu", "a@example.org"],
        ),
    ],
)
def test_what_label_studio_wrote_is_read(name: str, annotators: list[str]) -> None:
    tasks = read_tasks((FILES / name).read_bytes(), name)
    found = [annotation for task in tasks for annotation in task.annotations]
    assert [annotation.annotator for annotation in found] == annotators
    said = {task.data["sentence"]: a for task in tasks for a in task.annotations}
    first = said["他昨天把报告交给了经理。"]
    assert (first.verdict, first.reason, first.note, first.seconds) == ("drop", "name", "my note", 3.2)
    # 2026-11-18T00:41:33.671258Z
    assert first.made == pytest.approx(1794962493.671258)
    assert (said["听说他最近在学游泳。"].verdict, said["听说他最近在学游泳。"].reason) == ("keep", "")
    assert said["这位医生说他明天不上班。"].reason == "A person's name"
    assert said["邻居看见他在院子里浇花。"].verdict == ""


def test_a_skipped_task_has_no_verdict_and_one_without_annotations_none() -> None:
    tasks = read_tasks((FILES / "exported_with_accounts.json").read_bytes(), "x")
    by_sentence = {task.data["sentence"]: task.annotations for task in tasks}
    assert [annotation.verdict for annotation in by_sentence["他怀孕的妻子在家休息。"]] == [""]
    assert by_sentence["我们都等他来开会。"] == ()


def test_what_is_written_is_read_again() -> None:
    said = [
        Annotation("Ana <b>", "drop", "name", 'a "note"\nof two lines', 2.5, more={"round": "pilot", "voted": 12.5}),
        Annotation("王丽", "keep"),
    ]
    task = json.loads(json.dumps(written_task({"sentence_id": 7, "sentence": "他来了。"}, said)))
    assert read([task]) == [said]
    # Label Studio refuses a file that names somebody whom it does not know, and takes what says nothing for the truth.
    assert all(
        "completed_by" not in entry and entry["ground_truth"] is False and entry["was_cancelled"] is False
        for entry in task["annotations"]
    )


@pytest.mark.parametrize(
    ("completed_by", "expected"),
    [
        (3, "user 3"),
        (None, "unknown user"),
        (True, "unknown user"),
        ("x", "unknown user"),
        ({"first_name": "Ana", "last_name": "", "email": "a@b"}, "Ana"),
        ({"email": "a@b"}, "a@b"),
        ({"id": 4}, "user 4"),
        ({}, "unknown user"),
    ],
)
def test_whoever_completed_it_has_a_name(completed_by: object, expected: str) -> None:
    ((annotation,),) = read([{"data": {}, "annotations": [{"completed_by": completed_by, "result": []}]}])
    assert annotation.annotator == expected


@pytest.mark.parametrize(
    "result",
    [
        None,
        [None],
        [{"from_name": "verdict"}],
        [{"from_name": "verdict", "value": []}],
        [{"from_name": "verdict", "value": {"choices": []}}],
        [{"from_name": "verdict", "value": {"choices": [3]}}],
        [{"from_name": "other", "value": {"choices": ["keep"]}}],
    ],
)
def test_an_answer_that_is_none_is_no_verdict(result: object) -> None:
    ((annotation,),) = read([{"data": {}, "annotations": [{"result": result, "lead_time": "x", "created_at": "y"}]}])
    assert (annotation.verdict, annotation.seconds, annotation.made) == ("", 0.0, None)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b"{}", "not a list of tasks"),
        (b"[]", "not a list of tasks"),
        (b"[3]", "task 1"),
        (b'[{"data": {}}, {"data": 3}]', "task 2"),
        (b'[{"data": {}, "annotations": {}}, {"data": {}, "annotations": "x"}]', "task 2"),
    ],
)
def test_what_is_no_export_is_refused_in_a_sentence(content: bytes, said: str) -> None:
    with pytest.raises(TiltmeterError, match=said):
        read_tasks(content, "x.json")


def test_the_interface_offers_the_verdicts_and_the_reasons_with_hostile_titles_as_text() -> None:
    root = ElementTree.fromstring(labelling_config(["keep", "drop"], {"name": "<\"&'>", "sense": "意思"}, "drop"))
    choices = {
        element.get("name"): [(choice.get("value"), choice.get("alias")) for choice in element]
        for element in root.iter("Choices")
    }
    assert choices == {"verdict": [("keep", None), ("drop", None)], "reason": [("<\"&'>", "name"), ("意思", "sense")]}
