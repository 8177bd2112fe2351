"""Whether stored JSON has the form that a value's type hints promise: a run may lie in a folder that anybody wrote.

Checked once, where stored data become values; whoever reads a `Result` relies on its types.
"""

import dataclasses
import reprlib
import types
from collections.abc import Callable, Mapping
from functools import cache, reduce
from typing import Any, Literal, NoReturn, Union, get_args, get_origin, get_type_hints, is_typeddict

from tiltmeter.errors import TiltmeterError

LARGEST = 1e100
"""Beyond it, squares and differences of numbers are no numbers any more."""
LARGEST_COUNT = 2**53

Place = tuple["Place", str | int] | str
"""Where a value stands: below what, and under which name or number. Put into words only when something is wrong."""
Check = Callable[[object, Place], None]


class Malformed(TiltmeterError):
    """Stored data of another form than they should have."""


def check(value: object, hint: Any, where: Place = "") -> None:
    """Refuses a value of decoded JSON that is not what the type hint says, with the place of what is wrong.

    Numbers are finite, and true is none; whole numbers are counts. Data classes and typed dictionaries are objects with
    their fields; only the latter may have others. `Any` is whatever can be written again.
    """
    _check_of(hint)(value, where)


def refuse(where: Place, what: str) -> NoReturn:
    raise Malformed(f"{_told_place(where) or 'the whole'} {what}")


def told(value: object) -> str:
    """A value from outside, short and in one line."""
    return reprlib.repr(value)


@cache
def _check_of(hint: Any) -> Check:
    if hint is Any:
        return _plain
    if hint in _SIMPLE:
        return _simple(*_SIMPLE[hint])
    if dataclasses.is_dataclass(hint) or is_typeddict(hint):
        return _object(hint)
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return _simple(lambda value: isinstance(value, str) and value in arguments, f"one of {', '.join(arguments)}")
    if origin in (Union, types.UnionType):
        return _either(arguments)
    if origin in (Mapping, dict):
        return _mapping(_check_of(arguments[1]))
    if origin in (tuple, list):
        return _list(_check_of(arguments[0]))
    raise TypeError(f"{hint} is no type of stored data")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -LARGEST <= value <= LARGEST


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST_COUNT


def _is_text(value: object) -> bool:
    """Half a sign (a lone surrogate) can be escaped in JSON, but neither written nor put into a table."""
    return isinstance(value, str) and (value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value))


_SIMPLE: dict[Any, tuple[Callable[[object], bool], str]] = {
    str: (_is_text, "text"),
    float: (_is_number, "a finite number"),
    int: (_is_count, "a whole number from 0"),
    bool: (lambda value: isinstance(value, bool), "true or false"),
    type(None): (lambda value: value is None, "nothing"),
}


def _simple(fits: Callable[[object], bool], expected: str) -> Check:
    def checked(value: object, where: Place) -> None:
        if not fits(value):
            refuse(where, f"is {told(value)}, where {expected} is expected")

    return checked


def _either(hints: tuple[Any, ...]) -> Check:
    """One of several simple types."""
    fits, expected = zip(*(_SIMPLE[hint] for hint in hints), strict=True)
    return _simple(reduce(_or, fits), " or ".join(expected))


def _or(one: Callable[[object], bool], other: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: one(value) or other(value)


def _mapping(entry: Check) -> Check:
    def checked(value: object, where: Place) -> None:
        for name, inner in _named(value, where).items():
            entry(inner, (where, name))

    return checked


def _list(entry: Check) -> Check:
    def checked(value: object, where: Place) -> None:
        if not isinstance(value, list):
            refuse(where, f"is {told(value)}, where a list is expected")
        for number, inner in enumerate(value):
            entry(inner, (where, number))

    return checked


def _object(hint: Any) -> Check:
    entries = {name: _check_of(inner) for name, inner in get_type_hints(hint).items()}
    others: Check = _plain if is_typeddict(hint) else _unknown
    needed = hint.__required_keys__ if is_typeddict(hint) else _without_default(hint)

    def checked(value: object, where: Place) -> None:
        found = _named(value, where)
        for name, inner in found.items():
            entries.get(name, others)(inner, (where, name))
        if missing := needed - found.keys():
            refuse((where, min(missing)), "is missing")

    return checked


def _without_default(hint: Any) -> set[str]:
    nothing = dataclasses.MISSING
    return {field.name for field in dataclasses.fields(hint) if field.default is field.default_factory is nothing}


def _unknown(_: object, where: Place) -> None:
    refuse(where, "is no field that is known")


def _plain(value: object, where: Place) -> None:
    """Anything that JSON can hold: text, finite numbers, true, false, nothing, and lists and objects of these."""
    if isinstance(value, dict):
        for name, inner in _named(value, where).items():
            _plain(inner, (where, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _plain(inner, (where, number))
    elif not (value is None or isinstance(value, bool) or _is_text(value) or _is_number(value)):
        refuse(where, f"is {told(value)}, where text, a finite number, true, false or nothing is expected")


def _named(value: object, where: Place) -> dict[str, object]:
    if not isinstance(value, dict):
        refuse(where, f"is {told(value)}, where an object with named entries is expected")
    for name in value:
        if not _is_text(name):
            refuse(where, f"has an entry {told(name)}, where a name is expected")
    return value


def _told_place(where: Place) -> str:
    """As `provenance.subject.kind` or `estimates[3].value`."""
    if isinstance(where, str):
        return where
    above, key = _told_place(where[0]), where[1]
    if isinstance(key, str) and key.isidentifier():
        return f"{above}.{key}" if above else key
    return f"{above}[{told(key)}]"
