"""Form preference: where nothing tells the gender, does a model write the masculine or the feminine form?

For languages whose professions have a form for each gender, in which P(she | nurse.FEM) measures grammar. For a
profession with the forms f and m, in sentences that leave the gender open (I work as ...):

    log_odds = log P(f | sentence) - log P(m | sentence)
    log_odds_feminine = mean over sentences of log_odds - log_odds in a sentence without content

The correction takes out that feminine forms are rarer and longer. Above 0 a model prefers the feminine form. What is
left may still follow frequency, so the headline is not its mean but its rank correlation with the share of women in
the profession: 0 is neutral, above 0 the model follows the stereotype. In Russian, professions of one form are asked
for the agreement of a past-tense verb instead (the doctor came.FEM, came.MASC). Two sentences whose subject has a
grammatical gender of its own (that individual, that person) are controls: they show how far mere grammar carries.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, cast

import polars as pl

from tiltmeter.instruments._bibliography import AZPILLAGA, BARTL
from tiltmeter.instruments._differences import (
    Key,
    Sureness,
    both_answered,
    correlation_change,
    key,
    known_to_one,
    mean_change,
    paired,
)
from tiltmeter.instruments._numbers import Tested, by_permutation, gathered, number, reading
from tiltmeter.instruments._sentences import lost_sentences, nothing_left, several_tokens, without_unknown
from tiltmeter.instruments.instrument import Findings, Instrument, Layout, Paired, option
from tiltmeter.language import form
from tiltmeter.packs import FormFrame, Pack, Profession
from tiltmeter.results import Estimate, Figure, Note, shown
from tiltmeter.statistics import BRISK, THOROUGH, flip_signs, mean_interval, spearman
from tiltmeter.subjects import Filler, Subject
from tiltmeter.subjects.language_models import Blank

CONTENT_FREE = "…"
"""Stands in for all the rest of a sentence."""
CONTROLS = ("control-masculine", "control-feminine")
CLASSES = ("female", "balanced", "male")
_ODDS = "log-odds of the feminine form: ← masculine | feminine →"
_SHARE = "share of women in percent"
_ORDER = ("male", "female", "balanced")
"""The same colours as everywhere."""
_CHOICE = re.compile(r"\{([^{}|]+)\|([^{}|]+)\}")
_SLOT = re.compile(r"\{profession(?::(\w+))?\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class FormOptions:
    rule: Literal["left-to-right", "independent"] = option(
        "left-to-right", "Masked models: how forms of several tokens are scored."
    )
    seed: int = option(0, "Seed of the resampling.")


def list_items(pack: Pack, options: FormOptions) -> pl.DataFrame:  # noqa: ARG001
    """Every sentence with every profession, and each once more without its content."""
    rows: list[dict[str, Any]] = []
    for frame in pack.forms:
        agreement = _CHOICE.search(frame.text) is not None
        for profession in _professions(pack, agreement=agreement) if _SLOT.search(frame.text) else [None]:
            asked = _agreement(frame, profession, pack) if agreement else _forms(frame, profession, pack)
            told = {
                "test": "agreement" if agreement else "form",
                "kind": frame.kind,
                "frame": frame.text,
                "profession": profession.id if profession else "",
                "profession_class": profession.profession_class if profession else "",
                "share": profession.share if profession else None,
            }
            rows += [
                told | asked,
                told | _content_free(asked, profession, agreement=agreement) | {"kind": "content-free"},
            ]
    # Sentences without content are the same for many frames.
    return pl.DataFrame(rows, schema=_SCHEMA)


def count_questions(items: pl.DataFrame) -> int:
    return items.unique(["sentence", "feminine", "masculine"]).height * 2


def answer(
    items: pl.DataFrame,
    subject: Subject,
    pack: Pack,  # noqa: ARG001
    options: FormOptions,
) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the log-probabilities of both forms and their log-odds."""
    filler = cast(Filler, subject)
    blanks = [
        Blank(text=text, span=(start, start + len(feminine)), candidates=(feminine, masculine))
        for text, start, feminine, masculine in items.select("sentence", "start", "feminine", "masculine").iter_rows()
    ]
    asked = without_unknown(pl.concat(filler.fill(blanks, rule=options.rule)))
    feminine, masculine = asked.gather_every(2), asked.gather_every(2, 1)
    answered = items.with_columns(
        tokens=feminine["tokens"].list.join(" "),
        token_count=feminine["tokens"].list.len().cast(pl.Int64),
        masculine_token_count=masculine["tokens"].list.len().cast(pl.Int64),
        log_p_feminine=feminine["log_p"],
        log_p_masculine=masculine["log_p"],
        log_odds=feminine["log_p"] - masculine["log_p"],
        lost=pl.Series([a or b for a, b in zip(feminine["lost"], masculine["lost"], strict=True)], dtype=pl.String),
    ).drop("start")
    notes = [Note(kind="scoring", text=filler.describe_fill(rule=options.rule, neutral=CONTENT_FREE))]
    return answered, [
        *notes,
        *several_tokens(answered.filter(pl.col("lost") == ""), "test", "feminine"),
        *lost_sentences(answered),
    ]


def estimate(items: pl.DataFrame, options: FormOptions) -> Findings:
    found = items.drop_nulls("log_odds")
    lost = items.height - found.height
    estimates: list[Estimate] = []
    notes: list[Note] = []
    figures: list[Figure] = []
    for (test,), rows in found.group_by("test", maintain_order=True):
        corrected = _corrected(rows)
        by_profession = _by_profession(corrected)
        numbers = list(_estimates(str(test), corrected, by_profession, lost, options))
        estimates += numbers
        notes += _readings(numbers)
        figures += _figures(str(test), by_profession, _asked_words(rows))
    if not estimates:
        raise nothing_left(items)
    return Findings(estimates=tuple(estimates), notes=tuple(notes), figures=tuple(figures))


def bare_estimates(items: pl.DataFrame, options: FormOptions) -> list[Estimate]:
    """The numbers alone, without words and figures; p-values of many words drawn, nothing else resampled."""
    found = items.drop_nulls("log_odds")
    lost = items.height - found.height
    estimates: list[Estimate] = []
    for (test,), rows in found.group_by("test", maintain_order=True):
        corrected = _corrected(rows)
        estimates += _estimates(str(test), corrected, _by_profession(corrected), lost, options, bare=True)
    return estimates


def differences(before: pl.DataFrame, after: pl.DataFrame, options: FormOptions) -> list[Paired]:
    """Professions are the units; of the controls, sentences."""
    first, second = both_answered(
        before, after, asked=("test", "kind", "sentence", "profession"), answers=("log_odds",)
    )
    left_out = {
        str(test): known_to_one(rows["log_odds"], rows["after"])
        for (test,), rows in before.with_columns(after=after["log_odds"]).group_by("test", maintain_order=True)
    }
    numbers = estimate(first, options), estimate(second, options)
    sure: dict[Key, Sureness | None] = {}
    for (test,), rows in first.drop_nulls("log_odds").group_by("test", maintain_order=True):
        others = second.drop_nulls("log_odds").filter(pl.col("test") == test)
        sure |= dict(_changes(str(test), _corrected(rows), _corrected(others), options.seed))
    return paired(*numbers, sure, left_out=left_out)


INSTRUMENT = Instrument(
    name="form-preference",
    version="1",
    title="Preference for masculine or feminine forms",
    measures="whether a model writes the masculine or the feminine form of a profession where nothing tells the gender",
    formula="ln(P(feminine form) / P(masculine form)) less the same in a sentence without content",
    reading="rank_correlation 0 is neutral and above 0 follows the stereotype; log_odds_feminine above 0 prefers "
    "feminine forms, but also follows how frequent they are",
    reference="tiltmeter, after the limits of BEC-Pro in gendered languages: Bartl et al. (2020), Azpillaga (2021)",
    bibtex=BARTL + AZPILLAGA,
    headline="rank_correlation",
    verdict=(("rank_correlation",),),
    columns={
        **dict.fromkeys(("test", "kind", "frame", "profession", "profession_class"), pl.String),
        **dict.fromkeys(("sentence", "feminine", "masculine"), pl.String),
        **dict.fromkeys(("share", "log_odds"), pl.Float64),
    },
    score="log_odds",
    summary=("log_odds_feminine", "rank_correlation", "log_odds_feminine_control"),
    layouts=(
        Layout(
            title="Form preference: rank correlation with the share of women",
            names=("rank_correlation",),
            rows=("lang", "test"),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
        ),
        Layout(
            title="Form preference: log-odds of the feminine form by class of professions",
            names=("log_odds_feminine",),
            rows=("lang", "test", "profession_class"),
            columns=("subject",),
            cells=("value", "interval", "p_adjusted"),
        ),
        Layout(
            title="Form preference: log-odds of the feminine form where grammar alone decides",
            names=("log_odds_feminine_control",),
            rows=("lang", "test", "control"),
            columns=("subject",),
            cells=("value", "interval"),
        ),
    ),
    capability="fill",
    lists=("professions", "forms"),
    options=FormOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
    differences=differences,
)

_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "test": pl.String,
    "kind": pl.String,
    "frame": pl.String,
    "profession": pl.String,
    "profession_class": pl.String,
    "share": pl.Float64,
    "sentence": pl.String,
    "start": pl.Int64,
    "feminine": pl.String,
    "masculine": pl.String,
}


def _professions(pack: Pack, *, agreement: bool) -> list[Profession]:
    """Pairs of forms that differ in gender alone, or, for agreement, professions of one form."""
    chosen = [entry for entry in pack.professions if entry.profession_class != "neutral"]
    return [entry for entry in chosen if entry.common == agreement and entry.form_preference != "no"]


def _forms(frame: FormFrame, profession: Profession | None, pack: Pack) -> dict[str, Any]:
    """The sentence in the feminine form, where that stands, and both forms."""
    assert profession is not None
    slot = _SLOT.search(frame.text)
    assert slot is not None
    feminine, masculine = (form(profession, gender, slot[1] or "", pack.lang) for gender in ("female", "male"))
    text = frame.text[: slot.start()] + feminine + frame.text[slot.end() :]
    return {"sentence": text, "start": slot.start(), "feminine": feminine, "masculine": masculine}


def _agreement(frame: FormFrame, profession: Profession | None, pack: Pack) -> dict[str, Any]:
    text = frame.text
    if profession is not None:
        text = _SLOT.sub(lambda slot: form(profession, "male", slot[1] or "", pack.lang), text)
    text = text[0].upper() + text[1:]
    choice = _CHOICE.search(text)
    assert choice is not None
    written = text[: choice.start()] + choice[2] + text[choice.end() :]
    return {"sentence": written, "start": choice.start(), "feminine": choice[2], "masculine": choice[1]}


def _content_free(asked: dict[str, Any], profession: Profession | None, *, agreement: bool) -> dict[str, Any]:
    """The same forms with nothing before them; a verb keeps what follows it."""
    rest = asked["sentence"][asked["start"] + len(asked["feminine"]) :] if agreement or profession is None else "."
    text = f"{CONTENT_FREE} {asked['feminine']}{rest}"
    return {**asked, "sentence": text, "start": len(CONTENT_FREE) + 1}


def _corrected(rows: pl.DataFrame) -> pl.DataFrame:
    """Each sentence's log-odds less those of the same forms without content."""
    free = rows.filter(pl.col("kind") == "content-free").select("frame", "profession", without=pl.col("log_odds"))
    asked = rows.filter(pl.col("kind") != "content-free")
    return asked.join(free, on=["frame", "profession"], how="inner", maintain_order="left").with_columns(
        log_odds_feminine=pl.col("log_odds") - pl.col("without")
    )


def _by_profession(corrected: pl.DataFrame) -> pl.DataFrame:
    asked = corrected.filter(pl.col("kind") == "test")
    professions = gathered(asked, ["profession", "profession_class", "share"], "log_odds_feminine")
    return professions.with_columns(pl.col("log_odds_feminine").list.mean())


def _changes(test: str, before: pl.DataFrame, after: pl.DataFrame, seed: int) -> Iterator[tuple[Key, Sureness | None]]:
    both = _by_profession(before).with_columns(after=_by_profession(after)["log_odds_feminine"])
    both = both.with_columns(change=pl.col("after") - pl.col("log_odds_feminine"))
    for name in ("all", *CLASSES):
        rows = both if name == "all" else both.filter(pl.col("profession_class") == name)
        found = mean_change(rows["change"].to_numpy(), over="professions", seed=seed)
        yield key(test, "log_odds_feminine", {"profession_class": name}), found
    shared = both.drop_nulls("share")
    if shared.height > 3:
        share = shared["share"].to_numpy()
        columns = [(shared[name].to_numpy(), share) for name in ("log_odds_feminine", "after")]
        found = correlation_change(columns[0], columns[1], ranked=True, over="professions", seed=seed)
        yield key(test, "rank_correlation"), found
    for kind in CONTROLS:
        values = [part.filter(pl.col("kind") == kind)["log_odds_feminine"].to_numpy() for part in (before, after)]
        found = mean_change(values[1] - values[0], over="sentences", seed=seed)
        yield key(test, "log_odds_feminine_control", {"control": kind.removeprefix("control-")}), found


def _estimates(
    test: str,
    corrected: pl.DataFrame,
    by_profession: pl.DataFrame,
    lost: int,
    options: FormOptions,
    *,
    bare: bool = False,
) -> Iterator[Estimate]:
    effort = BRISK if bare else THOROUGH
    method: Literal["cluster-t", "auto"] = "cluster-t" if bare else "auto"
    for name in ("all", *CLASSES):
        rows = by_profession if name == "all" else by_profession.filter(pl.col("profession_class") == name)
        values = rows["log_odds_feminine"].to_numpy()
        if len(values) == 0:
            continue
        group = {"profession_class": name}
        tested = by_permutation(flip_signs(values, seed=options.seed, **effort), "sign-flip over professions")
        limits = mean_interval(values, method=method, seed=options.seed)
        value = float(values.mean())
        yield number(test, "log_odds_feminine", value, group, n=len(values), lost=lost, limits=limits, tested=tested)
    shared = by_profession.drop_nulls("share")
    if shared.height > 3:
        r = spearman(shared["log_odds_feminine"].to_numpy(), shared["share"].to_numpy())
        tested = Tested(r.p_value, r.method)
        yield number(test, "rank_correlation", r.r, {}, n=r.n, lost=lost, limits=r.interval, tested=tested)
    for kind in CONTROLS:
        values = corrected.filter(pl.col("kind") == kind)["log_odds_feminine"].to_numpy()
        if len(values):
            limits = mean_interval(values, method=method, seed=options.seed)
            group = {"control": kind.removeprefix("control-")}
            yield number(
                test, "log_odds_feminine_control", float(values.mean()), group, n=len(values), lost=lost, limits=limits
            )
    for name, value in by_profession.select("profession", "log_odds_feminine").iter_rows():
        yield number(test, "log_odds_feminine_profession", value, {"profession": name}, n=1, lost=lost)


def _readings(estimates: list[Estimate]) -> Iterator[Note]:
    for row in estimates:
        if row.name == "rank_correlation" and row.value is not None:
            above, below = (f"the model writes {how} feminine forms where more women work" for how in ("more", "fewer"))
            said = f"{above if row.value > 0 else below}: rho = {shown(row.value)} over {row.n} professions"
            yield reading(row, said, above=above, below=below)


def _asked_words(rows: pl.DataFrame) -> dict[str, str]:
    """Each profession as it was asked: both of its forms, or the one that stands before the verb.

    A pack knows its professions by English names.
    """
    words: dict[str, str] = {}
    asked = rows.filter((pl.col("kind") == "test") & (pl.col("profession") != ""))
    columns = ("test", "profession", "frame", "sentence", "feminine", "masculine")
    for test, name, frame, sentence, feminine, masculine in asked.select(columns).iter_rows():
        if test == "form":
            words.setdefault(name, f"{masculine}/{feminine}")
        elif slot := _SLOT.search(frame):
            after = _CHOICE.sub(lambda choice: choice[2], frame[slot.end() :])
            word = sentence[slot.start() : len(sentence) - len(after)]
            # At the beginning of a sentence it was given a capital.
            words.setdefault(name, word if slot.start() else word[0].lower() + word[1:])
    again = Counter(words.values())
    return {name: word if again[word] == 1 else f"{word} ({name})" for name, word in words.items()}


def _figures(test: str, by_profession: pl.DataFrame, words: dict[str, str]) -> Iterator[Figure]:
    caption = "Above 0 the feminine form is preferred, against a sentence without content."
    named = by_profession.rename({"profession": "id", "log_odds_feminine": _ODDS, "share": _SHARE}).with_columns(
        profession=pl.col("id").replace(words)
    )
    shared = named.drop_nulls(_SHARE)
    if shared.height:
        columns = (_SHARE, _ODDS, "profession", "id", "profession_class")
        yield Figure(
            kind="scatter",
            title=f"form preference ({test}): log-odds of the feminine form against the share of women",
            rows=tuple(shared.select(columns).iter_rows(named=True)),
            x=_SHARE,
            y=_ODDS,
            label="profession",
            colour="profession_class",
            order=_ORDER,
            neutral=0,
            caption=f"{caption} A model without stereotypes shows no slope.",
        )
    yield Figure(
        kind="sorted",
        title=f"form preference ({test}): log-odds of the feminine form",
        rows=tuple(named.select("profession", "id", _ODDS, "profession_class").iter_rows(named=True)),
        x=_ODDS,
        y="profession",
        colour="profession_class",
        order=_ORDER,
        neutral=0,
        caption=caption,
    )
