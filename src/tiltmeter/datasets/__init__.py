"""Published file formats: read, verified, and refused where they cannot be used."""

from tiltmeter.datasets.frames import ATTRIBUTE, TARGET, Frames, read_frames
from tiltmeter.datasets.ratings import Rating, read_ratings

__all__ = ["ATTRIBUTE", "TARGET", "Frames", "Rating", "read_frames", "read_ratings"]
