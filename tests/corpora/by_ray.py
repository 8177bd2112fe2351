"""Builds a set here, on a Ray cluster of two nodes, and on one that loses a node in the middle of the work."""

import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from corpora.built import made_text
from tiltmeter.corpora import Request, Spread, build_slguset, files
from tiltmeter.packs import load_pack
from tiltmeter.store import Store


def main(folder: Path) -> None:
    import ray
    from ray.cluster_utils import Cluster

    for number in range(4):
        (folder / "corpus").mkdir(exist_ok=True)
        (folder / "corpus" / f"{number}.txt").write_text(made_text("zh", 150_000, seed=number), "utf-8")
    files.PIECE, files.PART = 100_000, 400_000
    files.group_parts.__defaults__ = (files.PART,)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    ray.init(address=cluster.address, log_to_driver=False)
    nodes = _alive(ray)

    def built(name: str, watch: Callable[[Path], None] | None = None) -> bytes:
        store = Store(folder / f"cache-{name}")
        if watch is not None:
            threading.Thread(target=watch, args=(store.unfinished.root,), daemon=True).start()
        request = Request(load_pack("zh"), [str(folder / "corpus")], total=400)
        spread = Spread("ray", ray_address=cluster.address)
        build_slguset(request, folder / name, store=store, spread=spread)
        return (folder / name / "set.csv").read_bytes()

    killed: list[int] = []

    def kill_in_the_middle(parts: Path) -> None:
        while len(list(parts.glob("*/part-*.parquet"))) < 2:
            time.sleep(0.02)
        killed.append(len(list(parts.glob("*/part-*.parquet"))))
        cluster.remove_node(second, allow_graceful=False)

    whole = built("two-nodes")
    broken = built("one-killed", kill_in_the_middle)
    # The cluster needs some seconds to see that a node no longer answers.
    waited = time.monotonic() + 60
    while (alive := _alive(ray)) > 1 and time.monotonic() < waited:
        time.sleep(0.5)
    parts = len(files.group_parts(files.cut_pieces(files.find_files([str(folder / "corpus")])[0], "utf-8")))
    print("found:", nodes, alive, killed[0], parts, whole == broken)


def _alive(ray: Any) -> int:
    return sum(node["Alive"] for node in ray.nodes())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
