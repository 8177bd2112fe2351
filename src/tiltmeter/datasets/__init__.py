"""Published file formats: read, verified, and refused where they cannot be used."""

from tiltmeter.datasets.ratings import Rating, read_ratings

__all__ = ["Rating", "read_ratings"]
