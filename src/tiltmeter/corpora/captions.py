"""From captions of pictures to captions with a slot: those about exactly one grown person, who is their subject.

The person word becomes the slot. What is left has to be a neutral sentence by the pack's screening, with a woman and
with a man in the slot: no pronoun, no word that agrees, nothing that fits one sex only.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tiltmeter.corpora.rules import Rules
from tiltmeter.corpora.screening import Screener
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import subject_forms, tagger, write_caption
from tiltmeter.language.inflection import basque, basque_indefinite, basque_plural, basque_singular
from tiltmeter.language.tagging import russian_reading
from tiltmeter.packs import Caption, CaptionRules, Pack

REASONS = {
    "no-person": "no single grown person: nobody, or only children or several people",
    "persons": "more than one word for people",
    "sentences": "more than one sentence",
    "not-subject": "the person is not the subject, or the subject has words that agree with it",
    "stereotyped": "what is thought to go with one gender (skirt, rugby)",
    "unscreened": "with a woman or a man in the slot it is no sentence that can be judged",
}
"""Why a caption is left out, beside the rules of the screening."""
_NOT_ASKED = ("length", "near-duplicate", "metaphor")


@dataclass(frozen=True, slots=True)
class FoundCaption:
    """A caption as it was given, what became of it, and why nothing did."""

    text: str
    caption: Caption | None
    reason: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class _Listed:
    """A word of a list, as it is listed, and where it stands in a caption."""

    word: str
    start: int
    end: int


class CaptionFinder:
    """Judges captions of one language."""

    def __init__(self, pack: Pack) -> None:
        if pack.caption_rules is None or not pack.subjects:
            raise TiltmeterError(
                f"the pack {pack.lang!r} has no caption_rules.toml or no subjects.tsv, which say how the subject of a "
                "caption is told and written"
            )
        self._pack = pack
        self._rules: CaptionRules = pack.caption_rules
        self._end = pack.screening.ends[0] if pack.screening and pack.screening.ends else "."
        self._screener = Screener(pack, Rules(frozenset(_NOT_ASKED)))
        self._tag = tagger(pack.segmenter)
        lists = ("persons", "others", "stereotyped", "harmless")
        # The first list that has a word counts.
        self._lists: dict[str, tuple[str, str]] = {}
        for name in lists:
            for form, word in _forms(getattr(self._rules, name), pack.lang):
                self._lists.setdefault(form, (name, word))
        for occupation in pack.occupations:
            for form, word in _forms(filter(None, (occupation.masculine, occupation.feminine)), pack.lang):
                self._lists.setdefault(form, ("others", word))
        self._hypotheses = [subject_forms(pack.subjects, kind, pack.lang) for kind in ("woman", "man")]
        if pack.grammatical_gender:
            # Determiners agree with their noun: what else does is told without them.
            self._hypotheses = [{slot: text.split()[-1] for slot, text in one.items()} for one in self._hypotheses]

    def find(self, text: str) -> FoundCaption:
        written = self._finished(text)
        if re.search(r"[.!?。！？][\s\"'»”」』]*\w", written):
            return FoundCaption(text, None, "sentences")
        listed = self._listed(written)
        people = [*listed["persons"], *listed["others"]]
        if len(people) != 1 or not listed["persons"]:
            detail = " ".join(written[one.start : one.end] for one in people)
            return FoundCaption(text, None, "persons" if len(people) > 1 else "no-person", detail)
        person = people[0]
        if listed["stereotyped"]:
            return FoundCaption(text, None, "stereotyped", listed["stereotyped"][0].word)
        sentence = self._slotted(written, person)
        if sentence is None:
            return FoundCaption(text, None, "not-subject", written[person.start : person.end])
        caption = Caption(sentence)
        for forms in self._hypotheses:
            if caption.slot not in forms:
                return FoundCaption(text, None, "not-subject", caption.slot)
            judged = list(self._screener.screen(write_caption(caption, forms, self._pack.lang)))
            if len(judged) != 1:
                return FoundCaption(text, None, "unscreened")
            if judged[0].reason:
                return FoundCaption(text, None, judged[0].reason, judged[0].detail)
        return FoundCaption(text, caption)

    def _finished(self, text: str) -> str:
        """The caption as one sentence: composed, without a space before its end, and with an end."""
        written = unicodedata.normalize("NFC", " ".join(text.split()))
        written = re.sub(r"\s+([.,!?])", r"\1", written)
        ends = self._pack.screening.ends if self._pack.screening else "."
        return written if written.endswith(tuple(ends)) else f"{written.rstrip(',;:')}{self._end}"

    def _listed(self, text: str) -> dict[str, list[_Listed]]:
        """The words of each list that stand in a text; of several that begin at one place the longest counts."""
        words = [word for word in self._tag(text) if word.pos != "PUNCT"]
        found: dict[str, list[_Listed]] = defaultdict(list)
        place = 0
        while place < len(words):
            for count in range(min(_MOST_WORDS, len(words) - place), 0, -1):
                start, end = words[place].start, words[place + count - 1].end
                name, word = self._lists.get(self._named(text[start:end]), ("", ""))
                # A word that is always written with a capital is another one without (Junge, junge).
                if name and (text[start].isupper() or not word[0].isupper()):
                    found[name].append(_Listed(word, start, end))
                    place += count
                    break
            else:
                place += 1
        return found

    def _named(self, written: str) -> str:
        """A word as the lists have it: in small letters, of Russian the lemma."""
        if self._pack.lang == "ru" and " " not in written:
            return str(russian_reading(written.lower()).normal_form)
        return written.lower()

    def _slotted(self, text: str, person: _Listed) -> str | None:
        """The caption with its slot, or nothing where the person is not its subject."""
        written, rules = text[person.start : person.end], self._rules
        pattern = rules.phrase.replace("PERSON", re.escape(written))
        # A person of whom nothing else need stay begins the caption, or stands behind what the rules allow.
        for found in re.finditer(rf"(?<!\w){pattern}(?!\w)" if self._pack.spaced else pattern, text, re.IGNORECASE):
            start, end = found.span()
            if start <= person.start and person.end <= end and start == 0 and self._followed(text, end):
                slot = "subject:erg" if self._pack.lang == "eu" and found[0].endswith("ek") else "subject"
                return f"{{{slot}}}{text[end:]}"
        if rules.noun and re.fullmatch(rules.noun, text[: person.start], re.IGNORECASE):
            slot = self._noun_slot(written, person)
            if slot and self._followed(text, person.end):
                return f"{text[: person.start]}{{{slot}}}{text[person.end :]}"
        return None

    def _noun_slot(self, written: str, person: _Listed) -> str:
        if self._pack.lang != "eu":
            return "noun"
        return "noun:def" if written.lower() == basque(person.word, "def") else ""

    def _followed(self, text: str, end: int) -> bool:
        return re.match(self._rules.behind, text[end:], re.IGNORECASE) is not None


_MOST_WORDS = 4
"""Of a word of the lists: 男の人 is three."""


def _forms(words: Iterable[str], lang: str) -> Iterator[tuple[str, str]]:
    """Every written form of the listed words, in small letters, with the word itself."""
    for word in words:
        yield word.lower(), word
        if lang == "eu":
            for made in (basque_indefinite, basque_singular, basque_plural):
                for form in made(word).values():
                    yield form.lower(), word
