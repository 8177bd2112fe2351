"""`tiltmeter train`: models made from text."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from tiltmeter.cli.options import JsonOption
from tiltmeter.errors import TiltmeterError

EpochsOption = Annotated[int, typer.Option(help="Passes over the data.")]
LearningRateOption = Annotated[float, typer.Option(help="At its height.")]
BatchOption = Annotated[int, typer.Option(help="Rows that are learnt together.")]
LengthOption = Annotated[int, typer.Option(help="Tokens; what is longer is cut, and counted.")]
DeviceOption = Annotated[str, typer.Option(help="auto takes a GPU where there is one; or cpu.")]
RunnerOption = Annotated[Literal["local", "ray"], typer.Option(help="Several models: here, or on a Ray cluster.")]
PreSegmentOption = Annotated[
    str, typer.Option(help="Cut Japanese text into words first: none, mecab, jumanpp; auto refuses to guess.")
]
SeedOption = Annotated[int, typer.Option(help="Same data, options and seed: same weights.")]
CorpusArgument = Annotated[
    list[Path], typer.Argument(help="Text files, UTF-8, plain or .gz; a line is a sentence or a paragraph.")
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="Replace a model of another request.")]

train_app = typer.Typer(help="Train models on text of yours.", no_args_is_help=True)


@train_app.command("vectors")
def train_vectors(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write; of a sweep, the folder of folders.")],
    method: Annotated[str, typer.Option(help="cbow, skip-gram, fasttext or ppmi-svd; or several: a,b.")] = "skip-gram",
    window: Annotated[str, typer.Option(help="Words to each side; or several: 2,5,10.")] = "5",
    dimensions: Annotated[str, typer.Option(help="Numbers in a vector; or several: 100,300.")] = "100",
    min_count: Annotated[int, typer.Option(help="Leave out words that occur less often.")] = 5,
    epochs: Annotated[int, typer.Option(help="Passes over the text (ppmi-svd has none).")] = 5,
    lower: Annotated[bool, typer.Option("--lower/--keep-case", help="Write all words in lower case.")] = True,
    seed: Annotated[int, typer.Option(help="Same text, options and seed: same vectors.")] = 0,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace vectors of another request.")] = False,
) -> None:
    """Train word vectors. Several methods, windows or dimensions make a sweep: a folder for each combination."""
    methods = [name.strip() for name in method.split(",")]
    windows, sizes = _numbers("--window", window), _numbers("--dimensions", dimensions)

    from tiltmeter import training
    from tiltmeter.cli import show

    common: dict[str, Any] = {
        "min_count": min_count,
        "epochs": epochs,
        "lower": lower,
        "seed": seed,
        "overwrite": overwrite,
    }
    if any("," in given for given in (method, window, dimensions)):
        folders = training.train_sweep(corpus, out, methods=methods, windows=windows, dimensions=sizes, **common)
    else:
        one: dict[str, Any] = {"method": methods[0], "window": windows[0], "dimensions": sizes[0]}
        folders = [training.train_vectors(corpus, out, **one, **common)]
    for folder in folders:
        show.say(f"vectors: {folder}")


@train_app.command("nli")
def train_nli(
    models: Annotated[list[str], typer.Argument(help="What to start from: a path or a name of the model hub.")],
    data: Annotated[
        list[Path],
        typer.Option(help="Pairs to learn, as published: SNLI, MultiNLI, XNLI, JSNLI, JNLI, OCNLI, JSICK; several."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write; of several, the folder of folders.")],
    test: Annotated[list[Path] | None, typer.Option(help="Pairs to test it on; several.")] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="Which language of XNLI; noted in the card.")] = None,
    epochs: EpochsOption = 5,
    learning_rate: LearningRateOption = 2e-5,
    batch: BatchOption = 32,
    max_length: LengthOption = 128,
    seed: Annotated[str, typer.Option(help="Same data, options and seed: same weights; or several: 0,1,2.")] = "0",
    pre_segment: PreSegmentOption = "auto",
    device: DeviceOption = "auto",
    runner: RunnerOption = "local",
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
) -> None:
    """Fine-tune a model for inference, with the published settings. Several models or seeds make a folder each."""
    from tiltmeter import api
    from tiltmeter.cli import show

    folders = api.train_nli(
        models,
        data,
        out,
        test=test or (),
        lang=lang,
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        max_length=max_length,
        seeds=_numbers("--seed", seed),
        pre_segment=pre_segment,
        device=device,
        runner=runner,
        overwrite=overwrite,
    )
    show.trained(folders, as_json=json)


@train_app.command("classifier")
def train_classifier(
    model: Annotated[str, typer.Argument(help="What to start from: a path or a name of the model hub.")],
    data: Annotated[Path, typer.Option(help="TSV with a header or JSON lines: text, label (second, of pairs).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")],
    test: Annotated[Path | None, typer.Option(help="Rows to test it on.")] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="Noted in the card.")] = None,
    epochs: EpochsOption = 5,
    learning_rate: LearningRateOption = 2e-5,
    batch: BatchOption = 32,
    max_length: LengthOption = 128,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
) -> None:
    """Fine-tune a model to tell labels of your own apart."""
    from tiltmeter import api
    from tiltmeter.cli import show

    folder = api.train_classifier(
        model,
        data,
        out,
        test=test,
        lang=lang,
        device=device,
        overwrite=overwrite,
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        max_length=max_length,
        seed=seed,
    )
    show.trained([folder], as_json=json)


@train_app.command("mlm")
def train_mlm(
    corpus: CorpusArgument,
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")],
    causal: Annotated[bool, typer.Option("--causal", help="Predict each word from those before it instead.")] = False,
    model: Annotated[
        str | None, typer.Option("--from", help="A model to train further; else a small one is made.")
    ] = None,
    test: Annotated[list[Path] | None, typer.Option(help="Text to test it on; several.")] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="Noted in the card.")] = None,
    layers: Annotated[int | None, typer.Option(help="Of the small model; else 2.")] = None,
    width: Annotated[int | None, typer.Option(help="Of the small model; else 128.")] = None,
    vocabulary: Annotated[int | None, typer.Option(help="Tokens of the small model, at most; else 4000.")] = None,
    tokenizer: Annotated[
        str | None, typer.Option(help="Of the small model: bpe (the default), bytes or characters.")
    ] = None,
    epochs: EpochsOption = 5,
    learning_rate: Annotated[
        float | None, typer.Option(help="At its height; else 1e-3, for a model trained further 5e-5.")
    ] = None,
    batch: BatchOption = 32,
    max_length: LengthOption = 128,
    seed: SeedOption = 0,
    device: DeviceOption = "auto",
    overwrite: OverwriteOption = False,
    json: JsonOption = False,
) -> None:
    """Train a masked language model, or with --causal a causal one, on text of yours."""
    from tiltmeter import api
    from tiltmeter.cli import show

    small = {"layers": layers, "width": width, "vocabulary": vocabulary, "tokenizer": tokenizer}
    folder = api.train_language_model(
        "causal" if causal else "masked",
        corpus,
        out,
        model=model,
        test=test or (),
        lang=lang,
        network={name: value for name, value in small.items() if value is not None},
        device=device,
        overwrite=overwrite,
        epochs=epochs,
        learning_rate=learning_rate,
        batch=batch,
        max_length=max_length,
        seed=seed,
    )
    show.trained([folder], as_json=json)


def _numbers(option: str, given: str) -> list[int]:
    try:
        return [int(part) for part in given.split(",")]
    except ValueError as error:
        raise TiltmeterError(
            f"{option} takes a whole number, or several with commas between them, not {given!r}"
        ) from error
