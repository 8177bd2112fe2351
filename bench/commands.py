"""The command: how soon it answers, and what the second time costs."""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bench.row import Row, seconds

HELP_LIMIT = 0.5
AUDIT_LIMIT = 90
FRESH_AUDIT_LIMIT = 360
ROOT = Path(__file__).parents[1]


def rows() -> Iterator[Row]:
    yield Row(
        f"CPU of `tiltmeter --help`, the limit of {HELP_LIMIT} s",
        min(_cpu("-m", "tiltmeter", "--help") for _ in range(5)),
        HELP_LIMIT,
        at_least=1,
    )
    with tempfile.TemporaryDirectory() as cache:
        page = str(Path(cache) / "report.html")
        # A registry that is away: how fast it answers is none of our time.
        away = {"PIP_INDEX_URL": "http://127.0.0.1:9/"}
        audit = seconds(lambda: _run("-m", "tiltmeter", "audit", "-o", page, cache=cache, **away), repeat=1)
        what = f"`make audit` without set-up: every instrument in every language, the limit of {AUDIT_LIMIT} s"
        yield Row(what, audit, AUDIT_LIMIT, at_least=1)
    with tempfile.TemporaryDirectory() as fresh:
        clone = Path(fresh, "clone")
        subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
        nothing = {**os.environ, "PIP_NO_CACHE_DIR": "1", "TILTMETER_CACHE": str(Path(fresh, "cache"))}
        both = seconds(
            lambda: subprocess.run(["make", "audit"], cwd=clone, env=nothing, check=True, capture_output=True), repeat=1
        )
        what = (
            f"`make audit` in a fresh clone, set-up and 300 MB of vectors fetched, the limit of {FRESH_AUDIT_LIMIT} s"
        )
        yield Row(what, both, FRESH_AUDIT_LIMIT, at_least=1)
    with tempfile.TemporaryDirectory() as cache:
        command = ("-m", "tiltmeter", "measure", "weat", "pkg:navec-news", "--json")
        _run(*command, cache=cache)  # fetches the package
        again = seconds(lambda: _run(*command, cache=cache))

        def anew() -> None:
            _run("-m", "tiltmeter", "cache", "clear", "runs", "answers", cache=cache)
            _run(*command, cache=cache)

        clearing = seconds(lambda: _run("-m", "tiltmeter", "cache", "clear", "runs", "answers", cache=cache))
        yield Row("`measure weat pkg:navec-news` a second time, the first time", again, seconds(anew) - clearing)


def _run(*arguments: str, cache: str, **environ: str) -> None:
    environment = {**os.environ, "TILTMETER_CACHE": cache, **environ}
    subprocess.run([sys.executable, *arguments], env=environment, check=True, capture_output=True)


def _cpu(*arguments: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
