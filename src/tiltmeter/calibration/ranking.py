"""Which number recovers a planted bias best? The shipped certificates as a ranking, by capability and language."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tiltmeter.calibration.certificate import ALPHA, FOLLOWS
from tiltmeter.calibration.issued import named
from tiltmeter.calibration.recovery import Recovery, recoveries
from tiltmeter.instruments import load_instrument

RECOVERS = ("form-preference", "becpro", ("es", "de", "ru"))
"""Does the first recover what the second cannot, in these languages?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """One number of an instrument, over all tests that it was calibrated on."""

    instrument: str
    version: str
    capability: str
    kind: str
    lang: str
    way: str
    """The options, where they are not the usual ones."""
    name: str
    tests: tuple[Recovery, ...]
    """Of each test; the one that follows least first."""

    @property
    def weakest(self) -> Recovery:
        return self.tests[0]

    @property
    def follows(self) -> bool:
        """In each of its tests."""
        return self.weakest.follows

    @property
    def label(self) -> str:
        return " ".join(filter(None, [self.instrument, self.name, self.way and f"({self.way})"]))

    @property
    def certificate(self) -> str:
        """The name of the certificate that it is from."""
        return named(self.instrument, self.kind, self.lang)

    @property
    def rates(self) -> list[float]:
        """How often p is at most .05 where nothing was planted, in each test that has a p."""
        return [test.false_positive_rate for test in self.tests if test.false_positive_rate is not None]

    @property
    def p_fails(self) -> bool:
        return any(test.p_fails for test in self.tests)


def ranking(certificates: Iterable[Mapping[str, Any]]) -> list[Ranked]:
    """By capability and language; within them the number that follows best first, judged by its weakest test."""
    found = [row for certificate in certificates for row in _of(certificate)]
    return sorted(found, key=lambda row: (row.capability, row.lang, _place(row), row.instrument, row.kind, row.label))


def recovers(ranked: Sequence[Ranked], lang: str, instrument: str) -> list[Ranked]:
    """The numbers with which an instrument decides in a language, one for each kind of model and way, the headline
    first; nothing where it has no certificate."""
    tool = load_instrument(instrument)
    return [row for row in ranked if (row.instrument, row.lang, row.name) == (instrument, lang, tool.headline)]


def _of(certificate: Mapping[str, Any]) -> list[Ranked]:
    """The numbers that an instrument stands behind; details, such as single pairs or classes, are left out where the
    number is there for all of them."""
    tool = load_instrument(certificate["instrument"])
    known = recoveries(certificate)
    parts: dict[tuple[str, str], dict[str, list[str]]] = {}
    # The longest prefix first: a measure of a way begins with it, one of the usual way with its test.
    prefixes = sorted({str(way["prefix"]) for way in certificate["ways"]}, key=len, reverse=True)
    for measure in (name for name, found in known.items() if found.planted):
        prefix = next((prefix for prefix in prefixes if prefix and measure.startswith(f"{prefix} ")), "")
        words = measure.removeprefix(prefix).split()
        name = next((name for name in tool.deciding if name in words), None)
        if name is not None:
            group = " ".join(words[words.index(name) + 1 :])
            parts.setdefault((prefix, name), {}).setdefault(group, []).append(measure)
    ranked = []
    for (prefix, name), groups in parts.items():
        whole = [group for group in ("", "all") if group in groups]
        tests = [known[measure] for group in whole or groups for measure in groups[group]]
        ranked.append(
            Ranked(
                **{key: certificate[key] for key in ("instrument", "version", "capability", "kind", "lang")},
                way=prefix,
                name=name,
                tests=tuple(sorted(tests, key=_following)),
            )
        )
    return ranked


def _following(test: Recovery) -> float:
    return -2.0 if test.rank_correlation is None else test.rank_correlation


def _place(row: Ranked) -> tuple[float, float]:
    """Of numbers whose weakest tests follow alike, the one that does so in its lowest seed."""
    lowest = row.weakest.lowest_of_a_seed
    return -_following(row.weakest), 2.0 if lowest is None else -lowest


def ranking_page(certificates: Sequence[Mapping[str, Any]], certificate: str = "") -> str:
    """The ranking in Markdown, as a research result. Says nothing that the certificates do not.

    `certificate` is where the page of one lies, such as `certificates/{}.md`, if there are such pages: kinds of models
    link there.
    """
    ranked = ranking(certificates)
    blocks = [
        "# Which measure finds the bias that was planted?",
        "Written by `tiltmeter list certificates -o docs/ranking.md` from the certificates that ship with the package.",
        "## Question",
        "Instruments that measure gender bias differ in what they ask and how they count. Which of their numbers "
        "follow a bias whose size is known, and which of their p-values keep still where there is none? In particular: "
        f"does `{RECOVERS[0]}` recover in Spanish, German and Russian what `{RECOVERS[1]}` cannot?",
    ]
    if not ranked:
        return "\n\n".join([*blocks, "No certificate has been issued yet: there is nothing to rank.", ""])
    blocks += ["## Method", _method(certificates), "## Answer", *_answer(ranked, certificate), "## Ranking", _columns()]
    for capability in dict.fromkeys(row.capability for row in ranked):
        blocks.append(f"### Instruments that ask for {capability}")
        own = [row for row in ranked if row.capability == capability]
        blocks.append(_best(own))
        for lang in dict.fromkeys(row.lang for row in own):
            blocks += [f"#### {lang}", _table([row for row in own if row.lang == lang], certificate)]
    blocks += ["## What fails", *_failing(ranked), "## Limits", _limits()]
    return "\n\n".join([*blocks, ""])


def _method(certificates: Sequence[Mapping[str, Any]]) -> str:
    told = ", ".join(
        f"{kind} {len([one for one in certificates if one['kind'] == kind])}"
        for kind in dict.fromkeys(one["kind"] for one in certificates)
    )
    return (
        "Models are made whose bias is known: texts in which words stand with women and men by a dose, and what is "
        "learnt from them. Each instrument then measures them as it would measure any other; "
        f"[calibration](calibration.md) says how. Certificates by kind of model: {told}. A number is judged by "
        "Spearman's correlation with the dose over seeds; it follows where that is "
        f"{FOLLOWS:g} or more. Of several dials, the one that it follows best counts; of several tests, the table "
        "shows "
        "the one that follows least."
    )


def _columns() -> str:
    return (
        "**Rank correlation** with the dose, with its 95% interval over seeds; **lowest seed**. **p**: how often it is "
        f"at most {ALPHA:g} where nothing was planted, the highest of its tests (*published*: a paper's p, only told; "
        "bold: ours, and more often than it may be, perhaps only in models that are read with their own classes). "
        "**Own classes**: the same, counted in models without bias that are read with their own classes; chance alone "
        "makes 3 of 20, or 2 of 5, in less than one of ten certificates. **Power** of the two-sided p at a weak dose "
        "with the most text, and **split halves** (reliability over items; 0 where halves do not agree), the lowest "
        "of its tests. A dash is a number that the certificate does not have."
    )


def _table(rows: Sequence[Ranked], certificate: str) -> str:
    return "\n".join(
        [
            "| | number | model | dial | tests | rank correlation | 95% interval | lowest seed | p | own classes "
            "| power | split halves |",
            "| ---: | --- | --- | --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |",
            *(_line(place, row, certificate) for place, row in enumerate(rows, start=1)),
        ]
    )


def _line(place: int, row: Ranked, certificate: str) -> str:
    weakest = row.weakest
    cells = [
        str(place),
        f"`{row.label}`" + ("" if row.follows else " does not follow"),
        _kind(row, certificate),
        weakest.dial,
        str(len(row.tests)),
        _number(weakest.rank_correlation),
        _interval(weakest.ci),
        _number(weakest.lowest_of_a_seed),
        _rate(row),
        _own_classes(row),
        _share(_lowest(test.power for test in row.tests)),
        _number(_lowest(test.reliability for test in row.tests)),
    ]
    return f"| {' | '.join(cells)} |"


def _kind(row: Ranked, certificate: str) -> str:
    return f"[{row.kind}]({certificate.format(row.certificate)})" if certificate else row.kind


def _rate(row: Ranked) -> str:
    if not row.rates:
        return "–"
    told = f"{max(row.rates):.1%}"
    if row.p_fails:
        return f"**{told}**"
    return f"{told}, *published*" if any(test.published for test in row.tests) else told


def _own_classes(row: Ranked) -> str:
    counted = [test.own_classes for test in row.tests if test.own_classes]
    return "{} of {}".format(*max(counted)) if counted else "–"


def _best(rows: Sequence[Ranked]) -> str:
    """In which languages at least one number follows what was planted, and in which none does."""
    languages = dict.fromkeys(row.lang for row in rows)
    best = {lang: next(row for row in rows if row.lang == lang) for lang in languages}
    following = [f"{lang} (`{row.label}`, {row.kind})" for lang, row in best.items() if row.follows]
    none = [lang for lang, row in best.items() if not row.follows]
    sentences = [
        *([f"A number follows what was planted in {', '.join(following)}."] if following else []),
        *([f"No number follows what was planted in {', '.join(none)}."] if none else []),
    ]
    return " ".join(sentences)


def _answer(ranked: Sequence[Ranked], certificate: str) -> list[str]:
    """The two instruments side by side, language by language, and what that says."""
    one, other, languages = RECOVERS
    lines = []
    verdicts: dict[str, list[str]] = {}
    for lang in languages:
        ours, theirs = recovers(ranked, lang, one), recovers(ranked, lang, other)
        for row in (*ours, *theirs):
            weakest = row.weakest
            cells = [lang, f"`{row.label}`", _kind(row, certificate), weakest.dial, _number(weakest.rank_correlation)]
            cells += [_interval(weakest.ci), _number(weakest.lowest_of_a_seed), "yes" if row.follows else "no"]
            lines.append(f"| {' | '.join(cells)} |")
        for kind in dict.fromkeys(row.kind for row in (*ours, *theirs)) or ["any"]:
            verdict = _verdict([row for row in ours if row.kind == kind], [row for row in theirs if row.kind == kind])
            verdicts.setdefault(verdict, []).append(lang if kind == "any" else f"{lang} ({kind})")
    head = [
        "| lang | headline | model | dial | rank correlation | 95% interval | lowest seed | follows |",
        "| --- | --- | --- | --- | ---: | --- | ---: | --- |",
    ]
    table = ["\n".join([*head, *lines])] if lines else []
    return [*table, "\n".join(f"- {', '.join(where)}: {verdict}." for verdict, where in verdicts.items())]


def _verdict(ours: Sequence[Ranked], theirs: Sequence[Ranked]) -> str:
    """Whether the first recovers what the second does not. By the usual options; other ways stand in the table."""
    one, other, _ = RECOVERS
    pair = [next((row for row in rows if not row.way), None) for rows in (ours, theirs)]
    missing = [f"`{name}`" for name, row in zip((one, other), pair, strict=True) if row is None]
    if pair[0] is None or pair[1] is None:
        return f"not known: there is no certificate for {' and '.join(missing)}"
    first, second = pair[0], pair[1]
    if first.follows and not second.follows:
        apart = _apart(first.weakest, second.weakest)
        return f"yes, `{one}` follows what was planted and `{other}` does not{apart}"
    if first.follows:
        return f"both follow the stereotype that was planted: `{other}` misses nothing here that `{one}` finds"
    if second.follows:
        return f"no, `{other}` follows what was planted and `{one}` does not"
    return "no, neither follows what was planted"


def _apart(first: Recovery, second: Recovery) -> str:
    """Whether their intervals leave each other out."""
    if first.ci is None or second.ci is None:
        return ", by correlations of which not both have an interval"
    return "" if first.ci[0] > second.ci[1] else ", yet their intervals overlap"


def _failing(ranked: Sequence[Ranked]) -> list[str]:
    """What the certificates warn of, of the numbers above."""
    told = [
        f"- {row.instrument}, {row.kind}, {row.lang}: {sentence}."
        for row in ranked
        for test in row.tests
        for sentence in test.failures
    ]
    return ["\n".join(told)] if told else ["None of these numbers fails."]


def _limits() -> str:
    return "\n".join(
        [
            "- The texts and models are made, small, and of one kind of bias. A number that follows there need not "
            "follow in a large model; one that does not follow there has little to show for itself.",
            "- Language models have 2 layers of 64, models of inference 2 of 128; ten seeds of the latter go on from "
            "five that learnt inference, so that they are less independent than they are counted.",
            "- A p that asks whether a model leans over all words is told with its rate and held to nothing: a model "
            "that learnt a text without bias may come to lean.",
            "- Languages are ranked apart: other words and other grammar make other worlds, so that a correlation in "
            "one language does not compare with that in another.",
            "- A rank correlation asks for order alone. A number may follow the dose and be full at half of it, or "
            "lean where nothing was planted: the certificates have the means at each dose.",
            "- Rates of false positives hold for worlds made so ([how to take them](calibration.md)).",
            "- Numbers that differ by less than their intervals are ranked all the same.",
        ]
    )


def _lowest(values: Iterable[float | None]) -> float | None:
    return min((value for value in values if value is not None), default=None)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.0%}"


def _interval(limits: tuple[float, float] | None) -> str:
    return "–" if limits is None else f"{limits[0]:.3f} to {limits[1]:.3f}"
