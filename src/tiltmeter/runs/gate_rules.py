"""What a gate allows: rules as values, as text and in a file.

A rule is `INSTRUMENT.ESTIMATE[key=value,key=value]=LIMIT`, such as `becpro.f_minus_m[profession_class=male]=0.5`. The
selector may be left out: then every group counts. What holds `. , = [ ]`, or spaces at its ends, stands in quotes,
single or double; a quote of the same kind inside is doubled.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.packs.reading import read_toml

Bound = Literal["max", "min"]
On = Literal["value", "ci"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A limit for one estimate of an instrument, in the groups that `where` selects.

    `where` takes the keys of an estimate's group, and `test`, `lang` and `subject`; values match exactly.
    """

    instrument: str
    name: str
    limit: float
    bound: Bound = "max"
    where: Mapping[str, str] = field(default_factory=dict)
    on: On | None = None
    """What is compared, where this rule says it for itself: the value, or the worst bound of its interval."""
    reason: str = ""
    """Why this limit, in the words of whoever set it."""

    def __post_init__(self) -> None:
        if not math.isfinite(self.limit):
            raise TiltmeterError(f"the limit of {self.instrument}.{self.name} is {self.limit}: give a finite number")

    def __str__(self) -> str:
        """The rule in the form that `parse_rule` reads."""
        return f"{self.target}={shown_limit(self.limit)}"

    @property
    def target(self) -> str:
        """What is bounded: the rule without its limit."""
        where = ",".join(f"{_written(key, _WORD)}={_written(value, _VALUE)}" for key, value in self.where.items())
        return f"{_written(self.instrument, _WORD)}.{_written(self.name, _WORD)}{where and f'[{where}]'}"

    @property
    def allowed(self) -> str:
        """The limit in words."""
        return f"{'at most' if self.bound == 'max' else 'at least'} {shown_limit(self.limit)}"


def parse_rule(text: str, bound: Bound = "max") -> Rule:
    """Reads a rule; a mistake is named with the character where it stands."""
    reader = _Reader(text, f"--{bound}")
    instrument, name = reader.estimate()
    where = reader.selector() if reader.take("[") else {}
    return Rule(instrument=instrument, name=name, limit=reader.limit(), bound=bound, where=where)


def read_rules(path: str | Path, on: On | None = None) -> list[Rule]:
    """The rules of a TOML file; `on` stands in for the file's own default, not for what a rule says itself."""
    path = Path(path)
    if not path.is_file():
        raise TiltmeterError(f"{path} is not a file: expected a TOML file with [[rule]] tables")
    data = read_toml(path, label=str(path)).data
    _check_keys(str(path), data, ("on", "rule"))
    default = on or _on(str(path), data)
    tables = data.get("rule")
    if not isinstance(tables, list) or not tables or not all(isinstance(table, dict) for table in tables):
        raise TiltmeterError(f"{path} has no rules: begin each with a line [[rule]]")
    return [_from_table(f"{path}, rule {number}", table, default) for number, table in enumerate(tables, start=1)]


def shown_limit(limit: float) -> str:
    """A limit in full: rounding it would make another rule of it."""
    return repr(float(limit)).removesuffix(".0")


_WORD = re.compile(r"""[^\s.\[\]=,"']+""")
_VALUE = re.compile(r"""[^\[\]=,"'][^\[\]=,]*""")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"' + r"|'((?:[^']|'')*)'")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class _Reader:
    """Reads a rule from left to right."""

    def __init__(self, text: str, label: str) -> None:
        self.text, self.label, self.at = text, label, 0

    def estimate(self) -> tuple[str, str]:
        instrument = self.word("an instrument", _WORD)
        if not self.take("."):
            raise self.error(f"expected . and an estimate after {instrument!r}, such as weat.effect_size")
        return instrument, self.word("an estimate", _WORD)

    def selector(self) -> dict[str, str]:
        where: dict[str, str] = {}
        while True:
            key = self.word("a key such as test", _WORD)
            if key in where:
                raise self.error(f"{key!r} stands there twice; for several values give several rules")
            if not self.take("="):
                raise self.error(f"expected = and a value after {key!r}")
            where[key] = self.word(f"a value of {key!r}", _VALUE)
            if self.take("]"):
                return where
            if not self.take(","):
                raise self.error(f"expected , or ] after the value of {key!r} (a value with = or [ needs quotes)")

    def limit(self) -> float:
        if not self.take("="):
            raise self.error("expected = and a limit, such as =0.5")
        given = self.text[self.at :].strip()
        if not _NUMBER.fullmatch(given) or not math.isfinite(float(given)):
            raise self.error(f"the limit {given!r} is no finite number; write it as 0.5 or 5e-1")
        return float(given)

    def end(self) -> None:
        self._skip_space()
        if self.at < len(self.text):
            raise self.error(f"{self.text[self.at :]!r} is too much; the groups go into `where`, the limit into `max`")

    def word(self, what: str, bare: "re.Pattern[str]") -> str:
        self._skip_space()
        if found := _QUOTED.match(self.text, self.at):
            self.at = found.end()
            double, single = found.groups()
            return double.replace('""', '"') if double is not None else single.replace("''", "'")
        if self.text[self.at : self.at + 1] in ('"', "'"):
            raise self.error("this quote is not closed")
        if not (found := bare.match(self.text, self.at)):
            raise self.error(f"expected {what}")
        self.at = found.end()
        return found[0].strip()

    def take(self, mark: str) -> bool:
        self._skip_space()
        taken = self.text.startswith(mark, self.at)
        self.at += len(mark) if taken else 0
        return taken

    def error(self, problem: str) -> TiltmeterError:
        return TiltmeterError(f"{self.label} {self.text!r}, character {self.at + 1}: {problem}")

    def _skip_space(self) -> None:
        while self.text[self.at : self.at + 1].isspace():
            self.at += 1


def _written(text: str, bare: "re.Pattern[str]") -> str:
    if bare.fullmatch(text) and text == text.strip():
        return text
    return '"' + text.replace('"', '""') + '"'


def _from_table(place: str, table: Mapping[str, Any], default: On | None) -> Rule:
    _check_keys(place, table, ("estimate", "max", "min", "where", "on", "reason"))
    if not isinstance(estimate := table.get("estimate"), str):
        raise TiltmeterError(f'{place}: `estimate` is missing or not a text, such as "weat.effect_size"')
    reader = _Reader(estimate, f"{place}: estimate")
    instrument, name = reader.estimate()
    reader.end()
    bounds: list[Bound] = [bound for bound in get_args(Bound) if bound in table]
    if len(bounds) != 1:
        raise TiltmeterError(f"{place}: expected either `max` or `min`, and found {' and '.join(bounds) or 'neither'}")
    limit = table[bounds[0]]
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not _is_finite(limit):
        raise TiltmeterError(f"{place}: `{bounds[0]}` is {limit!r}, and a finite number was expected")
    where = table.get("where", {})
    if not isinstance(where, dict) or not all(isinstance(value, str) for value in where.values()):
        raise TiltmeterError(f'{place}: `where` has to be a table of texts, such as {{ profession_class = "male" }}')
    if not isinstance(reason := table.get("reason", ""), str):
        raise TiltmeterError(f"{place}: `reason` has to be a text")
    return Rule(
        instrument=instrument,
        name=name,
        limit=float(limit),
        bound=bounds[0],
        where=where,
        on=_on(place, table) or default,
        reason=reason,
    )


def _on(place: str, table: Mapping[str, Any]) -> On | None:
    on: On | None = table.get("on")
    if on is not None and on not in get_args(On):
        raise TiltmeterError(f'{place}: `on` is {on!r}, and "value" or "ci" was expected')
    return on


def _check_keys(place: str, table: Mapping[str, Any], known: tuple[str, ...]) -> None:
    for key in table:
        if key not in known:
            raise TiltmeterError(f"{place}: {unknown('key', key, known)}")


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:  # a whole number beyond every float
        return False
