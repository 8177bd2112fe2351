"""Differences of two tables whose rows and whose columns were both drawn, such as words and pairs of words."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.correlation import spearman
from tiltmeter.statistics.intervals import Interval
from tiltmeter.statistics.sample import TIE, FloatArray, exact_mean, finite_sample, never_zero, standard_deviation


@dataclass(frozen=True, slots=True)
class CrossedTest:
    """Whether a number outgrows the errors of rows and of columns together."""

    statistic: float
    degrees_of_freedom: float
    p_value: float
    """One-sided; the alternative is that the number is above 0."""
    p_two_sided: float
    error: float = math.nan
    """Of the number that was tested; nan where it is not known."""

    def interval(self, value: float, *, n: int) -> Interval | None:
        """95% of the number that was tested; nothing where its error is not known."""
        return None if math.isnan(reach := self._reach()) else _interval(value - reach, value + reach, n)

    def interval_of_correlation(self, r: float, *, n: int) -> Interval | None:
        """95% of a correlation that was tested by Fisher's z."""
        if math.isnan(reach := self._reach()):
            return None
        return _interval(math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach), n)

    def _reach(self) -> float:
        from scipy.stats import t as student

        return float(student.ppf(0.975, self.degrees_of_freedom)) * self.error

    def described(self, what: str, *, sides: str) -> str:
        """How the p-value was made, in words: what was taken as drawn, how, on which side."""
        return f"{what}, t of {self.degrees_of_freedom:.1f} degrees of freedom, {sides}"


def crossed_t(x: npt.ArrayLike, y: npt.ArrayLike) -> CrossedTest:
    """Test mean(x) > mean(y) for two tables with the same columns, rows and columns both drawn.

    t = (mean(x) - mean(y)) / (e_rows + e_columns), with

    - e_rows = sqrt(var(row means of x) / nx + var(row means of y) / ny), with nx + ny - 2 degrees of freedom: for
      tables of about as many rows each (with few rows that scatter more beside many, too small a p);
    - e_columns = sd(column means of x less those of y) / sqrt(columns), columns - 1 of them;
    - (e_rows + e_columns)^2 / (e_rows^2 / f_rows + e_columns^2 / f_columns) for t (Welch and Satterthwaite).

    The errors are added, where Clark (1973, min F') adds their squares: that allows for any tie between them, and those
    of rows and columns that come from one sample are tied. No errors and no difference has p = 1; no errors and a
    difference cannot be judged: nan.
    """
    first, second = _tables(x, y)
    rows = [finite_sample(table.mean(axis=1), name, at_least=2) for table, name in ((first, "x"), (second, "y"))]
    columns = finite_sample(first.mean(axis=0) - second.mean(axis=0), "columns", at_least=2)
    of_columns = standard_deviation(columns) / math.sqrt(columns.size)
    return _judged(exact_mean(columns), _of_means(*rows), (of_columns, columns.size - 1), _rounding(first, second))


def crossed_contrast(x: npt.ArrayLike, y: npt.ArrayLike, group: npt.ArrayLike) -> CrossedTest:
    """Test whether x is more above y in the columns of a group than in the others, rows and columns both drawn.

    As `crossed_t`, of the contrast c = (x - y in the group) - (x - y in the others), group means all of them:

    - e_rows is that of the rows' own contrasts, nx + ny - 2 degrees of freedom;
    - e_columns that of the differences x - y of the columns in the group and of the others, Welch's degrees.

    Columns alone take what the rows have in common with a group for a difference of the groups.
    """
    first, second = _tables(x, y)
    inside = np.asarray(group, dtype=bool)
    if inside.shape != first.shape[1:]:
        raise ValueError(f"group must tell of each of {first.shape[1]} columns whether it belongs, got {inside.shape}.")
    rows = [
        finite_sample(table[:, inside].mean(axis=1) - table[:, ~inside].mean(axis=1), name, at_least=2)
        for table, name in ((first, "x"), (second, "y"))
    ]
    columns = first.mean(axis=0) - second.mean(axis=0)
    groups = [
        finite_sample(columns[of], name, at_least=2) for of, name in ((inside, "group"), (~inside, "other columns"))
    ]
    (one, many), (other, more) = ((standard_deviation(part) ** 2 / part.size, part.size - 1) for part in groups)
    squares = one**2 / many + other**2 / more
    welch = (math.sqrt(one + other), (one + other) ** 2 / squares if squares else math.inf)
    return _judged(exact_mean(groups[0]) - exact_mean(groups[1]), _of_means(*rows), welch, _rounding(first, second))


def crossed_correlation(x: npt.ArrayLike, y: npt.ArrayLike, by: npt.ArrayLike) -> CrossedTest:
    """Test Spearman's correlation r of the columns' differences x - y with `by`, rows and columns both drawn.

    As `crossed_t`, of z = atanh(r):

    - e_rows is that of r with each row left out in turn (jackknife; rows of x and of y apart), over 1 - r^2 for z,
      nx + ny - 2 degrees of freedom;
    - e_columns = sqrt((1 + r^2 / 2) / (columns - 3)) (Bonett and Wright 2000), columns - 3 of them.

    A perfect correlation, and differences that are constant without some row, cannot be judged: nan.
    """
    first, second = _tables(x, y)
    known = finite_sample(by, "by", at_least=4)
    if known.shape != first.shape[1:]:
        raise ValueError(f"by must have a number for each of {first.shape[1]} columns, got {known.size}.")
    sums = first.sum(axis=0), second.sum(axis=0)
    sizes = len(first), len(second)

    def correlated(rows_of: int | None, left_out: FloatArray | float) -> float:
        means = [
            (total - left_out) / (size - 1) if rows_of == place else total / size
            for place, (total, size) in enumerate(zip(sums, sizes, strict=True))
        ]
        return spearman(means[0] - means[1], known).r

    r = correlated(None, 0.0)
    if not abs(r) < 1:
        return CrossedTest(*[math.nan] * 4)
    squares = 0.0
    for place, table in enumerate((first, second)):
        finite_sample(table.mean(axis=1), "xy"[place], at_least=2)
        without = np.array([correlated(place, row) for row in table])
        squares += float(((without - without.mean()) ** 2).sum()) * (len(table) - 1) / len(table)
    of_rows = (math.sqrt(squares) / (1 - r**2), sum(sizes) - 2)
    of_columns = (math.sqrt((1 + r**2 / 2) / (known.size - 3)), known.size - 3)
    return _judged(math.atanh(r), of_rows, of_columns, 0.0)


_Error = tuple[float, float]
"""How far off, and with how many degrees of freedom that is known."""


def _judged(value: float, of_rows: _Error, of_columns: _Error, rounding: float) -> CrossedTest:
    errors = of_rows[0] + of_columns[0]
    if errors <= rounding:
        nothing = abs(value) <= rounding
        return CrossedTest(0.0, math.nan, 0.5, 1.0) if nothing else CrossedTest(*[math.nan] * 4)
    from scipy.stats import t as student

    statistic = 0.0 if abs(value) <= rounding else value / errors
    freedom = errors**2 / sum(error**2 / known for error, known in (of_rows, of_columns))
    p_value, p_two_sided = float(student.sf(statistic, freedom)), 2 * float(student.sf(abs(statistic), freedom))
    return CrossedTest(statistic, freedom, never_zero(p_value), never_zero(p_two_sided), errors)


def _of_means(first: FloatArray, second: FloatArray) -> _Error:
    errors = (standard_deviation(part) / math.sqrt(part.size) for part in (first, second))
    return math.hypot(*errors), first.size + second.size - 2


def _tables(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = (np.asarray(table, dtype=np.float64) for table in (x, y))
    if first.ndim != 2 or second.ndim != 2 or first.shape[1:] != second.shape[1:]:
        raise ValueError(f"x and y must be tables with the same columns, got {first.shape} and {second.shape}.")
    return first, second


def _rounding(first: FloatArray, second: FloatArray) -> float:
    return TIE * max(float(np.abs(table).max()) for table in (first, second))


def _interval(low: float, high: float, n: int) -> Interval:
    return Interval(low, high, 0.95, "t, rows and columns taken as drawn", n, None)
