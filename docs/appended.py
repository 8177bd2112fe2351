"""What pages are given when the site is built, so that it is never out of date: to an instrument's page which way is
worse, its certificates and its paper, to a language's page what its pack holds."""

from pathlib import PurePosixPath
from typing import Any

from tiltmeter.calibration.issued import all_issued
from tiltmeter.calibration.ranking import Ranked, ranking
from tiltmeter.instruments import all_instruments, load_instrument
from tiltmeter.packs import LISTS, load_pack, shipped_languages
from tiltmeter.results import shown


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for every page."""
    path = PurePosixPath(page.file.src_uri)
    if path.parent.name == "instruments":
        return markdown + instrument_section(path.stem)
    if path.parent.name == "languages" and path.stem in shipped_languages():
        return markdown + pack_section(path.stem)
    return markdown


def instrument_section(name: str) -> str:
    """Which way is worse, the certificates and the paper of an instrument."""
    tool = load_instrument(name)
    parts = [f"## Which way is worse\n\n`{name}`: {tool.reading}.", *_certificates(name)]
    return "\n\n" + "\n\n".join([*parts, f"## Reference\n\n{tool.reference}."]) + "\n"


def _certificates(name: str) -> list[str]:
    """How well the numbers of an instrument recover a planted bias, language by language."""
    rows = [row for row in ranking(all_issued()) if row.instrument == name]
    if not rows:
        return ["## Certificate", "None: it decides nothing, or was not [calibrated](../calibration.md)."]
    table = [
        "| lang | number | certificate | follows the dose | 95% interval | p false | power, weak bias |",
        "| --- | --- | --- | ---: | --- | ---: | ---: |",
        *(_certificate_row(row) for row in sorted(rows, key=lambda row: (row.lang, row.kind, row.label))),
    ]
    return [
        "## Certificate",
        "How well its numbers follow a bias that was [planted](../calibration.md) in models of a kind; of several "
        "tests the one that follows least. *p false*: how often p is at most .05 where nothing was planted, at worst.",
        "\n".join(table),
        "All numbers, ranked: [which measure finds the bias that was planted?](../ranking.md)",
    ]


def _certificate_row(row: Ranked) -> str:
    weakest = row.weakest
    interval = "–" if weakest.ci is None else f"{shown(weakest.ci[0])} to {shown(weakest.ci[1])}"
    follows = "–" if weakest.rank_correlation is None else shown(weakest.rank_correlation)
    rate = f"{max(row.rates):.0%}" if row.rates else "–"
    if any(test.published for test in row.tests) and row.rates:
        rate += " (published)"
    power = "–" if weakest.power is None else f"{weakest.power:.0%}"
    number = f"`{row.name}`" + (f" ({row.way})" if row.way else "")
    told = follows if row.follows else f"{follows}, does not"
    page = f"[{row.kind}](../certificates/{row.certificate}.md)"
    return f"| {row.lang} | {number} | {page} | {told} | {interval} | {rate} | {power} |"


def pack_section(lang: str) -> str:
    """Every list of a pack with its size and sources, and why one is not there."""
    pack = load_pack(lang)
    lines = ["\n\n## What is in the pack\n", "| list | what | entries | source |", "| --- | --- | ---: | --- |"]
    for name, meaning in LISTS.items():
        found = getattr(pack, name)
        sources = "; ".join(dict.fromkeys(pack.sources.get(name, ()))) if found else pack.why_not(name)
        lines.append(f"| `{name}` | {meaning} | {len(found) or '–'} | {sources.replace('|', '/')} |")
    ready = [f"`{tool.name}`" for tool in all_instruments() if not pack.missing(tool.lists)]
    lines += ["", f"Instruments that it allows: {', '.join(ready)}."]
    absent = [f"`{tool.name}` ({_why(pack, tool)})" for tool in all_instruments() if pack.missing(tool.lists)]
    if absent:
        lines += ["", f"Not possible: {'; '.join(absent)}."]
    return "\n".join(lines) + "\n"


def _why(pack: Any, tool: Any) -> str:
    missing = pack.missing(tool.lists)
    return next((reason for name in missing if (reason := pack.why_not(name))), f"no {', '.join(missing)}")
