"""What the measurements of ours share: the same clock, warm-up and quantiles as measure.js has for the peers."""

from collections.abc import Callable, Sequence
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np

DIMENSIONS = 384
K = 10
WARM_UP = 50


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = perf_counter()
    found = work()
    return perf_counter() - start, found


def matrix(array: Any) -> Any:
    """Return the rows of a JavaScript Float32Array, copied."""
    return np.frombuffer(array.to_memoryview(), np.float32).reshape(-1, DIMENSIONS)


def quantiles(times: Sequence[float]) -> dict[str, float]:
    ordered = sorted(times)
    return {"p50": ordered[len(ordered) // 2], "p95": ordered[int(0.95 * len(ordered))]}


def timed_queries(queries: Sequence[Any], ask: Callable[[Any], list[int]]) -> dict[str, Any]:
    for number in range(WARM_UP):
        ask(queries[number % len(queries)])
    times, found = [], []
    for query in queries:
        seconds, rows = timed(lambda query=query: ask(query))
        times.append(seconds)
        found.append(rows)
    return {"query": quantiles(times), "found": found}


def timed_inserts(count: int, insert: Callable[[int], Any]) -> float:
    return median(timed(lambda number=number: insert(number))[0] for number in range(count))
