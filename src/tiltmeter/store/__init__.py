"""The only writer of cached files: atomic, locked, checksummed."""

from tiltmeter.store.answers import Answers
from tiltmeter.store.files import appearing, identity, write_atomically, writing
from tiltmeter.store.fingerprints import Fingerprints
from tiltmeter.store.shelf import Damaged, Shelf
from tiltmeter.store.store import PARTS, Store

__all__ = [
    "PARTS",
    "Answers",
    "Damaged",
    "Fingerprints",
    "Shelf",
    "Store",
    "appearing",
    "identity",
    "write_atomically",
    "writing",
]
