"""`build slguset`: from a corpus of any size to a set of gender-neutral sentences, with its data card."""

import hashlib
import io
import json
import shlex
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import polars as pl

from tiltmeter.corpora.card import GENDERS, Card, write_card
from tiltmeter.corpora.duplicates import near_duplicates, seeded_hash
from tiltmeter.corpora.files import PART, PIECE, CorpusFile, cut_pieces, find_files, group_parts
from tiltmeter.corpora.folder import filling, refuse_filled
from tiltmeter.corpora.plan import BANDS, Job, Spread, part_file, read_tallies, screen_parts
from tiltmeter.corpora.reading import python_name
from tiltmeter.corpora.rules import NOT_DRAWN, Rules
from tiltmeter.corpora.sampling import Quota, draw, quotas
from tiltmeter.corpora.screening import Screener
from tiltmeter.corpora.symmetry import symmetries
from tiltmeter.datasets.slguset_files import SET_COLUMNS, write_csv
from tiltmeter.errors import OutOfReach, TiltmeterError
from tiltmeter.packs import Pack
from tiltmeter.store import Store, write_atomically, writing

ENGINE = 1
"""Part of the identity of what is kept of an unfinished build: a new number where sentences are judged otherwise."""

REJECTED = (*SET_COLUMNS[:-1], "reason", "detail")


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be built, of what."""

    pack: Pack
    corpora: Sequence[str]
    encoding: str = "utf-8"
    text_field: str = ""
    without: Sequence[str] = ()
    """Rules that are not asked."""
    total: int | None = None
    seed: int = 0
    licences: Sequence[str] = ()
    """One for all of the corpora, or one for each."""
    tokenizer: str | None = None
    """A model whose vocabulary the set's characters are held against."""


@dataclass(frozen=True, slots=True)
class Built:
    """What came out, and what has to be said about it."""

    folder: Path
    card: Card
    problems: tuple[str, ...]
    """Files that could not be read, each in a sentence."""


def build_slguset(request: Request, out: Path, *, store: Store, spread: Spread | None = None) -> Built:
    """Screens the corpora and writes `set.parquet`, `set.csv`, `rejected.parquet`, `card.md`, `card.json` and figures.

    Killed at any moment, the same command goes on with the first part that was not finished.
    """
    refuse_filled(out)
    if request.total is not None and request.total < 2:
        raise TiltmeterError(f"--total is {request.total}, and a set has at least two sentences")
    if len(request.licences) not in (0, 1, len(request.corpora)):
        raise TiltmeterError(
            f"{len(request.licences)} licences for {len(request.corpora)} corpora: give one for all, or one for each"
        )
    rules, encoding = Rules.without(request.without), python_name(request.encoding)
    Screener(request.pack, rules)  # what is wrong with the pack is said here, not by a worker
    tokens = _vocabulary(request.tokenizer)
    files, problems = find_files(request.corpora)
    if not files:
        raise OutOfReach(problems[0])
    if not any(file.size for file in files):
        raise TiltmeterError("the corpus is empty: its files hold no bytes")
    parts = group_parts(cut_pieces(files, encoding))
    job = Job(request.pack, rules, encoding, request.text_field)
    key = _identity(job, files)
    shelf = store.unfinished
    with shelf.locked(key):
        folder = shelf.root / key
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
        screen_parts(job, parts, folder, spread or Spread())
        gathered = _Gathered(folder, len(parts), request.seed, [file.source for file in files])
        problems += gathered.problems
        chosen = _choose(gathered, request, rules)
        card = _card(request, rules, files, problems, gathered, chosen, tokens)
        _write(out, gathered, chosen, card)
        shutil.rmtree(folder)
    return Built(out, card, tuple(problems))


def _vocabulary(name: str | None) -> tuple[str, frozenset[str]] | None:
    """A tokenizer's vocabulary; loaded first, so that a wrong name does not cost a build."""
    if name is None:
        return None
    from tiltmeter.subjects.language_models.checkpoint import load_vocabulary

    return name, load_vocabulary(name)


def _identity(job: Job, files: Sequence[CorpusFile]) -> str:
    """What the parts of a build depend on; the seed, the total and the licences come after them."""
    about = {
        "engine": ENGINE,
        "pack": job.pack.digest(["gender_pairs", "gender_forms"]),
        "screening": asdict(job.pack.screening) if job.pack.screening else None,
        "without": sorted(job.rules.off),
        "encoding": job.encoding,
        "text_field": job.text_field,
        "pieces": [PIECE, PART],
        "segmenters": _versions("rjieba", "fugashi", "unidic-lite", "pymorphy3", "daft"),
        "files": [(file.path, file.source, file.size, file.stamp) for file in files],
    }
    return hashlib.sha256(json.dumps(about, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:24]


def _versions(*names: str) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


_SLICE = 50_000
"""Sentences that are written at a time."""


class _Gathered:
    """What all parts hold together: numbers in memory, sentences on the disk."""

    def __init__(self, folder: Path, parts: int, seed: int, sources: Iterable[str]) -> None:
        # Names of thousands of files, millions of times: a number each.
        self._names: Any = {"source": pl.Enum(sorted(set(sources))), "gender": pl.Enum(GENDERS)}
        self._paths = [part_file(folder, number) for number in range(parts)]
        tallies = list(read_tallies(folder, parts))
        wrong = {source: problem for tally in tallies for source, problem in tally["problems"].items()}
        self.problems = [wrong[source] for source in sorted(wrong)]
        self._wrong = sorted(wrong)
        tallies = [tally for tally in tallies if tally["source"] not in wrong]
        self.sentences = sum(tally["sentences"] for tally in tallies)
        self.counts = {
            name: _summed(tally[name] for tally in tallies) for name in ("occurrences", "single", "after_surname")
        }
        self.reasons: Counter[str] = Counter()
        self.kept = self._index(seed)

    def _index(self, seed: int) -> pl.DataFrame:
        """The sentences without a fault: `number part row order pair gender source`, `number` in the parts' order."""
        tables = []
        for part, rows in enumerate(self._scans()):
            self.reasons.update(dict(rows.group_by("reason").len().collect().iter_rows()))
            clean = _clean(rows, "row", "pair", "gender", "source", "sentence")
            order = [seeded_hash(sentence, seed) for sentence in clean["sentence"]]
            tables.append(
                clean.drop("sentence")
                .cast(self._names)
                .with_columns(part=pl.lit(part, pl.Int32), order=pl.Series(order, dtype=pl.UInt64))
            )
        return pl.concat(tables).with_row_index("number").with_columns(pl.col("number").cast(pl.Int64))

    def _scans(self) -> Iterator[pl.LazyFrame]:
        """Part by part; files that turned out to be unreadable are left out altogether."""
        for path in self._paths:
            rows = pl.scan_parquet(path).with_row_index("row")
            yield rows.filter(~pl.col("source").is_in(self._wrong)) if self._wrong else rows

    def slices(self, *columns: str) -> Iterator[tuple[int, pl.DataFrame]]:
        """All sentences, some at a time, with the number of their part."""
        for part, rows in enumerate(self._scans()):
            for some in rows.select(columns).collect().iter_slices(_SLICE):
                yield part, some

    def band(self, number: int) -> pl.Series:
        """The number that each sentence without a fault has in a band, in the order of their numbers."""
        value = pl.col("bands").list.get(number)
        return pl.concat(_clean(rows, value)["bands"] for rows in self._scans())

    def rows(self, numbers: pl.DataFrame, *columns: str) -> pl.DataFrame:
        """These columns of some of the sentences without a fault, with their numbers."""
        found = [
            _clean(rows, "row", *columns).join(some.select("row", "number"), on="row", how="inner")
            for part, rows in enumerate(self._scans())
            if not (some := numbers.filter(pl.col("part") == part)).is_empty()
        ]
        return pl.concat(found).drop("row") if found else pl.DataFrame()

    def texts(self, numbers: Sequence[int]) -> dict[int, str]:
        if not numbers:
            return {}
        wanted = self.kept.filter(pl.col("number").is_in(list(numbers)))
        return dict(self.rows(wanted, "sentence").select("number", "sentence").iter_rows())


def _clean(rows: pl.LazyFrame, *columns: str | pl.Expr) -> pl.DataFrame:
    return rows.filter(pl.col("reason") == "").select(columns).collect()


def _summed(listed: Iterator[list[list[Any]]]) -> Counter[tuple[str, str]]:
    total: Counter[tuple[str, str]] = Counter()
    for counts in listed:
        for pair, gender, count in counts:
            total[pair, gender] += count
    return total


@dataclass(frozen=True, slots=True)
class _Chosen:
    drawn: pl.DataFrame
    quotas: list[Quota]
    duplicates: pl.DataFrame
    """`number first`: which sentence is nearly the same as which."""
    clean: pl.DataFrame


def _choose(gathered: _Gathered, request: Request, rules: Rules) -> _Chosen:
    if not gathered.counts["occurrences"]:
        raise TiltmeterError(
            f"no sentence of the corpus holds a keyword of the pack {request.pack.lang!r}"
            + ("; " + gathered.problems[0] if gathered.problems else ", or --encoding is not what it is written in")
        )
    kept = gathered.kept
    duplicates = pl.DataFrame(schema={"number": pl.Int64, "first": pl.Int64})
    if "near-duplicate" in rules and not kept.is_empty():
        ordered = kept.sort("order", "source", "number").select("number", "order")
        duplicates = near_duplicates(ordered, (gathered.band(number) for number in range(BANDS)), gathered.texts)
    clean = kept.join(duplicates, on="number", how="anti")
    drawn, told = draw(clean, quotas(request.pack, request.total))
    return _Chosen(drawn, told, duplicates, clean)


def _card(
    request: Request,
    rules: Rules,
    files: Sequence[CorpusFile],
    problems: Sequence[str],
    gathered: _Gathered,
    chosen: _Chosen,
    tokens: tuple[str, frozenset[str]] | None,
) -> Card:
    characters: Counter[str] = Counter()
    rows = gathered.rows(chosen.drawn, "sentence")
    for sentence in rows["sentence"] if not rows.is_empty() else ():
        characters.update(sentence)
    reasons = Counter(gathered.reasons)
    reasons.pop("", None)
    reasons["near-duplicate"] = chosen.duplicates.height
    reasons[NOT_DRAWN] = chosen.clean.height - chosen.drawn.height
    licences = [*request.licences] * (len(request.corpora) if len(request.licences) == 1 else 1)
    drawn = Counter(chosen.drawn["source"].to_list())
    sources = [
        {
            "corpus": name,
            "licence": licences[number] if licences else "not stated",
            "files": sum(file.corpus == number for file in files),
            "bytes": sum(file.size for file in files if file.corpus == number),
            "sentences": sum(drawn[file.source] for file in files if file.corpus == number),
        }
        for number, name in enumerate(request.corpora)
    ]
    return Card(
        pack=request.pack,
        rules=tuple(rules.asked_in(request.pack)),
        sentences=gathered.sentences,
        found=gathered.counts["occurrences"],
        single=gathered.counts["single"],
        clean=_per_side(chosen.clean),
        drawn=_per_side(chosen.drawn),
        quotas=tuple(chosen.quotas),
        reasons=reasons,
        symmetries=tuple(symmetries([quota.pair for quota in chosen.quotas], gathered.counts)),
        characters=characters,
        tokenizer=tokens,
        sources=tuple(sources),
        problems=tuple(problems),
        provenance={
            "command": _command(request),
            "seed": request.seed,
            "tiltmeter": version("tiltmeter"),
            "python": sys.version.split()[0],
            "engine": ENGINE,
            **_versions("daft", "rjieba", "fugashi", "unidic-lite", "pymorphy3", "ahocorasick-rs"),
        },
    )


def _per_side(rows: pl.DataFrame) -> Counter[tuple[str, str]]:
    return Counter({(pair, gender): n for pair, gender, n in rows.group_by("pair", "gender").len().iter_rows()})


def _command(request: Request) -> str:
    words = ["tiltmeter", "build", "slguset", "--lang", request.pack.lang]
    words += [word for name in request.corpora for word in ("--corpus", name)]
    usual = Request(request.pack, request.corpora)
    for name in ("encoding", "text_field", "total", "seed", "tokenizer"):
        if (value := getattr(request, name)) != getattr(usual, name):
            words += [f"--{name.replace('_', '-')}", str(value)]
    words += [word for rule in sorted(request.without) for word in ("--without", rule)]
    words += [word for licence in request.licences for word in ("--licence", licence)]
    return shlex.join(words)


def _write(out: Path, gathered: _Gathered, chosen: _Chosen, card: Card) -> None:
    with filling(out) as folder:
        rows = _set(gathered, chosen)
        content = io.BytesIO()
        rows.write_parquet(content)
        write_atomically(folder / "set.parquet", content.getvalue())
        write_atomically(folder / "set.csv", write_csv(rows.iter_rows(named=True)))
        _write_rejected(folder / "rejected.parquet", gathered, chosen)
        write_card(folder, card)


def _set(gathered: _Gathered, chosen: _Chosen) -> pl.DataFrame:
    """The set in the pack's order of pairs, then by hash."""
    rows = gathered.rows(chosen.drawn, *SET_COLUMNS)
    if rows.is_empty():
        raise TiltmeterError(
            "no pair has neutral sentences with both of its words: the corpus is too small, or rules leave too much out"
        )
    place = {quota.pair: number for number, quota in enumerate(chosen.quotas)}
    return (
        rows.join(chosen.drawn.select("number", "order"), on="number", how="inner")
        .with_columns(place=pl.col("pair").replace_strict(place))
        .sort("place", "order", "source")
        .select(SET_COLUMNS)
    )


def _write_rejected(path: Path, gathered: _Gathered, chosen: _Chosen) -> None:
    """Part by part, so that it may be larger than the memory."""
    from pyarrow import parquet

    firsts = chosen.duplicates["first"].unique()
    leaders = pl.DataFrame(
        list(gathered.texts(firsts.to_list()).items()), schema={"first": pl.Int64, "like": pl.String}, orient="row"
    )
    told = gathered.kept.select("number", "part", "row").join(
        chosen.duplicates.join(leaders, on="first"), on="number", how="left"
    )
    left_out = told.join(chosen.drawn.select("number"), on="number", how="anti")
    writer = None
    try:
        for part, table in gathered.slices("row", *REJECTED):
            clean = left_out.filter(pl.col("part") == part).select("row", "first", "like")
            alike = pl.col("first").is_not_null()
            named = (
                table.join(clean.with_columns(clean=True), on="row", how="left")
                .filter((pl.col("reason") != "") | pl.col("clean"))
                .with_columns(
                    reason=pl.when("clean")
                    .then(pl.when(alike).then(pl.lit("near-duplicate")).otherwise(pl.lit(NOT_DRAWN)))
                    .otherwise("reason"),
                    detail=pl.when("clean").then(pl.col("like").fill_null("")).otherwise("detail"),
                )
            )
            arrow = named.select(REJECTED).to_arrow(compat_level=pl.CompatLevel.oldest())
            writer = writer or parquet.ParquetWriter(path, arrow.schema, compression="zstd")
            writer.write_table(arrow)
    finally:
        if writer is not None:
            writer.close()
