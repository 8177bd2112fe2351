"""What was made: data sets, models, calibrations, reproductions."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tiltmeter.calibration.certificate import kind_of_p, worlds_of
from tiltmeter.cli.show.terminal import add, new_table, out, say
from tiltmeter.corpora import Built, BuiltNli
from tiltmeter.packs import shipped_languages
from tiltmeter.results import shown
from tiltmeter.training import read_card, read_test

if TYPE_CHECKING:
    from tiltmeter.calibration import Calibration, Certificate, Selftest
    from tiltmeter.studies import Reproduction


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
    table = new_table("test", "rows", "accuracy", "95% interval", "predicted")
    for name, row in (("all", test), *test["by_label"].items()):
        instead = ", ".join(f"{said} {count:,}" for said, count in row.get("predicted", {}).items())
        shares = [None if row[key] is None else f"{row[key]:.3f}" for key in ("accuracy", "ci_low", "ci_high")]
        accuracy, low, high = (share or "–" for share in shares)
        add(table, name, f"{row['rows']:,}", accuracy, f"{low} to {high}", instead)
    out.print(table)
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
    table = new_table(
        "measure", "rank correlation", "95% interval", "lowest", f"less {found.against}", "95%", "p, Holm"
    )
    for one in found.following():
        add(table, *cells(one))
    out.print(table)
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
        table = new_table(f"planted {dial}", "rank correlation", "slope")
        for row in rows:
            follows = shown(row["rank_correlation"]) if row["planted"] else "not planted"
            add(table, row["measure"], follows, shown(row["slope"]["value"]))
        out.print(table)
    say("a measure follows what was planted where its rank correlation is near 1")
    table = new_table("nothing planted", "p", "worlds", "p at most .05 in", "99% interval")
    for row in told["false_positives"]:
        low, high = row["ci"]
        add(table, row["measure"], kind_of_p(row), worlds_of(row), f"{row['rate']:.1%}", f"{low:.1%} to {high:.1%}")
    out.print(table)
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
    from tiltmeter.report.reproduction import remarks, summary, told_ours, told_print

    if as_json:
        print(json.dumps(found.to_json(), ensure_ascii=False, indent=1))
        return
    say(f"{found.study.title}\n{found.study.reference}")
    if any(cell.printed and cell.ours is not None for one in found.tables for cell in one.cells):
        say("each number as it was printed; below it ours and the difference")
    for one in found.tables:
        say(f"\n{one.table.title}")
        table = new_table(
            *(key.replace("_", " ") for key in one.table.keys), *(column.head for column in one.table.columns)
        )
        for row in one.rows:
            cells = [
                "\n".join(filter(None, [told_print(entry), " ".join(filter(None, told_ours(one, place, entry)))]))
                for place, entry in enumerate(row.cells)
            ]
            add(table, *row.keys, *cells)
        out.print(table)
        for told in remarks(one):
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
