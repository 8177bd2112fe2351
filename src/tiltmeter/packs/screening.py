"""How sentences of a language are told to be neutral: `screening.toml`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args, get_type_hints

from tiltmeter.errors import unknown
from tiltmeter.packs.reading import PackError, TomlFile, check_word, read_toml


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """What ends a sentence, and what a sentence may not hold beside its keyword.

    In a script without spaces a word of a list is found where it begins and ends with words of the segmented sentence,
    or lies inside one; elsewhere between letters, in any case. `word*` stands for every word that begins
    so, `*word` for every word that ends so.
    """

    ends: str
    """The characters that end a sentence."""
    closers: str = ""
    """Quotes and brackets that still belong to the sentence when they follow its end."""
    quotes: tuple[str, ...] = ()
    """Marks that come in twos, opening and closing."""
    abbreviations: tuple[str, ...] = ()
    """Words whose full stop ends nothing, written without it."""
    shortest: int = 1
    longest: int = 200
    """Characters in a sentence."""
    other_words: tuple[str, ...] = ()
    """Words that hold a keyword and are not about its gender: 吉他, 子女."""
    fitting_words: tuple[str, ...] = ()
    """Words that hold a keyword and are words with its opposite, too: 女足, 男足."""
    other_sense: tuple[str, ...] = ()
    """Words that mean something else, or nothing, with the opposite keyword in them: 男儿, 女儿."""
    generic: tuple[str, ...] = ()
    """Forms of a keyword that stand for everybody: 他们, padres."""
    generic_beside: tuple[str, ...] = ()
    """Words beside which a pronoun stands for everybody: 任何人."""
    gendered: tuple[str, ...] = ()
    """Words beside the keywords that tell a gender: 兄弟, 丈夫."""
    harmless_words: tuple[str, ...] = ()
    """Words that hold one of the words of these lists and are not it: 小伙伴, 小伙."""
    biological: tuple[str, ...] = ()
    """Words that only fit one sex: 孕期, 胡须."""
    metaphor: tuple[str, ...] = ()
    """Words that introduce a comparison; such sentences stay, marked."""
    speaker: tuple[str, ...] = ()
    """Words by which speakers give their gender away: 俺, あたし."""
    allocutive: tuple[str, ...] = ()
    """Verb forms that mark the gender of whom one speaks to: duk, dun."""
    names: Literal["", "tags", "capitals", "given"] = ""
    """How persons' names are told: by the segmenter's tags, by given names and several capitals in a row, or by given
    names alone, where all nouns have capitals."""
    given_names: tuple[str, ...] = ()
    surnames: tuple[str, ...] = ()
    name_suffixes: tuple[str, ...] = ()
    """What stands behind a bare surname and makes no name of it: 某, 先生."""
    roles: tuple[str, ...] = ()
    speech_verbs: tuple[str, ...] = ()
    """What stands before and behind a name that no tag tells: 志愿者常乐说."""
    not_names: tuple[str, ...] = ()
    """Words that look like names and are none."""
    agreement: Literal["", "endings", "pymorphy3", "determiners"] = ""
    """How words that agree with the keyword are found: `endings` (es), `pymorphy3` (ru), `determiners` (de)."""
    quotas: Mapping[str, int] = field(default_factory=dict)
    """Sentences of each pair, `male/female`, in a set of the usual size; without them all pairs share alike."""
    source: str = ""


def read_screening(folder: Path, pairs: set[str]) -> Screening | None:
    """The folder's `screening.toml`, or nothing where there is none. `pairs` are those in use, as `male/female`."""
    path = folder / "screening.toml"
    if not path.is_file():
        return None
    file = read_toml(path, label=f"{folder.name}/screening.toml")
    known = {spec.name for spec in fields(Screening)}
    file.check_keys("", file.data, known)
    file.text("", file.data, "source", why="every list needs one")
    file.text("", file.data, "ends")
    read = {key: _read(file, key, value, pairs) for key, value in file.data.items()}
    found = Screening(**read)
    if not 0 < found.shortest <= found.longest:
        raise file.place("", "shortest").error("'shortest' must be at least 1 and at most 'longest'")
    return found


def _read(file: TomlFile, key: str, value: Any, pairs: set[str]) -> Any:
    hint = get_type_hints(Screening)[key]
    if hint is int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise file.place("", key).error(f"{key!r} is not a whole number")
        return value
    if hint is str:
        return file.text("", file.data, key)
    if get_args(hint) and get_args(hint)[0] == "":
        if value not in get_args(hint):
            raise file.place("", key).error(str(unknown(key, str(value), filter(None, get_args(hint)))))
        return value
    if key == "quotas":
        return _quotas(file, value, pairs)
    words = file.texts("", file.data, key)
    if key == "quotes":
        if any(len(pair) != 2 for pair in words):
            raise file.place("", key).error("'quotes' are texts of two characters, the opening and the closing one")
        return tuple(words)
    seen: set[str] = set()
    somewhere = file.place("", key)  # where exactly is looked for when it is wanted: the lists are long
    for word in words:
        if not word.strip("* "):
            raise file.place("", key, word).error(f"{word!r} in {key!r} is no word")
        try:
            for part in word.strip("*").split():
                check_word(part, somewhere)
        except PackError:
            check_word(part, file.place("", key, word))
        if word in seen:
            raise file.place("", key, word, occurrence=2).error(f"{word!r} stands in {key!r} twice")
        seen.add(word)
    return tuple(words)


def _quotas(file: TomlFile, value: Any, pairs: set[str]) -> dict[str, int]:
    if not isinstance(value, dict):
        raise file.place("", "quotas").error("'quotas' is no table of pairs and numbers")
    for pair, number in value.items():
        if pair not in pairs:
            raise file.place("quotas", pair).error(f"the pair {pair} is not among those of gender_pairs.tsv in use")
        if not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise file.place("quotas", pair).error(f"the quota of {pair} is no whole number")
    return dict(value)
