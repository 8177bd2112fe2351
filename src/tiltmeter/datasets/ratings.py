"""Human ratings of adjectives: a CSV or TSV with the columns `word_m, word_f, rating_m, rating_f`."""

import csv
import math
from dataclasses import dataclass
from pathlib import Path

from tiltmeter.errors import TiltmeterError

COLUMNS = ("word_m", "word_f", "rating_m", "rating_f")


@dataclass(frozen=True, slots=True)
class Rating:
    """How typical an adjective is of men (its masculine form) and of women (its feminine form), as people rated it."""

    masculine: str
    feminine: str
    rating_m: float
    rating_f: float

    @property
    def bias(self) -> float:
        """Above 0 the adjective was rated more typical of men."""
        return self.rating_m - self.rating_f


def read_ratings(path: Path) -> tuple[Rating, ...]:
    """The ratings of a file; a missing column, a word twice or what is no number is refused with its line."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{path.name} is not UTF-8; save it as UTF-8") from error
    rows = csv.DictReader(lines, delimiter="\t" if lines and "\t" in lines[0] else ",")
    missing = [column for column in COLUMNS if column not in (rows.fieldnames or ())]
    if missing:
        raise TiltmeterError(f"{path.name}:1: the column {missing[0]!r} is missing; expected {', '.join(COLUMNS)}")
    ratings: list[Rating] = []
    seen: set[str] = set()
    for row in rows:
        place = f"{path.name}:{rows.line_num}"
        rating = Rating(
            masculine=_text(row, "word_m", place),
            feminine=_text(row, "word_f", place),
            rating_m=_number(row, "rating_m", place),
            rating_f=_number(row, "rating_f", place),
        )
        for word in (rating.masculine, rating.feminine):
            if word in seen:
                raise TiltmeterError(f"{place}: {word!r} is rated twice")
        seen |= {rating.masculine, rating.feminine}
        ratings.append(rating)
    if len(ratings) < 3:
        raise TiltmeterError(f"{path.name} rates {len(ratings)} adjectives; at least 3 are needed")
    return tuple(ratings)


def _text(row: dict[str, str], column: str, place: str) -> str:
    text = (row[column] or "").strip()
    if not text:
        raise TiltmeterError(f"{place}: the cell {column!r} is empty")
    return text


def _number(row: dict[str, str], column: str, place: str) -> float:
    try:
        number = float(row[column])
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise TiltmeterError(f"{place}: {column!r} is {row[column]!r}, and a number was expected")
    return number
