"""Fonts for files: which family is asked for, a font of the user's, and which characters no font has.

vl-convert takes the first family of a list that is installed, and draws nothing at all if none is. For a character
that this font lacks it takes the first font file that has it, of any weight and shape: so each script's usual plain
fonts are asked for by name. Whether a character is missing is asked of vl-convert itself, by drawing it.
"""

import re
import shutil
import struct
import tempfile
import unicodedata
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from tiltmeter.errors import TiltmeterError

PLAIN = "Liberation Sans, Arial, Helvetica, sans-serif"
# In this order: Japanese and Korean texts hold Chinese characters too.
_SCRIPTS: tuple[tuple[str, str], ...] = (
    ("\u3041-\u30ff", "Noto Sans CJK JP, Noto Sans JP, Source Han Sans JP, Hiragino Sans, Yu Gothic, IPAGothic"),
    ("\u1100-\u11ff\uac00-\ud7af", "Noto Sans CJK KR, Noto Sans KR, Apple SD Gothic Neo, Malgun Gothic"),
    (
        "\u2e80-\u2fdf\u3000-\u3040\u3400-\u9fff\uf900-\ufaff\uff00-\uffef",
        "Noto Sans CJK SC, Noto Sans SC, Source Han Sans SC, PingFang SC, Microsoft YaHei, WenQuanYi Zen Hei",
    ),
    ("\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff", "Noto Sans Arabic, Noto Sans Hebrew, DejaVu Sans, Geeza Pro, Segoe UI"),
)
_PATTERNS = tuple((re.compile(f"[{letters}]"), families) for letters, families in _SCRIPTS)
_NOWHERE = "\U0010fffd"
"""A character for private use that no font draws."""


def families_for(text: str, wanted: str | None) -> str:
    """The families to ask for, the user's first."""
    own = next((families for pattern, families in _PATTERNS if pattern.search(text)), None)
    quoted = f"'{wanted}'" if wanted else None
    return ", ".join(part for part in (quoted, own, PLAIN) if part)


def find_family(vl_convert: Any, font: str | Path) -> str:
    """The family of a font file, which is made known to vl-convert, or a family that is installed."""
    name = str(font)
    path = Path(name).expanduser()
    if path.is_file():
        return _registered(vl_convert, path.resolve())
    if path.suffix.lower() in (".ttf", ".otf", ".ttc", ".otc", ".woff", ".woff2") or len(path.parts) > 1:
        raise TiltmeterError(
            f"--font {name}: there is no such file; give a .ttf, .otf or .ttc file, or a family's name"
        )
    if re.search("[\"'<>&,\\\\]", name) or not _drawn(vl_convert, "A", f"'{name}'"):
        raise TiltmeterError(
            f"--font {name}: no font of that name is installed; give a .ttf, .otf or .ttc file instead"
        )
    return name


def missing(vl_convert: Any, text: str, families: str) -> list[str]:
    """The characters of a text that are drawn as an empty box."""
    letters = (letter for letter in dict.fromkeys(text) if unicodedata.category(letter)[0] in "LNPS")
    return [letter for letter in letters if ord(letter) > 126 and _is_missing(vl_convert, letter, families)]


def missing_sentence(letters: Iterable[str]) -> str:
    """Which characters are missing, and what to do."""
    found = sorted(set(letters))
    some = " ".join(found[:20]) + (f" and {len(found) - 20} more" if len(found) > 20 else "")
    return (
        f"no installed font has these characters, and the figures show empty boxes instead: {some}; install a font "
        "that has them (for Chinese and Japanese: apt-get install fonts-noto-cjk), or give one with --font"
    )


@cache
def _registered(vl_convert: Any, path: Path) -> str:
    family = re.sub("[\"'<>&,\\\\]", " ", _family_of(path))
    # A folder of its own: the font's may hold thousands of files. vl-convert reads it as long as this process lives.
    folder = Path(_folder().name)
    shutil.copy(path, folder / f"{len(list(folder.iterdir()))}{path.suffix}")
    vl_convert.register_font_directory(str(folder))
    _is_missing.cache_clear()
    _picture.cache_clear()
    if not _drawn(vl_convert, "A", f"'{family}'"):
        raise TiltmeterError(f"--font {path}: this font cannot be used; give a .ttf, .otf or .ttc file")
    return family


def _family_of(path: Path) -> str:
    from fontTools.ttLib import TTFont, TTLibError

    try:
        with path.open("rb") as file, TTFont(file, fontNumber=0, lazy=True) as opened:
            return str(opened["name"].getDebugName(1))
    except (TTLibError, OSError, LookupError, ValueError, AssertionError, struct.error) as error:
        raise TiltmeterError(f"--font {path}: this is no font that can be read ({error})") from error


@cache
def _folder() -> "tempfile.TemporaryDirectory[str]":
    return tempfile.TemporaryDirectory(prefix="tiltmeter-fonts-")


@cache
def _is_missing(vl_convert: Any, letter: str, families: str) -> bool:
    """Whether a character looks like one that no font has."""
    return _picture(vl_convert, letter, families) == _picture(vl_convert, _NOWHERE, families)


def _drawn(vl_convert: Any, letter: str, families: str) -> bool:
    return _picture(vl_convert, letter, families) != _picture(vl_convert, "", families)


@cache
def _picture(vl_convert: Any, letter: str, families: str) -> bytes:
    picture: bytes = vl_convert.svg_to_png(
        '<svg xmlns="http://www.w3.org/2000/svg" width="48" height="48">'
        f'<text x="8" y="34" font-size="24" font-family="{escape(families)}">{escape(letter)}</text></svg>'
    )
    return picture
