"""`tiltmeter build CORPUS`: the data that measurements need, as files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tiltmeter.cli.options import PackOption

build_app = typer.Typer(help="Write the data sets that measurements need.", no_args_is_help=True)


@build_app.command("becpro")
def becpro(
    lang: Annotated[str, typer.Option("--lang", help="Language (en, es, eu, de, ru, zh, ja).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The file to write, tab separated.")],
    mode: Annotated[
        Literal["right", "published"], typer.Option(help="Right sentences, or those of the paper.")
    ] = "right",
    variant: Annotated[str, typer.Option(help="Which set of frames (Spanish: articles, bare).")] = "",
    professions: Annotated[
        Literal["all", "common"], typer.Option(help="All professions, or those with one form for everybody.")
    ] = "all",
    profession_list: Annotated[
        Path | None, typer.Option(help="Professions of yours (CSV: masculine, feminine, class or share).")
    ] = None,
    pack: PackOption = None,
) -> None:
    """The Bias Evaluation Corpus with Professions, in its published columns."""
    from tiltmeter.cli import show
    from tiltmeter.datasets.becpro import write_corpus
    from tiltmeter.instruments import load_instrument
    from tiltmeter.instruments.becpro import corpus
    from tiltmeter.runs import check_lists, choose_pack

    tool = load_instrument("becpro")
    language = choose_pack("the corpus", lang=lang, pack=pack)
    check_lists(tool, language)
    given = {"mode": mode, "variant": variant, "professions": professions, "profession_list": profession_list}
    rows = [row for row in corpus(language, tool.make_options(given)) if row.person_gender != "nonbinary"]
    show.say(f"{write_corpus(rows, out):,} sentences: {out}")
