"""The documentation site: built without a network, loading nothing from elsewhere, with a page for everything."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup

from tiltmeter.calibration.issued import all_issued
from tiltmeter.calibration.ranking import ranking
from tiltmeter.instruments import all_instruments
from tiltmeter.packs import LISTS, load_pack, shipped_languages
from tiltmeter.results import shown

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
SHARED = {"rnd": "word-measures", "ripa": "word-measures", "ect": "word-measures", "mac": "word-measures"} | {
    "rnsb": "word-measures"
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", out],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return out


def page(site: Path, name: str) -> BeautifulSoup:
    return BeautifulSoup((site / name).read_text("utf-8"), "html.parser")


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loaded = []
    for path in site.rglob("*.html"):
        for tag in BeautifulSoup(path.read_text("utf-8"), "html.parser").find_all(["script", "link", "img", "iframe"]):
            if tag.name == "link" and "canonical" in (tag.get("rel") or []):
                continue
            loaded.append(str(tag.get("src") or tag.get("href") or ""))
    assert len(loaded) > 100
    assert not [url for url in loaded if re.match(r"(https?:)?//", url)]


def test_every_page_can_be_reached(site: Path) -> None:
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert pages == set(_entries(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    start = {str(link["href"]) for link in page(site, "index.html").find_all("a", href=True)}
    assert {"reproduce.html", "new-language.html", "limits.html"} <= start


def _entries(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [found for one in (nav.values() if isinstance(nav, dict) else nav) for found in _entries(one)]


@pytest.mark.parametrize("tool", all_instruments(), ids=lambda tool: tool.name)
def test_an_instrument_has_its_page(site: Path, tool: Any) -> None:
    name = SHARED.get(tool.name, tool.name)
    written = (DOCS / "instruments" / f"{name}.md").read_text("utf-8").lower()
    for part in ("formula", "by hand", "pitfall"):
        assert part in written, f"{name}.md says nothing under {part!r}"
    built = page(site, f"instruments/{name}.html").get_text(" ")
    assert tool.reference[:40] in built
    assert " ".join(tool.reading.split())[:40] in " ".join(built.split())


def test_an_instrument_shows_what_its_certificates_say(site: Path) -> None:
    (row,) = [
        row for row in ranking(all_issued()) if (row.instrument, row.lang, row.name) == ("weat", "en", "effect_size")
    ]
    text = page(site, "instruments/weat.html").get_text(" ")
    assert row.weakest.rank_correlation is not None
    assert shown(row.weakest.rank_correlation) in text
    assert f"{max(row.rates):.0%} (published)" in text


@pytest.mark.parametrize("lang", shipped_languages())
def test_a_language_has_its_page(site: Path, lang: str) -> None:
    pack = load_pack(lang)
    rows = page(site, f"languages/{lang}.html").find_all("tr")
    told = {cells[0].get_text(): cells[2].get_text() for row in rows if len(cells := row.find_all("td")) == 4}
    assert told == {name: str(len(getattr(pack, name)) or "–") for name in LISTS}
