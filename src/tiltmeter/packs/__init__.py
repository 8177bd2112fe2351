"""All that is known about one language, as data files, every list with its source."""

from tiltmeter.packs.loader import load_folder, load_pack, shipped_languages
from tiltmeter.packs.reading import PackError
from tiltmeter.packs.values import LISTS, GenderPair, NonbinaryPerson, Pack, PersonPair, WeatTest, Word

__all__ = [
    "LISTS",
    "GenderPair",
    "NonbinaryPerson",
    "Pack",
    "PackError",
    "PersonPair",
    "WeatTest",
    "Word",
    "load_folder",
    "load_pack",
    "shipped_languages",
]
