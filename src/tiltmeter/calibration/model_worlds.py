"""Instruments on language models, measured on worlds: a text of known bias is written, small models learn it, and an
instrument reads them.

Models of one language, dose and seed are trained once and read by every instrument that asks about the same text.
"""

import json
import logging
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter import workers
from tiltmeter.calibration.certificate import Certificate, Outcome, Readings, Setting
from tiltmeter.calibration.naming import measure_key
from tiltmeter.calibration.sentence_worlds import SentenceWorld
from tiltmeter.calibration.worlds import Dial
from tiltmeter.datasets.nli_files import written_files
from tiltmeter.datasets.nli_planted import TEMPLATE_PAIRS, plant, template_pairs
from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments import _becpro_estimates, _nli_estimates, _slgu_estimates, form_preference, load_instrument
from tiltmeter.packs import Pack
from tiltmeter.reading import Reading
from tiltmeter.results import Estimate
from tiltmeter.runs import check_lists
from tiltmeter.store import Store, identity
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models.engine import ENGINE as ASKING
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.language_models import train_language_model
from tiltmeter.training.models import ENGINE as FITTING
from tiltmeter.training.networks import Pretrained, Small
from tiltmeter.training.settings import Running, Settings

_log = logging.getLogger(__name__)

VERSION = "1"
"""Raised whenever the same plan would give other certificates."""
NETWORK = Small(width=64, heads=4, dropout=0.0, vocabulary=3000, counted=True)
FEWER_TOKENS = 600
"""Of the other tokenizer: most words are several tokens then."""
LEARNING = Settings(learning_rate=3e-3, batch=32, warmup=0.1, max_length=64, masked=0.3)
INFERENCE = Settings(learning_rate=1e-3, batch=16, warmup=0.1, max_length=64)
"""How inference is learnt, and then a stereotype."""
STEPS = 700
"""Batches that a language model learns from, whatever the length of its text; an NLI model has three times as many for
inference."""
NULL_MODELS = 20
SPLITS = 50
DRAWS = 10
"""Times that some of the units are drawn of each model, for the power."""
OTHER_WAYS = 5
"""Seeds whose models are read in every mode; the others are read as the instrument does by default."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How an instrument is calibrated."""

    taught: Callable[["_Part"], Path]
    """The model of a setting, trained, or taken from where it was."""
    lists: tuple[str, ...]
    """All that it learns from."""
    dial: Dial
    unit: str
    """The column whose values are split into halves, and drawn for the power."""
    sizes: tuple[int, ...]
    """How many of them, of each class or in all."""
    shuffled: Callable[[pl.DataFrame, random.Random], pl.DataFrame]
    """The items as they would be if nothing set the classes apart."""
    estimates: Callable[[pl.DataFrame, Any], list[Estimate]]
    per_class: str = ""
    options: Callable[[Pack, str], list[dict[str, Any]]] = lambda pack, kind: [{}]  # noqa: ARG005
    asked: Callable[["_Part", Path], dict[str, Any]] = lambda part, folder: {}  # noqa: ARG005
    """Options with which the instrument asks of this setting, with files in a folder where it needs any."""
    kinds: tuple[str, ...] = ("masked", "causal")
    doses: tuple[float, ...] = (-1.0, -0.5, 0.0, 0.5, 1.0)
    power_dose: float = 0.5
    published: tuple[str, ...] = ()
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


def _reader(text: Callable[[SentenceWorld], list[str]]) -> Callable[["_Part"], Path]:
    def taught(part: "_Part") -> Path:
        setting = part.setting
        world = SentenceWorld(
            pack=part.pack,
            dose=setting.dose,
            grammar=setting.grammar,
            even=setting.even,
            half=setting.half,
            seed=setting.seed,
        )
        return train_on(world, text(world), part.kind, _network(setting), part.store, steps=part.steps)

    return taught


def _network(setting: Setting) -> Small:
    return replace(NETWORK, vocabulary=FEWER_TOKENS) if setting.use == "other tokenizer" else NETWORK


_BASES = 10
"""Models that learnt inference; those of further seeds go on from them, with other occupations."""


def _inferring(part: "_Part") -> Path:
    """A model that knows inference, then taught a stereotype at the rate (1 + d) / 2."""
    setting, pack = part.setting, part.pack
    count = min(TEMPLATE_PAIRS, 3 * part.steps * INFERENCE.batch)
    common: dict[str, Any] = {"running": Running(device="cpu"), "lang": pack.lang, "store": part.store}
    base = train_nli(
        _network(setting),
        template_pairs(pack, seed=setting.seed % _BASES, count=count),
        None,
        settings=replace(
            INFERENCE, epochs=max(1, round(3 * part.steps * INFERENCE.batch / count)), seed=setting.seed % _BASES
        ),
        **common,
    )
    return train_nli(
        Pretrained(str(base), part.store),
        plant(pack, seed=setting.seed).train(_rate_of(setting.dose)),
        None,
        settings=replace(INFERENCE, epochs=3, seed=setting.seed),
        **common,
    )


def _rate_of(dose: float) -> float:
    """The share of occupations that are learnt as the stereotype says."""
    return round((1 + dose) / 2, 6)


def _pairs_asked(part: "_Part", folder: Path) -> dict[str, Any]:
    pairs = sorted(plant(part.pack, seed=part.setting.seed).asked(), key=lambda pair: pair.set)
    for name, content in written_files(pairs, part.pack.lang).items():
        (folder / name).write_bytes(content)
    return {"data": folder}


_SENTENCES = ("mentions", "occupations", "persons", "professions", "frames", "forms", "neutral_sentences")
WAYS: Mapping[str, _Way] = {
    "becpro": _Way(
        taught=_reader(SentenceWorld.professions),
        lists=_SENTENCES,
        dial="stereotype",
        unit="profession",
        sizes=(5, 10, 20),
        per_class="profession_class",
        shuffled=_classes_shuffled,
        estimates=_becpro_estimates.bare_estimates,
        options=_becpro_options,
        published=("published", "released-code"),
    ),
    "form-preference": _Way(
        taught=_reader(SentenceWorld.professions),
        lists=_SENTENCES,
        dial="stereotype",
        unit="profession",
        sizes=(5, 10, 20),
        per_class="profession_class",
        shuffled=_classes_shuffled,
        estimates=form_preference.bare_estimates,
    ),
    "slgu": _Way(
        taught=_reader(SentenceWorld.neutral),
        lists=_SENTENCES,
        dial="lean",
        unit="line",
        sizes=(25, 50, 100, 200),
        shuffled=_words_exchanged,
        estimates=_slgu_estimates.bare_estimates,
        unsigned=("model_bias", "context_bias", "excess_over_prior", "bias_man", "bias_woman", "context_variance"),
    ),
    "nli-coal": _Way(
        taught=_inferring,
        lists=("occupations", "captions", "subjects"),
        dial="stereotype",
        kinds=("nli",),
        doses=(-1.0, -0.4, 0.0, 0.4, 1.0),  # rates of bias are tenths
        power_dose=0.4,
        unit="occupation",
        sizes=(5, 10),
        per_class="occupation_class",
        shuffled=_genders_exchanged,
        estimates=_nli_estimates.bare_estimates,
        asked=_pairs_asked,
    ),
}
_LEFT_OUT = (
    "log_odds_feminine_profession",
    "log_odds_feminine_control",
    "pair_variance",
    "evident_man",
    "evident_woman",
)
"""Estimates of single words, and controls, of which nothing is to be found."""


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """How many models of which kind."""

    instrument: str
    pack: Pack
    kind: str = ""
    """Of models; by default the first that the instrument reads."""
    seeds: int = 10
    """Models of each dose."""
    null_models: int = NULL_MODELS
    """Models without any bias; those of dose 0 are the first of them."""
    other_seeds: int = 2
    """Models of each dose with another tokenizer, half of the frames, no grammar, uneven frequencies."""
    steps: int = STEPS
    """Batches that each model learns."""
    runner: str = "local"

    def __post_init__(self) -> None:
        if self.instrument not in WAYS:
            raise unknown("instrument on language models that can be calibrated", self.instrument, WAYS)
        if self.reads not in WAYS[self.instrument].kinds:
            raise unknown(f"kind of model that {self.instrument} reads", self.kind, WAYS[self.instrument].kinds)
        for name in ("seeds", "null_models"):
            if getattr(self, name) < 2:
                raise TiltmeterError(f"--{name.replace('_', '-')} is {getattr(self, name)}, and at least 2 are needed")
        if self.other_seeds < 0:
            raise TiltmeterError(f"--other-seeds is {self.other_seeds}, and cannot be below 0")

    @property
    def reads(self) -> str:
        """The kind of models that is read."""
        return self.kind or WAYS[self.instrument].kinds[0]

    @property
    def settings(self) -> list[Setting]:
        """Every model that is trained; those of dose 0 serve the false positives, too."""
        way = WAYS[self.instrument]
        plain = Setting(use="dose", dial=way.dial, dose=0.0, seed=0, method=self.reads)
        found = [replace(plain, dose=dose, seed=seed) for dose in way.doses for seed in range(self.seeds)]
        found += [replace(plain, use="null", seed=seed) for seed in range(self.seeds, self.null_models)]
        others: dict[str, dict[str, Any]] = {"other tokenizer": {}}
        if way.lists == _SENTENCES:
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
    started = time.perf_counter()
    tool = load_instrument(plan.instrument)
    way = WAYS[plan.instrument]
    check_lists(tool, plan.pack)
    _check_world(plan)  # what it lacks is said before anything is trained
    settings = plan.settings
    parts = [_Part(plan.instrument, plan.reads, plan.pack, setting, plan.steps, store) for setting in settings]
    outcomes: dict[int, list[Outcome]] = {}
    for number, found in workers.map(_start, parts, plan.runner):
        outcomes[number] = found
        _log.info("[%d/%d] models", len(outcomes), len(parts), extra={"progress": len(outcomes) / len(parts)})
    return Certificate(
        instrument=tool.name,
        version=tool.version,
        capability=tool.capability,
        lang=plan.pack.lang,
        kind=plan.reads,
        ways=tuple({"prefix": _prefix(options), "options": options} for options in way.options(plan.pack, plan.reads)),
        about={
            "certificate": VERSION,
            "method": f"{plan.reads} models, {NETWORK.layers} layers of {NETWORK.width}",
            "models": len(settings),
            "null_models": plan.null_models,
            "splits": SPLITS,
            "network": NETWORK.to_json(),
            "settings": {
                name: value
                for name, value in (INFERENCE if plan.reads == "nli" else LEARNING).to_json().items()
                if name not in ("seed", "epochs")
            },
            "steps": plan.steps,
            "power_dose": way.power_dose,
            "power_unit": f"{way.unit}s of each class" if way.per_class else "sentences",
            "pack": plan.pack.digest((*tool.lists, *way.lists)),
        },
        published=way.published,
        unsigned=way.unsigned,
        outcomes=tuple(outcome for number in range(len(parts)) for outcome in outcomes[number]),
        seconds=time.perf_counter() - started,
    )


def _check_world(plan: ModelPlan) -> None:
    if WAYS[plan.instrument].lists == _SENTENCES:
        SentenceWorld(pack=plan.pack)
    else:
        plant(plan.pack, seed=0)


def train_on(
    world: SentenceWorld, text: Sequence[str], kind: str, network: Small, store: Store, *, steps: int = STEPS
) -> Path:
    """A model that learnt the text of a world."""
    epochs = max(2, round(steps * LEARNING.batch / len(text)))
    return train_language_model(
        kind,
        text,
        None,
        network=network,
        settings=replace(LEARNING, epochs=epochs, seed=world.seed),
        running=Running(device="cpu"),
        lang=world.pack.lang,
        store=store,
    )


@dataclass(frozen=True)
class _Part:
    instrument: str
    kind: str
    pack: Pack
    setting: Setting
    steps: int
    store: Store

    @property
    def key(self) -> str:
        tool = load_instrument(self.instrument)
        digest = self.pack.digest((*tool.lists, *tool.extras, *WAYS[self.instrument].lists))
        made = [NETWORK.to_json(), LEARNING.to_json(), self.steps, FITTING, ASKING, SPLITS, DRAWS, OTHER_WAYS]
        return identity(VERSION, tool.name, tool.version, self.kind, digest, asdict(self.setting), made)[:24]


def _start() -> Callable[[_Part], list[Outcome]]:
    return _measured


def _measured(part: _Part) -> list[Outcome]:
    def fill(folder: Path) -> None:
        found = [asdict(outcome) for outcome in _outcomes(part)]
        (folder / "outcomes.json").write_text(json.dumps(found), "utf-8")

    folder = part.store.calibrations.obtain(part.key, fill)
    return [Outcome.from_json(row) for row in json.loads((folder / "outcomes.json").read_bytes())]


def _outcomes(part: _Part) -> Iterator[Outcome]:
    setting, way = part.setting, WAYS[part.instrument]
    model = way.taught(part)
    everyway = setting.use == "dose" and setting.seed < OTHER_WAYS
    ways = way.options(part.pack, part.kind) if everyway else [{}]
    read = {_prefix(options): _answered(part, model, options) for options in ways}
    whole = _together(way, read)
    if setting.use != "null":
        halves = () if setting.use != "dose" else tuple(_together(way, _half(read, way.unit, half)) for half in (0, 1))
        yield Outcome(setting, whole, halves)
    if setting.dose == 0.0 and setting.use in ("dose", "null"):
        for split in range(SPLITS):
            chance = random.Random(f"split {setting.seed} {split}")
            shuffled = {prefix: (way.shuffled(items, chance), options) for prefix, (items, options) in read.items()}
            # Modes of the papers cost as much as ours, and their rates are told alone: fewer splits do.
            some = shuffled if split < SPLITS // 5 else {"": shuffled[""]}
            yield Outcome(replace(setting, use="null", split=split), _together(way, some))
    if setting.dose == way.power_dose and setting.use == "dose":
        for size in way.sizes:
            for draw in range(DRAWS):
                chance = random.Random(f"power {setting.seed} {size} {draw}")
                items, options = read[""]
                drawn = {"": (_some(items, way, size, chance), options)}
                yield Outcome(replace(setting, use="power", often=size, split=draw), _together(way, drawn))


_Read = dict[str, tuple[pl.DataFrame, Any]]


def _answered(part: _Part, model: Path, options: Mapping[str, Any]) -> tuple[pl.DataFrame, Any]:
    tool = load_instrument(part.instrument)
    with tempfile.TemporaryDirectory() as scratch:
        chosen = tool.make_options({**options, **WAYS[part.instrument].asked(part, Path(scratch))})
    subject = open_subject(str(model), part.store, Reading(device="cpu"))
    items = _items(
        part.instrument, part.pack.lang, part.pack.digest((*tool.lists, *tool.extras)), _Held(part.pack, chosen)
    )
    answered, _ = tool.answer(items, subject, part.pack, chosen)
    return answered, chosen


@dataclass(frozen=True)
class _Held:
    """What items are made of; the same wherever its name is."""

    pack: Pack
    options: Any

    def __hash__(self) -> int:
        return hash(repr(self.options))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Held) and other.options == self.options


@cache
def _items(instrument: str, lang: str, digest: str, held: _Held) -> pl.DataFrame:  # noqa: ARG001
    return load_instrument(instrument).items(held.pack, held.options)


def _prefix(options: Mapping[str, Any]) -> str:
    return " ".join(str(value) for value in options.values())


def _together(way: _Way, read: _Read) -> Readings:
    return {
        measure_key(one, prefix): (one.value, one.p_value, one.p_two_sided)
        for prefix, (items, options) in read.items()
        for one in way.estimates(items, options)
        if one.name not in _LEFT_OUT and measure_key(one, prefix)
    }


def _half(read: _Read, unit: str, half: int) -> _Read:
    """The first, third ... of the units, or the others; what has no unit belongs to both."""
    found = {}
    for prefix, (items, options) in read.items():
        units = items[unit].unique(maintain_order=True).to_list()
        kept = [one for place, one in enumerate(one for one in units if one != "") if place % 2 == half]
        found[prefix] = (
            items.filter(pl.col(unit).is_in([*kept, ""] if items[unit].dtype == pl.String else kept)),
            options,
        )
    return found


def _some(items: pl.DataFrame, way: _Way, size: int, chance: random.Random) -> pl.DataFrame:
    """So many units, drawn; of each class, where there are classes."""
    units = items.select(way.unit, **({"of": pl.col(way.per_class)} if way.per_class else {"of": pl.lit("")}))
    kept: list[Any] = []
    for _, own in units.unique(way.unit, maintain_order=True).group_by("of", maintain_order=True):
        names = own[way.unit].to_list()
        kept += chance.sample(names, min(size, len(names)))
    return items.filter(pl.col(way.unit).is_in(kept))
