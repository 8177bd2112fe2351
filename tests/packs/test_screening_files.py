"""A screening.toml that would screen wrongly is refused with its line; a right one serves any language."""

from pathlib import Path

import pytest

from tiltmeter.corpora.rules import Rules
from tiltmeter.corpora.sampling import quotas
from tiltmeter.corpora.screening import Screener
from tiltmeter.packs import PackError, load_folder

PACK = """lang = "nl"
name = "Dutch"
endonym = "Nederlands"
scripts = ["Latin"]
grammatical_gender = []
"""
PAIRS = (
    "# source: made up\nmale\tfemale\tkind\tstatus\tnote\n"
    "hij\tzij\tpronoun\nvader\tmoeder\nbroer\tzus\nheer\tdame\t\trejected\tboth are titles\n"
)
SCREENING = """source = "made up"
ends = ".!?"
closers = "\\"”"
quotes = ["“”", "()"]
shortest = 12
longest = 60
names = "capitals"
abbreviations = ["dhr", "mevr"]
other_sense = ["moeder natuur"]
gendered = [
  "haar", "zijn",
  "jongen*",
]
biological = ["zwanger*"]
metaphor = ["als een"]
given_names = ["Jan", "Anna"]

[quotas]
"vader/moeder" = 6
"broer/zus" = 2
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's own pack for a language that is not shipped."""
    pack = tmp_path / "nl"
    pack.mkdir()
    for name, text in {"pack.toml": PACK, "gender_pairs.tsv": PAIRS, "screening.toml": SCREENING}.items():
        (pack / name).write_text(text, "utf-8")
    return pack


MISTAKES = [
    # what is wrong, what is replaced, by what, line, what is said
    ("unknown key", "metaphor =", "metafor =", 15, "there is no key 'metafor'; did you mean 'metaphor'?"),
    ("no source", 'source = "made up"\n', "", 1, "'source' is missing or not a text; every list needs one"),
    ("no ends", 'ends = ".!?"\n', "", 1, "'ends' is missing or not a text"),
    ("ends as a list", 'ends = ".!?"', 'ends = ["."]', 2, "'ends' is missing or not a text"),
    ("closers as a number", 'closers = "\\"”"', "closers = 1", 3, "'closers' is missing or not a text"),
    ("one quote", '"()"', '"("', 4, "'quotes' are texts of two characters, the opening and the closing one"),
    ("three quotes", '"()"', '"(-)"', 4, "'quotes' are texts of two characters"),
    ("too short", "shortest = 12", "shortest = 0", 5, "'shortest' must be at least 1 and at most 'longest'"),
    ("longer than longest", "shortest = 12", "shortest = 61", 5, "'shortest' must be at least 1"),
    ("length as a text", "longest = 60", 'longest = "60"', 6, "'longest' is not a whole number"),
    ("length as a truth", "longest = 60", "longest = true", 6, "'longest' is not a whole number"),
    ("unknown way", '"capitals"', '"capital"', 7, "there is no names 'capital'; did you mean 'capitals'?"),
    ("words as a text", '["dhr", "mevr"]', '"dhr"', 8, "'abbreviations' is missing or not a list of texts"),
    ("a word twice", '"jongen*"', '"haar"', 12, "'haar' stands in 'gendered' twice"),
    ("mixed scripts", '"jongen*"', '"jоngen*"', 12, "the word 'jоngen' mixes scripts: 'о' in it is Cyrillic"),
    ("mixed in an expression", "moeder natuur", "moeder nаtuur", 9, "the word 'nаtuur' mixes scripts"),
    ("an empty word", '"jongen*"', '""', 10, "'' in 'gendered' is no word"),
    ("a star alone", '"jongen*"', '"*"', 12, "'*' in 'gendered' is no word"),
    ("quota of a rejected pair", '"broer/zus" = 2', '"heer/dame" = 2', 20, "the pair heer/dame is not among those"),
    ("quota of no pair", '"broer/zus" = 2', '"zus/broer" = 2', 20, "the pair zus/broer is not among those"),
    ("quota below nothing", '"broer/zus" = 2', '"broer/zus" = -2', 20, "the quota of broer/zus is no whole number"),
    ("quota as a text", '"vader/moeder" = 6', '"vader/moeder" = "6"', 19, "the quota of vader/moeder is no whole"),
    ("no TOML", "[quotas]", "[quotas", 18, "not valid TOML"),
]


@pytest.mark.parametrize(("old", "new", "line", "said"), [case[1:] for case in MISTAKES], ids=[c[0] for c in MISTAKES])
def test_a_mistake_is_told_with_its_line(folder: Path, old: str, new: str, line: int, said: str) -> None:
    assert SCREENING.count(old) == 1
    (folder / "screening.toml").write_text(SCREENING.replace(old, new), "utf-8")
    with pytest.raises(PackError) as refused:
        load_folder(folder)
    assert str(refused.value).startswith(f"nl/screening.toml:{line}: {said}")


def test_a_pack_without_the_file_has_no_screening(folder: Path) -> None:
    (folder / "screening.toml").unlink()
    assert load_folder(folder).screening is None


def test_what_it_does_not_say_is_as_usual(folder: Path) -> None:
    (folder / "screening.toml").write_text('source = "made up"\nends = "."\n', "utf-8")
    screening = load_folder(folder).screening
    assert screening is not None
    assert (screening.shortest, screening.longest, screening.names, screening.agreement) == (1, 200, "", "")
    assert screening.quotas == {}


TEXT = """Mijn vader leest elke avond de krant. Dhr. Bos en mijn zus
wonen in het dorp. Zij slaapt.

“Mijn moeder was zwanger in de zomer. De vader van Anna leest de krant. Moeder Natuur geeft ons elke zomer bloemen.
Mijn broer staat daar als een boom. De zus van die jongens leest de krant.
"""


def test_an_own_pack_screens_a_language_that_is_not_shipped(folder: Path) -> None:
    pack = load_folder(folder)
    assert [
        (judged.sentence, judged.keyword, judged.opposite, judged.reason, judged.detail, judged.mark)
        for judged in Screener(pack).screen(TEXT)
    ] == [
        ("Mijn vader leest elke avond de krant.", "vader", "moeder", "", "", ""),
        ("Dhr. Bos en mijn zus wonen in het dorp.", "zus", "broer", "", "", ""),
        ("Zij slaapt.", "Zij", "Hij", "length", "11", ""),
        ("Mijn moeder was zwanger in de zomer.", "moeder", "vader", "biological", "zwanger", ""),
        ("De vader van Anna leest de krant.", "vader", "moeder", "name", "Anna", ""),
        ("Moeder Natuur geeft ons elke zomer bloemen.", "Moeder", "Vader", "sense", "moeder natuur", ""),
        ("Mijn broer staat daar als een boom.", "broer", "zus", "", "", "metaphor"),
        ("De zus van die jongens leest de krant.", "zus", "broer", "gendered-term", "jongen", ""),
    ]
    assert quotas(pack) == {"hij/zij": 2, "vader/moeder": 6, "broer/zus": 2}


def test_only_the_rules_that_it_has_words_for_are_asked(folder: Path) -> None:
    assert Rules().asked_in(load_folder(folder)) == [
        "unfinished", "keywords", "length", "inside-word", "sense", "name", "gendered-term", "biological",
        "near-duplicate",
    ]  # fmt: skip
