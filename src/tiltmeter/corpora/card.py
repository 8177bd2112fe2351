"""The data card of a built set: what is in it, what was left out and why, where it came from."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tiltmeter.corpora.markdown import code, inline, table
from tiltmeter.corpora.rules import NOT_DRAWN, RULES
from tiltmeter.corpora.sampling import Quota
from tiltmeter.corpora.symmetry import Symmetry
from tiltmeter.errors import MissingExtra
from tiltmeter.packs import Pack
from tiltmeter.results import Figure
from tiltmeter.store import write_atomically

Sides = Mapping[tuple[str, str], int]
"""Counts by pair and gender."""
GENDERS = ("male", "female")


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The numbers of a build."""

    pack: Pack
    rules: tuple[str, ...]
    sentences: int
    """Of the whole corpus."""
    found: Sides
    """Keywords found in sentences that are not `unfinished`, before any other rule."""
    single: Sides
    """Sentences with that keyword alone."""
    clean: Sides
    """Sentences that broke no rule."""
    drawn: Sides
    quotas: tuple[Quota, ...]
    reasons: Counter[str]
    symmetries: tuple[Symmetry, ...]
    characters: Counter[str]
    tokenizer: tuple[str, frozenset[str]] | None
    sources: tuple[Mapping[str, Any], ...]
    problems: tuple[str, ...]
    provenance: Mapping[str, Any]

    @property
    def size(self) -> int:
        return sum(self.drawn.values())

    @property
    def warnings(self) -> list[str]:
        """Pairs that are not used alike."""
        return [f"{symmetry.pair}: {warning}" for symmetry in self.symmetries for warning in symmetry.warnings]

    @property
    def unseen(self) -> str:
        """What gives people away in the language and no rule looks for, or nothing."""
        if not self.pack.grammatical_gender or "agreement-leak" in self.rules:
            return ""
        return (
            f"{self.pack.name} has grammatical gender, and agreement was not checked: sentences in which an article, "
            "an adjective or a verb gives the person away were not left out"
        )

    @property
    def unfilled(self) -> list[str]:
        return [f"{quota.pair}: {quota.short_of}" for quota in self.quotas if quota.short_of]

    def coverage(self) -> dict[str, Any] | None:
        """How the set's characters and a tokenizer's vocabulary meet (Table 2 of the paper)."""
        if self.tokenizer is None:
            return None
        name, vocabulary = self.tokenizer
        known = [character for character in self.characters if character in vocabulary]
        covered = sum(self.characters[character] for character in known) / max(1, self.characters.total())
        return {
            "tokenizer": name,
            "vocabulary": len(vocabulary),
            "characters_known": len(known),
            "share_of_vocabulary": len(known) / len(vocabulary),
            "share_of_text": covered,
        }

    def most_frequent(self) -> list[tuple[str, int]]:
        return sorted(self.characters.items(), key=lambda item: (-item[1], item[0]))[:10]

    def to_json(self) -> dict[str, Any]:
        def told(sides: Sides) -> dict[str, dict[str, int]]:
            return {
                quota.pair: {gender: sides.get((quota.pair, gender), 0) for gender in GENDERS} for quota in self.quotas
            }

        return {
            "lang": self.pack.lang,
            "sentences_of_the_corpus": self.sentences,
            "size": self.size,
            "rules": list(self.rules),
            "keywords_found": told(self.found),
            "single_keyword": told(self.single),
            "neutral": told(self.clean),
            "drawn": told(self.drawn),
            "quotas": {quota.pair: {"wanted": quota.wanted, "drawn": quota.drawn} for quota in self.quotas},
            "left_out": dict(sorted(self.reasons.items())),
            "symmetry": [
                {"pair": entry.pair, "ratio": entry.ratio, "male_after_surname": entry.male_after_surname}
                | {"female_after_surname": entry.female_after_surname, "warnings": entry.warnings}
                for entry in self.symmetries
            ],
            "characters": {"distinct": len(self.characters), "most_frequent": self.most_frequent()},
            "coverage": self.coverage(),
            "sources": [dict(source) for source in self.sources],
            "problems": list(self.problems),
            "provenance": dict(self.provenance),
        }


def write_card(folder: Path, card: Card) -> None:
    """`card.json`, `card.md`, and its figures where the drawing library is installed."""
    write_atomically(folder / "card.json", json.dumps(card.to_json(), ensure_ascii=False, indent=1).encode())
    drawn = _draw(folder / "figures", card)
    write_atomically(folder / "card.md", "\n".join(_markdown(card, drawn)).encode())


def _draw(folder: Path, card: Card) -> list[str]:
    from tiltmeter.charts import write_figures

    try:
        return [path.name for path in write_figures(figures(card), folder) if path.suffix == ".svg"]
    except MissingExtra:
        return []


def figures(card: Card) -> list[Figure]:
    """Figure 2 of the paper in two: the keywords before screening, and what each pair has of the set."""
    before = [
        {
            "sentences": card.single.get((quota.pair, gender), 0),
            "keyword": quota.pair.split("/")[number],
            "gender": gender,
        }
        for quota in card.quotas
        for number, gender in enumerate(GENDERS)
    ]
    after = [{"sentences": quota.drawn, "pair": quota.pair} for quota in card.quotas if quota.drawn]
    return [
        Figure(
            kind="sorted",
            title="Sentences with one keyword, before screening",
            rows=tuple(row for row in before if row["sentences"]),
            x="sentences",
            y="keyword",
            colour="gender",
            order=GENDERS,
            caption="How often each keyword stands alone in a sentence of the corpus.",
        ),
        Figure(
            kind="sorted",
            title="Sentences of the set",
            rows=tuple(after),
            x="sentences",
            y="pair",
            caption="After screening and drawing: as many with the male as with the female word.",
        ),
    ]


def _markdown(card: Card, drawn: Sequence[str]) -> Iterator[str]:
    name = card.pack.name
    yield f"# {card.size:,} gender-neutral {name} sentences"
    yield ""
    yield (
        f"Each holds exactly one keyword of {sum(quota.drawn > 0 for quota in card.quotas)} gender pairs, and nothing "
        "else that tells the gender, as far as the rules below can see. No person has read them: what the rules let "
        "through is for reviewers to find. Method: Zhao et al. (2021), section 3."
    )
    yield ""
    yield (
        "`set.parquet` and `set.csv` hold the set (`tiltmeter measure slgu MODEL --sentences set.csv`), "
        "`rejected.parquet` every other sentence with a keyword and the rule that it broke. `mark` is `metaphor` where "
        "a comparison stands in the sentence: such sentences stay."
    )
    yield ""
    yield "## Sizes"
    yield ""
    yield f"{card.sentences:,} sentences were read."
    yield ""
    columns = ("found", "alone in a sentence", "neutral", "in the set")
    yield from table(
        ("pair", *(f"{column}, {gender[0]}" for column in columns for gender in GENDERS), "wanted"),
        [
            (
                quota.pair,
                *(
                    f"{sides.get((quota.pair, gender), 0):,}"
                    for sides in (card.found, card.single, card.clean, card.drawn)
                    for gender in GENDERS
                ),
                f"{quota.wanted:,}",
            )
            for quota in card.quotas
        ],
    )
    for line in card.unfilled:
        yield f"- Not filled: {line}"
    yield ""
    yield from (f"![{stem}](figures/{stem})" for stem in drawn)
    yield ""
    yield "## What was left out"
    yield ""
    told = {rule: text for rule, text in RULES.items() if rule in card.rules} | {
        NOT_DRAWN: "no fault; the quotas had no room"
    }
    yield from table(
        ("rule", "sentences", "what it says"), [(rule, f"{card.reasons[rule]:,}", text) for rule, text in told.items()]
    )
    if off := [rule for rule in RULES if rule not in card.rules]:
        yield f"Not asked: {', '.join(off)}."
        yield ""
    if card.unseen:
        yield f"**{card.unseen}.**"
        yield ""
    yield "## Symmetry of the pairs"
    yield ""
    yield from table(
        ("pair", "male : female", "male behind a surname", "female behind a surname", "warning"),
        [
            (
                entry.pair,
                "–" if entry.ratio is None else f"{entry.ratio:.2f}",
                f"{entry.male_after_surname:.1%}",
                f"{entry.female_after_surname:.1%}",
                "; ".join(entry.warnings),
            )
            for entry in card.symmetries
        ],
    )
    yield "## Characters"
    yield ""
    frequent = ", ".join(f"{code(character)} {count:,}" for character, count in card.most_frequent())
    yield f"{len(card.characters):,} distinct characters; the most frequent: {frequent}."
    if coverage := card.coverage():
        yield (
            f"The vocabulary of {code(coverage['tokenizer'])} ({coverage['vocabulary']:,}) has "
            f"{coverage['characters_known']:,} of them: {coverage['share_of_vocabulary']:.2%} of the vocabulary, "
            f"{coverage['share_of_text']:.2%} of the text."
        )
    else:
        yield "How much of a tokenizer's vocabulary that is: `--tokenizer MODEL`."
    yield ""
    yield "## Sources"
    yield ""
    yield from table(
        ("corpus", "licence", "files", "MB", "sentences of the set"),
        [
            (
                code(source["corpus"]),
                inline(source["licence"]),
                f"{source['files']:,}",
                f"{source['bytes'] / 1e6:,.1f}",
                f"{source['sentences']:,}",
            )
            for source in card.sources
        ],
    )
    for problem in card.problems:
        yield f"- Left out: {inline(problem)}"
    yield ""
    yield "## How it was made"
    yield ""
    yield from (f"- {key}: {code(value)}" for key, value in card.provenance.items())
    yield ""
