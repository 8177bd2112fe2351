"""What is known of the numbers of a run from models whose bias is known: the certificates, beside the estimates."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tiltmeter.calibration.issued import issued, issued_version
from tiltmeter.calibration.naming import measure_key
from tiltmeter.calibration.recovery import Recovery, recoveries
from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.results import Estimate, Note
from tiltmeter.runs import Run, told_option

KIND = "calibration"
"""Of the notes that say what the certificate says of a run, or that there is none."""
FAILS = "fails its calibration"
TOLD = 6
"""So many failures are told in a note; the others stand beside the estimates."""


@dataclass(frozen=True, slots=True)
class Calibrated:
    """The certificate that holds for a run."""

    certificate: Mapping[str, Any] | None
    prefix: str
    """Of the way in which it was measured: with which options."""
    notes: tuple[Note, ...]
    known: Mapping[str, Recovery] = field(default_factory=dict)

    def of(self, row: Estimate) -> Recovery | None:
        """What it has of an estimate."""
        return self.known.get(measure_key(row, self.prefix))

    def said(self, row: Estimate) -> str:
        """The same for a cell of a table; nothing where nothing is known."""
        found = self.of(row)
        return "" if found is None else found.said(with_p=row.p_value is not None, with_floor=row.worse == "higher")


def calibration_of(run: Run) -> Calibrated:
    """The certificate of the run's instrument in its version, kind of subject, language and options.

    The way it was measured has to agree with the run in every option that has fixed choices (they are other formulas),
    and in those that tell ways apart. Others, such as a list of words or a threshold, are named where they differ.
    """
    result = run.result
    kind = kind_of(run)
    where = f"{result.instrument} {result.version} ({kind}, {result.lang})"
    found = issued(result.instrument, result.version, kind, result.lang)
    if found is None:
        other = issued_version(result.instrument, kind, result.lang)
        there = f"; there is one for version {other}" if other else ""
        unknown = "how well it finds a bias that was planted is not known"
        return Calibrated(None, "", (Note(kind=KIND, text=f"No certificate for {where}: {unknown}{there}."),))
    way, differing = _way(found, run, load_instrument(result.instrument))
    told = ", ".join(f"{name} {told_option(result.options[name])}" for name in differing)
    if way is None:
        return Calibrated(None, "", (Note(kind=KIND, text=f"No certificate for {where} with these options: {told}."),))
    holding = Calibrated(found, str(way["prefix"]), (), recoveries(found))
    known = [(row.name, known) for row in run.printed() if (known := holding.of(row))]
    notes = _failures(where, known, load_instrument(result.instrument))
    if differing:
        notes.append(Note(kind=KIND, text=f"The certificate of {where} was measured without this run's {told}."))
    if not known:
        notes.append(Note(kind=KIND, text=f"The certificate of {where} knows none of these estimates."))
    return replace(holding, notes=tuple(notes))


def kind_of(run: Run) -> str:
    return str(run.result.provenance["subject"].get("kind", "vectors"))


def all_notes(run: Run) -> tuple[Note, ...]:
    """What has to be known with a run: what it says itself, and what its calibration says."""
    return (*run.result.notes, *calibration_of(run).notes)


def as_values(run: Run) -> dict[str, Any]:
    """The certificate's numbers for every estimate that it knows, by position in the run."""
    found = calibration_of(run)
    about = ("instrument", "version", "capability", "kind", "lang", "about")
    return {
        "run": run.id,
        "certificate": None if found.certificate is None else {name: found.certificate[name] for name in about},
        "notes": [note.text for note in found.notes],
        "estimates": [
            {"estimate": position, **asdict(known)}
            for position, row in enumerate(run.result.estimates)
            if (known := found.of(row))
        ],
    }


def _way(certificate: Mapping[str, Any], run: Run, tool: Instrument) -> tuple[Mapping[str, Any] | None, Sequence[str]]:
    """The way that agrees with a run in what decides, and the options in which they differ."""
    usual = tool.describe(tool.options())
    ways = certificate["ways"]
    deciding = {name for way in ways for name in way["options"]} | {name for name in usual if tool.choices(name)}
    differing = [
        [name for name in usual if name != "seed" and run.result.options.get(name) != (usual | way["options"])[name]]
        for way in ways
    ]
    for way, names in zip(ways, differing, strict=True):
        if not deciding & set(names):
            return way, names
    return None, min(differing, key=len, default=[])


def _failures(where: str, known: Sequence[tuple[str, Recovery]], tool: Instrument) -> list[Note]:
    """What the certificate warns of in numbers that are printed, those that the instrument stands behind first."""
    first, others = (
        dict.fromkeys(
            sentence for name, found in known if (name in tool.deciding) == deciding for sentence in found.failures
        )
        for deciding in (True, False)
    )
    told = [*first, *others]
    if not told:
        return []
    more = f"; and {len(told) - TOLD} more, beside the estimates" if len(told) > TOLD else ""
    text = f"Where its bias is known, {where} fails: {'; '.join(told[:TOLD])}{more}."
    return [Note(kind=KIND, text=text, caution=FAILS if first else "")]
