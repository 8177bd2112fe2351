"""Quotas are filled one to one, source by source, and by nothing but the hash."""

from dataclasses import replace

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter.corpora.sampling import USUAL, draw, quotas
from tiltmeter.packs import GenderPair, load_pack, shipped_languages

TABLE_1 = {
    # Zhao et al. (2021), Table 1 as printed
    "他/她": 6000, "男/女": 4000, "男孩/女孩": 1200, "男子/女子": 1000, "爸爸/妈妈": 1000, "父亲/母亲": 1000,
    "男人/女人": 800, "男性/女性": 800, "儿子/女儿": 800, "男友/女友": 400, "叔叔/阿姨": 400, "哥哥/姐姐": 400,
    "弟弟/妹妹": 400, "爷爷/奶奶": 400, "姥爷/姥姥": 200, "外公/外婆": 200,
}  # fmt: skip


class TestQuotas:
    def test_chinese_has_table_1_as_printed(self) -> None:
        assert quotas(load_pack("zh")) == TABLE_1
        assert sum(TABLE_1.values()) == 19_000

    @pytest.mark.parametrize("lang", [lang for lang in shipped_languages() if lang != "zh"])
    def test_without_quotas_the_pairs_share_alike(self, lang: str) -> None:
        shares = quotas(load_pack(lang)).values()
        assert sum(shares) == USUAL
        assert max(shares) - min(shares) <= 2

    def test_rejected_pairs_get_nothing(self) -> None:
        rejected = {f"{p.male}/{p.female}" for p in load_pack("zh").gender_pairs if p.status == "rejected"}
        assert rejected
        assert not rejected & quotas(load_pack("zh")).keys()

    @pytest.mark.parametrize(("total", "of_pronouns", "of_grandparents"), [(1900, 600, 20), (38_000, 12_000, 400)])
    def test_a_total_scales_them(self, total: int, of_pronouns: int, of_grandparents: int) -> None:
        scaled = quotas(load_pack("zh"), total)
        assert (scaled["他/她"], scaled["外公/外婆"]) == (of_pronouns, of_grandparents)

    @pytest.mark.parametrize("lang", ["zh", "en"])
    @given(total=st.integers(2, 100_000))
    def test_scaled_quotas_are_even_and_sum_up(self, lang: str, total: int) -> None:
        scaled = quotas(load_pack(lang), total)
        assert all(number % 2 == 0 and number >= 0 for number in scaled.values())
        assert sum(scaled.values()) == total - total % 2
        weights = TABLE_1 if lang == "zh" else dict.fromkeys(scaled, 1)
        for pair, number in scaled.items():
            assert abs(number - total * weights[pair] / sum(weights.values())) < 3

    def test_an_odd_quota_is_rounded_down(self) -> None:
        pack = load_pack("zh")
        assert pack.screening is not None
        odd = replace(pack, screening=replace(pack.screening, quotas={"他/她": 7}))
        assert quotas(odd)["他/她"] == 6
        assert quotas(odd)["男/女"] == 6


Rows = list[tuple[str, str, str, int]]


def table(rows: Rows) -> pl.DataFrame:
    schema = {"pair": pl.String, "gender": pl.String, "source": pl.String, "order": pl.UInt64}
    return pl.DataFrame(rows, schema, orient="row")


def drawn(rows: Rows, wanted: dict[str, int]) -> Rows:
    return sorted(draw(table(rows), wanted)[0].select("pair", "gender", "source", "order").iter_rows())


def some(gender: str, source: str, *orders: int, pair: str = "he/she") -> Rows:
    return [(pair, gender, source, order) for order in orders]


class TestDraw:
    def test_the_lowest_hash_wins(self) -> None:
        rows = some("male", "a", 5, 1, 9, 3) + some("female", "a", 8, 2, 6, 4)
        assert drawn(rows, {"he/she": 4}) == some("female", "a", 2, 4) + some("male", "a", 1, 3)

    def test_every_source_gives_its_first_before_any_gives_its_second(self) -> None:
        rows = some("male", "a", 1, 2, 3) + some("male", "b", 10) + some("male", "c", 20, 30)
        rows += some("female", "a", 1, 2, 3, 4)
        assert drawn(rows, {"he/she": 6}) == (
            some("female", "a", 1, 2, 3) + some("male", "a", 1) + some("male", "b", 10) + some("male", "c", 20)
        )
        assert drawn(rows, {"he/she": 8})[4:] == some("male", "a", 1, 2) + some("male", "b", 10) + some("male", "c", 20)

    def test_both_genders_get_as_many_as_the_rarer_has(self) -> None:
        rows = some("male", "a", 1, 2, 3, 4, 5) + some("female", "a", 7, 8)
        _, told = draw(table(rows), {"he/she": 10})
        assert drawn(rows, {"he/she": 10}) == some("female", "a", 7, 8) + some("male", "a", 1, 2)
        assert told[0].short_of == "4 of 10 (2 neutral sentences with its female word)"

    def test_unfilled_quotas_are_named_and_filled_ones_are_not(self) -> None:
        rows = some("male", "a", 1) + some("female", "a", 2) + some("female", "a", 3, pair="man/woman")
        _, told = draw(table(rows), {"he/she": 2, "man/woman": 4000, "boy/girl": 2})
        assert [quota.short_of for quota in told] == [
            "",
            "0 of 4,000 (0 neutral sentences with its male word)",
            "0 of 2 (0 neutral sentences with its male word)",
        ]

    def test_without_sentences_nothing_is_drawn(self) -> None:
        empty, told = draw(table([]), {"he/she": 2})
        assert empty.is_empty()
        assert [quota.drawn for quota in told] == [0]

    @given(
        rows=st.lists(
            st.tuples(
                st.sampled_from(["he/she", "man/woman"]),
                st.sampled_from(["male", "female"]),
                st.sampled_from("abc"),
                # Equal numbers are equal sentences, which may stand in several sources.
                st.integers(0, 9) | st.integers(0, 2**64 - 1),
            ),
            max_size=40,
        ),
        wanted=st.fixed_dictionaries({"he/she": st.integers(0, 20), "man/woman": st.integers(0, 20)}),
        data=st.data(),
    )
    def test_shuffling_the_rows_changes_nothing(self, rows: Rows, wanted: dict[str, int], data: st.DataObject) -> None:
        told = drawn(rows, wanted)
        assert drawn(data.draw(st.permutations(rows)), wanted) == told
        for pair, number in wanted.items():
            sides = [sum(row[:2] == (pair, gender) for row in told) for gender in ("male", "female")]
            there = [sum(row[:2] == (pair, gender) for row in rows) for gender in ("male", "female")]
            assert sides == [min(number // 2, *there)] * 2


def test_a_pair_that_the_quotas_do_not_name_gets_as_many_as_the_least_of_them() -> None:
    pack = load_pack("zh")
    more = replace(pack, gender_pairs=(*pack.gender_pairs, GenderPair("国王", "王后")))
    assert quotas(more)["国王/王后"] == 200 == min(quotas(pack).values())
    assert sum(quotas(more, 1920).values()) == 1920
