"""How far it is: one line that is written over again on a terminal, a line now and then in a file."""

import logging
import time
from typing import TextIO

ON_TERMINAL, IN_FILE = 0.2, 30.0
"""Seconds between two reports."""


class ProgressHandler(logging.StreamHandler[TextIO]):
    """Writes messages as lines; of records with a `progress` (from 0 to 1), only as many as one can read."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._said = time.monotonic()
        self._open_line = False

    def emit(self, record: logging.LogRecord) -> None:
        progress: float | None = getattr(record, "progress", None)
        try:
            if progress is None:
                self._end_line()
                super().emit(record)
            else:
                self._report(record, progress)
        except Exception:
            # As every handler does: what cannot be said must not stop the work.
            self.handleError(record)

    def _report(self, record: logging.LogRecord, progress: float) -> None:
        terminal = self.stream.isatty()
        now = time.monotonic()
        if now - self._said < (ON_TERMINAL if terminal else IN_FILE):
            return
        self._said = now
        if not terminal:
            super().emit(record)
            return
        # Back to the beginning of the line, and what stood there is rubbed out.
        self.stream.write(f"\r\x1b[2K{self.format(record)}")
        self.stream.flush()
        self._open_line = True
        if progress >= 1:
            self._end_line()

    def _end_line(self) -> None:
        if self._open_line:
            self.stream.write("\n")
            self._open_line = False
