"""What to cite, read by a real reader of BibTeX."""

import re
from pathlib import Path

import pytest
from pybtex.database import BibliographyData, parse_string

import tiltmeter
from report.handmade import estimate, made
from support import Command
from tiltmeter.instruments import all_instruments
from tiltmeter.runs import Run


def read(bibtex: str) -> BibliographyData:
    return parse_string(bibtex, "bibtex")


def run(instrument: str, **more: str) -> Run:
    return made(instrument, "s", [estimate("t", "x", 1.0)], **more)  # type: ignore[arg-type]


def test_every_instrument_can_be_cited() -> None:
    for tool in all_instruments():
        entries = read(tool.bibtex).entries
        assert entries
        for entry in entries.values():
            assert entry.fields["title"]
            # Every author and year that the reference names, and no other year.
            if year := entry.fields.get("year"):
                assert year in tool.reference or tool.name in ("weat", "grammar-weat")
            for person in entry.persons.get("author", []):
                assert person.last_names
            if doi := entry.fields.get("doi"):
                assert re.fullmatch(r"10\.\d{4,}/\S+", doi)


@pytest.mark.parametrize(
    ("instrument", "families", "year"),
    [
        ("weat", ["Caliskan", "Bryson", "Narayanan"], "2017"),
        ("mweat", ["Zhou", "Shi", "Zhao", "Huang", "Chen", "Cotterell", "Chang"], "2019"),
        ("rnd", ["Garg", "Schiebinger", "Jurafsky", "Zou"], "2018"),
        ("ripa", ["Ethayarajh", "Duvenaud", "Hirst"], "2019"),
        ("ect", ["Dev", "Phillips"], "2019"),
        ("mac", ["Manzini", "Lim", "Tsvetkov", "Black"], "2019"),
        ("rnsb", ["Sweeney", "Najafian"], "2019"),
        ("kurita", ["Kurita", "Vyas", "Pareek", "Black", "Tsvetkov"], "2019"),
        ("becpro", ["Bartl", "Nissim", "Gatt"], "2020"),
        ("nli-coal", ["Anantaprayoon", "Kaneko", "Okazaki"], "2024"),
    ],
)
def test_the_paper_comes_first(instrument: str, families: list[str], year: str) -> None:
    first = next(iter(read(tiltmeter.cite(run(instrument))).entries.values()))
    assert [" ".join(person.last_names) for person in first.persons["author"]] == families
    assert first.fields["year"] == year


def test_each_entry_comes_once_and_the_tool_with_its_version_and_year() -> None:
    runs = [
        run("weat"),
        run("grammar-weat", created="2027-01-01T00:00:00+00:00"),
        run("becpro", version="0.2.0"),
    ]
    bibtex = tiltmeter.cite(runs)
    keys = re.findall(r"^@\w+\{([^,]+),", bibtex, re.MULTILINE)
    assert len(keys) == len(set(keys))
    entries = read(bibtex).entries
    tools = {key: entry.fields for key, entry in entries.items() if entry.type == "software"}
    assert {fields["version"]: fields["year"] for fields in tools.values()} == {"0.1.0": "2027", "0.2.0": "2026"}


def test_the_sources_of_the_words_stand_in_comments_that_are_no_entries() -> None:
    found = run("weat")
    found.result.provenance["sources"]["weat"] = ["Somebody (2020)\n@article{evil, title = {x}}"]
    bibtex = tiltmeter.cite(found)
    assert "% weat (ru): Somebody (2020) (at)article{evil, title = {x}}" in bibtex.splitlines()
    assert "evil" not in read(bibtex).entries


def test_sources_that_differ_in_the_test_alone_are_one_line() -> None:
    found = run("weat")
    other = [f"Others (2021), {test}" for test in ("E1", "E3")]
    found.result.provenance["sources"]["weat"] = [*(f"Somebody (2020), E{n}" for n in range(1, 8)), *other, "Mine, A"]
    comments = [line for line in tiltmeter.cite(found).splitlines() if line.startswith("% weat")]
    assert comments == [
        "% weat (ru): Somebody (2020), E1 to E7",
        "% weat (ru): Others (2021), E1, E3",
        "% weat (ru): Mine, A",
    ]


def test_files_of_the_user_are_named_by_their_content() -> None:
    found = made("kurita", "s", [], options={"words": {"file": "mine.toml", "sha256": "ab" * 32}})
    assert f"% a file of yours: mine.toml, sha256 {'ab' * 32}" in tiltmeter.cite(found)


def test_the_command_prints_it(told: Command, tmp_path: Path) -> None:
    made("weat", "s", [estimate("E1", "effect_size", 1.0)]).save(tmp_path / "a")
    made("mac", "s", [estimate("E1", "mac", 1.0)]).save(tmp_path / "b")
    done = told("cite", "a", "b")
    assert done.returncode == 0
    assert {"caliskan-etal-2017-semantics", "manzini-etal-2019-black"} < set(read(done.stdout).entries)
    lost = told("cite", "nothing")
    assert (lost.returncode, lost.stdout) == (2, "")
    assert "no run or measured subject 'nothing'" in lost.stderr
