"""The pages of the documentation, and the examples that stand on them."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [path.relative_to(ROOT).as_posix() for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))]


@dataclass(frozen=True)
class Block:
    """What stands between two fences."""

    page: str
    language: str
    number: int
    """Which of its language on its page, from 1."""
    text: str

    @property
    def name(self) -> str:
        return f"{self.page} {self.language} {self.number}"


@dataclass(frozen=True)
class Line:
    """A line of a console."""

    command: str
    """As it stands there, without its comment."""
    output: tuple[str, ...]
    """What the page shows below it."""

    @property
    def words(self) -> list[str]:
        """Those of the command itself, without what its output goes to."""
        words = shlex.split(self.command)
        ends = [place for place, word in enumerate(words) if word in ("|", ">", "&&", "2>&1", "||")]
        return words[: min(ends, default=len(words))]


def text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, language: str | None = None) -> list[Block]:
    """The fenced blocks of a page, from top to bottom."""
    found: list[Block] = []
    for told, content in re.findall(r"^ *```(\S*)[^\n]*\n(.*?)^ *```", text(page), re.MULTILINE | re.DOTALL):
        number = 1 + sum(one.language == told for one in found)
        found.append(Block(page, told, number, content))
    return [one for one in found if language in (None, one.language)]


def lines(block: Block) -> list[Line]:
    """The commands of a console, each with what is shown below it."""
    told: list[list[str]] = []
    for line in re.sub(r"\\\n\s*", " ", block.text).splitlines():
        if line.startswith("$ "):
            told.append([line.removeprefix("$ ")])
        else:
            assert told, f"{block.name}: no command before {line!r}"
            told[-1].append(line)
    return [Line(re.sub(r"\s+#\s.*$", "", first).rstrip(), tuple(output)) for first, *output in told]


def commands(page: str) -> list[Line]:
    return [line for block in blocks(page, "console") for line in lines(block)]
