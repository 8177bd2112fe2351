"""Word sets for association tests: `weat.toml` of a pack, or a file of the user's own."""

from pathlib import Path
from typing import Any

from tiltmeter.errors import unknown
from tiltmeter.packs.reading import TomlFile, check_word, read_toml
from tiltmeter.packs.values import GRAMMAR_TEST, Pack, WeatTest, Word


def read_weat(folder: Path, pack: Pack, lexicon: dict[str, Word]) -> tuple[tuple[WeatTest, ...], list[str]]:
    """The pack's tests with those of the folder: a test of the same name takes the place of the old one."""
    file = read_toml(folder / "weat.toml", label=f"{folder.name}/weat.toml")
    file.check_keys("", file.data, ("attributes", "tests"))
    tests = {test.name: test for test in pack.weat}
    for name, values in file.data.get("tests", {}).items():
        tests[name] = _weat_test(file, name, values, lexicon, pack)
    return tuple(tests.values()), [tests[name].source for name in file.data.get("tests", {})]


def read_tests(path: Path) -> tuple[WeatTest, ...]:
    """Word sets of a user's own: `[tests.NAME]` with `x, y, a, b`, and labels and a source if there are any."""
    file = read_toml(path, label=path.name)
    file.check_keys("", file.data, ("attributes", "tests"))
    tests = file.data.get("tests", {})
    if not isinstance(tests, dict) or not tests:
        raise file.place("").error("there is no table `[tests.NAME]` with the sets x, y, a, b")
    defaults = {"source": path.name, "origin": "published", "labels": ["X", "Y"]}
    return tuple(
        _weat_test(file, name, {**defaults, **values} if isinstance(values, dict) else values, {}, None)
        for name, values in tests.items()
    )


_SET_KEYS = ("source", "labels", "a", "b", "note")
_TEST_KEYS = ("source", "origin", "labels", "attributes", "attribute_labels", "x", "y", "a", "b", "note")


def _weat_test(
    file: TomlFile, name: str, values: dict[str, Any], lexicon: dict[str, Word], pack: Pack | None
) -> WeatTest:
    table = f"tests.{name}"
    if not isinstance(values, dict):
        raise file.place("tests", name).error(f"{name!r} is not a table with the sets x and y")
    if name == GRAMMAR_TEST or name.startswith(f"{GRAMMAR_TEST}-"):
        raise file.place(table).error(
            f"the name {GRAMMAR_TEST!r} is kept for the test of grammatical gender; take another"
        )
    file.check_keys(table, values, _TEST_KEYS)
    source = file.text(table, values, "source", why="every list needs one")
    origin = file.text(table, values, "origin")
    if origin not in ("published", "ours"):
        raise file.place(table, "origin").error(str(unknown("origin", origin, ("published", "ours"))))
    attribute_table, attributes = _attributes(file, table, values)
    test = WeatTest(
        name=name,
        labels=_two(file, table, values, "labels"),
        attribute_labels=_two(file, attribute_table, attributes, "labels"),
        x=_word_set(file, table, values, "x", lexicon),
        y=_word_set(file, table, values, "y", lexicon),
        a=_word_set(file, attribute_table, attributes, "a", lexicon),
        b=_word_set(file, attribute_table, attributes, "b", lexicon),
        origin=origin,  # type: ignore[arg-type]
        source=source,
        note=" ".join(str(part["note"]) for part in (values, attributes) if part.get("note")),
    )
    _check_sizes(file, test, attribute_table)
    _check_targets(file, test)
    if origin == "ours" and pack is not None and pack.grammatical_gender:
        _check_balance(file, test)
    return test


def _attributes(file: TomlFile, table: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The attributes of a test: its own a and b, or a table that several tests share."""
    if "attributes" not in values:
        own = {"labels": values.get("attribute_labels", ["male", "female"]), "a": values.get("a"), "b": values.get("b")}
        return table, own
    chosen, known = file.text(table, values, "attributes"), file.data.get("attributes", {})
    if chosen not in known:
        raise file.place(table, "attributes").error(str(unknown("table of attributes", chosen, known)))
    file.check_keys(f"attributes.{chosen}", known[chosen], _SET_KEYS)
    file.text(f"attributes.{chosen}", known[chosen], "source", why="every list needs one")
    return f"attributes.{chosen}", known[chosen]


def _two(file: TomlFile, table: str, values: dict[str, Any], key: str) -> tuple[str, str]:
    labels = file.texts(table, values, key)
    if len(labels) != 2:
        raise file.place(table, key).error(f"{key!r} needs two entries, one for each set")
    return labels[0], labels[1]


def _word_set(
    file: TomlFile, table: str, values: dict[str, Any], key: str, lexicon: dict[str, Word]
) -> tuple[Word, ...]:
    words = file.texts(table, values, key)
    for position, text in enumerate(words):
        check_word(text, file.place(table, key, text))
        if text in words[:position]:
            raise file.place(table, key, text, occurrence=2).error(f"{text!r} stands in the set {key!r} twice")
    if len(words) < 2:
        raise file.place(table, key).error(f"the set {key!r} needs at least two words")
    return tuple(lexicon.get(text, Word(text)) for text in words)


def _check_sizes(file: TomlFile, test: WeatTest, attribute_table: str) -> None:
    for table, left, right in ((f"tests.{test.name}", "x", "y"), (attribute_table, "a", "b")):
        first, second = getattr(test, left), getattr(test, right)
        if len(first) != len(second):
            raise file.place(table, right).error(
                f"unequal pairs: {left!r} has {len(first)} words and {right!r} has {len(second)}"
            )
        for word in second:
            if word in first:
                raise file.place(table, right, word.text).error(f"{word.text!r} stands in both {left!r} and {right!r}")


def _check_targets(file: TomlFile, test: WeatTest) -> None:
    """A target that is also an attribute would be compared with itself."""
    attributes = {word.text for word in (*test.a, *test.b)}
    for key in ("x", "y"):
        for word in getattr(test, key):
            if word.text in attributes:
                place = file.place(f"tests.{test.name}", key, word.text)
                raise place.error(f"{word.text!r} is a target and an attribute at once")


def _check_balance(file: TomlFile, test: WeatTest) -> None:
    """Our own sets must not confound a topic with grammatical gender."""
    table = f"tests.{test.name}"
    for key in ("x", "y"):
        for word in getattr(test, key):
            if not word.pos or (word.pos == "NOUN" and not word.gender):
                raise file.place(table, key, word.text).error(
                    f"{word.text!r} needs its part of speech, and a noun its gender, in lexicon.tsv"
                )
    in_x, in_y = test.gender_counts()
    if in_x != in_y:
        raise file.place(table, "y").error(
            f"x and y must hold equal grammatical genders: x has {_counted(in_x)}, y has {_counted(in_y)}"
        )


def _counted(genders: dict[str, int]) -> str:
    return ", ".join(f"{count} {gender}" for gender, count in genders.items()) or "no nouns"
