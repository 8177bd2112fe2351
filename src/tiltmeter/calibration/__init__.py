"""Does an instrument find the bias that was planted?

`nli_coal` trains models to a known bias; `vector_worlds` makes texts of a known one and learns vectors from them. What
was found is a `Calibration`, or for many worlds a `Certificate`. `references` makes tiny subjects of a known bias that
come with the package, and `selftest` measures them again.
"""

from tiltmeter.calibration.certificate import Certificate
from tiltmeter.calibration.dose_response import Calibration, Score
from tiltmeter.calibration.files import (
    cautions,
    cells,
    learning,
    refuse_other,
    write_calibration,
    write_certificate,
)
from tiltmeter.calibration.selftest import Selftest

__all__ = [
    "Calibration",
    "Certificate",
    "Score",
    "Selftest",
    "cautions",
    "cells",
    "learning",
    "refuse_other",
    "write_calibration",
    "write_certificate",
]
