"""Does an instrument find the bias that was planted? Models are trained to a known one and measured."""

from tiltmeter.calibration.dose_response import Calibration, Score
from tiltmeter.calibration.files import cautions, cells, learning, refuse_other, write_calibration
from tiltmeter.calibration.nli_coal import MEASURES, Plan, calibrate_nli_coal

__all__ = [
    "MEASURES",
    "Calibration",
    "Plan",
    "Score",
    "calibrate_nli_coal",
    "cautions",
    "cells",
    "learning",
    "refuse_other",
    "write_calibration",
]
