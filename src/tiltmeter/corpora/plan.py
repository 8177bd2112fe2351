"""One Daft query for each part of a corpus, here or on a Ray cluster; a part is written whole or not at all."""

import json
import logging
import os
import re
import socket
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from tiltmeter.corpora.files import Piece, load_daft
from tiltmeter.corpora.reading import Reader, Unreadable
from tiltmeter.corpora.rules import Rules
from tiltmeter.corpora.screening import Judged, Screener, Tally
from tiltmeter.errors import MissingExtra, TiltmeterError
from tiltmeter.packs import Pack
from tiltmeter.store import appearing

_log = logging.getLogger(__name__)

BANDS, ROWS = 16, 4
"""Of the signatures by which near-duplicates find each other: 64 hashes in 16 bands of 4."""
_SHINGLE = 3
"""Characters of a shingle."""


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker has to know."""

    pack: Pack
    rules: Rules
    encoding: str
    text_field: str


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the work is done: in so many processes here, or on a Ray cluster."""

    runner: str = "local"
    workers: int = 0
    """0 for one a processor."""
    ray_address: str | None = None

    def __post_init__(self) -> None:
        if self.workers < 0:
            raise TiltmeterError(f"--workers is {self.workers}; give at least 1, or 0 for one a processor")


def screen_parts(job: Job, parts: Sequence[Sequence[Sequence[Piece]]], folder: Path, spread: Spread) -> None:
    """Screens every part that is not in the folder yet."""
    todo = [number for number in range(len(parts)) if not part_file(folder, number).is_file()]
    sizes = [sum(piece.size for bundle in part for piece in bundle) for part in parts]
    if not todo:
        return
    engine = _Engine(job, spread)
    progress = _Progress(sum(sizes), sum(size for number, size in enumerate(sizes) if number not in todo))
    for number in todo:
        with appearing(part_file(folder, number)) as file:
            _write_part(file, progress.watch(engine.screen(parts[number]), parts[number], sizes[number]))


def part_file(folder: Path, number: int) -> Path:
    return folder / f"part-{number:05}.parquet"


Answer = tuple[Any, int, list[dict[str, Any]]]
"""Judged sentences as a table, of how many bundles they are, and what was seen on the way."""


class _Engine:
    """The plan: bundles of pieces in, judged sentences out."""

    def __init__(self, job: Job, spread: Spread) -> None:
        daft = load_daft()
        self._daft = daft
        self._on_ray = spread.runner == "ray"
        if self._on_ray:
            _use_ray(daft, spread.ray_address)
        else:
            if daft.get_or_infer_runner_type() != "native":
                raise TiltmeterError("Daft works on Ray already in this process: start a new one to work here")
        # On Ray the nodes' processors limit it, and a pool of actors would not outlive a node.
        limit = {} if self._on_ray else {"max_concurrency": spread.workers or os.cpu_count() or 1}
        self._screen = _screening(daft, limit)(job)

    def screen(self, part: Sequence[Sequence[Piece]]) -> Iterator[Answer]:
        """As they come, so that a part may be larger than the memory."""
        import pyarrow as pa

        asked = [json.dumps([piece.to_json() for piece in bundle]) for bundle in part]
        table = self._daft.from_pydict({"bundle": asked})
        if self._on_ray:
            # A process is started for each partition: one for every processor, not one for every bundle.
            table = table.into_partitions(min(len(asked), _processors()))
        for batch in table.select(self._screen.screen(self._daft.col("bundle")).alias("answer")).to_arrow_iter():
            answers = batch.column("answer")
            tallies = [tally for text in answers.field("tallies").to_pylist() for tally in json.loads(text)]
            rows = answers.field("rows").flatten().cast(_row_type(pa))
            yield pa.Table.from_struct_array(rows), len(answers), tallies


def _use_ray(daft: Any, address: str | None) -> None:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    _check_address(address or os.environ.get("RAY_ADDRESS"))
    try:
        if not ray.is_initialized():
            ray.init(
                address=address,
                include_dashboard=False if address is None else None,
                log_to_driver=False,
                logging_level=logging.ERROR,
            )
        daft.set_runner_ray(address, noop_if_initialized=True)
    except ConnectionError as error:
        raise TiltmeterError(
            f"there is no Ray cluster at {address or os.environ.get('RAY_ADDRESS')}: {error}"
        ) from error


def _check_address(address: str | None) -> None:
    """Ray itself would wait for minutes, and end the process."""
    told = re.fullmatch(r"(?:ray://)?(.+):(\d+)", address or "")
    if not told:
        return
    try:
        socket.create_connection((told[1], int(told[2])), timeout=10).close()
    except (OSError, OverflowError) as error:
        raise TiltmeterError(f"there is no Ray cluster at {address}; start one, or give its --ray-address") from error


def _screening(daft: Any, limit: dict[str, int]) -> Any:
    """The worker as Daft runs it: in processes of its own, one bundle at a time."""
    import pyarrow as pa

    returned = daft.DataType.from_arrow_type(_answer_type(pa))

    @daft.cls(use_process=True, **limit)
    class Screen:
        def __init__(self, job: Job) -> None:
            self._worker = Worker(job)

        @daft.method.batch(return_dtype=returned, batch_size=1)  # type: ignore[untyped-decorator]
        def screen(self, bundles: Any) -> Any:
            return pa.concat_arrays([self._worker.screen(json.loads(bundle)) for bundle in bundles.to_pylist()])

    return Screen


def _processors() -> int:
    """Of the cluster, as it is now: nodes come and go."""
    import ray

    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


class Worker:
    """Screens bundles of pieces; a screener is made once in each process."""

    def __init__(self, job: Job) -> None:
        self._job = job
        self._screener = Screener(job.pack, job.rules)
        screening = job.pack.screening
        ends = screening.ends if screening else ""
        self._reader = Reader(job.encoding, job.text_field, ends=ends, spaced=job.pack.spaced)

    def screen(self, bundle: list[dict[str, Any]]) -> Any:
        """The judged sentences of the pieces, and what was seen on the way: one answer in Arrow's form."""
        import pyarrow as pa

        rows = [pa.array([], _row_type(pa))]
        problems: dict[str, str] = {}
        tally = Tally()
        cut: list[dict[str, Any]] = []
        for told in bundle:
            piece = Piece(**told)
            self._screener.tally = Tally()
            try:
                found = [self._block(piece.source, text) for text in self._reader.texts(piece)]
            except Unreadable as error:
                problems.setdefault(piece.source, str(error))
                continue
            rows += found
            if piece.whole:
                tally.add(self._screener.tally)
            else:
                cut.append(_told(self._screener.tally, piece.source, {}))
        tallies = json.dumps([_told(tally, "", problems), *cut], ensure_ascii=False)
        together = pa.concat_arrays(rows)
        listed = pa.ListArray.from_arrays(pa.array([0, len(together)], pa.int32()), together)
        return pa.StructArray.from_arrays([listed, pa.array([tallies])], fields=list(_answer_type(pa)))

    def _block(self, source: str, text: str) -> Any:
        """The sentences of a stretch of text, small in memory: a packed file is many of them."""
        import pyarrow as pa

        rows = [_row(source, judged) for judged in self._screener.screen(text)]
        kept = [row for row in rows if not row["reason"]]
        for row, bands in zip(kept, signatures([row["sentence"] for row in kept]), strict=True):
            row["bands"] = bands.tolist()
        return pa.array(rows, _row_type(pa))


_values = attrgetter(*Judged.__slots__)


def _row(source: str, judged: Judged) -> dict[str, Any]:
    return {"source": source, "bands": None, **dict(zip(Judged.__slots__, _values(judged), strict=True))}


def signatures(sentences: Sequence[str]) -> npt.NDArray[np.uint64]:
    """For each sentence a number for each band: sentences that share one may be nearly the same.

    MinHash (Broder 1997) over shingles of three characters; two sentences whose shingles overlap by .7 share a band
    with a probability of 1 - (1 - .7^4)^16 = .99.
    """
    if not sentences:
        return np.zeros((0, BANDS), np.uint64)
    series = load_daft().Series.from_pylist([" ".join(sentence.replace(" ", "_")) for sentence in sentences])
    hashes = series.minhash(BANDS * ROWS, _SHINGLE, 1).to_arrow()
    values = np.asarray(hashes.flatten()).astype(np.uint64).reshape(len(sentences), BANDS, ROWS)
    mixed = np.zeros((len(sentences), BANDS), np.uint64)
    for row in range(ROWS):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + values[:, :, row]
    return mixed


def _told(tally: Tally, source: str, problems: dict[str, str]) -> dict[str, Any]:
    """`source` where it is of a piece of a file, of which another may turn out to be unreadable."""
    counts = {
        name: [[*key, count] for key, count in getattr(tally, name).items()]
        for name in ("occurrences", "after_surname", "single")
    }
    return {"source": source, "sentences": tally.sentences, "problems": problems, **counts}


def _row_type(pa: Any) -> Any:
    texts = ("sentence", "keyword", "opposite", "gender", "pair", "reason", "detail", "mark")
    return pa.struct(
        [
            pa.field("source", pa.string()),
            pa.field("bands", pa.list_(pa.uint64())),
            pa.field("start", pa.int32()),
            pa.field("end", pa.int32()),
            *(pa.field(name, pa.string()) for name in texts),
        ]
    )


def _answer_type(pa: Any) -> Any:
    return pa.struct([pa.field("rows", pa.list_(_row_type(pa))), pa.field("tallies", pa.string())])


def _write_part(file: BinaryIO, answers: Iterable[Answer]) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    told: list[dict[str, Any]] = []
    with parquet.ParquetWriter(file, pa.schema(list(_row_type(pa))), compression="zstd") as writer:
        for rows, _, tallies in answers:
            writer.write_table(rows)
            told += tallies
        writer.add_key_value_metadata({"tallies": json.dumps(told, ensure_ascii=False)})


class _Progress:
    """Says how far it is: bytes, sentences, survivors, time left."""

    def __init__(self, total: int, done: int) -> None:
        self._total, self._done, self._before = total, done, done
        self._began = time.monotonic()
        self._sentences = self._kept = 0

    def watch(self, answers: Iterable[Answer], part: Sequence[object], size: int) -> Iterator[Answer]:
        """The answers of a part of so many bytes, each told when it has come."""
        for rows, bundles, tallies in answers:
            yield rows, bundles, tallies
            self._step(size * bundles // len(part), tallies, rows)

    def _step(self, size: int, tallies: list[dict[str, Any]], rows: Any) -> None:
        import pyarrow.compute as pc

        self._done += size
        self._sentences += sum(tally["sentences"] for tally in tallies)
        self._kept += pc.sum(pc.equal(rows.column("reason"), "")).as_py() or 0
        # A part may hold no byte: an empty file before a large one.
        speed = max(self._done - self._before, 1) / max(time.monotonic() - self._began, 1e-6)
        left = (self._total - self._done) / speed
        _log.info(
            "%s of %s MB, %s sentences, %s without a fault, %.1f MB/s, %s left",
            f"{self._done / 1e6:,.0f}",
            f"{self._total / 1e6:,.0f}",
            f"{self._sentences:,}",
            f"{self._kept:,}",
            speed / 1e6,
            _duration(left),
            extra={"progress": self._done / self._total if self._total else 1.0},
        )


def _duration(seconds: float) -> str:
    return (
        f"{seconds:.0f} s"
        if seconds < 90
        else f"{seconds / 60:.0f} min"
        if seconds < 5400
        else f"{seconds / 3600:.1f} h"
    )


def read_tallies(folder: Path, parts: int) -> Iterator[dict[str, Any]]:
    from pyarrow import parquet

    for number in range(parts):
        told = parquet.read_metadata(part_file(folder, number)).metadata[b"tallies"]
        yield from json.loads(told)
