"""What is done to text, by language."""

from tiltmeter.language.capitals import capitalised
from tiltmeter.language.segmentation import SEGMENTERS, segmenter

__all__ = ["SEGMENTERS", "capitalised", "segmenter"]
