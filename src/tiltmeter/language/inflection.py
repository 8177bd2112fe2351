"""Forms of words that a language makes by rule."""

import re

BASQUE_DEMONSTRATIVES = {"hau": "honek"}


def basque(stem: str, case: str) -> str:
    """A noun or noun phrase, given as its stem, in the definite absolutive (`def`) or ergative (`erg`) singular.

    The article -a falls together with a stem's own -a (dietista, dietista), and a final r is written double before it
    (titular, titularra). The ergative adds -k. A stem as it is stands before gisa, postua and bihurtu.
    """
    if case == "bare":
        return stem
    definite = stem if stem.endswith("a") else f"{stem}ra" if stem.endswith("r") else f"{stem}a"
    return f"{definite}k" if case == "erg" else definite


def basque_singular(stem: str) -> dict[str, str]:
    """The definite singular of a person, by case; every ending follows the article (gizona, neska, senarra).

    The three local cases and the causal have a short form beside the long one (gizonarengan, gizonagan).
    """
    definite = basque(stem, "def")
    return {case: f"{definite}{ending}" for case, ending in _SINGULAR.items()}


_SINGULAR = {
    "abs": "", "erg": "k", "dat": "ri", "gen": "ren", "com": "rekin", "ins": "z", "ine": "rengan", "all": "rengana",
    "abl": "rengandik", "ben": "rentzat", "cau": "rengatik", "ine short": "gan", "all short": "gana",
    "abl short": "gandik", "cau short": "gatik",
}  # fmt: skip


def basque_plural(stem: str) -> dict[str, str]:
    """The definite plural of a person: a stem's own -a gives way (neskak, neskek, neskei), a final r is doubled.

    The absolutive is written like the ergative singular, gizonak.
    """
    base = stem.removesuffix("a") if stem.endswith("a") else f"{stem}r" if stem.endswith("r") else stem
    return {case: f"{base}{ending}" for case, ending in _PLURAL.items()}


_PLURAL = {
    "abs": "ak", "erg": "ek", "dat": "ei", "gen": "en", "com": "ekin", "ins": "ez", "ine": "engan", "all": "engana",
    "abl": "engandik", "ben": "entzat", "cau": "engatik",
}  # fmt: skip


def basque_indefinite(stem: str) -> dict[str, str]:
    """A person without an article: the bare stem (gizon bat, gizon hau), and the stem with an ending (gizonik).

    After a vowel r stands before most endings (emakumeri), after a consonant e (gizonen); a final r is doubled.
    """
    if stem[-1] in "aeiou":
        endings = {"erg": "k", "dat": "ri", "gen": "ren", "com": "rekin", "ins": "z", "par": "rik", "ben": "rentzat"}
        return {"bare": stem} | {case: f"{stem}{ending}" for case, ending in endings.items()}
    base = f"{stem}r" if stem.endswith("r") else stem
    endings = {"erg": "ek", "dat": "i", "gen": "en", "com": "ekin", "ins": "ez", "par": "ik", "ben": "entzat"}
    return {"bare": stem} | {case: f"{base}{ending}" for case, ending in endings.items()}


def indefinite_article(word: str) -> str:
    """English a or an, by the first sound: an hour and an MRI, but a university and a European."""
    if re.match(r"[AEFHILMNORSX]([A-Z]|\b|-)", word):
        return "an"
    if re.match(r"(uni([^nm]|$)|us[aeu]|eu|ewe|one|once|u[bt][io])", word, re.IGNORECASE):
        return "a"
    return "an" if re.match(r"[aeiou]|hour|heir|honest|honou?r", word, re.IGNORECASE) else "a"
