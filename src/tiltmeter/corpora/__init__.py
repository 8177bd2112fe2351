"""Data sets made from text: sentences screened out of a corpus of any size, pairs made of captions."""

from tiltmeter.corpora.build import Built, Request, build_slguset
from tiltmeter.corpora.nli import BuiltNli, NliRequest, build_nli
from tiltmeter.corpora.plan import Spread
from tiltmeter.corpora.rules import RULES

__all__ = ["RULES", "Built", "BuiltNli", "NliRequest", "Request", "Spread", "build_nli", "build_slguset"]
