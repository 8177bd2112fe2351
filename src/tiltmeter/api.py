"""The verbs, for Python: what the command does, with the same names."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tiltmeter import runs as _runs
from tiltmeter.reading import Reading
from tiltmeter.report import write_page
from tiltmeter.runs import DEFAULT_SUBJECTS, Audit, Comparison, Run
from tiltmeter.store import Store
from tiltmeter.training import train_vectors

__all__ = ["Audit", "Comparison", "Reading", "Run", "audit", "compare", "measure", "train_vectors", "write_report"]


def measure(
    instrument: str,
    subject: str,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    cache: str | Path | None = None,
    reading: Reading = Reading(),
    **options: Any,
) -> Run:
    """Measures one subject with one instrument, or answers from disk if that was done before.

    >>> run = tiltmeter.measure("weat", "pkg:navec-news", effect_size="pestova")  # doctest: +SKIP
    >>> run.to_pandas()  # doctest: +SKIP
    """
    return _runs.measure(instrument, subject, lang=lang, pack=pack, store=_store(cache), reading=reading, **options)


def audit(
    subjects: Sequence[str] = DEFAULT_SUBJECTS,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    budget_minutes: float | None = None,
    cache: str | Path | None = None,
    reading: Reading = Reading(),
) -> Audit:
    """Measures all that can be measured on the subjects, and says what could not."""
    return _runs.audit(
        subjects, lang=lang, pack=pack, store=_store(cache), budget_minutes=budget_minutes, reading=reading
    )


def compare(
    before: str | Run | Sequence[Run], after: str | Run | Sequence[Run], *, cache: str | Path | None = None
) -> Comparison:
    """What changed from one model to another, or from before to after: paired differences, and what got worse.

    Each side is a run, several runs, or a name: an id, a folder of runs, or a subject that was measured.

    >>> tiltmeter.compare("pkg:navec-news", "pkg:navec-hudlit").changed("worse")  # doctest: +SKIP
    """
    first, second = (_chosen(side, cache) for side in (before, after))
    return _runs.compare(first, second)


def _chosen(side: str | Run | Sequence[Run], cache: str | Path | None) -> Sequence[Run]:
    if isinstance(side, str):
        return _runs.runs_of(_store(cache), side)
    return [side] if isinstance(side, Run) else side


def write_report(audited: Audit | Sequence[Run], out: str | Path) -> Path:
    """Writes the page of an audit or of some runs."""
    skipped = audited.skipped if isinstance(audited, Audit) else ()
    runs = audited.runs if isinstance(audited, Audit) else audited
    write_page(runs, Path(out), skipped=skipped)
    return Path(out)


def _store(cache: str | Path | None) -> Store:
    return Store(None if cache is None else Path(cache))
