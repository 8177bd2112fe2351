"""Everything that can be measured on some subjects, in one go."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import OutOfReach, TiltmeterError
from tiltmeter.instruments import Instrument, all_instruments, load_instrument
from tiltmeter.packs import Pack
from tiltmeter.reading import Reading
from tiltmeter.runs.ahead import measure_ahead
from tiltmeter.runs.measuring import choose_pack, measure
from tiltmeter.runs.run import Run
from tiltmeter.store import Store
from tiltmeter.subjects import CAPABILITIES, known_references, open_subject

NOT_ASKED = "it was not asked for"
REAL_PACKAGES = ("pkg:glove-6b-50d", "pkg:navec-hudlit", "pkg:navec-news", "pkg:synonyms-zh", "pkg:ginza-ja")
AHEAD = 6
"""So many reference subjects are worth other processes."""


def default_subjects() -> tuple[str, ...]:
    """All reference subjects, and real vectors out of the package registry."""
    return (*(reference.subject for reference in known_references().values()), *REAL_PACKAGES)


@dataclass(frozen=True, slots=True)
class Planned:
    """One measurement that an audit would make: how many questions, how many seconds (None: not known yet)."""

    subject: str
    instrument: str
    lang: str
    questions: int
    seconds: float | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """What was not measured, and why. `failed` tells what should have worked from what does not apply."""

    subject: str
    instrument: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class Audit:
    runs: tuple[Run, ...]
    skipped: tuple[Skipped, ...]

    @property
    def complete(self) -> bool:
        return not any(skipped.failed for skipped in self.skipped)


def audit(
    subjects: Sequence[str] | None = None,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    store: Store | None = None,
    budget_minutes: float | None = None,
    reading: Reading = Reading(),
) -> Audit:
    """Runs every instrument whose capability the subject offers and whose lists the pack has.

    What cannot be had is named and the rest goes on. With a budget, what would not fit in it is left out. Where no
    subject is named, real packages stand beside the references if the registry answers, and nothing failed if not.
    """
    named = subjects is not None
    subjects = default_subjects() if subjects is None else subjects
    store = store or Store()
    runs: list[Run] = []
    skipped: list[Skipped] = []
    if budget_minutes is not None and not budget_minutes >= 0:
        raise TiltmeterError(f"--budget is a number of minutes, not {budget_minutes}")
    left = None if budget_minutes is None else budget_minutes * 60
    references = [subject for subject in subjects if subject.startswith("ref:")]
    if len(references) >= AHEAD and (budget_minutes, lang, pack, reading) == (None, None, None, Reading()):
        measure_ahead(references, store)
    for subject in subjects:
        unreached = ""
        try:
            applicable = _applicable(subject, lang, pack, store, reading)
        except TiltmeterError as error:
            if len(subjects) == 1:
                raise
            skipped.append(Skipped(_shown(subject), "everything", str(error), failed=True))
            continue
        for tool, reason in applicable:
            if unreached and not reason:
                # Asked once: a registry that is away for one instrument is away for the next.
                skipped.append(Skipped(_shown(subject), tool.name, unreached, failed=named))
                continue
            if not reason and left is not None:
                left -= planned(subject, tool, choose_pack(subject, lang=lang, pack=pack), store, reading).seconds or 0
                reason = "over the budget" if left < 0 else ""
            if reason:
                skipped.append(Skipped(_shown(subject), tool.name, reason, failed=False))
                continue
            try:
                runs.append(measure(tool.name, subject, lang=lang, pack=pack, store=store, reading=reading))
            except TiltmeterError as error:
                unreached = str(error) if isinstance(error, OutOfReach) else ""
                skipped.append(Skipped(_shown(subject), tool.name, str(error), failed=named or not unreached))
    return Audit(tuple(runs), tuple(skipped))


def unmeasured(runs: Sequence[Run]) -> list[Skipped]:
    """The instruments that the subjects of these runs were not measured with, and why."""
    measured: dict[tuple[str, str, str], list[Run]] = {}
    for run in runs:
        fingerprint = str(run.result.provenance["subject"]["fingerprint"])
        measured.setdefault((run.result.subject, run.result.lang, fingerprint), []).append(run)
    skipped = []
    for (subject, lang, _), own in measured.items():
        tools = {run.result.instrument for run in own}
        # A run of an older schema does not say what its subject offers: then what was asked is all that is known.
        offered = {
            *(load_instrument(name).capability for name in tools),
            *(name for run in own for name in run.result.provenance["subject"].get("capabilities", ())),
        }
        pack = choose_pack(subject, lang=lang, pack=None, needed=False)
        for tool in all_instruments():
            if tool.name not in tools:
                reason = _why_not(tool, pack, offered) or NOT_ASKED
                skipped.append(Skipped(subject, tool.name, reason, failed=False))
    return skipped


def plan(
    subjects: Sequence[str] | None = None,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    store: Store | None = None,
    reading: Reading = Reading(),
) -> tuple[list[Planned], list[Skipped]]:
    """What `audit` would do, without doing it."""
    store = store or Store()
    todo, skipped = [], []
    for subject in default_subjects() if subjects is None else subjects:
        for tool, reason in _applicable(subject, lang, pack, store, reading):
            if reason:
                skipped.append(Skipped(_shown(subject), tool.name, reason, failed=False))
            else:
                todo.append(planned(subject, tool, choose_pack(subject, lang=lang, pack=pack), store, reading))
    return todo, skipped


def planned(subject: str, tool: Instrument, pack: Pack, store: Store, reading: Reading) -> Planned:
    """The size of one measurement; its time is measured on the subject where the subject is at hand."""
    questions = tool.questions(tool.items(pack, tool.options()))
    opened = open_subject(subject, store, reading)
    if opened.to_fetch:
        return Planned(subject, tool.name, pack.lang, questions, None, f"{opened.to_fetch} MB to fetch first")
    return Planned(subject, tool.name, pack.lang, questions, opened.estimated_seconds(questions))


def _shown(subject: str) -> str:
    """A subject without the folder it lies in: a page may be sent to anybody."""
    return Path(subject).name if Path(subject).expanduser().exists() else subject


def _applicable(
    subject: str, lang: str | None, pack: str | Path | None, store: Store, reading: Reading
) -> list[tuple[Instrument, str]]:
    """Every instrument with an empty reason, or with the reason why it does not apply."""
    language = choose_pack(subject, lang=lang, pack=pack)
    offered = open_subject(subject, store, reading).capabilities
    return [(tool, _why_not(tool, language, offered)) for tool in all_instruments()]


def _why_not(tool: Instrument, pack: Pack, offered: Collection[str]) -> str:
    """Why an instrument does not apply, or nothing."""
    if tool.capability not in offered:
        told = ", ".join(CAPABILITIES[name] for name in sorted(offered)) or "nothing"
        return f"it asks {CAPABILITIES.get(tool.capability, tool.capability)}, and the subject tells {told}"
    if wanted := tool.wanted():
        return f"it needs a file of yours (--{wanted[0].replace('_', '-')})"
    if missing := pack.missing(tool.lists):
        return pack.why_not(missing[0]) or f"the pack {pack.lang!r} has no list {missing[0]!r}"
    return ""
