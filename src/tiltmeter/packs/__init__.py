"""All that is known about one language, as data files, every list with its source."""

from tiltmeter.packs.criteria import KEEP, Criterion, Wording, criteria_problem
from tiltmeter.packs.loader import load_folder, load_pack, read_tests, shipped_languages
from tiltmeter.packs.reading import PackError
from tiltmeter.packs.screening import Screening
from tiltmeter.packs.values import (
    GRAMMAR_TEST,
    LISTS,
    Adjective,
    BaselineAdjective,
    FormFrame,
    Frame,
    GenderForm,
    GenderPair,
    InanimateNoun,
    NeutralSentence,
    NonbinaryPerson,
    Pack,
    PersonPair,
    Profession,
    WeatTest,
    Word,
    WordPair,
)

__all__ = [
    "GRAMMAR_TEST",
    "KEEP",
    "LISTS",
    "Adjective",
    "BaselineAdjective",
    "Criterion",
    "FormFrame",
    "Frame",
    "GenderForm",
    "GenderPair",
    "InanimateNoun",
    "NeutralSentence",
    "NonbinaryPerson",
    "Pack",
    "PackError",
    "PersonPair",
    "Profession",
    "Screening",
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
