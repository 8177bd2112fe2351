"""Pairs of sentences of which the second neither follows from the first nor contradicts it, unless by a stereotype.

Anantaprayoon, Kaneko and Okazaki (2023, 2024), after Dev et al. (2020): the premise says what an occupation is seen to
do, the hypothesis that a woman or a man does. Pro-stereotypical (PS) are the pairs of a stereotyped occupation and its
gender, anti-stereotypical (AS) those with the other one, non-stereotypical (NS) those of an occupation without a
stereotype.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

from tiltmeter.errors import TiltmeterError
from tiltmeter.language import subject_forms, write_caption
from tiltmeter.packs import Caption, Occupation, Pack

SETS: Mapping[str, str] = {"PS": "pro-stereotypical", "AS": "anti-stereotypical", "NS": "non-stereotypical"}
GENDERS = ("female", "male")
PER_OCCUPATION = 10
"""Captions an occupation, as published."""
FORMS = ("masculine", "feminine")
Mode = Literal["right", "published"]
Forms = Literal["epicene", "both"]
Entry = TypeVar("Entry")


@dataclass(frozen=True, slots=True, kw_only=True)
class NliPair:
    """A premise and a hypothesis; `gender` is that of the hypothesis, where it is known."""

    set: str
    premise: str
    hypothesis: str
    occupation: str
    occupation_class: str
    gender: str = ""
    template: str = ""
    form: str = ""
    """`masculine` or `feminine` where the premise tells a gender by its form, as a control; else nothing."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An occupation that is not used, and why."""

    occupation: str
    reason: str


@dataclass(frozen=True, slots=True)
class Made:
    pairs: tuple[NliPair, ...]
    left_out: tuple[LeftOut, ...]


def make_pairs(
    pack: Pack,
    *,
    mode: Mode = "right",
    forms: Forms = "epicene",
    captions: Sequence[Caption] | None = None,
    occupations: Sequence[Occupation] | None = None,
    per_occupation: int = PER_OCCUPATION,
    seed: int = 0,
) -> Made:
    """The pairs of a pack's occupations and captions, or of others.

    `right`: premises tell no gender; words whose meaning is a gender are left out; as many male- as female-stereotyped
    occupations, drawn by `seed`, two and two with the same captions, so that every caption serves as many of either.
    `published`: the published occupations, all of them. `forms`: `both` makes the control in which the
    premises do tell a gender, by the masculine or by the feminine form.
    """
    listed, left_out = usable(_listed(pack, mode) if occupations is None else occupations, mode)
    chosen = ordered(pack.captions if captions is None else captions, seed, lambda caption: caption.sentence)
    if len(chosen) < per_occupation:
        raise TiltmeterError(f"{per_occupation} captions an occupation are needed, and there are {len(chosen)}")
    hypotheses = hypotheses_of(pack)
    if forms == "both" and not any(phrase.kind == "feminine" for phrase in pack.subjects):
        raise TiltmeterError(f"{pack.name} has no masculine and feminine forms, so that there is no such control")
    pairs: list[NliPair] = []
    for form in FORMS if forms == "both" else ("",):
        premises = premises_of(pack, listed, chosen, form)
        left_out += [LeftOut(one.masculine, _why_unwritten(form)) for one in listed if one not in premises]
        drawn = list(_spread(list(premises), chosen, mode, per_occupation, seed))
        undrawn = premises.keys() - {occupation for occupation, _ in drawn}
        left_out += [
            LeftOut(one.masculine, "not drawn: as many of either gender") for one in premises if one in undrawn
        ]
        for occupation, own in drawn:
            pairs += pairs_of(occupation, form, premises[occupation], own, hypotheses, pack.lang)
    missing = [name for name in SETS if not any(pair.set == name for pair in pairs)]
    if missing:
        needs = {"NS": "without a stereotype"}.get(missing[0], "stereotyped for women and for men")
        raise TiltmeterError(f"the set {missing[0]} would be empty: no occupation {needs} can be used")
    pairs.sort(key=lambda pair: list(SETS).index(pair.set))
    return Made(tuple(pairs), tuple(dict.fromkeys(left_out)))


OccupationClass = Literal["female", "male", "neutral"]
_CROWD = 0.5
"""Definitional scores nearer to 0 than this say no gender, stereotypical ones beyond it a stereotype (appendix A)."""
_FEW = 25.0
"""Percent of one gender at or below which an occupation is nontraditional for it (US Department of Labor)."""


def class_by_share(share: float) -> OccupationClass:
    """The gender of the great majority: three in four or more."""
    return "female" if share >= 100 - _FEW else "male" if share <= _FEW else "neutral"


def by_share(occupations: Iterable[Occupation]) -> tuple[list[Occupation], list[LeftOut]]:
    """Classes by the share of women, of the occupations that have one."""
    kept, left_out = [], []
    for occupation in occupations:
        if occupation.share is None:
            left_out.append(LeftOut(occupation.masculine, "the share of women is not known"))
        else:
            kept.append(replace(occupation, occupation_class=class_by_share(occupation.share)))
    return kept, left_out


def by_crowd_scores(
    occupations: Iterable[Occupation], scores: Mapping[str, tuple[float, float]]
) -> tuple[list[Occupation], list[LeftOut]]:
    """Classes by crowd scores with the paper's thresholds: |definitional| < .5 and stereotypical > .5 is male, < -.5 is
    female, else neutral; a definitional score beyond them is a gender by meaning."""
    kept, left_out = [], []
    for occupation in occupations:
        found = scores.get(occupation.id)
        if found is None:
            left_out.append(LeftOut(occupation.masculine, "it has no crowd score"))
            continue
        definitional, stereotypical = found
        named: OccupationClass = (
            "male" if stereotypical > _CROWD else "female" if stereotypical < -_CROWD else "neutral"
        )
        gendered: Literal["", "yes"] = "" if abs(definitional) < _CROWD else "yes"
        kept.append(replace(occupation, occupation_class="neutral" if gendered else named, gendered=gendered))
    return kept, left_out


def _listed(pack: Pack, mode: Mode) -> Sequence[Occupation]:
    if mode == "right":
        return pack.occupations
    published = [occupation for occupation in pack.occupations if not occupation.origin]
    if not published:
        raise TiltmeterError(f"there is no published list of occupations in {pack.name}: use --mode right")
    return published


def usable(occupations: Iterable[Occupation], mode: Mode) -> tuple[list[Occupation], list[LeftOut]]:
    kept, left_out = [], []
    for occupation in occupations:
        if occupation.gendered and mode == "right":
            left_out.append(LeftOut(occupation.masculine, "its gender is its meaning"))
        else:
            kept.append(occupation)
    return kept, left_out


def premises_of(
    pack: Pack, occupations: Iterable[Occupation], captions: Iterable[Caption], form: str = ""
) -> dict[Occupation, dict[str, str]]:
    """The subject of a premise for each slot, of the occupations that can be written in all of the captions."""
    slots = {caption.slot for caption in captions}
    written = {occupation: _premise(pack, occupation, form) for occupation in occupations}
    return {occupation: forms for occupation, forms in written.items() if slots <= forms.keys()}


def hypotheses_of(pack: Pack) -> dict[str, dict[str, str]]:
    """The subject of a hypothesis for each slot, by its gender."""
    kinds = {"female": "woman", "male": "man"}
    return {gender: subject_forms(pack.subjects, kind, pack.lang) for gender, kind in kinds.items()}


def _premise(pack: Pack, occupation: Occupation, form: str) -> dict[str, str]:
    """The subject of a premise for each slot; nothing where the language has no way to write it."""
    if form:
        word = occupation.feminine if form == "feminine" else occupation.masculine
        return subject_forms(pack.subjects, form, pack.lang, word) if occupation.feminine else {}
    if occupation.epicene:
        return {"subject": occupation.epicene}
    return {} if occupation.feminine else subject_forms(pack.subjects, "occupation", pack.lang, occupation.masculine)


def _why_unwritten(form: str) -> str:
    return "it has one form for everybody" if form else "no word for it that tells no gender fits the captions"


def _spread(
    occupations: Sequence[Occupation], captions: Sequence[Caption], mode: Mode, per_occupation: int, seed: int
) -> Iterator[tuple[Occupation, list[Caption]]]:
    """Every occupation with its captions: in turn, so that all are used alike."""
    drawn = ordered(occupations, seed, lambda occupation: occupation.id)
    female, male, neutral = (
        [occupation for occupation in drawn if occupation.occupation_class == name]
        for name in ("female", "male", "neutral")
    )
    if mode == "right":
        count = min(len(female), len(male))
        female, male = female[:count], male[:count]
    for group in (female, male, neutral):
        for number, occupation in enumerate(group):
            first = number * per_occupation
            yield occupation, [captions[(first + step) % len(captions)] for step in range(per_occupation)]


def pairs_of(
    occupation: Occupation,
    form: str,
    premise: Mapping[str, str],
    captions: Iterable[Caption],
    hypotheses: Mapping[str, Mapping[str, str]],
    lang: str,
) -> Iterator[NliPair]:
    """The pairs of one occupation: every caption with a woman, then with a man."""
    word = occupation.feminine if form == "feminine" else occupation.masculine
    for gender in GENDERS:
        name = set_of(occupation.occupation_class, gender)
        for caption in captions:
            yield NliPair(
                set=name,
                premise=write_caption(caption, premise, lang),
                hypothesis=write_caption(caption, hypotheses[gender], lang),
                occupation=word,
                occupation_class=occupation.occupation_class,
                gender=gender,
                template=caption.sentence,
                form=form,
            )


def set_of(occupation_class: str, gender: str) -> str:
    """The set that a pair belongs to."""
    return "NS" if occupation_class == "neutral" else "PS" if occupation_class == gender else "AS"


def ordered(entries: Iterable[Entry], seed: int, key: Callable[[Entry], str]) -> list[Entry]:
    """In an order that follows from the seed and each entry alone."""
    return sorted(entries, key=lambda entry: hashlib.sha256(f"{seed} {key(entry)}".encode()).digest())
