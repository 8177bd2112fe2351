"""The rules by which a sentence is left out, in the order in which they are asked."""

from collections.abc import Collection
from dataclasses import dataclass

from tiltmeter.errors import unknown
from tiltmeter.packs import Pack

RULES = {
    "unfinished": "it does not end as a sentence does: a headline, a fragment",
    "keywords": "more than one keyword",
    "length": "shorter or longer than the pack allows",
    "inside-word": "the keyword is a part of another word (吉他, 子女)",
    "generic": "a form that stands for everybody (他们)",
    "sense": "with the opposite word it would mean something else (男儿, 女儿)",
    "name": "a person's name; bare surnames stay",
    "gendered-term": "another word tells the gender (弟弟 ... 兄弟俩)",
    "biological": "a word that fits one sex only (孕期)",
    "agreement-leak": "an article, adjective, participle or verb agrees with the keyword",
    "speaker-gender": "the speaker's words tell a gender (俺, あたし)",
    "allocutive": "the verb tells the gender of whom one speaks to (duk, dun)",
    "near-duplicate": "nearly the same as another sentence",
}
"""What each rule is about. A sentence is left out for the first that it breaks."""

NEEDED = ("keywords", "inside-word")
"""Rules without which there is no keyword to hide."""

NOT_DRAWN = "not-drawn"
"""What is said of sentences that broke no rule, and that the quotas had no room for."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Which rules are asked."""

    off: frozenset[str] = frozenset()

    def __contains__(self, rule: str) -> bool:
        return rule not in self.off

    @classmethod
    def without(cls, names: Collection[str]) -> "Rules":
        for name in names:
            if name not in RULES:
                raise unknown("rule", name, RULES)
            if name in NEEDED:
                raise unknown("rule that can be switched off", name, set(RULES) - set(NEEDED))
        return cls(frozenset(names))

    def asked_in(self, pack: Pack) -> list[str]:
        """Those that mean something in a language."""
        screening = pack.screening
        assert screening is not None
        there = {
            "inside-word": True,
            "generic": bool(screening.generic),
            "sense": bool(screening.other_sense),
            "name": bool(screening.names),
            "gendered-term": bool(screening.gendered),
            "biological": bool(screening.biological),
            "agreement-leak": bool(screening.agreement),
            "speaker-gender": bool(screening.speaker),
            "allocutive": bool(screening.allocutive),
        }
        return [rule for rule in RULES if rule in self and there.get(rule, True)]
