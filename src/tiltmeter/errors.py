"""What a user is told when something is wrong: one sentence, and an exit code."""

import difflib
from collections.abc import Iterable


class TiltmeterError(Exception):
    """Bad input or usage: one sentence that says which file, row or option, what was expected, what to do."""

    exit_code = 2


class OutOfReach(TiltmeterError):
    """Something outside could not be had (a registry, a model hub): the rest goes on, and the exit code is 3."""

    exit_code = 3


class MissingExtra(TiltmeterError):
    """A part of tiltmeter needs a package that was not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(f"this needs {package}: install it with `pip install 'tiltmeter[{extra}]'`")


def unknown(what: str, name: str, known: Iterable[str]) -> TiltmeterError:
    """The error for a name that does not exist, with the nearest one that does."""
    choices = sorted(known)
    folded = {choice.casefold(): choice for choice in choices}
    near = [folded[one] for one in difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)]
    some = ", ".join(choices[:10]) + (", ..." if len(choices) > 10 else "")
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {some or 'none'}"
    return TiltmeterError(f"there is no {what} {name!r}; {hint}")
