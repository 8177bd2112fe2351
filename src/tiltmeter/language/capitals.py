"""Capitals at the beginning of a sentence."""


def capitalised(text: str, lang: str) -> str:
    """The text with a capital for its first letter, where its script and language write one.

    Title case, not upper case: Georgian has capitals that no sentence begins with. In Turkish and Azerbaijani i is
    İ.
    """
    if lang.partition("-")[0] in ("tr", "az") and text.startswith("i"):
        return "İ" + text[1:]
    return text[:1].title() + text[1:]


def written_like(written: str, word: str, lang: str) -> str:
    """The word with capitals where the one in the sentence has them."""
    if len(written) > 1 and written.isupper():
        return word.upper()
    return capitalised(word, lang) if written[:1].isupper() else word
