"""Runs written down by hand: no number in them comes from a measurement."""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db

from tiltmeter.instruments import load_instrument
from tiltmeter.results import SCHEMA, Estimate, Note, Result
from tiltmeter.runs import Run

HOSTILE = {
    "script": "</script><b>bold</b>",
    "image": "<img src=x onerror=alert(1)>",
    "formula": "=cmd|' /C calc'!A0",
    "link formula": '=HYPERLINK("http://evil.example";"click")',
    "sum": "@SUM(1)",
    "minus": "-1+2",
    "plus": "+1",
    "tex": "\\input{/etc/passwd}\\end{tabular}",
    "signs": "$x_1$ & 50% #1 ~a ^b {c} \"d\" --- ,, ?` !` '' <<",
    "pipe": "a | b || c",
    "ticks": "`code` ```fence``` ``",
    "link": "[click](http://evil.example) ![x](y.png) www.evil.example https://evil.example me@evil.example",
    "mention": "@someone and org/repo#1",
    "row": "[3em] * starred",
    "list": "- item",
    "number": "1. item",
    "rule": "*** _a_ __b__ ~~c~~ ---",
    "newline": "first\nsecond\r\n| third |\n# heading",
    "right to left": "abc\u202egnp.exe",
    "emoji": "\U0001f469\u200d\U0001f52c ok",
    "chinese": "护士 和 医生",
    "russian": "медсестра",
    "arabic": "ممرضة",
    "separators": "a\u2028b\u2029c",
}
"""Text that some format would take for something else."""


def latex_read(raw: str) -> str:
    """What LaTeX prints, by a reader that has to be told a few of its commands for plain signs."""
    known = get_default_latex_context_db()
    signs = {"textless": "<", "textgreater": ">", "textbar": "|", "textquotedbl": '"', "textasciicircum": "^"}
    known.add_context_category(
        "signs", prepend=True, macros=[MacroTextSpec(name, sign) for name, sign in signs.items()]
    )
    return str(LatexNodes2Text(latex_context=known, math_mode="text", keep_comments=False).latex_to_text(raw))


def estimate(
    test: str, name: str, value: float | None, group: Mapping[str, str] | None = None, **more: Any
) -> Estimate:
    return Estimate(test=test, name=name, value=value, worse="away", neutral=0, group=group or {}, **more)


def made(
    instrument: str,
    subject: str,
    estimates: Sequence[Estimate],
    *,
    lang: str = "ru",
    run: str = "",
    notes: Sequence[Note] = (),
    options: Mapping[str, Any] | None = None,
    kind: str = "",
    tests: Mapping[str, str] | None = None,
    created: str = "2026-03-04T05:06:07+00:00",
    version: str = "0.1.0",
) -> Run:
    """A finished run with just these estimates."""
    tool = load_instrument(instrument)
    options = tool.describe(tool.options()) | dict(options or {})
    run = run or hashlib.sha256(repr((instrument, subject, lang, options)).encode()).hexdigest()[:16]
    provenance = {
        "run": run,
        "schema": SCHEMA,
        "subject": {"fingerprint": f"sha256:{subject}", **({"kind": kind} if kind else {})},
        "sources": {name: [f"the source of {name}"] for name in tool.lists},
        "command": f"tiltmeter measure {instrument} '{subject}' --lang {lang}",
        "created": created,
        "seconds": 1.5,
        "python": "3.11.2",
        "system": "Linux x86_64",
        "packages": {"tiltmeter": version, "numpy": "2.4.6"},
    }
    result = Result(
        instrument=instrument,
        version=tool.version,
        subject=subject,
        lang=lang,
        options=options,
        estimates=tuple(estimates),
        notes=tuple(notes),
        provenance=provenance,
        tests=tests or {},
    )
    return Run(run, result, pl.DataFrame(schema=tool.columns))
