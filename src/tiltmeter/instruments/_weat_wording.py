"""What WEAT says in words and draws."""

from collections.abc import Iterable, Iterator, Mapping

import polars as pl

from tiltmeter.instruments._association import Similarities
from tiltmeter.instruments._queries import ROLES, by_test
from tiltmeter.instruments._weat_items import label_of, similarities_in, words_of
from tiltmeter.results import LEVEL, Estimate, Figure, Note

FEW = 8
"""Below this many words in a set the interval is flagged: it resamples too few words to be trusted."""

SIDED = ("effect_size", "effect_size_sign_flip", "effect_size_both", "effect_size_without_grammar")
"""The estimates whose sign says which topic leans where."""


def notes_of(name: str, rows: pl.DataFrame, similarities: Similarities, estimates: Iterable[Estimate]) -> list[Note]:
    labels = {role: label_of(rows, role) for role in ROLES}
    known = {row.name: row for row in estimates if row.value is not None}
    notes = []
    if "effect_size_both" in known:
        notes.append(_reading(labels, known["effect_size_both"], known.get("effect_size_without_grammar")))
    left = {"x": len(similarities.x_a), "y": len(similarities.y_a), "pairs": len(similarities.x_a.T)}
    if similarities.smallest < FEW:
        notes.append(
            Note(
                kind="few-words",
                caution="few words",
                test=name,
                text=f"rests on {left['x']} and {left['y']} targets and {left['pairs']} attribute pairs; below "
                f"{FEW} words in a set its interval is too narrow to be trusted.",
                details=left,
            )
        )
    return notes


def _reading(labels: Mapping[str, str], both: Estimate, without_grammar: Estimate | None) -> Note:
    """The test in plain words: which way, how far, how sure. Where grammar was taken out, what is left decides."""
    said = {
        side: f"{labels['x']} leans more {labels[way]} than {labels['y']}"
        for side, way in (("above", "a"), ("below", "b"))
    }
    found = without_grammar or both
    p = 1.0 if found.p_two_sided is None else found.p_two_sided
    one_sided = (found.ci_low or 0) > 0 or (found.ci_high or 0) < 0
    if p >= LEVEL:
        sure = "chance cannot be ruled out"
    elif one_sided:
        sure = "hardly chance"
    else:
        sure = "hardly chance for these very words, but others of the same topics might not show it"
    which = said["above" if (found.value or 0) >= 0 else "below"]
    also = f" with grammatical gender taken out, {both.value:.2f} with it" if without_grammar else ""
    text = (
        f"{which}: d = {found.value:.2f} (95% interval {found.ci_low:.2f} to {found.ci_high:.2f}){also}; {sure} "
        f"(two-sided p = {p:.3g} over targets and attribute pairs, before correction)."
    )
    return Note(
        kind="reading",
        test=both.test,
        text=text,
        details={"estimates": list(SIDED), "group": dict(both.group), **said},
    )


def figures_of(items: pl.DataFrame, estimates: Iterable[Estimate]) -> Iterator[Figure]:
    titles = {name: f"{name}: {words}" for name, words in topics(items).items()}
    sides = {name: (label_of(rows, "b"), label_of(rows, "a")) for name, rows in by_test(items)}
    left, right = next(iter(sides.values())) if len(set(sides.values())) == 1 else ("B", "A")
    d = f"effect size d: ← first topic {left} | {right} →"
    found = {row.test: row for row in estimates if row.name == "effect_size" and row.value is not None}
    yield Figure(
        kind="intervals",
        title="WEAT effect size d with its 95% interval",
        rows=tuple(
            {"test": titles[row.test], d: row.value, "low": row.ci_low, "high": row.ci_high} for row in found.values()
        ),
        x=d,
        y="test",
        low="low",
        high="high",
        neutral=0,
        caption=f"Above 0 the first topic leans more {right} than the second, below 0 more {left}.",
    )
    for name, rows in by_test(items):
        if name in found:
            left, right = sides[name]
            s = f"s(w, A, B): ← nearer to {left} | {right} words →"
            yield Figure(
                kind="sorted",
                title=f"{titles[name]}: s(w, A, B) of each word",
                rows=tuple({"word": word, s: value, "set": label} for word, value, label in _word_associations(rows)),
                x=s,
                y="word",
                colour="set",
                neutral=0,
                caption=f"Above 0 a word lies nearer to the {right} words, below 0 nearer to the {left} ones.",
            )


def topics(items: pl.DataFrame) -> dict[str, str]:
    """What each test compares."""
    return {name: f"{label_of(rows, 'x')} / {label_of(rows, 'y')}" for name, rows in by_test(items)}


def _word_associations(rows: pl.DataFrame) -> Iterator[tuple[str, float, str]]:
    """s(w, A, B) of every target that was found, over the attribute pairs that are whole, and the target's set."""
    similarities = similarities_in(rows)
    for role, values in zip("xy", similarities.associations(), strict=True):
        for word, value in zip(words_of(rows, role).drop_nulls("form")["word"], values, strict=True):
            yield word, float(value), label_of(rows, role)
