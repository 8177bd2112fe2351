"""`tiltmeter calibrate INSTRUMENT`: does it find the bias that was planted?"""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli.options import JsonOption, LangOption, PackOption
from tiltmeter.cli.train import DeviceOption, PreSegmentOption, RunnerOption
from tiltmeter.errors import TiltmeterError

calibrate_app = typer.Typer(help="Measure models of known bias: does an instrument find it?", no_args_is_help=True)


@calibrate_app.command("nli-coal")
def nli_coal(
    model: Annotated[
        str | None,
        typer.Argument(help="An NLI model to go on from; without one, a small model learns inference first."),
    ] = None,
    lang: LangOption = None,
    pack: PackOption = None,
    out: Annotated[Path | None, typer.Option("-o", "--out", help="A folder for the numbers and the figure.")] = None,
    sets: Annotated[
        Path | None, typer.Option(help="Published sets (train_r-K.json) instead of the pack's; with --evaluation.")
    ] = None,
    evaluation: Annotated[
        Path | None, typer.Option(help="The published pairs to measure on (bias-eval-set, downsamp).")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Models of each rate; ten or more to publish.")] = 10,
    epochs: Annotated[int | None, typer.Option(help="Passes over what is planted; else 3.")] = None,
    learning_rate: Annotated[
        float | None, typer.Option(help="Of what is planted; else 2e-5, for the small model 5e-4.")
    ] = None,
    pre_segment: PreSegmentOption = "auto",
    certificate: Annotated[
        bool, typer.Option("--certificate", help="A certificate of small models, as the other instruments have it.")
    ] = False,
    device: DeviceOption = "auto",
    runner: RunnerOption = "local",
    json: JsonOption = False,
) -> None:
    """Rank correlation of s, its variants and the neutral-only scores with a bias planted at rates 0, 0.1 ... 1."""
    from tiltmeter import api
    from tiltmeter.calibration import refuse_other, write_calibration
    from tiltmeter.cli import show

    if certificate:
        given = {
            "MODEL": model,
            "--sets": sets,
            "--evaluation": evaluation,
            "--epochs": epochs,
            "--learning-rate": learning_rate,
            "--pre-segment": pre_segment != "auto",
            "--device": device != "auto",
        }
        if other := next((name for name, value in given.items() if value), None):
            raise TiltmeterError(
                f"--certificate is about small models that are always trained alike: leave out {other}"
            )
        _certified("nli-coal", out, as_json=json, lang=lang, pack=pack, seeds=seeds, runner=runner)
        return
    if out is not None:
        refuse_other(out)
    found = api.calibrate(
        "nli-coal",
        model,
        lang=lang,
        pack=pack,
        sets=sets,
        evaluation=evaluation,
        seeds=seeds,
        epochs=3 if epochs is None else epochs,
        learning_rate=learning_rate,
        pre_segment=pre_segment,
        device=device,
        runner=runner,
    )
    written = [] if out is None else write_calibration(found, out)
    show.calibrated(found, written, as_json=json)


WORLDS_HELP = {
    "weat": "Worlds in which two topics lean apart: does WEAT find it, how often is it wrong?",
    "bad": "Worlds in which adjectives lean: does BAD find it, how often is it wrong?",
    "mweat": "Worlds in which adjectives lean: does MWEAT find it, how often is it wrong?",
}


def _on_worlds(instrument: str) -> Callable[..., None]:
    def calibrated(
        lang: LangOption = None,
        pack: PackOption = None,
        out: Annotated[Path | None, typer.Option("-o", "--out", help="A folder for the certificate.")] = None,
        seeds: Annotated[int, typer.Option(help="Worlds of each dose.")] = 10,
        worlds: Annotated[int, typer.Option(help="Worlds without bias, for the rate of false positives.")] = 1000,
        power_worlds: Annotated[int, typer.Option(help="Worlds of each size, for the power.")] = 100,
        other_seeds: Annotated[int, typer.Option(help="Worlds of each dose that are made or learnt otherwise.")] = 10,
        runner: RunnerOption = "local",
        json: JsonOption = False,
    ) -> None:
        _certified(
            instrument,
            out,
            as_json=json,
            lang=lang,
            pack=pack,
            seeds=seeds,
            worlds=worlds,
            power_worlds=power_worlds,
            other_seeds=other_seeds,
            runner=runner,
        )

    return calibrated


MODELS_HELP = {
    "becpro": "Models that learnt which professions are women's: does BEC-Pro find it, in every mode?",
    "form-preference": "Models that learnt which professions are women's: does the preference for forms show it?",
    "slgu": "Models that learnt sentences that lean: does the SlguSet score find it?",
}


def _on_models(instrument: str) -> Callable[..., None]:
    def calibrated(
        lang: LangOption = None,
        pack: PackOption = None,
        kind: Annotated[str, typer.Option(help="Masked or causal models.")] = "masked",
        out: Annotated[Path | None, typer.Option("-o", "--out", help="A folder for the certificate.")] = None,
        seeds: Annotated[int, typer.Option(help="Models of each dose; ten or more to publish.")] = 10,
        null_models: Annotated[int, typer.Option(help="Models without bias, for the rate of false positives.")] = 20,
        other_seeds: Annotated[int, typer.Option(help="Models of each dose that are made otherwise.")] = 2,
        runner: RunnerOption = "local",
        json: JsonOption = False,
    ) -> None:
        _certified(
            instrument,
            out,
            as_json=json,
            lang=lang,
            pack=pack,
            kind=kind,
            seeds=seeds,
            null_models=null_models,
            other_seeds=other_seeds,
            runner=runner,
        )

    return calibrated


def _certified(instrument: str, out: Path | None, *, as_json: bool, **options: Any) -> None:
    from tiltmeter import api
    from tiltmeter.calibration import refuse_other, write_certificate
    from tiltmeter.cli import show

    if out is not None:
        refuse_other(out)
    found = api.certify(instrument, **options)
    show.certified(found, [] if out is None else write_certificate(found, out), as_json=as_json)


for _name, _help in WORLDS_HELP.items():
    calibrate_app.command(_name, help=_help)(_on_worlds(_name))
for _name, _help in MODELS_HELP.items():
    calibrate_app.command(_name, help=_help)(_on_models(_name))
