"""`tiltmeter review SET`: people judge the sentences of a set, in the browser."""

import json as json_format
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from tiltmeter.cli.options import JsonOption, PackOption


def review(
    path: Annotated[
        Path, typer.Argument(metavar="SET", help="What `build slguset` wrote (set.parquet), or a CSV like SlguSet.")
    ],
    reviewers: Annotated[str, typer.Option(help="Names, with commas between; each gets a personal link.")] = "",
    per_sentence: Annotated[int | None, typer.Option(help="Votes for each sentence; 3 if nothing is said.")] = None,
    pilot: Annotated[
        int | None, typer.Option(help="Sentences to settle the criteria on before the others are shown.")
    ] = None,
    lang: Annotated[str | None, typer.Option("--lang", help="Language; else what the set's data card says.")] = None,
    pack: PackOption = None,
    database: Annotated[
        str | None, typer.Option(help="A file, or a URL (postgresql://...); else SET.review.db beside the set.")
    ] = None,
    host: Annotated[
        str, typer.Option(help="Address to listen at; only this machine reaches the usual one.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0: any that is free.")] = 8710,
    url: Annotated[str, typer.Option(help="Where reviewers reach it through a proxy: https://review.example.org")] = "",
    take_in: Annotated[
        Path | None, typer.Option("--import", help="Take in votes that Label Studio exported (JSON), and stop.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Folder for votes, final set and card; write them and stop.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Let people judge the sentences of a set in the browser: links for them, a page for you, and the final set."""
    from tiltmeter import api
    from tiltmeter.cli import show
    from tiltmeter.errors import TiltmeterError

    names = [name.strip() for name in reviewers.split(",") if name.strip()]
    where: dict[str, Any] = {"lang": lang, "pack": pack, "database": database}
    if take_in is not None or out is not None:
        if names or per_sentence is not None or pilot is not None or url:
            raise TiltmeterError("--import and --out serve nobody: leave --reviewers and the like for another call")
        _exchange(path, take_in, out, where)
        return
    from tiltmeter.reviews import Opened, all_reviewers, snapshot
    from tiltmeter.web import Site, is_loopback

    if not is_loopback(host):
        show.say(
            f"listening at {host}: others on your network reach it, and what they send is not encrypted; put a proxy "
            "with TLS before it and give its address with --url",
            error=True,
        )

    def ready(site: Site, opened: Opened) -> None:
        for note in opened.notes:
            show.say(note, error=True)
        wanted, there = snapshot(opened.database).about.per_sentence, len(all_reviewers(opened.database))
        if there < wanted:
            show.say(f"{wanted} votes a sentence are wanted; reviewers so far: {there}", error=True)
        if json:
            links = {"owner": site.owner_link, "reviewers": site.links, "database": opened.database.shown}
            print(json_format.dumps(links, ensure_ascii=False), flush=True)
            return
        show.say(f"your page: {site.owner_link}")
        for name, link in site.links.items():
            show.say(f"{name}: {link}")
        if there > len(site.links):
            show.say("links of reviewers who were here before stay valid; your page makes new ones")
        show.say(f"votes are kept in {opened.database.shown}; Ctrl-C ends the server, the same command goes on")

    api.review(
        path,
        reviewers=names,
        per_sentence=per_sentence,
        pilot=pilot,
        host=host,
        port=port,
        url=url,
        ready=ready,
        **where,
    )


def _exchange(path: Path, take_in: Path | None, out: Path | None, where: dict[str, Any]) -> None:
    """Takes votes in, writes files, and serves nobody."""
    from tiltmeter import api
    from tiltmeter.cli import show
    from tiltmeter.datasets.label_studio import read_tasks
    from tiltmeter.reviews import check_folder, import_label_studio, snapshot, write_files

    content = _content(take_in) if take_in is not None else b""
    if take_in is not None:
        read_tasks(content, take_in.name)  # a file that is none begins no review
    if out is not None:
        check_folder(out)
    database = api.open_review(path, begin=take_in is not None, **where).database
    with closing(database):
        if take_in is not None:
            show.say(import_label_studio(database, content, take_in.name).sentence())
        if out is not None:
            taken = snapshot(database)
            for written in write_files(taken, out):
                show.say(f"written: {written}")
            show.say(f"{len(taken.kept):,} of {len(taken.sentences):,} sentences are kept")


def _content(path: Path) -> bytes:
    from tiltmeter.errors import TiltmeterError

    try:
        return path.read_bytes()
    except OSError as error:
        raise TiltmeterError(f"{path} cannot be read: {error.strerror}") from error
