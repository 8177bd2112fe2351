"""What to cite for some runs, as BibTeX: the instruments, the tool, and whose words were used."""

import re
from collections.abc import Mapping, Sequence
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
    listed = [f"{name} ({run.result.lang}): {source}" for name, entries in sources.items() for source in entries]
    given = _files(run.result.options.values())
    files = [f"a file of yours: {file['file']}, sha256 {file['sha256']}" for file in given]
    return [f"% {_commented(told)}" for told in [*listed, *files]]


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
