"""Runs made readable. Draws figure kinds and result tables, and never names an instrument."""

from tiltmeter.report.citations import cite
from tiltmeter.report.documents import ENDINGS, ending_of, write_report
from tiltmeter.report.figures import write_figures
from tiltmeter.report.page import write_page
from tiltmeter.report.reproduction import write_reproduction

__all__ = ["ENDINGS", "cite", "ending_of", "write_figures", "write_page", "write_report", "write_reproduction"]
