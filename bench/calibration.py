"""A certificate of the instrument that is read in the most ways, its models trained already."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.row import Row, seconds
from tiltmeter.calibration.certificate import Setting
from tiltmeter.calibration.model_worlds import OTHER_WAYS, WAYS, ModelPlan, measured
from tiltmeter.packs import load_pack
from tiltmeter.store import Store

LIMIT = 15 * 60
STEPS = 20
"""Models that hardly learnt are read no faster than others."""


def rows() -> Iterator[Row]:
    plan = ModelPlan(instrument="becpro", pack=load_pack("es"), steps=STEPS)
    alike = Counter(map(_kind, plan.settings))
    first = {kind: next(one for one in plan.settings if _kind(one) == kind) for kind in alike}
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        for setting in first.values():
            WAYS[plan.instrument].taught(plan.pack, setting, STEPS, store)
        taken = {
            kind: seconds(lambda setting=setting: measured(plan, store, setting), repeat=1)  # type: ignore[misc]
            for kind, setting in first.items()
        }
    whole = sum(taken[kind] * count for kind, count in alike.items())
    what = (
        f"measuring BEC-Pro in Spanish, all modes, on the trained models of its certificate, {len(plan.settings)} one"
    )
    yield Row(f"{what} after another (timed on {len(first)} of them, scaled); the limit of 15 minutes", whole, LIMIT, 1)


def _kind(setting: Setting) -> tuple[str, float, bool]:
    """Models of one kind are read as often as each other."""
    return setting.use, setting.dose, setting.seed < OTHER_WAYS
