"""The SlguSet score in words, and what to know with its numbers."""

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from tiltmeter.datasets.slguset import LeftOut, left_out_reasons
from tiltmeter.datasets.slguset_files import ListedSet
from tiltmeter.instruments._numbers import reading
from tiltmeter.packs import Pack
from tiltmeter.results import Estimate, Note, shown

_LISTED = 20
"""So many rows are named in a note; the items have all."""


def readings(estimates: Sequence[Estimate], threshold: float, pairs: int) -> Iterator[Note]:
    """The tilt, how strong the bias of a sentence is, and how much of it is the words' alone, each in a sentence."""
    rows = {(row.name, row.group.get("sentences", "")): row for row in estimates if "pair" not in row.group}
    for (name, sentences), row in rows.items():
        if name == "signed_mean" and row.value is not None and sentences in ("all", "without pronouns"):
            where = "" if sentences == "all" else " where pronouns are left out"
            above, below = (f"neutral sentences lean to {side}{where}" for side in ("men", "women"))
            word = "male" if row.value > 0 else "female"
            said = f"{above if row.value > 0 else below}, the {word} word is {_times(abs(row.value))} as probable"
            said = said if row.value else "neutral sentences lean to neither side"
            yield reading(row, f"{said}: mean Bias_c = {shown(row.value)}", above=above, below=below)
    yield from _strength(rows["bias_man", "all"], rows["bias_woman", "all"], rows["model_bias", "all"])
    counts = [rows[name, "all"] for name in ("evident_man", "evident_woman")]
    told = " and ".join(f"{row.value:,.0f} to {side}" for row, side in zip(counts, ("men", "women"), strict=True))
    yield Note(
        kind="reading",
        text=f"Of {counts[0].n:,} sentences {told} lean clearly (|Bias_c| > {threshold:g}: one word more than "
        f"{_times(threshold)} as probable as the other).",
    )
    share, excess = rows["pair_share", ""], rows["excess_over_prior", ""]
    if share.value is not None and excess.value is not None:
        yield Note(
            kind="reading",
            text=f"{share.value:.0%} of the variance of Bias_c lies between the pairs of words"
            + (f" (95% interval {share.ci_low:.0%} to {share.ci_high:.0%})" if share.ci_low is not None else "")
            + ", the rest in the contexts. Sentences are more biased than the priors of their pairs alone would make "
            f"them by {shown(excess.value)}; noise does that, too: compare it between models.",
        )
    if pairs == 1:
        yield Note(
            kind="one-pair",
            caution="one pair of words",
            text="All sentences are of one pair of words: what is found may be these two words', and no gender's.",
        )


def _strength(man: Estimate, woman: Estimate, both: Estimate) -> Iterator[Note]:
    if man.value is None or woman.value is None or both.value is None:
        sides = [side for side, row in (("male", man), ("female", woman)) if row.value is None]
        yield Note(
            kind="void",
            text=f"No sentence leans {' or '.join(sides)}: what is a mean over them, and Model_bias, cannot be "
            "computed; read signed_mean.",
        )
        return
    yield Note(
        kind="reading",
        text=f"Where a sentence leans to men, the male word is {_times(man.value)} as probable as the female one; "
        f"where it leans to women, the female word {_times(woman.value)} (geometric means). Model_bias "
        f"{shown(both.value)} is above 0 for every model that is not perfectly even: compare it between models, on "
        "the same sentences.",
    )


def _times(log10: float) -> str:
    if log10 > 9:
        return f"10^{log10:.0f} times"
    ratio = 10.0**log10
    return f"{ratio:.1f} times" if ratio < 100 else f"{ratio:,.0f} times"


def file_notes(items: pl.DataFrame, listed: ListedSet | None, left_out: Sequence[LeftOut], pack: Pack) -> list[Note]:
    """What was done to the rows of a file: read, repaired, flagged, left out."""
    notes = []
    if listed is not None:
        known = f"{pack.name} sentences of a file, {len(listed.sentences):,} rows, read as {listed.encoding}"
        notes.append(Note(kind="set", text=f"{known}; {items.height - len(left_out):,} can be asked."))
    repaired = items.filter("repaired")
    if not repaired.is_empty():
        share = repaired.height / items.height
        notes.append(
            Note(
                kind="repaired",
                caution="repaired rows",
                text=f"In {repaired.height:,} of {items.height:,} rows ({share:.1%}) the position did not give the "
                "keyword; it was found anew, nearest to that position.",
                details={"rows": _named(repaired)},
            )
        )
    asked = items.drop_nulls("pair")
    flagged = asked.filter(pl.col("flag") != "")
    if not flagged.is_empty():
        kinds = {name: int(flagged["flag"].str.contains(name).sum()) for name in ("keyword again", "both words")}
        notes.append(
            Note(
                kind="gender-given-away",
                caution="sentences that give the gender away" if flagged.height * 20 > items.height else "",
                text=f"{flagged.height:,} sentences hold the keyword once more ({kinds['keyword again']:,}) or its "
                f"opposite as well ({kinds['both words']:,}), which may give the gender away"
                + ("; results are also given without them." if flagged.height < asked.height else "."),
                details={"rows": _named(flagged)},
            )
        )
    if left_out:
        reasons = left_out_reasons(left_out)
        told = "; ".join(f"{reason} ({count:,})" for reason, count in reasons.items())
        notes.append(
            Note(
                kind="left-out",
                caution="rows left out",
                text=f"{len(left_out):,} of {items.height:,} rows were left out: {told}.",
                details={"reasons": reasons, "rows": [f"{entry.line}: {entry.reason}" for entry in left_out[:_LISTED]]},
            )
        )
    return notes


def asked_notes(items: pl.DataFrame, options: Any, pack: Pack) -> list[Note]:
    """How the sentences were asked: which part of a word was hidden, and what the tokenizer made of it."""
    asked = items.filter(pl.col("bias").is_not_null())
    whole = options.span == "whole-word" or pack.spaced
    rule = "the whole word" if whole else "the characters in which the two words differ, as published"
    notes = [Note(kind="span", text=f"Hidden was {rule} (span rule {'whole-word' if whole else options.span}).")]
    unlike = asked.filter(pl.col("token_count_man") != pl.col("token_count_woman"))
    if not unlike.is_empty():
        pairs = ", ".join(unlike["pair"].unique(maintain_order=True).head(8))
        notes.append(
            Note(
                kind="tokens",
                caution="words of unequal length" if unlike.height * 10 > asked.height else "",
                text=f"In {unlike.height:,} of {asked.height:,} sentences the two words have different numbers of "
                f"tokens ({pairs}): the longer one is less probable for that alone, which the prior of its pair takes "
                "up.",
            )
        )
    strange = asked.filter(pl.col("unknown") != "")
    if not strange.is_empty():
        some = ", ".join(strange["unknown"].unique(maintain_order=True).head(5))
        notes.append(
            Note(
                kind="unknown-characters",
                text=f"{strange.height:,} sentences hold something that the tokenizer does not know ({some}); they "
                "were asked with its token for what is unknown.",
            )
        )
    return notes


def _named(rows: pl.DataFrame) -> list[str]:
    return [f"{line}: {context}" for line, context in rows.select("line", "context").head(_LISTED).iter_rows()]
