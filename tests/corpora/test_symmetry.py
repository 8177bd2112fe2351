"""A pair whose words are not used alike is warned about."""

import pytest

from tiltmeter.corpora.screening import Screener
from tiltmeter.corpora.symmetry import Symmetry, symmetries
from tiltmeter.packs import load_pack

Counts = dict[str, dict[tuple[str, str], int]]


def counted(male: tuple[int, int, int], female: tuple[int, int, int], pair: str = "男士/女士") -> Symmetry:
    """Of each word how often it occurs, alone in its sentence, and there behind a surname."""
    counts: Counts = {
        name: {(pair, "male"): male[place], (pair, "female"): female[place]}
        for place, name in enumerate(("occurrences", "single", "after_surname"))
    }
    (found,) = symmetries([pair], counts)
    return found


def test_ratio_and_shares_by_hand() -> None:
    found = counted((30, 20, 1), (40, 25, 10))
    assert found.ratio == 30 / 40
    assert (found.male_after_surname, found.female_after_surname) == (1 / 20, 10 / 25)


@pytest.mark.parametrize(
    ("male", "female", "warnings"),
    [
        ((100, 50, 0), (90, 50, 5), []),
        (
            (100, 50, 0),
            (100, 50, 20),
            ["女士 stands behind a surname in 40% of its sentences, the other word in 0%"],
        ),
        (
            (100, 50, 30),
            (100, 50, 20),
            ["男士 stands behind a surname in 60% of its sentences, the other word in 40%"],
        ),
        ((100, 50, 0), (20, 10, 0), ["男士 is 5.0 times as frequent as 女士"]),
        ((10, 5, 0), (75, 50, 0), ["女士 is 7.5 times as frequent as 男士"]),
        ((99, 50, 0), (20, 10, 0), []),
        ((100, 50, 0), (0, 0, 0), ["女士 was not found, and the other was"]),
        ((0, 0, 0), (3, 3, 3), ["男士 was not found, and the other was"]),
        ((0, 0, 0), (0, 0, 0), ["neither 男士 nor 女士 was found"]),
    ],
)
def test_warnings(male: tuple[int, int, int], female: tuple[int, int, int], warnings: list[str]) -> None:
    assert counted(male, female).warnings == warnings


def test_a_word_that_is_never_found_has_no_ratio() -> None:
    assert counted((3, 3, 0), (0, 0, 0)).ratio is None


def test_what_stands_behind_a_surname_is_counted_in_a_text() -> None:
    screener = Screener(load_pack("zh"))
    text = "王阿姨在院子里种了很多花。\n李阿姨昨天去菜市场买菜。\n阿姨昨天去图书馆还了书。\n叔叔昨天去图书馆还了书。\n"
    assert [judged.keyword for judged in screener.screen(text)] == ["阿姨", "阿姨", "阿姨", "叔叔"]
    tally = screener.tally
    (found,) = symmetries(
        ["叔叔/阿姨"], {"occurrences": tally.occurrences, "single": tally.single, "after_surname": tally.after_surname}
    )
    assert (found.male, found.female, found.ratio) == (1, 3, 1 / 3)
    assert (found.male_after_surname, found.female_after_surname) == (0, 2 / 3)
    assert found.warnings == ["阿姨 stands behind a surname in 67% of its sentences, the other word in 0%"]
