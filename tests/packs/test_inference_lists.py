"""Occupations, captions, subjects, rules for captions and prompts: what is wrong with one is named with its line."""

from pathlib import Path

import pytest

from tiltmeter.packs import PackError, load_folder

PACK = """lang = "tt"
name = "Test"
endonym = "test"
scripts = ["Latin"]
grammatical_gender = ["m", "f"]
"""
OCCUPATIONS = (
    "# source: made up\nid\tmasculine\tfeminine\tepicene\toccupation_class\tgendered\tus_female_share\torigin\n"
    "nurse\tenfermero\tenfermera\talguien de la enfermería\tfemale\t\t90\n"
    "dentist\tdentista\t\t\tmale\t\t\tours\n"
)
CAPTIONS = "# source: made up\nsentence\n{subject} espera.\nAquí duerme {subject}.\n"
SUBJECTS = "# source: made up\nkind\tphrase\nwoman\tuna mujer\noccupation\talguien que trabaja de {occupation}\n"
RULES = """source = "made up"
persons = ["hombre", "mujer"]
others = ["niño"]
phrase = '(?:una?)\\s+PERSON'
"""
PROMPTS = """source = "made up"

[[prompts]]
name = "question"
text = "{premise} {hypothesis} {label}"
entailment = "sí"
neutral = "quizás"
contradiction = "no"
"""
FILES = {
    "pack.toml": PACK,
    "occupations.tsv": OCCUPATIONS,
    "captions.tsv": CAPTIONS,
    "subjects.tsv": SUBJECTS,
    "caption_rules.toml": RULES,
    "prompts.toml": PROMPTS,
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pack = tmp_path / "tt"
    pack.mkdir()
    for name, text in FILES.items():
        (pack / name).write_text(text, "utf-8")
    return pack


def test_a_right_pack_holds_them(folder: Path) -> None:
    pack = load_folder(folder)
    assert [occupation.epicene for occupation in pack.occupations] == ["alguien de la enfermería", ""]
    assert pack.occupations[0].share == 90
    assert [caption.slot for caption in pack.captions] == ["subject", "subject"]
    assert pack.caption_rules is not None
    assert pack.caption_rules.persons == ("hombre", "mujer")
    assert [prompt.neutral for prompt in pack.prompts] == ["quizás"]
    assert {"occupations", "captions", "subjects", "prompts", "caption_rules"} <= set(pack.sources)
    assert not pack.missing(("occupations", "captions", "subjects", "prompts"))


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("occupations.tsv", "\tfemale\t", "\tgirl\t", "occupations.tsv:3: there is no occupation_class 'girl'"),
        ("occupations.tsv", "\t90", "\t190", "occupations.tsv:3: us_female_share is '190'"),
        ("occupations.tsv", "nurse\t", "\t", "occupations.tsv:3: the cell 'id' is empty"),
        ("occupations.tsv", "dentista", "enfermero", "occupations.tsv:4: enfermero stands in the list twice"),
        ("occupations.tsv", "enfermera\t", "enfеrmera\t", "mixes scripts"),
        ("captions.tsv", "{subject} espera", "alguien espera", "captions.tsv:3: the caption needs one slot"),
        ("captions.tsv", "{subject} espera", "{subject} ve a {subject}", "captions.tsv:3: the caption needs one slot"),
        ("captions.tsv", "espera", "espеra", "mixes scripts"),
        ("captions.tsv", "Aquí duerme {subject}.", "{subject} espera.", "stands in the list twice"),
        ("subjects.tsv", "{occupation}", "x", "subjects.tsv:4: 'occupation' needs {occupation}"),
        ("subjects.tsv", "una mujer", "una {occupation}", "subjects.tsv:3: 'woman' has no {occupation}"),
        ("subjects.tsv", "woman", "girl", "there is no kind 'girl'"),
        ("caption_rules.toml", "PERSON", "person", "'phrase' needs PERSON"),
        ("caption_rules.toml", "(?:una?)", "(?:una?", "'phrase' is no regular expression"),
        ("caption_rules.toml", '"niño"', '"niño", "niño"', "'niño' stands in 'others' twice"),
        ("caption_rules.toml", "persons =", "person =", "there is no key 'person'"),
        ("prompts.toml", "{label}", "", "sentence 1: a prompt needs {premise}, {hypothesis} and {label}, each once"),
        ("prompts.toml", '"quizás"', '"no"', "sentence 1: the three labels need different words"),
        ("prompts.toml", "{premise} {hypothesis} {label}", "{label} {premise} {hypothesis}", "before {label}"),
        ("prompts.toml", 'name = "question"', 'title = "question"', "there is no key 'title'"),
    ],
)
def test_what_is_wrong_is_named(folder: Path, file: str, old: str, new: str, message: str) -> None:
    text = FILES[file]
    assert old in text
    (folder / file).write_text(text.replace(old, new, 1), "utf-8")
    with pytest.raises(PackError) as refused:
        load_folder(folder)
    assert message in str(refused.value)
