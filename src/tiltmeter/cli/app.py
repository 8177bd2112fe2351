"""The verbs. What a verb needs is imported when it is used, so that `--help` answers at once."""

import json as json_format
from pathlib import Path
from typing import Annotated

import typer

from tiltmeter.cli.build import build_app
from tiltmeter.cli.calibrate import calibrate_app
from tiltmeter.cli.cite import cite
from tiltmeter.cli.compare import compare
from tiltmeter.cli.gate import gate
from tiltmeter.cli.measure import InstrumentGroup
from tiltmeter.cli.options import JsonOption, LangOption, PackOption, with_reading
from tiltmeter.cli.report import report
from tiltmeter.cli.reproduce import reproduce
from tiltmeter.cli.review import review
from tiltmeter.cli.selftest import selftest
from tiltmeter.cli.train import train_app
from tiltmeter.reading import Reading

app = typer.Typer(
    name="tiltmeter",
    help="Measures how far a language model tilts toward one gender.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
runs_app = typer.Typer(help="Finished measurements, kept on this machine.", no_args_is_help=True)
cache_app = typer.Typer(help="What tiltmeter keeps on this machine.", no_args_is_help=True)
list_app = typer.Typer(help="What there is: instruments, languages, subjects, certificates.", no_args_is_help=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"tiltmeter {version('tiltmeter')}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", is_eager=True, callback=_print_version)
    ] = False,
) -> None:
    pass


@app.command()
@with_reading
def audit(
    *,
    reading: Reading,
    subjects: Annotated[
        list[str] | None,
        typer.Argument(help="What to measure; without any, the reference subjects and five real vector packages."),
    ] = None,
    lang: LangOption = None,
    pack: PackOption = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="The report to write; see `tiltmeter report`.")] = Path(
        "report.html"
    ),
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be asked and how long it takes.")] = False,
    budget: Annotated[float | None, typer.Option(help="Minutes; what does not fit is left out and named.")] = None,
    json: JsonOption = False,
) -> int:
    """Measure everything that can be measured, and write a page about it."""
    from tiltmeter.cli import show
    from tiltmeter.report import ending_of, write_report
    from tiltmeter.runs import audit as run_audit
    from tiltmeter.runs import plan as plan_audit

    ending_of(out)
    chosen = subjects or None
    if dry_run:
        planned = plan_audit(chosen, lang=lang, pack=pack, reading=reading)
        show.plan_json(*planned) if json else show.plan(*planned)
        return 0
    found = run_audit(chosen, lang=lang, pack=pack, reading=reading, budget_minutes=budget)
    written = write_report(found.runs, out, skipped=found.skipped) if found.runs else []
    if json:
        show.audit_json(found)
    else:
        show.found(found.runs)
        show.skipped(found.skipped)
        for path in written:
            show.say(f"written: {path}")
        if not written:
            show.say("nothing was measured, and no report was written")
    return 0 if found.complete else 3


app.command()(compare)


@runs_app.command("list")
def runs_list() -> None:
    """All finished runs, oldest first."""
    from tiltmeter.cli import show
    from tiltmeter.runs import read_runs
    from tiltmeter.store import Store

    show.runs(read_runs(Store()))


@runs_app.command("show")
def runs_show(
    run_id: Annotated[str, typer.Argument(help="A run's id, or its beginning.")], json: JsonOption = False
) -> None:
    """One run: its numbers and what to know with them."""
    from tiltmeter.cli import show
    from tiltmeter.runs import read_run
    from tiltmeter.store import Store

    run = read_run(Store(), run_id)
    if json:
        print(json_format.dumps(run.result.to_json(), ensure_ascii=False, indent=1))
    else:
        show.run(run, notes=True)


@runs_app.command("rm")
def runs_rm(run_ids: Annotated[list[str], typer.Argument(help="Ids, or their beginnings.")]) -> None:
    """Remove runs."""
    from tiltmeter.cli import show
    from tiltmeter.runs import resolve_id
    from tiltmeter.store import Store

    store = Store()
    for run_id in [resolve_id(store, run_id) for run_id in run_ids]:
        store.runs.remove(run_id)
        show.say(f"removed {run_id}")


@runs_app.command("export")
def runs_export(
    runs: Annotated[
        list[str], typer.Argument(help="A run's id, or its beginning; with --study several, or measured subjects.")
    ],
    out: Annotated[
        Path,
        typer.Option(
            "-o", "--out", help="A folder, a .csv or .parquet file for the items, or with --study a .toml file."
        ),
    ],
    study: Annotated[
        bool, typer.Option("--study", help="Write a study that `tiltmeter reproduce` measures again.")
    ] = False,
) -> None:
    """Write a run's result and items to a place of yours, or several runs as a study."""
    from tiltmeter.cli import show
    from tiltmeter.errors import TiltmeterError
    from tiltmeter.runs import export_items, find_runs, read_run
    from tiltmeter.store import Store, write_atomically

    if study:
        from tiltmeter.studies import study_file

        if out.suffix != ".toml":
            raise TiltmeterError(f"a study is written as .toml, and {out.name!r} does not end so")
        write_atomically(out, study_file(find_runs(Store(), runs), name=out.stem).encode())
    elif len(runs) > 1:
        raise TiltmeterError("one run at a time is exported, or several as a study with --study")
    elif out.suffix:
        export_items(read_run(Store(), runs[0]).items, out)
    else:
        read_run(Store(), runs[0]).save(out)
    show.say(f"written: {out}")


@cache_app.command("show")
def cache_show() -> None:
    """Where the cache is and how large its parts are."""
    from tiltmeter.cli import show
    from tiltmeter.store import Store

    show.cache(Store())


@cache_app.command("clear")
def cache_clear(
    parts: Annotated[
        list[str] | None, typer.Argument(help="Parts to empty; without any, all but the finished runs.")
    ] = None,
) -> None:
    """Empty parts of the cache. Finished runs stay unless you name them."""
    from tiltmeter.cli import show
    from tiltmeter.store import PARTS, Store

    store = Store()
    for part in parts or [part for part in PARTS if part != "runs"]:
        show.say(f"{part}: {store.clear(part) / 1e6:.1f} MB freed")


@list_app.command("instruments")
def list_instruments() -> None:
    """The ways to measure, what each asks for, and which way is worse."""
    from tiltmeter.cli import show
    from tiltmeter.instruments import all_instruments

    show.instruments(all_instruments())


@list_app.command("packs")
def list_packs(
    lang: Annotated[str | None, typer.Argument(help="A language, to see its lists and their sources.")] = None,
    check: Annotated[
        Path | None, typer.Option(help="Check a folder of yours and say what is missing for which instrument.")
    ] = None,
) -> None:
    """The languages, their lists and sources, and which instruments they allow."""
    from tiltmeter.cli import show
    from tiltmeter.instruments import all_instruments
    from tiltmeter.packs import load_folder, load_pack, shipped_languages, unread_files

    if check is not None:
        show.pack_check(load_folder(check), all_instruments(), unread_files(check))
    elif lang is not None:
        show.pack(load_pack(lang), all_instruments())
    else:
        show.packs([load_pack(known) for known in shipped_languages()], all_instruments())


@list_app.command("certificates")
def list_certificates(
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="Write the ranking as a page in Markdown instead.")
    ] = None,
) -> None:
    """How well the numbers of each instrument recover a planted bias, by language, as the shipped certificates say."""
    from tiltmeter.calibration.issued import all_issued
    from tiltmeter.calibration.ranking import ranking, ranking_page
    from tiltmeter.cli import show
    from tiltmeter.store import write_atomically

    if out is None:
        show.certificates(ranking(all_issued()))
    else:
        write_atomically(out, ranking_page(all_issued()).encode())
        show.say(f"written: {out}")


@list_app.command("subjects")
def list_subjects() -> None:
    """Subjects known by name, and how any other is named."""
    from tiltmeter.cli import show
    from tiltmeter.store import Store
    from tiltmeter.subjects import is_fetched, known_packages, known_references

    store = Store()
    packages = [(package, is_fetched(package, store)) for package in known_packages().values()]
    show.subjects(packages, known_references().values())


app.command()(report)
app.command()(gate)
app.add_typer(
    typer.Typer(cls=InstrumentGroup, no_args_is_help=True),
    name="measure",
    help="Measure subjects with one instrument: `tiltmeter measure weat pkg:navec-news`.",
)
app.command()(cite)
app.command()(selftest)
app.command()(reproduce)
app.add_typer(build_app, name="build")
app.command()(review)
app.add_typer(train_app, name="train")
app.add_typer(calibrate_app, name="calibrate")
app.add_typer(runs_app, name="runs")
app.add_typer(cache_app, name="cache")
app.add_typer(list_app, name="list")
