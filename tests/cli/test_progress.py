"""How far it is, on a terminal and in a file."""

import io
import logging
import re

import pytest

from tiltmeter.cli import progress
from tiltmeter.cli.progress import ProgressHandler


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def say(handler: ProgressHandler, text: str, share: float | None = None) -> None:
    record = logging.LogRecord("tiltmeter", logging.INFO, "", 0, text, None, None)
    if share is not None:
        record.progress = share
    handler.handle(record)


def test_a_terminal_has_one_line_that_is_written_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "ON_TERMINAL", 0)
    stream = Terminal()
    handler = ProgressHandler(stream)
    say(handler, "measuring")
    say(handler, "10%", 0.1)
    say(handler, "20%", 0.2)
    say(handler, "written")
    assert re.sub(r"\x1b\[2K", "", stream.getvalue()) == "measuring\n\r10%\r20%\nwritten\n"


def test_a_file_is_not_filled_with_progress() -> None:
    stream = io.StringIO()
    handler = ProgressHandler(stream)
    for percent in range(100):
        say(handler, f"{percent}%", percent / 100)
    say(handler, "written")
    assert stream.getvalue() == "written\n"


def test_a_stream_that_is_gone_does_not_stop_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    stream = Terminal()
    handler = ProgressHandler(stream)
    stream.close()
    say(handler, "1%", 0.01)
    say(handler, "written")
    assert "I/O operation on closed file" in capsys.readouterr().err
