"""Where bytes come from: files, files inside .gz or .zip, and folders of them; streamed, never unpacked whole."""

import gzip
import io
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO

from tiltmeter.errors import TiltmeterError

LARGEST_RATIO = 100
"""What unpacks to more than this many times its packed size is refused: numbers do not pack so well."""


@dataclass(frozen=True, slots=True)
class Member:
    """One stream of bytes: a file, unpacked if it is gzip, or an entry of a zip."""

    path: Path
    entry: str = ""

    def __str__(self) -> str:
        return f"{self.path.name} ({self.entry})" if self.entry else self.path.name

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """A buffered stream; what is wrong with the packing is said in one sentence."""
        try:
            with self.path.open("rb", buffering=_BUFFER) as file:
                packed = file.read(2) == b"\x1f\x8b"
                file.seek(0)
                if self.entry:
                    with zipfile.ZipFile(file) as archive, archive.open(self.entry) as entry:
                        yield io.BufferedReader(_Unpacked(self, entry, None), _BUFFER)
                elif packed:
                    with gzip.GzipFile(fileobj=file) as unpacked:
                        yield io.BufferedReader(_Unpacked(self, unpacked, file), _BUFFER)
                else:
                    yield file
        except (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile) as error:
            raise TiltmeterError(f"{self} is damaged or cut off ({error}); fetch it again") from error
        except (RuntimeError, NotImplementedError) as error:
            raise TiltmeterError(f"{self} cannot be unpacked ({error}); pack it again without a password") from error
        except OSError as error:
            raise TiltmeterError(f"{self} cannot be read ({error.strerror or error})") from error

    def head(self, size: int = 1 << 16) -> bytes:
        with self.open() as stream:
            return stream.read(size)


def members_of(path: Path) -> dict[str, Member]:
    """All that lies in a folder or a zip by name, or the one file."""
    if not path.exists():
        raise TiltmeterError(f"there is no file {path}")
    if path.is_dir():
        files = sorted(file for file in (*path.glob("*"), *path.glob("vocab/*")) if file.is_file())
        return {file.relative_to(path).as_posix(): Member(file) for file in files}
    try:
        with path.open("rb") as file:
            zipped = file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
        if zipped:
            with zipfile.ZipFile(path) as archive:
                return {info.filename: _checked(path, info) for info in archive.infolist() if not info.is_dir()}
    except OSError as error:
        raise TiltmeterError(f"{path.name} cannot be read ({error.strerror or error})") from error
    except zipfile.BadZipFile as error:
        raise TiltmeterError(f"{path.name} is a damaged or cut off zip ({error}); fetch it again") from error
    return {path.name: Member(path)}


def skip(stream: IO[bytes], count: int) -> None:
    """Goes forward without keeping what lies in between."""
    if stream.seekable():
        stream.seek(count, io.SEEK_CUR)
        return
    while count > 0:
        passed = len(stream.read(min(count, _BUFFER)))
        if not passed:
            return
        count -= passed


def exactly(stream: IO[bytes], count: int, member: Member) -> bytes:
    """The next bytes, or the error that the file ends too early."""
    content = stream.read(count)
    if len(content) != count:
        raise cut_off(member, f"{count:,} more bytes were expected and {len(content):,} are left")
    return content


def cut_off(member: Member, why: str) -> TiltmeterError:
    return TiltmeterError(f"{member} is cut off: {why}; fetch it again")


_BUFFER = 1 << 18


def _checked(path: Path, info: zipfile.ZipInfo) -> Member:
    place = PurePosixPath(info.filename.replace("\\", "/"))
    if place.is_absolute() or ".." in place.parts:
        raise TiltmeterError(
            f"{path.name} holds {info.filename!r}, which climbs out of the zip, so it was not opened; unpack it with "
            "a tool you trust and name the file inside"
        )
    if info.file_size > LARGEST_RATIO * max(info.compress_size, 1):
        raise _bomb(Member(path, info.filename))
    return Member(path, info.filename)


def _bomb(member: Member) -> TiltmeterError:
    return TiltmeterError(
        f"{member} unpacks to more than {LARGEST_RATIO} times its packed size, which word vectors never do, so it was "
        "not read"
    )


class _Unpacked(io.RawIOBase):
    """Unpacked bytes, going forward only; `packed`, if given, is watched for what unpacks to far too much."""

    def __init__(self, member: Member, unpacked: IO[bytes] | gzip.GzipFile, packed: IO[bytes] | None) -> None:
        self._member = member
        self._unpacked = unpacked
        self._packed = packed
        self._given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        content = self._unpacked.read(len(buffer))
        self._given += len(content)
        if self._packed is not None and self._given > LARGEST_RATIO * self._packed.tell():
            raise _bomb(self._member)
        buffer[: len(content)] = content
        return len(content)
