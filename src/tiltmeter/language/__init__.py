"""What is done to text, by language."""

from tiltmeter.language.capitals import capitalised, written_like
from tiltmeter.language.keywords import KeywordForm, keyword_forms, unclear_forms
from tiltmeter.language.segmentation import SEGMENTERS, segmenter
from tiltmeter.language.slots import Person, Written, form, subject_forms, write, write_caption
from tiltmeter.language.swap import Change, Swapped, swap_gender, swapper
from tiltmeter.language.tagging import Tagged, tagged_words, tagger
from tiltmeter.language.topics import distinctive, text_rank, tf_idf
from tiltmeter.language.words import content_words

__all__ = [
    "SEGMENTERS",
    "Change",
    "KeywordForm",
    "Person",
    "Swapped",
    "Tagged",
    "Written",
    "capitalised",
    "content_words",
    "distinctive",
    "form",
    "keyword_forms",
    "segmenter",
    "subject_forms",
    "swap_gender",
    "swapper",
    "tagged_words",
    "tagger",
    "text_rank",
    "tf_idf",
    "unclear_forms",
    "write",
    "write_caption",
    "written_like",
]
