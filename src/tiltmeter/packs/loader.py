"""Loads a language's folder, or a user's, and refuses what would make a measurement wrong."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, fields, replace
from functools import cache
from pathlib import Path
from typing import Any, get_args, get_type_hints

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.packs.caption_rules import read_caption_rules
from tiltmeter.packs.criteria import read_criteria
from tiltmeter.packs.reading import (
    PackError,
    Place,
    Row,
    TomlFile,
    check_word,
    read_table,
    read_toml,
)
from tiltmeter.packs.screening import read_screening
from tiltmeter.packs.values import (
    LISTS,
    RULES,
    SEGMENTERS,
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
    Word,
    WordPair,
)
from tiltmeter.packs.weat import read_weat

SHIPPED = Path(__file__).parent


def shipped_languages() -> list[str]:
    return sorted(path.parent.name for path in SHIPPED.glob("*/pack.toml"))


@cache
def load_pack(lang: str) -> Pack:
    """The shipped pack of a language."""
    if lang not in shipped_languages():
        raise TiltmeterError(
            f"{unknown('language', lang, shipped_languages())}; a pack of yours is given with --pack DIR"
        )
    return load_folder(SHIPPED / lang)


def load_folder(folder: Path) -> Pack:
    """A pack from any folder. With `extends = "ru"` in its pack.toml it adds to the shipped Russian lists."""
    if not folder.is_dir():
        raise PackError(f"{folder} is not a folder with a pack in it")
    about = read_toml(folder / "pack.toml", label=f"{folder.name}/pack.toml")
    about.check_keys("", about.data, _ABOUT_KEYS)
    pack = _extended(about)
    lists: dict[str, Any] = {}
    sources = dict(pack.sources)
    for name in _TABLES:
        if (folder / f"{name}.tsv").is_file():
            entries, source = _read_list(folder, name, pack)
            own: dict[str, Any] = {name: entries}
            pack = replace(pack, **own)
            sources[name] = (*sources.get(name, ()), source)
    lists["lexicon"] = {**pack.lexicon, **_read_lexicon(folder, pack.grammatical_gender)}
    for name in _SENTENCES:
        if (folder / f"{name}.toml").is_file():
            lists[name], source = _read_sentences(folder, name)
            sources[name] = (source,)
    in_use = {f"{pair.male}/{pair.female}" for pair in pack.gender_pairs if pair.status != "rejected"}
    if (screening := read_screening(folder, in_use)) is not None:
        lists["screening"], sources["screening"] = screening, (screening.source,)
    if (rules := read_caption_rules(folder)) is not None:
        lists["caption_rules"], sources["caption_rules"] = rules, (rules.source,)
    if (criteria := read_criteria(folder)) is not None:
        lists["criteria"], sources["criteria"] = criteria[0], (criteria[1],)
    if (folder / "weat.toml").is_file():
        lists["weat"], added = read_weat(folder, pack, lists["lexicon"])
        sources["weat"] = tuple(dict.fromkeys((*sources.get("weat", ()), *added)))
    return replace(pack, **lists, sources=sources)


def unread_files(folder: Path) -> list[str]:
    """Tables and rules in a pack's folder that are none of a pack's, as a misspelt one."""
    known = {f"{name}.tsv" for name in (*_TABLES, "lexicon")}
    known |= {f"{name}.toml" for name in (*_SENTENCES, *RULES, "pack", "weat")}
    there = sorted(path.name for path in folder.iterdir() if path.suffix in (".tsv", ".toml"))
    return [str(unknown("file of a pack", name, known)) for name in there if name not in known]


_ABOUT_KEYS = ("lang", "name", "endonym", "scripts", "grammatical_gender", "segmenter", "extends", "absent")


def _extended(about: TomlFile) -> Pack:
    """The pack that the folder's lists are added to: the one it extends, or an empty one."""
    if "extends" in about.data:
        base = load_pack(about.text("", about.data, "extends"))
        lang = about.data.get("lang", base.lang)
        if lang != base.lang:
            raise about.place("", "lang").error(f"a pack of {lang!r} cannot extend that of {base.lang!r}")
        return base
    absent = about.data.get("absent", {})
    about.check_keys("absent", absent, LISTS)
    pack = Pack(
        lang=about.text("", about.data, "lang"),
        name=about.text("", about.data, "name"),
        endonym=about.text("", about.data, "endonym"),
        scripts=tuple(about.texts("", about.data, "scripts")),
        grammatical_gender=tuple(about.texts("", about.data, "grammatical_gender")),
        absent={name: about.text("absent", absent, name) for name in absent},
    )
    return replace(pack, segmenter=_segmenter(about, pack))


def _segmenter(about: TomlFile, pack: Pack) -> str:
    """The one that the pack names; where words have spaces between them, none is needed."""
    if "segmenter" not in about.data:
        return "spaces" if pack.spaced else ""
    named = about.text("", about.data, "segmenter")
    if named not in SEGMENTERS:
        raise about.place("", "segmenter").error(str(unknown("segmenter", named, SEGMENTERS)))
    if named == "spaces" and not pack.spaced:
        raise about.place("", "segmenter").error(f"{pack.name} is written without spaces: name another segmenter")
    return named


def _read_list(folder: Path, name: str, pack: Pack) -> tuple[tuple[Any, ...], str]:
    """A tab-separated list added to what the pack had before, and its source."""
    entry_type, words, check = _TABLES[name]
    columns = [spec.name for spec in fields(entry_type)]
    table = read_table(folder / f"{name}.tsv", label=f"{folder.name}/{name}.tsv", columns=columns, required=words)
    entries = list(getattr(pack, name))
    seen = {_words(entry, words) for entry in entries}
    for row in table.rows:
        for word in " ".join(row.cells[column] for column in words).split():
            check_word(word, row.place)
        entry = entry_type(**_choices_checked(entry_type, row))
        check(entry, row.place, pack)
        if (own := _words(entry, words)) in seen:
            raise row.place.error(f"{' / '.join(own)} stands in the list twice")
        seen.add(own)
        entries.append(entry)
    return tuple(entries), table.source


def _check_pair(pair: GenderPair, place: Place, _: Pack) -> None:
    if pair.male == pair.female:
        raise place.error(f"both sides of the pair are {pair.male!r}: it carries no information")
    if pair.status == "rejected" and not pair.note:
        raise place.error("a rejected pair needs its reason in the column 'note'")


def _check_form(form: GenderForm, place: Place, pack: Pack) -> None:
    if form.pair not in {f"{pair.male}/{pair.female}" for pair in pack.gender_pairs if pair.status != "rejected"}:
        raise place.error(f"the pair {form.pair!r} is not among those of gender_pairs.tsv that are in use")
    if form.male == form.female:
        raise place.error(f"both sides are {form.male!r}: the form carries no information")


def _check_sentence(entry: NeutralSentence, place: Place, pack: Pack) -> None:
    """One pair of forms that differ, of a pair that is in the list and in use; no word of mixed scripts."""
    pairs = {(pair.male, pair.female): pair.status for pair in pack.gender_pairs}
    named = f"{entry.male}/{entry.female}"
    if pairs.get((entry.male, entry.female), "missing"):
        raise place.error(f"the pair {named} is not among those of gender_pairs.tsv that are in use")
    if entry.parts is None:
        raise place.error(f"the sentence needs `{{male|female}}` once, both as they are written in it: {named}")
    _, first, second, _ = entry.parts
    forms = [(entry.male, entry.female), *((one.male, one.female) for one in pack.gender_forms if one.pair == named)]
    words, others = (set(part.casefold().split()) for part in (first, second))
    if any(female.casefold() in words and male.casefold() in others for male, female in forms):
        raise place.error(f"the male word comes first in {{male|female}}, and the sentence has {first}|{second}")
    _check_sentence_words(entry.sentence, place)


def _check_sentence_words(sentence: str, place: Place) -> None:
    if unicodedata.normalize("NFC", sentence) != sentence:
        raise place.error("the sentence is not in Unicode normal form C")
    for word in re.findall(r"[^\W\d_]+", sentence):
        # Where there are no spaces, a Latin word may stand beside a Chinese one.
        if not any(unicodedata.east_asian_width(letter) in "WF" for letter in word):
            check_word(word, place)


def _check_determiner(person: PersonPair | NonbinaryPerson, place: Place, _: Pack) -> None:
    if isinstance(person, PersonPair):
        both = (person.male_determiner, person.female_determiner)
        if any(both) != all(both):
            raise place.error("one side of the pair has a determiner and the other has none")
        determiner = any(both)
    else:
        determiner = bool(person.determiner)
    if determiner != bool(person.place):
        raise place.error("'place' says where the determiner stands (before, after), and is empty without one")


def _check_profession(profession: Profession, place: Place, _: Pack) -> None:
    _check_share(profession.us_female_share, place)


def _check_share(cell: str, place: Place) -> None:
    try:
        share = float(cell or 0)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 100:
        raise place.error(f"us_female_share is {cell!r}, and a percentage from 0 to 100 was expected")


def _check_occupation(occupation: Occupation, place: Place, pack: Pack) -> None:
    _check_share(occupation.us_female_share, place)
    if not occupation.id.strip():
        raise place.error("the cell 'id' is empty")
    for word in f"{occupation.feminine} {occupation.epicene}".split():
        check_word(word, place)
    if occupation.feminine and not pack.grammatical_gender:
        raise place.error(f"{pack.name} has no grammatical gender, and 'feminine' is {occupation.feminine!r}")


def _check_caption(caption: Caption, place: Place, _: Pack) -> None:
    if not caption.slot:
        raise place.error("the caption needs one slot: {subject}, {subject:erg}, {noun} or {noun:def}")
    _check_sentence_words(re.sub(r"\{[^{}]*\}", " ", caption.sentence), place)


def _check_mention(mention: Mention, place: Place, _: Pack) -> None:
    if sorted(re.findall(r"\{([^{}]*)\}", mention.sentence)) != ["first", "second"]:
        raise place.error("the sentence needs {first} and {second}, each once")
    _check_sentence_words(re.sub(r"\{[^{}]*\}", " ", mention.sentence), place)


def _check_subject(subject: SubjectPhrase, place: Place, _: Pack) -> None:
    wanted = subject.kind.partition(":")[0] in ("occupation", "masculine", "feminine")
    if wanted != ("{occupation}" in subject.phrase):
        raise place.error(f"{subject.kind!r} {'needs' if wanted else 'has no'} {{occupation}}")


def _nothing_more(entry: object, place: Place, _: Pack) -> None:
    """Cells and words were checked already."""


_TABLES: dict[str, tuple[Any, tuple[str, ...], Callable[[Any, Place, Pack], None]]] = {
    "gender_pairs": (GenderPair, ("male", "female"), _check_pair),
    "gender_forms": (GenderForm, ("male", "female"), _check_form),
    "swaps": (WordPair, ("male", "female"), _nothing_more),
    "neutral_sentences": (NeutralSentence, ("male", "female"), _check_sentence),
    "persons": (PersonPair, ("male", "female"), _check_determiner),
    "nonbinary_persons": (NonbinaryPerson, ("person",), _check_determiner),
    "professions": (Profession, ("id", "masculine"), _check_profession),
    "occupations": (Occupation, ("masculine",), _check_occupation),
    "captions": (Caption, (), _check_caption),
    "mentions": (Mention, (), _check_mention),
    "subjects": (SubjectPhrase, ("kind",), _check_subject),
    "semantic_gender": (WordPair, ("male", "female"), _nothing_more),
    "names": (WordPair, ("male", "female"), _nothing_more),
    "adjectives": (Adjective, ("masculine", "feminine"), _nothing_more),
    "baseline_adjectives": (BaselineAdjective, ("masculine", "feminine"), _nothing_more),
    "inanimate_nouns": (InanimateNoun, ("noun",), _nothing_more),
}


def _words(entry: object, columns: Iterable[str]) -> tuple[str, ...]:
    """What no two entries of a list may share."""
    more = [getattr(entry, name, "") for name in ("male_determiner", "female_determiner", "determiner", "sentence")]
    return (*(getattr(entry, column) for column in columns), *(word for word in more if word))


def _choices_checked(entry_type: type, row: Row) -> dict[str, str]:
    """The cells, with those that only take certain values checked."""
    for column, hint in get_type_hints(entry_type).items():
        choices = get_args(hint)
        if choices and row.cells.get(column, "") not in choices:
            raise row.place.error(str(unknown(column, row.cells.get(column, ""), filter(None, choices))))
    return row.cells


_PARTS_OF_SPEECH = (
    *("ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN", "PUNCT", "SCONJ"),
    *("SYM", "VERB", "X"),
)
"""Of Universal Dependencies."""


def _read_lexicon(folder: Path, genders: Sequence[str]) -> dict[str, Word]:
    path = folder / "lexicon.tsv"
    if not path.is_file():
        return {}
    columns = ("word", "pos", "gender", "feminine", "note")
    label = f"{folder.name}/lexicon.tsv"
    lexicon: dict[str, Word] = {}
    for row in read_table(path, label=label, columns=columns, required=("word", "pos")).rows:
        word = Word(row.cells["word"], row.cells["pos"], row.cells.get("gender", ""), row.cells.get("feminine", ""))
        if word.pos not in _PARTS_OF_SPEECH:
            raise row.place.error(str(unknown("universal part of speech", word.pos, _PARTS_OF_SPEECH)))
        if word.gender and word.gender not in genders:
            why = unknown("grammatical gender", word.gender, genders)
            raise row.place.error(f"{why} (grammatical_gender in pack.toml)")
        for text in filter(None, (word.text, word.feminine)):
            check_word(text, row.place)
        if word.text in lexicon:
            raise row.place.error(f"{word.text!r} stands in the list twice")
        lexicon[word.text] = word
    return lexicon


def _read_sentences(folder: Path, name: str) -> tuple[tuple[Any, ...], str]:
    """`[[frames]]`, `[[forms]]` or `[[prompts]]`, one table a sentence; they take the place of those of a pack that is
    extended."""
    entry_type, main = _SENTENCES[name]
    known = {spec.name for spec in fields(entry_type)}
    needed = {spec.name for spec in fields(entry_type) if spec.default is MISSING}
    file = read_toml(folder / f"{name}.toml", label=f"{folder.name}/{name}.toml")
    file.check_keys("", file.data, ("source", name))
    source = file.text("", file.data, "source", why="every list needs one")
    entries = []
    for number, values in enumerate(file.data.get(name, ()), start=1):
        place = file.place("", main, str(values.get(main, "")))
        for key in values:
            if key not in known:
                raise place.error(f"sentence {number}: {unknown('key', key, known)}")
        for key in sorted(needed | values.keys()):
            if not isinstance(values.get(key), str) or not values[key].strip():
                raise place.error(f"sentence {number}: {key!r} is missing or not a text")
        for key, hint in get_type_hints(entry_type).items():
            if get_args(hint) and values.get(key, "") not in get_args(hint):
                raise place.error(f"sentence {number}: {unknown(key, str(values.get(key)), get_args(hint))}")
        entry = entry_type(**values)
        if wrong := _prompt_problem(entry) if isinstance(entry, Prompt) else _slot_problem(entry):
            raise place.error(f"sentence {number}: {wrong}")
        entries.append(entry)
    return tuple(entries), source


_SENTENCES: dict[str, tuple[Any, str]] = {
    "frames": (Frame, "right"),
    "forms": (FormFrame, "text"),
    "prompts": (Prompt, "text"),
}
"""Sentences in TOML: what each is, and the key that holds its text."""


def _slot_problem(frame: Frame | FormFrame) -> str:
    """Cases and forms are known where a word is put in; which slots there are, before."""
    if isinstance(frame, FormFrame):
        known, texts, needed = {"profession"}, [frame.text], []
    else:
        known, texts, needed = {"person", "profession", "a"}, [frame.right, frame.published], ["person", "profession"]
    for text in filter(None, texts):
        slots = [slot.partition(":")[0] for slot in re.findall(r"\{([^{}]*)\}", text) if not set(slot) & set("|/")]
        if strange := next((slot for slot in slots if slot not in known), None):
            return str(unknown("slot of a frame", strange, known))
        if missing := next((slot for slot in needed if slots.count(slot) != 1), None):
            return f"a frame needs {{{missing}}} once: {text}"
    return ""


def _prompt_problem(prompt: Prompt) -> str:
    if sorted(re.findall(r"\{([^{}]*)\}", prompt.text)) != ["hypothesis", "label", "premise"]:
        return "a prompt needs {premise}, {hypothesis} and {label}, each once"
    if len({prompt.entailment, prompt.neutral, prompt.contradiction}) < 3:
        return "the three labels need different words"
    if prompt.text.startswith("{label}"):
        return "something has to stand before {label}"
    return ""
