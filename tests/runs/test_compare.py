"""Two models against each other: which runs are paired, what changed, what got worse, and what cannot be said."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tiltmeter
from support import Command, stock
from tiltmeter import charts
from tiltmeter.errors import TiltmeterError
from tiltmeter.packs import Word, load_pack
from tiltmeter.results import Estimate, Worse
from tiltmeter.runs import Comparison, Run, compare, find_runs, measure
from tiltmeter.runs.comparison import direction
from tiltmeter.store import Store
from tiltmeter.subjects import open_subject

Tiny = Callable[[str], Path]
Files = dict[str, Path]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory, real_downloads: dict[str, Path]) -> Files:
    """Real vectors of all words of the English tests, and versions of them.

    - `gendered`: along the gender direction (he less she, man less woman, ...) the words of the first topics were moved
      to the male side and those of the second to the female one
    - `noisy`: the same with a little noise
    - `fewer`: without two of the words
    """
    folder = tmp_path_factory.mktemp("versions")
    pack = load_pack("en")
    words = {word.text: word for test in pack.weat for role in "xyab" for word in getattr(test, role)}
    words |= {text: Word(text) for pair in pack.gender_pairs for text in (pair.male, pair.female)}
    subject: Any = open_subject("pkg:glove-6b-50d", stock(Store(folder / "cache"), real_downloads, "glove-6b-50d"))
    found = subject.vectors(words.values(), match="auto", adjectives="citation")
    table = {word: found.vectors[word] * found.lengths[word] for word in found.vectors}
    known = [pair for pair in pack.gender_pairs if pair.male in table and pair.female in table]
    gender = np.mean([table[pair.male] - table[pair.female] for pair in known], axis=0)
    gender /= np.linalg.norm(gender)
    first, second = ({word.text for test in pack.weat for word in getattr(test, role)} for role in "xy")
    rng = np.random.default_rng(2)
    versions = {
        "plain": table,
        "gendered": {word: row + 4 * gender * ((word in first) - float(word in second)) for word, row in table.items()},
        "noisy": {
            word: row + 0.01 * np.linalg.norm(row) * rng.standard_normal(row.size) for word, row in table.items()
        },
        "fewer": {word: row for word, row in table.items() if word not in ("poetry", "algebra")},
    }
    for name, version in versions.items():
        lines = [f"{word} {' '.join(f'{value:.6f}' for value in row)}\n" for word, row in version.items()]
        (folder / f"{name}.txt").write_text("".join(lines))
    return {name: folder / f"{name}.txt" for name in versions}


@pytest.fixture(scope="module")
def measured(files: Files, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., list[Run]]:
    store = Store(tmp_path_factory.mktemp("runs"))

    def runs(name: str, *tools: str, **options: Any) -> list[Run]:
        return [measure(tool, str(files[name]), lang="en", store=store, **options) for tool in tools or ("weat",)]

    return runs


def rows(found: Comparison, name: str) -> dict[str, Any]:
    return {change.test: change for change in found.changes if change.name == name}


class TestWhatChanged:
    def test_a_planted_change_is_found_in_every_test_and_called_worse(self, measured: Callable[..., list[Run]]) -> None:
        found = compare(measured("plain", "weat", "rnsb"), measured("gendered", "weat", "rnsb"))
        for name in ("statistic", "lean"):
            assert {change.direction for change in rows(found, name).values()} == {"worse"}
        assert {(change.instrument, change.test) for change in found.changed("worse")} >= {
            (tool, test) for tool in ("weat", "rnsb") for test in ("career-family", "math-arts", "science-arts")
        }
        assert found.changed("better") == []
        back = compare(measured("gendered", "weat", "rnsb"), measured("plain", "weat", "rnsb"))
        assert len(back.changed("better")) == len(found.changed("worse"))
        assert back.changed("worse") == []

    def test_noise_changes_no_headline(self, measured: Callable[..., list[Run]]) -> None:
        """How often noise alone is called a change is counted in the tests of the instruments' differences."""
        found = compare(measured("plain", "weat", "ect"), measured("noisy", "weat", "ect"))
        headlines = [change for name in ("effect_size", "coherence") for change in rows(found, name).values()]
        assert [change.direction for change in headlines] == ["no change shown"] * 6
        assert any(change.difference for change in headlines)

    def test_a_run_has_not_changed_from_itself(self, measured: Callable[..., list[Run]]) -> None:
        found = compare(measured("plain"), measured("plain"))
        assert {change.difference for change in found.changes} == {0.0}
        assert {change.p_value for change in found.changes} == {1.0}
        assert "both sides are the same run" in found.notes[0].text

    def test_every_change_is_after_less_before(self, measured: Callable[..., list[Run]]) -> None:
        before, after = measured("plain"), measured("gendered")
        found = compare(before, after)
        values = [{(row.test, row.name): row.value for row in runs[0].result.estimates} for runs in (before, after)]
        for change in found.changes:
            one, other = (part[change.test, change.name] for part in values)
            assert (change.before, change.after, change.difference) == (one, other, (other or 0) - (one or 0))

    def test_p_values_are_corrected_as_one_named_family_of_an_instrument(
        self, measured: Callable[..., list[Run]]
    ) -> None:
        found = list(rows(compare(measured("plain"), measured("noisy")), "effect_size").values())
        ordered = sorted(found, key=lambda change: change.p_value)
        floor = 0.0
        for rank, change in enumerate(ordered):
            floor = max(floor, min(1.0, change.p_value * (len(ordered) - rank)))
            assert change.p_adjusted == pytest.approx(floor)
        assert {change.family for change in found} == {"weat, plain.txt to noisy.txt: effect_size, 3 tests, Holm"}

    def test_words_that_one_model_lacks_are_left_out_and_counted(self, measured: Callable[..., list[Run]]) -> None:
        found = compare(measured("plain", "weat", "rnsb"), measured("fewer", "weat", "rnsb"))
        left = {change.test: change.left_out for change in found.changes if change.instrument == "weat"}
        assert left == {"career-family": 0, "math-arts": 2, "science-arts": 1}
        assert {change.difference for change in found.changes if change.instrument == "weat"} == {0.0}
        left_out = (
            "weat, en: answers that only one of the models gave were left out of both (math-arts 2, science-arts 1)"
        )
        assert left_out in " ".join(note.text for note in found.notes)
        trained = [change for change in found.changes if change.instrument == "rnsb" and change.test == "math-arts"]
        assert {change.difference for change in trained} == {None}
        assert {change.direction for change in trained} == {"not tested"}
        assert "only one of the models knows algebra, poetry" in trained[0].note


def estimate(value: float, low: float, high: float, *, p: float = 0.001, worse: Worse = "away") -> Estimate:
    return Estimate(
        test="t", name="n", value=value, worse=worse, neutral=0, ci_low=low, ci_high=high, p_value=p, p_adjusted=p
    )


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((0.2, 0.1, 0.3), (0.6, 0.5, 0.7), "worse"),
        ((0.6, 0.5, 0.7), (0.2, 0.1, 0.3), "better"),
        ((-0.6, -0.7, -0.5), (-0.2, -0.3, -0.1), "better"),
        ((0.5, 0.4, 0.6), (-0.5, -0.6, -0.4), "changed sides"),
        ((0.5, 0.4, 0.6), (-0.1, -0.15, -0.05), "changed sides"),
        ((0.5, 0.4, 0.6), (-0.03, -0.2, 0.1), "better"),
        ((-0.02, -0.2, 0.1), (0.5, 0.4, 0.6), "worse"),
        ((0.15, -0.1, 0.4), (-0.2, -0.4, 0.1), "unclear"),
        ((0.5, 0.4, 0.6), (-0.6, -1.3, 0.1), "unclear"),
    ],
    ids=str,
)
def test_worse_is_farther_from_neutral_and_the_other_side_is_another_matter(
    before: tuple[float, float, float], after: tuple[float, float, float], expected: str
) -> None:
    change = after[0] - before[0]
    assert direction(estimate(*before), estimate(*after), estimate(change, change - 0.05, change + 0.05)) == expected


@pytest.mark.parametrize(
    ("worse", "change", "p", "expected"),
    [
        ("higher", 0.4, 0.01, "worse"),
        ("higher", -0.4, 0.01, "better"),
        ("lower", 0.4, 0.01, "better"),
        ("lower", -0.4, 0.01, "worse"),
        ("higher", 0.4, 0.05, "no change shown"),
        ("higher", 0.04, 0.01, "no change shown"),
    ],
)
def test_a_change_is_shown_by_its_corrected_p_and_its_interval_together(
    worse: Worse, change: float, p: float, expected: str
) -> None:
    sides = estimate(0.5, 0.4, 0.6, worse=worse), estimate(0.5 + change, 0, 1, worse=worse)
    difference = estimate(change, change - 0.1, change + 0.1, p=p, worse=worse)
    assert direction(*sides, difference) == expected
    assert direction(*sides, replace(difference, p_adjusted=None)) == "not tested"


class TestPairing:
    def test_what_has_no_partner_is_named_with_the_reason(self, measured: Callable[..., list[Run]]) -> None:
        (run,) = measured("plain")
        (other,) = measured("gendered")
        (seeded,) = measured("gendered", seed=1)
        changes = {
            "no run of weat": measured("gendered", "ect"),
            "in ru: scores of different languages do not compare": [_with(other, lang="ru")],
            r"other options \(seed 0 and 1\)": [seeded],
            rf"version {other.result.version} of weat, the other side with version 1": [_with(other, version="1")],
            "other word lists of the pack 'en'": [
                _with(other, provenance={**other.result.provenance, "pack": "another"})
            ],
        }
        for reason, after in changes.items():
            found = compare([run], after)
            assert found.pairs == ()
            assert found.changes == ()
            assert [entry.side for entry in found.alone] == ["before", "after"]
            assert re.search(reason, found.alone[0].reason), found.alone[0].reason

    def test_an_older_version_of_an_instrument_is_not_compared_even_with_itself(
        self, measured: Callable[..., list[Run]]
    ) -> None:
        old = [_with(run, version="1") for run in (*measured("plain"), *measured("gendered"))]
        found = compare(old[:1], old[1:])
        assert found.pairs == ()
        assert found.alone[0].reason == (
            "measured with version 1 of weat, and this tiltmeter has version 4: measure again"
        )

    def test_a_masked_model_is_not_compared_with_a_causal_one(self, tiny: Tiny, store: Store, tmp_path: Path) -> None:
        own = tmp_path / "own.csv"
        own.write_text("masculine,class\nnurse,female\nengineer,male\nartist,balanced\n")
        runs = [
            measure("becpro", str(tiny(kind)), lang="en", store=store, profession_list=own)
            for kind in ("roberta", "gpt2")
        ]
        found = compare(runs[:1], runs[1:])
        assert found.pairs == ()
        assert found.alone[0].reason == "one model is masked and the other causal: their numbers do not compare"

    def test_two_runs_that_ask_the_same_on_one_side_are_refused(self, measured: Callable[..., list[Run]]) -> None:
        with pytest.raises(
            TiltmeterError, match=r"the first side holds two runs of weat in en .* plain.txt and noisy.txt"
        ):
            compare([*measured("plain"), *measured("noisy")], measured("gendered"))


def _with(run: Run, **changes: Any) -> Run:
    return replace(run, result=replace(run.result, **changes))


class TestNames:
    def test_by_id_folder_folder_of_runs_subject_and_path(self, files: Files, store: Store, tmp_path: Path) -> None:
        runs = [measure(tool, str(files["plain"]), lang="en", store=store) for tool in ("weat", "rnd")]
        measure("weat", str(files["noisy"]), lang="en", store=store)
        runs[0].save(tmp_path / "saved" / "one")
        wanted = {run.id for run in runs}
        assert [run.id for run in find_runs(store, [runs[0].id[:8]])] == [runs[0].id]
        assert [run.id for run in find_runs(store, [str(tmp_path / "saved")])] == [runs[0].id]
        assert [run.id for run in find_runs(store, [str(tmp_path / "saved" / "one")])] == [runs[0].id]
        assert {run.id for run in find_runs(store, ["plain.txt"])} == wanted
        assert {run.id for run in find_runs(store, [str(files["plain"])])} == wanted

    def test_of_several_runs_of_a_subject_the_newest_of_each_kind_counts(self, files: Files, store: Store) -> None:
        run = measure("weat", str(files["plain"]), lang="en", store=store)
        newer = _with(
            run, provenance={**run.result.provenance, "created": "2999-01-01T00:00:00+00:00", "run": "f" * 16}
        )
        newer = replace(newer, id="f" * 16)
        newer.save(store.runs.root.parent / "newer")
        other = measure("weat", str(files["plain"]), lang="en", store=store, seed=1)
        from tiltmeter.runs.run import keep_run

        keep_run(store, newer)
        assert {found.id for found in find_runs(store, ["plain.txt"])} == {newer.id, other.id}

    def test_two_files_of_one_name_are_told_apart_by_their_path(
        self, files: Files, store: Store, tmp_path: Path
    ) -> None:
        paths = []
        for number, name in enumerate(("plain", "noisy")):
            (tmp_path / str(number)).mkdir()
            paths.append(tmp_path / str(number) / "model.txt")
            paths[-1].write_bytes(files[name].read_bytes())
        ids = [measure("weat", str(path), lang="en", store=store).id for path in paths]
        assert [[run.id for run in find_runs(store, [str(path)])] for path in paths] == [[id_] for id_ in ids]
        with pytest.raises(TiltmeterError, match=r"2 subjects are called 'model.txt' .*: give a path, or ids of runs"):
            find_runs(store, ["model.txt"])
        paths[0].write_bytes(files["gendered"].read_bytes())
        with pytest.raises(TiltmeterError, match="was not measured yet"):
            find_runs(store, [str(paths[0])])
        found = compare(*(find_runs(store, [id_]) for id_ in ids))
        assert found.before != found.after

    def test_an_unknown_name_is_said_with_the_nearest(self, files: Files, store: Store) -> None:
        measure("weat", str(files["plain"]), lang="en", store=store)
        with pytest.raises(TiltmeterError, match=r"no run or measured subject 'plane.txt'; did you mean 'plain.txt'"):
            find_runs(store, ["plane.txt"])
        with pytest.raises(TiltmeterError, match=r"holds no run \(.*\) and was not measured yet"):
            find_runs(store, [str(files["noisy"])])


class TestValues:
    def test_json_holds_every_change_and_what_was_not_compared(self, measured: Callable[..., list[Run]]) -> None:
        found = compare(measured("plain", "weat", "ect"), measured("gendered", "weat"))
        data = json.loads(json.dumps(found.to_json(), allow_nan=False))
        assert [row["difference"] for row in data["changes"]] == [change.difference for change in found.changes]
        assert data["changes"][0]["runs"] == [run.id for run in found.pairs[0]]
        assert [(row["side"], row["instrument"]) for row in data["alone"]] == [("before", "ect")]
        assert (data["before"], data["after"]) == ("plain.txt", "gendered.txt")

    def test_figures_show_the_headline_of_each_pair_and_can_be_drawn(self, measured: Callable[..., list[Run]]) -> None:
        found = compare(measured("plain", "weat", "ect"), measured("gendered", "weat", "ect"))
        figures = found.figures()
        assert [len(figure.rows) for figure in figures] == [3, 3]
        effect = rows(found, "effect_size")["math-arts"]
        row = next(row for row in figures[0].rows if row["estimate"] == "math-arts effect_size_both")
        assert (row["change"], row["low"], row["high"]) == (effect.difference, effect.ci_low, effect.ci_high)
        for figure in figures:
            assert charts.draw(figure).to_dict()["layer"]

    def test_a_number_of_two_names_is_said_once(self, measured: Callable[..., list[Run]]) -> None:
        found = compare(measured("plain"), measured("gendered"))
        names = [change.name for change in found.distinct() if change.test == "math-arts"]
        assert names == ["statistic", "effect_size_both"]
        assert len([change for change in found.changes if change.test == "math-arts"]) == 4

    def test_for_python(self, files: Files, tmp_path: Path) -> None:
        runs = [
            tiltmeter.measure("weat", str(files[name]), lang="en", cache=tmp_path) for name in ("plain", "gendered")
        ]
        by_run = tiltmeter.compare(runs[0], [runs[1]])
        by_name = tiltmeter.compare("plain.txt", runs[1].id, cache=tmp_path)
        assert by_run.changes == by_name.changes
        assert by_run.changed("worse")


class TestCommand:
    def test_says_what_got_worse_then_the_numbers(self, told: Command, store: Store, files: Files) -> None:
        for name in ("plain", "gendered"):
            for tool in ("weat", "ect"):
                measure(tool, str(files[name]), lang="en", store=store)
        measure("mac", str(files["plain"]), lang="en", store=store)
        done = told("compare", files["plain"], files["gendered"])
        assert done.returncode == 0
        found = compare(find_runs(store, ["plain.txt"]), find_runs(store, ["gendered.txt"]))
        said = done.stdout
        assert "from plain.txt to gendered.txt" in said
        assert said.index("got worse:") < said.index("got better") < said.index("before   after")
        for change in found.changed("worse"):
            assert f"- {change.sentence()}" in said
        assert "math-arts statistic: from 0.468 to" in said
        assert "farther from 0 by" in said
        assert "not compared: mac, en, of plain.txt (before): the other side has no run of mac" in said
        assert "to judge a recipe, compare several trainings" in said

    def test_json_is_one_object(self, told: Command, store: Store, files: Files) -> None:
        ids = [measure("weat", str(files[name]), lang="en", store=store).id for name in ("plain", "gendered")]
        data = json.loads(told("compare", *ids, "--json").stdout)
        assert list(data) == ["before", "after", "runs", "changes", "alone", "notes", "across"]
        assert data["runs"] == [{"before": ids[0], "after": ids[1]}]
        assert {row["run"] for row in data["across"]["estimates"]} == set(ids)

    def test_more_than_two_stand_side_by_side(self, told: Command, store: Store, files: Files) -> None:
        ids = [measure("weat", str(files[name]), lang="en", store=store).id for name in ("plain", "gendered", "noisy")]
        said = told("compare", *ids).stdout
        assert "side by side, p corrected over all of them" in said
        assert "got worse" not in said

    def test_runs_of_different_instruments_have_nothing_to_compare(
        self, told: Command, store: Store, files: Files
    ) -> None:
        ids = [measure(tool, str(files["plain"]), lang="en", store=store).id for tool in ("weat", "ect")]
        done = told("compare", *ids)
        assert done.returncode == 2
        assert done.stderr.endswith("tiltmeter: nothing can be compared: the other side has no run of weat\n")
