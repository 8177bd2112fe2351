"""Pages that the site has beside those written here: one for each certificate that ships, one for each notebook."""

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from mkdocs.structure.files import File, Files, InclusionLevel
from nbconvert import MarkdownExporter

from tiltmeter import charts
from tiltmeter.calibration.certificate_page import certificate_figures, certificate_page
from tiltmeter.calibration.issued import all_issued, named
from tiltmeter.calibration.ranking import ranking_page

_LEADS = (
    (re.compile(r"\]\(((?!https?:)[^()\s]+)\.ipynb\)"), r"](\1.md)"),
    (re.compile(r"\]\(\.\./src/tiltmeter/calibration/certificates/README\.md\)"), "](certificates.md)"),
)
"""Links that lead to a file where the sources are read, and to its page on the site."""
_LOOKS = re.compile(r"<style scoped>.*?</style>\s*|(?<=<table) border=\"1\" class=\"dataframe\"", re.DOTALL)
"""What pandas writes into a table's HTML about its looks: tables look as those of other pages do."""
_WIDE = "---\nhide: [navigation]\nsearch:\n  exclude: true\n---\n"
"""Of pages of wide tables, all alike: what a reader searches for is on the instrument's page."""


def on_files(files: Files, config: Any) -> Files:
    """Called by mkdocs once it knows what lies in the folder."""
    notebooks = [file for file in files if file.src_uri.endswith(".ipynb")]
    for name, content in (*_certificates(), *(made for file in notebooks for made in _notebook(file))):
        # Certificates are too many for the menu: their table is there.
        listed = not name.startswith("certificates/")
        inclusion = InclusionLevel.INCLUDED if listed else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, name, content=content, inclusion=inclusion))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Called by mkdocs for every page."""
    path = page.file.src_uri
    if path == "ranking.md":
        return ranking_page(all_issued(), "certificates/{}.md")
    if path.startswith("notebooks/"):
        return markdown
    for source, site in _LEADS:
        markdown = source.sub(site, markdown)
    return markdown


def _certificates() -> Iterator[tuple[str, str]]:
    """Their table; of each its page and a figure for each dial, drawn from the certificate."""
    yield "certificates.md", _table()
    for told in all_issued():
        name, instrument = _name(told), told["instrument"]
        figures = certificate_figures(told)
        pictures = {f"{name}-{place}.svg": charts.svg(figure) for place, figure in enumerate(figures, start=1)}
        about = (
            "What the numbers mean and how they were made: [calibration](../calibration.md). The instrument: "
            f"[{instrument}](../instruments/{instrument}.md). [All certificates](../certificates.md)."
        )
        title, rest = certificate_page(told, list(pictures)).split("\n", 1)
        yield f"certificates/{name}.md", f"{_WIDE}{title}\n\n{about}\n{rest}"
        for picture, drawn in pictures.items():
            yield f"certificates/figures/{picture}", drawn


def _table() -> str:
    """A row for each instrument, in it the kinds of models that it was calibrated on, language by language."""
    cells: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for told in all_issued():
        cells.setdefault((told["instrument"], told["lang"]), []).append(told)
    languages = sorted({lang for _, lang in cells})
    lines = [
        "---\nhide: [toc]\n---",
        "# Certificates",
        "",
        "How each instrument measured models and vectors of known bias: how far its numbers follow the dose, how often "
        "its p is small where nothing was planted, how much of a weak bias it finds ([how that is done]"
        "(calibration.md); [the numbers ranked](ranking.md)).",
        "",
        f"| instrument | {' | '.join(languages)} |",
        f"| --- |{' --- |' * len(languages)}",
    ]
    for instrument in dict.fromkeys(instrument for instrument, _ in cells):
        links = [
            ", ".join(f"[{one['kind']}](certificates/{_name(one)}.md)" for one in cells.get((instrument, lang), ()))
            or "–"
            for lang in languages
        ]
        lines.append(f"| [{instrument}](instruments/{instrument}.md) | {' | '.join(links)} |")
    return "\n".join([*lines, ""])


def _name(told: Mapping[str, Any]) -> str:
    return named(told["instrument"], told["kind"], told["lang"])


def _notebook(file: File) -> Iterator[tuple[str, str | bytes]]:
    """The page of a notebook with what its cells showed, and its pictures."""
    name = PurePosixPath(file.src_uri)
    pictures = {"unique_key": name.stem, "output_files_dir": "pictures"}
    body, shown = MarkdownExporter().from_filename(file.abs_src_path, resources=pictures)
    body = _LOOKS.sub("", body).replace("![png](", "![figure](")
    yield (
        str(name.with_suffix(".md")),
        f"{body.rstrip()}\n\nThis page as a notebook, to run: [{name.name}]({name.name}).\n",
    )
    for picture, content in shown["outputs"].items():
        yield str(name.parent / picture), content
