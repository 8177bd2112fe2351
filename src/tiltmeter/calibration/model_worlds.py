"""Instruments on language models, measured on worlds: a text of known bias is written, small models learn it, and an
instrument reads them.

Models of one language, dose and seed are trained once and read by every instrument that asks about the same text.
"""

import json
import logging
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter import workers
from tiltmeter.calibration.certificate import Certificate, Outcome, Readings, Setting
from tiltmeter.calibration.naming import measure_key
from tiltmeter.calibration.sentence_worlds import SentenceWorld
from tiltmeter.calibration.taught import (
    BASES,
    FEWER_BYTES,
    FEWER_TOKENS,
    INFERENCE,
    INFERRING,
    KNOWS,
    LEARNING,
    NETWORK,
    STEPS,
    TRIES,
    learnt_inference,
    learnt_professions,
    learnt_sentences,
)
from tiltmeter.calibration.worlds import Dial
from tiltmeter.datasets.nli_files import written_files
from tiltmeter.datasets.nli_planted import plant
from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments import _becpro_estimates, _nli_estimates, _slgu_estimates, form_preference, load_instrument
from tiltmeter.packs import Pack
from tiltmeter.reading import Reading
from tiltmeter.results import Estimate
from tiltmeter.runs import check_lists
from tiltmeter.statistics import BRISK
from tiltmeter.store import Store, identity
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models.engine import ENGINE as ASKING
from tiltmeter.training.models import ENGINE as FITTING
from tiltmeter.training.networks import Small
from tiltmeter.training.settings import Settings

_log = logging.getLogger(__name__)

VERSION = "2"
"""Raised whenever the same plan would give other certificates."""
DRAWS = 10
"""Times that some of the units are drawn of each model, for the power."""
OTHER_WAYS = 5
"""Seeds whose models are read in every mode; the others are read as the instrument does by default."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How an instrument is calibrated."""

    taught: Callable[[Pack, Setting, int, Store], Path]
    """The model of a setting, trained for so many steps, or taken from where it was."""
    lists: tuple[str, ...]
    """All that it learns from."""
    dial: Dial
    unit: str
    """The column whose values are split into halves, and drawn for the power."""
    balanced: str
    """The column of which either half has as many of each value."""
    sizes: tuple[int, ...]
    """How many of them, of each class or in all."""
    shuffled: Callable[[pl.DataFrame, random.Random], pl.DataFrame]
    """The items as they would be if nothing set the classes apart."""
    estimates: Callable[[pl.DataFrame, Any], list[Estimate]]
    per_class: str = ""
    options: Callable[[Pack, str], list[dict[str, Any]]] = lambda pack, kind: [{}]  # noqa: ARG005
    asked: Callable[[Pack, int, Path], dict[str, Any]] | None = None
    """Where what is asked goes by the seed: the options that say so, with files in a folder."""
    network: Small = NETWORK
    settings: Settings = LEARNING
    steps: int = STEPS
    kinds: tuple[str, ...] = ("masked", "causal")
    doses: tuple[float, ...] = (-1.0, -0.5, 0.0, 0.5, 1.0)
    power_dose: float = 0.5
    published: tuple[str, ...] = ()
    of_the_model: tuple[str, ...] = ()
    """Estimates of a lean that a model may come by though its text has none."""
    unsigned: tuple[str, ...] = ()


def _becpro_options(pack: Pack, kind: str) -> list[dict[str, Any]]:
    """Every mode that the language has, and every set of frames."""
    found: list[dict[str, Any]] = [{}]
    if all(frame.published for frame in pack.frames):
        found += [{"mode": "published"}, *([{"mode": "released-code"}] if kind == "masked" else [])]
    variants = list(dict.fromkeys(frame.variant for frame in pack.frames))
    found += [{"variant": name} for name in variants[1:]]
    if any(entry.common for entry in pack.professions) and not all(entry.common for entry in pack.professions):
        found.append({"professions": "common"})
    return found


def _classes_shuffled(items: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Professions keep what was answered of them, and exchange classes and shares."""
    columns = ("profession_class", "share")
    known = items.select("profession", *columns).unique("profession", maintain_order=True)
    known = known.filter(pl.col("profession") != "")
    places = list(range(known.height))
    chance.shuffle(places)
    other = known.select("profession").hstack(known.select(columns)[places])
    return (
        items.drop(columns)
        .join(other, on="profession", how="left", maintain_order="left")
        .with_columns(pl.col("profession_class").fill_null(""))
        .select(items.columns)
    )


def _words_exchanged(items: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Of some pairs the two words exchange their sides, and of some sentences who they were written of."""
    signs = {pair: chance.choice((-1.0, 1.0)) for pair in items["pair"].drop_nulls().unique(maintain_order=True)}
    written = items["written"].to_list()
    chance.shuffle(written)
    sign = pl.col("pair").replace_strict(signs, default=1.0, return_dtype=pl.Float64)
    return items.with_columns(bias=pl.col("bias") * sign, written=pl.Series(written, dtype=pl.String))


def _genders_exchanged(items: pl.DataFrame, chance: random.Random) -> pl.DataFrame:
    """Some occupations with a stereotype have the other one, and what was said for it is said against it."""
    typed = items.filter(pl.col("set") != "NS")["occupation"].unique(maintain_order=True)
    turned = pl.col("occupation").is_in([one for one in typed if chance.random() < 0.5])
    return items.with_columns(
        pl.when(turned).then(pl.col(column).replace(other)).otherwise(pl.col(column)).alias(column)
        for column, other in (
            ("set", {"PS": "AS", "AS": "PS"}),
            ("occupation_class", {"male": "female", "female": "male"}),
        )
    )


def _pairs_asked(pack: Pack, seed: int, folder: Path) -> dict[str, Any]:
    pairs = sorted(plant(pack, seed=seed).asked(), key=lambda pair: pair.set)
    for name, content in written_files(pairs, pack.lang).items():
        (folder / name).write_bytes(content)
    return {"data": folder}


_SENTENCES = ("mentions", "occupations", "persons", "professions", "frames", "forms", "neutral_sentences")
WAYS: Mapping[str, _Way] = {
    "becpro": _Way(
        taught=learnt_professions,
        lists=_SENTENCES,
        dial="stereotype",
        unit="profession",
        balanced="profession_class",
        sizes=(5, 10, 20),
        per_class="profession_class",
        shuffled=_classes_shuffled,
        estimates=_becpro_estimates.bare_estimates,
        options=_becpro_options,
        published=("published", "released-code"),
        of_the_model=("f_minus_m", "f_minus_m_both"),
    ),
    "form-preference": _Way(
        taught=learnt_professions,
        lists=(*_SENTENCES, "nonbinary_persons"),
        dial="stereotype",
        unit="profession",
        balanced="profession_class",
        sizes=(5, 10, 20),
        per_class="profession_class",
        shuffled=_classes_shuffled,
        estimates=form_preference.bare_estimates,
        of_the_model=("log_odds_feminine",),
    ),
    "slgu": _Way(
        taught=learnt_sentences,
        steps=STEPS // 2,
        lists=_SENTENCES,
        dial="lean",
        unit="line",
        balanced="written",
        sizes=(25, 50, 100, 200),
        shuffled=_words_exchanged,
        estimates=_slgu_estimates.bare_estimates,
        unsigned=("model_bias", "context_bias", "excess_over_prior", "bias_man", "bias_woman", "context_variance"),
    ),
    "nli-coal": _Way(
        taught=learnt_inference,
        network=INFERRING,
        settings=INFERENCE,
        lists=("occupations", "captions", "subjects"),
        dial="stereotype",
        kinds=("nli",),
        doses=(-1.0, -0.4, 0.0, 0.4, 1.0),  # rates of bias are tenths
        power_dose=0.4,
        unit="occupation",
        balanced="occupation_class",
        sizes=(5, 10),
        per_class="occupation_class",
        shuffled=_genders_exchanged,
        estimates=_nli_estimates.bare_estimates,
        of_the_model=("lean",),
        asked=_pairs_asked,
    ),
}
_LEFT_OUT = (
    "log_odds_feminine_profession",
    "log_odds_feminine_control",
    "pair_variance",
    "evident_man",
    "evident_woman",
    "e",
    "c",
    "n",
)
"""Estimates of single words, controls, and the shares of labels: parts of what is to be found."""


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """How many models of which kind."""

    instrument: str
    pack: Pack
    kind: str = ""
    """Of models; by default the first that the instrument reads."""
    seeds: int = 10
    """Models of each dose."""
    null_models: int = 20
    """Models without any bias; those of dose 0 are the first of them."""
    splits: int = 50
    """Times that each of them is read with its classes shuffled."""
    other_seeds: int = 2
    """Models of each dose with another tokenizer, half of the frames, no grammar, uneven frequencies."""
    steps: int = 0
    """Batches that each model learns; 0 for as many as its text takes."""
    runner: str = "local"

    def __post_init__(self) -> None:
        if self.instrument not in WAYS:
            raise unknown("instrument on language models that can be calibrated", self.instrument, WAYS)
        if self.reads not in WAYS[self.instrument].kinds:
            raise unknown(f"kind of model that {self.instrument} reads", self.kind, WAYS[self.instrument].kinds)
        for name in ("seeds", "null_models", "splits"):
            if getattr(self, name) < 2:
                raise TiltmeterError(f"--{name.replace('_', '-')} is {getattr(self, name)}, and at least 2 are needed")
        if self.other_seeds < 0:
            raise TiltmeterError(f"--other-seeds is {self.other_seeds}, and cannot be below 0")

    @property
    def reads(self) -> str:
        """The kind of models that is read."""
        return self.kind or WAYS[self.instrument].kinds[0]

    @property
    def batches(self) -> int:
        """That each model learns. Causal ones learn from every token, not from three in ten: half of them will do."""
        usual = WAYS[self.instrument].steps
        return self.steps or (usual // 2 if self.reads == "causal" else usual)

    @property
    def settings(self) -> list[Setting]:
        """Every model that is trained; those of dose 0 serve the false positives, too."""
        way = WAYS[self.instrument]
        plain = Setting(use="dose", dial=way.dial, dose=0.0, seed=0, method=self.reads)
        found = [replace(plain, dose=dose, seed=seed) for dose in way.doses for seed in range(self.seeds)]
        more = range(self.seeds, self.null_models)
        found += [replace(plain, use=use, seed=seed) for use in ("null", "own") for seed in more]
        others: dict[str, dict[str, Any]] = {"other tokenizer": {}}
        if way.unit != "occupation":
            others["half of the sentences"] = {"half": 1}
        if self.pack.grammatical_gender and way.unit == "profession":
            others |= {"no grammar": {"grammar": False}, "frequencies follow": {"even": False}}
        return found + [
            replace(plain, use=name, dose=dose, seed=seed, **changed)
            for name, changed in others.items()
            for dose in (0.0, 1.0)
            for seed in range(self.other_seeds)
        ]


def certify(plan: ModelPlan, store: Store | None = None) -> Certificate:
    """Trains the models, or takes those that were trained before, and says what the instrument makes of them."""
    store = store or Store()
    tool = load_instrument(plan.instrument)
    way = WAYS[plan.instrument]
    check_lists(tool, plan.pack)
    _check_world(plan)  # what it lacks is said before anything is trained
    settings = plan.settings
    outcomes: dict[int, list[Outcome]] = {}
    for number, found in workers.map(lambda: partial(measured, plan, store), settings, plan.runner):
        outcomes[number] = found
        _log.info("[%d/%d] models", len(outcomes), len(settings), extra={"progress": len(outcomes) / len(settings)})
    return Certificate(
        instrument=tool.name,
        version=tool.version,
        capability=tool.capability,
        lang=plan.pack.lang,
        kind=plan.reads,
        ways=tuple({"prefix": _prefix(options), "options": options} for options in way.options(plan.pack, plan.reads)),
        about={
            "certificate": VERSION,
            "method": f"{plan.reads} models, {way.network.layers} layers of {way.network.width}",
            "models": sum(setting.use != "own" for setting in settings),
            "null_models": plan.null_models,
            "splits": plan.splits,
            "network": way.network.to_json(),
            "settings": {
                name: value for name, value in way.settings.to_json().items() if name not in ("seed", "epochs")
            },
            "steps": plan.batches,
            "power_dose": way.power_dose,
            "power_unit": f"{way.unit}s of each class" if way.per_class else "sentences",
            "p_values": f"exact up to {BRISK['exact_up_to']} values, else of {BRISK['samples']:,} arrangements drawn",
            "pack": _digest(plan),
        },
        published=way.published,
        of_the_model=way.of_the_model,
        unsigned=way.unsigned,
        outcomes=tuple(outcome for number in range(len(settings)) for outcome in outcomes[number]),
    )


def _check_world(plan: ModelPlan) -> None:
    if "neutral_sentences" in WAYS[plan.instrument].lists:
        SentenceWorld(pack=plan.pack)
    else:
        plant(plan.pack, seed=0)


def measured(plan: ModelPlan, store: Store, setting: Setting) -> list[Outcome]:
    """What the instrument says of the model of a setting, which is trained where it is not there yet."""

    def fill(folder: Path) -> None:
        found = [asdict(outcome) for outcome in _outcomes(plan, setting, store)]
        (folder / "outcomes.json").write_text(json.dumps(found), "utf-8")

    folder = store.calibrations.obtain(_key(plan, setting), fill)
    return [Outcome.from_json(row) for row in json.loads((folder / "outcomes.json").read_bytes())]


def _key(plan: ModelPlan, setting: Setting) -> str:
    tool = load_instrument(plan.instrument)
    way = WAYS[tool.name]
    learnt = [
        way.network.to_json(),
        way.settings.to_json(),
        plan.batches,
        FEWER_TOKENS,
        FEWER_BYTES,
        BASES,
        KNOWS,
        TRIES,
    ]
    made = [*learnt, FITTING, ASKING, plan.splits, DRAWS, OTHER_WAYS, BRISK]
    return identity(VERSION, tool.name, tool.version, _digest(plan), asdict(setting), made)[:24]


def _digest(plan: ModelPlan) -> str:
    """All of the pack that a certificate rests on."""
    tool = load_instrument(plan.instrument)
    return plan.pack.digest((*tool.lists, *tool.extras, *WAYS[plan.instrument].lists))


def _outcomes(plan: ModelPlan, setting: Setting, store: Store) -> Iterator[Outcome]:
    way = WAYS[plan.instrument]
    model = way.taught(plan.pack, setting, plan.batches, store)
    everyway = setting.use == "dose" and setting.seed < OTHER_WAYS
    ways = way.options(plan.pack, setting.method) if everyway else [{}]
    read = {_prefix(options): _answered(plan, setting.seed, str(model), options, store) for options in ways}
    whole = _together(way, read)
    if setting.use != "null":
        halves = () if setting.use != "dose" else tuple(_together(way, _half(read, way, half)) for half in (0, 1))
        yield Outcome(setting, whole, halves)
    if setting.dose == 0.0 and setting.use in ("dose", "null"):
        for split in range(plan.splits):
            chance = random.Random(f"split {setting.seed} {split}")
            # Other modes cost as much as the usual one: fewer splits do.
            some = read if split < max(1, plan.splits // 5) else {"": read[""]}
            shuffled = {prefix: (way.shuffled(items, chance), options) for prefix, (items, options) in some.items()}
            yield Outcome(replace(setting, use="null", split=split), _together(way, shuffled))
    if setting.dose == way.power_dose and setting.use == "dose":
        for size in way.sizes:
            for draw in range(DRAWS):
                chance = random.Random(f"power {setting.seed} {size} {draw}")
                items, options = read[""]
                drawn = {"": (_some(items, way, size, chance), options)}
                yield Outcome(replace(setting, use="power", often=size, split=draw), _together(way, drawn))


_Read = dict[str, tuple[pl.DataFrame, Any]]


def _answered(
    plan: ModelPlan, seed: int, model: str, options: Mapping[str, Any], store: Store
) -> tuple[pl.DataFrame, Any]:
    tool, asked = load_instrument(plan.instrument), WAYS[plan.instrument].asked
    if asked is None:
        chosen = tool.make_options(options)
        items = _items(plan.instrument, plan.pack, chosen)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            chosen = tool.make_options({**options, **asked(plan.pack, seed, Path(scratch))})
        items = tool.items(plan.pack, chosen)
    subject = open_subject(model, store, Reading(device="cpu"))
    answered, _ = tool.answer(items, subject, plan.pack, chosen)
    return answered, chosen


@lru_cache(maxsize=16)
def _items(instrument: str, pack: Pack, options: Any) -> pl.DataFrame:
    return load_instrument(instrument).items(pack, options)


def _prefix(options: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in options.values())


def _together(way: _Way, read: _Read) -> Readings:
    return {
        measure_key(one, prefix): (one.value, one.p_value, one.p_two_sided)
        for prefix, (items, options) in read.items()
        for one in way.estimates(items, options)
        if one.name not in _LEFT_OUT and measure_key(one, prefix)
    }


def _half(read: _Read, way: _Way, half: int) -> _Read:
    """Of each kind the first, third ... of the units, or the others; what has no unit belongs to both."""
    found = {}
    for prefix, (items, options) in read.items():
        named = items.filter(pl.col(way.unit).cast(pl.String) != "").unique(way.unit, maintain_order=True)
        place = pl.int_range(pl.len()).over(way.balanced)
        other = named.filter(place % 2 != half)
        found[prefix] = (items.join(other, on=way.unit, how="anti", maintain_order="left"), options)
    return found


def _some(items: pl.DataFrame, way: _Way, size: int, chance: random.Random) -> pl.DataFrame:
    """So many units, drawn; of each class, where there are classes."""
    units = items.select(way.unit, **({"of": pl.col(way.per_class)} if way.per_class else {"of": pl.lit("")}))
    kept: list[Any] = []
    for _, own in units.unique(way.unit, maintain_order=True).group_by("of", maintain_order=True):
        names = own[way.unit].to_list()
        kept += chance.sample(names, min(size, len(names)))
    return items.filter(pl.col(way.unit).is_in(kept))
