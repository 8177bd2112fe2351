"""Draws figures that are given as data: one function a kind, no knowledge of instruments."""

from tiltmeter.charts.drawing import draw, script, specification
from tiltmeter.charts.files import MissingGlyphs, svg, write_figures
from tiltmeter.charts.themes import THEMES

__all__ = ["THEMES", "MissingGlyphs", "draw", "script", "specification", "svg", "write_figures"]
