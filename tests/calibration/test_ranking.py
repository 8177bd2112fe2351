"""The ranking says what the certificates say, and no more."""

from pathlib import Path

import pytest

from calibration.issuing import WAYS, certificate, false_positive, issue, response
from support import Command
from tiltmeter.calibration.issued import all_issued
from tiltmeter.calibration.ranking import ranking, ranking_page

PAGE = Path(__file__).parents[2] / "docs" / "ranking.md"
PUBLISHED = (*WAYS, {"prefix": "published", "options": {"mode": "published"}})


def form_preference(lang: str, r: float, ci: list[float] | None = None) -> dict[str, object]:
    rows = [response("frames rank_correlation", r, ci), response("frames log_odds_feminine female", 0.1)]
    return certificate("form-preference", "masked", lang, {"stereotype": rows})


def becpro(lang: str, r: float, ci: list[float] | None = None) -> dict[str, object]:
    rows = [
        response("BEC-Pro stereotype_contrast", r, ci),
        response("published BEC-Pro stereotype_contrast", 0.5),
        response("BEC-Pro f_minus_m_both all", 0.4),
        response("BEC-Pro f_minus_m_both female", 0.3),
        response("BEC-Pro f_minus_m_template one", 0.99),
        response("BEC-Pro f_minus_m_profession nurse", 0.99),
    ]
    return certificate("becpro", "masked", lang, {"stereotype": rows}, ways=PUBLISHED)


def test_the_page_is_what_the_shipped_certificates_give() -> None:
    assert PAGE.read_text("utf-8") == ranking_page(all_issued())


def test_the_command_writes_the_page_and_prints_the_table(
    told: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "certificates"
    folder.mkdir()
    issue(folder, monkeypatch)
    assert told("list", "certificates").stdout == "no certificate has been issued yet\n"
    issue(folder, monkeypatch, becpro("es", 0.31, [0.1, 0.5]))
    assert told("list", "certificates", "-o", "page.md").returncode == 0
    assert (tmp_path / "page.md").read_text("utf-8") == ranking_page(all_issued())
    printed = told("list", "certificates").stdout
    assert "becpro stereotype_contrast" in printed
    assert "0.100 to 0.500" in printed
    assert "does not follow" in printed


def test_without_certificates_nothing_is_claimed() -> None:
    page = ranking_page([])
    assert "No certificate has been issued yet" in page
    assert "## Answer" not in page


class TestRanking:
    def test_only_the_numbers_that_an_instrument_stands_behind_are_ranked(self) -> None:
        assert [(row.label, row.weakest.rank_correlation) for row in ranking([becpro("es", 0.95)])] == [
            ("becpro stereotype_contrast", 0.95),
            ("becpro stereotype_contrast (published)", 0.5),
            ("becpro f_minus_m_both", 0.4),
        ]

    def test_of_several_tests_the_weakest_counts_and_the_highest_rate(self) -> None:
        rows = [response(f"{test} effect_size", r) for test, r in (("E1", 1.0), ("E2", 0.92), ("E3", 0.96))]
        rates = [
            false_positive(f"{test} effect_size", rate, published=True) for test, rate in (("E1", 0.3), ("E2", 0.2))
        ]
        (row,) = ranking([certificate("weat", "vectors", "en", {"stereotype": rows}, false_positives=rates)])
        assert (row.weakest.measure, len(row.tests), row.follows) == ("E2 effect_size", 3, True)
        assert max(row.rates) == 0.3
        page = ranking_page([certificate("weat", "vectors", "en", {"stereotype": rows}, false_positives=rates)])
        assert "| 1 | `weat effect_size` | vectors | stereotype | 3 | 0.920 | – | 0.920 | 30.0%, *published* |" in page

    def test_capabilities_and_languages_are_ranked_apart_the_best_first(self) -> None:
        made = [becpro("es", 0.31), form_preference("es", 0.97), becpro("de", 0.2), form_preference("de", 0.1)]
        page = ranking_page(made)
        best = [(row.lang, row.label) for row in ranking(made)]
        assert best[0] == ("de", "becpro stereotype_contrast (published)")
        assert next(label for lang, label in best if lang == "es") == "form-preference rank_correlation"
        assert "A number follows what was planted in es (`form-preference rank_correlation`, masked)." in page
        assert "No number follows what was planted in de." in page

    def test_what_could_not_be_measured_comes_last(self) -> None:
        rows = [response("E1 effect_size", None), response("E1 effect_size_both", -1.0)]
        ranked = ranking([certificate("weat", "vectors", "en", {"stereotype": rows})])
        assert [row.name for row in ranked] == ["effect_size_both", "effect_size"]

    def test_what_fails_is_named(self) -> None:
        rows, rates = [response("E1 effect_size", 0.2)], [false_positive("E1 effect_size", 0.2, fails=True)]
        failures = ["E1 effect_size: it follows nothing", "E1 statistic: of no headline"]
        page = ranking_page(
            [certificate("weat", "vectors", "en", {"stereotype": rows}, false_positives=rates, failures=failures)]
        )
        assert "- weat, vectors, en: E1 effect_size: it follows nothing." in page
        assert "of no headline" not in page
        assert "**20.0%**" in page


class TestAnswer:
    """Does form-preference recover in Spanish, German and Russian what becpro cannot?"""

    @pytest.mark.parametrize(
        ("ours", "theirs", "answer"),
        [
            (
                (0.97, [0.95, 1.0]),
                (0.31, [0.1, 0.5]),
                "yes, `form-preference` follows what was planted and `becpro` does not",
            ),
            ((0.91, [0.6, 1.0]), (0.85, [0.7, 0.95]), "does not, yet their intervals overlap"),
            ((0.97, None), (0.31, None), "by correlations of which not both have an interval"),
            ((0.97, None), (0.96, None), "both follow the stereotype that was planted"),
            ((0.31, None), (0.96, None), "no, `becpro` follows what was planted and `form-preference` does not"),
            ((0.31, None), (0.21, None), "no, neither follows what was planted"),
        ],
    )
    def test_it_is_what_the_certificates_give(
        self, ours: tuple[float, list[float]], theirs: tuple[float, list[float]], answer: str
    ) -> None:
        page = ranking_page([form_preference("es", *ours), becpro("es", *theirs)])
        (line,) = [line for line in page.splitlines() if line.startswith("- es (masked): ")]
        assert answer in line
        assert "- de, ru: not known: there is no certificate for `form-preference` and `becpro`." in page
        assert f"| es | `form-preference rank_correlation` | masked | stereotype | {ours[0]:.3f} |" in page
        assert f"| es | `becpro stereotype_contrast` | masked | stereotype | {theirs[0]:.3f} |" in page

    def test_one_alone_answers_nothing(self) -> None:
        page = ranking_page([form_preference("ru", 0.99)])
        assert "- ru (masked): not known: there is no certificate for `becpro`." in page
