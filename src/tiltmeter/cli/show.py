"""What is printed for people. Every text that came from a file is printed as text, never as markup."""

import json
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tiltmeter.calibration.certificate import kind_of_p, worlds_of
from tiltmeter.calibration.recovery import SAID
from tiltmeter.corpora import Built, BuiltNli
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import Instrument
from tiltmeter.packs import LISTS, RULES, Pack, shipped_languages
from tiltmeter.report.calibrated import KIND, all_notes, calibration_of
from tiltmeter.report.content import not_measured
from tiltmeter.report.summary import models
from tiltmeter.report.tables import told_sides, told_worse
from tiltmeter.results import TextTable, shown, shown_p
from tiltmeter.runs import SHOWN, Across, Audit, Comparison, Planned, Run, Skipped, agreement, labels
from tiltmeter.store import PARTS, Store
from tiltmeter.subjects import Package, Reference
from tiltmeter.training import read_card, read_test

if TYPE_CHECKING:
    from tiltmeter.calibration import Calibration, Certificate, Selftest
    from tiltmeter.calibration.ranking import Ranked
    from tiltmeter.studies import Reproduction


class _Console(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError  # rich would exit with 1, which says that a gate was breached


_out = _Console(highlight=False)
_err = Console(stderr=True, highlight=False)
if not _out.is_terminal:
    _out.width = 200  # a file or a pipe has no edge to fold at


def say(sentence: str, *, error: bool = False) -> None:
    (_err if error else _out).print(_text(sentence), soft_wrap=True)


def _text(raw: str) -> Text:
    """Text from anywhere: it neither steers a terminal nor turns the direction of what follows."""
    return Text(_STEERING.sub("\N{REPLACEMENT CHARACTER}", raw))


_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def run(found: Run, *, notes: bool = False) -> None:
    """A run's estimates as a table, then what they say in words."""
    result = found.result
    say(f"\n{result.instrument} on {result.subject}, {result.lang} (run {found.id})")
    printed = found.printed()
    beside = calibration_of(found)
    known = any(beside.of(row) for row in printed)
    columns = ("test", "estimate", "value", "95% interval", "p", "p corr.", "n", "lost", "worse")
    table = _table(*columns, *(("calibration",) if known else ()))
    for row in printed:
        interval = "–" if row.ci_low is None else f"{shown(row.ci_low)} to {shown(row.ci_high)}"
        group = " ".join(f"{key}={value}" for key, value in row.group.items())
        name = f"{row.name} [{group}]" if group else row.name
        _add(
            table,
            row.test,
            name,
            shown(row.value),
            interval,
            shown_p(row.p_value),
            shown_p(row.p_adjusted),
            row.n,
            row.lost,
            told_worse(row),
            *((beside.said(row),) if known else ()),
        )
    _out.print(table)
    for sentence in told_sides(printed):
        say(sentence)
    if known:
        say(SAID)
    if hidden := len(result.estimates) - len(printed):
        say(f"and {hidden} more: `tiltmeter runs show {found.id} --json`")
    for note in all_notes(found):
        if notes or note.kind in ("reading", "hypothesis", "void") or (note.kind == KIND and note.caution):
            say(f"- {note.test + ': ' if note.test else ''}{note.text}")
    for text_table in result.tables if notes else ():
        read(text_table)


def read(found: TextTable) -> None:
    """Sentences or words with their numbers."""
    say(f"\n{found.title}")
    table = _table(*found.columns)
    for row in found.rows:
        cells = zip(found.columns, row, strict=True)
        _add(table, *(_cell(cell, is_p=name in ("p", "p corrected")) for name, cell in cells))
    _out.print(table)
    say(found.caption)


def _cell(cell: str | float | None, *, is_p: bool) -> str:
    return cell if isinstance(cell, str) else shown_p(cell) if is_p else shown(cell)


def found(runs: Sequence[Run]) -> None:
    """What was found about each model, in a sentence, and where the numbers are."""
    for model in models(runs):
        say(f"\n{model.label} {model.sentence()}")
        if cautions := model.cautions():
            say(f"beware: {', '.join(cautions)}")
    say("\nall numbers are in the report; `tiltmeter runs list` names the runs\n")


def drawn(write: Callable[[], Sequence[Path]], folder: Path) -> None:
    """Writes figures, and says how many and what they lack."""
    with warnings.catch_warnings(record=True) as told:
        written = write()
    for warning in told:
        say(str(warning.message), error=True)
    say(f"written: {len(written)} files in {folder}", error=True)


def across(found: Across) -> None:
    """The headline of each test over all subjects, corrected as one family."""
    table = _table("test", "subject", "value", "p", "p corr.")
    for test, rows in found.headlines():
        for subject, row in zip(labels(found.runs), rows, strict=True):
            _add(table, test, subject, shown(row.value), shown_p(row.p_value), shown_p(row.p_adjusted))
    say("\nside by side, p corrected over all of them")
    _out.print(table)
    for note in found.together.notes:
        say(f"- {note.text}")
    for text_table in found.together.tables:
        read(text_table)
    if found.no_factors:
        say(f"- no factors: {found.no_factors}")
    for effect in found.factors:
        means = ", ".join(f"{level}: {mean:.2f}" for level, mean in effect.means)
        share = effect.reason or f"{effect.eta_squared:.0%} of the variance ({means})"
        say(f"- {effect.test}: {effect.factor} {share}")


_DIRECTIONS = {
    "worse": "got worse",
    "better": "got better",
    "changed sides": "changed sides: the tilt is now the other way",
    "unclear": "changed, but whether nearer to neutral or farther is not shown",
}


def comparison(found: Comparison) -> None:
    """What got worse, what got better, what changed sides; then the numbers, and what could not be compared."""
    say(f"\nfrom {found.before} to {found.after}")
    for direction in SHOWN:
        changes = found.changed(direction)
        if changes or direction in ("worse", "better"):
            say(f"\n{_DIRECTIONS[direction]}{':' if changes else ': nothing that is shown'}")
        for change in changes:
            say(f"- {change.sentence()}")
    table = _table("instrument", "estimate", "before", "after", "change", "95% interval", "p", "p corr.", "n", "")
    for row in found.main():
        interval = "–" if row.ci_low is None else f"{shown(row.ci_low)} to {shown(row.ci_high)}"
        _add(
            table,
            f"{row.instrument}, {row.lang}",
            row.label,
            shown(row.before),
            shown(row.after),
            shown(row.difference),
            interval,
            shown_p(row.p_value),
            shown_p(row.p_adjusted),
            row.n,
            row.direction,
        )
    say("\nthe main numbers, and what else changed; over what both could answer, p corrected with Holm's method")
    _out.print(table)
    if hidden := len(found.changes) - len(found.main()):
        say(f"and {hidden} more: --json")
    for note in found.notes:
        say(f"- {note.text}")
    alone(found)


def alone(found: Comparison) -> None:
    for entry in found.alone:
        result = entry.run.result
        say(f"not compared: {result.instrument}, {result.lang}, of {result.subject} ({entry.side}): {entry.reason}")


def audit_json(found: Audit) -> None:
    skipped = [{"subject": s.subject, "instrument": s.instrument, "reason": s.reason} for s in found.skipped]
    agreeing = [asdict(entry) for entry in agreement(found.runs)]
    everything = {"runs": [r.result.to_json() for r in found.runs], "agreement": agreeing, "skipped": skipped}
    print(json.dumps(everything, ensure_ascii=False, indent=1, allow_nan=False))


def skipped(entries: Sequence[Skipped]) -> None:
    for failed in (False, True):
        for sentence in not_measured(entry for entry in entries if entry.failed == failed):
            say(f"not measured: {sentence}", error=failed)


def plan(todo: Sequence[Planned], left_out: Sequence[Skipped]) -> None:
    table = _table("subject", "instrument", "lang", "questions", "minutes")
    for row in todo:
        minutes = row.note or f"{(row.seconds or 0) / 60:.2f}"
        _add(table, row.subject, row.instrument, row.lang, row.questions, minutes)
    _out.print(table)
    skipped(left_out)


def plan_json(todo: Sequence[Planned], left_out: Sequence[Skipped]) -> None:
    rows = {"planned": [asdict(row) for row in todo], "skipped": [asdict(row) for row in left_out]}
    print(json.dumps(rows, ensure_ascii=False, indent=1, allow_nan=False))


def runs(found: Iterable[tuple[str, Run | TiltmeterError]]) -> None:
    table = _table("run", "instrument", "subject", "lang", "made", "seconds")
    for run_id, entry in found:
        if isinstance(entry, TiltmeterError):
            _add(table, run_id, str(entry), "", "", "", "")
        else:
            made = entry.result.provenance
            result = entry.result
            _add(table, run_id, result.instrument, result.subject, result.lang, made["created"], made["seconds"])
    _out.print(table)


def cache(store: Store) -> None:
    say(f"{store.root}")
    table = _table("part", "files", "MB", "what it holds")
    for part, (files, size) in store.sizes().items():
        _add(table, part, files, f"{size / 1e6:.1f}", PARTS[part])
    _out.print(table)


def instruments(tools: Iterable[Instrument]) -> None:
    table = _table("instrument", "asks for", "lists", "measures", "which way is worse")
    for tool in tools:
        _add(table, tool.name, tool.capability, ", ".join(tool.lists), tool.measures, tool.reading)
    _out.print(table)


def packs(found: Iterable[Pack], tools: Sequence[Instrument]) -> None:
    packs = list(found)
    table = _table("", *(pack.lang for pack in packs))
    _add(table, "", *(pack.name for pack in packs))
    for name in LISTS:
        _add(table, name, *(_counted(pack, name)[0] or "–" for pack in packs))
    _out.print(table)
    say("\nentries of each list; below, the instruments that can be asked with them\n")
    table = _table("", *(pack.lang for pack in packs))
    for tool in tools:
        _add(table, tool.name, *("–" if pack.missing(tool.lists) else "yes" for pack in packs))
    _out.print(table)


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
    table = _table("subject", "lang", "what it is", "package", "licence", "MB", "here")
    for package, here in packages:
        source = f"{package.project} {package.version}"
        name = f"pkg:{package.name}"
        _add(
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
        _add(table, one.subject, one.lang, one.title, "tiltmeter", "MIT", 0, "yes")
    _out.print(table)


def certificates(found: "Sequence[Ranked]") -> None:
    """The numbers that were calibrated, those that follow what was planted best first."""
    if not found:
        say("no certificate has been issued yet")
        return
    table = _table("asks for", "lang", "number", "model", "tests", "rank correlation", "95% interval", "p", "")
    for row in found:
        weakest = row.weakest
        interval = "–" if weakest.ci is None else f"{shown(weakest.ci[0])} to {shown(weakest.ci[1])}"
        rate = f"{max(row.rates):.1%}" if row.rates else "–"
        told = " and ".join([*([] if row.follows else ["does not follow"]), *(["p fails"] if row.p_fails else [])])
        _add(
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
    _out.print(table)
    say("the test that follows the dose least; p: how often it is at most .05 where nothing was planted, at worst")


def built(made: Built, *, as_json: bool) -> None:
    """A set that was built: how large it is, what was left out, what has to be known about it."""
    card = made.card
    if as_json:
        print(json.dumps(card.to_json() | {"folder": str(made.folder)}, ensure_ascii=False, indent=1))
    else:
        say(f"{card.size:,} neutral sentences out of {card.sentences:,}: {made.folder}")
        left_out = ", ".join(f"{rule} {count:,}" for rule, count in card.reasons.most_common() if count)
        say(f"left out: {left_out}")
        if card.unseen:
            say(f"beware: {card.unseen}")
        for line in card.unfilled:
            say(f"not filled: {line}")
        for line in card.warnings:
            say(f"not symmetric: {line}")
        say(f"next, let people judge them: tiltmeter review {made.folder / 'set.parquet'} --reviewers NAME,NAME,NAME")
        pack = f"--lang {card.pack.lang}" if card.pack.lang in shipped_languages() else "--pack DIR"
        say(f"or measure: tiltmeter measure slgu MODEL {pack} --sentences {made.folder / 'set.csv'}")
    for problem in made.problems:
        say(problem, error=True)


def built_nli(made: BuiltNli, *, as_json: bool) -> None:
    """Pairs that were built: how many, what was left out, what to do next."""
    card = made.card
    if as_json:
        print(json.dumps(card.to_json() | {"folder": str(made.folder)}, ensure_ascii=False, indent=1))
        return
    sizes = ", ".join(f"{name} {row['pairs']:,}" for name, row in card.sizes().items())
    say(f"{len(card.pairs):,} pairs ({sizes}): {made.folder}")
    for what, counts in (
        ("captions", card.reasons()),
        ("occupations", Counter(entry.reason for entry in card.left_out)),
    ):
        if counts:
            say(f"{what} left out: {', '.join(f'{reason} {count:,}' for reason, count in counts.most_common())}")
    say(f"next, measure: tiltmeter measure nli-coal MODEL --lang {card.request.pack.lang} --data {made.folder}")


def trained(folders: Sequence[Path], *, as_json: bool) -> None:
    """Models that were trained: where they lie, and what they are worth on data that they did not see."""
    cards = [(folder, read_card(folder), read_test(folder)) for folder in folders]
    if as_json:
        told = [card | {"test": test, "folder": str(folder)} for folder, card, test in cards]
        print(json.dumps(told[0] if len(told) == 1 else {"models": told}, ensure_ascii=False, indent=1))
        return
    for folder, card, test in cards:
        say(f"{card['kind']} model: {folder}")
        if cut := card["data"]["cut"]:
            say(f"cut to {card['longest']} tokens: {cut:,} of {card['data']['rows']:,} rows")
        if test:
            _tested(test)


def _tested(test: Mapping[str, Any]) -> None:
    if "perplexity" in test:
        say(f"perplexity on the test text: {test['perplexity']:.2f} ({test['tokens']:,} tokens)")
        return
    table = _table("test", "rows", "accuracy", "95% interval", "predicted")
    for name, row in (("all", test), *test["by_label"].items()):
        instead = ", ".join(f"{said} {count:,}" for said, count in row.get("predicted", {}).items())
        shares = [None if row[key] is None else f"{row[key]:.3f}" for key in ("accuracy", "ci_low", "ci_high")]
        accuracy, low, high = (share or "–" for share in shares)
        _add(table, name, f"{row['rows']:,}", accuracy, f"{low} to {high}", instead)
    _out.print(table)
    say(f"always the most frequent label would be right in {test['always_the_most_frequent']:.3f}")
    if seen := test["learnt_too"]:
        say(f"{seen:,} of the rows to test on are among those to train on", error=True)


def calibrated(found: "Calibration", written: Sequence[Path], *, as_json: bool) -> None:
    """How closely each measure follows what was planted."""
    from tiltmeter.calibration import cautions, cells, learning

    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
        return
    say(f"{found.instrument} {found.version}, {found.lang}: {len(found.scores)} models, {len(found.seeds)} seed(s)")
    table = _table("measure", "rank correlation", "95% interval", "lowest", f"less {found.against}", "95%", "p, Holm")
    for one in found.following():
        _add(table, *cells(one))
    _out.print(table)
    if sentence := learning(found):
        say(sentence)
    say("a measure of bias rises with what was planted: 1 is best; the paper has .820 for s and -.114 for 1 - FN")
    for sentence in cautions(found):
        say(sentence, error=True)
    for path in written[:3]:
        say(f"written: {path}")


def certified(found: "Certificate", written: Sequence[Path], *, as_json: bool) -> None:
    """What an instrument made of worlds of known bias."""
    told = found.to_json()
    if as_json:
        print(json.dumps(told, ensure_ascii=False, indent=1))
        return
    say(f"{found.instrument} {found.version}, {found.lang}: {len(found.outcomes):,} worlds")
    for dial, rows in told["responses"].items():
        table = _table(f"planted {dial}", "rank correlation", "slope")
        for row in rows:
            follows = shown(row["rank_correlation"]) if row["planted"] else "not planted"
            _add(table, row["measure"], follows, shown(row["slope"]["value"]))
        _out.print(table)
    say("a measure follows what was planted where its rank correlation is near 1")
    table = _table("nothing planted", "p", "worlds", "p at most .05 in", "99% interval")
    for row in told["false_positives"]:
        low, high = row["ci"]
        _add(table, row["measure"], kind_of_p(row), worlds_of(row), f"{row['rate']:.1%}", f"{low:.1%} to {high:.1%}")
    _out.print(table)
    for sentence in told["failures"]:
        say(sentence, error=True)
    for path in written[:2]:
        say(f"written: {path}")


def selftested(found: "Selftest", *, as_json: bool) -> None:
    """Subject by subject and instrument by instrument, whether it is measured as it was recorded."""
    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=1, allow_nan=False))
        return
    for one in found.checked:
        say(f"{one.subject} {one.instrument}: {one.sentence()}", error=not one.agrees)
    by_reason: dict[str, list[str]] = {}
    for subject, reason in found.not_tested.items():
        by_reason.setdefault(reason, []).append(subject)
    for reason, names in by_reason.items():
        say(f"not tested: {', '.join(names)}: {reason}", error=True)
    wrong = sum(not one.agrees for one in found.checked)
    say(
        f"{wrong} of {len(found.checked)} measurements are not as recorded: this installation does not measure right"
        if wrong
        else f"all {len(found.checked)} measurements are as recorded"
    )


def reproduced(found: "Reproduction", written: Sequence[Path], *, as_json: bool) -> None:
    """Every table as it was printed, with ours and the difference below each number."""
    from tiltmeter.report.reproduction import summary, told_ours, told_print

    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
        return
    say(f"{found.study.title}\n{found.study.reference}")
    for one in found.tables:
        say(f"\n{one.table.title}")
        table = _table(
            *(key.replace("_", " ") for key in one.table.keys), *(column.head for column in one.table.columns)
        )
        for row in one.rows:
            cells = [
                "\n".join(filter(None, [told_print(entry), " ".join(filter(None, told_ours(entry, column)))]))
                for column, entry in zip(one.table.columns, row.cells, strict=True)
            ]
            _add(table, *row.keys, *cells)
        _out.print(table)
        for told in (one.table.note, one.table.command and f"such numbers come of: {one.table.command}"):
            if told:
                say(told)
    say("")
    for sentence in (*summary(found), *([found.study.note] if found.study.note else [])):
        say(sentence)
    for absent in found.absent:
        say(f"not at hand: {absent.what}: {absent.fetch}", error=True)
    for sentence in found.failed:
        say(sentence, error=True)
    for path in written:
        say(f"written: {path}")


def _possible(pack: Pack, tools: Sequence[Instrument]) -> list[str]:
    return [tool.name for tool in tools if not pack.missing(tool.lists)]


def _counted(pack: Pack, name: str) -> tuple[int, int]:
    """How many entries of a list are in use, and how many were rejected."""
    entries = getattr(pack, name)
    rejected = sum(getattr(entry, "status", "") == "rejected" for entry in entries)
    return len(entries) - rejected, rejected


def _table(*columns: str) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(_text(column), overflow="fold")
    return table


def _add(table: Table, *cells: Any) -> None:
    table.add_row(*(_text(str(cell)) for cell in cells))
