"""Runs made readable. Draws figure kinds and result tables, and never names an instrument."""

from tiltmeter.report.page import write_page

__all__ = ["write_page"]
