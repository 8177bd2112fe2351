"""Work spread over processes or machines: `workers.map`."""

from tiltmeter.workers.mapping import RUNNERS, map

__all__ = ["RUNNERS", "map"]
