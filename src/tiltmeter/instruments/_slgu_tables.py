"""What the SlguSet score shows to read: sentences that lean most, the words they are about, and a case study."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import polars as pl

from tiltmeter.errors import MissingExtra
from tiltmeter.instruments._slgu_estimates import usable
from tiltmeter.language import distinctive, text_rank, tf_idf
from tiltmeter.packs import Pack
from tiltmeter.results import TextTable

MOST = 10
"""Rows of a table."""
_COLUMNS = ("sentence", "log10 P(male)", "log10 P(female)", "bias")


def tables(items: pl.DataFrame, pack: Pack, options: Any) -> list[TextTable]:
    """Tables 5 to 9 of the paper, of one model."""
    found = usable(items)
    whole = pack.spaced or options.span == "whole-word"
    hidden = "in braces the male and the female word" + ("" if whole else "; hidden was that in which they differ")
    made = [*_extremes(found, "", hidden), _topics(found, pack, options.threshold)]
    if options.contains:
        made += _extremes(found.filter("chosen"), f" with {options.contains}", hidden)
    return made


def _extremes(found: pl.DataFrame, among: str, hidden: str) -> Iterator[TextTable]:
    """The sentences that lean farthest to either side."""
    ordered = found.sort("bias", maintain_order=True)
    for side, rows in (
        ("men", ordered.filter(pl.col("bias") > 0).reverse()),
        ("women", ordered.filter(pl.col("bias") < 0)),
    ):
        if not rows.is_empty():
            yield TextTable(
                title=f"SlguSet: sentences{among} that lean farthest to {side}",
                columns=_COLUMNS,
                rows=tuple(rows.select("context", "log10_p_man", "log10_p_woman", "bias").head(MOST).iter_rows()),
                caption=f"{rows.height:,} of {found.height:,} sentences{among} lean to {side}; {hidden}.",
            )


def _topics(found: pl.DataFrame, pack: Pack, threshold: float) -> TextTable:
    """Table 7, by the sentences that lean clearly, without their keyword; and which words tell the two sides apart."""
    title = "SlguSet: topic words of the sentences that lean clearly"
    bare = found.with_columns(
        bare=pl.struct("sentence", "start", "end").map_elements(
            # A line break, so that what stands around the keyword does not become a word.
            lambda row: f"{row['sentence'][: row['start']]}\n{row['sentence'][row['end'] :]}",
            return_dtype=pl.String,
        )
    )
    women = bare.filter(pl.col("bias") < -threshold)["bare"].to_list()
    men = bare.filter(pl.col("bias") > threshold)["bare"].to_list()
    columns: dict[str, list[str]] = {}
    if not pack.segmenter:
        return TextTable(title=title, columns=("words",), rows=(), caption="Not made: the pack names no segmenter.")
    try:
        for side, own, others in (("women", women, men), ("men", men, women)):
            how = {"segmenter": pack.segmenter, "lang": pack.lang}
            columns[f"{side}: TF-IDF"] = [word for word, _ in tf_idf(own, others, **how)[:MOST]]
            columns[f"{side}: TextRank"] = [word for word, _ in text_rank(own, **how)[:MOST]]
            columns[f"{side}: distinctive (z)"] = [
                f"{word} ({z:.1f})" for word, z in distinctive(own, others, **how)[:MOST]
            ]
    except MissingExtra as error:
        return TextTable(
            title=title,
            columns=("words",),
            rows=(),
            caption=f"Not made: {error}, then remove this run and measure again.",
        )
    return TextTable(
        title=title,
        columns=tuple(columns),
        rows=tuple(zip_longest(*columns.values(), fillvalue="")),
        caption=f"{len(women):,} sentences to women and {len(men):,} to men, |Bias_c| > {threshold:g}, keywords "
        "removed. Words that both sides share say nothing about either; distinctive words are those with the highest z "
        "of their log-odds, and below about 3 chance among so many words explains them.",
    )
