"""What is done to text, by language."""

from tiltmeter.language.capitals import capitalised
from tiltmeter.language.segmentation import SEGMENTERS, segmenter
from tiltmeter.language.slots import Person, Written, form, write
from tiltmeter.language.topics import distinctive, text_rank, tf_idf
from tiltmeter.language.words import content_words

__all__ = [
    "SEGMENTERS",
    "Person",
    "Written",
    "capitalised",
    "content_words",
    "distinctive",
    "form",
    "segmenter",
    "text_rank",
    "tf_idf",
    "write",
]
