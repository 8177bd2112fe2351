"""Differences of two tables whose rows and whose columns were both drawn, such as words and pairs of words."""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

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
    steepness: float = math.nan
    """What makes the sinh of Fisher's z of a slope; nan where that is not known."""

    def interval(self, value: float, *, n: int) -> Interval | None:
        """95% of the number that was tested; nothing where its error is not known."""
        return None if math.isnan(reach := self._reach()) else _interval(value - reach, value + reach, n)

    def interval_of_correlation(self, r: float, *, n: int) -> Interval | None:
        """95% of a correlation whose slope was tested; nothing where it is perfect or the error is not known."""
        if math.isnan(reach := self._reach() * self.steepness) or not abs(r) < 1:
            return None
        slope, z = self.statistic * self.error * self.steepness, math.atanh(r)
        low, high = (math.tanh(z + math.asinh(end) - math.asinh(slope)) for end in (slope - reach, slope + reach))
        return _interval(low, high, n)

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
    of_rows, _ = _welch(*rows)
    error = _added((of_rows, len(first) + len(second) - 2), (of_columns, columns.size - 1))
    return _judged(exact_mean(columns), error, _rounding(first, second))


def crossed_contrast(x: npt.ArrayLike, y: npt.ArrayLike, group: npt.ArrayLike) -> CrossedTest:
    """Test whether x is more above y in the columns of a group than in the others, rows and columns both drawn.

    t = c / e for the contrast c = (x - y in the group) - (x - y in the others), group means all of them, with

    - e_rows that of the rows' own contrasts, e_columns that of the differences x - y of the columns in the group and of
      the others, Welch's degrees of freedom for either;
    - e^2 = e_rows^2 + e_columns^2 (Clark 1973, min F'), with e^4 / (e_rows^4 / f_rows + e_columns^4 / f_columns).

    Columns alone take what the rows have in common with a group for a difference of the groups. Squares are added,
    where `crossed_t` adds errors: what a row or a column is in every cell cancels in a contrast, and what chance does
    in single cells is in both errors already. Two rows of x beside many of y that scatter less still reject up to 14%;
    two columns in the group beside 20 others reject 12%, three 8%.
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
    error = _squared(_welch(*rows), _welch(*groups))
    return _judged(exact_mean(groups[0]) - exact_mean(groups[1]), error, _rounding(first, second))


def crossed_correlation(x: npt.ArrayLike, y: npt.ArrayLike, by: npt.ArrayLike) -> CrossedTest:
    """Test whether the columns' differences x - y rise with the ranks of `by`, rows and columns both drawn.

    As `crossed_contrast`, of the least-squares slope b of the differences on the ranks q of `by`:

    - e_rows is that of the rows' own slopes, Welch's degrees of freedom;
    - e_columns = sqrt(squared residuals / (columns - 2) / sum (q - mean q)^2), columns - 2 of them.

    One column that lies far off says less against a correlation of ranks than against this slope. Columns that scatter
    two to five times as much where `by` is low as where it is high reject 9 to 15%, as Spearman's own test does.

    Its interval, of Spearman's correlation r of the same, is tanh(atanh(r) + asinh(k (b +- reach)) - asinh(k b)) with
    k^2 = sum (q - mean q)^2 / squared residuals: asinh(k b) is atanh of Pearson's correlation with the ranks.
    """
    first, second = _tables(x, y)
    known = finite_sample(by, "by", at_least=4)
    if known.shape != first.shape[1:]:
        raise ValueError(f"by must have a number for each of {first.shape[1]} columns, got {known.size}.")
    from scipy.stats import rankdata

    ranks = rankdata(known) - (known.size + 1) / 2
    spread = float(ranks @ ranks)
    if spread == 0:
        return CrossedTest(*[math.nan] * 4)
    rows = [finite_sample(table @ ranks / spread, name, at_least=2) for table, name in ((first, "x"), (second, "y"))]
    columns = first.mean(axis=0) - second.mean(axis=0)
    slope = float(columns @ ranks) / spread
    off = columns - columns.mean() - slope * ranks
    squares = float(off @ off)
    error = _squared(_welch(*rows), (math.sqrt(squares / (known.size - 2) / spread), known.size - 2))
    tested = _judged(slope, error, _rounding(first, second))
    return replace(tested, steepness=math.sqrt(spread / squares)) if squares > 0 else tested


_Error = tuple[float, float]
"""How far off, and with how many degrees of freedom that is known."""


def _judged(value: float, error: _Error, rounding: float) -> CrossedTest:
    size, freedom = error
    if size <= rounding:
        nothing = abs(value) <= rounding
        return CrossedTest(0.0, math.nan, 0.5, 1.0) if nothing else CrossedTest(*[math.nan] * 4)
    from scipy.stats import t as student

    statistic = 0.0 if abs(value) <= rounding else value / size
    p_value, p_two_sided = float(student.sf(statistic, freedom)), 2 * float(student.sf(abs(statistic), freedom))
    return CrossedTest(statistic, freedom, never_zero(p_value), never_zero(p_two_sided), size)


def _added(*errors: _Error) -> _Error:
    """Whatever they have to do with each other."""
    total = sum(error for error, _ in errors)
    return total, _freedom(total**2, [(error**2, known) for error, known in errors])


def _squared(*errors: _Error) -> _Error:
    """Of what has nothing to do with each other."""
    total = sum(error**2 for error, _ in errors)
    return math.sqrt(total), _freedom(total**2, [(error**4, known) for error, known in errors])


def _freedom(total: float, parts: list[_Error]) -> float:
    """Welch and Satterthwaite."""
    known = sum(part / freedom for part, freedom in parts)
    return total / known if known else math.inf


def _welch(first: FloatArray, second: FloatArray) -> _Error:
    """Of the difference of two means."""
    return _squared(*((standard_deviation(part) / math.sqrt(part.size), part.size - 1) for part in (first, second)))


def _tables(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    first, second = (np.asarray(table, dtype=np.float64) for table in (x, y))
    if first.ndim != 2 or second.ndim != 2 or first.shape[1:] != second.shape[1:]:
        raise ValueError(f"x and y must be tables with the same columns, got {first.shape} and {second.shape}.")
    return first, second


def _rounding(first: FloatArray, second: FloatArray) -> float:
    return TIE * max(float(np.abs(table).max()) for table in (first, second))


def _interval(low: float, high: float, n: int) -> Interval:
    return Interval(low, high, 0.95, "t, rows and columns taken as drawn", n, None)
