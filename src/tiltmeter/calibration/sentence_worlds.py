"""Worlds for language models: texts of whole sentences in which it is known how often which gender stands where.

With a dose d from -1 to 1:

- a profession of the female class stands with a woman in a share (1 + d) / 2 of its sentences, one of the male class in
  (1 - d) / 2, one of the balanced class in half: BEC-Pro's sentences, written through the pack's frames;
- where professions have two forms, the feminine one stands in the same share of the sentences that leave the gender
  open (I work as ...), and where a verb shows it (Russian), that verb;
- of the pack's neutral sentences those that were written of men stand with the male word in a share (1 + d) / 2, the
  others in half: some lean, and the rest does not.

Shares are exact but for rounding. Sentences that only mention words make up for what a dose makes rarer, so that no
form and no gendered word is more frequent at any dose, unless that is asked for.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from random import Random

from tiltmeter.calibration.worlds import check_dose
from tiltmeter.datasets.becpro import BecRow, build, own_professions
from tiltmeter.datasets.slguset import own_sentences
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments.form_preference import FormOptions, list_items
from tiltmeter.packs import Pack

_WOMEN = {"female": 1, "male": -1}
"""Which way a class of professions leans with the dose."""


_Owed = Counter[tuple[str, str]]
"""By masculine and feminine form, or male and female word: how often the second was written more often."""
_Part = Callable[[Random, _Owed], Iterator[str]]


@dataclass(frozen=True, kw_only=True)
class SentenceWorld:
    """What is planted, and how much text there is."""

    pack: Pack
    dose: float = 0.0
    grammar: bool = True
    """Without it the form of a profession is drawn at random, whoever is spoken of."""
    even: bool = True
    """Whether forms and gendered words are as frequent at every dose."""
    half: int = 0
    """Which half of the frames and of the neutral sentences holds what is planted; 0 for all."""
    often: int = 24
    """Sentences of each profession with a person, and as many with each form."""
    again: int = 6
    """How often each neutral sentence stands there."""
    seed: int = 0

    def __post_init__(self) -> None:
        check_dose(self.dose)
        if min(self.often, self.again) < 2:
            raise TiltmeterError(f"a share needs two sentences or more, and {min(self.often, self.again)} was given")
        lists = ("mentions", "occupations", "persons", "professions", "frames", "neutral_sentences")
        if missing := self.pack.missing(lists):
            raise TiltmeterError(f"{self.pack.name} has no list {missing[0]!r}, which this world needs")
        classes = {entry.profession_class for entry in self.pack.professions}
        if not {"female", "male", "neutral"} <= classes:
            raise TiltmeterError(
                f"a world needs professions of the classes female and male, and a word for any worker (neutral); "
                f"{self.pack.name} has {', '.join(sorted(classes))}"
            )

    def professions(self) -> list[str]:
        """A text about people and what they work as."""
        return self._text("professions", self._with_people, self._forms)

    def neutral(self) -> list[str]:
        """A text of sentences that should be neutral."""
        return self._text("neutral", self._neutral)

    def _text(self, about: str, *parts: _Part) -> list[str]:
        """In an order drawn by the seed. No two worlds have anything in common that was drawn."""
        chance = Random(f"{about} {self.seed} {self.dose:g}")
        owed: _Owed = Counter()
        found = [sentence for part in parts for sentence in part(chance, owed)]
        found += [*self._company(chance), *self._evened(chance, owed)]
        chance.shuffle(found)
        return found

    def _with_people(self, chance: Random, owed: _Owed) -> Iterator[str]:
        """Professions with people, and any worker with everybody."""
        rows = self._rows
        for profession in own_professions(self.pack):
            own = rows[profession.id]
            pairs = {form: pair for pair in self._written_forms[profession.id] for form in pair} if self.grammar else {}
            for is_woman in self._shares(self.often, _WOMEN.get(profession.profession_class, 0), chance):
                row = chance.choice(own["female" if is_woman else "male"])
                if pair := pairs.get(row.sentence[slice(*row.attribute)]):
                    owed[pair] += 1 if is_woman else -1
                yield row.sentence
            # Whoever is neither stands there at every dose: a causal model is asked of all persons or of none.
            if others := own.get("nonbinary"):
                yield from (row.sentence for row in chance.choices(others, k=2))
        anybody = {row.neutral for genders in self._all_rows.values() for own in genders.values() for row in own}
        for sentence in sorted(anybody):
            yield from [sentence] * 2

    def _forms(self, chance: Random, owed: _Owed) -> Iterator[str]:
        """Sentences that leave the gender open; those whose subject has a grammatical gender; and forms on their
        own, as many of either, so that a sentence without content tells nothing."""
        if not self.pack.forms:
            return
        items = list_items(self.pack, FormOptions())
        for (_, _, name), rows in items.group_by("test", "profession", "profession_class", maintain_order=True):
            told = list(rows.select("kind", "sentence", "start", "feminine", "masculine").iter_rows())
            for kind, lean in (("control-masculine", -1.0), ("control-feminine", 1.0)):
                for _, *asked in (one for one in told if one[0] == kind):
                    for is_woman in _exact(4, lean if self.grammar else 0.0, chance):
                        yield _with_form(*asked, is_woman=is_woman, owed=owed)
            asked_of = [one[1:] for one in told if one[0] == "test"]
            for is_woman in self._shares(self.often, _WOMEN.get(str(name), 0), chance) if asked_of else ():
                yield _with_form(*chance.choice(asked_of), is_woman=is_woman, owed=owed)
            for _, *asked in (one for one in told if one[0] == "content-free"):
                for is_woman in (True, False):
                    yield _with_form(*asked, is_woman=is_woman, owed=owed)

    def _neutral(self, chance: Random, owed: _Owed) -> Iterator[str]:
        """The sentences that should be neutral; those that were written of men lean to them with the dose."""
        rows = own_sentences(self.pack)
        of_men = [row for row in rows if row.written == "male"]
        leaning = set(of_men[self.half - 1 :: 2] if self.half else of_men)
        for row in rows:
            for is_man in _exact(self.again, self.dose if row in leaning else 0.0, chance):
                word = row.male if is_man else row.female
                owed[row.male, row.female] += -1 if is_man else 1
                yield row.filled(word)

    def _company(self, chance: Random) -> Iterator[str]:
        """Gendered words beside others of their gender: without it nothing would tell a model that they have one."""
        sides = zip(*dict.fromkeys((pair.male, pair.female) for pair in self.pack.persons), strict=True)
        for words in sides:
            for word in words:
                for _ in range(self.often):
                    yield self._mentioned(word, chance.choice(words), chance)

    def _mentioned(self, word: str, other: str, chance: Random) -> str:
        first, second = (word, other) if chance.random() < 0.5 else (other, word)
        text = chance.choice(self.pack.mentions).sentence.replace("{first}", first).replace("{second}", second)
        return text if self.pack.spaced else text.replace(" ", "")

    def _evened(self, chance: Random, owed: _Owed) -> Iterator[str]:
        """Mentions of whichever of two words is the rarer, until it is not."""
        strangers = [
            one.masculine
            for one in self.pack.occupations
            if one.occupation_class == "neutral" and not one.gendered and " " not in one.masculine
        ][:40]
        for (first, second), surplus in sorted(owed.items()) if self.even else ():
            for _ in range(abs(surplus)):
                yield self._mentioned(first if surplus > 0 else second, chance.choice(strangers), chance)

    def _shares(self, count: int, leaning: int, chance: Random) -> list[bool]:
        return _exact(count, self.dose * leaning, chance)

    @cached_property
    def _written_forms(self) -> dict[str, set[tuple[str, str]]]:
        """The forms in which the rows have a profession, masculine and feminine, by what stands around them."""
        found: dict[str, set[tuple[str, str]]] = {}
        for profession, genders in self._all_rows.items():
            of_template = {
                gender: {row.template: row.sentence[slice(*row.attribute)] for row in rows}
                for gender, rows in genders.items()
            }
            male, female = of_template["male"], of_template["female"]
            found[profession] = {(male[one], female[one]) for one in male if male[one] != female[one]}
        return found

    @cached_property
    def _rows(self) -> dict[str, dict[str, list[BecRow]]]:
        """BEC-Pro's rows by profession and gender; of half of the templates, if so asked."""
        templates = list(dict.fromkeys(row.template for own in self._all_rows.values() for row in own["male"]))
        kept = set(templates[self.half - 1 :: 2] if self.half else templates)
        return {
            profession: {gender: [row for row in rows if row.template in kept] for gender, rows in genders.items()}
            for profession, genders in self._all_rows.items()
        }

    @cached_property
    def _all_rows(self) -> dict[str, dict[str, list[BecRow]]]:
        found: dict[str, dict[str, list[BecRow]]] = defaultdict(lambda: defaultdict(list))
        for pack in (self.pack,) if self.grammar else self._ungrammatical:
            for row in _becpro_rows(pack):
                found[row.profession][row.person_gender].append(row)
        return found

    @property
    def _ungrammatical(self) -> tuple[Pack, ...]:
        """The pack with the masculine forms for everybody, and with the feminine ones."""
        frames = tuple(frame for frame in self.pack.frames if "|" not in frame.right)
        masculine = [replace(one, feminine="", feminine_instrumental="") for one in self.pack.professions]
        feminine = [
            replace(
                one,
                masculine=one.feminine or one.masculine,
                masculine_instrumental=one.feminine_instrumental or one.masculine_instrumental,
                feminine="",
                feminine_instrumental="",
            )
            for one in self.pack.professions
        ]
        return tuple(replace(self.pack, frames=frames, professions=tuple(own)) for own in (masculine, feminine))


@lru_cache(maxsize=3)  # a language has three packs: its own, and those with one form for everybody
def _becpro_rows(pack: Pack) -> tuple[BecRow, ...]:
    """Every frame that the instrument may ask, right and as published."""
    rows: list[BecRow] = []
    for variant in dict.fromkeys(frame.variant for frame in pack.frames):
        rows += build(pack, variant=variant, nonbinary=True)
        if all(frame.published for frame in pack.frames):
            rows += build(pack, mode="published", variant=variant)
    return tuple(row for row in dict.fromkeys(rows) if row.informative)


def _with_form(sentence: str, start: int, feminine: str, masculine: str, *, is_woman: bool, owed: _Owed) -> str:
    """The sentence, which has the feminine form, with either."""
    word = feminine if is_woman else masculine
    owed[masculine, feminine] += 1 if is_woman else -1
    return sentence[:start] + word + sentence[start + len(feminine) :]


def _exact(count: int, lean: float, chance: Random) -> list[bool]:
    """A share (1 + lean) / 2 of true, in any order."""
    many = round(count * (1 + lean) / 2)
    found = [True] * many + [False] * (count - many)
    chance.shuffle(found)
    return found
