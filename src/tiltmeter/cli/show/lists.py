"""What there is: instruments, packs, subjects, certificates."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from tiltmeter.cli.show.terminal import add, new_table, out, say
from tiltmeter.instruments import Instrument
from tiltmeter.packs import LISTS, RULES, Pack
from tiltmeter.results import shown
from tiltmeter.subjects import Package, Reference

if TYPE_CHECKING:
    from tiltmeter.calibration.ranking import Ranked


def instruments(tools: Iterable[Instrument]) -> None:
    table = new_table("instrument", "asks for", "lists", "measures", "which way is worse")
    for tool in tools:
        add(table, tool.name, tool.capability, ", ".join(tool.lists), tool.measures, tool.reading)
    out.print(table)


def packs(found: Iterable[Pack], tools: Sequence[Instrument]) -> None:
    packs = list(found)
    table = new_table("", *(pack.lang for pack in packs))
    add(table, "", *(pack.name for pack in packs))
    for name in LISTS:
        add(table, name, *(_counted(pack, name)[0] or "–" for pack in packs))
    out.print(table)
    say("\nentries of each list; below, the instruments that can be asked with them\n")
    table = new_table("", *(pack.lang for pack in packs))
    for tool in tools:
        add(table, tool.name, *("–" if pack.missing(tool.lists) else "yes" for pack in packs))
    out.print(table)


def pack(found: Pack, tools: Sequence[Instrument]) -> None:
    genders = ", ".join(found.grammatical_gender) or "none"
    say(
        f"{found.name} ({found.endonym}), {found.lang}; scripts {', '.join(found.scripts)}; "
        f"grammatical gender: {genders}"
    )
    for name, meaning in LISTS.items():
        count, rejected = _counted(found, name)
        say(f"\n{name}: {count or '–'}{f' (+{rejected} rejected)' if rejected else ''}, {meaning}")
        for source in found.sources.get(name, ()) if name != "weat" else ():
            say(f"  source: {source}")
        if reason := found.why_not(name):
            say(f"  {reason}")
    for test in found.weat:
        say(
            f"  {test.name}: {test.labels[0]} / {test.labels[1]}, {len(test.x)} + {len(test.y)} words; "
            f"source: {test.source}"
        )
    say(f"\ninstruments: {', '.join(_possible(found, tools))}")


def pack_check(found: Pack, tools: Sequence[Instrument], unread: Sequence[str]) -> None:
    """What a user's pack has, and what each instrument still wants."""
    say(f"{found.name} ({found.lang}): no mistakes found{' in what is read' if unread else ''}")
    for reason in unread:
        say(f"- not read: {reason}")
    for tool in tools:
        missing = found.missing(tool.lists)
        if missing:
            wanted = "; ".join(f"{name} ({LISTS[name]})" for name in missing)
            say(f"- {tool.name}: missing {wanted}")
        else:
            say(f"- {tool.name}: ready")
    for name, meaning in RULES.items():
        say(f"- {name}.toml: {'there' if getattr(found, name) else 'not there'} ({meaning})")
    for name in LISTS:
        if not getattr(found, name):
            say(f"- {name}: not there{': ' + found.why_not(name) if found.why_not(name) else ''}")


def subjects(packages: Iterable[tuple[Package, bool]], references: Iterable[Reference]) -> None:
    table = new_table("subject", "lang", "what it is", "package", "licence", "MB", "here")
    for package, here in packages:
        source = f"{package.project} {package.version}"
        name = f"pkg:{package.name}"
        add(
            table,
            name,
            package.lang,
            package.title,
            source,
            package.licence,
            package.megabytes,
            "yes" if here else "no",
        )
    for one in references:
        add(table, one.subject, one.lang, one.title, "tiltmeter", "MIT", 0, "yes")
    out.print(table)


def certificates(found: "Sequence[Ranked]") -> None:
    """The numbers that were calibrated, those that follow what was planted best first."""
    if not found:
        say("no certificate has been issued yet")
        return
    table = new_table("asks for", "lang", "number", "model", "tests", "rank correlation", "95% interval", "p", "")
    for row in found:
        weakest = row.weakest
        interval = "–" if weakest.ci is None else f"{shown(weakest.ci[0])} to {shown(weakest.ci[1])}"
        rate = f"{max(row.rates):.1%}" if row.rates else "–"
        told = " and ".join([*([] if row.follows else ["does not follow"]), *(["p fails"] if row.p_fails else [])])
        add(
            table,
            row.capability,
            row.lang,
            row.label,
            row.kind,
            len(row.tests),
            shown(weakest.rank_correlation),
            interval,
            rate,
            told,
        )
    out.print(table)
    say("the test that follows the dose least; p: how often it is at most .05 where nothing was planted, at worst")


def _possible(pack: Pack, tools: Sequence[Instrument]) -> list[str]:
    return [tool.name for tool in tools if not pack.missing(tool.lists)]


def _counted(pack: Pack, name: str) -> tuple[int, int]:
    """How many entries of a list are in use, and how many were rejected."""
    entries = getattr(pack, name)
    rejected = sum(getattr(entry, "status", "") == "rejected" for entry in entries)
    return len(entries) - rejected, rejected
