"""Kurita's log-probability association: does an attribute make a target more probable than it is without it?

For a template with a target t and an attribute a, both of them words of the user's:

    association(t, a) = log( P(t | a) / P(t | a hidden) )                       natural logarithm

P(t | a) is the probability of t at its place with a in the sentence, P(t | a hidden) the prior, with a masked as well.
Above 0 the attribute makes the target more probable. Between two groups of targets, such as male and female words:

    difference(a)      = mean_t1 association(t1, a) - mean_t2 association(t2, a)
    contrast(A1, A2)   = mean of difference over A1 - mean of difference over A2
    effect_size        = contrast / standard deviation of difference over A1 and A2 together, ddof = 1

0 is neutral and further away is worse: above 0, attributes draw the first group of targets more than the second.
A causal model has no mask: its probabilities are those of whole sentences, normalised over the targets, and its prior
is the same sentence with a neutral noun. The two kinds of numbers are not comparable.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Literal, cast

import polars as pl

from tiltmeter.datasets import ATTRIBUTE, TARGET, Frames, read_frames
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._bibliography import KURITA
from tiltmeter.instruments._differences import (
    Key,
    Sureness,
    both_answered,
    contrast_change,
    key,
    known_to_one,
    mean_change,
    paired,
)
from tiltmeter.instruments._numbers import by_permutation, gathered, number, reading
from tiltmeter.instruments._sentences import lost_sentences, mean, refuse_unformed, several_tokens
from tiltmeter.instruments.instrument import Findings, Given, Instrument, Layout, Paired, file_option, option
from tiltmeter.language import capitalised
from tiltmeter.packs import Pack
from tiltmeter.results import LEVEL, Estimate, Figure, Note, said_p, shown
from tiltmeter.statistics import (
    cohens_d,
    difference_interval,
    flip_signs,
    mean_interval,
    permute_groups,
)
from tiltmeter.subjects import Filler, Subject
from tiltmeter.subjects.language_models import Blank, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class KuritaOptions:
    words: Given | None = file_option(
        read_frames, "Templates, targets and attributes of yours (TOML or CSV).", needed=True
    )
    rule: Literal["independent", "left-to-right"] = option(
        "independent", "Masked models: how words of several tokens are scored."
    )
    seed: int = option(0, "Seed of the resampling.")

    @property
    def frames(self) -> Frames:
        assert self.words is not None
        found: Frames = self.words.content
        return found


def list_items(pack: Pack, options: KuritaOptions) -> pl.DataFrame:
    """Every template with every target and every attribute."""
    frames = options.frames
    rows = []
    for template in frames.templates:
        for (target_group, target), (attribute_group, attribute) in product(
            _words(frames.targets), _words(frames.attributes)
        ):
            rows.append(
                {
                    "template": template,
                    "target_group": target_group,
                    "target": target,
                    "attribute_group": attribute_group,
                    "attribute": attribute,
                    "sentence": _sentence(template, target, attribute, pack.lang)[0],
                }
            )
    return pl.DataFrame(rows)


def count_questions(items: pl.DataFrame) -> int:
    """Each sentence is asked with its attribute and without."""
    return 2 * items.height


def answer(
    items: pl.DataFrame,
    subject: Subject,
    pack: Pack,
    options: KuritaOptions,
) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the log-probabilities, the association and the tokens that the target has in the sentence."""
    places = items.select("template", "attribute").unique(maintain_order=True).rows()
    targets = items["target"].unique(maintain_order=True).to_list()
    pairs = [_blanks(template, targets, attribute, options.frames.neutral, pack.lang) for template, attribute in places]
    filler = cast(Filler, subject)
    asked = pl.concat(filler.fill([*(seen for seen, _ in pairs), *(prior for _, prior in pairs)], rule=options.rule))
    refuse_unformed(asked, filler)
    # One answer for each target of each blank, in their order: first those with the attribute, then the priors.
    given, prior = asked.head(asked.height // 2), asked.tail(asked.height // 2)
    answers = pl.DataFrame(
        {
            "template": [template for template, _ in places for _ in targets],
            "attribute": [attribute for _, attribute in places for _ in targets],
            "target": targets * len(places),
            "tokens": given["tokens"].list.join(" "),
            "token_count": given["tokens"].list.len().cast(pl.Int64),
            "log_p_target": given["log_p"],
            "log_p_prior": prior["log_p"],
            "association": given["log_p"] - prior["log_p"],
            "lost": [one or other for one, other in zip(given["lost"], prior["lost"], strict=True)],
        }
    )
    answered = items.join(answers, on=["template", "attribute", "target"], how="left", maintain_order="left")
    return answered, _notes(answered, filler, pack, options)


def estimate(items: pl.DataFrame, options: KuritaOptions) -> Findings:
    """Attributes are what is sampled: targets and templates are averaged before anything is tested."""
    found = items.drop_nulls("association")
    lost = items.height - found.height
    estimates = list(_associations(found, lost, options))
    notes: list[Note] = []
    figures: list[Figure] = []
    targets = items["target_group"].unique(maintain_order=True).to_list()
    for first, second in combinations(targets, 2):
        test = f"{first} - {second}"
        differences = _differences(found, first, second)
        by_attribute = _averaged(differences, ["attribute_group", "attribute"])
        estimates += _of_pair(test, differences, by_attribute, lost, options)
        notes += _read(first, second, [row for row in estimates if row.test == test])
        figures.append(_figure(first, second, by_attribute))
    if len(targets) < 2:
        notes.append(Note(kind="caveat", text="With one group of targets there is nothing to compare it with."))
    return Findings(estimates=tuple(estimates), figures=tuple(figures), notes=tuple(notes))


def differences(before: pl.DataFrame, after: pl.DataFrame, options: KuritaOptions) -> list[Paired]:
    """Attributes are the units."""
    asked = ("template", "target_group", "target", "attribute_group", "attribute")
    first, second = both_answered(before, after, asked=asked, answers=("association",))
    left_out = known_to_one(before["association"], after["association"])
    found = first.drop_nulls("association"), second.drop_nulls("association")
    sure: dict[Key, Sureness | None] = dict(_changed_associations(*found, options.seed))
    for one, other in combinations(before["target_group"].unique(maintain_order=True), 2):
        tables = [_averaged(_differences(part, one, other), ["attribute_group", "attribute"]) for part in found]
        both = tables[0].with_columns(change=tables[1]["difference"] - tables[0]["difference"])
        sure |= dict(_changed_pair(f"{one} - {other}", both, options.seed))
    return paired(estimate(first, options), estimate(second, options), sure, left_out=left_out)


INSTRUMENT = Instrument(
    name="kurita",
    version="1",
    title="Log-probability association",
    measures="whether attributes make words of one group more probable than those of another, in templates of yours",
    formula="ln(P(target | attribute) / P(target | attribute hidden)), compared between groups of targets",
    reading="0 is neutral and further away is worse; above 0 the attributes draw the first group of targets",
    reference="Kurita et al. (2019), Measuring Bias in Contextualized Word Representations, GeBNLP, arXiv:1906.07337",
    bibtex=KURITA,
    headline="difference",
    verdict=(("difference",),),
    columns={
        **dict.fromkeys(("template", "target_group", "target", "attribute_group", "attribute"), pl.String),
        "association": pl.Float64,
    },
    score="association",
    layouts=(
        Layout(
            title="Associations of targets with attributes",
            names=("association",),
            rows=("targets", "attributes"),
            columns=("subject",),
            cells=("value", "interval"),
        ),
        Layout(
            title="Differences between groups of targets",
            names=("difference", "contrast", "effect_size"),
            rows=("test", "name", "attributes"),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
        ),
    ),
    capability="fill",
    lists=(),
    options=KuritaOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
    differences=differences,
)


def _words(groups: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(group, word) for group, words in groups.items() for word in words]


def _blanks(
    template: str, targets: Sequence[str], attribute: str, neutral: str | None, lang: str
) -> tuple[Blank, Blank]:
    """One sentence with its attribute to be seen, and hidden."""
    text, span, hidden = _sentence(template, targets[0], attribute, lang)
    candidates = tuple(_written(text[: span[0]], target, lang) for target in targets)
    for place, candidate in enumerate(candidates):
        if candidate in candidates[:place]:
            raise TiltmeterError(f"two targets are both written {candidate!r} in {template!r}; take one out")
    if neutral is not None:
        neutral = _written(text[: hidden[0]], neutral, lang)
    return (
        Blank(text=text, span=span, candidates=candidates, apart=(hidden,)),
        Blank(text=text, span=span, candidates=candidates, hidden=(hidden,), neutral=neutral),
    )


def _sentence(template: str, target: str, attribute: str, lang: str) -> tuple[str, Span, Span]:
    """A template with its words, and where they stand."""
    text, spans = template, {}
    for slot, word in sorted(((TARGET, target), (ATTRIBUTE, attribute)), key=lambda pair: template.index(pair[0])):
        start = text.index(slot)
        written = _written(text[:start], word, lang)
        text = text[:start] + written + text[start + len(slot) :]
        spans[slot] = (start, start + len(written))
    return text, spans[TARGET], spans[ATTRIBUTE]


def _written(before: str, word: str, lang: str) -> str:
    """A word with a capital where the template begins with it."""
    return word if any(letter.isalnum() for letter in before) else capitalised(word, lang)


def _associations(found: pl.DataFrame, lost: int, options: KuritaOptions) -> Iterator[Estimate]:
    """The mean association of each group of targets with each group of attributes."""
    for (targets, attributes), rows in found.group_by("target_group", "attribute_group", maintain_order=True):
        means = _by_attribute(rows)
        group = {"targets": str(targets), "attributes": str(attributes)}
        limits = mean_interval(means.to_numpy(), seed=options.seed)
        yield number("association", "association", mean(means), group, n=means.len(), lost=lost, limits=limits)


def _by_attribute(rows: pl.DataFrame) -> pl.Series:
    return gathered(rows, "attribute", "association")["association"].list.mean()


def _changed_associations(
    before: pl.DataFrame, after: pl.DataFrame, seed: int
) -> Iterator[tuple[Key, Sureness | None]]:
    for (targets, attributes), rows in before.group_by("target_group", "attribute_group", maintain_order=True):
        asked = (pl.col("target_group") == targets) & (pl.col("attribute_group") == attributes)
        change = (_by_attribute(after.filter(asked)) - _by_attribute(rows)).to_numpy()
        group = {"targets": str(targets), "attributes": str(attributes)}
        yield key("association", "association", group), mean_change(change, over="attributes", seed=seed)


def _changed_pair(test: str, both: pl.DataFrame, seed: int) -> Iterator[tuple[Key, Sureness | None]]:
    groups = {
        str(name): rows["change"].to_numpy() for (name,), rows in both.group_by("attribute_group", maintain_order=True)
    }
    for name, change in groups.items():
        yield key(test, "difference", {"attributes": name}), mean_change(change, over="attributes", seed=seed)
    for one, other in combinations(groups, 2):
        yield key(test, "contrast", {"attributes": f"{one} - {other}"}), contrast_change(groups[one], groups[other])


def _differences(found: pl.DataFrame, first: str, second: str) -> pl.DataFrame:
    """The mean association of the first group of targets less that of the second, by template and attribute.

    Where one of the groups has nothing there is no difference: a sentence that was lost must not tip the scales.
    """
    by = ["attribute_group", "attribute", "template"]
    one, other = (
        gathered(found.filter(pl.col("target_group") == group), by, "association").select(
            *by, pl.col("association").list.mean().alias(column)
        )
        for group, column in ((first, "first"), (second, "second"))
    )
    both = one.join(other, on=by, how="inner", maintain_order="left")
    return both.select(*by, difference=pl.col("first") - pl.col("second"))


def _averaged(differences: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    values = pl.col("difference").list
    return gathered(differences, by, "difference").with_columns(values.mean(), values.len().alias("n"))


def _of_pair(
    test: str, differences: pl.DataFrame, by_attribute: pl.DataFrame, lost: int, options: KuritaOptions
) -> Iterator[Estimate]:
    groups = {
        str(name): rows["difference"].to_numpy()
        for (name,), rows in by_attribute.group_by("attribute_group", maintain_order=True)
    }
    for name, values in groups.items():
        flips = flip_signs(values, seed=options.seed)
        limits = mean_interval(values, seed=options.seed)
        group = {"attributes": name}
        tested = by_permutation(flips, "sign-flip")
        yield number(
            test, "difference", float(values.mean()), group, n=len(values), lost=lost, limits=limits, tested=tested
        )
    for attributes, template, value, n in _averaged(differences, ["attribute_group", "template"]).iter_rows():
        group = {"attributes": attributes, "template": template}
        yield number(test, "difference_in_template", value, group, n=n, lost=lost)
    for one, other in combinations(groups, 2):
        x, y = groups[one], groups[other]
        group = {"attributes": f"{one} - {other}"}
        n = len(x) + len(y)
        if len(x) < 2 or len(y) < 2:
            yield number(test, "contrast", float(x.mean() - y.mean()), group, n=n, lost=lost)
            continue
        tested = by_permutation(permute_groups(x, y, seed=options.seed), "permutation")
        limits = difference_interval(x, y)
        yield number(test, "contrast", float(x.mean() - y.mean()), group, n=n, lost=lost, limits=limits, tested=tested)
        yield number(test, "effect_size", cohens_d(x, y, variant="caliskan"), group, n=n, lost=lost, tested=tested)


def _read(first: str, second: str, estimates: Sequence[Estimate]) -> Iterator[Note]:
    """What the numbers say, one sentence for each group of attributes."""
    for row in estimates:
        if row.name != "difference" or row.value is None:
            continue
        above, below = (f"attributes of {row.group['attributes']} draw {drawn} words more" for drawn in (first, second))
        said = (
            f"{above if row.value > 0 else below}: difference = {shown(row.value)} in natural logarithms over {row.n} "
            "attributes"
        )
        chance = "hardly" if (row.p_value or 0) < LEVEL else "perhaps"
        sure = None if row.p_value is None else f"; {chance} chance, {_tested(row)}"
        yield reading(row, said, above=above, below=below, sure=sure)


def _tested(row: Estimate) -> str:
    """The p, and the smallest that so few attributes can give."""
    smallest = 2.0 ** (1 - row.n)
    few = f", and no smaller one can be had from {row.n} attributes" if row.p_value == smallest else ""
    return f"{said_p(row.p_value)} by sign flip before correction{few}"


def _notes(items: pl.DataFrame, subject: Filler, pack: Pack, options: KuritaOptions) -> list[Note]:
    """How it was asked, and what was left out."""
    notes = [Note(kind="scoring", text=subject.describe_fill(rule=options.rule, neutral=options.frames.neutral))]
    if pack.grammatical_gender:
        notes.append(
            Note(
                kind="grammatical-gender",
                caution="grammar may play a part",
                text=f"{pack.name} has grammatical gender: where an attribute agrees with its target, the number is "
                "grammar first of all. Use attributes with one form for everybody.",
            )
        )
    return [*notes, *several_tokens(items, "target_group", "target"), *lost_sentences(items)]


def _figure(first: str, second: str, by_attribute: pl.DataFrame) -> Figure:
    difference = f"difference in association: ← {second} | {first} →"
    return Figure(
        kind="sorted",
        title=f"difference in association, {first} - {second}",
        rows=tuple(by_attribute.drop("n").rename({"difference": difference}).iter_rows(named=True)),
        x=difference,
        y="attribute",
        colour="attribute_group",
        neutral=0,
        caption=f"Above 0 an attribute makes {first} words more probable than {second} ones, below 0 less.",
    )
