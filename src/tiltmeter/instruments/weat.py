"""WEAT: do two sets of target words differ in how near they are to male and to female words?

Caliskan, Bryson and Narayanan (2017), Science 356(6334), 183-186. For targets X, Y and attributes A, B:

    s(w, A, B) = mean_a cos(w, a) - mean_b cos(w, b)
    statistic  = sum_x s(x, A, B) - sum_y s(y, A, B)
    d          = (mean_x s(x, A, B) - mean_y s(y, A, B)) / sd

with sd, ddof = 1, over the s of all targets (`caliskan`) or over the raw mean similarities of all targets to A and
to B (`pestova`, as the Russian study's code has it). d > 0: X leans to A (male), Y to B (female); 0 is neutral, and
further away is worse. Three p-values: the published one re-splits the targets; one swaps a and b within each pair and
speaks of these vectors as they are; one takes targets and pairs as drawn and speaks of the text they were learnt from.

In a language with grammatical gender two things stand beside it (McCurdy and Serbetci 2017): the same test on masculine
against feminine nouns that name things (`grammar`), and d with grammatical gender taken out: from the similarities of
each noun is taken what inanimate nouns of its gender have more than masculine and feminine ones on average
(`effect_size_without_grammar`; its interval and p take these averages as known).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from tiltmeter.instruments._association import Denominator, Similarities, bootstrap_intervals, effect_size
from tiltmeter.instruments._bibliography import CALISKAN, MCCURDY
from tiltmeter.instruments._queries import (
    QueryOptions,
    by_test,
    chosen_tests,
    find_words,
    grammar_notes,
    matching_notes,
    void_note,
    void_sets,
)
from tiltmeter.instruments._weat_differences import weat_differences
from tiltmeter.instruments._weat_items import (
    COLUMNS,
    GenderMeans,
    all_words,
    attributes_of,
    gender_means,
    is_grammar,
    similarities_in,
    without_grammar,
)
from tiltmeter.instruments._weat_wording import figures_of, notes_of, topics
from tiltmeter.instruments.instrument import Findings, Instrument, Layout, Paired, option
from tiltmeter.packs import GRAMMAR_TEST, Pack, WeatTest, Word
from tiltmeter.results import Estimate, Note
from tiltmeter.statistics import BRISK, THOROUGH, CrossedTest, PermutationTest, crossed_t, flip_signs, permute_groups
from tiltmeter.subjects import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class WeatOptions(QueryOptions):
    effect_size: Denominator = option(
        "caliskan", "Denominator of d: deviation of the associations, or of the raw mean similarities."
    )


def list_items(pack: Pack, options: QueryOptions) -> pl.DataFrame:
    """One row for each target and attribute of a test: the cosine between them is the question."""
    tests = chosen_tests(pack, options)
    return pl.DataFrame(
        [
            {
                "test": test.name,
                "target": target.text,
                "target_set": target_set,
                "target_label": label,
                "target_gender": target.gender if target.pos == "NOUN" else "",
                "attribute": attribute.text,
                "attribute_set": attribute_set,
                "attribute_label": attribute_label,
                "pair": pair,
            }
            for test, target_sets in _asked(tests, pack)
            for target_set, label, targets in target_sets
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


def answer(items: pl.DataFrame, subject: Subject, pack: Pack, options: QueryOptions) -> tuple[pl.DataFrame, list[Note]]:
    """Adds `cosine` and the spelling found for each word; a lost word leaves null."""
    tests = [test for test in chosen_tests(pack, options) if test.name in items["test"]]
    known = {
        word.text: word
        for test, target_sets in _asked(chosen_tests(pack, options), pack)
        for part in (*(targets for _, _, targets in target_sets), test.a, test.b)
        for word in part
    }
    words = [known[text] for text in pl.concat([items["target"], items["attribute"]]).unique(maintain_order=True)]
    found = find_words(subject, words, options)
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
    return answered, [*matching_notes(found), *grammar_notes(tests)]


def estimate(items: pl.DataFrame, options: WeatOptions) -> Findings:
    """All tests of an answered items table."""
    estimates: list[Estimate] = []
    notes: list[Note] = [PUBLISHED_P]
    tests = by_test(items)
    grammar = _grammar(tests, options)
    for name, rows in tests:
        means = None if is_grammar(name) else grammar.get(attributes_of(rows))
        found, said = _estimate_test(name, rows, means, options)
        estimates += found
        notes += said
    return Findings(
        estimates=tuple(estimates),
        figures=tuple(figures_of(items, estimates)),
        notes=tuple(notes),
        tests=topics(items),
    )


def bare_estimates(items: pl.DataFrame, options: WeatOptions) -> list[Estimate]:
    """Values and p-values of all tests but the controls, without intervals: what a thousand worlds are asked."""
    tests = by_test(items)
    grammar = _grammar(tests, options)
    return [
        estimate
        for name, rows in tests
        if not is_grammar(name)
        for estimate in _estimate_test(name, rows, grammar.get(attributes_of(rows)), options, bare=True)[0]
    ]


def differences(before: pl.DataFrame, after: pl.DataFrame, options: WeatOptions) -> list[Paired]:
    return weat_differences(before, after, options, estimate)


INSTRUMENT = Instrument(
    name="weat",
    version="4",
    title="Word Embedding Association Test",
    measures="whether two topics differ in how near their words lie to male and to female words",
    formula="d = (mean s(x,A,B) - mean s(y,A,B)) / sd, with s(w,A,B) = mean cos(w,a) - mean cos(w,b)",
    reading="0 is neutral and further away is worse; above 0 the first topic leans more male than the second",
    reference="Caliskan, Bryson and Narayanan (2017), Science 356(6334), 183-186, doi:10.1126/science.aal4230",
    bibtex=CALISKAN + MCCURDY,
    headline="effect_size",
    verdict=(("effect_size_without_grammar", "effect_size_both"),),
    columns=COLUMNS,
    score="cosine",
    side="effect_size",
    layouts=(
        Layout(
            title="WEAT: effect size d and the published p",
            names=("effect_size",),
            rows=("test",),
            columns=("subject",),
            cells=("value", "p_value"),
            each_language=True,
        ),
        Layout(
            title="WEAT: effect size d and the p over targets and attribute pairs",
            names=("effect_size_both",),
            rows=("test",),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
            each_language=True,
        ),
        Layout(
            title="WEAT: effect size d with grammatical gender taken out",
            names=("effect_size_without_grammar",),
            rows=("test",),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
            each_language=True,
        ),
    ),
    capability="vectors",
    lists=("weat",),
    extras=("inanimate_nouns",),
    options=WeatOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
    differences=differences,
)

PUBLISHED_P = Note(
    kind="caveat",
    text=(
        "The published p-value (target-permutation) treats the target words as independent; where the targets are "
        "coherent topics it rejects a true null far more often than 5% (see docs/statistics.md). "
        "effect_size_sign_flip swaps male and female within each attribute pair and speaks of these vectors as they "
        "are, with all that chance put into their text. To say something of the source of that text, rely on "
        "effect_size_both, or where there is one on effect_size_without_grammar, whose p takes targets and pairs as "
        "drawn. Where topics differ in grammatical gender and it can be taken out, effect_size_both has no p: without "
        "any bias grammar alone sets them apart."
    ),
)

BOTH = "targets-and-pairs"
"""What the p is called that takes both as drawn."""

_TargetSets = list[tuple[str, str, tuple[Word, ...]]]


def _asked(tests: Sequence[WeatTest], pack: Pack) -> Iterator[tuple[WeatTest, _TargetSets]]:
    """Each test with its target sets; then, where the pack has the nouns, the grammar test of each attribute set."""
    for test in tests:
        yield test, [("x", test.labels[0], test.x), ("y", test.labels[1], test.y)]
    attribute_sets = {(test.a, test.b): test for test in tests} if pack.inanimate_nouns else {}
    nouns = {
        gender: tuple(Word(entry.noun, "NOUN", gender) for entry in pack.inanimate_nouns if entry.gender == gender)
        for gender in "mfn"
    }
    for number, test in enumerate(attribute_sets.values(), start=1):
        name = GRAMMAR_TEST if len(attribute_sets) == 1 else f"{GRAMMAR_TEST}-{number}"
        sets = [
            ("x", "masculine gender", nouns["m"]),
            ("y", "feminine gender", nouns["f"]),
            ("n", "neuter gender", nouns["n"]),
        ]
        yield replace(test, name=name), sets


def _grammar(tests: Sequence[tuple[str, pl.DataFrame]], options: WeatOptions) -> dict[tuple[str, ...], GenderMeans]:
    """What grammar does to the similarities with each attribute set that has a control."""
    return {attributes_of(rows): gender_means(rows, options) for name, rows in tests if is_grammar(name)}


def _estimate_test(
    name: str, rows: pl.DataFrame, grammar: GenderMeans | None, options: WeatOptions, *, bare: bool = False
) -> tuple[list[Estimate], list[Note]]:
    names = [*_NAMES, *((_WITHOUT_GRAMMAR,) if grammar is not None else ())]
    words = all_words(rows)
    lost, void = void_sets(words, options)
    targets = words.filter(pl.col("role").is_in(["x", "y"]))
    counts = (targets.drop_nulls("form").height, sum(map(len, lost.values())))
    if void:
        return [_estimate(name, each, None, counts) for each in names], [void_note(name, void, lost, options)]

    def intervals(of: Similarities) -> Mapping[str, tuple[float, float]]:
        return {} if bare else bootstrap_intervals(of, options.effect_size, seed=options.seed)

    similarities = similarities_in(rows)
    x, y = similarities.associations()
    d = effect_size(similarities, options.effect_size)
    limits = intervals(similarities)
    of_d = limits.get("effect_size")
    published = permute_groups(x, y, seed=options.seed, **(BRISK if bare else THOROUGH))
    flips = flip_signs(similarities.pair_differences(), seed=options.seed)
    both = crossed_t(*similarities.by_pair())
    estimates = [
        _estimate(name, "statistic", float(x.sum() - y.sum()), counts, limits.get("statistic")),
        _estimate(name, "effect_size", d, counts, of_d, published, "target-permutation"),
        _estimate(name, "effect_size_sign_flip", d, counts, of_d, flips, "attribute-sign-flip"),
        _estimate(name, "effect_size_both", d, counts, of_d, None if grammar and _uneven(rows) else both, BOTH),
    ]
    notes = []
    if grammar:
        rid = similarities_in(without_grammar(rows, grammar))
        interval = intervals(rid).get("effect_size")
        value = effect_size(rid, options.effect_size)
        estimates.append(_estimate(name, _WITHOUT_GRAMMAR, value, counts, interval, crossed_t(*rid.by_pair()), BOTH))
    elif grammar is not None:
        estimates.append(_estimate(name, _WITHOUT_GRAMMAR, None, counts))
        text = "grammar could not be taken out: too many inanimate nouns have no vector."
        notes.append(Note(kind="void", caution="tests without a result", test=name, text=text))
    return estimates, [] if bare else [*notes_of(name, rows, similarities, estimates), *notes]


def _uneven(rows: pl.DataFrame) -> bool:
    """Whether the nouns of one topic, of those that were found, have other grammatical genders than those of the other:
    then their d is not 0 without any bias, and only the p of what is left once grammar is taken out asks about bias."""
    nouns = rows.drop_nulls("target_form").filter(pl.col("target_gender") != "").unique(["target_set", "target"])
    of_x, of_y = (nouns.filter(pl.col("target_set") == one)["target_gender"].sort().to_list() for one in "xy")
    return of_x != of_y


_NAMES = ("statistic", "effect_size", "effect_size_sign_flip", "effect_size_both")
_WITHOUT_GRAMMAR = "effect_size_without_grammar"


def _estimate(
    test: str,
    name: str,
    value: float | None,
    counts: tuple[int, int],
    interval: tuple[float, float] | None = None,
    p: PermutationTest | CrossedTest | None = None,
    p_method: str = "",
) -> Estimate:
    p = p if p and p.p_value == p.p_value else None  # not a number where nothing varies
    return Estimate(
        test=test,
        name=name,
        group={"control": "grammatical gender"} if is_grammar(test) else {},
        value=value,
        worse="away",
        neutral=0,
        ci_low=interval[0] if interval else None,
        ci_high=interval[1] if interval else None,
        ci_method="bootstrap-percentile over targets and attribute pairs" if interval else None,
        p_value=p.p_value if p else None,
        p_two_sided=p.p_two_sided if p else None,
        p_method=p.described(p_method, sides="one-sided") if p else None,
        n=counts[0],
        lost=counts[1],
    )
