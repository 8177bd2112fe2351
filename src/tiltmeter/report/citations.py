"""What to cite for some runs, as BibTeX: the instruments, the tool, and whose words were used."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tiltmeter.instruments import load_instrument
from tiltmeter.runs import Run


def cite(runs: Run | Sequence[Run]) -> str:
    """Each entry once; where the words come from stands in comments, for those are sentences and not entries."""
    runs = [runs] if isinstance(runs, Run) else runs
    entries: dict[str, str] = {}
    for run in runs:
        for entry in _entries(load_instrument(run.result.instrument).bibtex):
            entries.setdefault(_key(entry), entry)
    for entry in _tool(runs):
        entries.setdefault(_key(entry), entry)
    comments = dict.fromkeys(comment for run in runs for comment in _sources(run))
    return "\n\n".join([*entries.values(), *(["\n".join(comments)] if comments else [])]) + "\n"


def _entries(bibtex: str) -> list[str]:
    return [entry.strip() for entry in re.split(r"^(?=@)", bibtex, flags=re.MULTILINE) if entry.strip()]


def _key(entry: str) -> str:
    return entry.split("{", 1)[1].split(",", 1)[0].strip()


def _tool(runs: Sequence[Run]) -> list[str]:
    """tiltmeter itself, in each version that was used, of the year of its last run."""
    years: dict[str, str] = {}
    for run in runs:
        version = str(run.result.provenance["packages"]["tiltmeter"])
        years[version] = max(years.get(version, ""), str(run.result.provenance["created"])[:4])
    return [
        f"@software{{tiltmeter-{version},\n  title = {{{{tiltmeter}}: how far a language model tilts toward one "
        f"gender}},\n  author = {{{{The tiltmeter authors}}}},\n  version = {{{version}}},\n  year = {{{year}}},\n}}"
        for version, year in years.items()
    ]


def _sources(run: Run) -> list[str]:
    """The lists of the pack, and the user's files, each with where it is from."""
    sources: Mapping[str, Sequence[str]] = run.result.provenance["sources"]
    listed = [f"{name} ({run.result.lang}): {told}" for name, entries in sources.items() for told in _gathered(entries)]
    given = _files(run.result.options.values())
    files = [f"a file of yours: {file['file']}, sha256 {file['sha256']}" for file in given]
    return [f"% {_commented(told)}" for told in [*listed, *files]]


def _gathered(entries: Iterable[str]) -> list[str]:
    """Sources that differ in nothing but the test they name at their end, as one: E1 to E7."""
    found: dict[str, list[str]] = {}
    for entry in entries:
        source, test = m.groups() if (m := _TEST.fullmatch(entry)) else (entry, "")
        found.setdefault(source, []).append(test)
    return [f"{source}, {_enumerated(tests)}" if any(tests) else source for source, tests in found.items()]


_TEST = re.compile(r"(.+), ([A-Z]\d+)", re.DOTALL)


def _enumerated(tests: Sequence[str]) -> str:
    """Numbers that follow each other by the first and the last, others as they are."""
    numbers = [int(test[1:]) for test in tests if test]
    follow = len(numbers) > 2 and len({test[:1] for test in tests}) == 1
    if follow and numbers == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{tests[0]} to {tests[-1]}"
    return ", ".join(filter(None, tests))


def _files(values: Any) -> list[Mapping[str, str]]:
    """What options say of files, also where an option takes several."""
    found: list[Mapping[str, str]] = []
    for value in values:
        if isinstance(value, Mapping) and "sha256" in value:
            found.append(value)
        elif isinstance(value, list | tuple):
            found += _files(value)
    return found


def _commented(text: str) -> str:
    """One line that no reader of BibTeX takes for an entry."""
    return " ".join(text.split()).replace("@", "(at)")
