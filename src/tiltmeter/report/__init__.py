"""Runs made readable. Draws figure kinds and result tables, and never names an instrument."""

from tiltmeter.report.citations import cite
from tiltmeter.report.documents import ENDINGS, write_document
from tiltmeter.report.page import write_page

__all__ = ["ENDINGS", "cite", "write_document", "write_page"]
