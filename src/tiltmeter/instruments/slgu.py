"""The SlguSet score: in a sentence that should be neutral, which gender does a model expect, and how strongly?

Zhao, Du, Zhu and Liu (2021). In a sentence c that a male and a female word fit alike, with that word hidden:

    Bias_c     = log10( P_man(c) / P_woman(c) )                                                       equation 1
    Bias_man   = mean of Bias_c over the sentences where it is above 0                                equation 2
    Bias_woman = mean of -Bias_c over those where it is below 0
    Model_bias = (Bias_man + Bias_woman) / 2                                                          equation 3

Higher is worse, from 0; any noise makes Model_bias positive, since each side is chosen by its
sign. Beside it stand the signed mean (0 is neutral, above leans to men), the sentences that lean clearly (|Bias_c|
above 0.3), and what the pair of words alone explains: the prior of a pair is its mean Bias_c over its own sentences.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, cast

import polars as pl

from tiltmeter.datasets.slguset import LeftOut, NeutralRow, hidden_part, own_sentences, placed
from tiltmeter.datasets.slguset_files import ListedSet, read_set
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments._bibliography import ZHAO
from tiltmeter.instruments._sentences import lost_sentences
from tiltmeter.instruments._slgu_estimates import estimate
from tiltmeter.instruments._slgu_tables import tables
from tiltmeter.instruments._slgu_together import differences, together
from tiltmeter.instruments._slgu_wording import asked_notes, file_notes
from tiltmeter.instruments.instrument import Given, Instrument, Layout, file_option, option
from tiltmeter.packs import Pack
from tiltmeter.results import Note
from tiltmeter.subjects import Filler, Subject
from tiltmeter.subjects.language_models import Blank

THRESHOLD = 0.3
"""|Bias_c| above it is a clear bias (section 5.2 of the paper)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlguOptions:
    sentences: Given | None = file_option(
        read_set, "A set in SlguSet's format (CSV or Parquet) instead of the pack's sentences."
    )
    span: Literal["differing-characters", "whole-word"] = option(
        "differing-characters",
        "What is hidden: the characters in which the two words differ (as published; in scripts without spaces), or "
        "the whole word.",
    )
    rule: Literal["independent", "left-to-right"] = option(
        "independent", "Masked models: how words of several tokens are scored (as published: independent)."
    )
    pairs: str = option("", "Pairs in a set that the pack does not know, male word first: 国王/王后,王子/公主.")
    contains: str = option(
        "", "A case study: also the results of the sentences that hold this, with either word in them."
    )
    threshold: float = option(THRESHOLD, "|Bias_c| above it counts as a clear bias.")
    seed: int = option(0, "Seed of the resampling.")

    def __post_init__(self) -> None:
        if not 0 < self.threshold < math.inf:
            raise TiltmeterError(f"--threshold is a number above 0, not {self.threshold}")


def list_items(pack: Pack, options: SlguOptions) -> pl.DataFrame:
    """One row a sentence; those of a file that cannot be asked have the reason in `lost`."""
    rows, left_out = _sentences(pack, options)
    found = [_item(row, pack, options) for row in rows]
    found += [_left_out(entry) for entry in left_out]
    return pl.DataFrame(sorted(found, key=lambda item: item["line"]), schema=_SCHEMA)


def _sentences(pack: Pack, options: SlguOptions) -> tuple[list[NeutralRow], list[LeftOut]]:
    if options.sentences is None:
        if not pack.neutral_sentences:
            raise TiltmeterError(
                f"the pack {pack.lang!r} has no neutral sentences: give a set with --sentences, or add "
                "neutral_sentences.tsv"
            )
        return own_sentences(pack), []
    listed: ListedSet = options.sentences.content
    rows, left_out = placed(listed.sentences, pack, more=options.pairs)
    if not rows:
        first = left_out[0]
        raise TiltmeterError(
            f"{options.sentences.name}: none of its {len(left_out):,} rows can be measured; row {first.line}: "
            f"{first.reason}"
        )
    return rows, left_out


def count_questions(items: pl.DataFrame) -> int:
    """The sentences that differ with their words hidden."""
    return items.filter(pl.col("lost") == "").select("context", "pair").n_unique()


def answer(items: pl.DataFrame, subject: Subject, pack: Pack, options: SlguOptions) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the probabilities of both words and Bias_c."""
    filler = cast(Filler, subject)
    asked = items.filter(pl.col("lost") == "")
    found = pl.concat(filler.fill(_blanks(asked), **({} if filler.kind == "causal" else {"rule": options.rule})))
    if found["log_p"].null_count() == found.height:
        raise TiltmeterError(f"none of the sentences could be asked of {subject.name}: {found['lost'][0]}")
    man, woman = found.gather_every(2), found.gather_every(2, 1)
    both = man["log_p"].is_not_null() & woman["log_p"].is_not_null()
    scored = asked.select("line").with_columns(
        tokens_man=man["tokens"].list.join(" "),
        tokens_woman=woman["tokens"].list.join(" "),
        token_count_man=man["tokens"].list.len().cast(pl.Int64),
        token_count_woman=woman["tokens"].list.len().cast(pl.Int64),
        log10_p_man=_where(both, man["log_p"] / math.log(10)),
        log10_p_woman=_where(both, woman["log_p"] / math.log(10)),
        unknown=man["unknown"],
        not_asked=pl.Series(
            [one or other for one, other in zip(man["lost"], woman["lost"], strict=True)], dtype=pl.String
        ),
    )
    answered = (
        items.drop("hidden_start", "hidden_end", "hidden_man", "hidden_woman")
        .join(scored, on="line", how="left", maintain_order="left")
        .with_columns(
            bias=pl.col("log10_p_man") - pl.col("log10_p_woman"),
            lost=pl.when(pl.col("lost") == "").then(pl.col("not_asked")).otherwise(pl.col("lost")),
        )
        .drop("not_asked")
    )
    listed = options.sentences.content if options.sentences else None
    left_out = [
        LeftOut(*row) for row in items.filter(pl.col("lost") != "").select("line", "sentence", "lost").iter_rows()
    ]
    return answered, [
        Note(kind="scoring", text=filler.describe_fill(rule=options.rule, neutral=None)),
        *asked_notes(answered, options, pack),
        *file_notes(answered, listed, left_out, pack),
        *lost_sentences(answered.filter(pl.col("line").is_in(asked["line"].implode()))),
    ]


INSTRUMENT = Instrument(
    name="slgu",
    version="2",
    title="SlguSet score",
    measures="which gender a model expects in sentences that should be neutral, and how strongly",
    formula="Bias_c = log10(P(male word) / P(female word)); Model_bias = (mean of Bias_c where above 0 + mean of "
    "-Bias_c where below 0) / 2",
    reading="0 is neutral; a higher Model_bias is worse, and any noise makes it positive; signed_mean above 0 leans to "
    "men, below 0 to women, and further away is worse",
    reference="Zhao, Du, Zhu and Liu (2021), 中文句子级性别无偏数据集构建及预训练语言模型的性别偏度评估, CCL",
    bibtex=ZHAO,
    headline="model_bias",
    verdict=(("signed_mean",),),
    columns={
        **dict.fromkeys(("sentence", "context", "pair", "written", "flag", "lost"), pl.String),
        **dict.fromkeys(("pronoun", "chosen"), pl.Boolean),
        **dict.fromkeys(("start", "end"), pl.Int64),
        **dict.fromkeys(("log10_p_man", "log10_p_woman", "bias"), pl.Float64),
    },
    score="bias",
    side="signed_mean",
    side_by_side=("bias_man", "bias_woman", "model_bias", "signed_mean"),
    summary=(
        "bias_man",
        "bias_woman",
        "model_bias",
        "signed_mean",
        "evident_man",
        "evident_woman",
        "pair_share",
        "context_bias",
        "excess_over_prior",
        "written_gap",
    ),
    layouts=(
        Layout(
            title="SlguSet: bias of the models",
            names=("bias_man", "bias_woman", "model_bias", "signed_mean", "evident_man", "evident_woman"),
            rows=("lang", "sentences", "name"),
            columns=("subject",),
            cells=("value", "interval"),
        ),
        Layout(
            title="SlguSet: the prior of each pair of words",
            names=("prior",),
            rows=("pair",),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
            each_language=True,
        ),
        Layout(
            title="SlguSet: pair and context",
            names=("pair_share", "context_bias", "excess_over_prior", "written_gap"),
            rows=("lang", "subject"),
            columns=("name",),
            cells=("value", "interval", "p_adjusted"),
        ),
    ),
    capability="fill",
    lists=("gender_pairs",),
    extras=("neutral_sentences", "persons", "semantic_gender"),
    options=SlguOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
    tables=tables,
    compare=together,
    differences=differences,
)

_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "line": pl.Int64,
    "sentence": pl.String,
    "start": pl.Int64,
    "end": pl.Int64,
    "keyword": pl.String,
    "opposite": pl.String,
    "context": pl.String,
    "pair": pl.String,
    "pronoun": pl.Boolean,
    "written": pl.String,
    "repaired": pl.Boolean,
    "flag": pl.String,
    "chosen": pl.Boolean,
    "hidden_start": pl.Int64,
    "hidden_end": pl.Int64,
    "hidden_man": pl.String,
    "hidden_woman": pl.String,
    "lost": pl.String,
}


def _item(row: NeutralRow, pack: Pack, options: SlguOptions) -> dict[str, Any]:
    (start, end), man, woman = hidden_part(row, pack, options.span)
    either = (row.filled(row.male), row.filled(row.female))
    keyword, opposite = (row.male, row.female) if row.written == "male" else (row.female, row.male)
    return {
        "line": row.line,
        "sentence": row.sentence,
        "start": row.span[0],
        "end": row.span[1],
        "keyword": keyword,
        "opposite": opposite,
        "context": row.context,
        "pair": row.pair,
        "pronoun": row.pronoun,
        "written": row.written,
        "repaired": row.repaired,
        "flag": row.flag,
        "chosen": bool(options.contains) and any(options.contains in text for text in either),
        "hidden_start": start,
        "hidden_end": end,
        "hidden_man": man,
        "hidden_woman": woman,
        "lost": "",
    }


def _left_out(entry: LeftOut) -> dict[str, Any]:
    nothing = {name: False if kind == pl.Boolean else None for name, kind in _SCHEMA.items()}
    told = {"line": entry.line, "sentence": entry.sentence, "lost": entry.reason, "flag": "", "context": entry.sentence}
    return nothing | told


def _blanks(asked: pl.DataFrame) -> list[Blank]:
    columns = ("sentence", "hidden_start", "hidden_end", "hidden_man", "hidden_woman")
    return [
        Blank(text=text, span=(start, end), candidates=(man, woman))
        for text, start, end, man, woman in asked.select(columns).iter_rows()
    ]


def _where(known: pl.Series, values: pl.Series) -> pl.Series:
    return pl.select(pl.when(known).then(values)).to_series()
