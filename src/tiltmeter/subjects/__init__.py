"""What is measured: models and vectors behind capabilities."""

from tiltmeter.subjects.opening import (
    CAPABILITIES,
    Filler,
    Inferrer,
    Subject,
    language_of,
    model_folder,
    open_subject,
)
from tiltmeter.subjects.packages import Package, is_fetched, known_package, known_packages
from tiltmeter.subjects.references import Reference, known_references, reference
from tiltmeter.subjects.vectors import Found, VectorSubject

__all__ = [
    "CAPABILITIES",
    "Filler",
    "Found",
    "Inferrer",
    "Package",
    "Reference",
    "Subject",
    "VectorSubject",
    "is_fetched",
    "known_package",
    "known_packages",
    "known_references",
    "language_of",
    "model_folder",
    "open_subject",
    "reference",
]
