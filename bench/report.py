"""The page of many runs: how long it takes, how large it is, how soon it is to be seen."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import numpy as np
import polars as pl
from playwright.sync_api import sync_playwright

from bench.row import Row, seconds
from tiltmeter.instruments import load_instrument
from tiltmeter.packs import load_pack, shipped_languages
from tiltmeter.results import SCHEMA, Result
from tiltmeter.runs import Run

RUNS, ITEMS = 60, 20_000


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        runs, page = Path(folder) / "runs", Path(folder) / "report.html"
        for number in range(RUNS):
            _made_run(number).save(runs / str(number))
        command = [sys.executable, "-m", "tiltmeter", "report", str(runs), "-o", str(page)]
        what = f"`tiltmeter report` of {RUNS} runs with {ITEMS:,} items each"
        environment = {**os.environ, "TILTMETER_CACHE": folder}

        def write() -> None:
            subprocess.run(command, env=environment, check=True, capture_output=True)

        yield Row(f"{what}, the limit of 20 s", seconds(write, repeat=2), 20, at_least=1)
        size = page.stat().st_size / 1e6
        yield Row("the page's size, the limit of 15 MB", size, 15, at_least=1, unit="MB")
        yield Row("its first paint in Chromium, the limit of 2 s", _first_paint(page), 2, at_least=1)


def _first_paint(page: Path) -> float:
    """Seconds until Chromium shows something of it; the fastest of three."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        times = []
        for _ in range(3):
            opened = browser.new_page()
            opened.goto(page.as_uri())
            opened.wait_for_selector(".chart svg")
            paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
            times.append(float(opened.evaluate(paint)) / 1000)
            opened.close()
        browser.close()
    return min(times)


def _made_run(number: int) -> Run:
    """BEC-Pro's sentences of one of the languages, as often as it takes, with made-up associations."""
    tool, options = load_instrument("becpro"), load_instrument("becpro").make_options({})
    langs = shipped_languages()
    lang = langs[number % len(langs)]
    asked = tool.items(load_pack(lang), options).drop(
        "target_start", "target_end", "attribute_start", "attribute_end", "neutral"
    )
    rng = np.random.default_rng(number)
    items = pl.concat([asked] * (ITEMS // asked.height + 1)).head(ITEMS)
    prior, given = rng.normal(-8, 2, ITEMS), rng.normal(-8, 2, ITEMS)
    items = items.with_columns(
        sentence=pl.col("sentence") + pl.int_range(pl.len()).cast(pl.String),
        tokens=pl.col("person"),
        token_count=pl.lit(1),
        log_p_target=pl.Series(given),
        log_p_prior=pl.Series(prior),
        association=pl.Series(given - prior),
        lost=pl.lit(""),
    )
    found = tool.estimate(items, options)
    subject = f"model-{number // len(langs)}"
    provenance = {
        "run": f"{number:016x}",
        "schema": SCHEMA,
        "subject": {"fingerprint": f"{number // len(langs):08x}", "kind": "masked", "capabilities": ["fill"]},
        "sources": {},
        "command": f"tiltmeter measure becpro {subject} --lang {lang}",
        "created": "2026-01-01T00:00:00+00:00",
        "seconds": 1.0,
        "python": "3.11",
        "system": "made up",
        "packages": {"tiltmeter": version("tiltmeter")},
    }
    result = Result(
        instrument=tool.name,
        version=tool.version,
        subject=subject,
        lang=lang,
        options=tool.describe(options),
        estimates=found.estimates,
        notes=found.notes,
        provenance=provenance,
        figures=found.figures,
        tests=found.tests,
    )
    return Run(str(provenance["run"]), result, items)
