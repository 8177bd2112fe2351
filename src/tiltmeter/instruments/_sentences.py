"""What the instruments share that put words into sentences and ask how probable they are."""

import polars as pl

from tiltmeter.errors import TiltmeterError
from tiltmeter.results import Note, shown
from tiltmeter.subjects import Filler


def refuse_unformed(asked: pl.DataFrame, subject: Filler) -> None:
    """A word that the model cannot write has no place in a list that was made for it."""
    strange = asked.filter((pl.col("unknown") != "") & (pl.col("lost") == ""))
    if not strange.is_empty():
        raise TiltmeterError(
            f"{subject.name} cannot be asked: its tokenizer does not know {strange['unknown'][0]!r}; take it out of "
            "the list, or ask another model"
        )
    unformed = asked.filter((pl.col("lost") != "") & (pl.col("tokens").list.len() == 0))
    if not unformed.is_empty():
        words = unformed["candidate"].unique(maintain_order=True).to_list()
        more = f" (and {len(words) - 1} more)" if len(words) > 1 else ""
        raise TiltmeterError(
            f"{subject.name} cannot be asked for {words[0]!r}{more}: {unformed['lost'][0]}; take it out of the list"
        )
    if asked["log_p"].null_count() == asked.height:
        raise TiltmeterError(f"none of the sentences could be asked of {subject.name}: {asked['lost'][0]}")


def without_unknown(asked: pl.DataFrame) -> pl.DataFrame:
    """Sentences with a word that the tokenizer does not know count as lost: they would be about its unknown token."""
    strange = (pl.col("unknown") != "") & (pl.col("lost") == "")
    reason = pl.format("the tokenizer does not know '{}'", pl.col("unknown"))
    return asked.with_columns(
        log_p=pl.when(strange).then(None).otherwise(pl.col("log_p")),
        lost=pl.when(strange).then(reason).otherwise(pl.col("lost")),
    )


def nothing_left(items: pl.DataFrame) -> TiltmeterError:
    """The error where every sentence was lost, with the commonest reason."""
    said = "no sentence is left to be measured"
    # What was lost with another was lost for the reason of the other.
    reasons = items.get_column("lost", default=pl.Series("lost", [], pl.String))
    known = reasons.filter((reasons != "") & ~reasons.str.starts_with("lost with")).to_frame()
    if known.is_empty():
        return TiltmeterError(said)
    reason, count = known.group_by("lost").len().sort("len", "lost", descending=[True, False]).row(0)
    return TiltmeterError(f"{said} ({count} of {items.height}: {reason})")


def several_tokens(items: pl.DataFrame, group: str, word: str) -> list[Note]:
    """Words of several tokens, by the column `group` they belong to."""
    if items.is_empty():
        return []
    longest = items.sort("token_count", descending=True, maintain_order=True).row(0, named=True)
    if longest["token_count"] < 2:
        return []
    means = {str(name): mean(rows["token_count"]) for (name,), rows in items.group_by(group, maintain_order=True)}
    told = ", ".join(f"{name} {shown(value)}" for name, value in means.items())
    return [
        Note(
            kind="tokens",
            text=f"Some targets are several tokens (most: {longest[word]!r} as {longest['tokens']}); tokens a target, "
            f"on average: {told}. Words of different lengths are comparable in their associations, not in their "
            "probabilities.",
            details={"tokens": means},
        )
    ]


def lost_sentences(items: pl.DataFrame) -> list[Note]:
    """What was left out, and why."""
    lost = items.filter(pl.col("lost") != "")
    if lost.is_empty():
        return []
    return [
        Note(
            kind="lost-sentences",
            caution="lost sentences",
            text=f"{lost.height} of {items.height} sentences were left out, none was cut: {lost['lost'][0]}.",
            details={"sentences": lost["sentence"].head(20).to_list()},
        )
    ]


def mean(values: pl.Series) -> float:
    found = values.mean()
    assert isinstance(found, float)
    return found
