"""What follows from printed numbers: rounding, arithmetic, and prints that contradict their own formula."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.errors import TiltmeterError
from tiltmeter.studies.formulas import Formula, Printed, read_law, read_printed, sum_contradicts


def number(text: str) -> Printed:
    found = read_printed(text)
    assert found is not None
    return found


class TestPrinted:
    @pytest.mark.parametrize(
        ("text", "value", "half"),
        [
            ("0.360", 0.36, 0.0005),
            ("-1.05", -1.05, 0.005),
            (".05", 0.05, 0.005),
            ("6024", 6024, 0.5),
            ("9.865e-1", 0.9865, 0.00005),
            ("2.123e-11", 2.123e-11, 5e-15),
        ],
    )
    def test_stands_for_all_that_round_to_it(self, text: str, value: float, half: float) -> None:
        assert (number(text).value, number(text).half) == pytest.approx((value, half))

    @pytest.mark.parametrize("text", ["", "–", "工作", "1,5", "nan", "inf", "1e999", "0e400", "−0.5"])
    def test_what_is_no_number_is_none(self, text: str) -> None:
        assert read_printed(text) is None

    @given(st.floats(-1e6, 1e6), st.integers(0, 6))
    def test_a_number_agrees_with_its_own_rounding(self, value: float, digits: int) -> None:
        assert number(f"{value:.{digits}f}").agrees(value)

    def test_and_not_with_the_next_one(self) -> None:
        assert not number("0.360").agrees(0.3606)


class TestFormula:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("(e_p + c_a + (1 - n_n)) / 3", (0.4 + 0.5 + 0.9) / 3),
            ("log10(e_p / c_a)", math.log10(0.8)),
            ("10 ** -n_n", 10**-0.1),
            ("sqrt(abs(e_p - c_a))", math.sqrt(0.1)),
        ],
    )
    def test_is_arithmetic_over_names(self, text: str, value: float) -> None:
        assert Formula(text).value({"e_p": 0.4, "c_a": 0.5, "n_n": 0.1}) == pytest.approx(value)

    def test_names_what_it_rests_on(self) -> None:
        assert Formula("log10(man / woman) + man").names == ("man", "woman")

    @pytest.mark.parametrize("text", ["log10(a)", "1 / a", "10 ** (1 / a)"])
    def test_has_no_value_where_arithmetic_has_none(self, text: str) -> None:
        assert Formula(text).value({"a": 0.0}) is None

    @pytest.mark.parametrize(
        "text",
        [
            "__import__('os')",
            "a.b",
            "a[0]",
            "lambda: 1",
            "a if b else c",
            "'a' * 9",
            "open(a)",
            "a(",
            "a; b",
            "f(a, b)",
        ],
    )
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(TiltmeterError, match="formula"):
            Formula(text)

    def test_a_tower_of_powers_is_no_work(self) -> None:
        assert Formula("9 ** 9 ** 9 ** 9 ** a").value({"a": 9.0}) is None

    def test_too_long_is_refused(self) -> None:
        with pytest.raises(TiltmeterError, match="at most 200 characters"):
            Formula("+".join(["a"] * 150))

    @pytest.mark.parametrize(
        "text",
        ["log10(a / b)", "a ** 2 - b", "a * (1 - a)", "abs(a - b)", "2 ** (a - b)", "(a - b) ** 3", "-a / (b + 2)"],
    )
    @given(data=st.data())
    def test_limits_hold_whatever_rounds_to_the_prints(self, text: str, data: st.DataObject) -> None:
        printed = {name: number(data.draw(st.sampled_from(["0.41", "0.075", "0.4", "0.0", "0.5"]))) for name in "ab"}
        limits = Formula(text).limits({name: one.bounds for name, one in printed.items()})
        drawn = {name: data.draw(st.floats(*one.bounds)) for name, one in printed.items()}
        value = Formula(text).value(drawn)
        if limits is not None:
            assert value is not None
            assert limits[0] - 1e-12 <= value <= limits[1] + 1e-12

    def test_limits_are_narrow_where_a_name_stands_once(self) -> None:
        chance = random.Random(1)
        printed = {"man": number("0.41"), "woman": number("0.075")}
        limits = Formula("log10(man / woman)").limits({name: one.bounds for name, one in printed.items()})
        assert limits is not None
        values = [
            math.log10(man / woman)
            for man, woman in ([chance.uniform(*one.bounds) for one in printed.values()] for _ in range(2000))
        ]
        assert limits[1] - limits[0] == pytest.approx(max(values) - min(values), rel=0.1)


class TestLaw:
    def test_a_print_that_can_be_its_formula_is_no_contradiction(self) -> None:
        law = read_law("s = (e_p + c_a + (1 - n_n)) / 3")
        printed = {name: number(text) for name, text in {"e_p": "0.378", "c_a": "0.413", "n_n": "0.710"}.items()}
        assert law.contradicts({**printed, "s": number("0.360")}) is None
        assert law.contradicts({**printed, "s": number("0.370")}) == pytest.approx(0.3603333)

    @pytest.mark.parametrize(
        ("law", "a", "d"),
        [
            ("d = abs(a)", "0.0", "0.00"),
            ("d = a ** 2", "0.0", "0.0000"),
            ("d = a * (1 - a)", "0.5", "0.2500"),
            ("d = a", "0.3", "0.4"),
            ("d = a", "0.1", "0.2"),
        ],
    )
    def test_what_touches_is_no_contradiction(self, law: str, a: str, d: str) -> None:
        assert read_law(law).contradicts({"a": number(a), "d": number(d)}) is None

    def test_small_numbers_are_judged_by_their_own_size(self) -> None:
        assert not number("5.486e-12").agrees(5.4874e-12)
        assert number("5.486e-12").agrees(5.4864e-12)

    def test_a_number_that_was_not_printed_contradicts_nothing(self) -> None:
        assert read_law("a = b + c").contradicts({"a": number("5"), "b": number("1")}) is None

    def test_wants_a_column_and_an_equals_sign(self) -> None:
        with pytest.raises(TiltmeterError, match="begin with a column and an equals sign"):
            read_law("a + b")


class TestSum:
    def test_that_is_not_of_its_parts_is_found(self) -> None:
        parts = [number("35"), number("81.0"), number("28")]
        assert sum_contradicts(number("150"), parts) == 144
        assert sum_contradicts(number("144"), parts) is None

    @given(st.lists(st.floats(-1e4, 1e4), min_size=1, max_size=20), st.integers(0, 3))
    def test_of_what_was_rounded_is_no_contradiction(self, parts: list[float], digits: int) -> None:
        rounded = [number(f"{part:.{digits}f}") for part in parts]
        assert sum_contradicts(number(f"{math.fsum(parts):.{digits}f}"), rounded) is None
