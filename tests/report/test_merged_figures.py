"""Figures of several runs as one: every name once, in the order that each run has, each subject in its own colour."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support import stock
from tiltmeter.report.figures import _interleaved, merged, write_figures
from tiltmeter.runs import Run, measure
from tiltmeter.store import Store

TESTS = [f"E{number}" for number in range(9)]


@given(runs=st.lists(st.lists(st.sampled_from(TESTS), unique=True).map(sorted), min_size=1, max_size=5))
def test_what_some_runs_lack_stands_where_the_others_have_it(runs: list[list[str]]) -> None:
    """All rows are there, those of one test together, and the first two runs keep their order."""
    rows: tuple[Mapping[str, Any], ...] = ()
    for number, names in enumerate(runs):
        rows = _interleaved(rows, [{"test": name, "run": number} for name in names], "test")
    assert len(rows) == sum(map(len, runs))
    order = list(dict.fromkeys(row["test"] for row in rows))
    assert [row["test"] for row in rows] == [name for name in order for row in rows if row["test"] == name]
    for names in runs[:2]:
        assert [name for name in order if name in names] == names


def test_a_test_that_only_the_second_run_has_is_not_the_last() -> None:
    first, second = ([{"test": f"E{place}"} for place in places] for places in ((1, 2, 3, 5), (0, 1, 3, 4, 5, 6)))
    found = dict.fromkeys(row["test"] for row in _interleaved(first, second, "test"))
    assert list(found) == ["E0", "E1", "E2", "E3", "E4", "E5", "E6"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, real_downloads: dict[str, Path]) -> list[Run]:
    """WEAT on real vectors, and once more without its first test, as if that were void."""
    store = stock(Store(tmp_path_factory.mktemp("cache")), real_downloads, "navec-news")
    run = measure("weat", "pkg:navec-news", store=store)
    whole, *words = run.result.figures
    less = replace(run.result, subject="less", figures=(replace(whole, rows=whole.rows[1:]), *words[1:]))
    return [Run("less", less, run.items), run]


def test_subjects_keep_their_colours_where_the_first_of_them_lacks_a_test(runs: list[Run]) -> None:
    figure = merged(runs)[0]
    assert figure.rows[0]["subject"] == "pkg:navec-news"
    assert figure.order == ("less", "pkg:navec-news")
    (whole, *_) = runs[1].result.figures
    assert list(dict.fromkeys(row["test"] for row in figure.rows)) == [row["test"] for row in whole.rows]


def test_a_run_whose_columns_had_other_names_is_drawn_with_the_others(runs: list[Run]) -> None:
    whole = runs[1].result.figures[0]
    rows = tuple({"d" if name == whole.x else name: value for name, value in row.items()} for row in whole.rows)
    old = replace(runs[1].result, subject="old", figures=(replace(whole, rows=rows, x="d"),))
    for together in ([Run("old", old, runs[1].items), runs[1]], [runs[1], Run("old", old, runs[1].items)]):
        figure = merged(together)[0]
        drawn = {name: [row[figure.x] for row in figure.rows if row["subject"] == name] for name in figure.order}
        assert drawn == {name: [row[whole.x] for row in whole.rows] for name in ("old", "pkg:navec-news")}


def test_files_tell_models_and_languages_apart_by_more_than_their_numbers(runs: list[Run], tmp_path: Path) -> None:
    written = write_figures(runs, tmp_path)
    names = [path.stem.split("-", 1)[1] for path in written if path.suffix == ".pdf"]
    assert len(set(names)) == len(names)
    words = [name for name in names if "of-each-word" in name]
    assert len(words) == sum(len(run.result.figures) - 1 for run in runs)
    assert all(name.endswith(("pkg-navec-news-ru", "less-ru")) for name in words)


def test_an_axis_of_weat_says_which_way_is_male(runs: list[Run]) -> None:
    """The word that stands farthest to the right is nearer to the male words than to the female ones."""
    _, figure, *_ = runs[1].result.figures
    assert figure.x == "s(w, A, B): ← nearer to female | male words →"
    word = max(figure.rows, key=lambda row: row[figure.x])["word"]
    test = figure.title.split(":")[0]
    rows = [row for row in runs[1].items.iter_rows(named=True) if row["test"] == test and row["target"] == word]
    near = {
        label: [row["cosine"] for row in rows if row["attribute_label"] == label and row["cosine"] is not None]
        for label in ("male", "female")
    }
    assert sum(near["male"]) / len(near["male"]) > sum(near["female"]) / len(near["female"])
