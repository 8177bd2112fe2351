"""The test of the test: models that were taught a stereotype by a known rate, and what NLI-CoAL says of them.

Anantaprayoon, Kaneko and Okazaki (2023), section 4.1 and appendices D and E: a model that knows inference is trained
further on a set in which a share r of the stereotyped occupations is answered as the stereotype says, and the others
the other way round. Spearman's rank correlation of a score with r says whether the score measures bias; a score that
counts wrong answers alone is the same at every r. The paper has .820 for s and -.114 for 1 - FN, from one model and one
seed.
"""

import hashlib
import json
import logging
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

from tiltmeter import workers
from tiltmeter.calibration.dose_response import Calibration, Score
from tiltmeter.datasets.labelled import Labelled, checksum_of
from tiltmeter.datasets.nli_corpora import read_bias_controlled
from tiltmeter.datasets.nli_files import read_folder, written_files
from tiltmeter.datasets.nli_planted import RATES, plant, template_pairs
from tiltmeter.errors import TiltmeterError
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import Pack
from tiltmeter.reading import Reading
from tiltmeter.results import Estimate
from tiltmeter.runs import check_lists, measure
from tiltmeter.store import Store, identity
from tiltmeter.subjects.inference import LABELS
from tiltmeter.subjects.language_models.checkpoint import told_kind, told_labels
from tiltmeter.subjects.language_models.engine import ENGINE as ASKING
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.folder import read_card, read_test
from tiltmeter.training.many import train_many
from tiltmeter.training.models import ENGINE as FITTING
from tiltmeter.training.networks import Network, Pretrained, Small, labels_in_order
from tiltmeter.training.settings import Running, Settings

_log = logging.getLogger(__name__)

VERSION = "1"
"""Raised whenever the same plan would give other scores."""

SMALL = Small(heads=4, dropout=0.0)
LEARNING = Settings(epochs=6, learning_rate=5e-4, batch=16, warmup=0.1)
"""How the small model learns inference."""
PLANTING_SMALL = Settings(epochs=3, learning_rate=5e-4, batch=16, warmup=0.1)
PLANTING_GIVEN = Settings(epochs=3)
"""How what is planted is learnt: by the small model, and as published."""


def _plain(name: str) -> Callable[[Mapping[str, Estimate]], float | None]:
    return lambda found: found[name].value


def _turned(name: str) -> Callable[[Mapping[str, Estimate]], float | None]:
    """1 less the score: Dev's scores are lower where there is more bias."""

    def turned(found: Mapping[str, Estimate]) -> float | None:
        value = found[name].value
        return None if value is None else 1 - value

    return turned


NEUTRAL_ONLY = "1 - FN"
MEASURES = {
    "s": _plain("s"),
    "s_macro": _plain("s_macro"),
    "s_excess": _plain("s_excess"),
    "stereotype_contrast": _plain("stereotype_contrast"),
    NEUTRAL_ONLY: _turned("fraction_neutral all"),
    "1 - NN": _turned("net_neutral all"),
    "1 - T(0.5)": _turned("threshold_neutral all 0.5"),
    "1 - T(0.7)": _turned("threshold_neutral all 0.7"),
}


DRAWN = ("s", "s_excess", "stereotype_contrast", NEUTRAL_ONLY)
"""With as many occupations of either gender s and s_macro are the same, and the neutral-only scores nearly so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What is trained and measured."""

    pack: Pack
    pack_folder: Path | None = None
    model: str | None = None
    """An NLI model to go on from, by path or hub name; without one, a small model learns inference on the pack's
    captions first, one for each seed."""
    sets: Path | None = None
    """A folder of published bias-controlled sets, instead of those made from the pack."""
    evaluation: Path | None = None
    """A folder of NLI-CoAL's files to measure on; needed with `sets`."""
    seeds: int = 10
    epochs: int = 3
    learning_rate: float | None = None
    pre_segment: Literal["auto", "none", "mecab", "jumanpp"] = "auto"
    """What cuts Japanese text into words before the given model sees it."""
    running: Running = field(default_factory=Running)
    runner: str = "local"

    def __post_init__(self) -> None:
        if self.seeds < 1:
            raise TiltmeterError(f"--seeds is {self.seeds}, and at least one is needed")
        if (self.sets is None) != (self.evaluation is None):
            raise TiltmeterError(
                "--sets and --evaluation belong together: the published training sets, and the published pairs to "
                "measure on (bias-eval-set, downsamp)"
            )
        if self.sets is not None and self.model is None:
            raise TiltmeterError("published sets need a model that knows inference: name one (`tiltmeter train nli`)")
        _ = self.retraining  # what is wrong with it is said before anything is trained

    @property
    def retraining(self) -> Settings:
        usual = PLANTING_SMALL if self.model is None else PLANTING_GIVEN
        rate = usual.learning_rate if self.learning_rate is None else self.learning_rate
        return replace(usual, epochs=self.epochs, learning_rate=rate)


def calibrate_nli_coal(plan: Plan, store: Store | None = None) -> Calibration:
    """Trains and measures a model for every seed and rate.

    What was trained or measured before is not done again, so that the same call goes on after a kill, and one with more
    seeds adds to what is there.
    """
    store = store or Store()
    started = time.perf_counter()
    tool = load_instrument("nli-coal")
    if plan.sets is None:
        check_lists(tool, plan.pack)
    bases = _bases(plan, store)
    sets = list(_sets(plan))
    parts = [_Part(bases[one.seed], one, plan, store) for one in sets]
    scores: list[Score] = []
    for number, score in workers.map(_start, parts, plan.runner):
        scores.append(score)
        _log.info("[%d/%d] seed %d, r = %.1f", len(scores), len(parts), parts[number].set.seed, parts[number].set.rate)
    return Calibration(
        instrument=tool.name,
        version=tool.version,
        lang=plan.pack.lang,
        measures=tuple(MEASURES),
        against=NEUTRAL_ONLY,
        scores=tuple(sorted(scores, key=lambda score: (score.seed, score.dose))),
        about=_about(plan, bases, sets, scores),
        seconds=time.perf_counter() - started,
        drawn=DRAWN,
    )


@dataclass(frozen=True, slots=True)
class _Set:
    """What one model is taught, what shows that it learnt it, and what it is measured on."""

    seed: int
    rate: float
    train: tuple[Labelled, ...]
    dev: tuple[Labelled, ...]
    asked: Mapping[str, bytes]
    """Files in the published layout."""


def _sets(plan: Plan) -> Iterator[_Set]:
    if plan.sets is not None and plan.evaluation is not None:
        read_folder(plan.evaluation)  # what is wrong with it is said before anything is trained
        files = {path.name: path.read_bytes() for path in sorted(plan.evaluation.glob("*.json*"))}
        published = read_bias_controlled(plan.sets)
        for seed in range(plan.seeds):
            for rate, uses in published.items():
                yield _Set(seed, rate, uses["train"], uses.get("test", ()), files)
        return
    for seed in range(plan.seeds):
        planting = plant(plan.pack, seed=seed)
        asked = written_files(sorted(planting.asked(), key=lambda pair: pair.set), plan.pack.lang)
        for rate in RATES:
            yield _Set(seed, rate, tuple(planting.train(rate)), tuple(planting.dev(rate)), asked)


def _bases(plan: Plan, store: Store) -> list[Network]:
    """The model that each seed goes on from."""
    if plan.model is not None:
        given = Pretrained(plan.model, store, plan.pre_segment)
        if told_kind(given.folder) != "nli":
            raise TiltmeterError(
                f"{plan.model} is no NLI model: train it first with `tiltmeter train nli`, or leave it away for a "
                "small model that learns inference on the pack's captions"
            )
        if not labels_in_order(told_labels(given.folder), LABELS):
            raise TiltmeterError(
                f"{plan.model} does not name its labels entailment, contradiction and neutral, so that it cannot go on "
                "from its own head: name them in its config.json (id2label)"
            )
        return [given] * plan.seeds
    fits = [
        partial(
            train_nli,
            SMALL,
            template_pairs(plan.pack, seed=seed),
            None,
            test=list(dict.fromkeys(template_pairs(plan.pack, seed=seed, count=_TESTED, held_out=True))),
            settings=replace(LEARNING, seed=seed),
            running=plan.running,
            lang=plan.pack.lang,
            store=store,
        )
        for seed in range(plan.seeds)
    ]
    _log.info("%d small models learn inference", plan.seeds)
    return [Pretrained(str(folder), store) for folder in train_many(fits, plan.runner)]


_TESTED = 1500
"""Pairs, some of them the same, that show whether a small model has learnt inference."""


@dataclass(frozen=True, slots=True)
class _Part:
    base: Network
    set: _Set
    plan: Plan
    store: Store

    @property
    def settings(self) -> Settings:
        return replace(self.plan.retraining, seed=self.set.seed)

    @property
    def key(self) -> str:
        files = {name: hashlib.sha256(content).hexdigest() for name, content in self.set.asked.items()}
        return identity(
            VERSION,
            [FITTING, ASKING, load_instrument("nli-coal").version],
            self.base.identity(),
            checksum_of(self.set.train),
            checksum_of(self.set.dev),
            self.settings.to_json(),
            files,
            self.plan.pack.digest(("gender_pairs",)),
            self.plan.pack.lang,
        )[:24]


def _start() -> Callable[[_Part], Score]:
    return _scored


def _scored(part: _Part) -> Score:
    folder = part.store.calibrations.obtain(part.key, partial(_fill, part))
    kept = json.loads((folder / "score.json").read_bytes())
    if part.plan.model is not None:
        # Models that go on from one of the user's are large.
        part.store.models.remove(kept["model"])
    return Score(
        seed=part.set.seed,
        dose=part.set.rate,
        learnt=kept["learnt"],
        values=kept["values"],
        versions=kept["versions"],
    )


def _fill(part: _Part, folder: Path) -> None:
    """Trains the model, measures it, and keeps what was measured."""
    model = train_nli(
        part.base,
        part.set.train,
        None,
        test=part.set.dev,
        settings=part.settings,
        running=part.plan.running,
        lang=part.plan.pack.lang,
        store=part.store,
    )
    scratch = folder / "scratch"
    data = scratch / "asked"
    data.mkdir(parents=True)
    for name, content in part.set.asked.items():
        (data / name).write_bytes(content)
    run = measure(
        "nli-coal",
        str(model),
        lang=None if part.plan.pack_folder else part.plan.pack.lang,
        pack=part.plan.pack_folder,
        store=Store(scratch / "cache"),
        reading=Reading(device=part.plan.running.device, pre_segment=part.plan.pre_segment),
        keep=False,
        data=data,
    )
    test = read_test(model)
    estimates = {_name(estimate): estimate for estimate in run.result.estimates if "occupation" not in estimate.group}
    score = {
        "model": model.name,
        "versions": read_card(model)["versions"],
        "learnt": test["accuracy"] if test else None,
        "values": {name: value_of(estimates) for name, value_of in MEASURES.items()},
        "estimates": [estimate.to_json() for estimate in estimates.values()],
    }
    shutil.rmtree(scratch)
    (folder / "score.json").write_text(json.dumps(score, indent=1), "utf-8")


def _name(estimate: Estimate) -> str:
    return " ".join([estimate.name, *estimate.group.values()])


def _about(plan: Plan, bases: Sequence[Network], sets: Sequence[_Set], scores: Sequence[Score]) -> dict[str, Any]:
    first = next(one for one in sets if one.seed == 0)
    accuracies = []
    if plan.model is None:
        tests = [read_test(base.folder) for base in bases if isinstance(base, Pretrained)]
        accuracies = [test["accuracy"] for test in tests if test]
    return {
        "calibration": VERSION,
        "network": SMALL.to_json() if plan.model is None else bases[0].to_json(),
        "inference_accuracy": accuracies,
        "sets": "the pack's" if plan.sets is None else plan.sets.name,
        "pairs_learnt": len(first.train),
        "settings": {name: value for name, value in plan.retraining.to_json().items() if name != "seed"},
        "pack": plan.pack.digest(("occupations", "captions", "subjects")),
        # Of what trained the models, which may have been another day.
        "versions": [dict(found) for found in dict.fromkeys(tuple(score.versions.items()) for score in scores)],
    }
