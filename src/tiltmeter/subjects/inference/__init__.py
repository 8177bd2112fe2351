"""Natural language inference: whether one sentence follows from another, contradicts it, or neither."""

from tiltmeter.subjects.inference.answers import LABELS, Pair, argmax_labels
from tiltmeter.subjects.inference.prompting import entail_by_prompt

__all__ = ["LABELS", "Pair", "argmax_labels", "entail_by_prompt"]
