"""Models made from text: values in, a model folder out. Nothing here knows of bias."""

from tiltmeter.training.corpus import open_corpus
from tiltmeter.training.folder import CARD, read_card, read_test
from tiltmeter.training.recipe import METHODS, Recipe
from tiltmeter.training.vectors import train_sweep, train_vectors

__all__ = ["CARD", "METHODS", "Recipe", "open_corpus", "read_card", "read_test", "train_sweep", "train_vectors"]
