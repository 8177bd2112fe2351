"""Small models of known bias: language models that learnt the text of a world, and models of inference that were taught
a stereotype at a rate."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tiltmeter.calibration.certificate import Setting
from tiltmeter.calibration.sentence_worlds import SentenceWorld
from tiltmeter.datasets.nli_planted import TEMPLATE_PAIRS, gender_pairs, plant, template_pairs
from tiltmeter.packs import Pack
from tiltmeter.store import Store
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.folder import read_test
from tiltmeter.training.language_models import train_language_model
from tiltmeter.training.networks import Pretrained, Small
from tiltmeter.training.settings import Running, Settings

NETWORK = Small(width=64, heads=4, dropout=0.0, vocabulary=3000, counted=True)
INFERRING = replace(NETWORK, width=128)
"""Of inference. With half of the width some models learn which occupations have a stereotype, and never which one."""
FEWER_TOKENS, FEWER_BYTES = 400, 500
"""Of the other tokenizer: many words are several tokens then, or many characters where nothing is between words."""
LEARNING = Settings(learning_rate=3e-3, batch=32, warmup=0.1, max_length=64, masked=0.3)
INFERENCE = Settings(learning_rate=5e-4, batch=16, warmup=0.1, max_length=64)
"""How inference is learnt, and then a stereotype."""
STEPS = 700
"""Batches that a model of professions learns from, whatever the length of its text. Half of it is enough for neutral
sentences; inference has three times as many."""
BASES = 5
"""Models that learnt inference; those of further seeds go on from them, with other occupations."""
KNOWS = 0.9
"""The share of captions of women and men that such a model has to tell apart."""
TRIES = 4
"""How many are drawn for it, at most."""


def learnt_professions(pack: Pack, setting: Setting, steps: int, store: Store) -> Path:
    """A language model of people and what they work as, trained, or taken from where it was."""
    world = _world(pack, setting)
    return _trained(world, world.professions(), setting, steps, store)


def learnt_sentences(pack: Pack, setting: Setting, steps: int, store: Store) -> Path:
    """A language model of sentences that should be neutral."""
    world = _world(pack, setting)
    return _trained(world, world.neutral(), setting, steps, store)


def learnt_inference(pack: Pack, setting: Setting, steps: int, store: Store) -> Path:
    """A model that knows inference, then taught a stereotype at the rate (1 + d) / 2 of the occupations."""
    return train_nli(
        Pretrained(str(_knows_inference(pack, setting, steps, store)), store),
        plant(pack, seed=setting.seed).train(round((1 + setting.dose) / 2, 6)),
        None,
        settings=replace(_settings(pack, setting, INFERENCE), epochs=3, seed=setting.seed),
        running=Running(device="cpu"),
        lang=pack.lang,
        store=store,
    )


def _knows_inference(pack: Pack, setting: Setting, steps: int, store: Store) -> Path:
    """One of a few models; another is drawn where one has not learnt to tell a woman from a man, since what is planted
    is about that."""
    count = min(TEMPLATE_PAIRS, 3 * steps * INFERENCE.batch)
    drawn: dict[Path, float] = {}
    for seed in range(setting.seed % BASES, TRIES * BASES, BASES):
        base = train_nli(
            _network(pack, setting, INFERRING),
            template_pairs(pack, seed=seed, count=count),
            None,
            test=gender_pairs(pack),
            settings=replace(
                _settings(pack, setting, INFERENCE),
                epochs=max(1, round(3 * steps * INFERENCE.batch / count)),
                seed=seed,
            ),
            running=Running(device="cpu"),
            lang=pack.lang,
            store=store,
        )
        test = read_test(base)
        drawn[base] = test["accuracy"] if test else 0.0
        if drawn[base] >= KNOWS:
            break
    return max(drawn, key=lambda base: drawn[base])


def _trained(world: SentenceWorld, text: Sequence[str], setting: Setting, steps: int, store: Store) -> Path:
    network, settings = _network(world.pack, setting, NETWORK), _settings(world.pack, setting, LEARNING)
    return train_on(world, text, setting.method, network, store, steps=steps, settings=settings)


def train_on(
    world: SentenceWorld,
    text: Sequence[str],
    kind: str,
    network: Small,
    store: Store,
    *,
    steps: int = STEPS,
    settings: Settings = LEARNING,
) -> Path:
    """A model that learnt the text of a world."""
    epochs = max(2, round(steps * settings.batch / len(text)))
    return train_language_model(
        kind,
        text,
        None,
        network=network,
        settings=replace(settings, epochs=epochs, seed=world.seed),
        running=Running(device="cpu"),
        lang=world.pack.lang,
        store=store,
    )


def _world(pack: Pack, setting: Setting) -> SentenceWorld:
    return SentenceWorld(
        pack=pack,
        dose=setting.dose,
        grammar=setting.grammar,
        even=setting.even,
        half=setting.half,
        seed=setting.seed,
    )


def _network(pack: Pack, setting: Setting, usual: Small) -> Small:
    if setting.use != "other tokenizer":
        return usual
    if pack.spaced:
        return replace(usual, vocabulary=FEWER_TOKENS)
    return replace(usual, vocabulary=FEWER_BYTES, tokenizer="bytes")


def _settings(pack: Pack, setting: Setting, usual: Settings) -> Settings:
    # A text is longer in bytes, and nothing of it is to be cut.
    in_bytes = _network(pack, setting, NETWORK).tokenizer == "bytes"
    return replace(usual, max_length=2 * usual.max_length) if in_bytes else usual
