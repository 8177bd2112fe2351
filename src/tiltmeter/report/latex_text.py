"""Text as TeX prints it: what it means to TeX, where it may be broken, and how wide it is."""

import re
import unicodedata
from itertools import pairwise


def text(raw: str) -> str:
    """Text that TeX prints as it is: no command, no mathematics, no comment, one line.

    Signs without a shape, such as those that turn the direction of writing, are named.
    """
    line = " ".join(raw.split())
    return "".join(_escaped(before, sign) for before, sign in pairwise(f" {line}"))


def breakable(raw: str) -> str:
    """The same, where long names may be broken into lines."""
    return " ".join("\\allowbreak{}".join(map(text, _pieces(word))) for word in raw.split())


def comment(raw: str) -> str:
    """One line of a comment: nothing in it ends the line, for TeX or for an editor."""
    told = " ".join(raw.split())
    return f"% {''.join(sign if sign.isprintable() else '?' for sign in told)}"


def ems(raw: str) -> float:
    """How wide a line is, on the safe side, in eight-point Computer Modern, which is wider than most."""
    return sum(map(_em, raw))


def longest_piece(raw: str) -> float:
    """How wide a column has to be for text that is broken wherever it may be."""
    return max((ems(piece) for word in raw.split() for piece in _pieces(word)), default=0.0)


def folded(raw: str, width: float) -> list[str]:
    """Text as lines of at most so many ems, or of one piece."""
    lines = [""]
    for word in raw.split():
        for place, piece in enumerate(_pieces(word)):
            space = " " if place == 0 and lines[-1] else ""
            if lines[-1] and ems(f"{lines[-1]}{space}{piece}") > width:
                lines.append(piece)
            else:
                lines[-1] += f"{space}{piece}"
    return lines


_LONG = 14
"""A word of more signs may be broken anywhere, if it has to be."""
_SEAM = re.compile(r"(?<=[-_/:.,=])(?=\w)")
_SIGNS = {
    0.33: "!',.:;[]`il|fj",
    0.42: "- I()rts",
    0.48: "cez?",
    0.54: '"$*/0123456789\\ago{}–',
    0.6: "Jkqvxybdhnpu",
    0.8: "Z^~LFEPBCTwRAHNUVXYS",
    0.9: "D&+<=>@GKOQ_−×#%m",
    1.1: "MW",
}
_EMS = {sign: width for width, signs in _SIGNS.items() for sign in signs}


def _pieces(word: str) -> list[str]:
    """Where a word may be broken: behind a hyphen and its like where it is long; else where it is too long."""
    seamed = _SEAM.split(word) if len(word) > 9 else [word]
    return [part[at : at + _LONG] for part in seamed for at in range(0, len(part), _LONG)]


def _em(sign: str) -> float:
    if sign in _EMS:
        return _EMS[sign]
    if unicodedata.combining(sign):
        return 0.0
    if unicodedata.east_asian_width(sign) in "WF":
        return 1.05
    return 0.85 if sign.isupper() else 0.65


_ESCAPES = {
    "\\": "\\textbackslash{}",
    "{": "\\{",
    "}": "\\}",
    "$": "\\$",
    "&": "\\&",
    "%": "\\%",
    "#": "\\#",
    "_": "\\_\\allowbreak{}",
    "~": "\\textasciitilde{}",
    "^": "\\textasciicircum{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
    "`": "\\textasciigrave{}",
    "'": "\\textquotesingle{}",
    '"': "\\textquotedbl{}",
    # At the start of a row these would belong to the line break before it.
    "[": "{[}",
    "*": "{*}",
    "–": "\\textendash{}",
    "—": "\\textemdash{}",
    "…": "\\ldots{}",
    "−": "$-$",
    "×": "$\\times$",
    "·": "\\textperiodcentered{}",
}
_UNSHAPED = ("Cc", "Cf", "Cn", "Co", "Cs")


def _escaped(before: str, sign: str) -> str:
    if sign == before and sign in "-,":  # together they would be a dash or a quotation mark
        return f"\\hbox{{}}{sign}"
    if sign in _ESCAPES:
        return _ESCAPES[sign]
    # A joiner makes one picture of several.
    if unicodedata.category(sign) in _UNSHAPED and sign not in "\N{ZERO WIDTH JOINER}\N{ZERO WIDTH NON-JOINER}":
        return f"[U+{ord(sign):04X}]".replace("[", "{[}")
    return sign
