"""NLI-CoAL: does a model infer a woman or a man where only a stereotype says so, over all three labels?

Anantaprayoon, Kaneko and Okazaki (2023). Premises name an occupation, hypotheses a woman or a man; the right answer is
always neutral. With the shares of entailment e, contradiction c and neutral n in the pro-stereotypical (p),
anti-stereotypical (a) and non-stereotypical (n) pairs:

    e_p > e_a,  c_a > c_p                                                                             condition 1
    s = (e_p + c_a + (1 - n_n)) / 3                                                                   equation 2

Higher is worse, from 0; s has no zero of its own: always entailment scores .667. Beside it stand s_excess, which is s
less what it is with the genders exchanged; s_macro, which counts both stereotyped genders alike; the lean to men over
all occupations and the contrast of the stereotyped ones; and the scores of Dev et al. (2020), which look at neutral
alone and run the other way: lower is worse, from 1.
"""

import re
from dataclasses import dataclass
from typing import Literal, cast

import polars as pl

from tiltmeter.datasets.nli import SETS, NliPair, make_pairs
from tiltmeter.datasets.nli_files import ListedPairs, read_folder
from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments._bibliography import ANANTAPRAYOON, BOLUKBASI, DEV_2020
from tiltmeter.instruments._nli_estimates import estimate
from tiltmeter.instruments._nli_tables import tables
from tiltmeter.instruments._nli_together import differences, together
from tiltmeter.instruments._sentences import lost_sentences
from tiltmeter.instruments.instrument import Given, Instrument, Layout, folder_option, option
from tiltmeter.packs import Pack
from tiltmeter.results import Note
from tiltmeter.subjects import Filler, Inferrer, Subject
from tiltmeter.subjects.inference import Pair, entail_by_prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class NliCoalOptions:
    data: Given | None = folder_option(
        read_folder, "A folder of NLI-CoAL's published files, or of a built set, instead of the pack's pairs."
    )
    mode: Literal["right", "published"] = option(
        "right", "The pack's pairs: leak-free and with as many occupations of either gender, or all the published ones."
    )
    forms: Literal["epicene", "both"] = option(
        "epicene",
        "The pack's premises: words that tell no gender, or, as a control, masculine and feminine forms (es, de, ru).",
    )
    prompt: str = option("", "Causal models: the prompt to ask through (question, connective, or one of a pack's own).")
    tau: str = option("0.5,0.7", "Thresholds of Dev's third score, by commas.")
    seed: int = option(0, "Seed of the pairs and of the tests that draw.")

    def __post_init__(self) -> None:
        parts = [part.strip() for part in self.tau.split(",")]
        if not all(re.fullmatch(r"0?\.\d+", part) for part in parts) or not min(map(float, parts)) > 0:
            raise TiltmeterError(f"--tau is made of different numbers between 0 and 1, by commas, not {self.tau!r}")
        if len({f"{float(part):g}" for part in parts}) < len(parts):
            raise TiltmeterError(f"--tau is made of different numbers between 0 and 1, by commas, not {self.tau!r}")
        if self.data is not None and (self.mode, self.forms) != ("right", "epicene"):
            raise TiltmeterError("--mode and --forms are of the pack's pairs: they do nothing beside --data")
        if self.seed < 0:
            raise TiltmeterError(f"--seed is a whole number from 0, not {self.seed}")


def list_items(pack: Pack, options: NliCoalOptions) -> pl.DataFrame:
    """One row a pair."""
    if options.data is None:
        pairs = make_pairs(pack, mode=options.mode, forms=options.forms, seed=options.seed).pairs
    else:
        listed: ListedPairs = options.data.content
        pairs = listed.pairs
    columns = ("set", "premise", "hypothesis", "occupation", "occupation_class", "gender", "template", "form")
    rows = {name: [getattr(pair, name) for pair in pairs] for name in columns}
    if options.data is not None:
        rows["gender"] = [pair.gender or _told_gender(pair, pack) for pair in pairs]
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String))


def _told_gender(pair: NliPair, pack: Pack) -> str:
    """The gender of a hypothesis, by the word for a person that stands in it and not in the premise; else nothing."""
    pairs = [(entry.male, entry.female) for entry in pack.gender_pairs if entry.status != "rejected" and not entry.kind]
    found = {
        gender
        for words in pairs
        for gender, word in zip(("male", "female"), words, strict=True)
        if _count(word, pair.hypothesis, pack) > _count(word, pair.premise, pack)
    }
    return found.pop() if len(found) == 1 else ""


def _count(word: str, sentence: str, pack: Pack) -> int:
    if pack.spaced:
        return len(re.findall(rf"(?<!\w){re.escape(word)}(?!\w)", sentence, re.IGNORECASE))
    return sentence.count(word)


def count_questions(items: pl.DataFrame) -> int:
    """The pairs that differ."""
    return items.select("premise", "hypothesis").n_unique()


def answer(
    items: pl.DataFrame, subject: Subject, pack: Pack, options: NliCoalOptions
) -> tuple[pl.DataFrame, list[Note]]:
    """Adds the probabilities of the labels, and the most probable one."""
    distinct = items.select("premise", "hypothesis").unique(maintain_order=True)
    pairs = [Pair(*row) for row in distinct.iter_rows()]
    scoring: list[Note] = []
    if "entail" in subject.capabilities:
        found = cast(Inferrer, subject).entail(pairs)
    else:
        found, scoring = _by_prompt(cast(Filler, subject), pairs, pack, options)
    if found["label"].null_count() == found.height:
        raise TiltmeterError(f"none of the pairs could be asked of {subject.name}: {found['lost'][0]}")
    keys = ["premise", "hypothesis"]
    answered = items.join(pl.concat([distinct, found], how="horizontal"), on=keys, how="left", maintain_order="left")
    return answered, [*scoring, *_notes(answered, options), *lost_sentences(answered.rename({"premise": "sentence"}))]


def _by_prompt(
    subject: Filler, pairs: list[Pair], pack: Pack, options: NliCoalOptions
) -> tuple[pl.DataFrame, list[Note]]:
    names = [prompt.name for prompt in pack.prompts]
    if subject.kind != "causal":
        raise TiltmeterError(
            f"{subject.name} is a {subject.kind} model, which tells no entailment: an NLI model, a causal model with "
            "--prompt, or predictions:FILE can be asked"
        )
    if not options.prompt:
        told = " or ".join(names) or "none: add prompts.toml to the pack"
        raise TiltmeterError(f"{subject.name} is a causal model: say through which prompt to ask it, --prompt ({told})")
    if options.prompt not in names:
        raise unknown("prompt", options.prompt, names)
    prompt = next(entry for entry in pack.prompts if entry.name == options.prompt)
    labels = f"{prompt.entailment} / {prompt.neutral} / {prompt.contradiction}"
    text = (
        f"A causal model, asked through the prompt {prompt.name!r} ({prompt.text!r}): the probability of a label is "
        f"that of the text with its word ({labels}), normalised over the three. Another prompt or longer words may "
        "give other answers: compare models under the same prompt only."
    )
    return entail_by_prompt(subject, pairs, prompt), [Note(kind="scoring", caution="by prompt", text=text)]


def _notes(items: pl.DataFrame, options: NliCoalOptions) -> list[Note]:
    """What was asked, and what is missing for some numbers."""
    sizes = {name: items.filter(pl.col("set") == name) for name in SETS}
    told = "; ".join(
        f"{name} {rows.height:,} pairs, {rows['occupation'].n_unique()} occupations" for name, rows in sizes.items()
    )
    notes = [Note(kind="data", text=f"Sizes, as Table 6 of the paper has them for its own set: {told}.")]
    if options.data is not None and (variant := options.data.content.variant):
        words = {"downsamp": "occupations were left out of it (downsampled)", "tok": "its sentences are cut into words"}
        parts = " and ".join(words.get(part, part) for part in variant.split("-"))
        notes.append(Note(kind="variant", text=f"The files say that {parts}; they were asked as they are."))
    known = items.filter(pl.col("label").is_not_null())
    if bare := known["p_neutral"].null_count():
        text = f"Of {bare:,} pairs labels alone are known, no probabilities"
        notes.append(Note(kind="void", text=f"{text}: net_neutral and threshold_neutral are left open."))
    hypotheses = items.filter(pl.col("set") == "NS")["gender"]
    if untold := int((hypotheses == "").sum()):
        # Of all of them: the data may be in another language than was said.
        doubt = "; is the data in the language that was said?" if untold == hypotheses.len() else ""
        text = f"Of {untold:,} of {hypotheses.len():,} non-stereotypical hypotheses the gender could not be told{doubt}"
        notes.append(
            Note(kind="gender", caution="another language?" if doubt else "", text=text if doubt else f"{text}.")
        )
    return notes


INSTRUMENT = Instrument(
    name="nli-coal",
    version="1",
    title="NLI-CoAL",
    measures="whether a model infers a woman or a man from an occupation, over all three labels of inference",
    formula="s = (e_p + c_a + (1 - n_n)) / 3: shares of entailment in pro-, contradiction in anti-, neutral in "
    "non-stereotypical pairs",
    reading="0 is neutral; a higher s is worse, and always answering entailment scores .667; s_excess is what the "
    "stereotype alone brings; net_neutral, fraction_neutral and threshold_neutral run the other way: lower is worse",
    reference="Anantaprayoon, Kaneko and Okazaki (2024), Evaluating Gender Bias of Pre-trained Language Models in "
    "Natural Language Inference by Considering All Labels, LREC-COLING; neutral alone: Dev, Li, Phillips and Srikumar "
    "(2020), AAAI; classes of occupations: Bolukbasi et al. (2016)",
    bibtex=ANANTAPRAYOON + DEV_2020 + BOLUKBASI,
    headline="s",
    verdict=(("stereotype_contrast",), ("lean",)),
    columns={
        **dict.fromkeys(
            ("set", "premise", "hypothesis", "occupation", "occupation_class", "gender", "form", "label", "lost"),
            pl.String,
        ),
        **dict.fromkeys(("p_entailment", "p_contradiction", "p_neutral"), pl.Float64),
    },
    side="lean",
    side_by_side=("s", "s_macro", "s_excess", "stereotype_contrast", "lean", "fraction_neutral"),
    summary=(
        "s",
        "s_macro",
        "s_gender",
        "s_excess",
        "entailment_gap",
        "contradiction_gap",
        "stereotype_contrast",
        "lean",
        "e",
        "c",
        "n",
        "net_neutral",
        "fraction_neutral",
        "threshold_neutral",
    ),
    layouts=(
        Layout(
            title="NLI-CoAL: answers in each set (Table 3)",
            names=("e", "c", "n"),
            rows=("lang", "subject", "set"),
            columns=("name",),
        ),
        Layout(
            title="NLI-CoAL: bias scores (Table 4)",
            names=("s", "s_macro", "s_excess"),
            rows=("lang", "subject"),
            columns=("name",),
            cells=("value", "interval"),
        ),
    ),
    capability="entail",
    instead="fill",
    lists=("occupations", "captions", "subjects"),
    stands_in="data",
    extras=("gender_pairs", "prompts"),
    options=NliCoalOptions,
    items=list_items,
    questions=count_questions,
    answer=answer,
    estimate=estimate,
    tables=tables,
    compare=together,
    differences=differences,
)
