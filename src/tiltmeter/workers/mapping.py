"""The only place that knows how work is spread."""

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from tiltmeter.errors import MissingExtra, TiltmeterError, unknown

RUNNERS = ("local", "ray")

Part = TypeVar("Part")
Answer = TypeVar("Answer")


def map(
    start: Callable[[], Callable[[Part], Answer]], parts: Sequence[Part], runner: str = "local"
) -> Iterator[tuple[int, Answer]]:
    """Each part's number and answer, as soon as it is there.

    `start` is called once in every worker and gives the function that answers: a worker that needs a model loads
    one. `local` works here, part after part; `ray` on a Ray cluster (`RAY_ADDRESS`, else one of its own on this
    machine), one worker a GPU, or one for every four processors.
    """
    if runner == "local":
        answer = start() if parts else None
        return ((number, answer(part)) for number, part in enumerate(parts) if answer is not None)
    if runner == "ray":
        return _by_ray(start, parts)
    raise unknown("runner", runner, RUNNERS)


def _by_ray(start: Callable[[], Callable[[Part], Answer]], parts: Sequence[Part]) -> Iterator[tuple[int, Answer]]:
    if not parts:
        return
    ray = _connect()
    resources = ray.cluster_resources()
    gpus, processors = int(resources.get("GPU", 0)), int(resources.get("CPU", 1))
    count = min(len(parts), gpus or max(2, processors // 4))
    each = {"num_gpus": 1} if gpus else {"num_cpus": max(1, processors // count)}
    team = [ray.remote(_Worker).options(**each).remote(start, each.get("num_cpus", 0)) for _ in range(count)]
    todo = iter(enumerate(parts))
    busy: dict[Any, tuple[int, Any]] = {}
    try:
        for worker, (number, part) in zip(team, todo, strict=False):
            busy[worker.answer.remote(part)] = (number, worker)
        while busy:
            (ready,), _ = ray.wait(list(busy), num_returns=1)
            number, worker = busy.pop(ready)
            answer = _taken(ray, ready)
            if (following := next(todo, None)) is not None:
                busy[worker.answer.remote(following[1])] = (following[0], worker)
            yield number, answer
    finally:
        for worker in team:
            ray.kill(worker)


class _Worker:
    """What runs inside a Ray actor."""

    def __init__(self, start: Callable[[], Callable[[Any], Any]], processors: int) -> None:
        if processors:
            # Read by the numeric libraries when they are first imported.
            os.environ["OMP_NUM_THREADS"] = str(processors)
        self._answer = start()

    def answer(self, part: Any) -> Any:
        return self._answer(part)


def _connect() -> Any:
    try:
        import ray
    except ImportError as error:
        raise MissingExtra("ray", "ray") from error
    if not ray.is_initialized():
        # Without an address Ray would also take a cluster that it finds noted on this machine, dead or somebody else's.
        address = os.environ.get("RAY_ADDRESS") or "local"
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    return ray


def _taken(ray: Any, reference: Any) -> Any:
    """An answer, or the worker's own error instead of Ray's wrapping of it."""
    try:
        return ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, TiltmeterError):
            raise error.cause from None
        raise
    except ray.exceptions.RayActorError as error:
        reason = str(error).splitlines()[0]
        raise TiltmeterError(f"a worker was lost ({reason}); what it answered is kept: run the same command") from error
