"""Language models as subjects: what they predict at a place in a sentence."""

from tiltmeter.subjects.language_models.blank import Blank, Span

__all__ = ["Blank", "Span"]
