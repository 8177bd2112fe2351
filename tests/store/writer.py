"""A process that writes runs and answers until it is killed, and says what is done: `writer.py ROOT NAME`."""

import hashlib
import sys
from pathlib import Path

import polars as pl

from tiltmeter.store import Answers, Store


def main(root: Path, name: str) -> None:
    store = Store(root)
    answers = Answers(store.answers_folder("subject", "vectors-1"))
    print("ready", flush=True)
    for number in range(10_000):
        key = f"{name}-{number}"
        content = hashlib.sha256(key.encode()).digest() * 2_000

        def fill(folder: Path, content: bytes = content) -> None:
            (folder / "result.json").write_bytes(content)
            (folder / "items.parquet").write_bytes(content[::-1])

        store.runs.obtain(key, fill)
        # Both writers want this one, at the same time.
        store.runs.obtain(f"shared-{number}", fill)
        print(f"run {key}", flush=True)
        answers.add(pl.DataFrame({"key": [key], "value": [number]}))
        print(f"answer {key} {number}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
