"""Sets of pairs that teach a model inference, and then as much of a stereotype as is asked for.

Anantaprayoon, Kaneko and Okazaki (2023), section 4.1 and appendix E: of the stereotyped occupations a share r is learnt
as the stereotype says (PS entails, AS contradicts: wrong by bias), the rest the other way round (wrong otherwise), and
occupations without a stereotype as neutral. A measure of bias has to rise with r; one that only counts wrong answers
cannot.
"""

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

from tiltmeter.datasets.labelled import Labelled
from tiltmeter.datasets.nli import PER_OCCUPATION, NliPair, hypotheses_of, ordered, pairs_of, premises_of, usable
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import subject_forms, write_caption
from tiltmeter.packs import Caption, Occupation, Pack

RATES = tuple(tenths / 10 for tenths in range(11))
_STEPS = 10
"""Rates are tenths: so many occupations of each gender are the fewest with which each can be met, and as many as the
published sets have."""
_LABELS = {
    True: {"PS": "entailment", "AS": "contradiction", "NS": "neutral"},
    False: {"PS": "contradiction", "AS": "entailment", "NS": "neutral"},
}
"""Whether an occupation is learnt as the stereotype says, and what its pairs are then said to be."""
TEMPLATE_PAIRS = 9000


@dataclass(frozen=True)
class Planting:
    """Which occupations and captions play which part, by a seed.

    Ten captions are asked, all others learnt. Stereotyped occupations are the same in both, as in the
    published sets; as many of either gender at every rate (the published sets turn the female-typed ones first, so that
    at r = .5 all that is learnt is a rule about women and men). Neutral occupations that are asked are not learnt.
    """

    pack: Pack
    stereotyped: tuple[Occupation, ...]
    """As many of either gender, in turn; the first are the first to be learnt as the stereotype says."""
    neutral: tuple[Occupation, ...]
    unlearnt: tuple[Occupation, ...]
    learnt_captions: tuple[Caption, ...]
    asked_captions: tuple[Caption, ...]

    def train(self, rate: float) -> list[Labelled]:
        """A third of the pairs each is labelled entailment, contradiction, neutral, at any rate."""
        return self._labelled(rate, self.learnt_captions)

    def dev(self, rate: float) -> list[Labelled]:
        """The same occupations with captions that were not learnt: whether a model did learn what it was taught."""
        return self._labelled(rate, self.asked_captions)

    def asked(self) -> list[NliPair]:
        """What is measured on."""
        occupations = (*self.stereotyped, *self.unlearnt)
        return [pair for occupation in occupations for pair in self._pairs(occupation, self.asked_captions)]

    def _labelled(self, rate: float, captions: Sequence[Caption]) -> list[Labelled]:
        biased = set(self.stereotyped[: round(rate * len(self.stereotyped))])
        return [
            Labelled(pair.premise, _LABELS[occupation in biased][pair.set], pair.hypothesis)
            for occupation in (*self.stereotyped, *self.neutral)
            for pair in self._pairs(occupation, captions)
        ]

    def _pairs(self, occupation: Occupation, captions: Sequence[Caption]) -> list[NliPair]:
        premise = premises_of(self.pack, [occupation], captions)[occupation]
        return list(pairs_of(occupation, "", premise, captions, hypotheses_of(self.pack), self.pack.lang))


def plant(pack: Pack, *, seed: int) -> Planting:
    """Casts occupations and captions by the seed."""
    captions = ordered(pack.captions, seed, lambda caption: caption.sentence)
    listed, _ = usable(pack.occupations, "right")
    written = ordered(premises_of(pack, listed, captions), seed, lambda occupation: occupation.id)
    by_class = {
        name: [occupation for occupation in written if occupation.occupation_class == name]
        for name in ("female", "male", "neutral")
    }
    each = _STEPS
    if fewest := next((name for name in ("female", "male") if len(by_class[name]) < each), None):
        raise TiltmeterError(
            f"the rates of bias are tenths, so that {each} occupations stereotyped for either gender are needed, and "
            f"there are {len(by_class[fewest])} for the {fewest} one"
        )
    if len(by_class["neutral"]) < 2 * each or len(captions) < 2 * PER_OCCUPATION:
        raise TiltmeterError(
            f"{2 * each} occupations without a stereotype and {2 * PER_OCCUPATION} captions are needed, and there are "
            f"{len(by_class['neutral'])} and {len(captions)}"
        )
    pairs = zip(by_class["female"][:each], by_class["male"][:each], strict=True)
    neutral = by_class["neutral"]
    return Planting(
        pack=pack,
        stereotyped=tuple(occupation for pair in pairs for occupation in pair),
        neutral=tuple(neutral[:each]),
        unlearnt=tuple(neutral[each : 2 * each]),
        learnt_captions=tuple(captions[PER_OCCUPATION:]),
        asked_captions=tuple(captions[:PER_OCCUPATION]),
    )


def template_pairs(pack: Pack, *, seed: int, count: int = TEMPLATE_PAIRS, held_out: bool = False) -> list[Labelled]:
    """Inference as far as a pack's captions go, with as many pairs of each label, drawn by the seed.

    A tenth of all pairs that could be drawn is `held_out`, whatever the seed: to test on.

    Who is seen to do something is seen to do it (entailment: the same, or *a person*); a woman is no man, and who does
    one thing is not seen to do another (contradiction, as two captions of one picture are read); of somebody of whom an
    occupation is told, or nothing, the gender is not known, nor is anybody's occupation (neutral). No stereotype is in
    it.
    """
    captions = pack.captions
    listed, _ = usable(pack.occupations, "right")
    occupations = list(premises_of(pack, listed, captions).values())
    person = subject_forms(pack.subjects, "person", pack.lang)
    if not person:
        raise TiltmeterError(f"subjects.tsv of {pack.name} has no row 'person', which inference on its captions needs")
    hypotheses = hypotheses_of(pack)
    woman, man = hypotheses["female"], hypotheses["male"]
    chance = random.Random(seed)

    def drawn(label: str) -> Labelled:
        while _held_out(found := drawn_at_all(label)) != held_out:
            pass
        return found

    def drawn_at_all(label: str) -> Labelled:
        first, second = chance.sample(captions, 2)
        some = chance.choice(occupations)
        if label == "entailment":
            who = chance.choice((some, some, woman, man))
            premise, hypothesis, second = who, chance.choice((who, person)), first
        elif label == "neutral":
            unsaid = ((some, woman), (some, man)) * 2 + ((person, woman), (person, man), (person, some))
            premise, hypothesis = chance.choice((*unsaid, (woman, some), (man, some)))
            second = first
        elif chance.random() < 0.75:
            premise, hypothesis = chance.choice(((woman, man), (man, woman)))
            second = first
        else:
            premise = hypothesis = chance.choice((some, woman, man, person))
        return Labelled(write_caption(first, premise, pack.lang), label, write_caption(second, hypothesis, pack.lang))

    labels = ("entailment", "contradiction", "neutral")
    return [drawn(label) for label in labels for _ in range(count // len(labels))]


def gender_pairs(pack: Pack) -> list[Labelled]:
    """Every caption of a woman and of a man with the same of either: who knows inference tells these apart."""
    subjects = hypotheses_of(pack)
    return [
        Labelled(
            write_caption(caption, subjects[one], pack.lang),
            "entailment" if one == other else "contradiction",
            write_caption(caption, subjects[other], pack.lang),
        )
        for caption in pack.captions
        for one in ("female", "male")
        for other in ("female", "male")
    ]


def _held_out(pair: Labelled) -> bool:
    return hashlib.sha256(f"{pair.text} {pair.second}".encode()).digest()[0] < 256 // 10
