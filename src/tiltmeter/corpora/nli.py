"""`build nli`: pairs of sentences for NLI-CoAL from a pack's captions or those of a file, with their data card."""

import csv
import hashlib
import io
import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal

from tiltmeter.corpora.captions import REASONS, CaptionFinder, FoundCaption
from tiltmeter.corpora.folder import filling, refuse_filled
from tiltmeter.corpora.markdown import code, inline, table
from tiltmeter.corpora.rules import RULES
from tiltmeter.datasets.captions import read_captions
from tiltmeter.datasets.nli import (
    GENDERS,
    PER_OCCUPATION,
    SETS,
    Forms,
    LeftOut,
    Made,
    Mode,
    NliPair,
    by_crowd_scores,
    by_share,
    make_pairs,
)
from tiltmeter.datasets.nli_files import read_crowd_scores, read_occupations, written_files
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Caption, Occupation, Pack
from tiltmeter.results import harmless
from tiltmeter.store import write_atomically

Classes = Literal["listed", "crowd", "share"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NliRequest:
    """What is to be built, of what."""

    pack: Pack
    captions: Path | None = None
    """COCO's JSON or plain lines, instead of the pack's captions."""
    occupations: Path | None = None
    """A list of the user's own (CSV), instead of the pack's."""
    classes: Classes = "listed"
    """By what an occupation is stereotyped: the list's class, crowd scores, or the share of women."""
    scores: Path | None = None
    """The crowd scores: `professions.json` of Bolukbasi et al. (2016)."""
    mode: Mode = "right"
    forms: Forms = "epicene"
    per_occupation: int = PER_OCCUPATION
    seed: int = 0
    licence: str = ""
    """Of the captions, for the data card."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NliCard:
    """The numbers of a build."""

    request: NliRequest
    pairs: tuple[NliPair, ...]
    left_out: tuple[LeftOut, ...]
    captions: int
    found: tuple[FoundCaption, ...]
    """What became of the given captions; nothing where the pack's own were taken."""
    provenance: Mapping[str, Any]

    def sizes(self) -> dict[str, dict[str, int]]:
        """Table 6 of the paper: pairs and occupations of each set, and of each stereotyped gender."""
        rows = {}
        for name in SETS:
            some = [pair for pair in self.pairs if pair.set == name]
            rows[name] = {"pairs": len(some), "occupations": len({pair.occupation for pair in some})}
            for gender in GENDERS if name != "NS" else ():
                rows[name][gender] = sum(pair.occupation_class == gender for pair in some)
        return rows

    def reasons(self) -> Counter[str]:
        return Counter(entry.reason for entry in self.found if entry.reason)

    def caption_use(self) -> dict[str, dict[str, int]]:
        """How many female-, male- and not stereotyped occupations each caption serves."""
        used: dict[str, dict[str, set[str]]] = {}
        for pair in self.pairs:
            served = used.setdefault(pair.template, {name: set() for name in (*GENDERS, "neutral")})
            served[pair.occupation_class].add(f"{pair.form} {pair.occupation}")
        return {caption: {name: len(words) for name, words in served.items()} for caption, served in used.items()}

    def to_json(self) -> dict[str, Any]:
        return {
            "lang": self.request.pack.lang,
            "size": len(self.pairs),
            "sets": self.sizes(),
            "forms": self.request.forms,
            "mode": self.request.mode,
            "classes": self.request.classes,
            "captions": {
                "read": len(self.found) or len(self.request.pack.captions),
                "usable": self.captions,
                "left_out": dict(sorted(self.reasons().items())),
                "use": self.caption_use(),
            },
            "occupations_left_out": [[entry.occupation, entry.reason] for entry in self.left_out],
            "provenance": dict(self.provenance),
        }


@dataclass(frozen=True, slots=True)
class BuiltNli:
    folder: Path
    card: NliCard


def build_nli(request: NliRequest, out: Path) -> BuiltNli:
    """Writes the three sets and all pairs in the published format, `captions.csv`, `card.md` and `card.json`."""
    refuse_filled(out)
    if request.per_occupation < 1:
        raise TiltmeterError(f"--templates is {request.per_occupation}, and an occupation needs at least one caption")
    found = _found(request)
    captions = _usable(found, request) if request.captions else list(request.pack.captions)
    occupations, unclassed = _occupations(request)
    made = make_pairs(
        request.pack,
        mode=request.mode,
        forms=request.forms,
        captions=captions,
        occupations=occupations,
        per_occupation=request.per_occupation,
        seed=request.seed,
    )
    card = _card(request, made, [*unclassed, *made.left_out], captions, found)
    with filling(out) as folder:
        for name, content in written_files(made.pairs, request.pack.lang).items():
            write_atomically(folder / name, content)
        if found:
            write_atomically(folder / "captions.csv", _captions_csv(found))
        write_atomically(folder / "card.json", json.dumps(card.to_json(), ensure_ascii=False, indent=1).encode())
        write_atomically(folder / "card.md", "\n".join(_markdown(card)).encode())
    return BuiltNli(out, card)


def _found(request: NliRequest) -> list[FoundCaption]:
    if request.captions is None:
        if not request.pack.captions:
            raise TiltmeterError(
                f"the pack {request.pack.lang!r} has no captions: give a file with --captions, or add captions.tsv"
            )
        return []
    finder = CaptionFinder(request.pack)
    return [finder.find(text) for text in read_captions(request.captions)]


def _usable(found: Sequence[FoundCaption], request: NliRequest) -> list[Caption]:
    captions = list(dict.fromkeys(entry.caption for entry in found if entry.caption))
    if len(captions) < request.per_occupation:
        reasons = Counter(entry.reason for entry in found if entry.reason)
        told = ", ".join(f"{reason} {count:,}" for reason, count in reasons.most_common()) or "none"
        name = request.captions.name if request.captions else ""
        raise TiltmeterError(
            f"{name}: {len(captions)} of {len(found):,} captions are about one person who is their subject, and "
            f"{request.per_occupation} are needed (--templates); left out: {told}"
        )
    return captions


def _occupations(request: NliRequest) -> tuple[Sequence[Occupation] | None, list[LeftOut]]:
    listed: Sequence[Occupation] = (
        read_occupations(request.occupations) if request.occupations else request.pack.occupations
    )
    told = any(one.feminine or one.epicene for one in listed)
    if request.occupations and request.pack.grammatical_gender and not told:
        raise TiltmeterError(
            f"{request.occupations.name}: in {request.pack.name} a word's form may tell a gender; give the columns "
            "'feminine' (empty where one form serves everybody) and 'epicene' (a subject that tells none)"
        )
    if not listed:
        raise TiltmeterError(
            f"the pack {request.pack.lang!r} has no occupations: give a list with --occupations, or add occupations.tsv"
        )
    if (request.classes == "crowd") != (request.scores is not None):
        raise TiltmeterError("--classes crowd and --scores FILE go together: the crowd's scores are in a file of yours")
    if request.mode == "published" and (request.occupations or request.classes != "listed"):
        raise TiltmeterError("--mode published takes the published occupations and their listed classes")
    if request.classes == "share":
        return by_share(listed)
    if request.scores is not None:
        return by_crowd_scores(listed, read_crowd_scores(request.scores))
    return (listed if request.occupations else None), []


def _card(
    request: NliRequest,
    made: Made,
    left_out: Sequence[LeftOut],
    captions: Sequence[Caption],
    found: Sequence[FoundCaption],
) -> NliCard:
    pack = request.pack
    given = {
        f"{name}_sha256": hashlib.sha256(path.read_bytes()).hexdigest()
        for name in ("captions", "occupations", "scores")
        if (path := getattr(request, name)) is not None
    }
    return NliCard(
        request=request,
        pairs=made.pairs,
        left_out=tuple(left_out),
        captions=len(captions),
        found=tuple(found),
        provenance={
            "command": _command(request),
            "seed": request.seed,
            "pack": pack.digest(("occupations", "captions", "subjects")),
            "tiltmeter": version("tiltmeter"),
            **given,
        },
    )


def _command(request: NliRequest) -> str:
    words = ["tiltmeter", "build", "nli", "--lang", request.pack.lang]
    for spec in fields(NliRequest):
        value = getattr(request, spec.name)
        if spec.name != "pack" and value != spec.default:
            option = "templates" if spec.name == "per_occupation" else spec.name
            words += [f"--{option}", value.name if isinstance(value, Path) else str(value)]
    return shlex.join(words)


def _captions_csv(found: Sequence[FoundCaption]) -> bytes:
    """Every caption that was read, and what became of it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["caption", "with_slot", "reason", "detail"])
    for entry in found:
        slotted = entry.caption.sentence if entry.caption else ""
        writer.writerow(map(harmless, (entry.text, slotted, entry.reason, entry.detail)))
    return text.getvalue().encode()


_CLASSED = {
    "listed": "as listed",
    "crowd": "by crowd scores (Bolukbasi et al. 2016): |definitional| < .5 and stereotypical beyond .5",
    "share": "by the share of women: three in four or more are female, one in four or fewer male",
}


def _markdown(card: NliCard) -> Iterator[str]:
    request = card.request
    control = request.forms == "both"
    yield f"# {len(card.pairs):,} {request.pack.name} pairs for NLI-CoAL"
    yield ""
    yield (
        "The premise names an occupation, the hypothesis a woman or a man (Anantaprayoon et al. 2024). "
        + (
            "**A control**: the premises tell the gender by their masculine or feminine form, so that entailment or "
            "contradiction may be right; the `label` of the files is that of the published format and means nothing."
            if control
            else "The right label is always neutral. The premises tell no gender, as far as word lists and rules can "
            "see; a person should read them."
        )
    )
    yield ""
    yield f"Measure a model: `tiltmeter measure nli-coal MODEL --lang {request.pack.lang} --data DIR`."
    yield ""
    yield "## Sizes"
    yield ""
    yield from table(
        ("set", "pairs", "forms" if control else "occupations", "of female-typed", "of male-typed"),
        [
            (
                f"{SETS[name]} ({name})",
                f"{row['pairs']:,}",
                f"{row['occupations']:,}",
                *(f"{row[gender]:,}" if gender in row else "–" for gender in GENDERS),
            )
            for name, row in card.sizes().items()
        ],
    )
    if request.occupations is not None:
        yield "The occupations are a list of the user's own: whether its words tell a gender was not checked."
        yield ""
    yield f"Classes: {_CLASSED[request.classes]}. {request.per_occupation} captions an occupation."
    yield ""
    yield "## Captions"
    yield ""
    if card.found:
        yield (
            f"{len(card.found):,} captions of {code(request.captions.name if request.captions else '')} (licence: "
            f"{inline(request.licence or 'not said')}) were read, {card.captions:,} are about one person who is their "
            "subject; `captions.csv` says of each what became of it."
        )
        yield ""
        told = {**REASONS, **RULES}
        yield from table(
            ("left out", "captions", "what it says"),
            [(reason, f"{count:,}", told.get(reason, "")) for reason, count in card.reasons().most_common()],
        )
    else:
        yield f"The pack's own {card.captions}: {inline('; '.join(request.pack.sources.get('captions', ())))}."
        yield ""
    use = card.caption_use()
    equal = sum(served["female"] == served["male"] for served in use.values())
    yield f"{len(use):,} are used; {equal:,} of them serve as many female- as male-typed occupations."
    yield ""
    yield "## Occupations that are not used"
    yield ""
    for reason, count in Counter(entry.reason for entry in card.left_out).most_common():
        words = [entry.occupation for entry in card.left_out if entry.reason == reason]
        yield f"- {reason}: {count} ({inline(', '.join(words[:12]))}{', ...' if count > 12 else ''})"
    yield ""
    yield "## How it was made"
    yield ""
    yield from (f"- {key}: {code(value)}" for key, value in card.provenance.items())
    yield ""
