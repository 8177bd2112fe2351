"""Instruments on word vectors, measured on worlds: a text is made, vectors are learnt from it, and an instrument looks.

A world takes a fraction of a second, so that error rates come from a thousand of them.
"""

import json
import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from scipy.sparse import coo_array, csr_array

from tiltmeter import workers
from tiltmeter.calibration.certificate import Certificate, Outcome, Readings, Setting
from tiltmeter.calibration.naming import measure_key
from tiltmeter.calibration.worlds import Dial, Pair, Words, World
from tiltmeter.errors import TiltmeterError, unknown
from tiltmeter.instruments import Instrument, bad, load_instrument, mweat, weat
from tiltmeter.packs import LISTS, Pack
from tiltmeter.results import Estimate
from tiltmeter.statistics import BRISK
from tiltmeter.store import Store, identity
from tiltmeter.subjects.table import VectorTable
from tiltmeter.subjects.vectors import Vector
from tiltmeter.training import ppmi, predictive

_log = logging.getLogger(__name__)

VERSION = "2"
"""Raised whenever the same plan would give other certificates."""
WINDOW, DIMENSIONS, EPOCHS = 10, 50, 20
_PART = 20
"""Worlds that are measured, and kept, together."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How an instrument is calibrated."""

    text: Callable[[World], list[Words]]
    pairs: Callable[[World], list[Pair]]
    """The words of that text's sentences but for those that say nothing."""
    estimates: Callable[[pl.DataFrame, Any], list[Estimate]]
    """The instrument's values and p-values without what takes long and is not asked here: intervals, figures, words."""
    dials: tuple[Dial, ...]
    doses: tuple[float, ...]
    unit: str
    """The column whose words are split into halves."""
    lists: tuple[str, ...]
    """All that a world is made of."""
    published: tuple[str, ...]
    """Estimates whose p is a paper's, not one that we stand behind."""
    instead: tuple[tuple[str, str], ...] = ()
    """Of an estimate whose p takes for given what was drawn, one whose p does not."""
    left_out: tuple[str, ...] = ()
    """Groups of which nothing is to be found."""
    has_topics: bool = False
    """Whether its targets are topics, which may be coherent."""


_BOTH_WAYS = (-1.0, -0.5, 0.0, 0.5, 1.0)
_THINGS = ("mentions", "occupations", "inanimate_nouns", "baseline_adjectives")
_ADJECTIVES = (*_THINGS, "adjectives", "semantic_gender", "names")
WAYS: Mapping[str, _Way] = {
    "weat": _Way(
        text=World.topics,
        pairs=World.topic_pairs,
        estimates=weat.bare_estimates,
        dials=("stereotype",),
        doses=_BOTH_WAYS,
        unit="target",
        lists=(*_THINGS, "weat"),
        published=("effect_size",),
        instead=(
            ("effect_size_sign_flip", "effect_size_without_grammar"),
            ("effect_size_sign_flip", "effect_size_both"),
            ("effect_size_both", "effect_size_without_grammar"),
        ),
        has_topics=True,
    ),
    "bad": _Way(
        text=World.adjectives,
        pairs=World.adjective_pairs,
        estimates=bad.bare_estimates,
        dials=("stereotype", "lean"),
        doses=_BOTH_WAYS,
        unit="masculine",
        lists=_ADJECTIVES,
        published=("statistic", "paired_t"),
        instead=(("statistic_sign_flip", "score_minus_baseline"),),
    ),
    "mweat": _Way(
        text=World.adjectives,
        pairs=World.adjective_pairs,
        estimates=mweat.bare_estimates,
        dials=("lean", "stereotype"),
        doses=(0.0, 0.25, 0.5, 0.75, 1.0),  # it is never below 0, whichever way words lean
        unit="masculine",
        lists=_ADJECTIVES,
        published=("statistic", "statistic_resplit"),
        left_out=("unmarked",),
    ),
}


@dataclass(frozen=True, kw_only=True)
class VectorPlan:
    """How many worlds of which kind."""

    instrument: str
    pack: Pack
    seeds: int = 10
    """Worlds for each dose."""
    worlds: int = 1000
    """Worlds without any bias, of each kind, for the rate of false positives."""
    power_worlds: int = 100
    power_dose: float = 0.2
    sizes: tuple[int, ...] = (5, 10, 20, 40, 80)
    """Sentences of each word with a gendered one, for the power."""
    other_seeds: int = 10
    """Worlds of each dose that are made or learnt otherwise."""
    runner: str = "local"

    def __post_init__(self) -> None:
        if self.instrument not in WAYS:
            raise unknown("instrument on word vectors that can be calibrated", self.instrument, WAYS)
        for name in ("seeds", "worlds", "power_worlds"):
            if getattr(self, name) < 2:
                raise TiltmeterError(f"--{name.replace('_', '-')} is {getattr(self, name)}, and at least 2 are needed")
        if self.other_seeds < 0:
            raise TiltmeterError(f"--other-seeds is {self.other_seeds}, and cannot be below 0")
        if not self.sizes or not 0 < self.power_dose <= 1:
            raise TiltmeterError("the power is asked of some numbers of sentences, at a dose above 0 and up to 1")
        if len(self.pack.mentions) < 2:
            raise TiltmeterError(
                f"mentions.tsv of {self.pack.name} has to have two or more {LISTS['mentions']}: a world is made of them"
            )

    @property
    def settings(self) -> list[Setting]:
        """Every world that is made, the one with which it is compared first."""
        way = WAYS[self.instrument]
        found = [
            Setting(use="dose", dial=dial, dose=dose, seed=seed)
            for dial in way.dials
            for dose in way.doses
            for seed in range(self.seeds)
        ]
        found += [
            Setting(use="null", dial=way.dials[0], dose=0.0, seed=seed, coherent=coherent, drawn=drawn)
            for drawn in (False, True)
            for coherent in ((False, True) if way.has_topics else (False,))
            for seed in _after(self.worlds, 1)
        ]
        found += [
            Setting(use="power", dial=way.dials[0], dose=self.power_dose, seed=seed, often=often)
            for number, often in enumerate(self.sizes)
            for seed in _after(self.power_worlds, 2 + number)
        ]
        others: dict[str, dict[str, Any]] = {
            "skip-gram": {"method": "skip-gram"},
            "skip-gram, half of the sentence forms": {"method": "skip-gram", "half": 1},
            "skip-gram, the other half": {"method": "skip-gram", "half": 2},
        }
        if way.has_topics:
            others["coherent topics"] = {"coherent": True}
        if self.pack.grammatical_gender:
            others["no grammar"] = {"grammar": False}
        return found + [
            Setting(use=name, dial=way.dials[0], dose=dose, seed=seed, **changed)
            for name, changed in others.items()
            for dose in (0.0, 1.0)
            for seed in range(self.other_seeds)
        ]


def _after(count: int, block: int) -> range:
    """Seeds that no other use has."""
    return range(block * 1_000_000, block * 1_000_000 + count)


def certify(plan: VectorPlan, store: Store | None = None) -> Certificate:
    """Makes the worlds, or takes those that were made before, and says what they show."""
    store = store or Store()
    tool = load_instrument(plan.instrument)
    way = WAYS[plan.instrument]
    _try(plan, tool, way)
    settings = plan.settings
    by_use = [list(own) for _, own in groupby(settings, key=lambda setting: setting.use)]
    parts = [
        _Part(plan.instrument, plan.pack, tuple(own[start : start + _PART]), store)
        for own in by_use
        for start in range(0, len(own), _PART)
    ]
    outcomes: dict[int, list[Outcome]] = {}
    for number, found in workers.map(_start, parts, plan.runner):
        outcomes[number] = found
        _log.info(
            "[%d/%d] worlds",
            min(len(outcomes) * _PART, len(settings)),
            len(settings),
            extra={"progress": len(outcomes) / len(parts)},
        )
    return Certificate(
        instrument=tool.name,
        version=tool.version,
        capability=tool.capability,
        lang=plan.pack.lang,
        about={
            "certificate": VERSION,
            "method": "ppmi-svd, where nothing else is said",
            "window": WINDOW,
            "dimensions": DIMENSIONS,
            "p_values": f"exact up to {BRISK['exact_up_to']} values, else of {BRISK['samples']:,} arrangements drawn",
            "worlds": len(settings),
            "power_dose": plan.power_dose,
            "pack": plan.pack.digest(way.lists),
            "versions": _versions(),
        },
        published=way.published,
        instead=way.instead,
        outcomes=tuple(outcome for number in range(len(parts)) for outcome in outcomes[number]),
    )


def _try(plan: VectorPlan, tool: Instrument, way: _Way) -> None:
    """What a world lacks is said before a thousand are made."""
    trial = World(pack=plan.pack, often=4)
    if len({word for sentence in way.text(trial) for word in sentence} - trial.function_words) <= DIMENSIONS:
        raise TiltmeterError(f"a world of {plan.pack.name} has too few words for vectors of {DIMENSIONS} dimensions")
    options = tool.options()
    table = VectorTable(counted(way.pairs(trial), trial.function_words))
    answered, _ = tool.answer(tool.items(plan.pack, options), table, plan.pack, options)
    if not _readings(tool, answered, options):
        reasons = dict.fromkeys(note.text for note in tool.estimate(answered, options).notes if note.kind == "void")
        raise TiltmeterError(f"{tool.name} has no number in a world of {plan.pack.name}: {' '.join(reasons)}")


@dataclass(frozen=True)
class _Part:
    instrument: str
    pack: Pack
    settings: tuple[Setting, ...]
    store: Store

    @property
    def key(self) -> str:
        tool = load_instrument(self.instrument)
        settings = [asdict(setting) for setting in self.settings]
        digest = self.pack.digest(WAYS[self.instrument].lists)
        made = [WINDOW, DIMENSIONS, EPOCHS, _versions()]
        return identity(VERSION, tool.name, tool.version, digest, settings, made)[:24]


def _versions() -> dict[str, str]:
    return {package: version(package) for package in ("numpy", "scipy", "gensim")}


def _start() -> Callable[[_Part], list[Outcome]]:
    return _measured


def _measured(part: _Part) -> list[Outcome]:
    def fill(folder: Path) -> None:
        tool = load_instrument(part.instrument)
        options = tool.options()
        items = tool.items(part.pack, options)
        found = [asdict(_outcome(setting, part, tool, items, options)) for setting in part.settings]
        (folder / "outcomes.json").write_text(json.dumps(found), "utf-8")

    folder = part.store.calibrations.obtain(part.key, fill)
    return [Outcome.from_json(row) for row in json.loads((folder / "outcomes.json").read_bytes())]


def _outcome(setting: Setting, part: _Part, tool: Instrument, items: pl.DataFrame, options: Any) -> Outcome:
    mentions = part.pack.mentions
    world = World(
        pack=part.pack,
        dose=setting.dose,
        dial=setting.dial,
        grammar=setting.grammar,
        coherent=setting.coherent,
        drawn=setting.drawn,
        often=setting.often,
        mentions=mentions[setting.half - 1 :: 2] if setting.half else mentions,
        seed=setting.seed,
    )
    way = WAYS[part.instrument]
    table = VectorTable(
        _learnt_by_skip_gram(world, way, setting.seed)
        if setting.method == "skip-gram"
        else counted(way.pairs(world), world.function_words)
    )
    answered, _ = tool.answer(items, table, part.pack, options)
    whole = _readings(tool, answered, options)
    if setting.use != "dose":
        return Outcome(setting, whole)
    units = answered[way.unit].unique(maintain_order=True).to_list()
    halves = (answered.filter(pl.col(way.unit).is_in(units[start::2])) for start in (0, 1))
    return Outcome(setting, whole, tuple(_readings(tool, half, options) for half in halves))


def _readings(tool: Instrument, answered: pl.DataFrame, options: Any) -> Readings:
    left_out = set(WAYS[tool.name].left_out)
    return {
        key: (estimate.value, estimate.p_value, estimate.p_two_sided)
        for estimate in WAYS[tool.name].estimates(answered, options)
        if (key := measure_key(estimate)) and not left_out & set(estimate.group.values())
    }


@contextmanager
def _quietly() -> Iterator[None]:
    """What a training says of itself, a thousand of them need not say."""
    training = logging.getLogger("tiltmeter.training")
    level = training.level
    training.setLevel(logging.WARNING)
    try:
        yield
    finally:
        training.setLevel(level)


def _learnt_by_skip_gram(world: World, way: _Way, seed: int) -> dict[str, Vector]:
    """From whole sentences: skip-gram draws frequent words less often, so that little is left of what says nothing."""
    sentences = way.text(world)
    vocabulary = _by_frequency(Counter(word for sentence in sentences for word in sentence))
    with _quietly():
        vectors = predictive.train(
            "skip-gram",
            lambda: iter(sentences),
            vocabulary,
            sentence_count=len(sentences),
            window=WINDOW,
            dimensions=DIMENSIONS,
            epochs=EPOCHS,
            seed=seed,
        )
    return dict(zip(vocabulary, vectors.astype(np.float64), strict=True))


def counted(pairs: Iterable[Pair], left_out: frozenset[str]) -> dict[str, Vector]:
    """PPMI-SVD of a text without the words that say nothing: its sentences are pairs then, which need not be written to
    be counted."""
    kept = [pair for pair in pairs if left_out.isdisjoint(pair)]
    vocabulary = _by_frequency(Counter(word for pair in kept for word in pair))
    rows = {word: row for row, word in enumerate(vocabulary)}
    first, second = (np.fromiter(map(rows.__getitem__, side), np.int64) for side in zip(*kept, strict=True))
    ahead = coo_array((np.ones(len(kept), np.int64), (first, second)), shape=(len(rows), len(rows))).tocsr()
    vectors = ppmi.factors(ppmi.positive_pmi(csr_array(ahead + ahead.T)), DIMENSIONS, seed=0)
    return dict(zip(vocabulary, vectors, strict=True))


def _by_frequency(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))
