"""WEAT: do two sets of target words differ in how near they are to male and to female words?

Caliskan, Bryson and Narayanan (2017), Science 356(6334), 183-186. For targets X, Y and attributes A, B:

    s(w, A, B) = mean_a cos(w, a) - mean_b cos(w, b)
    statistic  = sum_x s(x, A, B) - sum_y s(y, A, B)
    d          = (mean_x s(x, A, B) - mean_y s(y, A, B)) / sd

with sd, ddof = 1, over the s of all targets (`caliskan`) or over the raw mean similarities of all targets to A and
to B (`pestova`, as the Russian study's code has it). d > 0: X leans to A (male), Y to B (female); 0 is neutral, and
further away is worse. Two p-values: the published one re-splits the targets; ours swaps a and b within each pair.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
import polars as pl

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments._association import Denominator, Similarities, bootstrap_intervals, effect_size
from tiltmeter.instruments.instrument import Findings, Instrument, option
from tiltmeter.packs import Pack, WeatTest
from tiltmeter.results import Estimate, Figure, Note
from tiltmeter.statistics import PermutationTest, flip_signs, permute_groups
from tiltmeter.subjects import Found, Subject, VectorSubject

FEW = 8
"""Below this many words in a set the interval is flagged: it resamples too few words to be trusted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WeatOptions:
    effect_size: Denominator = option(
        "caliskan", "Denominator of d: deviation of the associations, or of the raw mean similarities."
    )
    only: str = option("", "Names of the tests to run, comma separated; all of the pack without it.")
    match: str = option("auto", "How words are matched: auto, or any of exact,lower-case,yo in order.")
    adjectives: Literal["auto", "average", "citation"] = option(
        "auto", "Average masculine and feminine forms of adjectives, or take the listed form."
    )
    max_lost: float = option(0.2, "Share of a set that may be missing from the vocabulary before a test is void.")
    seed: int = option(0, "Seed of the resampling.")

    def __post_init__(self) -> None:
        if not 0 <= self.max_lost < 1:
            raise TiltmeterError(f"--max-lost is a share from 0 up to but not including 1, not {self.max_lost}")


def list_items(pack: Pack, options: WeatOptions) -> pl.DataFrame:
    """One row for each target and attribute of a test: the cosine between them is the question."""
    return pl.DataFrame(
        [
            {
                "test": test.name,
                "target": target.text,
                "target_set": target_set,
                "target_label": target_label,
                "attribute": attribute.text,
                "attribute_set": attribute_set,
                "attribute_label": attribute_label,
                "pair": pair,
            }
            for test in _chosen(pack, options)
            for target_set, target_label, targets in (("x", test.labels[0], test.x), ("y", test.labels[1], test.y))
            for target in targets
            for attribute_set, attribute_label, attributes in (
                ("a", test.attribute_labels[0], test.a),
                ("b", test.attribute_labels[1], test.b),
            )
            for pair, attribute in enumerate(attributes)
        ]
    )


def count_questions(items: pl.DataFrame) -> int:
    """Distinct words: each is looked up once."""
    return pl.concat([items["target"], items["attribute"]]).n_unique()


def answer(items: pl.DataFrame, subject: Subject, pack: Pack, options: WeatOptions) -> tuple[pl.DataFrame, list[Note]]:
    """Adds `cosine` and the spelling found for each word; a lost word leaves null."""
    tests = _chosen(pack, options)
    words = [word for test in tests for word in (*test.x, *test.y, *test.a, *test.b)]
    found = cast(VectorSubject, subject).vectors(words, match=options.match, adjectives=options.adjectives)
    cosines = [
        float(found.vectors[target] @ found.vectors[attribute])
        if target in found.vectors and attribute in found.vectors
        else None
        for target, attribute in items.select("target", "attribute").iter_rows()
    ]
    answered = items.with_columns(
        pl.Series("cosine", cosines, dtype=pl.Float64),
        *(
            pl.Series(f"{role}_form", [found.forms.get(word) for word in items[role]], dtype=pl.String)
            for role in ("target", "attribute")
        ),
    )
    return answered, [*_matching_notes(found), *_grammar_notes(tests)]


def estimate(items: pl.DataFrame, options: WeatOptions) -> Findings:
    """All tests of an answered items table."""
    estimates: list[Estimate] = []
    notes: list[Note] = [PUBLISHED_P]
    for (name,), rows in items.group_by("test", maintain_order=True):
        found, said = _estimate_test(str(name), rows, options)
        estimates += found
        notes += said
    return Findings(estimates=tuple(estimates), figures=(_figure(items, estimates),), notes=tuple(notes))


INSTRUMENT = Instrument(
    name="weat",
    version="1",
    title="Word Embedding Association Test",
    measures="whether two topics differ in how near their words lie to male and to female words",
    formula="d = (mean s(x,A,B) - mean s(y,A,B)) / sd, with s(w,A,B) = mean cos(w,a) - mean cos(w,b)",
    reading="0 is neutral and further away is worse; above 0 the first topic leans male and the second female",
    reference="Caliskan, Bryson and Narayanan (2017), Science 356(6334), 183-186, doi:10.1126/science.aal4230",
    capability="vectors",
    lists=("weat",),
    options=WeatOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
)

PUBLISHED_P = Note(
    kind="caveat",
    text=(
        "The published p-value (target-permutation) treats the target words as independent; where the targets are "
        "coherent topics it rejects a true null far more often than 5% (see docs/statistics.md). Rely on "
        "effect_size_sign_flip, which swaps male and female within each attribute pair."
    ),
)


def _chosen(pack: Pack, options: WeatOptions) -> list[WeatTest]:
    names = [name.strip() for name in options.only.split(",") if name.strip()]
    for name in names:
        if name not in {test.name for test in pack.weat}:
            raise unknown("test", name, [test.name for test in pack.weat])
    return [test for test in pack.weat if not names or test.name in names]


def _matching_notes(found: Found) -> list[Note]:
    respelled = {word: form for word, form in found.forms.items() if form != word and word not in found.averaged}
    notes = [
        Note(
            kind="matching",
            text=f"Words were matched by {', '.join(found.policies)}; {len(respelled)} stand in the vocabulary in "
            "another spelling.",
            details={"policies": list(found.policies), "respelled": respelled},
        )
    ]
    if found.averaged:
        notes.append(
            Note(
                kind="adjectives",
                text=f"The vocabulary holds word forms: {len(found.averaged)} adjectives are the average of their "
                "masculine and feminine forms.",
                details={"averaged": list(found.averaged)},
            )
        )
    if found.lost:
        notes.append(
            Note(
                kind="lost-words",
                text=f"{len(found.lost)} words have no vector: {', '.join(found.lost)}.",
                details={"reasons": dict(found.lost)},
            )
        )
    return notes


def _grammar_notes(tests: Iterable[WeatTest]) -> list[Note]:
    """Published sets that confound the topic with grammatical gender are measured as published, and said to be so."""
    notes = []
    for test in tests:
        in_x, in_y = test.gender_counts()
        if in_x != in_y:
            notes.append(
                Note(
                    kind="grammatical-gender",
                    test=test.name,
                    text=f"{test.labels[0]} and {test.labels[1]} differ in the grammatical genders of their nouns "
                    f"({_counted(in_x)} against {_counted(in_y)}), so part of d may be grammar.",
                    details={"x": in_x, "y": in_y},
                )
            )
    return notes


def _counted(genders: dict[str, int]) -> str:
    return " ".join(f"{count}{gender}" for gender, count in genders.items()) or "none"


def _estimate_test(name: str, rows: pl.DataFrame, options: WeatOptions) -> tuple[list[Estimate], list[Note]]:
    sizes = {role: _words(rows, role).height for role in "xyab"}
    lost = {role: _words(rows, role).filter(pl.col("form").is_null())["word"].to_list() for role in "xyab"}
    n = sizes["x"] + sizes["y"] - len(lost["x"]) - len(lost["y"])
    counts = (n, sum(map(len, lost.values())))
    void = [
        f"{len(lost[role])} of the {sizes[role]} words of {role.upper()}"
        for role in sizes
        if len(lost[role]) > options.max_lost * sizes[role]
    ]
    similarities = None if void else _similarities(rows)
    if similarities is None or similarities.smallest < 2:
        why = f"{' and '.join(void)} have no vector" if void else "fewer than two words of a set are left"
        note = Note(
            kind="void",
            test=name,
            text=f"no value: {why} (at most {options.max_lost:.0%} of a set may be lost, --max-lost).",
            details=lost,
        )
        return [_estimate(name, estimate, None, counts) for estimate in _NAMES], [note]

    x, y = similarities.associations()
    d = effect_size(similarities, options.effect_size)
    intervals = bootstrap_intervals(similarities, options.effect_size, seed=options.seed)
    published = permute_groups(x, y, seed=options.seed)
    ours = flip_signs(similarities.pair_differences(), seed=options.seed)
    estimates = [
        _estimate(name, "statistic", float(x.sum() - y.sum()), counts, intervals["statistic"]),
        _estimate(name, "effect_size", d, counts, intervals["effect_size"], published, "target-permutation"),
        _estimate(name, "effect_size_sign_flip", d, counts, intervals["effect_size"], ours, "attribute-sign-flip"),
    ]
    return estimates, _test_notes(name, rows, similarities, estimates[-1])


_NAMES = ("statistic", "effect_size", "effect_size_sign_flip")


def _words(rows: pl.DataFrame, role: str) -> pl.DataFrame:
    """The words of one of the four sets, in order, with the form found for each."""
    kind = "target" if role in "xy" else "attribute"
    return (
        rows.filter(pl.col(f"{kind}_set") == role)
        .select(word=kind, form=f"{kind}_form", pair="pair")
        .unique("word", keep="first", maintain_order=True)
    )


def _similarities(rows: pl.DataFrame) -> Similarities:
    """The cosines of the words found; a pair of attributes that lost one word is left out with both."""
    found = {role: _words(rows, role).filter(pl.col("form").is_not_null()) for role in "xyab"}
    pairs = found["a"].join(found["b"], on="pair", how="inner", maintain_order="left", suffix="_b")
    cosine = {
        (target, attribute): value
        for target, attribute, value in rows.select("target", "attribute", "cosine").iter_rows()
    }
    columns = {"a": pairs["word"].to_list(), "b": pairs["word_b"].to_list()}
    return Similarities(
        **{
            f"{role}_{side}": np.array(
                [[cosine[target, attribute] for attribute in attributes] for target in found[role]["word"]]
            ).reshape(found[role].height, len(attributes))
            for role in "xy"
            for side, attributes in columns.items()
        }
    )


def _estimate(
    test: str,
    name: str,
    value: float | None,
    counts: tuple[int, int],
    interval: tuple[float, float] | None = None,
    p: PermutationTest | None = None,
    p_method: str = "",
) -> Estimate:
    return Estimate(
        test=test,
        name=name,
        value=value,
        worse="away",
        neutral=0,
        ci_low=interval[0] if interval else None,
        ci_high=interval[1] if interval else None,
        ci_method="bootstrap-percentile over targets and attribute pairs" if interval else None,
        p_value=p.p_value if p else None,
        p_two_sided=p.p_two_sided if p else None,
        p_method=f"{p_method}, {p.method}, {p.arrangements} arrangements, one-sided" if p else None,
        n=counts[0],
        lost=counts[1],
    )


def _test_notes(name: str, rows: pl.DataFrame, similarities: Similarities, ours: Estimate) -> list[Note]:
    labels = {role: _label(rows, role) for role in "xyab"}
    notes = []
    if ours.value is not None:
        notes.append(Note(kind="reading", test=name, text=_reading(labels, ours)))
    left = {role: int(getattr(similarities, f"{role}_a").shape[0]) for role in "xy"}
    left["pairs"] = int(similarities.x_a.shape[1])
    if similarities.smallest < FEW:
        notes.append(
            Note(
                kind="few-words",
                test=name,
                text=f"rests on {left['x']} and {left['y']} targets and {left['pairs']} attribute pairs; below "
                f"{FEW} words in a set its interval is too narrow to be trusted.",
                details=left,
            )
        )
    return notes


def _reading(labels: dict[str, str], found: Estimate) -> str:
    """The test in plain words: which way, how far, how sure."""
    male, female = ("a", "b") if (found.value or 0) >= 0 else ("b", "a")
    p = 1.0 if found.p_two_sided is None else found.p_two_sided
    one_sided = (found.ci_low or 0) > 0 or (found.ci_high or 0) < 0
    if p >= 0.05:
        sure = "chance cannot be ruled out"
    elif one_sided:
        sure = "hardly chance"
    else:
        sure = "hardly chance for these very words, but others of the same topics might not show it"
    return (
        f"{labels['x']} leans {labels[male]} and {labels['y']} leans {labels[female]}, each compared with the other: "
        f"d = {found.value:.2f} (95% interval {found.ci_low:.2f} to {found.ci_high:.2f}); {sure} "
        f"(two-sided p = {p:.3g} by attribute sign flip, before correction)."
    )


def _label(rows: pl.DataFrame, role: str) -> str:
    kind = "target" if role in "xy" else "attribute"
    return str(rows.filter(pl.col(f"{kind}_set") == role)[f"{kind}_label"][0])


def _figure(items: pl.DataFrame, estimates: Iterable[Estimate]) -> Figure:
    titles = {
        str(name): f"{name}: {_label(rows, 'x')} / {_label(rows, 'y')}"
        for (name,), rows in items.group_by("test", maintain_order=True)
    }
    return Figure(
        kind="intervals",
        title="WEAT effect size d with its 95% interval",
        rows=tuple(
            {"test": titles[row.test], "d": row.value, "low": row.ci_low, "high": row.ci_high}
            for row in estimates
            if row.name == "effect_size" and row.value is not None
        ),
        x="d",
        y="test",
        low="low",
        high="high",
        neutral=0,
        caption="Above 0 the first topic leans male and the second female; below 0 the other way round.",
    )
