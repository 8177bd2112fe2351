"""`tiltmeter train`: models made from text."""

from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.errors import TiltmeterError

train_app = typer.Typer(help="Train models on text of yours.", no_args_is_help=True)


@train_app.command("vectors")
def train_vectors(
    corpus: Annotated[
        list[Path],
        typer.Argument(help="Text files, UTF-8, plain or .gz; a line is a sentence or a paragraph."),
    ],
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


def _numbers(option: str, given: str) -> list[int]:
    try:
        return [int(part) for part in given.split(",")]
    except ValueError as error:
        raise TiltmeterError(
            f"{option} takes a whole number, or several with commas between them, not {given!r}"
        ) from error
