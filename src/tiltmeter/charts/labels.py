"""Which points of a scatter are named, and on which side, so that none lies on another, a point or the neutral line."""

import statistics
from collections.abc import Sequence
from typing import Any

from tiltmeter.charts.table import width_of

SIZE = 10
_AWAY = 6
"""Pixels from the middle of a point to its name."""
SIDES: dict[str, dict[str, Any]] = {
    "right": {"align": "left", "baseline": "middle", "dx": _AWAY},
    "left": {"align": "right", "baseline": "middle", "dx": -_AWAY},
    "above": {"align": "center", "baseline": "bottom", "dy": -_AWAY},
    "below": {"align": "center", "baseline": "top", "dy": _AWAY},
}
_CONSIDERED = 300
_Box = tuple[float, float, float, float]


def place_labels(
    points: Sequence[tuple[float, float, str]],
    across: Sequence[float],
    upward: Sequence[float],
    size: tuple[int, int],
    neutral: float | None,
) -> list[str]:
    """The side on which each point's name stands, or nothing; every name is in the tooltip anyway."""
    width, height = size
    pixels = [
        ((x - across[0]) / (across[1] - across[0]) * width, (upward[1] - y) / (upward[1] - upward[0]) * height)
        for x, y, _ in points
    ]
    taken: list[_Box] = [(x - 4, y - 4, x + 4, y + 4) for x, y in pixels]
    if neutral is not None:
        line = (upward[1] - neutral) / (upward[1] - upward[0]) * height
        taken.append((0, line - 1, width, line + 1))
    sides = [""] * len(points)
    distance = _distances(points, neutral)
    for place in sorted(range(len(points)), key=lambda place: -distance[place])[:_CONSIDERED]:
        (x, y), text = pixels[place], points[place][2]
        long = width_of(text, SIZE)
        for side in SIDES:
            box = _box(side, x, y, long)
            inside = box[0] >= 0 and box[1] >= 0 and box[2] <= width and box[3] <= height
            if inside and not any(_meet(box, other) for number, other in enumerate(taken) if number != place):
                sides[place] = side
                taken.append(box)
                break
    return sides


def _distances(points: Sequence[tuple[float, float, str]], neutral: float | None) -> list[float]:
    """How far each point lies from the trend of all; of a few, from what is neutral or from their mean."""
    xs, ys = [x for x, _, _ in points], [y for _, y, _ in points]
    if len(points) > 7 and len(set(xs)) > 1:
        line = statistics.linear_regression(xs, ys)
        return [abs(y - line.intercept - line.slope * x) for x, y in zip(xs, ys, strict=True)]
    middle = neutral if neutral is not None else statistics.fmean(ys) if ys else 0.0
    return [abs(y - middle) for y in ys]


def _box(side: str, x: float, y: float, long: float) -> _Box:
    half, high = long / 2, SIZE / 2 + 1
    return {
        "right": (x + _AWAY, y - high, x + _AWAY + long, y + high),
        "left": (x - _AWAY - long, y - high, x - _AWAY, y + high),
        "above": (x - half, y - _AWAY - 2 * high, x + half, y - _AWAY),
        "below": (x - half, y + _AWAY, x + half, y + _AWAY + 2 * high),
    }[side]


def _meet(one: _Box, other: _Box) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]
