"""A finished measurement, and how it is kept on disk."""

import html
import io
import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from tiltmeter import charts
from tiltmeter.errors import MissingExtra, TiltmeterError, unknown
from tiltmeter.instruments import Instrument, load_instrument
from tiltmeter.results import Estimate, Malformed, Result, shown, shown_p
from tiltmeter.store import Damaged, Store, write_atomically

if TYPE_CHECKING:
    import altair as alt
    import pandas as pd

RESULT = "result.json"
ITEMS = "items.parquet"


@dataclass(frozen=True, slots=True, repr=False)
class Run:
    """Instrument x subject x pack x options, done: its numbers, and every item behind them."""

    id: str
    result: Result
    items: pl.DataFrame

    def save(self, folder: str | Path) -> Path:
        """Writes `result.json` and `items.parquet` into a folder of the user's; one with another run is refused."""
        folder = Path(folder)
        if (other := _run_in(folder)) not in (None, self.id):
            raise TiltmeterError(f"{folder} holds another run ({other}): give a folder for each run")
        for name, content in self.files().items():
            write_atomically(folder / name, content)
        return folder

    def to_pandas(self) -> "pd.DataFrame":
        """The estimates as a pandas table, one row an estimate, with what was measured and how."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtra("pandas", "report") from error
        about = {name: getattr(self.result, name) for name in ("instrument", "subject", "lang")}
        return pd.DataFrame([about | estimate.to_json() for estimate in self.result.estimates])

    def __repr__(self) -> str:
        return f"Run({self.result.instrument} on {self.result.subject}, {self.result.lang}, {self.id})"

    def plot(self, figure: int | str = 0) -> "alt.LayerChart":
        """A figure as an Altair chart: the first, the one at a position, or the first of a kind (`"scatter"`)."""
        figures = self.result.figures
        there = ", ".join(f"{place} {entry.kind}" for place, entry in enumerate(figures)) or "none"
        if isinstance(figure, str):
            chosen = next((entry for entry in figures if entry.kind == figure), None)
        else:
            chosen = figures[figure] if 0 <= figure < len(figures) else None
        if chosen is None:
            raise TiltmeterError(f"run {self.id} has no figure {figure!r}; there are: {there}")
        return charts.draw(chosen)

    def printed(self) -> list[Estimate]:
        """The estimates that the instrument prints; all are in the result."""
        names = load_instrument(self.result.instrument).summary
        return [row for row in self.result.estimates if not names or row.name in names]

    def files(self) -> dict[str, bytes]:
        """What a run's folder holds."""
        buffer = io.BytesIO()
        self.items.write_parquet(buffer)
        result = json.dumps(self.result.to_stored_json(), ensure_ascii=False, indent=1, allow_nan=False)
        return {RESULT: result.encode(), ITEMS: buffer.getvalue()}

    def _repr_html_(self) -> str:
        """What a notebook shows: the estimates, and what must be read with them."""
        result, printed = self.result, self.printed()
        head = _html_row("th", "test", "estimate", "group", "value", "95% interval", "p", "p corrected", "n", "lost")
        body = "".join(_html_row("td", *_cells(row)) for row in printed)
        hidden = len(result.estimates) - len(printed)
        more = f"<p>and {hidden} more: <code>run.to_pandas()</code></p>" if hidden else ""
        notes = "".join(
            f"<li>{html.escape(f'{note.test}: {note.text}' if note.test else note.text)}</li>" for note in result.notes
        )
        title = html.escape(f"{result.instrument} on {result.subject}, {result.lang}")
        return f"<h4>{title}</h4><table>{head}{body}</table>{more}<ul>{notes}</ul>"


def labels(runs: Sequence[Run], *, languages: bool = True) -> list[str]:
    """The subjects' names, told apart by what differs: the language (unless it stands elsewhere), the options of runs
    of one instrument and language, a piece of the checksum where one name has different content, at last the run."""
    several = languages and len({run.result.lang for run in runs}) > 1
    names = [run.result.subject + (f", {run.result.lang}" if several else "") for run in runs]
    options = [_options_that_differ(run, runs) for run in runs]
    names = [f"{name} ({told})" if told else name for name, told in zip(names, options, strict=True)]
    prints = [str(run.result.provenance["subject"]["fingerprint"]) for run in runs]
    names = [
        f"{name} ({prints[place][-8:]})" if shared else name
        for place, (name, shared) in enumerate(zip(names, _shared(names, prints), strict=True))
    ]
    # The same request, answered by another version of the instrument or with other word lists.
    requests = [(name, run.result.instrument, run.result.lang) for name, run in zip(names, runs, strict=True)]
    again = _shared(requests, [run.id for run in runs])
    return [
        f"{name} (run {run.id[:8]})" if shared else name for name, run, shared in zip(names, runs, again, strict=True)
    ]


def read_run(store: Store, run_id: str) -> Run:
    """A stored run, checked; of an older schema it is migrated, of a newer one refused."""
    return read_folder(store.runs.read(resolve_id(store, run_id)))


def read_runs(store: Store) -> Iterator[tuple[str, Run | TiltmeterError]]:
    """All stored runs, oldest first; one that cannot be read comes as its error."""
    for run_id in store.runs.keys():  # noqa: SIM118 (a shelf is no mapping)
        try:
            yield run_id, read_run(store, run_id)
        except TiltmeterError as error:
            yield run_id, error


def resolve_id(store: Store, prefix: str) -> str:
    """A run's id from its beginning."""
    keys = store.runs.keys()
    matching = [key for key in keys if key.startswith(prefix)]
    if len(matching) == 1 or prefix in keys:
        return prefix if prefix in keys else matching[0]
    if matching:
        raise TiltmeterError(f"{len(matching)} runs begin with {prefix!r}: give more of the id")
    raise unknown("run", prefix, keys)


def keep_run(store: Store, run: Run) -> None:
    """Puts a run on the shelf; on return it is on disk, whole."""

    def fill(folder: Path) -> None:
        for name, content in run.files().items():
            (folder / name).write_bytes(content)

    store.runs.obtain(run.id, fill)


def stored_run(store: Store, run_id: str) -> Run | None:
    """The run if it is there and whole; a damaged one is taken away so that it is measured anew."""
    if run_id not in store.runs:
        return None
    try:
        return read_run(store, run_id)
    except (Damaged, Malformed):
        store.runs.remove(run_id)
        return None


def export_items(items: pl.DataFrame, path: Path) -> None:
    """Writes an items table as its ending says: `.parquet` or `.csv`."""
    buffer = io.BytesIO()
    if path.suffix == ".parquet":
        items.write_parquet(buffer)
    elif path.suffix == ".csv":
        items.write_csv(buffer)
    else:
        raise TiltmeterError(f"items are written as .parquet or .csv, and {path.name!r} ends in neither")
    write_atomically(path, buffer.getvalue())


def _shared(names: Sequence[Hashable], owners: Sequence[str]) -> list[bool]:
    """For each name, whether it has more than one owner."""
    found: dict[Hashable, set[str]] = {}
    for name, owner in zip(names, owners, strict=True):
        found.setdefault(name, set()).add(owner)
    return [len(found[name]) > 1 for name in names]


def _options_that_differ(run: Run, runs: Sequence[Run]) -> str:
    """The options in which a run differs from others of its instrument and language; files by their names."""
    alike = [
        other.result.options
        for other in runs
        if (other.result.instrument, other.result.lang) == (run.result.instrument, run.result.lang)
    ]
    differing = [name for name, value in run.result.options.items() if any(o.get(name) != value for o in alike)]
    return ", ".join(f"{name} {told_option(run.result.options[name])}" for name in differing)


def told_option(value: Any) -> str:
    """The value of an option for readers: a file by its name."""
    if isinstance(value, Mapping):
        return str(value.get("file", value))
    if isinstance(value, list | tuple):
        return "+".join(map(told_option, value)) or "none"
    return "none" if value in (None, "") else str(value)


def read_folder(folder: Path) -> Run:
    """A run as `save` wrote it, checked: a folder may have been written by anybody."""
    result, tool = _read_result(folder / RESULT)
    # Another version of the instrument may have had other columns; only this one's are computed with.
    columns = tool.columns if tool.version == result.version else {}
    return Run(result.provenance["run"], result, _read_items(folder / ITEMS, columns))


def _read_result(path: Path) -> tuple[Result, Instrument]:
    try:
        result = Result.from_stored_json(json.loads(path.read_text("utf-8")))
        return result, load_instrument(result.instrument)
    except Malformed as error:
        raise Malformed(f"{path}: {error}; measure it again") from error
    except TiltmeterError as error:
        raise TiltmeterError(f"{path}: {error}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise Malformed(f"{path} cannot be read: {error}") from error


def _read_items(path: Path, columns: Mapping[str, type[pl.DataType]]) -> pl.DataFrame:
    """The items, with these columns among them."""
    try:
        items = pl.read_parquet(path)
        for name, found in items.schema.items():
            wanted = columns.get(name)
            if found.is_nested() or (wanted is not None and not _holds(found, wanted)):
                expected = "text, numbers or truth values" if wanted is None else wanted()
                raise Malformed(
                    f"{path}: column {name!r} holds {found}, where {expected} is expected; measure it again"
                )
        if missing := [name for name in columns if name not in items.columns]:
            raise Malformed(f"{path}: there is no column {missing[0]!r}; measure it again")
        return items.with_columns(pl.col(name).cast(wanted) for name, wanted in columns.items())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise Malformed(f"{path} cannot be read: {next(iter(str(error).splitlines()), '')}") from error


def _holds(found: pl.DataType, wanted: type[pl.DataType]) -> bool:
    """Whether a column can be read as one of the wanted type; a column of nothing can be read as any."""
    if found == pl.Null or found == wanted:
        return True
    return found.is_integer() if wanted == pl.Int64 else wanted == pl.Float64 and found.is_numeric()


def _run_in(folder: Path) -> str | None:
    """The id of the run that a folder holds; nothing where it holds none, or none that can be read."""
    try:
        return str(json.loads((folder / RESULT).read_text("utf-8"))["provenance"]["run"])
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _cells(row: Estimate) -> Iterator[str]:
    group = ", ".join(f"{key}: {value}" for key, value in row.group.items())
    interval = "–" if row.ci_low is None else f"{shown(row.ci_low)} to {shown(row.ci_high)}"
    yield from (row.test, row.name, group, shown(row.value), interval)
    yield from (shown_p(row.p_value), shown_p(row.p_adjusted), str(row.n), str(row.lost))


def _html_row(tag: str, *cells: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"
