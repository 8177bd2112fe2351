"""Data sets made from text: sentences screened out of a corpus of any size."""

from tiltmeter.corpora.build import Built, Request, build_slguset
from tiltmeter.corpora.plan import Spread
from tiltmeter.corpora.rules import RULES

__all__ = ["RULES", "Built", "Request", "Spread", "build_slguset"]
