"""Which runs a name stands for."""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.runs.run import ITEMS, RESULT, Run, labels, read_folder, read_run, read_runs
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject


def find_runs(store: Store, names: Iterable[str]) -> list[Run]:
    """Runs by id or its beginning, by a folder that `save` wrote, by a folder of such folders, or by a subject's name
    or path: then all that is stored of it, of each instrument, language and options the newest. Each once."""
    found: dict[str, Run] = {}
    for name in names:
        for run in _called(store, name):
            if found.setdefault(run.id, run).result.estimates != run.result.estimates:
                raise TiltmeterError(f"{name} holds a run {run.id} with other numbers than a run of that id before it")
    return list(found.values())


def request(run: Run) -> str:
    """What was asked of the subject."""
    result = run.result
    return json.dumps([result.instrument, result.lang, dict(result.options)], sort_keys=True)


def _called(store: Store, name: str) -> list[Run]:
    path = Path(name).expanduser()
    if path.name == RESULT and path.is_file():
        path = path.parent
    if results := [*path.glob(RESULT), *sorted(path.glob(f"*/{RESULT}"))] if path.is_dir() else []:
        return [read_folder(result.parent) for result in results]
    if any(key.startswith(name) for key in store.runs.keys()):  # noqa: SIM118 (a shelf is no mapping)
        return [read_run(store, name)]
    stored = [run for _, run in read_runs(store) if isinstance(run, Run)]
    found = [run for run in stored if run.result.subject == (path.name if path.exists() else name)]
    if path.exists() and (content := _fingerprint_of(name, store)):
        # The same content may have been measured under another name as well.
        others = [run for run in stored if _fingerprint(run) == content and run not in found]
        found += [replace(run, result=replace(run.result, subject=path.name)) for run in others]
    if found:
        return _newest(_of_one(found, name, store))
    if path.exists():
        raise TiltmeterError(
            f"{name} holds no run ({RESULT} and {ITEMS}) and was not measured yet: `tiltmeter audit {name}` does that"
        )
    if "/" in name and not name.startswith(("pkg:", "api:")):
        raise TiltmeterError(f"there is no folder {name}, and no subject of that name was measured")
    subjects = {run.result.subject for run in stored}
    raise TiltmeterError(f"{unknown('run or measured subject', name, subjects)}; `tiltmeter runs list` shows the runs")


def _of_one(runs: list[Run], name: str, store: Store) -> list[Run]:
    """The runs of one subject, where several of different content are called the same: a path tells which."""
    prints = {_fingerprint(run) for run in runs}
    if len(prints) == 1:
        return runs
    if Path(name).expanduser().exists():
        wanted = open_subject(name, store).fingerprint
        if wanted not in prints:
            raise TiltmeterError(f"{name} was not measured yet: `tiltmeter audit {name}` does that")
        return [run for run in runs if _fingerprint(run) == wanted]
    known = ", ".join(sorted(dict.fromkeys(labels(runs))))
    raise TiltmeterError(f"{len(prints)} subjects are called {name!r} ({known}): give a path, or ids of runs")


def _newest(runs: list[Run]) -> list[Run]:
    newest: dict[str, Run] = {}
    for run in sorted(runs, key=lambda run: str(run.result.provenance["created"])):
        newest[request(run)] = run
    return list(newest.values())


def _fingerprint_of(name: str, store: Store) -> str:
    try:
        return open_subject(name, store).fingerprint
    except TiltmeterError:
        return ""


def _fingerprint(run: Run) -> str:
    return str(run.result.provenance["subject"]["fingerprint"])
