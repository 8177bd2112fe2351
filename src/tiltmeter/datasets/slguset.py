"""SlguSet, and sets like it: sentences in which a male and a female word fit alike, their keywords found.

In the published file more than four offsets in ten do not give the keyword: it is looked for anew, nearest to the
offset. What cannot be measured is told with its reason.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tiltmeter.datasets.slguset_files import ListedSentence, Span
from tiltmeter.errors import TiltmeterError
from tiltmeter.language import written_like
from tiltmeter.packs import GenderPair, Pack, PersonPair, WordPair

GENDERS = {
    **dict.fromkeys(("male", "m", "man", "masculine", "男", "男性"), "male"),
    **dict.fromkeys(("female", "f", "woman", "feminine", "女", "女性"), "female"),
}
"""What a column `gender` may say of the keyword."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NeutralRow:
    """A sentence with its keyword found, and what stands in its place for the other gender."""

    line: int
    sentence: str
    span: Span
    male: str
    female: str
    """Both as they are written in this sentence."""
    pair: str
    pronoun: bool
    written: str
    """The gender that the sentence was written with."""
    repaired: bool = False
    flag: str = ""
    """What gives the gender away: the keyword or its opposite stands in the sentence once more."""

    @property
    def context(self) -> str:
        """The sentence with both words in it: `年轻{男|女}人`."""
        start, end = self.span
        return f"{self.sentence[:start]}{{{self.male}|{self.female}}}{self.sentence[end:]}"

    def filled(self, word: str) -> str:
        start, end = self.span
        return self.sentence[:start] + word + self.sentence[end:]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that cannot be measured, and why."""

    line: int
    sentence: str
    reason: str


def own_sentences(pack: Pack) -> list[NeutralRow]:
    """The pack's sentences."""
    pronouns = {(pair.male, pair.female) for pair in pack.gender_pairs if pair.kind == "pronoun"}
    rows = []
    for line, entry in enumerate(pack.neutral_sentences, start=1):
        assert entry.parts is not None  # the loader saw to it
        before, male, female, behind = entry.parts
        word = male if entry.written == "male" else female
        rows.append(
            NeutralRow(
                line=line,
                sentence=before + word + behind,
                span=(len(before), len(before) + len(word)),
                male=male,
                female=female,
                pair=f"{entry.male}/{entry.female}",
                pronoun=(entry.male, entry.female) in pronouns,
                written=entry.written,
            )
        )
    return rows


def placed(listed: Iterable[ListedSentence], pack: Pack, *, more: str = "") -> tuple[list[NeutralRow], list[LeftOut]]:
    """The sentences with their keywords found, and those that cannot be measured.

    `more` names pairs that the pack does not know, male word first: `国王/王后, 王子/公主`.
    """
    known = _Pairs(pack, more)
    rows: list[NeutralRow] = []
    left_out: list[LeftOut] = []
    first_line: dict[tuple[str, str, frozenset[str]], int] = {}
    for entry in listed:
        try:
            row = _placed(entry, pack, known)
            before, behind = row.sentence[: row.span[0]], row.sentence[row.span[1] :]
            asked = (before, behind, frozenset((row.male.casefold(), row.female.casefold())))
            first = first_line.setdefault(asked, row.line)
            if first != row.line:
                raise TiltmeterError(f"the same sentence stands in row {first}")
            rows.append(row)
        except TiltmeterError as error:
            left_out.append(LeftOut(entry.line, entry.sentence, str(error)))
    return rows, left_out


def hidden_part(row: NeutralRow, pack: Pack, rule: str) -> tuple[Span, str, str]:
    """What is hidden of a sentence, and what stands there for a man and for a woman.

    `differing-characters`: what the two words do not share at their ends (男 of 男孩), in scripts without spaces; a
    word with spaces around it, or one that holds the other (彼, 彼女), is hidden whole. `whole-word`: always whole.
    """
    start, end = row.span
    head, tail = (0, 0) if rule == "whole-word" or pack.spaced else _shared_ends(row.male, row.female)
    if min(len(row.male), len(row.female)) == head + tail:
        head = tail = 0
    man, woman = (word[head : len(word) - tail] for word in (row.male, row.female))
    return (start + head, end - tail), man, woman


class _Pairs:
    """Which of two words is the male one, and how the pack spells them."""

    def __init__(self, pack: Pack, more: str) -> None:
        given = [_pair(text) for text in more.split(",") if text.strip()]
        in_use = [(pair.male, pair.female) for pair in pack.gender_pairs if pair.status != "rejected"]
        lists: tuple[GenderPair | PersonPair | WordPair, ...] = (
            *pack.gender_pairs,
            *pack.persons,
            *pack.semantic_gender,
        )
        # What the user says comes first.
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        for male, female in (*given, *((entry.male, entry.female) for entry in lists)):
            if (_folded(female), _folded(male)) not in self._known:
                self._known.setdefault((_folded(male), _folded(female)), (male, female))
        self._parts = set() if pack.spaced else {_differing(male, female) for male, female in self._known}
        self._opposites = {_folded(word): other for pair in in_use + given for word, other in (pair, pair[::-1])}
        self._pronouns = {(pair.male, pair.female) for pair in pack.gender_pairs if pair.kind == "pronoun"}

    def opposite(self, word: str) -> str:
        """The other word of a pair that is in use, or nothing."""
        return self._opposites.get(_folded(word), "")

    def gender(self, word: str, opposite: str) -> str:
        """Of the first word: from the pair, or from the characters in which the two differ (老公/老婆 as 外公/外婆)."""
        this, other = _folded(word), _folded(opposite)
        for known, found in ((self._known, (this, other)), (self._parts, _differing(this, other))):
            if (found in known) != (found[::-1] in known):
                return "male" if found in known else "female"
        return ""

    def spelt(self, male: str, female: str) -> tuple[str, str]:
        """The pair as the pack writes it, where it knows it."""
        return self._known.get((_folded(male), _folded(female)), (male, female))

    def pronoun(self, male: str, female: str) -> bool:
        return (male, female) in self._pronouns


def _folded(word: str) -> str:
    return word.casefold()


def _pair(text: str) -> tuple[str, str]:
    male, slash, female = (part.strip() for part in text.partition("/"))
    if not (male and slash and female) or male == female:
        raise TiltmeterError(f"--pairs takes MALE/FEMALE, several with commas between; {text.strip()!r} is none")
    return male, female


def _placed(entry: ListedSentence, pack: Pack, known: _Pairs) -> NeutralRow:
    """The row with its keyword found; an error says why it cannot be measured."""
    keyword, opposite = entry.keyword, entry.opposite or known.opposite(entry.keyword)
    if not entry.sentence.strip():
        raise TiltmeterError("there is no sentence")
    if not keyword:
        raise TiltmeterError("there is no keyword")
    if not opposite:
        raise TiltmeterError(f"there is no opposite of {keyword!r}, and the pack knows none")
    if keyword == opposite:
        raise TiltmeterError(f"both words are {keyword!r}")
    places = _occurrences(entry.sentence, keyword, opposite, pack)
    if not places:
        raise TiltmeterError(f"{keyword!r} does not stand in the sentence")
    if entry.position is None and len(places) > 1:
        raise TiltmeterError(f"its position is no list [start, end], and {keyword!r} stands in it {len(places)} times")
    near = places[0][0] if entry.position is None else entry.position[0]
    start, end = min(places, key=lambda place: abs(place[0] - near))
    gender = _gender(entry.gender, keyword, opposite, known)
    male, female = known.spelt(*((keyword, opposite) if gender == "male" else (opposite, keyword)))
    written = entry.sentence[start:end]
    other = written_like(written, female if gender == "male" else male, pack.lang)
    again = len(places) > 1
    both = bool(_occurrences(entry.sentence[:start] + "\n" + entry.sentence[end:], opposite, keyword, pack))
    return NeutralRow(
        line=entry.line,
        sentence=entry.sentence,
        span=(start, end),
        male=written if gender == "male" else other,
        female=other if gender == "male" else written,
        pair=entry.pair or f"{male}/{female}",
        pronoun=known.pronoun(male, female),
        written=gender,
        repaired=entry.position != (start, end),
        flag=", ".join(name for name, there in (("keyword again", again), ("both words", both)) if there),
    )


def _gender(said: str, keyword: str, opposite: str, known: _Pairs) -> str:
    """Of the keyword, as the file says or the pair tells."""
    told, found = GENDERS.get(said.casefold(), ""), known.gender(keyword, opposite)
    if said and not told:
        raise TiltmeterError(f"its gender is {said!r}, and male or female was expected")
    if told and found and told != found:
        raise TiltmeterError(f"the file calls {keyword!r} {told}, and the pack {found}")
    if not told and not found:
        raise TiltmeterError(
            f"which of {keyword!r} and {opposite!r} is male is not known: say it with --pairs MALE/FEMALE, or in a "
            "column 'gender' of the keyword"
        )
    return told or found


def _occurrences(sentence: str, word: str, opposite: str, pack: Pack) -> list[Span]:
    """Where a word stands: between spaces where there are any, never as a part of its opposite (彼 of 彼女)."""
    if pack.spaced:
        return [m.span() for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE)]
    found = [m.start() for m in re.finditer(f"(?={re.escape(word)})", sentence)]
    if word in opposite:
        at = [m.span() for m in re.finditer(re.escape(opposite), sentence)]
        found = [place for place in found if not any(start <= place < end for start, end in at)]
    return [(place, place + len(word)) for place in found]


def _differing(one: str, other: str) -> tuple[str, str]:
    head, tail = _shared_ends(one, other)
    return one[head : len(one) - tail], other[head : len(other) - tail]


def _shared_ends(one: str, other: str) -> tuple[int, int]:
    """How many characters two words share at their beginning, and at the end of what is left."""
    shortest = min(len(one), len(other))
    head = next((n for n in range(shortest) if one[n] != other[n]), shortest)
    left = shortest - head
    return head, next((n for n in range(left) if one[-1 - n] != other[-1 - n]), left)


def left_out_reasons(left_out: Sequence[LeftOut]) -> dict[str, int]:
    """How many rows were left out for each kind of reason, words in quotes put aside."""
    reasons: dict[str, int] = {}
    for entry in left_out:
        kind = re.sub(r"'[^']*'", "'…'", re.sub(r"\brow \d+", "an earlier row", entry.reason))
        reasons[kind] = reasons.get(kind, 0) + 1
    return reasons
