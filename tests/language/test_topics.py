"""What groups of sentences are about, against the libraries' own and by hand."""

import math

import pytest

from tiltmeter.datasets.slguset import own_sentences
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import content_words, distinctive, text_rank, tf_idf
from tiltmeter.language.words import jieba_analysis
from tiltmeter.packs import load_pack, shipped_languages

CHINESE = [row.sentence for row in own_sentences(load_pack("zh"))]


class TestChinese:
    def test_tf_idf_is_jiebas(self) -> None:
        told = jieba_analysis().extract_tags("\n".join(CHINESE[:80]), topK=12)
        assert [word for word, _ in tf_idf(CHINESE[:80], CHINESE[80:], segmenter="rjieba", lang="zh")[:12]] == told

    def test_text_rank_is_jiebas(self) -> None:
        told = jieba_analysis().textrank("\n".join(CHINESE[:80]), topK=12, withWeight=True)
        assert text_rank(CHINESE[:80], segmenter="rjieba", lang="zh")[:12] == told


class TestOtherLanguages:
    SENTENCES = ("The guitar and the drum.", "A drum in the garden.", "The garden behind a wall.")

    def test_tf_idf_by_hand(self) -> None:
        found = dict(tf_idf(self.SENTENCES[:2], self.SENTENCES[2:], segmenter="spaces", lang="en"))
        rare, common = math.log(4 / 2) + 1, math.log(4 / 3) + 1
        assert found["guitar"] == pytest.approx(rare)
        assert found["drum"] == pytest.approx(2 * common)
        assert found["garden"] == pytest.approx(common)
        assert "the" not in found

    def test_text_rank_puts_the_word_first_that_stands_beside_most_others(self) -> None:
        sentences = ["guitar drum", "drum garden", "drum wall", "wall garden"]
        (first, weight), *others = text_rank(sentences, segmenter="spaces", lang="en")
        assert (first, weight) == ("drum", 1.0)
        assert {word for word, _ in others} == {"guitar", "garden", "wall"}
        assert others[-1][0] == "guitar"

    def test_a_word_is_not_the_neighbour_of_one_in_the_next_sentence(self) -> None:
        assert text_rank(["guitar", "drum"], segmenter="spaces", lang="en") == []

    @pytest.mark.parametrize(
        ("lang", "segmenter", "text", "words"),
        [
            ("ru", "pymorphy3", "Мы кормили красивых птиц у реки.", ["кормить", "красивый", "птица", "река"]),
            ("ja", "mecab", "犬が公園で静かに走った。", ["犬", "公園", "静か", "走る"]),
            ("ja", "mecab", "スタッフが三人いた。", ["スタッフ"]),
            ("en", "spaces", "The gardens are 12 miles away.", ["gardens", "miles"]),
            ("es", "spaces", "Los jardines quedan muy lejos.", ["jardines", "quedan"]),
            ("de", "spaces", "Der Zug nach Köln fährt ab.", ["zug", "köln", "fährt"]),
            ("eu", "spaces", "Etxe hau eta mendia ikusi ditut.", ["etxe", "mendia", "ikusi", "ditut"]),
            ("zh", "rjieba", "孩子们在公园里看电影。", ["孩子", "公园", "电影"]),
        ],
    )
    def test_words_that_carry_meaning(self, lang: str, segmenter: str, text: str, words: list[str]) -> None:
        assert [word for word in content_words(segmenter, lang)(text) if word in words] == words

    @pytest.mark.parametrize("lang", shipped_languages())
    def test_every_pack_names_a_segmenter_that_finds_words(self, lang: str) -> None:
        pack = load_pack(lang)
        cut = content_words(pack.segmenter, lang)
        bare = [row.sentence for row in own_sentences(pack) if not cut(row.sentence)]
        assert len(bare) <= 4

    def test_a_segmenter_that_does_not_exist_is_named(self) -> None:
        with pytest.raises(TiltmeterError, match="there is no segmenter 'knife'"):
            content_words("knife", "en")

    @pytest.mark.parametrize("segmenter", ["spaces", "rjieba"])
    def test_nothing_is_about_nothing(self, segmenter: str) -> None:
        assert tf_idf([], ["garden"], segmenter=segmenter, lang="en") == []
        assert text_rank([], segmenter=segmenter, lang="en") == []
        assert distinctive([], ["garden"], segmenter=segmenter, lang="en") == []
        assert tf_idf(["the of"], ["a"], segmenter="spaces", lang="en") == []


class TestDistinctive:
    def test_the_z_of_log_odds_with_a_prior_by_hand(self) -> None:
        # guitar 3 : 1, drum 1 : 1, garden 0 : 2; the prior is their sum, 8 words in all.
        here, there = ["guitar guitar guitar drum"], ["guitar drum garden garden"]
        found = dict(distinctive(here, there, segmenter="spaces", lang="en"))
        odds = [math.log((3 + 4) / (4 + 8 - 7)), math.log((1 + 4) / (4 + 8 - 5))]
        assert found["guitar"] == pytest.approx((odds[0] - odds[1]) / math.sqrt(1 / 7 + 1 / 5))
        # The drum stands as often on the other side, the garden only there.
        assert set(found) == {"guitar"}

    def test_a_word_that_both_sides_share_is_not_distinctive(self) -> None:
        here = [f"drum {word}" for word in ("alpha", "beta", "gamma")] * 5
        there = [f"drum {word}" for word in ("delta", "epsilon", "zeta")] * 5
        ranked = [word for word, _ in distinctive(here, there, segmenter="spaces", lang="en")]
        assert sorted(ranked) == ["alpha", "beta", "gamma"]
        assert distinctive(here, [], segmenter="spaces", lang="en") == []


def test_jieba_leaves_no_copy_of_its_dictionary_behind() -> None:
    import jieba

    assert jieba_analysis().extract_tags("孩子们在公园里放风筝。", topK=1)
    assert not jieba.os.path.exists(jieba.dt.tmp_dir)
