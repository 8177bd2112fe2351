"""Every number that a language model gives agrees with one worked out slowly, one sentence at a time."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from subjects import obvious, tiny_models
from tiltmeter.errors import TiltmeterError
from tiltmeter.reading import Reading
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import Blank
from tiltmeter.subjects.language_models.masked import _place, _Placed
from tiltmeter.subjects.language_models.model import LanguageModel

Tiny = Callable[[str], Path]
MASKED, CAUSAL = list(tiny_models.MASKED), list(tiny_models.CAUSAL)

BLANKS = [
    Blank(text=text, span=span, candidates=candidates, hidden=hidden, neutral="person")
    for text, span, candidates, attribute in [
        ("He is a nurse.", (0, 2), ("He", "She", "The engineer", "My brother"), (8, 13)),
        ("I know that she works as a firefighter today.", (12, 15), ("she", "he", "unbelievably"), (27, 38)),
        ("A manager met a man.", (16, 19), ("man", "woman"), (2, 9)),
        ("那个女人是护士", (2, 3), ("女", "男", "老"), (5, 7)),
        ("彼女は看護師です", (0, 2), ("彼女", "彼", "女性"), (3, 6)),
        ("Mi hermana es médica.", (3, 10), ("hermana", "hermano", "tía"), (14, 20)),
        ("Моя сестра — врач.", (4, 10), ("сестра", "подруга"), (13, 17)),
        ("  He   is a nurse , really .", (2, 4), ("He", "She"), (12, 17)),
    ]
    for hidden in ((), (attribute,))
]
TEXTS = list(dict.fromkeys(blank.text for blank in BLANKS))


def opened(folder: Path, store: Store, **said: Any) -> LanguageModel:
    return cast(LanguageModel, open_subject(str(folder), store, Reading(device="cpu", **said)))


class TestFill:
    @pytest.mark.parametrize("kind", MASKED)
    @pytest.mark.parametrize(
        ("rule", "masks"), [("independent", "token"), ("left-to-right", "token"), ("independent", "word")]
    )
    def test_masked_models_agree_with_the_obvious_way(
        self, tiny: Tiny, store: Store, kind: str, rule: str, masks: str
    ) -> None:
        folder = tiny(kind)
        found = pl.concat(opened(folder, store).fill(BLANKS, rule=rule, masks=masks))
        expected = [
            log_p for b in BLANKS for log_p in obvious.fill(folder, b.text, b.span, b.candidates, b.hidden, rule, masks)
        ]
        assert found["candidate"].to_list() == [word for blank in BLANKS for word in blank.candidates]
        _equal(found["log_p"], expected)
        assert sum(log_p is not None for log_p in expected) > len(expected) / 2

    @pytest.mark.parametrize("kind", CAUSAL)
    def test_causal_models_agree_with_the_obvious_way(self, tiny: Tiny, store: Store, kind: str) -> None:
        folder = tiny(kind)
        found = pl.concat(opened(folder, store).fill(BLANKS))
        shares, sentences = zip(
            *(obvious.fill_causal(folder, b.text, b.span, b.candidates, b.hidden, "person") for b in BLANKS),
            strict=True,
        )
        _equal(found["log_p"], [value for values in shares for value in values])
        _equal(found["log_p_sentence"], [value for values in sentences for value in values])
        totals = found.group_by("blank").agg(pl.col("log_p").exp().sum())["log_p"]
        assert totals.to_numpy() == pytest.approx(1)

    def test_tokens_are_those_that_the_word_has_where_it_stands(self, tiny: Tiny, store: Store) -> None:
        """At the beginning of a byte-level text there is no space; inside there is one, and case is kept."""
        blanks = [
            Blank(text="he is a nurse", span=(0, 2), candidates=("he",)),
            Blank(text="is he a nurse", span=(3, 5), candidates=("he", "He")),
        ]
        first, second, third = pl.concat(opened(tiny("roberta"), store).fill(blanks))["tokens"].to_list()
        assert "".join(first) == "he"
        assert "".join(second) == "Ġhe"
        assert "".join(third).removeprefix("Ġ") == "He"

    def test_an_uncased_model_answers_alike_for_both_cases_and_a_cased_one_does_not(
        self, tiny: Tiny, store: Store
    ) -> None:
        blank = Blank(text="he is a nurse", span=(0, 2), candidates=("he", "He"))
        lower, upper = pl.concat(opened(tiny("bert-uncased"), store).fill([blank]))["log_p"]
        assert lower == upper
        lower, upper = pl.concat(opened(tiny("bert-cased"), store).fill([blank]))["log_p"]
        assert abs(lower - upper) > 1e-3

    def test_a_word_is_found_by_its_place_and_not_by_its_letters(self, tiny: Tiny, store: Store) -> None:
        """'man' stands inside 'manager' too."""
        text = "the manager is a man"
        blank = Blank(text=text, span=(17, 20), candidates=("man",))
        table = pl.concat(opened(tiny("bert-cased"), store).fill([blank]))
        assert table["log_p"][0] == pytest.approx(
            obvious.fill(tiny("bert-cased"), text, (17, 20), ["man"])[0], abs=1e-5
        )

    def test_longer_than_the_model_is_left_out_and_the_longest_is_not(self, tiny: Tiny, store: Store) -> None:
        for kind in ("bert-characters", "roberta"):
            model = opened(tiny(kind), store)
            whole = model.asked.tokens
            texts = ["女" + "人" * length for length in range(5, 100)]
            lengths = [len(pieces.ids) for pieces in whole.encode(texts)]
            found = pl.concat(model.fill([Blank(text=text, span=(0, 1), candidates=("女",)) for text in texts]))
            assert found["log_p"].is_not_null().to_list() == [length <= tiny_models.LONGEST for length in lengths]
            assert tiny_models.LONGEST in lengths
            lost = found.filter(pl.col("lost") != "")
            assert "longer than the model, which takes 64" in lost["lost"][0]

    def test_a_word_that_the_tokenizer_does_not_know_says_so(self, tiny: Tiny, store: Store) -> None:
        blank = Blank(text="he is a nurse", span=(0, 2), candidates=("☃", "he"))
        unknown, known = pl.concat(opened(tiny("bert-cased"), store).fill([blank])).rows(named=True)
        assert unknown["lost"] == "the tokenizer does not know '☃'"
        assert unknown["log_p"] is None
        assert unknown["tokens"] == []
        assert known["log_p"] < 0

    def test_half_a_word_cannot_be_hidden(self, tiny: Tiny, store: Store) -> None:
        """Unless the tokenizer happens to cut there."""
        blank = Blank(text="nurse", span=(1, 3), candidates=("ur",))
        (row,) = pl.concat(opened(tiny("bert-cased"), store).fill([blank])).rows(named=True)
        assert "cannot form 'ur' here" in row["lost"]

    def test_bfloat16_is_near_and_another_subject(self, tiny: Tiny, store: Store) -> None:
        full, half = opened(tiny("bert-cased"), store), opened(tiny("bert-cased"), store, dtype="bfloat16")
        assert full.fingerprint != half.fingerprint
        one, other = (pl.concat(model.fill(BLANKS[:2]))["log_p"].to_numpy() for model in (full, half))
        assert 0 < np.abs(one - other).max() < 0.5


WORDS = [
    "he",
    "She",
    "nurse",
    "engineer",
    "firefighter",
    "the",
    "is",
    "médica",
    "сестра",
    "护士",
    "女人",
    "看護師",
    "x9",
]


@pytest.mark.parametrize("kind", ["bert-cased", "roberta", "xlm-roberta", "bert-characters", "bert-japanese", "gpt2"])
def test_any_text_and_span_agrees_with_the_obvious_way(kind: str, tiny: Tiny, tmp_path: Path) -> None:
    folder = tiny(kind)
    model = opened(folder, Store(tmp_path))

    @settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much])
    @given(data=st.data())
    def check(data: st.DataObject) -> None:
        words = data.draw(st.lists(st.sampled_from(WORDS), min_size=2, max_size=7))
        gaps = data.draw(
            st.lists(st.sampled_from([" ", "  ", ", ", "", "。"]), min_size=len(words), max_size=len(words))
        )
        text = "".join(word + gap for word, gap in zip(words, gaps, strict=True))
        edges = np.cumsum([0, *(len(word) + len(gap) for word, gap in zip(words, gaps, strict=True))])
        spans = [(int(edge), int(edge) + len(word)) for edge, word in zip(edges, words, strict=False)]
        place, other = data.draw(st.permutations(range(len(words))))[:2]
        candidates = tuple(data.draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True)))
        rule = data.draw(st.sampled_from(["independent", "left-to-right"]))
        hidden = (spans[other],) if data.draw(st.booleans()) else ()
        blank = Blank(text=text, span=spans[place], candidates=candidates, hidden=hidden, neutral="person")
        rows = pl.concat(model.fill([blank], rule=rule)).rows(named=True)
        if kind == "gpt2":
            expected, _ = obvious.fill_causal(folder, text, spans[place], candidates, hidden, "person")
        else:
            expected = obvious.fill(folder, text, spans[place], candidates, hidden, rule)
        for row, value in zip(rows, expected, strict=True):
            # Where letters run into each other without a space, no word begins or ends: that is refused.
            assume("cannot form" not in row["lost"])
            assert row["log_p"] == (None if value is None else pytest.approx(value, abs=1e-4)), (row, text)

    check()


@pytest.mark.parametrize("kind", ["xlm-roberta", "albert", "bert-japanese"])
def test_a_sentence_and_its_prior_are_made_of_the_same_tokens(tiny: Tiny, store: Store, kind: str) -> None:
    """Where there are no spaces, hiding a word could otherwise cut its neighbours anew."""
    model = opened(tiny(kind), store)
    text, target, attribute = "彼女は看護師です。", (0, 2), (3, 6)
    seen, prior = (
        _place(
            [Blank(text=text, span=target, candidates=("彼女",), **extra).filled("彼女")],
            model.asked.tokens,
            by_word=False,
        )
        for extra in cast(list[dict[str, Any]], [{"apart": (attribute,)}, {"hidden": (attribute,)}])
    )
    assert isinstance(seen[0], _Placed)
    assert isinstance(prior[0], _Placed)
    assert seen[0].pieces == prior[0].pieces


def test_the_tokens_of_a_text_that_the_tokenizer_does_not_know_are_named(tiny: Tiny, store: Store) -> None:
    blank = Blank(text="he is a ☃", span=(0, 2), candidates=("he",))
    (row,) = pl.concat(opened(tiny("bert-cased"), store).fill([blank])).rows(named=True)
    assert row["unknown"] == "☃"


class TestTokenScores:
    @pytest.mark.parametrize("kind", [*MASKED, *CAUSAL])
    def test_each_token_agrees_with_the_obvious_way(self, tiny: Tiny, store: Store, kind: str) -> None:
        folder = tiny(kind)
        model = opened(folder, store)
        for masking in ("left",) if kind in CAUSAL else ("each", "none"):
            weights = masking == "none" and kind != "fnet"
            found = pl.concat(model.token_scores(TEXTS, masking=masking, attentions=weights))
            for number, text in enumerate(TEXTS):
                expected = obvious.token_scores(folder, text, masking=masking, attentions=weights)
                assert expected is not None
                rows = found.filter(pl.col("text") == number)
                assert rows["token"].to_list() == [score.token for score in expected]
                _equal(rows["log_p"], [score.log_p for score in expected])
                if weights:
                    _equal(rows["attention"], [score.attention for score in expected])

    @pytest.mark.parametrize("kind", ["bert-cased", "roberta", "xlm-roberta", "bert-japanese", "gpt2"])
    def test_tokens_stand_where_their_letters_are(self, tiny: Tiny, store: Store, kind: str) -> None:
        found = pl.concat(opened(tiny(kind), store).token_scores(TEXTS))
        for number, text in enumerate(TEXTS):
            spans = found.filter(pl.col("text") == number).select("start", "end").rows()
            covered = {place for start, end in spans for place in range(start, end)}
            assert covered == {place for place, letter in enumerate(text) if not letter.isspace()}

    def test_a_text_too_long_or_empty_is_one_row_that_says_so(self, tiny: Tiny, store: Store) -> None:
        found = pl.concat(opened(tiny("bert-cased"), store).token_scores(["nurse " * 100, "", "nurse"]))
        long, empty = found.filter(pl.col("token").is_null()).rows(named=True)
        assert "longer than the model" in long["lost"]
        assert empty["lost"] == "there is no token in the text"
        assert found.filter(pl.col("text") == 2)["log_p"].null_count() == 0

    def test_a_discriminator_says_which_tokens_look_replaced(self, tiny: Tiny, store: Store) -> None:
        folder = tiny("discriminator")
        model = opened(folder, store)
        assert model.capabilities == {"replaced_tokens"}
        found = pl.concat(model.replaced_tokens(TEXTS))
        _equal(found["logit"], [row.logit for text in TEXTS for row in obvious.replaced_tokens(folder, text) or ()])
        with pytest.raises(TiltmeterError, match="is a discriminator model, which does not offer fill"):
            model.fill(BLANKS)


class TestPreSegmentation:
    def test_the_tokenizer_gets_words_with_spaces_between(self, tiny: Tiny, store: Store) -> None:
        """The same as giving it the segmented text, with the spans where the words stand there."""
        folder = tiny("roberta")
        text, spaced = "彼女は看護師です", "彼女 は 看護 師 です"
        cut = opened(folder, store, pre_segment="mecab")
        (found,) = pl.concat(cut.fill([Blank(text=text, span=(0, 2), candidates=("彼女",), hidden=((3, 6),))]))["log_p"]
        (expected,) = obvious.fill(folder, spaced, (0, 2), ["彼女"], [(5, 9)])
        assert found == pytest.approx(expected, abs=1e-5)
        plain = opened(folder, store)
        assert plain.fingerprint != cut.fingerprint
        (other,) = pl.concat(plain.fill([Blank(text=text, span=(0, 2), candidates=("彼女",), hidden=((3, 6),))]))[
            "log_p"
        ]
        assert abs(other - found) > 1e-3

    def test_a_word_that_has_to_be_cut_out_stays_segmented(self, tiny: Tiny, store: Store) -> None:
        """Only 彼 of 彼女 is asked: the words behind it are as they were."""
        text = "彼女は看護師です"
        tokens = opened(tiny("xlm-roberta"), store, pre_segment="mecab").asked.tokens
        apart = tokens.encode_apart(text, [0, 1])
        assert apart is not None
        spaced = tokens.tokenizer("彼 女 は 看護 師 です")["input_ids"]
        assert list(apart.ids) == spaced

    def test_a_program_that_is_not_there_is_named(
        self, tiny: Tiny, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PATH", "/nowhere")
        with pytest.raises(TiltmeterError, match="needs the program jumanpp, which is not on the PATH"):
            list(opened(tiny("roberta"), store, pre_segment="jumanpp").fill(BLANKS))


@pytest.mark.parametrize(
    ("blank", "said"),
    [
        ({"span": (10, 14)}, "the span 10-14 lies outside the 13 characters of"),
        ({"span": (3, 3)}, "the span 3-3 lies outside"),
        ({"span": (-2, 2)}, "the span -2-2 lies outside"),
        ({"hidden": ((8, 99),)}, "the span 8-99 lies outside"),
        ({"hidden": ((1, 4),)}, "two spans overlap in"),
        ({"candidates": ()}, "there are no candidates to fill into"),
        ({"candidates": ("he", " she")}, "the candidate ' she' is empty, or begins or ends with a space"),
        ({"candidates": ("",)}, "the candidate '' is empty"),
    ],
)
def test_a_blank_that_makes_no_sense_is_refused(blank: dict[str, Any], said: str) -> None:
    with pytest.raises(TiltmeterError, match=said):
        Blank(**{"text": "he is a nurse", "span": (0, 2), "candidates": ("he",), **blank})


def test_text_cannot_pass_for_a_special_token(tiny: Tiny, store: Store) -> None:
    blank = Blank(text="he is a [MASK]", span=(0, 2), candidates=("he",))
    with pytest.raises(TiltmeterError, match=r"holds \[MASK\], which the model reads as a special token"):
        list(opened(tiny("bert-cased"), store).fill([blank]))


def test_a_causal_model_needs_neutral_words_for_what_is_hidden(tiny: Tiny, store: Store) -> None:
    blank = Blank(text="he is a nurse", span=(0, 2), candidates=("he",), hidden=((8, 13),))
    with pytest.raises(TiltmeterError, match="a causal model has no mask: say which neutral words"):
        list(opened(tiny("gpt2"), store).fill([blank]))


def test_an_unknown_rule_is_refused_with_those_there_are(tiny: Tiny, store: Store) -> None:
    with pytest.raises(TiltmeterError, match="there is no rule 'last-token'; did you mean 'first-token'"):
        opened(tiny("bert-cased"), store).fill(BLANKS, rule="last-token")


def _equal(found: pl.Series, expected: list[float | None]) -> None:
    assert [value is None for value in found] == [value is None for value in expected]
    one = np.array([value for value in found if value is not None])
    other = np.array([value for value in expected if value is not None])
    np.testing.assert_allclose(one, other, atol=1e-4)
