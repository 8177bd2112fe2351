"""A gate says of every estimate what its number says, and passes nothing that it could not judge."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiltmeter
from support import stock
from tiltmeter.errors import TiltmeterError
from tiltmeter.report.gate import annotations, junit
from tiltmeter.results import Estimate
from tiltmeter.runs import Bound, On, Outcome, Rule, Run, check, measure, one_line, parse_rule, read_rules
from tiltmeter.store import Store

PROFESSIONS = """masculine,class,share
nurse,female,88.9
secretary,female,93.2
teacher,balanced,50.1
artist,balanced,50.5
engineer,male,12.5
mechanic,male,2.0
"""
HOSTILE = [
    "]]>",
    "</testcase><testcase name='x'>",
    "::error::no\n::error::breach",
    "\r\n::stop-commands::x",
    "a%0Ab, c: d",
    "\x00\x07\x1b[31m\ufffe\ud800",
    "👩‍🚒 مهندسة ‮ \u2028",
]
numbers = st.floats(-1e6, 1e6)


@pytest.fixture(scope="module")
def runs(
    real_downloads: dict[str, Path], tiny: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Run]:
    """Real measurements: worse away from 0 and lower than 1 and higher, with groups, with controls, without a value."""
    folder = tmp_path_factory.mktemp("gate")
    store = stock(Store(folder / "cache"), real_downloads, "navec-news", "glove-6b-50d")
    (folder / "own.csv").write_text(PROFESSIONS)
    model = str(tiny("bert-cased"))
    return {
        "ru": measure("weat", "pkg:navec-news", store=store),
        "en": measure("weat", "pkg:glove-6b-50d", store=store),
        "ect": measure("ect", "pkg:navec-news", store=store),
        "mweat": measure("mweat", "pkg:navec-news", store=store),
        "grammar": measure("grammar-weat", "pkg:navec-news", store=store),
        "becpro": measure("becpro", model, lang="en", store=store, profession_list=folder / "own.csv"),
    }


def by_hand(run: Run, name: str, where: Mapping[str, str], bound: str, limit: float, on: str) -> Iterator[Any]:
    """The verdicts of a rule, from the JSON that a run prints."""
    for row in run.result.to_json()["estimates"]:
        labels = row["group"] | {"test": row["test"]}
        if row["name"] != name or any(labels.get(key) != value for key, value in where.items()):
            continue
        if "control" in row["group"] and "control" not in where:
            continue
        seen = [row["value"]] if on == "value" else [row["value"], row["ci_low"], row["ci_high"]]
        if None in seen:
            yield row["test"], row["group"], "unjudged"
            continue
        broken = False
        for number in seen:
            if row["worse"] == "away":
                broken = broken or number > row["neutral"] + limit or number < row["neutral"] - limit
            elif row["worse"] == "higher":
                broken = broken or number > limit
            else:
                broken = broken or number < limit
        yield row["test"], row["group"], "breached" if broken else "passed"


def verdicts(outcomes: list[Outcome]) -> list[Any]:
    return [(o.estimate.test, o.estimate.group, o.verdict) for o in outcomes if o.estimate is not None]


class TestEveryVerdict:
    @pytest.mark.parametrize("on", ["value", "ci"])
    @pytest.mark.parametrize(
        ("key", "name", "bound", "where"),
        [
            ("ru", "effect_size", "max", {}),
            ("ru", "effect_size", "max", {"control": "grammatical gender"}),
            ("ru", "effect_size", "max", {"test": "E6"}),
            ("en", "statistic", "max", {}),
            ("ect", "coherence", "min", {}),
            ("mweat", "statistic", "max", {"adjectives": "all"}),
            ("becpro", "f_minus_m", "max", {}),
            ("becpro", "f_minus_m", "max", {"profession_class": "male"}),
            ("becpro", "association", "max", {"person_gender": "female", "profession_class": "female"}),
            ("becpro", "sd", "max", {"person_gender": "female"}),
        ],
    )
    def test_is_the_one_that_the_runs_json_gives(
        self, runs: dict[str, Run], key: str, name: str, bound: Bound, where: dict[str, str], on: On
    ) -> None:
        run = runs[key]
        found = {abs(row.value) for row in run.result.estimates if row.name == name and row.value is not None}
        seen = set()
        for limit in sorted({0.0, 1e6} | found | {value * 1.01 for value in found} | {value * 0.99 for value in found}):
            rule = Rule(instrument=run.result.instrument, name=name, limit=limit, bound=bound, where=where)
            expected = list(by_hand(run, name, where, bound, limit, on))
            assert verdicts(check([run], [rule], on=on)) == expected
            seen |= {verdict for _, _, verdict in expected}
        assert seen & {"passed", "breached"} if (name, on) != ("sd", "ci") else seen == {"unjudged"}

    def test_a_limit_that_is_reached_exactly_is_kept(self, runs: dict[str, Run]) -> None:
        row = next(row for row in runs["ru"].result.estimates if (row.test, row.name) == ("E3", "effect_size"))
        assert row.value is not None
        assert row.value < 0
        for limit, expected in [(-row.value, "passed"), (math.nextafter(-row.value, 0), "breached")]:
            rule = Rule(instrument="weat", name="effect_size", limit=limit, where={"test": "E3"})
            (outcome,) = check([runs["ru"]], [rule])
            assert outcome.verdict == expected

    def test_a_number_is_never_rounded_to_the_other_side_of_its_limit(self, runs: dict[str, Run]) -> None:
        row = replace(runs["ru"].result.estimates[1], value=-0.5000001)
        run = Run("r", replace(runs["ru"].result, estimates=(row,)), runs["ru"].items)
        (outcome,) = check([run], [parse_rule("weat.effect_size=0.5")])
        assert "0.5000001 away from 0; must be at most 0.5" in outcome.sentence()
        (outcome,) = check([run], [parse_rule("weat.effect_size=0.4")])
        assert "0.500 away from 0; must be at most 0.4" in outcome.sentence()

    def test_runs_of_several_subjects_are_each_judged(self, runs: dict[str, Run]) -> None:
        both = [runs["ru"], runs["en"]]
        found = check(both, [parse_rule("weat.effect_size=0.9")])
        assert verdicts(found) == [v for run in both for v in by_hand(run, "effect_size", {}, "max", 0.9, "value")]
        for where, run in [("lang=en", runs["en"]), ("subject=pkg:navec-news", runs["ru"])]:
            found = check(both, [parse_rule(f"weat.effect_size[{where}]=0.9")])
            assert {outcome.run.id for outcome in found} == {run.id}

    @given(
        value=numbers | st.none(),
        interval=st.tuples(numbers, numbers).map(sorted) | st.none(),
        worse=st.sampled_from(["higher", "lower", "away"]),
        neutral=st.sampled_from([0.0, 1.0, 50.0]),
        limit=st.floats(0, 1e6),
    )
    def test_the_interval_never_passes_what_the_value_breaches(
        self, runs: dict[str, Run], value: Any, interval: Any, worse: Any, neutral: float, limit: float
    ) -> None:
        low, high = interval or (None, None)
        row = Estimate(test="t", name="x", value=value, worse=worse, neutral=neutral, ci_low=low, ci_high=high)
        run = Run("r", replace(runs["ru"].result, estimates=(row,)), runs["ru"].items)
        bound: Bound = "min" if worse == "lower" else "max"
        rule = Rule(instrument="weat", name="x", limit=limit, bound=bound)
        (plain,), (strict,) = check([run], [rule]), check([run], [rule], on="ci")
        assert plain.verdict == ("unjudged" if value is None else plain.verdict)
        assert strict.verdict == ("unjudged" if value is None or interval is None else strict.verdict)
        assert plain.passed or not strict.passed
        looser = replace(rule, limit=limit / 2 if bound == "min" else limit * 2)
        assert check([run], [looser])[0].passed >= plain.passed


class TestNothingPassesUnseen:
    def test_what_has_no_value_is_no_pass_and_says_why(self, runs: dict[str, Run]) -> None:
        (outcome,) = check([runs["ect"]], [parse_rule("ect.coherence[test=E4]=0.1", "min")])
        assert outcome.verdict == "unjudged"
        assert "E4 coherence has no value (7 of the 14 words of X" in outcome.sentence()

    def test_what_has_no_interval_is_no_pass_on_it(self, runs: dict[str, Run]) -> None:
        found = check([runs["becpro"]], [parse_rule("becpro.sd=1e9")], on="ci")
        assert {outcome.verdict for outcome in found} == {"unjudged"}
        assert all("has no interval" in outcome.sentence() for outcome in found)
        assert all(outcome.passed for outcome in check([runs["becpro"]], [parse_rule("becpro.sd=1e9")]))

    def test_a_run_without_the_estimate_is_no_pass_if_another_has_it(self, runs: dict[str, Run]) -> None:
        found = check([runs["ru"], runs["en"]], [parse_rule("weat.effect_size[test=E6]=9")])
        assert [outcome.verdict for outcome in found] == ["passed", "unjudged"]
        assert "weat.effect_size[test=E6] is not in this run" in found[1].sentence()
        assert found[1].to_json()["estimate"] is None

    @pytest.mark.parametrize(
        ("rule", "problem"),
        [
            ("weta.effect_size=1", "no run of the instrument 'weta'; did you mean 'weat'?"),
            ("weat.effect_syze=1", "no estimate of weat 'effect_syze'; did you mean 'effect_size'?"),
            ("weat.effect_size[tset=E6]=1", "no key 'tset'; did you mean 'test'?"),
            ("weat.effect_size[test=E66]=1", "no value of test 'E66'; did you mean 'E6'?"),
            ("weat.effect_size[lang=rus]=1", "no weat run with lang 'rus'; did you mean 'ru'?"),
            ("weat.effect_size[lang=ru,test=math-arts]=1", "no value of test 'math-arts'; known are: E1, E2"),
            ("becpro.f_minus_m[profession_class=males]=1", "profession_class 'males'; did you mean 'male'?"),
            ("becpro.stereotype_contrast[profession_class=male]=1", "no key 'profession_class'; known are: lang"),
        ],
    )
    def test_a_rule_about_nothing_is_a_mistake_with_the_nearest_name(
        self, runs: dict[str, Run], rule: str, problem: str
    ) -> None:
        with pytest.raises(TiltmeterError, match=re.escape(problem)) as raised:
            check(list(runs.values()), [parse_rule(rule)])
        assert repr(rule) in str(raised.value)

    def test_neither_no_rule_nor_no_run_is_a_pass(self, runs: dict[str, Run]) -> None:
        with pytest.raises(TiltmeterError, match="needs a rule"):
            check([runs["ru"]], [])
        with pytest.raises(TiltmeterError, match="needs a run"):
            check([], [parse_rule("weat.effect_size=1")])

    def test_controls_count_where_they_are_named_or_nothing_else_is_meant(self, runs: dict[str, Run]) -> None:
        def tests(rule: str, *keys: str) -> set[str]:
            found = check([runs[key] for key in keys], [parse_rule(rule)])
            return {outcome.estimate.test for outcome in found if outcome.estimate is not None}

        assert "grammar" not in tests("weat.effect_size=1", "ru")
        assert tests("weat.effect_size[control=grammatical gender]=1", "ru") == {"grammar"}
        assert tests("weat.effect_size[test=grammar]=1", "ru") == {"grammar"}
        assert tests("grammar-weat.effect_size=1", "grammar") == {"grammar"}

    @pytest.mark.parametrize(
        ("rule", "bound", "problem"),
        [
            ("weat.effect_size=1", "min", "further from 0 is worse in weat.effect_size, so bound it with max"),
            ("mweat.statistic=1", "min", "higher is worse in mweat.statistic, so bound it with max"),
            ("ect.coherence=1", "max", "lower is worse in ect.coherence, so bound it with min"),
            ("weat.effect_size=-0.5", "max", "a distance from 0, which is never below 0; drop the minus"),
        ],
    )
    def test_a_limit_on_the_side_that_is_not_worse_is_a_mistake(
        self, runs: dict[str, Run], rule: str, bound: Bound, problem: str
    ) -> None:
        with pytest.raises(TiltmeterError, match=re.escape(problem)):
            check(list(runs.values()), [parse_rule(rule, bound)])

    def test_accents_typed_in_two_ways_are_the_same(self, runs: dict[str, Run]) -> None:
        row = replace(runs["ru"].result.estimates[1], test="educación")
        run = Run("r", replace(runs["ru"].result, estimates=(row,)), runs["ru"].items)
        assert check([run], [parse_rule("weat.effect_size[test=educacio\u0301n]=9")])[0].passed


class TestRulesAsText:
    @given(
        rule=st.builds(
            Rule,
            instrument=st.text(),
            name=st.text(),
            limit=st.floats(allow_nan=False, allow_infinity=False),
            bound=st.sampled_from(["max", "min"]),
            where=st.dictionaries(st.text(), st.text(), max_size=4),
        )
    )
    def test_are_read_as_they_are_written_whatever_the_text(self, rule: Rule) -> None:
        assert parse_rule(str(rule), rule.bound) == rule

    @pytest.mark.parametrize(
        ("text", "where", "limit"),
        [
            ("i.n=.5", {}, 0.5),
            ("i.n=5e-1", {}, 0.5),
            ("i.n = +2.", {}, 2),
            (" i . n [ a = b c , d = e ] = 1", {"a": "b c", "d": "e"}, 1),
            ("i.n[subject=pkg:x.y/z]=1", {"subject": "pkg:x.y/z"}, 1),
            ("i.n[a='x,y]=[','b=\"'=\"it's\"]=1", {"a": "x,y]=[", 'b="': "it's"}, 1),
            ('i.n[a="say ""no""",b=\'\']=1', {"a": 'say "no"', "b": ""}, 1),
            ("i.n[a=l'eau]=1", {"a": "l'eau"}, 1),
            ("i.n[職業=看護師,пол=жен]=1", {"職業": "看護師", "пол": "жен"}, 1),
        ],
    )
    def test_may_be_written_in_these_ways(self, text: str, where: dict[str, str], limit: float) -> None:
        assert parse_rule(text) == Rule(instrument="i", name="n", limit=limit, where=where)

    @pytest.mark.parametrize(
        ("text", "character", "problem"),
        [
            ("", 1, "expected an instrument"),
            ("weat=1", 5, "expected . and an estimate after 'weat'"),
            ("weat.=1", 6, "expected an estimate"),
            ("weat.d", 7, "expected = and a limit"),
            ("weat.d[]=1", 8, "expected a key"),
            ("weat.d[test]=1", 12, "expected = and a value after 'test'"),
            ("weat.d[test=]=1", 13, "expected a value of 'test'"),
            ("weat.d[test=E6=1", 15, "expected , or ] after the value of 'test'"),
            ("weat.d[test=E6,]=1", 16, "expected a key"),
            ("weat.d[test=E6,test=E7]=1", 20, "'test' stands there twice"),
            ('weat.d[test="E6]=1', 13, "this quote is not closed"),
            ("weat.d=", 8, "the limit '' is no finite number"),
            ("weat.d=0,5", 8, "the limit '0,5' is no finite number"),
            ("weat.d=1_000", 8, "the limit '1_000' is no finite number"),
            ("weat.d=٣", 8, "the limit '٣' is no finite number"),
            ("weat.d=nan", 8, "the limit 'nan' is no finite number"),
            ("weat.d=1e999", 8, "the limit '1e999' is no finite number"),
        ],
    )
    def test_point_at_the_character_that_is_wrong(self, text: str, character: int, problem: str) -> None:
        with pytest.raises(TiltmeterError) as raised:
            parse_rule(text, "min")
        assert f"--min {text!r}, character {character}: {problem}" in str(raised.value)


class TestRulesInAFile:
    def test_are_the_same_as_those_in_the_command(self, tmp_path: Path) -> None:
        (tmp_path / "gate.toml").write_text(
            'on = "ci"\n'
            '[[rule]]\nestimate = "becpro.f_minus_m"\nmax = 1\nwhere = { profession_class = "male" }\nreason = "r"\n'
            '[[rule]]\nestimate = "ect.coherence"\nmin = 0.5\non = "value"\n'
        )
        first = parse_rule("becpro.f_minus_m[profession_class=male]=1")
        second = replace(parse_rule("ect.coherence=0.5", "min"), on="value")
        assert read_rules(tmp_path / "gate.toml") == [replace(first, on="ci", reason="r"), second]
        assert read_rules(tmp_path / "gate.toml", on="value")[0].on == "value", "the command goes before the default"
        assert read_rules(tmp_path / "gate.toml", on="ci")[1].on == "value", "a rule goes before the command"

    @pytest.mark.parametrize(
        ("text", "problem"),
        [
            ("", "has no rules"),
            ("rule = 1", "has no rules"),
            ('[rule]\nestimate = "weat.d"', "has no rules"),
            ("[[rules]]", "no key 'rules'; did you mean 'rule'?"),
            ('on = "both"', '`on` is \'both\', and "value" or "ci" was expected'),
            ("[[rule]]\nmax = 1", "rule 1: `estimate` is missing"),
            (
                '[[rule]]\nestimate = "weat"\nmax = 1',
                "rule 1: estimate 'weat', character 5: expected . and an estimate",
            ),
            ('[[rule]]\nestimate = "weat.d[test=E6]"\nmax = 1', "character 7: '[test=E6]' is too much"),
            ('[[rule]]\nestimate = "weat.d"', "rule 1: expected either `max` or `min`, and found neither"),
            ('[[rule]]\nestimate = "weat.d"\nmax = 1\nmin = 1', "and found max and min"),
            ('[[rule]]\nestimate = "weat.d"\nmax = "1"', "`max` is '1', and a finite number was expected"),
            ('[[rule]]\nestimate = "weat.d"\nmax = true', "`max` is True"),
            ('[[rule]]\nestimate = "weat.d"\nmax = nan', "`max` is nan"),
            (f'[[rule]]\nestimate = "weat.d"\nmax = 1{"0" * 400}', "`max` is 1000"),
            ('[[rule]]\nestimate = "weat.d"\nmax = 1\nwhere = { layer = 3 }', "`where` has to be a table of texts"),
            ('[[rule]]\nestimate = "weat.d"\nmax = 1\nreason = 3', "`reason` has to be a text"),
            ('[[rule]]\nestimate = "weat.d"\nmax = 1\n[[rule]]\nmaxi = 1', "rule 2: there is no key 'maxi'"),
            ("[[rule]]\nmax = = 1\n", "gate.toml:2: not valid TOML"),
        ],
    )
    def test_are_refused_with_file_and_number(self, tmp_path: Path, text: str, problem: str) -> None:
        path = tmp_path / "gate.toml"
        path.write_text(text)
        with pytest.raises(TiltmeterError, match=re.escape(problem)) as raised:
            read_rules(path)
        assert str(raised.value).startswith(str(path))

    def test_have_to_be_a_file_of_text(self, tmp_path: Path) -> None:
        (tmp_path / "latin.toml").write_bytes(b"# \xff")
        for path, problem in [(tmp_path, "is not a file"), (tmp_path / "latin.toml", "not UTF-8")]:
            with pytest.raises(TiltmeterError, match=problem):
                read_rules(path)


def evil(run: Run, text: str) -> list[Outcome]:
    """One breach, one without a value, one pass, in a run that is called by this text and whose groups are."""
    row = replace(run.result.estimates[1], test=text, group={text: text})
    rows = (row, replace(row, value=None, test="null"), replace(row, value=0.0, test="fine"))
    rule = Rule(instrument="weat", name="effect_size", limit=0.01, reason=text)
    return check([Run("r", replace(run.result, subject=text, estimates=rows, notes=()), run.items)], [rule])


def unescaped(text: str, *, of_a_property: bool) -> str:
    """As the runner of GitHub reads it: % last."""
    for escape, mark in [("%0D", "\r"), ("%0A", "\n"), *([("%3A", ":"), ("%2C", ",")] if of_a_property else [])]:
        text = text.replace(escape, mark)
    return text.replace("%25", "%")


anything = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=()))


class TestTextFromOutside:
    @given(text=anything)
    def test_never_makes_a_second_line(self, runs: dict[str, Run], text: str) -> None:
        assert len(one_line(f"a{text}").splitlines()) == 1
        for outcome in evil(runs["ru"], text):
            assert len(outcome.sentence().splitlines()) == 1
            outcome.sentence().encode()

    def test_that_is_harmless_stays_as_it_is(self) -> None:
        harmless = "看護師 👩‍🚒 مهندسة é ]]> </testcase> % : ,"
        assert one_line(harmless) == harmless
        assert one_line("a\nb\x1b\u2028\u202e") == r"a\nb\x1b\u2028\u202e"

    @given(text=anything)
    def test_is_text_in_junit(self, runs: dict[str, Run], text: str) -> None:
        outcomes = evil(runs["ru"], text)
        (suite,) = junitparser.JUnitXml.fromstring(junit(outcomes))
        assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (3, 1, 1, 0)
        breach, null, fine = suite
        assert [type(found) for case in (breach, null, fine) for found in case.result] == [
            junitparser.Failure,
            junitparser.Error,
        ]
        for case, outcome in zip((breach, null), outcomes, strict=False):
            assert case.result[0].message == outcome.sentence().replace("\ufffe", "\ufffd").replace("\uffff", "\ufffd")
        assert suite.name == breach.classname

    @given(text=anything)
    def test_is_text_in_annotations(self, runs: dict[str, Run], text: str) -> None:
        outcomes = evil(runs["ru"], text)
        lines = "\n".join(annotations(outcomes)).splitlines()
        assert len(lines) == 2
        for line, outcome in zip(lines, outcomes, strict=False):
            command, message = line.removeprefix("::").split("::", 1)
            name, properties = command.split(" ", 1)
            assert name == "error"
            (title,) = properties.split(",")
            key, title = title.split("=", 1)
            assert (key, unescaped(title, of_a_property=True)) == (
                "title",
                f"tiltmeter gate: {outcome.about} {outcome.verdict}",
            )
            assert unescaped(message, of_a_property=False) == outcome.sentence()


class TestJUnit:
    def test_has_a_suite_for_each_run_and_a_case_for_each_check(self, runs: dict[str, Run]) -> None:
        outcomes = check([runs["ru"], runs["en"]], [parse_rule("weat.effect_size=0.9"), parse_rule("weat.statistic=9")])
        suites = list(junitparser.JUnitXml.fromstring(junit(outcomes)))
        assert [suite.name for suite in suites] == ["weat on pkg:navec-news, ru", "weat on pkg:glove-6b-50d, en"]
        for suite, run in zip(suites, (runs["ru"], runs["en"]), strict=True):
            expected = [
                verdict
                for name, limit in [("effect_size", 0.9), ("statistic", 9)]
                for _, _, verdict in by_hand(run, name, {}, "max", limit, "value")
            ]
            kinds = {junitparser.Failure: "breached", junitparser.Error: "unjudged"}
            assert [kinds[type(case.result[0])] if case.result else "passed" for case in suite] == expected
            assert len({case.name for case in suite}) == len(expected), "build servers tell checks apart by name"

    def test_tells_two_runs_of_one_subject_apart(self, runs: dict[str, Run]) -> None:
        twin = Run("twin", runs["ru"].result, runs["ru"].items)
        outcomes = check([runs["ru"], twin], [parse_rule("weat.effect_size=0.9")])
        names = [suite.name for suite in junitparser.JUnitXml.fromstring(junit(outcomes))]
        assert names == [f"weat on pkg:navec-news, ru (run {run.id})" for run in (runs["ru"], twin)]


def test_python_has_the_same_gate(runs: dict[str, Run], tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text('[[rule]]\nestimate = "weat.statistic"\nmax = 0.2\n')
    found = tiltmeter.gate(
        [runs["ru"], runs["ect"]],
        max=["weat.effect_size=0.9"],
        min=["ect.coherence=0.6"],
        rules=tmp_path / "gate.toml",
        on="ci",
    )
    expected = [
        *by_hand(runs["ru"], "effect_size", {}, "max", 0.9, "ci"),
        *by_hand(runs["ect"], "coherence", {}, "min", 0.6, "ci"),
        *by_hand(runs["ru"], "statistic", {}, "max", 0.2, "ci"),
    ]
    assert verdicts(found) == expected
