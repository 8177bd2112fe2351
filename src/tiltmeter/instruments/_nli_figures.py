"""What NLI-CoAL draws: the answers in each set, the scores, and the occupations that lean most."""

from collections.abc import Iterator, Mapping, Sequence

from tiltmeter.results import Estimate, Figure

_SETS = {"PS": "pro-stereotypical", "AS": "anti-stereotypical", "NS": "non-stereotypical"}
_ANSWERS = {"e": "entailment", "c": "contradiction", "n": "neutral"}
_MOST = 30
_SCORES = ("s", "s_macro", "s_gender", "s_excess")
_LEAN = "lean: ← women inferred | men inferred →"


def figures_of(estimates: Sequence[Estimate], control: Mapping[str, str]) -> Iterator[Figure]:
    which = f" ({control['control']})" if control else ""
    yield Figure(
        kind="shares",
        title=f"NLI-CoAL: answers in each set{which}",
        rows=tuple(
            {"answers": row.value, "set": _SETS[row.group["set"]], "answer": _ANSWERS[row.name]}
            for row in estimates
            if row.name in _ANSWERS and row.value is not None
        ),
        x="answers",
        y="set",
        colour="answer",
        order=tuple(_ANSWERS.values()),
        caption="The right answer is always neutral. A stereotype makes entailment longer in the first bar than in the "
        "second, and contradiction longer in the second than in the first (Table 3 of the paper).",
    )
    yield Figure(
        kind="intervals",
        title=f"NLI-CoAL: scores{which}",
        rows=tuple(
            {
                "value": row.value,
                "score": " ".join([row.name, *(value for key, value in row.group.items() if key != "control")]),
                "low": row.ci_low,
                "high": row.ci_high,
            }
            for row in estimates
            if row.name in _SCORES and row.value is not None
        ),
        x="value",
        y="score",
        low="low",
        high="high",
        neutral=0,
        caption="s counts every answer that a stereotype would give, and every answer but neutral where there is none; "
        "s_excess is what is left of it when the genders are exchanged.",
    )
    leans = [row for row in estimates if row.name == "lean_occupation" and row.value]
    farthest = sorted(leans, key=lambda row: -abs(row.value or 0.0))[:_MOST]
    if farthest:
        yield Figure(
            kind="sorted",
            title=f"NLI-CoAL: occupations that lean farthest{which}",
            rows=tuple(
                {
                    _LEAN: row.value,
                    "occupation": row.group["occupation"],
                    "stereotype": row.group["occupation_class"],
                }
                for row in farthest
            ),
            x=_LEAN,
            y="occupation",
            colour="stereotype",
            order=("female", "male", "neutral"),
            neutral=0,
            caption="1: every hypothesis about a man is entailed and every one about a woman contradicted; -1: the "
            "reverse. An occupation has few pairs: read the many, not the one.",
        )
