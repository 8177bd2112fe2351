"""Finds instruments by file name: a new measure is one new module here (what they share begins with `_`)."""

import importlib
import pkgutil

from tiltmeter.errors import unknown
from tiltmeter.instruments.instrument import Instrument

_NOT_INSTRUMENTS = {"instrument", "registry"}


def instrument_names() -> list[str]:
    """All names, told from the files, without importing any of them."""
    package = importlib.import_module("tiltmeter.instruments")
    return sorted(
        module.name.replace("_", "-")
        for module in pkgutil.iter_modules(package.__path__)
        if module.name not in _NOT_INSTRUMENTS and not module.name.startswith("_")
    )


def load_instrument(name: str) -> Instrument:
    if name not in instrument_names():
        raise unknown("instrument", name, instrument_names())
    module = importlib.import_module(f"tiltmeter.instruments.{name.replace('-', '_')}")
    found: Instrument = module.INSTRUMENT
    return found


def all_instruments() -> list[Instrument]:
    return [load_instrument(name) for name in instrument_names()]
