"""The same set from a cluster, whatever happens to its nodes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def on_ray(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """In a process of its own: Ray leaves threads behind."""
    folder = tmp_path_factory.mktemp("ray")
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("by_ray.py"), folder],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "RAY_AUTH_MODE": "disabled"},
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    # Ray says more, about the node that died.
    found = next(line for line in done.stdout.splitlines() if line.startswith("found:"))
    return folder, found.split()[1:]


def test_a_node_killed_in_the_middle_changes_nothing(on_ray: tuple[Path, list[str]]) -> None:
    before, after, parts_done, parts, same = on_ray[1]
    assert (before, after) == ("2", "1")
    assert 0 < int(parts_done) < int(parts)
    assert same == "True"


def test_a_cluster_of_two_nodes_gives_the_set_of_one_machine(on_ray: tuple[Path, list[str]], tmp_path: Path) -> None:
    """In pieces of another size."""
    folder, _ = on_ray
    (tmp_path / "corpus").mkdir()
    for path in sorted((folder / "corpus").iterdir()):
        (tmp_path / "corpus" / path.name).write_bytes(path.read_bytes())
    out = tmp_path / "here"
    command = ["build", "slguset", "--lang", "zh", "--corpus", tmp_path / "corpus", "--total", "400", "-o", out]
    done = subprocess.run(
        [sys.executable, "-m", "tiltmeter", *map(str, command)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TILTMETER_CACHE": str(tmp_path / "cache")},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert (out / "set.csv").read_bytes() == (folder / "two-nodes" / "set.csv").read_bytes()
    assert len((out / "set.csv").read_text("utf-8").splitlines()) > 100
