"""Words that agree with a keyword and give its gender away."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from tiltmeter.errors import unknown

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Agreement:
    """What agrees with a keyword in its sentence."""

    leak: str
    """The first word outside the span that tells the keyword's gender, or nothing."""
    span: Span
    """What has to be hidden: the keyword, with its determiner where the two can be exchanged together."""
    opposite: str
    """What stands there for the other gender, written as the sentence needs it."""


Check = Callable[[str, Span, Literal["male", "female"], str], Agreement]
"""Takes the sentence, the keyword's place and gender, and the opposite form."""

_ENGINES = {
    "endings": "_agreement_endings",
    "pymorphy3": "_agreement_pymorphy",
    "determiners": "_agreement_determiners",
}


def agreement_check(engine: str) -> Check:
    """`endings` (Spanish), `pymorphy3` (Russian) or `determiners` (German), as a pack names it."""
    if engine not in _ENGINES:
        raise unknown("check of agreement", engine, _ENGINES)
    check: Check = import_module(f"tiltmeter.language.{_ENGINES[engine]}").check
    return check
