"""What follows from printed numbers: arithmetic over named columns, and whether a print agrees with its own formula.

A printed number stands for all that round to it. `bias = log10(man / woman)` is contradicted where no numbers that
round to the printed `man` and `woman` give one that rounds to the printed `bias`: the formula is worked out over
intervals, whose bounds never leave a possible value out.
"""

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import cache
from itertools import product

from tiltmeter.errors import TiltmeterError, unknown

_LONGEST = 200
"""Characters of a formula: a file may have been written by anybody."""
_ROUNDING = 1e-9
"""The share of its size by which a bound may be off."""

Bounds = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as it was printed, and half of its last digit."""

    text: str
    value: float
    half: float

    @property
    def bounds(self) -> Bounds:
        """All that round to it lie between these."""
        return self.value - self.half, self.value + self.half

    def agrees(self, value: float) -> bool:
        """Whether a number rounds to what was printed, either way at the half."""
        return _touch((value, value), self.bounds)


def read_printed(text: str) -> Printed | None:
    """`0.360`, `-1.05`, `.05` or `9.865e-1`; None where it is no number."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or abs(exponent) > 300 or number.adjusted() > 300:
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
        limits = self.limits({name: (number, number) for name, number in numbers.items()})
        return None if limits is None else limits[0]

    def limits(self, bounds: Mapping[str, Bounds]) -> Bounds | None:
        """Between what its value lies; None where it may have none, as a quotient by what may be 0."""
        try:
            low, high = _limits(_parsed(self.text), bounds)
        except (ZeroDivisionError, ValueError, OverflowError):
            return None
        return (low, high) if math.isfinite(low) and math.isfinite(high) else None


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
        limits = self.formula.limits({name: one.bounds for name, one in printed.items()})
        if limits is None or _touch(limits, printed[self.column].bounds):
            return None
        return self.formula.value({name: one.value for name, one in printed.items()})


def read_law(text: str) -> Law:
    column, equals, formula = text.partition("=")
    if not equals or not column.strip().isidentifier():
        raise TiltmeterError(f"the formula {text!r} has to begin with a column and an equals sign")
    return Law(column.strip(), Formula(formula.strip()))


def sum_contradicts(total: Printed, parts: Sequence[Printed]) -> float | None:
    """What the printed parts sum to, where no numbers that round to them give the printed total."""
    lows, highs = zip(*(one.bounds for one in parts), strict=True)
    if _touch((math.fsum(lows), math.fsum(highs)), total.bounds):
        return None
    return math.fsum(one.value for one in parts)


def _touch(one: Bounds, other: Bounds) -> bool:
    rounding = _ROUNDING * max(map(abs, (*one, *other)))
    return one[0] <= other[1] + rounding and other[0] <= one[1] + rounding


@cache
def _parsed(text: str) -> ast.expr:
    if len(text) > _LONGEST:
        raise TiltmeterError(f"a formula has at most {_LONGEST} characters, and one has {len(text)}")
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise TiltmeterError(f"the formula {text!r} cannot be read") from error
    _refuse_others(tree)
    return tree


def _refuse_others(node: ast.expr) -> None:
    """All that is no arithmetic."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return None
        case ast.Name():
            return None
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _refuse_others(inner)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _refuse_others(left)
            return _refuse_others(right)
        case ast.Call(func=ast.Name(id=name), args=[inner], keywords=[]):
            if name not in _RISING and name != "abs":
                raise unknown("function in a formula", name, [*_RISING, "abs"])
            return _refuse_others(inner)
    raise TiltmeterError(f"a formula holds {ast.unparse(node)!r}: numbers, columns, + - * / ** and functions are known")


def _limits(node: ast.expr, bounds: Mapping[str, Bounds]) -> Bounds:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number), float(number)
        case ast.Name(id=name):
            return bounds[name]
        case ast.UnaryOp(operand=inner):
            low, high = _limits(inner, bounds)
            return -high, -low
        case ast.BinOp(left=left, op=op, right=right):
            return _BINARY[type(op)](_limits(left, bounds), _limits(right, bounds))
        case ast.Call(func=ast.Name(id=name), args=[inner]):
            low, high = _limits(inner, bounds)
            if name == "abs":
                return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
            return _RISING[name](low), _RISING[name](high)
    raise AssertionError(ast.dump(node))  # refused when it was read


def _product(one: Bounds, other: Bounds) -> Bounds:
    ends = [a * b for a, b in product(one, other)]
    return min(ends), max(ends)


def _quotient(one: Bounds, other: Bounds) -> Bounds:
    if other[0] <= 0 <= other[1]:
        raise ZeroDivisionError
    return _product(one, (1 / other[1], 1 / other[0]))


def _power(base: Bounds, exponent: Bounds) -> Bounds:
    """Of a base above 0, or of any to a whole number."""
    if base[0] > 0:
        ends = [math.pow(a, b) for a, b in product(base, exponent)]
        return min(ends), max(ends)
    if exponent[0] != exponent[1] or not exponent[0].is_integer() or exponent[0] < 0:
        raise ValueError
    ends = [math.pow(a, exponent[0]) for a in base]
    through_zero = exponent[0] % 2 == 0 and base[0] <= 0 <= base[1]
    return (0.0 if through_zero and exponent[0] else min(ends)), max(ends)


_BINARY: Mapping[type[ast.operator], Callable[[Bounds, Bounds], Bounds]] = {
    ast.Add: lambda one, other: (one[0] + other[0], one[1] + other[1]),
    ast.Sub: lambda one, other: (one[0] - other[1], one[1] - other[0]),
    ast.Mult: _product,
    ast.Div: _quotient,
    ast.Pow: _power,
}
_RISING: Mapping[str, Callable[[float], float]] = {
    "log": math.log,
    "log10": math.log10,
    "exp": math.exp,
    "sqrt": math.sqrt,
}
"""Functions that rise wherever they are defined: their bounds are those of their ends."""
