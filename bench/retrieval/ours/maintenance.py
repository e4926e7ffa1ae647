"""How long a call of ``maintain`` holds up the page while vectors arrive in a table of which three in ten were deleted.

Nothing but ``maintain`` rebuilds a graph, links new vectors, merges runs or vacuums; it is called as a page would, with its usual
budget, whenever there is a moment.
"""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
from common import K, matrix, quantiles, timed
from vectors import fill, make_table

from zengram_py.engine.index.vectors import Candidates

ARRIVING = 1500
TOGETHER = 10
CALLS = 4


def measure(vectors: Any, later: Any, tell: Callable[[str], Any]) -> str:
    rows, new = matrix(vectors), matrix(later)
    db = make_table()
    fill(db, rows)
    rng = np.random.default_rng(3)
    gone = rng.choice(len(rows), 3 * len(rows) // 10, replace=False)
    with db.begin() as t:
        for key in gone.tolist():
            t.delete("t", key)
    tell("maintenance: deleted")
    steps: list[float] = []
    queries: list[float] = []
    for start in range(0, ARRIVING, TOGETHER):
        noise = rng.standard_normal((TOGETHER, rows.shape[1]))
        some = new[rng.integers(0, len(new), TOGETHER)] + 0.02 * noise.astype(np.float32)
        with db.begin() as t:
            t.insert_many("t", {"id": np.arange(TOGETHER) + len(rows) + start, "v": some})
        steps += [timed(db.maintain)[0] for _ in range(CALLS) if db.pending()]
        queries.append(timed(lambda query=some[0]: ask(db, query))[0])
    while db.pending():
        steps.append(timed(db.maintain)[0])
    ordered = sorted(steps)
    return json.dumps(
        {
            "calls": len(steps),
            "total": sum(steps),
            "p50": ordered[len(ordered) // 2],
            "p99": ordered[int(0.99 * len(ordered))],
            "longest": ordered[-1],
            "over_50_ms": sum(step > 0.05 for step in steps),
            "query": quantiles(queries),
        }
    )


def ask(db: Any, query: Any) -> None:
    seen = db.begin(read_only=True).seen("t")
    seen.index("near").structure.nearest(
        query, K, Candidates(seen.column("v"), seen.index("near").entry.view[seen.slots])
    )
