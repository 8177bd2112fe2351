"""What is done to text, by language."""

from tiltmeter.language.capitals import capitalised
from tiltmeter.language.segmentation import SEGMENTERS, segmenter
from tiltmeter.language.slots import Person, Written, form, write

__all__ = ["SEGMENTERS", "Person", "Written", "capitalised", "form", "segmenter", "write"]
