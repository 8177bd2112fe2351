"""What a pack holds once it is loaded and checked."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from tiltmeter.packs.caption_rules import CaptionRules
from tiltmeter.packs.criteria import Criterion
from tiltmeter.packs.screening import Screening

LISTS: Mapping[str, str] = {
    "gender_pairs": "words that differ in gender alone",
    "gender_forms": "inflected forms of these words that no rule makes",
    "swaps": "further words that are exchanged where a whole text changes its gender",
    "neutral_sentences": "sentences that a male and a female word fit alike",
    "persons": "male and female subjects of a sentence, with the determiner each takes",
    "nonbinary_persons": "subjects that are neither",
    "professions": "professions with their forms, their class and the share of women among them",
    "frames": "sentences with a person and a profession in them",
    "occupations": "occupations with the gender they are stereotyped for, and words for them that tell none",
    "captions": "sentences about what somebody is seen to do, whoever it is",
    "subjects": "how an occupation, a woman and a man are written as the subject of such a sentence",
    "prompts": "how a causal language model is asked whether one sentence follows from another",
    "forms": "sentences that take a masculine or a feminine form alike",
    "weat": "word sets for association tests",
    "mentions": "sentences that mention two words, whatever they are",
    "semantic_gender": "nouns whose gender is their meaning",
    "names": "given names",
    "adjectives": "adjectives of both forms with the gender they are stereotyped for",
    "baseline_adjectives": "adjectives of both forms without a stereotype",
    "inanimate_nouns": "nouns of each grammatical gender that name things",
}
"""The lists a pack can have, by the name of their file."""


RULES: Mapping[str, str] = {
    "screening": "how neutral sentences are told, for `build slguset`",
    "caption_rules": "how the one person of a caption is told, for `build nli --captions`",
    "criteria": "by what people judge sentences, for `review`; without it, in English",
}
"""The rules a pack can have, by the name of their file."""

SEGMENTERS = ("mecab", "pymorphy3", "rjieba", "spaces")
"""What may cut a language's text into words; `spaces` only where there are any."""

GRAMMAR_TEST = "grammar"
"""The test of masculine against feminine inanimate nouns: no test of a list may be called so."""

_GRAMMAR_LISTS = {"adjectives", "baseline_adjectives", "inanimate_nouns", "forms"}


@dataclass(frozen=True, slots=True)
class Word:
    """A word with the grammar a measurement has to know about.

    `pos` is a universal part-of-speech tag; `gender` the grammatical gender of a noun (m, f, n); `feminine` the
    feminine form of an adjective whose citation form is masculine.
    """

    text: str
    pos: str = ""
    gender: str = ""
    feminine: str = ""


@dataclass(frozen=True, slots=True)
class GenderPair:
    """Two words that differ in gender alone. A rejected pair is kept with the reason why it is not used."""

    male: str
    female: str
    kind: Literal["", "pronoun"] = ""
    status: Literal["", "rejected"] = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class GenderForm:
    """The words of a pair in the same case, as they are written there; `pair` is `male/female` as in its list."""

    male: str
    female: str
    pair: str = ""


@dataclass(frozen=True, slots=True)
class NeutralSentence:
    """A sentence with `{male|female}` in it once, both as they are written there; nothing else tells the gender."""

    male: str
    female: str
    """The pair that the two forms are of."""
    written: Literal["male", "female"]
    """Which of the two it was written with."""
    sentence: str

    @property
    def parts(self) -> tuple[str, str, str, str] | None:
        """What stands before, the male form, the female form, what stands behind; nothing where that is not so."""
        found = _SLOT.fullmatch(self.sentence)
        return (found[1], found[2], found[3], found[4]) if found else None


_SLOT = re.compile(r"([^{}|]*)\{([^{}|\s][^{}|]*)\|(?!\2\})([^{}|\s][^{}|]*)\}([^{}|]*)")


@dataclass(frozen=True, slots=True)
class PersonPair:
    """A male and a female subject. `place` says whether the determiner stands before or after the noun."""

    male: str
    female: str
    male_determiner: str = ""
    female_determiner: str = ""
    place: Literal["", "before", "after"] = ""
    note: str = ""

    @property
    def informative(self) -> bool:
        """False where both sides are the same words (Basque bera): such a pair carries no information."""
        return (self.male, self.male_determiner) != (self.female, self.female_determiner)


@dataclass(frozen=True, slots=True)
class NonbinaryPerson:
    """A subject that the language uses for people who are neither man nor woman, or of any gender."""

    person: str
    determiner: str = ""
    place: Literal["", "before", "after"] = ""
    number: Literal["", "plural"] = ""
    """Of the verb that goes with it."""
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Profession:
    """A profession. Without a feminine form, one form serves everybody. `neutral` is no profession but any worker."""

    id: str
    masculine: str
    feminine: str = ""
    masculine_instrumental: str = ""
    feminine_instrumental: str = ""
    profession_class: Literal["female", "balanced", "male", "neutral", "unclassed"]
    us_female_share: str = ""
    field: str = ""
    form_preference: Literal["", "no"] = ""
    """`no` where the two forms differ in more than gender (register, meaning)."""
    note: str = ""

    @property
    def common(self) -> bool:
        """Whether one form serves everybody."""
        return not self.feminine

    @property
    def share(self) -> float | None:
        """Percent of women, by the US figures of 2020."""
        return float(self.us_female_share) if self.us_female_share else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupation:
    """An occupation. Without a feminine form, one form serves everybody.

    `epicene` is the subject of a sentence that names the occupation and tells no gender, where its forms would.
    """

    id: str
    masculine: str
    feminine: str = ""
    epicene: str = ""
    occupation_class: Literal["female", "male", "neutral"]
    """The gender it is stereotyped for."""
    gendered: Literal["", "yes"] = ""
    """`yes` where the gender is the word's meaning: ballerina, fisherman."""
    us_female_share: str = ""
    origin: Literal["", "ours"] = ""
    """`ours` where it is not of the published list."""
    note: str = ""

    @property
    def share(self) -> float | None:
        """Percent of women, by the US figures of 2020."""
        return float(self.us_female_share) if self.us_female_share else None


@dataclass(frozen=True, slots=True)
class Caption:
    """A sentence with one slot for its subject: `{subject}`, in Basque also `{subject:erg}`, or `{noun}` for the bare
    noun where other words of the subject stand before it. Nothing else in it tells a gender."""

    sentence: str

    @property
    def slot(self) -> str:
        """What the slot asks for; nothing where there is not just one."""
        found = re.findall(r"\{([^{}]*)\}", self.sentence)
        return found[0] if len(found) == 1 and found[0] in SLOTS else ""


SLOTS = ("subject", "subject:erg", "noun", "noun:def")


@dataclass(frozen=True, slots=True)
class Mention:
    """A sentence that mentions two words, `{first}` and `{second}`, without saying anything about them: it fits any
    word in its citation form. Where a language has no spaces, the sentence has them between its words."""

    sentence: str


@dataclass(frozen=True, slots=True)
class SubjectPhrase:
    """How a subject is written. `occupation` is that of one form for everybody; `masculine` and `feminine` are those
    of a form that tells the gender."""

    kind: Literal[
        "woman", "man", "person", "occupation", "masculine", "feminine", "woman:erg", "man:erg", "person:erg",
        "occupation:erg", "woman noun", "man noun",
    ]  # fmt: skip
    phrase: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """A text with `{premise}`, `{hypothesis}` and `{label}`, and the words that stand for the labels there."""

    name: str
    text: str
    entailment: str
    neutral: str
    contradiction: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A sentence with slots: as it was published, and as it is right."""

    name: str
    right: str
    published: str = ""
    variant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormFrame:
    """A sentence that leaves open of what gender somebody is, or, as a control, does not.

    It asks for a form of the profession, or, where it has `{masculine|feminine}` in it, for the form of that.
    """

    kind: Literal["test", "control-masculine", "control-feminine"]
    text: str


@dataclass(frozen=True, slots=True)
class WordPair:
    """A male and a female word: semantic gender terms, given names, words to exchange."""

    male: str
    female: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Adjective:
    """An adjective with its stereotype. Where both forms are the same it is unmarked for gender."""

    masculine: str
    feminine: str
    stereotype: Literal["male", "female"]
    valence: Literal["positive", "negative"]
    note: str = ""


@dataclass(frozen=True, slots=True)
class BaselineAdjective:
    """An adjective that goes with no gender: colours, shapes, nationalities."""

    masculine: str
    feminine: str
    kind: Literal["colour", "shape", "nationality", "material", "order"]
    note: str = ""


@dataclass(frozen=True, slots=True)
class InanimateNoun:
    """A noun that names a thing: what it shares with male or female words is grammar."""

    noun: str
    gender: Literal["m", "f", "n"]
    topic: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class WeatTest:
    """Two sets of targets (x, y) and two of attributes; a[i] and b[i] are a pair."""

    name: str
    labels: tuple[str, str]
    attribute_labels: tuple[str, str]
    x: tuple[Word, ...]
    y: tuple[Word, ...]
    a: tuple[Word, ...]
    b: tuple[Word, ...]
    origin: Literal["published", "ours"]
    source: str
    note: str = ""

    def gender_counts(self) -> tuple[dict[str, int], dict[str, int]]:
        """How many nouns of each grammatical gender stand in x and in y."""
        return _count_genders(self.x), _count_genders(self.y)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pack:
    """One language. A list that is not there is empty; `absent` says of some why they cannot be."""

    lang: str
    name: str
    endonym: str
    scripts: tuple[str, ...]
    grammatical_gender: tuple[str, ...]
    segmenter: str = ""
    """What cuts its text into words, one of `SEGMENTERS`; nothing where that is not known."""
    absent: Mapping[str, str] = field(default_factory=dict)
    gender_pairs: tuple[GenderPair, ...] = ()
    gender_forms: tuple[GenderForm, ...] = ()
    swaps: tuple[WordPair, ...] = ()
    """Words to exchange beside the pairs in use; one with itself for its counterpart stays as it is."""
    neutral_sentences: tuple[NeutralSentence, ...] = ()
    persons: tuple[PersonPair, ...] = ()
    nonbinary_persons: tuple[NonbinaryPerson, ...] = ()
    professions: tuple[Profession, ...] = ()
    frames: tuple[Frame, ...] = ()
    forms: tuple[FormFrame, ...] = ()
    occupations: tuple[Occupation, ...] = ()
    captions: tuple[Caption, ...] = ()
    subjects: tuple[SubjectPhrase, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    weat: tuple[WeatTest, ...] = ()
    mentions: tuple[Mention, ...] = ()
    semantic_gender: tuple[WordPair, ...] = ()
    names: tuple[WordPair, ...] = ()
    adjectives: tuple[Adjective, ...] = ()
    baseline_adjectives: tuple[BaselineAdjective, ...] = ()
    inanimate_nouns: tuple[InanimateNoun, ...] = ()
    lexicon: Mapping[str, Word] = field(default_factory=dict)
    """Grammar of the words that the sets hold."""
    screening: Screening | None = None
    """How neutral sentences are told; without it none can be looked for."""
    caption_rules: CaptionRules | None = None
    """How the subject of a caption is told; without it only the pack's own captions serve."""
    criteria: tuple[Criterion, ...] = ()
    """By what people judge sentences, `keep` first."""
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __hash__(self) -> int:
        """Of some of its lists, which most packs that differ differ in: what is made of a pack can be kept by it."""
        return hash((self.lang, self.frames, self.persons, self.professions, self.neutral_sentences))

    @property
    def spaced(self) -> bool:
        """Whether its words are written with spaces between them."""
        return not {"Han", "Hiragana", "Katakana"} & set(self.scripts)

    def missing(self, lists: Iterable[str]) -> list[str]:
        """Those of the lists that this pack does not have."""
        return [name for name in lists if not getattr(self, name)]

    def why_not(self, name: str) -> str:
        """Why a list that is not there cannot be there, or nothing."""
        if name in _GRAMMAR_LISTS and not self.grammatical_gender:
            return f"{self.name} has no grammatical gender"
        return self.absent.get(name, "")

    def digest(self, lists: Iterable[str]) -> str:
        """The content of these lists as a checksum: part of a run's identity."""
        content = {name: [asdict(entry) for entry in getattr(self, name)] for name in sorted(lists)}
        # A user's own words take their grammar from the lexicon, so it counts whatever the lists are.
        content["lexicon"] = [asdict(word) for _, word in sorted(self.lexicon.items())]
        about = {"lang": self.lang, "scripts": self.scripts, "segmenter": self.segmenter}
        text = json.dumps({**about, **content}, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


def _count_genders(words: Iterable[Word]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in words:
        if word.pos == "NOUN":
            counts[word.gender] = counts.get(word.gender, 0) + 1
    return dict(sorted(counts.items()))
