"""A study of a user's own, written from stored runs, so that a paper's numbers can be had again by one command."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.results import Estimate
from tiltmeter.runs import Run, labels
from tiltmeter.studies.study import READING

_DIGITS = 6


def study_file(runs: Sequence[Run], *, name: str, title: str = "", reference: str = "") -> str:
    """The runs as a study in TOML: what was measured, with which options, and the numbers that came of it.

    Models are named as they were measured; a file or folder by its last name, to be found with `--models`.
    """
    if not runs:
        raise TiltmeterError("a study is written of one run or more")
    if other := next((run for run in runs if not _pack(run) and _shipped(run) not in (None, _lists(run))), None):
        raise TiltmeterError(
            f"run {other.id} was measured with a pack of another version of tiltmeter: measure it again, then export it"
        )
    called = _called(runs)
    lines = [
        "# A study of tiltmeter: `tiltmeter reproduce FILE.toml --models DIR` measures it again.",
        f"name = {_text(name)}",
        f"title = {_text(title or name)}",
        f"reference = {_text(reference)}",
        "",
    ]
    for label, run in dict(zip(called, runs, strict=True)).items():
        name_line = f"name = {_text(run.result.subject)}"
        lines += ["[[models]]", f"label = {_text(label)}", name_line, *_to_fetch(run), *_reading(run), ""]
    for number, (label, run) in enumerate(zip(called, runs, strict=True), start=1):
        lines += [*_measured(number, label, run), ""]
    for number, (label, told, run) in enumerate(zip(called, labels(runs), runs, strict=True), start=1):
        lines += [*_printed(number, label, told, run), ""]
    return "\n".join(lines)


def _lists(run: Run) -> str:
    """What the lists that it was measured with are known by."""
    return str(run.result.provenance["pack"])


def _shipped(run: Run) -> str | None:
    """What those of the pack that ships are known by; None for a language without one."""
    tool = load_instrument(run.result.instrument)
    if run.result.lang not in shipped_languages():
        return None
    return load_pack(run.result.lang).digest((*tool.lists, *tool.extras))


def _called(runs: Sequence[Run]) -> list[str]:
    """The model of each run, by its name; with a piece of its checksum where one name has different content."""
    prints = [str(run.result.provenance["subject"]["fingerprint"]) for run in runs]
    names = [run.result.subject for run in runs]
    contents = {name: {one for other, one in zip(names, prints, strict=True) if other == name} for name in names}
    return [
        name if len(contents[name]) == 1 else f"{name} ({one[-8:]})" for name, one in zip(names, prints, strict=True)
    ]


def _to_fetch(run: Run) -> list[str]:
    """Of what is neither a package nor a name of the hub."""
    name = run.result.subject
    elsewhere = name.startswith(("pkg:", "ref:")) or "/" in name
    return [] if elsewhere else ['fetch = "a file or folder: put it into --models DIR"']


def _said(run: Run, *options: str) -> dict[str, str]:
    """Those of the options that its command named, with what it said."""
    words = shlex.split(run.result.provenance["command"])
    flags = {name: f"--{name.replace('_', '-')}" for name in options}
    return {name: words[words.index(flag) + 1] for name, flag in flags.items() if flag in words[:-1]}


def _reading(run: Run) -> list[str]:
    """How the user said that a model was to be read."""
    said = _said(run, *READING)
    return [f"reading = {_table(said)}"] if said else []


def _pack(run: Run) -> str:
    """The folder of a pack of the user's, by its name; nothing where the lists are those that ship."""
    return "" if _lists(run) == _shipped(run) else _said(run, "pack").get("pack", "")


def _measured(number: int, label: str, run: Run) -> Iterator[str]:
    result = run.result
    files = load_instrument(result.instrument).file_options()
    options = {key: value for key, value in result.options.items() if key not in files and value is not None}
    given = {key: value for key, value in result.options.items() if key in files and value}
    yield "[[runs]]"
    yield f'id = "run-{number}"'
    yield f"instrument = {_text(result.instrument)}"
    yield f"lang = {_text(result.lang)}"
    yield f"models = [{_text(label)}]"
    yield f"options = {_table(options)}"
    if pack := _pack(run):
        yield f"pack = {_text(pack)}"
    if given:
        yield f"files = {_table({key: _only_file(result.instrument, key, value) for key, value in given.items()})}"
    if pack or given:
        yield 'fetch = "comes with the study: put it into --models DIR, or beside this file"'


def _only_file(instrument: str, option: str, value: Any) -> str:
    found = value if isinstance(value, list | tuple) else [value]
    if len(found) > 1:
        raise TiltmeterError(f"a study names one file for each option, and {instrument} was given several as {option}")
    return str(found[0]["file"])


def _printed(number: int, label: str, told: str, run: Run) -> Iterator[str]:
    """What the instrument prints, a table for each set of keys that groups have."""
    by_keys: dict[tuple[str, ...], list[Estimate]] = {}
    for row in run.printed():
        by_keys.setdefault(tuple(row.group), []).append(row)
    for keys, rows in by_keys.items():
        names = list(dict.fromkeys(row.name for row in rows))
        fields = [
            (name, field)
            for name in names
            for field in ("value", "p_value")
            if any(getattr(row, field) is not None for row in rows if row.name == name)
        ]
        yield "[[tables]]"
        yield f"title = {_text(f'{run.result.instrument} on {told}' + (f', by {_and(keys)}' if keys else ''))}"
        yield f'run = "run-{number}"'
        yield f"keys = {_list(('model', 'test', *keys))}"
        columns = [
            {"head": name if field == "value" else f"{name}: p", "estimate": name, "field": field}
            for name, field in fields
        ]
        yield "columns = [" + ", ".join(map(_table, columns)) + "]"
        yield "rows = ["
        places = dict.fromkeys((row.test, *row.group.values()) for row in rows)
        cells = {(row.test, *row.group.values(), row.name): row for row in rows}
        for place in places:
            numbers = [_number(cells.get((*place, name)), field) for name, field in fields]
            yield f"  {_list((label, *place, *numbers))},"
        yield "]"


def _number(row: Estimate | None, field: str) -> str:
    value = None if row is None else getattr(row, field)
    return "" if value is None else f"{value:#.{_DIGITS}g}"


def _and(keys: Sequence[str]) -> str:
    return " and ".join(key.replace("_", " ") for key in keys)


def _table(values: Mapping[str, Any]) -> str:
    return "{ " + ", ".join(f"{key} = {_value(value)}" for key, value in values.items()) + " }" if values else "{}"


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _list(value) if isinstance(value, list | tuple) else _text(value) if isinstance(value, str) else repr(value)


def _list(values: Sequence[Any]) -> str:
    return f"[{', '.join(map(_value, values))}]"


def _text(value: str) -> str:
    """A basic string of TOML: the escapes of JSON are all among its own."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
