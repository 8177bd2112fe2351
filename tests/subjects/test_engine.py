"""Distinct questions once, in batches that follow from the questions alone, kept on disk one by one."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tiltmeter import workers
from tiltmeter.errors import TiltmeterError
from tiltmeter.reading import Reading
from tiltmeter.store import Answers, Store
from tiltmeter.subjects import open_subject
from tiltmeter.subjects.language_models import Blank, engine
from tiltmeter.subjects.language_models.engine import Probe, plan
from tiltmeter.subjects.language_models.model import LanguageModel
from tiltmeter.subjects.language_models.network import Network

Tiny = Callable[[str], Path]

TEMPLATES = ["{} is a {}.", "{} works as a {}.", "{} wants to become a {}.", "{}, the {}, is here."]
PERSONS = ("he", "she", "my brother", "my sister", "this man", "this woman")
PROFESSIONS = ("nurse", "engineer", "doctor", "firefighter", "manager")


def corpus() -> list[Blank]:
    """One blank for each sentence, as a corpus of sentences has it: the same masked sentence over and over."""
    blanks = []
    for template in TEMPLATES:
        for profession in PROFESSIONS:
            for person in PERSONS:
                text = template.format(person, profession)
                place = text.index(profession)
                for hidden in ((), ((place, place + len(profession)),)):
                    blanks.append(Blank(text=text, span=(0, len(person)), candidates=(person,), hidden=hidden))
    return blanks


def opened(folder: Path, store: Store, **said: Any) -> LanguageModel:
    return cast(LanguageModel, open_subject(str(folder), store, Reading(device="cpu", **said)))


def asked_sequences(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Every sequence that goes through the network from now on."""
    seen: list[tuple[int, ...]] = []
    real = Network.log_probabilities

    def watched(self: Network, lines: Any) -> Any:
        seen.extend(line.ids for line in lines)
        return real(self, lines)

    monkeypatch.setattr(Network, "log_probabilities", watched)
    return seen


class TestOnce:
    def test_a_masked_sentence_that_many_share_goes_through_the_network_once(
        self, tiny: Tiny, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        model = opened(tiny("bert-cased"), store)
        seen = asked_sequences(monkeypatch)
        found = pl.concat(model.fill(corpus()))
        assert found["log_p"].null_count() == 0
        assert len(seen) == len(set(seen))
        # Persons of as many tokens share their masked sentences.
        lengths = {len(tokens) for tokens in found["tokens"].to_list()}
        assert len(seen) <= len(TEMPLATES) * (len(PROFESSIONS) * 2) * len(lengths) < len(corpus())

    def test_what_was_answered_is_not_asked_again(
        self, tiny: Tiny, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        first = pl.concat(opened(tiny("bert-cased"), store).fill(corpus()))
        seen = asked_sequences(monkeypatch)
        again = pl.concat(opened(tiny("bert-cased"), store).fill(corpus()))
        assert again.equals(first)
        assert seen == []
        # Another list shares what it has in common; the scores of tokens are questions like any other.
        more = [Blank(text="my aunt is a nurse.", span=(3, 7), candidates=("aunt",)), *corpus()[:5]]
        pl.concat(opened(tiny("bert-cased"), store).fill(more))
        assert len(seen) == 1

    def test_chunks_do_not_change_a_number(self, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        whole = pl.concat(opened(tiny("bert-cased"), Store(tmp_path / "a")).fill(corpus()))
        monkeypatch.setattr("tiltmeter.subjects.language_models.masked.CHUNK", 7)
        tables = list(opened(tiny("bert-cased"), Store(tmp_path / "b")).fill(iter(corpus())))
        assert [table.height for table in tables[:-1]] == [7] * (len(corpus()) // 7)
        np.testing.assert_allclose(pl.concat(tables)["log_p"], whole["log_p"], atol=1e-5)
        assert pl.concat(tables)["blank"].to_list() == whole["blank"].to_list()


class TestResume:
    def test_a_run_that_stopped_repeats_at_most_one_batch_and_ends_in_the_same_bytes(
        self, tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(engine, "BATCH_TOKENS", 64)
        whole = pl.concat(opened(tiny("bert-cased"), Store(tmp_path / "whole")).fill(corpus()))
        every = 0
        real = Answers.add

        def stops(self: Answers, answers: pl.DataFrame, *, job: str = "") -> None:
            nonlocal every
            real(self, answers, job=job)
            every += 1
            if every % 3 == 0:
                raise KeyboardInterrupt

        monkeypatch.setattr(Answers, "add", stops)
        seen = asked_sequences(monkeypatch)
        stopped = 0
        while True:
            try:
                found = pl.concat(opened(tiny("bert-cased"), Store(tmp_path / "broken")).fill(corpus()))
                break
            except KeyboardInterrupt:
                stopped += 1
        assert stopped > 2
        assert len(seen) == len(set(seen))
        assert found.equals(whole)

    def test_another_list_with_some_of_the_questions_keeps_what_a_stopped_one_answered(self, tmp_path: Path) -> None:
        answers = Answers(tmp_path)
        answers.add(pl.DataFrame({"key": ["a"], "values": [[1.0]]}), job="stopped")
        assert _keys(answers.known(["a", "b"])) == ["a"]
        assert _keys(answers.known(["a", "b"], besides="stopped")) == []
        assert _keys(answers.done("stopped", ["a", "b"])) == ["a"]
        answers.finish("stopped")
        assert _keys(answers.known(["a", "b"], besides="stopped")) == ["a"]
        assert not (tmp_path / "stopped").exists()


SEQUENCES = st.lists(
    st.tuples(st.lists(st.integers(0, 50), min_size=1, max_size=12), st.integers(1, 3)), min_size=1, max_size=40
)


class TestPlan:
    @given(SEQUENCES, st.integers(8, 64), st.booleans())
    def test_batches_hold_every_question_once_within_the_budget(
        self, sequences: list[tuple[list[int], int]], budget: int, pads: bool
    ) -> None:
        probes = [Probe(tuple(ids), tuple((0, token) for token in range(asked))) for ids, asked in sequences]
        questions = list({probe.key: probe for probe in probes}.items())
        batches = plan(questions, vocabulary=50, tokens=budget, pads=pads)
        assert sorted(key for batch in batches for key in batch.keys) == sorted(key for key, _ in questions)
        lengths = []
        for batch in batches:
            widths = [len(line.ids) for line in batch.content]
            assert max(widths) * len(widths) <= max(budget, max(widths))
            assert pads or len(set(widths)) == 1
            lengths += widths
        assert lengths == sorted(lengths, reverse=True)
        assert len({line.ids for batch in batches for line in batch.content}) == len(lengths)

    @given(SEQUENCES, st.randoms())
    def test_batches_do_not_depend_on_the_order_of_the_questions(
        self, sequences: list[tuple[list[int], int]], random: Any
    ) -> None:
        questions = list({p.key: p for p in (Probe(tuple(ids), ((0, n),)) for ids, n in sequences)}.items())
        shuffled = random.sample(questions, len(questions))
        one, other = (plan(order, vocabulary=50, tokens=20) for order in (questions, shuffled))
        assert [[line.ids for line in batch.content] for batch in one] == [
            [line.ids for line in batch.content] for batch in other
        ]

    def test_a_large_vocabulary_makes_smaller_batches(self) -> None:
        """So that the numbers of one projection fit into memory."""
        questions = [(str(n), Probe((n, 1, 2), ((1, 5),))) for n in range(300)]
        batches = plan(questions, tokens=2048, vocabulary=2**20)
        assert {len(batch.keys) for batch in batches} == {64, 300 - 4 * 64}

    def test_questions_that_differ_have_different_keys(self) -> None:
        probes = [
            Probe((1, 2, 3), ((1, 2),)),
            Probe((1, 2, 3), ((2, 1),)),
            Probe((1, 2), ((3, 1), (2, 0))),
            Probe((1, 2, 3, 1), ((2, 0),)),
            Probe((1, 2, 3), ((1, 2), (1, 3))),
        ]
        assert len({probe.key for probe in probes}) == len(probes)


class TestFastWays:
    @pytest.mark.parametrize(
        ("kind", "projects", "narrows", "pads"),
        [
            ("bert-cased", True, True, True),
            ("distilbert", True, False, True),
            ("mobilebert", False, False, True),
            ("fnet", True, False, False),
        ],
    )
    def test_each_is_tried_and_not_taken_where_it_would_change_numbers(
        self, tiny: Tiny, store: Store, kind: str, projects: bool, narrows: bool, pads: bool
    ) -> None:
        network = opened(tiny(kind), store).asked.network
        assert (network.projects, network.narrows, network.pads) == (projects, narrows, pads)

    def test_memory_that_runs_out_halves_the_batch_and_keeps_the_numbers(self, tiny: Tiny, tmp_path: Path) -> None:
        """In a process whose address space is limited: what fails there is torch's own allocation."""
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("little_memory.py"), tiny("bert-cased"), tmp_path],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert done.returncode == 0, done.stderr
        difference, fits = done.stdout.split()
        assert float(difference) <= 1e-5
        assert 0 < int(fits) < engine.BATCH_TOKENS / 2


class TestRunners:
    @pytest.mark.slow
    def test_ray_gives_the_same_numbers_with_one_model_a_worker(self, tiny: Tiny, tmp_path: Path) -> None:
        """In a process of its own: Ray leaves threads behind."""
        done = subprocess.run(
            [sys.executable, Path(__file__).with_name("by_ray.py"), tiny("bert-cased"), tmp_path],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "RAY_AUTH_MODE": "disabled"},
        )
        assert done.returncode == 0, done.stderr
        difference, batches, processes = done.stdout.split()
        assert float(difference) <= 1e-5
        assert int(batches) > 4
        assert int(processes) == 2

    def test_an_unknown_runner_is_refused(self) -> None:
        with pytest.raises(TiltmeterError, match="there is no runner 'dask'; known are: local, ray"):
            workers.map(lambda: str, [1], "dask")


def _keys(rows: pl.DataFrame | None) -> list[str]:
    return [] if rows is None else rows["key"].to_list()
