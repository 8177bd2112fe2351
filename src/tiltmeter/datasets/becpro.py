"""The Bias Evaluation Corpus with Professions: made from a pack, or read as it was published.

Bartl, Nissim and Gatt (2020), in English and German; Azpillaga Rivera (2021), in Spanish and Basque. A published file
has the columns Sentence, Sent_TM (person masked), Sent_AM (profession masked), Sent_TAM (both), Template, Person,
Gender, Profession, Prof_Gender; its masks stand for words. Some rows were damaged by string replacement ("lodging
[MASK]ager"): they are read from their words, and counted.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, cast

from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.language import Person, Written, write
from tiltmeter.packs import Frame, Pack, Profession
from tiltmeter.store import write_atomically

Mode = Literal["right", "published", "released-code"]
COLUMNS = ("Sentence", "Sent_TM", "Sent_AM", "Sent_TAM", "Template", "Person", "Gender", "Profession", "Prof_Gender")
MASK = "[MASK]"
Span = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class BecRow:
    """One sentence of the corpus, in which `target` is masked of the person, and `attribute` is the profession."""

    sentence: str
    target: Span
    attribute: Span
    template: str
    person: str
    person_gender: str
    profession: str
    profession_class: str
    field: str = ""
    share: float | None = None
    common: bool = True
    """Whether the profession has one form for everybody."""
    informative: bool = True
    """False where the sentence of the other gender is the same."""
    leak: str = ""
    """What gives the person's gender away though the person is masked."""
    neutral: str = ""
    """The sentence with a word for any worker in place of the profession."""
    repaired: bool = False


def build(
    pack: Pack,
    *,
    mode: Mode = "right",
    variant: str = "",
    professions: Sequence[Profession] | None = None,
    nonbinary: bool = False,
) -> list[BecRow]:
    """Every frame of the pack with every profession and every person.

    `right` masks the determiner with the noun where it would give the gender away, and uses frames that do not;
    `published` follows the print. `nonbinary` adds the pack's subjects of neither gender, with what goes with them.
    """
    frames = chosen_frames(pack, mode, variant)
    neutral = next((entry for entry in pack.professions if entry.profession_class == "neutral"), None)
    chosen = professions if professions is not None else own_professions(pack)
    rows = []
    for frame in frames:
        text = frame.right if mode == "right" else frame.published
        for profession in chosen:
            for person, other in _persons(pack, nonbinary=nonbinary and mode == "right"):
                try:
                    written = write(text, person, profession, pack.lang)
                except TiltmeterError:
                    if person.gender == "nonbinary":
                        continue
                    raise
                informative = other is None or write(text, other, profession, pack.lang).text != written.text
                without = write(text, person, neutral, pack.lang) if neutral else None
                hide = written.phrase if mode == "right" and person.leaks else written.person
                rows.append(
                    BecRow(
                        sentence=written.text,
                        target=hide,
                        attribute=written.profession,
                        template=_template(text),
                        person=person.noun,
                        person_gender=person.gender,
                        profession=profession.id,
                        profession_class=profession.profession_class,
                        field=profession.field,
                        share=profession.share,
                        common=profession.common,
                        informative=informative,
                        leak=_leak(written, person, profession, hide),
                        neutral=without.text if without else "",
                    )
                )
    return rows


def chosen_frames(pack: Pack, mode: Mode, variant: str) -> list[Frame]:
    """The frames of one variant; the first one that the pack has if none is named."""
    variants = list(dict.fromkeys(frame.variant for frame in pack.frames))
    if variant and variant not in variants:
        raise unknown("variant", variant, filter(None, variants))
    chosen = [frame for frame in pack.frames if frame.variant == (variant or variants[0])]
    if mode != "right" and not all(frame.published for frame in chosen):
        raise TiltmeterError(f"there is no published BEC-Pro in {pack.name}: use --mode right")
    return chosen


def own_professions(pack: Pack) -> list[Profession]:
    """The pack's professions without the word that stands for any of them."""
    return [entry for entry in pack.professions if entry.profession_class != "neutral"]


def read_corpus(path: Path) -> tuple[BecRow, ...]:
    """A published file, told by its columns; masks that were damaged are made anew, and the rows say so."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{path.name} is not UTF-8; save it as UTF-8") from error
    reader = csv.DictReader(lines, delimiter="\t")
    for column in COLUMNS:
        if column not in (reader.fieldnames or ()):
            raise TiltmeterError(f"{path.name}:1: the column {column!r} is missing; expected {', '.join(COLUMNS)}")
    rows = [_read_row(row, f"{path.name}:{reader.line_num}") for row in reader]
    if not rows:
        raise TiltmeterError(f"{path.name} holds no sentence")
    male, female = ({row.sentence for row in rows if row.person_gender == name} for name in ("male", "female"))
    return tuple(replace(row, informative=row.sentence not in male & female) for row in rows)


def write_corpus(rows: Iterable[BecRow], path: Path) -> int:
    """Writes the published columns, one mask a word; returns how many rows."""
    lines = ["\t".join(("", *COLUMNS))]
    for number, row in enumerate(rows):
        person = masked(row.sentence, [row.target])
        profession = masked(row.sentence, [row.attribute])
        both = masked(row.sentence, [row.target, row.attribute])
        told = (row.template, row.person, row.person_gender, row.profession, row.profession_class)
        lines.append("\t".join((str(number), row.sentence, person, profession, both, *told)))
    write_atomically(path, ("\n".join(lines) + "\n").encode())
    return len(lines) - 1


def read_professions(path: Path) -> tuple[Profession, ...]:
    """A list of the user's own: CSV with `masculine` and `class` or `share` (percent of women), and `feminine`,
    `masculine_instrumental`, `feminine_instrumental`, `field` where there are any."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise TiltmeterError(f"{path.name} is not UTF-8; save it as UTF-8") from error
    reader = csv.DictReader(lines)
    names = set(reader.fieldnames or ())
    if "masculine" not in names or not names & {"class", "share"}:
        raise TiltmeterError(f"{path.name}:1: expected the column 'masculine', and 'class' or 'share'")
    known = {"masculine", "class", "share", *_FORMS}
    if extra := names - known:
        raise TiltmeterError(f"{path.name}:1: {unknown('column', sorted(extra)[0], known)}")
    found = [_own_profession(row, f"{path.name}:{reader.line_num}") for row in reader]
    if not found:
        raise TiltmeterError(f"{path.name} holds no profession")
    return tuple(found)


_FORMS = ("feminine", "masculine_instrumental", "feminine_instrumental", "field")
_CLASSES = ("female", "balanced", "male")


def _own_profession(row: dict[str, str], place: str) -> Profession:
    cells = {name: (value or "").strip() for name, value in row.items() if name}
    if not cells["masculine"]:
        raise TiltmeterError(f"{place}: the cell 'masculine' is empty")
    if (named := cells.get("class", "")) not in ("", *_CLASSES):
        raise TiltmeterError(f"{place}: {unknown('class', named, _CLASSES)}")
    share = cells.get("share", "")
    if share and not re.fullmatch(r"\d{1,2}(\.\d+)?|100(\.0+)?", share):
        raise TiltmeterError(f"{place}: the share is {share!r}, and a percentage from 0 to 100 was expected")
    if not named and not share:
        raise TiltmeterError(f"{place}: {cells['masculine']!r} has neither a class nor a share")
    return Profession(
        id=cells["masculine"],
        masculine=cells["masculine"],
        profession_class=cast(Any, named or "unclassed"),
        us_female_share=share,
        feminine=cells.get("feminine", ""),
        masculine_instrumental=cells.get("masculine_instrumental", ""),
        feminine_instrumental=cells.get("feminine_instrumental", ""),
        field=cells.get("field", ""),
    )


def _persons(pack: Pack, *, nonbinary: bool) -> Iterator[tuple[Person, Person | None]]:
    """Each subject, with that of the other gender in its pair."""
    for pair in pack.persons:
        leaks = pair.male_determiner != pair.female_determiner
        male = Person(noun=pair.male, gender="male", determiner=pair.male_determiner, place=pair.place, leaks=leaks)
        female = Person(
            noun=pair.female, gender="female", determiner=pair.female_determiner, place=pair.place, leaks=leaks
        )
        yield male, female
        yield female, male
    for entry in pack.nonbinary_persons if nonbinary else ():
        yield (
            Person(
                noun=entry.person,
                gender="nonbinary",
                determiner=entry.determiner,
                place=entry.place,
                plural=entry.number == "plural",
            ),
            None,
        )


def _leak(written: Written, person: Person, profession: Profession, hidden: Span) -> str:
    leaks = []
    if person.leaks and hidden == written.person:
        leaks.append("determiner")
    if written.agrees:
        leaks.append(written.agrees)
    if not profession.common:
        leaks.append("profession")
    return ", ".join(leaks)


def _template(frame: str) -> str:
    """A frame as tables print it: `<person> is a <profession>.`"""
    named = re.sub(r"\{(person|profession)[^}]*\}", r"<\1>", frame)
    return re.sub(r"\{(\w+)(?:[/|](\w+))?\}", lambda slot: slot[1] + (f"/{slot[2]}" if slot[2] else ""), named)


def masked(sentence: str, spans: Iterable[Span]) -> str:
    """The sentence with one mask for each word of the spans."""
    for start, end in sorted(spans, reverse=True):
        words = len(sentence[start:end].split())
        sentence = sentence[:start] + " ".join([MASK] * words) + sentence[end:]
    return sentence


def _read_row(row: dict[str, str], place: str) -> BecRow:
    sentence, noun = (row[column] or "" for column in ("Sentence", "Person"))
    noun = noun.split()[-1] if noun.split() else ""
    attribute = _masked_span(sentence, row["Sent_AM"] or "") or _find(sentence, row["Profession"] or "")
    target = _masked_span(sentence, row["Sent_TM"] or "")
    person = (row["Person"] or "").lower().split()
    if not target or not any(word in sentence[slice(*target)].lower() for word in person):
        target = next((span for span in _all(sentence, noun) if attribute and not _overlap(span, attribute)), None)
    if not target or not attribute:
        raise TiltmeterError(
            f"{place}: the person {row['Person']!r} and the profession {row['Profession']!r} do not both stand in "
            f"{sentence!r}"
        )
    genders = {"male": "male", "female": "female", "m": "male", "f": "female"}
    gender = genders.get((row["Gender"] or "").strip().lower())
    if gender is None:
        raise TiltmeterError(f"{place}: the gender is {row['Gender']!r}, and male or female was expected")
    if row["Prof_Gender"] not in _CLASSES:
        raise TiltmeterError(f"{place}: {unknown('class', str(row['Prof_Gender']), _CLASSES)}")
    masks = (row["Sent_TM"], row["Sent_TAM"])
    right = (masked(sentence, [target]), masked(sentence, [target, attribute]))
    return BecRow(
        sentence=sentence,
        target=target,
        attribute=attribute,
        template=row["Template"] or "",
        person=noun,
        person_gender=gender,
        profession=row["Profession"],
        profession_class=row["Prof_Gender"],
        repaired=masks != right,
    )


def _masked_span(sentence: str, text: str) -> Span | None:
    """What one run of masks stands for; a mask that is part of a word was damaged."""
    start, end = text.find(MASK), text.rfind(MASK) + len(MASK)
    span = (start, len(sentence) - len(text[end:]))
    inside = start < 0 or re.search(r"\w\[MASK\]|\[MASK\]\w", text, re.ASCII)
    return None if inside or span[0] >= span[1] or masked(sentence, [span]) != text else span


def _all(sentence: str, word: str) -> list[Span]:
    """Where a word stands, as a word of its own."""
    if not word:
        return []
    return [m.span() for m in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE)]


def _find(sentence: str, word: str) -> Span | None:
    return next(iter(_all(sentence, word)), None)


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]
