"""The text of a piece, in stretches of a few megabytes that end where a paragraph does."""

import codecs
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from tiltmeter.corpora.files import PIECE, SPLIT, Piece, open_file
from tiltmeter.errors import TiltmeterError

TEXT_FIELDS = ("text", "content", "sentence", "body", "article", "正文", "内容", "句子")
"""Where the text of JSON lines and Parquet is looked for."""

_WINDOW = 65_536
_PARAGRAPH = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")
_BEFORE = 4
"""Bytes before a place that tell whether a paragraph ends there."""
_LONE = re.compile(r"[\ud800-\udfff]")
_ENDLESS = 1_000_000
_LONGEST_RECORD = 64_000_000


class Unreadable(TiltmeterError):
    """A file, or a part of it, that does not hold what was said of it."""


def python_name(encoding: str) -> str:
    """An encoding as Python calls it."""
    try:
        "a".encode(encoding)  # Python also has encodings of other things than text
        return codecs.lookup(encoding).name
    except (LookupError, UnicodeError) as error:
        raise TiltmeterError(f"--encoding {encoding!r} is not known; try utf-8, gb18030 or utf-16") from error


class Reader:
    """Reads pieces of one encoding and one layout."""

    def __init__(self, encoding: str = "utf-8", text_field: str = "", *, ends: str = "", spaced: bool = False) -> None:
        self._encoding = encoding
        self._field = text_field
        self._ends = [end.encode("utf-8") for end in ends]
        self._break = "\n\n" if spaced else "\n"

    def texts(self, piece: Piece) -> Iterator[str]:
        try:
            if piece.kind == "parquet":
                yield from self._parquet(piece)
            elif piece.kind == "jsonl":
                yield from self._records(self._lines(piece), piece)
            else:
                yield from self._stretches(piece)
        except UnicodeError as error:
            why = error.reason if isinstance(error, UnicodeDecodeError) else error
            raise Unreadable(
                f"{piece.source} is not {self._encoding} ({why}); give its encoding with --encoding, or convert it"
            ) from error
        except OSError as error:
            raise Unreadable(
                f"{piece.source} cannot be read ({error.strerror or str(error).splitlines()[0]})"
            ) from error

    def _stretches(self, piece: Piece) -> Iterator[str]:
        """The text of a piece between two borders that its neighbours find alike, or of a whole file."""
        if piece.packing or self._encoding not in SPLIT or piece.start == 0 == piece.stop:
            yield from self._streamed(self._blocks(piece))
            return
        with open_file(piece.path) as file:
            start, stop = [self._border(file, place, piece) for place in (piece.start, piece.stop)]
            file.seek(start)
            if stop - start > 2 * PIECE:  # a line of that length, in an encoding that has to be read line by line
                yield from self._streamed(_blocks_between(file, start, stop))
            elif text := file.read(stop - start).decode(self._encoding):
                yield text.removeprefix("\ufeff") if start == 0 else text

    def _border(self, file: BinaryIO, place: int, piece: Piece) -> int:
        """The first end of a paragraph from here on, else of a sentence, else of a character."""
        if place == 0:
            return 0
        first = max(0, place - _BEFORE)
        here = place - first
        file.seek(first)
        window = file.read(_WINDOW)
        if len(window) <= here:
            return place
        if self._break == "\n\n" and piece.kind == "text" and (paragraph := _PARAGRAPH.search(window, here)):
            return first + paragraph.end()
        if (found := window.find(b"\n", here - 1)) >= 0:
            return first + found + 1
        if piece.kind == "jsonl" or self._encoding != "utf-8":
            return self._next_line(file, first + len(window))
        ends = [found + len(end) for end in self._ends if (found := window.find(end, here)) >= 0]
        if ends:
            return first + min(ends)
        begins = (number for number in range(here, len(window)) if window[number] & 0xC0 != 0x80)
        return first + next(begins, len(window))

    def _next_line(self, file: BinaryIO, place: int) -> int:
        file.seek(place)
        while window := file.read(1 << 20):
            if (found := window.find(b"\n")) >= 0:
                return place + found + 1
            place += len(window)
        return place

    def _streamed(self, blocks: Iterator[bytes]) -> Iterator[str]:
        """Blocks of bytes as stretches of text, never all of it at once."""
        decoder = codecs.getincrementaldecoder(self._encoding)()
        kept = ""
        first = True
        for raw in blocks:
            text = kept + decoder.decode(raw)
            text = text.removeprefix("\ufeff") if first else text
            first = False
            cut = self._last_paragraph(text) or text.rfind("\n") + 1
            cut = cut or max((text.rfind(end.decode()) + 1 for end in self._ends), default=0)
            # What goes on without any end for so long is no sentence.
            cut = cut or (len(text) if len(text) > _ENDLESS else 0)
            if cut:
                yield text[:cut]
            kept = text[cut:]
        kept += decoder.decode(b"", final=True)
        if kept:
            yield kept

    def _last_paragraph(self, text: str) -> int:
        """Where the last paragraph but one ends; lines of a script with spaces are wrapped anywhere."""
        if self._break == "\n":
            return 0
        return max(text.rfind(mark) + len(mark) if mark in text else 0 for mark in ("\n\n", "\r\n\r\n"))

    def _blocks(self, piece: Piece) -> Iterator[bytes]:
        import pyarrow as pa

        with open_file(piece.path) as file:
            stream: Any = file
            try:
                if piece.packing:
                    stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), piece.packing)
                while block := stream.read(PIECE):
                    yield block
            except (pa.ArrowException, OSError) as error:
                raise Unreadable(
                    f"{piece.source} is damaged, or not packed with {piece.packing or 'what it says'}"
                ) from error

    def _lines(self, piece: Piece) -> Iterator[str]:
        kept = ""
        for text in self._stretches(piece):
            *lines, kept = (kept + text).split("\n")
            yield from lines
            if len(kept) > _LONGEST_RECORD:
                raise Unreadable(
                    f"{piece.source} has a line of more than {_LONGEST_RECORD:,} characters, which is no record"
                )
        yield kept

    def _records(self, lines: Iterator[str], piece: Piece) -> Iterator[str]:
        texts: list[str] = []
        size = 0
        field = self._field
        for line in lines:
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise Unreadable(f"{piece.source} has a line that is no JSON: {line.strip()[:60]!r}") from error
            if isinstance(record, str):
                text: Any = record
            elif isinstance(record, dict):
                field = field or _text_field(record, piece.source)
                text = record.get(field)
            else:
                raise Unreadable(f"{piece.source} has a line that is neither a text nor an object with one")
            if text is None and isinstance(record, dict) and field not in record:
                raise Unreadable(f"{piece.source} has a record without the field {field!r}; name it with --text-field")
            if text is not None and not isinstance(text, str):
                raise Unreadable(
                    f"{piece.source} has a record whose field {field!r} is no text but {json.dumps(text)[:60]}"
                )
            if text:
                # Half of a character that was cut in two (\\ud83d) is none.
                texts.append(text if text.isascii() else _LONE.sub("\ufffd", text))
                size += len(text)
            if size > PIECE:
                yield self._break.join(texts)
                texts, size = [], 0
        if texts:
            yield self._break.join(texts)

    def _parquet(self, piece: Piece) -> Iterator[str]:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        try:
            with open_file(piece.path) as file:
                table = ParquetFile(file)
                field = self._field or _text_field(table.schema_arrow.names, piece.source)
                if field not in table.schema_arrow.names:
                    raise Unreadable(f"{piece.source} has no column {field!r}; name it with --text-field")
                kind = table.schema_arrow.field(field).type
                if not _holds_text(kind):
                    raise Unreadable(f"the column {field!r} of {piece.source} holds no text but {kind}")
                groups = range(piece.start, min(piece.stop, table.metadata.num_row_groups))
                for batch in table.iter_batches(2000, row_groups=list(groups), columns=[field]):
                    texts = list(filter(None, batch.column(0).to_pylist()))
                    if texts:
                        yield self._break.join(texts)
        except ArrowException as error:
            raise Unreadable(f"{piece.source} cannot be read as Parquet ({str(error).splitlines()[0]})") from error


def _holds_text(kind: Any) -> bool:
    from pyarrow import types

    held = kind.value_type if types.is_dictionary(kind) else kind
    return any(
        is_text(held) for is_text in (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    )


def _blocks_between(file: BinaryIO, start: int, stop: int) -> Iterator[bytes]:
    for place in range(start, stop, PIECE):
        yield file.read(min(PIECE, stop - place))


def _text_field(names: Any, source: str) -> str:
    found = next((name for name in TEXT_FIELDS if name in names), None)
    if found is None:
        some = ", ".join(map(str, list(names)[:10]))
        raise Unreadable(
            f"{source} has none of the fields {', '.join(TEXT_FIELDS)} but {some}; name it with --text-field"
        )
    return found
