"""Published ways to measure. Each is one module here, found by its name."""

from tiltmeter.instruments.instrument import (
    Findings,
    Given,
    Instrument,
    Layout,
    Paired,
    file_option,
    folder_option,
    option,
)
from tiltmeter.instruments.registry import all_instruments, instrument_names, load_instrument

__all__ = [
    "Findings",
    "Given",
    "Instrument",
    "Layout",
    "Paired",
    "all_instruments",
    "file_option",
    "folder_option",
    "instrument_names",
    "load_instrument",
    "option",
]
