"""How the one person that a caption is about is told: `caption_rules.toml`."""

import re
from dataclasses import dataclass, fields
from pathlib import Path

from tiltmeter.packs.reading import TomlFile, check_word, read_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptionRules:
    """Words for persons, and where the subject of a caption stands.

    In a script without spaces a word is found where it begins and ends with words of the segmented caption; elsewhere
    between letters, in any case. Basque words are stems and Russian ones lemmas, found in all their forms.
    """

    persons: tuple[str, ...]
    """Grown persons, one at a time, in whose place an occupation may stand."""
    others: tuple[str, ...]
    """All other words for people: children, several people, kin, pronouns. A caption that holds one is left out."""
    phrase: str
    """Matches all of a subject of which nothing else need stay: determiner and person, the person as `PERSON`."""
    stereotyped: tuple[str, ...] = ()
    """Words for what is thought to go with one gender: skirt, rugby. A caption that holds one is left out."""
    harmless: tuple[str, ...] = ()
    """Words that hold one of these and are no other person: 一人, 人形."""
    noun: str = ""
    """Matches what may stand before a person whose determiner and modifiers stay; nothing where they may not."""
    behind: str = ""
    """Matches what stands behind a subject, at its beginning."""
    source: str = ""


def read_caption_rules(folder: Path) -> CaptionRules | None:
    """The folder's `caption_rules.toml`, or nothing where there is none."""
    path = folder / "caption_rules.toml"
    if not path.is_file():
        return None
    file = read_toml(path, label=f"{folder.name}/caption_rules.toml")
    file.check_keys("", file.data, {spec.name for spec in fields(CaptionRules)})
    file.text("", file.data, "source", why="every list needs one")
    if "PERSON" not in file.text("", file.data, "phrase"):
        raise file.place("", "phrase").error("'phrase' needs PERSON where the person stands")
    return CaptionRules(
        persons=_words(file, "persons"),
        others=_words(file, "others"),
        phrase=_pattern(file, "phrase"),
        stereotyped=_words(file, "stereotyped") if "stereotyped" in file.data else (),
        harmless=_words(file, "harmless") if "harmless" in file.data else (),
        noun=_pattern(file, "noun") if "noun" in file.data else "",
        behind=_pattern(file, "behind") if "behind" in file.data else "",
        source=str(file.data["source"]),
    )


def _words(file: TomlFile, key: str) -> tuple[str, ...]:
    words = file.texts("", file.data, key)
    for word in words:
        for part in word.split():
            check_word(part, file.place("", key, word))
        if words.count(word) > 1:
            raise file.place("", key, word, occurrence=2).error(f"{word!r} stands in {key!r} twice")
    return tuple(words)


def _pattern(file: TomlFile, key: str) -> str:
    pattern = file.text("", file.data, key)
    try:
        re.compile(pattern)
    except re.error as error:
        raise file.place("", key).error(f"{key!r} is no regular expression: {error}") from error
    return pattern
