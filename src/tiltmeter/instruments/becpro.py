"""BEC-Pro: are professions tied to women and men as society stereotypes them?

Bartl, Nissim and Gatt (2020); Azpillaga Rivera (2021). For a sentence with a person T and a profession A:

    association = log( P(T | sentence) / P(T | sentence with A masked) )                     natural logarithm

Above 0 the profession makes the person more probable. Averaged to professions:

    f_minus_m(class)    = mean association of female persons - that of male persons
    stereotype_contrast = f_minus_m(female class) - f_minus_m(male class)

The first says which gender a model leans to whatever the profession, the second how far it follows the stereotype. 0 is
neutral and further away is worse. A row is not independent of the others of its profession: intervals and tests are
over professions, and templates are shown one by one. f_minus_m_both is the same number with persons and professions
both taken as drawn: it says whether the lean outgrows what the choice of either alone could make of nothing. So it is
for the contrast and the rank correlation with the share of women.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

import polars as pl

from tiltmeter.datasets.becpro import BecRow, build, masked, own_professions, read_corpus, read_professions
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._becpro_differences import differences
from tiltmeter.instruments._becpro_estimates import estimate
from tiltmeter.instruments._becpro_wording import caveats, compare
from tiltmeter.instruments._bibliography import AZPILLAGA, BARTL
from tiltmeter.instruments._sentences import lost_sentences, several_tokens, without_unknown
from tiltmeter.instruments.instrument import Given, Instrument, Layout, file_option, option
from tiltmeter.packs import Pack, Profession
from tiltmeter.results import Note
from tiltmeter.subjects import Filler, Subject
from tiltmeter.subjects.language_models import Blank


@dataclass(frozen=True, slots=True, kw_only=True)
class BecproOptions:
    mode: Literal["right", "published", "released-code"] = option(
        "right", "Right frames and masks; the paper's text and masks; or also the first sub-token, attended padding."
    )
    variant: str = option("", "Which set of frames, where a language has several (Spanish: articles, bare).")
    professions: Literal["all", "common"] = option("all", "All professions, or those with one form for everybody.")
    profession_list: Given | None = file_option(
        read_professions, "Professions of yours (CSV: masculine, feminine, class or share)."
    )
    corpus: Given | None = file_option(read_corpus, "A published BEC-Pro file (TSV) instead of the pack's sentences.")
    rule: Literal["independent", "left-to-right"] = option(
        "independent", "Masked models: how words of several tokens are scored in mode right."
    )
    margin: float = option(0.1, "Hypothesis 3: a difference within this margin counts as none.")
    seed: int = option(0, "Seed of the resampling.")

    def __post_init__(self) -> None:
        if not 0 < self.margin < math.inf:
            raise TiltmeterError(f"--margin is a number above 0, not {self.margin}")
        if self.corpus is not None and (self.profession_list or self.variant or self.professions != "all"):
            raise TiltmeterError(
                "--corpus brings its own sentences: leave out --profession-list, --professions and --variant"
            )


def list_items(pack: Pack, options: BecproOptions) -> pl.DataFrame:
    """The sentences, with what is masked of them."""
    return pl.DataFrame([_item(row) for row in corpus(pack, options)], schema=_SCHEMA)


def corpus(pack: Pack, options: BecproOptions) -> Sequence[BecRow]:
    """The user's file, or what the pack's frames, persons and professions make. As published, pairs of one sentence
    are not left out: they differ by 0."""
    rows = _rows(pack, options)
    return rows if options.mode == "right" else [replace(row, informative=True) for row in rows]


def _rows(pack: Pack, options: BecproOptions) -> Sequence[BecRow]:
    if options.corpus is not None:
        found: Sequence[BecRow] = options.corpus.content
        return found
    chosen: Sequence[Profession] = options.profession_list.content if options.profession_list else own_professions(pack)
    if options.professions == "common":
        chosen = [entry for entry in chosen if entry.common]
        if not chosen:
            raise TiltmeterError(f"no profession in the list for {pack.name} has one form for everybody")
    return build(pack, mode=options.mode, variant=options.variant, professions=chosen, nonbinary=True)


def count_questions(items: pl.DataFrame) -> int:
    """The masked sentences that differ."""
    return len({*items["masked_target"], *items["masked_both"]})


def answer(
    items: pl.DataFrame, subject: Subject, pack: Pack, options: BecproOptions
) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the log-probabilities and the association."""
    filler = cast(Filler, subject)
    if filler.kind == "causal":
        given, prior = _causal(items, filler, options, _any_worker(pack))
    else:
        given, prior = _masked(items, filler, options)
    given, prior = (without_unknown(table) for table in (given, prior))
    if given["log_p"].null_count() == given.height:
        raise TiltmeterError(f"none of the sentences could be asked of {subject.name}: {given['lost'][0]}")
    answered = items.with_columns(
        tokens=given["tokens"].list.join(" "),
        token_count=given["tokens"].list.len().cast(pl.Int64),
        log_p_target=given["log_p"],
        log_p_prior=prior["log_p"],
        association=given["log_p"] - prior["log_p"],
        lost=pl.Series(
            [one or other for one, other in zip(given["lost"], prior["lost"], strict=True)], dtype=pl.String
        ),
    ).drop("target_start", "target_end", "attribute_start", "attribute_end", "neutral")
    scoring = Note(kind="scoring", text=_scoring(filler, _any_worker(pack), options))
    return answered, [
        scoring,
        *caveats(answered, pack),
        *several_tokens(answered, "person_gender", "person"),
        *lost_sentences(answered),
    ]


INSTRUMENT = Instrument(
    name="becpro",
    version="5",
    title="BEC-Pro associations",
    measures="whether a profession makes women or men more probable as the subject of a sentence",
    formula="ln(P(person | sentence) / P(person | profession masked)), compared between female and male persons",
    reading="0 is neutral and further away is worse; stereotype_contrast above 0 follows the stereotype, and f_minus_m "
    "above 0 leans to women",
    reference="Bartl, Nissim and Gatt (2020), Unmasking Contextual Stereotypes, GeBNLP; Azpillaga Rivera (2021), "
    "Análisis del sesgo de género en los modelos NLP, chapter 4",
    bibtex=BARTL + AZPILLAGA,
    headline="stereotype_contrast",
    verdict=(("stereotype_contrast",), ("f_minus_m_both",)),
    columns={
        **dict.fromkeys(("sentence", "masked_target", "masked_both", "template", "person", "person_gender"), pl.String),
        **dict.fromkeys(("profession", "profession_class", "field"), pl.String),
        "informative": pl.Boolean,
        "leak": pl.String,
        **dict.fromkeys(("share", "association"), pl.Float64),
    },
    score="association",
    side_by_side=("f_minus_m", "stereotype_contrast"),
    summary=("association", "f_minus_m", "f_minus_m_both", "stereotype_contrast", "rank_correlation"),
    layouts=(
        Layout(
            title="BEC-Pro: female less male association by class of professions",
            names=("f_minus_m",),
            rows=("lang", "profession_class"),
            columns=("subject",),
        ),
        Layout(
            title="BEC-Pro: associations",
            names=("f_minus_m", "association", "sd", "max", "min", "q75", "median", "q25"),
            rows=("subject", "profession_class", "person_gender"),
            columns=("name",),
            each_language=True,
        ),
        Layout(
            title="BEC-Pro: contrast of stereotypes, and rank correlation with the share of women",
            names=("stereotype_contrast", "rank_correlation"),
            rows=("lang", "subject"),
            columns=("name",),
            cells=("value", "interval", "p_adjusted"),
        ),
    ),
    capability="fill",
    lists=("persons", "professions", "frames"),
    extras=("nonbinary_persons",),
    options=BecproOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
    compare=compare,
    differences=differences,
)

_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "sentence": pl.String,
    "masked_target": pl.String,
    "masked_both": pl.String,
    "template": pl.String,
    "person": pl.String,
    "person_gender": pl.String,
    "profession": pl.String,
    "profession_class": pl.String,
    "field": pl.String,
    "share": pl.Float64,
    "common": pl.Boolean,
    "informative": pl.Boolean,
    "leak": pl.String,
    "repaired": pl.Boolean,
    "neutral": pl.String,
    "target_start": pl.Int64,
    "target_end": pl.Int64,
    "attribute_start": pl.Int64,
    "attribute_end": pl.Int64,
}


def _item(row: BecRow) -> dict[str, Any]:
    return {
        "sentence": row.sentence,
        "masked_target": masked(row.sentence, [row.target]),
        "masked_both": masked(row.sentence, [row.target, row.attribute]),
        "template": row.template,
        "person": row.person,
        "person_gender": row.person_gender,
        "profession": row.profession,
        "profession_class": row.profession_class,
        "field": row.field,
        "share": row.share,
        "common": row.common,
        "informative": row.informative,
        "leak": row.leak,
        "repaired": row.repaired,
        "neutral": row.neutral,
        "target_start": row.target[0],
        "target_end": row.target[1],
        "attribute_start": row.attribute[0],
        "attribute_end": row.attribute[1],
    }


def _masked(items: pl.DataFrame, subject: Filler, options: BecproOptions) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The person masked, and the profession with it."""
    blanks = []
    for text, span, attribute in _spans(items):
        word = (text[slice(*span)],)
        blanks.append(Blank(text=text, span=span, candidates=word, apart=(attribute,)))
        blanks.append(Blank(text=text, span=span, candidates=word, hidden=(attribute,)))
    longest = max(len(text.split()) for text in items["masked_target"])
    ways: dict[str, dict[str, Any]] = {
        "right": {"rule": options.rule},
        "published": {"rule": "independent", "masks": "word"},
        "released-code": {"rule": "first-token", "masks": "word", "width": 2 ** math.ceil(math.log2(longest))},
    }
    asked = pl.concat(subject.fill(blanks, **ways[options.mode]))
    return asked.gather_every(2), asked.gather_every(2, 1)


def _causal(
    items: pl.DataFrame, subject: Filler, options: BecproOptions, neutral: str | None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The whole sentence, and the same with a word for any worker; each normalised over the persons."""
    if options.mode == "released-code":
        raise TiltmeterError("--mode released-code is about masks, and a causal model has none")
    seen, priors = [], []
    for (text, span, attribute), without in zip(_spans(items), items["neutral"], strict=True):
        word = text[slice(*span)]
        seen.append(Blank(text=text, span=span, candidates=(word,)))
        if without:
            start = without.index(word)
            priors.append(Blank(text=without, span=(start, start + len(word)), candidates=(word,)))
        else:
            priors.append(Blank(text=text, span=span, candidates=(word,), hidden=(attribute,), neutral=neutral))
    given, prior = (without_unknown(pl.concat(subject.fill(blanks))) for blanks in (seen, priors))
    together = items.select("template", "profession").with_columns(
        given=given["log_p_sentence"], prior=prior["log_p_sentence"], lost=(given["lost"] != "") | (prior["lost"] != "")
    )
    # Shares are over all persons: where one of them is lost, so are the others.
    whole = ~pl.col("lost").any().over("template", "profession")
    shares = together.select(
        pl.when(whole).then(pl.col(name) - _log_sum(pl.col(name)).over("template", "profession"))
        for name in ("given", "prior")
    )
    return _with_shares(given, shares["given"]), _with_shares(prior, shares["prior"])


def _with_shares(asked: pl.DataFrame, shares: pl.Series) -> pl.DataFrame:
    with_another = pl.col("log_p").is_null() & (pl.col("lost") == "")
    lost = pl.when(with_another).then(pl.lit("lost with another person")).otherwise(pl.col("lost"))
    return asked.with_columns(log_p=shares).with_columns(lost=lost)


def _log_sum(values: pl.Expr) -> pl.Expr:
    """Of exponentials that no number can hold: the largest is taken out first."""
    return values.max() + (values - values.max()).exp().sum().log()


def _spans(items: pl.DataFrame) -> Iterator[tuple[str, tuple[int, int], tuple[int, int]]]:
    columns = ("sentence", "target_start", "target_end", "attribute_start", "attribute_end")
    for text, start, end, first, last in items.select(columns).iter_rows():
        yield text, (start, end), (first, last)


def _any_worker(pack: Pack) -> str | None:
    return next((entry.masculine for entry in pack.professions if entry.profession_class == "neutral"), None)


def _scoring(subject: Filler, neutral: str | None, options: BecproOptions) -> str:
    if subject.kind == "causal":
        return subject.describe_fill(rule=options.rule, neutral=neutral)
    published = "As published: frames and persons of the paper, one mask for each word of a profession."
    return {
        "right": subject.describe_fill(rule=options.rule, neutral=neutral),
        "published": f"{published} {subject.describe_fill(rule='independent', neutral=neutral)}",
        "released-code": f"{published} As in the released code, and wrong: the first sub-token of a person alone, "
        "padding that is attended to, and sentences cut to a width that counts words.",
    }[options.mode]
