"""Published ways to measure. Each is one module here, found by its name."""

from tiltmeter.instruments.instrument import Findings, Instrument, option
from tiltmeter.instruments.registry import all_instruments, instrument_names, load_instrument

__all__ = ["Findings", "Instrument", "all_instruments", "instrument_names", "load_instrument", "option"]
