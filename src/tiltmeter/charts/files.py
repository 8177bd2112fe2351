"""Figures as files for a paper: SVG, PNG and PDF."""

import re
import tempfile
import textwrap
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tiltmeter.charts.drawing import drawing_library, fitted
from tiltmeter.charts.fonts import families_for, find_family, missing, missing_sentence
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


class MissingGlyphs(UserWarning):
    """Characters that no installed font has."""


def write_figures(figures: Sequence[Figure], folder: str | Path, *, font: str | Path | None = None) -> list[Path]:
    """Writes each figure as SVG, PNG (300 dpi) and PDF, in order, named by number and title.

    `font`: a font file, or the name of an installed family. All files or none are written. Characters that no font has
    give one `MissingGlyphs` warning.
    """
    folder = Path(folder)
    vl_convert = drawing_library("vl_convert", "vl-convert-python")
    family = find_family(vl_convert, font) if font else None
    files: dict[str, bytes] = {}
    boxes: list[str] = []
    for number, figure in enumerate(figures, start=1):
        specification = _for_print(fitted(figure, WIDTH, WIDTH))
        text = "".join(_texts(specification))
        families = families_for(text, family)
        boxes += missing(vl_convert, text, families)
        files |= {
            f"{number:02d}-{_slug(figure.title)}.{ending}": content
            for ending, content in _rendered(vl_convert, specification, families).items()
        }
    with writing(folder):
        _put(files, folder)
    if boxes:
        warnings.warn(missing_sentence(boxes), MissingGlyphs, stacklevel=2)
    return [folder / name for name in files]


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


def _rendered(vl_convert: Any, specification: dict[str, Any], families: str) -> dict[str, bytes]:
    config = THEMES["light"] | {"background": PAPER["light"], "font": families}
    svg: str = vl_convert.vegalite_to_svg(specification, config=config, allowed_base_urls=[])
    return {"svg": svg.encode(), "png": vl_convert.svg_to_png(svg, ppi=DPI), "pdf": vl_convert.svg_to_pdf(svg)}


def _texts(value: Any) -> list[str]:
    """All that may be drawn of a specification."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for part in inner for text in _texts(part)]


def _slug(title: str) -> str:
    """A title as a file name that every system takes."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    words = re.sub(r"[^a-z0-9]+", " ", plain)
    return textwrap.shorten(words, 64, placeholder="").replace(" ", "-")[:64] or "figure"


def _put(files: Mapping[str, bytes], folder: Path) -> None:
    """All are whole on disk before the first gets its name."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".figures-", dir=folder) as stage:
        for name, content in files.items():
            (Path(stage) / name).write_bytes(content)
        for name in files:
            (Path(stage) / name).replace(folder / name)
