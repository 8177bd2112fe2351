"""`tiltmeter build CORPUS`: the data that measurements need, as files."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from tiltmeter.cli.options import JsonOption, PackOption

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


@build_app.command("slguset")
def slguset(
    corpus: Annotated[
        list[str],
        typer.Option(
            "--corpus", help="A file, folder, glob or URL: text, .jsonl or .parquet, also .gz or .zst; more than one."
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")],
    lang: Annotated[str | None, typer.Option("--lang", help="Language (zh, ja, en, es, ru, eu, de).")] = None,
    pack: PackOption = None,
    encoding: Annotated[str, typer.Option(help="What the text is written in (utf-8, gb18030, ...).")] = "utf-8",
    text_field: Annotated[str, typer.Option(help="The field of JSON lines or Parquet that holds the text.")] = "",
    total: Annotated[int | None, typer.Option(help="Sentences of the set; else the pack's quotas.")] = None,
    without: Annotated[list[str] | None, typer.Option(help="A rule that is not asked; more than one.")] = None,
    seed: Annotated[int, typer.Option(help="Which of the neutral sentences are drawn.")] = 0,
    licence: Annotated[
        list[str] | None, typer.Option(help="Of the corpus, for the data card: one for all, or one for each.")
    ] = None,
    tokenizer: Annotated[
        str | None, typer.Option(help="A model whose vocabulary the characters are held against.")
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes on this machine; 0: one a processor.")] = 0,
    runner: Annotated[Literal["local", "ray"], typer.Option(help="Work here, or on a Ray cluster.")] = "local",
    ray_address: Annotated[
        str | None, typer.Option(help="Of the cluster; else RAY_ADDRESS, else one of its own.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Gender-neutral sentences out of a corpus of any size, in SlguSet's columns, with a data card."""
    from tiltmeter.cli import show
    from tiltmeter.corpora import Request, Spread, build_slguset
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.runs import choose_pack
    from tiltmeter.store import Store

    if lang is None and pack is None:
        raise TiltmeterError("the language is not known; say it with --lang, or give a --pack")
    request = Request(
        choose_pack("the corpus", lang=lang, pack=pack),
        corpus,
        encoding=encoding,
        text_field=text_field,
        without=without or (),
        total=total,
        seed=seed,
        licences=licence or (),
        tokenizer=tokenizer,
    )
    built = build_slguset(request, out, store=Store(), spread=Spread(runner, workers, ray_address))
    show.built(built, as_json=json)
    if built.problems:
        raise typer.Exit(3)


@build_app.command("nli")
def nli(
    lang: Annotated[str, typer.Option("--lang", help="Language (ja, en, zh, es, ru, eu, de).")],
    out: Annotated[Path, typer.Option("-o", "--out", help="The folder to write.")],
    captions: Annotated[
        Path | None, typer.Option(help="Captions (COCO-style JSON, or plain lines) instead of the pack's.")
    ] = None,
    occupations: Annotated[
        Path | None, typer.Option(help="Occupations of yours (CSV: occupation, class or share, feminine, epicene).")
    ] = None,
    classes: Annotated[
        Literal["listed", "crowd", "share"],
        typer.Option(help="Stereotyped by the list's class, by crowd scores, or by the share of women."),
    ] = "listed",
    scores: Annotated[
        Path | None, typer.Option(help="Crowd scores: professions.json of Bolukbasi et al. (2016).")
    ] = None,
    mode: Annotated[
        Literal["right", "published"],
        typer.Option(help="As many occupations of either gender, or all the published ones (en, ja, zh)."),
    ] = "right",
    forms: Annotated[
        Literal["epicene", "both"],
        typer.Option(help="Premises that tell no gender, or, as a control, masculine and feminine forms (es, de, ru)."),
    ] = "epicene",
    templates: Annotated[int, typer.Option(help="Captions an occupation.")] = 10,
    seed: Annotated[int, typer.Option(help="Which captions and occupations go together.")] = 0,
    licence: Annotated[str, typer.Option(help="Of the captions, for the data card.")] = "",
    pack: PackOption = None,
    json: JsonOption = False,
) -> None:
    """Pairs for NLI-CoAL in their published format, with a data card: an occupation, and a woman or a man."""
    from tiltmeter.cli import show
    from tiltmeter.corpora import NliRequest, build_nli
    from tiltmeter.runs import choose_pack

    request = NliRequest(
        pack=choose_pack("the set", lang=lang, pack=pack),
        captions=captions,
        occupations=occupations,
        classes=classes,
        scores=scores,
        mode=mode,
        forms=forms,
        per_occupation=templates,
        seed=seed,
        licence=licence,
    )
    show.built_nli(build_nli(request, out), as_json=json)
