"""BAD: do adjectives lie nearer to gendered words in their masculine than in their feminine form?

The Binary Association Difference test. For masculine forms X and feminine forms Y of the same adjectives, male
attributes A and female attributes B (semantic gender terms, given names):

    s(w, G) = mean_g cos(w, g)                                        (equation 5)
    score   = s(x, A) - s(y, B) of one adjective;  statistic = sum of the scores   (equation 4)

Above 0 an adjective leans male, below 0 female; 0 would be neutral, but the test is uncentred: where female names lie
closer together than male ones, every score is low. So beside the published numbers stand the scores less those of
adjectives without a stereotype (`score_minus_baseline`), and those of male-stereotyped adjectives less those of
female-stereotyped ones (`stereotype_contrast`).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from tiltmeter.datasets import Rating, read_ratings
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._adjectives import (
    BASELINE,
    COLUMNS,
    PACK,
    AdjectiveOptions,
    Asked,
    baseline,
    count_forms,
    list_adjectives,
    lost_adjectives,
    mean_similarities,
    pack_adjectives,
    shared_adjectives,
)
from tiltmeter.instruments._bad_figures import figures_of, name_of
from tiltmeter.instruments._bibliography import BAD
from tiltmeter.instruments._differences import (
    Key,
    Sureness,
    contrast_change,
    correlation_change,
    key,
    mean_change,
    paired,
)
from tiltmeter.instruments._queries import by_test
from tiltmeter.instruments.instrument import Findings, Given, Instrument, Layout, Paired, file_option
from tiltmeter.packs import Pack
from tiltmeter.results import Estimate, Figure, Note
from tiltmeter.statistics import (
    BRISK,
    THOROUGH,
    Correlation,
    Interval,
    PermutationTest,
    difference_interval,
    flip_signs,
    mean_interval,
    paired_t,
    pearson,
    permute_groups,
    spearman,
)
from tiltmeter.subjects import Subject

TESTS = {"semantic-gender": "semantic_gender", "names": "names"}
CRITICAL = 5
"""So many adjectives at each end are named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BadOptions(AdjectiveOptions):
    ratings: tuple[Given, ...] = file_option(
        read_ratings, "Human ratings (word_m, word_f, rating_m, rating_f); may be given more than once.", many=True
    )

    def __post_init__(self) -> None:
        AdjectiveOptions.__post_init__(self)
        names = [PACK, BASELINE, *(file.name for file in self.ratings)]
        for place, name in enumerate(names):
            if name in names[:place]:
                raise TiltmeterError(
                    f"two lists of adjectives would be called {name!r}; give the file of ratings another name"
                )


def list_items(pack: Pack, options: BadOptions) -> pl.DataFrame:
    """The pack's adjectives, the baseline, and those of every file of ratings."""
    rated = [Asked(file.name, row.masculine, row.feminine) for file in options.ratings for row in file.content]
    return list_adjectives([*pack_adjectives(pack), *baseline(pack), *rated], list(TESTS))


def answer(items: pl.DataFrame, subject: Subject, pack: Pack, options: BadOptions) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the mean similarities, the score and the ratings' bias."""
    answered, notes = mean_similarities(
        items, subject, {test: getattr(pack, name) for test, name in TESTS.items()}, options
    )
    rated = {(file.name, row.masculine, row.feminine): row for file in options.ratings for row in file.content}
    ratings: list[Rating | None] = [
        rated.get(key) for key in items.select("adjectives", "masculine", "feminine").iter_rows()
    ]
    return answered.with_columns(
        score=pl.col("masculine_to_male") - pl.col("feminine_to_female"),
        rating_m=pl.Series([row.rating_m if row else None for row in ratings], dtype=pl.Float64),
        rating_f=pl.Series([row.rating_f if row else None for row in ratings], dtype=pl.Float64),
    ), notes


def estimate(items: pl.DataFrame, options: BadOptions) -> Findings:
    estimates: list[Estimate] = []
    notes: list[Note] = [UNCENTRED]
    figures: list[Figure] = []
    for test, rows in by_test(items):
        base, _, base_void = lost_adjectives(rows.filter(pl.col("adjectives") == BASELINE), options)
        neutral = [] if base_void else base["score"].to_list()
        if base_void:
            notes.append(Note(kind="void", caution="tests without a result", test=test, text=f"baseline: {base_void}."))
        for (source,), chosen in rows.filter(pl.col("adjectives") != BASELINE).group_by(
            "adjectives", maintain_order=True
        ):
            found, lost, void = lost_adjectives(chosen, options)
            group = {"adjectives": str(source)}
            if void:
                estimates += [_estimate(test, name, None, group, found.height, lost) for name in _NAMES]
                notes.append(Note(kind="void", caution="tests without a result", test=test, text=f"{source}: {void}."))
                continue
            estimates += _estimates(test, found, neutral, group, lost, options)
            notes.append(_critical(test, str(source), found))
            figures += figures_of(test, str(source), found, neutral)
    return Findings(estimates=tuple(estimates), figures=tuple(figures), notes=tuple(notes))


def bare_estimates(items: pl.DataFrame, options: BadOptions) -> list[Estimate]:
    """Values and p-values without intervals, the p-values of many words drawn: what a thousand worlds are asked."""
    found: list[Estimate] = []
    for test, rows in by_test(items):
        base, _, base_void = lost_adjectives(rows.filter(pl.col("adjectives") == BASELINE), options)
        neutral = [] if base_void else base["score"].to_list()
        for (source,), chosen in rows.filter(pl.col("adjectives") != BASELINE).group_by(
            "adjectives", maintain_order=True
        ):
            known, lost, void = lost_adjectives(chosen, options)
            if not void:
                found += _estimates(test, known, neutral, {"adjectives": str(source)}, lost, options, bare=True)
    return found


def differences(before: pl.DataFrame, after: pl.DataFrame, options: BadOptions) -> list[Paired]:
    """Adjectives are the units."""
    shared = shared_adjectives(before, after, "score")
    sure: dict[Key, Sureness | None] = {}
    both = shared.before.with_columns(after=shared.after["score"]).drop_nulls("score")
    both = both.with_columns(change=pl.col("after") - pl.col("score"))
    for (test, source), rows in both.group_by("test", "adjectives", maintain_order=True):
        base = both.filter((pl.col("test") == test) & (pl.col("adjectives") == BASELINE))["change"].to_list()
        if source != BASELINE:
            group = {"adjectives": str(source)}
            changes = _changes(rows, base, options)
            sure |= {key(str(test), name, group): found for name, found in changes.items()}
    found = [estimate(items, options) for items in (shared.before, shared.after)]
    return paired(found[0], found[1], sure, left_out=shared.left_out, broken=shared.broken)


INSTRUMENT = Instrument(
    name="bad",
    version="2",
    title="Binary Association Difference test",
    measures="whether adjectives lie nearer to male words in their masculine form than to female words in the feminine",
    formula="sum of s(x,A) - s(y,B), s(w,G) = mean cos(w,g), x and y the two forms of an adjective",
    reading="above 0 adjectives lean male, below 0 female; further away is worse, but only against the baseline",
    reference="Explicit Linguistic Markers of Implicit Social Biases: Gender Biases in Adjectives with Grammatical "
    "Gender (the BAD test; equations 4 and 5)",
    bibtex=BAD,
    headline="score_minus_baseline",
    verdict=(("score_minus_baseline",),),
    columns=COLUMNS | dict.fromkeys(("score", "rating_m", "rating_f"), pl.Float64),
    score="score",
    layouts=(
        Layout(
            title="BAD: paired t tests of the ratings and of the scores",
            names=("ratings_paired_t", "paired_t"),
            rows=("adjectives",),
            columns=("name", "test", "subject"),
            cells=("value", "p_value"),
            stacked=True,
        ),
        Layout(
            title="BAD: Pearson correlation of the scores with the ratings",
            names=("pearson",),
            rows=("adjectives", "subject"),
            columns=("test",),
            cells=("value", "p_value"),
            stacked=True,
        ),
        Layout(
            title="BAD: scores less those of adjectives without a stereotype, and the contrast of stereotypes",
            names=("score_minus_baseline", "stereotype_contrast"),
            rows=("subject", "adjectives", "test"),
            columns=("name",),
            cells=("value", "interval", "p_adjusted"),
        ),
    ),
    capability="vectors",
    lists=("adjectives", "baseline_adjectives", "semantic_gender", "names"),
    options=BadOptions,
    items=list_items,
    questions=count_forms,
    answer=answer,
    estimate=estimate,
    differences=differences,
)

UNCENTRED = Note(
    kind="caveat",
    text=(
        "The published statistic and its t test are uncentred: they also move when male or female attributes merely "
        "lie closer together. So does statistic_sign_flip: its p is small in many texts without any bias, and its "
        "certificate says how many. Read score_minus_baseline and stereotype_contrast, whose p keeps its level. A "
        "correlation with ratings does not change when scores are scaled to 0-1."
    ),
)

_NAMES = (
    "statistic",
    "statistic_sign_flip",
    "paired_t",
    "mean_score",
    "score_minus_baseline",
    "stereotype_contrast",
    "marked_minus_unmarked",
)


def _estimates(
    test: str,
    rows: pl.DataFrame,
    neutral: Sequence[float],
    group: dict[str, str],
    lost: int,
    options: BadOptions,
    *,
    bare: bool = False,
) -> Iterator[Estimate]:
    effort = BRISK if bare else THOROUGH
    scores = rows["score"].to_numpy()
    n = rows.height
    t = paired_t(rows["masculine_to_male"].to_numpy(), rows["feminine_to_female"].to_numpy())
    flips = flip_signs(scores, seed=options.seed, **effort)
    total, mean = float(scores.sum()), float(scores.mean())
    limits = None if bare else _limits(mean_interval(scores, seed=options.seed))
    published = (t.p_value, t.p_value, "paired t, two-tailed")
    yield _estimate(test, "statistic", total, group, n, lost, p=published)
    yield _estimate(test, "statistic_sign_flip", total, group, n, lost, p=_p(flips, "sign-flip"))
    yield _estimate(test, "paired_t", t.statistic, group, n, lost, p=published)
    yield _estimate(test, "mean_score", mean, group, n, lost, limits=limits)

    def contrast(name: str, first: Sequence[float], second: Sequence[float]) -> Estimate:
        if len(first) < 2 or len(second) < 2:
            return _estimate(test, name, None, group, n, lost)
        between = None if bare else _limits(difference_interval(first, second))
        p = permute_groups(first, second, seed=options.seed, **effort)
        value = sum(first) / len(first) - sum(second) / len(second)
        return _estimate(
            test, name, value, group, len(first) + len(second), lost, limits=between, p=_p(p, "permutation")
        )

    def of(column: str, value: object) -> list[float]:
        return rows.filter(pl.col(column) == value)["score"].to_list()

    yield contrast("score_minus_baseline", scores.tolist(), neutral)
    yield contrast("stereotype_contrast", of("stereotype", "male"), of("stereotype", "female"))
    yield contrast("marked_minus_unmarked", of("marked", True), of("marked", False))
    if group["adjectives"] != PACK:
        yield from _against_ratings(test, rows, group, lost)


def _changes(rows: pl.DataFrame, base: Sequence[float], options: BadOptions) -> dict[str, Sureness | None]:
    """How sure the change is of the mean score, of each contrast, and of the correlations with the ratings."""

    def contrast(column: str, first: object, second: object) -> Sureness | None:
        parts = [rows.filter(pl.col(column) == value)["change"].to_numpy() for value in (first, second)]
        return contrast_change(parts[0], parts[1])

    change = rows["change"].to_numpy()
    found = {
        "mean_score": mean_change(change, over="adjectives", seed=options.seed),
        "score_minus_baseline": contrast_change(change, np.array(base)),
        "stereotype_contrast": contrast("stereotype", "male", "female"),
        "marked_minus_unmarked": contrast("marked", True, False),
    }
    rated = rows.drop_nulls("rating_m")
    if rated.height > 2:
        rating = (rated["rating_m"] - rated["rating_f"]).to_numpy()
        scores = [(rated[column].to_numpy(), rating) for column in ("score", "after")]
        for name, ranked in (("pearson", False), ("spearman", True)):
            found[name] = correlation_change(scores[0], scores[1], ranked=ranked, over="adjectives", seed=options.seed)
    return found


def _against_ratings(test: str, rows: pl.DataFrame, group: dict[str, str], lost: int) -> Iterator[Estimate]:
    """Do the scores follow what people said, and did people themselves rate one gender higher (Tables 1 and 2)?"""
    rating_m, rating_f = rows["rating_m"].to_numpy(), rows["rating_f"].to_numpy()
    people = paired_t(rating_m, rating_f)
    p = (people.p_value, people.p_value, "paired t, two-tailed")
    yield _estimate(test, "ratings_paired_t", people.statistic, group, rows.height, lost, p=p)
    for name, correlate in (("pearson", pearson), ("spearman", spearman)):
        found: Correlation = correlate(rows["score"].to_numpy(), rating_m - rating_f)
        limits = _limits(found.interval)
        p = (found.p_value, found.p_value, found.method)
        yield _estimate(test, name, found.r, group, found.n, lost, limits=limits, p=p)


def _estimate(
    test: str,
    name: str,
    value: float | None,
    group: dict[str, str],
    n: int,
    lost: int,
    *,
    limits: tuple[float, float, str] | None = None,
    p: tuple[float, float, str] | None = None,
) -> Estimate:
    p = p if p and p[0] == p[0] else None
    limits = limits if limits and limits[0] == limits[0] else None
    return Estimate(
        test=test,
        name=name,
        value=None if value is None or value != value else value,
        group=group,
        worse="away",
        neutral=0,
        ci_low=limits[0] if limits else None,
        ci_high=limits[1] if limits else None,
        ci_method=limits[2] if limits else None,
        p_value=p[0] if p else None,
        p_two_sided=p[1] if p else None,
        p_method=p[2] if p else None,
        n=n,
        lost=lost,
    )


def _limits(interval: Interval) -> tuple[float, float, str]:
    return interval.low, interval.high, interval.label


def _p(test: PermutationTest, method: str) -> tuple[float, float, str]:
    return test.p_two_sided, test.p_two_sided, test.described(method, sides="two-sided")


def _critical(test: str, source: str, rows: pl.DataFrame) -> Note:
    """The adjectives at both ends."""
    ordered = rows.sort("score")
    names = [name_of(row) for row in ordered.iter_rows(named=True)]
    mean = rows["score"].mean()
    assert isinstance(mean, float)
    return Note(
        kind="reading",
        test=test,
        text=f"adjectives of {source} score {mean:.3f} on average; most female {', '.join(names[:CRITICAL])}; "
        f"most male {', '.join(reversed(names[-CRITICAL:]))}.",
        details={
            "female": names[:CRITICAL],
            "male": names[: -CRITICAL - 1 : -1],
            "estimates": ["score_minus_baseline"],
            "group": {"adjectives": source},
            "above": "adjectives lean more male than those without a stereotype (colours, shapes)",
            "below": "adjectives lean more female than those without a stereotype (colours, shapes)",
        },
    )
