"""All that is known about one language, as data files, every list with its source."""

from tiltmeter.packs.caption_rules import CaptionRules
from tiltmeter.packs.criteria import KEEP, Criterion, Wording, criteria_problem
from tiltmeter.packs.loader import load_folder, load_pack, shipped_languages
from tiltmeter.packs.reading import PackError
from tiltmeter.packs.screening import Screening
from tiltmeter.packs.values import (
    GRAMMAR_TEST,
    LISTS,
    Adjective,
    BaselineAdjective,
    Caption,
    FormFrame,
    Frame,
    GenderForm,
    GenderPair,
    InanimateNoun,
    Mention,
    NeutralSentence,
    NonbinaryPerson,
    Occupation,
    Pack,
    PersonPair,
    Profession,
    Prompt,
    SubjectPhrase,
    WeatTest,
    Word,
    WordPair,
)
from tiltmeter.packs.weat import read_tests

__all__ = [
    "GRAMMAR_TEST",
    "KEEP",
    "LISTS",
    "Adjective",
    "BaselineAdjective",
    "Caption",
    "CaptionRules",
    "Criterion",
    "FormFrame",
    "Frame",
    "GenderForm",
    "GenderPair",
    "InanimateNoun",
    "Mention",
    "NeutralSentence",
    "NonbinaryPerson",
    "Occupation",
    "Pack",
    "PackError",
    "PersonPair",
    "Profession",
    "Prompt",
    "Screening",
    "SubjectPhrase",
    "WeatTest",
    "Word",
    "WordPair",
    "Wording",
    "criteria_problem",
    "load_folder",
    "load_pack",
    "read_tests",
    "shipped_languages",
]
