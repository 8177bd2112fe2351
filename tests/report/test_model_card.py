"""The section for a model card, read back by the library of the Hub."""

from pathlib import Path
from typing import Any

import pytest
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import model_index_to_eval_results

from report.handmade import HOSTILE, estimate, made
from tiltmeter.errors import TiltmeterError
from tiltmeter.report import write_report
from tiltmeter.runs import Run


def card(runs: list[Run], folder: Path) -> Any:
    write_report(runs, folder / "bias.card.md")
    return ModelCard.load(folder / "bias.card.md")


def runs_of(subject: str) -> list[Run]:
    becpro = [
        estimate("BEC-Pro", "f_minus_m", 0.1 + 0.2, {"profession_class": "male"}),
        estimate("BEC-Pro", "stereotype_contrast", -1.3883146298723145),
        estimate("BEC-Pro", "rank_correlation", None),
        estimate("BEC-Pro", "f_minus_m_profession", 9.0, {"profession": "nurse"}),
    ]
    form = [estimate(test, "rank_correlation", value) for test, value in (("form", 1 / 3), ("agreement", 2 / 3))]
    return [
        made("becpro", subject, becpro, kind="masked", lang="en"),
        made("becpro", subject, becpro, kind="masked", lang="es", options={"variant": "bare"}),
        made("form-preference", subject, form, kind="masked", lang="es"),
    ]


def test_the_hub_reads_every_printed_number_as_it_is(tmp_path: Path) -> None:
    runs = runs_of("my-model")
    loaded = card(runs, tmp_path)
    name, found = model_index_to_eval_results(loaded.data.to_dict()["model-index"])
    assert name == "my-model"
    printed = ("f_minus_m", "stereotype_contrast", "rank_correlation")
    expected = [
        (run.result.instrument, row.name, row.test, run.result.lang, row.value)
        for run in runs
        for row in run.result.estimates
        if row.name in printed and row.value is not None
    ]
    assert [
        (
            result.dataset_type.removeprefix("tiltmeter-"),
            result.metric_type,
            str(result.dataset_config).split("test=")[1].split(",")[0],
            str(result.dataset_config).removeprefix("lang=").split(",")[0],
            result.metric_value,
        )
        for result in found
    ] == expected
    assert {result.verified for result in found} == {False}
    assert all(str(result.dataset_revision).startswith("tiltmeter 0.1.0, ") for result in found)
    assert {result.task_type for result in found} == {"fill-mask"}
    assert found[0].metric_name == "f_minus_m (profession_class=male)"
    assert "variant=bare" in str(found[2].dataset_config)
    assert loaded.content.count("\n## ") == 1
    assert "\n## Gender bias\n" in loaded.content


def test_the_kind_of_model_is_the_task(tmp_path: Path) -> None:
    for kind, task in (("causal", "text-generation"), ("", "feature-extraction")):
        run = made("weat", "m", [estimate("E1", "effect_size", 1.0)], kind=kind)
        assert card([run], tmp_path).data.eval_results[0].task_type == task


@pytest.mark.parametrize("text", list(HOSTILE.values()), ids=list(HOSTILE))
def test_text_is_text_in_the_metadata(text: str, tmp_path: Path) -> None:
    run = made("weat", text, [estimate(text, "effect_size", 0.5, {"control": text})])
    data = card([run], tmp_path).data
    assert data.model_name == text
    (result,) = data.eval_results
    assert result.metric_value == 0.5
    assert result.metric_name == f"effect_size (control={text})"
    assert f"test={text}" in str(result.dataset_config)


def test_several_models_are_refused(tmp_path: Path) -> None:
    runs = [*runs_of("one"), *runs_of("two")]
    with pytest.raises(TiltmeterError, match=r"a model card is of one model, and these runs are of 2 \(one, two\)"):
        write_report(runs, tmp_path / "x.card.md")
    with pytest.raises(TiltmeterError, match=r"these runs are of 0 \(none\)"):
        write_report([], tmp_path / "x.card.md")
    assert list(tmp_path.iterdir()) == []
