"""A small study, and models under the names of a study's."""

import shutil
from pathlib import Path

from tiltmeter.studies import Compared, Reproduction
from tiltmeter.subjects import known_references

STUDY = """
name = "x"
title = "A title"
reference = ""
models = [{ label = "m", name = "no-such-model" }]
[[runs]]
id = "r"
instrument = "weat"
lang = "en"
models = ["m"]
[[tables]]
title = "a table"
run = "r"
keys = ["model", "test"]
columns = [{ head = "d", name = "d", estimate = "effect_size" }]
rows = [["m", "career-family", "0.5"]]
"""


def put(reference: str, place: Path) -> Path:
    """A reference model under another name, as a user's own."""
    shutil.copytree(known_references()[reference].folder, place, ignore=shutil.ignore_patterns("README.md"))
    return place


def of(found: Reproduction, title: str) -> Compared:
    return next(one for one in found.tables if one.table.title.startswith(title))
