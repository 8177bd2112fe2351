"""Reference subjects measured ahead, several at a time: each is so small that one core is enough for it.

Other processes put their runs into the same cache, from which an audit then answers. What goes wrong in them the audit
meets again.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Sequence

from tiltmeter.store import Store

log = logging.getLogger(__name__)


def measure_ahead(subjects: Sequence[str], store: Store) -> None:
    """Measures these subjects in as many processes as there are cores."""
    count = min(len(subjects), _cores())
    if count < 2:
        return
    log.info("measuring %d reference subjects in %d processes", len(subjects), count)
    one_core = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-m", "tiltmeter.runs.ahead", str(store.root)]
    started: list[subprocess.Popen[bytes]] = []
    try:
        for number in range(count):
            part = [*command, *subjects[number::count]]
            started.append(subprocess.Popen(part, env=one_core, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        for process in started:
            process.wait()
    except OSError as error:
        log.info("no process could be started (%s): one subject after the other", error)
    finally:
        for process in started:
            process.kill()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _main(root: str, subjects: Sequence[str]) -> None:
    from pathlib import Path

    from tiltmeter.runs.audit import audit

    for subject in subjects:
        audit([subject], store=Store(Path(root)))


if __name__ == "__main__":
    _main(sys.argv[1], sys.argv[2:])
