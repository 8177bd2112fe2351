"""What changed in WEAT between two models: the same words in both, drawn alike.

Words that only one model knows are left out of both. The interval draws targets and attribute pairs anew, the same ones
for both models; the p exchanges the models within each attribute pair. The p speaks of these very targets: where a
target moved toward one gender, it did so for all pairs. Only the interval asks whether other words of the topic would
have moved as well, which is why a change is shown by both together.
"""

from collections.abc import Callable, Iterator
from typing import Any

import polars as pl

from tiltmeter.instruments._association import Similarities, changes
from tiltmeter.instruments._differences import Key, Sureness, both_answered, exchanged, key, known_to_one, paired
from tiltmeter.instruments._queries import by_test, void_sets
from tiltmeter.instruments._weat_items import (
    all_words,
    attributes_of,
    gender_means,
    is_grammar,
    similarities_in,
    without_grammar,
)
from tiltmeter.instruments._weat_wording import FEW
from tiltmeter.instruments.instrument import Findings, Paired
from tiltmeter.statistics import Interval

_ASKED = ("test", "target", "target_set", "target_gender", "attribute", "attribute_set", "pair")
_ANSWERS = ("cosine", "target_form", "attribute_form")


def weat_differences(
    before: pl.DataFrame, after: pl.DataFrame, options: Any, estimate: Callable[[pl.DataFrame, Any], Findings]
) -> list[Paired]:
    """Every estimate of both over the words that both know."""
    first, second = both_answered(before, after, asked=_ASKED, answers=_ANSWERS)
    left_out = {
        test: known_to_one(all_words(rows)["form"], all_words(other)["form"])
        for test, rows, other in _tests(before, after)
    }
    sure = dict(_sureness(first, second, options))
    return paired(estimate(first, options), estimate(second, options), sure, left_out=left_out)


def _tests(before: pl.DataFrame, after: pl.DataFrame) -> list[tuple[str, pl.DataFrame, pl.DataFrame]]:
    return [(test, rows, other) for (test, rows), (_, other) in zip(by_test(before), by_test(after), strict=True)]


def _sureness(before: pl.DataFrame, after: pl.DataFrame, options: Any) -> Iterator[tuple[Key, Sureness]]:
    tests = _tests(before, after)
    controls = {attributes_of(rows): (rows, other) for test, rows, other in tests if is_grammar(test)}
    for test, rows, other in tests:
        if void_sets(all_words(rows), options)[1]:
            continue
        group = {"control": "grammatical gender"} if is_grammar(test) else {}
        found = _changes(similarities_in(rows), similarities_in(other), options)
        for name, same in (
            ("statistic", "statistic"),
            ("effect_size", "effect_size"),
            ("effect_size", "effect_size_sign_flip"),
            ("effect_size", "effect_size_both"),
        ):
            if name in found:
                yield key(test, same, group), found[name]
        control = None if is_grammar(test) else controls.get(attributes_of(rows))
        means = [gender_means(part, options) for part in control] if control else []
        if means and all(means):
            rid = [
                similarities_in(without_grammar(part, known)) for part, known in zip((rows, other), means, strict=True)
            ]
            if sure := _changes(rid[0], rid[1], options).get("effect_size"):
                yield key(test, "effect_size_without_grammar"), sure


def _changes(before: Similarities, after: Similarities, options: Any) -> dict[str, Sureness]:
    few = f"fewer than {FEW} words in a set: too narrow to be trusted" if before.smallest < FEW else None
    method = "bootstrap-percentile over targets and attribute pairs, drawn alike for both models"
    return {
        name: Sureness(
            Interval(low, high, 0.95, method, before.smallest, few),
            exchanged(parts, over="attribute pairs", seed=options.seed),
        )
        for name, ((low, high), parts) in changes(before, after, options.effect_size, seed=options.seed).items()
    }
