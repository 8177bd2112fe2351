"""A difference of two tables whose rows and whose columns were both drawn, such as words and pairs of words."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tiltmeter.statistics.intervals import Interval
from tiltmeter.statistics.sample import TIE, exact_mean, finite_sample, never_zero, standard_deviation


@dataclass(frozen=True, slots=True)
class CrossedTest:
    """Whether a difference outgrows the errors of rows and of columns together."""

    statistic: float
    degrees_of_freedom: float
    p_value: float
    """One-sided; the alternative is that the first table is larger."""
    p_two_sided: float

    def interval(self, difference: float, *, n: int) -> Interval | None:
        """95% of the difference that was tested; nothing where its error is not known."""
        from scipy.stats import t as student

        if not self.statistic or math.isnan(self.statistic):
            return None
        reach = float(student.ppf(0.975, self.degrees_of_freedom)) * abs(difference / self.statistic)
        return Interval(difference - reach, difference + reach, 0.95, "t, rows and columns taken as drawn", n, None)

    def described(self, what: str, *, sides: str) -> str:
        """How the p-value was made, in words: what was taken as drawn, how, on which side."""
        return f"{what}, t of {self.degrees_of_freedom:.1f} degrees of freedom, {sides}"


def crossed_t(x: npt.ArrayLike, y: npt.ArrayLike) -> CrossedTest:
    """Test mean(x) > mean(y) for two tables with the same columns, rows and columns both drawn.

    t = (mean(x) - mean(y)) / (e_rows + e_columns), with

    - e_rows = sqrt(var(row means of x) / nx + var(row means of y) / ny), nx + ny - 2 degrees of freedom;
    - e_columns = sd(column means of x less those of y) / sqrt(columns), columns - 1 of them;
    - (e_rows + e_columns)^2 / (e_rows^2 / f_rows + e_columns^2 / f_columns) for t (Welch and Satterthwaite).

    The errors are added, where Clark (1973, min F') adds their squares: that allows for any tie between them, and those
    of rows and columns that come from one sample are tied. No errors and no difference has p = 1; no errors and a
    difference cannot be judged: nan.
    """
    first, second = (np.asarray(table, dtype=np.float64) for table in (x, y))
    if first.ndim != 2 or second.ndim != 2 or first.shape[1:] != second.shape[1:]:
        raise ValueError(f"x and y must be tables with the same columns, got {first.shape} and {second.shape}.")
    rows = [finite_sample(table.mean(axis=1), name, at_least=2) for table, name in ((first, "x"), (second, "y"))]
    columns = finite_sample(first.mean(axis=0) - second.mean(axis=0), "columns", at_least=2)
    difference = exact_mean(columns)
    of_rows = math.hypot(*(standard_deviation(part) / math.sqrt(part.size) for part in rows))
    of_columns = standard_deviation(columns) / math.sqrt(columns.size)
    errors = of_rows + of_columns
    rounding = TIE * max(float(np.abs(table).max()) for table in (first, second))
    if errors <= rounding:
        nothing = abs(difference) <= rounding
        return CrossedTest(0.0, math.nan, 0.5, 1.0) if nothing else CrossedTest(*[math.nan] * 4)
    from scipy.stats import t as student

    statistic = 0.0 if abs(difference) <= rounding else difference / errors
    freedom = errors**2 / (of_rows**2 / (rows[0].size + rows[1].size - 2) + of_columns**2 / (columns.size - 1))
    p_value, p_two_sided = float(student.sf(statistic, freedom)), 2 * float(student.sf(abs(statistic), freedom))
    return CrossedTest(statistic, freedom, never_zero(p_value), never_zero(p_two_sided))
