"""Studies as data files: measured again, their printed tables beside ours; and studies of a user's own."""

from tiltmeter.studies.cells import Cell, Compared, Outcome, Row
from tiltmeter.studies.export import study_file
from tiltmeter.studies.reproduce import Absent, Reproduction, reproduce
from tiltmeter.studies.study import Column, Measured, Model, Printout, Study, published_studies, read_study

__all__ = [
    "Absent",
    "Cell",
    "Column",
    "Compared",
    "Measured",
    "Model",
    "Outcome",
    "Printout",
    "Reproduction",
    "Row",
    "Study",
    "published_studies",
    "read_study",
    "reproduce",
    "study_file",
]
