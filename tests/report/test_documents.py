"""Every format, read back by a reader that is not ours: text is text, numbers are the run's."""

import csv
import io
import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from bs4 import BeautifulSoup
from markdown_it import MarkdownIt

from report.handmade import HOSTILE, estimate, latex_read, made
from tiltmeter.errors import TiltmeterError
from tiltmeter.report import ENDINGS, write_report
from tiltmeter.results import Note
from tiltmeter.runs import Run, Skipped, measure, unmeasured
from tiltmeter.store import Store

FIELDS = ("value", "ci_low", "ci_high", "p_value", "p_two_sided", "p_adjusted", "n", "lost", "neutral")


def hostile_run(text: str, subject: str | None = None) -> Run:
    return made(
        "weat",
        text if subject is None else subject,
        [
            estimate(text, "effect_size", 1 / 3, {"control": text}, ci_low=-0.1, ci_high=2 / 7, p_value=1e-7),
            estimate(text, "effect_size_both", 1 / 3, p_value=0.5, p_adjusted=0.5, family=text, p_method=text),
        ],
        notes=[Note(kind="reading", text=text, test=text), Note(kind="caveat", text=text)],
        tests={text: text},
    )


def written(runs: list[Run], path: Path, skipped: tuple[Skipped, ...] = ()) -> bytes:
    write_report(runs, path, skipped=skipped)
    return path.read_bytes()


def plain(text: str) -> str:
    """One line, without the signs that keep mentions and turned text apart."""
    return " ".join(re.sub("[\u2060\u2066-\u2069]", "", text).split())


@pytest.fixture(params=list(HOSTILE.values()), ids=list(HOSTILE))
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class TestMarkdown:
    @pytest.mark.parametrize("preset", ["commonmark", "gfm-like"])
    def test_text_is_text(self, text: str, preset: str, tmp_path: Path) -> None:
        skipped = (Skipped(text, text, text, failed=False),)
        raw = written([hostile_run(text)], tmp_path / "r.md", skipped).decode()
        page = BeautifulSoup(MarkdownIt(preset, {"html": True}).enable("table").render(raw), "html.parser")
        allowed = {"h1", "h2", "h3", "p", "strong", "code", "pre", "ul", "li"}
        allowed |= {"details", "summary", "table", "thead", "tbody", "tr", "th", "td"}
        assert {tag.name for tag in page.find_all(True)} <= allowed
        seen = [plain(tag.get_text()) for tag in page.find_all(["td", "li", "h1", "h3", "strong"])]
        told = plain(text)
        assert told in seen  # a cell
        assert f"{told}: {told}" in seen  # a note with its test
        assert f"control={told}" in seen
        assert any(entry.endswith(f"tiltmeter: {told}") for entry in seen)
        assert f"{told} on {told}: {told}" in seen  # what was not measured
        for table in page.find_all("table"):
            assert len({len(row.find_all(["td", "th"])) for row in table.find_all("tr")}) == 1
        command = page.find_all("pre")[-1].get_text()
        assert text.replace("\r\n", "\n") in command.replace("\r\n", "\n")

    def test_nobody_is_mentioned(self, tmp_path: Path) -> None:
        raw = written([hostile_run("@someone me@evil.example")], tmp_path / "r.md").decode()
        outside = re.sub(r"^```.*?^```", "", raw, flags=re.DOTALL | re.MULTILINE)
        assert not re.search(r"@\w", outside)

    def test_the_numbers_of_each_run_are_folded_away_and_the_papers_tables_are_not(self, tmp_path: Path) -> None:
        runs = [made("mac", name, [estimate("E1", "mac", 1.02, n=16)]) for name in ("a", "b")]
        raw = written(runs, tmp_path / "r.md").decode()
        open_to_all = re.sub(r"<details>.*?</details>", "", raw, flags=re.DOTALL)
        assert open_to_all.count("| E1 |") == 1
        assert raw.count("| E1 |") == 3
        assert raw.count("<details>") == raw.count("</details>") == 3

    def test_what_was_said_of_a_subject_is_not_said_again(self, tmp_path: Path) -> None:
        notes = [Note(kind="lost-words", text="2 words have no vector")]
        runs = [made(tool, "s", [], notes=notes) for tool in ("mac", "rnd", "ect")]
        raw = written([*runs, made("mac", "other", [], notes=notes)], tmp_path / "r.md").decode()
        assert raw.count("- 2 words have no vector") == 2
        assert raw.count("- what is said of it above") == 2

    def test_what_all_runs_have_in_common_is_told_once(self, tmp_path: Path) -> None:
        runs = [made("mac", name, [estimate("E1", "mac", 1.0)]) for name in ("a", "b")]
        raw = written(runs, tmp_path / "r.md").decode()
        assert raw.count("Linux x86_64") == raw.count("numpy 2.4.6") == 1
        assert all(raw.count(f"run: {run.id}; subject: {run.result.subject}") == 1 for run in runs)


class TestLatex:
    def test_text_is_text(self, text: str, tmp_path: Path) -> None:
        raw = written([hostile_run(text)], tmp_path / "r.tex", (Skipped(text, text, text, failed=False),)).decode()
        told = plain(text).replace("\u202e", "[U+202E]")
        assert squeezed(told) in squeezed(latex_read(raw))
        tables = "\n".join(re.findall(r"^\\begin\{table\}.*?^\\end\{table\}$", raw, re.DOTALL | re.MULTILINE))
        assert set(re.findall(r"\\([a-zA-Z]+)", tables)) <= COMMANDS
        assert tables.count("\\begin{") == tables.count("\\end{") > 0

    def test_all_but_the_tables_are_comments_that_nothing_ends(self, text: str, tmp_path: Path) -> None:
        for hostile in (text, f"{text}\x0b\x0c\x1c\x85\u2028\u2029\r\\end{{document}}"):
            skipped = (Skipped(hostile, hostile, hostile, failed=False),)
            raw = written([hostile_run(hostile)], tmp_path / "r.tex", skipped).decode()
            outside = re.sub(r"^\\begin\{table\}.*?^\\end\{table\}$", "", raw, flags=re.DOTALL | re.MULTILINE)
            assert all(line.startswith("% ") for line in outside.splitlines() if line)

    def test_each_table_has_a_caption_and_a_label_of_its_own(self, tmp_path: Path) -> None:
        rows = [estimate("E1", name, 1.0, p_value=0.01, p_adjusted=0.01) for name in ("effect_size", *BOTH)]
        kinds = ("masked", "\u043c", "\u0436")  # letters that no label has
        runs = [made("weat", kind, rows, kind=kind, lang=lang) for kind in kinds for lang in ("ru", "en")]
        raw = written(runs, tmp_path / "r.tex").decode()
        labels = re.findall(r"\\label\{(.*?)\}", raw)
        assert len(labels) == len(set(labels)) == raw.count("\\begin{table}") == raw.count("\\caption{") == 12
        assert all(re.fullmatch("tab:[a-z0-9]+(-[a-z0-9]+)*", label) for label in labels)
        alone = written(runs[:1], tmp_path / "r.tex").decode()
        assert "\\label{tab:weat-effect-size-d-and-the-published-p}" in alone

    def test_names_are_words(self, tmp_path: Path) -> None:
        rows = [estimate("all", name, 1.0, p_value=0.5, p_adjusted=0.5, family=f"mweat: {name}") for name in MWEAT]
        rows = [replace(row, group={"adjectives": "all"}) for row in rows]
        raw = written([made("mweat", "my_model", rows)], tmp_path / "r.tex").decode()
        assert "all} & statistic & 1.000" in raw
        assert " & statistic, resplit & 1.000" in raw
        assert "$p$ corrected within mweat: statistic; mweat: statistic, resplit." in raw
        assert "Bold: $p < 0.05$" in raw
        assert "my\\_\\allowbreak{}model" in raw
        assert "$p$ corr." in raw

    def test_the_estimates_of_a_run_are_printed_where_no_layout_has_a_place_for_them(self, tmp_path: Path) -> None:
        strange = written([made("mac", "s", [estimate("E1", "of_my_own", 0.25)])], tmp_path / "r.tex").decode()
        assert "E1 & of\\_\\allowbreak{}my\\_\\allowbreak{}own & 0.250" in strange
        known = written(
            [made("mac", "s", [estimate("E1", "mac", 0.5), estimate("E1", "other", 0.25)])], tmp_path / "r.tex"
        )
        assert b"0.250" not in known
        assert b"All estimates are in the .csv and .xlsx" in known

    def test_a_row_that_begins_with_a_bracket_or_a_star_is_no_part_of_the_line_break(self, tmp_path: Path) -> None:
        for start in "[*":
            raw = written([hostile_run(f"{start}3em]")], tmp_path / "r.tex").decode()
            assert not re.search(r"(\\\\|rule)\s*[\[*]", raw)

    def test_it_says_which_engine_other_scripts_need(self, tmp_path: Path) -> None:
        for subject, needed in (("Vektoren é", False), ("медсестра", True), ("护士", True)):
            raw = written([made("weat", subject, [estimate("E1", "effect_size", 1.0)])], tmp_path / "r.tex").decode()
            assert ("XeLaTeX" in raw) is needed
            assert raw.startswith("%")

    def test_keys_that_repeat_span_their_rows(self, tmp_path: Path) -> None:
        rows = [
            estimate("BEC-Pro", "association", value, {"profession_class": "female", "person_gender": gender})
            for gender, value in (("female", 0.496), ("male", -0.683))
        ]
        rows.append(estimate("BEC-Pro", "f_minus_m", 1.179, {"profession_class": "female"}))
        raw = written([made("becpro", "BERT", rows, lang="en")], tmp_path / "r.tex").decode()
        lines = raw.replace("\\multirow[t]{2}{*}", "both: ").splitlines()
        at = lines.index("both: {BERT} & both: {female} & female & both: {1.179} & 0.496 \\\\")
        assert lines[at + 1] == " &  & male &  & $-$0.683 \\\\"


BOTH = ("effect_size_both",)
MWEAT = ("statistic", "statistic_resplit")
COMMANDS = {
    *("allowbreak", "arraybackslash", "begin", "belowcaptionskip", "bottomrule", "caption", "centering", "cmidrule"),
    *("emergencystretch", "end", "footnotesize", "hbox", "label", "ldots", "linewidth", "midrule", "multicolumn"),
    *("multirow", "raggedright", "setlength", "small", "tabcolsep"),
    *("textasciicircum", "textasciigrave", "textasciitilde", "textbackslash", "textbar", "textbf", "textemdash"),
    *("textendash", "textgreater", "textit", "textless", "textperiodcentered", "textquotedbl", "textquotesingle"),
    *("times", "toprule"),
}
"""Every command that our own text has: none of a user's may be among those of a document."""


def squeezed(text: str) -> str:
    return re.sub(r"\s", "", text)


class TestCommaSeparated:
    def read(self, raw: bytes) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(raw.decode(), newline="")))

    def test_text_is_text_and_no_formula(self, text: str, tmp_path: Path) -> None:
        raw = written([hostile_run(text)], tmp_path / "r.csv", (Skipped(text, text, text, failed=False),))
        rows = self.read(raw)
        for row in rows:
            for name, cell in row.items():
                if cell and cell[0] in "=+-@\t\r\n":
                    assert name in FIELDS
                    float(cell)
        expected = f"'{text}" if text[0] in "=+-@" else text
        first = rows[0]
        assert [first[name] for name in ("subject", "test", "group.control")] == [expected] * 3
        notes = [row["text"] for row in rows if row["record"] == "note"]
        assert notes[:2] == [expected, expected]  # then what is known of its calibration
        (missing,) = [row for row in rows if row["record"] == "not measured"]
        assert missing["text"] == missing["instrument"] == expected

    def test_every_number_is_that_of_the_run(self, tmp_path: Path) -> None:
        runs = [hostile_run("a"), measured_like()]
        rows = [row for row in self.read(written(runs, tmp_path / "r.csv")) if row["record"] == "estimate"]
        expected = [json.loads(json.dumps(row.to_json())) for run in runs for row in run.result.estimates]
        assert len(rows) == len(expected)
        for found, row in zip(rows, expected, strict=True):
            for name in FIELDS:
                assert (float(found[name]) if found[name] else None) == row[name]
            for name in ("test", "name", "family", "p_method", "worse"):
                assert found[name] == (row[name] or "")
            assert {key: found[f"group.{key}"] for key in row["group"]} == row["group"]

    def test_it_holds_all_that_is_needed_to_read_and_repeat_it(self, tmp_path: Path) -> None:
        run = hostile_run("a")
        rows = self.read(written([run], tmp_path / "r.csv"))
        by_record = {name: [row for row in rows if row["record"] == name] for name in ("run", "meaning", "limits")}
        told = {row["name"]: row["text"] for row in by_record["run"]}
        assert told["command"] == run.result.provenance["command"]
        assert told["created"] == "2026-03-04T05:06:07+00:00"
        assert "tiltmeter 0.1.0" in told["packages"]
        assert any("0 is neutral" in row["text"] for row in by_record["meaning"])
        assert "two genders" in by_record["limits"][0]["text"]


class TestWorkbook:
    def read(self, path: Path) -> Any:
        return openpyxl.load_workbook(path)

    def cells(self, path: Path) -> Iterator[Any]:
        for sheet in self.read(path):
            for row in sheet.iter_rows():
                yield from row

    def test_text_is_text_and_no_formula_or_link(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "r.xlsx"
        written([hostile_run(text)], path, (Skipped(text, text, text, failed=False),))
        found = list(self.cells(path))
        assert all(cell.data_type in "sn" and cell.hyperlink is None for cell in found)
        values = [cell.value for cell in found]
        unbroken = text.replace("\r", "_x000D_")  # how a workbook holds a carriage return
        assert values.count(text) + values.count(unbroken) > 8
        with zipfile.ZipFile(path) as archive:
            assert all(b"<f>" not in archive.read(name) for name in archive.namelist() if "/sheet" in name)

    def test_every_number_is_that_of_the_run_to_the_last_digit(self, tmp_path: Path) -> None:
        runs = [hostile_run("a"), measured_like()]
        path = tmp_path / "r.xlsx"
        written(runs, path)
        header, *rows = self.read(path)["estimates"].iter_rows(values_only=True)
        expected = [row.to_json() for run in runs for row in run.result.estimates]
        assert [[row[header.index(name)] for name in FIELDS] for row in rows] == [
            [row[name] for name in FIELDS] for row in expected
        ]

    def test_intervals_are_two_numbers(self, tmp_path: Path) -> None:
        rows = [estimate("t", "mac", 1.02, ci_low=1 / 3, ci_high=2 / 3)]
        path = tmp_path / "r.xlsx"
        written([made("mac", "s", rows)], path)
        sheet = self.read(path).worksheets[3]
        header, first = list(sheet.iter_rows(values_only=True))[:2]
        assert header == ("test", "s: value", "s: 95% interval: low", "s: 95% interval: high")
        assert first == ("t", 1.02, 1 / 3, 2 / 3)

    def test_the_first_sheet_says_what_was_found_about_each_model(self, tmp_path: Path) -> None:
        rows = [estimate("E1", "effect_size_both", 0.1, p_value=0.5, p_two_sided=0.5)]
        path = tmp_path / "r.xlsx"
        told = {"estimates": ["effect_size_both"], "group": {}, "above": "up", "below": "down"}
        rows = [replace(row, ci_low=-1.0, ci_high=1.0) for row in rows]
        weat = made("weat", "one", rows, notes=[Note(kind="reading", test="E1", text="", details=told)])
        written([weat, made("mac", "one", []), made("mac", "two", [], lang="en")], path)
        sheet = self.read(path).worksheets[0]
        assert sheet.title == "found"
        header, *found = sheet.iter_rows(values_only=True)
        assert header == ("model", "language", "what was found")
        assert [row[:2] for row in found] == [("one", "ru"), ("two", "en")]
        assert found[0][2].startswith("shows no tilt that chance could not explain")
        assert found[1][2] == "was measured, but with nothing that tests for a tilt."

    def test_numbers_look_short_and_a_p_is_never_shown_as_0(self, tmp_path: Path) -> None:
        path = tmp_path / "r.xlsx"
        written([measured_like()], path)
        header, first, *_ = self.read(path)["estimates"].iter_rows()
        shapes = {name.value: cell.number_format for name, cell in zip(header, first, strict=True)}
        assert shapes["value"] == "0.0000"
        assert shapes["n"] == shapes["lost"] == "0"
        assert shapes["p_value"] == shapes["p_adjusted"] == '[<0.0001]"<0.0001";0.0000'

    def test_sheets_have_names_that_a_workbook_can_have(self, tmp_path: Path) -> None:
        rows = [estimate("BEC-Pro", "f_minus_m", 1.0, {"profession_class": "male"})]
        runs = [made("becpro", kind, rows, kind=kind, lang=lang) for kind in ("masked", "[a]:*?/\\'") for lang in "de"]
        path = tmp_path / "r.xlsx"
        written([*runs, hostile_run("notes")], path)
        book = self.read(path)
        names = [sheet.title for sheet in book]
        assert len({name.lower() for name in names}) == len(names) > 8
        assert all(len(name) <= 31 and not re.search(r"[\[\]:*?/\\]", name) for name in names)
        assert {"found", "about", "estimates", "notes", "not measured", "provenance"} <= set(names)
        assert all(sheet.freeze_panes == "A2" and sheet.auto_filter.ref for sheet in book)

    def test_a_text_too_long_for_a_cell_is_cut_and_says_so(self, tmp_path: Path) -> None:
        path = tmp_path / "r.xlsx"
        written([made("weat", "s", [], notes=[Note(kind="caveat", text="x" * 40_000)])], path)
        long = [row[5].value for row in self.read(path)["notes"].iter_rows()][1]
        assert len(long) < 32_767
        assert long.endswith("(cut: the whole text is in .json)")


class TestJson:
    def test_it_is_the_json_of_the_runs(self, text: str, tmp_path: Path) -> None:
        runs = [hostile_run(text), measured_like()]
        found = json.loads(written(runs, tmp_path / "r.json", (Skipped(text, "weat", text, failed=True),)))
        assert found["runs"] == [json.loads(json.dumps(run.result.to_json())) for run in runs]
        assert found["skipped"] == [{"subject": text, "instrument": "weat", "reason": text}]
        assert "0 is neutral" in found["instruments"]["weat"]["reading"]


def measured_like() -> Run:
    """Numbers with as many digits as a float has."""
    rows = [
        estimate("E1", "effect_size", 0.1 + 0.2, p_value=5e-324, p_adjusted=1.0, family="f", n=16, lost=3),
        estimate("E1", "statistic", -1.7976931348623157e308),
        estimate("E2", "effect_size", None),
        replace(estimate("E3", "effect_size", 2.0), worse="lower", neutral=None),
        estimate("E4", "effect_size", 1.3883146298723145),
    ]
    return made("weat", "long", rows)


@pytest.mark.parametrize("ending", [".md", ".tex", ".csv", ".xlsx", ".json", ".card.md"])
def test_every_document_says_what_was_measured_how_and_what_was_not(ending: str, tmp_path: Path) -> None:
    run = made("weat", "s", [estimate("E1", "effect_size", 1.0)], notes=[Note(kind="caveat", text="mind this")])
    path = tmp_path / f"r{ending}"
    raw = written([run], path, (Skipped("s", "kurita", "a file is missing", failed=False),))
    if ending == ".xlsx":
        book = openpyxl.load_workbook(path)
        raw = " ".join(str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row).encode()
    told = raw.decode().replace("{-}", "-").replace("\\hbox{}", "").replace("\\textquotesingle{}", "'")
    for wanted in (
        "0 is neutral and further away is worse",
        "tiltmeter measure weat 's'",
        run.id,
        "2026-03-04",
        "mind this",
        "a file is missing",
        "most of these tests compare two genders",
    ):
        assert wanted in told


def test_every_number_of_a_measured_run_is_in_print_as_readers_are_shown_it(stocked: Store, tmp_path: Path) -> None:
    run = measure("weat", "pkg:navec-news", store=stocked)
    lines = written([run], tmp_path / "r.md").decode().replace("\\<", "<").splitlines()
    papers = written([run], tmp_path / "r.tex").decode().replace("$-$", "-").splitlines()
    for row in run.result.estimates:
        if row.value is not None and row.ci_low is not None and row.ci_high is not None:
            shown = [
                f"{value:.4f}" if abs(value) < 0.1 else f"{value:.3f}" for value in (row.value, row.ci_low, row.ci_high)
            ]
            wanted = re.compile(rf"{row.name} .*{shown[0]} . {shown[1]} to {shown[2]} .* {row.n} . {row.lost} ")
            assert any(wanted.search(line) for line in lines), row
            if row.name == "effect_size_both":
                cells = re.compile(rf"^{row.test}: .*{shown[0]} & {shown[1]} to {shown[2]} &")
                assert any(cells.search(line) for line in papers), row


@pytest.mark.parametrize("ending", [".html", ".md", ".tex", ".csv", ".xlsx", ".card.md"])
def test_what_was_not_asked_for_is_not_told_and_the_rest_by_its_reason(ending: str, tmp_path: Path) -> None:
    run = made("weat", "s", [estimate("E1", "effect_size", 1.0)])
    skipped = unmeasured([run])
    assert {entry.instrument for entry in skipped if entry.reason == "it was not asked for"} >= {"mac", "rnd"}
    lacking = [entry.instrument for entry in skipped if "asks how probable words are" in entry.reason]
    assert len(lacking) > 2
    path = tmp_path / f"r{ending}"
    raw = written([run], path, tuple(skipped))
    if ending == ".xlsx":
        sheet = openpyxl.load_workbook(path)["not measured"]
        raw = "\n".join(" on ".join(map(str, row)) for row in sheet.iter_rows(values_only=True)).encode()
    told = re.sub("</?bdi>", "", raw.decode())
    assert "not asked for" not in told
    assert told.count("it asks how probable words are at a place in a text") == (
        len(lacking) if ending == ".csv" else 1
    )
    if ending != ".csv":
        assert f"{', '.join(lacking)} on s" in told


def test_an_unknown_ending_is_refused_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(
        TiltmeterError, match=r"'r.docx' ends in none of .html, .card.md, .md, .tex, .csv, .xlsx, .json"
    ):
        write_report([], tmp_path / "r.docx")
    assert list(tmp_path.iterdir()) == []
    assert ENDINGS == (".html", ".card.md", ".md", ".tex", ".csv", ".xlsx", ".json")


@pytest.mark.parametrize("ending", [".md", ".tex", ".csv", ".xlsx", ".json"])
def test_half_a_sign_in_a_name_breaks_no_document(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"R{ending.upper()}"
    assert written([hostile_run("a\udcffb\x07\x00c\ufffe")], path)
    if ending == ".xlsx":
        assert openpyxl.load_workbook(path)["estimates"]["D2"].value.startswith("a\ufffdb")
    else:
        assert "b" in path.read_text("utf-8")


@pytest.mark.parametrize("ending", [".md", ".tex", ".csv", ".xlsx", ".json"])
def test_nothing_measured_is_a_document_too(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"r{ending}"
    assert written([], path, (Skipped("s", "everything", "no such file", failed=True),))
