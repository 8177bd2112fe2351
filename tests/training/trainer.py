"""Trains a classifier and says so, for a test that kills it: `trainer.py OUT CACHE`."""

import logging
import sys
from pathlib import Path

from tiltmeter.store import Store
from tiltmeter.training.classifiers import train_nli
from tiltmeter.training.settings import Running, Settings
from training.made import QUICK, TINY, pairs

logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stderr)
settings = Settings(**{**QUICK.to_json(), "epochs": 120})
train_nli(
    TINY,
    pairs(),
    Path(sys.argv[1]),
    settings=settings,
    running=Running(device="cpu", save_every=0.05),
    store=Store(Path(sys.argv[2])),
)
