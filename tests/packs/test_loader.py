"""A pack that would make a measurement wrong is refused, with the file and the line."""

from pathlib import Path

import pytest

from tiltmeter.packs import LISTS, Pack, PackError, load_folder, load_pack, shipped_languages

PACK = """lang = "tt"
name = "Test"
endonym = "test"
scripts = ["Latin"]
grammatical_gender = ["m", "f"]
"""
PAIRS = "# source: made up\nmale\tfemale\tstatus\tnote\nhombre\tmujer\nrey\treina\n"
PERSONS = (
    "# source: made up\nmale\tfemale\tmale_determiner\tfemale_determiner\tplace\tnote\n"
    "él\tella\npadre\tmadre\tmi\tmi\tbefore\n"
)
SENTENCES = (
    "# source: made up\nmale\tfemale\twritten\tsentence\n"
    "rey\treina\tmale\tMi {rey|reina} llega hoy.\nrey\treina\tfemale\tVino con su {rey|reina} en 5G.\n"
)
FORMS = "# source: made up\nmale\tfemale\tpair\nreyes\treinas\trey/reina\n"
SWAPS = "# source: made up\nmale\tfemale\tnote\nduque\tduquesa\nreino\treino\tstays\n"
LEXICON = "# source: made up\nword\tpos\tgender\tfeminine\nsol\tNOUN\tm\nluz\tNOUN\tf\nmar\tNOUN\tm\nflor\tNOUN\tf\n"
WEAT = """[attributes.gender]
source = "made up"
labels = ["male", "female"]
a = ["hombre", "rey"]
b = ["mujer", "reina"]

[tests.one]
source = "made up"
origin = "ours"
labels = ["sky", "sea"]
attributes = "gender"
x = ["sol", "luz"]
y = [
  "mar",
  "flor",
]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small pack that is right."""
    pack = tmp_path / "tt"
    pack.mkdir()
    files = {"pack.toml": PACK, "gender_pairs.tsv": PAIRS, "persons.tsv": PERSONS, "lexicon.tsv": LEXICON}
    files |= {"neutral_sentences.tsv": SENTENCES, "gender_forms.tsv": FORMS, "swaps.tsv": SWAPS}
    files["frames.toml"] = 'source = "made up"\n[[frames]]\nname = "is"\nright = "{person} es {profession}."\n'
    for name, text in {**files, "weat.toml": WEAT}.items():
        (pack / name).write_text(text, "utf-8")
    return pack


def test_a_right_pack_loads_with_all_it_says(folder: Path) -> None:
    pack = load_folder(folder)
    assert [(pair.male, pair.female) for pair in pack.gender_pairs] == [("hombre", "mujer"), ("rey", "reina")]
    assert pack.persons[1].male_determiner == "mi"
    assert [word.gender for word in pack.weat[0].x] == ["m", "f"]
    assert pack.neutral_sentences[0].parts == ("Mi ", "rey", "reina", " llega hoy.")
    assert [(form.male, form.female, form.pair) for form in pack.gender_forms] == [("reyes", "reinas", "rey/reina")]
    assert [(pair.male, pair.female) for pair in pack.swaps] == [("duque", "duquesa"), ("reino", "reino")]
    assert pack.sources["weat"] == ("made up",)
    assert pack.missing(["weat", "nonbinary_persons"]) == ["nonbinary_persons"]


MISTAKES: list[tuple[str, str, str, str, str]] = [
    # what is wrong, in which file, what is replaced, by what, what is said
    (
        "mixed scripts",
        "weat.toml",
        '"mar"',
        '"mаr"',
        "tt/weat.toml:14: the word 'mаr' mixes scripts: 'а' in it is Cyrillic",
    ),
    ("mixed in table", "gender_pairs.tsv", "rey\t", "rеy\t", "tt/gender_pairs.tsv:4: the word 'rеy' mixes scripts"),
    ("duplicate", "weat.toml", '"luz"', '"sol"', "tt/weat.toml:12: 'sol' stands in the set 'x' twice"),
    ("in x and y", "weat.toml", '"flor"', '"luz"', "tt/weat.toml:15: 'luz' stands in both 'x' and 'y'"),
    (
        "pair twice",
        "gender_pairs.tsv",
        "rey\treina",
        "hombre\tmujer",
        "tt/gender_pairs.tsv:4: hombre / mujer stands in",
    ),
    (
        "unequal pairs",
        "weat.toml",
        '"mujer", "reina"',
        '"mujer", "reina", "tía"',
        "tt/weat.toml:5: unequal pairs: 'a' has 2",
    ),
    ("unequal sets", "weat.toml", '  "flor",\n', '  "flor",\n  "isla",\n', "tt/weat.toml:13: unequal pairs: 'x' has 2"),
    ("half a pair", "gender_pairs.tsv", "rey\treina", "rey", "tt/gender_pairs.tsv:4: the cell 'female' is empty"),
    ("no source of a table", "persons.tsv", "# source: made up\n", "", "tt/persons.tsv:1: the list has no source"),
    ("no source of a test", "weat.toml", 'e]\nsource = "made up"\n', "e]\n", "tt/weat.toml:7: 'source' is missing"),
    ("no source of attributes", "weat.toml", 'r]\nsource = "made up"\n', "r]\n", "tt/weat.toml:1: 'source' is missing"),
    ("unequal genders", "lexicon.tsv", "flor\tNOUN\tf", "flor\tNOUN\tm", "tt/weat.toml:13: x and y must hold equal"),
    ("no gender", "lexicon.tsv", "flor\tNOUN\tf\n", "", "tt/weat.toml:15: 'flor' needs its part of speech"),
    (
        "unknown column",
        "persons.tsv",
        "\tplace",
        "\tplce",
        "tt/persons.tsv:2: there is no column 'plce'; did you mean 'place'?",
    ),
    (
        "missing column",
        "gender_pairs.tsv",
        "male\tfemale\t",
        "male\t",
        "tt/gender_pairs.tsv:2: the column 'female' is missing",
    ),
    ("too many cells", "gender_pairs.tsv", "rey\treina", "rey\treina\t\t\tx", "tt/gender_pairs.tsv:4: 5 cells where"),
    (
        "unknown key",
        "weat.toml",
        "labels",
        "lables",
        "tt/weat.toml:3: there is no key 'lables'; did you mean 'labels'?",
    ),
    ("unknown attributes", "weat.toml", '= "gender"', '= "gendre"', "tt/weat.toml:11: there is no table of attributes"),
    (
        "unknown origin",
        "weat.toml",
        '"ours"',
        '"our"',
        "tt/weat.toml:9: there is no origin 'our'; did you mean 'ours'?",
    ),
    (
        "unknown status",
        "gender_pairs.tsv",
        "rey\treina",
        "rey\treina\tno",
        "tt/gender_pairs.tsv:4: there is no status 'no'",
    ),
    (
        "rejected, no reason",
        "gender_pairs.tsv",
        "rey\treina",
        "rey\treina\trejected",
        "tt/gender_pairs.tsv:4: a rejected",
    ),
    (
        "same word",
        "gender_pairs.tsv",
        "rey\treina",
        "rey\trey",
        "tt/gender_pairs.tsv:4: both sides of the pair are 'rey'",
    ),
    (
        "determiner",
        "persons.tsv",
        "mi\tmi\tbefore",
        "mi\t\tbefore",
        "tt/persons.tsv:4: one side of the pair has a determiner",
    ),
    ("place", "persons.tsv", "mi\tmi\tbefore", "mi\tmi\t", "tt/persons.tsv:4: 'place' says where"),
    ("TOML without its end", "weat.toml", '"flor",\n]', '"flor",', "tt/weat.toml:15: not valid TOML"),
    ("broken TOML", "weat.toml", 'x = ["sol"', 'x = ["sol', "tt/weat.toml:12: not valid TOML"),
    (
        "not a list",
        "weat.toml",
        'a = ["hombre", "rey"]',
        'a = "hombre"',
        "tt/weat.toml:4: 'a' is missing or not a list",
    ),
    ("one label", "weat.toml", '["sky", "sea"]', '["sky"]', "tt/weat.toml:10: 'labels' needs two entries"),
    ("small set", "weat.toml", '"hombre", "rey"', '"hombre"', "tt/weat.toml:4: the set 'a' needs at least two words"),
    ("word twice", "lexicon.tsv", "mar\tNOUN\tm", "sol\tNOUN\tm", "tt/lexicon.tsv:5: 'sol' stands in the list twice"),
    (
        "small letters",
        "lexicon.tsv",
        "mar\tNOUN",
        "mar\tnoun",
        "tt/lexicon.tsv:5: there is no universal part of speech 'noun'; did you mean 'NOUN'?",
    ),
    (
        "no such gender",
        "lexicon.tsv",
        "mar\tNOUN\tm",
        "mar\tNOUN\tq",
        "tt/lexicon.tsv:5: there is no grammatical gender 'q'; known are: f, m (grammatical_gender in pack.toml)",
    ),
    (
        "a strange slot",
        "frames.toml",
        "{person}",
        "{persona}",
        "tt/frames.toml:4: sentence 1: there is no slot of a frame 'persona'; did you mean",
    ),
    ("no text", "frames.toml", "right =", "published = 3\nright =", "tt/frames.toml:5: sentence 1: 'published' is"),
    (
        "a frame of nobody",
        "frames.toml",
        "{person}",
        "Alguien",
        "tt/frames.toml:4: sentence 1: a frame needs {person} once: Alguien es",
    ),
    ("spaces", "weat.toml", '"mar"', '" mar"', "tt/weat.toml:14: the word ' mar' is empty or has spaces"),
    ("no language", "pack.toml", 'lang = "tt"\n', "", "tt/pack.toml:1: 'lang' is missing or not a text"),
    ("unknown base", "pack.toml", 'lang = "tt"', 'extends = "rx"', "there is no language 'rx'; did you mean 'ru'?"),
    (
        "wrong base",
        "pack.toml",
        'lang = "tt"',
        'lang = "tt"\nextends = "ru"',
        "tt/pack.toml:1: a pack of 'tt' cannot extend",
    ),
    (
        "unknown segmenter",
        "pack.toml",
        'lang = "tt"',
        'lang = "tt"\nsegmenter = "jieba"',
        "tt/pack.toml:2: there is no segmenter 'jieba'; did you mean 'rjieba'?",
    ),
    (
        "spaces where there are none",
        "pack.toml",
        'scripts = ["Latin"]',
        'scripts = ["Han"]\nsegmenter = "spaces"',
        "tt/pack.toml:5: Test is written without spaces",
    ),
    (
        "a sentence of no pair",
        "neutral_sentences.tsv",
        "rey\treina\tmale",
        "rey\tdama\tmale",
        "tt/neutral_sentences.tsv:3: the pair rey/dama is not among those of gender_pairs.tsv that are in use",
    ),
    (
        "a sentence without its words",
        "neutral_sentences.tsv",
        "{rey|reina} llega",
        "rey llega",
        "tt/neutral_sentences.tsv:3: the sentence needs `{male|female}` once",
    ),
    (
        "a sentence with one word twice",
        "neutral_sentences.tsv",
        "{rey|reina} llega",
        "{rey|rey} llega",
        "tt/neutral_sentences.tsv:3: the sentence needs `{male|female}` once",
    ),
    (
        "the words of a sentence the wrong way round",
        "neutral_sentences.tsv",
        "Mi {rey|reina}",
        "{Reinas|Reyes}",
        "tt/neutral_sentences.tsv:3: the male word comes first in {male|female}, and the sentence has Reinas|Reyes",
    ),
    (
        "mixed scripts in a sentence",
        "neutral_sentences.tsv",
        "llega",
        "llegа",
        "tt/neutral_sentences.tsv:3: the word 'llegа' mixes scripts",
    ),
    (
        "a sentence twice",
        "neutral_sentences.tsv",
        "Vino con su {rey|reina} en 5G.",
        "Mi {rey|reina} llega hoy.",
        "tt/neutral_sentences.tsv:4: rey / reina / Mi {rey|reina} llega hoy. stands in the list twice",
    ),
    (
        "written for nobody",
        "neutral_sentences.tsv",
        "reina\tmale",
        "reina\tboth",
        "tt/neutral_sentences.tsv:3: there is no written 'both'",
    ),
    (
        "a form of no pair",
        "gender_forms.tsv",
        "rey/reina",
        "rey/dama",
        "tt/gender_forms.tsv:3: the pair 'rey/dama' is not among those of gender_pairs.tsv that are in use",
    ),
    (
        "a form without gender",
        "gender_forms.tsv",
        "reyes\treinas",
        "reyes\treyes",
        "tt/gender_forms.tsv:3: both sides are 'reyes': the form carries no information",
    ),
    ("no header", "gender_pairs.tsv", PAIRS[18:], "", "tt/gender_pairs.tsv:1: the list has no header"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "said"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES]
)
def test_a_mistake_is_refused_with_its_place(folder: Path, file: str, old: str, new: str, said: str) -> None:
    path = folder / file
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(PackError if said.startswith("tt/") else Exception) as refused:
        load_folder(folder)
    assert str(refused.value).startswith(said)


def test_latin_letters_in_a_russian_word_are_seen(folder: Path) -> None:
    (folder / "gender_pairs.tsv").write_text("# source: print\nmale\tfemale\nпapa\tмама\n", "utf-8")
    with pytest.raises(PackError, match=r"gender_pairs.tsv:3: the word 'пapa' mixes scripts: .* type it anew"):
        load_folder(folder)


def test_a_file_that_is_not_utf8_is_named_with_its_line(folder: Path) -> None:
    (folder / "persons.tsv").write_bytes("# source: x\nmale\tfemale\nniño\tniña\n".encode("latin-1"))
    with pytest.raises(PackError, match=r"tt/persons.tsv:3: not UTF-8"):
        load_folder(folder)


def test_a_decomposed_letter_is_refused_because_no_vocabulary_would_match_it(folder: Path) -> None:
    (folder / "gender_pairs.tsv").write_text("# source: x\nmale\tfemale\nnin\u0303o\tnina\n", "utf-8")
    with pytest.raises(PackError, match=r"gender_pairs.tsv:3: .* not in Unicode normal form C"):
        load_folder(folder)


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PackError, match="is not a folder with a pack in it"):
        load_folder(tmp_path / "nowhere")


def test_a_pack_that_extends_another_adds_to_its_lists_and_replaces_tests_of_its_name(tmp_path: Path) -> None:
    base = load_pack("ru")
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "pack.toml").write_text('extends = "ru"\n', "utf-8")
    (mine / "gender_pairs.tsv").write_text("# source: mine\nmale\tfemale\nкороль\tкоролева\n", "utf-8")
    (mine / "weat.toml").write_text(
        '[attributes.g]\nsource = "mine"\nlabels = ["male", "female"]\na = ["отец", "сын"]\nb = ["мать", "дочь"]\n'
        '[tests.E6]\nsource = "mine"\norigin = "published"\nlabels = ["a", "b"]\nattributes = "g"\n'
        'x = ["физика", "химия"]\ny = ["танец", "роман"]\n',
        "utf-8",
    )
    pack = load_folder(mine)
    assert pack.gender_pairs == (*base.gender_pairs, *pack.gender_pairs[-1:])
    assert pack.gender_pairs[-1].male == "король"
    assert [test.name for test in pack.weat] == [test.name for test in base.weat]
    assert [word.text for word in pack.weat[5].x] == ["физика", "химия"]
    assert pack.weat[5].x[0].gender == "f", "the base's grammar is known to the new test"
    assert pack.sources["gender_pairs"] == (*base.sources["gender_pairs"], "mine")
    assert pack.digest(["weat"]) != base.digest(["weat"])


@pytest.mark.parametrize("lang", shipped_languages())
class TestShippedPacks:
    def test_every_list_has_a_source_or_a_reason_why_it_is_not_there(self, lang: str) -> None:
        pack = load_pack(lang)
        for name in LISTS:
            if getattr(pack, name):
                assert all(pack.sources[name])
            elif name not in ("semantic_gender", "names", "gender_forms"):
                assert pack.why_not(name)

    def test_there_are_nine_person_pairs(self, lang: str) -> None:
        assert len(load_pack(lang).persons) == 9

    def test_own_tests_hold_equal_grammatical_genders(self, lang: str) -> None:
        for test in load_pack(lang).weat:
            in_x, in_y = test.gender_counts()
            assert test.origin == "published" or in_x == in_y

    def test_no_target_is_an_attribute(self, lang: str) -> None:
        for test in load_pack(lang).weat:
            targets, attributes = ({w.text for w in (*p, *q)} for p, q in ((test.x, test.y), (test.a, test.b)))
            assert not targets & attributes


def test_the_seven_languages_are_shipped() -> None:
    assert shipped_languages() == ["de", "en", "es", "eu", "ja", "ru", "zh"]


def test_russian_sets_have_the_sizes_and_parts_of_speech_of_the_study() -> None:
    tests = {test.name: test for test in load_pack("ru").weat}
    assert {name: len(test.x) for name, test in tests.items()} == {
        "E1": 8, "E2": 7, "E3": 7, "E4": 14, "E5": 11, "E6": 5, "E7": 6,
    }  # fmt: skip
    assert {word.pos for word in (*tests["E4"].x, *tests["E4"].y)} == {"ADJ"}
    assert {word.pos for word in tests["E5"].x} == {"NOUN", "ADJ", "VERB"}
    assert [word.text for word in tests["E1"].a if word.pos == "ADJ"] == ["мужской"]
    assert len(tests["E1"].a) == 9


def _uninformative(pack: Pack) -> list[str]:
    return [pair.male for pair in pack.persons if not pair.informative]


@pytest.mark.parametrize(("lang", "same"), [("eu", ["bera"]), ("en", []), ("es", [])])
def test_basque_bera_is_told_to_carry_no_information(lang: str, same: list[str]) -> None:
    assert _uninformative(load_pack(lang)) == same


def test_chinese_pairs_are_those_of_the_paper_and_rejected_ones_keep_their_reason() -> None:
    pairs = load_pack("zh").gender_pairs
    assert len([pair for pair in pairs if not pair.status]) == 16
    rejected = {pair.male: pair.note for pair in pairs if pair.status == "rejected"}
    assert set(rejected) == {"岳父", "公公", "继父", "男士"}
    assert all(rejected.values())
