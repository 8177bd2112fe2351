"""Calibrates here and on a local Ray cluster: prints the scores of both, and whether two trainings agree."""

import sys
from pathlib import Path

from calibration.planted import base, published
from tiltmeter.calibration.nli_coal import Plan, calibrate_nli_coal
from tiltmeter.packs import load_pack
from tiltmeter.store import Store


def main(folder: Path) -> None:
    sets, evaluation = published(folder)
    model = base(folder, Store(folder / "made"))
    for runner in ("local", "ray"):
        plan = Plan(
            pack=load_pack("en"),
            model=str(model),
            sets=sets,
            evaluation=evaluation,
            seeds=1,
            learning_rate=3e-3,
            epochs=3,
            runner=runner,
        )
        found = calibrate_nli_coal(plan, Store(folder / runner))
        print([(score.dose, round(score.values["s"] or 0.0, 3)) for score in found.scores])


main(Path(sys.argv[1]))
