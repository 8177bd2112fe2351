"""Figures as files for a paper: SVG, PNG and PDF, and their captions."""

import re
import tempfile
import unicodedata
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.charts.drawing import drawing_library, fitted
from tiltmeter.charts.fonts import families_for, find_family, missing, missing_sentence
from tiltmeter.charts.table import printable
from tiltmeter.charts.themes import PAPER, THEMES
from tiltmeter.results import Figure
from tiltmeter.store import writing

WIDTH = 455
"""Points: the text width of an A4 or letter page with the usual margins (16 cm)."""
TALLEST = 640
"""Points that a page has for a figure and its caption."""
SMALLEST = 9
"""Points that a row needs to stay legible: a figure with more rows than fit becomes taller than a page."""
DPI = 300
CAPTIONS = "captions.txt"
LONGEST = 100
"""Characters of a file's name beside its number and ending."""


class MissingGlyphs(UserWarning):
    """Characters that no installed font has."""


def write_figures(figures: Sequence[Figure], folder: str | Path, *, font: str | Path | None = None) -> list[Path]:
    """Writes each figure as SVG, PNG (300 dpi) and PDF, in order, named by number and title; and all captions as text.

    `font`: a font file, or the name of an installed family. All files or none are written. Characters that no font has
    give one `MissingGlyphs` warning.
    """
    folder = Path(folder)
    vl_convert = drawing_library("vl_convert", "vl-convert-python")
    family = find_family(vl_convert, font) if font else None
    files: dict[str, bytes] = {}
    boxes: list[str] = []
    stems = [f"{number:02d}-{name}" for number, name in enumerate(file_names([one.title for one in figures]), start=1)]
    for stem, figure in zip(stems, figures, strict=True):
        picture, text, families = _drawn(vl_convert, figure, family)
        boxes += missing(vl_convert, text, families)
        files |= {f"{stem}.{ending}": content for ending, content in _rendered(vl_convert, picture).items()}
    if figures:
        files[CAPTIONS] = _captions(stems, figures).encode()
    with writing(folder):
        _put(files, folder)
    if boxes:
        warnings.warn(missing_sentence(boxes), MissingGlyphs, stacklevel=2)
    return [folder / name for name in files]


def svg(figure: Figure) -> str:
    """The figure alone, as `write_figures` writes it into its SVG."""
    return _drawn(drawing_library("vl_convert", "vl-convert-python"), figure, None)[0]


def _drawn(vl_convert: Any, figure: Figure, family: str | None) -> tuple[str, str, str]:
    """The figure as SVG, all text that may stand in it, and the families of fonts that it asks for."""
    specification = _for_print(fitted(figure, WIDTH, WIDTH))
    text = "".join(_texts(specification))
    families = families_for(text, family)
    config = THEMES["light"] | {"background": PAPER["light"], "font": families}
    return vl_convert.vegalite_to_svg(specification, config=config, allowed_base_urls=[]), text, families


def _for_print(specification: dict[str, Any]) -> dict[str, Any]:
    """Rows that are set closer, in smaller type, where the figure would not fit a page."""
    if specification["height"] <= TALLEST:
        return specification
    rows = [layer["encoding"]["y"] for layer in specification["layer"] if "y" in layer["encoding"]]
    names = max(len(y["scale"]["domain"]) for y in rows)
    height = max(TALLEST, min(specification["height"], SMALLEST * names))
    for y in rows:
        y["axis"]["labelFontSize"] = max(6, min(11, height / names - 1.5))
    return specification | {"height": height}


def _rendered(vl_convert: Any, picture: str) -> dict[str, bytes]:
    png, pdf = vl_convert.svg_to_png(picture, ppi=DPI), vl_convert.svg_to_pdf(picture)
    return {"svg": picture.encode(), "png": png, "pdf": pdf}


def _texts(value: Any) -> list[str]:
    """All that may be drawn of a specification."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]


def file_names(titles: Sequence[str]) -> list[str]:
    """Titles as file names that every system takes: where one is too long, words go that most titles have."""
    words = [_plain(title).split() for title in titles]
    titles_with = Counter(word for found in words for word in set(found))
    return [_joined(found, titles_with) for found in words]


def _joined(words: Sequence[str], titles_with: Mapping[str, int]) -> str:
    """The first word and the last four, which name the model and the language, stay; of the rest the rarest."""
    places = list(range(len(words)))
    inner, middle = places[1:-4], len(words) / 2
    for place in sorted(inner, key=lambda place: (-titles_with[words[place]], abs(place - middle))):
        if len("-".join(words[kept] for kept in places)) <= LONGEST:
            break
        places.remove(place)
    name = "-".join(words[place] for place in places)
    return (name if len(name) <= LONGEST else f"{name[: LONGEST // 2]}{name[-LONGEST // 2 :]}") or "figure"


def _plain(title: str) -> str:
    ascii_letters = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", " ", ascii_letters)


def _captions(stems: Sequence[str], figures: Sequence[Figure]) -> str:
    """What stands under each figure, as text to copy."""
    told = [
        "\n".join(filter(None, (f"Figure {number}: {stem}", printable(figure.title), printable(figure.caption))))
        for number, (stem, figure) in enumerate(zip(stems, figures, strict=True), start=1)
    ]
    return "\n\n".join(told) + "\n"


def _put(files: Mapping[str, bytes], folder: Path) -> None:
    """All are whole on disk before the first gets its name."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".figures-", dir=folder) as stage:
        for name, content in files.items():
            (Path(stage) / name).write_bytes(content)
        for name in files:
            (Path(stage) / name).replace(folder / name)
