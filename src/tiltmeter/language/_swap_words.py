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


def written_like(before: str, after: str) -> str:
    """The word in the capitals of the one it replaces: He, HE, he."""
    if len(before) > 1 and before.isupper():
        return after.upper()
    return after[:1].upper() + after[1:] if before[:1].isupper() else after
