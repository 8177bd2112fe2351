"""What is known of Spanish words: how they end, and lists of them."""

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Literal

Gender = Literal["male", "female"]


@cache
def finite(word: str) -> bool:
    """Whether the word looks like a form of a verb, and not like a noun."""
    if word in words("verbs"):
        return True
    if word.endswith("ía"):
        return word not in words("nouns_in_ia") and not re.search(
            r"(graf|log|nom|metr|pat|sof|gog|fon|cron|arqu)ía$", word
        )
    return bool(_FINITE.search(word)) and word not in words("not_finite")


@cache
def participle(word: str, gender: Gender) -> bool:
    pattern = r"..[aií]do$" if gender == "male" else r"..[aií]da$"
    return bool(re.search(pattern, word)) and word not in words("not_participles")


@cache
def noun_gender(word: str) -> Literal["male", "female", ""]:
    """By its ending, as far as that tells it."""
    if word.endswith("s") and word not in words("feminine_nouns"):
        word = re.sub(r"(?<=[dnrlz])es$|s$", "", word).replace("cion", "ción").replace("sion", "sión")
    if word in words("feminine_nouns") or re.search(r"(ción|sión|zón|dad|tad|tud|umbre|ez|ie)$", word):
        return "female"
    if word in words("masculine_nouns_in_a"):
        return "male"
    if word.endswith("a"):
        return "female"
    return "male" if re.search(r"[oeórlnjuyíé]$", word) else ""


@cache
def words(name: str) -> frozenset[str]:
    return frozenset(_lists()[name].split())


@cache
def grammar() -> frozenset[str]:
    return words("prepositions") | words("conjunctions") | words("functions") | determiners()


@cache
def determiners() -> frozenset[str]:
    return frozenset().union(*(words(f"determiners_{kind}") for kind in ("male", "female", "plural_female", "both")))


@cache
def forms(gender: Gender) -> frozenset[str]:
    ending = "o" if gender == "male" else "a"
    of_pairs = {pair.split("/")[gender == "female"] for pair in words("consonant_adjectives")}
    diminutives = {word.replace("{o}", ending) for word in words("diminutives")}
    return frozenset({stem + ending for stem in words("adjectives")} | of_pairs | diminutives)


@cache
def persons(gender: Gender) -> frozenset[str]:
    ending, side = ("o", 0) if gender == "male" else ("a", 1)
    return frozenset(word.split("/")[side] if "/" in word else word.replace("{o}", ending) for word in words("persons"))


@cache
def imperatives(ending: str) -> frozenset[str]:
    return frozenset(word.replace("{l}", ending) for word in words("imperatives"))


@cache
def _lists() -> dict[str, str]:
    found: dict[str, str] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return found


_FINITE = re.compile(r"(ó|[^f]é|aba|aban|ábamos|ían|íamos|aron|ieron|yeron|[aei]rá|[aei]rán|iera|ieran|iese)$")
