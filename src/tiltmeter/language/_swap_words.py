"""What the swappers of all languages share."""

from collections.abc import Iterable

from tiltmeter.packs import GenderPair, WordPair


def counterparts(pairs: Iterable[GenderPair | WordPair]) -> dict[str, str]:
    """Every word with what it becomes: of several counterparts the first. A word that stays becomes itself."""
    found: dict[str, str] = {}
    for pair in pairs:
        found.setdefault(pair.male, pair.female)
        found.setdefault(pair.female, pair.male)
    return found
