"""How a set was reviewed, for its readers: numbers, agreement, criteria."""

import math
from collections import Counter
from datetime import UTC, datetime
from typing import Any

from tiltmeter.results import shown
from tiltmeter.reviews.agreeing import Row, Two
from tiltmeter.reviews.outcomes import HOW
from tiltmeter.reviews.snapshot import Snapshot

READING = (
    "Alpha and kappa are 1 where reviewers always agree and 0 where they agree as by chance; lower is worse. "
    "Krippendorff asks for an alpha of at least .8, and calls conclusions from .667 to .8 tentative. "
    "Intervals (95%) resample sentences."
)

CAUTION = (
    "too few sentences for the interval to hold what it promises, or alpha is undefined on some resamples. A dash: "
    "nothing was judged twice, or all answers are the same. Fleiss' kappa is over sentences with the usual votes."
)


def card_json(taken: Snapshot) -> dict[str, Any]:
    about = taken.about
    return {
        "set": about.name,
        "lang": about.lang,
        "digest": about.digest,
        "begun": _day(about.created),
        "votes_per_sentence": about.per_sentence,
        "sentences": len(taken.sentences),
        "votes": len(taken.votes),
        "reviewers": dict(sorted(Counter(vote.reviewer for vote in taken.votes).items())),
        "outcomes": [
            {"final": final or None, "how": how, "sentences": count}
            for (final, how), count in sorted(taken.counts().items())
        ],
        "dropped_for": dict(_dropped_for(taken).most_common()),
        "kept_by_pair": {pair: dict(sides) for pair, sides in _by_pair(taken).items()},
        "agreement": [_agreement(row) for row in taken.agreements()],
        "two_by_two": [_two(two) for two in taken.two_by_two()],
        "criteria": [
            {
                "version": edition.version,
                "saved": _day(edition.saved),
                "criteria": {
                    criterion.id: {
                        lang: {"title": wording.title, "text": wording.text}
                        for lang, wording in criterion.wordings.items()
                    }
                    for criterion in edition.criteria
                },
            }
            for edition in taken.editions
        ],
    }


def card_text(taken: Snapshot) -> str:
    about, latest = taken.about, taken.editions[-1]
    reviewers = {vote.reviewer for vote in taken.votes}
    lines = [
        f"# Review of {_cell(about.name)}",
        "",
        f"{len(taken.sentences):,} sentences ({about.lang}), {about.per_sentence} votes wanted for each; "
        f"{len(taken.votes):,} votes by {len(reviewers)} reviewers since {_day(about.created)}. "
        f"In the final set: {len(taken.kept):,}.",
        "",
        "| what became of them | sentences | how |",
        "| --- | --- | --- |",
        *(
            f"| {final or 'open'} | {count:,} | {how}: {HOW[how]} |"  # type: ignore[index]
            for (final, how), count in sorted(taken.counts().items())
        ),
        "",
        "| dropped for | sentences |",
        "| --- | --- |",
        *(f"| {_cell(reason)} | {count:,} |" for reason, count in _dropped_for(taken).most_common()),
        "",
        "| pair | kept, male word | kept, female word |",
        "| --- | --- | --- |",
        *(f"| {_cell(pair)} | {sides['male']:,} | {sides['female']:,} |" for pair, sides in _by_pair(taken).items()),
        "",
        "## Agreement",
        "",
        READING,
        "",
        "| about | sentences | votes | alpha | 95% interval | Fleiss' kappa | all said the same |",
        "| --- | --- | --- | --- | --- | --- | --- |",
        *(_agreement_line(row) for row in taken.agreements()),
        "",
        r"\* " + CAUTION,
        "",
        "| two reviewers | sentences | said the same | Cohen's kappa |",
        "| --- | --- | --- | --- |",
        *(
            f"| {_cell(two.one)}, {_cell(two.other)} | {two.sentences:,} | {two.same:.0%} | {_shown(two.kappa)} |"
            for two in taken.two_by_two()
        ),
        "",
        f"## Criteria, edition {latest.version} of {_day(latest.saved)}",
        "",
        *(
            f"- {criterion.id} ({lang}): **{_cell(wording.title)}** {_cell(wording.text)}"
            for criterion in latest.criteria
            for lang, wording in criterion.wordings.items()
        ),
        "",
    ]
    return "\n".join(lines)


def _dropped_for(taken: Snapshot) -> Counter[str]:
    return Counter(outcome.reason or "no reason given" for outcome in taken.outcomes if outcome.final == "drop")


def _by_pair(taken: Snapshot) -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {}
    for sentence in taken.kept:
        found.setdefault(sentence.pair, Counter())[sentence.gender] += 1
    return dict(sorted(found.items()))


def _agreement(row: Row) -> dict[str, Any]:
    found = row.found
    return {
        "about": row.kind,
        "name": row.name,
        "sentences": found.units,
        "votes": found.votes,
        "alpha": _number(found.alpha),
        "ci_low": _number(found.interval.low),
        "ci_high": _number(found.interval.high),
        "ci_method": found.interval.method,
        "ci_caution": found.interval.caution,
        "fleiss_kappa": _number(found.kappa),
        "fleiss_sentences": found.kappa_units,
        "unanimous": _number(found.unanimous),
        "worse": "lower",
    }


def _agreement_line(row: Row) -> str:
    found = row.found
    interval = "–"
    if not math.isnan(found.interval.low):
        mark = r" \*" if found.interval.caution else ""
        interval = f"{_shown(found.interval.low)} to {_shown(found.interval.high)}{mark}"
    name = {"criterion": f"dropped for {row.name} or not", "pair": row.name}.get(row.kind, row.name)
    unanimous = "–" if math.isnan(found.unanimous) else f"{found.unanimous:.0%}"
    return (
        f"| {_cell(name)} | {found.units:,} | {found.votes:,} | {_shown(found.alpha)} | {interval} | "
        f"{_shown(found.kappa)} | {unanimous} |"
    )


def _two(two: Two) -> dict[str, Any]:
    return {
        "reviewers": [two.one, two.other],
        "sentences": two.sentences,
        "same": two.same,
        "cohens_kappa": _number(two.kappa),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(value: float) -> str:
    return shown(_number(value))


def _cell(text: str) -> str:
    """Text that neither ends a cell of a table nor is taken for markup."""
    flat = " ".join(text.split())
    return "".join(f"\\{sign}" if sign in r"\|<>[]*_#`&" else sign for sign in flat)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d")
