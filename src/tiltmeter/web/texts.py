"""What the reviewers' pages say, by language."""

import tomllib
from functools import cache
from importlib.resources import files

Texts = dict[str, str]

FALLBACK = "en"


@cache
def all_texts() -> dict[str, Texts]:
    """The texts of every language, English first."""
    folder = files("tiltmeter.web") / "texts"
    found = {
        entry.name.removesuffix(".toml"): tomllib.loads(entry.read_text("utf-8"))
        for entry in folder.iterdir()
        if entry.name.endswith(".toml")
    }
    return dict(sorted(found.items(), key=lambda item: (item[0] != FALLBACK, item[0])))


def preferred(accept_language: str, *others: str) -> str:
    """The language that a browser asks for most, of those that there are; else one of the others, else English."""
    wanted: list[tuple[float, int, str]] = []
    for place, part in enumerate(accept_language.split(",")[:20]):
        tag, _, parameter = part.partition(";")
        name, _, quality = parameter.strip().partition("=")
        try:
            share = float(quality) if name == "q" else 1.0
        except ValueError:
            continue
        wanted.append((-share, place, tag.strip().lower().partition("-")[0]))
    names = [tag for share, _, tag in sorted(wanted) if share < 0]
    return next((name for name in (*names, *others) if name in all_texts()), FALLBACK)
