"""Tables for a paper: none is wider than the text or longer than a page, and no number is lost for that."""

import re
import shutil
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from report.handmade import estimate, made
from tiltmeter.report import write_report
from tiltmeter.report.content import sections
from tiltmeter.report.tables import Number
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

TABLE = re.compile(r"\\begin\{tabular\}\{@\{\}(.*?)@\{\}\}\n(.*?)\\end\{tabular\}", re.DOTALL)
PREAMBLE = "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{array,booktabs,multirow}"


def becpro(subject: str, start: float) -> Run:
    """A whole run of 33 rows' worth of numbers, all different."""
    rows = []
    for at, (professions, persons) in enumerate((c, p) for c in CLASSES for p in ("female", "male", "nonbinary")):
        group = {"profession_class": professions, "person_gender": persons}
        for place, name in enumerate(("association", "sd", "max", "min", "q75", "median", "q25")):
            rows.append(estimate("BEC-Pro", name, -(start + at + place / 10), group))
    rows += [estimate("BEC-Pro", "f_minus_m", -start - 0.05, {"profession_class": name}) for name in CLASSES]
    return made("becpro", subject, rows, lang="zh", kind="masked")


def weat(subject: str) -> Run:
    return made(
        "weat",
        subject,
        [
            estimate(f"E{n}", name, -1.234 + n, ci_low=-2.345, ci_high=-1.234, p_value=0.04, p_adjusted=0.0421)
            for n in range(1, 8)
            for name in ("effect_size", "effect_size_sign_flip")
        ],
        tests={f"E{n}": "intelligence and the like / appearance and the like" for n in range(1, 8)},
    )


CLASSES = ("female", "balanced", "male")
RUNS = {
    "two models": [weat("pkg:navec-news"), weat("pkg:navec-hudlit")],
    "five models": [weat(f"ruscorpora_upos_cbow_300_{n}_2019") for n in range(5)],
    "long names": [weat(f"{name * (50 // len(name))}{n}") for n, name in enumerate(("a", "org/name-", "W"))],
    "becpro": [becpro("roformer-sim-small-zh", 1.0)],
    "becpro, many": [becpro(f"organisation/model-{n}-base-uncased", 10.0 * n) for n in range(1, 8)],
}


@pytest.fixture(params=list(RUNS.values()), ids=list(RUNS))
def runs(request: pytest.FixtureRequest) -> list[Run]:
    return list(request.param)


def tex(runs: list[Run], folder: Path) -> str:
    write_report(runs, folder / "r.tex")
    return (folder / "r.tex").read_text("utf-8")


def test_every_number_of_the_papers_tables_is_there_once(runs: list[Run], tmp_path: Path) -> None:
    wanted = Counter(
        str(cell).replace("-", "")
        for section in sections(runs)
        for table in (*section.tables, *section.calibration())
        for row in table.rows
        for cell in row
        if isinstance(cell, Number) and cell.value is not None
    )
    body = "\n".join(cells for _, cells in TABLE.findall(tex(runs, tmp_path)))
    body = re.sub(r"\S+ to \S+", "", body)
    assert Counter(re.findall(r"(?<![\w.])\d+\.\d{3,4}(?![\w.])", body)) == wanted


def test_no_table_is_wider_than_the_text(runs: list[Run], tmp_path: Path) -> None:
    """A sign is no narrower than 2.2 points and half of them are digits of 4.25; a line has 345."""
    for columns, body in TABLE.findall(tex(runs, tmp_path)):
        kinds = re.findall(r"p\{(.*?)\\linewidth\}|([lr])", re.sub(r">\{.*?\}(?=p)", "", columns))
        for line in body.splitlines():
            cells = line.removesuffix(" \\\\").split(" & ")
            if len(cells) != len(kinds) or "multicolumn" in line:
                continue
            printed = [re.sub(r"\\\w+(\[t\])?(\{\d+\}\{[*=]\})?|[{}$\\]", "", cell) for cell in cells]
            wide = [
                345 * float(share) if share else 4.25 * sum(sign.isdigit() for sign in cell)
                for (share, _), cell in zip(kinds, printed, strict=True)
            ]
            assert sum(wide) + 5 * (len(kinds) - 1) <= 345


def test_no_table_is_longer_than_a_page(runs: list[Run], tmp_path: Path) -> None:
    """A page of an article has 550 points, and a line of the smallest type 9.5."""
    for _, body in TABLE.findall(tex(runs, tmp_path)):
        assert body.count("\\\\") * 9.5 < 550


def test_parts_say_which_they_are_and_a_model_is_never_cut(tmp_path: Path) -> None:
    raw = tex(RUNS["becpro, many"], tmp_path)
    captions = re.findall(r"caption\{BEC-Pro: associations, part (\d) of (\d)", raw)
    assert captions == [(str(n), captions[0][1]) for n in range(1, len(captions) + 1)]
    assert len(captions) > 1
    labels = re.findall(r"label\{tab:bec-pro-associations((?:-\d+)?)\}", raw)
    assert labels == ["", *(f"-{n}" for n in range(2, len(captions) + 1))]
    for n in range(1, 8):
        assert raw.count(f"\\textit{{organisation/model-{n}-base-uncased}}") == 1


def test_a_real_latex_sets_them_without_a_word(runs: list[Run], stocked: Store, tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdfLaTeX is not installed")
    measured = [measure(tool, "pkg:navec-news", store=stocked) for tool in ("bad", "weat", "mweat")]
    for tried in (runs, measured):
        tex(tried, tmp_path)
        (tmp_path / "paper.tex").write_text(f"{PREAMBLE}\\begin{{document}}\\input{{r}}\\end{{document}}", "utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        assert not re.findall(
            r"Overfull|Float too large|multiply defined", (tmp_path / "paper.log").read_text("latin-1")
        )
