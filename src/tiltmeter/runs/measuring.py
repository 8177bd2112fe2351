"""One measurement: pack -> items -> answers -> estimates -> a run on disk."""

import dataclasses
import hashlib
import json
import logging
import platform
import re
import shlex
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.packs import Pack, load_folder, load_pack, shipped_languages
from tiltmeter.reading import Reading
from tiltmeter.results import SCHEMA, Estimate, Note, Result
from tiltmeter.runs.run import Run, keep_run, stored_run
from tiltmeter.statistics import holm
from tiltmeter.store import Store
from tiltmeter.subjects import CAPABILITIES, Subject, language_of, open_subject

log = logging.getLogger(__name__)


def measure(
    instrument: str,
    subject: str,
    *,
    lang: str | None = None,
    pack: str | Path | None = None,
    store: Store | None = None,
    reading: Reading = Reading(),
    keep: bool = True,
    **options: Any,
) -> Run:
    """Measures one subject with one instrument.

    The same request answers from disk, unless it is not to `keep` what it found. A run that was killed goes on from the
    answers it had; two processes that ask for the same do the work once.
    """
    store = store or Store()
    tool = load_instrument(instrument)
    chosen = tool.make_options(options)
    needed = tool.needed_lists(chosen)
    language = choose_pack(subject, lang=lang, pack=pack, needed=bool(needed))
    check_lists(tool, language, needed)
    opened = open_subject(subject, store, reading)
    if not {tool.capability, tool.instead} & opened.capabilities:
        raise TiltmeterError(
            f"{tool.name} asks {CAPABILITIES.get(tool.capability, tool.capability)}, which {subject} cannot tell"
        )
    items = tool.items(language, chosen)
    request = _request(tool, opened, language, chosen)
    run_id = _identity(request)
    if not keep:
        return _measure(run_id, request, items, tool, opened, language, chosen, pack, reading)
    with store.runs.locked(run_id):
        run = stored_run(store, run_id)
        if run is None:
            log.info("measuring %s on %s", tool.name, subject)
            run = _measure(run_id, request, items, tool, opened, language, chosen, pack, reading)
            keep_run(store, run)
        else:
            log.info("%s on %s: from disk (run %s)", tool.name, subject, run_id)
            # The same content may have been measured under another name.
            run = replace(run, result=replace(run.result, subject=opened.name))
    return run


def choose_pack(subject: str, *, lang: str | None, pack: str | Path | None, needed: bool = True) -> Pack:
    """The pack to measure with: a user's folder, or the shipped one of the language that was said or is known.

    Where no list is `needed`, a language without a pack gets an empty one.
    """
    if pack is not None:
        found = load_folder(Path(pack))
        if lang is not None and lang != found.lang:
            raise TiltmeterError(f"the pack in {pack} is of {found.lang!r}, and --lang says {lang!r}")
        return found
    lang = lang or language_of(subject)
    if lang is None:
        raise TiltmeterError(f"the language of {subject} is not known; say it with --lang")
    if not needed and lang not in shipped_languages() and re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]+)*", lang):
        return Pack(lang=lang, name=lang, endonym=lang, scripts=(), grammatical_gender=())
    return load_pack(lang)


def check_lists(tool: Instrument, pack: Pack, needed: Iterable[str] | None = None) -> None:
    """Refuses a pack that lacks a list the instrument needs, with the reason if the pack gives one."""
    if missing := pack.missing(tool.lists if needed is None else needed):
        reason = pack.why_not(missing[0]) or f"add {missing[0]} to the pack (`tiltmeter list packs --check DIR`)"
        raise TiltmeterError(f"{tool.name} needs the list {missing[0]!r}, which the pack {pack.lang!r} lacks: {reason}")


_PACKAGES = ("tiltmeter", "numpy", "scipy", "polars")


def _request(tool: Instrument, subject: Subject, pack: Pack, options: Any) -> dict[str, Any]:
    """What a run's identity is made of: contents and versions, never names, times or places."""
    return {
        "schema": SCHEMA,
        "instrument": tool.name,
        "version": tool.version,
        "engine": subject.engine,
        "subject": subject.fingerprint,
        "lang": pack.lang,
        "pack": pack.digest((*tool.lists, *tool.extras)),
        "options": tool.describe(options),
    }


def _identity(request: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()[:16]


def _measure(
    run_id: str,
    request: Mapping[str, Any],
    items: pl.DataFrame,
    tool: Instrument,
    subject: Subject,
    pack: Pack,
    options: Any,
    pack_folder: str | Path | None,
    reading: Reading,
) -> Run:
    started = time.perf_counter()
    items, notes = tool.answer(items, subject, pack, options)
    findings = tool.estimate(items, options)
    provenance = {
        "run": run_id,
        **request,
        "subject": {
            "fingerprint": subject.fingerprint,
            "capabilities": sorted(subject.capabilities),
            **subject.origin,
        },
        "sources": {name: list(pack.sources.get(name, ())) for name in (*tool.lists, *tool.extras)},
        "reference": tool.reference,
        "command": _command(tool, subject, pack, options, pack_folder, reading),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "seconds": round(time.perf_counter() - started, 3),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "packages": {name: version(name) for name in (*_PACKAGES, *subject.packages)},
    }
    result = Result(
        instrument=tool.name,
        version=tool.version,
        subject=subject.name,
        lang=pack.lang,
        options=tool.describe(options),
        estimates=tuple(corrected(findings.estimates, f"{tool.name}, {pack.lang}, {subject.name}")),
        notes=(*findings.notes, *notes, *_another_language(subject, pack)),
        provenance=provenance,
        figures=findings.figures,
        tests=findings.tests,
        tables=tuple(tool.tables(items, pack, options)) if tool.tables else (),
    )
    return Run(run_id, result, items)


def _another_language(subject: Subject, pack: Pack) -> list[Note]:
    """A caution where the subject says that it is of another language than it is asked in."""
    if subject.lang is None or subject.lang.partition("-")[0] == pack.lang.partition("-")[0]:
        return []
    text = f"{subject.name} is of {subject.lang!r}, as its card says, and was asked in {pack.name}: it may not know it."
    return [Note(kind="language", caution="another language", text=text)]


def corrected(estimates: Iterable[Estimate], scope: str) -> list[Estimate]:
    """Holm's correction, with each family named: all tests of one estimate within the scope.

    Controls (a `control` in the group) are a family of their own: they are not what is asked.
    """
    estimates = list(estimates)
    families: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for position, estimate in enumerate(estimates):
        if estimate.p_value is not None:
            families[estimate.name, estimate.group.get("control")].append(position)
    for (name, control), positions in families.items():
        adjusted = holm([estimates[position].p_value for position in positions])
        what = f"{name} (control: {control})" if control else name
        family = f"{scope}: {what}, {len(positions)} test{'s' if len(positions) > 1 else ''}, Holm"
        for position, p in zip(positions, adjusted, strict=True):
            estimates[position] = replace(estimates[position], p_adjusted=p, family=family)
    return estimates


def _command(
    tool: Instrument, subject: Subject, pack: Pack, options: Any, pack_folder: str | Path | None, reading: Reading
) -> str:
    """The command line that gives the same run again; a user's files are named without their path."""
    words = ["tiltmeter", "measure", tool.name, subject.name, "--lang", pack.lang]
    if pack_folder is not None:
        words += ["--pack", Path(pack_folder).resolve().name]
    for field, value in [(f, getattr(part, f.name)) for part in (options, reading) for f in dataclasses.fields(part)]:
        if value != field.default:
            if value is True:
                words.append(f"--{field.name.replace('_', '-')}")
                continue
            for entry in value if isinstance(value, tuple) else (value,):
                words += [f"--{field.name.replace('_', '-')}", getattr(entry, "name", str(entry))]
    return shlex.join(words)
