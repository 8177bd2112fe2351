"""The command `tiltmeter`."""

import logging
import os
import sys
import traceback

import typer

from tiltmeter.cli.app import app
from tiltmeter.cli.progress import ProgressHandler
from tiltmeter.errors import TiltmeterError

PARTLY_DONE, BUG = 3, 70


def main() -> None:
    """Runs the command: 0 done, 1 gate breached, 2 bad input, 3 partly done, 70 a bug; one sentence per error."""
    _log_to_stderr()
    try:
        code = typer.main.get_command(app)(standalone_mode=False, prog_name="tiltmeter")
    except TiltmeterError as error:
        code = _say(str(error), error.exit_code)
    except typer.TyperException as error:
        code = _say(error.format_message(), 2)
    except (typer.Abort, KeyboardInterrupt):
        code = 130
    except BrokenPipeError:
        # The reader of our output has gone (`tiltmeter ... | head`): nothing is left to say.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception:
        traceback.print_exc()
        code = _say("this is a bug in tiltmeter; please report it with the lines above", BUG)
    sys.exit(code if isinstance(code, int) else 0)


def _say(sentence: str, code: int) -> int:
    if sentence:  # without any argument the help has been printed already
        try:
            print(f"tiltmeter: {sentence}", file=sys.stderr, flush=True)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return code


def _log_to_stderr() -> None:
    handler = ProgressHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    logger = logging.getLogger("tiltmeter")
    logger.handlers = [handler]
    logger.setLevel(logging.INFO)
