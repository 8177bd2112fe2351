"""Reads a drawn SVG: where its marks are, and what its axes say."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import vl_convert

from tiltmeter import charts
from tiltmeter.results import Figure

_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = r"-?[\d.]+(?:e-?\d+)?"


@dataclass(frozen=True)
class Mark:
    """A mark by its box, in pixels from the upper left of the plot."""

    left: float
    top: float
    right: float
    bottom: float
    fill: str
    path: str
    text: str

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


@dataclass(frozen=True)
class Drawn:
    root: ElementTree.Element
    size: tuple[float, float]

    def marks(self, kind: str, layer: int | None = None) -> list[Mark]:
        """The marks that data makes: `rule`, `rect`, `symbol`, `text`, `line`, `area`."""
        wanted = f"mark-{kind} role-mark" + ("" if layer is None else f" layer_{layer}_marks")
        groups = [g for g in self.root.iter(f"{_SVG}g") if str(g.get("class")).startswith(wanted)]
        return [_mark(item) for group in groups for item in group]

    def scale(self, axis: str) -> Callable[[float], float]:
        """From a number to pixels, as two labels of the axis say it."""
        labels = [(x if axis == "x" else y, _value(text)) for x, y, text in self._labels(axis)]
        (start, low), (end, high) = labels[0], labels[-1]
        return lambda value: start + (value - low) / (high - low) * (end - start)

    def names(self, axis: str) -> list[str]:
        """The labels of an axis of names, from above or from the left."""
        return [text for _, _, text in self._labels(axis)]

    def texts(self) -> list[str]:
        return ["".join(text.itertext()) for text in self.root.iter(f"{_SVG}text")]

    def lines(self) -> list[str]:
        """The same, line by line."""
        return [part for text in self.root.iter(f"{_SVG}text") for part in text.itertext()]

    def _labels(self, axis: str) -> list[tuple[float, float, str]]:
        """Each label with where its tick stands."""
        for group in self.root.iter(f"{_SVG}g"):
            if str(group.get("aria-label")).startswith(f"{axis.upper()}-axis"):
                labels = next(g for g in group.iter(f"{_SVG}g") if g.get("class") == "mark-text role-axis-label")
                drawn = [text for text in labels if text.get("opacity") != "0"]
                # The baseline of a label on the y axis lies 3 pixels under the middle of the line.
                return [(_shift(text)[0], _shift(text)[1] - _DROP, "".join(text.itertext())) for text in drawn]
        raise AssertionError(f"there is no {axis} axis")


_DROP = 3


def drawn(figure: Figure, **options: Any) -> Drawn:
    """The figure as vl-convert draws it; Altair checks it against Vega-Lite's schema on the way."""
    return read(vl_convert.vegalite_to_svg(charts.draw(figure, **options).to_dict()))


def read(svg: str) -> Drawn:
    root = ElementTree.fromstring(svg)
    ground = next(item for item in root.iter(f"{_SVG}path") if item.get("class") == "background")
    width, height = re.match(rf"M{_NUMBER},{_NUMBER}h({_NUMBER})v({_NUMBER})", str(ground.get("d"))).groups()  # type: ignore[union-attr]
    return Drawn(root, (float(width), float(height)))


def _mark(item: ElementTree.Element) -> Mark:
    x, y = _shift(item)
    path = str(item.get("d", ""))
    if item.tag == f"{_SVG}line":
        x2, y2 = x + float(item.get("x2", 0)), y + float(item.get("y2", 0))
        box = min(x, x2), min(y, y2), max(x, x2), max(y, y2)
    elif found := re.fullmatch(rf"M({_NUMBER}),({_NUMBER})h({_NUMBER})v({_NUMBER})h{_NUMBER}Z", path):
        left, top, wide, high = map(float, found.groups())
        box = x + left, y + top, x + left + wide, y + top + high
    else:
        box = x, y, x, y
    return Mark(*box, str(item.get("fill")), path, "".join(item.itertext()))


def _shift(item: ElementTree.Element) -> tuple[float, float]:
    found = re.match(rf"translate\(({_NUMBER}),({_NUMBER})\)", item.get("transform", ""))
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _value(text: str) -> float:
    plain = text.replace("−", "-").replace(",", "")
    return float(plain[:-1]) / 100 if plain.endswith("%") else float(plain)
