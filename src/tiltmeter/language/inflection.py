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


def indefinite_article(word: str) -> str:
    """English a or an, by the first sound: an hour and an MRI, but a university and a European."""
    if re.match(r"[AEFHILMNORSX]([A-Z]|\b|-)", word):
        return "an"
    if re.match(r"(uni([^nm]|$)|us[aeu]|eu|ewe|one|once|u[bt][io])", word, re.IGNORECASE):
        return "a"
    return "an" if re.match(r"[aeiou]|hour|heir|honest|honou?r", word, re.IGNORECASE) else "a"
