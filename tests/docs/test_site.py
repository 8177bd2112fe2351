"""The documentation site: built without a network, loading nothing from elsewhere, with a page for everything."""

import json
import os
import re
import subprocess
import sys
from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from bs4 import BeautifulSoup

from tiltmeter.calibration.issued import all_issued, named
from tiltmeter.calibration.ranking import ranking
from tiltmeter.instruments import all_instruments
from tiltmeter.packs import LISTS, load_pack, shipped_languages
from tiltmeter.results import shown
from tiltmeter.studies import published_studies

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PARTS = ("**What.**", "**Formula.**", "**By hand.**", "**How to read it.**", "**Pitfalls.**")
"""What is written of every instrument, beside what the build adds."""


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
    made = {path.relative_to(DOCS).with_suffix(".md").as_posix() for path in DOCS.rglob("*.ipynb")}
    listed = set(_entries(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]))
    assert pages | made | {"certificates.md"} == listed
    start = {str(link["href"]) for link in page(site, "index.html").find_all("a", href=True)}
    assert {"reproduce.html", "new-language.html", "limits.html"} <= start


def _entries(nav: Any) -> list[str]:
    if isinstance(nav, str):
        return [nav]
    return [found for one in (nav.values() if isinstance(nav, dict) else nav) for found in _entries(one)]


@pytest.mark.parametrize("tool", all_instruments(), ids=lambda tool: tool.name)
def test_an_instrument_has_its_page(site: Path, tool: Any) -> None:
    written = (DOCS / "instruments" / f"{tool.name}.md").read_text("utf-8").splitlines()
    for part in PARTS:
        assert any(line.startswith(part) for line in written), f"{tool.name}.md has no {part!r}"
    built = page(site, f"instruments/{tool.name}.html")
    headings = {heading.get_text().removesuffix("¶") for heading in built.find_all("h2")}
    assert headings >= {"Which way is worse", "Certificate", "Reference"}
    text = built.get_text(" ")
    assert tool.reference[:40] in text
    assert " ".join(tool.reading.split())[:40] in " ".join(text.split())


def test_an_instrument_shows_what_its_certificates_say(site: Path) -> None:
    (row,) = [
        row for row in ranking(all_issued()) if (row.instrument, row.lang, row.name) == ("weat", "en", "effect_size")
    ]
    text = page(site, "instruments/weat.html").get_text(" ")
    assert row.weakest.rank_correlation is not None
    assert shown(row.weakest.rank_correlation) in text
    assert f"{max(row.rates):.0%} (published)" in text


@pytest.mark.parametrize("told", all_issued(), ids=lambda told: _name(told))
def test_a_certificate_has_its_page(site: Path, told: Mapping[str, Any]) -> None:
    name = _name(told)
    built = page(site, f"certificates/{name}.html")
    assert f"{told['instrument']} {told['version']}, {told['lang']}, {told['kind']}" in built.get_text()
    pictures = [str(image["src"]) for image in built.find_all("img") if str(image["src"]).endswith(".svg")]
    assert pictures == [f"figures/{name}-{place}.svg" for place, _ in enumerate(told["responses"], start=1)]
    for picture in pictures:
        drawn = (site / "certificates" / picture).read_text("utf-8")
        assert drawn.startswith("<svg")
        assert "planted bias" in drawn
    for linking, link in (
        ("certificates.html", f"certificates/{name}.html"),
        (f"instruments/{told['instrument']}.html", f"../certificates/{name}.html"),
        ("ranking.html", f"certificates/{name}.html"),
    ):
        assert link in _links(page(site, linking)), linking


def test_a_certificate_says_at_which_dose_what_was_measured(site: Path) -> None:
    told = next(told for told in all_issued() if _name(told) == "weat-vectors-en")
    (row,) = [row for row in told["responses"]["stereotype"] if row["measure"] == "career-family effect_size"]
    (shown_row,) = [
        cells
        for line in page(site, "certificates/weat-vectors-en.html").find_all("tr")
        if (cells := [cell.get_text() for cell in line.find_all("td")])[:1] == [row["measure"]] and len(cells) == 10
    ]
    assert shown_row[-5:] == [f"{point['value']:.2f}" for point in row["by_dose"]]


def _name(told: Mapping[str, Any]) -> str:
    return named(told["instrument"], told["kind"], told["lang"])


def _links(built: BeautifulSoup) -> set[str]:
    return {str(link["href"]) for link in built.find_all("a", href=True)}


@pytest.mark.parametrize("name", published_studies())
def test_a_notebook_is_a_page_with_its_figures(site: Path, name: str) -> None:
    notebook = json.loads((DOCS / "notebooks" / f"{name}.ipynb").read_text("utf-8"))
    shown = [out.get("data", {}) for cell in notebook["cells"] for out in cell.get("outputs", [])]
    built = page(site, f"notebooks/{name}.html")
    pictures = [str(image["src"]) for image in built.select("article img")]
    assert [(site / "notebooks" / picture).read_bytes() for picture in pictures] == [
        b64decode(data["image/png"]) for data in shown if "image/png" in data
    ]
    assert len(built.select("article table:not([class])")) >= sum("text/html" in data for data in shown)
    assert f"notebooks/{name}.html" in _links(page(site, "reproduce.html"))
    assert f"{name}.ipynb" in _links(built)
    assert (site / "notebooks" / f"{name}.ipynb").is_file()


@pytest.mark.parametrize("lang", shipped_languages())
def test_a_language_has_its_page(site: Path, lang: str) -> None:
    pack = load_pack(lang)
    rows = page(site, f"languages/{lang}.html").find_all("tr")
    told = {cells[0].get_text(): cells[2].get_text() for row in rows if len(cells := row.find_all("td")) == 4}
    assert told == {name: str(len(getattr(pack, name)) or "–") for name in LISTS}
