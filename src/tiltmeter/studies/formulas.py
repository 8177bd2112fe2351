"""What follows from printed numbers: arithmetic over named columns, and whether a print agrees with its own formula.

A printed number stands for all that round to it. `bias = log10(man / woman)` is contradicted where no numbers that
round to the printed `man` and `woman` give one that rounds to the printed `bias`.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from itertools import product

from tiltmeter.errors import TiltmeterError, unknown

_BINARY: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: math.pow,
}
_FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "log": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "sqrt": math.sqrt,
    "abs": abs,
}
_LONGEST = 200
"""Characters of a formula: a file may have been written by anybody."""
_MOST_NAMES = 12
"""Numbers that a formula may rest on: every one doubles the ways to round."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed, and half of its last digit."""

    text: str
    value: float
    half: float

    def agrees(self, value: float) -> bool:
        """Whether a number rounds to what was printed, either way at the half."""
        return abs(value - self.value) <= self.half * (1 + 1e-9) + 1e-15


def read_printed(text: str) -> Printed | None:
    """`0.360`, `-1.05`, `.05` or `9.865e-1`; None where it is no number."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or not math.isfinite(float(number)):
        return None
    return Printed(text, float(number), 0.5 * 10.0**exponent)


@dataclass(frozen=True, slots=True)
class Formula:
    """Arithmetic over names: + - * / **, log, log10, exp, sqrt, abs."""

    text: str

    def __post_init__(self) -> None:
        _parsed(self.text)

    @property
    def names(self) -> tuple[str, ...]:
        """What it rests on."""
        tree = _parsed(self.text)
        called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        found = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called]
        return tuple(dict.fromkeys(found))

    def value(self, numbers: Mapping[str, float]) -> float | None:
        """None where it has none, as the logarithm of 0."""
        try:
            return _value(_parsed(self.text), numbers)
        except (ZeroDivisionError, ValueError, OverflowError):
            return None

    def limits(self, printed: Mapping[str, Printed]) -> tuple[float, float] | None:
        """The least and the largest value that numbers which round to the printed ones give, at the ends of each."""
        names = self.names
        ends = [(printed[name].value - printed[name].half, printed[name].value + printed[name].half) for name in names]
        values = [self.value(dict(zip(names, corner, strict=True))) for corner in product(*ends)]
        known = [value for value in values if value is not None]
        return (min(known), max(known)) if len(known) == len(values) else None


@dataclass(frozen=True, slots=True)
class Law:
    """A printed column that follows from others by the paper's own formula: `bias = log10(man / woman)`."""

    column: str
    formula: Formula

    def contradicts(self, printed: Mapping[str, Printed]) -> float | None:
        """What the formula gives of the printed numbers, where the print cannot be that; None where it can, or where
        something was not printed."""
        if self.column not in printed or not set(self.formula.names) <= printed.keys():
            return None
        limits = self.formula.limits(printed)
        told = printed[self.column]
        if limits is None or (told.value + told.half >= limits[0] and told.value - told.half <= limits[1]):
            return None
        return self.formula.value({name: one.value for name, one in printed.items()})


def read_law(text: str) -> Law:
    column, equals, formula = text.partition("=")
    if not equals or not column.strip().isidentifier():
        raise TiltmeterError(f"the formula {text!r} has to begin with a column and an equals sign")
    return Law(column.strip(), Formula(formula.strip()))


@cache
def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise TiltmeterError(f"a formula has at most {_LONGEST} characters, and one has {len(text)}")
    try:
        tree = ast.parse(text, mode="eval").body
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        _value(tree, dict.fromkeys(names, 1.0))
    except SyntaxError as error:
        raise TiltmeterError(f"the formula {text!r} cannot be read: {error.msg}") from error
    except (ZeroDivisionError, ValueError, OverflowError):
        pass  # at 1 it may have no value
    if len(names) > _MOST_NAMES:
        raise TiltmeterError(f"a formula rests on at most {_MOST_NAMES} columns, and {text!r} has {len(names)}")
    return tree


def _value(node: ast.expr, numbers: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.Name(id=name):
            return numbers[name]
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, numbers)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _BINARY[type(op)](_value(left, numbers), _value(right, numbers))
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]):
            if name not in _FUNCTIONS:
                raise unknown("function in a formula", name, _FUNCTIONS)
            return _FUNCTIONS[name](_value(inner, numbers))
    raise TiltmeterError(f"a formula holds {ast.unparse(node)!r}: numbers, columns, + - * / ** and functions are known")
